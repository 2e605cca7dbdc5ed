//! A generation job in progress: its remaining work, its batches, and retries.

mod make;
mod store_pictures;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::GenerationJob;
use crate::context::OwnerContext;
use benchtop_inference::ImageGenerator;
use benchtop_model::cancel::Cancel;
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::generation::{Failure, FailureKind, Fingerprint, Settings, Task};
use benchtop_model::job::JobStatus;
use benchtop_model::{Error, Result};
use benchtop_pipeline::generate::generation_task::GenerationTask;
use benchtop_pipeline::generate::image_index::RequestedImages;
use benchtop_pipeline::generate::png::with_encoder;
use benchtop_pipeline::generate::remaining::Target;
use benchtop_store::jobs::PictureInProgress;

/// How often a picture is tried before it counts as failed.
pub const TRIES: u32 = 3;
/// How many owners may die while making a picture before it counts as failed: it may be the cause.
pub const ENDS: u32 = 5;
/// Number of consecutive failures after which a job is paused.
pub const IN_A_ROW: u32 = 24;

/// The result of [`Session::next_batch`].
pub enum NextWork {
    /// Make these pictures.
    Batch(Vec<GenerationTask>),
    /// Nothing to do now.
    Nothing,
    /// All done.
    End,
}

pub struct Session {
    id: u32,
    version: u64,
    seed: u64,
    named: Arc<RequestedImages>,
    settings: Settings,
    print: Fingerprint,
    short: String,
    drafts: bool,
    /// Whether the same seed gives the same picture.
    seeds: bool,
    /// Whether the generator reports steps.
    steps: bool,
    max_batch: usize,
    work: VecDeque<Target>,
    /// Double pictures that were deferred because their sides were missing.
    waited: HashSet<Target>,
    tries: HashMap<Target, u32>,
    in_a_row: u32,
    batch_limit: usize,
    /// Made but not yet recorded.
    pending: Vec<(GenerationTask, GeneratedImage)>,
    /// Time of the last handover. The first picture is handed over at once.
    handed_over: Option<Instant>,
}

impl Session {
    /// Determines the remaining work of a job. Returns `None` if the job is no longer active.
    ///
    /// # Errors
    /// The reason that the job cannot continue.
    pub fn begin(
        shared: &Arc<OwnerContext>,
        id: u32,
        generator: &dyn ImageGenerator,
    ) -> Result<Option<Session>> {
        let is_canceled = || !shared.jobs.is_active(id);
        let named = shared
            .requested
            .images(shared, Cancel::when(&is_canceled))?;
        let capabilities = generator.capabilities();
        let begun = shared
            .jobs
            .update(shared, id, |live, job: &mut GenerationJob| {
                if !live.header.standing.is_active() {
                    return Ok(None);
                }
                let settings = job
                    .spec
                    .settings
                    .clone()
                    .unwrap_or_else(|| job.spec.wishes.over(&capabilities.recommended));
                if let Some(excluded) = capabilities.refusal_reason(&settings, &Task::default()) {
                    return Err(Error::input(excluded.reason)
                        .help("start a new job with settings that it supports"));
                }
                let mut work = job
                    .scope(capabilities.draft)
                    .work(&named, &shared.items.pictures());
                let key = |t: &Target| (named.pictures()[t.picture as usize].key, t.sample);
                work.retain(|target| !job.failures.failed.contains_key(&key(target)));
                job.device = match generator.replaces_because() {
                    Some(why) => format!("{}; {why}", capabilities.name),
                    None => capabilities.name.clone(),
                };
                (job.is_counted, job.again) = (true, false);
                job.spec.settings = Some(settings.clone());
                job.spec.of = Some(job.done + job.failed() + work.len() as u64);
                let (suspects, rest): (Vec<Target>, Vec<Target>) = work
                    .into_iter()
                    .partition(|target| job.ended.contains_key(&key(target)));
                Ok(Some((settings, suspects, rest, job.version, job.spec.seed)))
            });
        let Some((settings, suspects, rest, version, seed)) = begun.transpose()?.flatten() else {
            return Ok(None);
        };
        shared.jobs.save(shared, id)?;
        let print = with_encoder(generator.fingerprint(&settings));
        let mut session = Session {
            id,
            version,
            seed,
            named,
            settings,
            short: print.short(),
            print,
            drafts: capabilities.draft,
            seeds: capabilities.respects.seed,
            steps: capabilities.reports_steps,
            max_batch: capabilities.max_batch.max(1),
            // Pictures that may have crashed an owner are made last, and alone.
            work: rest.into_iter().chain(suspects.iter().copied()).collect(),
            waited: HashSet::new(),
            tries: suspects.iter().map(|target| (*target, 0)).collect(),
            in_a_row: 0,
            batch_limit: usize::MAX,
            pending: Vec::new(),
            handed_over: None,
        };
        session.give_up_suspects(shared, &suspects)?;
        Ok(Some(session))
    }

    /// Gives up on pictures during which several owners died.
    fn give_up_suspects(&mut self, shared: &Arc<OwnerContext>, suspects: &[Target]) -> Result<()> {
        for target in suspects {
            let ends = self.ends(shared, *target);
            if ends < ENDS {
                continue;
            }
            self.work.retain(|other| other != target);
            let task =
                GenerationTask::read(&shared.items.catalog(), &self.named, *target, self.seed)?;
            let reason =
                format!("the owner process ended {ends} times while it generated this picture");
            self.record_failure(
                shared,
                &task,
                Failure::new(FailureKind::BadOutput, reason),
                ends,
            )?;
        }
        Ok(())
    }

    /// How often an owner died while making this picture.
    fn ends(&self, shared: &OwnerContext, target: Target) -> u32 {
        let key = self
            .named
            .pictures()
            .get(target.picture as usize)
            .map_or(0, |p| p.key);
        let of = |job: &mut GenerationJob| job.ended.get(&(key, target.sample)).copied();
        let ends = shared.jobs.with(self.id, |_, job| of(job));
        ends.flatten().unwrap_or_default()
    }

    /// Records what is being made now, and during which pictures owners died before.
    fn note_in_flight(&self, shared: &OwnerContext, targets: &[Target]) -> Result<()> {
        let mut flight: Vec<PictureInProgress> = Vec::new();
        let key = |target: &Target| self.named.pictures()[target.picture as usize].key;
        for target in targets {
            flight.push(PictureInProgress {
                key: key(target),
                sample: target.sample,
                ends: self.ends(shared, *target),
            });
        }
        let others = shared.jobs.with(self.id, |_, job: &mut GenerationJob| {
            job.ended.iter().map(|(at, ends)| (*at, *ends)).collect()
        });
        let others: Vec<((u64, u32), u32)> = others.unwrap_or_default();
        for ((key, sample), ends) in others {
            if !flight.iter().any(|f| (f.key, f.sample) == (key, sample)) {
                // Reading adds 1 to each entry, but these are not being made.
                flight.push(PictureInProgress {
                    key,
                    sample,
                    ends: ends.saturating_sub(1),
                });
            }
        }
        shared.index.get()?.note_flight(self.id, &flight)
    }

    /// Whether neither the items nor the job have changed.
    pub fn is_current(&self, shared: &OwnerContext) -> bool {
        let version = shared
            .jobs
            .with(self.id, |_, job: &mut GenerationJob| job.version);
        self.named.edition == shared.items.catalog().edition() && version == Some(self.version)
    }

    /// Updates the fingerprint after the generator may have changed its settings for lack of
    /// memory.
    pub fn refresh_fingerprint(&mut self, generator: &dyn ImageGenerator) {
        self.print = with_encoder(generator.fingerprint(&self.settings));
        self.short = self.print.short();
    }

    /// Whether positions in `named` are valid for this session.
    pub fn matches(&self, named: &RequestedImages) -> bool {
        self.named.edition == named.edition
    }

    /// The next batch; `only` is a requested picture.
    ///
    /// # Errors
    /// [`Corrupt`](benchtop_model::ErrorKind::Corrupt) if the texts are damaged.
    pub fn next_batch(
        &mut self,
        shared: &Arc<OwnerContext>,
        only: Option<Target>,
    ) -> Result<NextWork> {
        let limits = shared.jobs.with(self.id, |live, job: &mut GenerationJob| {
            let is_running = live.header.standing == JobStatus::Running;
            is_running.then(|| (job.spec.batch, job.spec.per_minute, job.rows.clone()))
        });
        let Some((batch, per_minute, rows)) = limits.flatten() else {
            return Ok(NextWork::Nothing);
        };
        let mut most = batch
            .map_or(self.max_batch, |b| b as usize)
            .min(self.max_batch)
            .min(self.batch_limit)
            .max(1);
        if let Some(per_minute) = per_minute {
            most = most.min(per_minute.div_ceil(60).max(1) as usize);
        }
        if let Some(only) = only {
            self.work.retain(|target| *target != only);
            self.work.push_front(only);
            most = 1;
        }
        let catalog = shared.items.catalog();
        let mut tasks: Vec<GenerationTask> = Vec::new();
        while tasks.len() < most {
            let Some(target) = self.work.pop_front() else {
                break;
            };
            // A retried picture is made alone, so that its failure affects no other.
            let alone = self.tries.contains_key(&target);
            if alone && !tasks.is_empty() {
                self.work.push_front(target);
                break;
            }
            if self.is_made(shared, rows.as_deref(), target) {
                continue;
            }
            let task = GenerationTask::read(&catalog, &self.named, target, self.seed)?;
            if self.exists_unchanged(shared, &task) {
                continue;
            }
            if task.side_by_side && !tasks.is_empty() {
                self.work.push_front(target);
                break;
            }
            let double = task.side_by_side;
            tasks.push(task);
            if alone || double {
                break;
            }
        }
        if tasks.is_empty() {
            return Ok(if self.work.is_empty() {
                NextWork::End
            } else {
                NextWork::Nothing
            });
        }
        if let Some(per_minute) = per_minute {
            let wait = Duration::from_secs_f64(60.0 * tasks.len() as f64 / f64::from(per_minute));
            shared
                .jobs
                .with(self.id, |live, _: &mut GenerationJob| live.wait(wait));
        }
        Ok(NextWork::Batch(tasks))
    }

    fn is_made(&self, shared: &OwnerContext, rows: Option<&Vec<u32>>, target: Target) -> bool {
        let rows = rows.map(Vec::as_slice);
        let scope = benchtop_pipeline::generate::remaining::Scope {
            job: self.id,
            rows,
            samples: 0,
            drafts: self.drafts,
        };
        scope.is_made(&self.named, &shared.items.pictures(), target)
    }

    /// Whether remaking it would give an identical picture that already exists.
    fn exists_unchanged(&self, shared: &OwnerContext, task: &GenerationTask) -> bool {
        let picture = &self.named.pictures()[task.target.picture as usize];
        let pictures = shared.items.pictures();
        self.seeds
            && !task.side_by_side
            && pictures.samples(picture.key).any(|e| {
                (e.sample, e.prompt, e.seed) == (task.target.sample, picture.prompt, task.task.seed)
                    && pictures.fingerprint(e) == self.short
            })
    }
}
