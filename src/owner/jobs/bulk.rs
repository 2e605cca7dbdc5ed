//! One verdict on many items, [`CHUNK`] at a time through the writer. Each chunk shares a sync, and
//! verdicts of other people are processed between chunks.

use std::sync::{Arc, mpsc};

use uuid::Uuid;

use crate::context::{OwnerContext, shutting_down};
use crate::dispatch::{Task, TaskContext};
use crate::queries;
use crate::visibility::AnnotatorView;
use crate::writer::{DecisionRequest, WriterCommand};
use benchtop_model::cancel::ProgressSink;
use benchtop_model::usage::Tally;
use benchtop_model::{Error, ErrorKind, Judgement, Result};
use benchtop_protocol::wire::{Bulked, Decide, Receipt, request};
use benchtop_store::ledger::Step;

/// Number of verdicts that share a sync, which is the writer's batch size.
const CHUNK: usize = 512;

impl Task for request::UndoBulk {
    fn run(self, task: TaskContext<'_>) -> Result<Bulked> {
        take_back(task.shared, task.who, (self.0, self.1), task.progress)
    }
}

impl Task for request::Bulk {
    fn run(self, task: TaskContext<'_>) -> Result<Bulked> {
        let (shared, who, bulk) = (task.shared, task.who, &self.0);
        let view = AnnotatorView::of(shared, who);
        let numbers = queries::numbers(&view, &bulk.filter)?;
        let mut done = Bulked::default();
        let mut rows = Vec::new();
        {
            let (ledger, data) = (shared.items.ledger(), shared.items.data());
            for row in numbers.into_iter().map(|n| n - 1) {
                if view.hides(row) {
                    done.in_rounds += 1;
                    continue;
                }
                done.items.add(data.overlay.status(row as usize));
                let same = |s: &benchtop_model::verdict::EffectiveVerdict| {
                    s.who == who && s.judgement.verdict == bulk.judgement.verdict
                };
                if ledger.effective_verdicts(row).iter().any(same) {
                    done.same += 1;
                } else {
                    rows.push((row, ledger.row_rev(row)));
                }
            }
        }
        done.judged = rows.len() as u64;
        if bulk.dry {
            return Ok(done);
        }
        if let Some(expected) = bulk.count
            && expected != done.judged
        {
            let what = format!(
                "the filter now matches {} items, not {expected}",
                done.judged
            );
            return Err(Error::conflict(what)
                .field("count")
                .help("check the items that the filter matches"));
        }
        let judged = judge(shared, who, rows, &bulk.judgement, task.progress)?;
        Ok(Bulked {
            judged: judged.judged,
            meanwhile: judged.meanwhile,
            revs: judged.revs,
            ..done
        })
    }
}

/// Gives one verdict on each of these rows, unless somebody has decided the item since its
/// revision.
///
/// # Errors
/// Errors of saving a verdict; [`ErrorKind::Cancelled`] with the number of verdicts given.
pub(super) fn judge(
    shared: &Arc<OwnerContext>,
    who: &str,
    rows: Vec<(u32, u64)>,
    judgement: &Judgement,
    watch: ProgressSink<'_>,
) -> Result<Bulked> {
    let mut done = Bulked::default();
    for chunk in rows.chunks(CHUNK) {
        watch
            .report("judging", done.judged, Some(rows.len() as u64))
            .map_err(|_| {
                let what = format!("canceled after {} items", done.judged);
                Error::cancelled(what).help("run `benchtop undo --count N` to undo them")
            })?;
        let (sender, receipts) = mpsc::channel();
        for (row, rev) in chunk {
            let (number, judgement) = (row + 1, judgement.clone());
            let decide = Decide {
                uuid: Uuid::now_v7(),
                number,
                expected: Some(*rev),
                judgement,
            };
            send(shared, who, DecisionRequest::Decide(decide), &sender)?;
        }
        drop(sender);
        for receipt in receipts {
            match receipt {
                Ok(receipt) => {
                    done.judged += 1;
                    let (first, last) = done.revs.unwrap_or((receipt.rev, receipt.rev));
                    done.revs = Some((first.min(receipt.rev), last.max(receipt.rev)));
                }
                // Somebody decided the item in the meantime. Their verdict counts.
                Err(problem) if problem.kind == ErrorKind::Conflict => done.meanwhile += 1,
                Err(problem) => return Err(problem),
            }
        }
    }
    Ok(done)
}

/// Queues a decision of `who` for the writer, which sends its receipt to `receipts`.
fn send(
    shared: &OwnerContext,
    who: &str,
    wish: DecisionRequest,
    receipts: &mpsc::Sender<Result<Receipt>>,
) -> Result<()> {
    let receipts = receipts.clone();
    shared.tell_writer(WriterCommand::Decide {
        who: who.to_string(),
        wish,
        asked: None,
        reply: Box::new(move |receipt| drop(receipts.send(receipt))),
    })
}

/// Checks that the last action of `who` is within these revisions.
///
/// # Errors
/// [`ErrorKind::Conflict`] otherwise.
pub(super) fn is_last(shared: &OwnerContext, who: &str, (first, last): (u64, u64)) -> Result<()> {
    match shared.items.ledger().undoable(who).map(|(step, _)| step) {
        Some(Step::Verdict(_, rev)) if (first..=last).contains(&rev) => Ok(()),
        _ => Err(
            Error::conflict("you have judged or edited other items since, or undone it")
                .help("undo the later actions first"),
        ),
    }
}

/// Undoes the decisions of `who` between two revisions, latest first, as long as they are the
/// latest ones.
///
/// # Errors
/// [`ErrorKind::Conflict`] if there are later actions; errors of saving an undo.
pub(super) fn take_back(
    shared: &Arc<OwnerContext>,
    who: &str,
    (first, last): (u64, u64),
    watch: ProgressSink<'_>,
) -> Result<Bulked> {
    let mut done = Bulked {
        items: Tally::default(),
        ..Bulked::default()
    };
    loop {
        let target = {
            let ledger = shared.items.ledger();
            ledger.undoable(who).map(|(step, _)| step)
        };
        match target {
            Some(Step::Verdict(_, rev)) if (first..=last).contains(&rev) => {}
            Some(step) if step.rev() > last && done.judged == 0 => {
                return Err(
                    Error::conflict("you have judged or edited other items since")
                        .help("undo those first, or undo items one by one"),
                );
            }
            _ => return Ok(done),
        }
        watch.report("undoing", done.judged, None).map_err(|_| {
            let what = format!("canceled after {} items were undone", done.judged);
            Error::cancelled(what)
        })?;
        let (sender, receipt) = mpsc::channel();
        send(shared, who, DecisionRequest::Undo(Uuid::now_v7()), &sender)?;
        drop(sender);
        receipt.recv().map_err(|_| shutting_down())??;
        done.judged += 1;
    }
}
