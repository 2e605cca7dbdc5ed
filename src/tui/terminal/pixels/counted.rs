//! Counts the bytes sent to a writer.

use std::io::{self, Write};

pub(super) struct Counted<'a> {
    out: &'a mut dyn Write,
    bytes: usize,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Runs `with` on `out` and returns the number of bytes.
pub(super) fn counted(
    out: &mut dyn Write,
    with: impl FnOnce(&mut Counted<'_>) -> io::Result<()>,
) -> io::Result<usize> {
    let mut counted = Counted { out, bytes: 0 };
    with(&mut counted)?;
    Ok(counted.bytes)
}
