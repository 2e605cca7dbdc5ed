//! Working through a round in the review: what is asked of the owner, and what its answers put on the screen.

use super::connection::Pending;
use super::overlay::{ConfirmFor, Overlay, PromptFor};
use super::{App, PaneId};
use crate::action::{Action, Scope};
use crate::panes::review::{Phase, Then, Viewed, is_wide, pace};
use crate::panes::rounds::guidelines_page;
use crate::widgets::prompt::Prompt;
use crate::widgets::toast::Toast;
use benchtop_model::round::state::{GuidelinesText, RoundState};
use benchtop_model::{ErrorKind, Judgement, Result, Verdict};
use benchtop_protocol::wire::{AnyReply, Request, request};

/// Time between two questions for the next item while others have in hand what is left: what they give back is not told
/// by itself.
const WAIT_MS: u64 = 10_000;

impl App {
    /// Begins to work on a round.
    pub(super) fn work_on(&mut self, round: RoundState) {
        let me = self.link.who();
        if !round.people.iter().any(|(name, _)| name == me) {
            let people: Vec<&str> = round.people.iter().map(|(name, _)| name.as_str()).collect();
            return self.say(Toast::warning(format!(
                "`{}` is for {}; you are {me}",
                round.name,
                people.join(", ")
            )));
        }
        (self.at, self.back_to) = (PaneId::Review, None);
        self.painted = None;
        if self
            .review
            .work()
            .is_some_and(|work| work.state.name == round.name)
        {
            // It is worked on already: what is in hand stays there.
            self.dirty = true;
            return self.ask_next();
        }
        self.give_back();
        let reasons = self
            .welcome
            .reasons
            .iter()
            .map(|r| (r.key.clone(), r.label.clone()))
            .collect();
        let effects = self.review.begin_round(round, reasons);
        self.carry_out(effects);
        self.ask_next();
    }

    /// Takes up the round that was worked on when the program was left.
    pub(super) fn resume(&mut self, name: &str, answer: Result<AnyReply>) {
        let Ok(rounds) = answer.and_then(request::Rounds::reply) else {
            return;
        };
        if let Some(round) = rounds
            .into_iter()
            .find(|r| r.name == name && r.closed.is_none())
        {
            self.work_on(round);
        }
    }

    /// Asks for the next item; while one is in hand that makes its lease longer.
    pub(super) fn ask_next(&mut self) {
        self.round_due = None;
        let Some(work) = self.review.work_mut() else {
            return;
        };
        if matches!(work.phase, Phase::Saving(_) | Phase::Told(..)) {
            return;
        }
        let (ask, name) = (work.ask(), work.state.name.clone());
        self.link
            .ask(Pending::Turn(name.clone(), ask), request::Next(name));
    }

    /// Takes in what there is to judge next.
    pub(super) fn turned(&mut self, round: &str, ask: u64, answer: Result<AnyReply>) {
        let turn = answer.and_then(request::Next::reply);
        let here = self.review.work().filter(|work| work.state.name == round);
        let Some(work) = here else {
            // The round was left before the item came: nobody is to wait for it.
            return self
                .link
                .ask(Pending::Nothing, request::Release(round.into()));
        };
        if !work.is_newest(ask) {
            return;
        }
        let now = self.now();
        match turn {
            Ok(turn) => {
                let (new, effects) = self.review.serve(turn, now);
                if new {
                    self.painted = None;
                }
                self.carry_out(effects);
                self.look_at_guidelines();
            }
            Err(problem) if problem.kind == ErrorKind::Unreachable => {}
            Err(problem) => {
                if let Some(work) = self.review.work_mut() {
                    work.phase = Phase::Failed(problem.to_string());
                }
            }
        }
        self.watch_round();
    }

    /// When the round on the screen is to be looked at again: to say how long an item is still one's own, or to ask whether
    /// there is one.
    pub(super) fn watch_round(&mut self) {
        let now = self.now();
        self.round_due = self.review.work().and_then(|work| match work.phase {
            Phase::Wait(_) => Some(now + WAIT_MS),
            _ => work.lease_due(now),
        });
    }

    /// The time came.
    pub(super) fn round_again(&mut self) {
        self.round_due = None;
        match self.review.work().map(|work| &work.phase) {
            Some(Phase::Wait(_)) => self.ask_next(),
            Some(_) => {
                self.dirty |= self.at == PaneId::Review;
                self.watch_round();
            }
            None => {}
        }
    }

    /// Somebody is at the keyboard: an item that is not theirs for long any more is asked for again.
    pub(super) fn renew(&mut self) {
        let now = self.now();
        if self.at == PaneId::Review
            && self
                .review
                .work()
                .is_some_and(|work| work.wants_renewal(now))
        {
            self.ask_next();
        }
    }

    /// A verdict of the round is on disk.
    pub(super) fn judged_in_round(&mut self, then: Then) {
        match (then, self.review.work()) {
            (Then::Feedback(number, verdict), Some(work)) => {
                let round = work.state.name.clone();
                self.link.ask(
                    Pending::Feedback(round.clone(), verdict),
                    request::Feedback { round, number },
                );
            }
            _ => self.ask_next(),
        }
    }

    /// Takes in what the item of practice is.
    pub(super) fn told(&mut self, round: &str, verdict: Verdict, answer: Result<AnyReply>) {
        if self
            .review
            .work()
            .is_none_or(|work| work.state.name != round)
        {
            return;
        }
        match answer.and_then(request::Feedback::reply) {
            Ok(feedback) => self.review.told(feedback, verdict),
            _ => self.ask_next(),
        }
    }

    /// Rounds or the connection are others now: what is in hand is asked for again.
    pub(super) fn round_changed(&mut self) {
        if self.review.work().is_some() {
            self.ask_next();
        }
    }

    /// Gives back what is in hand. Its number.
    pub(super) fn give_back(&mut self) -> Option<u32> {
        let work = self.review.work()?;
        let number = work.holds()?;
        let name = work.state.name.clone();
        self.link.ask(Pending::Released, request::Release(name));
        Some(number)
    }

    /// Ends the work on the round, if there is one: what is in hand is given back, and that is said.
    pub(super) fn leave_round(&mut self) {
        let Some(name) = self.review.work().map(|work| work.state.name.clone()) else {
            return;
        };
        let back = self
            .give_back()
            .map_or(String::new(), |number| format!("#{number} is given back; "));
        let effects = self.review.end_round();
        self.painted = None;
        self.carry_out(effects);
        self.round_due = None;
        let rounds = self.keymap.press(Action::GoRounds);
        self.say(Toast::info(format!(
            "{back}you left the round `{name}`: {rounds} leads to it again"
        )));
    }

    /// Does what an action means in a round; false where it means what it means anywhere.
    pub(super) fn round_action(&mut self, action: Action, at: u64) -> bool {
        let Some(work) = self.review.work() else {
            return false;
        };
        let (name, phase, answers) = (
            work.state.name.clone(),
            work.phase.clone(),
            work.asks_answers(),
        );
        match action {
            Action::Back => {
                self.leave_round();
                self.go_rounds();
            }
            Action::GoOn | Action::Next if matches!(phase, Phase::Told(..)) => {
                if let Some(work) = self.review.work_mut() {
                    work.phase = Phase::Asking;
                }
                self.ask_next();
            }
            Action::GoOn if phase == Phase::Item => {
                let pass = self.keymap.press(Action::Skip);
                self.say(Toast::info(format!(
                    "this item waits for your verdict; {pass} passes over it"
                )));
            }
            Action::GoOn => self.ask_next(),
            Action::RoundGuidelines => self.show_guidelines(),
            Action::OwnPace => {
                let page = self
                    .review
                    .work()
                    .map(|work| pace::page(&name, &work.pace()));
                self.overlay = page.map(Overlay::Page);
            }
            Action::Accept | Action::Reject if answers => {
                let key = self.keymap.press(Action::TypeAnswer);
                self.say(Toast::info(format!(
                    "this round asks for the answer: press its letter, or {key} types it"
                )));
            }
            Action::Next
            | Action::Previous
            | Action::FirstItem
            | Action::LastItem
            | Action::NextPending
            | Action::Doubtful
            | Action::Find => {
                let (pass, back) = (
                    self.keymap.press(Action::Skip),
                    self.keymap.press(Action::Back),
                );
                let said = format!(
                    "in a round one item comes after another: {pass} passes over it, {back} leaves"
                );
                self.say(Toast::info(said));
            }
            Action::Explain if self.in_the_dark() => {
                self.say(Toast::info(
                    "in a round an item is judged without what machines say of it",
                ));
            }
            other if other.scope() == Scope::Answers => self.answer(other, at),
            _ => return false,
        }
        true
    }

    /// Answers the question on the screen.
    fn answer(&mut self, action: Action, at: u64) {
        let Some(viewed) = self.viewed(at) else {
            return;
        };
        let options = self
            .review
            .current()
            .map_or(0, |loaded| loaded.item.options.len());
        let letters = [
            Action::AnswerA,
            Action::AnswerB,
            Action::AnswerC,
            Action::AnswerD,
            Action::AnswerE,
        ];
        let said = match letters.iter().position(|a| *a == action) {
            Some(at) if at < options => benchtop_model::Item::letter(at),
            Some(_) => {
                return self.say(Toast::info(format!("this question has {options} options")));
            }
            None if action == Action::TypeAnswer => {
                return self.once_seen(viewed, ConfirmFor::AskAnswer);
            }
            None if options > 0 => {
                return self.say(Toast::info(
                    "this question has options: press the letter of one",
                ));
            }
            None => if action == Action::AnswerYes {
                "yes"
            } else {
                "no"
            }
            .to_string(),
        };
        self.once_seen(viewed, ConfirmFor::Answer(said));
    }

    /// Asks for the answer as text.
    pub(super) fn ask_answer(&mut self, viewed: Viewed) {
        let prompt = Prompt::new("your answer", "", Vec::new());
        self.overlay = Some(Overlay::Prompt(PromptFor::Answer(viewed), prompt));
    }

    pub(super) fn answer_with(&mut self, viewed: &Viewed, answer: String) {
        let note = self.take_note(viewed.number);
        let judgement = Judgement {
            note,
            answer: Some(answer),
            ..viewed.judgement(Verdict::Answer)
        };
        let effects = self.review.decide(viewed.number, viewed.rev, judgement);
        self.carry_out(effects);
    }

    /// The guidelines are asked for when the work begins, and when they are others than those that were shown.
    fn look_at_guidelines(&mut self) {
        let Some(work) = self.review.work_mut() else {
            return;
        };
        if work.guidelines_changed() {
            let name = work.state.name.clone();
            self.link
                .ask(Pending::Guidelines(name.clone()), request::Guidelines(name));
        }
    }

    /// Takes the guidelines in, and shows them.
    pub(super) fn guidelines_came(&mut self, round: &str, answer: Result<AnyReply>) {
        let text = answer.and_then(request::Guidelines::reply);
        let Some(work) = self
            .review
            .work_mut()
            .filter(|work| work.state.name == round)
        else {
            return;
        };
        let text: GuidelinesText = match text {
            Ok(Some(text)) => text,
            Ok(None) => return,
            Err(problem) => return self.say(Toast::from(&problem)),
        };
        let others = work.guidelines.replace(text).is_some();
        work.beside = true;
        let key = self.keymap.press(Action::RoundGuidelines);
        let said = if others {
            "the guidelines changed"
        } else {
            "the guidelines of this round"
        };
        if self.at == PaneId::Review && self.overlay.is_none() && !is_wide(self.pane) {
            self.overlay = self.guidelines();
        }
        self.say(Toast::info(format!("{said}: {key} shows or hides them")));
    }

    fn guidelines(&self) -> Option<Overlay> {
        let work = self.review.work()?;
        let text = work.guidelines.as_ref()?;
        Some(Overlay::Page(guidelines_page(&work.state.name, text)))
    }

    /// Shows the guidelines beside the item, or hides them; where there is no room they are a page.
    fn show_guidelines(&mut self) {
        if self
            .review
            .work()
            .is_none_or(|work| work.guidelines.is_none())
        {
            return self.say(Toast::info("this round has no guidelines"));
        }
        match self.review.work_mut() {
            Some(work) if is_wide(self.pane) => work.beside = !work.beside,
            _ => self.overlay = self.guidelines(),
        }
    }

    /// Sets what stands over the item of a round; called before drawing.
    pub(super) fn set_round_header(&mut self) {
        let Some(work) = self.review.work() else {
            return;
        };
        let key = |action| self.keymap.press(action);
        let named = |action: Action| (key(action), action.name().to_string());
        let as_said = |action: Action, said: &str| (key(action), said.to_string());
        let keys = match (&work.phase, work.state.protocol.keys()) {
            (Phase::Item | Phase::Saving(_) | Phase::Asking, Some(keys)) => vec![
                as_said(Action::Accept, keys.accept),
                as_said(Action::Reject, keys.reject),
                named(Action::Unsure),
                named(Action::Flag),
                named(Action::Skip),
            ],
            (Phase::Item | Phase::Saving(_) | Phase::Asking, None) => {
                let options = self
                    .review
                    .current()
                    .map_or(0, |loaded| loaded.item.options.len());
                let mut keys = match options {
                    0 => vec![named(Action::AnswerYes), named(Action::AnswerNo)],
                    _ => vec![as_said(Action::AnswerA, "first option")],
                };
                keys.extend([
                    named(Action::TypeAnswer),
                    named(Action::Unsure),
                    named(Action::Skip),
                ]);
                keys
            }
            (Phase::Told(..) | Phase::Wait(_) | Phase::Failed(_), _) => {
                vec![named(Action::GoOn), named(Action::Back)]
            }
            (Phase::Finished | Phase::Closed, _) => {
                vec![
                    as_said(Action::GoRounds, "the rounds"),
                    as_said(Action::GoList, "the items"),
                    named(Action::Back),
                ]
            }
        };
        let note = match &work.phase {
            Phase::Wait(until) => Some(wait_words(*until)),
            Phase::Item if work.served.as_ref().is_some_and(|served| served.elsewhere) => {
                Some("you work on it at another terminal too: the first verdict counts".into())
            }
            _ => work.lease_words(self.now()).or_else(|| {
                let pace = key(Action::OwnPace);
                work.offer()
                    .map(|offer| format!("{offer} ({pace} shows your pace)"))
            }),
        };
        if let Some(work) = self.review.work_mut() {
            work.set_header(keys, note);
        }
    }

    /// Whether nothing on the screen may tell where items stand: a blind round is worked on.
    pub(super) fn in_the_dark(&self) -> bool {
        self.at == PaneId::Review
            && self
                .review
                .work()
                .is_some_and(|work| work.state.blind || work.asks_answers())
    }

    /// Takes in an answer that was typed.
    pub(super) fn answered_in_words(&mut self, viewed: Viewed, mut prompt: Prompt, said: &str) {
        if said.trim().is_empty() {
            prompt.refuse("an answer is a letter of an option, or a text");
            self.overlay = Some(Overlay::Prompt(PromptFor::Answer(viewed), prompt));
            return;
        }
        self.answer_with(&viewed, said.trim().into());
    }

    /// A verdict of the round was refused, or one was taken back: what is in hand now is asked for.
    pub(super) fn refused_in_round(&mut self) {
        if let Some(work) = self.review.work_mut() {
            work.phase = Phase::Asking;
            self.ask_next();
        }
    }
}

/// When the first of others' leases ends, in words.
fn wait_words(until: i64) -> String {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let left = until
        .saturating_sub(i64::try_from(now.as_millis()).unwrap_or(i64::MAX))
        .max(0);
    match (left + 59_999) / 60_000 {
        0 | 1 => "the first of them is to be done within a minute".into(),
        minutes => format!("the first of them is to be done within {minutes} minutes"),
    }
}
