//! Stored answers and items as needed by boards: borrowed, frame by frame, and partial.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use benchtop_formats as formats;
use benchtop_metrics::extract;
use benchtop_model::{Choice, Error, ErrorKind, QuestionKind, Result};
use benchtop_store::Catalog;

/// The parts of a stored prediction that boards need.
#[derive(Deserialize)]
pub(super) struct Row<'a> {
    #[serde(borrow)]
    pub(super) key: &'a RawValue,
    #[serde(borrow)]
    pub(super) output: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) judge: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) extra: Option<Extra<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Extra<'a> {
    #[serde(borrow, default)]
    pub(super) question: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) prompt: Option<&'a RawValue>,
}

/// The parts of a stored item that boards need.
#[derive(Deserialize)]
pub(super) struct Question<'a> {
    #[serde(borrow, default)]
    instruction: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) question: Cow<'a, str>,
    kind: QuestionKind,
    #[serde(default)]
    pub(super) options: Vec<Choice>,
}

impl Question<'_> {
    pub(super) fn asked(&self) -> extract::Asked<'_> {
        extract::Asked {
            instruction: self.instruction.as_deref().unwrap_or_default(),
            kind: self.kind,
            options: &self.options,
        }
    }

    /// Whether `said` is this question, with or without its instruction.
    pub(super) fn is_text(&self, said: &str) -> bool {
        formats::is_text_of(said, &self.question, self.instruction.as_deref())
    }
}

fn damaged(e: &serde_json::Error) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!("cannot read a stored record: {e}"),
    )
}

/// The key as text: `1583` or `0__0__1`.
pub(super) fn key_text(raw: &RawValue) -> Cow<'_, str> {
    let raw = raw.get();
    if raw.starts_with('"') {
        serde_json::from_str(raw).map_or(Cow::Borrowed(raw), Cow::Owned)
    } else {
        Cow::Borrowed(raw)
    }
}

/// The lines of a frame of answers.
pub(super) fn rows(text: &str) -> impl Iterator<Item = Result<Row<'_>>> {
    text.split('\n')
        .filter(|l| !l.is_empty())
        .map(|line| serde_json::from_str(line).map_err(|e| damaged(&e)))
}

/// A frame of items, for reading them in order.
pub(super) struct Window<'a> {
    catalog: &'a Catalog,
    bytes: Vec<u8>,
    rows: std::ops::Range<usize>,
    lines: Vec<usize>,
}

impl<'a> Window<'a> {
    pub(super) fn new(catalog: &'a Catalog) -> Window<'a> {
        Window {
            catalog,
            bytes: Vec::new(),
            rows: 0..0,
            lines: Vec::new(),
        }
    }

    pub(super) fn question(&mut self, row: usize) -> Result<Question<'_>> {
        if !self.rows.contains(&row) {
            let (bytes, next) = self.catalog.chunk(row)?;
            self.lines.clear();
            self.lines.push(0);
            self.lines
                .extend(memchr::memchr_iter(b'\n', &bytes).map(|at| at + 1));
            (self.bytes, self.rows) = (bytes, row..next);
        }
        let at = row - self.rows.start;
        let start = self.lines.get(at).copied().unwrap_or(self.bytes.len());
        let end = self
            .lines
            .get(at + 1)
            .map_or(self.bytes.len(), |next| next.saturating_sub(1));
        serde_json::from_slice(self.bytes.get(start..end).unwrap_or_default())
            .map_err(|e| damaged(&e))
    }
}
