//! Verdicts and comments as JSON Lines: one object per line, as `benchtop verdicts --format jsonl`
//! and `benchtop comments --format jsonl` write them.

use std::io::{BufRead, Write};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::comment_line::CommentLine;
use super::line::Line;
use super::meaning::Meaning;
use super::record::{Found, Take};
use crate::records::{Records, Shape};
use benchtop_model::verdict_interchange::{ExchangedComment, ExchangedVerdict};
use benchtop_model::{Error, Result};

/// The line of a verdict on item `number`.
pub fn line(number: u32, verdict: &ExchangedVerdict) -> Result<String> {
    let cannot = |e| Error::input(format!("cannot write the verdict as JSON: {e}"));
    serde_json::to_string(&Line::of(number, verdict)).map_err(cannot)
}

/// Writes the line of a verdict on item `number`.
pub fn write(number: u32, verdict: &ExchangedVerdict, out: &mut dyn Write) -> Result<()> {
    let line = line(number, verdict)? + "\n";
    crate::python_json::raw(out, line.as_bytes())
}

/// Writes the line of a comment on item `number`.
pub fn write_comment(number: u32, comment: &ExchangedComment, out: &mut dyn Write) -> Result<()> {
    let cannot = |e| Error::input(format!("cannot write the comment as JSON: {e}"));
    let line = CommentLine::of(Some(number), comment);
    let line = serde_json::to_string(&line).map_err(cannot)? + "\n";
    crate::python_json::raw(out, line.as_bytes())
}

/// The comment in a line that has a text and no verdict.
fn comment(bytes: &[u8]) -> serde_json::Result<Option<CommentLine>> {
    #[derive(Deserialize)]
    struct Head {
        text: Option<IgnoredAny>,
        verdict: Option<IgnoredAny>,
    }
    match serde_json::from_slice::<Head>(bytes) {
        Ok(Head {
            text: Some(_),
            verdict: None,
        }) => serde_json::from_slice(bytes).map(Some),
        _ => Ok(None),
    }
}

/// Reads verdicts and comments from JSON Lines.
///
/// # Errors
/// See [`super::read`].
pub fn read(input: impl BufRead, meaning: Meaning<'_>, take: Take<'_>) -> Result<Vec<String>> {
    let mut records = Records::new(input);
    let mut begun = false;
    loop {
        let found = match records.next_record() {
            Ok(None) => return Ok(Vec::new()),
            Ok(Some(raw)) => {
                let number = raw.line;
                let line = serde_json::from_slice::<Line>(raw.bytes).map_err(|e| raw.problem(&e));
                let is_verdict = |line: &Line| !line.verdict.is_empty();
                // A line with a text and without a verdict is a comment.
                let comment = match line.as_ref().is_ok_and(is_verdict) {
                    true => None,
                    false => comment(raw.bytes).map_err(|e| raw.problem(&e)).transpose(),
                };
                match comment {
                    Some(comment) => Found::comment(format!("line {number}"), comment, meaning),
                    None => Found::in_line(number, line, meaning),
                }
            }
            Err(problem) => {
                let Some(line) = problem.place.line.filter(|_| begun) else {
                    return Err(problem);
                };
                Found::in_line(line, Err(problem), meaning)
            }
        };
        begun = true;
        if records.shape() == Shape::Array {
            return Err(
                Error::input("the file is a JSON array, not one object per line")
                    .help("use --format label-studio for an export of Label Studio"),
            );
        }
        if !take(found) {
            return Ok(Vec::new());
        }
    }
}
