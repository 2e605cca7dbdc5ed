//! Binary rows with a CRC-32 at their end.

/// Number of bytes of the checksum.
pub const CHECKSUM: usize = 4;

/// Adds the checksum of the row that begins at `start`.
pub fn end(out: &mut Vec<u8>, start: usize) {
    let crc = crc32fast::hash(&out[start..]);
    out.extend_from_slice(&crc.to_le_bytes());
}

/// The row without its checksum; `None` if they do not match.
pub fn body(row: &[u8]) -> Option<&[u8]> {
    let (body, crc) = row.split_at_checked(row.len().checked_sub(CHECKSUM)?)?;
    (crc32fast::hash(body).to_le_bytes() == crc).then_some(body)
}
