//! The item list: pages of rows from the owner, with filtering, sorting, counting, selecting, and
//! copying.
//!
//! The pane returns [`ListEffect::Ask`]. The caller passes the reply to [`ListPane::answer`] with
//! the same [`ReplyFor`]. Rows stay on the screen until their replacements arrive.

mod arrange;
mod arrangement;
mod copy;
mod copying;
mod draw;
mod effects;
mod filtering;
mod layers;
mod pager;
mod pane;
mod query;
mod replies;
mod rows;

pub use effects::{ListEffect, ReplyFor};
pub use pane::ListPane;

use crate::action::{Action, Scope};
use crate::widgets::table::{Extent, TableEffect};
use benchtop_model::Field;
use benchtop_model::table::Match;
use benchtop_protocol::wire::{QUESTION_CHARS, request};

use pane::Step;

impl ListPane {
    /// Runs an action of the table or the list, find, or back. Ignores others.
    pub fn act(&mut self, action: Action) -> Vec<ListEffect> {
        match action {
            Action::Back | Action::MenuCancel => self.back(),
            Action::Find => {
                self.layer = None;
                vec![ListEffect::AskFind(self.words())]
            }
            _ if self.layer.is_some() => self.act_on_layer(action),
            Action::ClearFilter => self.clear(),
            Action::FilterStatus => self.ask_values(Field::Status),
            Action::FilterSubtask => self.ask_values(Field::Subtask),
            Action::FilterType => self.ask_values(Field::Type),
            Action::JudgeAll => vec![ListEffect::JudgeAll(self.target())],
            _ if action.scope() == Scope::Table => self.act_on_rows(action),
            _ => vec![],
        }
    }

    fn act_on_rows(&mut self, action: Action) -> Vec<ListEffect> {
        let without_rows;
        let window = match self.pager.current {
            true => {
                // The annotator acts on loaded rows, so a late reply must not move the cursor.
                self.locating = None;
                &self.pager.window
            }
            false => {
                without_rows = self.pager.without_rows();
                &without_rows
            }
        };
        if action == Action::Unhide {
            self.arrangement.show_all();
        }
        let effects = self.state.act(
            action,
            &Extent {
                columns: &self.columns,
                window,
            },
        );
        let mut out: Vec<ListEffect> = effects
            .into_iter()
            .flat_map(|e| self.carry_out(e))
            .collect();
        out.extend(self.fetch(None));
        out
    }

    fn carry_out(&mut self, effect: TableEffect) -> Vec<ListEffect> {
        match effect {
            // Every action ends with a request for missing rows.
            TableEffect::NeedRows { .. } => vec![],
            TableEffect::Sort(_) => self.requery(0),
            TableEffect::Subset(Some(_)) => {
                self.trail.push(Step::Subset);
                self.requery(0)
            }
            TableEffect::Subset(None) => {
                self.trail.retain(|s| !matches!(s, Step::Subset));
                self.requery(self.state.row())
            }
            TableEffect::Frequency(column) => match rows::field(column) {
                Some(field) => {
                    let ask = request::Frequency(self.filter(), field).into();
                    self.await_one(
                        "counting",
                        |ticket| ReplyFor::Frequency { ticket, column },
                        ask,
                    )
                }
                None => vec![],
            },
            TableEffect::Describe => {
                let ask = request::Describe(self.filter()).into();
                self.await_one("summarizing", |ticket| ReplyFor::Describe { ticket }, ask)
            }
            TableEffect::AskRegex { column, on } => vec![ListEffect::AskRegex { column, on }],
            TableEffect::SelectRegex {
                column,
                pattern,
                on,
            } => self.select(column, Match::Regex(pattern), on),
            TableEffect::SelectLike { column, id } => self.select_like(column, id),
            TableEffect::AskCopy(what) => vec![ListEffect::AskCopy(what)],
            TableEffect::Copy(what, format) => self.copy(what, format),
            TableEffect::AskColumn => {
                vec![ListEffect::AskColumn(
                    self.columns.iter().map(|c| c.name.clone()).collect(),
                )]
            }
            TableEffect::Open { id, .. } => match u32::try_from(id) {
                Ok(number) => vec![ListEffect::Open {
                    number,
                    filter: self.filter(),
                    sort: self.sort(),
                }],
                Err(_) => vec![],
            },
            TableEffect::Refuse(reason) => vec![ListEffect::Refuse(reason)],
        }
    }

    fn select(&mut self, column: usize, what: Match, on: bool) -> Vec<ListEffect> {
        let Some(field) = rows::field(column) else {
            return vec![];
        };
        self.selecting += 1;
        vec![ListEffect::Ask(
            ReplyFor::Select { on },
            request::Select(self.filter(), field, what).into(),
        )]
    }

    fn select_like(&mut self, column: usize, id: u64) -> Vec<ListEffect> {
        let row = self.pager.window.rows.iter().find(|r| r.id == id);
        let Some(cell) = row.and_then(|r| r.cells.get(column)) else {
            return vec![];
        };
        if rows::field(column) == Some(Field::Question)
            && cell.text.chars().count() >= QUESTION_CHARS
        {
            return vec![ListEffect::Refuse(
                "this question is cut off in the list; use `|` to select".into(),
            )];
        }
        let value = cell.text.clone();
        self.select(column, Match::Equal(value), true)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
