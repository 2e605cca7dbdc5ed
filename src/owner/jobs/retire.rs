//! Terms are taken out of the sampling and their items rejected, as one step; and that step taken back.
//!
//! The lists are saved first: a file that somebody changed meanwhile is found before any item is judged. Where the
//! verdicts cannot be saved, the lists are put back.

use super::{bulk, discard};
use crate::dispatch::{Task, TaskContext};
use benchtop_model::Result;
use benchtop_model::usage::{MetadataState, Save};
use benchtop_protocol::wire::{Retired, request};

impl Task for request::Retire {
    fn run(self, task: TaskContext<'_>) -> Result<Retired> {
        out(&self, task)
    }
}

impl Task for request::Unretire {
    fn run(self, task: TaskContext<'_>) -> Result<Retired> {
        back(&self, task)
    }
}

fn out(wanted: &request::Retire, task: TaskContext<'_>) -> Result<Retired> {
    let TaskContext {
        shared,
        who,
        tell: watch,
        ..
    } = task;
    let terms = &wanted.terms;
    // Which items have the terms is asked while the lists have them.
    let rows = if wanted.discard {
        discard::find(shared, who, terms, watch)?.1
    } else {
        Vec::new()
    };
    let before = shared.metadata.now(shared)?.state.clone();
    let state = shared.metadata.save(shared, &wanted.saves)?;
    let rev = shared.items.ledger().rev();
    match bulk::judge(shared, who, rows, &discard::judgement(shared, terms), watch) {
        Ok(done) => Ok(Retired {
            verdicts: done.judged,
            meanwhile: done.meanwhile,
            revs: done.revs,
            state,
        }),
        Err(problem) => {
            // Half of it would be no step that one key takes back.
            let _ = bulk::take_back(shared, who, (rev + 1, u64::MAX), &mut |_| true);
            let _ = shared
                .metadata
                .save(shared, &reversed(&wanted.saves, &before, &state));
            Err(problem)
        }
    }
}

/// What puts the files back as they were.
fn reversed(saves: &[Save], before: &MetadataState, now: &MetadataState) -> Vec<Save> {
    let of =
        |state: &MetadataState, name: &str| state.files.iter().find(|f| f.name == name).cloned();
    let save = |save: &Save| Save {
        name: save.name.clone(),
        base: of(now, &save.name).map(|file| file.revision),
        text: of(before, &save.name).map(|file| file.text),
    };
    saves.iter().map(save).collect()
}

fn back(wanted: &request::Unretire, task: TaskContext<'_>) -> Result<Retired> {
    let TaskContext {
        shared,
        who,
        tell: watch,
        ..
    } = task;
    if let Some(revs) = wanted.revs {
        bulk::is_last(shared, who, revs)?;
    }
    let state = shared.metadata.save(shared, &wanted.saves)?;
    let verdicts = match wanted.revs {
        Some(revs) => bulk::take_back(shared, who, revs, watch)?.judged,
        None => 0,
    };
    Ok(Retired {
        verdicts,
        meanwhile: 0,
        revs: None,
        state,
    })
}
