//! The adjudication pane: the items of a round on which people differ, their verdicts side by side, and the verdict that
//! settles each. Neither names nor scores are shown unless the round says so.
//!
//! | file | what it does |
//! |---|---|
//! | `settle` | from a key to a verdict that is saved |
//! | `draw` | one frame; `sides` the verdicts beside each other |
//! | `effects` | what it asks of the program |

mod draw;
mod effects;
mod settle;
mod sides;

use std::collections::HashMap;

pub use draw::{Keys, Layout};
pub use effects::{AdjudicateEffect, ChoiceFor, Want};
pub use settle::{GAP, Settle};
use uuid::Uuid;

use super::metadata::edit_session::said;
use super::review::{Loaded, Looking, Painted, Picture, Sides, painted};
use crate::action::{Action, Scope};
use crate::preview::Show;
use benchtop_model::Result;
use benchtop_model::round::state::{Adjudicating, Dispute, RoundState};
use benchtop_protocol::wire::{Decide, ItemView, request};

/// Items kept ready around the one on screen.
const KEPT: usize = 16;

use AdjudicateEffect as Effect;

fn refuse(why: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Refuse(why.into())]
}

/// See the module's text.
#[derive(Debug, Default)]
pub struct AdjudicatePane {
    rounds: Option<Result<Vec<RoundState>>>,
    /// The round that is settled.
    round: Option<String>,
    disputes: Option<Result<Vec<Dispute>>>,
    about: Adjudicating,
    /// Disputes are on their way; more happened since they were asked for.
    asking: bool,
    again: bool,
    /// Only what is still to be settled.
    only_open: bool,
    /// The item on screen.
    number: Option<u32>,
    items: HashMap<u32, std::result::Result<Loaded, String>>,
    asked: Vec<u32>,
    pending: Vec<Decide>,
    /// The verdict after whose receipt the guidelines are opened.
    gap: Option<Uuid>,
    saved: Option<String>,
    /// Why items were settled as they were, oldest first.
    whys: Vec<String>,
    /// Lines of the item's text and of the verdicts that are scrolled away, and that did not fit in the last frame.
    scrolled: [usize; 2],
    overflow: [usize; 2],
    picture: Picture,
    looking: Looking,
    /// What of several pictures is drawn, and the content of which files.
    drawn: (Show, Option<String>),
    pair: Option<Sides>,
}

impl AdjudicatePane {
    /// A pane that knows of no rounds yet.
    pub fn new() -> AdjudicatePane {
        AdjudicatePane::default()
    }

    /// Scopes whose keys are live now, the nearest first.
    pub fn scopes(&self) -> &'static [Scope] {
        &[Scope::Adjudicate, Scope::Global]
    }

    /// Shown, or connected again: everything is asked for.
    pub fn start(&mut self) -> Vec<Effect> {
        (self.asking, self.again) = (false, false);
        self.asked.clear();
        self.items.clear();
        let mut effects = vec![Effect::Ask(Want::Rounds, request::Rounds.into())];
        effects.extend(self.ask_all());
        effects
    }

    /// Asks for everything of the round that is settled.
    fn ask_all(&mut self) -> Vec<Effect> {
        let mut effects = self.refresh();
        effects.extend(self.ask_about(false));
        effects
    }

    /// Verdicts came in: asks for the disputes again, once those that are on their way are here.
    pub fn refresh(&mut self) -> Vec<Effect> {
        let Some(round) = self.round.clone() else {
            return Vec::new();
        };
        if self.asking {
            self.again = true;
            return Vec::new();
        }
        self.asking = true;
        vec![Effect::Ask(
            Want::Disputes(round.clone()),
            request::Disputes(round).into(),
        )]
    }

    /// Asks what adjudicators see, and which guidelines hold.
    pub fn ask_about(&self, show: bool) -> Vec<Effect> {
        let ask = |round: &String| {
            Effect::Ask(
                Want::About(round.clone(), show),
                request::Adjudication(round.clone()).into(),
            )
        };
        self.round.iter().map(ask).collect()
    }

    /// Takes the rounds in; the only one there is is settled.
    pub fn take_rounds(&mut self, rounds: Result<Vec<RoundState>>) -> Vec<Effect> {
        self.rounds = Some(rounds);
        let names = self.names();
        if let Some(round) = &self.round
            && names.contains(round)
        {
            return Vec::new();
        }
        match names.as_slice() {
            [only] => self.choose(only.clone()),
            [] => Vec::new(),
            _ => self.ask_round(),
        }
    }

    /// Names of the rounds in which verdicts decide, the newest first.
    fn names(&self) -> Vec<String> {
        let rounds = self.rounds.iter().flatten().flatten();
        let mut names: Vec<String> = rounds
            .filter(|r| r.protocol.decides())
            .map(|r| r.name.clone())
            .collect();
        names.reverse();
        names
    }

    fn ask_round(&self) -> Vec<Effect> {
        let names = self.names();
        if names.is_empty() {
            return refuse("no round decides anything yet: one is drawn in Rounds");
        }
        let rounds: Vec<&RoundState> = self.rounds.iter().flatten().flatten().collect();
        let about = |name: &String| {
            let round = rounds.iter().find(|round| round.name == *name);
            round.map_or(String::new(), |r| {
                format!("{}, {} of {} verdicts", r.protocol, r.judged, r.wanted)
            })
        };
        let lines = names
            .iter()
            .map(|name| (name.clone(), about(name)))
            .collect();
        vec![Effect::AskChoice {
            purpose: ChoiceFor::Round(names),
            title: "settle which round".into(),
            lines,
        }]
    }

    /// Settles this round from now on.
    fn choose(&mut self, round: String) -> Vec<Effect> {
        (self.round, self.disputes, self.number) = (Some(round), None, None);
        (self.about, self.asking, self.again) = (Adjudicating::default(), false, false);
        self.ask_all()
    }

    /// Takes in a choice.
    pub fn chosen(&mut self, purpose: &ChoiceFor, pick: usize) -> Vec<Effect> {
        let ChoiceFor::Round(names) = purpose;
        names
            .get(pick)
            .cloned()
            .map_or(Vec::new(), |name| self.choose(name))
    }

    /// Takes the disputes of a round in; the item on screen stays where it is still one of them.
    pub fn take_disputes(&mut self, round: &str, disputes: Result<Vec<Dispute>>) -> Vec<Effect> {
        if self.round.as_deref() != Some(round) {
            return Vec::new();
        }
        self.asking = false;
        let place = self.place();
        self.disputes = Some(disputes);
        let shown: Vec<u32> = self.shown().map(|dispute| dispute.number).collect();
        if !self.number.is_some_and(|number| shown.contains(&number)) {
            // Where it was, so that nothing jumps to the beginning; at first what is still to be settled.
            self.number = shown.get(place).or(shown.last()).copied();
            self.arrived();
        }
        let mut effects = self.fetch();
        if std::mem::take(&mut self.again) {
            effects.extend(self.refresh());
        }
        effects
    }

    /// Takes in what adjudicators see and which guidelines hold.
    pub fn take_about(
        &mut self,
        round: &str,
        show: bool,
        about: Result<Adjudicating>,
    ) -> Vec<Effect> {
        if self.round.as_deref() != Some(round) {
            return Vec::new();
        }
        match about {
            Ok(about) => self.about = about,
            Err(problem) => return refuse(said(&problem)),
        }
        if show {
            settle::earlier(&self.about)
        } else {
            Vec::new()
        }
    }

    /// The disputes that are shown, those to settle first.
    fn shown(&self) -> impl Iterator<Item = &Dispute> {
        let all = self.disputes.iter().flatten().flatten();
        all.filter(|dispute| !self.only_open || dispute.settled.is_none())
    }

    /// Where the item on screen is among them, from 0.
    fn place(&self) -> usize {
        self.shown()
            .position(|dispute| Some(dispute.number) == self.number)
            .unwrap_or(0)
    }

    /// The dispute on screen.
    pub fn current(&self) -> Option<&Dispute> {
        self.shown()
            .find(|dispute| Some(dispute.number) == self.number)
    }

    /// Its item, once it is here.
    pub fn loaded(&self) -> Option<&Loaded> {
        self.items.get(&self.current()?.number)?.as_ref().ok()
    }

    /// The item that comes next, if it is here.
    pub fn next_loaded(&self) -> Option<&Loaded> {
        let next = self.shown().nth(self.place() + 1)?;
        self.items.get(&next.number)?.as_ref().ok()
    }

    /// What the last frame painted of the item on screen.
    pub fn on_screen(&self) -> Option<Painted> {
        let loaded = self.loaded()?;
        let pictures = painted(
            &loaded.item,
            self.pair.as_ref(),
            self.drawn.0,
            &self.picture,
            false,
        );
        let ready = !matches!(self.picture, Picture::Loading);
        Some(Painted {
            number: self.current()?.number,
            rev: loaded.rev,
            ready,
            pictures,
        })
    }

    fn arrived(&mut self) {
        (self.scrolled, self.picture) = ([0; 2], Picture::Loading);
        (self.looking, self.pair) = (Looking::default(), None);
    }

    /// Asks for the item on screen and the one after it, as far as they are not here.
    fn fetch(&mut self) -> Vec<Effect> {
        let place = self.place();
        let near: Vec<u32> = self
            .shown()
            .skip(place)
            .take(2)
            .map(|dispute| dispute.number)
            .collect();
        if self.items.len() > KEPT {
            self.items.retain(|number, _| near.contains(number));
        }
        let missing: Vec<u32> = near
            .into_iter()
            .filter(|n| !self.items.contains_key(n) && !self.asked.contains(n))
            .collect();
        missing
            .into_iter()
            .map(|number| self.ask_item(number))
            .collect()
    }

    fn ask_item(&mut self, number: u32) -> Effect {
        self.asked.push(number);
        Effect::Ask(Want::Item(number), request::Item(number).into())
    }

    /// An item changed: asks for it again, keeping what is on screen until it comes.
    pub fn changed(&mut self, number: u32) -> Vec<Effect> {
        if self.number == Some(number) {
            return vec![self.ask_item(number)];
        }
        self.forget(number);
        Vec::new()
    }

    /// What is known of an item is of an earlier moment.
    pub fn forget(&mut self, number: u32) {
        self.items.remove(&number);
    }

    /// Takes an item in, without what adjudicators do not see.
    pub fn take_item(&mut self, number: u32, view: Result<ItemView>) {
        self.asked.retain(|asked| *asked != number);
        let loaded = view.map_err(|problem| said(&problem)).and_then(Loaded::of);
        // What people said of it stands below it.
        let loaded = loaded.map(|loaded| Loaded {
            standing: Vec::new(),
            ..loaded
        });
        self.items.insert(number, loaded);
    }

    /// Goes to an item, if it is among the disputes.
    pub fn go_to(&mut self, number: u32) -> Vec<Effect> {
        if self.number != Some(number) && self.shown().any(|dispute| dispute.number == number) {
            self.number = Some(number);
            self.arrived();
        }
        self.fetch()
    }

    fn step(&mut self, forward: bool) -> Vec<Effect> {
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
            Some(number) => self.go_to(number),
            None if self.current().is_none() => refuse("there is nothing to settle"),
            None if forward => refuse("this is the last one"),
            None => refuse("this is the first one"),
        }
    }

    /// The next one that is still to be settled, from the beginning again at the end.
    fn next_open(&mut self) -> Vec<Effect> {
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
            Some(number) if Some(number) != self.number => self.go_to(number),
            Some(_) => refuse("this is the only one that is still to be settled"),
            None => refuse("everything is settled"),
        }
    }

    /// Whether it is still to be settled, and no verdict that settles it is on its way.
    fn is_open(&self, dispute: &Dispute) -> bool {
        dispute.settled.is_none()
            && !self
                .pending
                .iter()
                .any(|decide| decide.number == dispute.number)
    }

    /// Does an action; those that settle go by way of [`Settle`].
    pub fn act(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Back => vec![Effect::Leave],
            Action::NextDispute => self.step(true),
            Action::PreviousDispute => self.step(false),
            Action::NextOpen => self.next_open(),
            Action::ChooseRound => self.ask_round(),
            Action::ShowSettled => {
                self.only_open = !self.only_open;
                let said = if self.only_open {
                    "only what is still to be settled"
                } else {
                    "what is settled too"
                };
                let number = self
                    .current()
                    .or_else(|| self.shown().next())
                    .map(|dispute| dispute.number);
                if self.number != number {
                    self.number = number;
                    self.arrived();
                }
                let mut effects = self.fetch();
                effects.push(Effect::Say(said.into()));
                effects
            }
            Action::EarlierGuidelines => self.ask_about(true),
            Action::OpenGuidelines => match &self.about.guidelines {
                Some(path) => vec![Effect::Edit(path.clone())],
                None => refuse(
                    "this round has no guidelines: `benchtop round new --guidelines PATH` names them",
                ),
            },
            Action::ReviewDispute => match self.current() {
                Some(dispute) => vec![Effect::Item(dispute.number)],
                None => refuse("there is no item here"),
            },
            Action::VerdictsDown => self.scroll(1, 3),
            Action::VerdictsUp => self.scroll(1, -3),
            Action::TextDown => self.scroll(0, 3),
            Action::TextUp => self.scroll(0, -3),
            Action::OtherSide => self.turn(),
            other => refuse(format!("{} is not for adjudication", other.name())),
        }
    }

    fn scroll(&mut self, which: usize, lines: isize) -> Vec<Effect> {
        let to = self.scrolled[which]
            .saturating_add_signed(lines)
            .min(self.overflow[which]);
        if to == std::mem::replace(&mut self.scrolled[which], to) {
            return vec![Effect::Say("there is no more text that way".into())];
        }
        Vec::new()
    }

    fn turn(&mut self) -> Vec<Effect> {
        let Some(sides) = self.pair.clone() else {
            return refuse("this item has no second picture");
        };
        self.looking.turn(&sides, false);
        Vec::new()
    }
}
