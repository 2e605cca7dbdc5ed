//! Where a word was written, and how a derivation records it.

use serde_json::{Map, Value, json};

/// Where a word was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Ink {
    /// The pixels with ink: left, top, width, and height.
    pub area: [u32; 4],
    /// The font size in pixels.
    pub size: f32,
    /// Whether the word had to be smaller than its look asks, to fit.
    pub shrunk: bool,
    /// The share of the picture that ink covers.
    pub coverage: f64,
    /// Where the middle of the word is, in pixels.
    pub middle: (f32, f32),
    /// Width and height of the word before it was turned, in pixels.
    pub upright: (f32, f32),
    /// Degrees clockwise by which it was turned.
    pub angle: f64,
}

impl Ink {
    /// The parameters of a derivation that record it.
    pub fn parameters(&self) -> Map<String, Value> {
        let each = [
            ("area", json!(self.area)),
            ("letters", json!(self.size)),
            ("shrunk", json!(self.shrunk)),
            ("coverage", json!(self.coverage)),
            ("middle", json!([self.middle.0, self.middle.1])),
            ("upright", json!([self.upright.0, self.upright.1])),
            ("angle", json!(self.angle)),
        ];
        each.map(|(name, value)| (name.to_string(), value))
            .into_iter()
            .collect()
    }

    /// The ink that the parameters of a derivation record. `None` if they record none, or one that
    /// cannot be on a picture of this width and height: they may come from outside.
    pub fn recorded(parameters: &Map<String, Value>, picture: (u32, u32)) -> Option<Ink> {
        let number = |name: &str| parameters.get(name)?.as_f64();
        let several = |name: &str| -> Option<Vec<f64>> {
            let list = parameters.get(name)?.as_array()?;
            list.iter().map(Value::as_f64).collect()
        };
        let pair = |name: &str| <[f64; 2]>::try_from(several(name)?).ok();
        let area = <[f64; 4]>::try_from(several("area")?).ok()?;
        let ink = Ink {
            area: area.map(|n| n as u32),
            size: number("letters")? as f32,
            shrunk: parameters.get("shrunk")?.as_bool()?,
            coverage: number("coverage")?,
            middle: pair("middle").map(|[x, y]| (x as f32, y as f32))?,
            upright: pair("upright").map(|[x, y]| (x as f32, y as f32))?,
            angle: number("angle")?,
        };
        let (width, height) = (picture.0 as f32, picture.1 as f32);
        // A turned word is at most as long as the diagonal.
        let longest = width.hypot(height);
        let is_length = |n: f32| n > 0. && n <= longest;
        let is_there = is_length(ink.size)
            && is_length(ink.upright.0)
            && is_length(ink.upright.1)
            && (0. ..=width).contains(&ink.middle.0)
            && (0. ..=height).contains(&ink.middle.1)
            && ink.angle.abs() <= 360.;
        is_there.then_some(ink)
    }
}
