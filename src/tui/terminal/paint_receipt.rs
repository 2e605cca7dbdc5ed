//! The paint receipt: whether a frame was on screen.
//!
//! A terminal processes its input in order. So it answers a status query written after a frame only
//! once the frame is painted, and the reply's time excludes the line's lag. A verdict counts only
//! for an item whose reply arrived, so that a double tap on a slow line never judges an unseen
//! picture.
//!
//! Replies carry no id and are matched in order, which errs on the safe side: if one is lost, the
//! next confirms an older frame and never a newer one. To get back in step, a frame after an
//! overdue one queries the device attributes instead. Their reply is of another kind, so all
//! earlier queries are then answered or lost.

use std::collections::VecDeque;

use super::Reply;

/// How long to wait for a reply before a verdict passes unconfirmed, in milliseconds.
pub const BOUND_MS: u64 = 2_000;
/// The same after the terminal failed to reply twice in a row.
pub const SILENT_BOUND_MS: u64 = 300;
/// Number of frames to keep.
const REMEMBERED: usize = 64;

const STATUS: &[u8] = b"\x1b[5n";
const ATTRIBUTES: &[u8] = b"\x1b[c";

/// Whether the frame of a token was on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The terminal replied at this time.
    Painted(u64),
    /// No reply yet, or no query.
    Waiting,
    /// No reply in time: the verdict passes and is marked.
    Unconfirmed,
}

#[derive(Clone, Copy, Debug)]
struct Query {
    token: u64,
    at: u64,
    fence: bool,
    /// Already counted as silent, with the limit at that time.
    overdue: bool,
}

/// Pending queries and recent results. Times are milliseconds of one monotonic clock.
#[derive(Debug, Default)]
pub struct Receipts {
    asked: VecDeque<Query>,
    known: VecDeque<(u64, Seen)>,
    silent: u32,
}

impl Receipts {
    /// No queries yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The query to write right after the frame that shows `token`, the caller's number for the
    /// screen content.
    pub fn request(&mut self, token: u64, now: u64) -> &'static [u8] {
        self.expire(now);
        let fence = self.asked.iter().any(|a| a.overdue)
            && !self.asked.iter().any(|a| a.fence && !a.overdue);
        if self.asked.len() == REMEMBERED {
            self.asked.pop_front();
        }
        self.asked.push_back(Query {
            token,
            at: now,
            fence,
            overdue: false,
        });
        if fence { ATTRIBUTES } else { STATUS }
    }

    /// Takes a reply that arrived at `now` and returns the token it confirms. `None` for other
    /// replies and those without a query.
    pub fn on_reply(&mut self, reply: &Reply, now: u64) -> Option<u64> {
        self.expire(now);
        let position = match reply {
            Reply::Status => self.asked.iter().position(|a| !a.fence),
            Reply::DeviceAttributes(_) => self.asked.iter().position(|a| a.fence),
            _ => None,
        }?;
        let answered = self.asked[position];
        // In order: earlier queries are lost.
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

    /// When the state next changes without a reply, for the event loop's timer.
    pub fn deadline(&self) -> Option<u64> {
        let bound = self.bound();
        self.asked.iter().find(|a| !a.overdue).map(|a| a.at + bound)
    }

    /// Whether the terminal replies at all, as far as known.
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
    fn a_double_tap_judges_only_the_painted_item() {
        let mut r = Receipts::new();
        assert_eq!(r.request(1, 0), STATUS);
        assert_eq!(r.on_reply(&status(), 150), Some(1));
        assert_eq!(r.seen(1, 160), Seen::Painted(150));
        // The first tap judges 1 and the program shows 2. The second tap comes before 2 can be
        // painted.
        r.request(2, 161);
        assert_eq!(r.seen(2, 170), Seen::Waiting);
        assert_eq!(r.on_reply(&status(), 311), Some(2));
        assert_eq!(r.seen(2, 312), Seen::Painted(311));
    }

    #[test]
    fn a_slow_reply_confirms_its_own_frame() {
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
    fn unrequested_replies_confirm_nothing() {
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
    fn a_lost_reply_costs_one_timeout_and_never_confirms_early() {
        let mut r = Receipts::new();
        r.request(1, 0); // its answer is lost
        assert_eq!(r.seen(1, 1_999), Seen::Waiting);
        assert_eq!(r.deadline(), Some(2_000));
        assert_eq!(r.seen(1, 2_000), Seen::Unconfirmed);
        // The next query is of the other kind and gets back in step.
        assert_eq!(r.request(2, 2_500), ATTRIBUTES);
        assert_eq!(r.on_reply(&attributes(), 2_600), Some(2));
        assert_eq!(r.seen(1, 2_600), Seen::Unconfirmed);
        assert_eq!(r.request(3, 2_700), STATUS);
        assert_eq!(r.seen(3, 2_701), Seen::Waiting);
        assert_eq!(r.on_reply(&status(), 2_800), Some(3));
        assert!(r.answers());
    }

    #[test]
    fn a_lost_reply_before_the_next_query_errs_on_the_safe_side() {
        let mut r = Receipts::new();
        r.request(1, 0); // lost
        r.request(2, 100);
        assert_eq!(
            r.on_reply(&status(), 200),
            Some(1),
            "the reply to 2 is taken as the reply to 1"
        );
        assert_eq!(r.seen(2, 201), Seen::Waiting);
        assert_eq!(r.seen(2, 2_100), Seen::Unconfirmed);
    }

    #[test]
    fn a_late_reply_does_not_confirm_the_next_frame() {
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
    fn a_silent_terminal_gets_a_short_timeout_until_it_replies() {
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
