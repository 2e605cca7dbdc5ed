//! Reads records from JSON Lines or a JSON array in constant memory.

use std::io::{self, BufRead};

use serde_json::{Map, Value};

use benchtop_model::{Error, ErrorKind, Result};

/// Maximum size of a record in bytes (16 MiB). A longer record is an error with its line.
pub const RECORD_LIMIT: usize = 16 << 20;

/// A record's fields, in order.
pub type Record = Map<String, Value>;

/// The text in a field.
pub(crate) fn text_in<'r>(record: &'r Record, name: &str) -> Option<&'r str> {
    record.get(name).and_then(Value::as_str)
}

/// The list in a field; empty if there is none.
pub(crate) fn list_in<'r>(record: &'r Record, name: &str) -> &'r [Value] {
    let list = record.get(name).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

/// The layout of a file's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One object per line.
    Lines,
    /// One array of objects.
    Array,
}

/// The raw text of a record.
#[derive(Clone, Copy, Debug)]
pub struct Raw<'a> {
    /// The line on which it begins, from 1.
    pub line: u64,
    /// The bytes, valid UTF-8, from `{` to `}` unless the file is damaged.
    pub bytes: &'a [u8],
}

impl Raw<'_> {
    /// Parses the record.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] with the line on which the JSON is invalid.
    pub fn parse(self) -> Result<Record> {
        serde_json::from_slice(self.bytes).map_err(|e| self.problem(&e))
    }

    /// Converts a JSON error to one with the file's line and the field.
    pub fn problem(self, err: &serde_json::Error) -> Error {
        let text = err.to_string();
        let text = text.split(" at line ").next().unwrap_or_default();
        let line = self.line + (err.line().max(1) as u64 - 1);
        if err.is_eof() {
            return Error::input("the record is truncated before its closing bracket").line(line);
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

/// The reader's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start,
    Line,
    /// In a rejected line, the rest of which is skipped.
    DropLine,
    /// Before the first element of an array.
    First,
    /// After an element of an array.
    After,
    /// In a rejected element, the rest of which is skipped.
    DropElement(Scan),
    Done,
}

/// Finds the end of an object, array, or string: brackets count outside strings, and a backslash
/// escapes the next byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Scan {
    depth: u32,
    string: bool,
    escape: bool,
}

impl Scan {
    /// Number of bytes of `chunk` that belong to the element, and whether it ends there.
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
                        if !self.string && self.depth == 0 {
                            return (at, true);
                        }
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

/// Reads records from JSON Lines or one array of objects, distinguished by the first byte.
///
/// Memory holds one record. After an error in a record (too long, invalid UTF-8, not an object),
/// reading continues with the next record. An error of the file (truncated, wrong type, I/O) ends
/// it.
pub struct Records<R> {
    input: R,
    state: State,
    shape: Shape,
    line: u64,
    limit: usize,
    buffer: Vec<u8>,
}

impl<R: BufRead> Records<R> {
    /// Creates a reader with the default [`RECORD_LIMIT`].
    pub fn new(input: R) -> Self {
        Self::with_limit(input, RECORD_LIMIT)
    }

    /// Creates a reader that rejects records longer than `limit` bytes.
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

    /// The layout. Known after the first record was requested.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The next record, or `None` at the end.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] with the line: a record over the limit, invalid UTF-8, a truncated
    /// array, or anything but an object. [`ErrorKind::Io`] if reading fails. The caller adds the
    /// file name.
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

    /// Skips white space, counting lines. Returns the next byte.
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

    /// Reads the next record into the buffer. Returns its line.
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
                    return Err(Error::input("the file is encoded as UTF-16")
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
                "expected an array of objects or one object per line, found {}",
                kind_of_byte(other)
            ))
            .line(self.line)),
        }
    }

    /// Skips the rest of a rejected record.
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
            "split the record, or check that the file has one JSON object per line or an array of objects",
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
                    let what = format!(
                        "expected one object per line, found {}",
                        kind_of_byte(other)
                    );
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

/// The available bytes; empty at the end.
fn fill<R: BufRead>(input: &mut R, line: u64) -> Result<&[u8]> {
    while let Err(e) = input.fill_buf() {
        if e.kind() != io::ErrorKind::Interrupted {
            return Err(Error::new(ErrorKind::Io, format!("cannot read: {e}")).line(line));
        }
    }
    // Called again because a loop cannot return what it borrows. The buffer is full by now.
    input
        .fill_buf()
        .map_err(|e| Error::new(ErrorKind::Io, format!("cannot read: {e}")).line(line))
}

/// The JSON type of a value that starts with `byte`.
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

    /// Reads all records and errors through a buffer so small that every boundary is crossed.
    fn all(text: &[u8]) -> Vec<std::result::Result<(u64, String), Error>> {
        let mut records = Records::with_limit(BufReader::with_capacity(3, text), 60);
        let mut found = Vec::new();
        loop {
            match records.next_record() {
                Ok(None) => return found,
                Ok(Some(raw)) => found.push(Ok((
                    raw.line,
                    String::from_utf8(raw.bytes.to_vec()).unwrap(),
                ))),
                Err(error) => found.push(Err(error)),
            }
        }
    }

    #[test]
    fn lines_with_bom_crlf_and_blank_lines_are_read() {
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
    fn array_with_brackets_and_escapes_in_strings_is_read() {
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
    fn damaged_files_name_the_line() {
        let error_line = |text: &[u8], at: usize| {
            let error = all(text).remove(at).unwrap_err();
            (error.kind, error.place.line)
        };
        for (text, at, line) in [
            (&b"[{\"a\":1},\n{\"b\":"[..], 1, 2),
            (b"[{\"a\":1}\n", 1, 2),
            (b"[{}, 3]", 1, 1),
            (b"[{}] x", 1, 1),
            (b"[{} {}]", 1, 1),
            (b"\"hello\"", 0, 1),
            (b"\xFF\xFE{", 0, 1),
        ] {
            let expected = (ErrorKind::Input, Some(line));
            assert_eq!(error_line(text, at), expected, "{text:?}");
        }
    }

    #[test]
    fn reading_continues_after_a_rejected_record() {
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(80));
        for text in [
            format!("{{}}\n{long}\n{{\"b\":2}}\n"),
            format!("[{{}},\n{long},\n{{\"b\":2}}]"),
        ] {
            let found = all(text.as_bytes());
            let error = found[1].as_ref().unwrap_err();
            assert_eq!(error.place.line, Some(2));
            assert!(error.what.contains("60 bytes"), "{error}");
            assert_eq!(found[2], Ok((3, "{\"b\":2}".into())));
        }
        let found = all(b"{}\n{\"a\":\"\xC3\x28\"}\n[1]\n{\"b\":2}");
        let line = |at: usize| found[at].as_ref().unwrap_err().place.line;
        assert_eq!((line(1), line(2)), (Some(2), Some(3)));
        assert_eq!(found[3], Ok((4, "{\"b\":2}".into())));
    }

    #[test]
    fn truncated_record_names_the_line() {
        let raw = Raw {
            line: 7,
            bytes: b"{\"a\": 1",
        };
        assert_eq!(raw.parse().unwrap_err().place.line, Some(7));
        let raw = Raw {
            line: 7,
            bytes: b"{\"a\":\n nope}",
        };
        assert_eq!(raw.parse().unwrap_err().place.line, Some(8));
    }
}
