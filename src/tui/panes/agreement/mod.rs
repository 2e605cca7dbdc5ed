//! The agreement pane: agreement of the annotators by item group or by pair, with details of the
//! row under the cursor.
//!
//! | file | what it does |
//! |---|---|
//! | `effects` | the effects for the program to carry out |
//! | `rows` | groups and pairs as a table |
//! | `details` | details of a row: numbers, table, annotators, methods paragraph |
//! | `draw` | layout and drawing |

mod details;
mod draw;
mod effects;
mod rows;

pub use effects::{AgreementEffect, ChoiceFor, ReplyFor};

use super::metadata::edit_session::error_line;
use crate::action::{Action, Scope};
use crate::widgets::table::{Answer, CopyFormat, CopyWhat, LocalTable, TableEffect};
use benchtop_model::agreement::Bootstrap;
use benchtop_model::agreement::analysis::{AgreementAnalysis, AgreementQuery, GroupBy, Row};
use benchtop_model::round::state::RoundState;
use benchtop_model::scoring::Outcome;
use benchtop_model::{Filter, QuestionKind, Result};
use benchtop_protocol::wire::request;

use AgreementEffect as Effect;

fn refuse(why: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Refuse(why.into())]
}

/// The details that are shown where there is room for one kind only.
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

#[derive(Debug)]
pub struct AgreementPane {
    rounds: Option<Result<Vec<RoundState>>>,
    /// The round to show. `None` for verdicts outside rounds.
    round: Option<String>,
    /// Whether the annotator chose the round. Otherwise it is the newest with visible results.
    chosen: bool,
    by: GroupBy,
    found: Option<AgreementAnalysis>,
    /// The error of the last request.
    failed: Option<String>,
    /// The last request. Replies to earlier ones are ignored.
    asked: Option<AgreementQuery>,
    /// Whether the reply is pending. New verdicts then set `stale` and the request is repeated
    /// afterwards, so that results show up even while verdicts pour in.
    waiting: bool,
    stale: bool,
    part: Part,
    /// Whether the last frame showed all details.
    wide: bool,
    table: LocalTable,
}

impl Default for AgreementPane {
    fn default() -> Self {
        AgreementPane::new()
    }
}

impl AgreementPane {
    pub fn new() -> AgreementPane {
        AgreementPane {
            rounds: None,
            round: None,
            chosen: false,
            by: GroupBy::default(),
            found: None,
            failed: None,
            asked: None,
            waiting: false,
            stale: false,
            part: Part::Numbers,
            wide: false,
            table: rows::table(GroupBy::default()),
        }
    }

    /// The scopes with live keys, nearest first.
    pub fn scopes(&self) -> &'static [Scope] {
        &[Scope::Agreement, Scope::Table, Scope::Global]
    }

    /// Opens the pane or reloads it: requests the rounds first.
    pub fn start(&mut self) -> Vec<Effect> {
        vec![Effect::Ask(ReplyFor::Rounds, request::Rounds.into())]
    }

    /// Requests the numbers again after new verdicts. The old ones stay until the reply.
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

    /// Requests the numbers. Without `intervals` the reply is fast.
    fn ask(&mut self, intervals: bool) -> Vec<Effect> {
        let bootstrap = intervals.then(Bootstrap::default);
        let ask = AgreementQuery {
            round: self.round.clone(),
            by: self.by,
            bootstrap,
        };
        self.asked = Some(ask.clone());
        (self.waiting, self.stale) = (true, false);
        vec![Effect::Ask(
            ReplyFor::Agreed(ask.clone()),
            request::Agreement(ask).into(),
        )]
    }

    /// Switches to other rows or another round and drops the old results.
    fn reload(&mut self) -> Vec<Effect> {
        (self.found, self.failed) = (None, None);
        self.table = rows::table(self.by);
        self.ask(false)
    }

    /// Receives the rounds. Until the annotator chooses, shows the newest round with visible
    /// results.
    pub fn on_rounds(&mut self, rounds: Result<Vec<RoundState>>) -> Vec<Effect> {
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
                self.failed = Some(error_line(&problem));
                self.rounds = Some(Err(problem));
                vec![]
            }
            Ok(rounds) => {
                self.rounds = Some(Ok(rounds));
                let same = self
                    .found
                    .as_ref()
                    .is_some_and(|found| found.round == self.round);
                if same { self.ask(true) } else { self.reload() }
            }
        }
    }

    /// Receives results. Ignores those of an earlier request.
    pub fn on_agreement(
        &mut self,
        ask: AgreementQuery,
        found: Result<AgreementAnalysis>,
    ) -> Vec<Effect> {
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
                (self.found, self.failed) = (None, Some(error_line(&problem)));
                vec![]
            }
        }
    }

    fn row(&self) -> Option<&Row> {
        self.found
            .as_ref()?
            .rows
            .get(usize::try_from(self.table.cursor_id()?).ok()?)
    }

    pub fn act(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Back => vec![Effect::Leave],
            Action::GroupAgreement => {
                let at = GroupBy::ALL
                    .iter()
                    .position(|by| *by == self.by)
                    .map_or(0, |at| at + 1);
                self.by = GroupBy::ALL[at % GroupBy::ALL.len()];
                self.reload()
            }
            Action::AgreementRound => self.ask_round(),
            Action::AgreementPart if self.wide => {
                vec![Effect::Say("all details are beside the table".into())]
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
                None => refuse("nothing to copy yet"),
            },
            other => self.act_on_table(other),
        }
    }

    fn ask_round(&self) -> Vec<Effect> {
        let Some(Ok(rounds)) = &self.rounds else {
            return refuse("the rounds are still loading");
        };
        if rounds.is_empty() {
            return refuse("no rounds: these are verdicts outside rounds");
        }
        let line = |round: &RoundState| {
            let blind = if round.by_status.is_none() {
                ", hidden while it is blind"
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
        lines.push((
            "outside rounds".into(),
            "the last verdict of each annotator".into(),
        ));
        vec![Effect::AskChoice {
            purpose: ChoiceFor::Round(names),
            title: "Agreement in".into(),
            lines,
        }]
    }

    /// Receives a choice.
    pub fn chosen(&mut self, purpose: &ChoiceFor, pick: usize) -> Vec<Effect> {
        match purpose {
            ChoiceFor::Round(names) => {
                let Some(round) = names.get(pick).cloned() else {
                    return vec![];
                };
                (self.round, self.chosen) = (round, true);
                self.reload()
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
            Answer::Message(text) => vec![Effect::Say(text)],
            _ => refuse(format!("`{}` does nothing in this table", action.name())),
        }
    }

    /// The items of the group under the cursor.
    fn open(&self) -> Vec<Effect> {
        let at = self.table.cursor_id();
        let Some(row) = self.row().filter(|_| at != Some(0)) else {
            return refuse("this row has all items");
        };
        let mut filter = Filter::default();
        match (self.by, self.by.field()) {
            (GroupBy::Pair, _) => {
                return refuse(
                    "a pair has no items to open; `benchtop round disputes` lists differences",
                );
            }
            (GroupBy::Type, _) => filter.kind.extend(QuestionKind::from_name(&row.name)),
            (GroupBy::Outcome, _) => filter.outcome.extend(Outcome::from_name(&row.name)),
            (_, Some(field)) => filter.add(field, vec![row.name.clone()]),
            (_, None) => {}
        }
        vec![Effect::Filter(filter.to_text())]
    }
}

fn ask_format(what: CopyWhat) -> Vec<Effect> {
    let lines = CopyFormat::ALL
        .iter()
        .map(|format| (format.name().to_string(), String::new()))
        .collect();
    vec![Effect::AskChoice {
        purpose: ChoiceFor::Format(what),
        title: "Copy as".into(),
        lines,
    }]
}

#[cfg(test)]
mod tests;
