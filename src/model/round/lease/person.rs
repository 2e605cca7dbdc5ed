//! One person in a round: how far they are, and what comes again.

use std::collections::{HashSet, VecDeque};

use super::Lease;
use crate::error::Result;
use crate::round::Round;
use crate::round::order::{Done, Plan};
use crate::verdict::Part;

/// One person in a round.
#[derive(Clone, Debug)]
pub(super) struct Person {
    pub(super) plan: Plan,
    /// How far they are in their order.
    pub(super) cursor: u32,
    /// Items judged: which, and in what order.
    pub(super) mine: Bits,
    pub(super) judged: Vec<u32>,
    /// Practice, probes and repeats they are through with, and from which place on to look for the next.
    mixed: [HashSet<u32>; 3],
    from: Done,
    /// Items that come before any other: expired, released or undone.
    pub(super) back: Vec<u32>,
    /// Items that come after all others.
    pub(super) later: VecDeque<u32>,
    /// Which items are in one of the two.
    pub(super) waiting: Bits,
    pub(super) lease: Option<Lease>,
}

/// A bit an item.
#[derive(Clone, Debug)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn has(&self, at: u32) -> bool {
        self.0[at as usize / 64] >> (at % 64) & 1 == 1
    }

    pub(super) fn put(&mut self, at: u32, to: bool) {
        let bit = 1 << (at % 64);
        let word = &mut self.0[at as usize / 64];
        *word = if to { *word | bit } else { *word & !bit };
    }
}

/// Where a part that is mixed in is counted; none for parts that decide.
fn slot(part: Part) -> Option<usize> {
    match part {
        Part::Calibration => Some(0),
        Part::Probe => Some(1),
        Part::Repeat => Some(2),
        Part::Main | Part::Revision | Part::Adjudication => None,
    }
}

impl Person {
    /// At the beginning of `round`.
    pub(super) fn new(round: &Round, name: &str) -> Result<Person> {
        let bits = Bits(vec![0; round.items.len().div_ceil(64)]);
        Ok(Person {
            plan: Plan::new(round, name)?,
            cursor: 0,
            mine: bits.clone(),
            judged: Vec::new(),
            mixed: Default::default(),
            from: Done::default(),
            back: Vec::new(),
            later: VecDeque::new(),
            waiting: bits,
            lease: None,
        })
    }

    /// How many tickets of each part they are through with.
    pub(super) fn done(&self) -> Done {
        let [calibration, probes, repeats] = self.mixed.each_ref().map(|set| set.len() as u32);
        Done {
            calibration,
            mains: self.judged.len() as u32,
            probes,
            repeats,
        }
    }

    /// The item comes again after all others.
    pub(super) fn put_off(&mut self, item: u32) {
        if !self.waiting.has(item) {
            self.waiting.put(item, true);
            self.later.push_back(item);
        }
    }

    /// The item comes again before any other.
    pub(super) fn put_back(&mut self, item: u32) {
        self.waiting.put(item, true);
        self.back.push(item);
    }

    /// What is mixed in now: its item and its part.
    pub(super) fn extra(&mut self) -> Option<(u32, Part)> {
        self.from.mains = self.judged.len() as u32;
        while let Some((part, at)) = self.plan.extra(self.from) {
            let item = if part == Part::Repeat {
                *self.judged.get(at as usize)?
            } else {
                at
            };
            if !self.mixed[slot(part)?].contains(&item) {
                return Some((item, part));
            }
            *self.from.of(part) += 1;
        }
        None
    }

    /// They are through with something that was mixed in.
    pub(super) fn pass(&mut self, item: u32, part: Part) {
        if let Some(slot) = slot(part) {
            self.mixed[slot].insert(item);
        }
    }

    /// Something that was mixed in is due again; whether they had been through with it.
    pub(super) fn unpass(&mut self, item: u32, part: Part) -> bool {
        let there = slot(part).is_some_and(|slot| self.mixed[slot].remove(&item));
        if there {
            // Found again from the beginning; what came after it is not shown again.
            *self.from.of(part) = 0;
        }
        there
    }
}
