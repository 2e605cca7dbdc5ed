//! Work on everything at once: all journals folded again, items under later texts.
//!
//! A fold of many verdicts takes seconds. It runs on a thread of its own, over what is acknowledged when it begins, while
//! decisions go on; those are then folded in too, and the outcome takes the place of what was there.

use super::command::{Join, Revise, WriterCommand};
use super::folding::{Folding, Then};
use super::{Writer, load_rounds};
use crate::priority;
use benchtop_model::{Decision, Error, Result};
use benchtop_protocol::wire::Event;
use benchtop_store::{journal, open};

/// Decisions appended at a time when journals are merged: those of people get between.
const JOINED: usize = 2000;

impl Writer {
    /// Work on everything, one after the other; it waits for a fold under way.
    pub(super) fn on_everything(&mut self, work: WriterCommand) {
        self.flush();
        if self.folding.is_some() || !self.later.is_empty() {
            return self.later.push_back(work);
        }
        match work {
            WriterCommand::Imported => self.imported(),
            WriterCommand::Join(join) => self.join(join),
            WriterCommand::Rounds(done) => self.fold(Then::Rounds(done)),
            WriterCommand::Revise(revise) => self.revise(revise),
            WriterCommand::Made(made) => self.made(made),
            WriterCommand::Wish { .. } | WriterCommand::Place { .. } | WriterCommand::Finish(_) => {
            }
        }
    }

    /// Takes in a fold that is over, and goes on with what waited for it. `wait` waits for it. Returns whether one is
    /// still under way.
    pub(super) fn settle(&mut self, wait: bool) -> bool {
        loop {
            if let Some(folding) = self.folding.take() {
                if !wait && !folding.thread.is_finished() {
                    self.folding = Some(folding);
                    return true;
                }
                self.folded(folding);
            }
            let Some(work) = self.later.pop_front() else {
                return false;
            };
            let later = std::mem::take(&mut self.later);
            self.on_everything(work);
            self.later.extend(later);
        }
    }

    /// Items were added. Statuses follow from what they followed from, unless decisions or rounds waited for these items.
    fn imported(&mut self) {
        self.all_dirty();
        if self.unread.is_none()
            && (self.shared.items.ledger().orphans > 0 || self.shared.rounds.lacking())
        {
            self.fold(Then::Nothing);
        }
    }

    /// Begins to fold what is acknowledged.
    fn fold(&mut self, then: Then) {
        if self.unread.is_some() || self.read_again().is_err() {
            return then.tell();
        }
        let shared = self.shared.clone();
        // Taken before anything else is decided. Pictures wait for the fold, see `on_everything`.
        let (known, catalog) = (
            shared.items.ledger().digests.clone(),
            shared.items.catalog(),
        );
        let work = move || {
            priority::lower_thread_priority();
            let pictures = shared.items.pictures().clone();
            open::fold_known(&shared.project, &catalog, &pictures, &known)
        };
        match std::thread::Builder::new().name("fold".into()).spawn(work) {
            Ok(thread) => {
                self.folding = Some(Folding {
                    thread,
                    since: Vec::new(),
                    then,
                })
            }
            Err(error) => {
                self.shared
                    .broadcast
                    .notices()
                    .push(format!("the journals could not be folded: {error}"));
                then.tell();
            }
        }
    }

    fn folded(&mut self, folding: Folding) {
        let Folding {
            thread,
            since,
            then,
        } = folding;
        let outcome = thread
            .join()
            .unwrap_or_else(|_| Err(Error::input("the fold of the journals panicked")));
        match outcome {
            Ok((mut ledger, mut overlay)) => {
                overlay.grow(self.shared.items.catalog().len());
                for (decision, row) in since {
                    ledger.digests.add(&decision.who, &journal::text(&decision));
                    // What cannot be folded in was refused there too.
                    if let Ok(change) = ledger.apply(&decision, row) {
                        ledger.write_rows(change.row, &mut overlay);
                    }
                }
                let found = load_rounds(&self.shared, &ledger);
                self.shared.broadcast.notices().extend(found);
                {
                    let mut current = self.shared.items.ledger_mut();
                    let mut data = self.shared.items.data_mut();
                    overlay.grow(data.catalog.len());
                    // A verdict may have ended to count: what it had written must go too.
                    data.overlay = overlay;
                    *current = ledger;
                }
                self.all_dirty();
            }
            Err(problem) => {
                self.changed.get_or_insert(problem);
                // What keeps it from being read is told to whoever decides next.
                let _ = self.read_again();
            }
        }
        if matches!(then, Then::Joined(..)) {
            self.shared.broadcast.tell(Event::Resync);
        }
        then.tell();
    }

    /// A journal at a time: what an interruption leaves out is added when the same files are merged again.
    fn join(&mut self, join: Join) {
        let mut outcome = self.unread.clone().map_or_else(|| self.read_again(), Err);
        for (who, decisions) in &join.fresh {
            for some in decisions.chunks(JOINED) {
                if outcome.is_ok() {
                    outcome = self.add(who, some);
                }
            }
        }
        self.fold(Then::Joined(join.reply, outcome));
    }

    /// Appends decisions of other machines; they count once the journals are folded.
    fn add(&mut self, who: &str, decisions: &[Decision]) -> Result<()> {
        let appended = self
            .journal(who)
            .and_then(|journal| journal.append(decisions));
        match &appended {
            Ok(()) => {
                let mut ledger = self.shared.items.ledger_mut();
                decisions
                    .iter()
                    .for_each(|decision| ledger.digests.add(who, &journal::text(decision)));
            }
            Err(problem) => {
                if self
                    .journals
                    .remove(who)
                    .is_some_and(|journal| journal.lost())
                {
                    self.changed.get_or_insert_with(|| problem.clone());
                }
            }
        }
        appended
    }

    /// Between the last decision on the earlier texts and the first on the later ones there is this revision alone.
    fn revise(&mut self, revise: Revise) {
        if let Some(problem) = self.unread.clone().or_else(|| self.read_again().err()) {
            let _ = revise.reply.send(Err(problem));
            return;
        }
        let rev = self.shared.items.ledger().rev() + 1;
        let recorded = (revise.record)(rev);
        if let Ok(recorded) = &recorded {
            let mut ledger = self.shared.items.ledger_mut();
            ledger.revise(&revise.changed, rev, false, revise.edit.as_ref());
            ledger.revise(&revise.kept, rev, true, None);
            let mut data = self.shared.items.data_mut();
            data.catalog = recorded.catalog.clone();
            revise
                .changed
                .iter()
                .for_each(|row| ledger.write_row(*row, &mut data.overlay));
            drop((ledger, data));
            let rows: Vec<u32> = revise.changed.iter().chain(&revise.kept).copied().collect();
            if self.shared.rounds.lacking() || self.shared.rounds.have(&rows) {
                let found = load_rounds(&self.shared, &self.shared.items.ledger());
                self.shared.broadcast.notices().extend(found);
            }
            // Every client looks again at what it shows.
            self.shared.broadcast.tell(Event::Resync);
            // The index was written anew, and its checkpoint went with that.
            self.all_dirty();
        }
        // Nobody waits any more: it is done all the same.
        let _ = revise.reply.send(recorded);
    }
}
