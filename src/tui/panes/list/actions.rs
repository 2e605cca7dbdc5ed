//! Actions on rows.

use super::pane::{Layer, ListPane, Step};
use super::rows;
use crate::action::Action;
use crate::pane::{Context, Target};
use crate::widgets::table::{Extent, FrequencyView, TableEffect, describe};
use crate::widgets::text;
use benchtop_model::Field;
use benchtop_model::table::Match;
use benchtop_protocol::wire::{QUESTION_CHARS, request};

impl ListPane {
    pub(super) fn act_on_rows(&mut self, action: Action, cx: &mut Context<'_>) {
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
        for effect in effects {
            self.carry_out(effect, cx);
        }
        self.fetch(None, cx);
    }

    pub(super) fn carry_out(&mut self, effect: TableEffect, cx: &mut Context<'_>) {
        match effect {
            // Every action ends with a request for missing rows.
            TableEffect::NeedRows { .. } => {}
            TableEffect::Sort(_) => self.requery(0, cx),
            TableEffect::Subset(Some(_)) => {
                self.trail.push(Step::Subset);
                self.requery(0, cx);
            }
            TableEffect::Subset(None) => {
                self.trail.retain(|s| !matches!(s, Step::Subset));
                self.requery(self.state.row(), cx);
            }
            TableEffect::Frequency(column) => {
                if let Some(field) = rows::field(column) {
                    let ask = request::Frequency(self.filter(), field);
                    let ask = self.await_one("counting", ask, move |pane, frequency, _| {
                        let view = FrequencyView::new(column, frequency);
                        pane.layer = Some(Layer::Frequency(view));
                    });
                    cx.send(ask);
                }
            }
            TableEffect::Describe => {
                let ask = request::Describe(self.filter());
                let ask = self.await_one("summarizing", ask, |pane, summaries, _| {
                    pane.layer = Some(Layer::Describe(describe(summaries)));
                });
                cx.send(ask);
            }
            TableEffect::SelectRegex {
                column,
                pattern,
                on,
            } => self.select(column, Match::Regex(pattern), on, cx),
            TableEffect::SelectLike { column, id } => self.select_like(column, id, cx),
            TableEffect::Copy(what, format) => self.copy(what, format, cx),
            TableEffect::Open { id, .. } => {
                if let Ok(number) = u32::try_from(id) {
                    cx.open(Target::Queue {
                        number,
                        filter: self.filter(),
                        sort: self.sort(),
                    });
                }
            }
            TableEffect::Refuse(reason) => cx.refuse(reason),
            TableEffect::AskColumn | TableEffect::AskRegex { .. } | TableEffect::AskCopy(_) => {
                self.ask_for(effect, cx);
            }
        }
    }

    pub(super) fn select(&mut self, column: usize, what: Match, on: bool, cx: &mut Context<'_>) {
        let Some(field) = rows::field(column) else {
            return;
        };
        self.selecting += 1;
        let ask = request::Select(self.filter(), field, what);
        cx.ask(ask, move |pane: &mut Self, numbers, cx| {
            pane.selecting = pane.selecting.saturating_sub(1);
            let numbers = match numbers {
                Ok(numbers) => numbers,
                Err(problem) => return cx.error(&problem),
            };
            let found = text::grouped(numbers.len() as u64);
            let changed = pane.state.mark(numbers.into_iter().map(u64::from), on);
            let changed = text::grouped(changed as u64);
            let done = if on { "selected" } else { "unselected" };
            cx.say(format!("{found} rows match, {changed} newly {done}"));
        });
    }

    fn select_like(&mut self, column: usize, id: u64, cx: &mut Context<'_>) {
        let row = self.pager.window.rows.iter().find(|r| r.id == id);
        let Some(cell) = row.and_then(|r| r.cells.get(column)) else {
            return;
        };
        if rows::field(column) == Some(Field::Question)
            && cell.text.chars().count() >= QUESTION_CHARS
        {
            return cx.refuse("this question is cut off in the list; use `|` to select");
        }
        let value = cell.text.clone();
        self.select(column, Match::Equal(value), true, cx);
    }
}
