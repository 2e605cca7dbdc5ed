//! `preprocessor_config.json` of transformers' image processors.

use std::path::Path;

use serde_json::Value;

use crate::candle::config::Config;
use benchtop_model::error::Result;
use benchtop_raster::pillow::Resample;

/// Maximum side that a file may set.
const LARGEST: usize = 4096;

/// The target size of a resize.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// The length of the shorter side; the other is proportional, rounded down.
    ShortestEdge(usize),
    /// Width and height in pixels, ignoring the proportions.
    Exactly { width: usize, height: usize },
}

/// The preprocessing steps of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps {
    pub size: Size,
    pub resample: Resample,
    /// Width and height of the center crop.
    pub crop: Option<(usize, usize)>,
    /// Factor of the bytes.
    pub rescale: f64,
    /// Mean and standard deviation of red, green, and blue.
    pub normalize: Option<([f64; 3], [f64; 3])>,
}

impl Steps {
    /// The defaults of CLIP's processor.
    pub fn clip() -> Steps {
        let (mean, deviation) = (
            [0.48145466, 0.4578275, 0.40821073],
            [0.26862954, 0.26130258, 0.27577711],
        );
        Steps {
            size: Size::ShortestEdge(224),
            resample: Resample::Bicubic,
            crop: Some((224, 224)),
            rescale: 1. / 255.,
            normalize: Some((mean, deviation)),
        }
    }

    /// The defaults of SigLIP's processor.
    pub fn siglip() -> Steps {
        let size = Size::Exactly {
            width: 224,
            height: 224,
        };
        Steps {
            size,
            crop: None,
            normalize: Some(([0.5; 3], [0.5; 3])),
            ..Steps::clip()
        }
    }

    /// Reads `file`. Missing fields are taken from `default`. Errors for unsupported steps name the
    /// field.
    pub fn read(file: &Path, default: Steps) -> Result<Steps> {
        let config = Config::read(file)?;
        // Files without a resize or a rescale expect preprocessed pictures, which benchtop does not
        // have.
        config.only("do_resize", true)?;
        config.only("do_rescale", true)?;
        config.only("do_pad", false)?;
        let size = match config.get("size") {
            None => default.size,
            Some(Value::Number(n)) => {
                Size::ShortestEdge(side(&config, "size", Some(&Value::Number(n.clone())))?)
            }
            Some(size @ Value::Object(fields)) => {
                match (fields.get("shortest_edge"), fields.get("longest_edge")) {
                    (Some(shortest), None) => {
                        Size::ShortestEdge(side(&config, "size", Some(shortest))?)
                    }
                    (None, None) => {
                        let (width, height) = both(&config, "size", size)?;
                        Size::Exactly { width, height }
                    }
                    _ => return Err(config.wrong("size", format!("{size} is not supported"))),
                }
            }
            Some(other) => return Err(config.wrong("size", format!("{other} is not a size"))),
        };
        let crop = match (
            config.flag("do_center_crop", default.crop.is_some())?,
            config.get("crop_size"),
        ) {
            (false, _) => None,
            (true, Some(size)) => Some(both(&config, "crop_size", size)?),
            (true, None) => Some(default.crop.unwrap_or((224, 224))),
        };
        let resample = match config.get("resample") {
            None => default.resample,
            Some(value) => match value.as_u64() {
                Some(1) => Resample::Lanczos,
                Some(2) => Resample::Bilinear,
                Some(3) => Resample::Bicubic,
                _ => {
                    let wrong = config.wrong("resample", format!("{value} is not supported"));
                    return Err(wrong.help("supported: 1 (Lanczos), 2 (bilinear), 3 (bicubic)"));
                }
            },
        };
        let (mean, deviation) = default.normalize.unwrap_or(([0.5; 3], [0.5; 3]));
        let normalize = match config.flag("do_normalize", true)? {
            true => Some((
                three(&config, "image_mean", mean)?,
                three(&config, "image_std", deviation)?,
            )),
            false => None,
        };
        if normalize.is_some_and(|(_, deviation)| deviation.iter().any(|d| *d <= 0.)) {
            return Err(config.wrong("image_std", "expected numbers above 0"));
        }
        Ok(Steps {
            size,
            resample,
            crop,
            rescale: config.float("rescale_factor", default.rescale)?,
            normalize,
        })
    }
}

fn side(config: &Config, field: &str, value: Option<&Value>) -> Result<usize> {
    let n = value.and_then(Value::as_u64).unwrap_or_default() as usize;
    match n {
        1..=LARGEST => Ok(n),
        _ => Err(config.wrong(field, format!("expected integers from 1 to {LARGEST}"))),
    }
}

/// Width and height, given as one number or by name.
fn both(config: &Config, field: &str, value: &Value) -> Result<(usize, usize)> {
    match value {
        Value::Object(fields) => Ok((
            side(config, field, fields.get("width"))?,
            side(config, field, fields.get("height"))?,
        )),
        one => side(config, field, Some(one)).map(|n| (n, n)),
    }
}

fn three(config: &Config, field: &str, default: [f64; 3]) -> Result<[f64; 3]> {
    let numbers = match config.get(field) {
        None => return Ok(default),
        Some(Value::Array(values)) => values
            .iter()
            .map(Value::as_f64)
            .collect::<Option<Vec<f64>>>(),
        Some(_) => None,
    };
    let three = numbers.and_then(|n| <[f64; 3]>::try_from(n).ok());
    three.ok_or_else(|| config.wrong(field, "expected three numbers, for red, green, and blue"))
}
