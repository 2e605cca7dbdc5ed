//! Output of the commands: the only module that writes to standard output and standard error
//! (`tests/house.rs` checks this).
//!
//! Text for people has its control characters replaced, even when standard output is a pipe: it may
//! end in a pager. JSON escapes them as `\uXXXX`. The output is never colored, so [`progress`] is
//! the only function that writes an escape sequence.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};

use serde::Serialize;

use benchtop_model::clean::{self, Cleaned};
use benchtop_model::{Error, ErrorKind, Result};

/// Writes text for people, or escaped JSON, to standard output. If the pipe is closed, the program
/// exits with 0.
///
/// # Errors
/// [`ErrorKind::Io`], except for a closed pipe.
pub fn print(text: &str) -> Result<()> {
    let mut out = lines();
    done(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Prints the result of a command: one JSON object if `json` is set, else text. Returns the exit
/// code 0.
///
/// # Errors
/// As [`print`].
pub fn report(json: bool, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<u8> {
    print(&either(json, value, text)).map(|()| 0)
}

/// The result of a command: one JSON object if `json` is set, else text.
pub fn either(json: bool, value: &impl Serialize, text: impl FnOnce() -> String) -> String {
    if json { json_text(value) } else { text() }
}

/// Lines that report notes.
pub fn notes<'n>(notes: impl IntoIterator<Item = &'n String>) -> String {
    let line = |note: &String| format!("note: {}\n", clean::line(note));
    notes.into_iter().map(line).collect()
}

/// Checks the result of a write to standard output. If the pipe is closed, the program exits with
/// 0.
///
/// # Errors
/// [`ErrorKind::Io`], except for a closed pipe.
pub fn done(result: io::Result<()>) -> Result<()> {
    exit_if_closed(result).map_err(|e| {
        Error::new(
            ErrorKind::Io,
            format!("cannot write to standard output: {e}"),
        )
    })
}

/// Standard output for people: control characters are replaced.
pub fn lines() -> Cleaned<Listener> {
    Cleaned::text(Listener)
}

/// Standard output for JSON files: control characters are escaped as `\uXXXX`.
pub fn data() -> Cleaned<Listener> {
    Cleaned::json(Listener)
}

/// Standard output. If the pipe is closed, the program exits with 0.
#[derive(Debug)]
pub struct Listener;

impl Write for Listener {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        exit_if_closed(io::stdout().lock().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        exit_if_closed(io::stdout().lock().flush())
    }
}

fn exit_if_closed<T>(result: io::Result<T>) -> io::Result<T> {
    match result {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        other => other,
    }
}

/// A value as JSON on one line, without a newline. Control and invisible characters are escaped as
/// `\uXXXX`.
pub fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value);
    // Serialization fails only for maps with keys that are not strings, and none is ever printed.
    let text = text.unwrap_or_else(|e| serde_json::json!({"error": e.to_string()}).to_string());
    let escaped = match clean::json(&text) {
        Cow::Owned(escaped) => Some(escaped),
        Cow::Borrowed(_) => None,
    };
    escaped.unwrap_or(text)
}

/// A value as [`json`], with a newline.
pub fn json_text(value: &impl Serialize) -> String {
    json(value) + "\n"
}

/// Writes a value to `out` as one line of JSON.
pub fn json_line(out: &mut impl Write, value: &impl Serialize) -> Result<()> {
    done(out.write_all(json_text(value).as_bytes()))
}

/// Writes a line to standard error. Failures are ignored.
pub fn tell(line: impl Display) {
    tell_text(&format!("{line}\n"));
}

/// Writes text to standard error, as [`tell`] does.
pub fn tell_text(text: &str) {
    let _ = Cleaned::text(io::stderr().lock()).write_all(text.as_bytes());
}

/// A number with its noun: "1 item", "3 items", "0 replies".
pub fn count(n: impl TryInto<u64>, noun: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    match noun.strip_suffix('y') {
        _ if n == 1 => format!("1 {noun}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{n} {stem}ies"),
        _ => format!("{n} {noun}s"),
    }
}

/// Writes the error that ends a command to standard error, as one line of JSON if the command has
/// `--json`.
pub fn problem(problem: &Error, json: bool) {
    if json {
        tell(self::json(&serde_json::json!({"error": problem})));
    } else {
        tell(format_args!("benchtop: {problem}"));
    }
}

/// Replaces the last line of the terminal at standard error with `line`. An empty `line` clears it.
pub fn progress(line: &str) {
    let mut err = io::stderr().lock();
    let _ = write!(err, "\r\x1b[K{}", clean::line(line)).and_then(|()| err.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_agree_with_their_nouns() {
        assert_eq!(count(1_u64, "item"), "1 item");
        assert_eq!(count(0_usize, "item"), "0 items");
        assert_eq!(count(12_u32, "reply"), "12 replies");
    }
}
