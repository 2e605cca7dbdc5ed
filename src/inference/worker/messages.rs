//! Messages on standard error, of workers and their owner.

use std::fmt::Display;
use std::io::Write;

use benchtop_model::clean;

/// Writes one line to standard error. Failures are ignored.
pub(super) fn tell(line: impl Display) {
    let _ = writeln!(
        std::io::stderr().lock(),
        "{}",
        clean::line(&line.to_string())
    );
}
