//! An item edited by hand: a later text of it, which everybody judges anew.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError};

use super::{Tell, revise, start};
use crate::model::edit::Edit;
use crate::model::{Item, Kind, Problem, Result};
use crate::owner::answers;
use crate::owner::session::Outbox;
use crate::owner::sight::Sight;
use crate::owner::state::Shared;
use crate::owner::wire::{Answer, EditedItem};
use crate::owner::writer::now;
use crate::pipeline::revise::{Batch, Revised};

/// Starts an edit by `who`; its answer goes to `outbox` under `number`.
pub fn edit(shared: &Arc<Shared>, outbox: Outbox, number: u64, (who, edit): (String, Edit), cancel: Arc<AtomicBool>) {
    let work = move |shared: &Arc<Shared>, _: Tell<'_>| run(shared, &who, &edit).map(|e| Answer::Edited(Box::new(e)));
    start(shared, outbox, number, cancel, work);
}

fn run(shared: &Arc<Shared>, who: &str, edit: &Edit) -> Result<EditedItem> {
    let _one_at_a_time = shared.importing.lock().unwrap_or_else(PoisonError::into_inner);
    let catalog = shared.catalog();
    let none = || Problem::new(Kind::NotFound, format!("there is no item #{}", edit.number));
    let row = edit.number.checked_sub(1).filter(|row| (*row as usize) < catalog.len()).ok_or_else(none)?;
    let sight = Sight::of(shared, who);
    if let Some(expected) = edit.expected
        && expected != answers::rev(&sight, row)
    {
        let what = format!("#{} changed while you edited it", edit.number);
        return Err(Problem::new(Kind::Conflict, what).help("look at it again; your text was not taken"));
    }
    if shared.rounds.asks_answer(who, row) {
        let what = format!("you are still to answer #{}", edit.number);
        return Err(Problem::new(Kind::Denied, what).help("answer it first: its text tells what is right"));
    }
    let before = catalog.item(row as usize)?;
    let after = edit.apply(&before, who, now())?;
    // Each person's own verdict, and the others' as far as they may be known.
    let voided = {
        let mut standing = shared.ledger().standing(row);
        standing.retain(|s| sight.sees(row, &s.who));
        standing.len() as u64
    };
    let mut columns = catalog.columns().clone();
    columns.replace(row as usize, &after)?;
    let mut changed = Batch::new(&shared.project, "edited", edit.dry)?;
    changed.push(row, &after)?;
    let fresh: Vec<_> = changed.part(false, "edited by hand")?.into_iter().collect();
    let mut notes = Vec::new();
    if let Some(rotation) = &after.rotation {
        let of = rotation.of.saturating_sub(1);
        notes.push(format!("{of} other rotations of this question read as they did (set {})", rotation.set));
    }
    if !fresh.is_empty() {
        let revised = Revised { columns, fresh, changed: vec![row], kept: Vec::new() };
        notes.extend(revise::enter(shared, catalog, revised)?);
    }
    Ok(EditedItem { before: json(&before)?, after: json(&after)?, voided, notes })
}

fn json(item: &Item) -> Result<String> {
    serde_json::to_string(item).map_err(|e| Problem::new(Kind::Corrupt, format!("the item cannot be written: {e}")))
}
