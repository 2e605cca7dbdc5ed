//! Tasks that start model jobs or wait for a model. They read items first, which takes a while in
//! large projects.

use crate::dispatch::{Task, TaskContext};
use crate::evaluate::{compare_all, judge_all};
use crate::{evaluate, generate};
use benchtop_model::Result;
use benchtop_model::evaluation::StartedRun;
use benchtop_model::job::StartedJob;
use benchtop_protocol::wire::{JudgeReport, SimilarityReport, request};

impl Task for request::Evaluate {
    const LISTED: bool = false;

    fn run(self, task: TaskContext<'_>) -> Result<StartedRun> {
        evaluate::begin(task.shared, task.who, &self.0, task.progress.cancel)
    }
}

impl Task for request::Generate {
    const LISTED: bool = false;

    fn run(self, task: TaskContext<'_>) -> Result<StartedJob> {
        generate::begin(task.shared, task.who, &self.0, task.progress.cancel)
    }
}

impl Task for request::Judge {
    const LISTED: bool = false;

    fn run(self, task: TaskContext<'_>) -> Result<JudgeReport> {
        judge_all(task.shared, task.who, &self.0, task.progress)
    }
}

impl Task for request::Similarity {
    const LISTED: bool = false;

    fn run(self, task: TaskContext<'_>) -> Result<SimilarityReport> {
        compare_all(task.shared, task.who, &self.0, task.progress)
    }
}
