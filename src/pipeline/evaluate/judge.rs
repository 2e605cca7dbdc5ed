//! Asks a language-model judge about answers that `strict` cannot read.

use std::collections::HashSet;

use super::server_errors::{AT_FIRST, STREAK, is_of_question};
use crate::board::BoardData;
use benchtop_inference::BatchEvent;
use benchtop_inference::vlm::VisionLanguageModel;
use benchtop_metrics::extract::Asked;
use benchtop_metrics::extract::judge_extraction::{INSTRUCTION, can_judge, prompt, reply, system};
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::generation::{Failure, FailureKind};
use benchtop_model::vlm::{Finish, Reply, Usage, VlmRequest};
use benchtop_model::{Error, ErrorKind, Item, Prediction, Result};
use benchtop_store::judge_cache::{JudgeExtractions, JudgeJournal, Reading, about};

/// Number of answers examined at a time.
const TOGETHER: usize = 256;

/// The unparsed answers of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Unread {
    pub model: String,
    /// Index of the model among those that answered.
    at: usize,
    /// Number of unparsed answers.
    pub unparsed: u64,
    /// Those that a judge can be asked about: the item's row, and the key of the reading.
    pub asks: Vec<(u32, String)>,
}

impl Unread {
    /// How many of them this judge has read, and how many readings name an option.
    pub fn judged(&self, readings: &JudgeExtractions, judge: &str) -> (u64, u64) {
        let mut counts = (0, 0);
        for reading in self
            .asks
            .iter()
            .filter_map(|(_, about)| readings.by(about, judge, INSTRUCTION))
        {
            counts = (counts.0 + 1, counts.1 + u64::from(reading.read.is_some()));
        }
        counts
    }
}

fn cancelled() -> Error {
    Error::new(
        ErrorKind::Cancelled,
        "canceled; the judge's readings are kept",
    )
}

fn about_of(item: &Item, answer: &Prediction) -> String {
    about(
        &item.id,
        &item.question,
        item.options.iter().map(|option| option.text.as_str()),
        &answer.output,
    )
}

/// The unparsed answers of these models and their further option orders, or of all models if none
/// are named. `scored` uses `strict`. Questions without a right answer are left out. `wanted`
/// returns whether to continue.
///
/// # Errors
///
/// [`ErrorKind::NotFound`] for a model without answers, with the list of models;
/// [`ErrorKind::Cancelled`]; or if texts cannot be read.
pub fn unread(scored: &BoardData, models: &[String], cancel: Cancel<'_>) -> Result<Vec<Unread>> {
    let all = scored.engine().all_models();
    if let Some(none) = models
        .iter()
        .find(|model| all.iter().all(|graded| graded.model != **model))
    {
        let known: Vec<&str> = all.iter().map(|graded| graded.model.as_str()).collect();
        return Err(
            Error::new(ErrorKind::NotFound, format!("no answers by `{none}`"))
                .help(format!("models with answers: {}", known.join(", "))),
        );
    }
    let mut found = Vec::new();
    for (at, graded) in all.iter().enumerate() {
        let base = graded.asked.as_ref().map(|asked| &asked.base);
        if !models.is_empty()
            && !models
                .iter()
                .any(|model| *model == graded.model || Some(model) == base)
        {
            continue;
        }
        let mut rows = scored.unparsed(at);
        rows.retain(|row| scored.engine().sheet().graded(*row as usize));
        let mut asks = Vec::new();
        for some in rows.chunks(TOGETHER) {
            cancel.check()?;
            for (row, item, answer) in scored.answered(at, some)? {
                if can_judge(&Asked::from(&item), &answer.output) {
                    asks.push((row, about_of(&item, &answer)));
                }
            }
        }
        found.push(Unread {
            model: graded.model.clone(),
            at,
            unparsed: rows.len() as u64,
            asks,
        });
    }
    Ok(found)
}

/// The result of asking a judge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgeSummary {
    /// Number of replies.
    pub asked: u64,
    /// Questions without a reply. The next run asks them again.
    pub failed: u64,
    /// The last error.
    pub why: Option<String>,
    /// Replies that reached the token limit and name no option.
    pub cut: u64,
    /// Tokens, if the server reports them.
    pub usage: Usage,
}

/// The judge, and where its readings are stored.
pub struct JudgeContext<'a> {
    /// The judge's name on its servers.
    pub judge: &'a str,
    /// Maximum number of tokens in a reply.
    pub max_tokens: u32,
    pub model: &'a mut dyn VisionLanguageModel,
    pub judged: &'a mut JudgeJournal,
    /// Whether answers may still be sent; asked before each batch.
    pub may_send: &'a dyn Fn() -> Result<()>,
    /// The current time, RFC 3339 in UTC.
    pub now: &'a dyn Fn() -> String,
}

/// Asks about everything that this judge has not read with these questions. Each reply is recorded
/// before it counts. `watch` receives the number of replies and the expected total, and returns
/// whether to continue.
///
/// # Errors
///
/// [`ErrorKind::Unreachable`] if several consecutive questions get no reply, with the reason;
/// [`ErrorKind::Cancelled`]; or if recording fails. Readings are kept.
pub fn ask(
    scored: &BoardData,
    all: &[Unread],
    desk: JudgeContext<'_>,
    watch: ProgressSink<'_>,
) -> Result<JudgeSummary> {
    let mut seen = HashSet::new();
    let known = &desk.judged.readings;
    let mut is_open = |about: &String| {
        known.by(about, desk.judge, INSTRUCTION).is_none() && seen.insert(about.clone())
    };
    let of_one = |one: &Unread| {
        one.asks
            .iter()
            .filter(|(_, about)| is_open(about))
            .map(|(row, _)| *row)
            .collect()
    };
    let left: Vec<Vec<u32>> = all.iter().map(of_one).collect();
    let of = left.iter().map(|rows| rows.len() as u64).sum();
    let together = desk.model.abilities().max_batch.max(1);
    let mut session = Session {
        desk,
        done: JudgeSummary::default(),
        failing: 0,
    };
    for (one, rows) in all.iter().zip(&left) {
        for some in rows.chunks(together) {
            (session.desk.may_send)()?;
            let open = scored
                .answered(one.at, some)?
                .into_iter()
                .map(|(_, item, answer)| (item, answer))
                .collect();
            session.some(&one.model, open, &|done| {
                watch.report("asking the judge", done, Some(of))
            })?;
        }
    }
    session.end()
}

struct Session<'a> {
    desk: JudgeContext<'a>,
    done: JudgeSummary,
    /// Failures since the last reply.
    failing: usize,
}

impl Session<'_> {
    fn some(
        &mut self,
        model: &str,
        open: Vec<(Item, Prediction)>,
        report: &dyn Fn(u64) -> Result<()>,
    ) -> Result<()> {
        let ask = |(item, answer): &(Item, Prediction)| VlmRequest {
            system: Some(system().into()),
            prompt: prompt(&Asked::from(item), &item.question, &answer.output),
            max_tokens: self.desk.max_tokens,
            ..VlmRequest::default()
        };
        let asks: Vec<VlmRequest> = open.iter().map(ask).collect();
        let Session {
            desk:
                JudgeContext {
                    judge,
                    model: asked,
                    judged,
                    now,
                    ..
                },
            done,
            failing,
        } = self;
        let mut trouble = report(done.asked).err();
        asked.ask(&asks, &mut |heard| {
            if let BatchEvent::Done { index, result } = heard
                && let Some((item, answer)) = open.get(index)
            {
                let kept = match result {
                    Ok(reply) => {
                        done.failed += std::mem::take(failing) as u64;
                        let reading = reading(model, judge, item, answer, reply, now());
                        done.count(&reading);
                        judged.append(reading)
                    }
                    Err(failure) => done.lost(failure, failing),
                };
                trouble = trouble.take().or(kept.err());
            }
            trouble = trouble.take().or_else(|| report(done.asked).err());
            trouble.is_none()
        });
        trouble.map_or(Ok(()), |problem| match problem.kind {
            ErrorKind::Cancelled => Err(cancelled()),
            _ => Err(problem),
        })
    }

    fn end(mut self) -> Result<JudgeSummary> {
        if self.failing > 0 && self.done.asked == 0 {
            return Err(self.done.gone(self.failing));
        }
        self.done.failed += self.failing as u64;
        Ok(self.done)
    }
}

impl JudgeSummary {
    fn count(&mut self, reading: &Reading) {
        self.asked += 1;
        self.cut += u64::from(reading.finish == Finish::Length && reading.read.is_none());
        let usage = reading.usage.unwrap_or_default();
        self.usage.prompt = self.usage.prompt.saturating_add(usage.prompt);
        self.usage.completion = self.usage.completion.saturating_add(usage.completion);
    }

    fn lost(&mut self, failure: Failure, failing: &mut usize) -> Result<()> {
        let Failure { kind, reason } = failure;
        if kind == FailureKind::Cancelled {
            return Ok(());
        }
        let is_its_own = match kind {
            FailureKind::Input => true,
            FailureKind::Refused => self.asked > 0 && is_of_question(&reason),
            _ => false,
        };
        self.why = Some(reason);
        if is_its_own {
            self.failed += 1;
            return Ok(());
        }
        *failing += 1;
        let most = if self.asked == 0 { AT_FIRST } else { STREAK };
        if *failing >= most {
            Err(self.gone(*failing))
        } else {
            Ok(())
        }
    }

    /// The error for servers that no longer answer.
    fn gone(&self, failing: usize) -> Error {
        let why = self.why.as_deref().unwrap_or_default();
        let what = match failing {
            1 => format!("the judge did not reply: {why}"),
            n => format!("the judge did not reply {n} times in a row; last error: {why}"),
        };
        Error::new(ErrorKind::Unreachable, what)
            .help("check the server and run the command again; finished readings are kept")
    }
}

fn reading(
    model: &str,
    judge: &str,
    item: &Item,
    answer: &Prediction,
    given: Reply,
    at: String,
) -> Reading {
    // A content filter's reply is not a reading of the answer.
    let is_reply = given.finish != Finish::Refused;
    Reading {
        v: Reading::version(),
        item: item.id.clone(),
        model: model.into(),
        about: about_of(item, answer),
        judge: judge.into(),
        instruction: INSTRUCTION.into(),
        read: reply(&Asked::from(item), &given.text).filter(|_| is_reply),
        said: given.text,
        finish: given.finish,
        usage: given.usage,
        at,
    }
}
