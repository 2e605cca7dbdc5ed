//! The loaded rows and the page requests: at most one request in flight, and the newest generation
//! wins.

use std::ops::Range;

use super::rows;
use crate::widgets::table::{TableState, Window};
use benchtop_protocol::wire::Page;

/// Rows to request before the first frame tells how many fit.
const FIRST_PAGE: u64 = 200;
/// The owner's limit of rows per page.
const PAGE_LIMIT: u64 = 1000;

#[derive(Debug, Default)]
pub(super) struct Pager {
    /// The loaded rows.
    pub(super) window: Window,
    /// Whether those rows match the present filter and order. Old rows stay on the screen until new
    /// ones arrive.
    pub(super) current: bool,
    /// Whether a search is still in progress, so that counts are lower bounds.
    pub(super) partial: bool,
    /// Whether any page has arrived.
    pub(super) answered: bool,
    /// The error, if there are no rows.
    pub(super) failed: Option<String>,
    generation: u64,
    asked: Option<Range<u64>>,
    /// Whether something changed while a request was in flight.
    changed_meanwhile: bool,
}

impl Pager {
    /// Whether the screen's rows are loaded.
    pub(super) fn drawable(&self, state: &TableState) -> bool {
        self.current && state.need(&self.window).is_none()
    }

    /// Whether a request is in flight.
    pub(super) fn waiting(&self) -> bool {
        self.asked.is_some()
    }

    /// Whether a reply of this generation is awaited.
    pub(super) fn wants(&self, generation: u64) -> bool {
        self.asked.is_some() && generation == self.generation
    }

    /// A window without rows, for actions while the loaded rows are outdated.
    pub(super) fn without_rows(&self) -> Window {
        Window {
            total: self.window.total,
            of: self.window.of,
            ..Window::default()
        }
    }

    /// Marks the rows as outdated after the filter or the order changed.
    pub(super) fn outdate(&mut self) {
        self.current = false;
        self.partial = false;
        self.asked = None;
        self.changed_meanwhile = false;
        self.failed = None;
    }

    /// Forgets requests in flight. Partial results are dropped.
    pub(super) fn forget(&mut self) {
        self.asked = None;
        self.current &= !self.partial;
        self.partial = false;
        self.changed_meanwhile = false;
    }

    /// The rows on the screen, limited to the end if it is known.
    fn visible(&self, state: &TableState) -> Range<u64> {
        let (top, page) = state.page();
        let end = top
            + if self.answered {
                page
            } else {
                page.max(FIRST_PAGE)
            };
        top..if self.current && !self.partial {
            end.min(self.window.total).max(top)
        } else {
            end
        }
    }

    /// The rows on the screen and a page on either side.
    fn with_neighbors(&self, state: &TableState) -> Range<u64> {
        let (visible, page) = (self.visible(state), state.page().1);
        let end = (visible.end + page).min(visible.start.saturating_sub(page) + PAGE_LIMIT);
        visible.start.saturating_sub(page)..end.min(self.window.total).max(visible.end)
    }

    fn holds(&self, range: &Range<u64>) -> bool {
        let end = self.window.first + self.window.rows.len() as u64;
        range.is_empty() || self.window.first <= range.start && range.end <= end
    }

    /// The range to request now: missing rows on the screen, else the neighboring pages. `just` was
    /// just received and is not requested again.
    pub(super) fn missing(
        &mut self,
        state: &TableState,
        just: Option<Range<u64>>,
    ) -> Option<Range<u64>> {
        let covered = |by: Option<&Range<u64>>, r: &Range<u64>| {
            by.is_some_and(|b| b.start <= r.start && r.end <= b.end)
        };
        if std::mem::take(&mut self.changed_meanwhile) {
            if self.asked.is_none() {
                return Some(self.with_neighbors(state));
            }
            self.changed_meanwhile = true;
        }
        let visible = self.visible(state);
        let lacking = !self.current || !self.holds(&visible);
        let range = match (lacking, &self.asked) {
            (true, asked) if covered(asked.as_ref(), &visible) => return None,
            // The search continues; its last page has the total.
            (true, Some(_)) if self.partial => return None,
            (true, _) => visible,
            (false, Some(_)) => return None,
            (false, None) => Some(self.with_neighbors(state))
                .filter(|with_neighbors| !self.holds(with_neighbors))?,
        };
        (!covered(just.as_ref(), &range)).then_some(range)
    }

    /// Records a request for `range`. Returns its generation.
    pub(super) fn ask(&mut self, range: Range<u64>) -> u64 {
        self.asked = Some(range);
        self.generation += 1;
        self.generation
    }

    /// The range to request after a change in the project. While a request is in flight, waits for
    /// it, so that a stream of changes cannot block every page.
    pub(super) fn changed(&mut self, state: &TableState) -> Option<Range<u64>> {
        if self.asked.is_some() {
            self.changed_meanwhile = true;
            return None;
        }
        (self.answered || self.failed.is_some()).then(|| self.with_neighbors(state))
    }

    /// Receives a page. Returns the range that was requested, unless more pages follow.
    pub(super) fn accept(&mut self, page: &Page, state: &mut TableState) -> Option<Range<u64>> {
        let rows = page.rows.len() as u64;
        if page.partial {
            // Partial results help a new search, but not one whose rows are all on the screen.
            let known = self.current && !self.partial;
            if known || page.offset > state.page().0 || state.row() >= page.offset + rows.max(1) {
                return None;
            }
        }
        // The cursor stays on its item. At the top of a running search it stays at the top.
        let stays = self.current && !(self.partial && state.row() == 0);
        let item = if stays {
            self.window.row(state.row()).map(|r| r.id)
        } else {
            None
        };
        self.window = rows::window(page);
        self.current = true;
        self.partial = page.partial;
        self.answered = true;
        self.failed = None;
        if let Some(at) = item.and_then(|id| self.window.rows.iter().position(|r| r.id == id)) {
            state.go_to_row(self.window.first + at as u64);
        }
        state.set_total(self.window.total);
        if page.partial {
            None
        } else {
            self.asked.take()
        }
    }

    /// Handles a failed request. Returns whether the rows are gone; complete rows stay.
    pub(super) fn fail(&mut self, reason: &str) -> bool {
        let complete = self.current && !self.partial;
        self.forget();
        if complete && self.window.total > 0 {
            return false;
        }
        self.window = Window {
            of: self.window.of,
            ..Window::default()
        };
        self.failed = Some(reason.into());
        true
    }
}
