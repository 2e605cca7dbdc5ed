//! A table in memory, which carries out its own effects.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use super::copy::{self, CopyFormat};
use super::state::bad_regex;
use super::{
    CellView, ColumnKind, CopyWhat, Empty, Extent, RowView, Spec, TableEffect, TableState,
    TableView, Window,
};
use crate::action::Action;
use crate::terminal::osc52;
use crate::theme::{Look, Role};
use crate::widgets::text;
use benchtop_model::Result;
use benchtop_model::table::{Frequency, Summary};

/// Maximum number of distinct values in a frequency table. The rest are counted.
const MOST_VALUES: usize = 10_000;

/// A cell: its view, and the number to sort by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocalCell {
    pub view: CellView,
    /// The number in number and share columns. `None` sorts last in both directions.
    pub number: Option<f64>,
    /// Shown for comparison and never marked as the best, because it was not scored here.
    pub is_aside: bool,
}

impl LocalCell {
    pub fn text(text: impl Into<String>) -> LocalCell {
        LocalCell {
            view: CellView::from(text.into()),
            number: None,
            is_aside: false,
        }
    }

    /// A cell that shows `text` for `number`.
    pub fn number(text: impl Into<String>, number: Option<f64>) -> LocalCell {
        LocalCell {
            view: CellView::from(text.into()),
            number,
            is_aside: false,
        }
    }

    /// A cell that shows a count.
    pub fn count(n: u64) -> LocalCell {
        LocalCell::number(text::grouped(n), Some(n as f64))
    }

    /// A dimmed number cell without a number.
    pub fn missing(text: impl Into<String>) -> LocalCell {
        LocalCell::number(text, None).role(Role::Dim)
    }

    /// Sets the role of the text.
    pub fn role(mut self, role: Role) -> LocalCell {
        self.view.role = role;
        self
    }

    /// The text for frequencies and copies.
    pub fn value(&self) -> &str {
        self.view.text.trim()
    }
}

/// The result of an action on a [`LocalTable`], for its pane.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// An effect that the pane must carry out: `Open`, `AskRegex`, `AskColumn`, `AskCopy`,
    /// `Refuse`.
    Effect(TableEffect),
    /// The frequencies of a column.
    Frequency(usize, Frequency),
    /// A summary of all columns.
    Describe(Vec<Summary>),
    Copied {
        text: String,
        rows: usize,
        /// A message if this is not what was requested.
        but: Option<String>,
    },
    /// A message, for example the number of selected rows.
    Message(String),
}

/// A table with all its rows. The id of a row is its index.
#[derive(Clone, Debug)]
pub struct LocalTable {
    pub(super) columns: Vec<Spec>,
    pub(super) rows: Vec<Vec<LocalCell>>,
    order: Vec<usize>,
    pub(super) state: TableState,
    dived: Option<(usize, String)>,
    empty: Empty,
    note: String,
    /// Extra width of columns for bars.
    pub(super) roomy: Vec<u16>,
}

impl LocalTable {
    /// A table of `rows`. The first `pinned` columns stay at the left, and `empty` is shown without
    /// rows.
    pub fn new(
        columns: Vec<Spec>,
        rows: Vec<Vec<LocalCell>>,
        pinned: usize,
        empty: Empty,
    ) -> LocalTable {
        let order = (0..rows.len()).collect();
        let state = TableState::new(pinned);
        LocalTable {
            columns,
            rows,
            order,
            state,
            dived: None,
            empty,
            note: String::new(),
            roomy: Vec::new(),
        }
    }

    pub fn columns(&self) -> &[Spec] {
        &self.columns
    }

    pub fn state(&self) -> &TableState {
        &self.state
    }

    /// The row with this id.
    pub fn row(&self, id: u64) -> Option<&[LocalCell]> {
        self.rows.get(usize::try_from(id).ok()?).map(Vec::as_slice)
    }

    /// The id of the row under the cursor.
    pub fn cursor_id(&self) -> Option<u64> {
        self.order
            .get(usize::try_from(self.state.row).ok()?)
            .map(|i| *i as u64)
    }

    /// Replaces the rows and the message for no rows. Keeps the sort and the cursor's position, and
    /// clears the selection.
    pub fn set_rows(&mut self, rows: Vec<Vec<LocalCell>>, empty: Empty) {
        (self.rows, self.empty) = (rows, empty);
        self.state.selected.clear();
        self.reorder();
    }

    /// Moves the cursor to the row with this id. Returns whether it is visible.
    pub fn go_to_id(&mut self, id: u64) -> bool {
        let at = self.order.iter().position(|i| *i as u64 == id);
        if let Some(at) = at {
            self.state.go_to_row(at as u64);
        }
        at.is_some()
    }

    /// Selects the rows with these ids.
    pub fn mark(&mut self, ids: impl IntoIterator<Item = u64>) {
        self.state.mark(ids, true);
    }

    /// The ids of the visible rows, in order.
    pub fn ids(&self) -> impl Iterator<Item = u64> {
        self.order.iter().map(|i| *i as u64)
    }

    /// Removes the last column, for annotators who cannot use it.
    pub fn drop_last_column(&mut self) {
        self.columns.pop();
        self.state.go_to_column(
            self.state
                .column()
                .min(self.columns.len().saturating_sub(1)),
            &self.columns,
        );
    }

    /// Sets the text after the counts.
    pub fn set_note(&mut self, note: impl Into<String>) {
        self.note = note.into();
    }

    /// The rows on screen.
    pub fn window(&self) -> Window {
        let (top, page) = self.state.page();
        let shown = self
            .order
            .iter()
            .skip(usize::try_from(top).unwrap_or(usize::MAX));
        let view = |i: &usize| {
            let cells = self
                .rows
                .get(*i)
                .map(|r| r.iter().map(|c| c.view.clone()).collect());
            RowView {
                id: *i as u64,
                cells: cells.unwrap_or_default(),
            }
        };
        let rows = shown
            .take(usize::try_from(page).unwrap_or(usize::MAX))
            .map(view)
            .collect();
        Window {
            first: top,
            rows,
            total: self.order.len() as u64,
            of: self.rows.len() as u64,
        }
    }

    /// Runs a table action and carries out its effects.
    pub fn act(&mut self, action: Action) -> Vec<Answer> {
        let window = self.window();
        let effects = self.state.act(
            action,
            &Extent {
                columns: &self.columns,
                window: &window,
            },
        );
        effects.into_iter().filter_map(|e| self.answer(e)).collect()
    }

    /// Carries out an effect. `None` if nothing is left to report.
    pub fn answer(&mut self, effect: TableEffect) -> Option<Answer> {
        match effect {
            TableEffect::NeedRows { .. } => None,
            TableEffect::Sort(_) | TableEffect::Subset(_) => {
                self.reorder();
                None
            }
            TableEffect::Frequency(column) => {
                Some(Answer::Frequency(column, self.frequency(column)))
            }
            TableEffect::Describe => Some(Answer::Describe(self.describe())),
            TableEffect::SelectRegex {
                column,
                pattern,
                on,
            } => Some(match regex::Regex::new(&pattern) {
                Ok(regex) => self.select(column, on, |value| regex.is_match(value)),
                Err(e) => Answer::Effect(TableEffect::Refuse(bad_regex(&e).what)),
            }),
            TableEffect::SelectLike { column, id } => {
                let value = self.row(id)?.get(column)?.value().to_string();
                Some(self.select(column, true, |v| v == value))
            }
            TableEffect::Copy(what, format) => {
                let (text, rows) = self.copy(&what, format);
                if what != CopyWhat::All || text.len() <= osc52::MAX_BYTES {
                    return Some(Answer::Copied {
                        text,
                        rows,
                        but: None,
                    });
                }
                let ((first, count), all) = (self.state.page(), rows as u64);
                let (text, rows) = self.copy(&CopyWhat::Page { first, count }, format);
                let but = Some(copy::only_page(
                    first,
                    rows as u64,
                    all,
                    "the table exceeds the clipboard limit",
                ));
                Some(Answer::Copied { text, rows, but })
            }
            other => Some(Answer::Effect(other)),
        }
    }

    /// Selects rows by a typed pattern.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`](benchtop_model::ErrorKind::Usage) if the pattern is invalid.
    pub fn select_regex(
        &mut self,
        column: usize,
        pattern: &str,
        on: bool,
    ) -> Result<Option<Answer>> {
        let effect = TableState::regex(column, pattern, on)?;
        Ok(self.answer(effect))
    }

    /// Selects or unselects the rows whose cell in `column` is `value`.
    pub fn select_value(&mut self, column: usize, value: &str, on: bool) -> Answer {
        self.select(column, on, |v| v == value)
    }

    fn select(&mut self, column: usize, on: bool, hit: impl Fn(&str) -> bool) -> Answer {
        let cell = |i: &usize| {
            self.rows
                .get(*i)
                .and_then(|r| r.get(column))
                .map_or("", LocalCell::value)
        };
        let ids: Vec<u64> = self
            .order
            .iter()
            .filter(|i| hit(cell(i)))
            .map(|i| *i as u64)
            .collect();
        let found = ids.len();
        let changed = self.state.mark(ids, on);
        let done = if on { "selected" } else { "unselected" };
        Answer::Message(format!("{found} rows match, {changed} newly {done}"))
    }

    pub fn go_to_column(&mut self, column: usize) {
        self.state.go_to_column(column, &self.columns);
    }

    /// Like [`go_to_column`](Self::go_to_column), and scrolls the column's group to the left unless
    /// it is fully visible.
    pub fn go_to_group(&mut self, column: usize) {
        self.state.go_to_group(column, &self.columns);
    }

    /// Shows only the rows whose cell in `column` is `value`.
    pub fn dive(&mut self, column: usize, value: &str) {
        self.dived = Some((column, value.to_string()));
        self.reorder();
    }

    /// Undoes [`dive`](Self::dive). Returns whether there was one.
    pub fn surface(&mut self) -> bool {
        let was = self.dived.take().is_some();
        self.reorder();
        was
    }

    /// The column and value of the current dive.
    pub fn dived(&self) -> Option<(&str, &str)> {
        let (column, value) = self.dived.as_ref()?;
        Some((&self.columns.get(*column)?.name, value))
    }

    fn reorder(&mut self) {
        let subset: Option<HashSet<u64>> =
            self.state.subset().map(|ids| ids.iter().copied().collect());
        let keep = |i: &usize| {
            let cell = |column: usize| {
                self.rows
                    .get(*i)
                    .and_then(|r| r.get(column))
                    .map_or("", LocalCell::value)
            };
            subset.as_ref().is_none_or(|s| s.contains(&(*i as u64)))
                && self
                    .dived
                    .as_ref()
                    .is_none_or(|(column, value)| cell(*column) == value)
        };
        let mut order: Vec<usize> = (0..self.rows.len()).filter(keep).collect();
        // The sort is stable: rows with equal keys keep their original order.
        order.sort_by(|a, b| self.compare(*a, *b));
        self.order = order;
        self.state.set_total(self.order.len() as u64);
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        let cell = |row: usize, column: usize| self.rows.get(row).and_then(|r| r.get(column));
        for key in self.state.sort() {
            let number = self
                .columns
                .get(key.column)
                .is_some_and(|c| c.kind != ColumnKind::Text);
            let (a, b) = (cell(a, key.column), cell(b, key.column));
            let order = if number {
                let value =
                    |c: Option<&LocalCell>| c.and_then(|c| c.number).filter(|n| !n.is_nan());
                last_if_none(value(a), value(b), f64::total_cmp, key.descending)
            } else {
                let value = |c: Option<&LocalCell>| {
                    c.map(|c| c.value().to_lowercase())
                        .filter(|v| !v.is_empty())
                };
                last_if_none(value(a), value(b), String::cmp, key.descending)
            };
            if order != Ordering::Equal {
                return order;
            }
        }
        Ordering::Equal
    }

    /// How often each value of a column occurs among the visible rows.
    pub fn frequency(&self, column: usize) -> Frequency {
        let mut counts: HashMap<&str, u64> = HashMap::new();
        for value in self.values(column) {
            *counts.entry(value).or_default() += 1;
        }
        let mut rows: Vec<(String, u64)> = counts
            .into_iter()
            .map(|(v, n)| (v.to_string(), n))
            .collect();
        rows.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let more = rows.len().saturating_sub(MOST_VALUES) as u64;
        rows.truncate(MOST_VALUES);
        let column = self
            .columns
            .get(column)
            .map(|c| c.name.clone())
            .unwrap_or_default();
        Frequency {
            column,
            rows,
            total: self.order.len() as u64,
            more,
        }
    }

    fn values(&self, column: usize) -> impl Iterator<Item = &str> {
        self.order.iter().map(move |i| {
            self.rows
                .get(*i)
                .and_then(|r| r.get(column))
                .map_or("", LocalCell::value)
        })
    }

    /// Summarizes each column over the visible rows.
    pub fn describe(&self) -> Vec<Summary> {
        (0..self.columns.len()).map(|c| self.summary(c)).collect()
    }

    fn summary(&self, column: usize) -> Summary {
        let Some(spec) = self.columns.get(column) else {
            return Summary::default();
        };
        let cells: Vec<&LocalCell> = self
            .order
            .iter()
            .filter_map(|i| self.rows.get(*i).and_then(|r| r.get(column)))
            .collect();
        let numbers = spec.kind != ColumnKind::Text;
        let has = |c: &&&LocalCell| {
            if numbers {
                c.number.is_some()
            } else {
                !c.value().is_empty()
            }
        };
        let present: Vec<&LocalCell> = cells.iter().filter(has).copied().collect();
        let order = |a: &&&LocalCell, b: &&&LocalCell| match (a.number, b.number) {
            (Some(x), Some(y)) if numbers => x.total_cmp(&y),
            _ => a.value().to_lowercase().cmp(&b.value().to_lowercase()),
        };
        let shown = |c: Option<&&LocalCell>| c.map(|c| c.value().to_string()).unwrap_or_default();
        let frequency = self.frequency(column);
        let sum: f64 = present.iter().filter_map(|c| c.number).sum();
        Summary {
            column: spec.name.clone(),
            present: present.len() as u64,
            missing: self.order.len() as u64 - present.len() as u64,
            distinct: present
                .iter()
                .map(|c| c.value())
                .collect::<HashSet<_>>()
                .len() as u64,
            min: shown(present.iter().min_by(order)),
            max: shown(present.iter().max_by(order)),
            mean: (numbers && !present.is_empty()).then(|| sum / present.len() as f64),
            top: frequency
                .rows
                .into_iter()
                .map(|(v, _)| v)
                .find(|v| !v.is_empty())
                .unwrap_or_default(),
        }
    }

    fn copy(&self, what: &CopyWhat, format: CopyFormat) -> (String, usize) {
        let columns = self.state.order(&self.columns);
        let wanted: Vec<usize> = match what {
            CopyWhat::Row(id) => usize::try_from(*id).into_iter().collect(),
            // Selected rows that a subset or dive hides are copied too, in their original order.
            CopyWhat::Selected(ids) => {
                let ids: HashSet<usize> = ids
                    .iter()
                    .filter_map(|i| usize::try_from(*i).ok())
                    .collect();
                let shown: HashSet<usize> = self.order.iter().copied().collect();
                let hidden = (0..self.rows.len()).filter(|i| !shown.contains(i));
                self.order
                    .iter()
                    .copied()
                    .chain(hidden)
                    .filter(|i| ids.contains(i))
                    .collect()
            }
            CopyWhat::All => self.order.clone(),
            CopyWhat::Page { first, count } => {
                let first = usize::try_from(*first).unwrap_or(usize::MAX);
                self.order
                    .iter()
                    .skip(first)
                    .take(usize::try_from(*count).unwrap_or(usize::MAX))
                    .copied()
                    .collect()
            }
        };
        let spec = |c: &usize| self.columns.get(*c);
        let headings: Vec<copy::Heading<'_>> = columns
            .iter()
            .filter_map(spec)
            .map(copy::Heading::of)
            .collect();
        let cell = |cell: &LocalCell| {
            let text = cell.value();
            let is_data = matches!(format, CopyFormat::Tsv | CopyFormat::Csv);
            let text = cell
                .number
                .filter(|_| is_data)
                .map_or(text.to_string(), |number| copy::bare(text, number));
            copy::CopyCell {
                text,
                number: cell.number.filter(|_| !cell.is_aside),
            }
        };
        let cells = |r: &Vec<LocalCell>| -> Vec<copy::CopyCell> {
            columns
                .iter()
                .map(|c| r.get(*c).map(cell).unwrap_or_default())
                .collect()
        };
        let rows: Vec<Vec<copy::CopyCell>> = wanted
            .iter()
            .filter_map(|i| self.rows.get(*i))
            .map(cells)
            .collect();
        (copy::rows_as(&headings, &rows, format), rows.len())
    }

    /// Draws the table, with the page fitted to the area.
    pub fn draw(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        self.state.resize(area, &self.columns);
        self.state.set_total(self.order.len() as u64);
        let window = self.window();
        let (columns, state, empty, note) = (
            &self.columns[..],
            &self.state,
            &self.empty,
            self.note.as_str(),
        );
        TableView {
            columns,
            window: &window,
            state,
            empty,
            note,
            look,
        }
        .render(area, buf);
    }
}

fn last_if_none<T>(
    a: Option<T>,
    b: Option<T>,
    compare: fn(&T, &T) -> Ordering,
    descending: bool,
) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) if descending => compare(&b, &a),
        (Some(a), Some(b)) => compare(&a, &b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

#[cfg(test)]
#[path = "local_tests.rs"]
mod tests;
