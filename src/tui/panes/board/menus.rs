//! The menus of the leaderboard: column groups, items, extraction rules, and breakdowns.

use super::draw::{on, printed};
use super::effects::{BoardEffect, ChoiceFor, ReplyFor};
use super::pane::{BoardPane, Layer};
use super::replies::OWN_RULE;
use super::table::FIRST;
use super::views::{self, Kind, View};
use crate::panes::metadata::edit_session::error_line;
use crate::widgets::text;
use benchtop_formats::published_figures as published;
use benchtop_metrics::extract::Extractor;
use benchtop_model::Result;
use benchtop_model::board::analysis::TOOL;
use benchtop_model::board::{BoardQuery, Curated, PublishedFigures, Row};
use benchtop_model::round::state::RoundState;
use benchtop_protocol::wire::request;

fn refuse(why: impl Into<String>) -> Vec<BoardEffect> {
    vec![BoardEffect::Refuse(why.into())]
}

/// The extraction rules. `None` stands for each question's own rule.
fn rules() -> Vec<Option<String>> {
    let named = Extractor::ALL.map(|rule| Some(rule.name().to_string()));
    std::iter::once(None).chain(named).collect()
}

fn rule_line(rule: &Option<String>, now: &Option<String>) -> (String, String) {
    let word = if rule == now { "present rule" } else { "" };
    (
        rule.as_deref().unwrap_or(OWN_RULE).to_string(),
        word.to_string(),
    )
}

impl BoardPane {
    /// Asks for a column group.
    pub(super) fn ask_measure(&mut self) -> Vec<BoardEffect> {
        let Some(board) = &self.found else {
            return refuse("the leaderboard is loading");
        };
        let (mut places, mut lines): (Vec<usize>, Vec<(String, String)>) = (Vec::new(), Vec::new());
        for (at, column) in board.columns.iter().enumerate() {
            if lines.iter().any(|(name, _)| *name == column.group) {
                continue;
            }
            let many = board
                .columns
                .iter()
                .filter(|c| c.group == column.group)
                .count();
            places.push(FIRST + at);
            let help = if many == 1 {
                column.help.clone()
            } else {
                format!("{many} columns")
            };
            lines.push((column.group.clone(), help));
        }
        places.push(FIRST + board.columns.len());
        lines.push((
            "predictions".into(),
            "counts of each model's predictions".into(),
        ));
        vec![BoardEffect::AskChoice {
            purpose: ChoiceFor::Column(places),
            title: "Go to column group".into(),
            lines,
        }]
    }

    /// Asks for a column or a model by name.
    pub(super) fn ask_find(&mut self) -> Vec<BoardEffect> {
        let Some(board) = &self.found else {
            return refuse("the leaderboard is loading");
        };
        let columns = self.table.columns();
        let mut lines: Vec<(String, String)> = columns
            .iter()
            .map(|c| {
                (
                    c.name.clone(),
                    format!("column {}", c.group).trim_end().to_string(),
                )
            })
            .collect();
        let word = |row: &Row| {
            row.reference
                .as_ref()
                .map_or("model".into(), |printed| format!("published in {printed}"))
        };
        lines.extend(board.rows.iter().map(|row| (row.model.clone(), word(row))));
        let purpose = ChoiceFor::Find(
            (0..columns.len()).collect(),
            (0..board.rows.len() as u64).collect(),
        );
        vec![BoardEffect::AskChoice {
            purpose,
            title: "Find column or model".into(),
            lines,
        }]
    }

    /// Asks for the items to score. Requests the rounds first.
    pub(super) fn ask_curated(&mut self) -> Vec<BoardEffect> {
        vec![BoardEffect::Ask(ReplyFor::Rounds, request::Rounds.into())]
    }

    /// Receives the rounds and asks for the items to score.
    pub fn on_rounds(&mut self, rounds: Result<Vec<RoundState>>) -> Vec<BoardEffect> {
        let rounds = match rounds {
            Ok(rounds) => rounds,
            Err(problem) => return refuse(error_line(&problem)),
        };
        let mut choices = vec![Curated::All, Curated::Accepted];
        choices.extend(
            rounds
                .iter()
                .rev()
                .map(|round| Curated::Round(round.name.clone())),
        );
        let line = |choice: &Curated| {
            let word = match choice {
                Curated::All => "regardless of verdicts".to_string(),
                Curated::Accepted => "shows the effect of the review".to_string(),
                Curated::Round(name) => {
                    let round = rounds.iter().find(|round| round.name == *name);
                    round.map_or(String::new(), |r| {
                        format!("{}, {} of {} verdicts", r.protocol, r.judged, r.wanted)
                    })
                }
            };
            (on(choice), word)
        };
        let lines = choices.iter().map(line).collect();
        vec![BoardEffect::AskChoice {
            purpose: ChoiceFor::Curated(choices),
            title: "Score".into(),
            lines,
        }]
    }

    /// Asks for the published rows to show.
    pub(super) fn ask_printed(&mut self) -> Vec<BoardEffect> {
        let Some(board) = &self.found else {
            return refuse("the leaderboard is loading");
        };
        let papers = match published::papers_of(&board.columns) {
            Ok(papers) if papers.is_empty() => {
                return refuse("no paper published a column of this board");
            }
            Ok(papers) => papers,
            Err(problem) => return refuse(error_line(&problem)),
        };
        let mut choices = vec![PublishedFigures::Off, PublishedFigures::All];
        choices.extend(
            papers
                .into_iter()
                .map(|paper| PublishedFigures::Paper(paper.into())),
        );
        let line = |choice: &PublishedFigures| {
            let word = if *choice == self.ask.printed {
                "present choice"
            } else {
                ""
            };
            (printed(choice), word.to_string())
        };
        let lines = choices.iter().map(line).collect();
        vec![BoardEffect::AskChoice {
            purpose: ChoiceFor::Printed(choices),
            title: "Published rows".into(),
            lines,
        }]
    }

    /// Asks for the extraction rule.
    pub(super) fn ask_rule(&mut self) -> Vec<BoardEffect> {
        let rules = rules();
        let lines = rules
            .iter()
            .map(|rule| rule_line(rule, &self.ask.rule))
            .collect();
        vec![BoardEffect::AskChoice {
            purpose: ChoiceFor::Rule(rules),
            title: "Extraction rule".into(),
            lines,
        }]
    }

    /// Asks for a rule to compare with the board's rule.
    pub(super) fn ask_other(&mut self) -> Vec<BoardEffect> {
        let mut rules: Vec<Option<String>> = rules()
            .into_iter()
            .filter(|rule| *rule != self.shown.rule)
            .collect();
        let mut lines: Vec<_> = rules
            .iter()
            .map(|rule| rule_line(rule, &self.shown.rule))
            .collect();
        rules.push(Some(TOOL.into()));
        lines.push((TOOL.into(), "the verdicts in the imported files".into()));
        let title = "Compare extraction with".to_string();
        vec![BoardEffect::AskChoice {
            purpose: ChoiceFor::Other(rules),
            title,
            lines,
        }]
    }

    /// Asks for a breakdown of the model under the cursor.
    pub(super) fn ask_view(&mut self) -> Vec<BoardEffect> {
        let (Some(board), Some(row)) = (&self.found, self.row()) else {
            return refuse("no model to break down");
        };
        if row.reference.is_some() {
            return refuse("a published row has no breakdown: move to a scored model");
        }
        let kinds = views::kinds(board);
        if kinds.is_empty() {
            return refuse("this board has no column groups to break down");
        }
        let lines = kinds
            .iter()
            .map(|(_, name, word)| (name.clone(), word.clone()))
            .collect();
        let kinds = kinds.into_iter().map(|(kind, ..)| kind).collect();
        let title = format!("Break down {} by", text::fit(&row.model, 40));
        vec![BoardEffect::AskChoice {
            purpose: ChoiceFor::View(kinds),
            title,
            lines,
        }]
    }

    /// Receives a choice.
    pub fn chosen(&mut self, purpose: &ChoiceFor, pick: usize) -> Vec<BoardEffect> {
        match purpose {
            ChoiceFor::Column(places) => {
                if let Some(at) = places.get(pick) {
                    self.table.go_to_group(*at);
                }
                vec![]
            }
            ChoiceFor::Find(columns, rows) => {
                match (
                    columns.get(pick),
                    rows.get(pick.wrapping_sub(columns.len())),
                ) {
                    (Some(column), _) => self.table.go_to_column(*column),
                    (None, Some(row)) if !self.table.go_to_id(*row) => {
                        return refuse("that model is not in the visible rows");
                    }
                    _ => {}
                }
                vec![]
            }
            ChoiceFor::Curated(choices) => match choices.get(pick) {
                Some(curated) => self.request_board(BoardQuery {
                    curated: curated.clone(),
                    ..self.ask.clone()
                }),
                None => vec![],
            },
            ChoiceFor::Printed(choices) => match choices.get(pick) {
                Some(printed) => self.request_board(BoardQuery {
                    printed: printed.clone(),
                    ..self.ask.clone()
                }),
                None => vec![],
            },
            ChoiceFor::Rule(rules) => match rules.get(pick) {
                Some(rule) => self.request_board(BoardQuery {
                    rule: rule.clone(),
                    ..self.ask.clone()
                }),
                None => vec![],
            },
            ChoiceFor::Other(rules) => match rules.get(pick).cloned() {
                Some(other) => {
                    let ask = Box::new(self.shown.clone());
                    let want = ReplyFor::Disagreements {
                        ask: ask.clone(),
                        other: other.clone(),
                        show: true,
                    };
                    vec![BoardEffect::Ask(
                        want,
                        request::Disagreements { ask, other }.into(),
                    )]
                }
                None => vec![],
            },
            ChoiceFor::View(kinds) => {
                let (Some(board), Some(row), Some(kind)) =
                    (&self.found, self.row(), kinds.get(pick))
                else {
                    return vec![];
                };
                if *kind == Kind::Stability {
                    return self.ask_stable();
                }
                match View::new(kind, board, row) {
                    Some(view) => {
                        self.layers.push(Layer::View(view));
                        vec![]
                    }
                    None => refuse(format!("{} has no answers for this breakdown", row.model)),
                }
            }
        }
    }
}
