//! AutoBench-V's self-validation S_a: questions about the elements of a prompt, asked about the
//! picture alone.

use std::sync::Arc;

use serde_json::json;

use super::judge::{gone, not_applicable, pictures, spent};
use crate::scoring::runner::{Runner, ScoreSink, Spent, Subject, failed};
use benchtop_compose::metadata::Judging;
use benchtop_compose::metadata::judge::{Fields, fields_of};
use benchtop_inference::BatchEvent;
use benchtop_inference::request_meter::RequestMeter;
use benchtop_inference::vlm::VisionLanguageModel;
use benchtop_metrics::alignment::{self, Alignment, Answered, Rule, answered, questions};
use benchtop_metrics::extract::declines;
use benchtop_model::cancel::Cancel;
use benchtop_model::config::Judge;
use benchtop_model::generation::{Failure, FailureKind};
use benchtop_model::judge::{AnswerForm, Element};
use benchtop_model::scoring::{Score, ScoreState, Scorer};
use benchtop_model::vlm::{Finish, Reply, Tally, VlmRequest};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_store::scores::ScorerVersion;

/// The judge question that writes the questions.
pub const QUESTIONS: &str = "autobench-v-questions";
/// The judge question that asks them.
pub const ANSWER: &str = "autobench-v-answer";
/// Pictures per call, each with about six questions.
const BATCH: usize = 8;

/// The scorer. See the module documentation.
pub struct Aligned {
    about: ScorerVersion,
    writer: Arc<Judging>,
    asker: Arc<Judging>,
    model: Box<dyn VisionLanguageModel>,
    config: Judge,
    tally: Tally,
}

/// A question about one subject.
struct PendingQuestion {
    subject: usize,
    element: Element,
    outcome: Option<(Answered, String)>,
}

impl Aligned {
    /// Lets `asker` answer the questions of `writer`, both through `model`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Usage`] for judge questions of the wrong kind.
    pub fn new(
        writer: Arc<Judging>,
        asker: Arc<Judging>,
        model: Box<dyn VisionLanguageModel>,
        config: &Judge,
    ) -> Result<Aligned> {
        for (judging, fits) in [
            (
                &writer,
                matches!(writer.reads, AnswerForm::Questions { .. }),
            ),
            (&asker, matches!(asker.reads, AnswerForm::Choice { .. })),
        ] {
            if !fits {
                let what = format!(
                    "`{}` does not return what self-validation needs",
                    judging.name
                );
                return Err(Error::new(ErrorKind::Usage, what).field("answer.read"));
            }
        }
        let print = model
            .fingerprint()
            .with("questions", &writer.revision)
            .with("answer", &asker.revision);
        let about = ScorerVersion::new(
            Scorer::Alignment,
            model.abilities().name.clone(),
            &print.with("reading", alignment::VERSION),
            1.0,
        );
        Ok(Aligned {
            about,
            writer,
            asker,
            model,
            config: config.clone(),
            tally: Tally::default(),
        })
    }

    /// The answers to `asks` in order. `None` for those not reached.
    fn all(
        &mut self,
        asks: &[VlmRequest],
        keep: ScoreSink<'_>,
    ) -> Vec<Option<std::result::Result<Reply, Failure>>> {
        let mut answers: Vec<Option<std::result::Result<Reply, Failure>>> =
            asks.iter().map(|_| None).collect();
        let Aligned { model, tally, .. } = self;
        model.ask(asks, &mut |heard| {
            if let BatchEvent::Done { index, result } = heard {
                result.iter().for_each(|reply| tally.add(reply));
                if let Some(place) = answers.get_mut(index) {
                    *place = Some(result);
                }
            }
            keep(None)
        });
        answers
    }

    /// The questions about each subject's prompt. Subjects without any are scored at once. `None`
    /// after cancellation.
    fn written(
        &mut self,
        subjects: &[Subject],
        keep: ScoreSink<'_>,
    ) -> Result<Option<Vec<PendingQuestion>>> {
        let (mut at, mut asks) = (Vec::new(), Vec::new());
        for (place, subject) in subjects.iter().enumerate() {
            match self
                .writer
                .ask(&fields_of(&subject.item, None), self.config.max_tokens)
            {
                Ok(ask) => {
                    at.push(place);
                    asks.push(ask);
                }
                Err(slot) => {
                    let score = not_applicable(&format!("the item has no value for `{{{slot}}}`"));
                    if !keep(Some((subject.key, score))) {
                        return Ok(None);
                    }
                }
            }
        }
        let AnswerForm::Questions { count, types } = self.writer.reads.clone() else {
            return Ok(None);
        };
        let mut asked = Vec::new();
        for (place, answer) in at.into_iter().zip(self.all(&asks, keep)) {
            let score = match answer {
                Some(Ok(reply)) => {
                    let found = questions::read(&reply.text, &types, count);
                    if !found.elements.is_empty() {
                        let one = |element| PendingQuestion {
                            subject: place,
                            element,
                            outcome: None,
                        };
                        asked.extend(found.elements.into_iter().map(one));
                        continue;
                    }
                    let is_refused = reply.finish == Finish::Refused || declines(&reply.text);
                    let state = if is_refused {
                        ScoreState::Refused
                    } else {
                        ScoreState::Unparsed
                    };
                    Score::without_number(
                        state,
                        json!({ "raw": reply.text, "notes": found.notes }).to_string(),
                    )
                }
                Some(Err(failure)) => match gone(&failure) {
                    Some(problem) => return Err(problem),
                    // It was not asked, so it has no score.
                    None if failure.kind == FailureKind::Cancelled => continue,
                    None => failed(&failure.reason),
                },
                None => return Ok(None),
            };
            if !keep(Some((subjects[place].key, score))) {
                return Ok(None);
            }
        }
        Ok(Some(asked))
    }

    fn ask(&self, subject: &Subject, element: &Element) -> std::result::Result<VlmRequest, String> {
        let mut fields = Fields::new();
        fields.insert("question", element.question.clone());
        let choices = if element.choices.is_empty() {
            "none".into()
        } else {
            element.choices.join("\n")
        };
        fields.insert("options", choices);
        let asked = self.asker.ask(&fields, self.config.max_tokens);
        let ask = asked.map_err(|slot| format!("no value for `{{{slot}}}`"))?;
        Ok(VlmRequest {
            images: pictures(subject, self.asker.shows)?,
            ..ask
        })
    }
}

impl Runner for Aligned {
    fn about(&self) -> &ScorerVersion {
        &self.about
    }

    fn batch(&self) -> usize {
        BATCH
    }

    fn count_requests(&mut self, meter: Arc<dyn RequestMeter>) {
        self.model.count_requests(meter);
    }

    fn score(&mut self, subjects: &[Subject], keep: ScoreSink<'_>, _: Cancel<'_>) -> Result<()> {
        let Some(mut asked) = self.written(subjects, keep)? else {
            return Ok(());
        };
        let mut asks = Vec::with_capacity(asked.len());
        for question in &mut asked {
            match self.ask(&subjects[question.subject], &question.element) {
                Ok(ask) => asks.push(ask),
                // A picture that cannot be shown is reported in its item's score.
                Err(why) => question.outcome = Some((Answered::Unknown, why)),
            }
        }
        let answers = self.all(&asks, keep);
        for (question, answer) in asked
            .iter_mut()
            .filter(|a| a.outcome.is_none())
            .zip(answers)
        {
            question.outcome = match answer {
                Some(Ok(reply)) => {
                    let text = (reply.finish != Finish::Refused).then_some(reply.text.as_str());
                    Some((
                        answered(&question.element, text, Rule::Folded),
                        reply.text.clone(),
                    ))
                }
                Some(Err(failure)) => match gone(&failure) {
                    Some(problem) => return Err(problem),
                    None if failure.kind == FailureKind::Cancelled => None,
                    None => Some((Answered::Unknown, failure.reason)),
                },
                None => return Ok(()),
            };
        }
        for (at, subject) in subjects.iter().enumerate() {
            let mine: Vec<&PendingQuestion> = asked.iter().filter(|a| a.subject == at).collect();
            // What was not asked has no answer, and its subject no score yet.
            if mine.is_empty() || mine.iter().any(|asked| asked.outcome.is_none()) {
                continue;
            }
            let outcomes = mine.iter().filter_map(|a| Some(a.outcome.as_ref()?.0));
            let alignment = Alignment::new(outcomes);
            let question = |asked: &&PendingQuestion| {
                let (outcome, said) = asked
                    .outcome
                    .clone()
                    .unwrap_or((Answered::Unknown, String::new()));
                let word = match outcome {
                    Answered::Right => "right",
                    Answered::Wrong => "wrong",
                    Answered::Unknown => "unknown",
                };
                let Element {
                    kind,
                    element,
                    question,
                    answer,
                    ..
                } = &asked.element;
                json!({ "type": kind, "element": element, "question": question, "answer": answer, "said": said, "is": word })
            };
            let element = |at: &usize| mine.get(*at).map(|asked| asked.element.element.clone());
            let failed: Vec<String> = alignment.failed.iter().filter_map(element).collect();
            let detail = json!({
                "failed": failed, "answers": mine.iter().map(question).collect::<Vec<_>>(),
                "legacy": alignment.legacy_share(), "right": alignment.right.len(),
                "known": alignment.right.len() + alignment.failed.len(), "left_out": alignment.unknown.len(),
            });
            let score = match alignment.share() {
                Some(share) => Score::scored(share as f32, detail.to_string()),
                None => Score::without_number(ScoreState::Unparsed, detail.to_string()),
            };
            if !keep(Some((subject.key, score))) {
                return Ok(());
            }
        }
        Ok(())
    }

    fn spent(&self) -> Option<Spent> {
        Some(spent(&self.tally, &self.config))
    }
}
