//! Dysca's cleaning step 4: the items of terms that fail are rejected, by verdicts that can be undone.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Tell, bulk, start};
use crate::model::usage::Discarded;
use crate::model::{Judgement, Result, Seen, Status, Verdict};
use crate::owner::context::OwnerContext;
use crate::owner::session::Outbox;
use crate::owner::visibility::AnnotatorView;
use crate::owner::wire::Response;
use crate::pipeline::import::Progress;

/// The reason given for discarded items where the project declares it; their note begins with it in any case.
pub const PRUNED: &str = "vocabulary-pruned";

/// Whose items are rejected, and in whose name.
pub struct Discard {
    /// The annotator.
    pub who: String,
    /// Vocabulary (or `style`) and term.
    pub terms: Vec<(String, String)>,
    /// Only count.
    pub dry: bool,
}

/// Starts a discard; its answer goes to `outbox` under `number`.
pub fn discard(shared: &Arc<OwnerContext>, outbox: Outbox, number: u64, wanted: Discard, cancel: Arc<AtomicBool>) {
    let work =
        move |shared: &Arc<OwnerContext>, watch: Tell<'_>| reject(shared, &wanted, watch).map(Response::Discarded);
    start(shared, outbox, number, cancel, work);
}

fn reject(shared: &Arc<OwnerContext>, wanted: &Discard, watch: Tell<'_>) -> Result<Discarded> {
    let (mut done, rows) = find(shared, &wanted.who, &wanted.terms, watch)?;
    if !wanted.dry {
        done.rejected = bulk::judge(shared, &wanted.who, rows, &judgement(shared, &wanted.terms), watch)?.judged;
    }
    Ok(done)
}

/// The items with one of these terms, how many of them would be rejected, and those with their revisions.
///
/// # Errors
/// When one of them is kept from `who`.
pub(super) fn find(
    shared: &Arc<OwnerContext>,
    who: &str,
    terms: &[(String, String)],
    watch: Tell<'_>,
) -> Result<(Discarded, Vec<(u32, u64)>)> {
    let held = shared.metadata.now(shared)?;
    let told = std::cell::RefCell::new(watch);
    let counting = || told.borrow_mut()(Progress { what: "discarding".into(), done: 0, of: None });
    let usage = shared.metadata.usage(shared, &counting)?;
    let rows = usage.rows_with(held.grammar(), terms);
    // How many of them are rejected would tell of each.
    let sight = AnnotatorView::of(shared, who);
    rows.iter().try_for_each(|row| sight.item(*row + 1))?;
    let mut done = Discarded::default();
    let (ledger, data) = (shared.ledger(), shared.data());
    rows.iter().for_each(|row| done.items.add(data.overlay.status(*row as usize)));
    let stands = |row: &u32| data.overlay.status(*row as usize) != Status::Rejected;
    let standing: Vec<(u32, u64)> = rows.into_iter().filter(stands).map(|row| (row, ledger.row_rev(row))).collect();
    done.rejected = standing.len() as u64;
    Ok((done, standing))
}

/// The verdict on items of these terms.
pub(super) fn judgement(shared: &OwnerContext, terms: &[(String, String)]) -> Judgement {
    let known = &shared.config().review.reasons;
    let reasons: Vec<String> = known.iter().filter(|r| r.key == PRUNED).map(|r| r.key.clone()).collect();
    Judgement { reasons, note: Some(note(terms)), ..Judgement::new(Verdict::Reject, Seen::Script) }
}

/// Why the items are out: the terms, as far as they fit a line.
fn note(terms: &[(String, String)]) -> String {
    const NAMED: usize = 8;
    let named: Vec<String> = terms.iter().take(NAMED).map(|(v, t)| format!("{v} `{t}`")).collect();
    let more = terms.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{PRUNED}: {}{rest}", named.join(", "))
}
