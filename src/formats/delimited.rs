//! Comma- or tab-separated values (RFC 4180): a quoted cell may contain the separator, line breaks,
//! and doubled quotes. Elsewhere, a quote is an ordinary character in files of other tools and an
//! error in benchtop's own files.

use std::io::BufRead;

use super::records::RECORD_LIMIT;
use benchtop_model::{Error, ErrorKind, Result};

/// A line of cells with the line number on which it begins, from 1. An error here does not prevent
/// reading the next line.
pub type Line = (u64, Result<Vec<String>>);

/// Reads lines of cells, each with the line number on which it begins.
pub struct Lines<R> {
    input: R,
    separator: u8,
    strict: bool,
    line: u64,
    begun: bool,
}

/// The cells of a line as bytes, and the first misplaced quote.
type Bytes = (Vec<Vec<u8>>, Option<Error>);

/// The reader's position in a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Before the first character.
    Start,
    /// In an unquoted cell.
    Plain,
    /// Inside quotes.
    Quoted,
    /// After a quote inside quotes.
    Quote,
}

impl<R: BufRead> Lines<R> {
    /// Reads cells between `separator`s. A misplaced quote is an ordinary character.
    pub fn new(input: R, separator: u8) -> Lines<R> {
        Lines {
            input,
            separator,
            strict: false,
            line: 1,
            begun: false,
        }
    }

    /// Like [`new`](Self::new), but a misplaced quote is an error in its line.
    pub fn strict(input: R, separator: u8) -> Lines<R> {
        Lines {
            strict: true,
            ..Lines::new(input, separator)
        }
    }

    /// The next line that is not empty.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] with the line if nothing can be read from there on, and
    /// [`ErrorKind::Io`].
    pub fn next_line(&mut self) -> Result<Option<Line>> {
        loop {
            let begins = self.line;
            let Some((cells, stray)) = self.cells(begins)? else {
                return Ok(None);
            };
            let begun = std::mem::replace(&mut self.begun, true);
            let first = cells.first().map_or(&[][..], Vec::as_slice);
            if !begun && (first.starts_with(b"\xFF\xFE") || first.starts_with(b"\xFE\xFF")) {
                return Err(Error::input("the file is encoded as UTF-16")
                    .line(begins)
                    .help("save the file as UTF-8"));
            }
            if cells.len() > 1 || !first.is_empty() {
                let cells = match stray.filter(|_| self.strict) {
                    Some(problem) => Err(problem.line(begins)),
                    None => texts(cells).map_err(|p| p.line(begins)),
                };
                return Ok(Some((begins, cells)));
            }
        }
    }

    /// The next line.
    fn cells(&mut self, begins: u64) -> Result<Option<Bytes>> {
        if !self.begun {
            let chunk = self.input.fill_buf().map_err(|e| failed(&e, begins))?;
            let mark = if chunk.starts_with(b"\xEF\xBB\xBF") {
                3
            } else {
                0
            };
            self.input.consume(mark);
        }
        let (mut cells, mut cell, mut at, mut size, mut stray) =
            (Vec::new(), Vec::new(), At::Start, 0, None);
        loop {
            let chunk = self.input.fill_buf().map_err(|e| failed(&e, begins))?;
            let Some(&byte) = chunk.first() else {
                return match at {
                    At::Quoted => {
                        Err(Error::input("the file ends inside a quoted cell").line(begins))
                    }
                    At::Start if cells.is_empty() => Ok(None),
                    _ => {
                        cells.push(cell);
                        Ok(Some((cells, stray)))
                    }
                };
            };
            let mut used = 1;
            match at {
                At::Quoted => {
                    let end = memchr::memchr(b'"', chunk);
                    let text = &chunk[..end.unwrap_or(chunk.len())];
                    self.line += memchr::memchr_iter(b'\n', text).count() as u64;
                    cell.extend_from_slice(text);
                    used = text.len() + usize::from(end.is_some());
                    at = if end.is_some() { At::Quote } else { At::Quoted };
                }
                At::Quote if byte == b'"' => {
                    cell.push(b'"');
                    at = At::Quoted;
                }
                At::Start if byte == b'"' => at = At::Quoted,
                _ if byte == self.separator => {
                    cells.push(std::mem::take(&mut cell));
                    at = At::Start;
                }
                _ if byte == b'\n' => {
                    self.line += 1;
                    self.input.consume(1);
                    if at != At::Quote && cell.last() == Some(&b'\r') {
                        cell.pop();
                    }
                    cells.push(cell);
                    return Ok(Some((cells, stray)));
                }
                // The line ends next, or the cell continues.
                At::Quote if byte == b'\r' => {}
                At::Start | At::Plain | At::Quote => {
                    let ends = |b: &u8| *b == self.separator || *b == b'\n';
                    let text = &chunk[..chunk.iter().position(ends).unwrap_or(chunk.len())];
                    if at == At::Quote {
                        stray.get_or_insert_with(|| {
                            Error::input("text after the closing quote of a cell").help(QUOTES)
                        });
                    } else if text.contains(&b'"') {
                        stray.get_or_insert_with(|| {
                            Error::input("quote inside an unquoted cell").help(QUOTES)
                        });
                    }
                    cell.extend_from_slice(text);
                    used = text.len();
                    at = At::Plain;
                }
            }
            self.input.consume(used);
            size += used;
            if size > RECORD_LIMIT {
                return Err(
                    Error::input(format!("the line is longer than {RECORD_LIMIT} bytes"))
                        .line(begins),
                );
            }
        }
    }
}

fn failed(err: &std::io::Error, line: u64) -> Error {
    Error::new(ErrorKind::Io, format!("cannot read: {err}")).line(line)
}

fn texts(cells: Vec<Vec<u8>>) -> Result<Vec<String>> {
    let text = |cell| {
        String::from_utf8(cell)
            .map_err(|_| Error::input("not valid UTF-8").help("save the file as UTF-8"))
    };
    cells.into_iter().map(text).collect()
}

const QUOTES: &str =
    "quote cells that contain a comma, a quote, or a line break, and double the quotes inside them";

/// The error for a line whose number of cells differs from the number of columns.
pub fn uneven(cells: usize, names: usize) -> Error {
    Error::input(format!("{cells} cells in a table with {names} columns")).help(QUOTES)
}

/// Reads a whole comma-separated table strictly: each row with the line on which it begins. The
/// first row has the column names. Empty lines are skipped.
///
/// # Errors
/// See [`Lines::next_line`]; also misplaced quotes, and rows with more or fewer cells than columns.
/// All with the line.
pub fn table(input: impl BufRead) -> Result<Vec<(u64, Vec<String>)>> {
    let mut lines = Lines::strict(input, b',');
    let mut found: Vec<(u64, Vec<String>)> = Vec::new();
    while let Some((line, cells)) = lines.next_line()? {
        let cells = cells?;
        if let Some((_, names)) = found.first()
            && names.len() != cells.len()
        {
            return Err(uneven(cells.len(), names.len()).line(line));
        }
        found.push((line, cells));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// A line number with the line's cells, or the line at which reading failed.
    type LineResult = std::result::Result<(u64, Vec<String>), Option<u64>>;

    fn lines(text: &[u8]) -> Vec<LineResult> {
        let mut lines = Lines::new(BufReader::with_capacity(3, text), b',');
        let mut found = Vec::new();
        loop {
            match lines.next_line() {
                Ok(None) => return found,
                Ok(Some((line, cells))) => {
                    found.push(cells.map(|cells| (line, cells)).map_err(|p| p.place.line))
                }
                Err(p) => {
                    found.push(Err(p.place.line));
                    return found;
                }
            }
        }
    }

    fn cells(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| (*s).to_string()).collect()
    }

    #[test]
    fn quotes_line_breaks_and_empty_cells_are_read() {
        let found = lines(b"a,b\r\n\r\n\"x, \"\"y\"\"\nz\",\n,\"\"\n1,2");
        let expected = [
            (1, cells(&["a", "b"])),
            (3, cells(&["x, \"y\"\nz", ""])),
            (5, cells(&["", ""])),
            (6, cells(&["1", "2"])),
        ];
        assert_eq!(found, expected.map(Ok));
    }

    #[test]
    fn stray_quotes_are_text() {
        assert_eq!(lines(b"a \"b\",c\n"), [Ok((1, cells(&["a \"b\"", "c"])))]);
        assert_eq!(lines(b"\"b\"x,c\n"), [Ok((1, cells(&["bx", "c"])))]);
        assert_eq!(lines(b"1,2\n\"b,c\n")[1], Err(Some(2)));
    }

    #[test]
    fn strict_reader_rejects_only_the_line_with_a_stray_quote() {
        let mut lines = Lines::strict(
            BufReader::with_capacity(3, &b"a \"b\",c\n\"b\"x,c\n\"\"\"d\"\"\",\ne,f"[..]),
            b',',
        );
        for expected in [
            Err(Some(1)),
            Err(Some(2)),
            Ok((3, cells(&["\"d\"", ""]))),
            Ok((4, cells(&["e", "f"]))),
        ] {
            let (line, found) = lines.next_line().unwrap().unwrap();
            let found = found.map(|cells| (line, cells));
            assert_eq!(found.map_err(|error| error.place.line), expected);
        }
        assert!(lines.next_line().unwrap().is_none());
    }

    #[test]
    fn table_errors_name_the_line() {
        let read = |text: &str| table(text.as_bytes());
        assert_eq!(
            read("a,b\n\n1,2\n").unwrap(),
            [(1, cells(&["a", "b"])), (3, cells(&["1", "2"]))]
        );
        for (text, line) in [
            ("a,b\n1\n", 2),
            ("a,b\n1,\"2\n", 2),
            ("a,b\n1,2\n3,4\"\n", 3),
        ] {
            assert_eq!(read(text).unwrap_err().place.line, Some(line), "{text}");
        }
    }
}
