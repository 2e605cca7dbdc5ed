//! Imports and other long commands in the list of jobs, while they run. They are not stored, and a
//! command that the owner did not survive is given again by the user.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::Value;

use super::job::{Counts, Job, Kind, Step};
use super::live::Live;
use super::state::{Engine, Entry, FIRST_COMMAND};
use crate::clock::now;
use crate::context::OwnerContext;
use benchtop_model::import::Progress;
use benchtop_model::job::{JobState, JobStatus};
use benchtop_model::{Error, Result};
use benchtop_protocol::wire::{Access, Event};
use benchtop_store::jobs::JobHeader;

/// The kind of all commands.
pub(super) static COMMAND: Kind<OwnerContext> = Kind {
    name: "command",
    unit: "step",
    access: Access::Member,
    load: |_, _| Err(Error::corrupt("a command is not stored")),
    step: |_, _, _| Ok(Step::Done),
};

/// A running command.
pub(super) struct Command {
    name: &'static str,
    progress: Progress,
    cancel: Arc<AtomicBool>,
}

impl Job<OwnerContext> for Command {
    fn spec(&self) -> Value {
        Value::Null
    }

    fn counts(&self) -> Counts {
        Counts::new(&self.progress, 0)
    }

    fn describe(&self, state: &mut JobState) {
        (state.name, state.plan) = (self.name.into(), self.progress.what.clone());
    }

    fn digest(&self, _: &Arc<OwnerContext>, _: &JobHeader) -> Result<String> {
        Ok(String::new())
    }

    fn has_work(&self, _: JobStatus) -> bool {
        false
    }

    fn command(&self) -> Option<&AtomicBool> {
        Some(&self.cancel)
    }
}

impl Engine<OwnerContext> {
    /// Lists a command until [`end_command`](Engine::end_command). Returns its number.
    pub fn begin_command(&self, name: &'static str, who: &str, cancel: Arc<AtomicBool>) -> u32 {
        let mut inner = self.inner();
        let id = FIRST_COMMAND + inner.commands;
        inner.commands += 1;
        let header = JobHeader {
            id,
            kind: COMMAND.name.into(),
            by: who.into(),
            created: now(),
            standing: JobStatus::Running,
            ..JobHeader::default()
        };
        let job = Box::new(Command {
            name,
            progress: Progress::default(),
            cancel,
        });
        let live = Live::new(header, None);
        let kind = &COMMAND;
        inner.jobs.insert(id, Entry { kind, live, job });
        id
    }

    /// Records the progress of a command, and announces it.
    pub fn command_progressed(&self, shared: &OwnerContext, id: u32, progress: &Progress) {
        self.update(shared, id, |_, command: &mut Command| {
            command.progress = progress.clone();
        });
    }

    /// Removes a command from the list.
    pub fn end_command(&self, shared: &OwnerContext, id: u32) {
        let ended = self.inner().jobs.remove(&id);
        if ended.is_some_and(|entry| entry.live.was_announced()) {
            shared.broadcast.send(Event::JobRemoved(id));
        }
    }
}
