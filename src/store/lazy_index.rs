//! The sled index, opened on a thread while the first page is already shown from the snapshots.
//! Callers that need sled wait for the thread. Problems that it finds are reported late, and
//! repaired as usual.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

use super::column_snapshots;
use super::index::{Index, digest};
use super::pictures::picture_snapshot;
use super::prefix_digest::JournalHashes;
use super::status_columns::StatusColumns;
use benchtop_model::{Error, Result};

/// Result of the thread.
#[derive(Default)]
struct Slot {
    index: OnceLock<Result<Index>>,
    notices: Mutex<Vec<String>>,
}

/// State of the statuses snapshot.
struct SnapshotState {
    /// Resume points, or `None` if only sled has them.
    places: Option<BTreeMap<String, String>>,
    /// Whether the file on disk is up to date.
    current: bool,
    /// Whether an outdated file may exist.
    outdated_file: bool,
    /// Whether nothing may be written.
    closed: bool,
}

/// The index of a project, which may still be opening.
pub struct LazyIndex {
    store: PathBuf,
    slot: Arc<Slot>,
    thread: Option<JoinHandle<()>>,
    kept: Mutex<SnapshotState>,
    /// Resume points that are not in sled yet.
    places: Mutex<BTreeMap<String, String>>,
}

/// Key of a statuses snapshot: lengths of the journals, and digest of the segments.
pub(super) fn moment(journals: &[u8; 32], segments: &[u8; 32]) -> [u8; 32] {
    let hex = |bytes: &[u8; 32]| blake3::Hash::from_bytes(*bytes).to_hex();
    digest([(hex(journals).as_str(), 0), (hex(segments).as_str(), 0)])
}

/// Locks a mutex even after a panic, since the guarded data stays consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LazyIndex {
    fn new(store: &Path, slot: Arc<Slot>, thread: Option<JoinHandle<()>>) -> LazyIndex {
        let kept = Mutex::new(SnapshotState {
            places: None,
            current: false,
            outdated_file: true,
            closed: false,
        });
        LazyIndex {
            store: store.to_path_buf(),
            slot,
            thread,
            kept,
            places: Mutex::default(),
        }
    }

    /// An index that is already open.
    pub fn opened(store: &Path, index: Index) -> LazyIndex {
        let slot = Slot {
            index: OnceLock::from(Ok(index)),
            ..Slot::default()
        };
        LazyIndex::new(store, Arc::new(slot), None)
    }

    /// An index that stays closed, because nothing may be written. `why` is the error for callers
    /// that need sled. Resume points are kept in memory.
    pub fn closed(store: &Path, why: Error) -> LazyIndex {
        let slot = Slot {
            index: OnceLock::from(Err(why)),
            ..Slot::default()
        };
        let kept = SnapshotState {
            places: Some(BTreeMap::new()),
            current: true,
            outdated_file: false,
            closed: true,
        };
        let (slot, kept) = (Arc::new(slot), Mutex::new(kept));
        LazyIndex {
            store: store.to_path_buf(),
            slot,
            thread: None,
            kept,
            places: Mutex::default(),
        }
    }

    /// Opens the index of `store` on a thread. `work` returns the index and notices for people.
    ///
    /// # Errors
    /// The thread cannot start.
    pub fn spawn(
        store: &Path,
        work: impl FnOnce() -> Result<(Index, Vec<String>)> + Send + 'static,
    ) -> Result<LazyIndex> {
        let slot = Arc::new(Slot::default());
        let theirs = slot.clone();
        let run = move || {
            let panicked = |_| Err(Error::corrupt("cannot open the store: its thread panicked"));
            let opened = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked);
            let (index, notices) = match opened {
                Ok((index, notices)) => (Ok(index), notices),
                Err(problem) => {
                    let notice =
                        format!("verdicts are saved, but the store cannot be opened: {problem}");
                    (Err(problem), vec![notice])
                }
            };
            // Stored before the index, so that a caller with the index also has its notices.
            lock(&theirs.notices).extend(notices);
            let _ = theirs.index.set(index);
        };
        let thread = std::thread::Builder::new()
            .name("store".into())
            .spawn(run)
            .map_err(|e| Error::failed(format!("cannot open the store: {e}")))?;
        Ok(LazyIndex::new(store, slot, Some(thread)))
    }

    /// The index. Waits until it is open.
    ///
    /// # Errors
    /// The error of opening it.
    pub fn get(&self) -> Result<&Index> {
        self.slot.index.wait().as_ref().map_err(Clone::clone)
    }

    /// Takes the notices from opening the index. Does not wait.
    pub fn notices(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.slot.notices))
    }

    /// Records that the statuses snapshot on disk is up to date and has these resume points.
    pub(super) fn mark_current(&self, places: Vec<(String, String)>) {
        let mut kept = lock(&self.kept);
        let places = Some(places.into_iter().collect());
        *kept = SnapshotState {
            places,
            current: true,
            outdated_file: !kept.closed,
            closed: kept.closed,
        };
    }

    /// Marks the statuses snapshot as outdated and removes it, so that an old resume point cannot
    /// come back after a kill. Old statuses could not, since the key names their journals.
    fn changed(&self) -> MutexGuard<'_, SnapshotState> {
        let mut kept = lock(&self.kept);
        kept.current = false;
        if std::mem::take(&mut kept.outdated_file) {
            let _ = std::fs::remove_file(column_snapshots::statuses_path(&self.store));
        }
        kept
    }

    /// The resume point of an annotator. It is a convenience and is lost with `store/`. Does not
    /// wait if the statuses came from their snapshot.
    ///
    /// # Errors
    /// [`Error::corrupt`].
    pub fn place(&self, who: &str) -> Result<Option<String>> {
        if let Some(place) = lock(&self.places).get(who) {
            return Ok(Some(place.clone()));
        }
        if let Some(places) = &lock(&self.kept).places {
            return Ok(places.get(who).cloned());
        }
        self.get()?.resume_point(who)
    }

    /// Remembers a resume point until [`write_places`](Self::write_places) stores it. Does not
    /// wait.
    pub fn note_resume_point(&self, who: &str, place: &str) {
        lock(&self.places).insert(who.to_string(), place.to_string());
    }

    /// Stores the remembered resume points.
    pub fn write_places(&self) -> Result<()> {
        let noted = lock(&self.places).clone();
        for (who, place) in noted {
            self.set_place(&who, &place)?;
            let mut places = lock(&self.places);
            if places.get(&who) == Some(&place) {
                places.remove(&who);
            }
        }
        Ok(())
    }

    /// Stores the resume point of an annotator.
    pub fn set_place(&self, who: &str, place: &str) -> Result<()> {
        let mut kept = self.changed();
        if let Some(places) = &mut kept.places {
            places.insert(who.to_string(), place.to_string());
        }
        if kept.closed {
            return Ok(());
        }
        drop(kept);
        self.get()?.set_resume_point(who, place)
    }

    /// See [`Index::write_checkpoint`].
    pub fn write_checkpoint(
        &self,
        overlay: &StatusColumns,
        blocks: &[usize],
        rev: u64,
        journals: &JournalHashes,
    ) -> Result<()> {
        drop(self.changed());
        self.get()?.write_checkpoint(overlay, blocks, rev, journals)
    }

    /// Called at a clean exit. Writes the statuses of `journals` and the resume points to their
    /// snapshot, unless it is up to date. On an error, the next start reads sled.
    pub fn write_snapshot(&self, overlay: &StatusColumns, journals: &JournalHashes) -> Result<()> {
        let mut kept = lock(&self.kept);
        if kept.current || kept.closed {
            return Ok(());
        }
        let index = self.get()?;
        let meta = index.meta()?;
        // An import finished during the exit, so these statuses lack its items.
        if meta.rows != overlay.len() as u64 {
            return Ok(());
        }
        let places = match &kept.places {
            Some(places) => places.clone().into_iter().collect(),
            None => index.resume_points()?,
        };
        let key = moment(&journals.lengths, &meta.segments);
        column_snapshots::write_statuses(&self.store, &key, overlay, places, journals.contents)?;
        (kept.current, kept.outdated_file) = (true, true);
        Ok(())
    }

    /// Size on disk in bytes, including the snapshots.
    pub fn size(&self) -> u64 {
        let files = [
            column_snapshots::columns_path(&self.store),
            column_snapshots::statuses_path(&self.store),
            picture_snapshot::path(&self.store),
        ];
        let snapshots: u64 = files
            .iter()
            .filter_map(|p| std::fs::metadata(p).ok())
            .map(|m| m.len())
            .sum();
        snapshots + self.get().map_or(0, Index::size)
    }
}

impl Drop for LazyIndex {
    /// sled's file lock is held until the thread ends.
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
