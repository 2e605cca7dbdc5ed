//! The output: a buffer that counts bytes and holds a frame back until it is complete.
//!
//! A frame is buffered and leaves in a few writes between DEC 2026 marks, so that it appears at
//! once.

use std::io::{self, Write};

/// Buffer size in bytes, larger than any frame of cells.
const BUFFER: usize = 256 * 1024;

pub(super) const BEGIN: &[u8] = b"\x1b[?2026h";
pub(super) const END: &[u8] = b"\x1b[?2026l";

/// A buffered writer that counts bytes and can hold a frame back until it is complete.
#[derive(Debug)]
pub struct Output<W: Write> {
    inner: W,
    buffer: Vec<u8>,
    in_frame: bool,
    frame: u64,
    total: u64,
}

impl<W: Write> Output<W> {
    /// Buffers output to `inner`.
    pub fn new(inner: W) -> Self {
        Output {
            inner,
            buffer: Vec::with_capacity(BUFFER),
            in_frame: false,
            frame: 0,
            total: 0,
        }
    }

    /// Starts a frame. Buffered output is written first.
    ///
    /// # Errors
    ///
    /// If `inner` cannot be written to.
    pub fn begin_frame(&mut self) -> io::Result<()> {
        self.flush()?;
        self.in_frame = true;
        self.frame = 0;
        Ok(())
    }

    /// Ends the frame and writes it. Returns its size including marks, or 0 if there was nothing to
    /// write.
    ///
    /// # Errors
    ///
    /// If `inner` cannot be written to.
    pub fn end_frame(&mut self) -> io::Result<u64> {
        self.in_frame = false;
        if self.frame > 0 {
            self.write_all(END)?;
        }
        self.flush()?;
        let bytes = self.frame;
        self.frame = 0;
        Ok(bytes)
    }

    /// Bytes written since the start.
    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn inner_mut(&mut self) -> &mut W {
        &mut self.inner
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.buffer.len() + bytes.len() > BUFFER {
            self.spill()?;
        }
        self.count(bytes.len());
        if bytes.len() > BUFFER {
            return self.inner.write_all(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn count(&mut self, bytes: usize) {
        self.frame += bytes as u64;
        self.total += bytes as u64;
    }

    fn spill(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let result = self.inner.write_all(&self.buffer);
        // After a failed write the line is gone. Repeating half a frame would garble the screen.
        self.buffer.clear();
        result
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.in_frame && self.frame == 0 && !bytes.is_empty() {
            self.put(BEGIN)?;
        }
        self.put(bytes)?;
        Ok(bytes.len())
    }

    /// Writes everything, even in the middle of a frame.
    fn flush(&mut self) -> io::Result<()> {
        self.spill()?;
        self.inner.flush()
    }
}
