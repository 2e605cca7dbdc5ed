//! The steps of one product of one source: what was done, and what is next. It is a fold over the
//! lines of the journal, so an interrupted job continues where they end.

use std::collections::VecDeque;

use benchtop_model::generation::Failure;
use benchtop_model::vlm::Finish;
use benchtop_store::jobs::{Answer, Candidate, Done, ModelRole};
use serde_json::{Map, Value};

/// What a try made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Made {
    pub candidate: Candidate,
    /// BLAKE3 hash of its picture; empty for a text.
    pub picture: String,
    /// What was found out while painting.
    pub found: Map<String, Value>,
}

/// What became of a product.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The judge passed it.
    Made(Made),
    /// All tries were spent: the original stands in.
    Kept,
}

/// A ruling, or why there was none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LastRuling {
    pub model: String,
    pub pass: Option<bool>,
    pub reason: Option<String>,
}

/// An answer that is not read yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Unread {
    pub reply: String,
    pub finish: Finish,
    /// Whether the answer repairs another one.
    pub repair: bool,
}

/// The next step.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Ask the writer or grounder for request number `ask`.
    Ask { ask: u32 },
    /// Ask it to repair its answer to request number `ask`.
    Repair {
        ask: u32,
        reply: String,
        problem: String,
    },
    /// Read an answer of the writer.
    Read(Unread),
    /// Paint the first candidate.
    Paint(Candidate),
    /// Ask the judge about the first candidate.
    Judge(Made),
    /// Read an answer of the judge.
    Rule(Unread),
    /// Nothing is left to do.
    Settled,
}

/// The state of a product.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    next: Phase,
    /// Number of requests to the writer or grounder, without repairs.
    pub asks: u32,
    /// Number of answers of the judge.
    pub judged: u32,
    /// Tries so far.
    pub tries: u32,
    candidates: VecDeque<Candidate>,
    painted: Option<(String, Map<String, Value>)>,
    pub ruling: LastRuling,
    pub outcome: Option<Outcome>,
    pub failure: Option<Failure>,
}

#[derive(Clone, Debug, PartialEq)]
enum Phase {
    Ask,
    Repair { reply: String, problem: String },
    Read(Unread),
    Try,
    Rule(Unread),
}

impl Default for State {
    fn default() -> State {
        State {
            next: Phase::Ask,
            asks: 0,
            judged: 0,
            tries: 0,
            candidates: VecDeque::new(),
            painted: None,
            ruling: LastRuling::default(),
            outcome: None,
            failure: None,
        }
    }
}

impl State {
    /// The next step. `paints` is whether candidates are painted.
    pub fn next(&self, paints: bool) -> Next {
        if self.is_settled() {
            return Next::Settled;
        }
        match (&self.next, self.candidates.front()) {
            (Phase::Read(unread), _) => Next::Read(unread.clone()),
            (Phase::Rule(unread), _) => Next::Rule(unread.clone()),
            (Phase::Repair { reply, problem }, _) => Next::Repair {
                ask: self.asks.max(1),
                reply: reply.clone(),
                problem: problem.clone(),
            },
            (Phase::Try, Some(candidate)) if paints && self.painted.is_none() => {
                Next::Paint(candidate.clone())
            }
            (Phase::Try, Some(candidate)) => Next::Judge(self.made(candidate.clone())),
            (Phase::Ask | Phase::Try, _) => Next::Ask { ask: self.asks + 1 },
        }
    }

    fn made(&self, candidate: Candidate) -> Made {
        let (picture, found) = self.painted.clone().unwrap_or_default();
        Made {
            candidate,
            picture,
            found,
        }
    }

    /// Whether nothing is left to do: it is made, kept, or failed.
    pub fn is_settled(&self) -> bool {
        self.outcome.is_some() || self.failure.is_some()
    }

    /// What was made, if the judge passed it.
    pub fn product(&self) -> Option<&Made> {
        match &self.outcome {
            Some(Outcome::Made(made)) => Some(made),
            _ => None,
        }
    }

    /// Takes over a step that was done. `most` is the number of tries.
    pub fn take(&mut self, done: Done, most: u32) {
        match done {
            Done::Answer(answer) => self.answered(*answer),
            Done::Read { candidates } => {
                self.candidates = candidates.into();
                self.next = Phase::Try;
            }
            Done::Unread { problem, repair } => {
                let reply = match &self.next {
                    Phase::Read(unread) => unread.reply.clone(),
                    _ => String::new(),
                };
                if repair {
                    self.next = Phase::Repair { reply, problem };
                    return;
                }
                self.ruling = LastRuling {
                    reason: Some(problem),
                    ..LastRuling::default()
                };
                // A candidate that could not be painted.
                self.candidates.pop_front();
                self.spend(most);
            }
            Done::Painted { hash, found } => self.painted = Some((hash, found)),
            Done::Ruled { pass, reason } => {
                (self.ruling.pass, self.ruling.reason) = (pass, reason);
                let Some(candidate) = self.candidates.pop_front() else {
                    return;
                };
                let made = self.made(candidate);
                self.painted = None;
                self.spend(most);
                if pass == Some(true) {
                    self.candidates.clear();
                    self.outcome = Some(Outcome::Made(made));
                }
            }
            Done::Failed(failure) => self.failure = Some(failure),
        }
    }

    /// One try more. After the last one, the original stands in.
    fn spend(&mut self, most: u32) {
        self.tries += 1;
        self.next = match self.candidates.is_empty() {
            true => Phase::Ask,
            false => Phase::Try,
        };
        if self.tries >= most {
            self.candidates.clear();
            self.outcome = Some(Outcome::Kept);
        }
    }

    fn answered(&mut self, answer: Answer) {
        let unread = Unread {
            reply: answer.reply,
            finish: answer.finish,
            repair: answer.repair,
        };
        match answer.role {
            ModelRole::Judge => {
                self.judged = answer.ask;
                self.ruling.model = answer.model;
                self.next = Phase::Rule(unread);
            }
            ModelRole::Writer | ModelRole::Grounder => {
                self.asks = answer.ask;
                self.next = Phase::Read(unread);
            }
        }
    }

    /// Has a failure tried again.
    pub fn retry(&mut self) {
        self.failure = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::generation::FailureKind;

    fn answer(role: ModelRole, ask: u32, repair: bool) -> Done {
        Done::Answer(Box::new(Answer {
            role,
            ask,
            repair,
            seed: None,
            temperature: None,
            system: None,
            prompt: String::new(),
            pictures: 0,
            reply: "said".into(),
            finish: Finish::Stop,
            usage: None,
            model: "m".into(),
            at: String::new(),
        }))
    }

    fn read(texts: &[&str]) -> Done {
        let one = |text: &&str| Candidate {
            text: (*text).into(),
            ..Candidate::default()
        };
        Done::Read {
            candidates: texts.iter().map(one).collect(),
        }
    }

    fn ruled(pass: Option<bool>) -> Done {
        Done::Ruled { pass, reason: None }
    }

    #[test]
    fn candidates_of_one_answer_are_spent_before_the_model_is_asked_again() {
        let mut state = State::default();
        assert_eq!(state.next(false), Next::Ask { ask: 1 });
        state.take(answer(ModelRole::Writer, 1, false), 5);
        assert!(matches!(state.next(false), Next::Read(_)));
        state.take(read(&["a", "b"]), 5);
        for text in ["a", "b"] {
            let Next::Judge(made) = state.next(false) else {
                panic!("{:?}", state.next(false));
            };
            assert_eq!(made.candidate.text, text);
            state.take(answer(ModelRole::Judge, 1, false), 5);
            state.take(ruled(Some(false)), 5);
        }
        assert_eq!((state.next(false), state.tries), (Next::Ask { ask: 2 }, 2));
        state.take(answer(ModelRole::Writer, 2, false), 5);
        state.take(read(&["c"]), 5);
        state.take(answer(ModelRole::Judge, 3, false), 5);
        state.take(ruled(Some(true)), 5);
        assert_eq!(state.next(false), Next::Settled);
        assert_eq!(state.product().unwrap().candidate.text, "c");
        assert_eq!((state.asks, state.tries), (2, 3));
    }

    #[test]
    fn an_unusable_answer_is_repaired_once_and_then_costs_a_try() {
        let mut state = State::default();
        for ask in 1..=2 {
            state.take(answer(ModelRole::Writer, ask, false), 2);
            let problem = || "no JSON".to_string();
            state.take(
                Done::Unread {
                    problem: problem(),
                    repair: true,
                },
                2,
            );
            let repair = Next::Repair {
                ask,
                reply: "said".into(),
                problem: problem(),
            };
            assert_eq!(state.next(false), repair);
            state.take(answer(ModelRole::Writer, ask, true), 2);
            let Next::Read(unread) = state.next(false) else {
                panic!("{:?}", state.next(false));
            };
            assert!(unread.repair);
            state.take(
                Done::Unread {
                    problem: problem(),
                    repair: false,
                },
                2,
            );
        }
        assert_eq!((&state.outcome, state.tries), (&Some(Outcome::Kept), 2));
        assert_eq!(state.ruling.reason.as_deref(), Some("no JSON"));
    }

    #[test]
    fn pictures_are_painted_before_they_are_judged() {
        let mut state = State::default();
        state.take(read(&["a", "b"]), 5);
        assert!(matches!(state.next(true), Next::Paint(_)));
        let painted = |hash: &str| Done::Painted {
            hash: hash.into(),
            found: Map::new(),
        };
        state.take(painted("0a"), 5);
        assert!(matches!(state.next(true), Next::Judge(made) if made.picture == "0a"));
        state.take(ruled(None), 5);
        assert!(matches!(state.next(true), Next::Paint(c) if c.text == "b"));
        state.take(painted("0b"), 5);
        state.take(ruled(Some(true)), 5);
        assert_eq!(state.product().unwrap().picture, "0b");
    }

    #[test]
    fn a_candidate_that_cannot_be_painted_is_a_spent_try() {
        let mut state = State::default();
        state.take(read(&["a", "b"]), 3);
        let unpainted = || Done::Unread {
            problem: "one color".into(),
            repair: false,
        };
        state.take(unpainted(), 3);
        assert!(matches!(state.next(true), Next::Paint(c) if c.text == "b"));
        state.take(unpainted(), 3);
        assert_eq!((state.next(true), state.tries), (Next::Ask { ask: 1 }, 2));
        state.take(read(&["c"]), 3);
        state.take(unpainted(), 3);
        assert_eq!(state.outcome, Some(Outcome::Kept));
    }

    #[test]
    fn a_failure_stops_until_it_is_retried() {
        let mut state = State::default();
        state.take(Done::Failed(Failure::new(FailureKind::Input, "no")), 5);
        assert_eq!(state.next(false), Next::Settled);
        state.retry();
        assert_eq!(state.next(false), Next::Ask { ask: 1 });
    }
}
