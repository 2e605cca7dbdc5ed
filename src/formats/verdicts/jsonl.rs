//! Verdicts as JSON Lines: one object per line, as `benchtop verdicts --format jsonl` writes them.

use std::io::{BufRead, Write};

use super::line::Line;
use super::record::{Found, Meaning, Take};
use crate::records::{Records, Shape};
use benchtop_model::verdict_interchange::ExchangedVerdict;
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

/// Reads verdicts from JSON Lines.
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
                Found::in_line(number, line, meaning)
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
