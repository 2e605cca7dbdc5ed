//! The agreement pane: agreement of the annotators by item group or by pair, with details of the
//! row under the cursor.
//!
//! | file | what it does |
//! |---|---|
//! | `rows` | groups and pairs as a table |
//! | `details` | details of a row: numbers, table, annotators, methods paragraph |
//! | `draw` | layout and drawing |

mod details;
mod draw;
mod rows;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::metadata::edit_session::error_line;
use super::rounds::progress;
use crate::action::Action;
use crate::keymap::Keymap;
use crate::pane::{Context, Notice, Pane, Scene, Target, Timer, table_menus};
use crate::widgets::table::{Answer, LocalTable, TableEffect};
use benchtop_model::agreement::Bootstrap;
use benchtop_model::agreement::analysis::{AgreementAnalysis, AgreementQuery, GroupBy, Row};
use benchtop_model::round::state::RoundState;
use benchtop_model::scoring::Outcome;
use benchtop_model::{Filter, QuestionKind, Result};
use benchtop_protocol::wire::request;

/// Interval of updates while people judge.
const REFRESH_MS: u64 = 1_000;

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
    /// When to request the numbers again.
    refresh_at: Timer,
    table: LocalTable,
}

impl Default for AgreementPane {
    fn default() -> Self {
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
            refresh_at: Timer::default(),
            table: rows::table(GroupBy::default()),
        }
    }
}

impl AgreementPane {
    /// Requests the numbers again after new verdicts. The old ones stay until the reply.
    fn refresh(&mut self, cx: &mut Context<'_>) {
        match &self.rounds {
            Some(Ok(_)) if self.waiting => self.stale = true,
            Some(Ok(_)) => self.ask(true, cx),
            _ => self.open(cx),
        }
    }

    /// Requests the numbers. Without `intervals` the reply is fast.
    fn ask(&mut self, intervals: bool, cx: &mut Context<'_>) {
        let ask = AgreementQuery {
            round: self.round.clone(),
            by: self.by,
            bootstrap: intervals.then(Bootstrap::default),
        };
        self.asked = Some(ask.clone());
        (self.waiting, self.stale) = (true, false);
        cx.ask(
            request::Agreement(ask.clone()),
            move |pane: &mut Self, found, cx| {
                pane.on_agreement(&ask, found, cx);
            },
        );
    }

    /// Switches to other rows or another round and drops the old results.
    fn reload(&mut self, cx: &mut Context<'_>) {
        (self.found, self.failed) = (None, None);
        self.table = rows::table(self.by);
        self.ask(false, cx);
    }

    /// Receives the rounds. Until the annotator chooses, shows the newest round with visible
    /// results.
    fn on_rounds(&mut self, rounds: Result<Vec<RoundState>>, cx: &mut Context<'_>) {
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
            }
            Ok(rounds) => {
                self.rounds = Some(Ok(rounds));
                let same = self
                    .found
                    .as_ref()
                    .is_some_and(|found| found.round == self.round);
                if same {
                    self.ask(true, cx)
                } else {
                    self.reload(cx)
                }
            }
        }
    }

    /// Receives results. Ignores those of an earlier request.
    fn on_agreement(
        &mut self,
        ask: &AgreementQuery,
        found: Result<AgreementAnalysis>,
        cx: &mut Context<'_>,
    ) {
        if self.asked.as_ref() != Some(ask) {
            return;
        }
        self.waiting = false;
        match found {
            Ok(found) => {
                rows::fill(&mut self.table, &found);
                (self.found, self.failed) = (Some(found), None);
                if ask.bootstrap.is_none() || self.stale {
                    self.ask(true, cx);
                }
            }
            Err(problem) => (self.found, self.failed) = (None, Some(error_line(&problem))),
        }
    }

    fn row(&self) -> Option<&Row> {
        self.found
            .as_ref()?
            .rows
            .get(usize::try_from(self.table.cursor_id()?).ok()?)
    }

    fn choose_round(&self, cx: &mut Context<'_>) {
        let Some(Ok(rounds)) = &self.rounds else {
            return cx.refuse("the rounds are still loading");
        };
        if rounds.is_empty() {
            return cx.refuse("no rounds: these are verdicts outside rounds");
        }
        let line = |round: &Option<RoundState>| match round {
            Some(round) => {
                let blind = match round.by_status {
                    None => ", hidden while it is blind",
                    Some(_) => "",
                };
                (round.name.clone(), format!("{}{blind}", progress(round)))
            }
            None => (
                "outside rounds".into(),
                "the last verdict of each annotator".into(),
            ),
        };
        let choices = rounds.iter().rev().cloned().map(Some).chain([None]);
        let title = "Agreement in";
        cx.choose_of(
            title,
            choices.collect(),
            line,
            |pane: &mut Self, round, cx| {
                (pane.round, pane.chosen) = (round.map(|round| round.name), true);
                pane.reload(cx);
            },
        );
    }

    fn on_answer(&self, answer: Answer, action: Action, cx: &mut Context<'_>) {
        match answer {
            Answer::Effect(TableEffect::Open { .. }) => self.open_items(cx),
            Answer::Effect(TableEffect::AskCopy(what)) => {
                table_menus::choose_format(what, cx, |pane: &mut Self, what, format, cx| {
                    if let Some(answer) = pane.table.answer(TableEffect::Copy(what, format)) {
                        pane.on_answer(answer, Action::CopyTable, cx);
                    }
                });
            }
            Answer::Effect(TableEffect::Refuse(why)) => cx.refuse(why),
            Answer::Copied { text, rows, but } => {
                cx.copy(text, but.unwrap_or_else(|| format!("{rows} rows")));
            }
            Answer::Message(text) => cx.say(text),
            _ => cx.refuse(format!("`{}` does nothing in this table", action.name())),
        }
    }

    /// Opens the items of the group under the cursor.
    fn open_items(&self, cx: &mut Context<'_>) {
        let at = self.table.cursor_id();
        let Some(row) = self.row().filter(|_| at != Some(0)) else {
            return cx.refuse("this row has all items");
        };
        let mut filter = Filter::default();
        match (self.by, self.by.field()) {
            (GroupBy::Pair, _) => {
                return cx.refuse(
                    "a pair has no items to open; `benchtop round disputes` lists differences",
                );
            }
            (GroupBy::Type, _) => filter.kind.extend(QuestionKind::from_name(&row.name)),
            (GroupBy::Outcome, _) => filter.outcome.extend(Outcome::from_name(&row.name)),
            (_, Some(field)) => {
                if let Err(problem) = filter.add(field, vec![row.name.clone()]) {
                    return cx.error(&problem);
                }
            }
            (_, None) => {}
        }
        cx.open(Target::Items(filter.to_text()));
    }
}

impl Pane for AgreementPane {
    fn help(&self, keys: &Keymap) -> String {
        format!(
            "Agreement between annotators, updated as they judge. {} groups the items, {} chooses the round, {} copies a \
             paragraph for the methods section, {} lists the items of a row. `more` is the number of further doubly \
             judged items that narrows the interval of alpha to ±0.1.",
            keys.press(Action::GroupAgreement),
            keys.press(Action::AgreementRound),
            keys.press(Action::CopyMethods),
            keys.press(Action::Open)
        )
    }

    fn open(&mut self, cx: &mut Context<'_>) {
        cx.ask(request::Rounds, Self::on_rounds);
    }

    fn act(&mut self, action: Action, cx: &mut Context<'_>) {
        match action {
            Action::Back => cx.leave(),
            Action::GroupAgreement => {
                let at = GroupBy::ALL
                    .iter()
                    .position(|by| *by == self.by)
                    .map_or(0, |at| at + 1);
                self.by = GroupBy::ALL[at % GroupBy::ALL.len()];
                self.reload(cx);
            }
            Action::AgreementRound => self.choose_round(cx),
            Action::AgreementPart if self.wide => cx.say("all details are beside the table"),
            Action::AgreementPart => self.part = self.part.next(),
            Action::CopyMethods => match &self.found {
                Some(found) => {
                    let words = found.methods.split_whitespace().count();
                    let what = format!("the methods paragraph, {words} words,");
                    cx.copy(&found.methods, what);
                }
                None => cx.refuse("nothing to copy yet"),
            },
            other => {
                for answer in self.table.act(other) {
                    self.on_answer(answer, other, cx);
                }
            }
        }
    }

    fn on_notice(&mut self, notice: Notice<'_>, cx: &mut Context<'_>) {
        match notice {
            Notice::Resync if cx.env.is_shown => self.open(cx),
            Notice::Changed if cx.env.is_shown => self.refresh_at.start(cx.env.now + REFRESH_MS),
            _ => {}
        }
    }

    fn due(&self) -> Option<u64> {
        self.refresh_at.due()
    }

    fn tick(&mut self, cx: &mut Context<'_>) {
        if self.refresh_at.is_over(cx.env.now) && cx.env.is_shown {
            self.refresh(cx);
        }
    }

    fn shows_progress(&self) -> bool {
        true
    }

    fn is_empty(&self, _scene: &Scene<'_>) -> bool {
        let nothing = |found: &AgreementAnalysis| {
            found.rows.first().is_none_or(|all| all.measures.items == 0)
        };
        self.round.is_none() && self.failed.is_none() && self.found.as_ref().is_some_and(nothing)
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position> {
        self.draw_parts(area, scene.keymap, buf, scene.look);
        None
    }
}

#[cfg(test)]
mod tests;
