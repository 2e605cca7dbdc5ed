//! Repairs and parses manifest lines with a wrong checksum.

use crate::manifest::Entry;

const MARK: &[u8] = b",\"crc\":\"";
/// `,"crc":"xxxxxxxx"}`.
const TAIL: usize = MARK.len() + 8 + 2;

/// The CRC-32 of each byte, for zlib's reflected polynomial.
fn table() -> [u32; 256] {
    std::array::from_fn(|byte| {
        (0..8).fold(byte as u32, |crc, _| {
            if crc & 1 == 1 {
                crc >> 1 ^ 0xedb8_8320
            } else {
                crc >> 1
            }
        })
    })
}

/// The line before one of its bits flipped, or `None` if no single bit explains its checksum.
///
/// CRC is linear: flipping a bit changes it by a value that depends only on the distance to the
/// end. So all bits can be tried in one pass over the line.
pub(super) fn repair(line: &[u8]) -> Option<Vec<u8>> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let (body, tail) = line.split_at_checked(line.len().checked_sub(TAIL)?)?;
    let correct_tail = format!(
        "{}{:08x}\"}}",
        String::from_utf8_lossy(MARK),
        crc32fast::hash(body)
    )
    .into_bytes();
    let bits: u32 = correct_tail
        .iter()
        .zip(tail)
        .map(|(a, b)| (a ^ b).count_ones())
        .sum();
    if bits == 1 {
        return Some([body, &correct_tail[..]].concat());
    }
    if !tail.starts_with(MARK) || !tail.ends_with(b"\"}") {
        return None;
    }
    let stored = std::str::from_utf8(&tail[MARK.len()..MARK.len() + 8]).ok()?;
    let difference = crc32fast::hash(body) ^ u32::from_str_radix(stored, 16).ok()?;
    let table = table();
    let mut changes: [u32; 8] = std::array::from_fn(|bit| table[1 << bit]);
    for at in (0..body.len()).rev() {
        if let Some(bit) = changes.iter().position(|change| *change == difference) {
            let mut repaired = line.to_vec();
            repaired[at] ^= 1 << bit;
            return Some(repaired);
        }
        changes = changes.map(|change| change >> 8 ^ table[(change & 0xff) as usize]);
    }
    None
}

/// The imports that a line names, as far as it is valid JSON. A damaged newline joins two lines.
pub(super) fn without_checksum(line: &[u8]) -> Vec<Entry> {
    let starts = memchr::memmem::find_iter(line, b"{\"v\":");
    let read = |at: usize| {
        serde_json::Deserializer::from_slice(&line[at..])
            .into_iter::<Entry>()
            .next()?
            .ok()
    };
    starts
        .filter_map(read)
        .filter(|entry| entry.v == 1)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checksummed_line;

    #[test]
    fn a_single_flipped_bit_is_repaired() {
        let entry = Entry {
            v: 1,
            n: 3,
            at: "2026-01-01T00:00:00Z".into(),
            parts: Vec::new(),
        };
        let mut whole = Vec::new();
        checksummed_line::encode(&entry, &mut whole).unwrap();
        for at in 0..whole.len() - 1 {
            for bit in 0..8 {
                let mut bad = whole.clone();
                bad[at] ^= 1 << bit;
                if checksummed_line::decode::<Entry>(&bad).is_err() && bad[at] != b'\n' {
                    let repaired = repair(&bad).unwrap_or_else(|| panic!("bit {bit} of byte {at}"));
                    assert_eq!(
                        checksummed_line::decode::<Entry>(&repaired).unwrap(),
                        entry,
                        "bit {bit} of byte {at}"
                    );
                }
            }
        }
        let mut bad = whole;
        (bad[20], bad[30]) = (bad[20] ^ 1, bad[30] ^ 4);
        assert!(repair(&bad).is_none_or(|line| checksummed_line::decode::<Entry>(&line).is_err()));
    }

    #[test]
    fn entries_are_read_from_the_valid_json_of_a_line() {
        let text = b"\x7f\x00{\"v\":1,\"n\":4,\"at\":\"x\",\"parts\":[],\"crc\":\"00000000\"}\x0b{\"v\":1,\"n\":5,\"at\":\"y\",\"parts\":[]}";
        let numbers: Vec<u64> = without_checksum(text).iter().map(|e| e.n).collect();
        assert_eq!(numbers, [4, 5]);
        assert!(without_checksum(b"{\"v\":1,\"n\":\"x\"}").is_empty());
    }
}
