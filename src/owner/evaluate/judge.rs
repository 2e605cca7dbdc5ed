//! Sends answers that `strict` cannot read, or free-form answers to grade, to a language-model judge.

use crate::dispatch::{Task, TaskContext};
use std::sync::Arc;

use serde_json::{Value, json};

use super::check::check;
use super::report_job::{self, Reporting};
use super::similarity::chosen;
use super::work::damaged;
use crate::clock::now;
use crate::context::OwnerContext;
use crate::engine::{JobMeter, Kind};
use crate::{queries, trust};
use benchtop_metrics::extract::judge_extraction::INSTRUCTION;
use benchtop_metrics::extract::{Extractor, judge_grading};
use benchtop_model::Result;
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::config::Config;
use benchtop_model::evaluation::{NewRun, OptionOrders, Wording};
use benchtop_model::free_form::FreeForm;
use benchtop_model::history::stamp;
use benchtop_model::job::{JobState, Prices};
use benchtop_model::trust::Destination;
use benchtop_pipeline::board::BoardData;
use benchtop_pipeline::evaluate::grade::{self, FreeAnswers};
use benchtop_pipeline::evaluate::judge::{
    JudgeContext, JudgeSummary, Unread, ask as ask_judge, unread,
};
use benchtop_pipeline::evaluate::similarity::compared;
use benchtop_protocol::wire::{Event, JudgeReport, JudgeRequest, JudgedModel, Request, request};
use benchtop_store::Catalog;
use benchtop_store::catalog::PredictionSegment;
use benchtop_store::judge_cache::{JudgeExtractions, JudgeJournal};
use benchtop_store::manifest::Content;

/// The kind of jobs that have a judge read answers.
pub static JUDGING: Kind<OwnerContext> = Kind {
    name: "judging",
    unit: "answer",
    access: request::Judge::ACCESS,
    load: |_, stored| report_job::load::<JudgeRequest>(stored),
    step: report_job::step::<JudgeRequest>,
};

impl Reporting for JudgeRequest {
    type Report = JudgeReport;

    fn kind() -> &'static Kind<OwnerContext> {
        &JUDGING
    }

    fn check(&self) -> Result<()> {
        check(&settings(self))
    }

    /// Excludes the number of concurrent requests.
    fn settings(&self) -> Value {
        let mut ask = self.clone();
        let servers = ask.servers.iter_mut();
        servers.for_each(|server| server.concurrency = 0);
        json!(ask)
    }

    fn most(&self, shared: &OwnerContext) -> u64 {
        let catalog = shared.items.catalog();
        let of_it = |segment: &&PredictionSegment| match &segment.part.holds {
            // The models that are named may have answers in other option orders.
            Content::Predictions { model, .. } => {
                self.models.is_empty() || self.models.iter().any(|name| model.starts_with(&**name))
            }
            _ => false,
        };
        let answers = catalog.answers().iter().filter(of_it);
        answers.map(|segment| segment.part.rows).sum()
    }

    fn preview(&self, shared: &Arc<OwnerContext>, cancel: Cancel<'_>) -> Result<JudgeReport> {
        let work = Work::of(self, shared, cancel)?;
        let readings = JudgeExtractions::read(shared.project.root())?;
        Ok(work.report(self, &readings, JudgeSummary::default()))
    }

    fn lacks(report: &JudgeReport) -> bool {
        let is_left = |of: &JudgedModel| of.judged + of.skipped < of.answers;
        report.models.iter().any(is_left)
    }

    fn describe(&self, state: &mut JobState) {
        state.name = format!("judge {}", self.judge);
        state.plan = match self.grade {
            true => "grading free-form answers".into(),
            false => "asking the judge".into(),
        };
        state.generator = self.judge.clone();
    }

    fn destinations(&self) -> Result<Vec<Destination>> {
        trust::of_run(&settings(self))
    }

    fn prices(&self, config: &Config) -> Option<Prices> {
        Some((config.judge.price_in.0, config.judge.price_out.0))
    }

    fn run(
        &self,
        shared: &Arc<OwnerContext>,
        meter: &Arc<JobMeter>,
        watch: ProgressSink<'_>,
    ) -> Result<(JudgeReport, u64)> {
        let new = settings(self);
        let to = trust::of_run(&new)?;
        let may_send = || meter.check().and_then(|()| trust::check(shared, &to));
        may_send()?;
        let mut model = (shared.evaluations.maker)(&new)?;
        model.count_requests(meter.clone());
        let work = Work::of(self, shared, watch.cancel)?;
        let mut judged = JudgeJournal::open(shared.project.root())?;
        if let Some(notice) = damaged("runs/judge.jsonl", &judged.readings.damaged) {
            shared.broadcast.notices().push(notice);
        }
        let session = JudgeContext {
            judge: &new.model,
            max_tokens: self.max_tokens,
            model: model.as_mut(),
            judged: &mut judged,
            may_send: &may_send,
            now: &|| stamp(now()),
        };
        let done = work.ask(session, watch);
        // The board by this rule has changed, even if the judge stopped replying.
        shared
            .scored()
            .retain(|(_, rule, _)| !rule.is_some_and(Extractor::is_of_project));
        shared.broadcast.send(Event::AnswersReparsed);
        let done = done?;
        let failed = done.failed;
        Ok((work.report(self, &judged.readings, done), failed))
    }
}

impl Task for request::Judge {
    const LISTED: bool = false;

    /// Has the judge read all answers that it has not read yet, as a job, and reports its readings.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](benchtop_model::ErrorKind::NotFound) for a model without answers;
    /// [`ErrorKind::Usage`](benchtop_model::ErrorKind::Usage) for invalid settings;
    /// [`ErrorKind::Denied`](benchtop_model::ErrorKind::Denied) in a blind round;
    /// [`ErrorKind::Unreachable`](benchtop_model::ErrorKind::Unreachable) if the judge does not reply;
    /// [`ErrorKind::Cancelled`](benchtop_model::ErrorKind::Cancelled); I/O errors. Readings up to then
    /// are kept.
    fn run(self, task: TaskContext<'_>) -> Result<JudgeReport> {
        let (shared, ask, budget) = (task.shared, &*self.0, self.1);
        let new = settings(ask);
        check(&new)?;
        if !ask.dry {
            trust::check(shared, &trust::of_run(&new)?)?;
        }
        // Validates URLs, keys, and models first. Nothing is sent.
        (shared.evaluations.maker)(&new)?;
        let preview = ask.preview(shared, task.progress.cancel)?;
        if ask.dry {
            return Ok(preview);
        }
        report_job::report(shared, task.who, (ask, budget), task.progress)
    }
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

/// What a judge is asked about.
enum Work {
    /// Answers that `strict` cannot read.
    Unread(Arc<BoardData>, Vec<Unread>),
    /// Free-form answers, to grade.
    Free(Arc<Catalog>, Vec<FreeAnswers>),
}

impl Work {
    fn of(ask: &JudgeRequest, shared: &Arc<OwnerContext>, cancel: Cancel<'_>) -> Result<Work> {
        if !ask.grade {
            let scored = queries::scored(shared, Some(Extractor::Strict))?;
            let all = unread(&scored, &ask.models, cancel)?;
            return Ok(Work::Unread(scored, all));
        }
        let (catalog, models) = chosen(shared, &ask.models)?;
        let all = compared(&catalog, &models, FreeForm::default(), cancel)?;
        let free = models.into_iter().zip(all);
        let free = free.map(|(model, answers)| FreeAnswers::new(model, answers));
        Ok(Work::Free(catalog, free.collect()))
    }

    fn ask(&self, session: JudgeContext<'_>, watch: ProgressSink<'_>) -> Result<JudgeSummary> {
        match self {
            Work::Unread(scored, all) => ask_judge(scored, all, session, watch),
            Work::Free(catalog, all) => grade::ask(catalog, all, session, watch),
        }
    }

    fn report(
        &self,
        ask: &JudgeRequest,
        readings: &JudgeExtractions,
        done: JudgeSummary,
    ) -> JudgeReport {
        let of_model =
            |model: &str, answers: u64, skipped: u64, (judged, read): (u64, u64)| JudgedModel {
                model: model.to_string(),
                answers,
                skipped,
                judged,
                read,
                none: judged - read,
            };
        let of_unread = |one: &Unread| {
            let skipped = one.unparsed - one.asks.len() as u64;
            let judged = one.judged(readings, &ask.judge);
            of_model(&one.model, one.unparsed, skipped, judged)
        };
        let of_free = |one: &FreeAnswers| {
            let judged = one.judged(readings, &ask.judge);
            of_model(&one.model, one.answers, one.skipped(), judged)
        };
        let (instruction, models) = match self {
            Work::Unread(_, all) => (INSTRUCTION, all.iter().map(of_unread).collect()),
            Work::Free(_, all) => (
                judge_grading::INSTRUCTION,
                all.iter().map(of_free).collect(),
            ),
        };
        JudgeReport {
            judge: ask.judge.clone(),
            instruction: instruction.into(),
            asked: done.asked,
            failed: done.failed,
            why: done.why,
            cut: done.cut,
            tokens: (done.usage.prompt, done.usage.completion),
            models,
        }
    }
}
