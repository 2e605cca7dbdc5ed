//! The Adjudicate pane: items of a round on which annotators differ, their verdicts side by side,
//! and the final verdict. Names and scores are hidden unless the round shows them.
//!
//! | file | what it does |
//! |---|---|
//! | `adjudication` | from a key to a saved verdict |
//! | `tags` | tags that the verdict carries |
//! | `draw`, `sides` | drawing; the verdicts side by side |

mod adjudication;
mod draw;
mod sides;
mod tags;

use std::collections::{BTreeMap, HashMap};

pub use draw::Layout;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use uuid::Uuid;

use super::metadata::edit_session::error_line;
use super::rounds::progress;
use crate::action::Action;
use crate::item::{Loaded, Picture, Sides, ViewState, missing, painted};
use crate::keymap::Keymap;
use crate::pane::{Context, EditAt, Notice, Painted, Pane, Scene, Target};
use crate::preview::Show;
use benchtop_model::round::state::{AdjudicationContext, Dispute, RoundState};
use benchtop_model::{Result, Verdict};
use benchtop_protocol::wire::{Decide, ItemView, request};

/// Items kept in memory around the current one.
const CACHED: usize = 16;

#[derive(Debug, Default)]
pub struct AdjudicatePane {
    rounds: Option<Result<Vec<RoundState>>>,
    /// The round being adjudicated.
    round: Option<String>,
    disputes: Option<Result<Vec<Dispute>>>,
    about: AdjudicationContext,
    /// `asking`: disputes are requested. `changed_meanwhile`: they changed since.
    asking: bool,
    changed_meanwhile: bool,
    /// Whether adjudicated items are hidden.
    only_open: bool,
    /// The current item.
    number: Option<u32>,
    items: HashMap<u32, std::result::Result<Loaded, String>>,
    asked: Vec<u32>,
    pending: Vec<Decide>,
    /// Tags that the verdict on an item carries.
    tags: BTreeMap<u32, Vec<String>>,
    /// The verdict after whose receipt the guidelines open.
    gap: Option<Uuid>,
    saved: Option<String>,
    /// Notes of earlier adjudications, oldest first.
    whys: Vec<String>,
    /// Lines scrolled off the item's text and the verdicts, and lines that did not fit in the last
    /// frame.
    scrolled: [usize; 2],
    overflow: [usize; 2],
    picture: Picture,
    looking: ViewState,
    /// Which of several pictures is drawn, and the content of their files.
    drawn: (Show, Option<String>),
    pair: Option<Sides>,
}

impl AdjudicatePane {
    /// Requests everything about the round.
    fn ask_all(&mut self, cx: &mut Context<'_>) {
        self.refresh(cx);
        self.ask_about(false, cx);
    }

    /// Requests the disputes again after new verdicts, but not while a request is pending.
    fn refresh(&mut self, cx: &mut Context<'_>) {
        let Some(round) = self.round.clone() else {
            return;
        };
        if self.asking {
            self.changed_meanwhile = true;
            return;
        }
        self.asking = true;
        let ask = request::Disputes(round.clone());
        cx.ask(ask, move |pane: &mut Self, disputes, cx| {
            pane.on_disputes(&round, disputes, cx);
        });
    }

    /// Requests what adjudicators may see, and the guidelines. `show` shows the verdicts under
    /// earlier ones.
    fn ask_about(&self, show: bool, cx: &mut Context<'_>) {
        let Some(round) = self.round.clone() else {
            return;
        };
        let ask = request::Adjudication(round.clone());
        cx.ask(ask, move |pane: &mut Self, about, cx| {
            if pane.round.as_ref() != Some(&round) {
                return;
            }
            match about {
                Ok(about) => pane.about = about,
                Err(problem) => return cx.refuse(error_line(&problem)),
            }
            if show && cx.env.is_shown {
                adjudication::earlier(&pane.about, cx);
            }
        });
    }

    /// Receives the rounds. A single one is chosen at once.
    fn on_rounds(&mut self, rounds: Result<Vec<RoundState>>, cx: &mut Context<'_>) {
        self.rounds = Some(rounds);
        let names = self.names();
        if let Some(round) = &self.round
            && names.contains(round)
        {
            return;
        }
        match names.as_slice() {
            [only] => self.choose(only.clone(), cx),
            [] => {}
            // Nobody waits for the question.
            _ if !cx.env.is_shown || cx.env.is_covered => {}
            _ => self.choose_round(cx),
        }
    }

    /// Names of the rounds that can have disputes, newest first.
    fn names(&self) -> Vec<String> {
        let rounds = self.rounds.iter().flatten().flatten();
        let mut names: Vec<String> = rounds
            .filter(|r| r.protocol.decides())
            .map(|r| r.name.clone())
            .collect();
        names.reverse();
        names
    }

    fn choose_round(&self, cx: &mut Context<'_>) {
        let names = self.names();
        if names.is_empty() {
            return cx.refuse("no rounds with disputes yet: create one in Rounds");
        }
        let line = |name: &String| {
            let mut rounds = self.rounds.iter().flatten().flatten();
            let round = rounds.find(|round| round.name == *name);
            (name.clone(), round.map_or(String::new(), progress))
        };
        let title = "Adjudicate which round?";
        cx.choose_of(title, names, line, |pane: &mut Self, name, cx| {
            pane.choose(name, cx);
        });
    }

    /// Switches to a round.
    fn choose(&mut self, round: String, cx: &mut Context<'_>) {
        (self.round, self.disputes, self.number) = (Some(round), None, None);
        (self.about, self.asking, self.changed_meanwhile) =
            (AdjudicationContext::default(), false, false);
        self.ask_all(cx);
    }

    /// Receives the disputes of a round. The current item stays if it is still among them.
    fn on_disputes(&mut self, round: &str, disputes: Result<Vec<Dispute>>, cx: &mut Context<'_>) {
        if self.round.as_deref() != Some(round) {
            return;
        }
        self.asking = false;
        let place = self.place();
        self.disputes = Some(disputes);
        let shown: Vec<u32> = self.shown().map(|dispute| dispute.number).collect();
        if !self.number.is_some_and(|number| shown.contains(&number)) {
            // Stay at the same position instead of jumping to the start.
            self.number = shown.get(place).or(shown.last()).copied();
            self.arrived();
        }
        self.fetch(cx);
        if std::mem::take(&mut self.changed_meanwhile) {
            self.refresh(cx);
        }
    }

    /// The visible disputes, open ones first.
    fn shown(&self) -> impl Iterator<Item = &Dispute> {
        let all = self.disputes.iter().flatten().flatten();
        all.filter(|dispute| !self.only_open || dispute.settled.is_none())
    }

    /// The index of the current item among them.
    fn place(&self) -> usize {
        self.shown()
            .position(|dispute| Some(dispute.number) == self.number)
            .unwrap_or(0)
    }

    /// The current dispute.
    fn current(&self) -> Option<&Dispute> {
        self.shown()
            .find(|dispute| Some(dispute.number) == self.number)
    }

    /// The current item, once it is loaded.
    fn loaded(&self) -> Option<&Loaded> {
        self.items.get(&self.current()?.number)?.as_ref().ok()
    }

    /// The next item, if it is loaded.
    fn next_loaded(&self) -> Option<&Loaded> {
        let next = self.shown().nth(self.place() + 1)?;
        self.items.get(&next.number)?.as_ref().ok()
    }

    fn arrived(&mut self) {
        (self.scrolled, self.picture) = ([0; 2], Picture::Loading);
        (self.looking, self.pair) = (ViewState::default(), None);
    }

    /// Requests the current item and the next one if they are missing.
    fn fetch(&mut self, cx: &mut Context<'_>) {
        let place = self.place();
        let near: Vec<u32> = self
            .shown()
            .skip(place)
            .take(2)
            .map(|dispute| dispute.number)
            .collect();
        for number in missing(&mut self.items, CACHED, near, &self.asked) {
            self.ask_item(number, cx);
        }
    }

    fn ask_item(&mut self, number: u32, cx: &mut Context<'_>) {
        self.asked.push(number);
        cx.ask(request::Item(number), move |pane: &mut Self, view, _| {
            pane.on_item(number, view);
        });
    }

    /// Requests a changed item again. The old version stays on the screen until then.
    fn changed(&mut self, number: u32, cx: &mut Context<'_>) {
        if self.number == Some(number) && cx.env.is_shown {
            self.ask_item(number, cx);
        } else {
            self.forget(number);
        }
    }

    /// Drops an item that is out of date.
    fn forget(&mut self, number: u32) {
        self.items.remove(&number);
    }

    /// Receives an item, without the parts that adjudicators may not see.
    fn on_item(&mut self, number: u32, view: Result<ItemView>) {
        self.asked.retain(|asked| *asked != number);
        let loaded = view
            .map_err(|problem| error_line(&problem))
            .map(|mut view| {
                // The verdicts are shown below the item.
                view.standing.clear();
                Loaded::from_view(view)
            });
        self.items.insert(number, loaded.flatten());
    }

    /// Goes to an item if it is a dispute.
    fn go_to(&mut self, number: u32, cx: &mut Context<'_>) {
        if self.number != Some(number) && self.shown().any(|dispute| dispute.number == number) {
            self.number = Some(number);
            self.arrived();
        }
        self.fetch(cx);
    }

    fn step(&mut self, forward: bool, cx: &mut Context<'_>) {
        let place = self.place();
        let to = if forward {
            Some(place + 1)
        } else {
            place.checked_sub(1)
        };
        match to
            .and_then(|to| self.shown().nth(to))
            .map(|dispute| dispute.number)
        {
            Some(number) => self.go_to(number, cx),
            None if self.current().is_none() => cx.refuse("nothing to adjudicate"),
            None if forward => cx.refuse("this is the last item"),
            None => cx.refuse("this is the first item"),
        }
    }

    /// Goes to the next open dispute; wraps around.
    fn next_open(&mut self, cx: &mut Context<'_>) {
        let place = self.place();
        let open: Vec<(usize, u32)> = self
            .shown()
            .enumerate()
            .filter(|(_, d)| self.is_open(d))
            .map(|(at, d)| (at, d.number))
            .collect();
        let next = open
            .iter()
            .find(|(at, _)| *at > place)
            .or(open.first())
            .map(|(_, number)| *number);
        match next {
            Some(number) if Some(number) != self.number => self.go_to(number, cx),
            Some(_) => cx.refuse("no other unsettled item"),
            None => cx.refuse("all items are settled"),
        }
    }

    /// Whether the dispute is open and no verdict on it is being saved.
    fn is_open(&self, dispute: &Dispute) -> bool {
        dispute.settled.is_none()
            && !self
                .pending
                .iter()
                .any(|decide| decide.number == dispute.number)
    }

    /// Shows or hides adjudicated items.
    fn show_adjudicated(&mut self, cx: &mut Context<'_>) {
        self.only_open = !self.only_open;
        let number = self
            .current()
            .or_else(|| self.shown().next())
            .map(|dispute| dispute.number);
        if self.number != number {
            self.number = number;
            self.arrived();
        }
        self.fetch(cx);
        cx.say(if self.only_open {
            "unsettled items only"
        } else {
            "all items, settled ones too"
        });
    }

    fn scroll(&mut self, which: usize, lines: isize, cx: &mut Context<'_>) {
        let to = self.scrolled[which]
            .saturating_add_signed(lines)
            .min(self.overflow[which]);
        if to == std::mem::replace(&mut self.scrolled[which], to) {
            cx.say("no more text in that direction");
        }
    }

    fn turn(&mut self, cx: &mut Context<'_>) {
        match self.pair.clone() {
            Some(sides) => self.looking.turn(&sides, false),
            None => cx.refuse("this item has one picture only"),
        }
    }
}

impl Pane for AdjudicatePane {
    fn help(&self, keys: &Keymap) -> String {
        format!(
            "Items of a round on which annotators differ, unsettled ones first. {}, {}, and {} settle one and ask for a note; {} also \
             opens the guidelines to close a gap. {} lists items judged under earlier guidelines.",
            keys.press(Action::AdjudicateAccept),
            keys.press(Action::AdjudicateReject),
            keys.press(Action::AdjudicateFix),
            keys.press(Action::GuidelineGap),
            keys.press(Action::EarlierGuidelines)
        )
    }

    fn open(&mut self, cx: &mut Context<'_>) {
        (self.asking, self.changed_meanwhile) = (false, false);
        self.asked.clear();
        self.items.clear();
        cx.ask(request::Rounds, Self::on_rounds);
        self.ask_all(cx);
    }

    fn act(&mut self, action: Action, cx: &mut Context<'_>) {
        match action {
            Action::Back => cx.leave(),
            Action::NextDispute => self.step(true, cx),
            Action::PreviousDispute => self.step(false, cx),
            Action::NextOpen => self.next_open(cx),
            Action::ChooseRound => self.choose_round(cx),
            Action::ShowAdjudicated => self.show_adjudicated(cx),
            Action::EarlierGuidelines => self.ask_about(true, cx),
            Action::OpenGuidelines => match &self.about.guidelines {
                Some(path) => cx.edit(path, EditAt::Line(1)),
                None => {
                    cx.refuse("no guidelines; `benchtop round new --guidelines PATH` sets them")
                }
            },
            Action::AdjudicateTag => self.ask_tags(cx),
            Action::AdjudicateMark => self.mark_in_review(cx),
            Action::ReviewDispute => match self.current() {
                Some(dispute) => cx.open(Target::Item(dispute.number)),
                None => cx.refuse("no item"),
            },
            Action::VerdictsDown => self.scroll(1, 3, cx),
            Action::VerdictsUp => self.scroll(1, -3, cx),
            Action::TextDown => self.scroll(0, 3, cx),
            Action::TextUp => self.scroll(0, -3, cx),
            Action::OtherSide => self.turn(cx),
            Action::AdjudicateAccept => self.judge(Verdict::Accept, false, cx),
            Action::AdjudicateReject => self.judge(Verdict::Reject, false, cx),
            Action::AdjudicateFix => self.judge(Verdict::Fix, false, cx),
            Action::GuidelineGap => self.judge(Verdict::Reject, true, cx),
            other => cx.refuse(format!("`{}` does nothing in adjudication", other.name())),
        }
    }

    fn on_notice(&mut self, notice: Notice<'_>, cx: &mut Context<'_>) {
        match notice {
            Notice::Reconnected => self.resend(cx),
            Notice::Resync if cx.env.is_shown => self.open(cx),
            Notice::Recount if cx.env.is_shown => self.refresh(cx),
            Notice::Item(number) => self.changed(number, cx),
            Notice::TakenBack { receipt, .. } if cx.env.is_shown => self.go_to(receipt.number, cx),
            // The user may have edited the guidelines.
            Notice::Edited if cx.env.is_shown => {
                self.refresh(cx);
                self.ask_about(true, cx);
            }
            _ => {}
        }
    }

    fn painted(&self) -> Vec<Painted> {
        let (Some(loaded), Some(current)) = (self.loaded(), self.current()) else {
            return Vec::new();
        };
        let pictures = painted(
            &loaded.item,
            self.pair.as_ref(),
            self.drawn.0,
            &self.picture,
            false,
        );
        vec![Painted {
            number: current.number,
            rev: loaded.rev,
            text_rev: loaded.text_rev,
            ready: !matches!(self.picture, Picture::Loading),
            pictures,
        }]
    }

    fn has_unsaved(&self) -> bool {
        !self.pending.is_empty()
    }

    fn is_empty(&self, _scene: &Scene<'_>) -> bool {
        matches!(self.rounds, Some(Ok(_))) && self.names().is_empty()
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position> {
        self.prepare_picture(area, scene);
        self.draw_parts(area, buf, scene);
        None
    }
}

#[cfg(test)]
mod tests;
