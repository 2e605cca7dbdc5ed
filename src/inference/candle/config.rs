//! Reads a `config.json` of diffusers or transformers field by field. Errors for unsupported values
//! name the field.

use std::path::{Path, PathBuf};

use candle_core::DType;
use serde_json::{Map, Value};

use benchtop_model::error::{Error, Result};

/// Converts candle's results. candle's errors name tensors and files themselves.
pub trait CandleResult<T> {
    /// The value, or an error of kind [`Input`](benchtop_model::ErrorKind::Input) with the first
    /// line of candle's error.
    fn input(self) -> Result<T>;
}

impl<T> CandleResult<T> for candle_core::Result<T> {
    fn input(self) -> Result<T> {
        self.map_err(|error| Error::input(reason(&error)))
    }
}

/// Refuses data types other than f32 and f16.
pub fn check_dtype(dtype: DType) -> Result<()> {
    if matches!(dtype, DType::F32 | DType::F16) {
        return Ok(());
    }
    Err(Error::input(format!("{} is not supported", dtype.as_str()))
        .field("dtype")
        .help("supported: f32, f16"))
}

/// The first line of candle's error. A backtrace follows it.
pub fn reason(error: &candle_core::Error) -> String {
    error
        .to_string()
        .lines()
        .next()
        .unwrap_or("unknown error of candle")
        .to_string()
}

/// The fields of one configuration file.
#[derive(Clone, Debug)]
pub struct Config {
    pub file: PathBuf,
    /// Prefix of field names in messages: the section of the file with a dot, or empty.
    section: String,
    pub fields: Map<String, Value>,
}

impl Config {
    /// Reads `file`, which must be one JSON object.
    pub fn read(file: &Path) -> Result<Config> {
        let text = std::fs::read(file).map_err(|e| {
            Error::io(&e, "cannot read", file)
                .help("name a model folder in the layout of diffusers or transformers")
        })?;
        match serde_json::from_slice(&text) {
            Ok(Value::Object(fields)) => Ok(Config {
                file: file.to_path_buf(),
                section: String::new(),
                fields,
            }),
            Ok(_) => Err(Error::input("is not a JSON object").file(file)),
            Err(e) => Err(Error::input(format!("is not valid JSON: {e}"))
                .file(file)
                .line(e.line() as u64)),
        }
    }

    /// The object in the field `name` as a configuration. An empty one if the field is missing.
    pub fn section(&self, name: &str) -> Result<Config> {
        let fields = match self.get(name) {
            None => Map::new(),
            Some(Value::Object(fields)) => fields.clone(),
            Some(_) => return Err(self.wrong(name, "is not a JSON object")),
        };
        Ok(Config {
            file: self.file.clone(),
            section: format!("{}{name}.", self.section),
            fields,
        })
    }

    /// The value of `name`. `null` counts as missing, as in diffusers.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fields.get(name).filter(|v| !v.is_null())
    }

    /// An error about the field `name`.
    pub fn wrong(&self, name: &str, what: impl Into<String>) -> Error {
        Error::input(what)
            .field(format!("{}{name}", self.section))
            .file(&self.file)
    }

    /// The index of `_class_name` in `supported`. Other classes are refused.
    pub fn class(&self, supported: &[&str]) -> Result<usize> {
        let name = self
            .get("_class_name")
            .and_then(Value::as_str)
            .unwrap_or("none");
        match supported.iter().position(|s| *s == name) {
            Some(at) => Ok(at),
            None => Err(self.unsupported("_class_name", name, supported)),
        }
    }

    /// Refuses every value of `name` but `only`. The field may be missing.
    pub fn only(&self, name: &str, only: impl Into<Value>) -> Result<()> {
        let only = only.into();
        match self.get(name) {
            Some(value) if !same(value, &only) => Err(self
                .wrong(name, format!("{value} is not supported"))
                .help(format!("supported: {only}"))),
            _ => Ok(()),
        }
    }

    /// An integer, 1 or more.
    pub fn count(&self, name: &str, default: Option<usize>) -> Result<usize> {
        match (self.get(name), default) {
            (Some(value), _) => self.number(name, value),
            (None, Some(default)) => Ok(default),
            (None, None) => Err(self.wrong(name, "missing")),
        }
    }

    /// The width of a transformer and the number of its heads, which divides the width.
    pub fn width_and_heads(&self, default: Option<(usize, usize)>) -> Result<(usize, usize)> {
        let width = self.count("hidden_size", default.map(|(width, _)| width))?;
        let heads = self.count("num_attention_heads", default.map(|(_, heads)| heads))?;
        if !width.is_multiple_of(heads) {
            let what = format!("does not divide the width {width}");
            return Err(self.wrong("num_attention_heads", what));
        }
        Ok((width, heads))
    }

    /// The constant that layer norms add to the variance.
    pub fn layer_norm_eps(&self, default: f64) -> Result<f64> {
        let eps = self.float("layer_norm_eps", default)?;
        match eps > 0. && eps < 1. {
            true => Ok(eps),
            false => Err(self.wrong("layer_norm_eps", "must be between 0 and 1")),
        }
    }

    /// The sides of a picture and of a patch, which fits the picture.
    pub fn side_and_patch(&self, patch: usize) -> Result<(usize, usize)> {
        let side = self.count("image_size", Some(224))?;
        let patch = self.count("patch_size", Some(patch))?;
        if patch > side || side > 4096 {
            let what = format!("{patch} does not fit a picture of {side}");
            return Err(self.wrong("patch_size", what));
        }
        Ok((side, patch))
    }

    /// The channels of `n` blocks, and the number of groups that divides them.
    pub fn channels_and_groups(&self, n: usize) -> Result<(Vec<usize>, usize)> {
        let channels = match self.get("block_out_channels") {
            Some(Value::Array(_)) => self.counts("block_out_channels", n, None)?,
            _ => return Err(self.wrong("block_out_channels", "expected a list")),
        };
        let groups = self.count("norm_num_groups", Some(32))?;
        match channels.iter().find(|c| *c % groups != 0) {
            Some(c) => {
                let what = format!("{c} channels are not divisible by {groups}");
                Err(self.wrong("norm_num_groups", what))
            }
            None => Ok((channels, groups)),
        }
    }

    /// The error of a value that is not one of `supported`.
    pub fn unsupported(&self, name: &str, value: &str, supported: &[&str]) -> Error {
        self.wrong(name, format!("{value} is not supported"))
            .help(format!("supported: {}", supported.join(", ")))
    }

    /// `n` integers, 1 or more. A single number is repeated `n` times.
    pub fn counts(&self, name: &str, n: usize, default: Option<usize>) -> Result<Vec<usize>> {
        match self.get(name) {
            Some(Value::Array(values)) if values.len() == n => values
                .iter()
                .map(|value| self.number(name, value))
                .collect(),
            Some(Value::Array(values)) => {
                Err(self.wrong(name, format!("{} values for {n} blocks", values.len())))
            }
            _ => Ok(vec![self.count(name, default)?; n]),
        }
    }

    fn number(&self, name: &str, value: &Value) -> Result<usize> {
        // The upper bound stops a wrong file from exhausting the memory.
        match value.as_u64() {
            Some(n @ 1..=0x10_0000) => Ok(n as usize),
            _ => Err(self.wrong(name, format!("{value} is not an integer from 1 to 1048576"))),
        }
    }

    pub fn float(&self, name: &str, default: f64) -> Result<f64> {
        match self.get(name) {
            None => Ok(default),
            Some(value) => value
                .as_f64()
                .ok_or_else(|| self.wrong(name, format!("{value} is not a number"))),
        }
    }

    pub fn flag(&self, name: &str, default: bool) -> Result<bool> {
        match self.get(name) {
            None => Ok(default),
            Some(value) => value
                .as_bool()
                .ok_or_else(|| self.wrong(name, format!("{value} is neither true nor false"))),
        }
    }

    pub fn names(&self, name: &str) -> Result<Vec<&str>> {
        let Some(Value::Array(values)) = self.get(name) else {
            return Err(self.wrong(name, "expected a list"));
        };
        let text = |value: &'_ Value| -> Result<()> {
            if value.is_string() {
                Ok(())
            } else {
                Err(self.wrong(name, format!("{value} is not a string")))
            }
        };
        values.iter().try_for_each(text)?;
        Ok(values.iter().filter_map(Value::as_str).collect())
    }
}

/// Equality by value: `1` equals `1.0`.
fn same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}
