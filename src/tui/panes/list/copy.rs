//! Copying rows: at once if they are loaded in full, otherwise by fetching them from the owner.

use std::collections::HashSet;

use super::copying::Copying;
use super::effects::{ListEffect, ReplyFor};
use super::pane::ListPane;
use super::replies::refusal;
use super::rows;
use crate::terminal::osc52;
use crate::widgets::table::copy::{self, CopyCell, Heading};
use crate::widgets::table::{CopyFormat, CopyWhat, RowView, TableEffect};
use crate::widgets::text;
use benchtop_model::{Field, Filter, Result};
use benchtop_protocol::wire::{AnyRequest, Lines, QUESTION_CHARS, request};

/// The greatest number of rows in a copy.
const COPY_LIMIT: usize = 10_000;
/// The greatest number of rows to fetch if none are selected. More rarely fit a clipboard.
const FETCH_LIMIT: u64 = 2_000;

impl ListPane {
    /// Copies rows of the table on top. Selected rows keep the table's order, or are ordered by
    /// number if there is none. Questions are copied in full.
    pub fn copy(&mut self, what: CopyWhat, format: CopyFormat) -> Vec<ListEffect> {
        if let Some(table) = self.layer_table() {
            let answer = table.answer(TableEffect::Copy(what, format));
            return answer.map(|a| self.after_layer(a)).unwrap_or_default();
        }
        let window = &self.pager.window;
        let selected = matches!(what, CopyWhat::Selected(_));
        if what == CopyWhat::All {
            return self.copy_all(format);
        }
        let page = if let CopyWhat::Page { count, .. } = what {
            Some(count)
        } else {
            None
        };
        let ids: Vec<u64> = match what {
            CopyWhat::All => vec![],
            CopyWhat::Row(id) => vec![id],
            CopyWhat::Selected(ids) => ids,
            CopyWhat::Page { .. } if !self.pager.current => vec![],
            CopyWhat::Page { first, count } => (first..first.saturating_add(count))
                .map_while(|at| window.row(at))
                .map(|r| r.id)
                .collect(),
        };
        if ids.is_empty() || page.is_some_and(|count| (ids.len() as u64) < count) {
            return vec![ListEffect::Refuse("these rows are still loading".into())];
        }
        if ids.len() > COPY_LIMIT {
            let reason =
                format!("too many rows to copy (limit {COPY_LIMIT}); use `benchtop export`");
            return vec![ListEffect::Refuse(reason)];
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
        let at_hand: Vec<&RowView> = window
            .rows
            .iter()
            .filter(|r| selected_ids.contains(&r.id))
            .collect();
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
            return vec![self.copied(&columns, &rows, format)];
        }
        let judged = rows::column(Field::Judged);
        let known =
            |r: &&RowView| Some((u32::try_from(r.id).ok()?, r.cells.get(judged)?.text.clone()));
        let copying = Copying {
            ticket: 0,
            format,
            judged: at_hand.iter().filter_map(known).collect(),
            columns,
            numbers: ids
                .iter()
                .filter_map(|id| u32::try_from(*id).ok())
                .collect(),
            rows: vec![],
            all: false,
        };
        let sort = self.sort();
        let (want, ask): (fn(u64) -> ReplyFor, AnyRequest) = if selected && !sort.is_empty() {
            let filter = Filter {
                only: Some(copying.numbers.clone()),
                ..Filter::default()
            };
            (
                |ticket| ReplyFor::CopyOrder { ticket },
                request::Numbers(filter, sort).into(),
            )
        } else {
            (
                |ticket| ReplyFor::CopyItems { ticket },
                request::Items(copying.numbers.clone()).into(),
            )
        };
        let effects = self.await_one("copying", want, ask);
        self.copying = Some(Copying {
            ticket: self.tickets,
            ..copying
        });
        effects
    }

    /// Copies all rows of the list. A table that is too long is cut to the page.
    fn copy_all(&mut self, format: CopyFormat) -> Vec<ListEffect> {
        let window = &self.pager.window;
        let total = window.total;
        if !self.pager.current || self.pager.partial {
            return vec![ListEffect::Refuse("these rows are still loading".into())];
        }
        if total > FETCH_LIMIT {
            return self.copy_page(
                format,
                &format!("the limit is {} rows", text::grouped(FETCH_LIMIT)),
            );
        }
        let columns = self.state.order(&self.columns);
        let judged = rows::column(Field::Judged);
        let known =
            |r: &RowView| Some((u32::try_from(r.id).ok()?, r.cells.get(judged)?.text.clone()));
        let copying = Copying {
            ticket: 0,
            format,
            judged: window.rows.iter().filter_map(known).collect(),
            columns,
            numbers: vec![],
            rows: vec![],
            all: true,
        };
        let ask = request::Numbers(self.filter(), self.sort()).into();
        let effects = self.await_one("copying", |ticket| ReplyFor::CopyOrder { ticket }, ask);
        self.copying = Some(Copying {
            ticket: self.tickets,
            ..copying
        });
        effects
    }

    /// Copies the page and reports why the rest is missing.
    fn copy_page(&mut self, format: CopyFormat, why: &str) -> Vec<ListEffect> {
        let ((first, count), total) = (self.state.page(), self.pager.window.total);
        let count = count.min(total.saturating_sub(first));
        let mut effects = self.copy(CopyWhat::Page { first, count }, format);
        if !effects
            .iter()
            .any(|effect| matches!(effect, ListEffect::Refuse(_)))
        {
            effects.push(ListEffect::Say(copy::only_page(first, count, total, why)));
        }
        effects
    }

    fn copied(&self, columns: &[usize], rows: &[Vec<CopyCell>], format: CopyFormat) -> ListEffect {
        let spec = |c: &usize| self.columns.get(*c);
        let headings: Vec<Heading<'_>> = columns.iter().filter_map(spec).map(Heading::of).collect();
        ListEffect::Copy {
            text: copy::rows_as(&headings, rows, format),
            rows: rows.len(),
        }
    }

    /// Receives the order of the rows and requests them.
    pub(super) fn on_copy_order(
        &mut self,
        ticket: u64,
        numbers: Result<Vec<u32>>,
    ) -> Vec<ListEffect> {
        let Some(mut copying) = self.copying_for(ticket) else {
            return vec![];
        };
        match numbers {
            Ok(numbers) => copying.numbers = numbers,
            Err(problem) => return vec![refusal(&problem)],
        }
        self.copy_rest(copying)
    }

    /// Receives some of the rows and requests the rest.
    pub(super) fn on_copy_items(&mut self, ticket: u64, lines: Result<Lines>) -> Vec<ListEffect> {
        let Some(mut copying) = self.copying_for(ticket) else {
            return vec![];
        };
        match lines {
            Ok(lines) => {
                if let Err(problem) = copying.add(&lines) {
                    return vec![ListEffect::Refuse(problem.to_string())];
                }
                if copying.rows.len() >= copying.numbers.len() {
                    return self.finish(copying);
                }
            }
            Err(problem) => return vec![refusal(&problem)],
        }
        self.copy_rest(copying)
    }

    /// The copy with this ticket.
    fn copying_for(&mut self, ticket: u64) -> Option<Copying> {
        if !self.take_ticket(ticket) {
            return None;
        }
        self.copying.take().filter(|c| c.ticket == ticket)
    }

    fn copy_rest(&mut self, copying: Copying) -> Vec<ListEffect> {
        let rest: Vec<u32> = copying
            .numbers
            .iter()
            .skip(copying.rows.len())
            .copied()
            .collect();
        let effects = self.await_one(
            "copying",
            |ticket| ReplyFor::CopyItems { ticket },
            request::Items(rest).into(),
        );
        self.copying = Some(Copying {
            ticket: self.tickets,
            ..copying
        });
        effects
    }

    fn finish(&mut self, mut copying: Copying) -> Vec<ListEffect> {
        let judged = rows::column(Field::Judged);
        let unknown = copying
            .numbers
            .iter()
            .any(|n| !copying.judged.contains_key(n));
        let mut said = vec![];
        if let Some(at) = copying
            .columns
            .iter()
            .position(|c| *c == judged)
            .filter(|_| unknown)
        {
            copying.columns.remove(at);
            copying
                .rows
                .iter_mut()
                .for_each(|cells| drop(cells.remove(at)));
            said.push(ListEffect::Say(
                "copied without `judged`, which only loaded rows have".into(),
            ));
        }
        let copied = self.copied(&copying.columns, &copying.rows, copying.format);
        let is_long =
            matches!(&copied, ListEffect::Copy { text, .. } if text.len() > osc52::MAX_BYTES);
        if copying.all && is_long {
            return self.copy_page(copying.format, "the table is too large for the clipboard");
        }
        let mut effects = vec![copied];
        effects.append(&mut said);
        effects
    }
}
