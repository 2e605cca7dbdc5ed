//! The owner's log: lines on standard error, which is redirected to `.owner/log`.

use std::fmt::Display;
use std::io::Write;

use crate::clock;
use benchtop_model::{clean, history};

/// Writes one line with the time to the log.
pub fn stamped(line: impl Display) {
    write(format_args!("{} {line}", history::stamp(clock::now())));
}

/// Writes one line to the log. Control characters and line breaks are cleaned, because people read
/// the log with `cat`.
pub fn write(line: impl Display) {
    // A full disk is reported elsewhere.
    let _ = writeln!(
        std::io::stderr().lock(),
        "{}",
        clean::line(&line.to_string())
    );
}
