//! Stored answers and items as needed by boards: borrowed, frame by frame, and partial.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use benchtop_formats as formats;
use benchtop_metrics::extract;
use benchtop_model::{Choice, Error, ErrorKind, Item, Prediction, QuestionKind, Result};
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
    #[serde(borrow, default)]
    run: Option<&'a RawValue>,
    #[serde(borrow, default)]
    instruction: Option<&'a RawValue>,
}

impl Extra<'_> {
    /// Whether the model got the question with its own instruction.
    fn is_own_instruction(&self) -> bool {
        let named = |name: &RawValue| name.get().starts_with('"') && name.get() != "\"item\"";
        !(self.run.is_some() && self.instruction.is_some_and(named))
    }
}

/// The parts of a stored item that boards need.
#[derive(Deserialize)]
pub(super) struct Question {
    #[serde(default)]
    instruction: Option<String>,
    pub(super) question: String,
    kind: QuestionKind,
    #[serde(default)]
    pub(super) options: Vec<Choice>,
}

impl Question {
    /// The question as the model of this answer got it.
    pub(super) fn asked(&self, extra: Option<&Extra<'_>>) -> extract::Asked<'_> {
        let asked = extract::Asked {
            instruction: self.instruction.as_deref().unwrap_or_default(),
            kind: self.kind,
            options: &self.options,
        };
        match extra.is_none_or(Extra::is_own_instruction) {
            true => asked,
            false => asked.lettered(&self.question),
        }
    }

    /// Whether `said` is this question, with or without its instruction.
    pub(super) fn is_text(&self, said: &str) -> bool {
        formats::is_text_of(said, &self.question, self.instruction.as_deref())
    }
}

/// The item as the model of this answer got it.
pub(crate) fn as_asked<'a>(item: &'a Item, answer: &Prediction) -> extract::Asked<'a> {
    let asked = extract::Asked::from(item);
    match formats::is_own_instruction(answer) {
        true => asked,
        false => asked.lettered(&item.question),
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

/// Number of frames of items that are kept. Several models read in the same order, but some lack
/// answers.
const KEPT: usize = 4;

/// The frames of items that were needed last, for reading them in order.
pub(super) struct Window<'a> {
    catalog: &'a Catalog,
    /// The last one first.
    frames: Vec<Frame>,
}

struct Frame {
    bytes: Vec<u8>,
    rows: std::ops::Range<usize>,
    lines: Vec<usize>,
    /// The items that were needed.
    questions: Vec<Option<Box<Question>>>,
}

impl<'a> Window<'a> {
    pub(super) fn new(catalog: &'a Catalog) -> Window<'a> {
        Window {
            catalog,
            frames: Vec::new(),
        }
    }

    pub(super) fn question(&mut self, row: usize) -> Result<&Question> {
        match self.frames.iter().position(|f| f.rows.contains(&row)) {
            Some(0) => {}
            Some(at) => self.frames[..=at].rotate_right(1),
            None => {
                self.frames.truncate(KEPT - 1);
                self.frames.insert(0, Frame::new(self.catalog, row)?);
            }
        }
        self.frames[0].question(row)
    }
}

impl Frame {
    fn new(catalog: &Catalog, row: usize) -> Result<Frame> {
        let (bytes, next) = catalog.chunk(row)?;
        let ends = memchr::memchr_iter(b'\n', &bytes).map(|at| at + 1);
        Ok(Frame {
            lines: std::iter::once(0).chain(ends).collect(),
            questions: (row..next).map(|_| None).collect(),
            rows: row..next,
            bytes,
        })
    }

    fn question(&mut self, row: usize) -> Result<&Question> {
        let at = row - self.rows.start;
        if self.questions[at].is_none() {
            let place = |at: usize| self.lines.get(at).copied().unwrap_or(self.bytes.len());
            let line = place(at)..place(at + 1).saturating_sub(1).max(place(at));
            let read = serde_json::from_slice(&self.bytes[line]).map_err(|e| damaged(&e))?;
            self.questions[at] = Some(Box::new(read));
        }
        match &self.questions[at] {
            Some(question) => Ok(question),
            None => Err(Error::new(ErrorKind::Corrupt, "no such item")),
        }
    }
}
