//! What the owner says where nobody listens: lines on standard error, which is `.owner/log`.

use std::fmt::Display;
use std::io::Write;

use benchtop_model::clean;

/// Writes one line to the log. It is read with `cat`, so what a terminal would obey does not get in, and what is quoted begins no
/// line of its own.
pub fn write(line: impl Display) {
    // A disk that is full is told of elsewhere.
    let _ = writeln!(
        std::io::stderr().lock(),
        "{}",
        clean::line(&line.to_string())
    );
}
