//! Reads JSON records as Python writes them: bare `NaN` and `Infinity` are read as null and
//! counted.

use std::io::BufRead;

use super::source::{Rows, Tally};
use crate::records::{Raw, Record, Records};
use benchtop_model::Result;

const NAN: &str = "bare NaN or Infinity values (invalid JSON), read as missing";

/// The records of an array or of lines.
pub struct JsonRows<R> {
    records: Records<R>,
    tally: Tally,
}

impl<R: BufRead> JsonRows<R> {
    pub fn new(input: R) -> JsonRows<R> {
        JsonRows {
            records: Records::new(input),
            tally: Tally::default(),
        }
    }
}

impl<R: BufRead + Send> Rows for JsonRows<R> {
    fn next_row(&mut self) -> Result<Option<(u64, Record)>> {
        let Some(raw) = self.records.next_record()? else {
            return Ok(None);
        };
        let line = raw.line;
        Ok(Some((line, lenient(raw, &mut self.tally)?)))
    }

    fn tally(&self) -> Tally {
        self.tally.clone()
    }
}

/// Parses a record. If bare `NaN`s are its only error, they are read as null.
///
/// # Errors
/// See [`Raw::parse`].
pub fn lenient(raw: Raw<'_>, tally: &mut Tally) -> Result<Record> {
    raw.parse().or_else(|problem| {
        let (bytes, found) = without_nan(raw.bytes);
        if found == 0 {
            return Err(problem);
        }
        let record = Raw {
            line: raw.line,
            bytes: &bytes,
        }
        .parse()?;
        tally.many(NAN, found);
        Ok(record)
    })
}

/// Replaces `NaN`, `Infinity`, and `-Infinity` outside strings by `null`. Also returns their
/// number.
fn without_nan(bytes: &[u8]) -> (Vec<u8>, u64) {
    let (mut out, mut found, mut at) = (Vec::with_capacity(bytes.len()), 0, 0);
    let (mut string, mut escape) = (false, false);
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let word = [&b"-Infinity"[..], b"Infinity", b"NaN"]
            .into_iter()
            .find(|w| !string && rest.starts_with(w));
        if let Some(word) = word {
            out.extend_from_slice(b"null");
            found += 1;
            at += word.len();
            continue;
        }
        if escape {
            escape = false;
        } else if byte == b'\\' {
            escape = string;
        } else if byte == b'"' {
            string = !string;
        }
        out.push(byte);
        at += 1;
    }
    (out, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_nan_is_counted_as_missing() {
        let mut rows = JsonRows::new(
            &b"[{\"a\": NaN, \"b\": \"NaN \\\" NaN\", \"c\": [-Infinity]}, {\"a\": NaNa}]"[..],
        );
        let (_, row) = rows.next_row().unwrap().unwrap();
        assert_eq!(
            serde_json::to_string(&row).unwrap(),
            "{\"a\":null,\"b\":\"NaN \\\" NaN\",\"c\":[null]}"
        );
        assert_eq!(rows.tally().notes().count(), 1);
        assert!(rows.next_row().is_err());
    }
}
