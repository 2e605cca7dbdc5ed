//! What is done to a picture.

use benchtop_metrics::vlb::Strategy;
use benchtop_model::{Error, PixelBox, Result};
use benchtop_raster::edit::{Mask, Ratio};

/// Most bytes of a prompt and of the name of an object.
const TEXT_LIMIT: usize = 4 << 10;
/// Most boxes of an edit.
const BOXES_LIMIT: usize = 100;

/// An edit of a picture. Boxes are in pixels of the source.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// V1: paints an object into a box.
    Add { object: String, area: PixelBox },
    /// V2: paints over the boxes of an object.
    Remove {
        object: String,
        areas: Vec<PixelBox>,
    },
    /// V3: paints a frame around the picture.
    Extend { ratio: Ratio },
}

impl Edit {
    /// VLB's name for it.
    pub fn strategy(&self) -> Strategy {
        match self {
            Edit::Add { .. } => Strategy::V1,
            Edit::Remove { .. } => Strategy::V2,
            Edit::Extend { .. } => Strategy::V3,
        }
    }

    /// The object, if the edit is about one.
    pub fn object(&self) -> Option<&str> {
        match self {
            Edit::Add { object, .. } | Edit::Remove { object, .. } => Some(object),
            Edit::Extend { .. } => None,
        }
    }

    /// The boxes, in pixels of the source.
    pub fn boxes(&self) -> &[PixelBox] {
        match self {
            Edit::Add { area, .. } => std::slice::from_ref(area),
            Edit::Remove { areas, .. } => areas,
            Edit::Extend { .. } => &[],
        }
    }

    /// Checks the texts and the number of boxes. [`mask`](Self::mask) checks the boxes.
    pub(super) fn check(&self, prompt: &str) -> Result<()> {
        let boxes = self.boxes();
        if boxes.len() > BOXES_LIMIT {
            let what = format!("{} boxes; the maximum is {BOXES_LIMIT}", boxes.len());
            return Err(Error::input(what).field("boxes"));
        }
        for (field, text) in [("object", self.object()), ("prompt", Some(prompt))] {
            let Some(text) = text else { continue };
            if text.trim().is_empty() {
                return Err(Error::input("empty").field(field));
            }
            if text.len() > TEXT_LIMIT {
                let what = format!("the maximum is {TEXT_LIMIT} bytes");
                return Err(Error::input(what).field(field));
            }
        }
        Ok(())
    }

    /// The boxes as a mask of a picture of this size.
    pub(super) fn mask(&self, size: (u32, u32)) -> Result<Mask> {
        Mask::of_pixels(size, self.boxes())
    }
}
