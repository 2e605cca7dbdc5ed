//! The paint receipt: whether a person can have seen a frame.
//!
//! A terminal works off its line in order. A status query written after a frame is therefore answered only once the
//! frame has been painted, and the answer also tells when, without the line's lag. A verdict counts only for an item
//! whose answer came back, so that a double tap on a slow line never judges a picture that nobody has seen.
//!
//! Answers carry no name. They are matched in order, which errs on the safe side: when one is lost, the next confirms
//! an older frame and never a newer one. To come out of step again, a frame after an overdue one asks for the device
//! attributes instead, whose answer is of another kind: all that was asked before it is then answered or lost.

use std::collections::VecDeque;

use super::Reply;

/// How long an answer is waited for before a verdict is let through unconfirmed, in milliseconds.
pub const BOUND_MS: u64 = 2_000;
/// The same once the terminal has been silent twice in a row.
pub const SILENT_BOUND_MS: u64 = 300;
/// How many frames are remembered.
const REMEMBERED: usize = 64;

const STATUS: &[u8] = b"\x1b[5n";
const ATTRIBUTES: &[u8] = b"\x1b[c";

/// Whether the frame of a token has been seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The terminal answered after it, at this time.
    Painted(u64),
    /// No answer yet, or never asked.
    Waiting,
    /// No answer within the bound: the terminal is silent, the verdict goes through and is marked.
    Unconfirmed,
}

#[derive(Clone, Copy, Debug)]
struct Asked {
    token: u64,
    at: u64,
    fence: bool,
    /// Counted as silent already, with the bound that held then.
    overdue: bool,
}

/// Queries on their way and what came of the last ones. Times are milliseconds of one monotonic clock.
#[derive(Debug, Default)]
pub struct Receipts {
    asked: VecDeque<Asked>,
    known: VecDeque<(u64, Seen)>,
    silent: u32,
}

impl Receipts {
    /// No queries yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the query to write right after the frame that shows `token` (the caller's number for what is on screen).
    pub fn request(&mut self, token: u64, now: u64) -> &'static [u8] {
        self.expire(now);
        let fence = self.asked.iter().any(|a| a.overdue)
            && !self.asked.iter().any(|a| a.fence && !a.overdue);
        if self.asked.len() == REMEMBERED {
            self.asked.pop_front();
        }
        self.asked.push_back(Asked {
            token,
            at: now,
            fence,
            overdue: false,
        });
        if fence { ATTRIBUTES } else { STATUS }
    }

    /// Takes a reply that arrived at `now`; gives the token it confirms. Other replies, and answers to nothing, are `None`.
    pub fn on_reply(&mut self, reply: &Reply, now: u64) -> Option<u64> {
        self.expire(now);
        let position = match reply {
            Reply::Status => self.asked.iter().position(|a| !a.fence),
            Reply::DeviceAttributes(_) => self.asked.iter().position(|a| a.fence),
            _ => None,
        }?;
        let answered = self.asked[position];
        // In order: what was asked before this one is lost.
        for lost in self.asked.drain(..=position) {
            if lost.token != answered.token {
                remember(&mut self.known, lost.token, Seen::Unconfirmed);
            }
        }
        self.silent = 0;
        remember(&mut self.known, answered.token, Seen::Painted(now));
        Some(answered.token)
    }

    /// Whether the frame of `token` has been seen by `now`.
    pub fn seen(&mut self, token: u64, now: u64) -> Seen {
        self.expire(now);
        let known = self
            .known
            .iter()
            .rev()
            .find(|(t, _)| *t == token)
            .map(|(_, seen)| *seen);
        if let Some(Seen::Painted(at)) = known {
            return Seen::Painted(at);
        }
        let mut asked = self.asked.iter().filter(|a| a.token == token).peekable();
        if asked.peek().is_some() {
            return if asked.any(|a| a.overdue) {
                Seen::Unconfirmed
            } else {
                Seen::Waiting
            };
        }
        known.unwrap_or(Seen::Waiting)
    }

    /// When the state can next change by time alone, for the event loop's timer.
    pub fn deadline(&self) -> Option<u64> {
        let bound = self.bound();
        self.asked.iter().find(|a| !a.overdue).map(|a| a.at + bound)
    }

    /// Whether the terminal answers at all, as far as is known.
    pub fn answers(&self) -> bool {
        self.silent < 2
    }

    fn bound(&self) -> u64 {
        if self.answers() {
            BOUND_MS
        } else {
            SILENT_BOUND_MS
        }
    }

    fn expire(&mut self, now: u64) {
        for i in 0..self.asked.len() {
            let bound = self.bound();
            let asked = &mut self.asked[i];
            if !asked.overdue && now.saturating_sub(asked.at) >= bound {
                asked.overdue = true;
                self.silent = self.silent.saturating_add(1);
            }
        }
    }
}

fn remember(known: &mut VecDeque<(u64, Seen)>, token: u64, seen: Seen) {
    if known.len() == REMEMBERED {
        known.pop_front();
    }
    known.push_back((token, seen));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status() -> Reply {
        Reply::Status
    }

    fn attributes() -> Reply {
        Reply::DeviceAttributes(vec![62, 22])
    }

    #[test]
    fn a_double_tap_judges_only_what_was_seen() {
        let mut r = Receipts::new();
        assert_eq!(r.request(1, 0), STATUS);
        assert_eq!(r.on_reply(&status(), 150), Some(1));
        assert_eq!(r.seen(1, 160), Seen::Painted(150));
        // First tap judges 1, the program shows 2; the second tap comes before 2 can have been painted.
        r.request(2, 161);
        assert_eq!(r.seen(2, 170), Seen::Waiting);
        assert_eq!(r.on_reply(&status(), 311), Some(2));
        assert_eq!(r.seen(2, 312), Seen::Painted(311));
    }

    #[test]
    fn a_slow_answer_is_attributed_to_its_own_frame() {
        let mut r = Receipts::new();
        r.request(1, 0);
        r.request(2, 100);
        r.request(3, 200);
        assert_eq!(r.on_reply(&status(), 1_500), Some(1));
        assert_eq!(r.seen(3, 1_500), Seen::Waiting);
        assert_eq!(r.on_reply(&status(), 1_600), Some(2));
        assert_eq!(r.on_reply(&status(), 1_700), Some(3));
        assert_eq!(r.seen(3, 1_700), Seen::Painted(1_700));
    }

    #[test]
    fn replies_out_of_nowhere_confirm_nothing() {
        let mut r = Receipts::new();
        assert_eq!(r.on_reply(&status(), 0), None);
        assert_eq!(r.on_reply(&attributes(), 0), None);
        r.request(1, 10);
        assert_eq!(r.on_reply(&attributes(), 11), None);
        assert_eq!(r.on_reply(&Reply::CursorPosition(1, 1), 12), None);
        assert_eq!(r.seen(1, 13), Seen::Waiting);
        assert_eq!(r.seen(99, 13), Seen::Waiting);
    }

    #[test]
    fn a_lost_answer_costs_one_bound_and_never_confirms_early() {
        let mut r = Receipts::new();
        r.request(1, 0); // its answer is lost
        assert_eq!(r.seen(1, 1_999), Seen::Waiting);
        assert_eq!(r.deadline(), Some(2_000));
        assert_eq!(r.seen(1, 2_000), Seen::Unconfirmed);
        // The next one asks in the other way and so falls into step again.
        assert_eq!(r.request(2, 2_500), ATTRIBUTES);
        assert_eq!(r.on_reply(&attributes(), 2_600), Some(2));
        assert_eq!(r.seen(1, 2_600), Seen::Unconfirmed);
        assert_eq!(r.request(3, 2_700), STATUS);
        assert_eq!(r.seen(3, 2_701), Seen::Waiting);
        assert_eq!(r.on_reply(&status(), 2_800), Some(3));
        assert!(r.answers());
    }

    #[test]
    fn a_lost_answer_with_the_next_query_on_its_way_errs_on_the_safe_side() {
        let mut r = Receipts::new();
        r.request(1, 0); // lost
        r.request(2, 100);
        assert_eq!(
            r.on_reply(&status(), 200),
            Some(1),
            "the answer to 2, taken for 1's"
        );
        assert_eq!(r.seen(2, 201), Seen::Waiting);
        assert_eq!(r.seen(2, 2_100), Seen::Unconfirmed);
    }

    #[test]
    fn an_answer_slower_than_the_bound_confirms_late_and_not_the_next_frame() {
        let mut r = Receipts::new();
        r.request(1, 0);
        assert_eq!(r.seen(1, 2_500), Seen::Unconfirmed);
        assert_eq!(r.request(2, 2_600), ATTRIBUTES);
        assert_eq!(r.on_reply(&status(), 3_000), Some(1));
        assert_eq!(r.seen(2, 3_001), Seen::Waiting);
        assert_eq!(r.on_reply(&attributes(), 5_000), Some(2));
        assert_eq!(r.seen(2, 5_001), Seen::Painted(5_000));
    }

    #[test]
    fn a_terminal_silent_twice_is_waited_for_briefly_until_it_answers() {
        let mut r = Receipts::new();
        r.request(1, 0);
        assert_eq!(r.seen(1, 2_000), Seen::Unconfirmed);
        r.request(2, 2_100);
        assert_eq!(r.seen(2, 4_000), Seen::Waiting);
        assert_eq!(r.seen(2, 4_100), Seen::Unconfirmed);
        assert!(!r.answers());
        let query = r.request(3, 4_200);
        assert_eq!(query, ATTRIBUTES);
        assert_eq!(r.seen(3, 4_499), Seen::Waiting);
        assert_eq!(r.seen(3, 4_500), Seen::Unconfirmed);
        r.request(4, 4_600);
        assert!(r.on_reply(&attributes(), 4_650).is_some());
        assert!(r.answers());
    }

    #[test]
    fn memory_is_bounded() {
        let mut r = Receipts::new();
        for token in 0..10_000 {
            r.request(token, token);
        }
        assert!(r.asked.len() <= REMEMBERED);
        for _ in 0..10_000 {
            r.on_reply(&status(), 10_000);
        }
        assert!(r.known.len() <= REMEMBERED);
    }
}
