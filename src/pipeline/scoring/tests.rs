use std::sync::Arc;

use super::column::Column;
use super::explain::{chips, explain};
use super::rules::{ColumnsBy, Outcomes, retain};
use super::threshold_tuning::analyze;
use super::{flag_priority, inputs};
use benchtop_model::scoring::queries::{FlagOrder, TuningQuery};
use benchtop_model::scoring::rules::{Condition, RuleSet};
use benchtop_model::scoring::{Outcome, ScoreState, Scorer};
use benchtop_model::{ErrorKind, Field, Filter, Status};
use benchtop_store::columns::Columns;
use benchtop_store::fixtures::item;
use benchtop_store::{Catalog, StatusColumns};

/// 100 items of three subtasks. CLIP logits 0, 0.5, 1 ... 49.5, except the last ten. A judge that
/// fails every fourth item.
fn data() -> (Catalog, StatusColumns, ColumnsBy) {
    let mut columns = Columns::default();
    (0..100).for_each(|n| {
        columns
            .push(&item(n, ["text", "animal", ""][n as usize % 3]))
            .unwrap()
    });
    let mut overlay = StatusColumns::blank(100);
    overlay.status[10] = Status::Rejected.code();
    overlay.status[20] = Status::Accepted.code();
    overlay.status[80] = Status::Rejected.code();
    let state = |ok: bool| {
        if ok {
            ScoreState::Scored.code()
        } else {
            ScoreState::Unparsed.code()
        }
    };
    let values = (0..100).map(|n| n as f32 / 200.0).collect();
    let clip = Column::new(
        values,
        (0..100).map(|n| state(n < 90)).collect(),
        100.0,
        "v1".into(),
    );
    let verdicts = (0..100).map(|n| f32::from(n % 4 != 0)).collect();
    let judge = Column::new(verdicts, vec![state(true); 100], 1.0, "v2".into());
    let by = [(Scorer::Clip, clip), (Scorer::Judge("fits".into()), judge)];
    (
        Catalog::new(columns),
        overlay,
        by.into_iter().map(|(s, c)| (s, Arc::new(c))).collect(),
    )
}

fn rules(text: &str) -> RuleSet {
    #[derive(serde::Deserialize)]
    struct File {
        rules: RuleSet,
    }
    toml::from_str::<File>(text).unwrap().rules
}

const WEAK: &str =
    "[[rules]]\nname='weak'\nthen='flag'\nall=[{score='clip',below=25,subtasks={text=10}}]\n";

fn ask() -> TuningQuery {
    TuningQuery {
        measure: "clip".parse().unwrap(),
        filter: Filter::default(),
        flag: Some(25.0),
        park: Some(5.0),
        by: Field::Subtask,
        value: None,
        bars: 10,
        range: None,
        other: None,
        samples: 3,
        across: None,
    }
}

#[test]
fn the_bench_counts_the_outcomes_of_two_thresholds() {
    let (catalog, overlay, columns) = data();
    let clip = &columns[&Scorer::Clip];
    let (bench, near) = analyze(&ask(), (clip, None), (&catalog, &overlay), None).unwrap();
    assert_eq!(
        (bench.tally.items, bench.tally.without),
        ([50, 40, 10], 10),
        "logit 0 to 4.5, 5 to 24.5, the rest"
    );
    assert_eq!(bench.bars.iter().sum::<u64>(), 90);
    assert_eq!(
        (bench.range, bench.bars[0], bench.rejected[1]),
        (Some((0.0, 44.5)), 9, 1)
    );
    assert_eq!((near.good, near.bad), (vec![50, 51, 52], vec![49, 48, 47]));
    let precision = bench.precision.unwrap();
    assert_eq!(
        (precision.k, precision.n),
        (1, 2),
        "one of the two judged items beyond the threshold was rejected"
    );
    assert!(precision.low < 0.5 && precision.high > 0.5);
    assert_eq!((bench.recall.unwrap().k, bench.recall.unwrap().n), (1, 2));
    assert_eq!(bench.groups.iter().map(|(_, t)| t.all()).sum::<u64>(), 100);
    assert!((bench.percentile.unwrap() - 50.0 / 90.0).abs() < 1e-6);
}

#[test]
fn the_bench_can_be_limited_to_groups_and_rows() {
    let (catalog, overlay, columns) = data();
    let (clip, judge) = (
        &columns[&Scorer::Clip],
        &columns[&Scorer::Judge("fits".into())],
    );
    let other = Some(("judge/fits".parse().unwrap(), 0.5));
    let one = TuningQuery {
        value: Some("text".into()),
        other,
        ..ask()
    };
    let (bench, _) = analyze(&one, (clip, Some(judge)), (&catalog, &overlay), None).unwrap();
    assert_eq!(
        (bench.tally.all(), bench.bars.iter().sum::<u64>()),
        (34, 30)
    );
    assert_eq!(bench.groups.len(), 3, "the other groups are still counted");
    let pair = bench.pair.unwrap();
    assert_eq!(pair.iter().flatten().sum::<u64>(), 30);
    assert_eq!(
        pair[1][1],
        (0..50).filter(|n| n % 3 == 0 && n % 4 == 0).count() as u64
    );
    let (bench, _) = analyze(&ask(), (clip, None), (&catalog, &overlay), Some(&[4, 60])).unwrap();
    let (low, high) = bench.range.unwrap();
    assert!(
        bench.tally.items == [1, 0, 1] && (low - 2.0).abs() < 1e-4 && (high - 30.0).abs() < 1e-4
    );
    let (bench, _) = analyze(&ask(), (clip, None), (&catalog, &overlay), Some(&[])).unwrap();
    assert!(bench.range.is_none() && bench.precision.is_none() && bench.percentile.is_none());
    let wrong = TuningQuery {
        by: Field::Question,
        ..ask()
    };
    assert_eq!(
        analyze(&wrong, (clip, None), (&catalog, &overlay), None)
            .unwrap_err()
            .kind,
        ErrorKind::Usage
    );
    let wrong = TuningQuery { bars: 0, ..ask() };
    assert!(analyze(&wrong, (clip, None), (&catalog, &overlay), None).is_err());
    let wrong = TuningQuery {
        flag: Some(f32::NAN),
        ..ask()
    };
    assert!(analyze(&wrong, (clip, None), (&catalog, &overlay), None).is_err());
}

#[test]
fn the_bench_counts_every_value_of_two_properties() {
    let (catalog, overlay, columns) = data();
    let clip = &columns[&Scorer::Clip];
    let both = TuningQuery {
        across: Some(Field::Type),
        ..ask()
    };
    let (bench, _) = analyze(&both, (clip, None), (&catalog, &overlay), None).unwrap();
    let cross = bench.cross.unwrap();
    let kinds: Vec<_> = (0..100)
        .map(|row| catalog.columns().question_kind(row).name())
        .collect();
    assert_eq!(
        (cross.items.len(), cross.values.is_empty()),
        (bench.groups.len(), false)
    );
    for ((subtask, tally), cells) in bench.groups.iter().zip(&cross.items) {
        for (kind, cell) in cross.values.iter().zip(cells) {
            let rows = (0..100).filter(|r| {
                catalog.columns().value(Field::Subtask, *r) == subtask && kinds[*r] == kind
            });
            let mut want = [0; 3];
            // Logits are half the row; the last ten have none and are kept.
            rows.for_each(|r| {
                want[if r >= 90 || r >= 50 {
                    0
                } else if r >= 10 {
                    1
                } else {
                    2
                }] += 1
            });
            assert_eq!(*cell, want, "{subtask} {kind}");
        }
        let sum = |at: usize| cells.iter().map(|c| c[at]).sum::<u64>();
        assert_eq!([sum(0), sum(1), sum(2)], tally.items);
    }
    let wrong = TuningQuery {
        across: Some(Field::Judged),
        ..ask()
    };
    assert_eq!(
        analyze(&wrong, (clip, None), (&catalog, &overlay), None)
            .unwrap_err()
            .kind,
        ErrorKind::Usage
    );
}

#[test]
fn one_pass_equals_item_by_item_evaluation() {
    let (catalog, overlay, columns) = data();
    let both = format!(
        "{WEAK}[[rules]]\nname='both'\nthen='park'\nany=[{{score='judge/fits',below=0.5}},{{score='clip',is='unparsed'}}]"
    );
    let set = rules(&both);
    let outcomes = Outcomes::of(&set, &columns, &catalog);
    let mut hits = [0, 0];
    for row in 0..100 {
        let chips = chips(&set, &columns, &catalog, row);
        let worst = chips
            .iter()
            .map(|c| c.then.outcome())
            .max()
            .unwrap_or_default();
        assert_eq!(outcomes.of_row(row), worst, "row {row}");
        chips
            .iter()
            .for_each(|c| hits[usize::from(c.rule == "both")] += 1);
    }
    assert_eq!(outcomes.hits, hits);
    let mut rows: Vec<u32> = (0..100).collect();
    retain(
        &mut rows,
        &[Condition::parse("clip<5").unwrap()],
        &columns,
        &catalog,
    );
    assert_eq!(rows, (0..10).collect::<Vec<u32>>());
    let tally = outcomes.tally(&overlay);
    assert_eq!(tally.all(), 100);
    assert_eq!(tally.rejected.iter().sum::<u64>(), 2);
}

#[test]
fn changed_rules_are_shown_as_a_diff() {
    let (catalog, overlay, columns) = data();
    let (before, after) = (rules(WEAK), rules(&WEAK.replace("below=25", "below=24")));
    let of = |set| Outcomes::of(set, &columns, &catalog);
    let diff = of(&before).diff(&of(&after), &overlay, (&before, &after));
    let freed = (48..50).filter(|n| n % 3 != 0).count() as u64;
    assert_eq!(
        (
            diff.newly(Outcome::Kept),
            diff.no_longer(Outcome::Flagged),
            diff.newly(Outcome::Flagged)
        ),
        (freed, freed, 0)
    );
    assert_eq!(diff.lines.len(), 1);
    assert!(
        diff.lines[0].starts_with("~ weak") && diff.lines[0].contains("was: flag if clip < 25")
    );
    let none = RuleSet::default();
    let diff = of(&before).diff(&of(&none), &overlay, (&before, &none));
    assert!(diff.lines[0].starts_with("- weak") && diff.tally.items == [100, 0, 0]);
}

#[test]
fn the_flagged_queue_follows_the_requested_order() {
    let (catalog, overlay, columns) = data();
    let text = "[[rules]]\nname='weak'\nthen='flag'\nany=[{score='clip',below=25},{score='judge/fits',below=0.5}]";
    let set = rules(text);
    let outcomes = Outcomes::of(&set, &columns, &catalog);
    let all: Vec<u32> = (0..100).collect();
    let by = |order, seed| {
        flag_priority::order(
            &all,
            order,
            seed,
            (&set, &columns, &outcomes),
            (&catalog, &overlay),
        )
    };
    let clip_only = rules("[[rules]]\nname='weak'\nthen='flag'\nall=[{score='clip',below=25}]");
    let outcomes_clip = Outcomes::of(&clip_only, &columns, &catalog);
    let by_clip = |order| {
        flag_priority::order(
            &all,
            order,
            0,
            (&clip_only, &columns, &outcomes_clip),
            (&catalog, &overlay),
        )
    };
    assert_eq!(by_clip(FlagOrder::Nearest)[..3], [50, 49, 51]);
    assert_eq!(by_clip(FlagOrder::Worst)[..2], [0, 1]);
    assert_eq!(
        by_clip(FlagOrder::AgainstPeople),
        [20, 80],
        "flagged and accepted, kept and rejected"
    );
    let disagree = by(FlagOrder::Disagreement, 0);
    assert!(
        disagree.contains(&1)
            && disagree.contains(&52)
            && !disagree.contains(&0)
            && !disagree.contains(&51)
    );
    let (one, two) = (by(FlagOrder::Random, 1), by(FlagOrder::Random, 2));
    assert!(one.len() == 100 && one != two && one == by(FlagOrder::Random, 1));
}

#[test]
fn an_explanation_has_score_threshold_and_rank() {
    let (catalog, overlay, columns) = data();
    let set = rules(WEAK);
    let outcomes = Outcomes::of(&set, &columns, &catalog);
    let detail = |scorer: &Scorer| {
        (
            format!("{{\"of\":\"{scorer}\"}}"),
            *scorer != Scorer::Clip,
            None,
        )
    };
    let said = |row| {
        explain(
            row,
            (&set, &columns, &outcomes),
            (&catalog, &overlay),
            &detail,
        )
    };
    let at_20 = said(20);
    assert_eq!(
        (at_20.outcome, at_20.overridden),
        (Outcome::Flagged, true),
        "accepted against the rules"
    );
    assert_eq!(at_20.chips[0].words, "clip 10 < 25");
    let clip = &at_20.scores[0];
    assert_eq!(
        clip.values.iter().map(|v| v.0.as_str()).collect::<Vec<_>>(),
        ["clip", "clip.cosine", "clip.clipscore"]
    );
    assert!((clip.percentile.unwrap() - 20.0 / 90.0).abs() < 1e-6);
    assert_eq!(clip.conditions, [("clip < 25 (text 10)".to_string(), true)]);
    assert!(!clip.out_of_date && at_20.scores[1].out_of_date && clip.detail.contains("clip"));
    assert!(said(80).overridden && said(80).outcome == Outcome::Kept);
    assert!(
        said(95).scores[0].values.is_empty(),
        "a score without a value shows none"
    );
}

#[test]
fn input_numbers_change_with_picture_prompt_or_question() {
    use crate::generate::image_index::RequestedImages;
    use benchtop_store::fixtures::sample_made;
    use benchtop_store::pictures::Pictures;
    let texts = inputs::Texts::default();
    assert!(
        inputs::Inputs::new(&texts, &RequestedImages::default(), &Pictures::default()).is_empty()
    );
    let made = sample_made(1);
    assert_eq!(
        benchtop_model::generated_image::file_key(&made.hash),
        u64::from_str_radix(&made.hash[..16], 16).ok()
    );
}
