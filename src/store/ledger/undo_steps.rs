//! Undo and redo of an annotator: verdicts, text edits, and comments in one order.

use std::collections::HashSet;

use uuid::Uuid;

use super::comments::CommentStep;
use super::{Ledger, Person};
use benchtop_model::edit::{EditAct, EditMark};

/// A step that undo or redo would take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A verdict, by receipt and revision.
    Verdict(Uuid, u64),
    /// A text edit, by the revision of the project that it made.
    Edit(u64),
    /// An event of a comment, by receipt and revision.
    Comment(Uuid, u64),
}

impl Step {
    pub fn rev(self) -> u64 {
        match self {
            Step::Verdict(_, rev) | Step::Edit(rev) | Step::Comment(_, rev) => rev,
        }
    }
}

impl Ledger {
    /// The step that undo would take, and its row: the latest step of `who`.
    pub fn undoable(&self, who: &str) -> Option<(Step, u32)> {
        let person = self.person(who)?;
        let steps = self.last_steps(&person.done, &person.edits, &person.commented);
        steps.max_by_key(|(step, _)| step.rev())
    }

    /// The step that redo would take, and its row: the earliest undone step of `who`.
    pub fn redoable(&self, who: &str) -> Option<(Step, u32)> {
        let person = self.person(who)?;
        let steps = self.last_steps(&person.undone, &person.unedited, &person.uncommented);
        steps.min_by_key(|(step, _)| step.rev())
    }

    /// Whether `who` can undo the edit at revision `rev`, or redo it with `redo`.
    pub fn can_step(&self, who: &str, rev: u64, redo: bool) -> bool {
        let list = self
            .person(who)
            .map(|p| if redo { &p.unedited } else { &p.edits });
        list.is_some_and(|list| list.iter().any(|(of, _)| *of == rev))
    }

    /// The revision and row of an edit that was undone or redone, by the receipt of the undo or
    /// redo.
    pub fn edit_receipt(&self, uuid: &Uuid) -> Option<(u64, u32)> {
        self.edit_receipts.get(uuid).copied()
    }

    /// The last verdict, the last edit, and the last event of a comment of these lists.
    fn last_steps(
        &self,
        verdicts: &[u32],
        edits: &[(u64, u32)],
        comments: &[CommentStep],
    ) -> impl Iterator<Item = (Step, u32)> {
        let comment = |step: &CommentStep| (Step::Comment(step.uuid, step.rev), step.row);
        let comment = comments.last().map(comment);
        let verdict = verdicts.last().map(|index| self.verdict_step(*index));
        let edit = edits.last().map(|(rev, row)| (Step::Edit(*rev), *row));
        verdict.into_iter().chain(edit).chain(comment)
    }

    fn verdict_step(&self, index: u32) -> (Step, u32) {
        let given = &self.given[index as usize];
        (Step::Verdict(given.uuid, given.rev), given.row)
    }

    /// Updates the lists of edits that can be undone. A text that somebody else replaced can no
    /// longer be undone.
    pub(super) fn record_edit(&mut self, rows: &[u32], rev: u64, edit: Option<&EditMark>) {
        let by = edit.map(|mark| self.person_index(&mark.by));
        let changed: HashSet<u32> = match self
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
            .filter(|_| !changed.is_empty())
        {
            if by != Some(at) {
                person.edits.retain(|(_, row)| !changed.contains(row));
                person.unedited.retain(|(_, row)| !changed.contains(row));
            }
        }
        let (Some(mark), Some(by), Some(row)) = (edit, by, rows.first()) else {
            return;
        };
        let Person {
            edits,
            unedited,
            undone,
            uncommented,
            ..
        } = &mut self.people[by];
        let move_edit = |edit_rev: u64, from: &mut Vec<(u64, u32)>, to: &mut Vec<(u64, u32)>| {
            if let Some(at) = from.iter().rposition(|(rev, _)| *rev == edit_rev) {
                to.push(from.remove(at));
            }
        };
        match mark.act {
            EditAct::Edit => {
                edits.push((rev, *row));
                unedited.clear();
                undone.clear();
                uncommented.clear();
            }
            EditAct::Undo(of) => move_edit(of, edits, unedited),
            EditAct::Redo(of) => {
                move_edit(of, unedited, edits);
                edits.sort_unstable();
            }
        }
        self.edit_receipts
            .extend(mark.receipt.map(|receipt| (receipt, (rev, *row))));
    }
}
