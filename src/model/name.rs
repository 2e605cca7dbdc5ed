//! Names that also name files.

use super::error::{Error, ErrorKind, Result};

/// Whether `name` can name `what` ("an annotator", "a round"), and so a file: letters, digits, `.`, `_`, `-`; at most 64
/// bytes; no leading dot.
///
/// # Errors
/// [`ErrorKind::Usage`] says what a name may hold.
pub fn check(name: &str, what: &str) -> Result<()> {
    let fits = !name.is_empty()
        && name.len() <= 64
        && !name.starts_with('.')
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'));
    if fits {
        return Ok(());
    }
    Err(
        Error::new(ErrorKind::Usage, format!("`{name}` cannot name {what}"))
            .help("letters, digits, `.`, `_` and `-`, at most 64, not beginning with a dot"),
    )
}

/// Checks that `name` can name an annotator, and so a journal.
///
/// # Errors
/// As [`check`].
pub fn check_annotator(name: &str) -> Result<()> {
    check(name, "an annotator")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_a_file_is_no_name() {
        for name in [
            "",
            "..",
            "a/b",
            ".hidden",
            "a b",
            "a\n",
            &"x".repeat(65),
            &"é".repeat(33),
        ] {
            let problem = check(name, "a round").unwrap_err();
            assert!(
                problem.kind == ErrorKind::Usage && problem.what.contains("a round"),
                "{problem}"
            );
        }
        assert!(check("Zoë-2.b", "a round").is_ok());
        assert!(check(&"x".repeat(64), "a round").is_ok());
    }
}
