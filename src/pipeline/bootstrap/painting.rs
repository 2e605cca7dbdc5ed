//! Candidates of V1, V2, and V3 as edits, and what painters are asked to paint.

use std::path::Path;

use benchtop_files::picture_file::PictureFile;
use benchtop_metrics::vlb::{Applied, Strategy};
use benchtop_model::derivation::BOXES;
use benchtop_model::{Error, ImageRef, PixelBox, Result};
use benchtop_raster::edit::Ratio;
use benchtop_store::jobs::Candidate;
use serde_json::{Value, json};

use super::state::Made;
use crate::derive::derived_name;
use crate::picture_edit::{Edit, EditedPicture};
use crate::scenario::Parameters;

/// What was painted, beside the parameters of the edit: whether it is a draft.
const DRAFT: &str = "draft";

/// An object with its box, as a candidate of V1 or V2.
pub fn candidate(object: String, area: PixelBox) -> Candidate {
    Candidate {
        text: object,
        edit: Parameters::from_iter([(BOXES.to_string(), json!([area]))]),
    }
}

/// The candidate of V3, which nobody is asked for. `None` for other strategies.
pub fn extension(applied: Applied) -> Option<Candidate> {
    (applied.strategy == Strategy::V3).then(|| Candidate {
        text: format!(
            "the picture extended to {} times its width and height",
            f64::from(applied.ratio) / 100.0
        ),
        ..Candidate::default()
    })
}

/// The edit of a candidate.
///
/// # Errors
/// [`Error::corrupt`] for a candidate without the right boxes, and for a question's strategy.
pub fn edit(applied: Applied, candidate: &Candidate) -> Result<Edit> {
    let damaged = || Error::corrupt("the boxes of a candidate are damaged");
    let boxes = || -> Result<Vec<PixelBox>> {
        let boxes = candidate.edit.get(BOXES).cloned().unwrap_or_default();
        serde_json::from_value(boxes).map_err(|_| damaged())
    };
    let object = candidate.text.clone();
    Ok(match applied.strategy {
        Strategy::V1 => Edit::Add {
            object,
            area: boxes()?.first().copied().ok_or_else(damaged)?,
        },
        Strategy::V2 => Edit::Remove {
            object,
            areas: boxes()?,
        },
        Strategy::V3 => Edit::Extend {
            ratio: Ratio::of(f64::from(applied.ratio) / 100.0)?,
        },
        _ => return Err(Error::corrupt("a strategy of questions paints nothing")),
    })
}

/// The prompt of an edit, and what must not be painted. Painters that are told what to leave out
/// tend to paint it, so that is not in the prompt.
pub fn prompt(edit: &Edit) -> (String, Option<String>) {
    match edit {
        Edit::Add { object, .. } => (object.clone(), None),
        Edit::Remove { object, .. } => {
            let empty = "empty background that continues what is around it";
            (empty.into(), Some(object.clone()))
        }
        Edit::Extend { .. } => (
            "the same scene, continued in the same style beyond the edges".into(),
            None,
        ),
    }
}

/// What the journal keeps of a painted picture beside its hash.
pub fn found(edited: &EditedPicture) -> Parameters {
    let mut found = edited.parameters.clone();
    if edited.image.draft {
        found.insert(DRAFT.into(), true.into());
    }
    found
}

/// Width and height of a picture of the project at `root`.
///
/// # Errors
/// A file that is missing or cannot be read.
pub fn size(root: &Path, image: &ImageRef) -> Result<(u32, u32)> {
    let file = PictureFile::of(root, image)
        .ok_or_else(|| Error::input(format!("the picture `{}` has no file", image.name)))?;
    benchtop_raster::decode::size(&file.read()?)
}

/// The reference of a painted picture, whose name begins with `folder`.
pub fn painted(source: &ImageRef, folder: &str, made: &Made) -> ImageRef {
    let named = derived_name(source, folder);
    let is_draft = made.found.get(DRAFT).and_then(Value::as_bool);
    ImageRef {
        hash: Some(made.picture.clone()),
        draft: named.draft || is_draft == Some(true),
        ..named
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_metrics::vlb::Composition;

    fn applied(text: &str) -> Applied {
        Composition::parse(text).unwrap().picture[0]
    }

    #[test]
    fn candidates_become_edits() {
        let area = PixelBox::new([1, 2, 30, 40]).unwrap();
        let ball = candidate("a ball".into(), area);
        let Edit::Add { object, area: at } = edit(applied("V1"), &ball).unwrap() else {
            panic!("V1 adds");
        };
        assert_eq!((object.as_str(), at), ("a ball", area));
        let removed = edit(applied("V2"), &ball).unwrap();
        assert_eq!(removed.boxes(), [area]);
        let (prompt, negative) = prompt(&removed);
        assert!(!prompt.contains("ball"));
        assert_eq!(negative.as_deref(), Some("a ball"));
        let wide = extension(applied("V3@1.25")).unwrap();
        let Edit::Extend { ratio } = edit(applied("V3@1.25"), &wide).unwrap() else {
            panic!("V3 extends");
        };
        assert_eq!(ratio.value(), 1.25);
        assert!(extension(applied("V1")).is_none());
        for damaged in ["V1", "V2"] {
            let mut without = ball.clone();
            without.edit.insert(BOXES.into(), json!([[5, 5, 5, 5]]));
            assert!(edit(applied(damaged), &without).is_err());
        }
    }
}
