//! Who is at which item: leases that expire, so that nobody is served what others have in hand or are through with.
//!
//! A plain state machine. The time is passed in, every change takes `&mut self`, and so each is atomic for the one thread
//! that owns it. What was judged comes from the journals ([`Leases::rebuild`]); leases themselves are never stored.
//!
//! What always holds: verdicts and live leases of an item are together never more than the overlap (journals merged from
//! elsewhere may bring more verdicts; then nobody is served it); a person is never served an item of the round that
//! they have judged; a person has one lease at most. A ticket costs O(1) on average: each person walks once through an
//! order, and looks again only at what was skipped, was in others' hands, or was undone.

mod person;
mod serve;

use std::collections::HashMap;

use self::person::Person;
use self::serve::Room;
use super::Round;
use super::order::{Done, Ticket};
use crate::error::{Error, ErrorKind, Result};
use crate::verdict::Part;

/// Minutes after which a lease that is not renewed expires, unless the project says otherwise.
pub const LEASE_MINUTES: u32 = 15;

/// A ticket that is one person's until a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// What to judge.
    pub ticket: Ticket,
    /// When it expires: milliseconds on the clock that is passed in.
    pub until: i64,
}

/// What there is for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A ticket, theirs until its time.
    Ticket(Lease),
    /// Nothing now: others hold what is left. The first of their leases expires then.
    Wait(i64),
    /// Nothing more, unless a verdict is undone.
    Finished,
    /// Nothing, as the round is closed.
    Closed,
}

/// A verdict of the round that counts, or a skip, as a journal has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged<'a> {
    /// Who.
    pub person: &'a str,
    /// Position as in [`Ticket::item`].
    pub item: u32,
    /// What for.
    pub part: Part,
    /// It was passed over.
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
    /// No lease expires before.
    soonest: i64,
    known: HashMap<String, usize>,
    people: Vec<Person>,
    /// By item: verdicts that count, live leases.
    items: Vec<(u16, u16)>,
    /// Verdicts up to the overlap of each item.
    counted: u64,
    strangers: u64,
    #[cfg(test)]
    pub(super) looks: u64,
}

impl Leases {
    /// No verdict yet. Leases last `minutes` (at least one).
    ///
    /// # Errors
    /// What [`Round::check`] refuses.
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

    /// As it stands after `judged`: the verdicts of the round that count and its skips, in the order they were given.
    /// Verdicts of people who are not in the round, or of items that it has not, are passed over and counted
    /// ([`strangers`](Self::strangers)).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn rebuild<'a>(
        round: &Round,
        minutes: u32,
        judged: impl IntoIterator<Item = Judged<'a>>,
    ) -> Result<Leases> {
        let mut leases = Leases::new(round, minutes)?;
        for Judged {
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
                _ => leases.strangers += 1,
            }
        }
        Ok(leases)
    }

    /// The next ticket of `person`. Asking again gives the same one and renews it.
    ///
    /// # Errors
    /// [`ErrorKind::Denied`]: the person is not in the round.
    pub fn next(&mut self, person: &str, now: i64) -> Result<Next> {
        let who = self.who(person)?;
        self.expire(now);
        let until = self.clock + self.span;
        if let Some(lease) = &mut self.people[who].lease {
            lease.until = until;
            return Ok(Next::Ticket(*lease));
        }
        if self.closed {
            return Ok(Next::Closed);
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
        Ok(Next::Ticket(lease))
    }

    /// What probably comes after the ticket in hand, for making pictures ready: at most `most` items of the round. Nothing
    /// is leased by it.
    pub fn ahead(&self, person: &str, most: usize) -> Vec<u32> {
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

    /// Puts off the end of the lease of `person`; none if it has expired.
    ///
    /// # Errors
    /// [`ErrorKind::Denied`]: the person is not in the round.
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

    /// Gives the lease of `person` back; the item is the first they are served again, if nobody takes it meanwhile.
    ///
    /// # Errors
    /// [`ErrorKind::Denied`]: the person is not in the round.
    pub fn release(&mut self, person: &str) -> Result<()> {
        let who = self.who(person)?;
        self.hand_back(who);
        Ok(())
    }

    /// `person` passes over a ticket: an item of the round comes again after all others, and others may have it
    /// meanwhile; what was mixed in does not come again.
    ///
    /// # Errors
    /// As [`judged`](Self::judged), but for the conflict.
    pub fn skip(&mut self, person: &str, item: u32, part: Part, now: i64) -> Result<()> {
        let who = self.fitting(person, item, part)?;
        self.expire(now);
        self.count(who, item, part, true);
        Ok(())
    }

    /// `person` judged a ticket; to be called before the verdict is written. An expired lease is no obstacle while there is
    /// room for the verdict, nor is a second verdict on an item that the person has judged before.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`]: the lease has expired, and others have the item in hand or have judged it as often as the round
    /// wants; the verdict must not be written. [`ErrorKind::Denied`]: the person is not in the round.
    /// [`ErrorKind::NotFound`]: the round has no such item.
    pub fn judged(&mut self, person: &str, item: u32, part: Part, now: i64) -> Result<()> {
        let who = self.fitting(person, item, part)?;
        self.expire(now);
        let holds = self.people[who]
            .lease
            .is_some_and(|l| (l.ticket.item, l.ticket.part) == (item, part));
        if part == Part::Main && !holds && !self.people[who].mine.has(item) {
            let (judged, leased) = self.items[item as usize];
            if judged + leased >= self.overlap {
                let what = format!(
                    "your lease of this item expired, and {} others have it now",
                    self.overlap
                );
                return Err(Error::new(ErrorKind::Conflict, what)
                    .help("go on with the next item; this verdict was not kept"));
            }
        }
        self.count(who, item, part, false);
        Ok(())
    }

    /// No verdict of `person` on this ticket counts any more. It is the first they are served again, before what they have
    /// in hand.
    ///
    /// # Errors
    /// [`ErrorKind::Denied`]: the person is not in the round. [`ErrorKind::NotFound`]: the round has no such item.
    pub fn undone(&mut self, person: &str, item: u32, part: Part) -> Result<()> {
        let who = self.fitting(person, item, part)?;
        if part == Part::Main && self.uncount(who, item) {
            self.hand_back(who);
            self.people[who].put_back(item);
        } else if self.people[who].unpass(item, part) {
            self.hand_back(who);
        }
        Ok(())
    }

    /// Gives nothing out any more. Who has a ticket may still judge it.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// What `person` has in hand; it may have expired since somebody last asked.
    pub fn lease_of(&self, person: &str) -> Option<Lease> {
        self.people[*self.known.get(person)?].lease
    }

    /// Whether a verdict of `person` on this item of the round counts.
    pub fn has_judged(&self, person: &str, item: u32) -> bool {
        let person = self.known.get(person).map(|who| &self.people[*who]);
        person.is_some_and(|person| item < person.plan.items() && person.mine.has(item))
    }

    /// Takes over the leases of `before`, the same round as it was, where there is still room for them.
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

    /// How far `person` is; none for somebody else.
    pub fn done(&self, person: &str) -> Option<Done> {
        Some(self.people[*self.known.get(person)?].done())
    }

    /// Where a ticket of `person` stands, from 1, and of how many: in practice those of practice, afterwards all that come
    /// after it if all people are equally fast. None for somebody else.
    pub fn place(&self, person: &str, ticket: Ticket) -> Option<(u32, u32)> {
        let person = &self.people[*self.known.get(person)?];
        let practised = person.done().calibration;
        Some(match ticket.part {
            Part::Calibration => (practised + 1, person.plan.practice()),
            _ => {
                let at = ticket.nth.saturating_sub(practised) + 1;
                (at, person.plan.after_practice().max(at))
            }
        })
    }

    /// Verdicts that count towards the overlap, and how many are wanted.
    pub fn progress(&self) -> (u64, u64) {
        (
            self.counted,
            self.items.len() as u64 * u64::from(self.overlap),
        )
    }

    /// Verdicts that [`rebuild`](Self::rebuild) passed over.
    pub fn strangers(&self) -> u64 {
        self.strangers
    }

    fn who(&self, person: &str) -> Result<usize> {
        self.known.get(person).copied().ok_or_else(|| {
            let what = format!("`{person}` is not in the round `{}`", self.name);
            Error::new(ErrorKind::Denied, what)
                .help("ask who made the round for a new one with your name")
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
            "the round `{}` has no item {item} to be shown as {}",
            self.name,
            part.name()
        );
        Err(Error::new(ErrorKind::NotFound, what).help("ask for the next ticket again"))
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
