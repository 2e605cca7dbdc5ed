//! Makes a batch of pictures, and retries those that failed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use super::store_pictures::KeepError;
use super::{GenerationJob, IN_A_ROW, Session, TRIES};
use crate::context::OwnerContext;
use benchtop_inference::{GenerationEvent, ImageGenerator};
use benchtop_model::generation::{Failure, FailureKind, Task};
use benchtop_model::job::Step;
use benchtop_model::{Error, Result};
use benchtop_pipeline::generate::generation_task::GenerationTask;
use benchtop_pipeline::generate::remaining::Target;

/// Minimum time between two handovers of pictures to the writer, so that decisions never wait long.
const HAND_OVER_EVERY: Duration = Duration::from_millis(200);

/// Delay after the first of several consecutive transient failures. Doubles with each further one.
const WAIT: Duration = Duration::from_millis(500);

/// Longest delay between two tries.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// What happened to a batch.
#[derive(Default)]
pub struct Made {
    /// The generator panicked and must be rebuilt.
    pub panicked: bool,
    /// Its servers do not answer, for this reason.
    pub outage: Option<String>,
}

impl Session {
    /// Makes these pictures and records them.
    ///
    /// # Errors
    /// The reason that the job cannot continue, usually a full disk. Unrecorded pictures are made
    /// again.
    pub fn make(
        &mut self,
        shared: &Arc<OwnerContext>,
        generator: &mut dyn ImageGenerator,
        generation_tasks: Vec<GenerationTask>,
    ) -> Result<Made> {
        if generation_tasks.first().is_some_and(|e| e.side_by_side) {
            for generation_task in generation_tasks {
                self.double(shared, generation_task)?;
            }
            self.hand_over(shared)?;
            return Ok(Made::default());
        }
        let targets: Vec<Target> = generation_tasks.iter().map(|e| e.target).collect();
        self.note_in_flight(shared, &targets)?;
        let tasks: Vec<Task> = generation_tasks.iter().map(|e| e.task.clone()).collect();
        let mut open: Vec<Option<GenerationTask>> =
            generation_tasks.into_iter().map(Some).collect();
        let mut failures: Vec<(GenerationTask, Failure)> = Vec::new();
        let mut fatal = None;
        let settings = self.settings.clone();
        let ran = catch_unwind(AssertUnwindSafe(|| {
            generator.generate(&settings, &tasks, &mut |progress| {
                match progress {
                    GenerationEvent::Step { done, of, batch } => self.step(
                        shared,
                        Step {
                            done,
                            of,
                            batch: batch as u32,
                        },
                    ),
                    GenerationEvent::Done { index, result } => {
                        // Ignore a second result for the same task.
                        let Some(generation_task) = open.get_mut(index).and_then(Option::take)
                        else {
                            return true;
                        };
                        let kept = result.map_err(KeepError::Failed).and_then(|p| {
                            self.keep(
                                shared,
                                generation_task.clone(),
                                &p.pixels,
                                p.notes,
                                Vec::new(),
                            )
                        });
                        match kept {
                            Ok(()) => self.in_a_row = 0,
                            Err(KeepError::Failed(failure)) => {
                                failures.push((generation_task, failure))
                            }
                            Err(KeepError::Fatal(problem)) => fatal = Some(problem),
                        }
                    }
                }
                if fatal.is_none()
                    && self
                        .handed_over
                        .is_none_or(|at| at.elapsed() >= HAND_OVER_EVERY)
                {
                    fatal = self.hand_over(shared).err();
                }
                fatal.is_none() && shared.jobs.is_active(self.id)
            });
        }));
        let recorded = self.hand_over(shared);
        self.note_in_flight(shared, &[])?;
        if let Some(problem) = fatal {
            return Err(problem);
        }
        recorded?;
        let silent = match &ran {
            Ok(()) => Failure::new(FailureKind::BadOutput, "the generator returned no result"),
            Err(panic) => Failure::new(
                FailureKind::BadOutput,
                format!("the generator panicked: {}", panic_message(&**panic)),
            ),
        };
        failures.extend(
            open.into_iter()
                .flatten()
                .map(|generation_task| (generation_task, silent.clone())),
        );
        Ok(Made {
            outage: self.failed(shared, failures, tasks.len())?,
            panicked: ran.is_err(),
        })
    }

    fn step(&mut self, shared: &OwnerContext, step: Step) {
        let steps = self.steps;
        shared
            .jobs
            .update(shared, self.id, |_, job: &mut GenerationJob| {
                if steps {
                    job.step = Some(step);
                }
            });
    }

    /// Schedules failed pictures for a retry, or gives up on them. `size` is the batch size. Returns
    /// the reason of an outage.
    fn failed(
        &mut self,
        shared: &Arc<OwnerContext>,
        failures: Vec<(GenerationTask, Failure)>,
        size: usize,
    ) -> Result<Option<String>> {
        let (mut wait, mut outage) = (false, None);
        for (generation_task, failure) in failures {
            let target = generation_task.target;
            match failure.kind {
                FailureKind::Cancelled => self.work.push_front(target),
                // An outage is not the picture's fault, so it stays open.
                _ if failure.is_outage() => {
                    outage = Some(failure.reason.clone());
                    self.work.push_back(target);
                }
                FailureKind::OutOfMemory if size > 1 => {
                    self.batch_limit = (size / 2).max(1);
                    self.work.push_front(target);
                }
                kind => {
                    self.in_a_row += 1;
                    let tries = self.tries.entry(target).or_default();
                    *tries += 1;
                    let tries = *tries;
                    let again = failure.is_transient() || kind == FailureKind::BadOutput;
                    if again && tries < TRIES {
                        wait |= failure.is_transient();
                        self.work.push_back(target);
                    } else {
                        self.record_failure(shared, &generation_task, failure.clone(), tries)?;
                    }
                    if self.in_a_row >= IN_A_ROW {
                        let what = format!(
                            "{IN_A_ROW} pictures failed in a row, the last one with: {}",
                            failure.reason
                        );
                        return Err(Error::failed(what).help("fix the cause, then resume the job"));
                    }
                }
            }
        }
        if wait {
            let doubled = WAIT * 2u32.saturating_pow(self.in_a_row.saturating_sub(1).min(10));
            shared.jobs.with(self.id, |live, _: &mut GenerationJob| {
                live.wait(doubled.min(LONGEST_WAIT))
            });
        }
        Ok(outage)
    }
}

/// The message of a panic.
fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into())
}
