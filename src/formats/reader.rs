//! Reading a file record by record, whatever it is.

use std::collections::VecDeque;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use super::cells::Inline;
use super::records::{Raw, Records};
use benchtop_model::{Item, Prediction, Result};

/// Makes values of a record.
pub(super) type Make<T> = Box<dyn Fn(Raw<'_>, &mut VecDeque<Result<T>>) + Send>;

/// Where the values of a file come from.
pub(super) trait Source<T>: Send {
    /// The next value with the line it begins on.
    fn next(&mut self) -> Option<(u64, Result<T>)>;

    /// The pictures that the last value carried, once.
    fn pictures(&mut self) -> Vec<Inline> {
        Vec::new()
    }

    /// What a person should know of what was read so far.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Reads a file of `T`, one record after the other: `(line the record begins on, the value or what is wrong with it)`.
///
/// Every error names the file and the line (in a table the row, in an archive the member), and the field where there is one.
/// After an error inside a record the next one follows; after an error of the file (cut off, unreadable) nothing follows. A
/// record of several questions gives several values with one line. Ids are not compared with each other here.
pub struct Reader<T> {
    source: Box<dyn Source<T>>,
    file: PathBuf,
}

/// Reads items.
pub type Items = Reader<Item>;
/// Reads predictions.
pub type Predictions = Reader<Prediction>;

impl<T: 'static> Reader<T> {
    pub(super) fn new(source: Box<dyn Source<T>>, file: &Path) -> Self {
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

    /// The pictures that the last item carried within the file, once; each has the name that the item has for it.
    pub fn pictures(&mut self) -> Vec<Inline> {
        self.source.pictures()
    }

    /// What a person should know of what was read so far, counted: texts that are cut, answers that are missing.
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

/// JSON records, each made into any number of values.
struct OfRecords<T> {
    records: Records<Box<dyn BufRead + Send>>,
    make: Make<T>,
    ready: VecDeque<Result<T>>,
    line: u64,
}

impl<T: Send> Source<T> for OfRecords<T> {
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
