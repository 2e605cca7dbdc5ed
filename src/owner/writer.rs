//! The only thread that decides: drain the queue, append to the journals, one sync, apply, acknowledge, broadcast.
//!
//! sled is not on this path. The journals are the truth, so a decision costs one append and one `fdatasync`; the status
//! blocks follow as a checkpoint when the queue is idle, every [`CHECKPOINT_EVERY`] decisions, and at the end.

mod made;
mod rounds;
mod whole;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, mpsc};
use std::time::Duration;

pub use made::MadePictures;
pub use rounds::load_rounds;
use uuid::Uuid;

use super::state::Shared;
use super::wire::{Decide, Event, Place, Receipt};
use crate::model::{Act, Decision, Kind, Problem, Result};
use crate::store::columns::BLOCK_ROWS;
use crate::store::journal::Journal;
use crate::store::open::Recorded;
use crate::store::{open, pictures};

/// Decisions between checkpoints while the queue is never idle.
const CHECKPOINT_EVERY: usize = 50_000;
/// The queue counts as idle after this long.
const IDLE: Duration = Duration::from_secs(2);
/// Most decisions that share one sync.
const BATCH: usize = 512;

/// Gives the answer back to whoever asked. Must not block.
pub type Reply = Box<dyn FnOnce(Result<Receipt>) + Send>;

/// What a person wants decided.
#[derive(Debug)]
pub enum Wish {
    /// A verdict.
    Decide(Decide),
    /// Take back the last verdict that counts.
    Undo(Uuid),
    /// Bring back the last verdict that was undone.
    Redo(Uuid),
}

/// Work for the writer.
pub enum Work {
    /// A decision of `who`.
    Wish {
        /// The annotator.
        who: String,
        /// What is wanted.
        wish: Wish,
        /// Where the receipt goes.
        reply: Reply,
    },
    /// Remember where `who` is.
    Place {
        /// The annotator.
        who: String,
        /// Where.
        place: Place,
    },
    /// Items were added: fold the journals again if some decisions had no item.
    Imported,
    /// Items get later texts: what was said of the earlier ones ends to count at a revision that this thread gives out.
    Revise(Revise),
    /// Pictures were made: they are recorded at a revision that this thread gives out, and verdicts on what was there
    /// before them end to count.
    Made(MadePictures),
    /// Rounds were made or closed: read them and fold the journals again.
    Rounds(mpsc::Sender<()>),
    /// Decisions from other machines: they are appended and all journals folded again.
    Join(Join),
    /// Write the checkpoint and end; the sender waits for the other end to close.
    Finish(mpsc::Sender<()>),
}

/// See [`Work::Join`].
pub struct Join {
    /// The decisions, by annotator.
    pub fresh: BTreeMap<String, Vec<Decision>>,
    /// Where the outcome goes: they are on disk and count.
    pub reply: mpsc::Sender<Result<()>>,
}

/// Makes revised items part of the project under the revision it is given.
pub type Record = Box<dyn FnOnce(u64) -> Result<Recorded> + Send>;

/// See [`Work::Revise`].
pub struct Revise {
    /// Writes the manifest line.
    pub record: Record,
    /// Rows whose verdicts no longer count.
    pub changed: Vec<u32>,
    /// Rows whose verdicts count all the same.
    pub kept: Vec<u32>,
    /// Where the outcome goes: what is still to be entered in the index.
    pub reply: mpsc::Sender<Result<Recorded>>,
}

/// The current time in milliseconds since 1970.
pub fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

struct Pending {
    decision: Decision,
    row: u32,
    reply: Reply,
}

struct Writer {
    shared: Arc<Shared>,
    journals: HashMap<String, Journal>,
    /// Open from the first picture on.
    pictures: Option<pictures::Journal>,
    /// What was read of it at the start is no longer all of it.
    reread: bool,
    /// What writes the index over them.
    keeping: Option<std::thread::JoinHandle<()>>,
    batch: Vec<Pending>,
    dirty: BTreeSet<usize>,
    since_checkpoint: usize,
    /// Why the journals could not be read: then nothing is decided, since nobody knows what was.
    unread: Option<Problem>,
}

/// Runs until [`Work::Finish`] or until every sender is gone. The caller has put the ledger in place; `stale` says that
/// the status blocks in the store are not those of this ledger, `unread` why there is no ledger.
pub fn run(shared: Arc<Shared>, queue: &mpsc::Receiver<Work>, stale: bool, unread: Option<Problem>) {
    let mut writer = Writer {
        shared,
        journals: HashMap::new(),
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
        let mut next = match queue.recv_timeout(IDLE) {
            Ok(work) => Some(work),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                writer.checkpoint();
                writer.keep_pictures();
                continue;
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
        };
        let mut done = next.is_none();
        let mut finished = None;
        while let Some(work) = next {
            match work {
                Work::Wish { who, wish, reply } => writer.take(who, wish, reply),
                Work::Place { who, place } => writer.place(&who, &place),
                Work::Imported => writer.imported(),
                Work::Join(join) => writer.join(&join),
                Work::Rounds(done) => {
                    writer.imported();
                    let _ = done.send(());
                }
                Work::Revise(revise) => writer.revise(revise),
                Work::Made(made) => writer.made(made),
                Work::Finish(sender) => {
                    finished = Some(sender);
                    done = true;
                }
            }
            next = if writer.batch.len() < BATCH { queue.try_recv().ok() } else { None };
        }
        writer.flush();
        if done || writer.since_checkpoint >= CHECKPOINT_EVERY {
            writer.checkpoint();
        }
        if done {
            writer.leave();
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
    fn take(&mut self, who: String, wish: Wish, reply: Reply) {
        if let Some(problem) = self.unread.clone().or_else(|| self.shared.may_write().err()) {
            return reply(Err(problem));
        }
        // What depends on decisions of this very batch must see them applied.
        let depends = match &wish {
            Wish::Decide(d) => {
                let repeated = |p: &Pending| p.decision.uuid == d.uuid || p.row + 1 == d.number;
                self.batch.iter().any(repeated)
            }
            Wish::Undo(_) | Wish::Redo(_) => true,
        };
        if depends {
            self.flush();
        }
        match self.prepare(who, wish) {
            Ok(Ok((decision, row))) => self.batch.push(Pending { decision, row, reply }),
            Ok(Err(receipt)) => reply(Ok(receipt)),
            Err(problem) => reply(Err(problem)),
        }
    }

    /// The decision to write, or the receipt of one that is written already.
    fn prepare(&self, who: String, wish: Wish) -> Result<std::result::Result<(Decision, u32), Receipt>> {
        let ledger = self.shared.ledger();
        let uuid = match &wish {
            Wish::Decide(d) => d.uuid,
            Wish::Undo(uuid) | Wish::Redo(uuid) => *uuid,
        };
        if let Some((rev, row)) = ledger.receipt(&uuid) {
            let said = ledger.judgement(&uuid).map(|(_, judgement)| judgement);
            let status = self.told(&who, row, said, ledger.status(row));
            return Ok(Err(Receipt { uuid, rev, number: row + 1, status }));
        }
        let nothing = |word: &str| Problem::new(Kind::Conflict, format!("you have nothing to {word}"));
        let (row, mut act) = match wish {
            Wish::Decide(decide) => (self.decidable(&who, &decide, &ledger)?, Act::Judge(decide.judgement)),
            Wish::Undo(_) => {
                let (target, row) = ledger.undoable(&who).ok_or_else(|| nothing("undo"))?;
                (row, Act::Undo(target))
            }
            Wish::Redo(_) => {
                let (target, row) = ledger.redoable(&who).ok_or_else(|| nothing("redo"))?;
                (row, Act::Redo(target))
            }
        };
        let rev = ledger.rev().max(self.batch.last().map_or(0, |p| p.decision.rev)) + 1;
        let item = self.shared.pictures().seen(&self.shared.catalog(), row as usize)?;
        let on = matches!(act, Act::Judge(_)).then(|| item.digest());
        // Last, since it takes the lease: nothing after it may fail but the journal.
        self.enter(&who, row, &mut act, &ledger)?;
        Ok(Ok((Decision { uuid, rev, at: now(), who, item: item.id, on, act }, row)))
    }

    fn decidable(&self, who: &str, decide: &Decide, ledger: &crate::store::Ledger) -> Result<u32> {
        let none = || Problem::new(Kind::NotFound, format!("there is no item #{}", decide.number));
        let row = decide.number.checked_sub(1).ok_or_else(none)?;
        if row as usize >= self.shared.data().catalog.len() {
            return Err(none());
        }
        let known = &self.shared.project.config().review.reasons;
        if let Some(reason) = decide.judgement.reasons.iter().find(|r| !known.iter().any(|k| k.key == **r)) {
            let keys: Vec<&str> = known.iter().map(|k| k.key.as_str()).collect();
            return Err(Problem::new(Kind::Input, format!("`{reason}` is not a reason of this project"))
                .field("reasons")
                .help(format!("benchtop.toml declares: {}", keys.join(", "))));
        }
        // In a round everybody judges on their own: only another text or picture is in the way, and who said what is not
        // told. Outside, a round may still ask for the item.
        let in_round = decide.judgement.asked.is_some();
        if !in_round {
            self.shared.rounds.outside(who, row, &decide.judgement)?;
        }
        let rev = if in_round { ledger.text_rev(row) } else { ledger.row_rev(row) };
        match decide.expected {
            Some(expected) if expected != rev => {
                let last = if in_round { None } else { ledger.standing(row).pop() };
                let nothing = "its verdict was taken back, or its text or picture is another now";
                let said = last.map_or(nothing.into(), |s| format!("{} said {}", s.who, s.judgement.verdict.name()));
                Err(Problem::new(Kind::Conflict, format!("#{} changed while you looked: {said}", decide.number))
                    .help("look again, then decide again"))
            }
            _ => Ok(row),
        }
    }

    fn flush(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        if let Err(problem) = self.shared.at_home() {
            *self.shared.read_only() = Some(problem.to_string());
            for pending in std::mem::take(&mut self.batch) {
                self.unsaid(&pending);
                (pending.reply)(Err(problem.clone()));
            }
            return;
        }
        let mut by_person: BTreeMap<String, Vec<Pending>> = BTreeMap::new();
        for pending in self.batch.drain(..) {
            by_person.entry(pending.decision.who.clone()).or_default().push(pending);
        }
        for (who, pendings) in by_person {
            let decisions: Vec<Decision> = pendings.iter().map(|p| p.decision.clone()).collect();
            match append(&mut self.journals, &self.shared, &who, &decisions) {
                Ok(()) => {
                    *self.shared.read_only() = None;
                    pendings.into_iter().for_each(|p| self.apply(p));
                }
                Err(problem) => {
                    *self.shared.read_only() = Some(problem.to_string());
                    // Open it anew next time: its length on disk is what counts.
                    self.journals.remove(&who);
                    for pending in pendings {
                        self.unsaid(&pending);
                        (pending.reply)(Err(problem.clone()));
                    }
                }
            }
        }
    }

    fn apply(&mut self, pending: Pending) {
        let Pending { decision, row, reply } = pending;
        let mut ledger = self.shared.ledger_mut();
        let change = match ledger.apply(&decision, row) {
            Ok(change) => change,
            Err(problem) => return reply(Err(problem)),
        };
        if let Act::Undo(target) = &decision.act
            && let Some((row, judgement)) = ledger.judgement(target)
        {
            self.shared.rounds.undone(&decision.who, row, judgement);
        }
        ledger.write_row(change.row, &mut self.shared.data_mut().overlay);
        drop(ledger);
        self.dirty.insert(change.row as usize / BLOCK_ROWS);
        self.since_checkpoint += 1;
        let receipt = Receipt { uuid: decision.uuid, rev: decision.rev, number: change.row + 1, status: change.status };
        let said = match &decision.act {
            Act::Judge(judgement) => Some(judgement),
            Act::Undo(_) | Act::Redo(_) => None,
        };
        reply(Ok(Receipt { status: self.told(&decision.who, change.row, said, change.status), ..receipt.clone() }));
        self.shared.tell(Event::Verdict { who: decision.who, receipt });
    }

    fn place(&self, who: &str, place: &Place) {
        if let Ok(text) = serde_json::to_string(place)
            && let Err(problem) = self.shared.index.set_place(who, &text)
        {
            crate::owner::log::write(format_args!("where {who} is could not be remembered: {problem}"));
        }
    }

    /// The checkpoint must not vouch for blocks it has not seen.
    fn all_dirty(&mut self) {
        self.dirty.extend(0..self.shared.catalog().len().div_ceil(BLOCK_ROWS));
    }

    fn checkpoint(&mut self) {
        if self.dirty.is_empty() || self.shared.may_write().is_err() {
            return;
        }
        let journals = open::journals(&self.shared.project);
        let rev = self.shared.ledger().rev();
        let overlay = self.shared.data().overlay.clone();
        let blocks: Vec<usize> = self.dirty.iter().copied().collect();
        let written =
            journals.and_then(|journals| self.shared.index.write_checkpoint(&overlay, &blocks, rev, journals));
        match written {
            Ok(()) => {
                self.dirty.clear();
                self.since_checkpoint = 0;
            }
            // Nothing is lost: the journals are replayed instead.
            Err(problem) => crate::owner::log::write(format_args!("the checkpoint could not be written: {problem}")),
        }
    }
}

impl Writer {
    /// What the next opening reads first; it names the journals, so it must be the last thing written.
    fn leave(&self) {
        if self.unread.is_some() || !self.dirty.is_empty() || self.shared.may_write().is_err() {
            return;
        }
        let data = self.shared.data();
        let left =
            open::journals(&self.shared.project).and_then(|journals| self.shared.index.leave(&data.overlay, &journals));
        if let Err(problem) = left {
            crate::owner::log::write(format_args!("the next start will take longer: {problem}"));
        }
    }
}

fn append(journals: &mut HashMap<String, Journal>, shared: &Shared, who: &str, decisions: &[Decision]) -> Result<()> {
    if !journals.contains_key(who) {
        journals.insert(who.to_string(), Journal::open(&shared.project.sessions(), who)?);
    }
    match journals.get_mut(who) {
        Some(journal) => journal.append(decisions),
        None => Err(Problem::new(Kind::Io, "the journal is not open")),
    }
}
