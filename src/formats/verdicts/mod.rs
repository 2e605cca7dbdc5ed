//! Reads and writes verdicts and comments as [`jsonl`], [`csv`], and [`label_studio`], one record at
//! a time.
//!
//! Records that cannot be used are reported with their place and skipped; nothing is guessed. A
//! file that is truncated or has another format is rejected as a whole.

mod comment_line;
pub mod comments_csv;
pub mod csv;
pub mod jsonl;
pub mod label_studio;
mod line;
mod meaning;
mod record;

pub use self::meaning::Meaning;
pub use self::record::{Found, Take};

use std::io::BufRead;
use std::path::Path;

use crate::input::open;
use benchtop_model::verdict_interchange::VerdictForm;
use benchtop_model::{Error, Result};

/// Detects the format of a file by its first byte that is not white space: `[` for Label Studio,
/// `{` for JSON Lines, anything else for CSV.
///
/// # Errors
/// See [`crate::input::open`], and I/O errors.
pub fn form_of(path: &Path) -> Result<VerdictForm> {
    let mut input = open(path)?;
    let chunk = input
        .fill_buf()
        .map_err(|e| Error::io(&e, "cannot be read", path))?;
    let first = chunk
        .iter()
        .find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0xEF | 0xBB | 0xBF));
    Ok(match first {
        Some(b'[') => VerdictForm::LabelStudio,
        Some(b'{') => VerdictForm::Jsonl,
        _ => VerdictForm::Csv,
    })
}

/// Reads the file at `path` in this format. Returns notes for the user.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] with file and line if the file is truncated, has another
/// format, or is not UTF-8; and I/O errors.
pub fn read(
    path: &Path,
    form: VerdictForm,
    meaning: Meaning<'_>,
    take: Take<'_>,
) -> Result<Vec<String>> {
    let input = open(path)?;
    let read = match form {
        VerdictForm::Jsonl => jsonl::read(input, meaning, take),
        VerdictForm::Csv => csv::read(input, meaning, take),
        VerdictForm::LabelStudio => label_studio::read(input, meaning, take),
    };
    read.map_err(|problem| problem.file(path))
}

#[cfg(test)]
mod comment_tests;
#[cfg(test)]
mod tests;
