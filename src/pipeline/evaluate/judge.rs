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
    /// Replies that reached the token limit and cannot be read.
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

/// Reads a reply; `None` for one that says nothing that can be used.
type ReadReply = Box<dyn Fn(&str) -> Option<String>>;

/// Loads questions about answers of a model, by its index and theirs.
type LoadQuestions<'a> = dyn Fn(usize, &[usize]) -> Result<Vec<Question>> + 'a;

/// A question to a judge about one answer.
pub(super) struct Question {
    /// Id of the item.
    pub(super) item: String,
    /// The key of the reading.
    pub(super) about: String,
    pub(super) prompt: String,
    pub(super) read: ReadReply,
}

/// What a judge is asked.
pub(super) struct Questions<'a> {
    /// Name and version of the prompt.
    pub(super) instruction: &'static str,
    pub(super) system: &'static str,
    /// The models, and the keys of the readings of their answers.
    pub(super) models: Vec<(&'a str, Vec<&'a str>)>,
    /// The questions about these answers of a model, by their indices among its keys.
    pub(super) load: &'a LoadQuestions<'a>,
}

/// Asks about everything that this judge has not read with these questions; see [`ask_each`].
///
/// # Errors
///
/// As [`ask_each`].
pub fn ask(
    scored: &BoardData,
    all: &[Unread],
    context: JudgeContext<'_>,
    watch: ProgressSink<'_>,
) -> Result<JudgeSummary> {
    let keys = |one: &'_ Unread| -> Vec<String> {
        one.asks.iter().map(|(_, about)| about.clone()).collect()
    };
    let keys: Vec<Vec<String>> = all.iter().map(keys).collect();
    let load = |at: usize, some: &[usize]| -> Result<Vec<Question>> {
        let Some(one) = all.get(at) else {
            return Ok(Vec::new());
        };
        let rows: Vec<u32> = some
            .iter()
            .filter_map(|at| one.asks.get(*at))
            .map(|(row, _)| *row)
            .collect();
        let question = |(_, item, answer): (u32, Item, Prediction)| Question {
            item: item.id.clone(),
            about: about_of(&item, &answer),
            prompt: prompt(&Asked::from(&item), &item.question, &answer.output),
            read: Box::new(move |text| reply(&Asked::from(&item), text)),
        };
        let open = scored.answered(one.at, &rows)?;
        Ok(open.into_iter().map(question).collect())
    };
    let models = all.iter().zip(&keys);
    let questions = Questions {
        instruction: INSTRUCTION,
        system: system(),
        models: models
            .map(|(one, keys)| {
                (
                    one.model.as_str(),
                    keys.iter().map(String::as_str).collect(),
                )
            })
            .collect(),
        load: &load,
    };
    ask_each(&questions, context, watch)
}

/// Asks all questions that this judge has not answered with this instruction. Each reply is recorded
/// before it counts. `watch` receives the number of replies and the expected total, and returns
/// whether to continue.
///
/// # Errors
///
/// [`ErrorKind::Unreachable`] if several consecutive questions get no reply, with the reason;
/// [`ErrorKind::Cancelled`]; or if recording fails. Readings are kept.
pub(super) fn ask_each(
    questions: &Questions<'_>,
    context: JudgeContext<'_>,
    watch: ProgressSink<'_>,
) -> Result<JudgeSummary> {
    let mut seen = HashSet::new();
    let known = &context.judged.readings;
    let mut is_open = |about: &str| {
        let reading = known.by(about, context.judge, questions.instruction);
        reading.is_none() && seen.insert(about.to_string())
    };
    let of_one = |(_, keys): &(&str, Vec<&str>)| -> Vec<usize> {
        let keys = keys.iter().enumerate();
        keys.filter(|(_, about)| is_open(about))
            .map(|(at, _)| at)
            .collect()
    };
    let left: Vec<Vec<usize>> = questions.models.iter().map(of_one).collect();
    let of = left.iter().map(|keys| keys.len() as u64).sum();
    let together = context.model.abilities().max_batch.max(1);
    let mut session = Session {
        context,
        of: questions,
        done: JudgeSummary::default(),
        failing: 0,
    };
    for (at, open) in left.iter().enumerate() {
        for some in open.chunks(together) {
            (session.context.may_send)()?;
            let open = (questions.load)(at, some)?;
            session.some(at, &open, &|done| {
                watch.report("asking the judge", done, Some(of))
            })?;
        }
    }
    session.end()
}

struct Session<'a, 'q> {
    context: JudgeContext<'a>,
    of: &'q Questions<'q>,
    done: JudgeSummary,
    /// Failures since the last reply.
    failing: usize,
}

impl Session<'_, '_> {
    fn some(
        &mut self,
        at: usize,
        open: &[Question],
        report: &dyn Fn(u64) -> Result<()>,
    ) -> Result<()> {
        let ask = |question: &Question| VlmRequest {
            system: Some(self.of.system.into()),
            prompt: question.prompt.clone(),
            max_tokens: self.context.max_tokens,
            ..VlmRequest::default()
        };
        let asks: Vec<VlmRequest> = open.iter().map(ask).collect();
        let Session {
            context:
                JudgeContext {
                    judge,
                    model: asked,
                    judged,
                    now,
                    ..
                },
            of,
            done,
            failing,
        } = self;
        let model = of.models.get(at).map_or("", |(model, _)| *model);
        let mut trouble = report(done.asked).err();
        asked.ask(&asks, &mut |heard| {
            if let BatchEvent::Done { index, result } = heard
                && let Some(question) = open.get(index)
            {
                let kept = match result {
                    Ok(reply) => {
                        done.failed += std::mem::take(failing) as u64;
                        let by = (*judge, of.instruction);
                        let reading = reading(model, by, question, reply, now());
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
    (judge, instruction): (&str, &str),
    question: &Question,
    given: Reply,
    at: String,
) -> Reading {
    // A content filter's reply is not a reading of the answer.
    let is_reply = given.finish != Finish::Refused;
    Reading {
        v: Reading::version(),
        item: question.item.clone(),
        model: model.into(),
        about: question.about.clone(),
        judge: judge.into(),
        instruction: instruction.into(),
        read: (question.read)(&given.text).filter(|_| is_reply),
        said: given.text,
        finish: given.finish,
        usage: given.usage,
        at,
    }
}
