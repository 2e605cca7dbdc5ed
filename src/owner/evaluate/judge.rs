//! Sends answers that `strict` cannot read to a language-model judge.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::start::check;
use super::work::damaged;
use crate::clock::now;
use crate::context::OwnerContext;
use crate::engine::{Counts, Job, Kind, Live, Slot, Step};
use crate::{queries, trust};
use benchtop_metrics::extract::Extractor;
use benchtop_metrics::extract::judge_extraction::INSTRUCTION;
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::evaluation::{NewRun, OptionOrders, Wording};
use benchtop_model::history::stamp;
use benchtop_model::import::Progress;
use benchtop_model::job::JobState;
use benchtop_model::trust::Destination;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_pipeline::evaluate::judge::{
    JudgeContext, JudgeSummary, Unread, ask as ask_judge, unread,
};
use benchtop_protocol::wire::{Event, JudgeReport, JudgeRequest, JudgedModel};
use benchtop_store::jobs::JobHeader;
use benchtop_store::judge_cache::{JudgeExtractions, JudgeJournal};

/// The kind of jobs that have a judge read answers.
pub static JUDGING: Kind<OwnerContext> = Kind {
    name: "judging",
    unit: "answer",
    load: |_, stored| Ok(Box::new(JudgingJob::new(stored.header.id, stored.spec()?))),
    step,
};

/// What its file has.
#[derive(Clone, Serialize, Deserialize)]
struct Judging {
    ask: JudgeRequest,
}

struct JudgingJob {
    id: u32,
    spec: Judging,
    progress: Progress,
    failed: u64,
    report: Option<JudgeReport>,
}

impl JudgingJob {
    fn new(id: u32, spec: Judging) -> JudgingJob {
        JudgingJob {
            id,
            spec,
            progress: Progress::default(),
            failed: 0,
            report: None,
        }
    }
}

impl Job<OwnerContext> for JudgingJob {
    fn spec(&self) -> Value {
        json!(self.spec)
    }

    fn counts(&self) -> Counts {
        Counts {
            done: self.progress.done,
            of: self.progress.of,
            failed: self.failed,
        }
    }

    fn describe(&self, state: &mut JobState) {
        let ask = &self.spec.ask;
        state.name = format!("judge {}", ask.judge);
        state.plan = "asking the judge".into();
        state.generator = ask.judge.clone();
    }

    fn destinations(&self, _: &Arc<OwnerContext>) -> Result<Vec<Destination>> {
        trust::of_run(&settings(&self.spec.ask))
    }

    fn sends(&self, _: &OwnerContext) -> (u64, &'static str) {
        let Progress { done, of, .. } = self.progress;
        (of.unwrap_or_default().saturating_sub(done), "answers")
    }

    fn digest(&self, _: &Arc<OwnerContext>, _: &JobHeader) -> Result<String> {
        Ok(trust::digest(&json!([self.id, self.spec])))
    }
}

/// Has the judge read all answers that it has not read yet, as a job, and reports its readings.
///
/// # Errors
/// [`ErrorKind::NotFound`](benchtop_model::ErrorKind::NotFound) for a model without answers;
/// [`ErrorKind::Usage`](benchtop_model::ErrorKind::Usage) for invalid settings;
/// [`ErrorKind::Denied`](benchtop_model::ErrorKind::Denied) in a blind round;
/// [`ErrorKind::Unreachable`](benchtop_model::ErrorKind::Unreachable) if the judge does not reply;
/// [`ErrorKind::Cancelled`](benchtop_model::ErrorKind::Cancelled); I/O errors. Readings up to then
/// are kept.
pub fn judge_all(
    shared: &Arc<OwnerContext>,
    who: &str,
    ask: &JudgeRequest,
    watch: ProgressSink<'_>,
) -> Result<JudgeReport> {
    let new = settings(ask);
    check(&new)?;
    if !ask.dry {
        trust::check(shared, &trust::of_run(&new)?)?;
    }
    // Validates URLs, keys, and models first. Nothing is sent.
    (shared.evaluations.maker)(&new)?;
    let scored = queries::scored(shared, Some(Extractor::Strict))?;
    let all = unread(&scored, &ask.models, watch.cancel)?;
    let root = shared.project.root();
    if ask.dry {
        let readings = JudgeExtractions::read(root)?;
        return Ok(report(ask, &all, &readings, JudgeSummary::default()));
    }
    let spec = Judging { ask: ask.clone() };
    let begin = |id| JudgingJob::new(id, spec);
    let is_same = |job: &JudgingJob| is_same(&job.spec.ask, ask);
    let id = shared
        .jobs
        .join_or_begin(shared, (&JUDGING, who), is_same, begin)?;
    shared.jobs.follow(shared, id, watch)?;
    let report = |_: &mut Live, job: &mut JudgingJob| job.report.clone();
    let report = shared.jobs.with(id, report).flatten();
    report.ok_or_else(|| Error::new(ErrorKind::Io, "the judge's job left no report"))
}

/// Whether two requests have the same judge read the same answers.
fn is_same(a: &JudgeRequest, b: &JudgeRequest) -> bool {
    let urls =
        |ask: &JudgeRequest| -> Vec<String> { ask.servers.iter().map(|s| s.url.clone()).collect() };
    (&a.judge, &a.models, urls(a)) == (&b.judge, &b.models, urls(b))
}

fn step(shared: &Arc<OwnerContext>, id: u32, _: &mut Slot) -> Result<Step> {
    let ask = |_: &mut Live, job: &mut JudgingJob| job.spec.ask.clone();
    let Some(ask) = shared.jobs.with(id, ask) else {
        return Ok(Step::More);
    };
    let new = settings(&ask);
    trust::check(shared, &trust::of_run(&new)?)?;
    let mut model = (shared.evaluations.maker)(&new)?;
    let stops = || !shared.jobs.goes_on(id);
    let tell = |progress: Progress| {
        shared
            .jobs
            .update(shared, id, |live, job: &mut JudgingJob| {
                if progress.done > job.progress.done {
                    live.progressed(progress.done - job.progress.done);
                }
                job.progress = progress;
            });
    };
    let watch = ProgressSink::new(&tell, Cancel::when(&stops));
    let scored = queries::scored(shared, Some(Extractor::Strict))?;
    let all = unread(&scored, &ask.models, watch.cancel)?;
    let mut judged = JudgeJournal::open(shared.project.root())?;
    if let Some(notice) = damaged("runs/judge.jsonl", &judged.readings().damaged) {
        shared.broadcast.notices().push(notice);
    }
    let session = JudgeContext {
        judge: &new.model,
        max_tokens: ask.max_tokens,
        model: model.as_mut(),
        judged: &mut judged,
        now: &|| stamp(now()),
    };
    let done = ask_judge(&scored, &all, session, watch);
    // The board by this rule has changed, even if the judge stopped replying.
    shared
        .scored()
        .retain(|(_, rule, _)| !rule.is_some_and(Extractor::is_of_project));
    shared.broadcast.send(Event::AnswersReparsed);
    let done = done?;
    let failed = done.failed;
    let report = report(&ask, &all, judged.readings(), done);
    shared.jobs.with(id, |_, job: &mut JudgingJob| {
        (job.failed, job.report) = (failed, Some(report));
    });
    Ok(Step::Done)
}

/// The settings of an evaluation whose model is the judge.
fn settings(ask: &JudgeRequest) -> NewRun {
    NewRun {
        model: ask.judge.clone(),
        name: None,
        servers: ask.servers.clone(),
        filter: String::new(),
        sample: None,
        seed: 1,
        blind: true,
        orders: OptionOrders::AsIs,
        wording: Wording::Paper,
        max_tokens: ask.max_tokens,
        tries: ask.tries,
        prices: (0, 0),
        dry: ask.dry,
        drafts: false,
    }
}

fn report(
    ask: &JudgeRequest,
    all: &[Unread],
    readings: &JudgeExtractions,
    done: JudgeSummary,
) -> JudgeReport {
    let of_model = |one: &Unread| {
        let (judged, read) = one.judged(readings, &ask.judge);
        JudgedModel {
            model: one.model.clone(),
            unparsed: one.unparsed,
            skipped: one.unparsed - one.asks.len() as u64,
            judged,
            read,
            none: judged - read,
        }
    };
    JudgeReport {
        judge: ask.judge.clone(),
        instruction: INSTRUCTION.into(),
        asked: done.asked,
        failed: done.failed,
        why: done.why,
        cut: done.cut,
        tokens: (done.usage.prompt, done.usage.completion),
        models: all.iter().map(of_model).collect(),
    }
}
