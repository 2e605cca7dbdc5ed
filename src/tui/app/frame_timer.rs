//! Schedules frames and timed work, and leaves the program.

use super::App;
use super::connection::Pending;
use crate::pane::{Notice, Pane};
use crate::widgets::toast::Toast;
use benchtop_protocol::wire::request;

/// Longest wait for the last receipts when quitting.
const LAST_RECEIPTS_MS: u64 = 2_000;
/// Interval of frames that only show job progress.
const REDRAW_MS: u64 = 250;

impl App {
    /// Whether something changed since the last call, so that a frame is due.
    pub fn take_dirty(&mut self) -> bool {
        if !std::mem::take(&mut self.dirty) {
            return false;
        }
        let (now, due) = (self.now(), self.drawn_at + REDRAW_MS);
        // Jobs report progress more often than anybody can read.
        if !std::mem::take(&mut self.urgent)
            && self.pane().is_some_and(Pane::shows_progress)
            && now < due
        {
            self.redraw_at = Some(due);
            return false;
        }
        (self.drawn_at, self.redraw_at) = (now, None);
        true
    }

    /// When to call [`tick`](Self::tick), in milliseconds of the clock.
    pub fn deadline(&self) -> Option<u64> {
        let painted = self.painted.first();
        let waiting = painted.and_then(|_| self.receipts.deadline());
        let sharp = self.true_pixels.due();
        let own = [
            self.recount_at,
            self.leaving,
            self.redraw_at,
            waiting,
            sharp,
        ];
        own.into_iter()
            .chain(self.panes.all().map(|(_, pane)| pane.due()))
            .flatten()
            .min()
    }

    /// Runs everything that is due.
    pub fn tick(&mut self) {
        let now = self.now();
        if self.recount_at.is_some_and(|at| at <= now) {
            self.recount_at = None;
            self.link.ask(Pending::Status, request::Status);
            self.notify(Notice::Recount);
        }
        self.tick_panes(now);
        self.dirty |= self.true_pixels.tick(now);
        if self.redraw_at.is_some_and(|at| at <= now) {
            (self.redraw_at, self.dirty) = (None, true);
        }
        if self.leaving.is_some_and(|at| at <= now) {
            self.quit = true;
        }
        // Drops an overdue receipt, so that its deadline does not return.
        self.receipts.seen(self.token, now);
    }

    /// Whether all verdicts and the resume point were acknowledged.
    pub(super) fn all_acknowledged(&self) -> bool {
        !self.panes.all().any(|(_, pane)| pane.has_unsaved()) && !self.link.holds_quit()
    }

    /// Leaves once the last verdicts are on disk.
    pub(super) fn leave(&mut self) {
        if self.leaving.is_none() && self.ask_unsaved() {
            return;
        }
        self.leave_anyway();
    }

    /// As [`leave`](Self::leave), with unsaved edits too.
    pub(super) fn leave_anyway(&mut self) {
        // The review releases its assignment. The next start resumes the round.
        if self.leaving.is_none() {
            self.notify(Notice::Quitting);
        }
        // Also without an owner, which may come back in time. A second key leaves at once.
        if self.all_acknowledged() || self.leaving.is_some() {
            self.quit = true;
            return;
        }
        self.leaving = Some(self.now() + LAST_RECEIPTS_MS);
        self.say(Toast::info("saving the last verdicts"));
    }
}
