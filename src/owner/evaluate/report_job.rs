//! Jobs that end with a report: judging and comparing answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::context::OwnerContext;
use crate::engine::{Counts, Job, JobMeter, Kind, Live, Slot, Step};
use crate::trust;
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::config::Config;
use benchtop_model::import::Progress;
use benchtop_model::job::{Budget, JobState, Prices};
use benchtop_model::trust::Destination;
use benchtop_model::{Error, Result};
use benchtop_store::jobs::{JobHeader, StoredJob};

/// A request that is carried out by a job and answered with its report.
pub(super) trait Reporting: Clone + Serialize + DeserializeOwned + Send + 'static {
    type Report: Clone + Send + 'static;

    fn kind() -> &'static Kind<OwnerContext>;

    /// Checks the settings, also those of a file.
    ///
    /// # Errors
    /// [`Error::usage`] with the first invalid one.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// All settings that decide its work. Requests with the same ones share a job.
    fn settings(&self) -> Value {
        json!(self)
    }

    /// How many answers it sends at most; 0 if it sends nothing.
    fn most(&self, _: &OwnerContext) -> u64 {
        0
    }

    /// The report so far. Nothing is done.
    ///
    /// # Errors
    /// Errors of reading.
    fn preview(&self, shared: &Arc<OwnerContext>, cancel: Cancel<'_>) -> Result<Self::Report>;

    /// Whether a report lacks something that the work would add.
    fn lacks(report: &Self::Report) -> bool;

    /// Completes the state for clients: name, plan, and generator.
    fn describe(&self, state: &mut JobState);

    /// Where it sends data.
    ///
    /// # Errors
    /// Invalid addresses.
    fn destinations(&self) -> Result<Vec<Destination>> {
        Ok(Vec::new())
    }

    /// As [`Job::prices`].
    fn prices(&self, _: &Config) -> Option<Prices> {
        None
    }

    /// Does all that is left, and returns the report with the number of failures. `meter` counts
    /// what is sent.
    ///
    /// # Errors
    /// Errors of the work. What was done up to then is kept.
    fn run(
        &self,
        shared: &Arc<OwnerContext>,
        meter: &Arc<JobMeter>,
        watch: ProgressSink<'_>,
    ) -> Result<(Self::Report, u64)>;
}

/// What the file of a job has.
#[derive(Serialize, Deserialize)]
struct Spec<A> {
    ask: A,
}

struct ReportJob<A: Reporting> {
    id: u32,
    spec: Spec<A>,
    progress: Progress,
    failed: u64,
    report: Option<A::Report>,
}

impl<A: Reporting> ReportJob<A> {
    fn new(id: u32, spec: Spec<A>) -> ReportJob<A> {
        ReportJob {
            id,
            spec,
            progress: Progress::default(),
            failed: 0,
            report: None,
        }
    }
}

impl<A: Reporting> Job<OwnerContext> for ReportJob<A> {
    fn spec(&self) -> Value {
        json!(self.spec)
    }

    fn counts(&self) -> Counts {
        Counts::new(&self.progress, self.failed)
    }

    fn describe(&self, state: &mut JobState) {
        self.spec.ask.describe(state);
    }

    fn destinations(&self, _: &Arc<OwnerContext>) -> Result<Vec<Destination>> {
        self.spec.ask.destinations()
    }

    fn sends(&self, shared: &OwnerContext) -> (u64, String) {
        match (self.progress.of, self.spec.ask.most(shared)) {
            (_, 0) => (0, String::new()),
            (None, most) => (most, format!("all unread answers, up to {most}")),
            (Some(of), _) => {
                let left = of.saturating_sub(self.progress.done);
                (left, format!("{left} answers"))
            }
        }
    }

    fn prices(&self, config: &Config) -> Option<Prices> {
        self.spec.ask.prices(config)
    }

    fn digest(&self, _: &Arc<OwnerContext>, _: &JobHeader) -> Result<String> {
        trust::digest(&json!([self.id, self.spec]))
    }
}

/// Makes a job from its file.
///
/// # Errors
/// [`Error::corrupt`] for another content.
pub(super) fn load<A: Reporting>(stored: &StoredJob) -> Result<Box<dyn Job<OwnerContext>>> {
    let job = ReportJob::<A>::new(stored.header.id, stored.spec()?);
    job.spec.ask.check()?;
    Ok(Box::new(job))
}

/// Begins a job for a request, or joins the job that does the same, and waits for its report. The
/// job gets the limits of `budget`; a joined one keeps those that it has besides.
///
/// # Errors
/// Errors of the job; [`Error::cancelled`]. What was done up to then is kept.
pub(super) fn report<A: Reporting>(
    shared: &Arc<OwnerContext>,
    who: &str,
    (ask, budget): (&A, Budget),
    watch: ProgressSink<'_>,
) -> Result<A::Report> {
    let wanted = ask.settings();
    loop {
        let begin = |id| ReportJob::new(id, Spec { ask: ask.clone() });
        let is_same = |job: &ReportJob<A>| job.spec.ask.settings() == wanted;
        let of = (A::kind(), who, budget);
        let (id, is_new) = shared.jobs.join_or_begin(shared, of, is_same, begin)?;
        shared.jobs.follow(shared, id, watch)?;
        // What was imported after the joined job had listed its work is left.
        if !is_new && A::lacks(&ask.preview(shared, watch.cancel)?) {
            continue;
        }
        let report = |_: &mut Live, job: &mut ReportJob<A>| job.report.clone();
        let report = shared.jobs.with(id, report).flatten();
        return report.ok_or_else(|| Error::failed(format!("job {id} left no report")));
    }
}

/// Does all that is left of a job.
///
/// # Errors
/// Errors of the work.
pub(super) fn step<A: Reporting>(
    shared: &Arc<OwnerContext>,
    id: u32,
    _: &mut Slot,
) -> Result<Step> {
    let ask = |_: &mut Live, job: &mut ReportJob<A>| job.spec.ask.clone();
    let Some(ask) = shared.jobs.with(id, ask) else {
        return Ok(Step::More);
    };
    let Some(meter) = shared.jobs.meter(id) else {
        return Ok(Step::More);
    };
    // Requests in flight are awaited when the budget is spent.
    let stops = || !shared.jobs.has_turn(id);
    // The progress starts anew with each step.
    let told = AtomicU64::new(0);
    let tell = |progress: Progress| {
        let fresh = progress
            .done
            .saturating_sub(told.swap(progress.done, Ordering::Relaxed));
        shared
            .jobs
            .update(shared, id, |live, job: &mut ReportJob<A>| {
                if fresh > 0 {
                    live.progressed(fresh);
                }
                job.progress = progress;
            });
    };
    let watch = ProgressSink::new(&tell, Cancel::when(&stops));
    let (report, failed) = ask.run(shared, &meter, watch)?;
    shared.jobs.with(id, |_, job: &mut ReportJob<A>| {
        (job.failed, job.report) = (failed, Some(report));
    });
    Ok(Step::Done)
}
