//! Leases of items: they expire, and they keep two people from getting more of an item than the
//! overlap.
//!
//! This is a plain state machine. Time is passed in, and every change takes `&mut self`, so it is
//! atomic for the thread that owns it. Verdicts are replayed from the journals
//! ([`Leases::rebuild`]); leases are never stored.
//!
//! Invariants: verdicts plus live leases of an item never exceed the overlap (journals merged from
//! other machines can add more verdicts; then the item is not served again). A person is never
//! served an item that they have judged in the round. A person has at most one lease. A ticket
//! costs O(1) on average: each person walks once through their order, and revisits only items that
//! were skipped, leased by others, or undone.

mod person;
mod serve;
mod ticket;

pub use self::ticket::{Lease, NextTicket};

use std::collections::HashMap;

use self::person::Person;
use self::ticket::Room;
use super::Round;
use super::order::{Completed, Ticket};
use crate::error::{Error, Result};
use crate::verdict::Part;

/// Default number of minutes after which a lease expires unless it is renewed.
pub const LEASE_MINUTES: u32 = 15;

/// An effective verdict or skip of the round, from a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournaledVerdict<'a> {
    pub person: &'a str,
    /// Position as in [`Ticket::item`].
    pub item: u32,
    pub part: Part,
    /// Whether it is a skip.
    pub skipped: bool,
}

/// All leases of a round.
#[derive(Clone, Debug)]
pub struct Leases {
    name: String,
    overlap: u16,
    span: i64,
    closed: bool,
    clock: i64,
    /// No lease expires before this time.
    soonest: i64,
    known: HashMap<String, usize>,
    people: Vec<Person>,
    /// Per item: effective verdicts, and live leases.
    items: Vec<(u16, u16)>,
    /// Verdicts, counted up to the overlap of each item.
    counted: u64,
    strangers: u64,
    #[cfg(test)]
    pub(super) looks: u64,
}

impl Leases {
    /// A round without verdicts. Leases last `minutes` (at least 1).
    ///
    /// # Errors
    /// Any error of [`Round::check`].
    pub fn new(round: &Round, minutes: u32) -> Result<Leases> {
        round.check()?;
        Ok(Leases {
            name: round.name.clone(),
            overlap: u16::from(round.overlap),
            span: i64::from(minutes.max(1)) * 60_000,
            closed: round.closed.is_some(),
            clock: i64::MIN,
            soonest: i64::MAX,
            known: round
                .people
                .iter()
                .enumerate()
                .map(|(i, name)| (name.clone(), i))
                .collect(),
            people: round
                .people
                .iter()
                .map(|name| Person::new(round, name))
                .collect::<Result<_>>()?,
            items: vec![(0, 0); round.items.len()],
            counted: 0,
            strangers: 0,
            #[cfg(test)]
            looks: 0,
        })
    }

    /// Replays `judged`: the effective verdicts and skips of the round in the order they were
    /// given. Verdicts of people or on items that are not in the round are ignored and counted
    /// ([`strangers`](Self::strangers)).
    pub fn rebuild<'a>(
        round: &Round,
        minutes: u32,
        judged: impl IntoIterator<Item = JournaledVerdict<'a>>,
    ) -> Result<Leases> {
        let mut leases = Leases::new(round, minutes)?;
        for JournaledVerdict {
            person,
            item,
            part,
            skipped,
        } in judged
        {
            match leases.known.get(person) {
                Some(who) if leases.fits(*who, item, part) => {
                    leases.count(*who, item, part, skipped)
                }
                // Anybody may settle a dispute.
                None if part == Part::Adjudication && (item as usize) < leases.items.len() => {}
                _ => leases.strangers += 1,
            }
        }
        Ok(leases)
    }

    /// The next ticket of `person`. Repeated calls return the same ticket and renew its lease.
    ///
    /// # Errors
    /// [`Error::denied`] if the person is not in the round.
    pub fn next(&mut self, person: &str, now: i64) -> Result<NextTicket> {
        let who = self.who(person)?;
        self.expire(now);
        let until = self.clock + self.span;
        if let Some(lease) = &mut self.people[who].lease {
            lease.until = until;
            return Ok(NextTicket::Ticket(*lease));
        }
        if self.closed {
            return Ok(NextTicket::Closed);
        }
        let found = match self.people[who].extra() {
            Some(extra) => Some(extra),
            None => self.item_for(who).map(|item| (item, Part::Main)),
        };
        let Some((item, part)) = found else {
            return Ok(self.nothing(who));
        };
        if part == Part::Main {
            self.items[item as usize].1 += 1;
        }
        let person = &mut self.people[who];
        let lease = Lease {
            ticket: Ticket {
                item,
                part,
                nth: person.done().all(),
            },
            until,
        };
        person.lease = Some(lease);
        self.soonest = self.soonest.min(until);
        Ok(NextTicket::Ticket(lease))
    }

    /// At most `most` items that will probably come after the current ticket, for preloading
    /// pictures. Leases nothing.
    pub fn upcoming(&self, person: &str, most: usize) -> Vec<u32> {
        let Some(who) = self.known.get(person) else {
            return Vec::new();
        };
        let Person {
            plan,
            cursor,
            back,
            later,
            ..
        } = &self.people[*who];
        let end = plan.items().min(cursor.saturating_add(64 + most as u32));
        let walk = (*cursor..end)
            .map(|at| plan.item(at))
            .filter(|item| !self.people[*who].waiting.has(*item));
        let all = back
            .iter()
            .rev()
            .copied()
            .chain(walk)
            .chain(later.iter().copied().take(64));
        all.filter(|item| matches!(self.room(*who, *item), Room::Free))
            .take(most)
            .collect()
    }

    /// Renews the lease of `person`; `None` if it has expired.
    ///
    /// # Errors
    /// [`Error::denied`] if the person is not in the round.
    pub fn renew(&mut self, person: &str, now: i64) -> Result<Option<Lease>> {
        let who = self.who(person)?;
        self.expire(now);
        let until = self.clock + self.span;
        let lease = self.people[who].lease.as_mut();
        Ok(lease.map(|lease| {
            lease.until = until;
            *lease
        }))
    }

    /// Releases the lease of `person`. They get the item again first, unless somebody else takes
    /// it.
    ///
    /// # Errors
    /// [`Error::denied`] if the person is not in the round.
    pub fn release(&mut self, person: &str) -> Result<()> {
        let who = self.who(person)?;
        self.hand_back(who);
        Ok(())
    }

    /// Records that `person` skipped a ticket. An item of the round comes again after all others,
    /// and others may take it. Probes, repeats, and practice do not come again.
    ///
    /// # Errors
    /// As [`judged`](Self::judged), except for the conflict.
    pub fn skip(&mut self, person: &str, item: u32, part: Part, now: i64) -> Result<()> {
        let who = self.fitting(person, item, part)?;
        self.expire(now);
        self.count(who, item, part, true);
        Ok(())
    }

    /// Records a verdict of `person`. Call it before the verdict is written. It also succeeds after
    /// the lease expired if the item still needs verdicts, and for a second verdict by the same
    /// person.
    ///
    /// # Errors
    /// [`Error::conflict`] if the lease expired and others have leased or judged the item up to
    /// the overlap; do not write the verdict. [`Error::denied`] if the person is not in the
    /// round. [`Error::not_found`] if the round does not have the item.
    pub fn record_verdict(&mut self, person: &str, item: u32, part: Part, now: i64) -> Result<()> {
        let who = self.fitting(person, item, part)?;
        self.expire(now);
        let holds = self.people[who]
            .lease
            .is_some_and(|l| (l.ticket.item, l.ticket.part) == (item, part));
        if part == Part::Main && !holds && !self.people[who].mine.has(item) {
            let (judged, leased) = self.items[item as usize];
            if judged + leased >= self.overlap {
                let what = format!(
                    "your lease of this item expired, and {} others have taken it",
                    self.overlap
                );
                return Err(Error::conflict(what)
                    .help("continue with the next item; this verdict was not saved"));
            }
        }
        self.count(who, item, part, false);
        Ok(())
    }

    /// Withdraws all verdicts of `person` on this ticket. They get it again first, before their
    /// current one.
    ///
    /// # Errors
    /// [`Error::denied`] if the person is not in the round. [`Error::not_found`] if the
    /// round does not have the item.
    pub fn withdraw(&mut self, person: &str, item: u32, part: Part) -> Result<()> {
        let who = self.fitting(person, item, part)?;
        if part == Part::Main && self.uncount(who, item) {
            self.hand_back(who);
            self.people[who].put_back(item);
        } else if self.people[who].unpass(item, part) {
            self.hand_back(who);
        }
        Ok(())
    }

    /// Stops serving tickets. Leased tickets may still be judged.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// The lease of `person`, which may have expired since the last call.
    pub fn lease_of(&self, person: &str) -> Option<Lease> {
        self.people[*self.known.get(person)?].lease
    }

    /// Whether `person` has an effective verdict on this item of the round.
    pub fn has_judged(&self, person: &str, item: u32) -> bool {
        let person = self.known.get(person).map(|who| &self.people[*who]);
        person.is_some_and(|person| item < person.plan.items() && person.mine.has(item))
    }

    /// Takes over the leases of `before`, an earlier state of the same round, as far as the overlap
    /// allows.
    pub fn keep_leases(&mut self, before: &Leases) {
        self.clock = self.clock.max(before.clock);
        for (name, old) in &before.known {
            let (Some(who), Some(lease)) =
                (self.known.get(name).copied(), before.people[*old].lease)
            else {
                continue;
            };
            let Ticket { item, part, .. } = lease.ticket;
            let main = part == Part::Main;
            if !self.fits(who, item, part) || (main && !matches!(self.room(who, item), Room::Free))
            {
                continue;
            }
            if main {
                self.items[item as usize].1 += 1;
            }
            self.soonest = self.soonest.min(lease.until);
            self.people[who].lease = Some(lease);
        }
    }

    /// The completed tickets of `person`; `None` for outsiders.
    pub fn done(&self, person: &str) -> Option<Completed> {
        Some(self.people[*self.known.get(person)?].done())
    }

    /// Position of a ticket (from 1) and total: among the practice items during practice, otherwise
    /// among the expected tickets after practice. `None` for outsiders.
    pub fn place(&self, person: &str, ticket: Ticket) -> Option<(u32, u32)> {
        let person = &self.people[*self.known.get(person)?];
        let practiced = person.done().calibration;
        Some(match ticket.part {
            Part::Calibration => (practiced + 1, person.plan.practice()),
            _ => {
                let at = ticket.nth.saturating_sub(practiced) + 1;
                (at, person.plan.after_practice().max(at))
            }
        })
    }

    /// Verdicts that count toward the overlap, and the number needed.
    pub fn progress(&self) -> (u64, u64) {
        (
            self.counted,
            self.items.len() as u64 * u64::from(self.overlap),
        )
    }

    /// Verdicts that [`rebuild`](Self::rebuild) ignored.
    pub fn strangers(&self) -> u64 {
        self.strangers
    }

    fn who(&self, person: &str) -> Result<usize> {
        self.known.get(person).copied().ok_or_else(|| {
            let what = format!("`{person}` is not in round `{}`", self.name);
            Error::denied(what).help("ask the creator of the round to add you")
        })
    }

    fn fits(&self, who: usize, item: u32, part: Part) -> bool {
        let plan = &self.people[who].plan;
        item < match part {
            Part::Calibration => plan.practice(),
            Part::Probe => plan.probes(),
            Part::Main | Part::Revision | Part::Repeat | Part::Adjudication => plan.items(),
        }
    }

    fn fitting(&self, person: &str, item: u32, part: Part) -> Result<usize> {
        let who = self.who(person)?;
        if self.fits(who, item, part) {
            return Ok(who);
        }
        let what = format!(
            "round `{}` has no item {item} for {}",
            self.name,
            part.name()
        );
        Err(Error::not_found(what).help("request the next item again"))
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
