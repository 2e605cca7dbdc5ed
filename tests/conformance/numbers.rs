//! MVP-Bench's tables with the same k and n, and a small made-up set whose numbers were worked out by hand.

use std::collections::BTreeMap;

use benchtop::model::board::{AnswerDetail, Board, Cell, Counts};
use benchtop::pipeline::board::{Answers, BoardData, from_items, from_paths, model_name};
use benchtop::{formats, model};
use serde_json::{Value, json};

use super::{fixture, shared};
use crate::support::{ErrorKind, has_line};

/// k and n of a cell.
type Count = (u64, u64);

fn cell(board: &Board, model: &str, column: &str) -> Option<Count> {
    let at = board.columns.iter().position(|c| c.name == column)?;
    let row = board.rows.iter().find(|r| r.model == model)?;
    row.cells[at].and_then(|cell| Some((cell.k()?, cell.n())))
}

fn counts(value: &Value) -> Option<Count> {
    Some((value.get("k")?.as_u64()?, value.get("n")?.as_u64()?))
}

#[test]
fn a_page_of_long_answers_fits_one_message() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |row: &dyn Fn(u32) -> Value| {
        (0..3)
            .map(|id| row(id).to_string())
            .collect::<Vec<_>>()
            .join("\n")
    };
    // One long word is read faster than many words.
    let long = "w".repeat(4_000_000);
    let questions =
        rows(&|id| json!({"id": id, "question": "Which?", "A": "cat", "B": "dog", "answer": "A"}));
    let answers = rows(&|id| json!({"id": id, "prediction": format!("{long}{id}"), "model": "m"}));
    std::fs::write(folder.path().join("q.jsonl"), questions).unwrap();
    std::fs::write(folder.path().join("m.jsonl"), answers).unwrap();
    let scored = from_paths(&[folder.path().to_path_buf()], None).unwrap();
    let chosen = scored.engine().choose(None);
    let (mut sizes, mut from) = (Vec::new(), Some(0));
    while let Some(at) = from {
        let page = scored
            .drilldown("m", "Acc", &chosen, (at, u64::MAX))
            .unwrap();
        assert_eq!(page.all, 3);
        sizes.push(page.answers.len());
        from = page.next;
    }
    assert_eq!(sizes, [2, 1], "four megabytes each");
}

fn answers_behind(
    scored: &BoardData,
    model: &str,
    column: &str,
) -> model::Result<Vec<AnswerDetail>> {
    let chosen = scored.engine().choose(None);
    let whole = scored.drilldown(model, column, &chosen, (0, u64::MAX))?;
    assert_eq!((whole.answers.len() as u64, whole.next), (whole.all, None));
    // The same in pages, which hold whole units.
    let (mut paged, mut from) = (Vec::new(), Some(0));
    while let Some(at) = from {
        let page = scored.drilldown(model, column, &chosen, (at, 101))?;
        assert!(page.answers.len() <= 101 && !page.answers.is_empty() && page.all == whole.all);
        paged.extend(page.answers);
        from = page.next;
    }
    assert_eq!(paged, whole.answers);
    Ok(whole.answers)
}

/// The board's column for a column name of the expected file.
fn column(name: &str) -> String {
    let name = name.replace("Vanilla(first rotation)", "Vanilla");
    name.replace("Vanilla(all_questions,ruleB)", "Vanilla(all_questions)")
}

#[test]
fn the_board_reproduces_every_exact_cell_of_the_paper() {
    let Some(folder) = shared("mvp-bench") else {
        return;
    };
    let expected: Value =
        serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
    let scored = from_paths(std::slice::from_ref(&folder), None).unwrap();
    let board = &scored.full_board();
    assert_eq!(board.rows.len(), 4);

    let (mut exact, mut hit, mut other, mut other_hit) = (0, 0, 0, 0);
    let mut wrong: Vec<String> = Vec::new();
    let mut check = |model: &str, name: &str, want: &[(String, Count)], is_exact: bool| {
        let found: Vec<_> = want
            .iter()
            .map(|(column, _)| cell(board, model, column))
            .collect();
        let same = !want.is_empty() && found.iter().zip(want).all(|(f, (_, w))| *f == Some(*w));
        let (all, right) = if is_exact {
            (&mut exact, &mut hit)
        } else {
            (&mut other, &mut other_hit)
        };
        *all += 1;
        *right += u64::from(same);
        if !same {
            wrong.push(format!(
                "{model} {name}: expected {want:?}, found {found:?}"
            ));
        }
    };
    for (model, of) in expected["models"].as_object().unwrap() {
        for (name, cell) in of["cells"].as_object().unwrap() {
            let status = cell["status"].as_str().unwrap();
            let plain = name.split_once('.').unwrap().1;
            match status.strip_prefix("exact via ") {
                None => check(
                    model,
                    name,
                    &[(plain.to_string(), counts(cell).unwrap())],
                    status == "exact",
                ),
                Some(protocols) => {
                    // Every protocol that reproduces the cell and has a column of its own here.
                    let ours = |p: &&str| column(p) != **p;
                    let want = protocols
                        .split('/')
                        .filter(ours)
                        .map(|p| (column(p), counts(&cell["candidates"][p]).unwrap()));
                    check(model, name, &want.collect::<Vec<_>>(), true);
                }
            }
        }
        for (category, cell) in of["Table5_qAcc_by_category"].as_object().unwrap() {
            let name = format!("qAcc.{category}");
            check(
                model,
                &name,
                &[(name.clone(), counts(cell).unwrap())],
                cell["status"] == "exact",
            );
        }
    }
    crate::support::tell(&format!(
        "conformance: {hit} of {exact} exact cells; {other_hit} of {other} other cells as recomputed"
    ));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        exact > 100,
        "only {exact} exact cells were found in the expected file"
    );
}

#[test]
fn the_board_reproduces_the_recomputed_numbers() {
    let Some(folder) = shared("mvp-bench") else {
        return;
    };
    let expected: Value =
        serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
    let board = from_paths(std::slice::from_ref(&folder), None)
        .unwrap()
        .full_board();
    let mut seen = 0;
    for (model, of) in expected["models"].as_object().unwrap() {
        for (name, value) in of["recomputed"].as_object().unwrap() {
            // The released script takes the first row of a set as the prediction file has it. In GPT4o's file 139 sets begin with
            // another rotation than the first; here every model is scored on the same question, the first rotation.
            if model == "GPT4o" && name.starts_with("Vanilla(first rotation)") {
                continue;
            }
            if let Some(found) = cell(&board, model, &column(name)) {
                assert_eq!(Some(found), counts(value), "{model} {name}");
                seen += 1;
            }
        }
    }
    crate::support::tell(&format!("conformance: {seen} recomputed numbers"));
    assert!(seen >= 4 * 20, "{seen}");
}

#[test]
fn the_board_notes_duplicate_rows_and_changed_texts() {
    let Some(folder) = shared("mvp-bench") else {
        return;
    };
    let scored = from_paths(std::slice::from_ref(&folder), None).unwrap();
    let board = scored.full_board();
    let row = board.rows.iter().find(|r| r.model == "GPT4o").unwrap();
    assert_eq!(
        row.counts,
        Counts {
            used: 1872 + 4359,
            duplicate: 1872,
            unparsed: row.counts.unparsed,
            ..Counts::default()
        }
    );
    assert!(row.counts.unparsed >= 28);
    let notes = board.notes.join("\n");
    for data in [
        &["GPT4o_evaluated.jsonl", "1872"][..],
        &["llava_v1.5_13b_evaluated.jsonl", "1", "1295"],
        &["4 models"],
    ] {
        assert!(has_line(&notes, data), "{data:?}: {notes}");
    }
    assert_eq!(scored.skipped.len(), 1, "{:?}", scored.skipped);

    let behind = answers_behind(&scored, "GPT4o", "qAcc.L_h").unwrap();
    assert_eq!(behind.len(), 460);
    assert_eq!(
        behind.iter().filter(|b| b.unit_right == Some(true)).count(),
        2 * 129
    );
    let refusal = answers_behind(&scored, "GPT4o", "aAcc.N")
        .unwrap()
        .into_iter()
        .find(|b| b.key == "1583")
        .unwrap();
    assert_eq!(
        (refusal.extracted.as_deref(), refusal.right),
        (Some("no"), Some(true))
    );
    assert!(refusal.trace.contains("`No`"), "{}", refusal.trace);
}

const SMALL: [(&str, Option<Count>, Option<Count>); 24] = [
    ("qAcc.L_l", Some((1, 2)), Some((0, 2))),
    ("qAcc.L_h", Some((1, 1)), Some((1, 1))),
    ("qAcc.L_m", Some((2, 3)), Some((1, 3))),
    ("aAcc.L_l", Some((3, 4)), Some((2, 4))),
    ("aAcc.L_h", Some((2, 2)), Some((2, 2))),
    ("aAcc.L_m", Some((5, 6)), Some((4, 6))),
    ("aAcc.N", Some((3, 3)), Some((2, 3))),
    ("aAcc.M", Some((2, 3)), Some((2, 3))),
    ("iAcc.N", Some((1, 1)), Some((0, 1))),
    ("iAcc.M", Some((1, 1)), Some((1, 1))),
    ("iAcc.N+M", Some((2, 2)), Some((1, 2))),
    ("mAcc.L_m", Some((1, 1)), Some((0, 1))),
    ("Circular.CI.L_l", Some((1, 1)), None),
    ("Circular.SI", Some((0, 1)), None),
    ("Vanilla.CI.L_l", Some((1, 1)), None),
    ("Vanilla.SI", Some((1, 1)), None),
    ("Vanilla(all_questions).CI.L_l", Some((1, 1)), None),
    ("Vanilla(all_questions).SI", Some((0, 1)), None),
    ("qAcc.B1", Some((2, 2)), Some((1, 2))),
    ("qAcc.R1", Some((0, 1)), Some((0, 1))),
    // No unit, so no column: one question at each level is not enough for mAcc, and no cross-image question is of the high level.
    ("mAcc.L_l", None, None),
    ("Circular.CI.L_h", None, None),
    ("qAcc.S2", None, None),
    ("Acc", None, None),
];

#[test]
fn a_small_board_equals_its_hand_computed_values() {
    let scored = from_paths(&[fixture("small")], None).unwrap();
    let board = scored.full_board();
    for (column, alpha, beta) in SMALL {
        assert_eq!(cell(&board, "alpha", column), alpha, "alpha {column}");
        assert_eq!(cell(&board, "beta", column), beta, "beta {column}");
    }
    assert_eq!(board.columns.len(), SMALL.len() - 4);
    let row = |name: &str| board.rows.iter().find(|r| r.model == name).unwrap().counts;
    assert_eq!(
        row("alpha"),
        Counts {
            used: 14,
            duplicate: 1,
            unparsed: 2,
            ..Counts::default()
        }
    );
    assert_eq!(
        row("beta"),
        Counts {
            used: 5,
            missing: 1,
            extra: 1,
            ..Counts::default()
        }
    );

    let behind = answers_behind(&scored, "beta", "aAcc.M").unwrap();
    assert_eq!(behind[2].output, None);
    assert_eq!(
        (behind[2].extracted.as_deref(), behind[2].right),
        (None, Some(false))
    );
    let rotations = answers_behind(&scored, "alpha", "Circular.SI").unwrap();
    assert_eq!(
        rotations.iter().map(|b| b.right).collect::<Vec<_>>(),
        [Some(true), Some(false), Some(true)]
    );
    assert_eq!(rotations[0].unit_right, Some(false));
    assert_eq!(
        answers_behind(&scored, "alpha", "Vanilla.SI")
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        answers_behind(&scored, "gamma", "aAcc.M").unwrap_err().kind,
        model::ErrorKind::NotFound
    );
    assert_eq!(
        answers_behind(&scored, "beta", "x").unwrap_err().kind,
        model::ErrorKind::NotFound
    );
}

#[test]
fn loaded_items_give_the_same_board_as_files() {
    let folder = fixture("small");
    let found = formats::detect_files(&folder).unwrap();
    let (mut items, mut answers) = (Vec::new(), Vec::new());
    for file in found.files {
        if file.format.has_predictions {
            let rows = formats::predictions(&file.path, file.format)
                .unwrap()
                .map(|(_, r)| r.unwrap())
                .collect();
            let source = file
                .path
                .file_name()
                .unwrap()
                .to_string_lossy()
                .into_owned();
            let evaluated = file.format == formats::named("mvp-evaluated").unwrap();
            answers.push(Answers {
                model: model_name(&file.path),
                source,
                dataset: Some("small".into()),
                evaluated,
                rows,
            });
        } else {
            items.extend(
                formats::items(&file.path, file.format, "small")
                    .unwrap()
                    .map(|(_, i)| i.unwrap()),
            );
        }
    }
    let scored = from_items(items, answers, None).unwrap();
    let by_name = |board: &Board| -> BTreeMap<String, Vec<Option<Cell>>> {
        board
            .rows
            .iter()
            .map(|r| (r.model.clone(), r.cells.clone()))
            .collect()
    };
    assert_eq!(
        by_name(&scored.full_board()),
        by_name(&from_paths(&[folder], None).unwrap().full_board())
    );
    assert_eq!(
        answers_behind(&scored, "alpha", "qAcc.L_l").unwrap()[0].item,
        "small/0"
    );
}

#[test]
fn two_data_sets_with_the_same_ids_are_kept_apart() {
    let plain = |dataset: &str, n: i64, answer: &str| -> Vec<model::Item> {
        let rows: String = (0..n)
            .map(|id| {
                format!(
                    "{{\"id\":{id},\"images\":[],\"question\":\"Q{id}\",\"answer\":\"{answer}\",\"question_type\":\"multi choice\",\
                     \"options\":[\"x\",\"y\"],\"question_majority\":\"{dataset}\"}}\n"
                )
            })
            .collect();
        let input = Box::new(std::io::Cursor::new(rows));
        let read = formats::items_from(
            input,
            "made".as_ref(),
            formats::named("dysca").unwrap(),
            dataset,
        )
        .unwrap();
        read.map(|(_, i)| i.unwrap()).collect()
    };
    let mut items = plain("one", 4, "x");
    items.extend(plain("two", 8, "y"));
    let answers = |n: i64| Answers {
        model: "m".into(),
        rows: (0..n)
            .map(|id| model::Prediction {
                key: model::Key::Int(id),
                output: "(A) x".into(),
                rule: None,
                judge: None,
                extra: serde_json::Map::new(),
            })
            .collect(),
        ..Answers::default()
    };
    let board = from_items(items.clone(), vec![answers(4)], None)
        .unwrap()
        .full_board();
    assert_eq!(cell(&board, "m", "Acc.one"), Some((4, 4)));
    assert_eq!(cell(&board, "m", "Acc.two"), None);
    assert_eq!(cell(&board, "m", "Acc"), Some((4, 4)));
    let board = from_items(items, vec![answers(6)], None)
        .unwrap()
        .full_board();
    assert_eq!(cell(&board, "m", "Acc.two"), Some((0, 8)));
    assert_eq!(board.rows[0].counts.missing, 2);
}

#[test]
fn a_folder_without_questions_or_answers_says_what_is_missing() {
    let questions = fixture("small/questions.json");
    let answers = fixture("small/beta.jsonl");
    let [without_answers, without_questions] =
        [questions, answers].map(|file| from_paths(&[file], None).unwrap_err());
    assert_eq!(
        (without_answers.kind, without_questions.kind),
        (ErrorKind::NotFound, ErrorKind::NotFound)
    );
    assert_ne!(without_answers.what, without_questions.what);
}
