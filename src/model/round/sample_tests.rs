use proptest::prelude::*;

use super::*;
use crate::round::Gold;
use crate::round::tests::names;

fn request(sample: Sample) -> NewRound {
    NewRound {
        sample,
        ..NewRound::new("first", Protocol::BothAccept, names(3), 11)
    }
}

fn ids(count: usize) -> Vec<(String, String)> {
    (0..count)
        .map(|i| (format!("set/{i}"), format!("kind-{}", i % 3)))
        .collect()
}

fn borrowed(list: &[(String, String)]) -> Vec<(&str, &str)> {
    list.iter()
        .map(|(id, stratum)| (id.as_str(), stratum.as_str()))
        .collect()
}

/// Gold candidates: every `bad`th is bad, and every second one is from a stratum without
/// candidates.
fn known(list: &[(String, String)], bad: usize) -> Vec<GoldCandidate<'_>> {
    let stratum = |i: usize| {
        if i.is_multiple_of(2) {
            "kind-0"
        } else {
            "elsewhere"
        }
    };
    list.iter()
        .enumerate()
        .map(|(i, (id, _))| GoldCandidate {
            id,
            stratum: stratum(i / bad.max(1)),
            good: i % bad.max(1) != 0,
            reasons: &[],
        })
        .collect()
}

#[test]
fn shares_are_allocated_by_largest_remainders() {
    assert_eq!(apportion(10, &[6, 6, 8]), [3, 3, 4]);
    assert_eq!(apportion(1, &[5, 5]), [1, 0], "ties go to the earlier one");
    assert_eq!(apportion(7, &[1, 1, 98]), [0, 0, 7]);
    assert_eq!(apportion(0, &[3]), [0]);
    assert_eq!(apportion(0, &[]), [0u64; 0]);
    let list = ids(100);
    let drawn = draw(
        &request(Sample::Share(Rate::of_ten_thousand(1000).unwrap())),
        &borrowed(&list),
        &[],
        "ann",
        5,
    );
    let round = drawn.unwrap().round;
    let of = |stratum: usize| {
        round
            .items
            .iter()
            .filter(|id| id[4..].parse::<usize>().unwrap() % 3 == stratum)
            .count()
    };
    assert_eq!([of(0), of(1), of(2)], [4, 3, 3]);
    assert_eq!(
        (round.origin.candidates, round.by.as_str(), round.created),
        (100, "ann", 5)
    );
    assert_eq!(round.overlap, 2);
}

#[test]
fn small_strata_add_a_note() {
    let mut list = ids(30);
    list.push(("set/rare".into(), "rare".into()));
    let NewRoundResult { round, notes } = draw(
        &request(Sample::PerStratum(4)),
        &borrowed(&list),
        &[],
        "ann",
        0,
    )
    .unwrap();
    assert_eq!(round.items.len(), 13);
    assert!(round.items.contains(&"set/rare".to_string()));
    assert!(
        notes
            .iter()
            .any(|n| n.contains("1 items instead of 4 of `rare`")),
        "{notes:?}"
    );
    let NewRoundResult { round, notes } =
        draw(&request(Sample::Count(99)), &borrowed(&list), &[], "ann", 0).unwrap();
    assert_eq!(round.items.len(), 31);
    assert!(
        notes.iter().any(|n| n.contains("31 items instead of 99")),
        "{notes:?}"
    );
}

#[test]
fn practice_is_half_bad_and_probes_prefer_lookalikes() {
    let (list, other) = (
        ids(300),
        (0..400)
            .map(|i| (format!("old/{i}"), String::new()))
            .collect::<Vec<_>>(),
    );
    let NewRoundResult { round, notes } = draw(
        &request(Sample::All),
        &borrowed(&list),
        &known(&other, 2),
        "ann",
        0,
    )
    .unwrap();
    let bad = |list: &[Gold]| list.iter().filter(|g| !g.good).count();
    assert_eq!((round.calibration.len(), bad(&round.calibration)), (40, 20));
    assert_eq!((round.probe_items.len(), bad(&round.probe_items)), (21, 10));
    assert!(round.probe_items.iter().all(|g| g.lookalike));
    assert_eq!(notes, [""; 0]);
}

#[test]
fn scarce_gold_items_add_notes() {
    let (list, other) = (ids(300), ids(330)[300..].to_vec());
    let new = request(Sample::All);
    // 30 gold items, 10 of them bad, for 40 practice items and 21 probes.
    let NewRoundResult { round, notes } =
        draw(&new, &borrowed(&list), &known(&other, 3), "ann", 0).unwrap();
    let bad = |list: &[Gold]| list.iter().filter(|g| !g.good).count();
    assert_eq!(
        (round.calibration.len(), bad(&round.calibration)),
        (10, 5),
        "still half bad"
    );
    assert_eq!((round.probe_items.len(), bad(&round.probe_items)), (20, 5));
    assert_eq!(notes.len(), 2, "{notes:?}");
    let NewRoundResult { round, notes } = draw(&new, &borrowed(&list), &[], "ann", 0).unwrap();
    assert!(round.calibration.is_empty() && round.probe_items.is_empty());
    assert_eq!(notes.len(), 2, "{notes:?}");
    // Only good ones: no practice, and a note on the bad probes.
    let good: Vec<_> = known(&other, 1)
        .into_iter()
        .map(|k| GoldCandidate { good: true, ..k })
        .collect();
    let NewRoundResult { round, notes } = draw(&new, &borrowed(&list), &good, "ann", 0).unwrap();
    assert_eq!((round.calibration.len(), round.probe_items.len()), (0, 21));
    assert!(
        notes.iter().any(|n| n.contains("0 of 21 probes are bad")),
        "{notes:?}"
    );
    // Nothing was requested, so there is no note.
    let none = NewRound {
        probes: Rate::NONE,
        calibration: 0,
        ..new
    };
    assert_eq!(
        draw(&none, &borrowed(&list), &[], "ann", 0).unwrap().notes,
        [""; 0]
    );
}

#[test]
fn answer_rounds_have_no_gold_items() {
    let (list, other) = (ids(20), ids(60)[20..].to_vec());
    let new = NewRound {
        protocol: Protocol::Answer,
        ..request(Sample::All)
    };
    let NewRoundResult { round, notes } =
        draw(&new, &borrowed(&list), &known(&other, 2), "ann", 0).unwrap();
    assert!(round.calibration.is_empty() && round.probe_items.is_empty());
    assert!(notes[0].contains("`answer`"), "{notes:?}");
}

#[test]
fn invalid_draws_fail() {
    let list = ids(9);
    let refused = |new: &NewRound, list: &[(&str, &str)], known: &[GoldCandidate<'_>]| {
        draw(new, list, known, "ann", 0).unwrap_err()
    };
    let all = request(Sample::All);
    let empty = refused(&all, &[], &[]);
    assert_eq!(empty.place.field.as_deref(), Some("items"), "{empty}");
    let twice = refused(&all, &[("a", ""), ("a", "")], &[]);
    assert_eq!(twice.place.field.as_deref(), Some("items"), "{twice}");
    let gold = GoldCandidate {
        id: "g",
        stratum: "",
        good: true,
        reasons: &[],
    };
    assert!(
        refused(&all, &borrowed(&list), &[gold, gold])
            .what
            .contains("`g`")
    );
    for sample in [
        Sample::Count(0),
        Sample::PerStratum(0),
        Sample::Share(Rate::REPEATS),
    ] {
        let problem = refused(&request(sample), &borrowed(&list), &[]);
        assert_eq!(problem.place.field.as_deref(), Some("sample"), "{problem}");
    }
    let blind = NewRound {
        order: Order::AsListed,
        ..all.clone()
    };
    assert_eq!(
        refused(&blind, &borrowed(&list), &[])
            .place
            .field
            .as_deref(),
        Some("order")
    );
    let much = NewRound {
        calibration: 1001,
        ..all.clone()
    };
    assert_eq!(
        refused(&much, &borrowed(&list), &[]).place.field.as_deref(),
        Some("calibration")
    );
    let lonely = NewRound {
        people: names(1),
        ..all
    };
    assert_eq!(
        refused(&lonely, &borrowed(&list), &[])
            .place
            .field
            .as_deref(),
        Some("people")
    );
}

proptest! {
    #[test]
    fn draws_depend_only_on_ids_and_seed(
        count in 1usize..80, take in 1u32..60, seed in any::<u64>(), turn in 0usize..80, old in 0usize..60, each in any::<bool>()
    ) {
        let (list, other) = (ids(count), ids(count + old));
        let sample = if each { Sample::PerStratum(take) } else { Sample::Count(take) };
        let new = NewRound { seed, ..request(sample) };
        // Gold candidates that are also candidates.
        let gold = known(&other[count / 2..], 2);
        let drawn = draw(&new, &borrowed(&list), &gold, "ann", 0).unwrap();
        prop_assert_eq!(&draw(&new, &borrowed(&list), &gold, "ann", 0).unwrap(), &drawn);
        // Another order of the candidates selects the same items, in that order.
        let mut turned = borrowed(&list);
        turned.rotate_left(turn % count);
        let again = draw(&new, &turned, &gold, "ann", 0).unwrap().round;
        let at = |id: &String| turned.iter().position(|(other, _)| other == id).unwrap();
        prop_assert!(again.items.is_sorted_by_key(at));
        let sorted = |mut items: Vec<String>| { items.sort(); items };
        prop_assert_eq!(sorted(again.items), sorted(drawn.round.items.clone()));
        prop_assert_eq!(again.probe_items, drawn.round.probe_items.clone());
        // Gold items are neither in the round nor duplicate, which `check` verifies.
        prop_assert_eq!(drawn.round.check(), Ok(()));
        let bad = drawn.round.calibration.iter().filter(|g| !g.good).count();
        prop_assert_eq!(drawn.round.calibration.len(), 2 * bad);
    }

    #[test]
    fn apportioned_parts_are_near_exact_and_add_up(sizes in prop::collection::vec(0u64..1000, 1..20), share in 0u64..=100) {
        let all: u64 = sizes.iter().sum();
        let total = all * share / 100;
        let parts = apportion(total, &sizes);
        prop_assert_eq!(parts.iter().sum::<u64>(), total);
        for (part, size) in parts.iter().zip(&sizes) {
            let exact = if all == 0 { 0.0 } else { total as f64 * *size as f64 / all as f64 };
            prop_assert!((*part as f64 - exact).abs() < 1.0 && part <= size);
        }
    }
}

#[test]
fn samples_round_trip() {
    let shares = [
        Sample::All,
        Sample::Share(Rate::of_ten_thousand(1250).unwrap()),
        Sample::Count(500),
        Sample::PerStratum(100),
    ];
    for sample in shares {
        assert_eq!(sample.to_string().parse(), Ok(sample));
    }
    assert_eq!("12.5%".parse(), Ok(shares[1]));
    for bad in ["", "ten", "110%", "-1", "5/layer"] {
        assert!(bad.parse::<Sample>().is_err(), "{bad}");
    }
}
