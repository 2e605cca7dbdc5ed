//! The writer thread, which alone makes decisions: drain the queue, append to the journals, sync,
//! check, apply, acknowledge, broadcast.
//!
//! sled is not on this path. The journals are the source of truth, so a decision costs one append
//! and one `fdatasync`. Status blocks follow as a checkpoint when the queue is idle, every
//! [`CHECKPOINT_EVERY`] decisions, and at the end. Another thread writes them ([`index_writer`]),
//! and yet another folds the journals after changes of rounds or items ([`rebuild`]).

mod command;
mod comment;
mod flush;
mod folding;
mod index_writer;
mod prepare;
mod rebuild;
mod record_pictures;
mod reread;
mod rounds;
mod syncers;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

pub use command::{
    DecisionRequest, MadePictures, MergedDecisions, Record, Reply, Revise, WriterCommand,
};
pub use rounds::load_rounds;

use super::context::OwnerContext;
use super::dispatch::Decision as Decided;
use benchtop_model::{Decision, Error};
use benchtop_protocol::wire::{ResumePoint, request};
use benchtop_store::columns::BLOCK_ROWS;
use benchtop_store::journal::Journal;
use benchtop_store::{open, pictures};
use folding::Folding;
use index_writer::IndexWriter;
use syncers::Syncers;

/// Decisions between checkpoints while the queue is never idle.
const CHECKPOINT_EVERY: usize = 50_000;
/// Time after which the queue counts as idle.
const IDLE: Duration = Duration::from_secs(2);
/// Maximum number of decisions in one sync.
const BATCH: usize = 512;

impl Decided for request::Decide {
    fn decision(self) -> DecisionRequest {
        DecisionRequest::Decide(self.0)
    }
}

impl Decided for request::Comment {
    fn decision(self) -> DecisionRequest {
        DecisionRequest::Comment(*self.0)
    }
}

impl Decided for request::Undo {
    fn decision(self) -> DecisionRequest {
        DecisionRequest::Undo(self.0)
    }
}

impl Decided for request::Redo {
    fn decision(self) -> DecisionRequest {
        DecisionRequest::Redo(self.0)
    }
}

struct Pending {
    decision: Decision,
    row: u32,
    reply: Reply,
    /// Set for decisions that are timed.
    times: Option<Times>,
}

/// Times of a decision before it is written.
#[derive(Clone, Copy)]
struct Times {
    locks: Duration,
    prepared: Instant,
}

struct Writer {
    shared: Arc<OwnerContext>,
    journals: HashMap<String, Journal>,
    syncers: Syncers,
    index_writer: IndexWriter,
    /// A fold in progress on another thread.
    folding: Option<Folding>,
    /// Commands that wait for the fold.
    later: VecDeque<WriterCommand>,
    /// Reason to reread the journals before the next decision.
    changed: Option<Error>,
    /// Annotators whose journal was reported as having several hard links.
    linked: BTreeSet<String>,
    /// Opened with the first picture.
    pictures: Option<pictures::Journal>,
    /// The picture journal changed since it was read at the start.
    reread: bool,
    /// Thread that writes the picture snapshot.
    keeping: Option<std::thread::JoinHandle<()>>,
    batch: Vec<Pending>,
    dirty: BTreeSet<usize>,
    since_checkpoint: usize,
    /// Reason why the journals could not be read. No decision is made then, because the state is
    /// unknown.
    unread: Option<Error>,
}

/// Runs until [`WriterCommand::Finish`] or until all senders are gone. The caller has set the
/// ledger. `stale` means that the status blocks in the store differ from this ledger. `unread` is
/// the reason why there is no ledger.
pub fn run(
    shared: Arc<OwnerContext>,
    queue: &mpsc::Receiver<WriterCommand>,
    stale: bool,
    unread: Option<Error>,
) {
    let mut writer = Writer {
        index_writer: IndexWriter::new(&shared),
        shared,
        journals: HashMap::new(),
        syncers: Syncers::default(),
        folding: None,
        later: VecDeque::new(),
        changed: None,
        linked: BTreeSet::new(),
        pictures: None,
        reread: false,
        keeping: None,
        batch: Vec::new(),
        dirty: BTreeSet::new(),
        since_checkpoint: 0,
        unread,
    };
    if stale {
        writer.all_dirty();
    }
    loop {
        let mut next = match queue.recv_timeout(writer.timeout()) {
            Ok(work) => Some(work),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                if !writer.finish_fold(false) {
                    writer.check_journals();
                    writer.checkpoint();
                    writer.keep_pictures();
                }
                continue;
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
        };
        let mut done = next.is_none();
        let mut finished = None;
        while let Some(work) = next {
            match work {
                WriterCommand::Decide {
                    who,
                    wish,
                    asked,
                    reply,
                } => writer.accept(who, wish, asked, reply),
                WriterCommand::Place { who, place } => writer.place(&who, &place),
                WriterCommand::Finish(sender) => {
                    finished = Some(sender);
                    done = true;
                }
                work => writer.run_exclusive(work),
            }
            next = if writer.batch.len() < BATCH {
                queue.try_recv().ok()
            } else {
                None
            };
        }
        writer.flush();
        writer.finish_fold(done);
        if done {
            writer.index_writer.wait();
        }
        if done || writer.since_checkpoint >= CHECKPOINT_EVERY {
            writer.checkpoint();
        }
        if done {
            writer.write_closing_snapshot();
            writer.end_keeping();
            writer.keep_pictures();
            writer.end_keeping();
        }
        drop(finished);
        if done {
            return;
        }
    }
}

impl Writer {
    /// Reason why no decision can be made now; `None` if one can.
    fn unavailable(&mut self) -> Option<Error> {
        let known = self
            .unread
            .clone()
            .or_else(|| self.shared.writable.may_write().err());
        known.or_else(|| self.read_again().err())
    }

    /// Time to wait for a command. Shorter during a fold, to notice its end.
    fn timeout(&self) -> Duration {
        if self.folding.is_some() {
            Duration::from_millis(5)
        } else {
            IDLE
        }
    }

    fn place(&self, who: &str, place: &ResumePoint) {
        if let (Ok(text), Ok(())) = (
            serde_json::to_string(place),
            self.shared.writable.may_write(),
        ) {
            self.shared.index.note_resume_point(who, &text);
            self.index_writer.places();
        }
    }

    /// Marks all blocks as unwritten, because the checkpoint must not vouch for blocks it has not
    /// seen.
    fn all_dirty(&mut self) {
        self.dirty
            .extend(0..self.shared.items.catalog().len().div_ceil(BLOCK_ROWS));
    }

    /// Writes the present statuses, with the journals that they follow from.
    fn checkpoint(&mut self) {
        if self.shared.writable.may_write().is_err() || !self.index_writer.is_free() {
            return;
        }
        self.dirty.extend(self.index_writer.unwritten());
        if self.dirty.is_empty() || self.changed.is_some() {
            return;
        }
        let (rev, journals) = {
            let ledger = self.shared.items.ledger();
            (
                ledger.rev(),
                open::journals_behind(&ledger, &self.shared.items.pictures()),
            )
        };
        let overlay = self.shared.items.data().overlay.clone();
        self.index_writer
            .checkpoint(overlay, std::mem::take(&mut self.dirty), rev, journals);
        self.since_checkpoint = 0;
    }

    /// Writes the file that the next start reads first. It names the journals, so it must be
    /// written last.
    fn write_closing_snapshot(&mut self) {
        let unwritten = self.index_writer.finish();
        if self.shared.writable.may_write().is_err() {
            return;
        }
        if self.unread.is_some()
            || self.changed.is_some()
            || !self.dirty.is_empty()
            || !unwritten.is_empty()
        {
            return;
        }
        let journals =
            open::journals_behind(&self.shared.items.ledger(), &self.shared.items.pictures());
        if let Err(problem) = self
            .shared
            .index
            .write_snapshot(&self.shared.items.data().overlay, &journals)
        {
            crate::log::write(format_args!(
                "cannot write the snapshot, so the next start will take longer: {problem}"
            ));
        }
    }
}
