//! Verdicts in interchange forms: [`jsonl`], [`csv`] and [`label_studio`], each read and written one record at a time.
//!
//! What cannot be taken is named with its place and left; nothing is guessed. A file that is cut off or of another form is
//! refused as a whole.

pub mod csv;
pub mod jsonl;
pub mod label_studio;
mod line;

use std::io::BufRead;
use std::path::Path;

use serde::Serialize;

use crate::input::open;
use benchtop_model::config::Reason;
use benchtop_model::verdict_interchange::{Exchanged, VerdictForm, Words};
use benchtop_model::{Error, Result};

/// What the words of a file mean in this project.
#[derive(Clone, Copy)]
pub struct Meaning<'m> {
    /// What was said that they mean.
    pub words: &'m Words,
    /// Reasons of this project.
    pub reasons: &'m [Reason],
    /// The id of the item that a task with this key and question is about, or why that cannot be told.
    pub item: &'m dyn Fn(&str, Option<&str>) -> Result<String>,
}

/// A record of a file.
#[derive(Debug)]
pub struct Found {
    /// Where it stands: `line 4`, `task 3 (line 40), annotation 2`.
    pub place: String,
    /// Id of the item, as far as the file says.
    pub item: String,
    /// Who, as the file says.
    pub who: String,
    /// The verdict, or why there is none.
    pub verdict: Result<Exchanged>,
}

/// Takes a record; says whether to go on.
pub type Take<'t> = &'t mut dyn FnMut(Found) -> bool;

/// The form of a file by its first byte that is no blank: `[` begins Label Studio's, `{` JSON Lines, anything else CSV.
///
/// # Errors
/// As [`crate::input::open`], and the operating system's.
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

/// Reads the file at `path`, which has that form; gives what a person should know.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] with file and line where the file is cut off, not of this form or not UTF-8, and the
/// operating system's.
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

/// What to do about a word that means nothing here.
fn unmapped(word: &str, means: &str) -> String {
    format!("nothing is guessed: --choice \"{word}={means}\" says what it means")
}

/// The name by which a plain value of the model is written, such as `painted`.
fn plain<T: Serialize>(value: T) -> Option<String> {
    serde_json::to_value(value)
        .ok()?
        .as_str()
        .map(str::to_string)
}

#[cfg(test)]
mod tests;
