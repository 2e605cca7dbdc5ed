//! Copies to the clipboard of the user's machine, also over SSH.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use benchtop_model::{Error, Result};

/// Longest text in bytes. Terminals silently drop longer ones.
pub const MAX_BYTES: usize = 100_000;

/// The sequence that copies `text` to the clipboard (OSC 52, selection `c`).
///
/// # Errors
///
/// [`ErrorKind::Usage`] if the text is longer than [`MAX_BYTES`]. Then nothing is copied, rather
/// than a part.
pub fn copy(text: &str) -> Result<Vec<u8>> {
    if text.len() > MAX_BYTES {
        let what = format!(
            "{} bytes exceed the clipboard limit of {MAX_BYTES}",
            text.len()
        );
        return Err(Error::usage(what).help("select fewer rows, or export to a file"));
    }
    Ok(format!("\x1b]52;c;{}\x07", STANDARD.encode(text)).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::ErrorKind;

    #[test]
    fn copies_are_encoded_and_bounded() {
        assert_eq!(copy("a\tb\n").unwrap(), b"\x1b]52;c;YQliCg==\x07");
        assert!(copy(&"x".repeat(MAX_BYTES)).is_ok());
        assert_eq!(
            copy(&"x".repeat(MAX_BYTES + 1)).unwrap_err().kind,
            ErrorKind::Usage
        );
    }
}
