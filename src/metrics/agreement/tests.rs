use proptest::prelude::*;

use super::*;
use benchtop_model::agreement::{AgreementReport, Bootstrap, UNKNOWN, Undefined};
use benchtop_model::cancel::Cancel;
use std::sync::atomic::{AtomicUsize, Ordering};

fn scale(categories: u8) -> Scale {
    Scale::new(categories, 0).unwrap()
}

fn of(categories: u8, ratings: &[(u32, u16, u8)]) -> Agreement {
    Agreement::of(scale(categories), ratings.iter().copied()).unwrap()
}

fn drawn(agreement: &Agreement, draws: u32, seed: u64) -> AgreementReport {
    agreement
        .counts()
        .bootstrapped(Bootstrap { draws, seed }, Cancel::NEVER)
        .unwrap()
}

/// Two annotators on `n` items, who disagree on `other` items in ten.
fn two_people(n: u32, other: u32) -> Vec<(u32, u16, u8)> {
    let second = |i: u32| if i * 7 % 10 < other { 1 - i % 2 } else { i % 2 };
    (0..n)
        .flat_map(|i| [(i, 3, (i % 2) as u8), (i, 8, second(i) as u8)])
        .collect()
}

#[derive(Clone, Debug)]
enum Move {
    Add(u32, u16, u8),
    Remove(u32, u16),
    Change(u32, u16, u8),
}

fn a_move(k: u8) -> impl Strategy<Value = Move> {
    // Items on two pages, and enough annotators to overflow a slot.
    let item = prop_oneof![0u32..6, 4094u32..4098];
    let category = prop_oneof![8 => 0..k, 1 => Just(UNKNOWN)];
    (item, 0u16..6, category, 0..4).prop_map(|(item, rater, category, kind)| match kind {
        0 | 1 => Move::Add(item, rater, category),
        2 => Move::Remove(item, rater),
        _ => Move::Change(item, rater, category),
    })
}

fn moves() -> impl Strategy<Value = (u8, Vec<Move>)> {
    (1u8..=16).prop_flat_map(|k| (Just(k), proptest::collection::vec(a_move(k), 0..150)))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// After any changes, counts and measures equal those of the remaining ratings counted afresh.
    #[test]
    fn changed_ratings_match_a_fresh_count((k, moves) in moves()) {
        let mut agreement = Agreement::new(scale(k));
        let mut left = BTreeMap::<(u32, u16), u8>::new();
        for one in moves {
            match one {
                Move::Add(item, rater, category) => {
                    let added = agreement.add(item, rater, category);
                    prop_assert_eq!(added.is_ok(), !left.contains_key(&(item, rater)));
                    left.entry((item, rater)).or_insert(category);
                }
                Move::Remove(item, rater) => {
                    prop_assert_eq!(agreement.remove(item, rater).ok(), left.remove(&(item, rater)));
                }
                Move::Change(item, rater, category) => {
                    let before = left.get_mut(&(item, rater)).map(|now| std::mem::replace(now, category));
                    prop_assert_eq!(agreement.change(item, rater, category).ok(), before);
                }
            }
        }
        for ((item, rater), category) in &left {
            prop_assert_eq!(agreement.rating(*item, *rater), Some(*category));
        }
        // In another order.
        let again = Agreement::of(scale(k), left.iter().rev().map(|((item, rater), c)| (*item, *rater, *c))).unwrap();
        prop_assert_eq!(agreement.counts(), again.counts());
        let report = agreement.counts().report();
        prop_assert_eq!(&report, &again.counts().report());
        let all = std::iter::once(&report.all).chain(report.pairs.iter().map(|p| &p.measures));
        for measures in all {
            let five = [measures.raw, measures.fleiss_kappa, measures.krippendorff_alpha, measures.gwet_ac1];
            for value in five.into_iter().chain(measures.by_category.iter().copied()).filter_map(|e| e.value.ok()) {
                prop_assert!(value.is_finite() && (-1.0..=1.0 + 1e-12).contains(&value), "{}", value);
            }
        }
    }

    /// Each group's counts equal those of its own ratings.
    #[test]
    fn groups_are_counted_separately(ratings in proptest::collection::btree_map((0u32..40, 0u16..4), 0u8..3, 0..80)) {
        let ratings: Vec<_> = ratings.into_iter().map(|((item, rater), c)| (item, rater, c)).collect();
        let group = |item: u32| (item % 4 != 3).then_some(item % 4);
        let found = of(3, &ratings).by_group(group);
        for g in 0..3 {
            let own: Vec<_> = ratings.iter().copied().filter(|r| group(r.0) == Some(g)).collect();
            let (empty, own) = (Counts::new(scale(3)), of(3, &own));
            prop_assert_eq!(found.get(&g).unwrap_or(&empty), own.counts());
        }
        prop_assert!(found.keys().all(|g| *g < 3));
    }
}

#[test]
fn invalid_ratings_are_errors_and_change_nothing() {
    let mut agreement = of(2, &[(0, 1, 0), (0, 2, 1)]);
    let before = agreement.counts().clone();
    let error = |result: Result<()>| {
        let error = result.unwrap_err();
        (error.kind, error.place.field)
    };
    let category = Some("category".to_string());
    assert_eq!(error(agreement.add(0, 1, 1)), (ErrorKind::Conflict, None));
    let off_scale = (ErrorKind::Input, category);
    assert_eq!(error(agreement.add(0, 3, 2)), off_scale);
    assert_eq!(error(agreement.change(0, 1, 2).map(drop)), off_scale);
    let missing = (ErrorKind::NotFound, None);
    assert_eq!(error(agreement.change(0, 3, 1).map(drop)), missing);
    assert_eq!(error(agreement.remove(9_000_000, 1).map(drop)), missing);
    assert_eq!(agreement.counts(), &before);
    assert_eq!(
        (agreement.rating(0, 1), agreement.rating(0, 3)),
        (Some(0), None)
    );
    assert!(Agreement::of(scale(2), [(0, 1, 0), (0, 1, 0)]).is_err());
    assert!(Agreement::of(scale(2), [(0, 1, 7)]).is_err());
    for (categories, positive) in [(0, 0), (17, 0), (2, 2)] {
        assert!(Scale::new(categories, positive).is_err());
    }
}

#[test]
fn item_takes_255_ratings_and_largest_number_is_valid() {
    let mut agreement = Agreement::new(scale(16));
    for rater in 0..255 {
        agreement.add(u32::MAX, rater, 15).unwrap();
    }
    let before = agreement.counts().clone();
    let refused = agreement.add(u32::MAX, 255, 0).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Input);
    assert_eq!(agreement.counts(), &before);
    let report = agreement.counts().report();
    assert_eq!((report.all.doubles, report.all.raw.value), (1, Ok(1.)));
    assert_eq!(report.all.fleiss_items.unwrap().ratings, 255);
    assert_eq!(
        agreement.by_group(|item| Some(item / 2))[&(u32::MAX / 2)],
        before
    );
    // After all are removed, nothing is left.
    (0..255).for_each(|rater| assert_eq!(agreement.remove(u32::MAX, rater).unwrap(), 15));
    assert_eq!(agreement.counts(), &Counts::new(scale(16)));
}

#[test]
fn unknown_is_never_agreement() {
    let known = of(
        2,
        &[
            (0, 0, 0),
            (0, 1, 0),
            (1, 0, 1),
            (1, 1, 0),
            (2, 0, 1),
            (2, 1, 1),
        ],
    );
    let mut more = known.clone();
    for item in 3..50 {
        more.add(item, 0, UNKNOWN).unwrap();
        more.add(item, 1, UNKNOWN).unwrap();
    }
    more.add(50, 0, UNKNOWN).unwrap();
    more.add(50, 1, 1).unwrap();
    let (without, with) = (known.counts().report(), more.counts().report());
    assert_eq!(with.all.raw, without.all.raw);
    assert_eq!(with.all.krippendorff_alpha, without.all.krippendorff_alpha);
    assert_eq!(
        with.pairs[0].measures.cohen_kappa,
        without.pairs[0].measures.cohen_kappa
    );
    assert_eq!(
        (with.all.doubles, with.all.items, with.all.unknown),
        (3, 4, 95)
    );
    assert_eq!(
        (
            with.pairs[0].measures.unknown,
            with.pairs[0].measures.doubles
        ),
        (48, 3)
    );
    assert_eq!((with.raters[0].ratings, with.raters[0].unknown), (3, 48));
}

#[test]
fn draws_are_reproducible_and_pairs_are_independent() {
    let agreement = of(2, &two_people(60, 2));
    let one = drawn(&agreement, 300, 9);
    assert_eq!(one, drawn(&agreement, 300, 9));
    assert_ne!(
        one.all.raw.interval,
        drawn(&agreement, 300, 10).all.raw.interval
    );
    let mut with_third = agreement.clone();
    (0..30).for_each(|item| with_third.add(item, 5, 0).unwrap());
    let more = drawn(&with_third, 300, 9);
    assert_eq!(
        more.pairs.iter().find(|p| (p.a, p.b) == (3, 8)),
        one.pairs.first()
    );
    // Draws do not change the values.
    assert_eq!(
        agreement.counts().report().all.gwet_ac1.value,
        one.all.gwet_ac1.value
    );
    assert_eq!(
        agreement.counts().report().all.gwet_ac1.interval,
        Err(Undefined::NotDrawn)
    );
    let interval = one.all.gwet_ac1.interval.unwrap();
    assert!(
        interval.low < one.all.gwet_ac1.value.unwrap()
            && one.all.gwet_ac1.value.unwrap() < interval.high
    );
}

#[test]
fn bootstrap_can_be_canceled_and_needs_draws() {
    let agreement = of(2, &two_people(60, 2));
    let plan = Bootstrap { draws: 10, seed: 1 };
    let asked = AtomicUsize::new(0);
    let at_14 = || asked.fetch_add(1, Ordering::Relaxed) == 13;
    let stopped = agreement.counts().bootstrapped(plan, Cancel::when(&at_14));
    assert_eq!(stopped.unwrap_err().kind, ErrorKind::Cancelled);
    assert_eq!(asked.into_inner(), 14);
    for draws in [0, 1, u32::MAX] {
        let refused = agreement
            .counts()
            .bootstrapped(Bootstrap { draws, seed: 1 }, Cancel::NEVER);
        let refused = refused.unwrap_err();
        assert_eq!(
            (refused.kind, refused.place.field.as_deref()),
            (ErrorKind::Input, Some("draws"))
        );
    }
}

#[test]
fn interval_shrinks_with_the_root_of_the_item_count() {
    let error = |n| {
        drawn(&of(2, &two_people(n, 2)), 4000, 1)
            .all
            .krippendorff_alpha
            .interval
            .unwrap()
            .standard_error
    };
    let ratio = error(100) / error(1000);
    assert!((ratio / 10f64.sqrt() - 1.).abs() < 0.06, "{ratio}");
    // 20 of 100 disagree: alpha is 0.6, its error 0.08, and 1.96 * 0.08 exceeds 0.1.
    let some = drawn(&of(2, &two_people(100, 2)), 4000, 1)
        .all
        .krippendorff_alpha;
    let more = some.more_doubles.unwrap();
    assert!((100..190).contains(&more), "{more}");
    assert_eq!(
        drawn(&of(2, &two_people(1000, 2)), 4000, 1)
            .all
            .krippendorff_alpha
            .more_doubles,
        Ok(0)
    );
}

/// Averaged over seeds, the interval of a share ends at the binomial 2.5 and 97.5 % quantiles.
#[test]
fn intervals_are_unbiased() {
    let agreement = of(2, &two_people(1400, 2));
    let (seeds, mut low, mut high) = (40, 0., 0.);
    for seed in 0..seeds {
        let found = drawn(&agreement, 1000, seed).all.raw.interval.unwrap();
        low += found.low / seeds as f64;
        high += found.high / seeds as f64;
    }
    let error = (0.8 * 0.2 / 1400f64).sqrt();
    assert!(
        (low - 0.8 + 1.96 * error).abs() < 0.06 * error,
        "{}",
        (low - 0.8) / error
    );
    assert!(
        (high - 0.8 - 1.96 * error).abs() < 0.06 * error,
        "{}",
        (high - 0.8) / error
    );
}

#[test]
fn missing_intervals_have_a_reason() {
    let same = drawn(&of(2, &two_people(20, 0)), 200, 1).all;
    assert_eq!(
        (same.raw.value, same.raw.interval),
        (Ok(1.), Err(Undefined::NoSpread))
    );
    assert_eq!(same.raw.more_doubles, Err(Undefined::NoSpread));
    let one = drawn(&of(2, &[(0, 0, 1), (0, 1, 1)]), 200, 1).all;
    assert_eq!(
        (one.raw.value, one.raw.interval),
        (Ok(1.), Err(Undefined::OneItem))
    );
    assert_eq!(
        (one.gwet_ac1.value, one.gwet_ac1.interval),
        (Err(Undefined::OneItem), Err(Undefined::OneItem))
    );
    // One disagreement in ten: a third of the draws lack it and have no alpha.
    let mut rare: Vec<_> = (0..10).flat_map(|i| [(i, 0, 0), (i, 1, 0)]).collect();
    rare[19].2 = 1;
    let rare = drawn(&of(2, &rare), 200, 1).all;
    assert!(rare.krippendorff_alpha.value.is_ok());
    let Err(Undefined::FewDraws {
        defined,
        draws: 200,
    }) = rare.krippendorff_alpha.interval
    else {
        panic!("{:?}", rare.krippendorff_alpha)
    };
    assert!((100..170).contains(&defined), "{defined}");
    assert!(rare.raw.interval.is_ok() && rare.gwet_ac1.interval.is_ok());
    let none = drawn(&Agreement::new(scale(3)), 5, 1);
    assert_eq!(
        (none.all.raw.interval, none.pairs.len()),
        (Err(Undefined::NoItems), 0)
    );
}

#[test]
fn every_reason_has_its_own_text() {
    let all = [
        Undefined::NoItems,
        Undefined::NoDoubles,
        Undefined::OneItem,
        Undefined::OneCategory(1),
        Undefined::OneOnScale,
        Undefined::Unused(1),
        Undefined::NotTwoCategories(3),
        Undefined::PairsOnly,
        Undefined::NotDrawn,
        Undefined::FewDraws {
            defined: 3,
            draws: 9,
        },
        Undefined::NoSpread,
    ];
    let said: std::collections::BTreeSet<String> = all.iter().map(ToString::to_string).collect();
    assert!(
        said.len() == all.len()
            && said
                .iter()
                .all(|s| s.len() > 20 && !s.ends_with('.') && !s.contains("NaN"))
    );
}

#[test]
fn report_survives_postcard_and_json() {
    let report = drawn(&of(3, &two_people(40, 1)), 50, 1);
    let bytes = postcard::to_stdvec(&report).unwrap();
    assert_eq!(
        postcard::from_bytes::<AgreementReport>(&bytes).unwrap(),
        report
    );
    let text = serde_json::to_string(&report).unwrap();
    // Only numbers may differ, in their last digit.
    let back: AgreementReport = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (back.raters, back.all.table, back.all.cohen_kappa),
        (report.raters, report.all.table, report.all.cohen_kappa)
    );
    assert!(
        text.contains(r#""cohen_kappa":{"value":{"Err":"pairs-only"}"#),
        "{text}"
    );
}

/// Two ratings for every item of the largest benchmark (1.2 million) give 1000 times the counts of
/// 617 items.
#[test]
fn counts_scale_to_the_largest_benchmark() {
    let small = of(2, &two_people(617, 2)).counts().report();
    let pattern = two_people(617, 2);
    let large = (0..1000).flat_map(|n| {
        pattern
            .iter()
            .map(move |(item, rater, c)| (n * 617 + item, *rater, *c))
    });
    let large = Agreement::of(scale(2), large).unwrap().counts().report();
    assert_eq!(
        (large.all.doubles, large.all.raw.value),
        (617_000, small.all.raw.value)
    );
    assert_eq!(
        large.pairs[0].measures.cohen_kappa.value,
        small.pairs[0].measures.cohen_kappa.value
    );
    let thousand: Vec<u64> = small.all.table.counts.iter().map(|n| n * 1000).collect();
    assert_eq!(large.all.table.counts, thousand);
}

#[test]
fn methods_paragraph_of_two_annotators() {
    let mut agreement = of(2, &two_people(1400, 2));
    agreement.add(2000, 3, 1).unwrap();
    agreement.add(2001, 3, UNKNOWN).unwrap();
    let text = methods_paragraph(&drawn(&agreement, 1000, 7), &["accept", "reject"]);
    for part in [
        "2 annotators",
        "1,401 items",
        "\"accept\" or \"reject\"",
        "2,801 ratings",
        "80.0 % [77.7, 81.9]",
        "Cohen's kappa = 0.60 [0.56, 0.64] (Cohen, 1960)",
        "Krippendorff's alpha (nominal) = 0.60 [0.55, 0.64] (Krippendorff, 2011)",
        "Gwet's AC1 = 0.60 [0.55, 0.64] (Gwet, 2008",
        "80.0 % [77.6, 82.0] for \"accept\" and 80.0 % [77.6, 82.1] for \"reject\"",
        "1,000 draws",
        "seed 7",
        "1 answer was \"unknown\"",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn methods_paragraph_reports_undefined_measures() {
    let none = methods_paragraph(
        &Agreement::new(scale(2)).counts().report(),
        &["accept", "reject"],
    );
    assert!(!none.contains("kappa") && !none.contains('['), "{none}");
    let same: Vec<_> = (0..9)
        .flat_map(|i| (0..3).map(move |r| (i, r, 0)))
        .chain([(20, 0, 0), (21, 0, UNKNOWN)])
        .collect();
    let text = methods_paragraph(&of(3, &same).counts().report(), &["a"]);
    for part in [
        "3 annotators rated 10 items as \"a\", category 1, or category 2, giving 28 ratings",
        "100.0 %",
        "Gwet's AC1 = 1.00 (Gwet, 2008",
        "Fleiss' kappa over the 9 items with exactly 3 ratings (Fleiss, 1971) is not defined",
        "Krippendorff's alpha (nominal) (Krippendorff, 2011) is not defined",
        "category 1 or category 2.",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("Cohen"), "{text}");
}
