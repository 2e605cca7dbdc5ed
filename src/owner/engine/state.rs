//! What the engine holds. It does not import the context, which holds it.

use std::collections::{BTreeMap, BTreeSet};
use std::thread::JoinHandle;

use parking_lot::{Condvar, Mutex};

use super::job::{Job, Kind};
use super::live::Live;
use benchtop_store::jobs::HIGHEST;

/// The number of the first command. Commands do not use up the numbers of jobs.
pub(super) const FIRST_COMMAND: u32 = HIGHEST + 1;

/// A job of the engine: what all kinds share, and what is its own.
pub(super) struct Entry<C: 'static> {
    pub(super) kind: &'static Kind<C>,
    pub(super) live: Live,
    pub(super) job: Box<dyn Job<C>>,
}

/// The jobs of an owner.
pub struct Engine<C: 'static> {
    pub(super) inner: Mutex<Inner<C>>,
    pub(super) wake: Condvar,
}

impl<C> Default for Engine<C> {
    fn default() -> Engine<C> {
        Engine {
            inner: Mutex::new(Inner {
                jobs: BTreeMap::new(),
                running: BTreeSet::new(),
                threads: Vec::new(),
                loaded: false,
                ended: false,
                commands: 0,
            }),
            wake: Condvar::new(),
        }
    }
}

/// The state behind the lock. Its holder may write files of jobs and use sled. Of the other locks of
/// the owner, it takes only those of pictures and settings.
pub(super) struct Inner<C: 'static> {
    pub(super) jobs: BTreeMap<u32, Entry<C>>,
    /// Resources that have a thread.
    pub(super) running: BTreeSet<String>,
    pub(super) threads: Vec<JoinHandle<()>>,
    /// Whether the stored jobs are loaded.
    pub(super) loaded: bool,
    pub(super) ended: bool,
    /// Number of commands so far.
    pub(super) commands: u32,
}
