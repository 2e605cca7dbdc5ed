//! In which numbers a reply gives its boxes.

use serde_json::Value;

use super::fault::{Fault, FaultKind};

benchtop_model::named! {
    /// The unit of the numbers of a box.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Notation {
        /// Pixels of the source picture.
        Pixels = "pixels",
        /// Shares of width and height, from 0 to 1.
        Shares = "shares",
        /// Thousandths of width and height, from 0 to 1000.
        Thousandths = "thousandths",
    }
}

/// A picture that a model saw smaller or larger may have sides that are rounded to a multiple of 28.
const ROUNDING: f64 = 28.0;

/// Width and height of the whole picture in the numbers of a reply.
///
/// A reply may state them in a field `size`. If it does not, `asked` counts. If neither is known, the
/// numbers must leave only one notation: all up to 1 are shares, a number above 1000 is in pixels, and
/// a number beyond a side of the picture is in thousandths.
///
/// # Errors
/// [`FaultKind::Size`] and [`FaultKind::Ambiguous`].
pub(super) fn scale(
    (width, height): (u32, u32),
    stated: Option<&Value>,
    asked: Option<Notation>,
    boxes: &[[f64; 4]],
) -> Result<(f64, f64), Fault> {
    let picture = (f64::from(width), f64::from(height));
    let of = |notation: Notation| match notation {
        Notation::Pixels => picture,
        Notation::Shares => (1.0, 1.0),
        Notation::Thousandths => (1000.0, 1000.0),
    };
    if let Some(stated) = stated {
        return size(stated, picture);
    }
    if let Some(asked) = asked {
        return Ok(of(asked));
    }
    let numbers = || boxes.iter().flatten().copied();
    let most = numbers().fold(0.0, f64::max);
    let is_beyond = boxes
        .iter()
        .any(|[x0, y0, x1, y1]| x0.max(*x1) > picture.0 || y0.max(*y1) > picture.1);
    if boxes.is_empty() || most <= 1.0 {
        return Ok(of(Notation::Shares));
    }
    if most > 1000.0 || picture == (1000.0, 1000.0) {
        return Ok(of(Notation::Pixels));
    }
    if is_beyond {
        return Ok(of(Notation::Thousandths));
    }
    Err(Fault::of_reply(
        FaultKind::Ambiguous,
        format!(
            "the boxes can be in pixels or in thousandths; state the size of the picture in your numbers, \
             such as \"size\": [{width}, {height}]"
        ),
    ))
}

/// The size that a reply states: 1 by 1, 1000 by 1000, or that of the picture at any scale.
fn size(stated: &Value, (width, height): (f64, f64)) -> Result<(f64, f64), Fault> {
    let numbers: Option<Vec<f64>> = stated
        .as_array()
        .and_then(|list| list.iter().map(Value::as_f64).collect());
    if let Some(&[wide, high]) = numbers.as_deref()
        && wide > 0.0
        && high > 0.0
    {
        let is_grid = (wide, high) == (1.0, 1.0) || (wide, high) == (1000.0, 1000.0);
        let scale = wide / width;
        let is_scaled = (height * scale - high).abs() <= ROUNDING.min(high / 10.0);
        if is_grid || is_scaled {
            return Ok((wide, high));
        }
    }
    Err(Fault::of_reply(
        FaultKind::Size,
        format!("the size must be that of the picture, [{width}, {height}]"),
    ))
}
