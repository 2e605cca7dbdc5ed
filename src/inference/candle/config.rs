//! Reads a `config.json` of diffusers or transformers field by field. Errors for unsupported values
//! name the field.

use std::path::{Path, PathBuf};

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
    file: PathBuf,
    /// Prefix of field names in messages: the section of the file with a dot, or empty.
    section: String,
    fields: Map<String, Value>,
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

    pub fn file(&self) -> &Path {
        &self.file
    }

    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
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
            None => {
                let wrong = self.wrong("_class_name", format!("{name} is not supported"));
                Err(wrong.help(format!("supported: {}", supported.join(", "))))
            }
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
