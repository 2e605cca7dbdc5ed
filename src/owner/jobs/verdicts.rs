//! Imports verdicts and comments from files other than journals.

use std::path::Path;

use super::merge::join;
use super::task_items::TaskItems;
use crate::clock::now;
use crate::dispatch::{Task, TaskContext};
use crate::visibility::AnnotatorView;
use benchtop_formats::verdicts::{self, Found, Meaning};
use benchtop_model::verdict_interchange::{Exchanged, ImportedVerdicts, SkippedVerdict};
use benchtop_model::{Error, Result};
use benchtop_pipeline::import::hash_file;
use benchtop_protocol::wire::request;
use benchtop_store::history::History;
use benchtop_store::merge::{self, LISTED};

impl Task for request::TakeVerdicts {
    fn run(self, task: TaskContext<'_>) -> Result<ImportedVerdicts> {
        let (shared, who, watch) = (task.shared, task.who, task.progress);
        let _one_at_a_time = shared.importing.lock();
        let review = &shared.config().review;
        let (reasons, tags) = (&review.reasons, &review.tags);
        self.words.check(&[reasons.as_slice(), tags].concat())?;
        let form = self
            .form
            .map_or_else(|| verdicts::form_of(&self.file), Ok)?;
        let catalog = shared.items.catalog();
        let tasks = TaskItems::new(
            &catalog,
            self.words.dataset.as_deref(),
            &hash_file(&self.file, watch.cancel)?,
        )?;
        let meaning = Meaning {
            words: &self.words,
            reasons,
            tags,
            item: &|key, question| tasks.find(key, question),
        };
        let (mut found, mut comments) = (Vec::new(), Vec::new());
        let (mut aside, mut cancelled) = (Vec::new(), false);
        let mut take = |one: Found| {
            match one.content {
                Ok(Exchanged::Verdict(verdict)) => found.push((one.place, *verdict)),
                Ok(Exchanged::Comment(comment)) => comments.push((one.place, *comment)),
                Err(problem) => {
                    let why = skip_reason(&problem, &self.file);
                    aside.push(SkippedVerdict {
                        place: one.place,
                        item: one.item,
                        who: one.who,
                        why,
                    });
                }
            }
            let done = (found.len() + comments.len() + aside.len()) as u64;
            cancelled = watch.report("records read", done, None).is_err();
            !cancelled
        };
        let mut notes = verdicts::read(&self.file, form, meaning, &mut take)?;
        if cancelled {
            return Err(Error::cancelled("canceled; no verdicts were imported"));
        }
        let read = (found.len() + aside.len()) as u64;
        let history = History::read(&shared.project)?;
        let found = (found, comments);
        let plan =
            merge::plan_verdicts(&history, found, (&catalog, &shared.items.pictures()), now())?;
        let (planned, comments) = (plan.merge, plan.comments);
        aside.extend(plan.aside);
        let of_union = planned.report.aside.into_iter();
        aside.extend(of_union.map(|a| SkippedVerdict {
            place: String::new(),
            item: a.item,
            who: a.who,
            why: a.why,
        }));
        let view = AnnotatorView::of(shared, who);
        let mut conflicts = planned.report.conflicts;
        conflicts.retain(|conflict| !view.hides(conflict.number.saturating_sub(1)));
        notes.extend(planned.report.notes);
        if aside.len() > LISTED {
            notes.push(format!(
                "{} more skipped records are not listed",
                aside.len() - LISTED
            ));
            aside.truncate(LISTED);
        }
        if !self.dry {
            join(shared, planned.new_decisions)?;
        }
        let (added, known) = (planned.report.added, planned.report.known);
        Ok(ImportedVerdicts {
            form,
            read,
            added,
            known,
            comments,
            aside,
            conflicts,
            notes,
        })
    }
}

/// The reason that a record was skipped, on one line without its place.
fn skip_reason(problem: &Error, file: &Path) -> String {
    let mut problem = problem.clone();
    (problem.place.line, problem.place.file) = (None, problem.place.file.filter(|f| f != file));
    problem.to_string().replace("\n  help: ", "; ")
}
