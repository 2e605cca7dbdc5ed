//! Reads records from comma- or tab-separated values.

use std::io::BufRead;

use super::source::Rows;
use crate::delimited::{Lines, uneven};
use crate::records::Record;
use benchtop_model::{Error, Result};

/// The rows of a file with a header line. Every cell is a text; an empty cell is an empty text.
pub struct TextRows<R> {
    lines: Lines<R>,
    names: Vec<String>,
    done: bool,
}

impl<R: BufRead> TextRows<R> {
    /// Creates a reader and reads the header line.
    ///
    /// # Errors
    /// See [`Lines::next_line`]; [`benchtop_model::ErrorKind::Input`] if the header is missing or
    /// repeats a name.
    pub fn new(input: R, separator: u8) -> Result<TextRows<R>> {
        let mut lines = Lines::new(input, separator);
        let Some((line, names)) = lines.next_line()? else {
            return Err(Error::input("the file has no records"));
        };
        let names = names?;
        for (at, name) in names.iter().enumerate() {
            if names[..at].contains(name) {
                return Err(Error::input("two columns have this name")
                    .field(name)
                    .line(line));
            }
        }
        Ok(TextRows {
            lines,
            names,
            done: false,
        })
    }
}

impl<R: BufRead + Send> Rows for TextRows<R> {
    fn next_row(&mut self) -> Result<Option<(u64, Record)>> {
        if self.done {
            return Ok(None);
        }
        // Reading continues after an invalid line, but not after an error of the file.
        let Some((line, cells)) = self.lines.next_line().inspect_err(|_| self.done = true)? else {
            return Ok(None);
        };
        let cells = cells?;
        if cells.len() != self.names.len() {
            return Err(uneven(cells.len(), self.names.len()).line(line));
        }
        Ok(Some((
            line,
            self.names
                .iter()
                .cloned()
                .zip(cells.into_iter().map(Into::into))
                .collect(),
        )))
    }

    fn columns(&self) -> Vec<String> {
        self.names.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uneven_row_is_an_error_and_reading_continues() {
        let mut rows = TextRows::new(&b"\xEF\xBB\xBFa,b\n1,NA\n2\n3,4\n"[..], b',').unwrap();
        let row = rows.next_row().unwrap().unwrap();
        assert_eq!(
            (row.0, serde_json::to_string(&row.1).unwrap()),
            (2, r#"{"a":"1","b":"NA"}"#.to_string())
        );
        assert_eq!(rows.next_row().unwrap_err().place.line, Some(3));
        assert_eq!(rows.next_row().unwrap().unwrap().0, 4);
        assert!(TextRows::new(&b"a,a\n"[..], b',').is_err());
    }
}
