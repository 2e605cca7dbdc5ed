//! One record at a time out of JSON Lines or a JSON array, in constant memory whatever the file's size.

use std::io::{self, BufRead};

use serde_json::{Map, Value};

use benchtop_model::{Error, ErrorKind, Result};

/// Longest record that is read, in bytes (16 MiB). Anything longer is an error that names its line.
pub const RECORD_LIMIT: usize = 16 << 20;

/// A record's fields in their order.
pub type Record = Map<String, Value>;

/// How the records of a file are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One object a line.
    Lines,
    /// One array of objects.
    Array,
}

/// One record as it stands in the file.
#[derive(Clone, Copy, Debug)]
pub struct Raw<'a> {
    /// The line it begins on, from 1.
    pub line: u64,
    /// Its bytes, valid UTF-8, from `{` to `}` unless the file is damaged.
    pub bytes: &'a [u8],
}

impl Raw<'_> {
    /// Its fields.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] naming the line where the JSON stops making sense.
    pub fn parse(self) -> Result<Record> {
        serde_json::from_slice(self.bytes).map_err(|e| self.problem(&e))
    }

    /// What a JSON error means for somebody who looks at the file.
    pub fn problem(self, err: &serde_json::Error) -> Error {
        let text = err.to_string();
        let text = text.split(" at line ").next().unwrap_or_default();
        let line = self.line + (err.line().max(1) as u64 - 1);
        if err.is_eof() {
            return Error::input("the record is cut off before its closing bracket").line(line);
        }
        if err.is_data() {
            let problem = Error::input(text).line(self.line);
            return match text.split('`').nth(1) {
                Some(field) if text.starts_with("missing field") => problem.field(field),
                _ => problem,
            };
        }
        Error::input(format!("not valid JSON: {text} (column {})", err.column())).line(line)
    }
}

/// Where the reader stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing read yet.
    Start,
    /// Before a line.
    Line,
    /// In a line that was refused; the rest of it is dropped.
    DropLine,
    /// Before the first element of an array.
    First,
    /// After an element of an array.
    After,
    /// In an element that was refused; the rest of it is dropped.
    DropElement(Scan),
    /// Nothing more to read.
    Done,
}

/// A scanner for the end of an object: brackets count outside strings, and a backslash hides the next byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Scan {
    depth: u32,
    string: bool,
    escape: bool,
}

impl Scan {
    /// How many bytes of `chunk` belong to the element, and whether it ends there.
    pub fn take(&mut self, chunk: &[u8]) -> (usize, bool) {
        let mut at = 0;
        while let Some(&byte) = chunk.get(at) {
            if self.escape {
                self.escape = false;
                at += 1;
            } else if self.string {
                match memchr::memchr2(b'"', b'\\', &chunk[at..]) {
                    None => return (chunk.len(), false),
                    Some(step) => {
                        at += step;
                        self.escape = chunk[at] == b'\\';
                        self.string = self.escape;
                        at += 1;
                    }
                }
            } else {
                at += 1;
                match byte {
                    b'"' => self.string = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => {
                        self.depth = self.depth.saturating_sub(1);
                        if self.depth == 0 {
                            return (at, true);
                        }
                    }
                    _ => {}
                }
            }
        }
        (at, false)
    }
}

/// Reads records from any buffered input: JSON Lines or one array of objects, told apart by the first byte.
///
/// Holds one record at most. An error inside a record (too long, invalid UTF-8, not an object) leaves the reader at the
/// next record; an error of the file (cut off, wrong type, I/O) ends it.
pub struct Records<R> {
    input: R,
    state: State,
    shape: Shape,
    line: u64,
    limit: usize,
    buffer: Vec<u8>,
}

impl<R: BufRead> Records<R> {
    /// A reader with the usual [`RECORD_LIMIT`].
    pub fn new(input: R) -> Self {
        Self::with_limit(input, RECORD_LIMIT)
    }

    /// A reader that refuses records of more than `limit` bytes.
    pub fn with_limit(input: R, limit: usize) -> Self {
        Records {
            input,
            state: State::Start,
            shape: Shape::Lines,
            line: 1,
            limit,
            buffer: Vec::new(),
        }
    }

    /// The layout; known once the first record was asked for.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The next record, or `None` at the end.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] with the line: a record over the limit, invalid UTF-8, a cut-off array, anything but an object.
    /// [`ErrorKind::Io`] when reading fails. The file's name is the caller's to add.
    pub fn next_record(&mut self) -> Result<Option<Raw<'_>>> {
        let found = self.advance();
        if found.as_ref().is_err_and(|p| p.kind != ErrorKind::Input) {
            self.state = State::Done;
        }
        let Some(line) = found? else {
            self.state = State::Done;
            return Ok(None);
        };
        if let Err(err) = std::str::from_utf8(&self.buffer) {
            let before =
                memchr::memchr_iter(b'\n', &self.buffer[..err.valid_up_to()]).count() as u64;
            return Err(Error::input("not valid UTF-8")
                .line(line + before)
                .help("save the file as UTF-8"));
        }
        Ok(Some(Raw {
            line,
            bytes: &self.buffer,
        }))
    }

    /// Consumes white space, counting lines; returns the byte after it.
    fn skip_blank(&mut self) -> Result<Option<u8>> {
        loop {
            let chunk = fill(&mut self.input, self.line)?;
            if chunk.is_empty() {
                return Ok(None);
            }
            let blank = chunk
                .iter()
                .take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'))
                .count();
            let next = chunk.get(blank).copied();
            let lines = memchr::memchr_iter(b'\n', &chunk[..blank]).count() as u64;
            self.line += lines;
            self.input.consume(blank);
            if next.is_some() {
                return Ok(next);
            }
        }
    }

    /// Puts the next record into the buffer; its line.
    fn advance(&mut self) -> Result<Option<u64>> {
        if self.state == State::Start {
            self.state = State::Done;
            self.begin()?;
        }
        self.drop_refused()?;
        match self.state {
            State::Line => self.read_line(),
            State::First | State::After => self.read_element(),
            _ => Ok(None),
        }
    }

    fn begin(&mut self) -> Result<()> {
        for (i, expected) in [0xEF, 0xBB, 0xBF].into_iter().enumerate() {
            match fill(&mut self.input, self.line)?.first() {
                Some(&byte) if byte == expected => self.input.consume(1),
                Some(0xFE | 0xFF) => {
                    return Err(Error::input("this is UTF-16")
                        .line(1)
                        .help("save the file as UTF-8"));
                }
                _ if i == 0 => break,
                _ => {
                    return Err(Error::input("not valid UTF-8")
                        .line(1)
                        .help("save the file as UTF-8"));
                }
            }
        }
        match self.skip_blank()? {
            None => Ok(()),
            Some(b'[') => {
                self.input.consume(1);
                self.shape = Shape::Array;
                self.state = State::First;
                Ok(())
            }
            Some(b'{') => {
                self.state = State::Line;
                Ok(())
            }
            Some(other) => Err(Error::input(format!(
                "expected an array of objects or one object a line, found {}",
                kind_of_byte(other)
            ))
            .line(self.line)),
        }
    }

    /// Drops what is left of a refused record.
    fn drop_refused(&mut self) -> Result<()> {
        loop {
            match self.state {
                State::DropLine => {
                    let chunk = fill(&mut self.input, self.line)?;
                    let end = memchr::memchr(b'\n', chunk);
                    let (used, state) = match (end, chunk.is_empty()) {
                        (Some(end), _) => (end + 1, State::Line),
                        (None, true) => (0, State::Done),
                        (None, false) => (chunk.len(), State::DropLine),
                    };
                    self.line += u64::from(end.is_some());
                    self.input.consume(used);
                    self.state = state;
                }
                State::DropElement(mut scan) => {
                    let chunk = fill(&mut self.input, self.line)?;
                    if chunk.is_empty() {
                        self.state = State::Done;
                        return Ok(());
                    }
                    let (used, ended) = scan.take(chunk);
                    let lines = memchr::memchr_iter(b'\n', &chunk[..used]).count() as u64;
                    self.line += lines;
                    self.input.consume(used);
                    self.state = if ended {
                        State::After
                    } else {
                        State::DropElement(scan)
                    };
                }
                _ => return Ok(()),
            }
        }
    }

    fn too_long(&self, line: u64) -> Error {
        Error::input(format!("the record is longer than {} bytes", self.limit)).line(line).help(
            "split the record, or check that the file is what you meant: one JSON object a line, or an array of them",
        )
    }

    fn read_line(&mut self) -> Result<Option<u64>> {
        loop {
            self.buffer.clear();
            let line = self.line;
            let mut ended = false;
            while !ended {
                let room = self.limit;
                let have = self.buffer.len();
                let chunk = fill(&mut self.input, self.line)?;
                if chunk.is_empty() {
                    break;
                }
                let end = memchr::memchr(b'\n', chunk);
                let used = end.unwrap_or(chunk.len());
                if have + used > room {
                    self.state = State::DropLine;
                    self.buffer = Vec::new();
                    return Err(self.too_long(line));
                }
                ended = end.is_some();
                self.buffer.extend_from_slice(&chunk[..used]);
                self.input.consume(used + usize::from(ended));
            }
            self.line += u64::from(ended);
            let kept = self.buffer.trim_ascii_end().len();
            self.buffer.truncate(kept);
            match self.buffer.trim_ascii_start().first() {
                Some(b'{') => return Ok(Some(line)),
                Some(&other) => {
                    let what = format!("expected one object a line, found {}", kind_of_byte(other));
                    return Err(Error::input(what).line(line));
                }
                None if ended => {}
                None => return Ok(None),
            }
        }
    }

    fn read_element(&mut self) -> Result<Option<u64>> {
        let first = self.state == State::First;
        self.state = State::Done;
        let cut =
            |line| Error::input("the file ends before the closing bracket of its array").line(line);
        let mut next = self.skip_blank()?.ok_or_else(|| cut(self.line))?;
        if !first && next == b',' {
            self.input.consume(1);
            next = self.skip_blank()?.ok_or_else(|| cut(self.line))?;
        } else if next == b']' {
            self.input.consume(1);
            return match self.skip_blank()? {
                None => Ok(None),
                Some(_) => {
                    Err(Error::input("text after the closing bracket of the array").line(self.line))
                }
            };
        } else if !first {
            return Err(
                Error::input("expected a comma or the closing bracket after a record")
                    .line(self.line),
            );
        }
        if next != b'{' {
            let what = format!(
                "expected an array of objects, found {} in it",
                kind_of_byte(next)
            );
            return Err(Error::input(what).line(self.line));
        }
        self.buffer.clear();
        let (line, mut scan, mut ended) = (self.line, Scan::default(), false);
        while !ended {
            let (have, limit) = (self.buffer.len(), self.limit);
            let chunk = fill(&mut self.input, self.line)?;
            if chunk.is_empty() {
                return Err(Error::input("the file ends inside this record").line(line));
            }
            let before = scan;
            let (used, done) = scan.take(chunk);
            if have + used > limit {
                self.state = State::DropElement(before);
                self.buffer = Vec::new();
                return Err(self.too_long(line));
            }
            self.line += memchr::memchr_iter(b'\n', &chunk[..used]).count() as u64;
            self.buffer.extend_from_slice(&chunk[..used]);
            self.input.consume(used);
            ended = done;
        }
        self.state = State::After;
        Ok(Some(line))
    }
}

/// The bytes at hand; empty at the end.
fn fill<R: BufRead>(input: &mut R, line: u64) -> Result<&[u8]> {
    while let Err(e) = input.fill_buf() {
        if e.kind() != io::ErrorKind::Interrupted {
            return Err(Error::new(ErrorKind::Io, format!("cannot read: {e}")).line(line));
        }
    }
    // Asked again because a loop cannot return what it borrows; the second call finds the buffer full.
    input
        .fill_buf()
        .map_err(|e| Error::new(ErrorKind::Io, format!("cannot read: {e}")).line(line))
}

/// What a value that begins with `byte` is.
fn kind_of_byte(byte: u8) -> &'static str {
    match byte {
        b'{' => "an object",
        b'[' => "an array",
        b'"' => "text",
        b'-' | b'0'..=b'9' => "a number",
        b't' | b'f' | b'n' => "a bare word",
        _ => "something that is not JSON",
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// Every record or error, read through a buffer so small that every boundary is crossed.
    fn all(text: &[u8]) -> Vec<std::result::Result<(u64, String), String>> {
        let mut records = Records::with_limit(BufReader::with_capacity(3, text), 60);
        let mut found = Vec::new();
        loop {
            match records.next_record() {
                Ok(None) => return found,
                Ok(Some(raw)) => found.push(Ok((
                    raw.line,
                    String::from_utf8(raw.bytes.to_vec()).unwrap(),
                ))),
                Err(p) => found.push(Err(p.to_string())),
            }
        }
    }

    #[test]
    fn lines_with_bom_crlf_and_blank_lines() {
        let found = all(b"\xEF\xBB\xBF\r\n{\"a\":1}\r\n\r\n  {\"b\":\"}\"}");
        assert_eq!(
            found,
            [
                Ok((2, "{\"a\":1}".into())),
                Ok((4, "  {\"b\":\"}\"}".into()))
            ]
        );
    }

    #[test]
    fn an_array_with_brackets_and_escapes_in_strings() {
        let found = all(b"[\n {\"a\": \"]}\\\"{\"},\n{\"b\": [1,\n2]}\n]\n");
        assert_eq!(
            found,
            [
                Ok((2, "{\"a\": \"]}\\\"{\"}".into())),
                Ok((3, "{\"b\": [1,\n2]}".into()))
            ]
        );
        assert!(all(b"[]").is_empty());
        assert!(all(b" \n").is_empty());
    }

    #[test]
    fn damaged_files_name_their_line() {
        assert_eq!(
            all(b"[{\"a\":1},\n{\"b\":")[1],
            Err("line 2: the file ends inside this record".into())
        );
        assert_eq!(
            all(b"[{\"a\":1}\n")[1],
            Err("line 2: the file ends before the closing bracket of its array".into())
        );
        assert!(
            all(b"[{}, 3]")[1]
                .as_ref()
                .unwrap_err()
                .contains("found a number")
        );
        assert!(
            all(b"[{}] x")[1]
                .as_ref()
                .unwrap_err()
                .contains("text after")
        );
        assert!(all(b"[{} {}]")[1].as_ref().unwrap_err().contains("comma"));
        assert!(
            all(b"\"hello\"")[0]
                .as_ref()
                .unwrap_err()
                .contains("found text")
        );
        assert!(
            all(b"\xFF\xFE{")[0]
                .as_ref()
                .unwrap_err()
                .contains("UTF-16")
        );
    }

    #[test]
    fn a_refused_record_does_not_take_the_next_with_it() {
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(80));
        for text in [
            format!("{{}}\n{long}\n{{\"b\":2}}\n"),
            format!("[{{}},\n{long},\n{{\"b\":2}}]"),
        ] {
            let found = all(text.as_bytes());
            assert!(
                found[1]
                    .as_ref()
                    .unwrap_err()
                    .starts_with("line 2: the record is longer than 60 bytes")
            );
            assert_eq!(found[2], Ok((3, "{\"b\":2}".into())));
        }
        let found = all(b"{}\n{\"a\":\"\xC3\x28\"}\n[1]\n{\"b\":2}");
        assert!(
            found[1]
                .as_ref()
                .unwrap_err()
                .starts_with("line 2: not valid UTF-8")
        );
        assert!(found[2].as_ref().unwrap_err().contains("found an array"));
        assert_eq!(found[3], Ok((4, "{\"b\":2}".into())));
    }

    #[test]
    fn a_cut_off_line_is_told_by_its_line() {
        let raw = Raw {
            line: 7,
            bytes: b"{\"a\": 1",
        };
        assert_eq!(
            raw.parse().unwrap_err().to_string(),
            "line 7: the record is cut off before its closing bracket"
        );
        let raw = Raw {
            line: 7,
            bytes: b"{\"a\":\n nope}",
        };
        assert!(
            raw.parse()
                .unwrap_err()
                .to_string()
                .starts_with("line 8: not valid JSON")
        );
    }
}
