//! Copying rows: at once if they are loaded in full, otherwise by fetching them from the owner.

use std::collections::{HashMap, HashSet};

use super::copying::{BESIDE, Copying};
use super::pane::ListPane;
use super::rows;
use crate::pane::Context;
use crate::terminal::osc52;
use crate::widgets::table::copy::{self, CopyCell, Heading};
use crate::widgets::table::{CopyFormat, CopyWhat, RowView, TableEffect};
use crate::widgets::text;
use benchtop_model::{Field, Filter};
use benchtop_protocol::wire::{Lines, QUESTION_CHARS, request};

/// The greatest number of rows in a copy.
const COPY_LIMIT: usize = 10_000;
/// The greatest number of rows to fetch if none are selected. More rarely fit a clipboard.
const FETCH_LIMIT: u64 = 2_000;

impl ListPane {
    /// Copies rows of the table on top. Selected rows keep the table's order, or are ordered by
    /// number if there is none. Questions are copied in full.
    pub(super) fn copy(&mut self, what: CopyWhat, format: CopyFormat, cx: &mut Context<'_>) {
        if let Some(table) = self.layer_table() {
            if let Some(answer) = table.answer(TableEffect::Copy(what, format)) {
                self.after_layer(answer, cx);
            }
            return;
        }
        match what {
            CopyWhat::All => self.copy_all(format, cx),
            CopyWhat::Row(id) => self.copy_ids(vec![id], false, format, cx),
            CopyWhat::Selected(ids) => self.copy_ids(ids, true, format, cx),
            CopyWhat::Page { first, count } => {
                self.copy_page(first, count, format, cx);
            }
        }
    }

    /// Copies a page. Returns whether its rows are loaded.
    fn copy_page(
        &mut self,
        first: u64,
        count: u64,
        format: CopyFormat,
        cx: &mut Context<'_>,
    ) -> bool {
        let window = &self.pager.window;
        let loaded = (first..first.saturating_add(count)).map_while(|at| window.row(at));
        let ids: Vec<u64> = loaded.map(|r| r.id).collect();
        let is_loaded = self.pager.current && (ids.len() as u64) >= count;
        self.copy_ids(if is_loaded { ids } else { vec![] }, false, format, cx);
        is_loaded
    }

    fn copy_ids(
        &mut self,
        ids: Vec<u64>,
        selected: bool,
        format: CopyFormat,
        cx: &mut Context<'_>,
    ) {
        if ids.is_empty() {
            return cx.refuse("these rows are still loading");
        }
        if ids.len() > COPY_LIMIT {
            return cx.refuse(format!(
                "too many rows to copy (limit {COPY_LIMIT}); use `benchtop export`"
            ));
        }
        let columns = self.state.order(&self.columns);
        let question = rows::column(Field::Question);
        let is_full = |r: &&RowView| {
            let cut = r
                .cells
                .get(question)
                .is_some_and(|c| c.text.chars().count() >= QUESTION_CHARS);
            !cut || !columns.contains(&question)
        };
        let selected_ids: HashSet<u64> = ids.iter().copied().collect();
        let loaded = self.pager.window.rows.iter();
        let at_hand: Vec<&RowView> = loaded.filter(|r| selected_ids.contains(&r.id)).collect();
        if at_hand.len() == selected_ids.len()
            && at_hand.iter().all(is_full)
            && (self.pager.current || !selected)
        {
            let cells = |r: &&RowView| {
                let cell = |c: &usize| {
                    r.cells
                        .get(*c)
                        .map_or(String::new(), |c| c.text.clone())
                        .into()
                };
                columns.iter().map(cell).collect::<Vec<_>>()
            };
            let rows: Vec<Vec<CopyCell>> = at_hand.iter().map(cells).collect();
            return self.copied(&columns, &rows, format, cx);
        }
        let numbers: Vec<u32> = ids
            .iter()
            .filter_map(|id| u32::try_from(*id).ok())
            .collect();
        let copying = Copying {
            format,
            beside: beside(at_hand.into_iter()),
            columns,
            numbers: numbers.clone(),
            rows: vec![],
            all: false,
        };
        if selected && !self.sort().is_empty() {
            let only = Filter {
                only: Some(numbers),
                ..Filter::default()
            };
            self.copy_in_order(only, copying, cx);
        } else {
            self.copy_rest(copying, cx);
        }
    }

    /// Copies all rows of the list. A table that is too long is cut to the page.
    fn copy_all(&mut self, format: CopyFormat, cx: &mut Context<'_>) {
        if !self.pager.current || self.pager.partial {
            return cx.refuse("these rows are still loading");
        }
        if self.pager.window.total > FETCH_LIMIT {
            let why = format!("the limit is {} rows", text::grouped(FETCH_LIMIT));
            return self.copy_only_page(format, &why, cx);
        }
        let copying = Copying {
            format,
            beside: beside(self.pager.window.rows.iter()),
            columns: self.state.order(&self.columns),
            numbers: vec![],
            rows: vec![],
            all: true,
        };
        self.copy_in_order(self.filter(), copying, cx);
    }

    /// Copies the page and reports why the rest is missing.
    fn copy_only_page(&mut self, format: CopyFormat, why: &str, cx: &mut Context<'_>) {
        let ((first, count), total) = (self.state.page(), self.pager.window.total);
        let count = count.min(total.saturating_sub(first));
        if self.copy_page(first, count, format, cx) {
            cx.say(copy::only_page(first, count, total, why));
        }
    }

    fn copied(
        &self,
        columns: &[usize],
        rows: &[Vec<CopyCell>],
        format: CopyFormat,
        cx: &mut Context<'_>,
    ) {
        cx.copy(self.text(columns, rows, format), rows_of(rows.len()));
    }

    fn text(&self, columns: &[usize], rows: &[Vec<CopyCell>], format: CopyFormat) -> String {
        let spec = |c: &usize| self.columns.get(*c);
        let headings: Vec<Heading<'_>> = columns.iter().filter_map(spec).map(Heading::of).collect();
        copy::rows_as(&headings, rows, format)
    }

    /// Requests the order of the rows, then the rows.
    fn copy_in_order(&mut self, filter: Filter, copying: Copying, cx: &mut Context<'_>) {
        let ask = request::Numbers(filter, self.sort());
        let ask = self.await_one("copying", ask, move |pane, numbers, cx| {
            pane.copy_rest(Copying { numbers, ..copying }, cx);
        });
        cx.send(ask);
    }

    fn copy_rest(&mut self, copying: Copying, cx: &mut Context<'_>) {
        let rest = copying.numbers.iter().skip(copying.rows.len());
        let ask = request::Items(rest.copied().collect());
        let ask = self.await_one("copying", ask, move |pane, lines, cx| {
            pane.on_copied_items(copying, &lines, cx);
        });
        cx.send(ask);
    }

    /// Receives some of the rows and requests the rest.
    fn on_copied_items(&mut self, mut copying: Copying, lines: &Lines, cx: &mut Context<'_>) {
        if let Err(problem) = copying.add(lines) {
            return cx.refuse(problem.to_string());
        }
        if copying.rows.len() >= copying.numbers.len() {
            self.finish(copying, cx);
        } else {
            self.copy_rest(copying, cx);
        }
    }

    fn finish(&mut self, mut copying: Copying, cx: &mut Context<'_>) {
        let unknown = copying
            .numbers
            .iter()
            .any(|n| !copying.beside.contains_key(n));
        let mut left_out = Vec::new();
        for field in BESIDE.into_iter().filter(|_| unknown) {
            let columns = &mut copying.columns;
            if let Some(at) = columns.iter().position(|c| *c == rows::column(field)) {
                columns.remove(at);
                copying
                    .rows
                    .iter_mut()
                    .for_each(|cells| drop(cells.remove(at)));
                left_out.push(format!("`{}`", field.name()));
            }
        }
        let text = self.text(&copying.columns, &copying.rows, copying.format);
        if copying.all && text.len() > osc52::MAX_BYTES {
            let why = "the table is too large for the clipboard";
            return self.copy_only_page(copying.format, why, cx);
        }
        cx.copy(text, rows_of(copying.rows.len()));
        if !left_out.is_empty() {
            let left_out = left_out.join(" and ");
            cx.say(format!(
                "copied without {left_out}, which only loaded rows have"
            ));
        }
    }
}

pub(super) fn rows_of(count: usize) -> String {
    format!("{count} rows")
}

/// The values of [`BESIDE`] in these rows.
fn beside<'a>(rows: impl Iterator<Item = &'a RowView>) -> HashMap<u32, [String; 2]> {
    let value = |row: &RowView, field: Field| {
        let cell = row.cells.get(rows::column(field));
        cell.map_or(String::new(), |cell| cell.text.clone())
    };
    let known = |row: &'a RowView| {
        let number = u32::try_from(row.id).ok()?;
        Some((number, BESIDE.map(|field| value(row, field))))
    };
    rows.filter_map(known).collect()
}
