//! How an item was derived from another one: by a corruption, a print attack, an edit of its
//! picture, or another wording.
//!
//! PROV-DM calls this a derivation. A composed item has a [`Provenance`](crate::Provenance) instead.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Error, Result};

/// Name of the method that prints a wrong word into a picture (Dysca section 3.3).
pub const PRINT_ATTACK: &str = "print-attack";
/// Name of the method that changes a picture against a model (Dysca section 3.3).
pub const ADVERSARIAL: &str = "adversarial";
/// Parameter of [`ADVERSARIAL`] with the name of that model.
pub const PROXY: &str = "proxy";
/// Parameter of [`PRINT_ATTACK`] with the printed word.
pub const WORD: &str = "word";
/// Parameter with the seed of the method, a whole number.
pub const SEED: &str = "seed";

/// Parameter of an edit of a picture: the boxes that were repainted, in pixels of the source.
pub const BOXES: &str = "boxes";
/// Parameter of an edit: left and upper edge of the source in the result, in pixels.
pub const PLACE: &str = "place";
/// Parameter of an edit: width and height of the result in pixels.
pub const SIZE: &str = "size";
/// Parameter with the parameters of several edits, one after another on the result of the one before.
pub const EDITS: &str = "edits";

/// Limit of names, versions, ids, and references, in bytes.
pub const NAME_LIMIT: usize = 500;
/// Limit of each text, in bytes.
pub const TEXT_LIMIT: usize = 16 << 10;
/// Limit of the parameters as compact JSON, in bytes.
pub const PARAMETERS_LIMIT: usize = 16 << 10;
/// Greatest nesting of the parameters.
pub(super) const DEPTH_LIMIT: usize = 8;
/// Greatest number of tries.
pub(super) const TRIES_LIMIT: u32 = 10_000;

/// How an item was derived from another one, so that it can be derived again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Derivation {
    /// Name of the method, such as `corruption`.
    pub method: String,
    /// Version of the method; empty if unrecorded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// The item that it was derived from. A chain of derivations leads to the original.
    pub source: SourceItem,
    /// BLAKE3 hash of the source picture, 64 hex digits; `None` if no picture was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// Settings of the method by name, in its order, with the [`SEED`].
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub parameters: Map<String, Value>,
    /// What was changed in the picture, as judges read it: `a red ball on the lawn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<String>,
    /// The text that was put before the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Number of tries, with the one that was kept; 0 if unrecorded.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub tries: u32,
    /// What the judge said of the try that was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<JudgeRuling>,
    /// Where the requests and replies of the derivation are recorded, such as `runs/0007.jsonl#12`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// Chance level; `None` for free-form questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
}

/// The item that another one was derived from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceItem {
    /// Its id.
    pub id: String,
    /// Its [`digest`](crate::Item::digest) when it was read.
    pub digest: String,
}

/// The ruling of a judge on a derived item.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeRuling {
    /// Name of the judge question.
    pub judge: String,
    /// The model that answered; empty if unrecorded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// Whether the item passed; `None` if the judge gave no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<bool>,
    /// The judge's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Derivation {
    /// The seed of the method.
    pub fn seed(&self) -> Option<u64> {
        self.parameters.get(SEED)?.as_u64()
    }

    /// The wrong word that a print attack put into the picture.
    pub fn attack_word(&self) -> Option<&str> {
        let word = self.parameters.get(WORD).and_then(Value::as_str)?.trim();
        (self.method == PRINT_ATTACK && !word.is_empty()).then_some(word)
    }

    /// The model that an adversarial picture was computed against.
    pub fn proxy(&self) -> Option<&str> {
        let proxy = self.parameters.get(PROXY).and_then(Value::as_str)?.trim();
        (self.method == ADVERSARIAL && !proxy.is_empty()).then_some(proxy)
    }

    /// The derivation without what the judge decided: ruling, tries, and transcript.
    pub fn without_ruling(mut self) -> Derivation {
        (self.ruling, self.tries, self.transcript) = (None, 0, None);
        self
    }

    /// Checks the values of the derivation of the item `id`. They can come from outside.
    ///
    /// # Errors
    /// [`Error::input`] with the field.
    pub fn check(&self, id: &str) -> Result<()> {
        name(&self.method, "method", true)?;
        name(&self.version, "version", false)?;
        name(&self.source.id, "source.id", true)?;
        if self.source.id == id {
            return wrong("source.id", "an item cannot be derived from itself");
        }
        if !is_hex(&self.source.digest, 8) {
            return wrong("source.digest", "expected 8 hex digits");
        }
        if self
            .picture
            .as_deref()
            .is_some_and(|hash| !is_hex(hash, 64))
        {
            return wrong("picture", "expected a BLAKE3 hash of 64 hex digits");
        }
        let size = serde_json::to_vec(&self.parameters).map_or(usize::MAX, |json| json.len());
        if size > PARAMETERS_LIMIT {
            let what = format!("the maximum is {PARAMETERS_LIMIT} bytes of JSON");
            return wrong("parameters", &what);
        }
        if self
            .parameters
            .values()
            .any(|value| depth(value) >= DEPTH_LIMIT)
        {
            let what = format!("the values are nested more than {DEPTH_LIMIT} deep");
            return wrong("parameters", &what);
        }
        if self.parameters.contains_key(SEED) && self.seed().is_none() {
            return wrong("parameters.seed", "expected a whole number from 0");
        }
        text(self.edit.as_deref(), "edit")?;
        text(self.context.as_deref(), "context")?;
        if self.tries > TRIES_LIMIT {
            return wrong("tries", &format!("the maximum is {TRIES_LIMIT}"));
        }
        if let Some(ruling) = &self.ruling {
            name(&ruling.judge, "ruling.judge", true)?;
            name(&ruling.model, "ruling.model", false)?;
            text(ruling.reason.as_deref(), "ruling.reason")?;
        }
        if let Some(transcript) = &self.transcript {
            name(transcript, "transcript", true)?;
        }
        match self.chance {
            Some(chance) if !(0.0..=1.0).contains(&chance) => {
                wrong("chance", "expected a number from 0 to 1")
            }
            _ => Ok(()),
        }
    }
}

fn wrong(field: &str, what: &str) -> Result<()> {
    Err(Error::input(what.to_string()).field(format!("derivation.{field}")))
}

fn name(name: &str, field: &str, needed: bool) -> Result<()> {
    match name {
        _ if needed && name.trim().is_empty() => wrong(field, "empty"),
        _ if name.len() > NAME_LIMIT => wrong(field, &format!("the maximum is {NAME_LIMIT} bytes")),
        _ if name.chars().any(char::is_control) => wrong(field, "it has control characters"),
        _ => Ok(()),
    }
}

fn text(text: Option<&str>, field: &str) -> Result<()> {
    match text {
        Some(text) if text.len() > TEXT_LIMIT => {
            wrong(field, &format!("the maximum is {TEXT_LIMIT} bytes"))
        }
        _ => Ok(()),
    }
}

fn is_hex(text: &str, digits: usize) -> bool {
    let is_digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    text.len() == digits && text.bytes().all(is_digit)
}

/// The nesting of a value; 0 for a number or text.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
