use super::*;
use crate::ErrorKind;
use crate::round::Rate;
use crate::round::order::tickets;
use crate::round::tests::{names, round};

const MINUTE: i64 = 60_000;

fn plain(items: usize, people: usize, overlap: u8) -> Round {
    let mut made = round(items, people, overlap, 0);
    (made.repeats, made.probes) = (Rate::NONE, Rate::NONE);
    made
}

fn leases(items: usize, people: usize, overlap: u8) -> Leases {
    Leases::new(&plain(items, people, overlap), LEASE_MINUTES).unwrap()
}

impl Leases {
    fn ticket(&mut self, person: &str, now: i64) -> Ticket {
        match self.next(person, now).unwrap() {
            NextTicket::Ticket(lease) => lease.ticket,
            other => panic!("{person} got {other:?}"),
        }
    }

    fn judge(&mut self, person: &str, ticket: Ticket, now: i64) -> Result<()> {
        self.record_verdict(person, ticket.item, ticket.part, now)
    }
}

#[test]
fn outsiders_and_unknown_items_fail() {
    let mut made = leases(3, 2, 1);
    for problem in [
        made.next("eve", 0).unwrap_err(),
        made.renew("eve", 0).unwrap_err(),
        made.release("eve").unwrap_err(),
        made.record_verdict("eve", 0, Part::Main, 0).unwrap_err(),
        made.skip("eve", 0, Part::Main, 0).unwrap_err(),
        made.withdraw("eve", 0, Part::Main).unwrap_err(),
    ] {
        assert_eq!(problem.kind, ErrorKind::Denied, "{problem}");
    }
    assert_eq!(
        made.record_verdict("person-0", 3, Part::Main, 0)
            .unwrap_err()
            .kind,
        ErrorKind::NotFound
    );
    assert_eq!(
        made.record_verdict("person-0", 0, Part::Probe, 0)
            .unwrap_err()
            .kind,
        ErrorKind::NotFound
    );
    assert!(made.done("eve").is_none() && made.upcoming("eve", 4).is_empty());
}

#[test]
fn repeated_next_renews_the_ticket() {
    let mut made = leases(10, 2, 1);
    let NextTicket::Ticket(first) = made.next("person-0", 0).unwrap() else {
        panic!()
    };
    assert_eq!(first.until, 15 * MINUTE);
    let NextTicket::Ticket(again) = made.next("person-0", 10 * MINUTE).unwrap() else {
        panic!()
    };
    assert_eq!((again.ticket, again.until), (first.ticket, 25 * MINUTE));
    assert_eq!(
        made.renew("person-0", 20 * MINUTE)
            .unwrap()
            .map(|l| l.until),
        Some(35 * MINUTE)
    );
    assert_eq!(
        made.renew("person-0", 35 * MINUTE).unwrap(),
        None,
        "expired"
    );
    assert_eq!(
        made.ticket("person-0", 36 * MINUTE),
        first.ticket,
        "nobody took it in between"
    );
    // A clock that goes backward neither ends nor extends leases.
    assert_eq!(
        made.renew("person-0", 0).unwrap().map(|l| l.until),
        Some(51 * MINUTE)
    );
}

#[test]
fn next_reports_wait_and_finished() {
    let mut made = leases(1, 2, 1);
    let ticket = made.ticket("person-0", 0);
    assert_eq!(
        made.next("person-1", 5).unwrap(),
        NextTicket::Wait(15 * MINUTE)
    );
    made.release("person-0").unwrap();
    assert_eq!(made.ticket("person-1", 6).item, ticket.item);
    assert_eq!(
        made.next("person-0", 7).unwrap(),
        NextTicket::Wait(15 * MINUTE + 6)
    );
    made.judge("person-1", ticket, 8).unwrap();
    assert_eq!(made.next("person-0", 9).unwrap(), NextTicket::Finished);
    assert_eq!(made.next("person-1", 9).unwrap(), NextTicket::Finished);
    assert_eq!(made.progress(), (1, 1));
}

#[test]
fn late_verdict_counts_while_there_is_room() {
    let mut made = leases(1, 3, 1);
    let late = made.ticket("person-0", 0);
    let taken = made.ticket("person-1", 16 * MINUTE);
    assert_eq!(late.item, taken.item);
    let problem = made.judge("person-0", late, 17 * MINUTE).unwrap_err();
    assert_eq!(problem.kind, ErrorKind::Conflict, "{problem}");
    assert_eq!(made.progress(), (0, 1));
    // The other lease expires too, so the first verdict to arrive counts.
    made.judge("person-0", late, 40 * MINUTE).unwrap();
    assert_eq!(
        made.judge("person-1", taken, 41 * MINUTE).unwrap_err().kind,
        ErrorKind::Conflict
    );
    // A second verdict of the same person needs no more room.
    made.judge("person-0", late, 42 * MINUTE).unwrap();
    assert_eq!(
        (made.progress(), made.done("person-0").unwrap().mains),
        ((1, 1), 1)
    );
}

#[test]
fn skipped_item_comes_last_and_is_free_for_others() {
    let mut made = leases(5, 2, 1);
    let skipped = made.ticket("person-0", 0);
    made.skip("person-0", skipped.item, Part::Main, 1).unwrap();
    let mut seen = Vec::new();
    for now in 2..6 {
        let ticket = made.ticket("person-0", now);
        seen.push(ticket.item);
        made.judge("person-0", ticket, now).unwrap();
    }
    assert!(!seen.contains(&skipped.item));
    assert_eq!(made.ticket("person-1", 9).item, skipped.item);
    assert_eq!(
        made.next("person-0", 9).unwrap(),
        NextTicket::Wait(15 * MINUTE + 9)
    );
    made.release("person-1").unwrap();
    assert_eq!(made.ticket("person-0", 10).item, skipped.item);
    // It stays available after repeated skips.
    made.skip("person-0", skipped.item, Part::Main, 11).unwrap();
    assert_eq!(made.ticket("person-0", 12).item, skipped.item);
    // A skip after a verdict withdraws the verdict.
    made.judge("person-0", skipped, 13).unwrap();
    assert_eq!(made.progress(), (5, 5));
    made.skip("person-0", skipped.item, Part::Main, 14).unwrap();
    assert_eq!(made.progress(), (4, 5));
    assert_eq!(
        made.ticket("person-1", 15).item,
        skipped.item,
        "a finished person has work again"
    );
}

#[test]
fn undone_item_comes_before_the_current_one() {
    let mut made = leases(30, 2, 1);
    let first = made.ticket("person-0", 0);
    made.judge("person-0", first, 1).unwrap();
    let second = made.ticket("person-0", 2);
    made.withdraw("person-0", first.item, Part::Main).unwrap();
    assert_eq!(made.ticket("person-0", 3).item, first.item);
    made.judge("person-0", first, 4).unwrap();
    assert_eq!(made.ticket("person-0", 5).item, second.item);
    // Undoing an item that was never judged has no effect.
    made.withdraw("person-0", second.item, Part::Main).unwrap();
    assert_eq!(made.ticket("person-0", 6).item, second.item);
}

#[test]
fn single_person_gets_all_their_tickets() {
    let made = round(400, 1, 1, 60);
    let mut served = Leases::new(&made, 15).unwrap();
    let mut events = Vec::new();
    for (now, expected) in tickets(&made, "person-0").unwrap().into_iter().enumerate() {
        let ticket = served.ticket("person-0", now as i64);
        assert_eq!(ticket, expected);
        served.judge("person-0", ticket, now as i64).unwrap();
        events.push(JournaledVerdict {
            person: "person-0",
            item: ticket.item,
            part: ticket.part,
            skipped: false,
        });
        if now % 37 == 0 {
            served = Leases::rebuild(&made, 15, events.iter().copied()).unwrap();
        }
    }
    assert_eq!(served.next("person-0", 9).unwrap(), NextTicket::Finished);
    let done = served.done("person-0").unwrap();
    assert_eq!(
        (done.calibration, done.mains, done.repeats, done.probes),
        (40, 400, 20, 28)
    );
}

#[test]
fn skipped_probe_is_done_and_undone_probe_returns() {
    let made = round(60, 1, 1, 20);
    let mut served = Leases::new(&made, 15).unwrap();
    let practice = served.ticket("person-0", 0);
    assert_eq!(practice.part, Part::Calibration);
    served
        .skip("person-0", practice.item, practice.part, 0)
        .unwrap();
    let next = served.ticket("person-0", 0);
    assert_ne!(next.item, practice.item);
    served.judge("person-0", next, 1).unwrap();
    served.judge("person-0", next, 1).unwrap();
    let third = served.ticket("person-0", 2);
    served.withdraw("person-0", next.item, next.part).unwrap();
    assert_eq!(served.ticket("person-0", 3).item, next.item);
    served.judge("person-0", next, 4).unwrap();
    assert_eq!(served.ticket("person-0", 5).item, third.item);
    assert_eq!(served.done("person-0").unwrap().calibration, 2);
}

#[test]
fn probes_depend_on_items_judged_by_the_person() {
    let made = round(1000, 10, 1, 400);
    let mut served = Leases::new(&made, 15).unwrap();
    let mut open = names(10);
    let mut now = 0;
    while !open.is_empty() {
        open.retain(|person| {
            now += 1;
            let NextTicket::Ticket(lease) = served.next(person, now).unwrap() else {
                return false;
            };
            served.judge(person, lease.ticket, now).unwrap();
            true
        });
    }
    assert_eq!(served.progress(), (1000, 1000));
    for person in names(10) {
        let done = served.done(&person).unwrap();
        assert!((90..=110).contains(&done.mains), "{done:?}");
        assert!((5..=9).contains(&done.probes), "{done:?}");
        assert!((2..=7).contains(&done.repeats), "{done:?}");
    }
}

#[test]
fn ahead_predicts_the_next_items() {
    let mut made = leases(20, 2, 2);
    let ahead = made.upcoming("person-0", 3);
    let first = made.ticket("person-0", 0);
    assert_eq!(first.item, ahead[0]);
    assert_eq!(made.upcoming("person-0", 2), ahead[1..]);
    made.judge("person-0", first, 1).unwrap();
    assert_eq!(made.ticket("person-0", 2).item, ahead[1]);
    assert_eq!(made.upcoming("person-0", 100).len(), 18);
}

#[test]
fn closed_round_accepts_only_leased_tickets() {
    let mut made = leases(5, 2, 1);
    let ticket = made.ticket("person-0", 0);
    made.close();
    assert_eq!(made.next("person-1", 1).unwrap(), NextTicket::Closed);
    made.judge("person-0", ticket, 2).unwrap();
    assert_eq!(made.next("person-0", 3).unwrap(), NextTicket::Closed);
    let closed = Round {
        closed: Some(4),
        ..plain(5, 2, 1)
    };
    assert_eq!(
        Leases::new(&closed, 15)
            .unwrap()
            .next("person-0", 5)
            .unwrap(),
        NextTicket::Closed
    );
}

#[test]
fn whoever_settles_a_dispute_is_no_stranger() {
    let made = plain(2, 3, 1);
    let of = |person, part, item| JournaledVerdict {
        person,
        item,
        part,
        skipped: false,
    };
    let settled = of("eve", Part::Adjudication, 0);
    let events = [settled, of("eve", Part::Adjudication, 9)];
    let served = Leases::rebuild(&made, 15, events).unwrap();
    assert_eq!((served.progress().0, served.strangers()), (0, 1));
}

#[test]
fn surplus_verdicts_are_tolerated() {
    let made = plain(2, 3, 1);
    let names = names(3);
    let of = |person| JournaledVerdict {
        person,
        item: 0,
        part: Part::Main,
        skipped: false,
    };
    let odd = [
        of("eve"),
        JournaledVerdict {
            item: 9,
            ..of("person-0")
        },
    ];
    let events = names.iter().map(|n| of(n)).chain(odd);
    let mut served = Leases::rebuild(&made, 15, events).unwrap();
    assert_eq!((served.progress(), served.strangers()), ((1, 2), 2));
    served.withdraw("person-1", 0, Part::Main).unwrap();
    assert_eq!(served.progress(), (1, 2));
    assert_eq!(
        served.ticket("person-1", 0).item,
        1,
        "two verdicts are still one above the overlap"
    );
}

#[test]
fn tickets_are_cheap_in_a_large_round() {
    let (items, people) = (100_000, 10);
    let made = plain(items, people, 2);
    let mut served = Leases::new(&made, 15).unwrap();
    let names = names(people);
    let (mut now, mut given) = (0, 0u64);
    let mut open: Vec<&String> = names.iter().collect();
    while !open.is_empty() {
        open.retain(|person| {
            now += 1;
            let NextTicket::Ticket(lease) = served.next(person, now).unwrap() else {
                return false;
            };
            given += 1;
            served.judge(person, lease.ticket, now).unwrap();
            true
        });
    }
    assert_eq!(given, 2 * items as u64);
    assert_eq!(served.progress(), (given, given));
    // Each person looks at each item once, and again only at the few that others had leased.
    assert!(served.looks < 11 * items as u64, "{} looks", served.looks);
}

#[test]
fn place_counts_all_tickets_up_to_the_total() {
    // If everybody judges everything with practice, probes, and repeats, the total is exact.
    let made = round(200, 2, 2, 30);
    let mut leases = Leases::new(&made, LEASE_MINUTES).unwrap();
    let practice = made.calibration.len() as u32;
    let rest = tickets(&made, "person-0").unwrap().len() as u32 - practice;
    for nth in 0..practice + rest {
        let ticket = leases.ticket("person-0", 0);
        let expected = if nth < practice {
            (nth + 1, practice)
        } else {
            (nth - practice + 1, rest)
        };
        assert_eq!(
            leases.place("person-0", ticket),
            Some(expected),
            "{ticket:?}"
        );
        leases.judge("person-0", ticket, 0).unwrap();
    }
    assert_eq!(leases.next("person-0", 0).unwrap(), NextTicket::Finished);
    assert_eq!(
        leases.place(
            "eve",
            Ticket {
                item: 0,
                part: Part::Main,
                nth: 0
            }
        ),
        None
    );
}
