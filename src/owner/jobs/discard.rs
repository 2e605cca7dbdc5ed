//! Dysca's cleaning step 4: the items of terms that fail are rejected, by verdicts that can be undone.

use super::bulk;
use crate::model::usage::Discarded;
use crate::model::{Judgement, Result, Seen, Status, Verdict};
use crate::owner::dispatch::{Task, TaskContext};
use crate::owner::visibility::AnnotatorView;
use crate::owner::wire::request;
use crate::pipeline::import::Progress;

/// The reason given for discarded items where the project declares it; their note begins with it in any case.
pub const PRUNED: &str = "vocabulary-pruned";

impl Task for request::Discard {
    fn run(self, task: TaskContext<'_>) -> Result<Discarded> {
        reject(&self, task)
    }
}

fn reject(wanted: &request::Discard, task: TaskContext<'_>) -> Result<Discarded> {
    let TaskContext { shared, who, tell: watch, .. } = task;
    let held = shared.metadata.now(shared)?;
    let told = std::cell::RefCell::new(watch);
    let counting = || told.borrow_mut()(Progress { what: "discarding".into(), done: 0, of: None });
    let usage = shared.metadata.usage(shared, &counting)?;
    let watch = told.into_inner();
    let rows = usage.rows_with(held.grammar(), &wanted.terms);
    // How many of them are rejected would tell of each.
    let sight = AnnotatorView::of(shared, who);
    rows.iter().try_for_each(|row| sight.item(*row + 1))?;
    let mut done = Discarded::default();
    let standing: Vec<(u32, u64)> = {
        let (ledger, data) = (shared.ledger(), shared.data());
        rows.iter().for_each(|row| done.items.add(data.overlay.status(*row as usize)));
        let stands = |row: &u32| data.overlay.status(*row as usize) != Status::Rejected;
        rows.into_iter().filter(stands).map(|row| (row, ledger.row_rev(row))).collect()
    };
    if wanted.dry {
        done.rejected = standing.len() as u64;
        return Ok(done);
    }
    let known = &shared.config().review.reasons;
    let reasons: Vec<String> = known.iter().filter(|r| r.key == PRUNED).map(|r| r.key.clone()).collect();
    let judgement =
        Judgement { reasons, note: Some(note(&wanted.terms)), ..Judgement::new(Verdict::Reject, Seen::Script) };
    done.rejected = bulk::judge(shared, who, standing, &judgement, watch)?.judged;
    Ok(done)
}

/// Why the items are out: the terms, as far as they fit a line.
fn note(terms: &[(String, String)]) -> String {
    const NAMED: usize = 8;
    let named: Vec<String> = terms.iter().take(NAMED).map(|(v, t)| format!("{v} `{t}`")).collect();
    let more = terms.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{PRUNED}: {}{rest}", named.join(", "))
}
