//! The ledger: the fold over all journals. It knows which verdicts count and what each annotator
//! can undo.

mod comments;
mod rounds;
mod undo_steps;

use std::collections::{BTreeMap, HashMap, HashSet};

use uuid::Uuid;

use self::comments::CommentStep;
pub use self::rounds::CountedVerdict;
pub use self::undo_steps::Step;
use super::prefix_digest::PrefixDigests;
use super::status_columns::StatusColumns;
use benchtop_model::comment::CommentEvent;
use benchtop_model::edit::EditMark;
use benchtop_model::round::{Protocol, effective_verdicts};
use benchtop_model::verdict::{EffectiveVerdict, Part};
use benchtop_model::{Act, Decision, Error, Judgement, Result, Status};

/// A verdict, whether it still counts or not.
#[derive(Clone, Debug)]
struct Given {
    uuid: Uuid,
    rev: u64,
    at: i64,
    row: u32,
    person: u16,
    counts: bool,
    /// Whether the verdict was on an earlier text or picture. It never counts again.
    void: bool,
    judgement: Judgement,
}

#[derive(Clone, Debug, Default)]
struct Person {
    name: String,
    /// Verdicts that count, oldest first. Undo takes the last. Void verdicts stay until they are
    /// last, because removing each from a long list would make a large revision quadratic.
    done: Vec<u32>,
    /// Undone verdicts. Redo takes the last. A new verdict clears the list. Void verdicts stay as
    /// in `done`.
    undone: Vec<u32>,
    /// Own edits that can be undone, oldest first: revision and row. A later text by somebody else
    /// removes an edit.
    edits: Vec<(u64, u32)>,
    /// Own undone edits, as `undone`.
    unedited: Vec<(u64, u32)>,
    /// Own events of comments that can be undone, oldest first.
    commented: Vec<CommentStep>,
    /// Own undone events of comments, as `undone`.
    uncommented: Vec<CommentStep>,
}

/// The verdicts and revisions of a row.
#[derive(Clone, Debug, Default)]
struct RowState {
    /// Its verdicts in the order they were given.
    given: Vec<u32>,
    rev: u64,
    text: u64,
}

/// The effect of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    pub row: u32,
    /// The new status.
    pub status: Status,
}

/// The round of a verdict, or `None` outside of rounds, and its part in the round.
fn group(given: &Given) -> (Option<&str>, Part) {
    let asked = given.judgement.round.as_ref();
    (
        asked.map(|asked| asked.round.as_str()),
        asked.map_or(Part::Main, |asked| asked.part),
    )
}

/// The protocols that turn verdicts into a status.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Protocol outside of rounds.
    pub outside: Protocol,
    /// Protocol of each round.
    pub rounds: HashMap<String, Protocol>,
    /// Rows of the other rotations, by round and by the row that is judged for all of them.
    pub rotations: HashMap<String, HashMap<u32, Vec<u32>>>,
}

/// All decisions of a project, folded in revision order.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// Digests of the journals and rounds behind the fold.
    pub digests: PrefixDigests,
    /// Number of decisions on items that the project does not have.
    pub orphans: u64,
    rules: Rules,
    rev: u64,
    given: Vec<Given>,
    receipts: HashMap<Uuid, (u64, u32)>,
    /// Revisions and rows of undone and redone edits, by the receipt of the undo or redo.
    edit_receipts: HashMap<Uuid, (u64, u32)>,
    by_row: HashMap<u32, RowState>,
    /// The events of the threads, by row, in the order of the decisions.
    threads: BTreeMap<u32, Vec<CommentEvent>>,
    /// Receipts of events of comments.
    comment_receipts: HashSet<Uuid>,
    people: Vec<Person>,
}

impl Ledger {
    pub fn new(rules: Rules) -> Ledger {
        Ledger {
            rules,
            ..Ledger::default()
        }
    }

    pub fn rev(&self) -> u64 {
        self.rev
    }

    /// Number of folded decisions, including undos and redos.
    pub fn decisions(&self) -> usize {
        self.receipts.len()
    }

    /// The revision and row of a folded decision, by its receipt.
    pub fn receipt(&self, uuid: &Uuid) -> Option<(u64, u32)> {
        self.receipts.get(uuid).copied()
    }

    pub fn counts(&self, uuid: &Uuid) -> bool {
        let Some((_, row)) = self.receipt(uuid) else {
            return false;
        };
        self.verdicts_on(row)
            .any(|given| given.uuid == *uuid && given.counts)
    }

    pub fn voided(&self) -> impl Iterator<Item = Uuid> {
        self.given
            .iter()
            .filter(|given| given.void)
            .map(|given| given.uuid)
    }

    fn person(&self, who: &str) -> Option<&Person> {
        self.people.iter().find(|p| p.name == who)
    }

    fn person_index(&mut self, who: &str) -> usize {
        self.people
            .iter()
            .position(|p| p.name == who)
            .unwrap_or_else(|| {
                self.people.push(Person {
                    name: who.to_string(),
                    ..Person::default()
                });
                self.people.len() - 1
            })
    }

    /// Checks whether `decision` can be applied, without applying it. A line that is written to a
    /// journal must replay.
    ///
    /// # Errors
    /// [`Error::conflict`] for an undo or redo that is not possible.
    pub fn check(&self, decision: &Decision) -> Result<()> {
        match &decision.act {
            Act::Judge(_) => Ok(()),
            Act::Undo(target) => self.toggle_target(&decision.who, target, true).map(|_| ()),
            Act::Redo(target) => self.toggle_target(&decision.who, target, false).map(|_| ()),
            Act::Comment(act) => self.check_comment(&decision.who, act),
        }
    }

    fn toggle_target(&self, who: &str, target: &Uuid, counts: bool) -> Result<u32> {
        let person = self.person(who);
        let list = person.map(|p| if counts { &p.done } else { &p.undone });
        let is_target =
            |i: &&u32| self.given[**i as usize].uuid == *target && !self.given[**i as usize].void;
        let found = list.and_then(|l| l.iter().rev().find(is_target));
        found.copied().ok_or_else(|| {
            let word = if counts { "undone" } else { "redone" };
            Error::conflict(format!("no verdict {target} of `{who}` can be {word}"))
        })
    }

    /// Applies `decision` to the item in `row`. A receipt that was already applied changes nothing.
    ///
    /// # Errors
    /// See [`check`](Self::check).
    pub fn apply(&mut self, decision: &Decision, row: u32) -> Result<Change> {
        if let Some((_, row)) = self.receipt(&decision.uuid) {
            return Ok(Change {
                row,
                status: self.status(row),
            });
        }
        let row = match &decision.act {
            Act::Judge(judgement) => {
                let index = self.given.len() as u32;
                let person = self.person_index(&decision.who);
                self.given.push(Given {
                    uuid: decision.uuid,
                    rev: decision.rev,
                    at: decision.at,
                    row,
                    person: person as u16,
                    counts: true,
                    void: false,
                    judgement: judgement.clone(),
                });
                self.by_row.entry(row).or_default().given.push(index);
                for other in self.rotations(judgement, row).to_vec() {
                    self.by_row.entry(other).or_default().given.push(index);
                }
                self.people[person].done.push(index);
                self.people[person].undone.clear();
                self.people[person].unedited.clear();
                self.people[person].uncommented.clear();
                row
            }
            Act::Comment(act) => return self.comment(decision, act, row),
            Act::Undo(target) | Act::Redo(target) => {
                let undo = matches!(decision.act, Act::Undo(_));
                let index = self.toggle_target(&decision.who, target, undo)?;
                let person = self.person_index(&decision.who);
                let person = &mut self.people[person];
                let (from, to) = if undo {
                    (&mut person.done, &mut person.undone)
                } else {
                    (&mut person.undone, &mut person.done)
                };
                if let Some(at) = from.iter().rposition(|i| *i == index) {
                    from.remove(at);
                }
                to.push(index);
                self.given[index as usize].counts = !undo;
                self.drop_void_tails(self.given[index as usize].person);
                self.given[index as usize].row
            }
        };
        self.rev = self.rev.max(decision.rev);
        for row in self.with_rotations(row) {
            if let Some(touched) = self.by_row.get_mut(&row) {
                touched.rev = touched.rev.max(decision.rev);
            }
        }
        self.receipts.insert(decision.uuid, (decision.rev, row));
        Ok(Change {
            row,
            status: self.status(row),
        })
    }

    /// Records that these rows have another text or picture since revision `rev`. Unless `keeps` is
    /// set, earlier verdicts no longer count and can be neither undone nor redone. `edit` names the
    /// author of a text that a person edited.
    pub fn revise(&mut self, rows: &[u32], rev: u64, keeps: bool, edit: Option<&EditMark>) {
        self.rev = self.rev.max(rev);
        self.record_edit(rows, rev, edit);
        for row in rows {
            let touched = self.by_row.entry(*row).or_default();
            touched.rev = touched.rev.max(rev);
            touched.text = touched.text.max(rev);
            if keeps {
                continue;
            }
            for index in touched.given.drain(..) {
                let given = &mut self.given[index as usize];
                // On another rotation, the verdict still counts.
                if given.row == *row {
                    (given.counts, given.void) = (false, true);
                }
            }
        }
        (0..self.people.len()).for_each(|person| self.drop_void_tails(person as u16));
    }

    /// Removes void verdicts from the ends of a person's lists, so that the last entry of each can
    /// be undone or redone.
    fn drop_void_tails(&mut self, person: u16) {
        let Person { done, undone, .. } = &mut self.people[usize::from(person)];
        for list in [done, undone] {
            while list.last().is_some_and(|i| self.given[*i as usize].void) {
                list.pop();
            }
        }
    }

    /// Revision of the last decision on a row, or 0.
    pub fn row_rev(&self, row: u32) -> u64 {
        self.by_row.get(&row).map_or(0, |t| t.rev)
    }

    /// Revision of the last text or picture of a row, or 0 for the original.
    pub fn text_rev(&self, row: u32) -> u64 {
        self.by_row.get(&row).map_or(0, |t| t.text)
    }

    /// The row and judgement of the verdict with this receipt.
    pub fn judgement(&self, uuid: &Uuid) -> Option<(u32, &Judgement)> {
        let (_, row) = self.receipt(uuid)?;
        let given = self.verdicts_on(row).find(|given| given.uuid == *uuid)?;
        Some((row, &given.judgement))
    }

    /// The other rows that a judgement on `row` applies to.
    fn rotations(&self, judgement: &Judgement, row: u32) -> &[u32] {
        let round = judgement
            .round
            .as_ref()
            .and_then(|asked| self.rules.rotations.get(&asked.round));
        round
            .and_then(|rows| rows.get(&row))
            .map_or(&[], Vec::as_slice)
    }

    /// A row and the rows that share its verdicts in `round`.
    pub fn rotations_in(&self, round: &str, row: u32) -> Vec<u32> {
        let others = self
            .rules
            .rotations
            .get(round)
            .and_then(|rows| rows.get(&row))
            .map_or(&[][..], Vec::as_slice);
        std::iter::once(row).chain(others.iter().copied()).collect()
    }

    /// A row and the rows that share its verdicts in any round.
    pub fn with_rotations(&self, row: u32) -> Vec<u32> {
        let others = self
            .rules
            .rotations
            .values()
            .filter_map(|rows| rows.get(&row))
            .flatten();
        std::iter::once(row).chain(others.copied()).collect()
    }

    /// Whether the verdict with this receipt was given on this row itself and not on another
    /// rotation.
    pub fn was_given_on(&self, uuid: &Uuid, row: u32) -> bool {
        self.receipt(uuid).is_some_and(|(_, on)| on == row)
    }

    fn verdicts_on(&self, row: u32) -> impl Iterator<Item = &Given> {
        let touched = self
            .by_row
            .get(&row)
            .map(|t| &t.given)
            .into_iter()
            .flatten();
        touched.map(|index| &self.given[*index as usize])
    }

    /// Effective verdicts on a row: the last of each annotator, in each round and outside of
    /// rounds, in the order they were given.
    pub fn effective_verdicts(&self, row: u32) -> Vec<EffectiveVerdict> {
        self.effective_given(row)
            .into_iter()
            .map(|g| EffectiveVerdict {
                uuid: g.uuid,
                rev: g.rev,
                at: g.at,
                who: self.people[usize::from(g.person)].name.clone(),
                judgement: g.judgement.clone(),
            })
            .collect()
    }

    /// Effective verdicts on a row. Verdicts that do not decide, such as repeats, are left out.
    fn effective_given(&self, row: u32) -> Vec<&Given> {
        let mut last: Vec<&Given> = Vec::new();
        for given in self.verdicts_on(row).filter(|given| given.counts) {
            let (round, part) = group(given);
            if part.decides() {
                let adjudicates = |part: Part| part == Part::Adjudication;
                last.retain(|g| {
                    let (theirs, other) = group(g);
                    g.person != given.person
                        || theirs != round
                        || adjudicates(other) != adjudicates(part)
                });
                last.push(given);
            }
        }
        last
    }

    /// The status of a row; see [`effective_verdicts::status_of`].
    pub fn status(&self, row: u32) -> Status {
        let counts = self.verdicts_on(row).filter(|given| given.counts);
        let given: Vec<effective_verdicts::EffectiveVerdict<'_>> = counts
            .map(|given| effective_verdicts::EffectiveVerdict {
                person: &self.people[usize::from(given.person)].name,
                verdict: given.judgement.verdict,
                asked: given.judgement.round.as_ref(),
                order: given.rev,
            })
            .collect();
        effective_verdicts::status_of(
            &given,
            |name| self.rules.rounds.get(name).copied(),
            self.rules.outside,
        )
        .status
    }

    /// Rows with verdicts, in ascending order.
    pub fn judged_rows(&self) -> Vec<u32> {
        let mut rows: Vec<u32> = self.by_row.keys().copied().collect();
        rows.sort_unstable();
        rows
    }

    /// All effective verdicts, by row and then in the order they were given.
    pub fn all_effective_verdicts(&self) -> Vec<(u32, EffectiveVerdict)> {
        let own = |row: u32| {
            self.effective_verdicts(row)
                .into_iter()
                .filter(move |s| self.was_given_on(&s.uuid, row))
                .map(move |s| (row, s))
        };
        self.judged_rows().into_iter().flat_map(own).collect()
    }

    /// Writes the status columns of all rows with decisions.
    pub fn write_over(&self, overlay: &mut StatusColumns) {
        for row in self.by_row.keys() {
            self.write_row(*row, overlay);
        }
    }

    /// Writes the status columns of a row and of the rotations that share its verdicts. Returns
    /// these rows.
    pub fn write_rows(&self, row: u32, overlay: &mut StatusColumns) -> Vec<u32> {
        let rows = self.with_rotations(row);
        rows.iter().for_each(|row| self.write_row(*row, overlay));
        rows
    }

    pub fn write_row(&self, row: u32, overlay: &mut StatusColumns) {
        let at = row as usize;
        if at >= overlay.len() {
            return;
        }
        let effective = self.effective_given(row);
        overlay.status[at] = self.status(row).code();
        overlay.judged[at] = effective.last().map_or(0, |g| g.at);
    }
}

#[cfg(test)]
mod tests;
