//! The agreement pane: how far people agree, by groups of items or pair by pair, with what stands behind a row at its side.
//!
//! | file | what it does |
//! |---|---|
//! | `effects` | what the pane asks of the program around it |
//! | `rows` | groups and pairs as a table |
//! | `parts` | a row in numbers, its table, the people, the methods paragraph |
//! | `draw` | where the parts are, and one frame |

mod draw;
mod effects;
mod parts;
mod rows;

pub use effects::{AgreementEffect, ChoiceFor, Want};

use super::metadata::edit_session::said;
use crate::action::{Action, Scope};
use crate::widgets::table::{Answer, CopyFormat, CopyWhat, LocalTable, TableEffect};
use benchtop_model::agreement::Bootstrap;
use benchtop_model::agreement::analysis::{Agreed, AgreementAsk, By, Row};
use benchtop_model::round::state::RoundState;
use benchtop_model::scoring::Outcome;
use benchtop_model::{Filter, QuestionKind, Result};
use benchtop_protocol::wire::request;

use AgreementEffect as Effect;

fn refuse(why: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Refuse(why.into())]
}

/// What stands beside the table where there is room for one thing only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Numbers,
    Table,
    People,
    Methods,
}

impl Part {
    fn next(self) -> Part {
        match self {
            Part::Numbers => Part::Table,
            Part::Table => Part::People,
            Part::People => Part::Methods,
            Part::Methods => Part::Numbers,
        }
    }
}

/// The agreement pane.
#[derive(Debug)]
pub struct AgreementPane {
    rounds: Option<Result<Vec<RoundState>>>,
    /// The round that is looked at; none for what was judged outside of rounds.
    round: Option<String>,
    /// Somebody chose it; until then it is the newest that may be looked at.
    chosen: bool,
    by: By,
    found: Option<Agreed>,
    /// Why the last question was refused.
    failed: Option<String>,
    /// What was asked last: answers to anything before it are passed over.
    asked: Option<AgreementAsk>,
    /// It is not answered yet; verdicts that come meanwhile are asked about after that, or nothing would ever be shown.
    waiting: bool,
    stale: bool,
    part: Part,
    /// All parts were drawn last.
    wide: bool,
    table: LocalTable,
}

impl Default for AgreementPane {
    fn default() -> Self {
        AgreementPane::new()
    }
}

impl AgreementPane {
    /// A pane that has asked nothing yet.
    pub fn new() -> AgreementPane {
        AgreementPane {
            rounds: None,
            round: None,
            chosen: false,
            by: By::default(),
            found: None,
            failed: None,
            asked: None,
            waiting: false,
            stale: false,
            part: Part::Numbers,
            wide: false,
            table: rows::table(By::default()),
        }
    }

    /// Scopes whose keys are live now, the nearest first.
    pub fn scopes(&self) -> &'static [Scope] {
        &[Scope::Agreement, Scope::Table, Scope::Global]
    }

    /// Shown, or connected again: the rounds are asked for, and then what is looked at.
    pub fn start(&mut self) -> Vec<Effect> {
        vec![Effect::Ask(Want::Rounds, request::Rounds.into())]
    }

    /// Verdicts came in: what is looked at is asked for again, and stays until the answer is there.
    pub fn refresh(&mut self) -> Vec<Effect> {
        match &self.rounds {
            Some(Ok(_)) if self.waiting => {
                self.stale = true;
                vec![]
            }
            Some(Ok(_)) => self.ask(true),
            _ => self.start(),
        }
    }

    /// Asks for what is looked at. Numbers alone come first, where nothing is there yet: intervals take longer.
    fn ask(&mut self, intervals: bool) -> Vec<Effect> {
        let bootstrap = intervals.then(Bootstrap::default);
        let ask = AgreementAsk {
            round: self.round.clone(),
            by: self.by,
            bootstrap,
        };
        self.asked = Some(ask.clone());
        (self.waiting, self.stale) = (true, false);
        vec![Effect::Ask(
            Want::Agreed(ask.clone()),
            request::Agreement(ask).into(),
        )]
    }

    /// Looks at something else: what was shown is no answer any more.
    fn turn(&mut self) -> Vec<Effect> {
        (self.found, self.failed) = (None, None);
        self.table = rows::table(self.by);
        self.ask(false)
    }

    /// Takes the rounds in. Until somebody chooses, the newest that tells something is looked at.
    pub fn take_rounds(&mut self, rounds: Result<Vec<RoundState>>) -> Vec<Effect> {
        let list = rounds.as_ref().map_or(&[][..], Vec::as_slice);
        let gone = self
            .round
            .as_ref()
            .is_some_and(|name| list.iter().all(|round| round.name != *name));
        if !self.chosen || gone {
            let open = list
                .iter()
                .rev()
                .find(|round| round.by_status.is_some())
                .or(list.last());
            self.round = open.map(|round| round.name.clone());
            self.chosen = false;
        }
        match rounds {
            Err(problem) => {
                self.failed = Some(said(&problem));
                self.rounds = Some(Err(problem));
                vec![]
            }
            Ok(rounds) => {
                self.rounds = Some(Ok(rounds));
                let same = self
                    .found
                    .as_ref()
                    .is_some_and(|found| found.round == self.round);
                if same { self.ask(true) } else { self.turn() }
            }
        }
    }

    /// Takes an answer in; one to an earlier question is passed over.
    pub fn take_agreed(&mut self, ask: AgreementAsk, found: Result<Agreed>) -> Vec<Effect> {
        if self.asked.as_ref() != Some(&ask) {
            return vec![];
        }
        self.waiting = false;
        match found {
            Ok(found) => {
                rows::fill(&mut self.table, &found);
                (self.found, self.failed) = (Some(found), None);
                if ask.bootstrap.is_none() || self.stale {
                    self.ask(true)
                } else {
                    vec![]
                }
            }
            Err(problem) => {
                (self.found, self.failed) = (None, Some(said(&problem)));
                vec![]
            }
        }
    }

    /// The row under the cursor.
    fn row(&self) -> Option<&Row> {
        self.found
            .as_ref()?
            .rows
            .get(usize::try_from(self.table.cursor_id()?).ok()?)
    }

    /// Does an action.
    pub fn act(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Back => vec![Effect::Leave],
            Action::GroupAgreement => {
                let at = By::ALL
                    .iter()
                    .position(|by| *by == self.by)
                    .map_or(0, |at| at + 1);
                self.by = By::ALL[at % By::ALL.len()];
                self.turn()
            }
            Action::AgreementRound => self.ask_round(),
            Action::AgreementPart if self.wide => {
                vec![Effect::Say(
                    "everything there is stands beside the table".into(),
                )]
            }
            Action::AgreementPart => {
                self.part = self.part.next();
                vec![]
            }
            Action::CopyMethods => match &self.found {
                Some(found) => {
                    let words = found.methods.split_whitespace().count();
                    vec![Effect::Copy {
                        text: found.methods.clone(),
                        what: format!("the methods paragraph, {words} words,"),
                    }]
                }
                None => refuse("there is nothing to copy yet"),
            },
            other => self.act_on_table(other),
        }
    }

    fn ask_round(&self) -> Vec<Effect> {
        let Some(Ok(rounds)) = &self.rounds else {
            return refuse("the rounds are not here yet");
        };
        if rounds.is_empty() {
            return refuse("there are no rounds: what is shown was judged outside of them");
        }
        let line = |round: &RoundState| {
            let blind = if round.by_status.is_none() {
                ", blind for you while it is open"
            } else {
                ""
            };
            (
                round.name.clone(),
                format!(
                    "{}, {} of {} verdicts{blind}",
                    round.protocol, round.judged, round.wanted
                ),
            )
        };
        let names: Vec<Option<String>> = rounds
            .iter()
            .rev()
            .map(|r| Some(r.name.clone()))
            .chain([None])
            .collect();
        let mut lines: Vec<(String, String)> = rounds.iter().rev().map(line).collect();
        lines.push(("outside of rounds".into(), "each person's last word".into()));
        vec![Effect::AskChoice {
            purpose: ChoiceFor::Round(names),
            title: "agreement in".into(),
            lines,
        }]
    }

    /// Takes in a choice.
    pub fn chosen(&mut self, purpose: &ChoiceFor, pick: usize) -> Vec<Effect> {
        match purpose {
            ChoiceFor::Round(names) => {
                let Some(round) = names.get(pick).cloned() else {
                    return vec![];
                };
                (self.round, self.chosen) = (round, true);
                self.turn()
            }
            ChoiceFor::Format(what) => match CopyFormat::ALL.get(pick) {
                Some(format) => {
                    let answer = self.table.answer(TableEffect::Copy(what.clone(), *format));
                    answer.map_or(vec![], |answer| self.answered(answer, Action::CopyTable))
                }
                None => vec![],
            },
        }
    }

    fn act_on_table(&mut self, action: Action) -> Vec<Effect> {
        let answers = self.table.act(action);
        answers
            .into_iter()
            .flat_map(|answer| self.answered(answer, action))
            .collect()
    }

    fn answered(&self, answer: Answer, action: Action) -> Vec<Effect> {
        match answer {
            Answer::Effect(TableEffect::Open { .. }) => self.open(),
            Answer::Effect(TableEffect::AskCopy(what)) => ask_format(what),
            Answer::Effect(TableEffect::Refuse(why)) => refuse(why),
            Answer::Copied { text, rows, but } => {
                vec![Effect::Copy {
                    text,
                    what: but.unwrap_or_else(|| format!("{rows} rows")),
                }]
            }
            Answer::Said(said) => vec![Effect::Say(said)],
            _ => refuse(format!("{} is not for this table", action.name())),
        }
    }

    /// The items of the group under the cursor.
    fn open(&self) -> Vec<Effect> {
        let at = self.table.cursor_id();
        let Some(row) = self.row().filter(|_| at != Some(0)) else {
            return refuse("this row is of all items");
        };
        let mut filter = Filter::default();
        match (self.by, self.by.field()) {
            (By::Pair, _) => {
                return refuse(
                    "a row of two people: groups of items open, and `benchtop round disputes` lists where they differ",
                );
            }
            (By::Type, _) => filter.kind.extend(QuestionKind::from_name(&row.name)),
            (By::Outcome, _) => filter.outcome.extend(Outcome::from_name(&row.name)),
            (_, Some(field)) => filter.add(field, vec![row.name.clone()]),
            (_, None) => {}
        }
        vec![Effect::Filter(filter.words())]
    }
}

fn ask_format(what: CopyWhat) -> Vec<Effect> {
    let lines = CopyFormat::ALL
        .iter()
        .map(|format| (format.name().to_string(), String::new()))
        .collect();
    vec![Effect::AskChoice {
        purpose: ChoiceFor::Format(what),
        title: "copy as".into(),
        lines,
    }]
}

#[cfg(test)]
mod tests;
