//! What a worker and its owner say on standard error.

use std::fmt::Display;
use std::io::Write;

use benchtop_model::clean;

/// Writes one line; whoever has closed standard error does not want it.
pub(super) fn tell(line: impl Display) {
    let _ = writeln!(
        std::io::stderr().lock(),
        "{}",
        clean::line(&line.to_string())
    );
}
