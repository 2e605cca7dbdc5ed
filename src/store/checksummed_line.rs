//! JSON lines with their own checksum: `{...,"crc":"1a2b3c4d"}`.
//!
//! The checksum is the CRC-32 of the bytes before `,"crc":`. Any tool can verify a line, and a torn
//! or edited line is detected.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use benchtop_model::{Error, Result};

const MARK: &[u8] = b",\"crc\":\"";
/// `,"crc":"xxxxxxxx"}`.
const TAIL: usize = MARK.len() + 8 + 2;

/// Appends `value` as one checksummed line with a newline. `value` must serialize as a non-empty
/// object.
///
/// # Errors
/// [`Error::failed`] if serialization fails.
pub fn encode<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    serde_json::to_writer(&mut *out, value)
        .map_err(|e| Error::failed(format!("cannot be written: {e}")))?;
    out.pop(); // the closing brace, written again below
    let crc = crc32fast::hash(&out[start..]);
    out.extend_from_slice(MARK);
    out.extend_from_slice(format!("{crc:08x}\"}}\n").as_bytes());
    Ok(())
}

/// Parses one line, with or without its newline.
///
/// # Errors
/// [`Error::corrupt`] if the checksum is missing or wrong, or if the fields do not match `T`.
pub fn decode<'l, T: Deserialize<'l>>(line: &'l [u8]) -> Result<T> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let corrupt = |what: &str| Error::corrupt(what.to_string());
    let body = line
        .len()
        .checked_sub(TAIL)
        .ok_or_else(|| corrupt("the line is truncated"))?;
    let (body, tail) = line.split_at(body);
    if !tail.starts_with(MARK) || !tail.ends_with(b"\"}") {
        return Err(corrupt("the line has no checksum"));
    }
    if &tail[MARK.len()..MARK.len() + 8] != format!("{:08x}", crc32fast::hash(body)).as_bytes() {
        return Err(corrupt("the line does not match its checksum"));
    }
    serde_json::from_slice(line).map_err(|e| Error::corrupt(format!("cannot parse the line: {e}")))
}

/// All lines of a file: the valid ones, and the errors of the others.
#[derive(Debug)]
pub struct Lines<T> {
    /// Valid lines with their line number, from 1.
    pub good: Vec<(u64, T)>,
    /// Damaged lines: line number and reason. Each ends in a newline, so it was acknowledged.
    pub bad: Vec<(u64, Error)>,
    /// Offset of a torn last line. Appending must start here.
    pub torn_at: Option<u64>,
}

pub fn read_all<T: DeserializeOwned>(bytes: &[u8]) -> Lines<T> {
    let mut lines = Lines {
        good: Vec::new(),
        bad: Vec::new(),
        torn_at: None,
    };
    lines.torn_at = each(bytes, &mut |_, number, value| match value {
        Ok(value) => lines.good.push((number, value)),
        Err(problem) => lines.bad.push((number, problem)),
    });
    lines
}

/// Calls `take` with the offset, number (from 1), and content of each line of `bytes` that ends in
/// a newline. Returns the offset of a torn last line.
///
/// The newline is the last byte of a synced write. A line without one was never acknowledged. A
/// line with one was, so a wrong checksum is damage, even on the last line.
pub fn each<'b, T: Deserialize<'b>>(
    bytes: &'b [u8],
    take: &mut dyn FnMut(u64, u64, Result<T>),
) -> Option<u64> {
    let mut at = 0;
    let mut number = 0;
    while at < bytes.len() {
        number += 1;
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |i| at + i + 1);
        if bytes[end - 1] != b'\n' {
            return Some(at as u64);
        }
        take(at as u64, number, decode(&bytes[at..end]));
        at = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Row {
        n: u32,
        text: String,
    }

    fn three() -> Vec<u8> {
        let mut bytes = Vec::new();
        for n in 0..3 {
            encode(
                &Row {
                    n,
                    text: "a \"crc\" b".into(),
                },
                &mut bytes,
            )
            .unwrap();
        }
        bytes
    }

    #[test]
    fn lines_read_back() {
        let lines = read_all::<Row>(&three());
        assert_eq!(lines.good.len(), 3);
        assert!(lines.bad.is_empty() && lines.torn_at.is_none());
    }

    #[test]
    fn every_cut_loses_only_the_line_it_cuts() {
        let bytes = three();
        let line = bytes.len() / 3;
        for cut in 0..bytes.len() {
            let lines = read_all::<Row>(&bytes[..cut]);
            assert_eq!(lines.good.len(), cut / line, "cut at {cut}");
            let torn = (cut % line != 0).then_some((cut - cut % line) as u64);
            assert_eq!(lines.torn_at, torn, "cut at {cut}");
        }
    }

    #[test]
    fn a_damaged_last_line_with_a_newline_is_not_torn() {
        let bytes = three();
        let last = bytes.len() / 3 * 2;
        for at in last..bytes.len() - 1 {
            let mut bad = bytes.clone();
            // A flipped newline would split the line in two.
            bad[at] ^= 0x80;
            let lines = read_all::<Row>(&bad);
            let numbers: Vec<u64> = lines.bad.iter().map(|(number, _)| *number).collect();
            assert_eq!(
                (lines.good.len(), numbers, lines.torn_at),
                (2, vec![3], None),
                "byte {at}"
            );
        }
    }

    #[test]
    fn every_flipped_bit_is_detected() {
        let bytes = three();
        let middle = bytes.len() / 3..2 * bytes.len() / 3 - 1;
        for at in middle {
            for bit in 0..8 {
                let mut bad = bytes.clone();
                bad[at] ^= 1 << bit;
                let lines = read_all::<Row>(&bad);
                let intact = lines.good.iter().any(|(_, row)| row.n == 1);
                assert!(!intact, "bit {bit} of byte {at} went unnoticed");
            }
        }
    }
}
