//! When a frame is due, what is due by time alone, and leaving.

use super::connection::Pending;
use super::overlay::{MenuFor, Overlay};
use super::{App, PaneId};
use crate::widgets::toast::Toast;
use benchtop_protocol::wire::request;

/// How long a quit waits for the last receipts.
const LAST_RECEIPTS_MS: u64 = 2_000;
/// Time between two frames of the generate pane or the filter bench that only tell how far the jobs are.
const REDRAW_MS: u64 = 250;

impl App {
    /// Whether something changed since the last call, so that a frame is to be drawn.
    pub fn take_dirty(&mut self) -> bool {
        if !std::mem::take(&mut self.dirty) {
            return false;
        }
        let (now, due) = (self.now(), self.drawn_at + REDRAW_MS);
        // Jobs tell more often than anybody can read.
        if !std::mem::take(&mut self.urgent)
            && matches!(
                self.at,
                PaneId::Generate | PaneId::Filters | PaneId::Agreement
            )
            && now < due
        {
            self.redraw_at = Some(due);
            return false;
        }
        (self.drawn_at, self.redraw_at) = (now, None);
        true
    }

    /// When [`tick`](Self::tick) is to be called, in milliseconds of the clock.
    pub fn deadline(&self) -> Option<u64> {
        let waiting = matches!(self.at, PaneId::Review | PaneId::Adjudicate)
            .then(|| self.receipts.deadline())
            .flatten();
        let counts = [
            self.recount_at,
            self.gauges_at,
            self.rescore_at,
            self.agree_at,
        ];
        let others = [self.leaving, self.redraw_at, self.blink_at, waiting];
        let rounds = [
            self.rounds_due,
            self.round_form_due,
            self.round_due,
            self.note_due,
        ];
        counts
            .into_iter()
            .chain(others)
            .chain(rounds)
            .flatten()
            .min()
    }

    /// Does what is due by time alone.
    pub fn tick(&mut self) {
        let now = self.now();
        if self.recount_at.is_some_and(|at| at <= now) {
            self.recount_at = None;
            self.link.ask(Pending::Status, request::Status);
            self.workshop_recount();
            self.adjudicate_again();
        }
        if self.gauges_at.is_some_and(|at| at <= now) {
            self.read_gauges();
        }
        if self.rescore_at.is_some_and(|at| at <= now) {
            self.count_scores();
        }
        if self.agree_at.is_some_and(|at| at <= now) {
            self.agree_again();
        }
        if self.blink_at.is_some_and(|at| at <= now) {
            self.blink_on(now);
        }
        if self.rounds_due.is_some_and(|at| at <= now) {
            self.rounds_again();
        }
        if self.round_form_due.is_some_and(|at| at <= now) {
            self.preview_round();
        }
        if self.round_due.is_some_and(|at| at <= now) {
            self.round_again();
        }
        if self.note_due.is_some_and(|at| at <= now) {
            self.remember();
        }
        if self.redraw_at.is_some_and(|at| at <= now) {
            (self.redraw_at, self.dirty) = (None, true);
        }
        if self.leaving.is_some_and(|at| at <= now) {
            self.quit = true;
        }
        // Lets an overdue receipt go, so that its deadline does not come up again.
        self.receipts.seen(self.token, now);
    }

    /// Whether everything that a person would miss tomorrow has been acknowledged.
    pub(super) fn nothing_on_its_way(&self) -> bool {
        self.review.pending().is_empty()
            && self.adjudicate.pending().is_empty()
            && !self.link.unplaced()
    }

    /// Leaves, once the last verdicts are on disk.
    pub(super) fn leave(&mut self) {
        if let Some(asked) = self.shop.desk.before_quit() {
            // A second ctrl-c means it.
            let again = matches!(&self.overlay, Some(Overlay::Menu(MenuFor::Metadata(_), _)));
            if !again {
                return self.metadata_effects(asked);
            }
        }
        // What is in hand is others' to have; the next start comes back to the round.
        if self.leaving.is_none() {
            self.give_back();
        }
        // Also while the owner is away: it may come back in time, and a second key leaves at once.
        if self.nothing_on_its_way() || self.leaving.is_some() {
            self.quit = true;
            return;
        }
        self.leaving = Some(self.now() + LAST_RECEIPTS_MS);
        self.say(Toast::info("saving the last verdicts"));
    }
}
