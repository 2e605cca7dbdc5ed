//! Frequency tables and summaries on top of the list, and actions on the topmost table.

use super::copy::rows_of;
use super::pane::{Layer, ListPane};
use super::rows;
use crate::action::Action;
use crate::pane::{Context, table_menus};
use crate::widgets::table::{Answer, FrequencyEffect, LocalTable, Spec, TableEffect, TableState};
use benchtop_model::Result;
use benchtop_model::table::Match;

impl ListPane {
    /// Selects or unselects the rows whose cell in a column of the topmost table matches a pattern.
    /// Fails with [`benchtop_model::ErrorKind::Usage`] if the pattern is invalid.
    pub(super) fn select_regex(
        &mut self,
        column: usize,
        pattern: &str,
        on: bool,
        cx: &mut Context<'_>,
    ) -> Result<()> {
        if let Some(table) = self.layer_table() {
            if let Some(answer) = table.select_regex(column, pattern, on)? {
                self.after_layer(answer, cx);
            }
            return Ok(());
        }
        let effect = TableState::regex(column, pattern, on)?;
        self.carry_out(effect, cx);
        Ok(())
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
            Layer::Describe(table) => Some(table),
        }
    }

    pub(super) fn act_on_layer(&mut self, action: Action, cx: &mut Context<'_>) {
        match self.layer.as_mut() {
            None => {}
            Some(Layer::Frequency(view)) => {
                for effect in view.act(action) {
                    self.after_frequency(effect, cx);
                }
            }
            Some(Layer::Describe(view)) => {
                for answer in view.act(action) {
                    self.after_describe(answer, cx);
                }
            }
        }
    }

    fn after_frequency(&mut self, effect: FrequencyEffect, cx: &mut Context<'_>) {
        match effect {
            FrequencyEffect::Dive { column, value } => {
                if let Some(field) = rows::field(column) {
                    self.filter_by(field, &value, cx);
                }
            }
            FrequencyEffect::SelectValue { column, value, on } => {
                self.select(column, Match::Equal(value), on, cx);
            }
            FrequencyEffect::Table(answer) => self.after_layer(answer, cx),
        }
    }

    fn after_describe(&mut self, answer: Answer, cx: &mut Context<'_>) {
        if let Answer::Effect(TableEffect::Open { id, .. }) = answer {
            self.layer = None;
            return self.go_to_column(usize::try_from(id).unwrap_or(0));
        }
        self.after_layer(answer, cx);
    }

    /// Handles the result of an action on a layer's table.
    pub(super) fn after_layer(&mut self, answer: Answer, cx: &mut Context<'_>) {
        match answer {
            Answer::Effect(
                effect @ (TableEffect::AskColumn
                | TableEffect::AskRegex { .. }
                | TableEffect::AskCopy(_)),
            ) => self.ask_for(effect, cx),
            Answer::Effect(TableEffect::Refuse(reason)) => cx.refuse(reason),
            Answer::Effect(_) => {}
            Answer::Frequency(..) | Answer::Describe(_) => {
                cx.refuse("not on a table of counts; esc goes back to the items");
            }
            Answer::Copied { text, rows, but } => {
                cx.copy(text, rows_of(rows));
                but.into_iter().for_each(|but| cx.say(but));
            }
            Answer::Message(text) => cx.say(text),
        }
    }

    /// Asks for what an action on the topmost table needs.
    pub(super) fn ask_for(&mut self, effect: TableEffect, cx: &mut Context<'_>) {
        match effect {
            TableEffect::AskColumn => {
                let names = |columns: &[Spec]| columns.iter().map(|c| c.name.clone()).collect();
                let names = match self.layer_table() {
                    Some(table) => names(table.columns()),
                    None => names(&self.columns),
                };
                table_menus::choose_column(names, cx, |pane: &mut Self, column, _| {
                    pane.go_to_column(column);
                });
            }
            TableEffect::AskRegex { column, on } => {
                table_menus::ask_regex(on, cx, move |pane: &mut Self, pattern, cx| {
                    let selected = pane.select_regex(column, pattern, on, cx);
                    selected.map_err(|problem| problem.what)
                });
            }
            TableEffect::AskCopy(what) => table_menus::choose_format(what, cx, Self::copy),
            _ => {}
        }
    }
}
