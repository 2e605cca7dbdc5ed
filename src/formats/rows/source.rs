//! The rows of one file, and counts of what the user should know about them.

use std::collections::BTreeMap;
use std::io::{BufRead, Read};

use crate::records::Record;
use benchtop_model::{Error, Result};

/// Counts of things that the user should know about the data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally(BTreeMap<&'static str, u64>);

impl Tally {
    /// Adds 1 to the count of `what`, which is worded to follow a number.
    pub fn add(&mut self, what: &'static str) {
        self.many(what, 1);
    }

    /// Adds `n` to the count of `what`.
    pub fn many(&mut self, what: &'static str, n: u64) {
        if n > 0 {
            *self.0.entry(what).or_default() += n;
        }
    }

    /// Adds the counts of `other`.
    #[must_use]
    pub fn and(mut self, other: &Tally) -> Tally {
        for (what, n) in &other.0 {
            self.many(what, *n);
        }
        self
    }

    /// The counts as text: `3 cells of exactly 32,767 characters, ...`.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(what, n)| format!("{n} {what}"))
    }
}

/// The rows of one file.
pub trait Rows: Send {
    /// The next row, with the line or row number on which it begins; `None` at the end.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] with the line. After an invalid record, the next row
    /// follows; after an error of the file, nothing follows.
    fn next_row(&mut self) -> Result<Option<(u64, Record)>>;

    /// The counts so far.
    fn tally(&self) -> Tally {
        Tally::default()
    }

    /// The columns, if the file names them before its first row.
    fn columns(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Reads all bytes of a reader, up to `limit`. `what` names it in errors.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] if it is longer.
pub fn bounded(input: impl Read, limit: u64, what: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = input.take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|e| Error::input(format!("cannot unpack {what}: {e}")))?;
    if bytes.len() as u64 > limit {
        return Err(Error::input(format!(
            "{what} unpacks to more than {} MiB",
            limit >> 20
        )));
    }
    Ok(bytes)
}

/// The next byte, without consuming it.
pub(super) fn peek(input: &mut dyn BufRead) -> Result<Option<u8>> {
    let chunk = input
        .fill_buf()
        .map_err(|e| Error::new(benchtop_model::ErrorKind::Io, format!("cannot read: {e}")))?;
    Ok(chunk.first().copied())
}
