//! Reads a large JSON object member by member, so that wrapped records (`{"samples": [...]}`) need
//! memory for only one record.

use std::io::BufRead;

use serde_json::Value;

use super::json;
use super::source::{Rows, Tally, peek};
use crate::records::{RECORD_LIMIT, Raw, Record, Scan};
use benchtop_model::{Error, Result};

/// Iterates over the members of an object.
pub struct Object<R> {
    input: R,
    line: u64,
    first: bool,
    limit: usize,
}

impl<R: BufRead> Object<R> {
    /// Starts at the opening bracket of `input`.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] if it is not an object.
    pub fn new(mut input: R) -> Result<Object<R>> {
        let chunk = input
            .fill_buf()
            .map_err(|e| Error::new(benchtop_model::ErrorKind::Io, format!("cannot read: {e}")))?;
        let mark = if chunk.starts_with(b"\xEF\xBB\xBF") {
            3
        } else {
            0
        };
        input.consume(mark);
        let mut object = Object {
            input,
            line: 1,
            first: true,
            limit: RECORD_LIMIT,
        };
        object.expect(b'{', "expected a JSON object")?;
        Ok(object)
    }

    fn blank(&mut self) -> Result<Option<u8>> {
        while let Some(byte) = peek(&mut self.input)? {
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return Ok(Some(byte));
            }
            self.line += u64::from(byte == b'\n');
            self.input.consume(1);
        }
        Ok(None)
    }

    fn expect(&mut self, byte: u8, what: &str) -> Result<()> {
        match self.blank()? {
            Some(found) if found == byte => {
                self.input.consume(1);
                Ok(())
            }
            None => Err(Error::input("the file ends inside the object").line(self.line)),
            Some(_) => Err(Error::input(what).line(self.line)),
        }
    }

    /// The name of the next member; `None` after the last. The caller must then take or skip the
    /// value.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] with the line.
    pub fn next_name(&mut self) -> Result<Option<String>> {
        let begun = !std::mem::replace(&mut self.first, false);
        match self.blank()? {
            Some(b'}') => {
                self.input.consume(1);
                return Ok(None);
            }
            Some(b',') if begun => self.input.consume(1),
            _ => {}
        }
        if self.blank()? != Some(b'"') {
            return Err(Error::input("expected the name of a member").line(self.line));
        }
        let mut name = Vec::new();
        self.value(Some(&mut name))?;
        self.expect(b':', "expected a colon after the name of a member")?;
        self.blank()?;
        let line = self.line;
        serde_json::from_slice(&name)
            .map(Some)
            .map_err(|e| Error::input(format!("not valid JSON: {e}")).line(line))
    }

    /// Reads the value, of at most [`RECORD_LIMIT`] bytes.
    ///
    /// # Errors
    /// See [`next_name`](Self::next_name).
    pub fn take(&mut self) -> Result<Value> {
        let (line, mut bytes) = (self.line, Vec::new());
        self.value(Some(&mut bytes))?;
        serde_json::from_slice(&bytes).map_err(|e| {
            Raw {
                line,
                bytes: &bytes,
            }
            .problem(&e)
        })
    }

    /// Skips the value, which may be of any length.
    ///
    /// # Errors
    /// See [`next_name`](Self::next_name).
    pub fn skip(&mut self) -> Result<()> {
        self.value(None)
    }

    /// Enters the value if it is an array or object with this bracket. Returns whether it is.
    ///
    /// # Errors
    /// See [`next_name`](Self::next_name).
    pub fn enter(&mut self, bracket: u8) -> Result<bool> {
        let found = self.blank()? == Some(bracket);
        if found {
            self.input.consume(1);
            self.first = true;
        }
        Ok(found)
    }

    /// The next element of an entered array, with its line.
    ///
    /// # Errors
    /// See [`next_name`](Self::next_name).
    pub fn element(&mut self, tally: &mut Tally) -> Result<Option<(u64, Record)>> {
        let begun = !std::mem::replace(&mut self.first, false);
        match self.blank()? {
            Some(b']') => {
                self.input.consume(1);
                return Ok(None);
            }
            Some(b',') if begun => self.input.consume(1),
            _ => {}
        }
        self.blank()?;
        self.record(tally).map(Some)
    }

    /// The value as a record, with its line.
    ///
    /// # Errors
    /// See [`next_name`](Self::next_name).
    pub fn record(&mut self, tally: &mut Tally) -> Result<(u64, Record)> {
        let (line, mut bytes) = (self.line, Vec::new());
        self.value(Some(&mut bytes))?;
        Ok((
            line,
            json::lenient(
                Raw {
                    line,
                    bytes: &bytes,
                },
                tally,
            )?,
        ))
    }

    /// Passes over one value, copying its bytes to `keep`.
    fn value(&mut self, mut keep: Option<&mut Vec<u8>>) -> Result<()> {
        let first = self.blank()?;
        let begins = self.line;
        let cut = || Error::input("the file ends inside this record").line(begins);
        let mut scan = Scan::default();
        loop {
            let chunk = self.input.fill_buf().map_err(|e| {
                Error::new(benchtop_model::ErrorKind::Io, format!("cannot read: {e}"))
            })?;
            if chunk.is_empty() {
                return Err(cut());
            }
            let (used, done) = match first {
                Some(b'{' | b'[' | b'"') => scan.take(chunk),
                _ => match chunk
                    .iter()
                    .position(|b| matches!(b, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n'))
                {
                    Some(end) => (end, true),
                    None => (chunk.len(), false),
                },
            };
            if let Some(keep) = keep.as_deref_mut() {
                if keep.len() + used > self.limit {
                    return Err(Error::input(format!(
                        "the record is longer than {} bytes",
                        self.limit
                    ))
                    .line(begins));
                }
                keep.extend_from_slice(&chunk[..used]);
            }
            self.line += memchr::memchr_iter(b'\n', &chunk[..used]).count() as u64;
            self.input.consume(used);
            if done {
                return Ok(());
            }
        }
    }
}

/// The objects in an array that is a member of an object.
pub struct MemberRows<R> {
    object: Object<R>,
    member: &'static str,
    entered: bool,
    done: bool,
    tally: Tally,
}

impl<R: BufRead> MemberRows<R> {
    /// The rows in `member` of the object in `input`.
    ///
    /// # Errors
    /// See [`Object::new`].
    pub fn new(input: R, member: &'static str) -> Result<MemberRows<R>> {
        Ok(MemberRows {
            object: Object::new(input)?,
            member,
            entered: false,
            done: false,
            tally: Tally::default(),
        })
    }

    fn enter(&mut self) -> Result<bool> {
        while let Some(name) = self.object.next_name()? {
            if name == self.member && self.object.enter(b'[')? {
                return Ok(true);
            }
            self.object.skip()?;
        }
        Ok(false)
    }
}

impl<R: BufRead + Send> Rows for MemberRows<R> {
    fn next_row(&mut self) -> Result<Option<(u64, Record)>> {
        if self.done {
            return Ok(None);
        }
        // Errors end the file, unless a complete record was found.
        self.done = true;
        if !std::mem::replace(&mut self.entered, true) && !self.enter()? {
            return Err(Error::input("missing").field(self.member));
        }
        let row = self.object.element(&mut self.tally)?;
        self.done = row.is_none();
        Ok(row)
    }

    fn tally(&self) -> Tally {
        self.tally.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn members_and_records_are_streamed() {
        let text = "{\n\"a\\\"b\": \"x}]\\\\\", \"n\": -1.5e3, \"t\": true,\n \"rows\": [ {\"a\": \"}]\"},\n{\"b\": NaN} ], \"z\": {\"q\": [1]}}";
        let mut object = Object::new(BufReader::with_capacity(3, text.as_bytes())).unwrap();
        let mut names = Vec::new();
        while let Some(name) = object.next_name().unwrap() {
            names.push((
                name,
                object
                    .take()
                    .map(|v| v.to_string())
                    .unwrap_or_else(|p| p.to_string()),
            ));
        }
        assert_eq!(names[0], ("a\"b".into(), "\"x}]\\\\\"".into()));
        assert_eq!(names[1].1, "-1500.0");
        assert_eq!(names.len(), 5);

        let mut rows =
            MemberRows::new(BufReader::with_capacity(3, text.as_bytes()), "rows").unwrap();
        assert_eq!(rows.next_row().unwrap().unwrap().0, 3);
        assert_eq!(rows.next_row().unwrap().unwrap().0, 4);
        assert_eq!(rows.next_row().unwrap(), None);
        assert_eq!(rows.tally().notes().count(), 1);
        let mut rows = MemberRows::new(text.as_bytes(), "none").unwrap();
        let error = rows.next_row().unwrap_err();
        assert_eq!(error.place.field.as_deref(), Some("none"));
    }

    #[test]
    fn truncated_object_names_its_line() {
        let mut rows = MemberRows::new(&b"{\"rows\": [{\"a\": 1},\n{\"b\""[..], "rows").unwrap();
        rows.next_row().unwrap();
        assert_eq!(rows.next_row().unwrap_err().place.line, Some(2));
        assert_eq!(rows.next_row().unwrap(), None);
        assert!(Object::new(&b"[1]"[..]).is_err());
    }
}
