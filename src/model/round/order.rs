//! What each person is shown, and in what order.
//!
//! A blind round shows every person the items in an order of their own: an order by score tells the score, and what
//! came before an item sways its verdict. Practice comes first, repeats and probes come between. Nothing here is a list: a
//! place in the order is worked out from the round's seed and the person's name, so ten orders of 617K items take no
//! memory. The permutation is a Feistel network over the next power of four, walked until it comes back among the items
//! (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002).

use super::{Order, Round};
use crate::error::{Error, ErrorKind, Result};
use crate::rng::{Stream, key, within};
use crate::verdict::Part;

/// Fewest tickets from the first showing of an item to its repeat, where a round is long enough.
pub const GAP: u32 = 20;

/// Most tickets that are waited for before a repeat may come; in a long round it comes later than after [`GAP`], so that fewer
/// are recognised, and still within a sitting.
pub const LONG_GAP: u32 = 100;

/// So many tickets after practice are items of the round before the first probe.
pub const FIRST_PROBE: u32 = 5;

/// One thing to judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    /// Which: a position in the round's items, for probes in its probe items, for practice in its calibration.
    pub item: u32,
    /// What for.
    pub part: Part,
    /// How many tickets the person had before it.
    pub nth: u32,
}

impl Round {
    /// The id of the item that a ticket shows; none for a ticket of another round.
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

/// Everything that `person` is shown if nobody else takes items before them.
///
/// # Errors
/// [`ErrorKind::Denied`]: the person is not in the round.
pub fn tickets(round: &Round, person: &str) -> Result<Vec<Ticket>> {
    let plan = Plan::new(round, person)?;
    let (mut all, mut done) = (Vec::new(), Done::default());
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

/// How many tickets of each part a person is through with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Practice.
    pub calibration: u32,
    /// Items of the round.
    pub mains: u32,
    /// Known items.
    pub probes: u32,
    /// Second showings.
    pub repeats: u32,
}

impl Done {
    /// All together.
    pub fn all(self) -> u32 {
        self.calibration + self.mains + self.probes + self.repeats
    }

    /// The count of a part; parts that decide are all counted as items of the round.
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
pub struct Plan {
    key: u64,
    items: u32,
    /// None shows them as they are listed.
    order: Option<Permutation>,
    calibration: Permutation,
    probes: Permutation,
    /// Parts of the round of which each has a probe while there are any.
    blocks: u32,
    repeats: u32,
    gap: u32,
    /// Items of the round that the person comes to judge if all are equally fast.
    share: u32,
}

impl Plan {
    /// The order in which `person` is shown this round.
    ///
    /// # Errors
    /// [`ErrorKind::Denied`]: the person is not in the round.
    pub fn new(round: &Round, person: &str) -> Result<Plan> {
        if !round.has(person) {
            let what = format!("`{person}` is not in the round `{}`", round.name);
            return Err(Error::new(ErrorKind::Denied, what)
                .help(format!("it is for {}", round.people.join(", "))));
        }
        let keyed = |what: &str| key(round.seed, &["round", &round.name, person, what]);
        let items = round.items.len() as u32;
        let n = u64::from(items);
        // What a person comes to judge if all are equally fast.
        let share = (n * u64::from(round.overlap))
            .div_ceil(round.drawn_for().max(1) as u64)
            .clamp(1, n.max(1));
        let places = (n + 1).saturating_sub(u64::from(FIRST_PROBE));
        let pool = round.probe_items.len() as u64;
        let repeats = round.repeats.of(n);
        let gap = (share / 4).clamp(u64::from(GAP), u64::from(LONG_GAP));
        Ok(Plan {
            key: keyed("mixed in"),
            items,
            order: (round.order == Order::Seeded).then(|| Permutation::new(keyed("items"), items)),
            calibration: Permutation::new(keyed("calibration"), round.calibration.len() as u32),
            probes: Permutation::new(keyed("probes"), pool as u32),
            // Too few probes are spread over what a person comes to judge.
            blocks: round.probes.of(n).min(places).min(pool * n / share) as u32,
            repeats: repeats as u32,
            gap: if n < gap + repeats { items } else { gap as u32 },
            share: share as u32,
        })
    }

    /// How many items of the round there are to be shown.
    pub fn items(&self) -> u32 {
        self.items
    }

    /// How many items of practice come first.
    pub fn practice(&self) -> u32 {
        self.calibration.n
    }

    /// How many known items there are to be mixed in.
    pub fn probes(&self) -> u32 {
        self.probes.n
    }

    /// How many tickets come after practice, if all people are equally fast: what is mixed in is counted in, so that a count
    /// towards it tells nothing of it.
    pub fn after_practice(&self) -> u32 {
        let (n, share) = (u64::from(self.items.max(1)), u64::from(self.share));
        let mixed = u64::from(self.blocks.min(self.probes.n)) + u64::from(self.repeats);
        (share + mixed * share / n) as u32
    }

    /// The item at place `at` (below [`items`](Self::items)) of this person's order.
    pub fn item(&self, at: u32) -> u32 {
        self.order.as_ref().map_or(at, |order| order.at(at))
    }

    /// What is due before the next item of the round: practice, or a known item (both with their position in the
    /// round's list), or a repeat (with the place, among the items this person has judged, of the one to show again).
    pub fn extra(&self, done: Done) -> Option<(Part, u32)> {
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

    /// After how many items the `nth` probe comes: anywhere in the `nth` block of [`FIRST_PROBE`]..=items. Blocks do not
    /// overlap, so an item is always between two probes.
    fn probe_after(&self, nth: u32) -> u32 {
        let (from, to) = block(self.items + 1 - FIRST_PROBE, self.blocks, nth);
        FIRST_PROBE
            + from
            + Stream::new(within(self.key, u64::from(nth))).below((to - from) as usize) as u32
    }

    /// After how many items the `nth` repeat comes, and which of those judged it is. In a round too short to wait for a gap
    /// the first items are shown again at its end: for all of them together that is the farthest possible.
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

/// The `nth` of `blocks` parts of `0..span` that differ by one at most (`blocks` <= `span`): from, to.
fn block(span: u32, blocks: u32, nth: u32) -> (u32, u32) {
    let edge = |nth: u32| (u64::from(span) * u64::from(nth) / u64::from(blocks.max(1))) as u32;
    (edge(nth), edge(nth + 1))
}

/// A drawn permutation of `0..n` of which any place can be asked for.
#[derive(Clone, Debug)]
struct Permutation {
    keys: [u64; 6],
    half: u32,
    n: u32,
}

impl Permutation {
    fn new(key: u64, n: u32) -> Permutation {
        let bits = u32::BITS - n.saturating_sub(1).leading_zeros();
        // Below 64 places a network would have too few keys to tell orders apart.
        let half = bits.div_ceil(2).max(3);
        Permutation {
            keys: std::array::from_fn(|i| within(key, i as u64 + 1)),
            half,
            n,
        }
    }

    /// What is at place `at`, which must be below `n`.
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
