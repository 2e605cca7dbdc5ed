//! The sample of a project: what it holds, and its removal.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What goes when the sample is removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleContents {
    /// Items of the sample.
    pub items: u64,
    /// Answers of its made-up models.
    pub answers: u64,
    /// Verdicts of its made-up annotators.
    pub made_up: u64,
    /// Verdicts that people gave on its items, even undone ones.
    pub verdicts: u64,
    /// Comments that people wrote on its items, even deleted ones.
    pub comments: u64,
    /// Revisions of its items by people.
    pub edits: u64,
    /// Rounds that people drew from its items.
    pub rounds: u64,
    /// Its made-up jobs.
    pub jobs: u64,
    /// Jobs that people started.
    pub own_jobs: u64,
}

impl SampleContents {
    /// The work of people among it, such as `3 verdicts, 1 edit`; empty if there is none.
    pub fn of_people(&self) -> String {
        let of = [
            (self.verdicts, "verdict"),
            (self.comments, "comment"),
            (self.edits, "edit"),
            (self.rounds, "round"),
            (self.own_jobs, "job"),
        ];
        let counted = of.iter().filter(|(n, _)| *n > 0).map(|(n, what)| match n {
            1 => format!("1 {what}"),
            n => format!("{n} {what}s"),
        });
        counted.collect::<Vec<_>>().join(", ")
    }
}

/// The removal of the sample.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedSample {
    pub contents: SampleContents,
    /// The folder that receives the files; `None` if they were only counted.
    pub folder: Option<PathBuf>,
}
