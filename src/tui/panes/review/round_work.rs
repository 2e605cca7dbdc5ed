//! Working on a round: requests to the owner, and their replies.

use super::pane::show_error;
use super::{Phase, ReviewPane, Then, is_wide};
use crate::action::Action;
use crate::pane::{Ask, Context, PaneId, Target};
use crate::panes::rounds::guidelines_page;
use benchtop_model::round::state::{Feedback, GuidelinesText, NextAssignment, RoundState};
use benchtop_model::{ErrorKind, Result, Verdict};
use benchtop_protocol::wire::request;

/// Interval of requests while others hold the remaining items. Released items cause no event.
const WAIT_MS: u64 = 10_000;

impl ReviewPane {
    /// Starts to work on a round.
    pub(super) fn work_on(&mut self, round: RoundState, cx: &mut Context<'_>) {
        cx.forget_painted();
        let is_same = |name: &str| name == round.name;
        if self.work().is_none_or(|work| !is_same(&work.state.name)) {
            self.give_back(cx);
            let reasons = cx.env.reasons.iter();
            let reasons = reasons.map(|r| (r.key.clone(), r.label.clone())).collect();
            self.begin_round(round, reasons, cx);
        }
        self.ask_next(cx);
    }

    /// Resumes the round that was open when the program was left.
    pub(super) fn resume(&self, name: String, cx: &mut Context<'_>) {
        cx.ask(request::Rounds, move |_: &mut Self, rounds, cx| {
            let rounds = rounds.unwrap_or_default().into_iter();
            let mut open = rounds.filter(|r| r.name == name && r.closed.is_none());
            match open.next() {
                Some(round) if cx.env.is_shown => cx.open(Target::Round(Box::new(round))),
                Some(_) => cx.say(format!(
                    "{} opens Rounds to resume round `{name}`",
                    cx.key(Action::Go(PaneId::Rounds))
                )),
                None => {}
            }
        });
    }

    /// Requests the next item, or extends the lease of the current one.
    pub(super) fn ask_next(&mut self, cx: &mut Context<'_>) {
        let Some(work) = self.work_mut() else {
            return;
        };
        let waits = matches!(work.phase, Phase::Saving(_) | Phase::Feedback(..));
        if !waits {
            let (ask, name) = (work.ask(), work.state.name.clone());
            cx.ask(
                request::Next(name.clone()),
                move |pane: &mut Self, turn, cx| pane.on_turn(&name, ask, turn, cx),
            );
        }
        self.round_due.stop();
    }

    /// Receives the next assignment.
    fn on_turn(
        &mut self,
        round: &str,
        ask: u64,
        turn: Result<NextAssignment>,
        cx: &mut Context<'_>,
    ) {
        let here = self.work().filter(|work| work.state.name == round);
        let Some(work) = here else {
            // The round was left before the item arrived: release it at once.
            return cx.ask(request::Release(round.into()), show_error);
        };
        if !work.is_newest(ask) {
            return;
        }
        match turn {
            Ok(turn) => {
                self.on_assignment(turn, cx);
                self.look_at_guidelines(cx);
            }
            Err(problem) if problem.kind == ErrorKind::Unreachable => {}
            Err(problem) => {
                if let Some(work) = self.work_mut() {
                    work.phase = Phase::Failed(problem.to_string());
                }
            }
        }
        self.watch_round(cx.env.now);
    }

    /// Schedules the next look at the round: to update the lease, or to ask for an item.
    fn watch_round(&mut self, now: u64) {
        let due = self.work().and_then(|work| match work.phase {
            Phase::Wait(_) => Some(now + WAIT_MS),
            _ => work.lease_due(now),
        });
        self.round_due.stop();
        if let Some(due) = due {
            self.round_due.start(due);
        }
    }

    /// Runs the scheduled look at the round.
    pub(super) fn check_round(&mut self, cx: &mut Context<'_>) {
        match self.work().map(|work| &work.phase) {
            Some(Phase::Wait(_)) => self.ask_next(cx),
            _ => self.watch_round(cx.env.now),
        }
    }

    /// Renews a lease that is about to end, while somebody is typing.
    pub(super) fn renew(&mut self, cx: &mut Context<'_>) {
        let now = cx.env.now;
        if self.work().is_some_and(|work| work.wants_renewal(now)) {
            self.ask_next(cx);
        }
    }

    /// A verdict of the round is on disk.
    pub(super) fn judged_in_round(&mut self, then: Then, cx: &mut Context<'_>) {
        let (Then::Feedback(number, verdict), Some(work)) = (then, self.work()) else {
            return self.ask_next(cx);
        };
        let round = work.state.name.clone();
        let ask = request::Feedback {
            round: round.clone(),
            number,
        };
        cx.ask(ask, move |pane: &mut Self, feedback, cx| {
            pane.take_feedback(&round, verdict, feedback, cx);
        });
    }

    /// Receives the known answer of a practice item.
    fn take_feedback(
        &mut self,
        round: &str,
        verdict: Verdict,
        feedback: Result<Feedback>,
        cx: &mut Context<'_>,
    ) {
        if self.work().is_none_or(|work| work.state.name != round) {
            return;
        }
        match feedback {
            Ok(feedback) => self.on_feedback(feedback, verdict),
            Err(_) => self.ask_next(cx),
        }
    }

    /// Releases the assignment. Returns its item number.
    pub(super) fn give_back(&mut self, cx: &mut Context<'_>) -> Option<u32> {
        let work = self.work()?;
        let number = work.holds()?;
        let release = request::Release(work.state.name.clone());
        cx.send(Ask::new(release, show_error).before_quit());
        Some(number)
    }

    /// Leaves the round, if there is one, and says so.
    pub(super) fn leave_round(&mut self, cx: &mut Context<'_>) {
        let Some(name) = self.work().map(|work| work.state.name.clone()) else {
            return;
        };
        let back = self
            .give_back(cx)
            .map_or(String::new(), |number| format!("released #{number}; "));
        cx.forget_painted();
        self.end_round(cx);
        self.round_due.stop();
        let rounds = cx.key(Action::Go(PaneId::Rounds));
        cx.say(format!(
            "{back}left round `{name}`; {rounds} opens Rounds to resume it"
        ));
    }

    /// A verdict was refused or undone: requests the assignment again.
    pub(super) fn refresh_assignment(&mut self, cx: &mut Context<'_>) {
        if let Some(work) = self.work_mut() {
            work.phase = Phase::Asking;
            self.ask_next(cx);
        }
    }

    /// Requests the guidelines at the start and when they changed.
    fn look_at_guidelines(&mut self, cx: &mut Context<'_>) {
        let Some(work) = self.work_mut() else {
            return;
        };
        if work.guidelines_changed() {
            let name = work.state.name.clone();
            cx.ask(
                request::Guidelines(name.clone()),
                move |pane: &mut Self, text, cx| pane.on_guidelines(&name, text, cx),
            );
        }
    }

    /// Receives the guidelines and shows them.
    fn on_guidelines(
        &mut self,
        round: &str,
        text: Result<Option<GuidelinesText>>,
        cx: &mut Context<'_>,
    ) {
        let work = self.work_mut().filter(|work| work.state.name == round);
        let Some(work) = work else {
            return;
        };
        let text = match text {
            Ok(Some(text)) => text,
            Ok(None) => return,
            Err(problem) => return cx.error(&problem),
        };
        let others = work.guidelines.replace(text).is_some();
        work.beside = true;
        let key = cx.key(Action::RoundGuidelines);
        let said = if others {
            "the guidelines changed"
        } else {
            "guidelines of this round"
        };
        if cx.env.is_shown && !cx.env.is_covered && !is_wide(cx.env.columns) {
            self.open_guidelines(cx);
        }
        cx.say(format!("{said}; {key} shows or hides them"));
    }

    fn open_guidelines(&self, cx: &mut Context<'_>) {
        let work = self.work();
        let text = work.and_then(|work| Some((work, work.guidelines.as_ref()?)));
        if let Some((work, text)) = text {
            cx.page(guidelines_page(&work.state.name, text));
        }
    }

    /// Shows or hides the guidelines beside the item, or as a page if there is no room.
    pub(super) fn show_guidelines(&mut self, cx: &mut Context<'_>) {
        let wide = is_wide(cx.env.columns);
        match self.work_mut() {
            Some(work) if work.guidelines.is_none() => cx.say("this round has no guidelines"),
            Some(work) if wide => work.beside = !work.beside,
            _ => self.open_guidelines(cx),
        }
    }
}
