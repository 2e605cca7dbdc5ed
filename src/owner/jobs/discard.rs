//! Dysca's cleaning step 4: the items of terms that fail are rejected, by verdicts that can be undone.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, mpsc};

use uuid::Uuid;

use super::{Tell, start};
use crate::model::usage::Discarded;
use crate::model::{Judgement, Kind, Problem, Result, Seen, Status, Verdict};
use crate::owner::session::Outbox;
use crate::owner::sight::Sight;
use crate::owner::state::Shared;
use crate::owner::wire::{Answer, Decide, Receipt};
use crate::owner::writer::{Wish, Work};
use crate::pipeline::import::Progress;

/// Verdicts of a discard that share a sync; as many as the writer takes at once.
const CHUNK: usize = 512;
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
pub fn discard(shared: &Arc<Shared>, outbox: Outbox, number: u64, wanted: Discard, cancel: Arc<AtomicBool>) {
    let work = move |shared: &Arc<Shared>, watch: Tell<'_>| reject(shared, &wanted, watch).map(Answer::Discarded);
    start(shared, outbox, number, cancel, work);
}

/// Rejects the items of some terms, [`CHUNK`] at a time through the writer: each chunk shares a sync, and the verdicts
/// of other people come between two chunks.
fn reject(shared: &Arc<Shared>, wanted: &Discard, watch: Tell<'_>) -> Result<Discarded> {
    let held = shared.metadata.now(shared)?;
    let told = std::cell::RefCell::new(watch);
    let go_on = |done: u64, of: Option<u64>| told.borrow_mut()(Progress { what: "discarding".into(), done, of });
    let usage = shared.metadata.usage(shared, &|| go_on(0, None))?;
    let rows = usage.rows_with(held.grammar(), &wanted.terms);
    // How many of them are rejected would tell of each.
    let sight = Sight::of(shared, &wanted.who);
    rows.iter().try_for_each(|row| sight.item(*row + 1))?;
    let mut done = Discarded::default();
    let standing: Vec<u32> = {
        let data = shared.data();
        rows.iter().for_each(|row| done.items.add(data.overlay.status(*row as usize)));
        rows.into_iter().filter(|row| data.overlay.status(*row as usize) != Status::Rejected).collect()
    };
    if wanted.dry {
        done.rejected = standing.len() as u64;
        return Ok(done);
    }
    let known = &shared.project.config().review.reasons;
    let reasons: Vec<String> = known.iter().filter(|r| r.key == PRUNED).map(|r| r.key.clone()).collect();
    let judgement =
        Judgement { reasons, note: Some(note(&wanted.terms)), ..Judgement::new(Verdict::Reject, Seen::Script) };
    for chunk in standing.chunks(CHUNK) {
        if !go_on(done.rejected, Some(standing.len() as u64)) {
            return Err(Problem::new(Kind::Cancelled, format!("stopped after {} items were rejected", done.rejected))
                .help("`benchtop undo --count N` takes them back"));
        }
        let (sender, receipts) = mpsc::channel();
        for row in chunk {
            let expected = {
                let ledger = shared.ledger();
                (ledger.status(*row) != Status::Rejected).then(|| ledger.row_rev(*row))
            };
            let Some(expected) = expected else { continue };
            let decide = Decide {
                uuid: Uuid::now_v7(),
                number: row + 1,
                expected: Some(expected),
                judgement: judgement.clone(),
            };
            let sender = sender.clone();
            let reply = Box::new(move |receipt: Result<Receipt>| drop(sender.send(receipt)));
            let work = Work::Wish { who: wanted.who.clone(), wish: Wish::Decide(decide), reply };
            shared.writer.send(work).map_err(|_| Problem::new(Kind::Unreachable, "the owner is ending"))?;
        }
        drop(sender);
        for receipt in receipts {
            match receipt {
                Ok(_) => done.rejected += 1,
                // Somebody decided on it meanwhile: theirs stands.
                Err(problem) if problem.kind == Kind::Conflict => {}
                Err(problem) => return Err(problem),
            }
        }
    }
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
