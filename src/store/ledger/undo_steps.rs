//! What each person can take back, or bring back: verdicts and edits by hand, in one order.

use std::collections::HashSet;

use uuid::Uuid;

use super::{Ledger, Person};
use benchtop_model::edit::{EditAct, EditMark};

/// What a person's undo takes back, or their redo brings back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The verdict with this receipt, and its revision.
    Verdict(Uuid, u64),
    /// The edit by hand that was this revision of the project.
    Edit(u64),
}

impl Step {
    /// The revision of the project that it made.
    pub fn rev(self) -> u64 {
        match self {
            Step::Verdict(_, rev) | Step::Edit(rev) => rev,
        }
    }
}

impl Ledger {
    /// What undo would take back, and its row: the last that `who` did.
    pub fn undoable(&self, who: &str) -> Option<(Step, u32)> {
        let person = self.person(who)?;
        let verdict = person.done.last().map(|index| self.verdict_step(*index));
        let edit = person
            .edits
            .last()
            .map(|(rev, row)| (Step::Edit(*rev), *row));
        verdict
            .into_iter()
            .chain(edit)
            .max_by_key(|(step, _)| step.rev())
    }

    /// What redo would bring back, and its row: of what `who` took back the first that they had done.
    pub fn redoable(&self, who: &str) -> Option<(Step, u32)> {
        let person = self.person(who)?;
        let verdict = person.undone.last().map(|index| self.verdict_step(*index));
        let edit = person
            .unedited
            .last()
            .map(|(rev, row)| (Step::Edit(*rev), *row));
        verdict
            .into_iter()
            .chain(edit)
            .min_by_key(|(step, _)| step.rev())
    }

    /// Whether the edit at revision `rev` can be taken back by `who`, or with `redo` brought back.
    pub fn may_step(&self, who: &str, rev: u64, redo: bool) -> bool {
        let list = self
            .person(who)
            .map(|p| if redo { &p.unedited } else { &p.edits });
        list.is_some_and(|list| list.iter().any(|(of, _)| *of == rev))
    }

    /// The revision and row of an edit that was taken back or brought back, by the receipt of that.
    pub fn edit_receipt(&self, uuid: &Uuid) -> Option<(u64, u32)> {
        self.edit_receipts.get(uuid).copied()
    }

    fn verdict_step(&self, index: u32) -> (Step, u32) {
        let given = &self.given[index as usize];
        (Step::Verdict(given.uuid, given.rev), given.row)
    }

    /// Takes note of what can be taken back now: nobody takes back a text that somebody else has written over.
    pub(super) fn edited(&mut self, rows: &[u32], rev: u64, edit: Option<&EditMark>) {
        let by = edit.map(|mark| self.person_index(&mark.by));
        let over: HashSet<u32> = match self
            .people
            .iter()
            .any(|p| !p.edits.is_empty() || !p.unedited.is_empty())
        {
            true => rows.iter().copied().collect(),
            false => HashSet::new(),
        };
        for (at, person) in self
            .people
            .iter_mut()
            .enumerate()
            .filter(|_| !over.is_empty())
        {
            if by != Some(at) {
                person.edits.retain(|(_, row)| !over.contains(row));
                person.unedited.retain(|(_, row)| !over.contains(row));
            }
        }
        let (Some(mark), Some(by), Some(row)) = (edit, by, rows.first()) else {
            return;
        };
        let Person {
            edits,
            unedited,
            undone,
            ..
        } = &mut self.people[by];
        let pass = |of: u64, from: &mut Vec<(u64, u32)>, to: &mut Vec<(u64, u32)>| {
            if let Some(at) = from.iter().rposition(|(rev, _)| *rev == of) {
                to.push(from.remove(at));
            }
        };
        match mark.act {
            EditAct::Edit => {
                edits.push((rev, *row));
                unedited.clear();
                undone.clear();
            }
            EditAct::Undo(of) => pass(of, edits, unedited),
            EditAct::Redo(of) => {
                pass(of, unedited, edits);
                edits.sort_unstable();
            }
        }
        self.edit_receipts
            .extend(mark.receipt.map(|receipt| (receipt, (rev, *row))));
    }
}
