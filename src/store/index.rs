//! The sled store: column blocks, frame tables, and the status checkpoint. It can be rebuilt from
//! the other files.
//!
//! sled 0.34.7's `flush()` does not survive a power cut, because sled extends the file without a
//! sync. So each commit ends with `sync_data()` on a separate handle to sled's file. Values stay
//! below [`VALUE_LIMIT`], because sled writes whole tree leaves, and a leaf above 128 KB goes to a
//! separate file below `blobs/` that sled never syncs. After a power cut, such a leaf can be
//! missing or outdated although later writes exist.

use std::fs::{File, OpenOptions};
use std::os::fd::{AsRawFd, IntoRawFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::catalog::Catalog;
use super::columns::{BLOCK_ROWS, COLUMN_ROWS, Columns, NAMED, Names};
use super::prefix_digest::JournalHashes;
use super::segment::Frame;
use super::status_columns::StatusColumns;
use benchtop_files::{disk, inspect, regular};
use benchtop_model::{Error, ErrorKind, Result};

/// Version of the key layout. A store of another version is rebuilt.
const SCHEMA: u32 = 3;
/// Number of column blocks per sync.
const SYNCED_BLOCKS: usize = 512;
/// Frames per value. A frame has at most 12 bytes.
const FRAMES_PER_VALUE: usize = 350;
/// Bytes of names per value. A name has at most [`super::columns::NAME_LIMIT`] bytes.
const NAMES_BYTES: usize = 3000;
/// Maximum size of a value. A leaf has up to 16 values and 10 changes to them, and must stay below
/// 128 KB.
pub const VALUE_LIMIT: usize = 4_800;

/// Description of the indexed project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// Version of the key layout.
    pub schema: u32,
    /// [`digest`] of the indexed segments, in order.
    pub segments: [u8; 32],
    /// Number of items.
    pub rows: u64,
    /// Number of names in each named column.
    pub names: Vec<u32>,
}

impl Meta {
    /// Whether the index has the columns of this version. A field of names that was added since
    /// makes another layout.
    pub fn has_all_columns(&self) -> bool {
        self.rows == 0 || self.names.len() == NAMED.len()
    }
}

/// The state of the journals that the status blocks reflect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Revision of the last included decision.
    pub rev: u64,
    /// [`digest`] of the annotators and the lengths of their journals.
    pub journals: [u8; 32],
    /// CRC-32 of all statuses, so that blocks of different states are never mixed.
    pub statuses: u32,
    /// Digest of names, lengths, and contents. Checkpoints of earlier versions lack it. They cannot
    /// be read, and the journals are folded instead.
    pub contents: [u8; 32],
}

/// Hash of a list of names and numbers.
pub fn digest<'a>(list: impl IntoIterator<Item = (&'a str, u64)>) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for (name, number) in list {
        benchtop_model::hash::put(&mut hasher, name);
        hasher.update(&number.to_le_bytes());
    }
    *hasher.finalize().as_bytes()
}

/// An open sled store.
pub struct Index {
    db: sled::Db,
    /// A separate handle to sled's file; see the module documentation.
    file: File,
    path: PathBuf,
}

fn corrupt(what: impl Into<String>) -> Error {
    Error::corrupt(what)
}

/// Returns a name for the folder at `path` that stays valid if the folder or one of its parents is
/// moved. sled recreates its folder whenever it opens or writes a snapshot. With the plain path, it
/// would recreate the store of a moved project, or write into another project at that path.
fn pinned(path: &Path) -> Result<PathBuf> {
    let flags = (OFlags::NOFOLLOW | OFlags::DIRECTORY).bits().cast_signed();
    let folder = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let fail = |e: std::io::Error| Error::io(&e, "cannot open the store", path);
    let folder = folder.map_err(fail)?;
    let name = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
    let which = |meta: std::fs::Metadata| (meta.dev(), meta.ino());
    // Systems without /proc have only the path.
    if std::fs::metadata(&name).ok().map(which) != Some(which(folder.metadata().map_err(fail)?)) {
        return Ok(path.to_path_buf());
    }
    // Never closed. Threads of sled can outlive the index, and the descriptor must not come to name
    // another folder.
    let _ = folder.into_raw_fd();
    Ok(name)
}

/// Time after which a locked store is taken to be open in another process.
const LOCK_PATIENCE: Duration = Duration::from_millis(200);

fn in_use(path: &Path) -> Error {
    Error::conflict("the store is open in another process").file(path)
}

impl Index {
    /// Opens or creates the store at `path`.
    ///
    /// # Errors
    /// [`Error::corrupt`] if sled cannot read its files or panics. [`Error::conflict`] if
    /// another process has the store open.
    pub fn open(path: &Path) -> Result<Index> {
        inspect::store(path)?;
        disk::ensure_private_dir(path)?;
        Index::open_in(path, &pinned(path)?)
    }

    /// Opens the store at `path` under the name `pinned`, which stays valid until the process ends.
    fn open_in(path: &Path, pinned: &Path) -> Result<Index> {
        // A lock outlives its index for a moment: in a thread of sled that ends, or in a child
        // process between `fork` and `exec`.
        let until = Instant::now() + LOCK_PATIENCE;
        loop {
            match Index::open_once(path, pinned) {
                Err(e) if e.kind == ErrorKind::Conflict && Instant::now() < until => {
                    std::thread::sleep(LOCK_PATIENCE / 20);
                }
                opened => return opened,
            }
        }
    }

    fn open_once(path: &Path, pinned: &Path) -> Result<Index> {
        let config = sled::Config::default()
            .path(pinned)
            .cache_capacity(4 << 20)
            .flush_every_ms(Some(500));
        let opened = catch_unwind(AssertUnwindSafe(|| config.open()));
        let db = match opened {
            Ok(Ok(db)) => db,
            Ok(Err(sled::Error::Io(e))) if e.to_string().contains("could not acquire lock") => {
                return Err(in_use(path));
            }
            Ok(Err(sled::Error::Io(e))) if e.kind() != std::io::ErrorKind::Other => {
                return Err(Error::io(&e, "cannot open the store", path));
            }
            Ok(Err(e)) => {
                return Err(corrupt(format!("cannot open the store: {e}")).file(path));
            }
            Err(_) => return Err(corrupt("cannot open the store: sled panicked").file(path)),
        };
        // Uses the pinned name, since another project may be at the path now.
        let flags = OFlags::NOFOLLOW.bits().cast_signed();
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(flags)
            .open(pinned.join("db"));
        let file = file.map_err(|e| Error::io(&e, "cannot open the store", path))?;
        inspect::make_private(path);
        Ok(Index {
            db,
            file,
            path: path.to_path_buf(),
        })
    }

    /// Checks that no process has the store at `path` open, without opening it.
    ///
    /// # Errors
    /// [`Error::conflict`] if a process has it open.
    pub fn check_unlocked(path: &Path) -> Result<()> {
        use rustix::fs::{FlockOperation, flock};
        let locked =
            regular::open(&path.join("db"), OpenOptions::new().read(true)).is_ok_and(|file| {
                // sled's lock. It is released when the file is closed here.
                flock(&file, FlockOperation::NonBlockingLockExclusive)
                    == Err(rustix::io::Errno::WOULDBLOCK)
            });
        if locked { Err(in_use(path)) } else { Ok(()) }
    }

    /// Makes all writes so far durable.
    pub fn sync(&self) -> Result<()> {
        self.guard(|| self.db.flush().map(|_| ()))?;
        self.file
            .sync_data()
            .map_err(|e| Error::io(&e, "cannot sync the store", &self.path))
    }

    /// Runs `work` and turns a panic of sled into an error. sled panics on some damage.
    fn guard<T>(&self, work: impl FnOnce() -> sled::Result<T>) -> Result<T> {
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(sled::Error::Io(e))) => {
                Err(Error::io(&e, "cannot access the store", &self.path))
            }
            Ok(Err(e)) => Err(corrupt(format!("cannot access the store: {e}")).file(&self.path)),
            Err(_) => Err(corrupt("cannot access the store: sled panicked").file(&self.path)),
        }
    }

    fn get(&self, key: &[u8]) -> Result<Option<sled::IVec>> {
        self.guard(|| self.db.get(key))
    }

    fn put(&self, key: &[u8], value: Vec<u8>) -> Result<()> {
        if value.len() > VALUE_LIMIT {
            return Err(corrupt(format!(
                "a value of {} bytes exceeds the store's limit",
                value.len()
            )));
        }
        self.guard(|| self.db.insert(key, value).map(|_| ()))
    }

    pub(super) fn get_as<T: DeserializeOwned>(&self, key: &[u8]) -> Result<Option<T>> {
        let Some(bytes) = self.get(key)? else {
            return Ok(None);
        };
        let body = bytes
            .split_first()
            .filter(|(v, _)| **v == 1)
            .map(|(_, b)| b);
        let value = body.and_then(|b| postcard::from_bytes(b).ok());
        value
            .map(Some)
            .ok_or_else(|| corrupt("cannot parse a value of the store").file(&self.path))
    }

    pub(super) fn put_as<T: Serialize>(&self, key: &[u8], value: &T) -> Result<()> {
        let bytes = postcard::to_extend(value, vec![1])
            .map_err(|e| corrupt(format!("cannot serialize a value of the store: {e}")))?;
        self.put(key, bytes)
    }

    /// Reads the description of the indexed project.
    ///
    /// # Errors
    /// [`Error::corrupt`], also for another schema.
    pub fn meta(&self) -> Result<Meta> {
        match self.get_as::<Meta>(b"meta")? {
            Some(meta) if meta.schema == SCHEMA => Ok(meta),
            Some(meta) => Err(corrupt(format!(
                "the store has schema {}, expected {SCHEMA}",
                meta.schema
            ))),
            None if self.is_empty() => Ok(Meta {
                schema: SCHEMA,
                ..Meta::default()
            }),
            None => Err(corrupt("the store has no `meta` entry").file(&self.path)),
        }
    }

    /// Writes the columns of the catalog from block `from` on, the frames of the newest segments,
    /// and finally `meta`. Removes the status checkpoint, because it lacks decisions on the new
    /// items. On an error, `meta` still describes the old state.
    pub fn write_catalog(
        &self,
        catalog: &Catalog,
        from: usize,
        frames: &[(String, Vec<Frame>)],
        meta: &Meta,
    ) -> Result<()> {
        self.guard(|| self.db.remove(b"checkpoint").map(|_| ()))?;
        let columns = catalog.columns();
        for block in from..columns.blocks() {
            self.put(&key(b"col/", block), columns.encode_block(block))?;
            // Syncs in parts, since a decision waits for each sync.
            if block % SYNCED_BLOCKS == SYNCED_BLOCKS - 1 {
                self.sync()?;
            }
        }
        for (at, names) in columns.names.iter().enumerate() {
            for (chunk, list) in chunks_of_names(&names.names).into_iter().enumerate() {
                self.put_as(
                    &key(format!("name/{}/", NAMED[at].name()).as_bytes(), chunk),
                    &list,
                )?;
            }
        }
        for (file, list) in frames {
            for (chunk, list) in list.chunks(FRAMES_PER_VALUE).enumerate() {
                self.put_as(&key(format!("frame/{file}/").as_bytes(), chunk), &list)?;
            }
        }
        // `meta` comes last, because it vouches for the blocks.
        self.sync()?;
        self.put_as(b"meta", meta)?;
        self.sync()
    }

    /// Reads the columns.
    ///
    /// # Errors
    /// [`Error::corrupt`] if a block is missing or damaged.
    pub fn columns(&self, meta: &Meta) -> Result<Columns> {
        let rows = meta.rows;
        let mut columns = Columns::with_capacity(rows as usize);
        for block in 0..(rows as usize).div_ceil(COLUMN_ROWS) {
            let bytes = self.get(&key(b"col/", block))?;
            columns.decode_block(
                &bytes.ok_or_else(|| corrupt(format!("column block {block} is missing")))?,
            )?;
        }
        if columns.len() as u64 != rows {
            return Err(corrupt(format!(
                "the columns have {} rows, expected {rows}",
                columns.len()
            )));
        }
        for (at, field) in NAMED.iter().enumerate() {
            let mut list: Vec<String> = self.list(&format!("name/{}/", field.name()))?;
            let wanted = meta.names.get(at).copied().unwrap_or(0) as usize;
            if list.len() < wanted {
                return Err(corrupt(format!(
                    "found {} names for `{}`, expected {wanted}",
                    list.len(),
                    field.name()
                )));
            }
            // An import that was killed before it wrote `meta` leaves extra names.
            list.truncate(wanted);
            columns.names[at] = Names::from_list(list);
        }
        Ok(columns)
    }

    /// Reads the frames of a segment.
    ///
    /// # Errors
    /// [`Error::corrupt`].
    pub fn frames(&self, file: &str) -> Result<Vec<Frame>> {
        self.list(&format!("frame/{file}/"))
    }

    /// All values whose keys start with `prefix`, in key order.
    pub(super) fn all<T: DeserializeOwned>(&self, prefix: &[u8]) -> Result<Vec<T>> {
        let mut stored = self.db.scan_prefix(prefix);
        let mut all = Vec::new();
        while let Some((key, _)) = self.guard(|| stored.next().transpose())? {
            all.extend(self.get_as(&key)?);
        }
        Ok(all)
    }

    /// Removes all values whose keys start with `prefix`.
    pub(super) fn remove_all(&self, prefix: &[u8]) -> Result<()> {
        let mut stored = self.db.scan_prefix(prefix);
        while let Some((key, _)) = self.guard(|| stored.next().transpose())? {
            self.guard(|| self.db.remove(&key).map(|_| ()))?;
        }
        Ok(())
    }

    pub(super) fn list<T: DeserializeOwned>(&self, prefix: &str) -> Result<Vec<T>> {
        let mut all = Vec::new();
        for chunk in 0.. {
            match self.get_as::<Vec<T>>(&key(prefix.as_bytes(), chunk))? {
                Some(list) => all.extend(list),
                None => break,
            }
        }
        Ok(all)
    }

    /// Writes the status blocks with the indexes `blocks`, and the checkpoint. On an error, the old
    /// checkpoint no longer counts, and the journals are replayed.
    pub fn write_checkpoint(
        &self,
        overlay: &StatusColumns,
        blocks: &[usize],
        rev: u64,
        journals: &JournalHashes,
    ) -> Result<()> {
        self.guard(|| self.db.remove(b"checkpoint").map(|_| ()))?;
        self.sync()?;
        for block in blocks {
            let key = key(b"stat/", *block);
            if !overlay.is_blank(*block) {
                self.put(&key, overlay.encode_block(*block))?;
            } else if self.get(&key)?.is_some() {
                self.guard(|| self.db.remove(&key).map(|_| ()))?;
            }
        }
        self.sync()?;
        let JournalHashes { lengths, contents } = *journals;
        self.put_as(
            b"checkpoint",
            &Checkpoint {
                rev,
                journals: lengths,
                statuses: overlay.crc(),
                contents,
            },
        )?;
        self.sync()
    }

    /// Reads the checkpoint and the statuses of `rows` rows. Returns `None` without a checkpoint,
    /// or if its blocks are not of one state.
    ///
    /// # Errors
    /// [`Error::corrupt`].
    pub fn checkpoint(&self, rows: usize) -> Result<Option<(Checkpoint, StatusColumns)>> {
        let Some(checkpoint) = self.get_as::<Checkpoint>(b"checkpoint")? else {
            return Ok(None);
        };
        let mut overlay = StatusColumns::default();
        overlay.grow(rows);
        let prefix = b"stat/";
        let mut stored = self.db.scan_prefix(prefix);
        while let Some((key, bytes)) = self.guard(|| stored.next().transpose())? {
            let block = key
                .get(prefix.len()..)
                .and_then(|b| b.try_into().ok())
                .map(u32::from_be_bytes);
            if let Some(block) = block.filter(|b| (*b as usize) < rows.div_ceil(BLOCK_ROWS)) {
                overlay.decode_block(block as usize, &bytes)?;
            }
        }
        Ok((overlay.crc() == checkpoint.statuses).then_some((checkpoint, overlay)))
    }

    /// The resume point of an annotator. It is a convenience and is lost with the store.
    ///
    /// # Errors
    /// [`Error::corrupt`].
    pub fn resume_point(&self, who: &str) -> Result<Option<String>> {
        self.get_as(format!("place/{who}").as_bytes())
    }

    /// The resume points of all annotators, by name.
    ///
    /// # Errors
    /// [`Error::corrupt`].
    pub fn resume_points(&self) -> Result<Vec<(String, String)>> {
        let prefix = b"place/";
        let mut stored = self.db.scan_prefix(prefix);
        let mut places = Vec::new();
        while let Some((key, _)) = self.guard(|| stored.next().transpose())? {
            let who = String::from_utf8_lossy(&key[prefix.len()..]).into_owned();
            if let Some(place) = self.resume_point(&who)? {
                places.push((who, place));
            }
        }
        Ok(places)
    }

    /// Stores the resume point of an annotator.
    pub fn set_resume_point(&self, who: &str, place: &str) -> Result<()> {
        self.put_as(format!("place/{who}").as_bytes(), &place)
    }

    pub fn is_empty(&self) -> bool {
        self.db.is_empty()
    }

    /// Size on disk in bytes.
    pub fn size(&self) -> u64 {
        self.db.size_on_disk().unwrap_or(0)
    }
}

/// Splits names into runs of at most [`NAMES_BYTES`], or of a single name.
fn chunks_of_names(names: &[String]) -> Vec<&[String]> {
    let mut chunks = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (at, name) in names.iter().enumerate() {
        if bytes + name.len() + 3 > NAMES_BYTES && at > start {
            chunks.push(&names[start..at]);
            (start, bytes) = (at, 0);
        }
        bytes += name.len() + 3;
    }
    chunks.push(&names[start..]);
    chunks
}

pub(super) fn key(prefix: &[u8], number: usize) -> Vec<u8> {
    let mut key = prefix.to_vec();
    key.extend_from_slice(&(number as u32).to_be_bytes());
    key
}

#[cfg(test)]
mod tests;
