//! Frequency tables and summaries on top of the list, and actions on the topmost table.

use super::effects::ListEffect;
use super::pane::{Layer, ListPane};
use super::rows;
use crate::action::Action;
use crate::widgets::table::{Answer, FrequencyEffect, LocalTable, TableEffect, TableState};
use benchtop_model::Result;
use benchtop_model::table::Match;

impl ListPane {
    /// Selects or unselects the rows whose cell in a column of the topmost table matches a pattern.
    /// Fails with [`benchtop_model::ErrorKind::Usage`] if the pattern is invalid.
    pub fn select_regex(
        &mut self,
        column: usize,
        pattern: &str,
        on: bool,
    ) -> Result<Vec<ListEffect>> {
        if let Some(table) = self.layer_table() {
            let answer = table.select_regex(column, pattern, on)?;
            return Ok(answer.map(|a| self.after_layer(a)).unwrap_or_default());
        }
        let effect = TableState::regex(column, pattern, on)?;
        Ok(self.carry_out(effect))
    }

    /// Goes to a column of the topmost table and shows it if it was hidden.
    pub fn go_to_column(&mut self, column: usize) {
        match self.layer_table() {
            Some(table) => table.go_to_column(column),
            None => {
                self.arrangement.keep(column);
                self.state.go_to_column(column, &self.columns);
            }
        }
    }

    pub(super) fn layer_table(&mut self) -> Option<&mut LocalTable> {
        match self.layer.as_mut()? {
            Layer::Frequency(view) => Some(view.table_mut()),
            Layer::Describe(view) => Some(view.table_mut()),
        }
    }

    pub(super) fn act_on_layer(&mut self, action: Action) -> Vec<ListEffect> {
        match self.layer.as_mut() {
            None => vec![],
            Some(Layer::Frequency(view)) => {
                let effects = view.act(action);
                effects
                    .into_iter()
                    .flat_map(|e| self.after_frequency(e))
                    .collect()
            }
            Some(Layer::Describe(view)) => {
                let answers = view.act(action);
                answers
                    .into_iter()
                    .flat_map(|a| self.after_describe(a))
                    .collect()
            }
        }
    }

    pub(super) fn after_frequency(&mut self, effect: FrequencyEffect) -> Vec<ListEffect> {
        match effect {
            FrequencyEffect::Dive { column, value } => match rows::field(column) {
                Some(field) => self.filter_by(field, &value),
                None => vec![],
            },
            FrequencyEffect::SelectValue { column, value, on } => {
                self.select(column, Match::Equal(value), on)
            }
            FrequencyEffect::Table(answer) => self.after_layer(answer),
        }
    }

    pub(super) fn after_describe(&mut self, answer: Answer) -> Vec<ListEffect> {
        if let Answer::Effect(TableEffect::Open { id, .. }) = answer {
            self.layer = None;
            self.go_to_column(usize::try_from(id).unwrap_or(0));
            return vec![];
        }
        self.after_layer(answer)
    }

    /// Handles the result of an action on a layer's table.
    pub(super) fn after_layer(&mut self, answer: Answer) -> Vec<ListEffect> {
        match answer {
            Answer::Effect(TableEffect::AskColumn) => {
                let names = self
                    .layer_table()
                    .map(|t| t.columns().iter().map(|c| c.name.clone()).collect());
                vec![ListEffect::AskColumn(names.unwrap_or_default())]
            }
            Answer::Effect(TableEffect::AskRegex { column, on }) => {
                vec![ListEffect::AskRegex { column, on }]
            }
            Answer::Effect(TableEffect::AskCopy(what)) => vec![ListEffect::AskCopy(what)],
            Answer::Effect(TableEffect::Refuse(reason)) => vec![ListEffect::Refuse(reason)],
            Answer::Effect(_) => vec![],
            Answer::Frequency(..) | Answer::Describe(_) => {
                vec![ListEffect::Refuse(
                    "not on a table of counts; esc goes back to the items".into(),
                )]
            }
            Answer::Copied { text, rows, but } => std::iter::once(ListEffect::Copy { text, rows })
                .chain(but.map(ListEffect::Say))
                .collect(),
            Answer::Message(text) => vec![ListEffect::Say(text)],
        }
    }
}
