//! Sends answers that `strict` cannot read to a language-model judge.

use std::sync::Arc;

use super::start::check;
use super::work::damaged;
use crate::clock::now;
use crate::context::OwnerContext;
use crate::{queries, trust};
use benchtop_metrics::extract::Extractor;
use benchtop_metrics::extract::judge_extraction::INSTRUCTION;
use benchtop_model::Result;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::evaluation::{NewRun, OptionOrders, Wording};
use benchtop_model::history::stamp;
use benchtop_pipeline::evaluate::judge::{
    JudgeContext, JudgeSummary, Unread, ask as ask_judge, unread,
};
use benchtop_protocol::wire::{Event, JudgeReport, JudgeRequest, JudgedModel};
use benchtop_store::judge_cache::{JudgeExtractions, JudgeJournal};

/// Asks the judge about all answers that it has not read yet, and reports its readings.
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
    ask: &JudgeRequest,
    watch: ProgressSink<'_>,
) -> Result<JudgeReport> {
    let new = settings(ask);
    check(&new)?;
    let to = trust::of_run(&new)?;
    if !ask.dry {
        trust::check(shared, &to)?;
    }
    // Validates URLs and keys first. Nothing is sent.
    let mut model = (shared.evaluations.maker)(&new)?;
    let scored = queries::scored(shared, Some(Extractor::Strict))?;
    let all = unread(&scored, &ask.models, watch.cancel)?;
    let root = shared.project.root();
    if ask.dry {
        return Ok(report(
            ask,
            &all,
            &JudgeExtractions::read(root)?,
            JudgeSummary::default(),
        ));
    }
    // Held to the end, since two calls must not write to the same file.
    let _one = shared.evaluations.judging();
    let mut judged = JudgeJournal::open(root)?;
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
    Ok(report(ask, &all, judged.readings(), done?))
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
