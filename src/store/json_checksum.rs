//! JSON files with their own checksum as the last member, `"crc": "1a2b3c4d"`: the CRC-32 of all
//! bytes before the comma in front of it. Files of earlier versions have no checksum and are still
//! read.

const MARK: &[u8] = b",\n  \"crc\": \"";
const END: &[u8] = b"\"\n}\n";
/// Number of bytes from the comma on.
const TAIL: usize = MARK.len() + 8 + END.len();

/// Result of the checksum test of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    Valid,
    Wrong,
    Missing,
}

/// Adds a checksum to the bytes of a JSON object. Anything else is returned unchanged.
pub fn add(json: &[u8]) -> Vec<u8> {
    let trimmed = json.trim_ascii_end();
    let Some(body) = trimmed
        .strip_suffix(b"}")
        .map(<[u8]>::trim_ascii_end)
        .filter(|body| body.len() > 1)
    else {
        return json.to_vec();
    };
    let mut out = body.to_vec();
    let crc = format!("{:08x}", crc32fast::hash(body));
    [MARK, crc.as_bytes(), END]
        .iter()
        .for_each(|part| out.extend_from_slice(part));
    out
}

/// Returns the JSON without its checksum, and the result of the checksum test.
pub fn split(bytes: &[u8]) -> (Vec<u8>, Checksum) {
    let Some((body, tail)) = bytes.len().checked_sub(TAIL).map(|at| bytes.split_at(at)) else {
        return (bytes.to_vec(), Checksum::Missing);
    };
    if tail.starts_with(MARK) && tail.ends_with(END) {
        let whole = &tail[MARK.len()..MARK.len() + 8]
            == format!("{:08x}", crc32fast::hash(body)).as_bytes();
        return (
            [body, b"\n}\n"].concat(),
            if whole {
                Checksum::Valid
            } else {
                Checksum::Wrong
            },
        );
    }
    // An editor may have moved the checksum.
    let moved = memchr::memmem::rfind(bytes, b"\"crc\"").is_some_and(|at| at + 40 > bytes.len());
    (
        bytes.to_vec(),
        if moved {
            Checksum::Wrong
        } else {
            Checksum::Missing
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_makes_the_checksum_invalid() {
        let json = b"{\n  \"a\": 1,\n  \"b\": [\n    2\n  ]\n}";
        let checked = add(json);
        let value = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).unwrap();
        assert_eq!(split(&checked).1, Checksum::Valid);
        assert_eq!(value(&split(&checked).0), value(json));
        assert_eq!(value(&checked)["a"], 1, "an earlier version reads it too");
        for at in 0..checked.len() {
            for bit in 0..8 {
                let mut bad = checked.clone();
                bad[at] ^= 1 << bit;
                assert_ne!(split(&bad).1, Checksum::Valid, "bit {bit} of byte {at}");
            }
        }
        assert_eq!(split(json).1, Checksum::Missing);
        assert_eq!(add(b"[1]"), b"[1]");
        assert_eq!(
            split(&add(b"{}")).1,
            Checksum::Missing,
            "an empty object has no place for it"
        );
    }
}
