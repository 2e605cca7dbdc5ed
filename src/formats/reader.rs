//! Reads files of any format record by record.

use std::collections::VecDeque;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use super::cells::Inline;
use super::records::{Raw, Records};
use benchtop_model::{Item, Prediction, Result};

/// Makes values from a record.
pub(super) type Make<T> = Box<dyn Fn(Raw<'_>, &mut VecDeque<Result<T>>) + Send>;

/// The source of a file's values.
pub(super) trait ValueSource<T>: Send {
    /// The next value, with the line on which it begins.
    fn next(&mut self) -> Option<(u64, Result<T>)>;

    /// Takes the pictures embedded in the last value.
    fn pictures(&mut self) -> Vec<Inline> {
        Vec::new()
    }

    /// Notes for the user about what was read so far.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Reads the values of a file one by one, as (line on which the record begins, value or error).
///
/// Errors name the file and the line (in a table the row, in an archive the member), and the field
/// if there is one. After an error in a record, the next record follows; after an error of the file
/// (truncated, unreadable), nothing follows. A record with several questions gives several values
/// with one line. Duplicate ids are not detected here.
pub struct Reader<T> {
    source: Box<dyn ValueSource<T>>,
    file: PathBuf,
}

pub type Items = Reader<Item>;
pub type Predictions = Reader<Prediction>;

impl<T: 'static> Reader<T> {
    pub(super) fn new(source: Box<dyn ValueSource<T>>, file: &Path) -> Self {
        Reader {
            source,
            file: file.to_path_buf(),
        }
    }

    pub(super) fn of_records(input: Box<dyn BufRead + Send>, file: &Path, make: Make<T>) -> Self
    where
        T: Send,
    {
        Self::new(
            Box::new(OfRecords {
                records: Records::new(input),
                make,
                ready: VecDeque::new(),
                line: 0,
            }),
            file,
        )
    }

    /// Takes the pictures embedded in the last item. Each has the name that the item uses.
    pub fn pictures(&mut self) -> Vec<Inline> {
        self.source.pictures()
    }

    /// Notes for the user about what was read so far, with counts: truncated texts, missing
    /// answers.
    pub fn notes(&self) -> Vec<String> {
        self.source.notes()
    }
}

impl<T> Iterator for Reader<T> {
    type Item = (u64, Result<T>);

    fn next(&mut self) -> Option<Self::Item> {
        let (line, read) = self.source.next()?;
        Some((
            line,
            read.map_err(|p| if line > 0 { p.line(line) } else { p }.file(&self.file)),
        ))
    }
}

/// JSON records, each of which gives any number of values.
struct OfRecords<T> {
    records: Records<Box<dyn BufRead + Send>>,
    make: Make<T>,
    ready: VecDeque<Result<T>>,
    line: u64,
}

impl<T: Send> ValueSource<T> for OfRecords<T> {
    fn next(&mut self) -> Option<(u64, Result<T>)> {
        loop {
            if let Some(found) = self.ready.pop_front() {
                return Some((self.line, found));
            }
            match self.records.next_record() {
                Ok(None) => return None,
                Ok(Some(raw)) => {
                    self.line = raw.line;
                    (self.make)(raw, &mut self.ready);
                }
                Err(p) => {
                    self.line = p.place.line.unwrap_or(self.line);
                    return Some((self.line, Err(p)));
                }
            }
        }
    }
}
