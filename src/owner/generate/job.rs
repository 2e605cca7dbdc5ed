//! A generation job as the engine holds it.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

use super::check::check_limits;
use crate::context::OwnerContext;
use crate::engine::{Counts, Job};
use crate::trust;
use benchtop_model::config::Config;
use benchtop_model::config::generate::{Backend, Generate};
use benchtop_model::job::{JobFailure, JobState, JobStatus, Newest, Prices, Step};
use benchtop_model::sorting::sort_by;
use benchtop_model::trust::Destination;
use benchtop_model::{Error, ErrorKind, Filter, Result};
use benchtop_pipeline::generate::build;
use benchtop_pipeline::generate::remaining::Scope;
use benchtop_pipeline::pictures;
use benchtop_store::jobs::{
    self, FailureLog, Generation, GenerationFiles, JobHeader, PictureInProgress, StoredJob,
};

/// What is sent to a server, in words.
pub const PROMPTS: &str = "prompts for pictures";
/// Maximum number of requested pictures; older requests are dropped.
const WANTS: usize = 64;

pub struct GenerationJob {
    pub id: u32,
    /// The stored part.
    pub spec: Generation,
    /// Sorted rows of the selected items; `None` if the job makes missing pictures.
    pub rows: Option<Arc<Vec<u32>>>,
    /// The failed pictures.
    pub failures: FailureLog,
    /// How often an owner died while making each picture.
    pub ended: HashMap<(u64, u32), u32>,
    /// Number of pictures made.
    pub done: u64,
    /// Whether this owner counted what there is to make.
    pub is_counted: bool,
    /// Whether it was retried during a step. The next session takes it into account.
    pub again: bool,
    /// The generator's name and device.
    pub device: String,
    /// Progress of the current batch.
    pub step: Option<Step>,
    /// The latest picture.
    pub newest: Option<Newest>,
    /// Incremented when the remaining work must be recomputed.
    pub version: u64,
    /// Rows of items whose pictures were requested, with the time, latest request first.
    pub wants: VecDeque<(Instant, u32)>,
}

impl GenerationJob {
    /// A job without pictures.
    pub fn new(id: u32, files: GenerationFiles) -> GenerationJob {
        let rows = (files.spec.scope == jobs::Scope::Items).then(|| {
            let numbers = files.numbers.into_iter();
            let mut rows: Vec<u32> = numbers.filter_map(|n| n.checked_sub(1)).collect();
            rows.sort_unstable();
            rows.dedup();
            Arc::new(rows)
        });
        GenerationJob {
            id,
            spec: files.spec,
            rows,
            failures: files.failures,
            ended: HashMap::new(),
            done: 0,
            is_counted: false,
            again: false,
            device: String::new(),
            step: None,
            newest: None,
            version: 0,
            wants: VecDeque::new(),
        }
    }

    /// Number of failed pictures.
    pub fn failed(&self) -> u64 {
        self.failures.failed.len() as u64
    }

    /// The numbers of its items; empty if the job makes missing pictures.
    pub fn numbers(&self) -> Vec<u32> {
        let rows = self.rows.iter();
        rows.flat_map(|rows| rows.iter().map(|row| row + 1))
            .collect()
    }

    /// What the job must make, with a generator of drafts (`drafts`) or of pictures.
    pub fn scope(&self, drafts: bool) -> Scope<'_> {
        Scope {
            job: self.id,
            rows: self.rows.as_deref().map(Vec::as_slice),
            samples: self.spec.samples,
            drafts,
        }
    }

    /// Makes the picture of the item in `row` next.
    pub fn prioritize(&mut self, row: u32) {
        self.wants.retain(|(_, other)| *other != row);
        self.wants.push_front((Instant::now(), row));
        self.wants.truncate(WANTS);
    }
}

/// Makes a job from its files.
///
/// # Errors
/// [`ErrorKind::Corrupt`].
pub fn load(shared: &Arc<OwnerContext>, stored: &StoredJob) -> Result<Box<dyn Job<OwnerContext>>> {
    let (files, problem) = GenerationFiles::read(shared.project.root(), stored)?;
    let Generation {
        samples,
        batch,
        per_minute,
        ..
    } = files.spec;
    check_limits(samples, batch, per_minute)?;
    if let Some(problem) = problem {
        let notice = format!("a job cannot be read: {problem}");
        shared.broadcast.notices().push(notice);
    }
    let mut job = GenerationJob::new(stored.header.id, files);
    job.done = shared.items.pictures().of_job(job.id);
    if !stored.header.standing.is_finished() && shared.writable.opened_read_only.is_none() {
        let noted = shared.index.get().and_then(|index| index.flight(job.id));
        let once_more = |f: PictureInProgress| ((f.key, f.sample), f.ends + 1);
        job.ended = noted
            .unwrap_or_default()
            .into_iter()
            .map(once_more)
            .collect();
        if stored.header.standing.is_active() {
            pictures::sweep(&shared.project);
        }
    }
    Ok(Box::new(job))
}

impl Job<OwnerContext> for GenerationJob {
    fn spec(&self) -> Value {
        json!(self.spec.short())
    }

    fn counts(&self) -> Counts {
        Counts {
            done: self.done,
            of: self.spec.of,
            failed: self.failed(),
        }
    }

    fn describe(&self, state: &mut JobState) {
        let spec = self.spec.clone();
        let generator = [spec.wishes.backend, spec.wishes.model];
        (state.name, state.plan) = (spec.name, spec.plan);
        (state.samples, state.seed) = (spec.samples, spec.seed);
        state.generator = generator
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ");
        (state.device, state.settings) = (self.device.clone(), spec.settings);
        (state.batch, state.per_minute) = (spec.batch, spec.per_minute);
        state.step = self.step.filter(|_| state.standing == JobStatus::Running);
        state.newest = self.newest.clone();
    }

    fn resource(&self, config: &Config) -> Option<String> {
        let wishes = build::complete_overrides(config, &self.spec.wishes);
        Some(build::device(config, &wishes))
    }

    fn destinations(&self, shared: &Arc<OwnerContext>) -> Result<Vec<Destination>> {
        trust::of_generation(&shared.config(), &self.spec.wishes)
    }

    fn sends(&self, shared: &OwnerContext) -> (u64, String) {
        if let Some(of) = self.spec.of.filter(|_| self.is_counted) {
            let left = of.saturating_sub(self.done);
            return (left, format!("{left} {PROMPTS}"));
        }
        let items = match &self.rows {
            Some(rows) => rows.len(),
            None => shared.items.catalog().len(),
        };
        let most = (items as u64).saturating_mul(self.spec.samples.into());
        (most, format!("up to {most} {PROMPTS}"))
    }

    fn prices(&self, config: &Config) -> Option<Prices> {
        let wishes = build::complete_overrides(config, &self.spec.wishes);
        let is_http = wishes.backend.as_deref() == Some(Backend::Http.name());
        let Generate {
            price_in,
            price_out,
            ..
        } = config.generate;
        is_http.then_some((price_in.0, price_out.0))
    }

    /// Pictures follow from items alone, but selected items may follow from verdicts.
    fn tells(&self) -> bool {
        let is_told = || Filter::parse(&self.spec.plan).map_or(true, |filter| filter.tells());
        self.rows.is_some() && is_told()
    }

    fn digest(&self, shared: &Arc<OwnerContext>, header: &JobHeader) -> Result<String> {
        let config = &*shared.config();
        let wishes = build::complete_overrides(config, &self.spec.wishes);
        let is_http = wishes.backend.as_deref() == Some(Backend::Http.name());
        let servers = is_http.then_some(&config.generate.endpoints);
        let JobHeader {
            id, by, created, ..
        } = header;
        // The stored filter text is truncated, so the digest uses the item numbers instead.
        let Generation {
            scope,
            samples,
            seed,
            ..
        } = &self.spec;
        let numbers = self.numbers();
        let (wishes, servers, scope) = (json!(wishes), json!(servers), json!(scope));
        trust::digest(&(
            wishes, servers, id, by, created, scope, samples, seed, numbers,
        ))
    }

    fn urgent_since(&self) -> Option<Instant> {
        self.wants.front().map(|(at, _)| *at)
    }

    /// Without its generator, a job fails. An unreachable server or a missing key is not its fault.
    fn fails(&self, problem: &Error) -> bool {
        self.device.is_empty() && problem.kind != ErrorKind::Unreachable
    }

    fn stopped(&mut self, standing: JobStatus) {
        self.step = None;
        self.wants.clear();
        if standing == JobStatus::Done {
            self.spec.of = Some(self.done.saturating_add(self.failed()));
        }
    }

    fn ends(&self) -> bool {
        !self.again
    }

    fn retry(&mut self, _: &OwnerContext, at_work: bool) -> Result<()> {
        self.failures.retry()?;
        self.ended.clear();
        self.version += 1;
        self.again = at_work;
        Ok(())
    }

    fn limit(&mut self, batch: Option<Option<u32>>, per_minute: Option<Option<u32>>) -> Result<()> {
        if [batch, per_minute].contains(&Some(Some(0))) {
            let what = "the limit must be at least 1";
            return Err(Error::usage(what).help("pause the job to stop it"));
        }
        self.spec.batch = batch.unwrap_or(self.spec.batch);
        self.spec.per_minute = per_minute.unwrap_or(self.spec.per_minute);
        Ok(())
    }

    fn failures(&self, _: &OwnerContext) -> Result<Vec<JobFailure>> {
        let failed = self.failures.failed.values();
        let mut list: Vec<JobFailure> = failed.map(|f| f.failure.clone()).collect();
        sort_by(&mut list, |a, b| {
            (a.number, &a.picture, a.sample).cmp(&(b.number, &b.picture, b.sample))
        });
        Ok(list)
    }

    fn removed(&self, shared: &OwnerContext) {
        // A number that is not there any more has no notes.
        let _ = shared
            .index
            .get()
            .and_then(|index| index.forget_flight(self.id));
    }
}
