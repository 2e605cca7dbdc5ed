//! Disables terms and rejects their items in one step, and undoes that step.
//!
//! The vocabularies are saved first, so that a concurrent change of a file is found before any item
//! is judged. If the verdicts cannot be saved, the vocabularies are restored.

use super::{bulk, discard};
use crate::dispatch::{Task, TaskContext};
use benchtop_model::Result;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::usage::{MetadataState, Save};
use benchtop_protocol::wire::{Retired, request};

impl Task for request::Retire {
    fn run(self, task: TaskContext<'_>) -> Result<Retired> {
        let (shared, who, watch) = (task.shared, task.who, task.progress);
        let terms = &self.terms;
        // Find the items of the terms while the vocabularies still contain them.
        let rows = if self.discard {
            discard::find(shared, who, terms, watch)?.1
        } else {
            Vec::new()
        };
        let before = shared.metadata.now(shared)?.state.clone();
        let state = shared.metadata.save(shared, &self.saves)?;
        let rev = shared.items.ledger().rev();
        match bulk::judge(shared, who, rows, &discard::judgement(shared, terms), watch) {
            Ok(done) => Ok(Retired {
                verdicts: done.judged,
                meanwhile: done.meanwhile,
                revs: done.revs,
                state,
            }),
            Err(problem) => {
                // A partial step could not be undone with one key.
                let _ = bulk::take_back(shared, who, (rev + 1, u64::MAX), ProgressSink::NONE);
                let _ = shared
                    .metadata
                    .save(shared, &reversed(&self.saves, &before, &state));
                Err(problem)
            }
        }
    }
}

/// The saves that restore the files.
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

impl Task for request::Unretire {
    fn run(self, task: TaskContext<'_>) -> Result<Retired> {
        let (shared, who, watch) = (task.shared, task.who, task.progress);
        if let Some(revs) = self.revs {
            bulk::is_last(shared, who, revs)?;
        }
        let state = shared.metadata.save(shared, &self.saves)?;
        let verdicts = match self.revs {
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
}
