use super::*;

/// A question with shuffled options: the right one is at `shuffle % 4`, the refusal option after
/// it.
fn given(subset: Subset, shuffle: u32, said: Option<&str>) -> GivenAnswer<'static> {
    let at = shuffle as usize % 4;
    let (correct, refusal) = ((subset != Subset::Beyond).then_some(at), (at + 1) % 4);
    let said = said.map(|said| match said {
        "right" => Read::Option(at),
        "declined" => Read::Option(refusal),
        "refused" => Read::Refused,
        "wrong" => Read::Option((at + 2) % 4),
        _ => Read::Unparsed,
    });
    GivenAnswer {
        subset,
        subtask: "a",
        shuffle,
        correct,
        refusal,
        read: said,
    }
}

fn close(number: &Number, expected: f64) {
    assert!(
        (number.value.unwrap() - expected).abs() < 1e-9,
        "{number:?} is not {expected}"
    );
}

#[test]
fn right_answer_depends_on_the_subset() {
    for (subset, right, declined) in [
        (Subset::Basic, 1, 0),
        (Subset::Knowledge, 1, 1),
        (Subset::Beyond, 0, 1),
    ] {
        let counts = |said| {
            let mut counts = Counts::default();
            counts.add(&given(subset, 2, said));
            counts
        };
        assert_eq!(
            (counts(Some("right")).right, counts(Some("declined")).right),
            (right, declined),
            "{subset:?}"
        );
        assert_eq!(
            (counts(Some("refused")).right, counts(Some("wrong")).right),
            (declined, 0)
        );
        let (unparsed, missing) = (counts(Some("?")), counts(None));
        assert_eq!(
            (
                unparsed.unparsed,
                unparsed.right,
                missing.missing,
                missing.right
            ),
            (1, 0, 1, 0)
        );
        assert_eq!(
            (
                unparsed.answer_rate().value,
                unparsed.answer_rate_printed().value
            ),
            (Some(0.0), Some(100.0))
        );
        assert!(unparsed.answer_acc().undefined.is_some());
    }
    assert_eq!(
        Counts::default().score_ar().undefined.as_deref(),
        Some("no questions")
    );
}

#[test]
fn each_answer_has_one_quadrant_and_two_make_the_score() {
    let said = ["right", "declined", "refused", "wrong", "?"];
    let answers: Vec<_> = Subset::ALL
        .into_iter()
        .flat_map(|subset| {
            (1..=2).flat_map(move |n| {
                said.map(Some)
                    .into_iter()
                    .chain([None])
                    .map(move |s| given(subset, n, s))
            })
        })
        .collect();
    let of = |subset: Subset, said| Quadrant::of(&given(subset, 1, Some(said)));
    for (subset, expected) in [
        (
            Subset::Basic,
            [
                Quadrant::KnownKnown,
                Quadrant::UnknownKnown,
                Quadrant::UnknownKnown,
                Quadrant::UnknownUnknown,
            ],
        ),
        (
            Subset::Knowledge,
            [
                Quadrant::KnownKnown,
                Quadrant::KnownUnknown,
                Quadrant::KnownUnknown,
                Quadrant::UnknownUnknown,
            ],
        ),
        // No option is right in Beyond.
        (
            Subset::Beyond,
            [
                Quadrant::UnknownUnknown,
                Quadrant::KnownUnknown,
                Quadrant::KnownUnknown,
                Quadrant::UnknownUnknown,
            ],
        ),
    ] {
        assert_eq!(
            [0, 1, 2, 3].map(|at| of(subset, said[at])),
            expected,
            "{subset:?}"
        );
    }
    let found = report(answers.iter().copied());
    assert_eq!(found.quadrants, [4, 4, 8, 8, 12]);
    assert_eq!(found.quadrants.iter().sum::<u64>(), answers.len() as u64);
    let right: u64 = found
        .scores
        .last()
        .unwrap()
        .shuffles
        .iter()
        .map(|c| c.right)
        .sum();
    assert_eq!(
        found.quadrants[0] + found.quadrants[2],
        right,
        "score_AR counts these two"
    );
}

#[test]
fn five_shuffles_have_mean_and_population_deviation() {
    // Ten Basic questions with 5, 6, 7, 8, and 9 right and the others wrong; four Knowledge
    // questions that never change.
    let mut answers = Vec::new();
    for shuffle in 0..5 {
        (0..10).for_each(|q| {
            answers.push(given(
                Subset::Basic,
                shuffle,
                Some(if q < 5 + shuffle { "right" } else { "wrong" }),
            ))
        });
        let know = ["right", "wrong", "declined", "?"]
            .map(|said| given(Subset::Knowledge, shuffle, Some(said)));
        answers.extend(know);
        answers.extend(["refused", "wrong"].map(|said| given(Subset::Beyond, shuffle, Some(said))));
    }
    let found = report(answers);
    assert!(found.even);
    let names: Vec<_> = found
        .scores
        .iter()
        .map(|s| (s.subset.map(Subset::name), s.subtask.as_deref()))
        .collect();
    assert_eq!(
        names[..3],
        [
            (Some("basic"), None),
            (Some("basic"), Some("a")),
            (Some("knowledge"), None)
        ]
    );
    assert_eq!((names.len(), names[6]), (7, (None, None)));
    let basic = &found.scores[0];
    close(&basic.score_ar.mean, 70.0);
    close(&basic.score_ar.sd, 200f64.sqrt());
    let know = &found.scores[2];
    for (number, expected) in [
        (&know.score_ar.mean, 50.0),
        (&know.score_ar.sd, 0.0),
        (&know.answer_rate.mean, 50.0),
        (&know.answer_acc.mean, 50.0),
    ] {
        close(number, expected);
    }
    close(&know.answer_rate_printed.mean, 75.0);
    assert_eq!(
        know.shuffles[4],
        Counts {
            n: 4,
            correct: 1,
            refused: 1,
            wrong: 1,
            unparsed: 1,
            missing: 0,
            right: 2
        }
    );
    let beyond = &found.scores[4];
    close(&beyond.answer_acc.mean, 0.0);
    // KK covers 14 questions, KU 6.
    close(&found.score_kk.mean, 100.0 * 8.0 / 14.0);
    close(&found.score_ku.mean, 100.0 * 2.0 / 6.0);
    let whole = ar_of_knowledge(
        found.score_kk.mean.value.unwrap(),
        found.score_ku.mean.value.unwrap(),
        [10, 4, 2],
    )
    .unwrap();
    close(&found.scores[6].score_ar.mean, whole);
}

#[test]
fn identities_hold_in_every_shuffle() {
    let mut state = benchtop_model::rng::Stream::new(9);
    let said = ["right", "declined", "wrong"];
    let answers: Vec<GivenAnswer> = (0..600)
        .map(|q| {
            given(
                Subset::ALL[q % 3],
                (q / 3 % 5) as u32,
                Some(said[state.below(3)]),
            )
        })
        .collect();
    let found = report(answers);
    for scores in found.scores.iter().filter(|s| s.subtask.is_none()) {
        let Some(subset) = scores.subset else {
            continue;
        };
        for counts in &scores.shuffles {
            let of = |n: Number| n.value.unwrap();
            close(
                &counts.score_ar(),
                ar_of_rate(subset, of(counts.answer_rate()), of(counts.answer_acc())),
            );
        }
    }
    let mean =
        |at: usize, of: fn(&Scores) -> &OverShuffles| of(&found.scores[2 * at]).mean.value.unwrap();
    let parts: Vec<_> = (0..3).map(|at| (mean(at, |s| &s.score_ar), 40)).collect();
    close(&found.scores[6].score_ar.mean, pooled(&parts).unwrap());
    assert_eq!(
        (
            pooled(&[]),
            ar_of_knowledge(1.0, 1.0, [0; 3]),
            knowledge_of_rates([0.0; 3], [0.0; 3], [0; 3])
        ),
        (None, None, None)
    );
}

#[test]
fn empty_and_uneven_shuffles() {
    let none = report([]);
    assert!(none.scores.is_empty() && none.score_kk.mean.value.is_none());
    let uneven = report([
        given(Subset::Basic, 0, None),
        given(Subset::Basic, 1, None),
        given(Subset::Basic, 1, None),
    ]);
    assert!(!uneven.even);
    // Everything is declined in one shuffle, so there is no Answer Acc over the shuffles.
    let declined = report([
        given(Subset::Basic, 0, Some("declined")),
        given(Subset::Basic, 1, Some("right")),
    ]);
    assert_eq!(
        declined.scores[0].answer_acc.mean.undefined.as_deref(),
        Some("no question was answered")
    );
}
