//! Terms are taken out of the sampling and their items rejected, as one step; and that step taken back.
//!
//! The lists are saved first: a file that somebody changed meanwhile is found before any item is judged. Where the
//! verdicts cannot be saved, the lists are put back.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Tell, bulk, discard, start};
use crate::model::Result;
use crate::model::usage::{MetadataState, Save};
use crate::owner::context::OwnerContext;
use crate::owner::session::Outbox;
use crate::owner::wire::{Response, Retired};

/// Terms to be retired.
pub struct Retire {
    /// The annotator, in whose name items are rejected.
    pub who: String,
    /// Vocabulary (or `style`) and term.
    pub terms: Vec<(String, String)>,
    /// The lists without them.
    pub saves: Vec<Save>,
    /// Whether their items are rejected too.
    pub discard: bool,
}

/// A step to be taken back.
pub struct Unretire {
    /// The annotator.
    pub who: String,
    /// The lists with the terms.
    pub saves: Vec<Save>,
    /// The verdicts: their first and last revision.
    pub revs: Option<(u64, u64)>,
}

/// Starts retiring terms; its answer goes to `outbox` under `number`.
pub fn retire(shared: &Arc<OwnerContext>, outbox: Outbox, number: u64, wanted: Retire, cancel: Arc<AtomicBool>) {
    let work = move |shared: &Arc<OwnerContext>, watch: Tell<'_>| out(shared, &wanted, watch).map(retired);
    start(shared, outbox, number, cancel, work);
}

/// Starts taking that back; its answer goes to `outbox` under `number`.
pub fn unretire(shared: &Arc<OwnerContext>, outbox: Outbox, number: u64, wanted: Unretire, cancel: Arc<AtomicBool>) {
    let work = move |shared: &Arc<OwnerContext>, watch: Tell<'_>| back(shared, &wanted, watch).map(retired);
    start(shared, outbox, number, cancel, work);
}

fn retired(done: Retired) -> Response {
    Response::Retired(Box::new(done))
}

fn out(shared: &Arc<OwnerContext>, wanted: &Retire, watch: Tell<'_>) -> Result<Retired> {
    let (who, terms) = (wanted.who.as_str(), &wanted.terms);
    // Which items have the terms is asked while the lists have them.
    let rows = if wanted.discard { discard::find(shared, who, terms, watch)?.1 } else { Vec::new() };
    let before = shared.metadata.now(shared)?.state.clone();
    let state = shared.metadata.save(shared, &wanted.saves)?;
    let rev = shared.ledger().rev();
    match bulk::judge(shared, who, rows, &discard::judgement(shared, terms), watch) {
        Ok(done) => Ok(Retired { verdicts: done.judged, meanwhile: done.meanwhile, revs: done.revs, state }),
        Err(problem) => {
            // Half of it would be no step that one key takes back.
            let _ = bulk::take_back(shared, who, (rev + 1, u64::MAX), &mut |_| true);
            let _ = shared.metadata.save(shared, &reversed(&wanted.saves, &before, &state));
            Err(problem)
        }
    }
}

/// What puts the files back as they were.
fn reversed(saves: &[Save], before: &MetadataState, now: &MetadataState) -> Vec<Save> {
    let of = |state: &MetadataState, name: &str| state.files.iter().find(|f| f.name == name).cloned();
    let save = |save: &Save| Save {
        name: save.name.clone(),
        base: of(now, &save.name).map(|file| file.revision),
        text: of(before, &save.name).map(|file| file.text),
    };
    saves.iter().map(save).collect()
}

fn back(shared: &Arc<OwnerContext>, wanted: &Unretire, watch: Tell<'_>) -> Result<Retired> {
    if let Some(revs) = wanted.revs {
        bulk::is_last(shared, &wanted.who, revs)?;
    }
    let state = shared.metadata.save(shared, &wanted.saves)?;
    let verdicts = match wanted.revs {
        Some(revs) => bulk::take_back(shared, &wanted.who, revs, watch)?.judged,
        None => 0,
    };
    Ok(Retired { verdicts, meanwhile: 0, revs: None, state })
}
