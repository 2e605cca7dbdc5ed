//! One verdict on everything the list shows: counted first, said exactly, taken back with one key.

use super::App;
use super::connection::Pending;
use super::overlay::{MenuFor, Overlay};
use super::retire::Retirement;
use crate::action::Action;
use crate::widgets::menu::{Choice, Menu};
use crate::widgets::text::{counted, grouped};
use crate::widgets::toast::Toast;
use benchtop_model::{Filter, Judgement, Result, Seen, Verdict};
use benchtop_protocol::wire::{AnyReply, Bulk, Bulked, Request, request};

/// The verdicts that many items can get at once.
const VERDICTS: [Verdict; 4] = [
    Verdict::Accept,
    Verdict::Reject,
    Verdict::Skip,
    Verdict::Flag,
];

/// A step on many items that can be taken back as one.
#[derive(Clone, Debug)]
pub struct Done {
    pub(super) what: What,
    /// Own verdicts after it.
    pub(super) since: u32,
}

/// What was done in one step.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// One verdict on many items: its first and last revision.
    Verdict((u64, u64)),
    /// Terms were retired.
    Retirement(Box<Retirement>),
}

impl App {
    /// Asks which verdict the items of the list get.
    pub(super) fn ask_bulk(&mut self, filter: Filter) {
        // What ranks a list must not choose what is judged unseen.
        let filter = filter.exact();
        let which = match filter.is_empty() {
            true => "all items".to_string(),
            false => match &filter.only {
                Some(only) => counted(only.len() as u64, "selected item"),
                None => format!("the items of `{}`", filter.words()),
            },
        };
        let choices = VERDICTS
            .iter()
            .map(|verdict| Choice::new(verdict.name()))
            .collect();
        let menu = Menu::new(format!("judge {which}, counts first"), choices).with_note();
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

    /// The count is known: whether to do it. Or it is done.
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
                "`{verdict}` said of {}{}",
                counted(done.judged, "item"),
                left_out(&done)
            );
            return self.say(Toast::done(format!("{said}; {undo} takes it back")));
        }
        if done.judged == 0 {
            return self.say(Toast::info(format!(
                "there is nothing to judge{}",
                left_out(&done)
            )));
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
        // Nobody should do it by a key too many.
        let menu = Menu::new(title, choices).at(1);
        self.overlay = Some(Overlay::Menu(MenuFor::BulkNow(Box::new(bulk)), menu));
    }

    pub(super) fn bulk_now(&mut self, bulk: Bulk) {
        self.ask_now(
            Pending::Bulk(Box::new(bulk.clone())),
            request::Bulk(Box::new(bulk)),
        );
    }

    /// Whether undo takes the verdict on many items back, and asks for it.
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

    pub(super) fn unbulked(&mut self, answer: Result<AnyReply>) {
        self.bulk = None;
        match answer.and_then(request::UndoBulk::reply) {
            Ok(done) => self.say(Toast::done(format!(
                "{} taken back",
                counted(done.judged, "verdict")
            ))),
            Err(problem) => self.say(Toast::from(&problem)),
        }
    }

    /// A verdict of one's own was saved after it, or the last was taken back.
    pub(super) fn bulk_is_past(&mut self, taken_back: bool) {
        if let Some(done) = &mut self.bulk {
            done.since = if taken_back {
                done.since.saturating_sub(1)
            } else {
                done.since + 1
            };
        }
    }
}

/// What of the items is left out, in words that go on a sentence.
fn left_out(done: &Bulked) -> String {
    let parts = [
        (done.same, "have it already"),
        (done.in_rounds, "are to be judged in a round"),
        (done.meanwhile, "were decided by others meanwhile"),
    ];
    parts
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!(", {} {what}", grouped(n)))
        .collect()
}
