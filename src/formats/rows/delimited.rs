//! Cells between commas or tabs (RFC 4180): a cell in quotes may hold the separator, line breaks, and quotes doubled. A quote
//! anywhere else is a character.

use std::io::BufRead;

use super::{Rows, Tally};
use crate::formats::records::{RECORD_LIMIT, Record};
use crate::model::{Kind, Problem, Result};

/// Lines of cells, each with the line it begins on.
pub struct Lines<R> {
    input: R,
    separator: u8,
    line: u64,
    begun: bool,
}

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
    /// A reader of cells between `separator`s.
    pub fn new(input: R, separator: u8) -> Lines<R> {
        Lines { input, separator, line: 1, begun: false }
    }

    /// The cells of the next line that is not empty.
    ///
    /// # Errors
    /// [`Kind::Input`] with the line, and [`Kind::Io`].
    pub fn next_line(&mut self) -> Result<Option<(u64, Vec<String>)>> {
        loop {
            let begins = self.line;
            let Some(cells) = self.cells(begins)? else { return Ok(None) };
            if cells.len() > 1 || cells.first().is_some_and(|cell| !cell.is_empty()) {
                return self.texts(begins, cells).map(|cells| Some((begins, cells)));
            }
        }
    }

    fn texts(&mut self, line: u64, cells: Vec<Vec<u8>>) -> Result<Vec<String>> {
        let begun = std::mem::replace(&mut self.begun, true);
        let mut out = Vec::with_capacity(cells.len());
        for cell in cells {
            let utf16 = !begun && (cell.starts_with(b"\xFF\xFE") || cell.starts_with(b"\xFE\xFF"));
            let text = String::from_utf8(cell).map_err(|_| {
                let what = if utf16 { "this is UTF-16" } else { "not valid UTF-8" };
                Problem::input(what).line(line).help("save the file as UTF-8")
            })?;
            out.push(text);
        }
        Ok(out)
    }

    /// The bytes of the cells of the next line.
    fn cells(&mut self, begins: u64) -> Result<Option<Vec<Vec<u8>>>> {
        if !self.begun && super::peek(&mut self.input)? == Some(0xEF) {
            let chunk = self.input.fill_buf().map_err(|e| failed(&e, begins))?;
            let mark = if chunk.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
            self.input.consume(mark);
        }
        let (mut cells, mut cell, mut at, mut size) = (Vec::new(), Vec::new(), At::Start, 0);
        loop {
            let chunk = self.input.fill_buf().map_err(|e| failed(&e, begins))?;
            let Some(&byte) = chunk.first() else {
                return match at {
                    At::Quoted => Err(Problem::input("the file ends within quotes").line(begins)),
                    At::Start if cells.is_empty() => Ok(None),
                    _ => {
                        cells.push(cell);
                        Ok(Some(cells))
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
                    return Ok(Some(cells));
                }
                // The end of the line follows, or the cell goes on.
                At::Quote if byte == b'\r' => {}
                At::Start | At::Plain | At::Quote => {
                    let ends = |b: &u8| *b == self.separator || *b == b'\n';
                    let text = &chunk[..chunk.iter().position(ends).unwrap_or(chunk.len())];
                    cell.extend_from_slice(text);
                    used = text.len();
                    at = At::Plain;
                }
            }
            self.input.consume(used);
            size += used;
            if size > RECORD_LIMIT {
                return Err(Problem::input(format!("a line of over {RECORD_LIMIT} bytes")).line(begins));
            }
        }
    }
}

fn failed(err: &std::io::Error, line: u64) -> Problem {
    Problem::new(Kind::Io, format!("cannot be read: {err}")).line(line)
}

/// The rows of a file whose first line names the columns. Every cell is a text; an empty cell is an empty text.
pub struct TextRows<R> {
    lines: Lines<R>,
    names: Vec<String>,
    done: bool,
}

impl<R: BufRead> TextRows<R> {
    /// A reader; the line of names is read here.
    ///
    /// # Errors
    /// As [`Lines::next_line`]; [`Kind::Input`] for a file without one and for a name given twice.
    pub fn new(input: R, separator: u8) -> Result<TextRows<R>> {
        let mut lines = Lines::new(input, separator);
        let Some((line, names)) = lines.next_line()? else {
            return Err(Problem::input("the file holds no records"));
        };
        for (at, name) in names.iter().enumerate() {
            if names[..at].contains(name) {
                return Err(Problem::input("two columns have this name").field(name).line(line));
            }
        }
        Ok(TextRows { lines, names, done: false })
    }
}

impl<R: BufRead + Send> Rows for TextRows<R> {
    fn next_row(&mut self) -> Result<Option<(u64, Record)>> {
        if self.done {
            return Ok(None);
        }
        let Some((line, cells)) = self.lines.next_line().inspect_err(|p| {
            // A row that is no UTF-8 was read to its end; anything else leaves nothing to go on from.
            self.done = p.what != "not valid UTF-8";
        })?
        else {
            return Ok(None);
        };
        if cells.len() != self.names.len() {
            let what = format!("{} cells under {} names", cells.len(), self.names.len());
            return Err(Problem::input(what)
                .line(line)
                .help("a separator, a quote or a line break in a cell needs quotes"));
        }
        Ok(Some((line, self.names.iter().cloned().zip(cells.into_iter().map(Into::into)).collect())))
    }

    fn tally(&self) -> Tally {
        Tally::default()
    }

    fn columns(&self) -> Vec<String> {
        self.names.clone()
    }
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
                Ok(Some(line)) => found.push(Ok(line)),
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
        let expected =
            [(1, cells(&["a", "b"])), (3, cells(&["x, \"y\"\nz", ""])), (5, cells(&["", ""])), (6, cells(&["1", "2"]))];
        assert_eq!(found, expected.map(Ok));
    }

    #[test]
    fn stray_quotes_are_text() {
        assert_eq!(lines(b"a \"b\",c\n"), [Ok((1, cells(&["a \"b\"", "c"])))]);
        assert_eq!(lines(b"\"b\"x,c\n"), [Ok((1, cells(&["bx", "c"])))]);
        assert!(lines(b"1,2\n\"b,c\n")[1].as_ref().unwrap_err().contains("line 2: the file ends within quotes"));
    }

    #[test]
    fn rows_have_as_many_cells_as_there_are_names() {
        let mut rows = TextRows::new(&b"\xEF\xBB\xBFa,b\n1,NA\n2\n3,4\n"[..], b',').unwrap();
        let row = rows.next_row().unwrap().unwrap();
        assert_eq!((row.0, serde_json::to_string(&row.1).unwrap()), (2, r#"{"a":"1","b":"NA"}"#.to_string()));
        assert!(rows.next_row().unwrap_err().to_string().starts_with("line 3: 1 cells under 2 names"));
        assert_eq!(rows.next_row().unwrap().unwrap().0, 4);
        assert!(TextRows::new(&b"a,a\n"[..], b',').is_err());
    }
}
