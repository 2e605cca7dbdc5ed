//! Selects the next item for a person from verdicts and leases.

use super::Leases;
use super::ticket::{NextTicket, Room};
use crate::verdict::Part;

impl Leases {
    /// Records a verdict or skip without checking for room.
    pub(super) fn count(&mut self, who: usize, item: u32, part: Part, skipped: bool) {
        let person = &mut self.people[who];
        if person
            .lease
            .is_some_and(|l| (l.ticket.item, l.ticket.part) == (item, part))
        {
            person.lease = None;
            if part == Part::Main {
                self.items[item as usize].1 -= 1;
            }
        }
        match part {
            Part::Calibration | Part::Probe | Part::Repeat => person.pass(item, part),
            // These are requested by item, not by ticket.
            Part::Revision | Part::Adjudication => {}
            Part::Main if skipped => {
                // A skip withdraws the person's earlier verdict.
                self.uncount(who, item);
                self.people[who].put_off(item);
            }
            Part::Main if person.mine.has(item) => {}
            Part::Main => {
                person.mine.put(item, true);
                person.judged.push(item);
                let (judged, _) = &mut self.items[item as usize];
                *judged += 1;
                self.counted += u64::from(*judged <= self.overlap);
            }
        }
    }

    /// Withdraws a verdict on an item of the round, and returns whether there was one.
    pub(super) fn uncount(&mut self, who: usize, item: u32) -> bool {
        let person = &mut self.people[who];
        if !person.mine.has(item) {
            return false;
        }
        person.mine.put(item, false);
        if let Some(at) = person.judged.iter().rposition(|i| *i == item) {
            person.judged.remove(at);
        }
        let (judged, _) = &mut self.items[item as usize];
        *judged -= 1;
        self.counted -= u64::from(*judged < self.overlap);
        if *judged + 1 == self.overlap {
            // People who passed it while it was full must see it again.
            self.people
                .iter_mut()
                .filter(|other| !other.mine.has(item))
                .for_each(|other| other.put_off(item));
        }
        true
    }

    pub(super) fn room(&self, who: usize, item: u32) -> Room {
        let (judged, leased) = self.items[item as usize];
        if judged >= self.overlap || self.people[who].mine.has(item) {
            Room::Gone
        } else if judged + leased >= self.overlap {
            Room::Held
        } else {
            Room::Free
        }
    }

    /// The next item of the round for `who`.
    pub(super) fn item_for(&mut self, who: usize) -> Option<u32> {
        while let Some(item) = self.people[who].back.pop() {
            self.people[who].waiting.put(item, false);
            if self.take(who, item) {
                return Some(item);
            }
        }
        while self.people[who].cursor < self.people[who].plan.items() {
            let person = &mut self.people[who];
            let item = person.plan.item(person.cursor);
            person.cursor += 1;
            if !person.waiting.has(item) && self.take(who, item) {
                return Some(item);
            }
        }
        for _ in 0..self.people[who].later.len() {
            let item = self.people[who].later.pop_front()?;
            // The item was served in the meantime.
            if self.people[who].waiting.has(item) {
                self.people[who].waiting.put(item, false);
                if self.take(who, item) {
                    return Some(item);
                }
            }
        }
        None
    }

    /// Whether the item can be served to `who`. If others have leased it, it comes again later.
    fn take(&mut self, who: usize, item: u32) -> bool {
        #[cfg(test)]
        {
            self.looks += 1;
        }
        match self.room(who, item) {
            Room::Free => return true,
            Room::Held => self.people[who].put_off(item),
            Room::Gone => {}
        }
        false
    }

    /// The reason that there is nothing for `who`.
    pub(super) fn nothing(&self, who: usize) -> NextTicket {
        let person = &self.people[who];
        let held = self.people.iter().filter_map(|other| other.lease);
        let of_theirs =
            held.filter(|l| l.ticket.part == Part::Main && person.waiting.has(l.ticket.item));
        of_theirs
            .map(|lease| lease.until)
            .min()
            .map_or(NextTicket::Finished, NextTicket::Wait)
    }

    pub(super) fn expire(&mut self, now: i64) {
        // A clock that goes backward neither extends nor ends leases.
        self.clock = self.clock.max(now);
        if self.clock < self.soonest {
            return;
        }
        for who in 0..self.people.len() {
            if self.people[who]
                .lease
                .is_some_and(|lease| lease.until <= self.clock)
            {
                self.hand_back(who);
            }
        }
        self.soonest = self
            .people
            .iter()
            .filter_map(|p| p.lease)
            .map(|l| l.until)
            .min()
            .unwrap_or(i64::MAX);
    }

    pub(super) fn hand_back(&mut self, who: usize) {
        let person = &mut self.people[who];
        let Some(ticket) = person.lease.take().map(|lease| lease.ticket) else {
            return;
        };
        if ticket.part == Part::Main {
            self.items[ticket.item as usize].1 -= 1;
            person.put_back(ticket.item);
        }
    }
}
