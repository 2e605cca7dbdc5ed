//! Writes resume points and status checkpoints to sled, on its own thread. They may be lost, so
//! decisions do not wait for them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;

use crate::context::OwnerContext;
use crate::priority;
use benchtop_store::StatusColumns;
use benchtop_store::prefix_digest::JournalHashes;

enum Task {
    Places,
    Checkpoint(Box<Checkpoint>),
}

struct Checkpoint {
    overlay: StatusColumns,
    blocks: BTreeSet<usize>,
    rev: u64,
    journals: JournalHashes,
}

#[derive(Default)]
struct State {
    /// Whether a checkpoint is being written.
    busy: AtomicBool,
    /// Blocks of checkpoints that could not be written.
    unwritten: Mutex<BTreeSet<usize>>,
    /// Whether a task to write the resume points is queued.
    places: AtomicBool,
}

pub(super) struct IndexWriter {
    tasks: Option<mpsc::Sender<Task>>,
    thread: Option<JoinHandle<()>>,
    state: Arc<State>,
}

impl IndexWriter {
    pub(super) fn new(shared: &Arc<OwnerContext>) -> IndexWriter {
        let (tasks, queue) = mpsc::channel();
        let state = Arc::new(State::default());
        let (index, theirs) = (shared.index.clone(), state.clone());
        let work = move || {
            priority::lower_thread_priority();
            for task in queue {
                match task {
                    Task::Places => {
                        theirs.places.store(false, Ordering::Release);
                        if let Err(problem) = index.write_places() {
                            crate::log::write(format_args!(
                                "cannot save the resume points: {problem}"
                            ));
                        }
                    }
                    Task::Checkpoint(task) => {
                        let Checkpoint {
                            overlay,
                            blocks,
                            rev,
                            journals,
                        } = *task;
                        let list: Vec<usize> = blocks.iter().copied().collect();
                        if let Err(problem) =
                            index.write_checkpoint(&overlay, &list, rev, &journals)
                        {
                            // No decision is lost: the journals are replayed instead.
                            crate::log::write(format_args!(
                                "cannot write the checkpoint: {problem}"
                            ));
                            theirs.unwritten.lock().extend(blocks);
                        }
                        theirs.busy.store(false, Ordering::Release);
                    }
                }
            }
        };
        // Without the thread nothing is written, and the next start reads the journals.
        let thread = std::thread::Builder::new()
            .name("index_writer".into())
            .spawn(work)
            .ok();
        IndexWriter {
            tasks: Some(tasks),
            thread,
            state,
        }
    }

    fn send(&self, task: Task) -> bool {
        self.tasks
            .as_ref()
            .is_some_and(|tasks| tasks.send(task).is_ok())
    }

    /// Writes the resume points.
    pub(super) fn places(&self) {
        if !self.state.places.swap(true, Ordering::AcqRel) {
            self.send(Task::Places);
        }
    }

    /// Whether no checkpoint is being written.
    pub(super) fn is_free(&self) -> bool {
        let over = self.thread.as_ref().is_none_or(JoinHandle::is_finished);
        over || !self.state.busy.load(Ordering::Acquire)
    }

    /// Waits until no checkpoint is being written.
    pub(super) fn wait(&self) {
        while !self.is_free() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Takes the blocks that earlier checkpoints failed to write.
    pub(super) fn unwritten(&self) -> BTreeSet<usize> {
        std::mem::take(&mut self.state.unwritten.lock())
    }

    /// Writes these status blocks. They follow from `journals`.
    pub(super) fn checkpoint(
        &self,
        overlay: StatusColumns,
        blocks: BTreeSet<usize>,
        rev: u64,
        journals: JournalHashes,
    ) {
        self.state.busy.store(true, Ordering::Release);
        let task = Checkpoint {
            overlay,
            blocks: blocks.clone(),
            rev,
            journals,
        };
        if !self.send(Task::Checkpoint(Box::new(task))) {
            self.state.unwritten.lock().extend(blocks);
            self.state.busy.store(false, Ordering::Release);
        }
    }

    /// Waits until everything is written. Returns the blocks that could not be written.
    pub(super) fn finish(&mut self) -> BTreeSet<usize> {
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        self.unwritten()
    }
}
