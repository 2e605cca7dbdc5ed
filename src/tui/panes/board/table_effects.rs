//! Results of table actions; opening a cell.

use super::detail;
use super::layer::LayerEffect;
use super::pane::BoardPane;
use super::table::FIRST;
use super::views::{self, View};
use crate::action::Action;
use crate::pane::{Context, Target, table_menus};
use crate::widgets::table::{
    Answer, CopyFormat, CopyWhat, FrequencyEffect, FrequencyView, LocalTable, TableEffect, describe,
};

impl BoardPane {
    /// Carries out a table result. `Open` refers to the leaderboard; layers handle their own.
    pub(super) fn carry_out(&mut self, answer: Answer, cx: &mut Context<'_>) {
        match answer {
            Answer::Effect(TableEffect::Open { id, column, .. }) => self.open_cell(id, column, cx),
            Answer::Effect(TableEffect::AskRegex { column, on }) => self.ask_regex(column, on, cx),
            Answer::Effect(TableEffect::AskColumn) => self.ask_column(cx),
            Answer::Effect(TableEffect::AskCopy(what)) => {
                table_menus::choose_format(what, cx, Self::copy);
            }
            Answer::Effect(TableEffect::Refuse(why)) => cx.say(why),
            // The table handles every other effect itself.
            Answer::Effect(_) => {}
            Answer::Frequency(column, frequency) => {
                self.push_layer(FrequencyView::new(column, frequency));
            }
            Answer::Describe(summaries) => self.push_layer(describe(summaries)),
            Answer::Copied { text, rows, but } => {
                cx.copy(text, format!("{rows} rows"));
                but.into_iter().for_each(|why| cx.say(why));
            }
            Answer::Message(text) => cx.say(text),
        }
    }

    /// Asks for a pattern, then selects or unselects the rows that match.
    fn ask_regex(&self, column: usize, on: bool, cx: &mut Context<'_>) {
        table_menus::ask_regex(on, cx, move |pane: &mut Self, pattern, cx| {
            let table = pane.top_table();
            let answer = table.map(|t| t.select_regex(column, pattern, on));
            let answer = answer.transpose().map_err(|problem| problem.what)?;
            if let Some(answer) = answer.flatten() {
                pane.carry_out(answer, cx);
            }
            Ok(())
        });
    }

    fn ask_column(&mut self, cx: &mut Context<'_>) {
        let Some(table) = self.top_table() else {
            return;
        };
        let names = table.columns().iter().map(|c| c.name.clone()).collect();
        table_menus::choose_column(names, cx, |pane: &mut Self, pick, _| {
            pane.go_to_column(pick);
        });
    }

    /// Copies rows of the topmost table.
    fn copy(&mut self, what: CopyWhat, format: CopyFormat, cx: &mut Context<'_>) {
        let table = self.top_table();
        let answer = table.and_then(|t| t.answer(TableEffect::Copy(what, format)));
        if let Some(answer) = answer {
            self.carry_out(answer, cx);
        }
    }

    /// The table below the topmost view.
    fn source(&mut self) -> &mut LocalTable {
        let below = self.layers.len().checked_sub(2);
        let below = below.and_then(|at| self.layers.get_mut(at));
        below
            .and_then(|layer| layer.table_mut())
            .unwrap_or(&mut self.table)
    }

    /// Carries out what a view asks for.
    pub(super) fn carry_out_of_layer(&mut self, effect: LayerEffect, cx: &mut Context<'_>) {
        match effect {
            LayerEffect::Drilldown { model, column } => self.ask_drilldown(&model, &column, cx),
            LayerEffect::Question { item, model } => self.ask_answered(item, model, cx),
            LayerEffect::BreakDown(models) => self.ask_kind(models, cx),
            LayerEffect::AddModels { to, by } => self.ask_models(to, by, cx),
            LayerEffect::Compare { models, column } => self.ask_comparison(models, column, cx),
            LayerEffect::Label(target) => self.ask_label(target, cx),
            LayerEffect::Step(forward) => self.step_answer(forward, cx),
            LayerEffect::Item(number) => {
                cx.open(Target::Item(number));
                cx.say(format!("{} returns to the answers", cx.key(Action::Back)));
            }
            LayerEffect::Items(words) => cx.open(Target::Items(words)),
            LayerEffect::Open(layer) => self.layers.push(layer),
            LayerEffect::Column(column) => {
                self.source().go_to_column(column);
                self.layers.pop();
            }
            LayerEffect::Frequency(FrequencyEffect::Dive { column, value }) => {
                self.source().dive(column, &value);
                self.layers.pop();
                let value = if value.is_empty() {
                    "no value".into()
                } else {
                    format!("`{value}`")
                };
                cx.say(format!("showing rows with {value}; back shows all"));
            }
            LayerEffect::Frequency(FrequencyEffect::SelectValue { column, value, on }) => {
                let answer = self.source().select_value(column, &value, on);
                self.carry_out(answer, cx);
            }
            LayerEffect::Table(answer) | LayerEffect::Frequency(FrequencyEffect::Table(answer)) => {
                self.carry_out(answer, cx);
            }
        }
    }

    fn open_cell(&mut self, id: u64, column: usize, cx: &mut Context<'_>) {
        let Some(board) = &self.found else {
            return;
        };
        let Some(row) = usize::try_from(id).ok().and_then(|i| board.rows.get(i)) else {
            return;
        };
        if row.is_chance() {
            return cx.say("chance levels have no answers");
        }
        if let Some(printed) = &row.reference {
            return cx.say(format!(
                "{} is published in {printed}: no answers here",
                row.model
            ));
        }
        let cell = column
            .checked_sub(FIRST)
            .and_then(|i| Some((board.columns.get(i)?, row.cells.get(i)?)));
        match cell {
            Some((column, Some(_))) => {
                let breakdown = views::breakdown_of(board, &column.name)
                    .and_then(|kind| View::new(&kind, board, &[row]));
                match breakdown {
                    Some(view) => self.push_layer(view),
                    None => {
                        let (model, column) = (row.model.clone(), column.name.clone());
                        self.ask_drilldown(&model, &column, cx);
                    }
                }
            }
            Some((column, None)) => {
                let why = detail::nothing(row, column);
                cx.say(format!("{}, {}: {why}", row.model, column.name));
            }
            None => {
                let page = detail::about(board, row);
                self.push_layer(page);
            }
        }
    }
}
