//! Comments: the events of the threads. They change neither the status of an item nor its revision,
//! so a comment never gets in the way of a verdict.

use uuid::Uuid;

use super::{Change, Ledger};
use benchtop_model::comment::{Comment, CommentEvent, thread};
use benchtop_model::error_label::{ErrorLabel, labels};
use benchtop_model::{CommentAct, Decision, Error, Result};

/// An event that undo or redo would take: its receipt, its revision, and its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CommentStep {
    pub uuid: Uuid,
    pub rev: u64,
    pub row: u32,
}

impl Ledger {
    /// The rows with events of comments or error labels, in ascending order.
    pub fn commented_rows(&self) -> impl Iterator<Item = u32> {
        self.threads.keys().copied()
    }

    /// The comments on a row, oldest first, as far as they follow from the events that `sees`
    /// selects.
    pub fn comments(&self, row: u32, sees: impl Fn(&CommentEvent) -> bool) -> Vec<Comment> {
        let events = self.threads.get(&row).map_or(&[][..], Vec::as_slice);
        let visible: Vec<&CommentEvent> = events.iter().filter(|event| sees(event)).collect();
        thread(visible.into_iter())
    }

    /// The error labels on the answers to a row, by model and annotator.
    pub fn error_labels(&self, row: u32) -> Vec<ErrorLabel> {
        labels(self.threads.get(&row).into_iter().flatten())
    }

    /// Revision of the last verdict of `who` on a row that counts, in any part of a round; 0 without
    /// one.
    pub fn last_judged(&self, row: u32, who: &str) -> u64 {
        let own = |given: &&super::Given| {
            given.counts && self.people[usize::from(given.person)].name == who
        };
        let revs = self.verdicts_on(row).filter(own).map(|given| given.rev);
        revs.max().unwrap_or(0)
    }

    /// Whether this is the receipt of an event of a comment.
    pub fn is_of_comment(&self, uuid: &Uuid) -> bool {
        self.comment_receipts.contains(uuid)
    }

    /// Checks that undo and redo name an event that can be undone or redone. Events about comments
    /// that are not there change nothing.
    pub(super) fn check_comment(&self, who: &str, act: &CommentAct) -> Result<()> {
        let (of, word, undo) = match act {
            CommentAct::Undo { of } => (of, "undone", true),
            CommentAct::Redo { of } => (of, "redone", false),
            _ => return Ok(()),
        };
        let list = self
            .person(who)
            .map(|p| if undo { &p.commented } else { &p.uncommented });
        let found = list.is_some_and(|list| list.iter().any(|step| step.uuid == *of));
        let none = || Error::conflict(format!("no comment {of} of `{who}` can be {word}"));
        found.then_some(()).ok_or_else(none)
    }

    /// Applies an event to the thread of a row.
    pub(super) fn comment(
        &mut self,
        decision: &Decision,
        act: &CommentAct,
        row: u32,
    ) -> Result<Change> {
        self.check_comment(&decision.who, act)?;
        let at = self.person_index(&decision.who);
        let person = &mut self.people[at];
        let row = match act {
            CommentAct::Undo { of } | CommentAct::Redo { of } => {
                let undo = matches!(act, CommentAct::Undo { .. });
                let (from, to) = match undo {
                    true => (&mut person.commented, &mut person.uncommented),
                    false => (&mut person.uncommented, &mut person.commented),
                };
                let step = from.iter().rposition(|step| step.uuid == *of);
                let row = step.map(|at| from.remove(at)).map_or(row, |step| {
                    to.push(step);
                    step.row
                });
                let thread = self.threads.entry(row).or_default();
                for event in thread.iter_mut().filter(|event| event.uuid == *of) {
                    event.counts = !undo;
                }
                row
            }
            _ => {
                person.commented.push(CommentStep {
                    uuid: decision.uuid,
                    rev: decision.rev,
                    row,
                });
                person.uncommented.clear();
                person.undone.clear();
                person.unedited.clear();
                self.threads.entry(row).or_default().push(CommentEvent {
                    uuid: decision.uuid,
                    rev: decision.rev,
                    at: decision.at,
                    who: decision.who.clone(),
                    on: decision.on.clone(),
                    act: act.clone(),
                    counts: true,
                });
                row
            }
        };
        self.rev = self.rev.max(decision.rev);
        self.receipts.insert(decision.uuid, (decision.rev, row));
        self.comment_receipts.insert(decision.uuid);
        let status = self.status(row);
        Ok(Change { row, status })
    }
}
