//! Reads and writes verdicts as [`jsonl`], [`csv`], and [`label_studio`], one record at a time.
//!
//! Records that cannot be used are reported with their place and skipped; nothing is guessed. A
//! file that is truncated or has another format is rejected as a whole.

pub mod csv;
pub mod jsonl;
pub mod label_studio;
mod line;

use std::io::BufRead;
use std::path::Path;

use serde::Serialize;

use crate::input::open;
use benchtop_model::config::Reason;
use benchtop_model::verdict_interchange::{ExchangedVerdict, NameMapping, VerdictForm};
use benchtop_model::{Error, Result};

/// How the values of a file map to this project.
#[derive(Clone, Copy)]
pub struct Meaning<'m> {
    /// Mappings given by the user.
    pub words: &'m NameMapping,
    /// Reasons of this project.
    pub reasons: &'m [Reason],
    /// Finds the id of the item for a task with this key and question, or the reason why there is
    /// none.
    pub item: &'m dyn Fn(&str, Option<&str>) -> Result<String>,
}

/// A record of a file.
#[derive(Debug)]
pub struct Found {
    /// The record's place: `line 4`, `task 3 (line 40), annotation 2`.
    pub place: String,
    /// Id of the item, as far as the file states it.
    pub item: String,
    /// The annotator as named in the file.
    pub who: String,
    /// The verdict, or the error.
    pub verdict: Result<ExchangedVerdict>,
}

/// Takes a record. Returns whether to continue.
pub type Take<'t> = &'t mut dyn FnMut(Found) -> bool;

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

/// Help for an unknown word.
fn unmapped(word: &str, means: &str) -> String {
    format!("map it, for example with --choice \"{word}={means}\"")
}

/// The serialized name of a plain enum value, such as `painted`.
fn plain<T: Serialize>(value: T) -> Option<String> {
    serde_json::to_value(value)
        .ok()?
        .as_str()
        .map(str::to_string)
}

#[cfg(test)]
mod tests;
