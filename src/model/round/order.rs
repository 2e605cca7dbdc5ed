//! The order in which each person sees the items of a round.
//!
//! In a blind round, every person sees the items in an order of their own: an order by score would
//! reveal the score, and preceding items influence a verdict. Practice comes first, with repeats
//! and probes mixed in later. No list is stored. Each position is computed from the round's seed
//! and the person's name, so ten orders of 617K items take no memory. The permutation is a Feistel
//! network over the next power of four with cycle walking (Black and Rogaway, "Ciphers with
//! arbitrary finite domains", 2002).

use super::{Order, Round};
use crate::error::{Error, Result};
use crate::rng::{Stream, key, within};
use crate::verdict::Part;

/// Minimum number of tickets between an item and its repeat, if the round is long enough.
pub const MIN_GAP: u32 = 20;

/// Maximum number of tickets to wait before a repeat becomes possible. In long rounds, repeats come
/// later than [`GAP`] so that fewer are recognized, but within one sitting.
pub const MAX_GAP: u32 = 100;

/// Number of the round's items after practice and before the first probe.
pub const FIRST_PROBE: u32 = 5;

/// One item to judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    /// Position in the round's items, its probe items, or its practice items, depending on the
    /// part.
    pub item: u32,
    pub part: Part,
    /// Number of tickets that the person had before.
    pub nth: u32,
}

impl Round {
    /// The item id of a ticket; `None` for a ticket of another round.
    pub fn id(&self, ticket: Ticket) -> Option<&str> {
        let at = ticket.item as usize;
        match ticket.part {
            Part::Calibration => self.calibration.get(at).map(|gold| gold.id.as_str()),
            Part::Probe => self.probe_items.get(at).map(|gold| gold.id.as_str()),
            Part::Main | Part::Revision | Part::Repeat | Part::Adjudication => {
                self.items.get(at).map(String::as_str)
            }
        }
    }
}

/// All tickets of `person` if nobody else takes items first.
///
/// # Errors
/// [`Error::denied`] if the person is not in the round.
pub fn tickets(round: &Round, person: &str) -> Result<Vec<Ticket>> {
    let plan = PersonalOrder::new(round, person)?;
    let (mut all, mut done) = (Vec::new(), Completed::default());
    loop {
        let (item, part) = match plan.extra(done) {
            Some((Part::Repeat, of)) => (plan.item(of), Part::Repeat),
            Some((part, item)) => (item, part),
            None if done.mains < plan.items => (plan.item(done.mains), Part::Main),
            None => return Ok(all),
        };
        all.push(Ticket {
            item,
            part,
            nth: done.all(),
        });
        *done.of(part) += 1;
    }
}

/// The number of tickets that a person has completed, by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completed {
    /// Practice items.
    pub calibration: u32,
    /// Items of the round.
    pub mains: u32,
    /// Probes.
    pub probes: u32,
    /// Repeats.
    pub repeats: u32,
}

impl Completed {
    /// The total.
    pub fn all(self) -> u32 {
        self.calibration + self.mains + self.probes + self.repeats
    }

    /// The counter of a part. Parts that decide share the counter of the round's items.
    pub(super) fn of(&mut self, part: Part) -> &mut u32 {
        match part {
            Part::Calibration => &mut self.calibration,
            Part::Probe => &mut self.probes,
            Part::Repeat => &mut self.repeats,
            Part::Main | Part::Revision | Part::Adjudication => &mut self.mains,
        }
    }
}

/// One person's order.
#[derive(Clone, Debug)]
pub struct PersonalOrder {
    key: u64,
    items: u32,
    /// `None` for the list order.
    order: Option<Permutation>,
    calibration: Permutation,
    probes: Permutation,
    /// Number of blocks of the round that get one probe each.
    blocks: u32,
    repeats: u32,
    gap: u32,
    /// Items that the person judges if all work equally fast.
    share: u32,
}

impl PersonalOrder {
    /// The order of `person` in this round.
    ///
    /// # Errors
    /// [`Error::denied`] if the person is not in the round.
    pub fn new(round: &Round, person: &str) -> Result<PersonalOrder> {
        if !round.has(person) {
            let what = format!("`{person}` is not in round `{}`", round.name);
            return Err(Error::denied(what)
                .help(format!("people in this round: {}", round.people.join(", "))));
        }
        let keyed = |what: &str| key(round.seed, &["round", &round.name, person, what]);
        let items = round.items.len() as u32;
        let n = u64::from(items);
        // The number that a person judges if all work equally fast.
        let share = (n * u64::from(round.overlap))
            .div_ceil(round.initial_people().max(1) as u64)
            .clamp(1, n.max(1));
        let places = (n + 1).saturating_sub(u64::from(FIRST_PROBE));
        let pool = round.probe_items.len() as u64;
        let repeats = round.repeats.apply(n);
        let gap = (share / 4).clamp(u64::from(MIN_GAP), u64::from(MAX_GAP));
        Ok(PersonalOrder {
            key: keyed("mixed in"),
            items,
            order: (round.order == Order::Seeded).then(|| Permutation::new(keyed("items"), items)),
            calibration: Permutation::new(keyed("calibration"), round.calibration.len() as u32),
            probes: Permutation::new(keyed("probes"), pool as u32),
            // If there are too few probes, spread them over a person's share.
            blocks: round.probes.apply(n).min(places).min(pool * n / share) as u32,
            repeats: repeats as u32,
            gap: if n < gap + repeats { items } else { gap as u32 },
            share: share as u32,
        })
    }

    /// Number of items of the round.
    pub fn items(&self) -> u32 {
        self.items
    }

    /// Number of practice items.
    pub fn practice(&self) -> u32 {
        self.calibration.n
    }

    /// Number of available probes.
    pub fn probes(&self) -> u32 {
        self.probes.n
    }

    /// Expected number of tickets after practice if all work equally fast. It includes repeats and
    /// probes so that a progress count does not reveal them.
    pub fn after_practice(&self) -> u32 {
        let (n, share) = (u64::from(self.items.max(1)), u64::from(self.share));
        let mixed = u64::from(self.blocks.min(self.probes.n)) + u64::from(self.repeats);
        (share + mixed * share / n) as u32
    }

    /// The item at position `at` (below [`items`](Self::items)).
    pub fn item(&self, at: u32) -> u32 {
        self.order.as_ref().map_or(at, |order| order.at(at))
    }

    /// What comes before the next item of the round: a practice item or probe with its position in
    /// the round's list, or a repeat with the position among the person's judged items.
    pub fn extra(&self, done: Completed) -> Option<(Part, u32)> {
        if done.calibration < self.calibration.n {
            return Some((Part::Calibration, self.calibration.at(done.calibration)));
        }
        if done.probes < self.blocks.min(self.probes.n)
            && self.probe_after(done.probes) <= done.mains
        {
            return Some((Part::Probe, self.probes.at(done.probes)));
        }
        if done.repeats < self.repeats {
            let (after, of) = self.repeat(done.repeats);
            if after <= done.mains && of < done.mains {
                return Some((Part::Repeat, of));
            }
        }
        None
    }

    /// The number of items before the `nth` probe, drawn from the `nth` block of
    /// [`FIRST_PROBE`]..=items. Blocks do not overlap, so there is always an item between two
    /// probes.
    fn probe_after(&self, nth: u32) -> u32 {
        let (from, to) = block(self.items + 1 - FIRST_PROBE, self.blocks, nth);
        FIRST_PROBE
            + from
            + Stream::new(within(self.key, u64::from(nth))).below((to - from) as usize) as u32
    }

    /// The number of items before the `nth` repeat, and which judged item to repeat. If the round
    /// is too short for the gap, its first items are repeated at the end, which maximizes the
    /// distance.
    fn repeat(&self, nth: u32) -> (u32, u32) {
        if self.gap == self.items {
            return (self.items, nth);
        }
        let (from, to) = block(self.items - self.gap, self.repeats, nth);
        let mut stream = Stream::new(within(!self.key, u64::from(nth)));
        let of = from + stream.below((to - from) as usize) as u32;
        (of + self.gap + stream.below((to - of) as usize) as u32, of)
    }
}

/// Start and end of the `nth` of `blocks` near-equal parts of `0..span` (`blocks` <= `span`).
fn block(span: u32, blocks: u32, nth: u32) -> (u32, u32) {
    let edge = |nth: u32| (u64::from(span) * u64::from(nth) / u64::from(blocks.max(1))) as u32;
    (edge(nth), edge(nth + 1))
}

/// A random permutation of `0..n` with access to any position.
#[derive(Clone, Debug)]
struct Permutation {
    keys: [u64; 6],
    half: u32,
    n: u32,
}

impl Permutation {
    fn new(key: u64, n: u32) -> Permutation {
        let bits = u32::BITS - n.saturating_sub(1).leading_zeros();
        // Below 64 positions, the network would have too few keys to vary the orders.
        let half = bits.div_ceil(2).max(3);
        Permutation {
            keys: std::array::from_fn(|i| within(key, i as u64 + 1)),
            half,
            n,
        }
    }

    /// The element at position `at`, which must be below `n`.
    fn at(&self, at: u32) -> u32 {
        let mask = (1u64 << self.half) - 1;
        let mut place = u64::from(at);
        loop {
            let (mut left, mut right) = (place >> self.half, place & mask);
            for key in self.keys {
                (left, right) = (right, left ^ (within(key, right) & mask));
            }
            place = left << self.half | right;
            if place < u64::from(self.n) {
                return place as u32;
            }
        }
    }
}

#[cfg(test)]
#[path = "order_tests.rs"]
mod tests;
