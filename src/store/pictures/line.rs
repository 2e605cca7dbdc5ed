//! Lines of the picture journal.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::checksummed_line;
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::{Error, Result};

/// Version of the lines.
const VERSION: u8 = 1;

/// A text of a line, borrowed from the line unless it has escapes. Opening a project can read
/// 100,000 lines.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'l>(#[serde(borrow)] pub(super) Cow<'l, str>);

/// A line: a picture, or the parts of a fingerprint at its first use. One struct for both, because
/// a tagged enum would parse several times slower.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Row<'l> {
    v: u8,
    #[serde(skip_serializing_if = "benchtop_model::is_default")]
    pub(super) rev: u64,
    #[serde(borrow, skip_serializing_if = "benchtop_model::is_default")]
    pub(super) dataset: Text<'l>,
    #[serde(borrow, skip_serializing_if = "benchtop_model::is_default")]
    pub(super) picture: Text<'l>,
    #[serde(skip_serializing_if = "benchtop_model::is_default")]
    pub(super) sample: u32,
    #[serde(borrow, skip_serializing_if = "benchtop_model::is_default")]
    pub(super) hash: Text<'l>,
    #[serde(borrow, skip_serializing_if = "benchtop_model::is_default")]
    pub(super) ext: Text<'l>,
    #[serde(skip_serializing_if = "benchtop_model::is_default")]
    width: u32,
    #[serde(skip_serializing_if = "benchtop_model::is_default")]
    height: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seed: Option<u64>,
    #[serde(borrow)]
    pub(super) fingerprint: Text<'l>,
    #[serde(skip_serializing_if = "benchtop_model::is_default")]
    pub(super) parts: BTreeMap<String, String>,
    #[serde(borrow, skip_serializing_if = "benchtop_model::is_default")]
    pub(super) prompt: Text<'l>,
    #[serde(skip_serializing_if = "benchtop_model::is_default")]
    pub(super) job: u32,
    #[serde(borrow, skip_serializing_if = "benchtop_model::is_default")]
    at: Text<'l>,
    #[serde(skip_serializing_if = "benchtop_model::is_default")]
    pub(super) draft: bool,
    #[serde(borrow, skip_serializing_if = "benchtop_model::is_default")]
    notes: Vec<Text<'l>>,
    #[serde(borrow, skip_serializing_if = "benchtop_model::is_default")]
    pub(super) items: Vec<Text<'l>>,
    #[serde(borrow, skip_serializing_if = "benchtop_model::is_default")]
    pub(super) of: Vec<Text<'l>>,
}

fn text(text: &str) -> Text<'_> {
    Text(Cow::Borrowed(text))
}

fn texts(list: &[String]) -> Vec<Text<'_>> {
    list.iter().map(|t| text(t)).collect()
}

/// The line of a picture.
pub(super) fn row(made: &GeneratedImage) -> Row<'_> {
    Row {
        v: VERSION,
        rev: made.rev,
        dataset: text(&made.dataset),
        picture: text(&made.picture),
        sample: made.sample,
        hash: text(&made.hash),
        ext: text(&made.ext),
        width: made.width,
        height: made.height,
        seed: Some(made.seed),
        fingerprint: text(&made.fingerprint),
        parts: BTreeMap::new(),
        prompt: text(&made.prompt),
        job: made.job,
        at: text(&made.at),
        draft: made.draft,
        notes: texts(&made.notes),
        items: texts(&made.items),
        of: texts(&made.composed_of),
    }
}

/// The line that lists the parts of a fingerprint, written at its first use.
pub(super) fn explanation(fingerprint: &str, parts: BTreeMap<String, String>) -> Row<'_> {
    Row {
        v: VERSION,
        fingerprint: text(fingerprint),
        parts,
        ..Row::default()
    }
}

fn corrupt(what: impl Into<String>) -> Error {
    Error::corrupt(what)
}

/// Whether a line is a picture. Otherwise it explains a fingerprint.
pub(super) fn checked(row: &Row<'_>) -> Result<bool> {
    if row.v != VERSION {
        return Err(corrupt(format!(
            "unsupported line version {}; a newer benchtop wrote this line",
            row.v
        )));
    }
    if row.sample == 0 && !row.parts.is_empty() {
        return Ok(false);
    }
    let is_ext = |ext: &str| {
        !ext.is_empty() && ext.len() <= 8 && ext.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    let is_hash = row.hash.0.len() == 64 && blake3::Hash::from_hex(row.hash.0.as_bytes()).is_ok();
    let complete =
        is_hash && is_ext(&row.ext.0) && row.seed.is_some() && number(&row.prompt.0).is_some();
    if row.sample == 0 || row.rev == 0 || !complete {
        return Err(corrupt(
            "the line lacks a valid sample, revision, hash, extension, seed, or prompt",
        ));
    }
    Ok(true)
}

fn made(row: Row<'_>) -> GeneratedImage {
    let list = |list: Vec<Text<'_>>| list.into_iter().map(|t| t.0.into_owned()).collect();
    GeneratedImage {
        rev: row.rev,
        dataset: row.dataset.0.into_owned(),
        picture: row.picture.0.into_owned(),
        sample: row.sample,
        hash: row.hash.0.into_owned(),
        ext: row.ext.0.into_owned(),
        width: row.width,
        height: row.height,
        seed: row.seed.unwrap_or_default(),
        fingerprint: row.fingerprint.0.into_owned(),
        prompt: row.prompt.0.into_owned(),
        job: row.job,
        at: row.at.0.into_owned(),
        draft: row.draft,
        notes: list(row.notes),
        items: list(row.items),
        composed_of: list(row.of),
    }
}

/// Parses the picture of a line.
///
/// # Errors
/// [`Error::corrupt`].
pub(super) fn decode(bytes: &[u8]) -> Result<GeneratedImage> {
    let row = checksummed_line::decode::<Row<'_>>(bytes)?;
    if checked(&row)? {
        Ok(made(row))
    } else {
        Err(corrupt("the line is not a picture"))
    }
}

/// Parses 16 hex digits.
pub(super) fn number(hex: &str) -> Option<u64> {
    (hex.len() == 16)
        .then(|| u64::from_str_radix(hex, 16).ok())
        .flatten()
}
