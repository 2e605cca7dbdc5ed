//! Results of table actions, and opening a cell.

use super::detail;
use super::effects::BoardEffect;
use super::pane::{BoardPane, Layer};
use super::table::FIRST;
use super::views::{self, View};
use crate::widgets::table::{
    Answer, DescribeView, FrequencyEffect, FrequencyView, LocalTable, TableEffect,
};

impl BoardPane {
    /// Turns a table result into effects. `Open` refers to the leaderboard; layers handle their
    /// own.
    pub(super) fn carry_out(&mut self, answer: Answer) -> Vec<BoardEffect> {
        match answer {
            Answer::Effect(TableEffect::Open { id, column, .. }) => self.open(id, column),
            Answer::Effect(TableEffect::AskRegex { column, on }) => {
                vec![BoardEffect::AskRegex { column, on }]
            }
            Answer::Effect(TableEffect::AskColumn) => {
                let names = self
                    .top_table()
                    .map(|t| t.columns().iter().map(|c| c.name.clone()).collect());
                vec![BoardEffect::AskColumn(names.unwrap_or_default())]
            }
            Answer::Effect(TableEffect::AskCopy(what)) => vec![BoardEffect::AskCopy(what)],
            Answer::Effect(TableEffect::Refuse(reason)) => vec![BoardEffect::Refuse(reason)],
            // The table handles every other effect itself.
            Answer::Effect(_) => vec![],
            Answer::Frequency(column, frequency) => {
                self.push_layer(Layer::Frequency(FrequencyView::new(column, frequency)))
            }
            Answer::Describe(summaries) => {
                self.push_layer(Layer::Describe(DescribeView::new(summaries)))
            }
            Answer::Copied { text, rows, but } => std::iter::once(BoardEffect::Copy { text, rows })
                .chain(but.map(BoardEffect::Refuse))
                .collect(),
            Answer::Message(text) => vec![BoardEffect::Say(text)],
        }
    }

    /// The table that the topmost frequencies or summary belong to.
    fn source(&mut self) -> &mut LocalTable {
        let below = self
            .layers
            .len()
            .checked_sub(2)
            .and_then(|i| self.layers.get_mut(i));
        below.and_then(Layer::table_mut).unwrap_or(&mut self.table)
    }

    pub(super) fn after_frequency(&mut self, effect: FrequencyEffect) -> Vec<BoardEffect> {
        match effect {
            FrequencyEffect::Dive { column, value } => {
                self.source().dive(column, &value);
                self.layers.pop();
                let value = if value.is_empty() {
                    "no value".into()
                } else {
                    format!("`{value}`")
                };
                vec![BoardEffect::Say(format!(
                    "showing rows with {value}; back shows all"
                ))]
            }
            FrequencyEffect::SelectValue { column, value, on } => {
                let answer = self.source().select_value(column, &value, on);
                self.carry_out(answer)
            }
            FrequencyEffect::Table(answer) => self.carry_out(answer),
        }
    }

    pub(super) fn after_describe(&mut self, answer: Answer) -> Vec<BoardEffect> {
        if let Answer::Effect(TableEffect::Open { id, .. }) = answer {
            self.source().go_to_column(usize::try_from(id).unwrap_or(0));
            self.layers.pop();
            return vec![];
        }
        self.carry_out(answer)
    }

    fn open(&mut self, id: u64, column: usize) -> Vec<BoardEffect> {
        let Some(board) = &self.found else {
            return vec![];
        };
        let Some(row) = usize::try_from(id).ok().and_then(|i| board.rows.get(i)) else {
            return vec![];
        };
        if let Some(printed) = &row.reference {
            return vec![BoardEffect::Refuse(format!(
                "{} is published in {printed}: no answers here",
                row.model
            ))];
        }
        let cell = column
            .checked_sub(FIRST)
            .and_then(|i| Some((board.columns.get(i)?, row.cells.get(i)?)));
        match cell {
            Some((column, Some(_))) => {
                let breakdown = views::breakdown_of(board, &column.name)
                    .and_then(|kind| View::new(&kind, board, row));
                match breakdown {
                    Some(view) => self.push_layer(Layer::View(view)),
                    None => {
                        let (model, column) = (row.model.clone(), column.name.clone());
                        self.ask_behind(&model, &column)
                    }
                }
            }
            Some((column, None)) => {
                let why = detail::nothing(row, column);
                vec![BoardEffect::Refuse(format!(
                    "{}, {}: {why}",
                    row.model, column.name
                ))]
            }
            None => {
                let page = detail::about(board, row);
                self.push_layer(Layer::Page(page))
            }
        }
    }
}
