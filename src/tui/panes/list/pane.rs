//! The state of the list, and its requests for rows.

use std::ops::Range;

use super::arrangement::Arrangement;
use super::copying::Copying;
use super::effects::{ListEffect, ReplyFor};
use super::pager::Pager;
use super::query::Query;
use super::rows;
use crate::action::Scope;
use crate::widgets::table::{DescribeView, FrequencyView, SortKey, Spec, TableState};
use benchtop_model::{Filter, Sort};
use benchtop_protocol::wire::{AnyRequest, PageRequest, request};

/// What covers the list.
#[derive(Debug)]
pub(super) enum Layer {
    Frequency(FrequencyView),
    Describe(DescribeView),
}

/// A step that "back" undoes.
#[derive(Debug)]
pub(super) enum Step {
    /// A filter and the row of the cursor. `typed` if it was replaced in the find prompt.
    Query {
        query: Box<Query>,
        row: u64,
        typed: bool,
    },
    /// All rows, before the view was limited to the selected ones.
    Subset,
}

/// The newest of the requests that exclude each other.
#[derive(Debug)]
pub(super) struct Awaited {
    pub(super) ticket: u64,
    pub(super) word: &'static str,
}

#[derive(Debug)]
pub struct ListPane {
    pub(super) columns: Vec<Spec>,
    pub(super) state: TableState,
    pub(super) pager: Pager,
    pub(super) query: Query,
    pub(super) trail: Vec<Step>,
    pub(super) layer: Option<Layer>,
    pub(super) awaited: Option<Awaited>,
    /// The ticket of the request for an item's position. `None` once the cursor moves.
    pub(super) locating: Option<u64>,
    pub(super) tickets: u64,
    pub(super) selecting: usize,
    pub(super) copying: Option<Copying>,
    pub(super) arrangement: Arrangement,
    /// The row of the cursor when its page was last drawn.
    pub(super) drawn_row: u64,
}

impl Default for ListPane {
    fn default() -> Self {
        ListPane::new()
    }
}

impl ListPane {
    pub fn new() -> ListPane {
        ListPane {
            columns: rows::columns(),
            state: TableState::new(1),
            pager: Pager::default(),
            query: Query::default(),
            trail: vec![],
            layer: None,
            awaited: None,
            locating: None,
            tickets: 0,
            selecting: 0,
            copying: None,
            arrangement: Arrangement::default(),
            drawn_row: 0,
        }
    }

    /// Opens the pane, or reloads it after the connection was lost: forgets open requests and
    /// requests the rows.
    pub fn start(&mut self) -> Vec<ListEffect> {
        self.pager.forget();
        (self.awaited, self.locating, self.copying, self.selecting) = (None, None, None, 0);
        match self.pager.changed(&self.state) {
            Some(range) => self.ask_rows(range),
            None => self.fetch(None),
        }
    }

    /// The scopes with live keys, nearest first.
    pub fn scopes(&self) -> &'static [Scope] {
        match self.layer {
            None => &[Scope::List, Scope::Table, Scope::Global],
            Some(_) => &[Scope::Table, Scope::Global],
        }
    }

    /// The filter as text, as in the find prompt.
    pub fn words(&self) -> String {
        self.query.filter.to_typed_text()
    }

    /// The number of the item under the cursor, if its row is loaded.
    pub fn number(&self) -> Option<u32> {
        if !self.pager.current {
            return None;
        }
        self.pager
            .window
            .row(self.state.row())
            .and_then(|r| u32::try_from(r.id).ok())
    }

    /// The filter for requests.
    pub(super) fn filter(&self) -> Filter {
        self.query.compose(self.state.subset())
    }

    /// The items for an action on several items: the selected rows, or all rows of the list.
    pub(super) fn target(&self) -> Filter {
        match self.state.selected() {
            none if none.is_empty() => self.filter(),
            selected => {
                let only = selected
                    .iter()
                    .filter_map(|id| u32::try_from(*id).ok())
                    .collect();
                Filter {
                    only: Some(only),
                    ..Filter::default()
                }
            }
        }
    }

    pub(super) fn sort(&self) -> Vec<Sort> {
        let key = |k: &SortKey| {
            Some(Sort {
                field: rows::field(k.column)?,
                descending: k.descending,
            })
        };
        self.state.sort().iter().filter_map(key).collect()
    }

    pub(super) fn ask_rows(&mut self, range: Range<u64>) -> Vec<ListEffect> {
        let (offset, count) = (
            range.start,
            u32::try_from(range.end - range.start).unwrap_or(u32::MAX),
        );
        let generation = self.pager.ask(range);
        let page = PageRequest {
            generation,
            filter: self.filter(),
            sort: self.sort(),
            offset,
            count,
        };
        vec![ListEffect::Ask(
            ReplyFor::Page { generation },
            request::Page(page).into(),
        )]
    }

    /// Requests missing rows. `just` is the range that was just received.
    pub(super) fn fetch(&mut self, just: Option<Range<u64>>) -> Vec<ListEffect> {
        self.pager
            .missing(&self.state, just)
            .map(|range| self.ask_rows(range))
            .unwrap_or_default()
    }

    /// Requests rows after the filter or the order changed, and moves the cursor to `row`.
    pub(super) fn requery(&mut self, row: u64) -> Vec<ListEffect> {
        self.pager.outdate();
        self.locating = None;
        self.state.go_to_row(row);
        self.fetch(None)
    }

    /// Sends a request that replaces the one in progress.
    pub(super) fn await_one(
        &mut self,
        word: &'static str,
        want: impl FnOnce(u64) -> ReplyFor,
        ask: AnyRequest,
    ) -> Vec<ListEffect> {
        self.tickets += 1;
        self.copying = None;
        self.awaited = Some(Awaited {
            ticket: self.tickets,
            word,
        });
        vec![ListEffect::Ask(want(self.tickets), ask)]
    }

    /// Whether a reply with this ticket is awaited. It then no longer is.
    pub(super) fn take_ticket(&mut self, ticket: u64) -> bool {
        self.awaited.take_if(|a| a.ticket == ticket).is_some()
    }

    /// Requests the rows again after a change. The cursor stays.
    pub fn changed(&mut self) -> Vec<ListEffect> {
        self.pager
            .changed(&self.state)
            .map(|range| self.ask_rows(range))
            .unwrap_or_default()
    }

    /// Requests the rows that a larger screen lacks. Call it after drawing in another size.
    pub fn resized(&mut self) -> Vec<ListEffect> {
        if self.pager.answered {
            self.fetch(None)
        } else {
            vec![]
        }
    }

    /// Moves the cursor to an item. Requests its position if its row is not loaded.
    pub fn go_to(&mut self, number: u32) -> Vec<ListEffect> {
        let at = self
            .pager
            .window
            .rows
            .iter()
            .position(|r| r.id == u64::from(number));
        match at.filter(|_| self.pager.current) {
            Some(at) => {
                self.state.go_to_row(self.pager.window.first + at as u64);
                self.fetch(None)
            }
            None => {
                self.tickets += 1;
                self.locating = Some(self.tickets);
                let ask = request::Locate {
                    number,
                    filter: self.filter(),
                    sort: self.sort(),
                }
                .into();
                vec![ListEffect::Ask(
                    ReplyFor::Locate {
                        ticket: self.tickets,
                        number,
                    },
                    ask,
                )]
            }
        }
    }
}
