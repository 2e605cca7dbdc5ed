//! What the commands write: the only way to standard output and standard error (`tests/house.rs` holds that).
//!
//! What people read is cleaned of what a terminal would obey, also where standard output is a pipe: it may end in a pager. JSON
//! has such characters as `\uXXXX`. Nothing here has a colour, so no escape sequence of the program's own has to get through,
//! but that of [`progress`].

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};

use serde::Serialize;

use benchtop_model::clean::{self, Cleaned};
use benchtop_model::{Error, ErrorKind, Result};

/// Writes lines for people, or JSON that is escaped already, to standard output. Whoever closed it has seen enough: that ends the
/// program in peace.
///
/// # Errors
/// [`ErrorKind::Io`] for anything but a closed pipe.
pub fn print(text: &str) -> Result<()> {
    let mut out = lines();
    done(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Ends the program in peace when standard output was closed.
///
/// # Errors
/// [`ErrorKind::Io`] for anything else.
pub fn done(result: io::Result<()>) -> Result<()> {
    peace(result).map_err(|e| Error::new(ErrorKind::Io, format!("cannot write the output: {e}")))
}

/// Standard output for lines that people read.
pub fn lines() -> Cleaned<Listener> {
    Cleaned::text(Listener)
}

/// Standard output for JSON that comes as it is in a file.
pub fn data() -> Cleaned<Listener> {
    Cleaned::json(Listener)
}

/// Standard output whose closing ends the program in peace.
#[derive(Debug)]
pub struct Listener;

impl Write for Listener {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        peace(io::stdout().lock().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        peace(io::stdout().lock().flush())
    }
}

fn peace<T>(result: io::Result<T>) -> io::Result<T> {
    match result {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        other => other,
    }
}

/// A value as JSON without a line's end, with every character that a terminal would obey or not show as `\uXXXX`.
pub fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value);
    // Nothing that is printed has a map whose keys are no texts, which is all that JSON cannot hold.
    let text = text.unwrap_or_else(|e| serde_json::json!({"error": e.to_string()}).to_string());
    let escaped = match clean::json(&text) {
        Cow::Owned(escaped) => Some(escaped),
        Cow::Borrowed(_) => None,
    };
    escaped.unwrap_or(text)
}

/// A value as a line of JSON, as [`json`] writes it.
pub fn json_text(value: &impl Serialize) -> String {
    json(value) + "\n"
}

/// One JSON value as a line on `out`.
///
/// # Errors
/// As [`done`].
pub fn json_line(out: &mut impl Write, value: &impl Serialize) -> Result<()> {
    done(out.write_all(json_text(value).as_bytes()))
}

/// Writes a line to standard error. It may be gone; nothing is done about that.
pub fn tell(line: impl Display) {
    tell_text(&format!("{line}\n"));
}

/// Writes lines to standard error, as [`tell`] does.
pub fn tell_text(text: &str) {
    let _ = Cleaned::text(io::stderr().lock()).write_all(text.as_bytes());
}

/// Writes the error that ends a command to standard error: as one line of JSON for a command that was given `--json`.
pub fn problem(problem: &Error, json: bool) {
    if json {
        tell(self::json(&serde_json::json!({"error": problem})));
    } else {
        tell(format_args!("benchtop: {problem}"));
    }
}

/// Writes `line` over the last line of the terminal that standard error is; an empty one takes it away.
pub fn progress(line: &str) {
    let mut err = io::stderr().lock();
    let _ = write!(err, "\r\x1b[K{}", clean::line(line)).and_then(|()| err.flush());
}
