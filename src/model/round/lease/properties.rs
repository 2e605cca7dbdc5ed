//! Property tests of leases under random actions of ten people.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::round::Protocol;
use crate::round::tests::{names, round};

const MINUTE: i64 = 60_000;

#[derive(Clone, Debug)]
enum Move {
    Judge(usize),
    Late(usize),
    Skip(usize),
    Release(usize),
    Undo(usize, usize),
    Pass(i64),
    Restart,
}

fn moves(people: usize) -> impl Strategy<Value = Move> {
    prop_oneof![
        12 => (0..people).prop_map(Move::Judge),
        2 => (0..people).prop_map(Move::Late),
        2 => (0..people).prop_map(Move::Skip),
        1 => (0..people).prop_map(Move::Release),
        2 => ((0..people), any::<usize>()).prop_map(|(who, which)| Move::Undo(who, which)),
        2 => (0i64..20).prop_map(Move::Pass),
        1 => Just(Move::Restart),
    ]
}

/// A naive model of the rules: verdicts by item and person, and current leases.
struct Rules {
    round: Round,
    names: Vec<String>,
    now: i64,
    judged: BTreeMap<u32, BTreeSet<usize>>,
    held: BTreeMap<usize, (u32, i64)>,
    log: Vec<(usize, u32, Part)>,
    last: Vec<Option<Ticket>>,
}

impl Rules {
    fn load(&self, item: u32) -> usize {
        let live = self
            .held
            .values()
            .filter(|(held, until)| *held == item && *until > self.now)
            .count();
        self.judged.get(&item).map_or(0, BTreeSet::len) + live
    }

    fn next(
        &mut self,
        leases: &mut Leases,
        who: usize,
    ) -> std::result::Result<Option<Ticket>, TestCaseError> {
        let lease = match leases.next(&self.names[who], self.now).unwrap() {
            NextTicket::Ticket(lease) => lease,
            NextTicket::Finished => {
                for item in 0..self.round.items.len() as u32 {
                    let judged = self.judged.get(&item);
                    let full = judged.is_some_and(|j| {
                        j.contains(&who) || j.len() >= usize::from(self.round.overlap)
                    });
                    prop_assert!(full, "{} got Finished although item {} is open", who, item);
                }
                return Ok(None);
            }
            NextTicket::Wait(until) => {
                prop_assert!(self.held.values().any(|(_, at)| *at == until) && until > self.now);
                return Ok(None);
            }
            NextTicket::Closed => panic!(),
        };
        prop_assert_eq!(lease.until, self.now + 15 * MINUTE);
        let Ticket { item, part, .. } = lease.ticket;
        if part == Part::Main {
            prop_assert!(
                !self.judged.get(&item).is_some_and(|j| j.contains(&who)),
                "{} got {} twice",
                who,
                item
            );
            self.held.insert(who, (item, lease.until));
            prop_assert!(
                self.load(item) <= usize::from(self.round.overlap),
                "item {} is served too often",
                item
            );
        }
        if part == Part::Repeat {
            prop_assert!(
                self.judged.get(&item).is_some_and(|j| j.contains(&who)),
                "a repeat of an item that was not judged"
            );
        }
        self.last[who] = Some(lease.ticket);
        Ok(Some(lease.ticket))
    }

    fn judge(
        &mut self,
        leases: &mut Leases,
        who: usize,
        ticket: Ticket,
    ) -> std::result::Result<(), TestCaseError> {
        let Ticket { item, part, .. } = ticket;
        let mine = |rules: &Rules| rules.judged.get(&item).is_some_and(|j| j.contains(&who));
        let holds = self
            .held
            .get(&who)
            .is_some_and(|(held, until)| *held == item && *until > self.now);
        let room = part != Part::Main
            || holds
            || mine(self)
            || self.load(item) < usize::from(self.round.overlap);
        prop_assert_eq!(
            leases
                .record_verdict(&self.names[who], item, part, self.now)
                .is_ok(),
            room
        );
        if room {
            if part == Part::Main {
                self.judged.entry(item).or_default().insert(who);
                if holds {
                    self.held.remove(&who);
                }
                prop_assert!(self.load(item) <= usize::from(self.round.overlap));
            }
            self.log.retain(|entry| *entry != (who, item, part));
            self.log.push((who, item, part));
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn items_are_served_once_per_person_and_up_to_the_overlap(
        items in 1usize..40, people in 1usize..=10, overlap in 1u8..=4, known in 0usize..8, seed in any::<u64>(),
        moves in prop::collection::vec(moves(10), 0..300),
    ) {
        let mut made = round(items, people, overlap.min(people as u8), known);
        made.protocol = Protocol::Single;
        made.seed = seed;
        let names = names(people);
        let mut served = Leases::new(&made, 15).unwrap();
        let mut rules = Rules {
            round: made.clone(), names: names.clone(), now: 0, judged: BTreeMap::new(), held: BTreeMap::new(),
            log: Vec::new(), last: vec![None; people],
        };
        for step in moves {
            match step {
                Move::Judge(who) => {
                    if let Some(ticket) = rules.next(&mut served, who % people)? {
                        rules.judge(&mut served, who % people, ticket)?;
                    }
                }
                // An item that is still on screen, whether or not its lease is live.
                Move::Late(who) => {
                    if let Some(ticket) = rules.last[who % people] {
                        rules.judge(&mut served, who % people, ticket)?;
                    }
                }
                Move::Skip(who) => {
                    if let Some(Ticket { item, part, .. }) = rules.next(&mut served, who % people)? {
                        served.skip(&names[who % people], item, part, rules.now).unwrap();
                        rules.held.remove(&(who % people));
                    }
                }
                Move::Release(who) => {
                    // Make sure that there often is a lease to release.
                    rules.next(&mut served, who % people)?;
                    served.release(&names[who % people]).unwrap();
                    rules.held.remove(&(who % people));
                }
                Move::Undo(who, which) => {
                    let mine: Vec<usize> = (0..rules.log.len()).filter(|i| rules.log[*i].0 == who % people).collect();
                    if !mine.is_empty() {
                        let (who, item, part) = rules.log.remove(mine[which % mine.len()]);
                        served.withdraw(&names[who], item, part).unwrap();
                        if part == Part::Main {
                            rules.judged.get_mut(&item).unwrap().remove(&who);
                        }
                        rules.held.remove(&who);
                        // The item comes first, unless something is mixed in. A repeat may no
                        // longer be due.
                        let again = rules.next(&mut served, who)?;
                        if part == Part::Main {
                            prop_assert!(again.is_some_and(|t| t.item == item || t.part != Part::Main), "{:?}", again);
                        }
                    }
                }
                Move::Pass(minutes) => rules.now += minutes * MINUTE,
                Move::Restart => {
                    let events = rules.log.iter().map(|(who, item, part)| JournaledVerdict {
                        person: &names[*who], item: *item, part: *part, skipped: false,
                    });
                    served = Leases::rebuild(&made, 15, events).unwrap();
                    rules.held.clear();
                }
            }
            let live = rules.judged.values().map(|j| j.len() as u64).sum::<u64>();
            prop_assert_eq!(served.progress().0, live);
            for (who, name) in names.iter().enumerate() {
                let mains = rules.judged.values().filter(|j| j.contains(&who)).count() as u32;
                prop_assert_eq!(served.done(name).unwrap().mains, mains);
            }
        }
        // The remaining people finish: every item reaches the overlap.
        let mut idle = 0;
        while idle < people {
            idle = 0;
            rules.now += 16 * MINUTE;
            for who in 0..people {
                match rules.next(&mut served, who)? {
                    Some(ticket) => rules.judge(&mut served, who, ticket)?,
                    None => idle += 1,
                }
            }
        }
        for item in 0..items as u32 {
            prop_assert_eq!(rules.judged[&item].len(), usize::from(made.overlap));
        }
    }
}
