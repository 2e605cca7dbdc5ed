//! Commands that affect all items: folding all journals again, and revising items.
//!
//! Folding many verdicts takes seconds. It runs on its own thread, over the decisions acknowledged
//! at its start. Later decisions are then added, and the result replaces the previous state.

use super::command::{MergedDecisions, Revise, WriterCommand};
use super::folding::{Folding, Then};
use super::{Writer, load_rounds};
use crate::priority;
use benchtop_model::{Decision, Error, Result};
use benchtop_protocol::wire::Event;
use benchtop_store::{journal, open};

/// Decisions per append when journals are merged, so that decisions of people get in between.
const JOINED: usize = 2000;

impl Writer {
    /// Runs a command that affects all items, after a fold in progress.
    pub(super) fn run_exclusive(&mut self, work: WriterCommand) {
        self.flush();
        if self.folding.is_some() || !self.later.is_empty() {
            return self.later.push_back(work);
        }
        match work {
            WriterCommand::Imported => self.imported(),
            WriterCommand::Merge(join) => self.join(join),
            WriterCommand::Rounds(done) => self.fold(Then::Rounds(done)),
            WriterCommand::Revise(revise) => self.revise(revise),
            WriterCommand::RecordPictures(made) => self.made(made),
            WriterCommand::Decide { .. }
            | WriterCommand::Place { .. }
            | WriterCommand::Finish(_) => {}
        }
    }

    /// Applies a finished fold and runs the commands that waited for it. With `wait`, waits for the
    /// fold. Returns whether a fold is still in progress.
    pub(super) fn finish_fold(&mut self, wait: bool) -> bool {
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
            self.run_exclusive(work);
            self.later.extend(later);
        }
    }

    /// Items were added. The statuses are unchanged, unless decisions or rounds refer to the new
    /// items.
    fn imported(&mut self) {
        self.all_dirty();
        if self.unread.is_none()
            && (self.shared.items.ledger().orphans > 0 || self.shared.rounds.lacking())
        {
            self.fold(Then::Nothing);
        }
    }

    /// Starts to fold the acknowledged decisions.
    fn fold(&mut self, then: Then) {
        if self.unread.is_some() || self.read_again().is_err() {
            return then.tell();
        }
        let shared = self.shared.clone();
        // Copied before the next decision. Pictures wait for the fold, see `run_exclusive`.
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
                    .push(format!("cannot fold the journals: {error}"));
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
            .unwrap_or_else(|_| Err(Error::input("folding the journals panicked")));
        match outcome {
            Ok((mut ledger, mut overlay)) => {
                overlay.grow(self.shared.items.catalog().len());
                for (decision, row) in since {
                    ledger.digests.add(&decision.who, &journal::text(&decision));
                    // A decision that cannot be applied was refused at the time.
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
                    // Replace all statuses, because some verdicts may no longer count.
                    data.overlay = overlay;
                    *current = ledger;
                }
                self.all_dirty();
            }
            Err(problem) => {
                self.changed.get_or_insert(problem);
                // The next decision reports the error.
                let _ = self.read_again();
            }
        }
        if matches!(then, Then::Joined(..)) {
            self.shared.broadcast.send(Event::Resync);
        }
        then.tell();
    }

    /// Appends one journal after the other. After an interruption, merging the same files again
    /// adds the rest.
    fn join(&mut self, join: MergedDecisions) {
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

    /// Appends decisions from other machines. They count after the fold.
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
                    .is_some_and(|journal| journal.must_reopen())
                {
                    self.changed.get_or_insert_with(|| problem.clone());
                }
            }
        }
        appended
    }

    /// Assigns one revision between the last decision on the earlier texts and the first on the
    /// later ones.
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
            // All clients must request everything on screen again.
            self.shared.broadcast.send(Event::Resync);
            // The index was rewritten, which discarded its checkpoint.
            self.all_dirty();
        }
        // The revision counts even if nobody waits for the reply.
        let _ = revise.reply.send(recorded);
    }
}
