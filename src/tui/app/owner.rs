//! Handles answers and events of the owner.

use super::connection::Pending;
use super::message::Connected;
use super::{App, RETRY};
use crate::pane::Notice;
use crate::widgets::text;
use crate::widgets::toast::Toast;
use benchtop_model::{ErrorKind, Result};
use benchtop_protocol::Incoming;
use benchtop_protocol::wire::{AnyReply, Event, Receipt, Request, request};

/// Least interval between count requests while verdicts come in.
const RECOUNT_MS: u64 = 250;

impl App {
    pub(super) fn on_incoming(&mut self, incoming: Incoming) {
        match incoming {
            Incoming::Answer(number, answer) => {
                let more = answer.as_ref().is_ok_and(AnyReply::is_partial);
                if let Some(want) = self.link.wanted(number, more) {
                    let open = self.overlay.is_some();
                    self.answered(want, answer);
                    if !open && self.overlay.is_some() {
                        // The awaited answer is here, so "counting" no longer applies.
                        self.toast = None;
                    }
                    self.release_held_keys();
                }
            }
            Incoming::Progress(number, progress) => {
                let named = self.link.named(number);
                let shown = named.and_then(|(id, name)| {
                    self.with_pane(id, |pane, _| pane.on_progress(name, &progress))
                });
                if shown == Some(true) {
                    return;
                }
                self.say(Toast::info(format!(
                    "{}: {}",
                    progress.what,
                    text::grouped(progress.done)
                )));
            }
            Incoming::Event(event) => self.on_event(event),
            Incoming::Lost => self.lost(),
        }
        if self.leaving.is_some() && self.all_acknowledged() {
            self.quit = true;
        }
    }

    fn lost(&mut self) {
        self.say(Toast::warning(
            "lost the owner; reconnecting, no acknowledged verdict is lost",
        ));
        self.link.reconnect(std::time::Duration::ZERO);
        self.release_held_keys();
    }

    pub(super) fn linked(&mut self, generation: u64, linked: Result<Connected>) {
        if !self.link.is_current(generation) {
            return;
        }
        match linked {
            Ok(connected) => {
                let welcome = connected.0.welcome().clone();
                if !self.link.linked(generation, connected) {
                    return;
                }
                self.say(Toast::done("reconnected"));
                self.on_items_added(welcome.items);
                self.welcome = welcome;
                self.notify(Notice::Reconnected);
                self.link.ask_again();
                self.subscribe();
                self.resync();
                if std::mem::take(&mut self.quits_once_saved) {
                    self.leave();
                }
            }
            Err(problem) => {
                self.say(Toast::from(&problem));
                self.link.reconnect(RETRY);
            }
        }
    }

    fn on_event(&mut self, event: Event) {
        match event {
            Event::Verdict { who, receipt } => {
                self.rev = self.rev.max(receipt.rev);
                self.notify(Notice::Verdict {
                    who: &who,
                    receipt: &receipt,
                });
                self.notify(Notice::Item(receipt.number));
                self.changed();
            }
            Event::Comment { who, number, rev } => {
                self.rev = self.rev.max(rev);
                self.notify(Notice::Comment { who: &who, number });
                self.changed();
            }
            Event::Imported { items } => {
                self.on_items_added(items);
                self.changed();
            }
            Event::Metadata => self.metadata_changed(),
            Event::MetadataErrors(Some(what)) => self.say(Toast::warning(what)),
            Event::MetadataErrors(None) => {
                self.say(Toast::done("the metadata has no more errors and is in use"))
            }
            Event::PicturesGenerated { rev, numbers } => {
                self.rev = self.rev.max(rev);
                self.notify(Notice::Pictures(&numbers));
                for number in numbers {
                    self.notify(Notice::Item(number));
                }
                self.changed();
            }
            Event::Job(job) => {
                self.notify(Notice::Job(&job));
                if let Some(scoring) = &job.scoring {
                    self.notify(Notice::Scoring(scoring));
                }
                // A pane that shows it is drawn again.
                return;
            }
            Event::JobRemoved(id) => self.notify(Notice::JobRemoved(id)),
            Event::Rules => self.notify(Notice::Rules),
            // Visibility may have changed.
            Event::Rounds => {
                self.notify(Notice::Rounds);
                self.resync();
            }
            Event::Resync => self.resync(),
            Event::AnswersReparsed => self.notify(Notice::AnswersReparsed),
            Event::Ending => {
                self.link.stopped();
                self.say(Toast::warning(
                    "the owner was stopped; press any key to restart it",
                ));
            }
        }
        self.dirty = true;
    }

    fn on_items_added(&mut self, items: u64) {
        self.welcome.items = items;
        self.notify(Notice::Items(self.items()));
    }

    /// Statuses changed: refreshes the list and the counts.
    pub(super) fn changed(&mut self) {
        if self.recount_at.is_none() {
            self.recount_at = Some(self.now() + RECOUNT_MS);
        }
        self.notify(Notice::Changed);
    }

    /// Requests everything on screen again.
    fn resync(&mut self) {
        self.notify(Notice::Resync);
        // Also after a reconnection: the owner may have read the files at another time.
        self.metadata_changed();
        self.changed();
    }

    fn answered(&mut self, want: Pending, answer: Result<AnyReply>) {
        match want {
            Pending::Pane(receiver) => {
                self.urgent |= receiver.handling.at_once;
                self.with_pane(receiver.pane, |pane, cx| receiver.receive(pane, answer, cx));
            }
            Pending::Metadata => self.on_metadata(answer.and_then(request::Metadata::reply)),
            Pending::Retire(retirement) => self.retired(*retirement, answer),
            Pending::Unretire(retirement) => self.unretired(*retirement, answer),
            Pending::Unbulk => self.on_bulk_undone(answer),
            Pending::TakeBack { redo, .. } => {
                let answer = if redo {
                    answer.and_then(request::Redo::reply)
                } else {
                    answer.and_then(request::Undo::reply)
                };
                if let Some(receipt) = self.ok_or_show(answer) {
                    self.taken_back(redo, &receipt);
                }
            }
            Pending::Status => {
                if let Some(status) = self.ok_or_show(answer.and_then(request::Status::reply)) {
                    self.counted(status);
                }
            }
            Pending::Nothing => {
                self.ok_or_show(answer);
            }
        }
        self.dirty = true;
    }

    /// Unwraps an answer. Shows an error, unless the request was canceled.
    fn ok_or_show<T>(&mut self, answer: Result<T>) -> Option<T> {
        match answer {
            Ok(reply) => return Some(reply),
            Err(problem) if problem.kind == ErrorKind::Cancelled => {}
            Err(problem) => self.say(Toast::from(&problem)),
        }
        None
    }

    fn counted(&mut self, status: benchtop_protocol::wire::OwnerStatus) {
        self.counts = status.by_status;
        if let Some(why) = status.read_only {
            self.say(Toast::error(format!(
                "cannot save verdicts: {}",
                why.replace('\n', ";")
            )));
        }
    }

    fn taken_back(&mut self, redo: bool, receipt: &Receipt) {
        self.rev = self.rev.max(receipt.rev);
        self.count_after_bulk(!redo);
        self.notify(Notice::TakenBack { redo, receipt });
        self.changed();
    }
}
