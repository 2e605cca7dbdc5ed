//! What rounds have to do with a decision: what it is for, what its receipt may tell, and what becomes of its lease.

use super::{Pending, Writer};
use crate::clock::now;
use crate::context::OwnerContext;
use crate::visibility::AnnotatorView;
use benchtop_model::{Act, Judgement, Result, Status, status};
use benchtop_store::{Ledger, rounds};

impl Writer {
    /// Makes out what a decision on a row is for in its round, and takes the lease.
    pub(super) fn enter(&self, who: &str, row: u32, act: &mut Act, ledger: &Ledger) -> Result<()> {
        match act {
            Act::Judge(judgement) => self.shared.rounds.decide(who, row, judgement, now()),
            Act::Redo(target) => match ledger.judgement(target) {
                Some((row, judgement)) => self.shared.rounds.redo(who, row, judgement, now()),
                None => Ok(()),
            },
            Act::Undo(_) => Ok(()),
        }
    }

    /// The status that a receipt tells. While a round is blind for somebody it is that of their own verdict alone, of an
    /// item, a probe and a repeat alike: the true one would tell what others said, or which of these it is.
    pub(super) fn told(
        &self,
        who: &str,
        row: u32,
        said: Option<&Judgement>,
        status: Status,
    ) -> Status {
        match said {
            Some(judgement) if self.shared.rounds.keeps(who, judgement) => {
                status::single(&[judgement.verdict])
            }
            _ if AnnotatorView::of(&self.shared, who).veils(row) => Status::Pending,
            _ => status,
        }
    }

    /// What could not be written was not said: its round gives the item out again.
    pub(super) fn unsaid(&self, pending: &Pending) {
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
            Act::Undo(_) => {}
        }
    }
}

/// Reads the rounds as `ledger` has their verdicts; gives what a person should know.
pub fn load_rounds(shared: &OwnerContext, ledger: &Ledger) -> Vec<String> {
    match rounds::read(&shared.project) {
        Ok((rounds, _)) => shared.rounds.load(
            (rounds, shared.project.config().review.lease_minutes),
            &shared.items.catalog(),
            ledger,
        ),
        Err(problem) => vec![format!("the rounds cannot be read: {problem}")],
    }
}
