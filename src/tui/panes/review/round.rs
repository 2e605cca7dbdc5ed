//! Work on a round: the assigned item, its verdict, and the annotator's own pace.
//!
//! The queue holds the assigned item and those that probably come next, so that items and pictures
//! are fetched ahead. A verdict stays on the screen until its receipt. Only then is the next item
//! requested.

use uuid::Uuid;

use super::{Queue, ReviewPane};
use crate::item::Picture;
use crate::pane::Context;
use benchtop_metrics::agreement::pace::{LAST, pace};
use benchtop_model::annotator::{Drift, Pace, Step};
use benchtop_model::round::Protocol;
use benchtop_model::round::feedback::Outcome;
use benchtop_model::round::lease::LEASE_MINUTES;
use benchtop_model::round::state::{
    Assignment, Feedback, GuidelinesText, NextAssignment, RoundState,
};
use benchtop_model::verdict::{Part, RoundContext};
use benchtop_model::{Judgement, Verdict};
use benchtop_protocol::wire::{Decide, ResumePoint};

/// A key renews the lease if less than this is left, in milliseconds.
const RENEW_MS: u64 = 5 * 60_000;
/// The remaining lease is shown below this, in milliseconds.
const SHORT_MS: u64 = 2 * 60_000;
/// Rounding of the remaining lease, in milliseconds.
const STEP_MS: u64 = 15_000;
/// Verdicts for which a suggested break stays on the screen.
const OFFERED: usize = 10;

/// The state of the work on a round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// The next item is requested.
    #[default]
    Asking,
    /// An item awaits a verdict.
    Item,
    /// A verdict awaits its receipt.
    Saving(Uuid),
    /// The practice item is judged, and this is the feedback.
    Feedback(Feedback, Verdict),
    /// Others hold the remaining items, at least until this time (milliseconds since 1970).
    Wait(i64),
    /// No items are left for the annotator.
    Finished,
    Closed,
    /// The request for an item failed, with the reason.
    Failed(String),
}

/// One annotator's work on a round.
#[derive(Debug)]
pub struct Work {
    /// The round as it was when the work began.
    pub state: RoundState,
    pub phase: Phase,
    /// The present or last assignment.
    pub served: Option<Assignment>,
    pub guidelines: Option<GuidelinesText>,
    /// Whether the guidelines are shown beside the item, if there is room.
    pub beside: bool,
    /// First visible line of the guidelines, and lines below the screen as of the last frame.
    pub(super) scroll: usize,
    pub(super) overflow: usize,
    /// The version of the guidelines that was last requested.
    version: Option<String>,
    /// Counts requests for the next item. Only the newest reply counts.
    asks: u64,
    /// The end of the lease, by the program's clock.
    until: u64,
    /// Whether the verdict being saved is on a practice item.
    practice: bool,
    steps: Vec<Step>,
    /// The number of verdicts when a break was last suggested.
    offered: Option<usize>,
    offer: String,
    /// Key hints for the line under the question.
    pub(super) keys: Vec<(String, String)>,
    /// A note under the question.
    pub(super) note: Option<String>,
    /// The labels of reasons, by key.
    pub(super) reasons: Vec<(String, String)>,
    /// The queue and position to return to after the round.
    before: (Queue, usize),
}

/// What follows a receipt in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Request the next item.
    Next,
    /// Request the feedback on a practice item.
    Feedback(u32, Verdict),
}

impl Work {
    fn new(state: RoundState, reasons: Vec<(String, String)>, before: (Queue, usize)) -> Work {
        Work {
            state,
            phase: Phase::Asking,
            served: None,
            guidelines: None,
            beside: false,
            scroll: 0,
            overflow: 0,
            version: None,
            asks: 0,
            until: 0,
            practice: false,
            steps: Vec::new(),
            offered: None,
            offer: String::new(),
            keys: Vec::new(),
            note: None,
            reasons,
            before,
        }
    }

    /// Whether the round asks for answers. The answer key is then hidden.
    pub fn asks_answers(&self) -> bool {
        self.state.protocol == Protocol::Answer
    }

    /// Whether the item can be judged now, or why not.
    pub fn ready(&self) -> Result<(), &'static str> {
        match self.phase {
            Phase::Item => Ok(()),
            Phase::Saving(_) => Err("saving your verdict on this item"),
            Phase::Asking => Err("loading the next item"),
            Phase::Feedback(..) => Err("already judged: go on to the next item"),
            Phase::Wait(_) | Phase::Finished | Phase::Closed | Phase::Failed(_) => {
                Err("nothing to judge")
            }
        }
    }

    /// Counts a request for the next item. The reply has to carry this number.
    pub fn ask(&mut self) -> u64 {
        self.asks += 1;
        self.asks
    }

    /// Whether a reply belongs to the newest request.
    pub fn is_newest(&self, ask: u64) -> bool {
        self.asks == ask
    }

    /// The item that is assigned to this annotator and not judged yet.
    pub fn holds(&self) -> Option<u32> {
        let number = self.served.as_ref()?.number;
        matches!(self.phase, Phase::Item).then_some(number)
    }

    /// Whether the guidelines changed since they were last requested. The caller then requests
    /// them.
    pub fn guidelines_changed(&mut self) -> bool {
        let now = self.served.as_ref().and_then(|s| s.guidelines.clone());
        let changed = now.is_some() && now != self.version;
        if changed {
            self.version = now;
        }
        changed
    }

    /// Milliseconds left of the lease.
    pub fn left(&self, now: u64) -> Option<u64> {
        (self.phase == Phase::Item).then(|| self.until.saturating_sub(now))
    }

    /// Whether the next key should renew the lease.
    pub fn wants_renewal(&self, now: u64) -> bool {
        self.left(now).is_some_and(|left| left < RENEW_MS)
    }

    /// A warning about the lease. `None` while there is enough time.
    pub fn lease_words(&self, now: u64) -> Option<String> {
        match self.left(now)? {
            0 => Some("your time is up: others may get this item; any key renews it".into()),
            left if left <= SHORT_MS => {
                let seconds = left.div_ceil(STEP_MS) * STEP_MS / 1000;
                Some(format!("{seconds} s left; any key renews your lease"))
            }
            _ => None,
        }
    }

    /// The next time that the warning changes, by the program's clock.
    pub fn lease_due(&self, now: u64) -> Option<u64> {
        match self.left(now)? {
            0 => None,
            left if left > SHORT_MS => Some(self.until - SHORT_MS),
            left => Some(self.until - (left - 1) / STEP_MS * STEP_MS),
        }
    }

    /// Handles the owner's reply. Returns whether the item changed.
    fn take(&mut self, turn: NextAssignment, now: u64) -> bool {
        let NextAssignment::Item(served) = turn else {
            self.phase = match turn {
                NextAssignment::Wait(until) => Phase::Wait(until),
                NextAssignment::Finished => Phase::Finished,
                _ => Phase::Closed,
            };
            return true;
        };
        let same = |old: &Assignment| (old.number, old.nth) == (served.number, served.nth);
        let new = self.phase != Phase::Item || !self.served.as_ref().is_some_and(same);
        self.until = now + u64::from(LEASE_MINUTES) * 60_000;
        self.phase = Phase::Item;
        self.served = Some(served);
        new
    }

    /// Adds a saved verdict to the pace and suggests a break if the pace drifts.
    fn step(&mut self, judgement: &Judgement, now: u64) {
        if self.practice || judgement.verdict == Verdict::Skip {
            return;
        }
        let last = self.steps.last().map_or(now as i64, |s| s.at);
        let ms = judgement
            .ms
            .unwrap_or(u32::try_from(now as i64 - last).unwrap_or(0));
        self.steps.push(Step {
            at: now as i64,
            ms,
            verdict: judgement.verdict as u8,
        });
        let given = self.steps.len();
        if self.offered.is_some_and(|at| given < at + LAST) {
            return;
        }
        if let Some(drift) = self.pace().drift.filter(Drift::offers_break) {
            self.offered = Some(given);
            self.offer = offer(&drift);
        }
    }

    /// The suggestion of a break, while it is shown.
    pub fn offer(&self) -> Option<&str> {
        self.offered
            .filter(|at| self.steps.len() < at + OFFERED)
            .map(|_| self.offer.as_str())
    }

    /// The pace since the work began, without practice items.
    pub fn pace(&self) -> Pace {
        pace(&self.steps, Verdict::Accept as u8)
    }

    /// The result of the verdict on a practice item, and whether the item is good.
    pub fn outcome(&self) -> Option<(Outcome, bool)> {
        let Phase::Feedback(feedback, verdict) = &self.phase else {
            return None;
        };
        let good = feedback.good?;
        Some((Outcome::of(good, *verdict)?, good))
    }
}

/// The text that suggests a break.
fn offer(drift: &Drift) -> String {
    let (seconds, accepts) = (drift.seconds, drift.accepts);
    let what = if seconds.drifts {
        format!(
            "{:.1} s per item now, {:.1} s before",
            seconds.now, seconds.before
        )
    } else {
        format!(
            "{:.0} % accepted now, {:.0} % before",
            accepts.now * 100.0,
            accepts.before * 100.0
        )
    };
    format!("{what}: time for a short break?")
}

impl ReviewPane {
    /// The work on a round, if any.
    pub fn work(&self) -> Option<&Work> {
        self.work.as_deref()
    }

    pub fn work_mut(&mut self) -> Option<&mut Work> {
        self.work.as_deref_mut()
    }

    /// Starts work on a round. `reasons` are keys and labels.
    pub fn begin_round(
        &mut self,
        state: RoundState,
        reasons: Vec<(String, String)>,
        cx: &mut Context<'_>,
    ) {
        self.ready = true;
        let before = match self.work.take() {
            Some(work) => work.before,
            None => (self.queue.clone(), self.position),
        };
        self.work = Some(Box::new(Work::new(state, reasons, before)));
        // Items fetched before may show more than a blind round allows.
        self.items.clear();
        self.asked.clear();
        self.nothing_in_hand();
        self.remember(cx);
    }

    /// Ends the work on a round and restores the queue.
    pub fn end_round(&mut self, cx: &mut Context<'_>) {
        let Some(work) = self.work.take() else {
            return;
        };
        let items = self.queue.items();
        (self.queue, self.position) = work.before;
        self.queue.grow(items);
        // In a blind round, items were fetched without statuses and verdicts.
        self.items.clear();
        self.asked.clear();
        self.arrived(cx);
    }

    fn nothing_in_hand(&mut self) {
        self.queue = Queue::of(String::new(), Vec::new(), self.queue.items());
        self.position = 0;
        self.picture = Picture::Loading;
        self.sides = None;
    }

    /// The position for the owner to remember.
    pub fn place(&self) -> ResumePoint {
        let (queue, position, round) = match &self.work {
            // Do not resume a round that is over.
            Some(work) if matches!(work.phase, Phase::Finished | Phase::Closed) => {
                (&work.before.0, work.before.1, String::new())
            }
            Some(work) => (&work.before.0, work.before.1, work.state.name.clone()),
            None => (&self.queue, self.position, String::new()),
        };
        ResumePoint {
            number: queue.number(position).unwrap_or(0),
            filter: queue.words.clone(),
            round,
            note: None,
        }
    }

    /// Handles the owner's reply with the next item. Returns whether the screen changes.
    pub fn on_assignment(&mut self, turn: NextAssignment, cx: &mut Context<'_>) -> bool {
        let items = self.queue.items();
        let Some(work) = &mut self.work else {
            return false;
        };
        if !work.take(turn, cx.env.now) {
            return false;
        }
        cx.forget_painted();
        match (&work.phase, &work.served) {
            (Phase::Item, Some(served)) => {
                let ahead = served.ahead.iter().copied().filter(|n| *n != served.number);
                let numbers = std::iter::once(served.number).chain(ahead).collect();
                self.queue = Queue::of(String::new(), numbers, items);
                (self.position, self.backward) = (0, false);
                self.begin_item(cx);
            }
            _ => {
                self.nothing_in_hand();
                self.remember(cx);
            }
        }
        true
    }

    /// Gives a verdict on the assigned item. The next item has to wait for the receipt.
    pub(super) fn decide_in_round(
        &mut self,
        number: u32,
        rev: u64,
        judgement: Judgement,
        cx: &mut Context<'_>,
    ) {
        let Some(work) = &self.work else {
            return;
        };
        // The owner fills in the part of the round and the guidelines.
        let asked = RoundContext {
            round: work.state.name.clone(),
            part: Part::Main,
            guidelines: None,
            revealed: false,
        };
        let judgement = Judgement {
            round: Some(asked),
            ..judgement
        };
        let uuid = self.send_new(number, rev, judgement, cx);
        if let Some(work) = &mut self.work {
            work.phase = Phase::Saving(uuid);
            work.practice = work.served.as_ref().is_some_and(|s| s.practice);
            work.ask();
        }
    }

    /// Handles a receipt. Returns what follows if the verdict was one of this round.
    pub(super) fn saved_in_round(&mut self, decide: &Decide, now: u64) -> Option<Then> {
        let work = self.work.as_mut()?;
        if work.phase != Phase::Saving(decide.uuid) {
            return None;
        }
        work.step(&decide.judgement, now);
        work.phase = Phase::Asking;
        let wants_feedback = work.practice && decide.judgement.verdict != Verdict::Skip;
        Some(if wants_feedback {
            Then::Feedback(decide.number, decide.judgement.verdict)
        } else {
            Then::Next
        })
    }

    /// Receives the feedback on a practice item.
    pub fn on_feedback(&mut self, feedback: Feedback, verdict: Verdict) {
        if let Some(work) = self.work.as_mut().filter(|w| w.phase == Phase::Asking) {
            work.phase = Phase::Feedback(feedback, verdict);
        }
    }
}

#[cfg(test)]
#[path = "round_tests.rs"]
mod tests;
