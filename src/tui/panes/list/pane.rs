//! The state of the list, and its requests for rows.

use std::ops::Range;

use super::arrangement::Arrangement;
use super::pager::Pager;
use super::query::Query;
use super::rows;
use crate::pane::{Ask, Context};
use crate::widgets::table::{FrequencyView, LocalTable, SortKey, Spec, TableState};
use benchtop_model::{Filter, Result, Sort};
use benchtop_protocol::wire::{Page, PageRequest, Request, request};

/// What covers the list.
#[derive(Debug)]
pub(super) enum Layer {
    Frequency(FrequencyView),
    Describe(LocalTable),
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
    /// Whether rows were requested on this connection.
    pub(super) started: bool,
    pub(super) arrangement: Arrangement,
    /// The row of the cursor when its page was last drawn.
    pub(super) drawn_row: u64,
}

impl Default for ListPane {
    fn default() -> Self {
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
            started: false,
            arrangement: Arrangement::default(),
            drawn_row: 0,
        }
    }
}

impl ListPane {
    /// Requests the rows again, or for the first time.
    pub(super) fn load(&mut self, cx: &mut Context<'_>) {
        match self.started {
            true => self.changed(cx),
            false => self.start(cx),
        }
    }

    /// Requests the rows and forgets open requests, at first and after the connection was lost.
    pub(super) fn start(&mut self, cx: &mut Context<'_>) {
        self.started = true;
        self.pager.forget();
        (self.awaited, self.locating, self.selecting) = (None, None, 0);
        match self.pager.changed(&self.state) {
            Some(range) => self.ask_rows(range, cx),
            None => self.fetch(None, cx),
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

    /// Requests rows. No other pane may request pages on the same connection: the owner drops a
    /// page request for a newer generation.
    fn ask_rows(&mut self, range: Range<u64>, cx: &mut Context<'_>) {
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
        cx.send(Ask::in_parts(
            request::Page(page),
            move |pane: &mut Self, page, cx| {
                if pane.pager.wants(generation) {
                    pane.on_page(page, cx);
                }
            },
        ));
    }

    fn on_page(&mut self, page: Result<Page>, cx: &mut Context<'_>) {
        let page = match page {
            Ok(page) => page,
            Err(problem) => {
                let reason = problem.to_string().replace("\n  help: ", "; ");
                if !self.pager.fail(&reason) {
                    self.state.go_to_row(self.drawn_row);
                    cx.refuse(reason);
                }
                return;
            }
        };
        let more = page.partial;
        let just = self.pager.accept(&page, &mut self.state);
        if !more {
            self.arrange_rows();
            self.fetch(just, cx);
        }
    }

    /// Requests missing rows. `just` is the range that was just received.
    pub(super) fn fetch(&mut self, just: Option<Range<u64>>, cx: &mut Context<'_>) {
        if let Some(range) = self.pager.missing(&self.state, just) {
            self.ask_rows(range, cx);
        }
    }

    /// Requests rows after the filter or the order changed, and moves the cursor to `row`.
    pub(super) fn requery(&mut self, row: u64, cx: &mut Context<'_>) {
        self.pager.outdate();
        self.locating = None;
        self.state.go_to_row(row);
        self.fetch(None, cx);
    }

    /// A request that replaces the one in progress.
    pub(super) fn await_one<R: Request>(
        &mut self,
        word: &'static str,
        request: R,
        then: impl FnOnce(&mut ListPane, R::Reply, &mut Context<'_>) + 'static,
    ) -> Ask {
        self.tickets += 1;
        let ticket = self.tickets;
        self.awaited = Some(Awaited { ticket, word });
        Ask::new(request, move |pane: &mut Self, reply, cx| {
            if pane.awaited.take_if(|a| a.ticket == ticket).is_none() {
                return;
            }
            match reply {
                Ok(reply) => then(pane, reply, cx),
                Err(problem) => cx.error(&problem),
            }
        })
    }

    /// Requests the rows again after a change. The cursor stays.
    pub(super) fn changed(&mut self, cx: &mut Context<'_>) {
        if let Some(range) = self.pager.changed(&self.state) {
            self.ask_rows(range, cx);
        }
    }

    /// Requests the rows that a larger screen lacks, after a frame of another size.
    pub(super) fn resized(&mut self, cx: &mut Context<'_>) {
        if self.pager.answered {
            self.fetch(None, cx);
        }
    }

    /// Moves the cursor to an item. Requests its position if its row is not loaded.
    pub(super) fn go_to(&mut self, number: u32, cx: &mut Context<'_>) {
        let window = &self.pager.window;
        let at = window.rows.iter().position(|r| r.id == u64::from(number));
        if let Some(at) = at.filter(|_| self.pager.current) {
            self.state.go_to_row(window.first + at as u64);
            return self.fetch(None, cx);
        }
        self.tickets += 1;
        let ticket = self.tickets;
        self.locating = Some(ticket);
        let ask = request::Locate {
            number,
            filter: self.filter(),
            sort: self.sort(),
        };
        cx.ask(ask, move |pane: &mut Self, row, cx| {
            if pane.locating.take_if(|l| *l == ticket).is_none() {
                return;
            }
            match row {
                Ok(Some(row)) => {
                    pane.state.go_to_row(row);
                    pane.fetch(None, cx);
                }
                Ok(None) => {
                    cx.refuse(format!("#{number} is not in this list; X shows all items"));
                }
                Err(problem) => cx.error(&problem),
            }
        });
    }
}
