//! Filtering the list, and going back.

use super::pane::{ListPane, Step};
use super::query::{self, Query};
use crate::action::Action;
use crate::pane::{Context, Opens, Typed};
use crate::widgets::menu::{Choice, Menu};
use crate::widgets::prompt::Prompt;
use crate::widgets::table::Extent;
use crate::widgets::text;
use benchtop_model::table::Match;
use benchtop_model::{Field, Filter, Result};
use benchtop_protocol::wire::request;

impl ListPane {
    /// Asks for one of the values of a field.
    pub(super) fn ask_values(&mut self, field: Field, cx: &mut Context<'_>) {
        // Count without the field's own filter, so that one key leads from one value to another.
        let others = Query {
            filter: self.query.filter.without(field),
            ..self.query.clone()
        };
        let ask = request::Frequency(others.compose(self.state.subset()), field);
        let ask = self.await_one("counting", ask, move |_, frequency, cx| {
            if frequency.rows.is_empty() {
                return cx.refuse(format!("no {} to choose from", field.name()));
            }
            choose_value(field, frequency.rows, cx);
        });
        cx.send(ask.opens(Opens::Overlay));
    }

    /// Remembers the current view and switches to `query`.
    fn narrow(&mut self, query: Query, label: &str, cx: &mut Context<'_>) {
        let query = std::mem::replace(&mut self.query, query);
        self.trail.push(Step::Query {
            query: Box::new(query),
            row: self.state.row(),
            typed: false,
        });
        self.layer = None;
        self.requery(0, cx);
        cx.say(format!("showing {label}; q goes back"));
    }

    /// Limits the list to one value of a field (empty text: no value) and keeps the rest of the
    /// filter. Going back undoes it.
    pub fn filter_by(&mut self, field: Field, value: &str, cx: &mut Context<'_>) {
        let label = query::named(field, value);
        let Some(filter) = self.query.filter.with_value(field, value) else {
            let ask = request::Select(self.filter(), field, Match::Equal(value.into()));
            let ask = self.await_one("searching", ask, move |pane, numbers, cx| {
                let query = Query {
                    filter: pane.query.filter.clone(),
                    within: Some((label.clone(), numbers)),
                };
                pane.narrow(query, &label, cx);
            });
            return cx.send(ask);
        };
        let query = Query {
            filter,
            within: self.query.within.clone(),
        };
        self.narrow(query, &label, cx);
    }

    /// Asks for a filter, which applies while it is typed. Cancel returns to the one before.
    pub(super) fn ask_find(&mut self, cx: &mut Context<'_>) {
        self.layer = None;
        let before = self.words();
        let prompt = Prompt::new("find", before.clone(), cx.env.history.to_vec())
            .hint("words, or a field: subtask:text status:pending");
        cx.prompt_live(prompt, move |pane: &mut Self, typed, cx| match typed {
            Typed::Changed(words) => pane.find(words, cx).map_err(|problem| problem.what),
            Typed::Cancelled => pane.find(&before, cx).map_err(|problem| problem.what),
            Typed::Done(words) => {
                cx.searched(words);
                let found = pane.find(words, cx);
                found.map_err(|problem| problem.to_string().replace('\n', ";"))
            }
        });
    }

    /// Filters by the text typed so far. The old rows stay until the owner replies, and going back
    /// restores them. Fails with [`benchtop_model::ErrorKind::Usage`] if the text is not a filter,
    /// such as a half-typed `status:`. The list then stays as it is.
    pub fn find(&mut self, words: &str, cx: &mut Context<'_>) -> Result<()> {
        let filter = Filter::parse_typed(words)?;
        self.layer = None;
        if filter == self.query.filter {
            return Ok(());
        }
        let query = Query {
            filter,
            within: self.query.within.clone(),
        };
        // All typing counts as one step. Typing the words from before the step undoes it.
        if let Some(Step::Query {
            typed: true,
            query: before,
            row,
        }) = self.trail.last()
        {
            let row = if **before == query { Some(*row) } else { None };
            if row.is_some() {
                self.trail.pop();
            }
            self.query = query;
            self.requery(row.unwrap_or(0), cx);
            return Ok(());
        }
        let query = std::mem::replace(&mut self.query, query);
        self.trail.push(Step::Query {
            query: Box::new(query),
            row: self.state.row(),
            typed: true,
        });
        self.requery(0, cx);
        Ok(())
    }

    pub(super) fn clear(&mut self, cx: &mut Context<'_>) {
        if self.query.is_empty() && !self.state.in_subset() {
            return cx.refuse("no filter: all items are shown");
        }
        // Without filter and sorting, an item's row is its number, so the cursor can stay on it.
        let natural = self.state.sort().is_empty();
        let row = self
            .number()
            .filter(|_| natural)
            .map_or(0, |n| u64::from(n.saturating_sub(1)));
        self.query = Query::default();
        self.trail.clear();
        self.leave_subset();
        self.requery(row, cx);
    }

    pub(super) fn back(&mut self, cx: &mut Context<'_>) {
        if self.layer.take().is_some() {
            return;
        }
        if self.awaited.take().is_some() {
            return cx.say("canceled");
        }
        match self.trail.pop() {
            Some(Step::Query { query, row, .. }) => {
                self.query = *query;
                self.requery(row, cx);
            }
            Some(Step::Subset) => {
                self.leave_subset();
                self.requery(self.state.row(), cx);
            }
            None => cx.leave(),
        }
    }

    fn leave_subset(&mut self) {
        if self.state.in_subset() {
            let window = self.pager.without_rows();
            self.state.act(
                Action::ShowSelected,
                &Extent {
                    columns: &self.columns,
                    window: &window,
                },
            );
        }
    }
}

/// Asks for one of these values, with their counts.
fn choose_value(field: Field, choices: Vec<(String, u64)>, cx: &mut Context<'_>) {
    let line = |(value, n): &(String, u64)| {
        let label = if value.is_empty() { "(none)" } else { value };
        Choice::new(label).help(text::grouped(*n))
    };
    let title = format!("filter by {}", field.name());
    let menu = Menu::new(title, choices.iter().map(line).collect()).filtering();
    cx.choose_in(menu, move |pane: &mut ListPane, pick, cx| {
        if let Some((value, _)) = choices.get(pick) {
            pane.filter_by(field, value, cx);
        }
    });
}
