//! One verdict on all items of the list: with a preview, and undone as one step.

use super::App;
use super::bulk_step::{Done, What};
use super::connection::Pending;
use super::overlay::{MenuFor, Overlay};
use crate::action::Action;
use crate::widgets::menu::{Choice, Menu};
use crate::widgets::text::{counted, grouped};
use crate::widgets::toast::Toast;
use benchtop_model::{Filter, Judgement, Result, Seen, Verdict};
use benchtop_protocol::wire::{AnyReply, Bulk, Bulked, Request, request};

/// The verdicts available for many items at once.
const VERDICTS: [Verdict; 4] = [
    Verdict::Accept,
    Verdict::Reject,
    Verdict::Skip,
    Verdict::Flag,
];

impl App {
    /// Asks for the verdict on the items of the list.
    pub(super) fn ask_bulk(&mut self, filter: Filter) {
        // Ranking must not decide which items get a verdict unseen.
        let filter = filter.exact();
        let which = match filter.is_empty() {
            true => "all items".to_string(),
            false => match &filter.only {
                Some(only) => counted(only.len() as u64, "selected item"),
                None => format!("the items of `{}`", filter.to_text()),
            },
        };
        let choices = VERDICTS
            .iter()
            .map(|verdict| Choice::new(verdict.name()))
            .collect();
        let menu = Menu::new(format!("judge {which}"), choices).with_note();
        let menu = menu.with_tags(self.tags.known().to_vec());
        self.overlay = Some(Overlay::Menu(MenuFor::Bulk(Box::new(filter)), menu));
    }

    pub(super) fn bulk_chosen(&mut self, filter: Filter, pick: usize, note: &str) {
        let Some(verdict) = VERDICTS.get(pick) else {
            return;
        };
        let note = Some(note.trim().to_string()).filter(|note| !note.is_empty());
        self.tags.used(note.as_deref().unwrap_or_default());
        let judgement = Judgement {
            note,
            ..Judgement::new(*verdict, Seen::Script)
        };
        let bulk = Bulk {
            dry: true,
            ..Bulk::new(filter, judgement)
        };
        self.say(Toast::info("counting the items"));
        self.ask_now(
            Pending::Bulk(Box::new(bulk.clone())),
            request::Bulk(Box::new(bulk)),
        );
    }

    /// Takes the count, and asks for confirmation; or takes the result.
    pub(super) fn bulk_answered(&mut self, bulk: Bulk, answer: Result<AnyReply>) {
        let done = match answer.and_then(request::Bulk::reply) {
            Ok(done) => done,
            Err(problem) => return self.say(Toast::from(&problem)),
        };
        let verdict = bulk.judgement.verdict.name();
        if !bulk.dry {
            self.bulk = done.revs.map(|revs| Done {
                what: What::Verdict(revs),
                since: 0,
            });
            let undo = self.keymap.press(Action::Undo);
            let said = format!(
                "{}: {verdict}{}",
                counted(done.judged, "item"),
                left_out(&done)
            );
            return self.say(Toast::done(format!("{said}; {undo} undoes it")));
        }
        if done.judged == 0 {
            return self.say(Toast::info(format!("nothing to judge{}", left_out(&done))));
        }
        let left = left_out(&done);
        let help = left.trim_start_matches([',', ' ']).to_string();
        let choices = vec![
            Choice::new(format!("{verdict} {}", counted(done.judged, "item"))).help(help),
            Choice::new("not now"),
        ];
        let bulk = Bulk {
            count: Some(done.judged),
            dry: false,
            ..bulk
        };
        let title = format!(
            "{verdict} {} without looking at each?",
            counted(done.judged, "item")
        );
        // The cursor starts on "not now", so that a stray enter does nothing.
        let menu = Menu::new(title, choices).at(1);
        self.overlay = Some(Overlay::Menu(MenuFor::BulkNow(Box::new(bulk)), menu));
    }

    pub(super) fn bulk_now(&mut self, bulk: Bulk) {
        self.ask_now(
            Pending::Bulk(Box::new(bulk.clone())),
            request::Bulk(Box::new(bulk)),
        );
    }

    /// Undoes the last verdict on many items, if it is the last step. Returns whether it is.
    pub(super) fn undo_bulk(&mut self) -> bool {
        match &self.bulk {
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
        self.bulk = None;
        match answer.and_then(request::UndoBulk::reply) {
            Ok(done) => self.say(Toast::done(format!(
                "{} undone",
                counted(done.judged, "verdict")
            ))),
            Err(problem) => self.say(Toast::from(&problem)),
        }
    }

    /// Counts a verdict saved since then, or an undo of one.
    pub(super) fn count_after_bulk(&mut self, taken_back: bool) {
        if let Some(done) = &mut self.bulk {
            done.since = if taken_back {
                done.since.saturating_sub(1)
            } else {
                done.since + 1
            };
        }
    }
}

/// Describes the items left out, as the end of a sentence.
fn left_out(done: &Bulked) -> String {
    let parts = [
        (done.same, "already have this verdict"),
        (done.in_rounds, "belong to a round"),
        (done.meanwhile, "were judged by others meanwhile"),
    ];
    parts
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!(", {} {what}", grouped(n)))
        .collect()
}
