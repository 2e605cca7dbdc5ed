//! Dysca's cleaning step 4: rejects the items of failing terms, by verdicts that can be undone.

use std::sync::Arc;

use super::bulk;
use crate::context::OwnerContext;
use crate::dispatch::{Task, TaskContext};
use crate::visibility::AnnotatorView;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::usage::DiscardResult;
use benchtop_model::{Judgement, Result, Seen, Status, Verdict};
use benchtop_protocol::wire::request;

/// The reason of discarded items, if the project has it. Their note starts with it in any case.
pub const PRUNED: &str = "vocabulary-pruned";

impl Task for request::Discard {
    fn run(self, task: TaskContext<'_>) -> Result<DiscardResult> {
        let (shared, who, watch) = (task.shared, task.who, task.progress);
        let (mut done, rows) = find(shared, who, &self.terms, watch)?;
        if !self.dry {
            done.rejected =
                bulk::judge(shared, who, rows, &judgement(shared, &self.terms), watch)?.judged;
        }
        Ok(done)
    }
}

/// The items with any of these terms: counts, and the rows to reject with their revisions.
///
/// # Errors
/// Fails if any of them is hidden from `who`.
pub(super) fn find(
    shared: &Arc<OwnerContext>,
    who: &str,
    terms: &[(String, String)],
    watch: ProgressSink<'_>,
) -> Result<(DiscardResult, Vec<(u32, u64)>)> {
    let held = shared.metadata.now(shared)?;
    watch.report("discarding", 0, None)?;
    let usage = shared.metadata.usage(shared, watch.cancel)?;
    let rows = usage.rows_with(held.compiled(), terms);
    // The number of rejected items would reveal verdicts.
    let view = AnnotatorView::of(shared, who);
    rows.iter().try_for_each(|row| view.check_item(*row + 1))?;
    let mut done = DiscardResult::default();
    let (ledger, data) = (shared.items.ledger(), shared.items.data());
    rows.iter()
        .for_each(|row| done.items.add(data.overlay.status(*row as usize)));
    let stands = |row: &u32| data.overlay.status(*row as usize) != Status::Rejected;
    let standing: Vec<(u32, u64)> = rows
        .into_iter()
        .filter(stands)
        .map(|row| (row, ledger.row_rev(row)))
        .collect();
    done.rejected = standing.len() as u64;
    Ok((done, standing))
}

/// The verdict on items of these terms.
pub(super) fn judgement(shared: &OwnerContext, terms: &[(String, String)]) -> Judgement {
    let known = &shared.config().review.reasons;
    let reasons: Vec<String> = known
        .iter()
        .filter(|r| r.key == PRUNED)
        .map(|r| r.key.clone())
        .collect();
    Judgement {
        reasons,
        note: Some(note(terms)),
        ..Judgement::new(Verdict::Reject, Seen::Script)
    }
}

/// The note of the verdict: the terms, as far as they fit on a line.
fn note(terms: &[(String, String)]) -> String {
    const NAMED: usize = 8;
    let named: Vec<String> = terms
        .iter()
        .take(NAMED)
        .map(|(v, t)| format!("{v} `{t}`"))
        .collect();
    let more = terms.len().saturating_sub(NAMED);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{PRUNED}: {}{rest}", named.join(", "))
}
