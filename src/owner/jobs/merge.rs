//! Merges journals from other machines.

use std::collections::BTreeMap;

use crate::context::OwnerContext;
use crate::dispatch::{Task, TaskContext};
use crate::writer::{MergedDecisions, WriterCommand};
use benchtop_model::history::Merged;
use benchtop_model::{Decision, Result};
use benchtop_protocol::wire::request;
use benchtop_store::history::History;
use benchtop_store::merge;

impl Task for request::Merge {
    fn run(self, task: TaskContext<'_>) -> Result<Merged> {
        let shared = task.shared;
        let _one_at_a_time = shared.importing.lock();
        let history = History::read(&shared.project)?;
        let planned = merge::plan(
            &history,
            &self.files,
            &shared.items.catalog(),
            &shared.items.pictures(),
        )?;
        if !self.dry {
            join(shared, planned.new_decisions)?;
        }
        let (view, mut report) = (task.view(), planned.report);
        report
            .conflicts
            .retain(|conflict| !view.hides(conflict.number.saturating_sub(1)));
        Ok(report)
    }
}

/// Sends these decisions to the writer. When this returns, they are on disk and count.
pub fn join(shared: &OwnerContext, fresh: BTreeMap<String, Vec<Decision>>) -> Result<()> {
    if fresh.is_empty() {
        return Ok(());
    }
    shared.ask_writer(|reply| WriterCommand::Merge(MergedDecisions { fresh, reply }))?
}
