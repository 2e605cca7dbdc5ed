//! An evaluation in progress: asks its questions in batches, and stores each answer before reporting
//! it.

use std::path::Path;
use std::sync::Arc;

use super::run::RunJob;
use crate::clock::now;
use crate::context::OwnerContext;
use crate::engine::Live;
use crate::queries::item;
use crate::trust::{self, PictureAccess};
use benchtop_inference::BatchEvent;
use benchtop_inference::vlm::VisionLanguageModel;
use benchtop_model::evaluation::RunQuestion;
use benchtop_model::generation::{Failure, FailureKind};
use benchtop_model::history::stamp;
use benchtop_model::job::JobStatus;
use benchtop_model::vlm::{Reply, VlmRequest};
use benchtop_model::{Error, Result};
use benchtop_pipeline::evaluate::ask::{self, Question, Wordings};
use benchtop_pipeline::evaluate::orders;
use benchtop_pipeline::evaluate::server_errors::{AT_FIRST, STREAK, is_of_question};
use benchtop_store::runs::{Journal, Line, Progress, Run};

/// A run in progress.
pub(super) struct Session<'s> {
    pub(super) shared: &'s Arc<OwnerContext>,
    pub(super) root: &'s Path,
    pub(super) run: Run,
    pub(super) progress: Progress,
    pub(super) journal: Journal,
    /// Which pictures outside of the project it may send.
    pub(super) reach: PictureAccess,
    /// Failures since the last answer.
    pub(super) failing: Vec<(String, RunQuestion, Failure)>,
    /// The reason of an outage.
    pub(super) outage: Option<String>,
}

/// A question that is about to be asked.
struct Open {
    item: String,
    asked: RunQuestion,
    question: Question,
}

impl Session<'_> {
    pub(super) fn model(&self) -> Result<Box<dyn VisionLanguageModel>> {
        self.check()?;
        let mut model = (self.shared.evaluations.maker)(&self.run.new)?;
        if let Some(meter) = self.shared.jobs.meter(self.run.id) {
            meter.at_least(self.progress.counts.sent());
            model.count_requests(meter);
        }
        let built = |_: &mut Live, job: &mut RunJob| job.is_built = true;
        self.shared.jobs.with(self.run.id, built);
        Ok(model)
    }

    /// Checks that the agreement still exists.
    fn check(&self) -> Result<()> {
        trust::check(self.shared, &trust::of_run(&self.run.new)?)
    }

    /// Reports that the run is in progress, with the counts from disk.
    pub(super) fn begun(&self, device: String) -> Result<()> {
        let counts = self.progress.counts;
        self.shared.jobs.with(self.run.id, |_, job: &mut RunJob| {
            job.device = device;
            job.count(counts);
        });
        self.shared.jobs.save(self.shared, self.run.id)
    }

    /// Whether the number of requests in flight has changed. If so, takes over the settings.
    pub(super) fn is_changed(&mut self) -> bool {
        let new = |_: &mut Live, job: &mut RunJob| job.run.new.clone();
        let now = self.shared.jobs.with(self.run.id, new);
        match now.filter(|now| *now != self.run.new) {
            Some(now) => {
                self.run.new = now;
                true
            }
            None => false,
        }
    }

    /// Asks the next batch of questions.
    pub(super) fn some(
        &mut self,
        left: &mut std::iter::Peekable<std::vec::IntoIter<u32>>,
        model: &mut dyn VisionLanguageModel,
        wordings: &Wordings,
    ) -> Result<()> {
        let most = model.abilities().max_batch.max(1);
        let (mut open, mut wrong) = (Vec::new(), Vec::new());
        while let Some(number) = left.peek().copied().filter(|_| open.len() < most) {
            left.next();
            let item = item(self.shared, number)?;
            let files = ask::files(self.root, &item);
            let refused = self.reach.refuses(&item).filter(|_| !self.run.new.blind);
            for order in orders::of_item(
                self.run.new.orders,
                item.options.len(),
                item.rotation.is_some(),
            ) {
                let asked = RunQuestion { number, order };
                if self.progress.answered.contains(&asked)
                    || self.progress.failed.contains_key(&asked)
                {
                    continue;
                }
                let question = match &refused {
                    Some(why) => Err(why.clone()),
                    None => ask::question(&item, order, &self.run.new, wordings, &files),
                };
                match question {
                    Ok(question) => open.push(Open {
                        item: item.id.clone(),
                        asked,
                        question,
                    }),
                    Err(reason) => {
                        wrong.push((
                            item.id.clone(),
                            asked,
                            Failure::new(FailureKind::Input, reason),
                        ));
                    }
                }
            }
        }
        self.set_aside(wrong)?;
        if !open.is_empty() {
            self.ask(open, model)
        } else {
            Ok(())
        }
    }

    fn ask(&mut self, open: Vec<Open>, model: &mut dyn VisionLanguageModel) -> Result<()> {
        self.check()?;
        let asks: Vec<VlmRequest> = open.iter().map(|o| o.question.ask.clone()).collect();
        let mut open: Vec<Option<Open>> = open.into_iter().map(Some).collect();
        let (shared, id) = (self.shared.clone(), self.run.id);
        let mut trouble = None;
        model.ask(&asks, &mut |heard| {
            if let BatchEvent::Done { index, result } = heard
                && let Some(one) = open.get_mut(index).and_then(Option::take)
            {
                let kept = match result {
                    Ok(reply) => self.answered(one, reply),
                    Err(failure) => self.failed(one, failure),
                };
                trouble = trouble.take().or(kept.err());
            }
            // After a pause, replies to sent requests are awaited. After a cancellation or when the
            // owner ends, they are not.
            let standing = |live: &mut Live, _: &mut RunJob| live.header.standing;
            let standing = shared.jobs.with(id, standing);
            trouble.is_none()
                && standing.is_some_and(|standing| standing != JobStatus::Cancelled)
                && !shared.jobs.is_ending()
        });
        trouble.map_or(Ok(()), Err)
    }

    fn answered(&mut self, one: Open, reply: Reply) -> Result<()> {
        let Open {
            item,
            asked,
            question,
        } = one;
        let answer = question.answered(reply);
        let line = Line::Answer {
            item,
            asked,
            answer: answer.clone(),
            at: stamp(now()),
        };
        // Since the server answers, earlier failures are due to their questions.
        let mut lines: Vec<Line> = std::mem::take(&mut self.failing)
            .into_iter()
            .map(|f| self.lost(f))
            .collect();
        lines.push(line);
        self.journal.append(&lines)?;
        self.progress.answered.insert(asked);
        self.progress.counts.add(&answer);
        let counts = self.progress.counts;
        self.shared
            .jobs
            .update(self.shared, self.run.id, |live, job: &mut RunJob| {
                job.count(counts);
                live.progressed(1);
            });
        Ok(())
    }

    fn lost(&mut self, (item, asked, failure): (String, RunQuestion, Failure)) -> Line {
        self.progress
            .failed
            .insert(asked, (item.clone(), failure.clone()));
        self.progress.counts.failed = self.progress.failed.len() as u64;
        Line::Failed {
            item,
            asked,
            failure,
        }
    }

    fn failed(&mut self, one: Open, failure: Failure) -> Result<()> {
        let is_outage = failure.is_outage();
        let Failure { kind, reason } = failure.clone();
        let lost = (one.item, one.asked, failure);
        match kind {
            FailureKind::Cancelled => Ok(()),
            // An outage is not the question's fault, so it stays open.
            FailureKind::Unavailable if is_outage => {
                self.outage = Some(reason);
                Ok(())
            }
            FailureKind::Input => self.set_aside(vec![lost]),
            FailureKind::Refused if self.progress.counts.done > 0 && is_of_question(&reason) => {
                self.set_aside(vec![lost])
            }
            _ => {
                self.failing.push(lost);
                let most = if self.progress.counts.done == 0 {
                    AT_FIRST
                } else {
                    STREAK
                };
                if self.failing.len() >= most {
                    Err(self.gone(&reason))
                } else {
                    Ok(())
                }
            }
        }
    }

    /// The error if the servers no longer answer.
    fn gone(&self, reason: &str) -> Error {
        let what = match self.failing.len() {
            1 => format!("a question failed: {reason}"),
            n => format!("{n} questions in a row failed, the last one with: {reason}"),
        };
        Error::unreachable(what).help(format!(
            "check the server, then run: benchtop jobs resume {}",
            self.run.id
        ))
    }

    /// Records failures. The questions are asked again only on request.
    fn set_aside(&mut self, lost: Vec<(String, RunQuestion, Failure)>) -> Result<()> {
        if lost.is_empty() {
            return Ok(());
        }
        let lines: Vec<Line> = lost.into_iter().map(|f| self.lost(f)).collect();
        self.journal.append(&lines)?;
        let counts = self.progress.counts;
        self.shared
            .jobs
            .update(self.shared, self.run.id, |_, job: &mut RunJob| {
                job.count(counts)
            });
        Ok(())
    }

    /// Has the failed questions asked again.
    pub(super) fn retry(&mut self) -> Result<()> {
        self.journal.append(&[Line::Retry { at: stamp(now()) }])?;
        self.progress.failed.clear();
        self.progress.counts.failed = 0;
        Ok(())
    }

    /// All questions were asked: records the last failures.
    ///
    /// # Errors
    /// If no question was answered.
    pub(super) fn end(&mut self) -> Result<()> {
        if let Some((.., failure)) = self.failing.last()
            && self.progress.counts.done == 0
        {
            return Err(self.gone(&failure.reason));
        }
        let lost = std::mem::take(&mut self.failing);
        self.set_aside(lost)
    }
}
