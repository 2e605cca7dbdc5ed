//! The state of a table: cursor, columns, sort, selection. Pure transitions, without rows.

use std::collections::{BTreeMap, BTreeSet};

use ratatui::layout::Rect;

use super::{CopyFormat, CopyWhat, Extent, SortKey, Spec, TableEffect, Window};
use crate::action::Action;
use crate::widgets::text;
use benchtop_model::{Error, Result};

/// Columns before the first cell: the cursor's mark, the selection's mark, and a space.
pub const GUTTER: u16 = 3;

/// A visible column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Index of the column.
    pub column: usize,
    /// Offset from the table's left edge.
    pub x: u16,
    pub width: u16,
    pub pinned: bool,
}

/// The state of a table. Rows are positions in the filtered and sorted table, from 0.
#[derive(Clone, Debug, Default)]
pub struct TableState {
    pub(super) row: u64,
    pub(super) column: usize,
    pub(super) top: u64,
    /// Position among the columns that are neither pinned nor hidden.
    pub(super) scrolled: usize,
    pub(super) pinned: Vec<usize>,
    pub(super) hidden: BTreeSet<usize>,
    widened: BTreeMap<usize, u16>,
    pub(super) sort: Vec<SortKey>,
    pub(super) selected: BTreeSet<u64>,
    before_subset: Option<(u64, Vec<u64>)>,
    page: u64,
    width: u16,
}

impl TableState {
    /// The state of a table whose first `pinned` columns stay at the left.
    pub fn new(pinned: usize) -> TableState {
        TableState {
            pinned: (0..pinned).collect(),
            column: 0,
            page: 1,
            width: 80,
            ..TableState::default()
        }
    }

    /// Position of the row under the cursor.
    pub fn row(&self) -> u64 {
        self.row
    }

    /// Index of the column under the cursor.
    pub fn column(&self) -> usize {
        self.column
    }

    /// The first position on screen, and the number of rows that fit.
    pub fn page(&self) -> (u64, u64) {
        (self.top, self.page)
    }

    /// Sort keys in order of precedence.
    pub fn sort(&self) -> &[SortKey] {
        &self.sort
    }

    /// Ids of the selected rows.
    pub fn selected(&self) -> &BTreeSet<u64> {
        &self.selected
    }

    /// Whether only selected rows are shown.
    pub fn in_subset(&self) -> bool {
        self.before_subset.is_some()
    }

    /// Fits the page to the `area` it is drawn in. Call it before drawing and after the columns
    /// change.
    pub fn resize(&mut self, area: Rect, columns: &[Spec]) {
        let header = 1 + u16::from(columns.iter().any(|c| !c.group.is_empty()));
        self.page = u64::from(area.height.saturating_sub(header + 1)).max(1);
        self.width = area.width;
        self.follow_row();
        self.follow_column(columns);
    }

    /// Adapts to a total of `total` rows: the cursor stays on one of them.
    pub fn set_total(&mut self, total: u64) {
        self.row = self.row.min(total.saturating_sub(1));
        self.follow_row();
    }

    /// Moves the cursor to a position, clamped by the next [`settle`](Self::settle).
    pub fn go_to_row(&mut self, row: u64) {
        self.row = row;
        self.follow_row();
    }

    /// The request for the rows on screen, unless `window` holds them.
    pub fn need(&self, window: &Window) -> Option<TableEffect> {
        let end = (self.top + self.page).min(window.total);
        let have = window.first..window.first + window.rows.len() as u64;
        let missing = self.top < end && !(have.start <= self.top && end <= have.end);
        missing.then_some(TableEffect::NeedRows {
            first: self.top,
            count: self.page,
        })
    }

    /// Columns in display order: pinned ones first, without hidden ones.
    pub fn order(&self, columns: &[Spec]) -> Vec<usize> {
        let shown = |c: &usize| *c < columns.len() && !self.hidden.contains(c);
        let pinned = self.pinned.iter().copied().filter(shown);
        pinned
            .chain((0..columns.len()).filter(|c| shown(c) && !self.pinned.contains(c)))
            .collect()
    }

    fn width_of(&self, columns: &[Spec], column: usize) -> u16 {
        let hint = columns.get(column).map_or(1, |c| c.width);
        self.widened.get(&column).copied().unwrap_or(hint).max(1)
    }

    /// The positions of visible columns. Numbers are shown whole or not at all. A text column may
    /// be cut at the right edge, and the last one takes the rest of the room.
    pub fn placed(&self, columns: &[Spec]) -> Vec<Placed> {
        let group = |c: usize| columns.get(c).map_or("", |s| s.group.as_str());
        let is_text = |c: usize| {
            columns
                .get(c)
                .is_some_and(|s| s.align == super::Align::Left)
        };
        let order = self.order(columns);
        let pinned = order.iter().filter(|c| self.pinned.contains(c)).count();
        let mut out: Vec<Placed> = Vec::new();
        let mut x = GUTTER;
        for (i, &column) in order.iter().enumerate() {
            if i >= pinned && i - pinned < self.scrolled {
                continue;
            }
            if let Some(last) = out.last() {
                x += 1 + u16::from(group(last.column) != group(column));
            }
            // Pinned columns leave room for at least one other column, however narrow the terminal.
            let reserve = if i < pinned && pinned < order.len() {
                10
            } else {
                0
            };
            let room = self.width.saturating_sub(x + reserve);
            let mut width = self.width_of(columns, column);
            let first_free = i == pinned + self.scrolled;
            if width > room {
                if room == 0 || !(first_free || i < pinned || is_text(column) && room >= 8) {
                    break;
                }
                width = room;
            }
            out.push(Placed {
                column,
                x,
                width,
                pinned: i < pinned,
            });
            x += width;
        }
        if let (Some(last), Some(end)) = (out.last_mut(), order.last())
            && last.column == *end
            && is_text(last.column)
        {
            last.width = self.width.saturating_sub(last.x).max(last.width);
        }
        out
    }

    fn follow_row(&mut self) {
        // Pages start at multiples of the page size: moving by one row never redraws the others.
        self.page = self.page.max(1);
        self.top = self.row / self.page * self.page;
    }

    pub(super) fn follow_column(&mut self, columns: &[Spec]) {
        let order = self.order(columns);
        let Some(at) = order.iter().position(|c| *c == self.column) else {
            self.column = order.first().copied().unwrap_or(0);
            self.scrolled = 0;
            return;
        };
        let pinned = order.iter().filter(|c| self.pinned.contains(c)).count();
        self.scrolled = self.scrolled.min(order.len().saturating_sub(pinned + 1));
        let Some(position) = at.checked_sub(pinned) else {
            return;
        };
        self.scrolled = self.scrolled.min(position);
        let (column, wanted) = (self.column, self.width_of(columns, self.column));
        let text = columns
            .get(column)
            .is_some_and(|c| c.align == super::Align::Left);
        let wanted = if text { wanted.min(12) } else { wanted };
        while self.scrolled < position
            && !self
                .placed(columns)
                .iter()
                .any(|p| p.column == column && p.width >= wanted)
        {
            self.scrolled += 1;
        }
    }

    /// Runs an action of [`Scope::Table`](crate::action::Scope), or the board's jump to another
    /// group of columns. Other actions do nothing.
    pub fn act(&mut self, action: Action, extent: &Extent<'_>) -> Vec<TableEffect> {
        match self.step(action, extent) {
            Err(reason) => vec![TableEffect::Refuse(reason.into())],
            Ok(mut effects) => {
                self.follow_row();
                self.follow_column(extent.columns);
                let reread = effects
                    .iter()
                    .any(|e| matches!(e, TableEffect::Sort(_) | TableEffect::Subset(_)));
                if reread {
                    effects.push(TableEffect::NeedRows {
                        first: self.top,
                        count: self.page,
                    });
                } else {
                    effects.extend(self.need(extent.window));
                }
                effects
            }
        }
    }

    fn step(
        &mut self,
        action: Action,
        extent: &Extent<'_>,
    ) -> std::result::Result<Vec<TableEffect>, &'static str> {
        let Extent { columns, window } = *extent;
        let last = window.total.checked_sub(1).ok_or("no rows");
        let here = || {
            window
                .row(self.row)
                .map(|r| r.id)
                .ok_or("this row is still loading")
        };
        let order = self.order(columns);
        let at = order.iter().position(|c| *c == self.column).unwrap_or(0);
        let column = self.column;
        match action {
            Action::Down if self.row >= last? => return Err("this is the last row"),
            Action::Down => self.row += 1,
            Action::Up => self.row = self.row.checked_sub(1).ok_or("this is the first row")?,
            Action::PageDown if self.row >= last? => return Err("this is the last row"),
            Action::PageDown => self.row = (self.row + self.page).min(last?),
            Action::PageUp if self.row == 0 => return Err("this is the first row"),
            Action::PageUp => self.row = self.row.saturating_sub(self.page),
            Action::Top => self.row = last.map(|_| 0)?,
            Action::Bottom => self.row = last?,
            Action::Left => {
                self.column = *at
                    .checked_sub(1)
                    .and_then(|i| order.get(i))
                    .ok_or("this is the first column")?;
            }
            Action::Right => self.column = *order.get(at + 1).ok_or("this is the last column")?,
            Action::NextMeasure => {
                self.column = self.next_group(columns, &order, at)?;
                self.begin_with(columns, &order);
            }
            Action::PreviousMeasure => {
                self.column = self.previous_group(columns, &order, at)?;
                self.begin_with(columns, &order);
            }
            Action::Open => {
                return Ok(vec![TableEffect::Open {
                    id: here()?,
                    row: self.row,
                    column,
                }]);
            }
            Action::SortAscending
            | Action::SortDescending
            | Action::ThenAscending
            | Action::ThenDescending => {
                let descending = matches!(action, Action::SortDescending | Action::ThenDescending);
                let then = matches!(action, Action::ThenAscending | Action::ThenDescending);
                return Ok(self.sort_by(SortKey { column, descending }, then));
            }
            Action::Pin => self.pin(columns)?,
            Action::Hide => {
                let next = order
                    .get(at + 1)
                    .or_else(|| at.checked_sub(1).and_then(|i| order.get(i)));
                let next = *next.ok_or("cannot hide the last column")?;
                self.hidden.insert(column);
                self.column = next;
            }
            Action::Unhide if self.hidden.is_empty() => return Err("no column is hidden"),
            Action::Unhide => self.hidden.clear(),
            Action::ResizeColumn => self.widen(extent)?,
            Action::GoToColumn => return Ok(vec![TableEffect::AskColumn]),
            Action::Frequency => return last.map(|_| vec![TableEffect::Frequency(column)]),
            Action::Describe => return last.map(|_| vec![TableEffect::Describe]),
            Action::Select => {
                let id = here()?;
                if !self.selected.remove(&id) {
                    self.selected.insert(id);
                }
                // Move on to the next row, so that pressing repeatedly selects a run of rows.
                self.row = (self.row + 1).min(last?);
            }
            Action::SelectRegex => {
                return last.map(|_| vec![TableEffect::AskRegex { column, on: true }]);
            }
            Action::UnselectRegex if self.selected.is_empty() => return Err("nothing is selected"),
            Action::UnselectRegex => return Ok(vec![TableEffect::AskRegex { column, on: false }]),
            Action::SelectLike => {
                return Ok(vec![TableEffect::SelectLike {
                    column,
                    id: here()?,
                }]);
            }
            Action::SelectNone if self.selected.is_empty() => return Err("nothing is selected"),
            Action::SelectNone => self.selected.clear(),
            Action::ShowSelected => return self.toggle_subset(),
            Action::CopyRow => {
                return Ok(vec![TableEffect::Copy(
                    CopyWhat::Row(here()?),
                    CopyFormat::Tsv,
                )]);
            }
            Action::CopyTable => {
                let what = match self.selected.is_empty() {
                    true => last.map(|_| CopyWhat::All)?,
                    false => CopyWhat::Selected(self.selected.iter().copied().collect()),
                };
                return Ok(vec![TableEffect::AskCopy(what)]);
            }
            _ => {}
        }
        Ok(vec![])
    }

    fn sort_by(&mut self, key: SortKey, then: bool) -> Vec<TableEffect> {
        if then {
            let again = self.sort.last() == Some(&key);
            self.sort.retain(|k| k.column != key.column);
            if !again {
                self.sort.push(key);
            }
        } else if self.sort == [key] {
            // The same key again restores the natural order.
            self.sort.clear();
        } else {
            self.sort = vec![key];
        }
        self.row = 0;
        vec![TableEffect::Sort(self.sort.clone())]
    }

    fn pin(&mut self, columns: &[Spec]) -> std::result::Result<(), &'static str> {
        let column = self.column;
        if self.pinned.contains(&column) {
            self.pinned.retain(|c| *c != column);
            return Ok(());
        }
        let taken: u32 = self
            .pinned
            .iter()
            .map(|c| 1 + u32::from(self.width_of(columns, *c)))
            .sum();
        if taken + u32::from(self.width_of(columns, column)) + 12 > u32::from(self.width) {
            return Err("no room to pin another column; widen the terminal or unpin one");
        }
        self.pinned.push(column);
        Ok(())
    }

    fn widen(&mut self, extent: &Extent<'_>) -> std::result::Result<(), &'static str> {
        if self.widened.remove(&self.column).is_some() {
            return Ok(());
        }
        let spec = extent.columns.get(self.column).ok_or("no columns")?;
        let cells = extent
            .window
            .rows
            .iter()
            .filter_map(|r| r.cells.get(self.column))
            .map(|c| text::width(&c.text));
        let natural = cells
            .chain([text::width(spec.label()) + 2])
            .max()
            .unwrap_or(0);
        let natural = u16::try_from(natural)
            .unwrap_or(u16::MAX)
            .min(self.width.saturating_sub(GUTTER));
        if natural <= spec.width {
            return Err("this column already shows all of its text");
        }
        self.widened.insert(self.column, natural);
        Ok(())
    }

    fn toggle_subset(&mut self) -> std::result::Result<Vec<TableEffect>, &'static str> {
        if let Some((row, _)) = self.before_subset.take() {
            self.row = row;
            return Ok(vec![TableEffect::Subset(None)]);
        }
        if self.selected.is_empty() {
            return Err("no rows are selected");
        }
        let ids: Vec<u64> = self.selected.iter().copied().collect();
        self.before_subset = Some((self.row, ids.clone()));
        self.row = 0;
        Ok(vec![TableEffect::Subset(Some(ids))])
    }

    /// The ids of the visible subset. They stay the same while the selection changes.
    pub fn subset(&self) -> Option<&[u64]> {
        self.before_subset.as_ref().map(|(_, ids)| ids.as_slice())
    }

    /// Selects or unselects rows by id. Returns the number of changes.
    pub fn mark(&mut self, ids: impl IntoIterator<Item = u64>, on: bool) -> usize {
        let before = self.selected.len();
        for id in ids {
            if on {
                self.selected.insert(id);
            } else {
                self.selected.remove(&id);
            }
        }
        self.selected.len().abs_diff(before)
    }

    /// The effect of a typed regular expression.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Usage`](benchtop_model::ErrorKind::Usage) if the pattern is invalid.
    pub fn regex(column: usize, pattern: &str, on: bool) -> Result<TableEffect> {
        regex::Regex::new(pattern).map_err(|e| bad_regex(&e))?;
        Ok(TableEffect::SelectRegex {
            column,
            pattern: pattern.into(),
            on,
        })
    }

    /// Moves the cursor to a column, and shows it if it was hidden.
    pub fn go_to_column(&mut self, column: usize, columns: &[Spec]) {
        self.hidden.remove(&column);
        self.column = column;
        self.follow_column(columns);
    }
}

/// The last line of a pattern error; the others draw an arrow.
pub(super) fn bad_regex(error: &regex::Error) -> Error {
    let text = error.to_string();
    let last = text
        .lines()
        .last()
        .unwrap_or_default()
        .trim_start_matches("error: ")
        .to_string();
    Error::usage(format!("invalid regular expression: {last}"))
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
