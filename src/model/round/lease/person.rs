//! One person's position in a round.

use std::collections::{HashSet, VecDeque};

use super::ticket::Lease;
use crate::error::Result;
use crate::round::Round;
use crate::round::order::{Completed, PersonalOrder};
use crate::verdict::Part;

#[derive(Clone, Debug)]
pub(super) struct Person {
    pub(super) plan: PersonalOrder,
    /// Position in their order.
    pub(super) cursor: u32,
    /// The judged items, as a set and in order.
    pub(super) mine: Bits,
    pub(super) judged: Vec<u32>,
    /// Completed practice items, probes, and repeats, and where to look for the next ones.
    mixed: [HashSet<u32>; 3],
    from: Completed,
    /// Items that come before all others: expired, released, or undone.
    pub(super) back: Vec<u32>,
    /// Items that come after all others.
    pub(super) later: VecDeque<u32>,
    /// Items that are in `back` or `later`.
    pub(super) waiting: Bits,
    pub(super) lease: Option<Lease>,
}

/// A bit set.
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

/// The index of a part in `mixed`; `None` for parts that decide.
fn slot(part: Part) -> Option<usize> {
    match part {
        Part::Calibration => Some(0),
        Part::Probe => Some(1),
        Part::Repeat => Some(2),
        Part::Main | Part::Revision | Part::Adjudication => None,
    }
}

impl Person {
    pub(super) fn new(round: &Round, name: &str) -> Result<Person> {
        let bits = Bits(vec![0; round.items.len().div_ceil(64)]);
        Ok(Person {
            plan: PersonalOrder::new(round, name)?,
            cursor: 0,
            mine: bits.clone(),
            judged: Vec::new(),
            mixed: Default::default(),
            from: Completed::default(),
            back: Vec::new(),
            later: VecDeque::new(),
            waiting: bits,
            lease: None,
        })
    }

    /// The number of completed tickets by part.
    pub(super) fn done(&self) -> Completed {
        let [calibration, probes, repeats] = self.mixed.each_ref().map(|set| set.len() as u32);
        Completed {
            calibration,
            mains: self.judged.len() as u32,
            probes,
            repeats,
        }
    }

    /// Moves the item to the end.
    pub(super) fn put_off(&mut self, item: u32) {
        if !self.waiting.has(item) {
            self.waiting.put(item, true);
            self.later.push_back(item);
        }
    }

    /// Moves the item to the front.
    pub(super) fn put_back(&mut self, item: u32) {
        self.waiting.put(item, true);
        self.back.push(item);
    }

    /// The practice item, probe, or repeat that is due.
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

    /// Marks a practice item, probe, or repeat as completed.
    pub(super) fn pass(&mut self, item: u32, part: Part) {
        if let Some(slot) = slot(part) {
            self.mixed[slot].insert(item);
        }
    }

    /// Marks it as due again, and returns whether it had been completed.
    pub(super) fn unpass(&mut self, item: u32, part: Part) -> bool {
        let there = slot(part).is_some_and(|slot| self.mixed[slot].remove(&item));
        if there {
            // Search again from the start. Later completed ones are not shown again.
            *self.from.of(part) = 0;
        }
        there
    }
}
