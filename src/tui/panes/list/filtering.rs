//! Filtering the list, and going back.

use super::effects::{ListEffect, ReplyFor};
use super::pane::{ListPane, Step};
use super::query::{self, Query};
use crate::action::Action;
use crate::widgets::table::Extent;
use benchtop_model::table::Match;
use benchtop_model::{Field, Filter, Result};
use benchtop_protocol::wire::request;

impl ListPane {
    pub(super) fn ask_values(&mut self, field: Field) -> Vec<ListEffect> {
        // Count without the field's own filter, so that one key leads from one value to another.
        let others = Query {
            filter: self.query.filter.without(field),
            ..self.query.clone()
        };
        let ask = request::Frequency(others.compose(self.state.subset()), field).into();
        self.await_one("counting", |ticket| ReplyFor::Values { ticket, field }, ask)
    }

    /// Remembers the current view and switches to `query`.
    pub(super) fn narrow(&mut self, query: Query) -> Vec<ListEffect> {
        let query = std::mem::replace(&mut self.query, query);
        self.trail.push(Step::Query {
            query: Box::new(query),
            row: self.state.row(),
            typed: false,
        });
        self.layer = None;
        self.requery(0)
    }

    /// Limits the list to one value of a field (empty text: no value) and keeps the rest of the
    /// filter. Going back undoes it.
    pub fn filter_by(&mut self, field: Field, value: &str) -> Vec<ListEffect> {
        let label = query::named(field, value);
        let Some(filter) = self.query.filter.with_value(field, value) else {
            let ask = request::Select(self.filter(), field, Match::Equal(value.into())).into();
            return self.await_one("searching", |ticket| ReplyFor::Dive { ticket, label }, ask);
        };
        let mut effects = self.narrow(Query {
            filter,
            within: self.query.within.clone(),
        });
        effects.push(only(&label));
        effects
    }

    /// Filters by the text typed so far. The old rows stay until the owner replies, and going back
    /// restores them. Fails with [`benchtop_model::ErrorKind::Usage`] if the text is not a filter,
    /// such as a half-typed `status:`. The list then stays as it is.
    pub fn find(&mut self, words: &str) -> Result<Vec<ListEffect>> {
        let filter = Filter::parse_typed(words)?;
        self.layer = None;
        if filter == self.query.filter {
            return Ok(vec![]);
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
            return Ok(self.requery(row.unwrap_or(0)));
        }
        let query = std::mem::replace(&mut self.query, query);
        self.trail.push(Step::Query {
            query: Box::new(query),
            row: self.state.row(),
            typed: true,
        });
        Ok(self.requery(0))
    }

    pub(super) fn clear(&mut self) -> Vec<ListEffect> {
        if self.query.is_empty() && !self.state.in_subset() {
            return vec![ListEffect::Refuse("no filter: all items are shown".into())];
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
        self.requery(row)
    }

    pub(super) fn back(&mut self) -> Vec<ListEffect> {
        if self.layer.take().is_some() {
            return vec![];
        }
        if self.awaited.take().is_some() {
            self.copying = None;
            return vec![ListEffect::Say("canceled".into())];
        }
        match self.trail.pop() {
            Some(Step::Query { query, row, .. }) => {
                self.query = *query;
                self.requery(row)
            }
            Some(Step::Subset) => {
                self.leave_subset();
                self.requery(self.state.row())
            }
            None => vec![ListEffect::Leave],
        }
    }

    pub(super) fn leave_subset(&mut self) {
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

pub(super) fn only(label: &str) -> ListEffect {
    ListEffect::Say(format!("showing {label}; q goes back"))
}
