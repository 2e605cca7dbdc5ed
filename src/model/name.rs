//! Validates names that are also file names.

use super::error::{Error, Result};

/// Validates the name of `what` ("an annotator", "a round"): letters, digits, `.`, `_`, and `-`, at
/// most 64 bytes, no leading dot.
///
/// # Errors
/// [`Error::usage`] for an invalid name.
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
        Error::usage(format!("`{name}` is not a valid name for {what}")).help(
            "use letters, digits, `.`, `_`, and `-`, at most 64 bytes, not starting with a dot",
        ),
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
    use crate::ErrorKind;

    #[test]
    fn invalid_names_fail() {
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
