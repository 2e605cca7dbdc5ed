//! A live copy of the metadata: read on first use, watched while clients are connected, and saved
//! only through the owner. Files with errors are not used; see [`in_force`].
//!
//! Every request about metadata checks the files' fingerprint first, so no reply is older than the
//! files. After the first request, a thread also checks every [`LOOK_EVERY`] until no client is
//! left, and sends [`Event::Metadata`] after edits from outside.

mod in_force;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub use in_force::InForce;

use super::context::OwnerContext;
use super::log;
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_compose::engine::{MissingMetadata, choices_of, recipe, write};
use benchtop_model::usage::{MetadataHealth, MetadataState, Save};
use benchtop_model::{Item, Result};
use benchtop_pipeline::usage::Usage;
use benchtop_protocol::wire::Event;
use benchtop_store::metadata;

/// Interval of the checks.
const LOOK_EVERY: Duration = Duration::from_millis(400);
/// A file can be written twice within one tick of the file system's clock. If the files were read
/// this soon after their fingerprint changed, they are read once more.
const SETTLES: Duration = Duration::from_millis(100);

/// Codes of [`benchtop_model::usage::Freshness`] by item, with the usage that they were computed
/// from.
type FreshOf = (Arc<Usage>, Arc<Vec<u8>>);

/// The metadata at one moment.
pub struct MetadataSnapshot {
    /// The files on disk.
    pub state: MetadataState,
    /// Increases with every change.
    pub generation: u64,
    stamp: u64,
    /// When this fingerprint was first seen, and when the files were last read with it.
    seen: Instant,
    read: Instant,
    in_force: InForce,
    fresh: Mutex<Option<FreshOf>>,
}

impl MetadataSnapshot {
    /// The metadata in use, compiled.
    pub fn compiled(&self) -> &Arc<CompiledMetadata> {
        self.in_force.compiled()
    }

    /// The metadata in use, and why it differs from the files on disk.
    pub fn in_force(&self) -> &InForce {
        &self.in_force
    }

    /// Errors and staleness, for people and scripts.
    pub fn health(&self) -> MetadataHealth {
        MetadataHealth {
            errors: self.in_force.errors().to_vec(),
            known: self.in_force.is_known(),
        }
    }

    /// A code of [`benchtop_model::usage::Freshness`] for each item.
    pub fn fresh(&self, usage: &Arc<Usage>) -> Arc<Vec<u8>> {
        let mut held = self.fresh.lock().unwrap_or_else(PoisonError::into_inner);
        match held.as_ref().filter(|(of, _)| Arc::ptr_eq(of, usage)) {
            Some((_, fresh)) => fresh.clone(),
            None => {
                let fresh = Arc::new(usage.freshness(self.compiled()));
                *held = Some((usage.clone(), fresh.clone()));
                fresh
            }
        }
    }

    /// What changed since an item was composed; `None` if nothing changed or the item was imported.
    pub fn changed(&self, item: &Item) -> Option<String> {
        if let Some(cause) = self
            .in_force
            .errors()
            .first()
            .filter(|_| !self.in_force.is_known())
        {
            return Some(format!("unknown: metadata/{cause}"));
        }
        let grammar = self.compiled();
        let choices = match choices_of(grammar, item)? {
            Ok(choices) => choices,
            Err(gone) => return Some(format!("gone: {gone}")),
        };
        match write(grammar, &choices) {
            Ok(_) => {}
            Err(gone @ MissingMetadata::Slot(_)) => {
                return Some(format!(
                    "gone: {gone}; the item has no term for it, and recomposing can draw one"
                ));
            }
            Err(gone) => return Some(format!("gone: {gone}")),
        }
        let same = item
            .provenance
            .as_ref()
            .is_some_and(|p| p.recipe == recipe(grammar, &choices));
        (!same).then(|| {
            "stale: its templates or the wording of its style changed since it was composed".into()
        })
    }
}

/// The metadata of a project, and how its items use it.
#[derive(Default)]
pub struct MetadataCache {
    held: Mutex<Option<Arc<MetadataSnapshot>>>,
    /// With the number of item revisions when it was read.
    usage: Mutex<Option<(usize, Arc<Usage>)>>,
    /// The last notice about errors.
    notice: Mutex<Option<String>>,
    /// Whether there was a request since the last client left.
    asked: Mutex<bool>,
    wake: Condvar,
    ended: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl MetadataCache {
    /// The metadata on disk now. Starts watching the files.
    ///
    /// # Errors
    /// Fails if the folder cannot be read.
    pub fn now(&self, shared: &OwnerContext) -> Result<Arc<MetadataSnapshot>> {
        let mut asked = lock(&self.asked);
        if !*asked {
            *asked = true;
            self.wake.notify_all();
        }
        drop(asked);
        self.look(shared)
    }

    /// Like [`now`](Self::now), without watching the files.
    pub fn look(&self, shared: &OwnerContext) -> Result<Arc<MetadataSnapshot>> {
        let mut held = lock(&self.held);
        let dir = shared.project.metadata();
        // The fingerprint comes first, so that a concurrent write is seen next time.
        let stamp = metadata::stamp(&dir);
        let settled = |h: &MetadataSnapshot| {
            h.stamp == stamp && (h.read - h.seen >= SETTLES || h.seen.elapsed() < SETTLES)
        };
        if let Some(held) = held.as_ref().filter(|h| settled(h)) {
            return Ok(held.clone());
        }
        let state = metadata::read(&dir)?;
        Ok(self.take(shared, &mut held, state, stamp))
    }

    /// Stores what was read, and sends an event if it differs.
    fn take(
        &self,
        shared: &OwnerContext,
        held: &mut Option<Arc<MetadataSnapshot>>,
        state: MetadataState,
        stamp: u64,
    ) -> Arc<MetadataSnapshot> {
        let before = held.take();
        let read = Instant::now();
        let seen = before
            .as_ref()
            .filter(|h| h.stamp == stamp)
            .map_or(read, |h| h.seen);
        let same = before.as_ref().is_some_and(|h| h.state == state);
        let (in_force, fresh) = match before.as_ref().filter(|_| same) {
            Some(h) => (h.in_force.clone(), lock(&h.fresh).clone()),
            None => (
                InForce::after(before.as_ref().map(|h| &h.in_force), &state),
                None,
            ),
        };
        let generation = before
            .as_ref()
            .map_or(1, |h| h.generation + u64::from(!same));
        let fresh = Mutex::new(fresh);
        let now = Arc::new(MetadataSnapshot {
            state,
            generation,
            stamp,
            seen,
            read,
            in_force,
            fresh,
        });
        *held = Some(now.clone());
        if before.is_some() && !same {
            shared.broadcast.tell(Event::Metadata);
        }
        self.tell(shared, now.in_force.notice());
        now
    }

    /// Replaces the notice about errors, which comes before all others.
    fn tell(&self, shared: &OwnerContext, now: Option<String>) {
        let mut notice = lock(&self.notice);
        if *notice == now {
            return;
        }
        let before = std::mem::replace(&mut *notice, now.clone());
        let mut notices = shared.broadcast.notices();
        notices.retain(|notice| Some(notice) != before.as_ref());
        if let Some(now) = &now {
            log::write(format_args!("{now}"));
            notices.insert(0, now.clone());
        }
        drop(notices);
        shared.broadcast.tell(Event::MetadataErrors(now));
    }

    /// Saves files, all or none, and notifies the clients.
    ///
    /// # Errors
    /// As [`metadata::save`].
    pub fn save(&self, shared: &OwnerContext, saves: &[Save]) -> Result<MetadataState> {
        self.now(shared)?;
        let mut held = lock(&self.held);
        let dir = shared.project.metadata();
        let state = metadata::save(&dir, saves)?;
        // The fingerprint is of the present files. An edit in between is found by the second
        // reading.
        let stamp = metadata::stamp(&dir);
        Ok(self.take(shared, &mut held, state, stamp).state.clone())
    }

    /// How the items use the metadata. Read on first use; extended after an import; rebuilt after
    /// revisions of items. `wanted` returns whether to continue; partial results are kept.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`] and [`benchtop_model::ErrorKind::Cancelled`].
    pub fn usage(&self, shared: &OwnerContext, wanted: &dyn Fn() -> bool) -> Result<Arc<Usage>> {
        let mut held = lock(&self.usage);
        let catalog = shared.items.catalog();
        let revisions = catalog.revisions().list().len();
        let current = held
            .take()
            .filter(|(r, usage)| *r == revisions && usage.len() <= catalog.len());
        let before = current.map(|(_, usage)| usage).unwrap_or_default();
        if before.len() == catalog.len() {
            *held = Some((revisions, before.clone()));
            return Ok(before);
        }
        let mut usage = Arc::unwrap_or_clone(before);
        let read = usage.extend(&catalog, wanted);
        let usage = Arc::new(usage);
        *held = Some((revisions, usage.clone()));
        read.map(|()| usage)
    }

    /// Stops the watching thread.
    pub fn end(&self) {
        // Set under the lock, or the thread could miss it on its way to sleep.
        let _asked = lock(&self.asked);
        self.ended.store(true, Ordering::SeqCst);
        self.wake.notify_all();
    }
}

/// Starts the watching thread, which stops at [`MetadataCache::end`].
///
/// # Errors
/// Fails if the thread cannot be started.
pub fn watch(shared: &Arc<OwnerContext>) -> std::io::Result<JoinHandle<()>> {
    let live = shared.metadata.clone();
    let owner = Arc::downgrade(shared);
    std::thread::Builder::new()
        .name("metadata".into())
        .spawn(move || watch_files(&live, &owner))
}

fn watch_files(live: &MetadataCache, owner: &Weak<OwnerContext>) {
    let ended = || live.ended.load(Ordering::SeqCst);
    // Check once at the start, so that errors are known before the first client connects.
    if let Some(shared) = owner.upgrade() {
        let _ = live.look(&shared);
    }
    while !ended() {
        let mut asked = lock(&live.asked);
        while !*asked && !ended() {
            asked = live
                .wake
                .wait(asked)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if !ended() {
            drop(live.wake.wait_timeout(asked, LOOK_EVERY));
        }
        if ended() {
            return;
        }
        let Some(shared) = owner.upgrade() else {
            return;
        };
        if shared.activity.clients() == 0 {
            *lock(&live.asked) = false;
        } else {
            // Read errors are reported to the next request.
            let _ = live.look(&shared);
        }
    }
}
