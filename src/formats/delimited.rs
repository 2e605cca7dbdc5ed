//! Cells between commas or tabs (RFC 4180): a cell in quotes may hold the separator, line breaks, and quotes doubled. A quote
//! anywhere else is a character in other tools' files, which write what they like, and a mistake in ours.

use std::io::BufRead;

use super::records::RECORD_LIMIT;
use benchtop_model::{Error, ErrorKind, Result};

/// A line of cells and the line of the file it begins on, from 1; or what is wrong with it, where the next one can still be read.
pub type Line = (u64, Result<Vec<String>>);

/// Lines of cells, each with the line it begins on.
pub struct Lines<R> {
    input: R,
    separator: u8,
    strict: bool,
    line: u64,
    begun: bool,
}

/// The cells of a line as bytes, and the first quote among them that is none.
type Bytes = (Vec<Vec<u8>>, Option<Error>);

/// Where the reader stands in a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Before its first character.
    Start,
    /// In a cell without quotes.
    Plain,
    /// Within quotes.
    Quoted,
    /// After a quote within quotes.
    Quote,
}

impl<R: BufRead> Lines<R> {
    /// A reader of cells between `separator`s, to whom a quote where none belongs is a character.
    pub fn new(input: R, separator: u8) -> Lines<R> {
        Lines {
            input,
            separator,
            strict: false,
            line: 1,
            begun: false,
        }
    }

    /// The same, but a quote where none belongs is a mistake in its line.
    pub fn strict(input: R, separator: u8) -> Lines<R> {
        Lines {
            strict: true,
            ..Lines::new(input, separator)
        }
    }

    /// The next line that is not empty.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] with the line where nothing can be read from there on, and [`ErrorKind::Io`].
    pub fn next_line(&mut self) -> Result<Option<Line>> {
        loop {
            let begins = self.line;
            let Some((cells, stray)) = self.cells(begins)? else {
                return Ok(None);
            };
            let begun = std::mem::replace(&mut self.begun, true);
            let first = cells.first().map_or(&[][..], Vec::as_slice);
            if !begun && (first.starts_with(b"\xFF\xFE") || first.starts_with(b"\xFE\xFF")) {
                return Err(Error::input("this is UTF-16")
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
                    At::Quoted => Err(Error::input("the file ends within quotes").line(begins)),
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
                // The end of the line follows, or the cell goes on.
                At::Quote if byte == b'\r' => {}
                At::Start | At::Plain | At::Quote => {
                    let ends = |b: &u8| *b == self.separator || *b == b'\n';
                    let text = &chunk[..chunk.iter().position(ends).unwrap_or(chunk.len())];
                    if at == At::Quote {
                        stray.get_or_insert_with(|| {
                            Error::input("text after the quote that ends a cell").help(QUOTES)
                        });
                    } else if text.contains(&b'"') {
                        stray.get_or_insert_with(|| {
                            Error::input("a quote within a cell").help(QUOTES)
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
                    Error::input(format!("a line of over {RECORD_LIMIT} bytes")).line(begins)
                );
            }
        }
    }
}

fn failed(err: &std::io::Error, line: u64) -> Error {
    Error::new(ErrorKind::Io, format!("cannot be read: {err}")).line(line)
}

fn texts(cells: Vec<Vec<u8>>) -> Result<Vec<String>> {
    let text = |cell| {
        String::from_utf8(cell)
            .map_err(|_| Error::input("not valid UTF-8").help("save the file as UTF-8"))
    };
    cells.into_iter().map(text).collect()
}

const QUOTES: &str =
    "a cell with a comma, a quote or a line break stands in quotes, and its own quotes are doubled";

/// That a line has another number of cells than there are names.
pub fn uneven(cells: usize, names: usize) -> Error {
    Error::input(format!("{cells} cells under {names} names")).help(QUOTES)
}

/// A whole table with commas, read strictly: the line each row begins on and its cells; the first row has the names. Empty
/// lines are left out.
///
/// # Errors
/// As [`Lines::next_line`], and where a quote does not belong or a row has more or fewer cells than there are names; with
/// the line.
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

    fn lines(text: &[u8]) -> Vec<std::result::Result<(u64, Vec<String>), String>> {
        let mut lines = Lines::new(BufReader::with_capacity(3, text), b',');
        let mut found = Vec::new();
        loop {
            match lines.next_line() {
                Ok(None) => return found,
                Ok(Some((line, cells))) => {
                    found.push(cells.map(|cells| (line, cells)).map_err(|p| p.to_string()))
                }
                Err(p) => {
                    found.push(Err(p.to_string()));
                    return found;
                }
            }
        }
    }

    fn cells(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| (*s).to_string()).collect()
    }

    #[test]
    fn quotes_breaks_and_empty_cells() {
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
        assert!(
            lines(b"1,2\n\"b,c\n")[1]
                .as_ref()
                .unwrap_err()
                .contains("line 2: the file ends within quotes")
        );
    }

    #[test]
    fn a_stray_quote_is_a_mistake_in_its_line_alone_where_read_strictly() {
        let mut lines = Lines::strict(
            BufReader::with_capacity(3, &b"a \"b\",c\n\"b\"x,c\n\"\"\"d\"\"\",\ne,f"[..]),
            b',',
        );
        let mut said = |part: &str| {
            let (line, cells) = lines.next_line().unwrap().unwrap();
            let said = cells.map_or_else(
                |p| p.to_string(),
                |cells| format!("{line}: {}", cells.join("|")),
            );
            assert!(said.contains(part), "{part} in {said}");
        };
        said("line 1: a quote within a cell");
        said("line 2: text after the quote that ends a cell");
        said("3: \"d\"|");
        said("4: e|f");
        assert!(lines.next_line().unwrap().is_none());
    }

    #[test]
    fn a_table_is_whole_or_refused_with_the_line() {
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
