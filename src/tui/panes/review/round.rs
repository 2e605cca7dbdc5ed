//! Working through a round: what the owner gave to judge, what of it is on the screen, and what its one person may know of
//! their own pace.
//!
//! The item in hand is a queue of its own, followed by those that probably come next, so that they and their pictures are
//! fetched ahead as anywhere. A verdict stays on the screen until its receipt; only then is the next item asked for.

use uuid::Uuid;

use super::{Queue, ReviewEffect, ReviewPane};
use benchtop_metrics::agreement::pace::{LAST, pace};
use benchtop_model::annotator::{Drift, Pace, Step};
use benchtop_model::round::Protocol;
use benchtop_model::round::feedback::Outcome;
use benchtop_model::round::lease::LEASE_MINUTES;
use benchtop_model::round::state::{
    Assignment, Feedback, GuidelinesText, NextAssignment, RoundState,
};
use benchtop_model::verdict::{Asked, Part};
use benchtop_model::{Judgement, Verdict};
use benchtop_protocol::wire::{Decide, ResumePoint};

/// A lease is asked for again with the next key when less than this is left of it, in milliseconds.
const RENEW_MS: u64 = 5 * 60_000;
/// What is left of a lease is shown when it is less than this, in milliseconds.
const SHORT_MS: u64 = 2 * 60_000;
/// Steps in which it is shown, in milliseconds.
const STEP_MS: u64 = 15_000;
/// Verdicts for which the offer of a break stays on the screen.
const OFFERED: usize = 10;

/// Where the work on a round stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// The next item was asked for.
    #[default]
    Asking,
    /// An item is to be judged.
    Item,
    /// A verdict waits for its receipt.
    Saving(Uuid),
    /// What the item of practice is that was just judged.
    Told(Feedback, Verdict),
    /// Others have in hand what is left, the first of them until then (milliseconds since 1970).
    Wait(i64),
    /// There is nothing more.
    Finished,
    /// The round is closed.
    Closed,
    /// The owner gives nothing: why.
    Failed(String),
}

/// The work of one person on a round.
#[derive(Debug)]
pub struct Work {
    /// The round as it was when the work began.
    pub state: RoundState,
    /// Where it stands.
    pub phase: Phase,
    /// What is in hand, or was last.
    pub served: Option<Assignment>,
    /// The guidelines, once they were read.
    pub guidelines: Option<GuidelinesText>,
    /// They stand beside the item where there is room.
    pub beside: bool,
    /// Lines of them above the screen, and lines that do not fit, as of the last drawing.
    pub(super) scroll: usize,
    pub(super) overflow: usize,
    /// Version of the guidelines that was asked for last.
    version: Option<String>,
    /// Counts the questions for the next item: only the newest answer counts.
    asks: u64,
    /// When the lease ends, by the program's clock.
    until: u64,
    /// The verdict under way is on practice.
    practice: bool,
    steps: Vec<Step>,
    /// How many steps there were when a break was offered.
    offered: Option<usize>,
    offer: String,
    /// Keys and their words, for the line under the question.
    pub(super) keys: Vec<(String, String)>,
    /// A line under the question.
    pub(super) note: Option<String>,
    /// The labels of reasons by their keys.
    pub(super) reasons: Vec<(String, String)>,
    /// The queue before, and where in it.
    before: (Queue, usize),
}

/// What follows a receipt in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The next item is to be asked for.
    Next,
    /// What the item of practice is, is to be asked for.
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

    /// Whether the key of a question is kept from the screen: it is to be answered.
    pub fn asks_answers(&self) -> bool {
        self.state.protocol == Protocol::Answer
    }

    /// Whether an item is to be judged now; otherwise why not.
    ///
    /// # Errors
    /// The reason as a person reads it.
    pub fn ready(&self) -> Result<(), &'static str> {
        match self.phase {
            Phase::Item => Ok(()),
            Phase::Saving(_) => Err("your verdict on this item is being saved"),
            Phase::Asking => Err("the next item is on its way"),
            Phase::Told(..) => Err("this one is judged: go on to the next"),
            Phase::Wait(_) | Phase::Finished | Phase::Closed | Phase::Failed(_) => {
                Err("there is nothing to judge")
            }
        }
    }

    /// Counts a question for the next item; the answer is to bring the number back.
    pub fn ask(&mut self) -> u64 {
        self.asks += 1;
        self.asks
    }

    /// Whether the answer to that question counts.
    pub fn is_newest(&self, ask: u64) -> bool {
        self.asks == ask
    }

    /// Whether an item is in hand that nobody else is to have.
    pub fn holds(&self) -> Option<u32> {
        let number = self.served.as_ref()?.number;
        matches!(self.phase, Phase::Item).then_some(number)
    }

    /// Whether the guidelines are others than those that were asked for last; they are asked for then.
    pub fn guidelines_changed(&mut self) -> bool {
        let now = self.served.as_ref().and_then(|s| s.guidelines.clone());
        let changed = now.is_some() && now != self.version;
        if changed {
            self.version = now;
        }
        changed
    }

    /// Milliseconds that are left of the lease at `now`.
    pub fn left(&self, now: u64) -> Option<u64> {
        (self.phase == Phase::Item).then(|| self.until.saturating_sub(now))
    }

    /// Whether a key is a moment to ask for the lease again.
    pub fn wants_renewal(&self, now: u64) -> bool {
        self.left(now).is_some_and(|left| left < RENEW_MS)
    }

    /// What is said of the lease at `now`: nothing while there is time.
    pub fn lease_words(&self, now: u64) -> Option<String> {
        match self.left(now)? {
            0 => Some(
                "your time for it is over: others may have it; any key asks for it again".into(),
            ),
            left if left <= SHORT_MS => {
                let seconds = left.div_ceil(STEP_MS) * STEP_MS / 1000;
                Some(format!(
                    "yours for {seconds} s more; any key makes it longer"
                ))
            }
            _ => None,
        }
    }

    /// When those words change next, by the program's clock.
    pub fn lease_due(&self, now: u64) -> Option<u64> {
        match self.left(now)? {
            0 => None,
            left if left > SHORT_MS => Some(self.until - SHORT_MS),
            left => Some(self.until - (left - 1) / STEP_MS * STEP_MS),
        }
    }

    /// Takes in what the owner gives. Whether it is another item than the one in hand.
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

    /// Counts a verdict that is on disk in the pace, and offers a break when it drifts.
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

    /// The offer of a break, while it stands.
    pub fn offer(&self) -> Option<&str> {
        self.offered
            .filter(|at| self.steps.len() < at + OFFERED)
            .map(|_| self.offer.as_str())
    }

    /// How fast and evenly the person works in this sitting, practice left out.
    pub fn pace(&self) -> Pace {
        pace(&self.steps, Verdict::Accept as u8)
    }

    /// What the feedback makes of the verdict that was given.
    pub fn outcome(&self) -> Option<(Outcome, bool)> {
        let Phase::Told(feedback, verdict) = &self.phase else {
            return None;
        };
        let good = feedback.good?;
        Some((Outcome::of(good, *verdict)?, good))
    }
}

/// The offer of a break, in words.
fn offer(drift: &Drift) -> String {
    let (seconds, accepts) = (drift.seconds, drift.accepts);
    let what = if seconds.drifts {
        format!(
            "{:.1} s an item now, {:.1} s before",
            seconds.now, seconds.before
        )
    } else {
        format!(
            "{:.0} % accepted now, {:.0} % before",
            accepts.now * 100.0,
            accepts.before * 100.0
        )
    };
    format!("{what}: a short break may do you good")
}

impl ReviewPane {
    /// The work on a round, while there is one.
    pub fn work(&self) -> Option<&Work> {
        self.work.as_deref()
    }

    /// The same, to change it.
    pub fn work_mut(&mut self) -> Option<&mut Work> {
        self.work.as_deref_mut()
    }

    /// Begins to work on a round; `reasons` are keys and labels.
    pub fn begin_round(
        &mut self,
        state: RoundState,
        reasons: Vec<(String, String)>,
    ) -> Vec<ReviewEffect> {
        self.loading = false;
        let before = match self.work.take() {
            Some(work) => work.before,
            None => (self.queue.clone(), self.position),
        };
        self.work = Some(Box::new(Work::new(state, reasons, before)));
        // What was fetched before may be more than a blind round lets through.
        self.items.clear();
        self.asked.clear();
        self.nothing_in_hand();
        vec![ReviewEffect::Moved]
    }

    /// Ends the work on a round: the queue is the one before.
    pub fn end_round(&mut self) -> Vec<ReviewEffect> {
        let Some(work) = self.work.take() else {
            return Vec::new();
        };
        let items = self.queue.items();
        (self.queue, self.position) = work.before;
        self.queue.grow(items);
        // What is known of the items may be more than a blind round let through.
        self.items.clear();
        self.asked.clear();
        self.arrived()
    }

    fn nothing_in_hand(&mut self) {
        self.queue = Queue::of(String::new(), Vec::new(), self.queue.items());
        self.position = 0;
        self.picture = super::Picture::Loading;
        self.sides = None;
    }

    /// Where the person is, as the owner is to remember it.
    pub fn place(&self) -> ResumePoint {
        let (queue, position, round) = match &self.work {
            // Nobody comes back to what is over.
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

    /// Takes in what the owner gives to judge at `now`. Whether what is on the screen is another thing now.
    pub fn serve(&mut self, turn: NextAssignment, now: u64) -> (bool, Vec<ReviewEffect>) {
        let items = self.queue.items();
        let Some(work) = &mut self.work else {
            return (false, Vec::new());
        };
        if !work.take(turn, now) {
            return (false, Vec::new());
        }
        match (&work.phase, &work.served) {
            (Phase::Item, Some(served)) => {
                let ahead = served.ahead.iter().copied().filter(|n| *n != served.number);
                let numbers = std::iter::once(served.number).chain(ahead).collect();
                self.queue = Queue::of(String::new(), numbers, items);
                (self.position, self.forward) = (0, true);
                let mut effects = self.arrived();
                effects.retain(|e| !matches!(e, ReviewEffect::Moved));
                (true, effects)
            }
            _ => {
                self.nothing_in_hand();
                (true, vec![ReviewEffect::Moved])
            }
        }
    }

    /// Decides the item in hand: the verdict is the round's, and nothing goes on before its receipt.
    pub(super) fn decide_in_round(
        &mut self,
        number: u32,
        judgement: Judgement,
    ) -> Vec<ReviewEffect> {
        let rev = self.loaded(number).map(|l| l.text_rev);
        let Some(work) = &mut self.work else {
            return Vec::new();
        };
        // The owner knows which part of the round it is, and which guidelines lay beside.
        let asked = Asked {
            round: work.state.name.clone(),
            part: Part::Main,
            guidelines: None,
            revealed: false,
        };
        let judgement = Judgement {
            asked: Some(asked),
            ..judgement
        };
        let decide = Decide {
            uuid: Uuid::now_v7(),
            number,
            expected: rev,
            judgement,
        };
        work.phase = Phase::Saving(decide.uuid);
        work.practice = work.served.as_ref().is_some_and(|s| s.practice);
        work.ask();
        self.pending.push(super::Pending {
            decide: decide.clone(),
        });
        self.saved = None;
        vec![ReviewEffect::Send(decide)]
    }

    /// A verdict on the way to its receipt at `now` is on disk: what follows, where it was this round's.
    pub(super) fn saved_in_round(&mut self, decide: &Decide, now: u64) -> Option<Then> {
        let work = self.work.as_mut()?;
        if work.phase != Phase::Saving(decide.uuid) {
            return None;
        }
        work.step(&decide.judgement, now);
        work.phase = Phase::Asking;
        let told = work.practice && decide.judgement.verdict != Verdict::Skip;
        Some(if told {
            Then::Feedback(decide.number, decide.judgement.verdict)
        } else {
            Then::Next
        })
    }

    /// Takes in what the item of practice is that was just judged.
    pub fn told(&mut self, feedback: Feedback, verdict: Verdict) {
        if let Some(work) = self.work.as_mut().filter(|w| w.phase == Phase::Asking) {
            work.phase = Phase::Told(feedback, verdict);
        }
    }
}

#[cfg(test)]
#[path = "round_tests.rs"]
mod tests;
