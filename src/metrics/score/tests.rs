mod coverage;
mod orders;
mod scopes;
mod terms;

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::parsed_answer::ParsedAnswer;

use super::question_table::{QuestionTable, UNGRADED};
use super::*;
use crate::consensus;
use benchtop_model::board::{Cell, Counts};
use benchtop_model::cancel::Cancel;
use benchtop_model::{Choice, Form, ImageRef, Item, Key, QuestionKind, Role, Variant};

fn item(n: usize, kind: QuestionKind, subtask: &str, style: &str, variant: &str) -> Item {
    let options: &[&str] = match kind {
        QuestionKind::MultipleChoice => &["cat", "dog", "owl", "fox"],
        QuestionKind::TrueFalse => &["True", "False"],
        _ => &[],
    };
    let choice = |(at, text): (usize, &&str)| Choice {
        text: (*text).into(),
        role: if at == 1 {
            Role::Correct
        } else {
            Role::Distractor
        },
    };
    Item {
        id: format!("set/{n}"),
        dataset: "set".into(),
        key: Key::Int(n as i64),
        form: Form::Plain,
        images: vec![ImageRef {
            name: format!("{}.png", n / 3),
            ..ImageRef::default()
        }],
        prompt: None,
        negative_prompt: None,
        instruction: None,
        question: format!("Q{n}"),
        kind,
        options: options.iter().enumerate().map(choice).collect(),
        answer: "yes".into(),
        task: None,
        subtask: Some(subtask.into()).filter(|s: &String| !s.is_empty()),
        granularity: None,
        level: None,
        style: Some(style.into()).filter(|s: &String| !s.is_empty()),
        pair: None,
        rotation: None,
        variant: (!variant.is_empty()).then(|| Variant {
            name: variant.into(),
            ..Variant::default()
        }),
        provenance: None,
        derivation: None,
        edited: None,
        extra: serde_json::Map::new(),
    }
}

fn model(name: &str, marks: Vec<ParsedAnswer>) -> Arc<ModelAnswers> {
    Arc::new(ModelAnswers {
        model: name.into(),
        marks,
        ..ModelAnswers::default()
    })
}

fn cell(board: &Board, model: &str, column: &str) -> Option<Cell> {
    let at = board.columns.iter().position(|c| c.name == column)?;
    board.rows.iter().find(|r| r.model == model)?.cells[at]
}

#[test]
fn correctness_depends_only_on_the_answer_key() {
    let mut sheet = QuestionTable::default();
    let mut refusing = item(0, QuestionKind::MultipleChoice, "", "", "");
    refusing.options[3].role = Role::Refusal;
    refusing.options[1].role = Role::Distractor;
    refusing.answer = "fox".into();
    sheet.push(&refusing).unwrap();
    sheet
        .push(&item(1, QuestionKind::MultipleChoice, "", "", ""))
        .unwrap();
    sheet
        .push(&item(2, QuestionKind::YesNo, "", "", ""))
        .unwrap();
    sheet
        .push(&item(3, QuestionKind::FreeForm, "", "", ""))
        .unwrap();
    assert_eq!(sheet.gold, [3, 1, 0, UNGRADED]);
    // The source may state the key in several ways.
    for answer in ["D", "3", "I cannot tell"] {
        let mut other = QuestionTable::default();
        other
            .push(&Item {
                answer: answer.into(),
                ..refusing.clone()
            })
            .unwrap();
        assert_eq!((other.gold[0], other.refusal[0]), (3, 3), "{answer}");
    }
    // If nothing can be known (MM-SAP's Beyond), refusing is right, by option or in free text.
    assert!(
        sheet.right(0, ParsedAnswer::option(3))
            && sheet.right(0, ParsedAnswer::REFUSED)
            && !sheet.right(0, ParsedAnswer::option(1))
    );
    assert!(sheet.right(1, ParsedAnswer::option(1)) && !sheet.right(1, ParsedAnswer::REFUSED));
    assert!(
        !sheet.right(3, ParsedAnswer::option(0))
            && !sheet.right(1, ParsedAnswer::ABSENT)
            && !sheet.right(9, ParsedAnswer::option(0))
    );
    // A revision of the same item needs no new extraction.
    let mut edited = item(1, QuestionKind::MultipleChoice, "new", "", "");
    edited.options.swap(0, 1);
    sheet.put(1, &edited).unwrap();
    assert!(
        sheet.right(1, ParsedAnswer::option(0))
            && sheet.name(benchtop_model::Field::Subtask, 1) == "new"
            && sheet.len() == 4
    );
}

#[test]
fn dysca_scores_match_the_counts() {
    // Multiple choice is all right, true or false is at chance: equation 1 gives 2500.
    let mut sheet = QuestionTable::default();
    let mut marks = Vec::new();
    for n in 0..200 {
        let kind = if n % 2 == 0 {
            QuestionKind::MultipleChoice
        } else {
            QuestionKind::TrueFalse
        };
        sheet
            .push(&item(n, kind, "animal", ["ink", "oil"][n / 100], ""))
            .unwrap();
        let right = kind == QuestionKind::MultipleChoice || n % 4 == 1;
        marks.push(ParsedAnswer::option(usize::from(right)));
    }
    for n in 200..240 {
        sheet
            .push(&item(
                n,
                [QuestionKind::MultipleChoice, QuestionKind::TrueFalse][n % 2],
                "animal",
                "ink",
                "corruption",
            ))
            .unwrap();
        marks.push(ParsedAnswer::option(0));
    }
    let ruled = BoardEngine::new(Arc::new(sheet), vec![model("m", marks)]);
    let board = ruled.board(&ruled.choose(None));
    let value = |column: &str| cell(&board, "m", column).and_then(Cell::value);
    assert_eq!(value("SQ"), Some(2500.0));
    assert_eq!(value("SQ.animal"), Some(2500.0));
    assert_eq!(value("SC"), Some(0.0));
    assert_eq!(
        (value("MC+TF.clean"), value("MC+TF.corruption")),
        (Some(0.75), Some(0.0))
    );
    assert_eq!(value("MC+TF.corruption-clean"), Some(-75.0));
    // Columns without a scenario count the clean questions only.
    assert_eq!(
        cell(&board, "m", "Acc"),
        Some(Cell::Share { k: 150, n: 200 })
    );
    assert_eq!(
        cell(&board, "m", "Acc.style.oil"),
        Some(Cell::Share { k: 75, n: 100 })
    );
    assert_eq!(board.questions, 240);
    assert_eq!(value("Final.clean"), None, "there is no free form");
    // A selection without a style gives no value for it.
    let some = ruled.choose(Some(&|row| row < 100));
    let board = ruled.board(&some);
    assert_eq!(cell(&board, "m", "Acc.style.oil"), None);
    assert_eq!(
        (cell(&board, "m", "Acc"), board.questions),
        (Some(Cell::Share { k: 75, n: 100 }), 100)
    );
}

#[test]
fn every_column_has_a_name_of_its_own() {
    let mut sheet = QuestionTable::default();
    let subtasks = [
        "level.high",
        "type.multiple-choice",
        "style.ink",
        "dataset.set",
        "multiple-choice.animal",
        "animal.easy",
        "orders",
        "animal",
    ];
    let mut marks = Vec::new();
    for n in 0..64 {
        let kind = [QuestionKind::MultipleChoice, QuestionKind::TrueFalse][n / 32];
        let item = Item {
            level: Some(["high", "easy", "hard"][n % 3].into()),
            dataset: ["set", "other"][n % 2].into(),
            ..item(n, kind, subtasks[n % 8], ["ink", "oil"][n / 8 % 2], "")
        };
        sheet.push(&item).unwrap();
        marks.push(ParsedAnswer::option(usize::from(n % 8 == 0)));
    }
    let ruled = BoardEngine::new(Arc::new(sheet), vec![model("m", marks)]);
    let board = ruled.board(&ruled.choose(None));
    let mut names: Vec<&str> = board.columns.iter().map(|c| c.name.as_str()).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "{names:?}");
    // The column that comes first keeps its name.
    let n = |column: &str| cell(&board, "m", column).map(Cell::n);
    assert_eq!(
        (n("Acc.level.high"), n("Acc.level.high#2")),
        (Some(8), Some(22))
    );
    let second = ruled.column("Acc.level.high#2").unwrap();
    assert_eq!(second.head.group, "Acc by level");
}

#[test]
fn free_form_is_a_mean_if_similarities_were_computed() {
    let mut sheet = QuestionTable::default();
    let kinds = [
        QuestionKind::MultipleChoice,
        QuestionKind::TrueFalse,
        QuestionKind::FreeForm,
        QuestionKind::FreeForm,
    ];
    for (n, kind) in kinds.into_iter().enumerate() {
        sheet.push(&item(n, kind, "animal", "ink", "")).unwrap();
    }
    let marks = vec![
        ParsedAnswer::option(1),
        ParsedAnswer::option(1),
        ParsedAnswer::option(0),
        ParsedAnswer::ABSENT,
    ];
    let with = ModelAnswers {
        model: "with".into(),
        marks: marks.clone(),
        similarity: vec![f32::NAN, f32::NAN, 0.5, f32::NAN],
        ..ModelAnswers::default()
    };
    // Imported after the comparison: an unknown similarity is not 0.
    let late = ModelAnswers {
        model: "late".into(),
        similarity: vec![f32::NAN; 4],
        ..with.clone()
    };
    let ruled = BoardEngine::new(
        Arc::new(sheet),
        vec![Arc::new(with), Arc::new(late), model("without", marks)],
    );
    let all = ruled.choose(None);
    let board = ruled.board(&all);
    for (name, uncompared) in [("with", 0), ("late", 1), ("without", 1)] {
        let row = board.rows.iter().find(|row| row.model == name).unwrap();
        assert_eq!(row.counts.uncompared, uncompared, "{name}");
        let some = |column: &str| cell(&board, name, column).is_some();
        let found = ["MC+TF.clean", "Acc", "Acc.type.free-form", "Final.clean"].map(some);
        assert_eq!(
            found,
            [true, true, uncompared == 0, uncompared == 0],
            "{name}"
        );
        let free = ruled.column("Acc.type.free-form").unwrap();
        let at = ruled.model(name).unwrap();
        assert_eq!(
            ruled.bootstrap(free, &[(at, &all)]).is_ok(),
            uncompared == 0,
            "{name}"
        );
        assert_eq!(
            ruled.cleaned(at, free, &all, &all).is_some(),
            uncompared == 0,
            "{name}"
        );
    }
    let few = ruled.choose(Some(&|row| row != 2));
    let board_of_few = ruled.board(&few);
    assert_eq!(
        cell(&board_of_few, "late", "Acc.type.free-form"),
        Some(Cell::Mean { value: 0.0, n: 1 })
    );
    assert_eq!(
        board_of_few.rows[0].counts.uncompared, 0,
        "only the one that has no answer is chosen"
    );
    // The missing answer earns 0.
    assert_eq!(
        cell(&board, "with", "Acc.type.free-form"),
        Some(Cell::Mean { value: 0.25, n: 2 })
    );
    assert_eq!(
        cell(&board, "with", "Final.clean").and_then(Cell::value),
        Some((1.0 + 1.0 + 0.25) / 3.0)
    );
    assert_eq!(cell(&board, "without", "Acc.type.free-form"), None);
    assert_eq!(cell(&board, "without", "Final.clean"), None);
    assert_eq!(
        cell(&board, "without", "MC+TF.clean").and_then(Cell::value),
        Some(1.0)
    );
    assert_eq!(board.rows[0].counts.missing, 1);
}

#[test]
fn picking_the_refusal_option_is_not_a_free_text_refusal() {
    let mut sheet = QuestionTable::default();
    let mut refusing = item(0, QuestionKind::MultipleChoice, "", "", "");
    refusing.options[1] = Choice {
        text: "I cannot tell".into(),
        role: Role::Refusal,
    };
    let asked = crate::extract::Asked::from(&refusing);
    let outputs = [
        "B",
        "(B) I cannot tell",
        "I cannot tell",
        "I'm sorry, but I cannot answer that.",
        "A",
    ];
    outputs.iter().for_each(|_| sheet.push(&refusing).unwrap());
    let mut grader = Grader::new(&sheet, "m", None);
    grader.file(false);
    for (row, output) in outputs.into_iter().enumerate() {
        grader.answer(row, row as u32, &asked, output, None);
    }
    let graded = grader.finish().0;
    let (chose, said) = (ParsedAnswer::DECLINED, ParsedAnswer::REFUSED);
    assert_eq!(
        graded.marks,
        [chose, chose, chose, said, ParsedAnswer::option(0)]
    );
    assert_eq!(graded.counts.refused, 1);
    assert!(chose.declines() && said.declines() && chose.chosen().is_none());
    // Both are right if refusing is, and neither marks the key as wrong if it is not.
    assert!(
        (0..4).all(|row| sheet.right(row, graded.marks[row])) && !sheet.right(4, graded.marks[4])
    );
    let mut known = QuestionTable::default();
    refusing.options[0].role = Role::Correct;
    known.push(&refusing).unwrap();
    let ruled = BoardEngine::new(Arc::new(known), vec![model("m", vec![chose])]);
    assert_eq!(
        ruled.outcome(ruled.answers(0), 0),
        Some(consensus::Outcome::Refused)
    );
}

#[test]
fn counts_cover_only_selected_questions() {
    let mut sheet = QuestionTable::default();
    for n in 0..6 {
        sheet
            .push(&item(n, QuestionKind::MultipleChoice, "", "", ""))
            .unwrap();
    }
    let asked = crate::extract::Asked {
        instruction: "",
        kind: QuestionKind::MultipleChoice,
        options: &[],
    };
    let mut grader = Grader::new(&sheet, "m", None);
    grader.file(false);
    grader.extra(77);
    for (row, output) in ["B", "hm", "", "I cannot answer that.", "B"]
        .into_iter()
        .enumerate()
    {
        grader.answer(row, row as u32, &asked, output, None);
    }
    grader.answer(0, 9, &asked, "B", None);
    let graded = grader.finish().0;
    let ruled = BoardEngine::new(Arc::new(sheet), vec![Arc::new(graded)]);
    let counts = |is: &dyn Fn(usize) -> bool| ruled.board(&ruled.choose(Some(is))).rows[0].counts;
    let all = Counts {
        used: 5,
        missing: 1,
        extra: 1,
        duplicate: 1,
        unparsed: 2,
        refused: 1,
        uncompared: 0,
    };
    assert_eq!(ruled.board(&ruled.choose(None)).rows[0].counts, all);
    assert_eq!(counts(&|_| true), all, "by the marks as by the files");
    assert_eq!(
        counts(&|row| row == 0),
        Counts {
            used: 1,
            missing: 0,
            unparsed: 0,
            refused: 0,
            ..all
        }
    );
    assert_eq!(
        counts(&|row| row > 1),
        Counts {
            used: 3,
            unparsed: 1,
            ..all
        }
    );
}

#[test]
fn rotations_count_once_as_a_group() {
    let mut sheet = QuestionTable::default();
    for n in 0..6 {
        let mut rotated = item(n, QuestionKind::MultipleChoice, "", "", "");
        rotated.rotation = Some(benchtop_model::Rotation {
            set: (n / 3).to_string(),
            index: (n % 3 + 1) as u32,
            of: 3,
        });
        sheet.push(&rotated).unwrap();
    }
    let marks = [1, 1, 1, 1, 0, 1].map(ParsedAnswer::option).to_vec();
    let ruled = BoardEngine::new(Arc::new(sheet), vec![model("m", marks)]);
    let board = ruled.board(&ruled.choose(None));
    assert_eq!(
        cell(&board, "m", "Circular"),
        Some(Cell::Share { k: 1, n: 2 })
    );
    assert_eq!(
        cell(&board, "m", "Acc"),
        Some(Cell::Share { k: 2, n: 2 }),
        "first rotations"
    );
    assert_eq!(board.questions, 6);
    // A group with an unselected question does not count.
    let board = ruled.board(&ruled.choose(Some(&|row| row != 5)));
    assert_eq!(
        cell(&board, "m", "Circular"),
        Some(Cell::Share { k: 1, n: 1 })
    );
}

proptest! {
    /// The bitmaps agree with a direct count of every answer.
    #[test]
    fn bitmap_counts_match_answer_counts(
        rows in prop::collection::vec((0usize..3, 0usize..4, 0usize..3, 0usize..3, 0u8..6, 0u8..6, any::<bool>()), 1..300),
    ) {
        let kinds = [QuestionKind::MultipleChoice, QuestionKind::TrueFalse, QuestionKind::YesNo];
        let mut sheet = QuestionTable::default();
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for (n, (kind, subtask, style, variant, x, y, _)) in rows.iter().enumerate() {
            let (subtask, style) = (["", "animal", "plant", "text"][*subtask], ["", "ink", "oil"][*style]);
            sheet.push(&item(n, kinds[*kind], subtask, style, ["", "clean", "corruption"][*variant])).unwrap();
            a.push(ParsedAnswer(*x));
            b.push(ParsedAnswer(*y));
        }
        let sheet = Arc::new(sheet);
        let ruled = BoardEngine::new(sheet.clone(), vec![model("a", a.clone()), model("b", b.clone())]);
        let only = |row: usize| rows[row].6;
        let chosen = ruled.choose(Some(&only));
        let board = ruled.board(&chosen);
        let mut want: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for (row, (_, subtask, style, variant, ..)) in rows.iter().enumerate().filter(|(row, _)| only(*row)) {
            if *variant == 2 {
                continue;
            }
            let right = u64::from(sheet.right(row, a[row]));
            let mut names = vec!["Acc".to_string(), format!("Acc.type.{}", sheet.kind(row).name())];
            names.extend((*subtask > 0).then(|| format!("Acc.{}", ["", "animal", "plant", "text"][*subtask])));
            names.extend((*style > 0).then(|| format!("Acc.style.{}", ["", "ink", "oil"][*style])));
            for name in names {
                let sum = want.entry(name).or_default();
                *sum = (sum.0 + right, sum.1 + 1);
            }
        }
        if a.iter().all(|m| *m == ParsedAnswer::ABSENT) {
            prop_assert!(board.rows[0].cells.iter().all(Option::is_none));
            return Ok(());
        }
        for (name, (k, n)) in &want {
            if let Some(at) = board.columns.iter().position(|c| c.name == *name) {
                prop_assert_eq!(board.rows[0].cells[at], Some(Cell::Share { k: *k, n: *n }), "{}", name);
            }
        }
        let missing = (0..rows.len()).filter(|row| only(*row) && a[*row] == ParsedAnswer::ABSENT).count() as u64;
        prop_assert_eq!(board.rows[0].counts.missing, missing);
        if b.iter().any(|m| *m != ParsedAnswer::ABSENT)
            && let Ok(at) = ruled.column("Acc")
            && let Some(found) = ruled.tested((0, 1), at, &chosen).map(|t| t.test.discordant)
        {
            let counts = |row: &usize| only(*row) && rows[*row].3 != 2;
            let only_one = |x: &[ParsedAnswer], y: &[ParsedAnswer]| {
                let is = |row: &usize| sheet.right(*row, x[*row]) && !sheet.right(*row, y[*row]);
                (0..rows.len()).filter(counts).filter(is).count() as u64
            };
            prop_assert_eq!(found, (only_one(&a, &b), only_one(&b, &a)));
        }
        // The drilldown has the counted units, and the resampled sums add up to the cell.
        if let (Ok(at), Some(Cell::Share { k, n })) = (ruled.column("Acc"), cell(&board, "a", "Acc")) {
            let units = at.units(&ruled, 0, &chosen);
            prop_assert_eq!((units.iter().filter(|u| u.1).count() as u64, units.len() as u64), (k, n));
            let again = ruled.bootstrap(at, &[(0, &chosen)]).unwrap();
            prop_assert_eq!(again.values(), vec![Some(k as f64 / n as f64)]);
        }
    }
}

fn values(board: &Board, columns: &[&str]) -> Vec<Option<f64>> {
    columns
        .iter()
        .map(|column| cell(board, "m", column).and_then(Cell::value))
        .collect()
}

#[test]
fn self_awareness_counts_right_refusals() {
    let mut sheet = QuestionTable::default();
    let mut marks = Vec::new();
    // Two shuffles, one question per subset: the model knows the first, declines the second,
    // and guesses at the third.
    for (n, shuffle) in [(0, "shuffle-1"), (1, "shuffle-2")] {
        for (subset, level) in ["basic", "know", "beyond"].into_iter().enumerate() {
            let mut asked = item(
                3 * n + subset,
                QuestionKind::MultipleChoice,
                "",
                "",
                shuffle,
            );
            asked.options[3].role = Role::Refusal;
            asked.level = Some(level.into());
            if level == "beyond" {
                asked.options[1].role = Role::Distractor;
                asked.answer = "fox".into();
            }
            sheet.push(&asked).unwrap();
            marks.push(
                [
                    ParsedAnswer::option(1),
                    ParsedAnswer::REFUSED,
                    ParsedAnswer::option(n),
                ][subset],
            );
        }
    }
    let ruled = BoardEngine::new(Arc::new(sheet), vec![model("m", marks)]);
    let board = ruled.board(&ruled.choose(None));
    let third = 1.0 / 3.0;
    let found = values(
        &board,
        &[
            "AR",
            "AR.basic",
            "AR.knowledge",
            "AR.beyond",
            "KK",
            "KU",
            "AnswerRate",
            "AnswerAcc",
            "AR.sd",
        ],
    );
    let close = |found: Option<f64>, want: f64| {
        assert!(
            (found.unwrap() - want).abs() < 1e-9,
            "{found:?} is not {want}"
        )
    };
    let want = [2.0 * third, 1.0, 1.0, 0.0, 0.5, 0.5, 2.0 * third, 0.5, 0.0];
    found
        .into_iter()
        .zip(want)
        .for_each(|(found, want)| close(found, want));
    let n = ["AR", "AR.basic", "KK", "KU"].map(|column| cell(&board, "m", column).map(Cell::n));
    assert_eq!(
        n,
        [6, 2, 4, 4].map(Some),
        "of the questions that each is a share of"
    );
    let (plan, at) = (
        benchtop_model::agreement::Bootstrap { draws: 40, seed: 1 },
        ruled.column("AR").unwrap(),
    );
    let sure = ruled
        .estimate(0, at, &ruled.choose(None), plan, Cancel::NEVER)
        .unwrap();
    assert!(sure.interval.is_err() && (sure.value.unwrap() - 2.0 * third).abs() < 1e-9);
    let beyond = ruled.column("AR.beyond").unwrap();
    assert_eq!(beyond.units(&ruled, 0, &ruled.choose(None)).len(), 2);
    // The drilldown uses the column's own definition of right.
    for name in [
        "AR",
        "AR.basic",
        "AR.knowledge",
        "AR.beyond",
        "KK",
        "KU",
        "AnswerRate",
        "AnswerAcc",
    ] {
        let at = ruled.column(name).unwrap();
        let mut units = at.units(&ruled, 0, &ruled.choose(None));
        units.retain(|(rows, _)| at.counts(&ruled, 0, rows[0] as usize));
        let right = units.iter().filter(|(_, right)| *right).count() as f64;
        let value = cell(&board, "m", name).and_then(Cell::value);
        close(value, right / units.len() as f64);
    }
}

#[test]
fn variant_delta_uses_originals_of_its_own_questions() {
    let mut sheet = QuestionTable::default();
    for n in 0..4 {
        sheet
            .push(&item(n, QuestionKind::MultipleChoice, "", "", "vanilla"))
            .unwrap();
    }
    for n in 0..3 {
        let mut changed = item(4 + n, QuestionKind::MultipleChoice, "", "", "V1");
        let of = Some(format!("set/{n}"));
        changed.variant = Some(Variant {
            name: "V1".into(),
            of,
            modified: Some(n != 2),
        });
        sheet.push(&changed).unwrap();
    }
    let marks = [1, 1, 1, 0, 1, 0, 1].map(ParsedAnswer::option).to_vec();
    let ruled = BoardEngine::new(Arc::new(sheet), vec![model("m", marks)]);
    let board = ruled.board(&ruled.choose(None));
    let found = values(
        &board,
        &[
            "delta.V1",
            "delta.V1.modified",
            "modified.V1",
            "Acc",
            "Acc.variant.V1",
        ],
    );
    let want = [-100.0 / 3.0, -50.0, 2.0 / 3.0, 0.75, 2.0 / 3.0];
    found.into_iter().zip(want).for_each(|(found, want)| {
        assert!((found.unwrap() - want).abs() < 1e-9, "{found:?} {want}")
    });
}

#[test]
fn position_bias_uses_even_positions_as_baseline() {
    let mut sheet = QuestionTable::default();
    for n in 0..8 {
        sheet
            .push(&item(
                n,
                QuestionKind::MultipleChoice,
                "",
                "",
                if n < 4 { "" } else { "position-A" },
            ))
            .unwrap();
    }
    let marks = [1, 0, 1, 0, 1, 1, 1, 1].map(ParsedAnswer::option).to_vec();
    let ruled = BoardEngine::new(Arc::new(sheet), vec![model("m", marks)]);
    let board = ruled.board(&ruled.choose(None));
    assert_eq!(
        values(&board, &["R.A", "R.A.relative"]),
        [Some(50.0), Some(100.0)]
    );
    let marks = [0, 0, 0, 0, 1, 1, 1, 0].map(ParsedAnswer::option).to_vec();
    let ruled = BoardEngine::new(ruled.sheet.clone(), vec![model("m", marks)]);
    let board = ruled.board(&ruled.choose(None));
    assert_eq!(
        values(&board, &["R.A", "R.A.relative"]),
        [Some(75.0), None],
        "nothing to be relative to"
    );
    let relative = ruled.column("R.A.relative").unwrap();
    assert_eq!(relative.units(&ruled, 0, &ruled.choose(None)).len(), 4);
}

#[test]
fn aspect_by_difficulty_needs_several_of_both() {
    let mut sheet = QuestionTable::default();
    for n in 0..12 {
        let mut asked = item(
            n,
            QuestionKind::MultipleChoice,
            ["spatial", "basic"][n % 2],
            "",
            "",
        );
        asked.level = Some(["easy", "medium", "hard"][n / 4].into());
        sheet.push(&asked).unwrap();
    }
    let marks = [1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1]
        .map(ParsedAnswer::option)
        .to_vec();
    let ruled = BoardEngine::new(Arc::new(sheet), vec![model("m", marks)]);
    let board = ruled.board(&ruled.choose(None));
    let group: Vec<&str> = board
        .columns
        .iter()
        .filter(|c| c.group == "Acc by aspect and difficulty")
        .map(|c| c.name.as_str())
        .collect();
    assert_eq!(
        group[..3],
        ["Acc.basic.easy", "Acc.basic.medium", "Acc.basic.hard"],
        "the easiest first"
    );
    assert_eq!(
        values(&board, &group),
        [1.0, 0.5, 0.5, 1.0, 0.5, 0.0].map(Some)
    );
    let hard = ruled.column("Acc.spatial.hard").unwrap();
    assert_eq!(
        hard.units(&ruled, 0, &ruled.choose(None)),
        [(vec![8], false), (vec![10], false)]
    );
    // Levels that are not difficulties, or a single aspect, add no column by both.
    for (subtask, level) in [("spatial", "easy"), ("basic", "know")] {
        let mut sheet = QuestionTable::default();
        for n in 0..4 {
            let mut asked = item(
                n,
                QuestionKind::MultipleChoice,
                if n < 2 { "spatial" } else { subtask },
                "",
                "",
            );
            asked.level = Some([level, "hard"][n % 2].into());
            sheet.push(&asked).unwrap();
        }
        let ruled = BoardEngine::new(
            Arc::new(sheet),
            vec![model("m", vec![ParsedAnswer::option(1); 4])],
        );
        assert!(
            ruled
                .columns()
                .all(|c| c.group != "Acc by aspect and difficulty"),
            "{subtask} {level}"
        );
    }
}

/// For every column, the resampled sums give the value of its cell.
#[test]
fn bootstrap_sums_match_the_cells_of_every_column() {
    let mut sheet = QuestionTable::default();
    let (mut marks, mut others, mut similarity) = (Vec::new(), Vec::new(), Vec::new());
    let kinds = [
        QuestionKind::MultipleChoice,
        QuestionKind::TrueFalse,
        QuestionKind::FreeForm,
    ];
    for n in 0..360 {
        let kind = kinds[n % 3];
        let variant = if n % 5 == 4 { "corruption" } else { "clean" };
        sheet
            .push(&item(
                n,
                kind,
                ["animal", "plant"][n / 3 % 2],
                ["ink", "oil", "pixel"][n / 6 % 3],
                variant,
            ))
            .unwrap();
        marks.push(ParsedAnswer::option(usize::from(n % 7 != 0)));
        others.push(ParsedAnswer::option(usize::from(n % 4 != 0)));
        similarity.push(if kind == QuestionKind::FreeForm {
            0.25 + (n % 9) as f32 / 16.0
        } else {
            f32::NAN
        });
    }
    let of = |name: &str, marks| {
        Arc::new(ModelAnswers {
            model: name.into(),
            marks,
            similarity: similarity.clone(),
            ..ModelAnswers::default()
        })
    };
    let ruled = BoardEngine::new(Arc::new(sheet), vec![of("a", marks), of("b", others)]);
    let (plan, chosen) = (
        benchtop_model::agreement::Bootstrap { draws: 40, seed: 1 },
        ruled.choose(None),
    );
    let board = ruled.board(&chosen);
    let mut seen = 0;
    for column in &board.columns {
        let at = ruled.column(&column.name).unwrap();
        let of = |model: usize| board.cell(&board.rows[model], &column.name);
        let value = |model: usize| of(model).and_then(Cell::value);
        let sure = ruled.estimate(0, at, &chosen, plan, Cancel::NEVER).unwrap();
        let (drawn, cell) = (sure.value.unwrap(), value(0).unwrap());
        assert!(
            (drawn - cell).abs() < 1e-6,
            "{}: {drawn} {cell}",
            column.name
        );
        let apart = ruled
            .difference((0, 1), at, &chosen, plan, Cancel::NEVER)
            .unwrap();
        let expected = value(0).unwrap() - value(1).unwrap();
        assert!(
            (apart.value.unwrap() - expected).abs() < 1e-6,
            "{}",
            column.name
        );
        // Both models have the same free-form answers, so there is nothing to resample.
        // Columns about chance have no interval.
        let none = ["Acc.type.free-form", "SC.noise", "SC.p"].contains(&column.name.as_str());
        assert_eq!(
            apart.interval.is_err(),
            none,
            "{}: {:?}",
            column.name,
            apart.interval
        );
        seen += 1;
        // The paired table agrees with the counts of both models.
        let Some(table) = ruled.paired((0, 1), at, &chosen) else {
            continue;
        };
        let k = |model: usize| of(model).and_then(Cell::k).unwrap();
        assert_eq!(
            (
                table.both + table.first.len() as u64,
                table.both + table.second.len() as u64
            ),
            (k(0), k(1))
        );
        let discordant = ruled
            .tested((0, 1), at, &chosen)
            .map(|t| t.test.discordant)
            .unwrap();
        assert_eq!(
            discordant,
            (table.first.len() as u64, table.second.len() as u64),
            "{}",
            column.name
        );
    }
    assert!(
        seen > 20
            && board
                .columns
                .iter()
                .any(|c| c.name == "Final.corruption-clean"),
        "{seen}"
    );
    let first = ruled.column(&board.columns[0].name).unwrap();
    let cancelled = ruled
        .estimate(0, first, &chosen, plan, Cancel::when(&|| true))
        .unwrap_err();
    assert_eq!(cancelled.kind, benchtop_model::ErrorKind::Cancelled);
}

/// Questions with two options: chance is one half, where equation 1 assumes a quarter.
#[test]
fn paper_sq_assumes_a_quarter_for_multiple_choice() {
    let (mut sheet, mut marks) = (QuestionTable::default(), Vec::new());
    for n in 0..16 {
        let kind = [QuestionKind::MultipleChoice, QuestionKind::TrueFalse][n % 2];
        let mut asked = item(n, kind, "gender", "", "");
        asked.options.truncate(2);
        sheet.push(&asked).unwrap();
        marks.push(ParsedAnswer::option(usize::from(n / 2 % 4 != 0)));
    }
    let ruled = BoardEngine::new(Arc::new(sheet), vec![model("m", marks)]);
    let board = ruled.board(&ruled.choose(None));
    let paper = ((50.0 - 200.0 / 3.0) / 2.0_f64).powi(2);
    let found = values(&board, &["SQ", "SQ.paper", "SQ.gender"]);
    assert_eq!((found[0], found[2]), (Some(0.0), Some(0.0)));
    assert!(
        (found[1].unwrap() - paper).abs() < 1e-9,
        "{found:?} {paper}"
    );
}

/// Two models differ in 12 of 60 questions, 10 of them in favor of the first. This is significant
/// if each question has its own picture, and not if all questions share three pictures.
#[test]
fn shared_pictures_weaken_the_comparison_of_models() {
    let tested = |pictures: usize| {
        let (mut sheet, mut marks) = (QuestionTable::default(), [Vec::new(), Vec::new()]);
        for n in 0..60 {
            let mut asked = item(n, QuestionKind::MultipleChoice, "", "", "");
            asked.images[0].name =
                format!("{}.png", if n < 12 { n * pictures / 12 } else { n + 100 });
            sheet.push(&asked).unwrap();
            let right = [n >= 2, !(2..12).contains(&n)];
            marks
                .iter_mut()
                .zip(right)
                .for_each(|(marks, right)| marks.push(ParsedAnswer::option(usize::from(right))));
        }
        let [a, b] = marks;
        let ruled = BoardEngine::new(Arc::new(sheet), vec![model("a", a), model("b", b)]);
        let chosen = ruled.choose(None);
        let at = ruled.column("Acc").unwrap();
        let all = ruled.tests(&[0, 1], at, &chosen);
        let tested = ruled.tested((0, 1), at, &chosen).unwrap();
        assert_eq!(all, [((0, 1), tested.test)]);
        assert_eq!(tested.test.discordant, (10, 2));
        let (low, high) = tested.interval.unwrap();
        assert_eq!(tested.test.p < 0.05, low > 0.0 || high < 0.0, "{tested:?}");
        tested
    };
    let (alone, shared) = (tested(12), tested(3));
    assert!(
        alone.is_exact && (alone.test.p - crate::statistics::mcnemar(10, 2)).abs() < 1e-12,
        "{alone:?}"
    );
    // Three clusters with differences 0, 4, and 4: half of all sign flips give a sum of 8.
    assert!(
        !shared.is_exact && (shared.test.p - 0.5).abs() < 1e-12,
        "{shared:?}"
    );
}

#[test]
fn the_board_of_a_selection_is_counted_once() {
    let mut sheet = QuestionTable::default();
    for n in 0..6 {
        sheet
            .push(&item(n, QuestionKind::MultipleChoice, "", "", ""))
            .unwrap();
    }
    let marks = |n: usize| vec![ParsedAnswer::option(n); 6];
    let engine = BoardEngine::new(
        Arc::new(sheet),
        vec![model("a", marks(0)), model("b", marks(1))],
    );
    let some = |n: usize| engine.choose(Some(&move |row| row < n));
    let (all, half) = (engine.board(&engine.choose(None)), engine.board(&some(3)));
    assert!(Arc::ptr_eq(&all, &engine.board(&engine.choose(None))));
    assert!(Arc::ptr_eq(&half, &engine.board(&some(3))));
    assert!(!Arc::ptr_eq(&half, &engine.board(&some(2))));
    assert_eq!((all.questions, half.questions), (6, 3));
    assert_eq!(*half, engine.count(&some(3)));
    // Selections that are drawn by the hundred do not pile up.
    (0..6).for_each(|n| drop(engine.board(&some(n))));
    assert!(!Arc::ptr_eq(&all, &engine.board(&engine.choose(None))));
}

#[test]
fn the_board_page_lists_the_metrics() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/board.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let head = "| columns | meaning | source |\n|---|---|---|\n";
    let (before, rest) = page.split_once(head).unwrap();
    let (_, after) = rest.split_once("\n\n").unwrap();
    let rows = METRICS.iter().flat_map(|metric| metric.reference);
    let row = |[names, meaning, source]: &[&str; 3]| {
        format!("| {names} | {meaning} | {source} |\n").replace("|  |", "| |")
    };
    let rows: String = rows.map(row).collect();
    let made = format!("{before}{head}{rows}\n{after}");
    if std::env::var_os("BENCHTOP_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    assert!(
        page == made || std::env::var_os("BENCHTOP_BLESS").is_some(),
        "docs/board.md is out of date; run BENCHTOP_BLESS=1 cargo test -p benchtop-metrics board_page"
    );
}
