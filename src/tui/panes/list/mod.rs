//! The item list: pages of rows from the owner, with filtering, sorting, counting, selecting, and
//! copying.
//!
//! The pane returns [`ListEffect::Ask`]. The caller passes the reply to [`ListPane::answer`] with
//! the same [`Want`]. Rows stay on the screen until their replacements arrive.

mod arrange;
mod copying;
mod draw;
mod effects;
mod layers;
mod pager;
mod query;
mod reply;
mod rows;

use std::ops::Range;

pub use effects::{ListEffect, ReplyFor};

use crate::action::{Action, Scope};
use crate::widgets::table::{
    DescribeView, Extent, FrequencyView, SortKey, Spec, TableEffect, TableState,
};
use benchtop_model::table::Match;
use benchtop_model::{Field, Filter, Result, Sort};
use benchtop_protocol::wire::{AnyRequest, PageAsk, QUESTION_CHARS, request};

use arrange::Arrangement;
use copying::Copying;
use pager::Pager;
use query::Query;

/// What covers the list.
#[derive(Debug)]
enum Layer {
    Frequency(FrequencyView),
    Describe(DescribeView),
}

/// A step that "back" undoes.
#[derive(Debug)]
enum Step {
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
struct Awaited {
    ticket: u64,
    word: &'static str,
}

#[derive(Debug)]
pub struct ListPane {
    columns: Vec<Spec>,
    state: TableState,
    pager: Pager,
    query: Query,
    trail: Vec<Step>,
    layer: Option<Layer>,
    awaited: Option<Awaited>,
    /// The ticket of the request for an item's position. `None` once the cursor moves.
    locating: Option<u64>,
    tickets: u64,
    selecting: usize,
    copying: Option<Copying>,
    arrangement: Arrangement,
    /// The row of the cursor when its page was last drawn.
    drawn_row: u64,
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
    fn filter(&self) -> Filter {
        self.query.compose(self.state.subset())
    }

    /// The items for an action on several items: the selected rows, or all rows of the list.
    fn target(&self) -> Filter {
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

    fn sort(&self) -> Vec<Sort> {
        let key = |k: &SortKey| {
            Some(Sort {
                field: rows::field(k.column)?,
                descending: k.descending,
            })
        };
        self.state.sort().iter().filter_map(key).collect()
    }

    fn ask_rows(&mut self, range: Range<u64>) -> Vec<ListEffect> {
        let (offset, count) = (
            range.start,
            u32::try_from(range.end - range.start).unwrap_or(u32::MAX),
        );
        let generation = self.pager.ask(range);
        let page = PageAsk {
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
    fn fetch(&mut self, just: Option<Range<u64>>) -> Vec<ListEffect> {
        self.pager
            .missing(&self.state, just)
            .map(|range| self.ask_rows(range))
            .unwrap_or_default()
    }

    /// Requests rows after the filter or the order changed, and moves the cursor to `row`.
    fn requery(&mut self, row: u64) -> Vec<ListEffect> {
        self.pager.outdate();
        self.locating = None;
        self.state.go_to_row(row);
        self.fetch(None)
    }

    /// Sends a request that replaces the one in progress.
    fn await_one(
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
    fn take_ticket(&mut self, ticket: u64) -> bool {
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

    fn ask_values(&mut self, field: Field) -> Vec<ListEffect> {
        // Count without the field's own filter, so that one key leads from one value to another.
        let others = Query {
            filter: query::without(&self.query.filter, field),
            ..self.query.clone()
        };
        let ask = request::Frequency(others.compose(self.state.subset()), field).into();
        self.await_one("counting", |ticket| ReplyFor::Values { ticket, field }, ask)
    }

    /// Remembers the current view and switches to `query`.
    fn narrow(&mut self, query: Query) -> Vec<ListEffect> {
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
        let Some(filter) = query::with_value(&self.query.filter, field, value) else {
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

    fn clear(&mut self) -> Vec<ListEffect> {
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

    fn back(&mut self) -> Vec<ListEffect> {
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

fn only(label: &str) -> ListEffect {
    ListEffect::Say(format!("showing {label}; q goes back"))
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
