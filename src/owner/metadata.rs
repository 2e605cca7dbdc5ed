//! A live copy of the metadata: read on first use, watched while clients are connected, and saved
//! only through the owner. Files with errors are not used; see [`in_force`].
//!
//! Every request about metadata checks the files' fingerprint first, so no reply is older than the
//! files. After the first request, a thread also checks every [`LOOK_EVERY`] until no client is
//! left, and sends [`Event::Metadata`] after edits from outside.

mod cache;
mod in_force;

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

pub use cache::{MetadataCache, MetadataSnapshot};
pub use in_force::InForce;

use super::context::OwnerContext;
use super::log;
use benchtop_model::Result;
use benchtop_model::cancel::Cancel;
use benchtop_model::usage::{MetadataState, Save};
use benchtop_pipeline::usage::Usage;
use benchtop_protocol::wire::Event;
use benchtop_store::metadata;

/// Interval of the checks.
const LOOK_EVERY: Duration = Duration::from_millis(400);
/// A file can be written twice within one tick of the file system's clock. If the files were read
/// this soon after their fingerprint changed, they are read once more.
const SETTLES: Duration = Duration::from_millis(100);

impl MetadataCache {
    /// The metadata on disk now. Starts watching the files.
    ///
    /// # Errors
    /// Fails if the folder cannot be read.
    pub fn now(&self, shared: &OwnerContext) -> Result<Arc<MetadataSnapshot>> {
        let mut asked = self.asked.lock();
        if !*asked {
            *asked = true;
            self.wake.notify_all();
        }
        drop(asked);
        self.look(shared)
    }

    /// Like [`now`](Self::now), without watching the files.
    pub fn look(&self, shared: &OwnerContext) -> Result<Arc<MetadataSnapshot>> {
        let mut held = self.held.lock();
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
            Some(h) => (h.in_force.clone(), h.fresh.lock().clone()),
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
            shared.broadcast.send(Event::Metadata);
        }
        self.tell(shared, now.in_force.notice());
        now
    }

    /// Replaces the notice about errors, which comes before all others.
    fn tell(&self, shared: &OwnerContext, now: Option<String>) {
        let mut notice = self.notice.lock();
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
        shared.broadcast.send(Event::MetadataErrors(now));
    }

    /// Saves files, all or none, and notifies the clients.
    ///
    /// # Errors
    /// As [`metadata::save`].
    pub fn save(&self, shared: &OwnerContext, saves: &[Save]) -> Result<MetadataState> {
        self.now(shared)?;
        let mut held = self.held.lock();
        let dir = shared.project.metadata();
        let state = metadata::save(&dir, saves)?;
        // The fingerprint is of the present files. An edit in between is found by the second
        // reading.
        let stamp = metadata::stamp(&dir);
        Ok(self.take(shared, &mut held, state, stamp).state.clone())
    }

    /// How the items use the metadata. Read on first use; extended after an import; rebuilt after
    /// revisions of items. Partial results are kept.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`] and [`benchtop_model::ErrorKind::Cancelled`].
    pub fn usage(&self, shared: &OwnerContext, cancel: Cancel<'_>) -> Result<Arc<Usage>> {
        let mut held = self.usage.lock();
        let catalog = shared.items.catalog();
        let revisions = catalog.revisions().list.len();
        let current = held
            .take()
            .filter(|(r, usage)| *r == revisions && usage.len() <= catalog.len());
        let before = current.map(|(_, usage)| usage).unwrap_or_default();
        if before.len() == catalog.len() {
            *held = Some((revisions, before.clone()));
            return Ok(before);
        }
        let mut usage = Arc::unwrap_or_clone(before);
        let read = usage.extend(&catalog, cancel);
        let usage = Arc::new(usage);
        *held = Some((revisions, usage.clone()));
        read.map(|()| usage)
    }

    /// Rows of derived items whose source changed since, in order.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`] and [`benchtop_model::ErrorKind::Cancelled`].
    pub fn stale_sources(
        &self,
        shared: &OwnerContext,
        cancel: Cancel<'_>,
    ) -> Result<Arc<Vec<u32>>> {
        let mut held = self.sources.lock();
        let (catalog, made) = (shared.items.catalog(), shared.items.pictures().len());
        // The lock is taken for each line: the writer must not wait for all of them.
        let resolved = |line: &str| shared.items.pictures().resolved(line);
        held.stale((&catalog, made), &resolved, cancel)
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
        let mut asked = live.asked.lock();
        while !*asked && !ended() {
            live.wake.wait(&mut asked);
        }
        if !ended() {
            live.wake.wait_for(&mut asked, LOOK_EVERY);
            drop(asked);
        }
        if ended() {
            return;
        }
        let Some(shared) = owner.upgrade() else {
            return;
        };
        if shared.activity.clients() == 0 {
            *live.asked.lock() = false;
        } else {
            // Read errors are reported to the next request.
            let _ = live.look(&shared);
        }
    }
}
