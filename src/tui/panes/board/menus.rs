//! The menus of the leaderboard: column groups, items, and extraction rules.

use super::draw::{on, printed};
use super::pane::BoardPane;
use super::replies::OWN_RULE;
use super::table::FIRST;
use crate::pane::{Context, Typed};
use crate::panes::metadata::edit_session::error_line;
use crate::panes::rounds::progress;
use crate::widgets::prompt::Prompt;
use benchtop_formats::published_figures as published;
use benchtop_metrics::extract::Extractor;
use benchtop_model::board::analysis::TOOL;
use benchtop_model::board::{BoardQuery, Curated, PublishedFigures, Row};
use benchtop_model::round::state::RoundState;
use benchtop_model::{Filter, Result};
use benchtop_protocol::wire::request;

/// The extraction rules. `None` stands for each question's own rule.
fn rules() -> Vec<Option<String>> {
    let named = Extractor::ALL.map(|rule| Some(rule.name().to_string()));
    std::iter::once(None).chain(named).collect()
}

fn rule_line(rule: &Option<String>, now: &Option<String>) -> (String, &'static str) {
    let word = if rule == now { "present rule" } else { "" };
    (rule.as_deref().unwrap_or(OWN_RULE).to_string(), word)
}

/// Receives the rounds and asks for the items to score.
fn choose_curated(rounds: Result<Vec<RoundState>>, cx: &mut Context<'_>) {
    let rounds = match rounds {
        Ok(rounds) => rounds,
        Err(problem) => return cx.say(error_line(&problem)),
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
                round.map_or(String::new(), progress)
            }
        };
        (on(choice), word)
    };
    cx.choose_of(
        "Score",
        choices,
        line,
        |pane: &mut BoardPane, curated, cx| {
            pane.choose_board(cx, |ask| ask.curated = curated);
        },
    );
}

impl BoardPane {
    /// Asks for a column group.
    pub(super) fn ask_measure(&self, cx: &mut Context<'_>) {
        let Some(board) = &self.found else {
            return cx.say("the leaderboard is loading");
        };
        let mut groups: Vec<(usize, String, String)> = Vec::new();
        for (at, column) in board.columns.iter().enumerate() {
            if groups.iter().any(|(_, name, _)| *name == column.group) {
                continue;
            }
            let many = board
                .columns
                .iter()
                .filter(|c| c.group == column.group)
                .count();
            let help = if many == 1 {
                column.help.clone()
            } else {
                format!("{many} columns")
            };
            groups.push((FIRST + at, column.group.clone(), help));
        }
        let (last, help) = (board.columns.len(), "counts of each model's predictions");
        groups.push((FIRST + last, "predictions".into(), help.into()));
        let line = |(_, name, help): &(usize, String, String)| (name.clone(), help.clone());
        let title = "Go to column group";
        cx.choose_of(title, groups, line, |pane: &mut Self, (at, ..), _| {
            pane.table.go_to_group(at);
        });
    }

    /// Asks for a column or a model by name.
    pub(super) fn ask_find(&self, cx: &mut Context<'_>) {
        let Some(board) = &self.found else {
            return cx.say("the leaderboard is loading");
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
        let (all, rows) = (columns.len(), board.rows.len());
        cx.choose(
            "Find column or model",
            lines,
            move |pane: &mut Self, pick, cx| match pick.checked_sub(all) {
                None => pane.table.go_to_column(pick),
                Some(row) if row < rows && !pane.table.go_to_id(row as u64) => {
                    cx.say("that model is not in the visible rows");
                }
                Some(_) => {}
            },
        );
    }

    /// Asks for the filter of the questions to score. It applies while it is typed.
    pub(super) fn ask_filter(&self, cx: &mut Context<'_>) {
        let before = self.ask.filter.clone();
        let prompt = Prompt::new("score only", before.to_text(), cx.env.history.to_vec());
        cx.prompt_live(prompt, move |pane: &mut Self, typed, cx| {
            let filter = match typed {
                Typed::Changed(words) => Filter::parse(words).map_err(|problem| problem.what)?,
                Typed::Done(words) => match Filter::parse(words) {
                    Ok(filter) => filter,
                    Err(problem) => {
                        cx.error(&problem);
                        return Ok(());
                    }
                },
                Typed::Cancelled => before.clone(),
            };
            pane.choose_board(cx, |ask| ask.filter = filter);
            Ok(())
        });
    }

    /// Requests the board with a change.
    fn choose_board(&mut self, cx: &mut Context<'_>, change: impl FnOnce(&mut BoardQuery)) {
        let mut ask = self.ask.clone();
        change(&mut ask);
        self.request_board(ask, cx);
    }

    /// Asks for the items to score. Requests the rounds first.
    pub(super) fn ask_curated(&self, cx: &mut Context<'_>) {
        cx.ask(request::Rounds, |_: &mut Self, rounds, cx| {
            choose_curated(rounds, cx)
        });
    }

    /// Asks for the published rows to show.
    pub(super) fn ask_printed(&self, cx: &mut Context<'_>) {
        let Some(board) = &self.found else {
            return cx.say("the leaderboard is loading");
        };
        let papers = match published::papers_of(&board.columns) {
            Ok(papers) => papers,
            Err(problem) => return cx.say(error_line(&problem)),
        };
        let (present, chance) = (self.ask.printed.clone(), self.ask.chance);
        let mut choices = vec![PublishedFigures::Off];
        if !papers.is_empty() {
            choices.push(PublishedFigures::All);
        }
        let papers = papers.into_iter();
        choices.extend(papers.map(|paper| PublishedFigures::Paper(paper.into())));
        let mut choices: Vec<_> = choices.into_iter().map(|of| (of, chance)).collect();
        choices.push((present.clone(), !chance));
        let line = |choice: &(PublishedFigures, bool)| match choice {
            (_, true) if !chance => ("with chance levels".to_string(), ""),
            (_, false) if chance => ("without chance levels".to_string(), ""),
            (of, _) if *of == present => (printed(of), "present choice"),
            (of, _) => (printed(of), ""),
        };
        let title = "Published rows";
        cx.choose_of(
            title,
            choices,
            line,
            |pane: &mut Self, (printed, chance), cx| {
                pane.choose_board(cx, |ask| (ask.printed, ask.chance) = (printed, chance));
            },
        );
    }

    /// Asks for the extraction rule.
    pub(super) fn ask_rule(&self, cx: &mut Context<'_>) {
        let line = |rule: &_| rule_line(rule, &self.ask.rule);
        cx.choose_of(
            "Extraction rule",
            rules(),
            line,
            |pane: &mut Self, rule, cx| {
                pane.choose_board(cx, |ask| ask.rule = rule);
            },
        );
    }

    /// Asks for a rule to compare with the board's rule.
    pub(super) fn ask_other(&self, cx: &mut Context<'_>) {
        let mut rules: Vec<Option<String>> = rules()
            .into_iter()
            .filter(|rule| *rule != self.shown.rule)
            .collect();
        rules.push(Some(TOOL.into()));
        let line = |rule: &Option<String>| match rule.as_deref() {
            Some(TOOL) => (TOOL.into(), "the verdicts in the imported files"),
            _ => rule_line(rule, &self.shown.rule),
        };
        let title = "Compare extraction with";
        cx.choose_of(title, rules, line, |pane: &mut Self, other, cx| {
            pane.ask_disagreements(other, true, cx);
        });
    }
}
