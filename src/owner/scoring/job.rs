//! Scoring jobs. The remaining work follows from the existing scores, so an interrupted job continues
//! where they end.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::cache::Scoring;
use super::work;
use crate::context::OwnerContext;
use crate::engine::{Counts, Job, Kind, Live};
use crate::trust;
use benchtop_model::cancel::Cancel;
use benchtop_model::config::Config;
use benchtop_model::generated_image::check_drafts;
use benchtop_model::job::{Budget, JobState, JobStatus, Prices};
use benchtop_model::scoring::Scorer;
use benchtop_model::scoring::job::{NewScoring, Phase, ScoringState};
use benchtop_model::trust::Destination;
use benchtop_model::{Error, Filter, Result};
use benchtop_pipeline::scoring::runner::Spent;
use benchtop_protocol::wire::{Request, request};
use benchtop_store::jobs::JobHeader;

/// The kind of scoring jobs.
pub static SCORING: Kind<OwnerContext> = Kind {
    name: "scoring",
    unit: "score",
    access: request::Score::ACCESS,
    load: |_, stored| Ok(Box::new(ScoringJob::new(stored.header.id, stored.spec()?))),
    step: work::step,
};

/// What is sent to a judge, in words.
const PICTURES: &str = "pictures or texts of items";

/// Maximum number of ended jobs in the list.
const MAX_ENDED: usize = 50;

/// What its file has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) scorer: Scorer,
    pub(super) filter: String,
    /// Whether failed and unparsed inputs are scored again.
    pub(super) retry: bool,
    /// The end of the scores when a step took the retry. What failed after it is not scored again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<u64>,
    /// Inputs whose picture was a draft at the start.
    #[serde(default)]
    pub(super) drafts: u64,
    /// Its number in the list of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) earlier: Option<u32>,
    /// Its counts when it stopped: inputs done, all inputs, and scores without a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) stopped: Option<(u64, Option<u64>, u64)>,
}

pub(super) struct ScoringJob {
    pub(super) id: u32,
    pub(super) spec: Stored,
    pub(super) done: u64,
    pub(super) of: Option<u64>,
    pub(super) without: u64,
    /// Whether the counts are those of its file, which may come from somebody else.
    pub(super) is_stored: bool,
    /// The reason of the last score without a number.
    pub(super) why: Option<String>,
    pub(super) device: String,
    pub(super) spent: Option<Spent>,
}

impl ScoringJob {
    pub(super) fn new(id: u32, spec: Stored) -> ScoringJob {
        let (done, of, without) = spec.stopped.unwrap_or_default();
        ScoringJob {
            id,
            is_stored: spec.stopped.is_some(),
            spec,
            done,
            of,
            without,
            why: None,
            device: String::new(),
            spent: None,
        }
    }

    /// Its own state, besides that of any job.
    fn scoring(&self, state: &JobState) -> ScoringState {
        let is_elsewhere = state.waits.as_ref().is_some_and(|waits| waits.elsewhere);
        let phase = match state.standing {
            JobStatus::Queued => Phase::Queued,
            JobStatus::Running => Phase::Running,
            JobStatus::Paused if state.reason.is_none() || is_elsewhere => Phase::Paused,
            JobStatus::Paused | JobStatus::Failed => Phase::Blocked,
            JobStatus::Done => Phase::Done,
            JobStatus::Cancelled => Phase::Cancelled,
        };
        ScoringState {
            id: self.id,
            scorer: self.spec.scorer.clone(),
            filter: self.spec.filter.clone(),
            phase,
            done: self.done,
            of: self.of,
            without: self.without,
            per_minute: (state.rate > 0.0).then_some(state.rate as f32),
            why: state.reason.clone().or_else(|| self.why.clone()),
            device: self.device.clone(),
            tokens: self.spent.map(|s| (s.asked, s.answered)),
            cost_micros: self.spent.and_then(|s| s.micros),
            waits: state.waits.clone(),
            drafts: self.spec.drafts,
        }
    }
}

/// Digest of a job with this number, with the servers of its judge.
pub(super) fn digest(config: &Config, id: u32, spec: &Stored) -> Result<String> {
    let servers = spec
        .scorer
        .asks_judge()
        .then_some((&config.judge.endpoints, &config.judge.model));
    trust::digest(&json!([id, spec.scorer, spec.filter, servers]))
}

impl Job<OwnerContext> for ScoringJob {
    fn spec(&self) -> Value {
        json!(self.spec)
    }

    fn counts(&self) -> Counts {
        Counts {
            done: self.done,
            of: self.of,
            failed: 0,
        }
    }

    fn describe(&self, state: &mut JobState) {
        state.name = format!("filter {}", self.spec.scorer);
        state.plan = match self.spec.filter.is_empty() {
            true => "all items".into(),
            false => self.spec.filter.clone(),
        };
        (state.generator, state.device) = (self.spec.scorer.to_string(), self.device.clone());
        state.scoring = Some(Box::new(self.scoring(state)));
    }

    fn destinations(&self, shared: &Arc<OwnerContext>) -> Result<Vec<Destination>> {
        let project = trust::current_project(shared)?;
        trust::of_scorer(project.config(), &self.spec.scorer)
    }

    fn sends(&self, shared: &OwnerContext) -> (u64, String) {
        let items = shared.items.catalog().len() as u64;
        let (done, of) = match self.is_stored {
            true => (0, None),
            false => (self.done, self.of),
        };
        let left = of.unwrap_or(items).saturating_sub(done);
        let most = if of.is_none() { "up to " } else { "" };
        (left, format!("{most}{left} {PICTURES}"))
    }

    fn prices(&self, config: &Config) -> Option<Prices> {
        let prices = (config.judge.price_in.0, config.judge.price_out.0);
        self.spec.scorer.asks_judge().then_some(prices)
    }

    fn tells(&self) -> bool {
        Filter::parse(&self.spec.filter).map_or(true, |filter| filter.tells())
    }

    fn digest(&self, shared: &Arc<OwnerContext>, header: &JobHeader) -> Result<String> {
        let project = trust::current_project(shared)?;
        digest(project.config(), header.id, &self.spec)
    }

    fn stopped(&mut self, standing: JobStatus) {
        if standing == JobStatus::Done {
            (self.spec.retry, self.spec.since) = (false, None);
        }
        self.spec.stopped = Some((self.done, self.of, self.without));
    }

    /// A retry that no step took yet is still to do.
    fn ends(&self) -> bool {
        !self.spec.retry || self.spec.since.is_some()
    }

    fn retry(&mut self, _: &OwnerContext, _: bool) -> Result<()> {
        (self.spec.retry, self.spec.since) = (true, None);
        Ok(())
    }

    fn retries_canceled(&self) -> bool {
        true
    }
}

impl Scoring {
    /// Starts a job, or previews it.
    ///
    /// # Errors
    /// [`Error::usage`] for an invalid filter or a scorer that needs no job;
    /// [`Error::conflict`] if the scorer has an active job; [`Error::denied`] for servers
    /// without an agreement; [`Error::cancelled`]; the reason that the scorer cannot run.
    pub fn begin(
        &self,
        shared: &Arc<OwnerContext>,
        by: &str,
        (new, budget): (&NewScoring, Budget),
        cancel: Cancel<'_>,
    ) -> Result<ScoringState> {
        if matches!(new.scorer, Scorer::Consensus | Scorer::Blind) {
            return Err(Error::usage(format!(
                "`{}` is computed from predictions and needs no job",
                new.scorer
            ))
            .help("import prediction files instead"));
        }
        // Building a scorer opens its files, and they must not be opened for writing twice.
        let _one = self.beginning.lock();
        self.free(shared, &new.scorer)?;
        let project = trust::current_project(shared)?;
        let to = trust::of_scorer(project.config(), &new.scorer)?;
        if !new.dry {
            trust::check(shared, &to)?;
        }
        let runner = (self.maker)(&project, &new.scorer)?;
        let mut job = ScoringJob::new(
            0,
            Stored {
                scorer: new.scorer.clone(),
                filter: new.filter.clone(),
                retry: false,
                since: None,
                drafts: 0,
                earlier: None,
                stopped: None,
            },
        );
        let left = work::left(shared, &job.spec, &runner.about().short(), cancel)?;
        if new.scorer.uses_pictures() {
            let rows = left.iter().map(|(row, _)| *row);
            job.spec.drafts = shared.requested.drafts(shared, rows, cancel)?;
            check_drafts(
                job.spec.drafts,
                (left.len() as u64, "inputs"),
                new.drafts || new.dry,
            )?;
        }
        (job.of, job.device) = (Some(left.len() as u64), runner.about().name.clone());
        if new.dry {
            let what = format!("{} {PICTURES}", left.len());
            let waits = trust::waits(shared, false, &to, (left.len() as u64, what));
            let state = JobState {
                done: 0,
                of: job.of,
                waits,
                ..JobState::default()
            };
            return Ok(job.scoring(&state));
        }
        let made = shared.jobs.begin(shared, (&SCORING, by), |header| {
            (job.id, header.budget) = (header.id, budget);
            Ok((job, None))
        })?;
        shared.jobs.prune(shared, SCORING.name, MAX_ENDED);
        made.scoring
            .map(|state| *state)
            .ok_or_else(|| Error::failed("a scoring job without details"))
    }

    /// Checks that the scorer, and others that write the same embeddings, have no active job and that
    /// their last job has stopped.
    fn free(&self, shared: &OwnerContext, scorer: &Scorer) -> Result<()> {
        let problem = shared.jobs.find(|live: &mut Live, job: &mut ScoringJob| {
            let other = &job.spec.scorer;
            if other != scorer && !(other.embeds_pictures() && scorer.embeds_pictures()) {
                return None;
            }
            let standing = live.header.standing;
            if !standing.is_finished() {
                let what = format!("job {} of `{other}` is {}", job.id, standing.name());
                let help = "wait until it ends, or cancel it first";
                return Some(Error::conflict(what).help(help));
            }
            live.at_work.then(|| {
                let what = format!("the previous job of `{other}` is still stopping");
                Error::conflict(what).help("try again in a moment")
            })
        });
        problem.map_or(Ok(()), Err)
    }

    /// Whether a job of this scorer runs.
    pub(super) fn is_running(&self, shared: &OwnerContext, scorer: &Scorer) -> bool {
        let runs = |live: &mut Live, job: &mut ScoringJob| {
            (live.header.standing == JobStatus::Running && job.spec.scorer == *scorer).then_some(())
        };
        shared.jobs.find(runs).is_some()
    }

    /// Whether any scoring job runs.
    pub(super) fn is_busy(&self, shared: &OwnerContext) -> bool {
        let runs = |live: &mut Live, _: &mut ScoringJob| {
            (live.header.standing == JobStatus::Running).then_some(())
        };
        shared.jobs.find(runs).is_some()
    }

    /// The active job of a scorer, or else its last one.
    pub(super) fn job_of(&self, shared: &OwnerContext, scorer: &Scorer) -> Option<ScoringState> {
        let jobs = shared.jobs.list().ok()?.into_iter();
        let mut scoring = jobs.filter_map(|job| job.scoring);
        scoring.find(|job| job.scorer == *scorer).map(|job| *job)
    }
}
