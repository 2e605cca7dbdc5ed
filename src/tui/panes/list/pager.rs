//! The rows at hand and the pages on their way: at most one question at a time, the newest generation wins.

use std::ops::Range;

use super::rows;
use crate::widgets::table::{TableState, Window};
use benchtop_protocol::wire::Page;

/// Rows asked for before the first drawing tells how many fit.
const FIRST: u64 = 200;
/// Rows an owner gives at most.
const MOST: u64 = 1000;

/// The window and how it is filled.
#[derive(Debug, Default)]
pub(super) struct Pager {
    /// The rows at hand.
    pub(super) window: Window,
    /// Whether those rows are of the present filter and order; older ones stay on the screen until the new are there.
    pub(super) current: bool,
    /// Whether more is being found: counts are lower bounds.
    pub(super) partial: bool,
    /// Whether any page has come.
    pub(super) answered: bool,
    /// Why there are no rows.
    pub(super) failed: Option<String>,
    generation: u64,
    asked: Option<Range<u64>>,
    /// Something changed while a page was on its way.
    again: bool,
}

impl Pager {
    /// Whether the screen's rows are at hand.
    pub(super) fn drawable(&self, state: &TableState) -> bool {
        self.current && state.need(&self.window).is_none()
    }

    /// Whether a page is on its way.
    pub(super) fn waiting(&self) -> bool {
        self.asked.is_some()
    }

    /// Whether an answer to this generation is still wanted.
    pub(super) fn wants(&self, generation: u64) -> bool {
        self.asked.is_some() && generation == self.generation
    }

    /// A window without rows, for actions while those at hand are of an older filter or order.
    pub(super) fn hollow(&self) -> Window {
        Window {
            total: self.window.total,
            of: self.window.of,
            ..Window::default()
        }
    }

    /// The filter or the order is another.
    pub(super) fn outdate(&mut self) {
        self.current = false;
        self.partial = false;
        self.asked = None;
        self.again = false;
        self.failed = None;
    }

    /// Forgets what is on its way: it will not come, so that half a search is no list.
    pub(super) fn forget(&mut self) {
        self.asked = None;
        self.current &= !self.partial;
        self.partial = false;
        self.again = false;
    }

    /// Rows on the screen, those past the end left out where the end is known.
    fn visible(&self, state: &TableState) -> Range<u64> {
        let (top, page) = state.page();
        let end = top + if self.answered { page } else { page.max(FIRST) };
        top..if self.current && !self.partial {
            end.min(self.window.total).max(top)
        } else {
            end
        }
    }

    /// Those and a page on either side.
    fn wide(&self, state: &TableState) -> Range<u64> {
        let (visible, page) = (self.visible(state), state.page().1);
        let end = (visible.end + page).min(visible.start.saturating_sub(page) + MOST);
        visible.start.saturating_sub(page)..end.min(self.window.total).max(visible.end)
    }

    fn holds(&self, range: &Range<u64>) -> bool {
        let end = self.window.first + self.window.rows.len() as u64;
        range.is_empty() || self.window.first <= range.start && range.end <= end
    }

    /// What to ask for now: the screen's rows if they lack, else the pages beside it, so that the next page is there
    /// when it is wanted. `just` was answered: asking for it again would bring the same.
    pub(super) fn missing(
        &mut self,
        state: &TableState,
        just: Option<Range<u64>>,
    ) -> Option<Range<u64>> {
        let covered = |by: Option<&Range<u64>>, r: &Range<u64>| {
            by.is_some_and(|b| b.start <= r.start && r.end <= b.end)
        };
        if std::mem::take(&mut self.again) {
            if self.asked.is_none() {
                return Some(self.wide(state));
            }
            self.again = true;
        }
        let visible = self.visible(state);
        let lacking = !self.current || !self.holds(&visible);
        let range = match (lacking, &self.asked) {
            (true, asked) if covered(asked.as_ref(), &visible) => return None,
            // The search goes on; its last page tells how many there are.
            (true, Some(_)) if self.partial => return None,
            (true, _) => visible,
            (false, Some(_)) => return None,
            (false, None) => Some(self.wide(state)).filter(|wide| !self.holds(wide))?,
        };
        (!covered(just.as_ref(), &range)).then_some(range)
    }

    /// Takes note that `range` is asked for; its generation.
    pub(super) fn ask(&mut self, range: Range<u64>) -> u64 {
        self.asked = Some(range);
        self.generation += 1;
        self.generation
    }

    /// Something changed in the project: whether to ask now. While a page is on its way the question waits for it, so
    /// that a stream of changes never keeps every page from coming.
    pub(super) fn changed(&mut self, state: &TableState) -> Option<Range<u64>> {
        if self.asked.is_some() {
            self.again = true;
            return None;
        }
        (self.answered || self.failed.is_some()).then(|| self.wide(state))
    }

    /// Takes a page. Returns the range it answers, unless more of it comes.
    pub(super) fn accept(&mut self, page: &Page, state: &mut TableState) -> Option<Range<u64>> {
        let rows = page.rows.len() as u64;
        if page.partial {
            // The best of what was found so far helps a new search, not one whose rows are all on the screen already.
            let known = self.current && !self.partial;
            if known || page.offset > state.page().0 || state.row() >= page.offset + rows.max(1) {
                return None;
            }
        }
        // The cursor stays on its item; at the top of a search that goes on it stays at the top.
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
        state.settle(self.window.total);
        if page.partial {
            None
        } else {
            self.asked.take()
        }
    }

    /// The page did not come. Returns whether its rows are gone from the screen; older pages of one list stay.
    pub(super) fn fail(&mut self, reason: &str) -> bool {
        let whole = self.current && !self.partial;
        self.forget();
        if whole && self.window.total > 0 {
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
