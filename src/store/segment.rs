//! `imports/*.jsonl.zst`: the records of an import. A segment never changes after it is written.
//!
//! A segment is a plain `.zst` file of JSON lines that `zstdcat` can read. It consists of frames of
//! [`FRAME_ROWS`] lines, so that a record can be read without the rest of the file. Each frame has
//! zstd's own content checksum.

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::manifest;
use benchtop_files::{disk, regular};
use benchtop_model::{Error, Result};

/// Lines per frame. A page of scattered rows unpacks one frame per row, so frames are small.
/// Smaller frames compress worse.
pub const FRAME_ROWS: usize = 64;

/// Lines per frame in segments of earlier versions. Any two sizes give different numbers of frames,
/// unless the rows fit in one frame of either size, so a segment need not store its size.
const OLDER_FRAME_ROWS: [usize; 1] = [256];

/// zstd level. Level 3 packs these texts about 10 % smaller than level 1, and is still as fast as
/// JSON parsing.
const LEVEL: i32 = 3;

/// Maximum unpacked size of a frame, whatever its header says.
const FRAME_LIMIT: usize = 512 << 20;

/// Maximum number of segments that stay open. A project may have more of them than a process may
/// open files; further ones are opened for each frame.
const KEPT_OPEN: usize = 64;

/// Number of segments that are open.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// The file of a segment that stays open.
#[derive(Debug)]
struct OpenFile(File);

impl OpenFile {
    /// Keeps a file open, unless too many are.
    fn keep(file: File) -> Option<OpenFile> {
        let free = |open| (open < KEPT_OPEN).then_some(open + 1);
        let is_free = OPEN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, free);
        is_free.is_ok().then(|| OpenFile(file))
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        OPEN.fetch_sub(1, Ordering::Relaxed);
    }
}

thread_local! {
    /// Reused for all frames, because its setup takes about as long as a small frame.
    static UNPACKER: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Location of a frame in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// Offset of the first byte.
    pub offset: u64,
    /// Compressed length in bytes.
    pub length: u32,
}

/// A finished segment. It is not part of the project before it is in the [`super::manifest`].
#[derive(Debug)]
pub struct Finished {
    pub rows: u64,
    pub frames: Vec<Frame>,
    /// Size on disk in bytes.
    pub bytes: u64,
    /// blake3 hash of the file, in hex.
    pub blake3: String,
}

/// Writes a segment to a temporary file. If it is dropped without [`finish`](Writer::finish), the
/// file is removed.
pub struct Writer {
    out: BufWriter<NamedTempFile>,
    packer: zstd::bulk::Compressor<'static>,
    plain: Vec<u8>,
    in_frame: usize,
    frame_rows: usize,
    /// Number of rows so far.
    pub rows: u64,
    frames: Vec<Frame>,
    offset: u64,
    hash: blake3::Hasher,
    dir: PathBuf,
}

impl Writer {
    /// Starts a segment in `dir`.
    pub fn create(dir: &Path) -> Result<Writer> {
        let fail = |e: std::io::Error| Error::io(&e, "cannot be written", dir);
        let temp = tempfile::Builder::new()
            .prefix(".tmp-")
            .suffix(".jsonl.zst")
            .tempfile_in(dir)
            .map_err(fail)?;
        let mut packer = zstd::bulk::Compressor::new(LEVEL).map_err(fail)?;
        packer.include_checksum(true).map_err(fail)?;
        Ok(Writer {
            out: BufWriter::with_capacity(1 << 20, temp),
            packer,
            plain: Vec::new(),
            in_frame: 0,
            frame_rows: FRAME_ROWS,
            rows: 0,
            frames: Vec::new(),
            offset: 0,
            hash: blake3::Hasher::new(),
            dir: dir.to_path_buf(),
        })
    }

    /// Adds a record as a JSON line.
    pub fn push<T: Serialize>(&mut self, record: &T) -> Result<()> {
        serde_json::to_writer(&mut self.plain, record).map_err(|e| {
            Error::failed(format!("cannot serialize the record: {e}")).file(&self.dir)
        })?;
        self.plain.push(b'\n');
        self.in_frame += 1;
        self.rows += 1;
        if self.in_frame == self.frame_rows {
            self.flush_frame()
        } else {
            Ok(())
        }
    }

    fn flush_frame(&mut self) -> Result<()> {
        if self.in_frame == 0 {
            return Ok(());
        }
        let fail = |e: std::io::Error| Error::io(&e, "cannot be written", &self.dir);
        let packed = self.packer.compress(&self.plain).map_err(fail)?;
        self.out.write_all(&packed).map_err(fail)?;
        self.hash.update(&packed);
        let length = u32::try_from(packed.len()).map_err(|_| {
            Error::input("the records of one frame exceed 4 GiB after compression").file(&self.dir)
        })?;
        self.frames.push(Frame {
            offset: self.offset,
            length,
        });
        let synced = self.offset / disk::SYNCED as u64;
        self.offset += u64::from(length);
        if self.offset / disk::SYNCED as u64 > synced {
            self.out
                .flush()
                .and_then(|()| self.out.get_ref().as_file().sync_data())
                .map_err(fail)?;
        }
        self.plain.clear();
        self.in_frame = 0;
        Ok(())
    }

    /// Uses another frame size, as earlier versions did.
    #[cfg(test)]
    pub(crate) fn in_frames_of(self, frame_rows: usize) -> Writer {
        Writer { frame_rows, ..self }
    }

    /// Syncs the segment and renames it to `file`, which must not exist. A marker file records the
    /// import as unfinished until the manifest names the segment.
    ///
    /// # Errors
    /// [`Error::conflict`] if `file` exists. No file is left behind on an error.
    pub fn finish(mut self, file: &str) -> Result<Finished> {
        self.flush_frame()?;
        let path = self.dir.join(file);
        let fail = |e: std::io::Error| Error::io(&e, "cannot be written", &path);
        let temp = self.out.into_inner().map_err(|e| fail(e.into_error()))?;
        temp.as_file().sync_all().map_err(fail)?;
        manifest::begin(&self.dir, file)?;
        temp.persist_noclobber(&path).map_err(|e| match e.error.kind() {
            std::io::ErrorKind::AlreadyExists => Error::conflict("a segment with this name already exists")
                .file(&path)
                .help("segments are never overwritten; run `benchtop recover` to see whether it is part of the project"),
            _ => fail(e.error),
        })?;
        disk::sync_dir(&self.dir)?;
        Ok(Finished {
            rows: self.rows,
            frames: self.frames,
            bytes: self.offset,
            blake3: self.hash.finalize().to_hex().to_string(),
        })
    }
}

/// Reads frames of a segment. Threads can share a reader.
#[derive(Debug)]
pub struct Reader {
    pub path: PathBuf,
    file: Option<OpenFile>,
    pub frames: Vec<Frame>,
    pub rows: u64,
    /// Rows in each frame except the last.
    pub frame_rows: usize,
}

impl Reader {
    /// Opens the segment at `path` with frames from the index.
    ///
    /// # Errors
    /// [`Error::corrupt`] if the number of frames does not match the number of rows.
    pub fn open(path: &Path, frames: Vec<Frame>, rows: u64) -> Result<Reader> {
        let fits = |size: &usize| frames.len() as u64 == rows.div_ceil(*size as u64);
        let frame_rows = [FRAME_ROWS]
            .into_iter()
            .chain(OLDER_FRAME_ROWS)
            .find(fits)
            .ok_or_else(|| {
                Error::corrupt(format!(
                    "the segment has {} frames, which does not match {rows} rows",
                    frames.len()
                ))
                .file(path)
            })?;
        let file = regular::open(path, OpenOptions::new().read(true))?;
        Ok(Reader {
            path: path.to_path_buf(),
            file: OpenFile::keep(file),
            frames,
            rows,
            frame_rows,
        })
    }

    /// Opens the segment at `path` and finds its frames from their headers. Used to rebuild the
    /// index.
    ///
    /// # Errors
    /// [`Error::corrupt`] if the file is not a sequence of zstd frames.
    pub fn scan(path: &Path, rows: u64) -> Result<Reader> {
        Reader::open(path, Reader::find_frames(path)?, rows)
    }

    /// Opens a segment of unknown length. Unpacks it once to count its rows.
    ///
    /// # Errors
    /// [`Error::corrupt`] for a damaged frame; see also [`scan`](Self::scan).
    pub fn survey(path: &Path) -> Result<Reader> {
        let frames = Reader::find_frames(path)?;
        let file = File::open(path).map_err(|e| Error::io(&e, "cannot be opened", path))?;
        let reader = Reader {
            path: path.to_path_buf(),
            file: OpenFile::keep(file),
            frames,
            rows: 0,
            frame_rows: FRAME_ROWS,
        };
        let count = |frame| {
            reader
                .frame(frame)
                .map(|text| memchr::memchr_iter(b'\n', &text).count() as u64)
        };
        let rows = (0..reader.frames.len()).map(count).sum::<Result<u64>>()?;
        Reader::open(path, reader.frames, rows)
    }

    fn find_frames(path: &Path) -> Result<Vec<Frame>> {
        let bytes = regular::read(path, u64::MAX)?;
        let mut frames = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let length = zstd::zstd_safe::find_frame_compressed_size(&bytes[at..])
                .map_err(|_| Error::corrupt(format!("no zstd frame at byte {at}")).file(path))?;
            let packed = u32::try_from(length)
                .map_err(|_| Error::corrupt("a frame is larger than 4 GiB").file(path))?;
            frames.push(Frame {
                offset: at as u64,
                length: packed,
            });
            at += length;
        }
        Ok(frames)
    }

    pub fn file(&self) -> &str {
        self.path
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or_default()
    }

    /// Unpacks the JSON lines of frame `index`.
    ///
    /// # Errors
    /// [`Error::corrupt`] if the frame does not match its checksum.
    pub fn frame(&self, index: usize) -> Result<Vec<u8>> {
        let corrupt = |what: String| Error::corrupt(what).file(&self.path);
        let frame = self
            .frames
            .get(index)
            .ok_or_else(|| corrupt(format!("frame {index} does not exist")))?;
        let mut packed = vec![0; frame.length as usize];
        let opened;
        let file = match &self.file {
            Some(OpenFile(file)) => file,
            None => {
                opened = regular::open(&self.path, OpenOptions::new().read(true))?;
                &opened
            }
        };
        file.read_exact_at(&mut packed, frame.offset)
            .map_err(|e| corrupt(format!("cannot read frame {index}: {e}")))?;
        let size = zstd::zstd_safe::get_frame_content_size(&packed)
            .ok()
            .flatten()
            .unwrap_or(0);
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        if size > FRAME_LIMIT {
            return Err(corrupt(format!(
                "frame {index} claims {size} bytes, more than the limit"
            )));
        }
        let unpacked = UNPACKER.with_borrow_mut(|kept| {
            let unpacker = match kept {
                Some(unpacker) => unpacker,
                None => kept.insert(zstd::bulk::Decompressor::new()?),
            };
            unpacker.decompress(&packed, size)
        });
        unpacked.map_err(|e| corrupt(format!("frame {index} is damaged: {e}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::ErrorKind;

    #[test]
    fn rows_round_trip_by_frame_and_after_a_scan() {
        let dir = tempfile::tempdir().unwrap();
        for (size, last, name) in [
            (FRAME_ROWS, 9, "0001.jsonl.zst"),
            (256, 2, "0002.jsonl.zst"),
        ] {
            let mut writer = Writer::create(dir.path()).unwrap().in_frames_of(size);
            for n in 0..600 {
                writer.push(&serde_json::json!({"n": n})).unwrap();
            }
            let done = writer.finish(name).unwrap();
            let path = dir.path().join(name);
            let reader = Reader::scan(&path, 600).unwrap();
            assert_eq!(
                (&reader.frames[..], reader.frame_rows),
                (&done.frames[..], size)
            );
            let text = String::from_utf8(reader.frame(last).unwrap()).unwrap();
            assert_eq!(text.lines().count(), 600 - last * size);
            assert_eq!(
                text.lines().next(),
                Some(&*format!("{{\"n\":{}}}", last * size))
            );
            assert_eq!(
                blake3::hash(&std::fs::read(&path).unwrap())
                    .to_hex()
                    .to_string(),
                done.blake3
            );
            assert_eq!(
                Reader::open(&path, done.frames, 900).unwrap_err().kind,
                ErrorKind::Corrupt
            );
        }
    }

    #[test]
    fn more_segments_than_files_may_be_open_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Writer::create(dir.path()).unwrap();
        writer.push(&serde_json::json!({"n": 1})).unwrap();
        let frames = writer.finish("a").unwrap().frames;
        let open = |_| Reader::open(&dir.path().join("a"), frames.clone(), 1).unwrap();
        let readers: Vec<Reader> = (0..KEPT_OPEN + 9).map(open).collect();
        let kept = readers.iter().filter(|reader| reader.file.is_some());
        assert!(kept.count() <= KEPT_OPEN);
        for reader in &readers {
            assert_eq!(reader.frame(0).unwrap(), b"{\"n\":1}\n");
        }
    }

    #[test]
    fn finish_never_overwrites_a_segment() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("0001-01-items.jsonl.zst");
        std::fs::write(&path, "acknowledged").unwrap();
        let mut writer = Writer::create(dir.path()).unwrap();
        writer.push(&serde_json::json!({"n": 1})).unwrap();
        assert_eq!(
            writer.finish("0001-01-items.jsonl.zst").unwrap_err().kind,
            ErrorKind::Conflict
        );
        assert_eq!(std::fs::read(&path).unwrap(), b"acknowledged");
    }

    #[test]
    fn the_number_of_frames_determines_their_size() {
        for rows in 1..5000u64 {
            for size in [FRAME_ROWS as u64, 256] {
                let frames = rows.div_ceil(size);
                let first = if frames == rows.div_ceil(FRAME_ROWS as u64) {
                    FRAME_ROWS as u64
                } else {
                    256
                };
                assert!(
                    first == size || frames == 1,
                    "{rows} rows in frames of {size}"
                );
            }
        }
    }

    #[test]
    fn damage_is_detected_and_a_dropped_writer_leaves_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Writer::create(dir.path()).unwrap();
        writer
            .push(&serde_json::json!({"text": "some words ".repeat(40)}))
            .unwrap();
        drop(writer);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let mut writer = Writer::create(dir.path()).unwrap();
        writer
            .push(&serde_json::json!({"text": "some words ".repeat(40)}))
            .unwrap();
        let done = writer.finish("a").unwrap();
        let path = dir.path().join("a");
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.len() - 6;
        bytes[at] ^= 0x40;
        std::fs::write(&path, bytes).unwrap();
        let reader = Reader::open(&path, done.frames, 1).unwrap();
        assert_eq!(reader.frame(0).unwrap_err().kind, ErrorKind::Corrupt);
    }
}
