//! Which data sets, variants, and models each column counts.

use super::*;
use benchtop_model::cancel::Cancel;

const MC: QuestionKind = QuestionKind::MultipleChoice;
const TF: QuestionKind = QuestionKind::TrueFalse;

fn of(set: &str, n: usize, kind: QuestionKind, variant: &str) -> Item {
    Item {
        id: format!("{set}/{n}"),
        dataset: set.into(),
        ..item(n, kind, "s1", "", variant)
    }
}

/// Answers that are right where `of` is true and pick the first option elsewhere.
fn right(of: impl IntoIterator<Item = bool>) -> Vec<ParsedAnswer> {
    of.into_iter()
        .map(|right| ParsedAnswer::option(usize::from(right)))
        .collect()
}

fn names(ruled: &BoardEngine) -> Vec<&str> {
    ruled.columns().map(|c| c.name.as_str()).collect()
}

#[test]
fn data_without_a_clean_scenario_has_no_clean_columns() {
    let mut sheet = QuestionTable::default();
    for n in 0..40 {
        let variant = if n < 20 { "blind" } else { "corruption" };
        sheet
            .push(&of("d", n, if n % 2 == 0 { MC } else { TF }, variant))
            .unwrap();
    }
    let ruled = BoardEngine::new(
        Arc::new(sheet),
        vec![model("m", right((0..40).map(|n| n >= 20)))],
    );
    let board = ruled.board(&ruled.choose(None));
    assert_eq!(
        names(&ruled),
        ["MC+TF.blind", "MC+TF.corruption"],
        "nothing is the base, so there is no other column"
    );
    assert_eq!(
        cell(&board, "m", "MC+TF.blind"),
        Some(Cell::Mean { value: 0.0, n: 20 })
    );
    assert_eq!(
        cell(&board, "m", "MC+TF.corruption"),
        Some(Cell::Mean { value: 1.0, n: 20 })
    );
}

#[test]
fn reordered_data_set_counts_independently_of_other_data_sets() {
    let mut sheet = QuestionTable::default();
    for n in 0..10 {
        let level = if n % 2 == 0 { "basic" } else { "know" };
        sheet
            .push(&Item {
                level: Some(level.into()),
                ..of("sap", n, MC, &format!("shuffle-{}", n / 2 + 1))
            })
            .unwrap();
    }
    let marks = right((0..10).map(|n| n < 3));
    let alone = BoardEngine::new(Arc::new(sheet.clone()), vec![model("m", marks.clone())]);
    let of_sap = Some(Cell::Share { k: 3, n: 10 });
    let shares = |ruled: &BoardEngine, columns: &[&str]| {
        let board = ruled.board(&ruled.choose(None));
        columns
            .iter()
            .map(|column| cell(&board, "m", column))
            .collect::<Vec<_>>()
    };
    let levels = [
        Some(Cell::Share { k: 2, n: 5 }),
        Some(Cell::Share { k: 1, n: 5 }),
    ];
    assert_eq!(
        shares(&alone, &["Acc", "Acc.level.basic", "Acc.level.know"]),
        [of_sap, levels[0], levels[1]]
    );
    // Five questions of another data set are added without changing the others.
    (10..15).for_each(|n| sheet.push(&of("oth", n, MC, "")).unwrap());
    let marks = marks.into_iter().chain(right([true; 5])).collect();
    let beside = BoardEngine::new(Arc::new(sheet), vec![model("m", marks)]);
    let want = [
        Some(Cell::Share { k: 8, n: 15 }),
        of_sap,
        levels[0],
        levels[1],
    ];
    assert_eq!(
        shares(
            &beside,
            &[
                "Acc",
                "Acc.dataset.sap",
                "Acc.level.basic",
                "Acc.level.know"
            ]
        ),
        want
    );
}

#[test]
fn variant_of_one_type_keeps_its_accuracy_column() {
    let mut sheet = QuestionTable::default();
    (0..4).for_each(|n| sheet.push(&of("dysca", n, [MC, TF][n % 2], "")).unwrap());
    (4..6).for_each(|n| sheet.push(&of("vlb", n, MC, "V1")).unwrap());
    let ruled = BoardEngine::new(
        Arc::new(sheet),
        vec![model("m", right([true, true, true, true, true, false]))],
    );
    let board = ruled.board(&ruled.choose(None));
    assert_eq!(
        cell(&board, "m", "Acc.variant.V1"),
        Some(Cell::Share { k: 1, n: 2 })
    );
    assert_eq!(
        cell(&board, "m", "MC+TF.clean"),
        Some(Cell::Mean { value: 1.0, n: 4 })
    );
    assert!(
        !names(&ruled)
            .iter()
            .any(|name| name.starts_with("MC+TF.V1")),
        "it has no true or false"
    );
}

#[test]
fn self_awareness_covers_only_answered_data_sets() {
    let mut sheet = QuestionTable::default();
    for (n, set) in [("s1", 10), ("s2", 20)]
        .into_iter()
        .flat_map(|(set, n)| (0..n).map(move |n| (n, set)))
    {
        let mut asked = of(set, n, MC, "");
        asked.options[3].role = Role::Refusal;
        asked.level = Some("basic".into());
        sheet.push(&asked).unwrap();
    }
    let none = [ParsedAnswer::ABSENT; 20];
    let models = vec![
        model(
            "m1",
            [&[ParsedAnswer::option(1); 10][..], &none[..]].concat(),
        ),
        model(
            "m2",
            [&none[..10], &[ParsedAnswer::option(1); 20][..]].concat(),
        ),
    ];
    let ruled = BoardEngine::new(Arc::new(sheet), models);
    let chosen = ruled.choose(None);
    let board = ruled.board(&chosen);
    let at = ruled.column("AR.basic").unwrap();
    for (row, (name, n)) in [("m1", 10), ("m2", 20)].into_iter().enumerate() {
        assert_eq!(
            cell(&board, name, "AR.basic"),
            Some(Cell::Mean { value: 1.0, n })
        );
        assert_eq!(
            cell(&board, name, "quadrant.known-knowns"),
            Some(Cell::Mean { value: 1.0, n })
        );
        assert_eq!(at.units(&ruled, row, &chosen).len(), n as usize);
    }
}

#[test]
fn position_bias_baseline_is_its_own_data_set() {
    // Even positions: 8 of 10 right, A: 9 of 10. Another data set has nothing right, and its
    // variants and rotations do not count as even positions.
    let mut sheet = QuestionTable::default();
    let mut marks = Vec::new();
    for n in 0..20 {
        sheet
            .push(&of("auto", n, MC, if n < 10 { "" } else { "position-A" }))
            .unwrap();
        marks.push(ParsedAnswer::option(usize::from(
            n < 8 || (10..19).contains(&n),
        )));
    }
    for n in 20..50 {
        let mut other = of(
            if n < 40 { "other" } else { "auto" },
            n,
            MC,
            if (40..45).contains(&n) {
                "corruption"
            } else {
                ""
            },
        );
        if n >= 45 {
            other.rotation = Some(benchtop_model::Rotation {
                set: "0".into(),
                index: 2,
                of: 4,
            });
        }
        sheet.push(&other).unwrap();
        marks.push(ParsedAnswer::option(0));
    }
    let ruled = BoardEngine::new(Arc::new(sheet), vec![model("m", marks)]);
    let board = ruled.board(&ruled.choose(None));
    let found = cell(&board, "m", "R.A").unwrap();
    assert!(
        (found.value().unwrap() - 10.0).abs() < 1e-9 && found.n() == 10,
        "{found:?}"
    );
}

#[test]
fn models_are_compared_on_shared_questions() {
    // `both` answers two data sets, `one` answers the first in the same way, `other` answers only
    // the third. Groups exist in the first two.
    let mut sheet = QuestionTable::default();
    let mut rotated = |set: &str, n: usize| {
        let rotation = benchtop_model::Rotation {
            set: (n / 2).to_string(),
            index: (n % 2 + 1) as u32,
            of: 2,
        };
        sheet
            .push(&Item {
                rotation: Some(rotation),
                ..of(set, n, MC, "")
            })
            .unwrap();
    };
    (0..160).for_each(|n| rotated(if n < 80 { "x" } else { "y" }, n));
    (160..165).for_each(|n| sheet.push(&of("z", n, MC, "")).unwrap());
    let on = |answers: &dyn Fn(usize) -> bool| {
        let mark = |n: usize| {
            if answers(n) {
                ParsedAnswer::option(usize::from(n % 80 >= 20))
            } else {
                ParsedAnswer::ABSENT
            }
        };
        (0..165).map(mark).collect::<Vec<_>>()
    };
    let models = vec![
        model("both", on(&|n| n < 160)),
        model("one", on(&|n| n < 80)),
        model("other", on(&|n| n >= 160)),
    ];
    let ruled = BoardEngine::new(Arc::new(sheet), models);
    let chosen = ruled.choose(None);
    let plan = benchtop_model::agreement::Bootstrap { draws: 40, seed: 1 };
    for column in ["Acc", "Circular"] {
        let at = ruled.column(column).unwrap();
        assert_eq!(
            ruled.tested((0, 1), at, &chosen).map(|t| t.test.discordant),
            Some((0, 0)),
            "{column}"
        );
        let paired = ruled.paired((0, 1), at, &chosen).unwrap();
        assert_eq!((paired.both, paired.neither), (30, 10), "{column}");
        let apart = ruled
            .difference((0, 1), at, &chosen, plan, Cancel::NEVER)
            .unwrap();
        assert_eq!(apart.value, Some(0.0), "{column}");
        assert_eq!(
            (
                ruled.tested((1, 2), at, &chosen).map(|t| t.test.discordant),
                ruled.paired((1, 2), at, &chosen)
            ),
            (None, None)
        );
        let apart = ruled
            .difference((1, 2), at, &chosen, plan, Cancel::NEVER)
            .unwrap();
        assert!(apart.value.is_none() && apart.interval.is_err());
    }
    let board = ruled.board(&ruled.shared((0, 1), &chosen));
    let quarters = Some(Cell::Share { k: 30, n: 40 });
    assert_eq!(
        (
            cell(&board, "both", "Acc"),
            cell(&board, "one", "Circular"),
            board.questions
        ),
        (quarters, quarters, 80)
    );
    // The cells of the board do not change.
    let board = ruled.board(&chosen);
    assert_eq!(
        cell(&board, "both", "Acc"),
        Some(Cell::Share { k: 60, n: 80 })
    );
}

#[test]
fn missing_variant_answers_count_as_wrong_in_delta() {
    // Ten originals are right. V1 has five right and five missing answers, V2 has no answer.
    let mut sheet = QuestionTable::default();
    let mut marks = Vec::new();
    for n in 0..30 {
        let mut changed = of("d", n, MC, ["vanilla", "V1", "V2"][n / 10]);
        if n >= 10 {
            let variant = changed.variant.as_mut().unwrap();
            (variant.of, variant.modified) = (Some(format!("d/{}", n % 10)), Some(n % 2 == 0));
        }
        sheet.push(&changed).unwrap();
        marks.push(if n < 15 {
            ParsedAnswer::option(1)
        } else {
            ParsedAnswer::ABSENT
        });
    }
    let only_v1 = [
        &[ParsedAnswer::ABSENT; 10][..],
        &[ParsedAnswer::option(1); 10],
        &[ParsedAnswer::ABSENT; 10],
    ]
    .concat();
    let ruled = BoardEngine::new(
        Arc::new(sheet),
        vec![model("m", marks), model("n", only_v1)],
    );
    let chosen = ruled.choose(None);
    let board = ruled.board(&chosen);
    assert_eq!(
        cell(&board, "m", "Acc.variant.V1"),
        Some(Cell::Share { k: 5, n: 10 })
    );
    assert_eq!(
        cell(&board, "m", "delta.V1"),
        Some(Cell::Number {
            value: -50.0,
            n: 10
        })
    );
    assert_eq!(
        cell(&board, "m", "delta.V1.modified"),
        Some(Cell::Number { value: -40.0, n: 5 })
    );
    assert_eq!(
        cell(&board, "m", "modified.V1"),
        Some(Cell::Share { k: 5, n: 10 })
    );
    assert_eq!(
        (cell(&board, "m", "delta.V2"), cell(&board, "n", "delta.V1")),
        (None, None),
        "nothing to hold it against"
    );
    let behind = |model: usize, column: &str| {
        let column = ruled.column(column).unwrap();
        column.units(&ruled, model, &chosen).len()
    };
    assert_eq!(
        (
            behind(0, "delta.V1"),
            behind(0, "delta.V2"),
            behind(1, "delta.V1")
        ),
        (10, 0, 0)
    );
}

#[test]
fn missing_position_answers_count_as_wrong_in_bias() {
    // Even positions: 8 of 10 right. A has five right and five missing answers, B has no answer.
    let mut sheet = QuestionTable::default();
    let mut marks = Vec::new();
    for n in 0..30 {
        sheet
            .push(&of("auto", n, MC, ["", "position-A", "position-B"][n / 10]))
            .unwrap();
        marks.push(match n {
            8..10 => ParsedAnswer::option(0),
            0..15 => ParsedAnswer::option(1),
            _ => ParsedAnswer::ABSENT,
        });
    }
    let ruled = BoardEngine::new(Arc::new(sheet), vec![model("m", marks)]);
    let board = ruled.board(&ruled.choose(None));
    let found = cell(&board, "m", "R.A").unwrap();
    assert!(
        (found.value().unwrap() + 30.0).abs() < 1e-9 && found.n() == 10,
        "{found:?}"
    );
    assert_eq!(cell(&board, "m", "R.B"), None);
    // Questions that an evaluation did not ask do not count as wrong.
    let asked = Asked {
        base: "m".into(),
        lacking: vec![15],
        ..Asked::default()
    };
    let part = ModelAnswers {
        asked: Some(asked),
        ..(*ruled.models()[0]).clone()
    };
    let ruled = BoardEngine::new(ruled.sheet.clone(), vec![Arc::new(part)]);
    let found = cell(&ruled.board(&ruled.choose(None)), "m", "R.A").unwrap();
    assert!(
        (found.value().unwrap() - (500.0 / 6.0 - 80.0)).abs() < 1e-9 && found.n() == 6,
        "{found:?}"
    );
}

#[test]
fn final_score_needs_all_of_its_types() {
    // Clean has all three types with eight questions each; blind has no free form.
    let mut sheet = QuestionTable::default();
    let (mut marks, mut similarity) = (Vec::new(), Vec::new());
    for n in 0..40 {
        let free = n >= 32;
        let kind = if free {
            QuestionKind::FreeForm
        } else {
            [MC, TF][n % 2]
        };
        sheet
            .push(&of("d", n, kind, if n < 16 { "blind" } else { "" }))
            .unwrap();
        marks.push(ParsedAnswer::option(usize::from(n % 4 != 0)));
        similarity.push(if free { 0.5 } else { f32::NAN });
    }
    let of = |name: &str, marks: &[ParsedAnswer]| {
        let marks = marks.to_vec();
        Arc::new(ModelAnswers {
            model: name.into(),
            marks,
            similarity: similarity.clone(),
            ..ModelAnswers::default()
        })
    };
    let models = vec![of("a", &marks), of("b", &[ParsedAnswer::option(1); 40])];
    let ruled = BoardEngine::new(Arc::new(sheet), models);
    let chosen = ruled.choose(None);
    let board = ruled.board(&chosen);
    let n = [
        "Final.clean",
        "MC+TF.clean",
        "MC+TF.blind",
        "MC+TF.blind-clean",
        "SQ",
        "SQ.s1",
    ]
    .map(|column| cell(&board, "a", column).map(Cell::n));
    assert_eq!(n, [24, 16, 16, 16, 16, 16].map(Some));
    let plan = benchtop_model::agreement::Bootstrap { draws: 40, seed: 1 };
    for column in ["Final.blind", "Final.blind-clean"] {
        assert_eq!(cell(&board, "a", column), None, "{column}");
        let apart = ruled
            .difference(
                (0, 1),
                ruled.column(column).unwrap(),
                &chosen,
                plan,
                Cancel::NEVER,
            )
            .unwrap();
        assert!(
            apart.value.is_none() && apart.interval.is_err(),
            "{column}: {apart:?}"
        );
    }
}

#[test]
fn single_style_has_no_sc() {
    let mut sheet = QuestionTable::default();
    for n in 0..8 {
        sheet
            .push(&item(n, MC, "s1", if n < 4 { "ink" } else { "oil" }, ""))
            .unwrap();
    }
    let ruled = BoardEngine::new(
        Arc::new(sheet),
        vec![model("m", right((0..8).map(|n| n < 4)))],
    );
    let plan = benchtop_model::agreement::Bootstrap { draws: 40, seed: 1 };
    for (rows, want) in [(0..8, Some(2500.0)), (0..4, None)] {
        let chosen = ruled.choose(Some(&|row| rows.contains(&row)));
        assert_eq!(
            cell(&ruled.board(&chosen), "m", "SC").and_then(Cell::value),
            want
        );
        assert_eq!(
            ruled
                .estimate(0, ruled.column("SC").unwrap(), &chosen, plan, Cancel::NEVER)
                .unwrap()
                .value,
            want
        );
    }
}

/// The pairs behind VLB's deltas against a loop over items.
#[test]
fn answered_pairs_are_those_of_a_naive_loop() {
    use crate::vlb::AnsweredPair;
    let names = ["vanilla", "V1", "V1+L4", "V2"];
    let mut items = Vec::new();
    let mut marks = Vec::new();
    for n in 0..80usize {
        let mut changed = of("d", n, MC, names[n / 20]);
        if n >= 20 {
            let variant = changed.variant.as_mut().unwrap();
            variant.of = Some(format!("d/{}", n % 20));
            variant.modified = [Some(true), Some(false), None][n % 3];
        }
        items.push(changed);
        marks.push(match (n * 7 + n / 20 * 3) % 5 {
            0 => ParsedAnswer::option(0),
            1 if n < 60 => ParsedAnswer::UNPARSED,
            _ => ParsedAnswer::option(1),
        });
    }
    let mut sheet = QuestionTable::default();
    items.iter().for_each(|item| sheet.push(item).unwrap());
    let engine = BoardEngine::new(Arc::new(sheet), vec![model("m", marks.clone())]);
    let is_chosen = |row: usize| row % 20 != 3;
    let chosen = engine.choose(Some(&is_chosen));
    let found = engine.answered_pairs(&engine.models()[0], &chosen);
    let right = |row: usize| marks[row] == ParsedAnswer::option(1);
    let mut expected = Vec::new();
    for (row, item) in items.iter().enumerate() {
        let variant = item.variant.as_ref().unwrap();
        let Some(of) = &variant.of else { continue };
        let original = items.iter().position(|item| item.id == *of).unwrap();
        if is_chosen(row) && is_chosen(original) {
            expected.push(AnsweredPair {
                variant: &variant.name,
                row,
                original,
                modified: variant.modified,
                before: right(original),
                after: right(row),
            });
        }
    }
    assert_eq!(expected.len(), 57);
    let mut sorted = found.clone();
    sorted.sort_by_key(|pair| pair.row);
    assert_eq!(sorted, expected);
}
