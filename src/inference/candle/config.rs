//! Reading a `config.json` of diffusers or transformers field by field: what is not supported is refused by the field's name.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use benchtop_model::error::{Error, Result};

/// Results of candle, whose errors name tensors and files themselves.
pub trait CandleResult<T> {
    /// The value, or the first line of candle's error.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](benchtop_model::ErrorKind::Input) with candle's reason.
    fn input(self) -> Result<T>;
}

impl<T> CandleResult<T> for candle_core::Result<T> {
    fn input(self) -> Result<T> {
        self.map_err(|error| Error::input(reason(&error)))
    }
}

/// The first line of candle's error: a backtrace follows it.
pub fn reason(error: &candle_core::Error) -> String {
    error
        .to_string()
        .lines()
        .next()
        .unwrap_or("candle gave no reason")
        .to_string()
}

/// The fields of one configuration file.
#[derive(Clone, Debug)]
pub struct Config {
    file: PathBuf,
    /// What stands in front of its fields' names in messages: the section of the file with a dot, or nothing.
    section: String,
    fields: Map<String, Value>,
}

impl Config {
    /// Reads `file`, which must hold one JSON object.
    pub fn read(file: &Path) -> Result<Config> {
        let text = std::fs::read(file).map_err(|e| {
            Error::io(&e, "cannot read", file)
                .help("a model folder in diffusers' or transformers' layout has this file")
        })?;
        match serde_json::from_slice(&text) {
            Ok(Value::Object(fields)) => Ok(Config {
                file: file.to_path_buf(),
                section: String::new(),
                fields,
            }),
            Ok(_) => Err(Error::input("is no JSON object").file(file)),
            Err(e) => Err(Error::input(format!("is no JSON: {e}"))
                .file(file)
                .line(e.line() as u64)),
        }
    }

    /// The file it was read from.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// All fields.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// The object in field `name` as a configuration of its own; without the field, one of defaults alone.
    pub fn section(&self, name: &str) -> Result<Config> {
        let fields = match self.get(name) {
            None => Map::new(),
            Some(Value::Object(fields)) => fields.clone(),
            Some(_) => return Err(self.wrong(name, "is no JSON object")),
        };
        Ok(Config {
            file: self.file.clone(),
            section: format!("{}{name}.", self.section),
            fields,
        })
    }

    /// The value of `name`; a missing field and `null` are the same, as in diffusers.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fields.get(name).filter(|v| !v.is_null())
    }

    /// A problem with field `name`.
    pub fn wrong(&self, name: &str, what: impl Into<String>) -> Error {
        Error::input(what)
            .field(format!("{}{name}", self.section))
            .file(&self.file)
    }

    /// Refuses another `_class_name` than the `supported` ones, and gives its place in them.
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

    /// Refuses every value of `name` but `only`; a missing field is right.
    pub fn only(&self, name: &str, only: impl Into<Value>) -> Result<()> {
        let only = only.into();
        match self.get(name) {
            Some(value) if !same(value, &only) => Err(self
                .wrong(name, format!("{value} is not supported"))
                .help(format!("supported: {only}"))),
            _ => Ok(()),
        }
    }

    /// A whole number from 1.
    pub fn count(&self, name: &str, default: Option<usize>) -> Result<usize> {
        match (self.get(name), default) {
            (Some(value), _) => self.number(name, value),
            (None, Some(default)) => Ok(default),
            (None, None) => Err(self.wrong(name, "missing")),
        }
    }

    /// `n` whole numbers from 1; a single number stands for `n` of them.
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
        // An upper bound keeps a wrong file from asking for all memory there is.
        match value.as_u64() {
            Some(n @ 1..=0x10_0000) => Ok(n as usize),
            _ => Err(self.wrong(
                name,
                format!("{value} is no whole number between 1 and 1048576"),
            )),
        }
    }

    /// A number.
    pub fn float(&self, name: &str, default: f64) -> Result<f64> {
        match self.get(name) {
            None => Ok(default),
            Some(value) => value
                .as_f64()
                .ok_or_else(|| self.wrong(name, format!("{value} is no number"))),
        }
    }

    /// Yes or no.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool> {
        match self.get(name) {
            None => Ok(default),
            Some(value) => value
                .as_bool()
                .ok_or_else(|| self.wrong(name, format!("{value} is neither true nor false"))),
        }
    }

    /// A list of names.
    pub fn names(&self, name: &str) -> Result<Vec<&str>> {
        let Some(Value::Array(values)) = self.get(name) else {
            return Err(self.wrong(name, "a list is wanted"));
        };
        let text = |value: &'_ Value| -> Result<()> {
            if value.is_string() {
                Ok(())
            } else {
                Err(self.wrong(name, format!("{value} is no name")))
            }
        };
        values.iter().try_for_each(text)?;
        Ok(values.iter().filter_map(Value::as_str).collect())
    }
}

/// Equal as values: `1` and `1.0` are.
fn same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}
