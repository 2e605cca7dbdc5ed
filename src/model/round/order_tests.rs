use crate::ErrorKind;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::round::Rate;
use crate::round::tests::{names, round};

fn all_of(tickets: &[Ticket], part: Part) -> Vec<Ticket> {
    tickets.iter().filter(|t| t.part == part).copied().collect()
}

fn mixed(items: usize, repeats: u32, probes: u32, known: usize) -> Round {
    let mut made = round(items, 1, 1, known);
    made.repeats = Rate::of_ten_thousand(repeats).unwrap();
    made.probes = Rate::of_ten_thousand(probes).unwrap();
    made
}

#[test]
fn outsiders_are_denied_with_the_list_of_people() {
    let problem = tickets(&round(3, 2, 1, 0), "eve").unwrap_err();
    assert_eq!(problem.kind, ErrorKind::Denied);
    assert!(problem.help.unwrap().contains("person-1"));
}

#[test]
fn orders_do_not_change_when_people_join_or_leave() {
    let mut made = mixed(600, 500, 700, 60);
    made.people.push("person-1".into());
    let before = tickets(&made, "person-0").unwrap();
    made.change(
        (&["zoe".into()], &["person-1".into()]),
        false,
        "person-0",
        5,
    )
    .unwrap();
    assert_eq!(tickets(&made, "person-0").unwrap(), before);
    assert_eq!(
        (
            made.initial_people(),
            made.people_who_left(),
            made.is_active("zoe")
        ),
        (2, vec!["person-1".to_string()], true)
    );
    let alike = Round {
        people: vec!["person-0".into(), "zoe".into()],
        changes: Vec::new(),
        ..made.clone()
    };
    assert_eq!(
        tickets(&made, "zoe").unwrap(),
        tickets(&alike, "zoe").unwrap()
    );
    assert_eq!(
        Round::parse(&made.to_json().unwrap(), std::path::Path::new("r.json")).unwrap(),
        made
    );
}

#[test]
fn open_rounds_can_use_the_list_order() {
    let mut made = round(200, 1, 1, 0);
    (made.blind, made.order) = (false, Order::AsListed);
    let mains = all_of(&tickets(&made, "person-0").unwrap(), Part::Main);
    assert!(mains.iter().map(|t| t.item).eq(0..200));
}

#[test]
fn tickets_resolve_to_item_ids() {
    let made = round(100, 1, 1, 20);
    let ticket = |item, part| Ticket { item, part, nth: 0 };
    assert_eq!(made.id(ticket(3, Part::Main)), Some("set/3"));
    assert_eq!(made.id(ticket(3, Part::Repeat)), Some("set/3"));
    assert_eq!(made.id(ticket(3, Part::Probe)), Some("probe/3"));
    assert_eq!(made.id(ticket(3, Part::Calibration)), Some("practice/3"));
    assert_eq!(made.id(ticket(100, Part::Main)), None);
}

#[test]
fn default_round_matches_its_shares() {
    let made = round(1000, 2, 2, 200);
    let shown = tickets(&made, "person-1").unwrap();
    let count = |part| all_of(&shown, part).len();
    assert_eq!(
        [Part::Calibration, Part::Main, Part::Repeat, Part::Probe].map(count),
        [40, 1000, 50, 70]
    );
    assert!(
        shown[..40].iter().all(|t| t.part == Part::Calibration),
        "practice comes first"
    );
    let bad = shown[..10]
        .iter()
        .filter(|t| !made.calibration[t.item as usize].good)
        .count();
    assert!(
        (1..10).contains(&bad),
        "practice is shuffled: {bad} of the first 10 are bad"
    );
}

#[test]
fn positions_are_uniform() {
    // Position of item 0 over 4,000 people: 40 cells with 100 expected each. The 99.9th percentile
    // of chi square with 39 degrees of freedom is 72.
    let mut cells = [0f64; 40];
    for person in names(4000) {
        let order = Permutation::new(key(3, &[&person]), 1000);
        cells[(0..1000).position(|at| order.at(at) == 0).unwrap() / 25] += 1.0;
    }
    let chi: f64 = cells.iter().map(|n| (n - 100.0).powi(2) / 100.0).sum();
    assert!(chi < 72.0, "{chi}");
    // Two neighbors in the list are rarely neighbors in an order (2 in 1,000 by chance).
    let near = names(500).into_iter().filter(|person| {
        let order = Permutation::new(key(4, &[person]), 1000);
        let at = |item| (0..1000).position(|at| order.at(at) == item).unwrap() as i64;
        (at(500) - at(501)).abs() == 1
    });
    assert!(near.count() < 8);
}

#[test]
fn short_rounds_repeat_their_first_items_at_the_end() {
    let shown = tickets(&mixed(12, 2500, 0, 0), "person-0").unwrap();
    let repeats = all_of(&shown, Part::Repeat);
    assert_eq!(repeats.len(), 3);
    for repeat in &repeats {
        let first = shown.iter().find(|t| t.item == repeat.item).unwrap();
        assert_eq!(repeat.nth - first.nth, 12);
    }
}

#[test]
fn scarce_probes_are_spread_over_a_persons_share() {
    // Ten people share 1,000 items, 100 each: 7 probes per person, and 70 for one who judges
    // everything.
    let mut made = round(1000, 10, 1, 4);
    let shown = tickets(&made, "person-3").unwrap();
    let probes = all_of(&shown, Part::Probe);
    assert_eq!(probes.len(), 4);
    let mains = |nth: u32| all_of(&shown[..nth as usize], Part::Main).len();
    assert!(
        (75..=100).contains(&mains(probes[3].nth)),
        "all four within the share"
    );
    made.probe_items.clear();
    assert!(all_of(&tickets(&made, "person-3").unwrap(), Part::Probe).is_empty());
}

#[test]
fn order_of_617k_items_needs_no_list() {
    let made = round(617_000, 10, 2, 50_000);
    let shown = tickets(&made, "person-9").unwrap();
    assert_eq!(all_of(&shown, Part::Main).len(), 617_000);
    assert_eq!(all_of(&shown, Part::Repeat).len(), 30_850);
    assert_eq!(all_of(&shown, Part::Probe).len(), 43_190);
    let plan = PersonalOrder::new(&made, "person-9").unwrap();
    assert!(std::mem::size_of_val(&plan) < 300);
    let mut seen = vec![false; 617_000];
    (0..617_000).for_each(|at| seen[plan.item(at) as usize] = true);
    assert!(seen.into_iter().all(|s| s));
}

proptest! {
    #[test]
    fn permutations_are_bijective(key in any::<u64>(), n in 1u32..5000) {
        let order = Permutation::new(key, n);
        let places: BTreeSet<u32> = (0..n).map(|at| order.at(at)).collect();
        prop_assert!(places.into_iter().eq(0..n));
    }

    #[test]
    fn tickets_of_a_person(
        items in 1usize..700, people in 1usize..4, repeats in 0u32..=2500, probes in 0u32..=2500, known in 0usize..200,
        seed in any::<u64>(),
    ) {
        let mut made = mixed(items, repeats, probes, known);
        (made.people, made.overlap, made.seed) = (names(people), people as u8, seed);
        let shown = tickets(&made, "person-0").unwrap();
        prop_assert_eq!(&shown, &tickets(&made, "person-0").unwrap(), "deterministic");
        prop_assert!(shown.iter().enumerate().all(|(at, t)| t.nth == at as u32));
        // Every item once.
        let mains: BTreeSet<u32> = all_of(&shown, Part::Main).iter().map(|t| t.item).collect();
        prop_assert_eq!(all_of(&shown, Part::Main).len(), items);
        prop_assert_eq!(mains.len(), items);
        // Shares are exact up to rounding, as far as there are probes and positions.
        let n = items as u64;
        prop_assert_eq!(all_of(&shown, Part::Repeat).len() as u64, made.repeats.apply(n));
        let wanted = made.probes.apply(n).min(known as u64).min((n + 1).saturating_sub(5));
        prop_assert_eq!(all_of(&shown, Part::Probe).len() as u64, wanted);
        // Practice is first and complete, and no gold item occurs twice.
        let practice = made.calibration.len();
        prop_assert!(shown[..practice].iter().all(|t| t.part == Part::Calibration));
        for part in [Part::Calibration, Part::Probe, Part::Repeat] {
            let list = all_of(&shown, part);
            let once: BTreeSet<u32> = list.iter().map(|t| t.item).collect();
            prop_assert_eq!(once.len(), list.len());
        }
        // Repeats show earlier items, after the gap.
        let first: BTreeMap<u32, u32> = all_of(&shown, Part::Main).iter().map(|t| (t.item, t.nth)).collect();
        for repeat in all_of(&shown, Part::Repeat) {
            let back = i64::from(repeat.nth) - i64::from(first[&repeat.item]);
            prop_assert!(back >= 20.min(n as i64), "{} back", back);
        }
        // Probes are never adjacent, never among the first five, and evenly spread.
        let places: Vec<u32> = all_of(&shown, Part::Probe).iter().map(|t| t.nth).collect();
        prop_assert!(places.iter().all(|nth| *nth >= practice as u32 + 5));
        prop_assert!(places.windows(2).all(|two| two[1] - two[0] > 1));
        let mut done = (0u64, 0u64);
        for ticket in &shown {
            match ticket.part {
                Part::Main => done.0 += 1,
                Part::Probe => done.1 += 1,
                _ => {}
            }
            let even = wanted as f64 * (done.0 as f64 - 4.0).max(0.0) / (n as f64 - 4.0).max(1.0);
            prop_assert!((done.1 as f64 - even).abs() < 2.0, "{} probes after {} of {} items", done.1, done.0, n);
        }
    }

    #[test]
    fn orders_differ_by_person_and_seed(items in 12usize..300, seed in any::<u64>()) {
        let mut made = mixed(items, 500, 700, 30);
        made.people = names(4);
        made.seed = seed;
        let mut orders: BTreeSet<Vec<u32>> = BTreeSet::new();
        for person in names(4) {
            orders.insert(tickets(&made, &person).unwrap().iter().map(|t| t.item).collect());
        }
        made.seed = !seed;
        orders.insert(tickets(&made, "person-0").unwrap().iter().map(|t| t.item).collect());
        prop_assert_eq!(orders.len(), 5);
    }
}
