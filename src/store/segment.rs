//! `imports/*.jsonl.zst`: the records of an import, never changed once written.
//!
//! A segment is a plain `.zst` file of JSON lines (`zstdcat` reads it), cut into frames of [`FRAME_ROWS`] lines so
//! that one record can be had without reading the rest. Every frame carries zstd's own content checksum.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::disk;
use crate::model::{Kind, Problem, Result};

/// Lines a frame: small enough to unpack one in a tenth of a millisecond, large enough to compress well.
pub const FRAME_ROWS: usize = 256;

/// zstd level: 3 packs these texts about a tenth smaller than 1 and still keeps up with parsing them.
const LEVEL: i32 = 3;

/// A frame may not unpack to more than this, whatever its header says.
const FRAME_LIMIT: usize = 512 << 20;

/// Where one frame lies in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// First byte.
    pub offset: u64,
    /// Packed length in bytes.
    pub length: u32,
}

/// A finished segment, not yet part of the project: [`super::manifest`] makes it so.
#[derive(Debug)]
pub struct Finished {
    /// Rows in it.
    pub rows: u64,
    /// Its frames.
    pub frames: Vec<Frame>,
    /// Bytes on disk.
    pub bytes: u64,
    /// blake3 of the file, in hex.
    pub blake3: String,
}

/// Writes a segment to a temporary name; dropped without [`finish`](Writer::finish), it leaves nothing.
pub struct Writer {
    temp: tempfile::NamedTempFile,
    out: BufWriter<File>,
    packer: zstd::bulk::Compressor<'static>,
    plain: Vec<u8>,
    in_frame: usize,
    rows: u64,
    frames: Vec<Frame>,
    offset: u64,
    hash: blake3::Hasher,
    dir: PathBuf,
}

impl Writer {
    /// Begins a segment in `dir`.
    ///
    /// # Errors
    /// The operating system's.
    pub fn create(dir: &Path) -> Result<Writer> {
        let fail = |e: std::io::Error| Problem::io(&e, "cannot be written", dir);
        let temp = tempfile::Builder::new().prefix(".tmp-").suffix(".jsonl.zst").tempfile_in(dir).map_err(fail)?;
        let out = BufWriter::with_capacity(1 << 20, temp.reopen().map_err(fail)?);
        let mut packer = zstd::bulk::Compressor::new(LEVEL).map_err(fail)?;
        packer.include_checksum(true).map_err(fail)?;
        Ok(Writer {
            temp,
            out,
            packer,
            plain: Vec::new(),
            in_frame: 0,
            rows: 0,
            frames: Vec::new(),
            offset: 0,
            hash: blake3::Hasher::new(),
            dir: dir.to_path_buf(),
        })
    }

    /// Adds one record as a JSON line.
    ///
    /// # Errors
    /// The operating system's.
    pub fn push<T: Serialize>(&mut self, record: &T) -> Result<()> {
        serde_json::to_writer(&mut self.plain, record)
            .map_err(|e| Problem::new(Kind::Io, format!("cannot be written: {e}")).file(&self.dir))?;
        self.plain.push(b'\n');
        self.in_frame += 1;
        self.rows += 1;
        if self.in_frame == FRAME_ROWS { self.flush_frame() } else { Ok(()) }
    }

    fn flush_frame(&mut self) -> Result<()> {
        if self.in_frame == 0 {
            return Ok(());
        }
        let fail = |e: std::io::Error| Problem::io(&e, "cannot be written", &self.dir);
        let packed = self.packer.compress(&self.plain).map_err(fail)?;
        self.out.write_all(&packed).map_err(fail)?;
        self.hash.update(&packed);
        let length = u32::try_from(packed.len())
            .map_err(|_| Problem::input("256 records pack to over 4 GiB").file(&self.dir))?;
        self.frames.push(Frame { offset: self.offset, length });
        self.offset += u64::from(length);
        self.plain.clear();
        self.in_frame = 0;
        Ok(())
    }

    /// Rows pushed so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Syncs the segment and gives it the name `file`.
    ///
    /// # Errors
    /// The operating system's; then nothing is left behind.
    pub fn finish(mut self, file: &str) -> Result<Finished> {
        self.flush_frame()?;
        let path = self.dir.join(file);
        let fail = |e: std::io::Error| Problem::io(&e, "cannot be written", &path);
        self.out.flush().map_err(fail)?;
        self.out.get_ref().sync_all().map_err(fail)?;
        self.temp.persist(&path).map_err(|e| fail(e.error))?;
        disk::sync_dir(&self.dir)?;
        Ok(Finished {
            rows: self.rows,
            frames: self.frames,
            bytes: self.offset,
            blake3: self.hash.finalize().to_hex().to_string(),
        })
    }
}

/// Reads frames of a segment by position; any number of threads may share it.
#[derive(Debug)]
pub struct Reader {
    path: PathBuf,
    file: File,
    frames: Vec<Frame>,
    rows: u64,
}

impl Reader {
    /// Opens the segment at `path` with the frames the index knows.
    ///
    /// # Errors
    /// The operating system's.
    pub fn open(path: &Path, frames: Vec<Frame>, rows: u64) -> Result<Reader> {
        let file = File::open(path).map_err(|e| Problem::io(&e, "cannot be opened", path))?;
        Ok(Reader { path: path.to_path_buf(), file, frames, rows })
    }

    /// Opens the segment at `path` and finds its frames by walking their headers, which is how an index is rebuilt.
    ///
    /// # Errors
    /// [`Kind::Corrupt`] when the file is not a chain of zstd frames.
    pub fn scan(path: &Path, rows: u64) -> Result<Reader> {
        let bytes = std::fs::read(path).map_err(|e| Problem::io(&e, "cannot be read", path))?;
        let mut frames = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let length = zstd::zstd_safe::find_frame_compressed_size(&bytes[at..])
                .map_err(|_| Problem::new(Kind::Corrupt, format!("no zstd frame at byte {at}")).file(path))?;
            let packed =
                u32::try_from(length).map_err(|_| Problem::new(Kind::Corrupt, "a frame of over 4 GiB").file(path))?;
            frames.push(Frame { offset: at as u64, length: packed });
            at += length;
        }
        if frames.len() as u64 != rows.div_ceil(FRAME_ROWS as u64) {
            let what = format!("{} frames for {rows} rows", frames.len());
            return Err(Problem::new(Kind::Corrupt, what).file(path));
        }
        Reader::open(path, frames, rows)
    }

    /// Rows in the segment.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The frames, as the index keeps them.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Unpacks frame `index`: its JSON lines.
    ///
    /// # Errors
    /// [`Kind::Corrupt`] when the frame does not match its checksum.
    pub fn frame(&self, index: usize) -> Result<Vec<u8>> {
        let corrupt = |what: String| Problem::new(Kind::Corrupt, what).file(&self.path);
        let frame = self.frames.get(index).ok_or_else(|| corrupt(format!("there is no frame {index}")))?;
        let mut packed = vec![0; frame.length as usize];
        self.file
            .read_exact_at(&mut packed, frame.offset)
            .map_err(|e| corrupt(format!("frame {index} cannot be read: {e}")))?;
        let size = zstd::zstd_safe::get_frame_content_size(&packed).ok().flatten().unwrap_or(0);
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        if size > FRAME_LIMIT {
            return Err(corrupt(format!("frame {index} claims to hold {size} bytes")));
        }
        zstd::bulk::decompress(&packed, size).map_err(|e| corrupt(format!("frame {index} is damaged: {e}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_read_back_by_frame_and_after_a_scan() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Writer::create(dir.path()).unwrap();
        for n in 0..600 {
            writer.push(&serde_json::json!({"n": n})).unwrap();
        }
        let done = writer.finish("0001.jsonl.zst").unwrap();
        let path = dir.path().join("0001.jsonl.zst");
        let reader = Reader::scan(&path, 600).unwrap();
        assert_eq!(reader.frames(), done.frames);
        let last = String::from_utf8(reader.frame(2).unwrap()).unwrap();
        assert_eq!(last.lines().count(), 600 - 512);
        assert_eq!(last.lines().next(), Some("{\"n\":512}"));
        assert_eq!(blake3::hash(&std::fs::read(path).unwrap()).to_hex().to_string(), done.blake3);
    }

    #[test]
    fn damage_is_noticed_and_an_unfinished_segment_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Writer::create(dir.path()).unwrap();
        writer.push(&serde_json::json!({"text": "some words ".repeat(40)})).unwrap();
        drop(writer);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let mut writer = Writer::create(dir.path()).unwrap();
        writer.push(&serde_json::json!({"text": "some words ".repeat(40)})).unwrap();
        let done = writer.finish("a").unwrap();
        let path = dir.path().join("a");
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.len() - 6;
        bytes[at] ^= 0x40;
        std::fs::write(&path, bytes).unwrap();
        let reader = Reader::open(&path, done.frames, 1).unwrap();
        assert_eq!(reader.frame(0).unwrap_err().kind, Kind::Corrupt);
    }
}
