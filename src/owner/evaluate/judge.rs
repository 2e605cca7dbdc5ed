//! Sends answers that `strict` cannot read to a language-model judge.

use std::sync::Arc;

use super::report_job::{self, Reporting};
use super::start::check;
use super::work::damaged;
use crate::clock::now;
use crate::context::OwnerContext;
use crate::engine::Kind;
use crate::{queries, trust};
use benchtop_metrics::extract::Extractor;
use benchtop_metrics::extract::judge_extraction::INSTRUCTION;
use benchtop_model::Result;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::evaluation::{NewRun, OptionOrders, Wording};
use benchtop_model::history::stamp;
use benchtop_model::job::JobState;
use benchtop_model::trust::Destination;
use benchtop_pipeline::evaluate::judge::{
    JudgeContext, JudgeSummary, Unread, ask as ask_judge, unread,
};
use benchtop_protocol::wire::{Event, JudgeReport, JudgeRequest, JudgedModel};
use benchtop_store::judge_cache::{JudgeExtractions, JudgeJournal};

/// The kind of jobs that have a judge read answers.
pub static JUDGING: Kind<OwnerContext> = Kind {
    name: "judging",
    unit: "answer",
    load: |_, stored| report_job::load::<JudgeRequest>(stored),
    step: report_job::step::<JudgeRequest>,
};

impl Reporting for JudgeRequest {
    type Report = JudgeReport;

    const SENDS: &'static str = "answers";

    fn kind() -> &'static Kind<OwnerContext> {
        &JUDGING
    }

    fn is_same(&self, other: &JudgeRequest) -> bool {
        let urls = |ask: &JudgeRequest| -> Vec<String> {
            ask.servers.iter().map(|s| s.url.clone()).collect()
        };
        (&self.judge, &self.models, urls(self)) == (&other.judge, &other.models, urls(other))
    }

    fn describe(&self, state: &mut JobState) {
        state.name = format!("judge {}", self.judge);
        state.plan = "asking the judge".into();
        state.generator = self.judge.clone();
    }

    fn destinations(&self) -> Result<Vec<Destination>> {
        trust::of_run(&settings(self))
    }

    fn run(
        &self,
        shared: &Arc<OwnerContext>,
        watch: ProgressSink<'_>,
    ) -> Result<(JudgeReport, u64)> {
        let new = settings(self);
        trust::check(shared, &trust::of_run(&new)?)?;
        let mut model = (shared.evaluations.maker)(&new)?;
        let scored = queries::scored(shared, Some(Extractor::Strict))?;
        let all = unread(&scored, &self.models, watch.cancel)?;
        let mut judged = JudgeJournal::open(shared.project.root())?;
        if let Some(notice) = damaged("runs/judge.jsonl", &judged.readings().damaged) {
            shared.broadcast.notices().push(notice);
        }
        let session = JudgeContext {
            judge: &new.model,
            max_tokens: self.max_tokens,
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
        Ok((report(self, &all, judged.readings(), done), failed))
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
    report_job::report(shared, who, ask, watch)
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
