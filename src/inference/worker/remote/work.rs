//! The state of one call: the tasks, and which of them are answered.

use crate::GenerationEvent;
use benchtop_model::generation::{Capabilities, Failure, Picture, Settings, Task};

/// Tasks that are sent together.
pub(super) struct Group {
    /// The indexes of the tasks.
    pub(super) tasks: Vec<usize>,
    /// True for a single task that was unanswered when a worker crashed.
    pub(super) alone: bool,
}

pub(super) struct Work<'a> {
    pub(super) settings: &'a Settings,
    pub(super) tasks: &'a [Task],
    watch: &'a mut dyn FnMut(GenerationEvent) -> bool,
    open: Vec<bool>,
    /// False once the caller cancels.
    pub(super) going: bool,
    /// The last reported step.
    last: (u32, u32, usize),
}

impl<'a> Work<'a> {
    pub(super) fn new(
        settings: &'a Settings,
        tasks: &'a [Task],
        watch: &'a mut dyn FnMut(GenerationEvent) -> bool,
    ) -> Work<'a> {
        let open = vec![true; tasks.len()];
        Work {
            settings,
            tasks,
            watch,
            open,
            going: true,
            last: (0, settings.steps, 1),
        }
    }

    /// True if a task has no answer yet.
    pub(super) fn is_open(&self, index: usize) -> bool {
        self.open.get(index).copied().unwrap_or_default()
    }

    /// The tasks without an answer.
    pub(super) fn left(&self) -> Vec<usize> {
        (0..self.tasks.len())
            .filter(|index| self.is_open(*index))
            .collect()
    }

    /// Answers a task. A second answer is ignored.
    pub(super) fn done(&mut self, index: usize, result: Result<Picture, Failure>) {
        if self.is_open(index) {
            if let Some(open) = self.open.get_mut(index) {
                *open = false;
            }
            self.going &= (self.watch)(GenerationEvent::Done { index, result });
        }
    }

    pub(super) fn step(&mut self, done: u32, of: u32, batch: usize) {
        self.last = (done, of, batch);
        self.going &= (self.watch)(GenerationEvent::Step { done, of, batch });
    }

    /// Reports the last step again, so that the caller can cancel between steps and during a
    /// restart. Returns false if the caller canceled.
    pub(super) fn sign_of_life(&mut self) -> bool {
        let (done, of, batch) = self.last;
        self.step(done, of, batch);
        self.going
    }

    /// Fails the tasks that the capabilities exclude.
    pub(super) fn refuse(&mut self, capabilities: &Capabilities) {
        for index in 0..self.tasks.len() {
            let excluded = self
                .tasks
                .get(index)
                .and_then(|task| capabilities.refusal_reason(self.settings, task));
            match excluded {
                Some(failure) if self.going => self.done(index, Err(failure)),
                _ => {}
            }
        }
    }

    /// Fails all tasks without an answer.
    pub(super) fn rest(&mut self, failure: &Failure) {
        self.left()
            .into_iter()
            .for_each(|index| self.done(index, Err(failure.clone())));
    }
}
