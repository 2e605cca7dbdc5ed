//! Undoes the last step on many items.

use super::App;
use super::bulk_step::{Done, What};
use super::connection::Pending;
use crate::pane::Notice;
use crate::widgets::text::counted;
use crate::widgets::toast::Toast;
use benchtop_model::Result;
use benchtop_protocol::wire::{AnyReply, Request, request};

impl App {
    /// Undoes the last verdict on many items, if it is the last step. Returns whether it is.
    pub(super) fn undo_bulk(&mut self) -> bool {
        match self.bulk.last() {
            Some(Done {
                what: What::Verdict((first, last)),
                since: 0,
            }) => {
                self.ask_now(Pending::Unbulk, request::UndoBulk(*first, *last));
                true
            }
            Some(Done {
                what: What::Retirement(retirement),
                since: 0,
            }) => {
                let retirement = retirement.clone();
                self.unretire(retirement);
                true
            }
            _ => false,
        }
    }

    pub(super) fn on_bulk_undone(&mut self, answer: Result<AnyReply>) {
        let done = self.bulk.pop();
        match answer.and_then(request::UndoBulk::reply) {
            Ok(undone) => {
                self.say(Toast::done(format!(
                    "{} undone",
                    counted(undone.judged, "verdict")
                )));
                if let Some(What::Verdict(revs)) = done.map(|done| done.what) {
                    self.notify(Notice::UndoneMany(revs));
                }
            }
            Err(problem) => self.say(Toast::from(&problem)),
        }
    }

    /// Counts a verdict saved since then, or an undo of one.
    pub(super) fn count_after_bulk(&mut self, taken_back: bool) {
        if let Some(done) = self.bulk.last_mut() {
            done.since = if taken_back {
                done.since.saturating_sub(1)
            } else {
                done.since + 1
            };
        }
    }
}
