//! The sled index, opened behind the first page: a thread opens it while what the snapshots hold is shown already.
//! Whoever needs sled waits for that thread; what it finds wrong is told late, and put right as at any opening.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

use super::index::{Index, digest};
use super::pictures::picture_snapshot;
use super::prefix_digest::Journals;
use super::snapshot;
use super::status_columns::Overlay;
use benchtop_model::{Error, ErrorKind, Result};

/// What the thread leaves.
#[derive(Default)]
struct Slot {
    index: OnceLock<Result<Index>>,
    notices: Mutex<Vec<String>>,
}

/// What the statuses snapshot had, and whether it still says what is so.
struct Kept {
    /// Where annotators are; `None` when sled must be asked.
    places: Option<BTreeMap<String, String>>,
    /// The file on disk is of this moment.
    current: bool,
    /// A file of an earlier moment may be there.
    there: bool,
    /// Nothing may be written.
    closed: bool,
}

/// The index of an open project, whether it is open yet or not.
pub struct LazyIndex {
    store: PathBuf,
    slot: Arc<Slot>,
    thread: Option<JoinHandle<()>>,
    kept: Mutex<Kept>,
    /// Places that are still to be written to sled.
    places: Mutex<BTreeMap<String, String>>,
}

/// What a statuses snapshot is of: journals of these lengths on these segments.
pub(super) fn moment(journals: &[u8; 32], segments: &[u8; 32]) -> [u8; 32] {
    let hex = |bytes: &[u8; 32]| blake3::Hash::from_bytes(*bytes).to_hex();
    digest([(hex(journals).as_str(), 0), (hex(segments).as_str(), 0)])
}

/// A panic under these locks leaves what they guard whole.
fn whole<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LazyIndex {
    fn of(store: &Path, slot: Arc<Slot>, thread: Option<JoinHandle<()>>) -> LazyIndex {
        let kept = Mutex::new(Kept {
            places: None,
            current: false,
            there: true,
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

    /// One that is open already.
    pub fn here(store: &Path, index: Index) -> LazyIndex {
        let slot = Slot {
            index: OnceLock::from(Ok(index)),
            ..Slot::default()
        };
        LazyIndex::of(store, Arc::new(slot), None)
    }

    /// One that stays closed, since nothing may be written; `why` is what whoever asks for it is told. Where annotators
    /// are is remembered in memory.
    pub fn closed(store: &Path, why: Error) -> LazyIndex {
        let slot = Slot {
            index: OnceLock::from(Err(why)),
            ..Slot::default()
        };
        let kept = Kept {
            places: Some(BTreeMap::new()),
            current: true,
            there: false,
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

    /// Opens the index of `store` on a thread by `work`, which gives it and what a person should know.
    ///
    /// # Errors
    /// When there can be no thread.
    pub fn spawn(
        store: &Path,
        work: impl FnOnce() -> Result<(Index, Vec<String>)> + Send + 'static,
    ) -> Result<LazyIndex> {
        let slot = Arc::new(Slot::default());
        let theirs = slot.clone();
        let run = move || {
            let panicked = |_| {
                Err(Error::new(
                    ErrorKind::Corrupt,
                    "the store cannot be opened: its thread panicked",
                ))
            };
            let opened = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked);
            let (index, notices) = match opened {
                Ok((index, notices)) => (Ok(index), notices),
                Err(problem) => {
                    let notice =
                        format!("verdicts are saved, but the store is not there: {problem}");
                    (Err(problem), vec![notice])
                }
            };
            // Before the index: who has it, has what there is to know about it.
            whole(&theirs.notices).extend(notices);
            let _ = theirs.index.set(index);
        };
        let thread = std::thread::Builder::new()
            .name("store".into())
            .spawn(run)
            .map_err(|e| Error::new(ErrorKind::Io, format!("the store cannot be opened: {e}")))?;
        Ok(LazyIndex::of(store, slot, Some(thread)))
    }

    /// The index; waits until it is open.
    ///
    /// # Errors
    /// Why it could not be opened.
    pub fn get(&self) -> Result<&Index> {
        self.slot.index.wait().as_ref().map_err(Clone::clone)
    }

    /// What opening it found that a person should know, once each; does not wait.
    pub fn notices(&self) -> Vec<String> {
        std::mem::take(&mut *whole(&self.slot.notices))
    }

    /// Says that the statuses snapshot on disk is of this moment, and had these places.
    pub(super) fn keep(&self, places: Vec<(String, String)>) {
        let mut kept = whole(&self.kept);
        let places = Some(places.into_iter().collect());
        *kept = Kept {
            places,
            current: true,
            there: !kept.closed,
            closed: kept.closed,
        };
    }

    /// From here on the statuses snapshot is of the past. It goes away so that no place in it comes back after a kill;
    /// its statuses could not, since they name the journals they follow.
    fn changed(&self) -> MutexGuard<'_, Kept> {
        let mut kept = whole(&self.kept);
        kept.current = false;
        if std::mem::take(&mut kept.there) {
            let _ = std::fs::remove_file(snapshot::statuses_path(&self.store));
        }
        kept
    }

    /// Where an annotator left off; kept for convenience, lost with `store/`. Waits for nothing where the statuses
    /// came from their snapshot.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`].
    pub fn place(&self, who: &str) -> Result<Option<String>> {
        if let Some(place) = whole(&self.places).get(who) {
            return Ok(Some(place.clone()));
        }
        if let Some(places) = &whole(&self.kept).places {
            return Ok(places.get(who).cloned());
        }
        self.get()?.place(who)
    }

    /// Remembers where an annotator is, until [`write_places`](Self::write_places) writes it down. Waits for nothing.
    pub fn note_place(&self, who: &str, place: &str) {
        whole(&self.places).insert(who.to_string(), place.to_string());
    }

    /// Writes down the places that were noted.
    ///
    /// # Errors
    /// As [`set_place`](Self::set_place).
    pub fn write_places(&self) -> Result<()> {
        let noted = whole(&self.places).clone();
        for (who, place) in noted {
            self.set_place(&who, &place)?;
            let mut places = whole(&self.places);
            if places.get(&who) == Some(&place) {
                places.remove(&who);
            }
        }
        Ok(())
    }

    /// Remembers where an annotator is.
    ///
    /// # Errors
    /// The operating system's.
    pub fn set_place(&self, who: &str, place: &str) -> Result<()> {
        let mut kept = self.changed();
        if let Some(places) = &mut kept.places {
            places.insert(who.to_string(), place.to_string());
        }
        if kept.closed {
            return Ok(());
        }
        drop(kept);
        self.get()?.set_place(who, place)
    }

    /// See [`Index::write_checkpoint`].
    ///
    /// # Errors
    /// The operating system's; the old checkpoint then no longer counts, so that the journals are replayed.
    pub fn write_checkpoint(
        &self,
        overlay: &Overlay,
        blocks: &[usize],
        rev: u64,
        journals: &Journals,
    ) -> Result<()> {
        drop(self.changed());
        self.get()?.write_checkpoint(overlay, blocks, rev, journals)
    }

    /// At an orderly end: writes the statuses, which follow `journals`, and the places to their snapshot, where that
    /// is not of this moment already.
    ///
    /// # Errors
    /// The operating system's; the next opening then asks sled.
    pub fn leave(&self, overlay: &Overlay, journals: &Journals) -> Result<()> {
        let mut kept = whole(&self.kept);
        if kept.current || kept.closed {
            return Ok(());
        }
        let index = self.get()?;
        let meta = index.meta()?;
        // An import that came in while the owner was ending: these statuses are not of its items.
        if meta.rows != overlay.len() as u64 {
            return Ok(());
        }
        let places = match &kept.places {
            Some(places) => places.clone().into_iter().collect(),
            None => index.places()?,
        };
        let key = moment(&journals.lengths, &meta.segments);
        snapshot::write_statuses(&self.store, &key, overlay, places, journals.contents)?;
        (kept.current, kept.there) = (true, true);
        Ok(())
    }

    /// Bytes on disk, those of the snapshots included.
    pub fn size(&self) -> u64 {
        let files = [
            snapshot::columns_path(&self.store),
            snapshot::statuses_path(&self.store),
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
    /// sled's lock is on the file until the thread is done.
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
