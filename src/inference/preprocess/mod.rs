//! Preprocesses pictures for image encoders: resize, center crop, rescale, and normalize. The
//! result is bit-identical to transformers' image processors with the Pillow backend.

mod config;
mod linear;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::path::{Path, PathBuf};

use benchtop_model::error::{Error, Result};
use benchtop_model::generation::Pixels;
use benchtop_raster::pillow;
pub use config::{Size, Steps};
pub use linear::Linear;

/// A preprocessor, which threads can share.
#[derive(Clone, Debug)]
pub struct Preprocessor {
    pub steps: Steps,
    /// The value of each byte of red, green, and blue.
    values: Box<[[f32; 256]; 3]>,
}

impl Preprocessor {
    /// Reads the first `preprocessor_config.json` in `folders`. Missing fields are taken from
    /// `default`.
    pub fn open(folders: &[PathBuf], default: Steps) -> Result<Preprocessor> {
        let files: Vec<PathBuf> = folders
            .iter()
            .map(|f| f.join("preprocessor_config.json"))
            .collect();
        match files.iter().find(|file| file.is_file()) {
            Some(file) => Ok(Preprocessor::new(Steps::read(file, default)?)),
            None => {
                let named = files.into_iter().next().unwrap_or_default();
                let missing = Error::not_found("missing").file(named);
                Err(missing.help("add the model's preprocessor_config.json, which defines how pictures are resized"))
            }
        }
    }

    pub fn new(steps: Steps) -> Preprocessor {
        // As in numpy: the product in f64, the rest in f32.
        let value = |channel: usize, byte: usize| {
            let scaled = (byte as f64 * steps.rescale) as f32;
            steps.normalize.map_or(scaled, |(mean, deviation)| {
                (scaled - mean[channel] as f32) / deviation[channel] as f32
            })
        };
        let values =
            std::array::from_fn(|channel| std::array::from_fn(|byte| value(channel, byte)));
        Preprocessor {
            steps,
            values: Box::new(values),
        }
    }

    /// Width and height of the result, if they do not depend on the picture.
    pub fn size(&self) -> Option<(usize, usize)> {
        match (self.steps.crop, self.steps.size) {
            (Some(size), _) => Some(size),
            (None, Size::Exactly { width, height }) => Some((width, height)),
            (None, Size::ShortestEdge(_)) => None,
        }
    }

    /// Where the picture is resized and cropped to. Invalid and too large pictures are refused.
    fn layout(&self, picture: &Pixels) -> Result<Layout> {
        let (width, height) = (picture.width as usize, picture.height as usize);
        if width == 0 || height == 0 || picture.rgb.len() != 3 * width * height {
            let bytes = picture.rgb.len();
            return Err(Error::input(format!(
                "{bytes} bytes do not match an RGB picture of {width}x{height}"
            )));
        }
        let to = match self.steps.size {
            Size::Exactly { width, height } => (width, height),
            Size::ShortestEdge(edge) if width <= height => (edge, edge * height / width),
            Size::ShortestEdge(edge) => (edge * width / height, edge),
        };
        let (wide, high) = self.steps.crop.unwrap_or(to);
        if wide.checked_mul(high).is_none_or(|n| n > 1 << 26) {
            return Err(Error::input(format!(
                "{width}x{height} pixels would be resized to {wide}x{high}, which is too large"
            )));
        }
        Ok(Layout {
            to,
            size: (wide, high),
            columns: middle(to.0, wide),
            rows: middle(to.1, high),
        })
    }

    /// Resizes and crops the picture. A picture that is smaller than the crop is padded with black.
    /// An empty picture, or one with a wrong number of bytes, is refused.
    pub fn cut(&self, picture: &Pixels) -> Result<Pixels> {
        let (width, height) = (picture.width as usize, picture.height as usize);
        let Layout {
            to,
            size: (wide, high),
            columns: (x, left),
            rows: (y, above),
        } = self.layout(picture)?;
        let inner = pillow::resized(
            &picture.rgb,
            (width, height),
            self.steps.resample,
            to,
            x.clone(),
            y.clone(),
        );
        let mut rgb = inner;
        if (x.len(), y.len()) != (wide, high) {
            let inner = std::mem::replace(&mut rgb, vec![0; 3 * wide * high]);
            let lines = rgb.chunks_exact_mut(3 * wide).skip(above);
            for (line, inner) in lines.zip(inner.chunks_exact(3 * x.len())) {
                line[3 * left..3 * left + inner.len()].copy_from_slice(inner);
            }
        }
        Ok(Pixels {
            width: wide as u32,
            height: high as u32,
            rgb,
        })
    }

    /// The model's input (`pixel_values`): three normalized planes (red, green, blue), with rows
    /// from the top.
    pub fn planes(&self, picture: &Pixels) -> Result<Vec<f32>> {
        let cut = self.cut(picture)?;
        let mut planes = vec![0.; cut.rgb.len()];
        let area = cut.rgb.len() / 3;
        for (channel, (plane, values)) in planes
            .chunks_exact_mut(area.max(1))
            .zip(self.values.iter())
            .enumerate()
        {
            for (value, pixel) in plane.iter_mut().zip(cut.rgb.as_chunks::<3>().0) {
                *value = values[usize::from(pixel[channel])];
            }
        }
        Ok(planes)
    }
}

/// The size that a picture is resized to, the size of the result, and the ranges of columns and rows
/// that are kept, with their offsets in the result.
struct Layout {
    to: (usize, usize),
    size: (usize, usize),
    columns: (Range<usize>, usize),
    rows: (Range<usize>, usize),
}

/// The range of `to` pixels in a center crop of `of` pixels, and its offset in the crop. Half
/// pixels round down, even below zero, as in transformers' `center_crop`.
fn middle(to: usize, of: usize) -> (Range<usize>, usize) {
    let start = (to as i64 - of as i64).div_euclid(2);
    let from = start.max(0) as usize;
    let until = (start + of as i64).clamp(0, to as i64) as usize;
    (from..until, (-start).max(0) as usize)
}

/// The folders that may have the `preprocessor_config.json` of a model: its own, and the one that
/// diffusers uses for a part of a pipeline.
pub(crate) fn folders(model: &Path) -> Vec<PathBuf> {
    let beside = model.parent().map(|p| p.join("feature_extractor"));
    std::iter::once(model.to_path_buf()).chain(beside).collect()
}
