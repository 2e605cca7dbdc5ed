//! Which answers belong to which data set. The result is the same from files and from a project, in any order.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{Bench, has_line};

/// A file of questions of a data set: which option (from 0) is right, and their keys.
fn questions(
    bench: &Bench,
    file: &str,
    dataset: &str,
    right: usize,
    keys: impl Iterator<Item = Value>,
) -> PathBuf {
    let line = |key: Value| {
        let name = key.as_str().map_or_else(|| key.to_string(), str::to_string);
        let option = |(at, text): (usize, &&str)| json!({ "text": text, "role": if at == right { "correct" } else { "distractor" } });
        let options: Vec<Value> = ["cat", "dog"].iter().enumerate().map(option).collect();
        let answer = ["cat", "dog"][right];
        let item = json!({
            "id": format!("{dataset}/{name}"), "dataset": dataset, "key": key, "form": "plain",
            "question": format!("{dataset} {name}?"), "kind": "multiple-choice", "options": options,
            "answer": answer,
        });
        format!("{item}\n")
    };
    bench.write(file, keys.map(line).collect::<String>())
}

fn numbers(range: std::ops::Range<i64>) -> impl Iterator<Item = Value> {
    range.map(Value::from)
}

fn texts(prefix: &'static str, n: i64) -> impl Iterator<Item = Value> {
    (0..n).map(move |at| format!("{prefix}{at}").into())
}

/// A table of answers of `m`, all `A`.
fn answers(bench: &Bench, file: &str, keys: impl Iterator<Item = Value>) -> PathBuf {
    let row = |key: Value| {
        format!(
            "{},m,A\n",
            key.as_str().map_or_else(|| key.to_string(), str::to_string)
        )
    };
    bench.write(
        file,
        "index,model,prediction\n".to_string() + &keys.map(row).collect::<String>(),
    )
}

fn words(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// What `m` gets of each data set, or of the only one, and the notes.
fn board(bench: &Bench, paths: &[&Path]) -> (Vec<(String, u64, u64)>, String) {
    let args = |format: &'static str| {
        ["board", "--format", format]
            .into_iter()
            .chain(paths.iter().map(|p| words(p)))
    };
    let cells = bench.run(args("json")).lines();
    let share = |cell: &Value, name: &str| {
        Some((name.to_string(), cell["k"].as_u64()?, cell["n"].as_u64()?))
    };
    let of = |part: &str| {
        let mine = cells.iter().filter(|cell| cell["model"] == "m");
        mine.filter_map(|cell| share(cell, cell["column"].as_str()?.strip_prefix(part)?))
            .collect::<Vec<_>>()
    };
    let mut found = of("Acc.dataset.");
    if found.is_empty() {
        found = of("Acc")
            .into_iter()
            .filter(|(name, ..)| name.is_empty())
            .collect();
    }
    let table = bench.run(args("table"));
    (found, table.out + &table.err)
}

fn share(name: &str, k: u64, n: u64) -> (String, u64, u64) {
    (name.to_string(), k, n)
}

#[test]
fn a_board_depends_only_on_the_project() {
    let bench = Bench::new();
    let big = questions(&bench, "in/big.jsonl", "big", 0, numbers(0..20));
    let small = questions(&bench, "in/small.jsonl", "small", 1, numbers(0..10));
    let file = answers(&bench, "in/m.csv", numbers(0..10));
    bench.run(["import", words(&big)]).ok();
    bench.run(["import", words(&file)]).ok();
    assert_eq!(board(&bench, &[]).0, [share("", 10, 20)]);
    bench.run(["import", words(&small)]).ok();
    // What was kept of the first look says nothing any more.
    let (looked, notes) = board(&bench, &[]);
    assert_eq!(looked, [share("small", 0, 10)]);
    assert!(has_line(&notes, &["m.csv", "2", "small", "big"]), "{notes}");
    let strict = bench
        .run(["board", "--rule", "strict", "--format", "json"])
        .lines();
    assert_eq!(strict, bench.run(["board", "--format", "json"]).lines());
    let (files, notes) = board(&bench, &[&big, &small, &file]);
    assert_eq!(files, looked);
    assert!(has_line(&notes, &["2", "small", "big"]), "{notes}");
}

#[test]
fn rows_of_one_file_belong_to_the_data_sets_that_have_their_ids() {
    let bench = Bench::new();
    questions(&bench, "in/one.jsonl", "one", 0, texts("one", 4));
    questions(&bench, "in/two.jsonl", "two", 1, texts("two", 6));
    let keys = texts("one", 3)
        .chain(texts("two", 5))
        .chain(texts("none", 1));
    let folder = answers(&bench, "in/m.csv", keys)
        .parent()
        .unwrap()
        .to_path_buf();
    bench.run(["import", words(&folder)]).ok();
    let expected = [share("one", 3, 4), share("two", 0, 6)];
    for (found, notes) in [board(&bench, &[]), board(&bench, &[&folder])] {
        assert_eq!(found, expected);
        assert!(has_line(&notes, &["m.csv", "1"]), "{notes}");
        assert!(!has_line(&notes, &["m.csv", "2"]), "{notes}");
    }
}

#[test]
fn answers_belong_to_the_nearest_data_set() {
    for together in [true, false] {
        let bench = Bench::new();
        questions(&bench, "x/far.jsonl", "far", 0, numbers(0..5));
        questions(&bench, "y/set/near.jsonl", "near", 1, numbers(0..4));
        let file = answers(&bench, "y/m.csv", numbers(0..5));
        let (x, y) = (bench.beside("x"), file.parent().unwrap().to_path_buf());
        if together {
            bench.run(["import", words(&x), words(&y)]).ok();
        } else {
            bench.run(["import", words(&x)]).ok();
            bench.run(["import", words(&y)]).ok();
        }
        // The answer that it has no question for fills no hole elsewhere.
        for (found, notes) in [board(&bench, &[]), board(&bench, &[&x, &y])] {
            assert_eq!(found, [share("near", 0, 4)], "{notes}");
            assert!(has_line(&notes, &["note:", "1"]), "{notes}");
        }
    }
}

#[test]
fn disjoint_files_of_one_model_are_one_run() {
    let bench = Bench::new();
    questions(&bench, "q/x.jsonl", "x", 0, texts("x", 4));
    questions(&bench, "q/y.jsonl", "y", 1, texts("y", 6));
    answers(&bench, "a/mx.csv", texts("x", 4));
    answers(&bench, "a/my-1.csv", texts("y", 3));
    let rest = texts("y", 6).skip(3);
    answers(&bench, "a/my-2.csv", rest);
    // Neither are answers to other data sets, though the ids are the same.
    questions(&bench, "p/one/q.jsonl", "p1", 0, numbers(0..3));
    questions(&bench, "p/two/q.jsonl", "p2", 0, numbers(0..3));
    answers(&bench, "p/one/m.csv", numbers(0..3));
    answers(&bench, "p/two/m.csv", numbers(0..2));
    let folders = [bench.beside("q"), bench.beside("a"), bench.beside("p")];
    let paths: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
    bench
        .run(["import"].into_iter().chain(paths.iter().map(|p| words(p))))
        .ok();
    let expected = [
        share("p1", 3, 3),
        share("p2", 2, 3),
        share("x", 4, 4),
        share("y", 0, 6),
    ];
    for (mut found, notes) in [board(&bench, &[]), board(&bench, &paths)] {
        found.sort();
        assert_eq!(found, expected, "{notes}");
        assert!(!notes.contains("runs"), "{notes}");
    }
    // With a question in common they are.
    answers(&bench, "a/mx-again.csv", texts("x", 1));
    let (_, notes) = board(&bench, &paths);
    assert!(
        has_line(&notes, &["m: 2", "mx-again.csv", "mx.csv"]),
        "{notes}"
    );
    // And where the project has one, the other is refused or is another model.
    let other = bench.write("b/m.csv", "index,model,prediction\nx0,m,B\n");
    let refused = bench.run(["import", words(&other)]).refused(1);
    assert!(
        refused.is_in("b/m.csv") && refused.names("`x0`"),
        "{refused}"
    );
}

#[test]
fn keys_compare_by_value() {
    let bench = Bench::new();
    let texts = (0..4).map(|n: i64| Value::from(n.to_string()));
    questions(&bench, "in/set.jsonl", "set", 0, texts);
    let folder = bench.beside("in");
    bench.write(
        "in/m.jsonl",
        (0..4)
            .map(|n| format!("{{\"id\":{n},\"prediction\":\"A\",\"model\":\"m\"}}\n"))
            .collect::<String>(),
    );
    bench.run(["import", words(&folder)]).ok();
    for (found, notes) in [board(&bench, &[]), board(&bench, &[&folder])] {
        assert_eq!(found, [share("", 4, 4)], "{notes}");
    }
}

#[test]
fn a_whole_opencompass_file_overrides_its_parts() {
    let bench = Bench::new();
    let set = questions(&bench, "in/set.jsonl", "set", 0, numbers(0..4));
    let dir = bench.beside("outputs/cfg/20260101_000000/predictions/m");
    std::fs::create_dir_all(&dir).unwrap();
    let file = |name: &str, answers: &[&str]| {
        let rows: serde_json::Map<String, Value> = answers
            .iter()
            .enumerate()
            .map(|(at, answer)| {
                (at.to_string(), json!({"origin_prompt": format!("set {at}?"), "prediction": answer, "gold": "A"}))
            })
            .collect();
        std::fs::write(dir.join(name), Value::Object(rows).to_string()).unwrap();
    };
    file("set.json", &["A", "A", "A", "A"]);
    // Parts of an earlier run that was not removed.
    file("set_0.json", &["B", "B"]);
    file("set_1.json", &["B", "B"]);
    let report = bench.run(["import", "--json", words(&set), words(&dir)]);
    assert_eq!(report.code, 0, "{report:?}");
    assert!(
        has_line(&(report.out.clone() + &report.err), &["set.json"]),
        "{report:?}"
    );
    assert_eq!(board(&bench, &[]).0, [share("", 4, 4)]);
}

#[test]
fn questions_match_with_or_without_their_instruction() {
    let bench = Bench::new();
    let row = json!([{"id": 1, "images": ["a.png"], "prompt": "p", "negative_prompt": "", "answer": "cat", "task": "animal",
        "question": "Which?", "question_type": "multi choice", "options": ["cat", "dog"],
        "instruction": "Question: Which?\nChoices:\n(A) cat\n(B) dog\nAnswer with the letter."}]);
    let file = bench.write("Dysca.json", row.to_string());
    let answers = bench.write(
        "m.jsonl",
        r#"{"id": 1, "question": "Which?", "output": "(A)"}"#,
    );
    bench.run(["import", words(&file), "--dataset", "d"]).ok();
    bench
        .run(["import", words(&answers), "--dataset", "d"])
        .ok();
    for paths in [&[][..], &[file.as_path(), answers.as_path()]] {
        let (found, notes) = board(&bench, paths);
        assert_eq!(
            found.iter().map(|(_, k, n)| (*k, *n)).collect::<Vec<_>>(),
            [(1, 1)],
            "{notes}"
        );
        assert!(!has_line(&notes, &["note:", "1"]), "{notes}");
    }
}
