//! Handles answers and events of the owner.

use super::connection::{Pending, State};
use super::message::Connected;
use super::{App, PaneId, RETRY};
use crate::action::Action;
use crate::pane::Notice;
use crate::panes::review::Queue;
use crate::widgets::text;
use crate::widgets::toast::Toast;
use benchtop_model::{Error, ErrorKind, Result};
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
            Incoming::Progress(_, progress) => {
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
                // A repeated uuid counts once, whether or not the first attempt reached the disk.
                let again: Vec<_> = self
                    .review
                    .pending()
                    .iter()
                    .map(|p| p.decide.clone())
                    .collect();
                for decide in again {
                    self.link
                        .ask(Pending::Decide(decide.uuid), request::Decide(decide));
                }
                self.notify(Notice::Reconnected);
                self.link.ask_again();
                self.subscribe();
                self.resync();
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
                if self.review.is_settled(receipt.uuid) {
                    // The receipt came first and requested everything again.
                    self.notify(Notice::Item(receipt.number));
                    self.dirty = true;
                    return;
                }
                // Our own receipts are handled elsewhere, unless another of our terminals gave the
                // verdict.
                let ours = self
                    .review
                    .pending()
                    .iter()
                    .any(|p| p.decide.uuid == receipt.uuid);
                // In a round the verdicts of others stay hidden.
                if !ours && self.review.work().is_none() {
                    let effects = self.review.changed(receipt.number);
                    self.carry_out(effects);
                    let shown = self.at != PaneId::Adjudicate
                        && self.review.number() == Some(receipt.number);
                    // Adjudicators do not see names.
                    if who != self.link.who() && shown {
                        let said = format!(
                            "#{} is now {} ({who})",
                            receipt.number,
                            receipt.status.name()
                        );
                        self.say(Toast::info(said));
                    }
                }
                self.notify(Notice::Item(receipt.number));
                self.changed();
            }
            Event::Imported { items } => {
                self.welcome.items = items;
                self.on_items_added(items);
                self.changed();
                self.refresh_board();
            }
            Event::Metadata => self.metadata_changed(),
            Event::MetadataErrors(Some(what)) => self.say(Toast::warning(what)),
            Event::MetadataErrors(None) => {
                self.say(Toast::done("the metadata has no more errors and is in use"))
            }
            Event::PicturesGenerated { rev, numbers } => {
                self.rev = self.rev.max(rev);
                for number in numbers {
                    let effects = self.review.changed(number);
                    self.carry_out(effects);
                    self.notify(Notice::Item(number));
                }
                self.changed();
            }
            Event::Job(job) => {
                self.notify(Notice::Job(&job));
                if self.at != PaneId::Generate {
                    // Nothing of it is on screen.
                    return;
                }
            }
            Event::JobRemoved(id) => self.notify(Notice::JobRemoved(id)),
            Event::Scoring(job) => {
                let nothing_to_see = self.at != PaneId::Filters && !job.phase.is_finished();
                self.scoring_progressed(*job);
                if nothing_to_see {
                    return;
                }
            }
            Event::Rules => self.rules_changed(),
            // Visibility may have changed.
            Event::Rounds => {
                self.notify(Notice::Rounds);
                self.resync();
            }
            Event::Resync => self.resync(),
            Event::AnswersReparsed => self.refresh_board(),
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
        let effects = self.review.grow(u32::try_from(items).unwrap_or(u32::MAX));
        self.carry_out(effects);
    }

    /// Statuses changed: refreshes the list and the counts.
    pub(super) fn changed(&mut self) {
        if self.recount_at.is_none() {
            self.recount_at = Some(self.now() + RECOUNT_MS);
        }
        self.count_scores_soon();
        self.notify(Notice::Changed);
        self.refresh_curated_board();
        if self.at == PaneId::List {
            let effects = self.list.changed();
            self.list_effects(effects);
        }
    }

    /// Requests everything on screen again.
    fn resync(&mut self) {
        let effects = self.review.refresh();
        self.carry_out(effects);
        if self.list_started {
            let effects = self.list.start();
            self.list_effects(effects);
        }
        self.refresh_board();
        self.round_changed();
        self.notify(Notice::Resync);
        if self.at == PaneId::Filters {
            self.go_filters();
        }
        // Also after a reconnection: the owner may have read the files at another time.
        self.metadata_changed();
        self.changed();
    }

    fn answered(&mut self, want: Pending, answer: Result<AnyReply>) {
        match want {
            Pending::Pane(receiver) => {
                self.with_pane(receiver.pane, |pane, cx| receiver.receive(pane, answer, cx));
            }
            Pending::Metadata => self.on_metadata(answer.and_then(request::Metadata::reply)),
            Pending::Filters(want) => self.filters_answered(want, answer),
            Pending::Board(want) => self.board_answered(*want, answer),
            Pending::Resume(name) => self.resume(&name, answer),
            Pending::Turn(round, ask) => self.on_assignment(&round, ask, answer),
            Pending::Feedback(round, verdict) => self.on_feedback(&round, verdict, answer),
            Pending::Guidelines(round) => self.on_guidelines(&round, answer),
            Pending::Explain(number) => self.explained(number, answer),
            Pending::Retire(retirement) => self.retired(*retirement, answer),
            Pending::Unretire(retirement) => self.unretired(*retirement, answer),
            Pending::Edited(draft) => self.item_edited(*draft, answer),
            Pending::Bulk(bulk) => self.bulk_answered(*bulk, answer),
            Pending::Unbulk => self.on_bulk_undone(answer),
            Pending::List(want) => {
                let effects = self.list.answer(want, answer);
                self.list_effects(effects);
            }
            Pending::Item(number) => {
                let effects = self
                    .review
                    .on_item(number, answer.and_then(request::Item::reply));
                self.carry_out(effects);
            }
            Pending::Decide(uuid) => match answer.and_then(request::Decide::reply) {
                Ok(receipt) => self.decided(&receipt),
                Err(problem) => self.refused(uuid, &problem),
            },
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
            Pending::Queue(words, number) => {
                if let Some(numbers) = self.ok_or_show(answer.and_then(request::Numbers::reply)) {
                    self.queued(words, number, numbers);
                }
            }
            Pending::Doubtful(filter, order) => {
                if let Some(numbers) =
                    self.ok_or_show(answer.and_then(request::FlaggedItems::reply))
                {
                    self.doubtful(&filter, order, numbers);
                }
            }
            Pending::NextPending => {
                let found = self.ok_or_show(answer.and_then(request::NextPending::reply));
                self.go_to_pending(found);
            }
            Pending::FirstPending => {
                let found = self.ok_or_show(answer.and_then(request::FirstPending::reply));
                self.go_to_pending(found);
            }
            Pending::NumberOf => match self.ok_or_show(answer.and_then(request::NumberOf::reply)) {
                Some(Some(number)) => self.go_to_item(number),
                Some(None) => self.say(Toast::info("no such item in this project")),
                None => {}
            },
            Pending::Status => {
                if let Some(status) = self.ok_or_show(answer.and_then(request::Status::reply)) {
                    self.counted(status);
                }
            }
            Pending::Sample => {
                if let Some(report) = self.ok_or_show(answer.and_then(request::Sample::reply)) {
                    let key = |action| self.keymap.press(action);
                    let (accept, reject, help) =
                        (key(Action::Accept), key(Action::Reject), key(Action::Help));
                    let items = report.items;
                    let said = format!(
                        "added {items} sample items; {accept} accepts, {reject} rejects, {help} shows the keys"
                    );
                    self.say(Toast::done(said));
                }
            }
            Pending::Place | Pending::Released | Pending::Nothing => {
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

    fn decided(&mut self, receipt: &Receipt) {
        self.rev = self.rev.max(receipt.rev);
        self.count_after_bulk(false);
        self.report_override(receipt);
        let (effects, then) = self.review.acknowledged(receipt, self.now());
        self.carry_out(effects);
        then.into_iter().for_each(|then| self.judged_in_round(then));
        self.changed();
    }

    fn go_to_pending(&mut self, found: Option<Option<u32>>) {
        match found {
            Some(Some(number)) => self.go_to_item(number),
            Some(None) => self.say(Toast::done("no unjudged items in this queue")),
            None => {}
        }
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

    fn refused(&mut self, uuid: uuid::Uuid, problem: &Error) {
        // Without an owner the verdict is kept and sent again.
        if self.link.state() != State::Up || problem.kind == ErrorKind::Unreachable {
            return;
        }
        // Receipts and lists arrive in any order: a queue requested later must not hide the refused
        // item.
        self.link.forget_queues();
        let refused = self
            .review
            .pending()
            .iter()
            .find(|pending| pending.decide.uuid == uuid);
        if let Some((number, note)) =
            refused.map(|p| (p.decide.number, p.decide.judgement.note.clone()))
        {
            self.restore_note(number, note);
        }
        let effects = self.review.refused(uuid);
        self.carry_out(effects);
        self.refresh_assignment();
        self.say(Toast::from(problem));
    }

    fn taken_back(&mut self, redo: bool, receipt: &Receipt) {
        self.rev = self.rev.max(receipt.rev);
        self.count_after_bulk(!redo);
        self.review.receipt_came(receipt);
        let what = if receipt.edit {
            "edit of"
        } else {
            "verdict on"
        };
        let (word, key) = match redo {
            true => (
                "redone",
                format!("{} undoes it", self.keymap.press(Action::Undo)),
            ),
            false => (
                "undone",
                format!("{} redoes it", self.keymap.press(Action::Redo)),
            ),
        };
        if self.review.work().is_some() {
            // The item's status would reveal the verdicts of others.
            self.say(Toast::done(format!(
                "{word} your {what} #{}; {key}",
                receipt.number
            )));
            self.refresh_assignment();
            return self.changed();
        }
        self.say(Toast::done(format!(
            "{word} your {what} #{}, now {}; {key}",
            receipt.number,
            receipt.status.name()
        )));
        if self.at == PaneId::Review {
            self.go_to_item(receipt.number);
        }
        self.notify(Notice::TakenBack(receipt.number));
        let effects = self.review.changed(receipt.number);
        self.carry_out(effects);
        self.changed();
    }

    fn queued(&mut self, words: String, number: Option<u32>, numbers: Vec<u32>) {
        let items = u32::try_from(self.welcome.items).unwrap_or(u32::MAX);
        if numbers.is_empty() {
            return self.say(Toast::info(format!(
                "no items match `{words}`; queue unchanged"
            )));
        }
        let back = self.keymap.press(Action::Back);
        let found = text::counted(numbers.len() as u64, "item");
        let said = format!("{found} for `{words}`; {back} shows all items");
        self.leave_round();
        let effects = self
            .review
            .set_queue(Queue::of(words, numbers, items), number);
        self.carry_out(effects);
        self.say(Toast::info(said));
    }

    /// Goes to an item, and leaves the queue if the item is not in it.
    pub(super) fn go_to_item(&mut self, number: u32) {
        self.leave_round();
        let effects = match self.review.go_to(number) {
            Some(effects) => effects,
            None => {
                let items = u32::try_from(self.welcome.items).unwrap_or(u32::MAX);
                self.review.set_queue(Queue::all(items), Some(number))
            }
        };
        self.carry_out(effects);
    }
}
