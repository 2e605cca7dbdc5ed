//! Prepares decisions: checks each against what counts, and gives it its revision.

use std::time::{Duration, Instant};

use super::{Pending, Times, Writer};
use crate::clock::now;
use crate::jobs::{self, StepEdit};
use crate::latency::Step;
use crate::writer::command::{DecisionRequest, Reply};
use benchtop_model::config::Reason;
use benchtop_model::{Act, CommentAct, Decision, Error, Result, mark};
use benchtop_protocol::wire::{Decide, Receipt};
use benchtop_store::ledger::Step as LastStep;

/// Action in place of a new decision.
enum Instead {
    /// The decision is on disk already.
    Receipt(Receipt),
    /// Undo or redo of an edit.
    Edit(StepEdit),
}

impl Writer {
    pub(super) fn accept(
        &mut self,
        who: String,
        wish: DecisionRequest,
        asked: Option<Instant>,
        reply: Reply,
    ) {
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
            // It may be about a comment of this batch.
            DecisionRequest::Comment(_) | DecisionRequest::Undo(_) | DecisionRequest::Redo(_) => {
                true
            }
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
            DecisionRequest::Comment(comment) => comment.uuid,
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
                comment: ledger.is_of_comment(&uuid),
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
                comment: false,
            })));
        }
        let nothing = |word: &str| Error::conflict(format!("you have nothing to {word}"));
        let redo = matches!(wish, DecisionRequest::Redo(_));
        let (row, mut act) = match wish {
            DecisionRequest::Decide(decide) => (
                self.decidable(&who, &decide, &ledger)?,
                Act::Judge(decide.judgement),
            ),
            DecisionRequest::Comment(comment) => (
                self.commentable(&who, &comment, &ledger)?,
                Act::Comment(comment.act),
            ),
            DecisionRequest::Undo(_) | DecisionRequest::Redo(_) => {
                let (step, word) = match redo {
                    true => (ledger.redoable(&who), "redo"),
                    false => (ledger.undoable(&who), "undo"),
                };
                match step.ok_or_else(|| nothing(word))? {
                    (LastStep::Verdict(target, _), row) if redo => (row, Act::Redo(target)),
                    (LastStep::Verdict(target, _), row) => (row, Act::Undo(target)),
                    (LastStep::Comment(of, _), row) if redo => {
                        (row, Act::Comment(CommentAct::Redo { of }))
                    }
                    (LastStep::Comment(of, _), row) => (row, Act::Comment(CommentAct::Undo { of })),
                    (LastStep::Edit(rev), row) => {
                        return Ok(Err(Instead::Edit(StepEdit {
                            who,
                            uuid,
                            rev,
                            row,
                            redo,
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
        let item = pictures.shown_item(&catalog, row as usize)?;
        drop(pictures);
        let is_on_item = matches!(
            act,
            Act::Judge(_)
                | Act::Comment(
                    CommentAct::Write { .. } | CommentAct::Edit { .. } | CommentAct::Label { .. }
                )
        );
        let on = is_on_item.then(|| item.digest());
        match &mut act {
            Act::Judge(judgement) => {
                mark::check(&judgement.marks, item.images.len())?;
                self.shared.rounds.answers(&item, judgement)?;
            }
            Act::Comment(comment) => comment.check(item.images.len())?,
            Act::Undo(_) | Act::Redo(_) => {}
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
        let row = self.shared.items.data().catalog.row(decide.number)?;
        let review = &self.shared.config().review;
        are_known("reason", &decide.judgement.reasons, &review.reasons)?;
        are_known("tag", &decide.judgement.tags, &review.tags)?;
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
                    ledger.effective_verdicts(row).pop()
                };
                let other = "its verdict was undone, or its text or picture changed";
                let change = last.map_or(other.into(), |s| {
                    format!("{} gave {}", s.who, s.judgement.verdict.name())
                });
                Err(Error::conflict(format!(
                    "#{} changed while you looked: {change}",
                    decide.number
                ))
                .help("review the item, then decide again"))
            }
            _ => Ok(row),
        }
    }
}

/// Checks that these keys of reasons, tags, or errors are in `benchtop.toml`.
pub(super) fn are_known(what: &str, keys: &[String], known: &[Reason]) -> Result<()> {
    let is_known = |key: &String| known.iter().any(|reason| reason.key == *key);
    let Some(unknown) = keys.iter().find(|key| !is_known(key)) else {
        return Ok(());
    };
    let help = match known {
        [] => format!("benchtop.toml has no {what}s; list some as `{what}s` below `[review]`"),
        known => {
            let keys: Vec<&str> = known.iter().map(|reason| reason.key.as_str()).collect();
            format!("{what}s in benchtop.toml: {}", keys.join(", "))
        }
    };
    Err(Error::input(format!("unknown {what} `{unknown}`"))
        .field(format!("{what}s"))
        .help(help))
}
