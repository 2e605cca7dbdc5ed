use super::*;
use benchtop_model::cancel::Cancel;
use benchtop_model::evaluation::OptionOrders as Shown;

fn asked(
    base: &str,
    orders: Shown,
    order: u16,
    marks: Vec<ParsedAnswer>,
    lacking: &[u32],
) -> Arc<ModelAnswers> {
    let label = benchtop_model::evaluation::label_of(base, orders, order);
    let asked = Asked {
        base: base.into(),
        orders,
        order,
        lacking: lacking.to_vec(),
    };
    Arc::new(ModelAnswers {
        asked: Some(asked),
        ..(*model(&label, marks)).clone()
    })
}

fn sheet(questions: usize) -> QuestionTable {
    let mut sheet = QuestionTable::default();
    for n in 0..questions {
        sheet
            .push(&item(
                n,
                QuestionKind::MultipleChoice,
                if n % 2 == 0 { "a" } else { "b" },
                "",
                "",
            ))
            .unwrap();
    }
    sheet
}

#[test]
fn unasked_questions_do_not_count_as_wrong() {
    // Four of ten questions were asked: two right, one wrong, one quarantined without an answer.
    let mut marks = vec![ParsedAnswer::ABSENT; 10];
    (marks[0], marks[3], marks[4]) = (
        ParsedAnswer::option(1),
        ParsedAnswer::option(1),
        ParsedAnswer::option(0),
    );
    let mut right = vec![ParsedAnswer::option(1); 10];
    right[3] = ParsedAnswer::option(0);
    let models = vec![
        asked("part", Shown::AsIs, 0, marks.clone(), &[7]),
        model("whole", right),
        model("gaps", marks),
    ];
    let ruled = BoardEngine::new(Arc::new(sheet(10)), models);
    let chosen = ruled.choose(None);
    let board = ruled.board(&chosen);
    assert_eq!(
        cell(&board, "part", "Acc"),
        Some(Cell::Share { k: 2, n: 4 })
    );
    assert_eq!(
        cell(&board, "part", "Acc.a"),
        Some(Cell::Share { k: 1, n: 2 })
    );
    assert_eq!(
        cell(&board, "gaps", "Acc"),
        Some(Cell::Share { k: 2, n: 10 }),
        "an imported file lacks answers"
    );
    let counts = |name: &str| {
        board
            .rows
            .iter()
            .find(|row| row.model == name)
            .unwrap()
            .counts
            .missing
    };
    assert_eq!((counts("part"), counts("gaps"), counts("whole")), (1, 7, 0));
    let (part, whole) = (ruled.model("part").unwrap(), ruled.model("whole").unwrap());
    assert_eq!(
        (
            ruled.asked_of(part, &chosen),
            ruled.asked_of(whole, &chosen)
        ),
        (Some((4, 10)), None)
    );
    // The cell, its drilldown, and the comparison of two models cover only what was asked.
    let at = ruled.column("Acc").unwrap();
    assert_eq!(at.units(&ruled, part, &chosen).len(), 4);
    assert_eq!(
        ruled
            .tested((part, whole), at, &chosen)
            .map(|t| t.test.discordant),
        Some((1, 2))
    );
    let paired = ruled.paired((part, whole), at, &chosen).unwrap();
    assert_eq!(
        (
            paired.both,
            paired.first.len(),
            paired.second.len(),
            paired.neither
        ),
        (1, 1, 2, 0)
    );
    let plan = benchtop_model::agreement::Bootstrap { draws: 40, seed: 1 };
    let both = ruled.both((part, whole), &chosen);
    assert_eq!(
        ruled
            .difference((part, whole), at, &both, plan, Cancel::NEVER)
            .unwrap()
            .value,
        Some(-0.25)
    );
    assert_eq!(
        ruled
            .estimate(part, at, &chosen, plan, Cancel::NEVER)
            .unwrap()
            .value,
        Some(0.5)
    );
    // A selection of questions narrows it further.
    let few = ruled.choose(Some(&|row| row < 5));
    assert_eq!(
        cell(&ruled.board(&few), "part", "Acc"),
        Some(Cell::Share { k: 2, n: 3 })
    );
    assert_eq!(ruled.asked_of(part, &few), Some((3, 5)));
}

#[test]
fn asked_rotations_share_a_row_with_circular_score() {
    // Three questions in four rotations: right in all, wrong in the third, not asked in the last.
    let (yes, no, none) = (
        ParsedAnswer::option(1),
        ParsedAnswer::option(2),
        ParsedAnswer::ABSENT,
    );
    let rotation = |order: u16| match order {
        1 | 2 => vec![yes, yes, yes],
        3 => vec![yes, no, yes],
        _ => vec![yes, yes, none],
    };
    let of = (1..=4)
        .rev()
        .map(|order| asked("m", Shown::Circular, order, rotation(order), &[]));
    let ruled = BoardEngine::new(
        Arc::new(sheet(3)),
        of.chain([model("other", vec![yes, no, no])]).collect(),
    );
    let chosen = ruled.choose(None);
    let board = ruled.board(&chosen);
    let names: Vec<&str> = board.rows.iter().map(|row| row.model.as_str()).collect();
    assert_eq!(names, ["m", "other"]);
    assert_eq!(
        cell(&board, "m", "Acc"),
        Some(Cell::Share { k: 3, n: 3 }),
        "of the first rotation"
    );
    assert_eq!(
        cell(&board, "m", "CircularEval"),
        Some(Cell::Share { k: 1, n: 2 })
    );
    assert_eq!(cell(&board, "other", "CircularEval"), None);
    let Some(Cell::Mean { value, n: 2 }) = cell(&board, "m", "Acc.orders") else {
        panic!("{board:?}")
    };
    assert!((value - 0.875).abs() < 1e-12, "{value}");
    // 100, 100, 50, and 100 percent.
    let spread = cell(&board, "m", "Acc.orders.sd")
        .and_then(Cell::value)
        .unwrap();
    assert!((spread - 468.75f64.sqrt()).abs() < 1e-9, "{spread}");
    let at = ruled.column("CircularEval").unwrap();
    assert_eq!(
        at.units(&ruled, 0, &chosen),
        [(vec![0], true), (vec![1], false)]
    );
    assert_eq!(at.answerers(&ruled, 0).len(), 4);
    assert_eq!(
        ruled.order_name(at.answerers(&ruled, 0)[2]).as_deref(),
        Some("rotation 3")
    );
    assert_eq!(ruled.column("Acc").unwrap().answerers(&ruled, 0), [0]);
    assert_eq!(at.answerers(&ruled, 1), [1]);
    let plan = benchtop_model::agreement::Bootstrap { draws: 40, seed: 1 };
    let sure = ruled.estimate(0, at, &chosen, plan, Cancel::NEVER).unwrap();
    assert_eq!(
        (sure.value, sure.clusters),
        (Some(0.5), 1),
        "both questions are about one picture"
    );
    assert!(ruled.model("m (rotation 2)").is_err());
}

#[test]
fn asked_shuffles_have_mean_and_deviation_of_score_ar() {
    let mut sheet = QuestionTable::default();
    for n in 0..4 {
        let mut item = item(n, QuestionKind::MultipleChoice, "", "", "");
        item.options[3].role = Role::Refusal;
        item.level = Some("basic".into());
        sheet.push(&item).unwrap();
    }
    let marks = |right: usize| {
        (0..4)
            .map(|n| ParsedAnswer::option(usize::from(n < right)))
            .collect::<Vec<_>>()
    };
    let shuffles = [4, 2].into_iter().zip(1..);
    let of =
        shuffles.map(|(right, order)| asked("m", Shown::Shuffles(2), order, marks(right), &[]));
    let ruled = BoardEngine::new(Arc::new(sheet), of.collect());
    let board = ruled.board(&ruled.choose(None));
    let of = |column: &str| cell(&board, "m", column).and_then(Cell::value).unwrap();
    assert_eq!(
        (of("AR"), of("AR.sd"), of("Acc.orders"), of("Acc.orders.sd")),
        (0.75, 25.0, 0.75, 25.0)
    );
    assert_eq!(cell(&board, "m", "Acc"), Some(Cell::Share { k: 4, n: 4 }));
    assert_eq!(cell(&board, "m", "AR").map(Cell::n), Some(8));
    assert!(!board.columns.iter().any(|c| c.name == "CircularEval"));
    assert_eq!(ruled.column("AR").unwrap().answerers(&ruled, 0), [0, 1]);
}

#[test]
fn rotation_count_is_the_option_count() {
    // One question composed with four options and cut to two, and one with five options for which
    // refusing is right too (MM-SAP's Knowledge).
    let mut sheet = sheet(0);
    for (n, (options, chance)) in [(2, 0.25), (5, 0.4)].into_iter().enumerate() {
        let mut item = item(n, QuestionKind::MultipleChoice, "", "", "");
        item.options.resize(
            options,
            Choice {
                text: "elk".into(),
                role: Role::Refusal,
            },
        );
        item.provenance = Some(Box::new(benchtop_model::Provenance {
            chance: Some(chance),
            ..Default::default()
        }));
        sheet.push(&item).unwrap();
    }
    let marks = |order: u16| match order {
        1 | 2 => vec![ParsedAnswer::option(1); 2],
        5 => vec![ParsedAnswer::ABSENT, ParsedAnswer::option(0)],
        _ => vec![ParsedAnswer::ABSENT, ParsedAnswer::option(1)],
    };
    let models = (1..=5)
        .map(|order| asked("m", Shown::Circular, order, marks(order), &[]))
        .collect();
    let ruled = BoardEngine::new(Arc::new(sheet), models);
    let at = ruled.column("CircularEval").unwrap();
    assert_eq!(
        at.units(&ruled, 0, &ruled.choose(None)),
        [(vec![0], true), (vec![1], false)]
    );
}
