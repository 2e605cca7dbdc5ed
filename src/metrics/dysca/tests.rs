use super::*;
use crate::statistics::Clusters;
use benchtop_model::agreement::Bootstrap;

const MC: QuestionKind = QuestionKind::MultipleChoice;
const TF: QuestionKind = QuestionKind::TrueFalse;
const FF: QuestionKind = QuestionKind::FreeForm;

fn piece(scenario: &str, subtask: &str, kind: QuestionKind, points: f64, n: u64) -> Piece {
    let chance = match kind {
        QuestionKind::FreeForm => 0.0,
        QuestionKind::TrueFalse => 0.5 * n as f64,
        _ if subtask == "gender" => 0.5 * n as f64,
        _ => 0.25 * n as f64,
    };
    let tally = Tally {
        n,
        points,
        ..Tally::default()
    };
    Piece {
        subtask: subtask.into(),
        kind,
        scenario: scenario.into(),
        style: None,
        tally,
        chance,
    }
}

fn close(number: &Number, expected: f64) {
    assert!(
        (number.value.unwrap() - expected).abs() < 1e-9,
        "{number:?} is not {expected}"
    );
}

#[test]
fn final_score_is_the_mean_of_the_types() {
    let pieces = [
        piece("clean", "animal", MC, 90.0, 100),
        piece("clean", "gender", MC, 3.0, 5),
        piece("clean", "animal", TF, 70.0, 100),
        piece("clean", "animal", FF, 4.5, 9),
        piece("corruption", "animal", MC, 80.0, 100),
        piece("corruption", "animal", TF, 60.0, 100),
        piece("corruption", "animal", FF, 4.5, 9),
        piece("blind", "animal", MC, 25.0, 100),
        piece("blind", "animal", TF, 50.0, 100),
    ];
    let found = scores(&pieces);
    assert_eq!(
        found
            .iter()
            .map(|s| s.scenario.as_str())
            .collect::<Vec<_>>(),
        ["clean", "blind", "corruption"]
    );
    let [clean, blind, corruption] = &found[..] else {
        panic!()
    };
    // Macro mean over subtasks: (90 + 60) / 2.
    close(&clean.types[0].score, 75.0);
    close(&clean.types[0].pooled, 100.0 * 93.0 / 105.0);
    close(&clean.three_types, (75.0 + 70.0 + 50.0) / 3.0);
    close(&clean.two_types, 72.5);
    close(&clean.three_types_to_clean, 0.0);
    close(
        &corruption.three_types_to_clean,
        (80.0 + 60.0 + 50.0) / 3.0 - 65.0,
    );
    close(&blind.two_types_to_clean, 37.5 - 72.5);
    assert_eq!(
        blind.three_types.undefined.as_deref(),
        Some("a question type has no questions")
    );
    let gender = &clean.types[0].subtasks[1];
    close(&gender.chance, 50.0);
    close(&gender.above_chance, 20.0);
    close(
        &clean.types[0].subtasks[0].above_chance,
        100.0 * 0.65 / 0.75,
    );
    assert!(clean.types[2].chance.value.is_none() && clean.types[2].above_chance.value.is_none());
    assert!(scores(&[]).is_empty());
    let alone = scores(&pieces[4..7]);
    assert_eq!(
        alone[0].three_types_to_clean.undefined.as_deref(),
        Some("no answers in the clean scenario")
    );
}

#[test]
fn sq_of_known_sets() {
    let of = |sets: &[(&str, f64, f64)]| {
        let pieces: Vec<Piece> = sets
            .iter()
            .flat_map(|(s, mc, tf)| {
                [
                    piece("clean", s, MC, *mc, 100),
                    piece("clean", s, TF, *tf, 100),
                ]
            })
            .collect();
        sq(&pieces.iter().collect::<Vec<_>>(), Norm::Paper)
    };
    let one = of(&[("animal", 100.0, 50.0)]);
    close(&one.value, 2500.0);
    close(&one.each_type, 1250.0);
    close(&one.subtasks[0].contribution, 2500.0);
    // Equally far above chance in both types: not sensitive.
    close(&of(&[("animal", 70.0, 80.0)]).value, 0.0);
    close(
        &of(&[("animal", 25.0, 50.0), ("plant", 100.0, 100.0)]).value,
        0.0,
    );
    // Opposite subtasks cancel out in total but each has its own SQ.
    let two = of(&[("animal", 100.0, 50.0), ("plant", 25.0, 100.0)]);
    close(&two.value, 0.0);
    assert!(two.subtasks.iter().all(|s| s.value == Number::of(2500.0)));
    let mixed = of(&[
        ("animal", 90.0, 70.0),
        ("plant", 50.0, 95.0),
        ("food", 40.0, 50.0),
    ]);
    let sum: f64 = mixed
        .subtasks
        .iter()
        .map(|s| s.contribution.value.unwrap())
        .sum();
    close(&mixed.value, sum);
    let lone = [piece("clean", "animal", MC, 90.0, 100)];
    assert_eq!(
        sq(&[&lone[0]], Norm::Paper).value.undefined.as_deref(),
        Some("needs multiple-choice and true-or-false questions")
    );
    // Gender has two options: 75 of 100 is half way from chance, not two thirds.
    let gender = [
        piece("clean", "gender", MC, 75.0, 100),
        piece("clean", "gender", TF, 75.0, 100),
    ];
    let gender: Vec<&Piece> = gender.iter().collect();
    close(&sq(&gender, Norm::Questions).value, 0.0);
    close(
        &sq(&gender, Norm::Paper).value,
        (100.0f64 * (2.0 / 3.0 - 0.5) / 2.0).powi(2),
    );
}

#[test]
fn sc_of_known_sets() {
    let styles: Vec<(String, Number)> = [("oil", 60.0), ("ink", 80.0), ("collage", 70.0)]
        .map(|(s, v)| (s.to_string(), Number::of(v)))
        .to_vec();
    let found = sc(&styles);
    close(&found.value, 200.0 / 3.0);
    assert_eq!((found.n, found.mean.value), (3, Some(70.0)));
    let order: Vec<_> = found
        .styles
        .iter()
        .map(|s| (s.style.as_str(), s.deviation))
        .collect();
    assert_eq!(order, [("ink", 10.0), ("oil", -10.0), ("collage", 0.0)]);
    let sum: f64 = found.styles.iter().map(|s| s.contribution).sum();
    close(&found.value, sum);
    let reasons = [&styles[..1], &[]].map(|styles| sc(styles).value.undefined);
    assert!(reasons.iter().all(Option::is_some) && reasons[0] != reasons[1]);
}

#[test]
fn styles_are_scored_pooled_or_by_type() {
    let styled = |style: &str, kind, points, n| Piece {
        style: Some(style.into()),
        ..piece("clean", "animal", kind, points, n)
    };
    let pieces = [
        styled("oil", MC, 9.0, 10),
        styled("oil", TF, 15.0, 30),
        styled("ink", MC, 5.0, 10),
        styled("ink", TF, 30.0, 30),
        styled("new", MC, 1.0, 1),
        piece("clean", "animal", MC, 1.0, 1),
    ];
    let pieces: Vec<&Piece> = pieces.iter().collect();
    let values = |pooled| {
        style_scores(&pieces, pooled)
            .into_iter()
            .map(|(_, v)| v.value)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        values(true),
        [Some(100.0 * 35.0 / 40.0), Some(100.0), Some(60.0)]
    );
    assert_eq!(values(false), [Some(75.0), None, Some(70.0)]);
    assert_eq!(sc(&style_scores(&pieces, false)).n, 2);
}

#[test]
fn sq_can_be_computed_from_resampled_sums() {
    let plan = Bootstrap {
        draws: 500,
        seed: 1,
    };
    let mut types = Clusters::new(4);
    for image in 0..60usize {
        let right = f64::from(image % 3 != 0);
        types.push(&[
            (0, right),
            (1, 1.0),
            (2, f64::from(image % 2 == 0)),
            (3, 1.0),
        ]);
    }
    let value = sq_of_sums(&types.sums()).unwrap();
    let whole = [
        piece("", "animal", MC, 40.0, 60),
        piece("", "animal", TF, 30.0, 60),
    ];
    close(
        &sq(&whole.iter().collect::<Vec<_>>(), Norm::Paper).value,
        value,
    );
    let interval = types.interval(plan, sq_of_sums).unwrap();
    assert!(
        interval.low < value && value < interval.high,
        "{interval:?} {value}"
    );
    assert_eq!(sq_of_sums(&[1.0, 2.0, 0.0, 0.0]), None);
}
