//! The adjudication pane: items of a round on which annotators differ, their verdicts side by side,
//! and the final verdict. Names and scores are hidden unless the round shows them.
//!
//! | file | what it does |
//! |---|---|
//! | `adjudication` | from a key to a saved verdict |
//! | `draw`, `sides` | drawing; the verdicts side by side |
//! | `effects` | the effects for the program to carry out |

mod adjudication;
mod draw;
mod effects;
mod sides;

use std::collections::HashMap;

pub use adjudication::{Adjudication, GAP};
pub use draw::{Keys, Layout};
pub use effects::{AdjudicateEffect, ChoiceFor, ReplyFor};
use uuid::Uuid;

use super::metadata::edit_session::error_line;
use super::review::{Loaded, Painted, Picture, Sides, ViewState, painted};
use crate::action::{Action, Scope};
use crate::preview::Show;
use benchtop_model::Result;
use benchtop_model::round::state::{AdjudicationContext, Dispute, RoundState};
use benchtop_protocol::wire::{Decide, ItemView, request};

/// Items kept in memory around the current one.
const CACHED: usize = 16;

use AdjudicateEffect as Effect;

fn refuse(why: impl Into<String>) -> Vec<Effect> {
    vec![Effect::Refuse(why.into())]
}

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
    pub fn new() -> AdjudicatePane {
        AdjudicatePane::default()
    }

    /// The scopes with live keys, nearest first.
    pub fn scopes(&self) -> &'static [Scope] {
        &[Scope::Adjudicate, Scope::Global]
    }

    /// Opens the pane or reloads it.
    pub fn start(&mut self) -> Vec<Effect> {
        (self.asking, self.changed_meanwhile) = (false, false);
        self.asked.clear();
        self.items.clear();
        let mut effects = vec![Effect::Ask(ReplyFor::Rounds, request::Rounds.into())];
        effects.extend(self.ask_all());
        effects
    }

    /// Requests everything about the round.
    fn ask_all(&mut self) -> Vec<Effect> {
        let mut effects = self.refresh();
        effects.extend(self.ask_about(false));
        effects
    }

    /// Requests the disputes again after new verdicts, but not while a request is pending.
    pub fn refresh(&mut self) -> Vec<Effect> {
        let Some(round) = self.round.clone() else {
            return Vec::new();
        };
        if self.asking {
            self.changed_meanwhile = true;
            return Vec::new();
        }
        self.asking = true;
        vec![Effect::Ask(
            ReplyFor::Disputes(round.clone()),
            request::Disputes(round).into(),
        )]
    }

    /// Requests what adjudicators may see, and the guidelines.
    pub fn ask_about(&self, show: bool) -> Vec<Effect> {
        let ask = |round: &String| {
            Effect::Ask(
                ReplyFor::About(round.clone(), show),
                request::Adjudication(round.clone()).into(),
            )
        };
        self.round.iter().map(ask).collect()
    }

    /// Receives the rounds. A single one is chosen at once.
    pub fn on_rounds(&mut self, rounds: Result<Vec<RoundState>>) -> Vec<Effect> {
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

    fn ask_round(&self) -> Vec<Effect> {
        let names = self.names();
        if names.is_empty() {
            return refuse("no rounds with disputes yet: create one in Rounds");
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
            title: "Adjudicate which round?".into(),
            lines,
        }]
    }

    /// Switches to a round.
    fn choose(&mut self, round: String) -> Vec<Effect> {
        (self.round, self.disputes, self.number) = (Some(round), None, None);
        (self.about, self.asking, self.changed_meanwhile) =
            (AdjudicationContext::default(), false, false);
        self.ask_all()
    }

    /// Receives a choice.
    pub fn chosen(&mut self, purpose: &ChoiceFor, pick: usize) -> Vec<Effect> {
        let ChoiceFor::Round(names) = purpose;
        names
            .get(pick)
            .cloned()
            .map_or(Vec::new(), |name| self.choose(name))
    }

    /// Receives the disputes of a round. The current item stays if it is still among them.
    pub fn on_disputes(&mut self, round: &str, disputes: Result<Vec<Dispute>>) -> Vec<Effect> {
        if self.round.as_deref() != Some(round) {
            return Vec::new();
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
        let mut effects = self.fetch();
        if std::mem::take(&mut self.changed_meanwhile) {
            effects.extend(self.refresh());
        }
        effects
    }

    /// Receives what adjudicators may see, and the guidelines.
    pub fn on_context(
        &mut self,
        round: &str,
        show: bool,
        about: Result<AdjudicationContext>,
    ) -> Vec<Effect> {
        if self.round.as_deref() != Some(round) {
            return Vec::new();
        }
        match about {
            Ok(about) => self.about = about,
            Err(problem) => return refuse(error_line(&problem)),
        }
        if show {
            adjudication::earlier(&self.about)
        } else {
            Vec::new()
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
    pub fn current(&self) -> Option<&Dispute> {
        self.shown()
            .find(|dispute| Some(dispute.number) == self.number)
    }

    /// The current item, once it is loaded.
    pub fn loaded(&self) -> Option<&Loaded> {
        self.items.get(&self.current()?.number)?.as_ref().ok()
    }

    /// The next item, if it is loaded.
    pub fn next_loaded(&self) -> Option<&Loaded> {
        let next = self.shown().nth(self.place() + 1)?;
        self.items.get(&next.number)?.as_ref().ok()
    }

    /// What the last frame painted of the current item.
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
        (self.looking, self.pair) = (ViewState::default(), None);
    }

    /// Requests the current item and the next one if they are missing.
    fn fetch(&mut self) -> Vec<Effect> {
        let place = self.place();
        let near: Vec<u32> = self
            .shown()
            .skip(place)
            .take(2)
            .map(|dispute| dispute.number)
            .collect();
        if self.items.len() > CACHED {
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
        Effect::Ask(ReplyFor::Item(number), request::Item(number).into())
    }

    /// Requests a changed item again. The old version stays on the screen until then.
    pub fn changed(&mut self, number: u32) -> Vec<Effect> {
        if self.number == Some(number) {
            return vec![self.ask_item(number)];
        }
        self.forget(number);
        Vec::new()
    }

    /// Drops an item that is out of date.
    pub fn forget(&mut self, number: u32) {
        self.items.remove(&number);
    }

    /// Receives an item, without the parts that adjudicators may not see.
    pub fn on_item(&mut self, number: u32, view: Result<ItemView>) {
        self.asked.retain(|asked| *asked != number);
        let loaded = view
            .map_err(|problem| error_line(&problem))
            .and_then(Loaded::from_view);
        // The verdicts are shown below the item.
        let loaded = loaded.map(|loaded| Loaded {
            standing: Vec::new(),
            ..loaded
        });
        self.items.insert(number, loaded);
    }

    /// Goes to an item if it is a dispute.
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
            None if self.current().is_none() => refuse("nothing to adjudicate"),
            None if forward => refuse("this is the last item"),
            None => refuse("this is the first item"),
        }
    }

    /// Goes to the next open dispute; wraps around.
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
            Some(_) => refuse("no other open item"),
            None => refuse("all items are adjudicated"),
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

    /// Runs an action. Verdicts go through [`Settle`].
    pub fn act(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Back => vec![Effect::Leave],
            Action::NextDispute => self.step(true),
            Action::PreviousDispute => self.step(false),
            Action::NextOpen => self.next_open(),
            Action::ChooseRound => self.ask_round(),
            Action::ShowAdjudicated => {
                self.only_open = !self.only_open;
                let text = if self.only_open {
                    "open items only"
                } else {
                    "all items, adjudicated ones too"
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
                effects.push(Effect::Say(text.into()));
                effects
            }
            Action::EarlierGuidelines => self.ask_about(true),
            Action::OpenGuidelines => match &self.about.guidelines {
                Some(path) => vec![Effect::Edit(path.clone())],
                None => refuse("no guidelines; `benchtop round new --guidelines PATH` sets them"),
            },
            Action::ReviewDispute => match self.current() {
                Some(dispute) => vec![Effect::Item(dispute.number)],
                None => refuse("no item"),
            },
            Action::VerdictsDown => self.scroll(1, 3),
            Action::VerdictsUp => self.scroll(1, -3),
            Action::TextDown => self.scroll(0, 3),
            Action::TextUp => self.scroll(0, -3),
            Action::OtherSide => self.turn(),
            other => refuse(format!("`{}` does nothing in adjudication", other.name())),
        }
    }

    fn scroll(&mut self, which: usize, lines: isize) -> Vec<Effect> {
        let to = self.scrolled[which]
            .saturating_add_signed(lines)
            .min(self.overflow[which]);
        if to == std::mem::replace(&mut self.scrolled[which], to) {
            return vec![Effect::Say("no more text in that direction".into())];
        }
        Vec::new()
    }

    fn turn(&mut self) -> Vec<Effect> {
        let Some(sides) = self.pair.clone() else {
            return refuse("this item has one picture only");
        };
        self.looking.turn(&sides, false);
        Vec::new()
    }
}
