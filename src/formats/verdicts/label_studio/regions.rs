//! Regions on a picture: rectangles and key points in percent of its size.
//!
//! A region without a label has the type `rectangle` or `keypoint`; with a label, `rectanglelabels`
//! or `keypointlabels`. A region on a further picture names it in `item_index`, from 0.
//!
//! Source: labelstud.io, "Rectangle Labels", "KeyPoint Labels", and "Units of image annotations".

use serde_json::{Map, Value, json};

use super::{BOXES, POINTS};
use benchtop_model::mark::{Fraction, Shape};
use benchtop_model::{Error, Mark, Result};

/// Width of a key point in percent of the picture. Label Studio draws it in this size.
const POINT_WIDTH: f64 = 0.5;

/// Whether a region of this type is a mark.
pub(super) fn is_mark(kind: &str) -> bool {
    matches!(
        kind,
        "rectangle" | "rectanglelabels" | "keypoint" | "keypointlabels"
    )
}

/// The region of a mark. `size` is that of the picture in pixels.
pub(super) fn region(id: String, mark: &Mark, size: Option<(u32, u32)>) -> Value {
    let percent = |fraction: Fraction| fraction.value() * 100.0;
    let (name, kind, mut value) = match mark.shape {
        Shape::Point { x, y } => {
            let value = json!({"x": percent(x), "y": percent(y), "width": POINT_WIDTH});
            (POINTS, "keypoint", value)
        }
        Shape::Box {
            x,
            y,
            width,
            height,
        } => {
            let [x, y, width, height] = [x, y, width, height].map(percent);
            let value = json!({"x": x, "y": y, "width": width, "height": height, "rotation": 0});
            (BOXES, "rectangle", value)
        }
    };
    let mut kind = kind.to_string();
    if let Some(label) = &mark.label {
        kind += "labels";
        value[&kind] = json!([label]);
    }
    let mut region = json!({
        "id": id, "from_name": name, "to_name": "image", "type": kind, "origin": "manual",
        "image_rotation": 0, "value": value,
    });
    if let Some((width, height)) = size {
        (region["original_width"], region["original_height"]) = (width.into(), height.into());
    }
    if mark.picture > 1 {
        region["item_index"] = (mark.picture - 1).into();
    }
    region
}

/// The mark of a region: its place in percent in `value`, and its picture.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] for a region that is rotated or not on the picture.
pub(super) fn mark(value: &Value, picture: u32) -> Result<Mark> {
    let wrong = |what: String| Error::input(what).field("value");
    let number = |name: &str| value.get(name).and_then(Value::as_f64);
    let fraction = |name: &str| {
        let percent = number(name).ok_or_else(|| wrong(format!("the region has no `{name}`")))?;
        // Label Studio lets regions reach over the edges.
        if percent.is_finite() {
            Ok(Fraction::near(percent / 100.0).value())
        } else {
            Err(wrong(format!("`{name}` is no number")))
        }
    };
    if number("rotation").is_some_and(|rotation| rotation != 0.0) {
        return Err(wrong(
            "the rectangle is rotated, which a box cannot be".into(),
        ));
    }
    let (x, y) = (fraction("x")?, fraction("y")?);
    let mark = match value.get("height") {
        None => Mark::point(picture, x, y),
        Some(_) => {
            let (width, height) = (fraction("width")?, fraction("height")?);
            Mark::area(picture, (x, y), (x + width, y + height))
        }
    };
    let label = value.as_object().and_then(label);
    let mark = mark.labeled(label);
    benchtop_model::mark::check(std::slice::from_ref(&mark), usize::MAX)?;
    Ok(mark)
}

/// The first label of a region.
fn label(value: &Map<String, Value>) -> Option<String> {
    let lists = ["rectanglelabels", "keypointlabels"];
    let list = lists.iter().find_map(|name| value.get(*name))?;
    list.as_array()?.first()?.as_str().map(str::to_string)
}

/// The number of the picture that a region is on, from 1.
pub(super) fn picture(region: &Map<String, Value>) -> u32 {
    let index = region.get("item_index").and_then(Value::as_u64);
    let index = index.and_then(|index| u32::try_from(index).ok());
    index.unwrap_or(0).saturating_add(1)
}

/// The keys of a taxonomy: each path of levels as one text.
pub(super) fn paths(value: &Value) -> Vec<String> {
    let list = match value {
        Value::Object(fields) => fields.get("taxonomy"),
        list => Some(list),
    };
    let word = |word: &Value| word.as_str().map(str::to_string);
    let path = |path: &Value| match path {
        Value::Array(words) => Some(words.iter().filter_map(word).collect::<Vec<_>>().join("/")),
        other => word(other),
    };
    let list = list.and_then(Value::as_array);
    list.into_iter().flatten().filter_map(path).collect()
}

/// The region of a taxonomy with these keys.
pub(super) fn taxonomy(keys: &[String]) -> Value {
    let paths: Vec<Vec<&str>> = keys.iter().map(|key| key.split('/').collect()).collect();
    json!({"taxonomy": paths})
}
