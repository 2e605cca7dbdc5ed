//! The tasks of one call: which are answered, and who is told.

use crate::Told;
use benchtop_model::generation::{Capabilities, Failure, Picture, Settings, Task};

/// Tasks that are sent together.
pub(super) struct Group {
    /// Which.
    pub(super) tasks: Vec<usize>,
    /// It is one that was not answered when a worker fell.
    pub(super) alone: bool,
}

/// See the module.
pub(super) struct Work<'a> {
    pub(super) settings: &'a Settings,
    pub(super) tasks: &'a [Task],
    watch: &'a mut dyn FnMut(Told) -> bool,
    open: Vec<bool>,
    /// Whether it is still wanted.
    pub(super) going: bool,
    /// The last step that was told.
    last: (u32, u32, usize),
}

impl<'a> Work<'a> {
    /// All of it is to be done.
    pub(super) fn new(
        settings: &'a Settings,
        tasks: &'a [Task],
        watch: &'a mut dyn FnMut(Told) -> bool,
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

    /// Whether a task has no answer yet.
    pub(super) fn is_open(&self, index: usize) -> bool {
        self.open.get(index).copied().unwrap_or_default()
    }

    /// Tasks without an answer.
    pub(super) fn left(&self) -> Vec<usize> {
        (0..self.tasks.len())
            .filter(|index| self.is_open(*index))
            .collect()
    }

    /// Answers a task; one that was answered before stays as it was.
    pub(super) fn done(&mut self, index: usize, result: Result<Picture, Failure>) {
        if self.is_open(index) {
            if let Some(open) = self.open.get_mut(index) {
                *open = false;
            }
            self.going &= (self.watch)(Told::Done { index, result });
        }
    }

    /// Tells a step.
    pub(super) fn step(&mut self, done: u32, of: u32, batch: usize) {
        self.last = (done, of, batch);
        self.going &= (self.watch)(Told::Step { done, of, batch });
    }

    /// Tells the last step again, so that a cancel is heard between steps and while a worker is started. Gives whether
    /// it is still wanted.
    pub(super) fn sign_of_life(&mut self) -> bool {
        let (done, of, batch) = self.last;
        self.step(done, of, batch);
        self.going
    }

    /// Answers the tasks that the capabilities exclude.
    pub(super) fn refuse(&mut self, capabilities: &Capabilities) {
        for index in 0..self.tasks.len() {
            let excluded = self
                .tasks
                .get(index)
                .and_then(|task| capabilities.excluded(self.settings, task));
            match excluded {
                Some(failure) if self.going => self.done(index, Err(failure)),
                _ => {}
            }
        }
    }

    /// Gives all that have no answer this one.
    pub(super) fn rest(&mut self, failure: &Failure) {
        self.left()
            .into_iter()
            .for_each(|index| self.done(index, Err(failure.clone())));
    }
}
