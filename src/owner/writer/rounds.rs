//! The effects of rounds on a decision: its purpose, the status in its receipt, and its lease.

use super::{Pending, Writer};
use crate::clock::now;
use crate::context::OwnerContext;
use crate::visibility::AnnotatorView;
use benchtop_model::{Act, Judgement, Result, Status, status};
use benchtop_store::{Ledger, rounds};

impl Writer {
    /// Determines the purpose of a decision in its round, and takes the lease.
    pub(super) fn bind_to_round(
        &self,
        who: &str,
        row: u32,
        act: &mut Act,
        ledger: &Ledger,
    ) -> Result<()> {
        match act {
            Act::Judge(judgement) => self.shared.rounds.decide(who, row, judgement, now()),
            Act::Redo(target) => match ledger.judgement(target) {
                Some((row, judgement)) => self.shared.rounds.redo(who, row, judgement, now()),
                None => Ok(()),
            },
            Act::Undo(_) | Act::Comment(_) => Ok(()),
        }
    }

    /// Status in a receipt. While a round is blind for the annotator, it is the status of their own
    /// verdict alone, for items, probes, and repeats alike. The true status would reveal the
    /// verdicts of others, or which of these it is.
    pub(super) fn visible_status(
        &self,
        who: &str,
        row: u32,
        judgement: Option<&Judgement>,
        status: Status,
    ) -> Status {
        match judgement {
            Some(judgement) if self.shared.rounds.keeps(who, judgement) => {
                status::single(&[judgement.verdict])
            }
            _ if AnnotatorView::of(&self.shared, who).hides(row) => Status::Pending,
            _ => status,
        }
    }

    /// Releases the lease of a decision that could not be written.
    pub(super) fn release_lease(&self, pending: &Pending) {
        match &pending.decision.act {
            Act::Judge(judgement) => {
                self.shared
                    .rounds
                    .undone(&pending.decision.who, pending.row, judgement)
            }
            Act::Redo(target) => {
                if let Some((row, judgement)) = self.shared.items.ledger().judgement(target) {
                    self.shared
                        .rounds
                        .undone(&pending.decision.who, row, judgement);
                }
            }
            Act::Undo(_) | Act::Comment(_) => {}
        }
    }
}

/// Reads the rounds, with their verdicts from `ledger`. Returns notices.
pub fn load_rounds(shared: &OwnerContext, ledger: &Ledger) -> Vec<String> {
    match rounds::read(&shared.project) {
        Ok((rounds, _)) => shared.rounds.load(
            (rounds, shared.project.config().review.lease_minutes),
            &shared.items.catalog(),
            ledger,
        ),
        Err(problem) => vec![format!("cannot read the rounds: {problem}")],
    }
}
