//! Scores with a named question to a vision-language model.

use std::sync::Arc;

use serde_json::json;

use super::clip_and_safety::refused;
use crate::evaluate::ask::{UNREAD, encoded};
use crate::scoring::runner::{Runner, ScoreSink, Spent, Subject, failed};
use benchtop_compose::metadata::Judging;
use benchtop_compose::metadata::judge::fields_of;
use benchtop_inference::BatchEvent;
use benchtop_inference::request_meter::RequestMeter;
use benchtop_inference::vlm::VisionLanguageModel;
use benchtop_metrics::judge::{VERSION, certainty, ruling};
use benchtop_model::cancel::Cancel;
use benchtop_model::config::Judge;
use benchtop_model::generation::{Failure, FailureKind};
use benchtop_model::judge::{AnswerForm, JudgeAnswer, ShownPictures, Word};
use benchtop_model::scoring::{Score, ScoreState, Scorer};
use benchtop_model::vlm::{Encoded, Reply, Tally, VlmRequest};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_store::scores::ScorerVersion;

/// Cost is counted in millionths; [`benchtop_model::vlm::Money`] has millionths of those.
const MICROS: u128 = 1_000_000;

/// The cost so far.
pub(super) fn spent(tally: &Tally, config: &Judge) -> Spent {
    let money = tally.money(config).0;
    let micros = (money > 0).then(|| u64::try_from(money.div_ceil(MICROS)).unwrap_or(u64::MAX));
    Spent {
        asked: tally.usage.prompt,
        answered: tally.usage.completion,
        micros,
    }
}

/// The pictures of a question. A pair is the original's picture and the item's.
///
/// # Errors
///
/// Why they cannot be shown, as text.
pub(super) fn pictures(
    subject: &Subject,
    shows: ShownPictures,
) -> std::result::Result<Vec<Encoded>, String> {
    let original = subject
        .original
        .as_ref()
        .map(|original| &original.files[..]);
    let is_derived = subject.item.derivation.is_some();
    let (files, wanted) = shown_pictures(shows, &subject.files, original, is_derived);
    if files.len() < wanted {
        return Err(format!(
            "the question needs {wanted} pictures, of which {} are available",
            files.len()
        ));
    }
    files.into_iter().map(encoded).collect()
}

/// Which pictures of an item and of its original a question shows, and how many it needs. An item that
/// is not derived can have both pictures of a pair itself.
pub(crate) fn shown_pictures<'p, P>(
    shows: ShownPictures,
    own: &'p [P],
    original: Option<&'p [P]>,
    is_derived: bool,
) -> (Vec<&'p P>, usize) {
    match (shows, original.filter(|_| own.len() < 2 || is_derived)) {
        (ShownPictures::None, _) => (Vec::new(), 0),
        (ShownPictures::Item, _) => (own.iter().collect(), own.len().max(1)),
        (ShownPictures::Pair, Some(original)) => {
            let pair = original.first().zip(own.first());
            (pair.map_or(Vec::new(), |(a, b)| vec![a, b]), 2)
        }
        (ShownPictures::Pair, None) => (own.iter().take(2).collect(), 2),
    }
}

pub(super) fn not_applicable(why: &str) -> Score {
    Score::without_number(ScoreState::NotApplicable, json!({ "why": why }).to_string())
}

/// The scorer. See the module documentation.
pub struct Judged {
    about: ScorerVersion,
    judging: Arc<Judging>,
    pass: Word,
    model: Box<dyn VisionLanguageModel>,
    config: Judge,
    tally: Tally,
}

impl Judged {
    /// Asks `judging` through `model`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Usage`] for a judge question without a passing answer.
    pub fn new(
        judging: Arc<Judging>,
        model: Box<dyn VisionLanguageModel>,
        config: &Judge,
    ) -> Result<Judged> {
        let AnswerForm::YesNo { pass } = judging.reads else {
            let what = format!("`{}` is not a yes-or-no question", judging.name);
            return Err(Error::new(ErrorKind::Usage, what).field("answer.read"));
        };
        let print = model
            .fingerprint()
            .with("judging", &judging.revision)
            .with("reading", VERSION);
        let name = model.abilities().name.clone();
        let about = ScorerVersion::new(Scorer::Judge(judging.name.clone()), name, &print, 1.0);
        Ok(Judged {
            about,
            judging,
            pass,
            model,
            config: config.clone(),
            tally: Tally::default(),
        })
    }

    fn ask(&self, subject: &Subject) -> std::result::Result<VlmRequest, Score> {
        let original = subject.original.as_ref().map(|original| &original.item);
        let fields = fields_of(&subject.item, original);
        let asked = self.judging.ask(&fields, self.config.max_tokens);
        let ask = asked
            .map_err(|slot| not_applicable(&format!("the item has no value for `{{{slot}}}`")))?;
        let images =
            pictures(subject, self.judging.shows).map_err(|why| match why.starts_with(UNREAD) {
                true => failed(&why),
                false => not_applicable(&why),
            })?;
        Ok(VlmRequest {
            images,
            want_logprobs: true,
            ..ask
        })
    }
}

/// The score of an answer, where `pass` is the good one.
fn read(pass: Word, reply: &Reply) -> Score {
    let ruling = ruling(reply, pass);
    let detail = json!({
        "raw": reply.text, "said": ruling.said, "found": ruling.found, "reason": ruling.reason,
        "pass": pass, "certainty": certainty(&reply.first), "finish": reply.finish, "model": reply.model,
    })
    .to_string();
    match (ruling.pass, ruling.said) {
        (Some(pass), _) => Score::scored(f32::from(pass), detail),
        (None, JudgeAnswer::Refused) => Score::without_number(ScoreState::Refused, detail),
        (None, _) => Score::without_number(ScoreState::Unparsed, detail),
    }
}

/// Asks `model` and gives `keep` the score of each answer with the index of its request, where
/// `pass` is the good answer. Requests that were not reached get none.
///
/// # Errors
///
/// [`ErrorKind::Unreachable`] if no server answers.
pub(super) fn ask_each(
    (model, tally): (&mut dyn VisionLanguageModel, &mut Tally),
    asks: &[VlmRequest],
    pass: Word,
    keep: &mut dyn FnMut(Option<(usize, Score)>) -> bool,
) -> Result<()> {
    let mut trouble = None;
    model.ask(asks, &mut |heard| match heard {
        BatchEvent::Alive => keep(None),
        BatchEvent::Done { index, result } => {
            let score = match result {
                Ok(reply) => {
                    tally.add(&reply);
                    Some(read(pass, &reply))
                }
                Err(failure) => match gone(&failure) {
                    None => refused(&failure),
                    problem => {
                        trouble = problem;
                        return false;
                    }
                },
            };
            score.is_none_or(|score| keep(Some((index, score))))
        }
    });
    trouble.map_or(Ok(()), Err)
}

/// The error that stops the job, if the servers are unreachable.
pub(super) fn gone(failure: &Failure) -> Option<Error> {
    (failure.kind == FailureKind::Unavailable).then(|| {
        Error::new(
            ErrorKind::Unreachable,
            format!("cannot reach the judge: {}", failure.reason),
        )
        .help("check the servers of [judge] in benchtop.toml, then resume the job")
    })
}

impl Runner for Judged {
    fn about(&self) -> &ScorerVersion {
        &self.about
    }

    fn batch(&self) -> usize {
        self.model.abilities().max_batch.max(1)
    }

    fn count_requests(&mut self, meter: Arc<dyn RequestMeter>) {
        self.model.count_requests(meter);
    }

    fn score(&mut self, subjects: &[Subject], keep: ScoreSink<'_>, _: Cancel<'_>) -> Result<()> {
        let (mut keys, mut asks) = (Vec::new(), Vec::new());
        for subject in subjects {
            match self.ask(subject) {
                Ok(ask) => {
                    keys.push(subject.key);
                    asks.push(ask);
                }
                Err(score) => {
                    if !keep(Some((subject.key, score))) {
                        return Ok(());
                    }
                }
            }
        }
        let Judged {
            model, tally, pass, ..
        } = self;
        ask_each((model.as_mut(), tally), &asks, *pass, &mut |scored| {
            let keyed = |(index, score): (usize, Score)| Some((*keys.get(index)?, score));
            keep(scored.and_then(keyed))
        })
    }

    fn spent(&self) -> Option<Spent> {
        Some(spent(&self.tally, &self.config))
    }
}
