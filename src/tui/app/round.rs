//! Working on a round in the review: requests to the owner, and their answers.

use super::connection::Pending;
use super::overlay::{ConfirmFor, Overlay, PromptFor};
use super::{App, PaneId};
use crate::action::{Action, Scope};
use crate::pane::Viewed;
use crate::panes::review::{Phase, Then, is_wide, pace};
use crate::panes::rounds::guidelines_page;
use crate::widgets::prompt::Prompt;
use crate::widgets::toast::Toast;
use benchtop_model::round::state::{GuidelinesText, RoundState};
use benchtop_model::{ErrorKind, Judgement, Result, Verdict};
use benchtop_protocol::wire::{AnyReply, Request, request};

/// Interval of requests while others hold the remaining items. Released items cause no event.
const WAIT_MS: u64 = 10_000;

impl App {
    /// Starts to work on a round.
    pub(super) fn work_on(&mut self, round: RoundState) {
        let me = self.link.who();
        if !round.people.iter().any(|(name, _)| name == me) {
            let people: Vec<&str> = round.people.iter().map(|(name, _)| name.as_str()).collect();
            return self.say(Toast::warning(format!(
                "round `{}` is assigned to {}; you are {me}",
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
            // Already working on it: keep the assignment.
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

    /// Resumes the round that was open when the program was left.
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

    /// Requests the next item, or extends the lease of the current one.
    pub(super) fn ask_next(&mut self) {
        self.round_due = None;
        let Some(work) = self.review.work_mut() else {
            return;
        };
        if matches!(work.phase, Phase::Saving(_) | Phase::Feedback(..)) {
            return;
        }
        let (ask, name) = (work.ask(), work.state.name.clone());
        self.link
            .ask(Pending::Turn(name.clone(), ask), request::Next(name));
    }

    /// Takes the next assignment.
    pub(super) fn on_assignment(&mut self, round: &str, ask: u64, answer: Result<AnyReply>) {
        let turn = answer.and_then(request::Next::reply);
        let here = self.review.work().filter(|work| work.state.name == round);
        let Some(work) = here else {
            // The round was left before the item arrived: release it at once.
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
                let (new, effects) = self.review.on_assignment(turn, now);
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

    /// Schedules the next look at the round: to update the lease, or to ask for an item.
    pub(super) fn watch_round(&mut self) {
        let now = self.now();
        self.round_due = self.review.work().and_then(|work| match work.phase {
            Phase::Wait(_) => Some(now + WAIT_MS),
            _ => work.lease_due(now),
        });
    }

    /// Runs the scheduled look at the round.
    pub(super) fn check_round(&mut self) {
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

    /// Renews a lease that is about to end, while somebody is typing.
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

    /// Takes the known answer of a practice item.
    pub(super) fn on_feedback(&mut self, round: &str, verdict: Verdict, answer: Result<AnyReply>) {
        if self
            .review
            .work()
            .is_none_or(|work| work.state.name != round)
        {
            return;
        }
        match answer.and_then(request::Feedback::reply) {
            Ok(feedback) => self.review.on_feedback(feedback, verdict),
            _ => self.ask_next(),
        }
    }

    /// Rounds or the connection changed: requests the assignment again.
    pub(super) fn round_changed(&mut self) {
        if self.review.work().is_some() {
            self.ask_next();
        }
    }

    /// Releases the assignment. Returns its item number.
    pub(super) fn give_back(&mut self) -> Option<u32> {
        let work = self.review.work()?;
        let number = work.holds()?;
        let name = work.state.name.clone();
        self.link.ask(Pending::Released, request::Release(name));
        Some(number)
    }

    /// Leaves the round, if there is one, and says so.
    pub(super) fn leave_round(&mut self) {
        let Some(name) = self.review.work().map(|work| work.state.name.clone()) else {
            return;
        };
        let back = self
            .give_back()
            .map_or(String::new(), |number| format!("released #{number}; "));
        let effects = self.review.end_round();
        self.painted = None;
        self.carry_out(effects);
        self.round_due = None;
        let rounds = self.keymap.press(Action::GoRounds);
        self.say(Toast::info(format!(
            "{back}left round `{name}`; {rounds} opens Rounds to resume it"
        )));
    }

    /// Runs an action in a round. False if it means the same as elsewhere.
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
                self.go(PaneId::Rounds);
            }
            Action::Continue | Action::Next if matches!(phase, Phase::Feedback(..)) => {
                if let Some(work) = self.review.work_mut() {
                    work.phase = Phase::Asking;
                }
                self.ask_next();
            }
            Action::Continue if phase == Phase::Item => {
                let pass = self.keymap.press(Action::Skip);
                self.say(Toast::info(format!(
                    "this item needs your verdict; {pass} skips it"
                )));
            }
            Action::Continue => self.ask_next(),
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
                    "this round asks for the answer: press its letter, or {key} to type it"
                )));
            }
            Action::Next
            | Action::Previous
            | Action::FirstItem
            | Action::LastItem
            | Action::NextPending
            | Action::ReviewFlagged
            | Action::Find => {
                let (pass, back) = (
                    self.keymap.press(Action::Skip),
                    self.keymap.press(Action::Back),
                );
                let said = format!(
                    "a round shows one item at a time; {pass} skips it, {back} leaves the round"
                );
                self.say(Toast::info(said));
            }
            Action::Explain if self.is_blind() => {
                self.say(Toast::info("a blind round hides scores and judge output"));
            }
            other if other.scope() == Scope::Answers => self.answer(other, at),
            _ => return false,
        }
        true
    }

    /// Answers the question on screen.
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
                return self.say(Toast::info(format!(
                    "this question has only {options} options"
                )));
            }
            None if action == Action::TypeAnswer => {
                return self.confirm_unseen(viewed, ConfirmFor::AskAnswer);
            }
            None if options > 0 => {
                return self.say(Toast::info("this question has options: press a letter"));
            }
            None => if action == Action::AnswerYes {
                "yes"
            } else {
                "no"
            }
            .to_string(),
        };
        self.confirm_unseen(viewed, ConfirmFor::Answer(said));
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

    /// Requests the guidelines at the start and when they changed.
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

    /// Takes the guidelines and shows them.
    pub(super) fn on_guidelines(&mut self, round: &str, answer: Result<AnyReply>) {
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
            "guidelines of this round"
        };
        if self.at == PaneId::Review && self.overlay.is_none() && !is_wide(self.pane) {
            self.overlay = self.guidelines();
        }
        self.say(Toast::info(format!("{said}; {key} shows or hides them")));
    }

    fn guidelines(&self) -> Option<Overlay> {
        let work = self.review.work()?;
        let text = work.guidelines.as_ref()?;
        Some(Overlay::Page(guidelines_page(&work.state.name, text)))
    }

    /// Shows or hides the guidelines beside the item, or as a page if there is no room.
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

    /// Sets the header above the item of a round, before drawing.
    pub(super) fn set_round_header(&mut self) {
        let Some(work) = self.review.work() else {
            return;
        };
        let key = |action| self.keymap.press(action);
        let named = |action: Action| (key(action), action.name().to_string());
        let as_said = |action: Action, said: &str| (key(action), said.to_string());
        let keys = match (&work.phase, work.state.protocol.key_labels()) {
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
            (Phase::Feedback(..) | Phase::Wait(_) | Phase::Failed(_), _) => {
                vec![named(Action::Continue), named(Action::Back)]
            }
            (Phase::Finished | Phase::Closed, _) => {
                vec![
                    as_said(Action::GoRounds, "rounds"),
                    as_said(Action::GoList, "items"),
                    named(Action::Back),
                ]
            }
        };
        let note = match &work.phase {
            Phase::Wait(until) => Some(wait_words(*until)),
            Phase::Item if work.served.as_ref().is_some_and(|served| served.elsewhere) => Some(
                "this item is also open in your other terminal; the first verdict counts".into(),
            ),
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

    /// Whether the screen must not reveal the status of items, because the round is blind.
    pub(super) fn is_blind(&self) -> bool {
        self.at == PaneId::Review
            && self
                .review
                .work()
                .is_some_and(|work| work.state.blind || work.asks_answers())
    }

    /// Takes a typed answer.
    pub(super) fn on_typed_answer(&mut self, viewed: Viewed, mut prompt: Prompt, said: &str) {
        if said.trim().is_empty() {
            prompt.refuse("type the letter of an option, or a text");
            self.overlay = Some(Overlay::Prompt(PromptFor::Answer(viewed), prompt));
            return;
        }
        self.answer_with(&viewed, said.trim().into());
    }

    /// A verdict was refused or undone: requests the assignment again.
    pub(super) fn refresh_assignment(&mut self) {
        if let Some(work) = self.review.work_mut() {
            work.phase = Phase::Asking;
            self.ask_next();
        }
    }
}

/// Describes when the first lease of others ends.
fn wait_words(until: i64) -> String {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let left = until
        .saturating_sub(i64::try_from(now.as_millis()).unwrap_or(i64::MAX))
        .max(0);
    match (left + 59_999) / 60_000 {
        0 | 1 => "the first lease ends within a minute".into(),
        minutes => format!("the first lease ends within {minutes} minutes"),
    }
}
