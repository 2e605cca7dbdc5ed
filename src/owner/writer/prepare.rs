//! Prepares decisions: checks each against what counts, and gives it its revision.

use std::time::{Duration, Instant};

use super::{Pending, Times, Writer};
use crate::clock::now;
use crate::jobs::{self, StepEdit};
use crate::latency::Step;
use crate::writer::command::{DecisionRequest, Reply};
use benchtop_model::{Act, Decision, Error, ErrorKind, Result};
use benchtop_protocol::wire::{Decide, Receipt};
use benchtop_store::ledger::Step as LastStep;

/// What is done in place of a decision.
enum Other {
    /// It is written already.
    Receipt(Receipt),
    /// A text goes back or forth.
    Edit(StepEdit),
}

impl Writer {
    pub(super) fn take(
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
        // What depends on decisions of this very batch must see them applied.
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
            // Found out while the decisions before it were written.
            return self.take(who, wish, asked, reply);
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
            Ok(Err(Other::Receipt(receipt))) => reply(Ok(receipt)),
            Ok(Err(Other::Edit(step))) => jobs::step_edit(&self.shared, step, reply),
            Err(problem) => reply(Err(problem)),
        }
    }

    /// The decision to write, or what is done in its place.
    fn prepare(
        &self,
        who: String,
        wish: DecisionRequest,
        locks: &mut Duration,
    ) -> Result<std::result::Result<(Decision, u32), Other>> {
        let began = Instant::now();
        let ledger = self.shared.items.ledger();
        *locks = began.elapsed();
        let uuid = match &wish {
            DecisionRequest::Decide(d) => d.uuid,
            DecisionRequest::Undo(uuid) | DecisionRequest::Redo(uuid) => *uuid,
        };
        if let Some((rev, row)) = ledger.receipt(&uuid) {
            let said = ledger.judgement(&uuid).map(|(_, judgement)| judgement);
            let status = self.told(&who, row, said, ledger.status(row));
            return Ok(Err(Other::Receipt(Receipt {
                uuid,
                rev,
                number: row + 1,
                status,
                edit: false,
            })));
        }
        if let Some((rev, row)) = ledger.edit_receipt(&uuid) {
            let status = self.told(&who, row, None, ledger.status(row));
            return Ok(Err(Other::Receipt(Receipt {
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
                        return Ok(Err(Other::Edit(StepEdit {
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
                        return Ok(Err(Other::Edit(StepEdit {
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
        // Last, since it takes the lease: nothing after it may fail but the journal.
        self.enter(&who, row, &mut act, &ledger)?;
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
                format!("there is no item #{}", decide.number),
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
            return Err(Error::new(
                ErrorKind::Input,
                format!("`{reason}` is not a reason of this project"),
            )
            .field("reasons")
            .help(format!("benchtop.toml declares: {}", keys.join(", "))));
        }
        // In a round everybody judges on their own: only another text or picture is in the way, and who said what is not
        // told. Outside, a round may still ask for the item.
        let in_round = decide.judgement.round.is_some();
        if !in_round {
            self.shared.rounds.outside(who, row, &decide.judgement)?;
        } else if decide.expected.is_some() {
            // A script may revise; a screen that shows an item to be judged means its first verdict.
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
                let nothing = "its verdict was taken back, or its text or picture is another now";
                let said = last.map_or(nothing.into(), |s| {
                    format!("{} said {}", s.who, s.judgement.verdict.name())
                });
                Err(Error::new(
                    ErrorKind::Conflict,
                    format!("#{} changed while you looked: {said}", decide.number),
                )
                .help("look again, then decide again"))
            }
            _ => Ok(row),
        }
    }
}
