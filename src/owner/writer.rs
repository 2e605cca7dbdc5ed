//! The writer thread, which alone makes decisions: drain the queue, append to the journals, sync,
//! check, apply, acknowledge, broadcast.
//!
//! sled is not on this path. The journals are the source of truth, so a decision costs one append
//! and one `fdatasync`. Status blocks follow as a checkpoint when the queue is idle, every
//! [`CHECKPOINT_EVERY`] decisions, and at the end. Another thread writes them ([`index_writer`]),
//! and yet another folds the journals after changes of rounds or items ([`rebuild`]).

mod flush;
mod index_writer;
mod rebuild;
mod record_pictures;
mod reread;
mod rounds;
mod syncers;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

pub use record_pictures::MadePictures;
pub use rounds::load_rounds;
use uuid::Uuid;

use super::clock::now;
use super::context::OwnerContext;
use super::dispatch::Decision as Decided;
use super::jobs::{self, StepEdit};
use super::latency::Step;
use benchtop_model::edit::EditMark;
use benchtop_model::{Act, Decision, Error, ErrorKind, Result};
use benchtop_protocol::wire::{Decide, Receipt, ResumePoint, request};
use benchtop_store::columns::BLOCK_ROWS;
use benchtop_store::journal::Journal;
use benchtop_store::ledger::Step as LastStep;
use benchtop_store::open::Recorded;
use benchtop_store::{open, pictures};
use index_writer::IndexWriter;
use rebuild::Folding;
use syncers::Syncers;

/// Decisions between checkpoints while the queue is never idle.
const CHECKPOINT_EVERY: usize = 50_000;
/// Time after which the queue counts as idle.
const IDLE: Duration = Duration::from_secs(2);
/// Maximum number of decisions in one sync.
const BATCH: usize = 512;

/// Sends the result to the caller. Must not block.
pub type Reply = Box<dyn FnOnce(Result<Receipt>) + Send>;

/// A decision to make.
#[derive(Debug)]
pub enum DecisionRequest {
    Decide(Decide),
    /// Undo the last effective verdict or edit.
    Undo(Uuid),
    /// Redo the last undo.
    Redo(Uuid),
}

impl Decided for request::Decide {
    fn decision(self) -> DecisionRequest {
        DecisionRequest::Decide(self.0)
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

/// A command for the writer thread.
pub enum WriterCommand {
    /// A decision of `who`.
    Wish {
        who: String,
        wish: DecisionRequest,
        /// Time of the request, for [`OwnerContext::latency`]. `None` for bulk decisions, which are
        /// not timed.
        asked: Option<Instant>,
        /// Receives the receipt.
        reply: Reply,
    },
    /// Save the resume point of `who`.
    Place { who: String, place: ResumePoint },
    /// Items were added. Folds the journals again if some decisions had no item.
    Imported,
    /// Items get new texts. Verdicts on the earlier texts stop counting at a revision that this
    /// thread assigns.
    Revise(Revise),
    /// Record generated pictures at a revision that this thread assigns. Verdicts on the earlier
    /// pictures stop counting.
    Made(MadePictures),
    /// Rounds were created or closed. Rereads them and folds the journals again.
    Rounds(mpsc::Sender<()>),
    /// Append decisions from other machines and fold all journals again.
    Join(Join),
    /// Write the checkpoint and end. The sender is dropped at the end.
    Finish(mpsc::Sender<()>),
}

/// See [`WriterCommand::Join`].
pub struct Join {
    /// Decisions by annotator.
    pub fresh: BTreeMap<String, Vec<Decision>>,
    /// Receives the result when the decisions are on disk and count.
    pub reply: mpsc::Sender<Result<()>>,
}

/// Adds revised items to the project under the given revision.
pub type Record = Box<dyn FnOnce(u64) -> Result<Recorded> + Send>;

/// See [`WriterCommand::Revise`].
pub struct Revise {
    /// Writes the manifest line.
    pub record: Record,
    /// Rows whose verdicts no longer count.
    pub changed: Vec<u32>,
    /// Rows whose verdicts still count.
    pub kept: Vec<u32>,
    /// Set for manual edits.
    pub edit: Option<EditMark>,
    /// Receives the result, which must then be added to the index.
    pub reply: mpsc::Sender<Result<Recorded>>,
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

/// Action in place of a new decision.
enum Instead {
    /// The decision is on disk already.
    Receipt(Receipt),
    /// Undo or redo of an edit.
    Edit(StepEdit),
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
        let mut next = match queue.recv_timeout(writer.patience()) {
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
                WriterCommand::Wish {
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
    fn patience(&self) -> Duration {
        if self.folding.is_some() {
            Duration::from_millis(5)
        } else {
            IDLE
        }
    }

    fn accept(&mut self, who: String, wish: DecisionRequest, asked: Option<Instant>, reply: Reply) {
        let taken = Instant::now();
        if let Some(problem) = self.unavailable() {
            return reply(Err(problem));
        }
        // A decision that depends on others of this batch must see them applied.
        let depends = match &wish {
            DecisionRequest::Decide(d) => {
                let repeated = |p: &Pending| p.decision.uuid == d.uuid || p.row + 1 == d.number;
                self.batch.iter().any(repeated)
            }
            DecisionRequest::Undo(_) | DecisionRequest::Redo(_) => true,
        };
        if depends {
            self.flush();
        }
        if self.changed.is_some() {
            // A journal changed while earlier decisions were written.
            return self.accept(who, wish, asked, reply);
        }
        let mut locks = Duration::ZERO;
        match self.prepare(who, wish, &mut locks) {
            Ok(Ok((decision, row))) => {
                let times = asked.map(|asked| {
                    let prepared = Instant::now();
                    self.shared
                        .latency
                        .record(Step::Queue, taken.duration_since(asked));
                    self.shared.latency.record(
                        Step::Prepare,
                        prepared.duration_since(taken).saturating_sub(locks),
                    );
                    Times { locks, prepared }
                });
                self.batch.push(Pending {
                    decision,
                    row,
                    reply,
                    times,
                });
            }
            Ok(Err(Instead::Receipt(receipt))) => reply(Ok(receipt)),
            Ok(Err(Instead::Edit(step))) => jobs::step_edit(&self.shared, step, reply),
            Err(problem) => reply(Err(problem)),
        }
    }

    /// The decision to write, or the action in its place.
    fn prepare(
        &self,
        who: String,
        wish: DecisionRequest,
        locks: &mut Duration,
    ) -> Result<std::result::Result<(Decision, u32), Instead>> {
        let began = Instant::now();
        let ledger = self.shared.items.ledger();
        *locks = began.elapsed();
        let uuid = match &wish {
            DecisionRequest::Decide(d) => d.uuid,
            DecisionRequest::Undo(uuid) | DecisionRequest::Redo(uuid) => *uuid,
        };
        if let Some((rev, row)) = ledger.receipt(&uuid) {
            let judgement = ledger.judgement(&uuid).map(|(_, judgement)| judgement);
            let status = self.visible_status(&who, row, judgement, ledger.status(row));
            return Ok(Err(Instead::Receipt(Receipt {
                uuid,
                rev,
                number: row + 1,
                status,
                edit: false,
            })));
        }
        if let Some((rev, row)) = ledger.edit_receipt(&uuid) {
            let status = self.visible_status(&who, row, None, ledger.status(row));
            return Ok(Err(Instead::Receipt(Receipt {
                uuid,
                rev,
                number: row + 1,
                status,
                edit: true,
            })));
        }
        let nothing =
            |word: &str| Error::new(ErrorKind::Conflict, format!("you have nothing to {word}"));
        let (row, mut act) = match wish {
            DecisionRequest::Decide(decide) => (
                self.decidable(&who, &decide, &ledger)?,
                Act::Judge(decide.judgement),
            ),
            DecisionRequest::Undo(_) => {
                match ledger.undoable(&who).ok_or_else(|| nothing("undo"))? {
                    (LastStep::Verdict(target, _), row) => (row, Act::Undo(target)),
                    (LastStep::Edit(rev), row) => {
                        return Ok(Err(Instead::Edit(StepEdit {
                            who,
                            uuid,
                            rev,
                            row,
                            redo: false,
                        })));
                    }
                }
            }
            DecisionRequest::Redo(_) => {
                match ledger.redoable(&who).ok_or_else(|| nothing("redo"))? {
                    (LastStep::Verdict(target, _), row) => (row, Act::Redo(target)),
                    (LastStep::Edit(rev), row) => {
                        return Ok(Err(Instead::Edit(StepEdit {
                            who,
                            uuid,
                            rev,
                            row,
                            redo: true,
                        })));
                    }
                }
            }
        };
        let rev = ledger
            .rev()
            .max(self.batch.last().map_or(0, |p| p.decision.rev))
            + 1;
        let began = Instant::now();
        let catalog = self.shared.items.catalog();
        let pictures = self.shared.items.pictures();
        *locks += began.elapsed();
        let item = pictures.seen(&catalog, row as usize)?;
        drop(pictures);
        let on = matches!(act, Act::Judge(_)).then(|| item.digest());
        if let Act::Judge(judgement) = &mut act {
            self.shared.rounds.answers(&item, judgement)?;
        }
        // Last, because it takes the lease: after this, only writing the journal may fail.
        self.bind_to_round(&who, row, &mut act, &ledger)?;
        Ok(Ok((
            Decision {
                uuid,
                rev,
                at: now(),
                who,
                item: item.id,
                on,
                act,
            },
            row,
        )))
    }

    fn decidable(
        &self,
        who: &str,
        decide: &Decide,
        ledger: &benchtop_store::Ledger,
    ) -> Result<u32> {
        let none = || {
            Error::new(
                ErrorKind::NotFound,
                format!("unknown item #{}", decide.number),
            )
        };
        let row = decide.number.checked_sub(1).ok_or_else(none)?;
        if row as usize >= self.shared.items.data().catalog.len() {
            return Err(none());
        }
        let known = &self.shared.config().review.reasons;
        if let Some(reason) = decide
            .judgement
            .reasons
            .iter()
            .find(|r| !known.iter().any(|k| k.key == **r))
        {
            let keys: Vec<&str> = known.iter().map(|k| k.key.as_str()).collect();
            return Err(
                Error::new(ErrorKind::Input, format!("unknown reason `{reason}`"))
                    .field("reasons")
                    .help(format!("reasons in benchtop.toml: {}", keys.join(", "))),
            );
        }
        // In a round, annotators judge independently: only a changed text or picture is a conflict,
        // and the verdicts of others are not revealed. Outside rounds, a round may still reserve
        // the item.
        let in_round = decide.judgement.round.is_some();
        if !in_round {
            self.shared.rounds.outside(who, row, &decide.judgement)?;
        } else if decide.expected.is_some() {
            // Scripts may revise a verdict. A screen that shows the item expects to give the first
            // one.
            self.shared.rounds.is_first(who, row, &decide.judgement)?;
        }
        let rev = if in_round {
            ledger.text_rev(row)
        } else {
            ledger.row_rev(row)
        };
        match decide.expected {
            Some(expected) if expected != rev => {
                let last = if in_round {
                    None
                } else {
                    ledger.standing(row).pop()
                };
                let other = "its verdict was undone, or its text or picture changed";
                let change = last.map_or(other.into(), |s| {
                    format!("{} gave {}", s.who, s.judgement.verdict.name())
                });
                Err(Error::new(
                    ErrorKind::Conflict,
                    format!("#{} changed while you looked: {change}", decide.number),
                )
                .help("review the item, then decide again"))
            }
            _ => Ok(row),
        }
    }

    fn place(&self, who: &str, place: &ResumePoint) {
        if let (Ok(text), Ok(())) = (
            serde_json::to_string(place),
            self.shared.writable.may_write(),
        ) {
            self.shared.index.note_place(who, &text);
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
                open::followed(&ledger, &self.shared.items.pictures()),
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
        let journals = open::followed(&self.shared.items.ledger(), &self.shared.items.pictures());
        if let Err(problem) = self
            .shared
            .index
            .leave(&self.shared.items.data().overlay, &journals)
        {
            crate::log::write(format_args!(
                "cannot write the snapshot, so the next start will take longer: {problem}"
            ));
        }
    }
}
