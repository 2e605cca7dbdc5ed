//! What is exported, read by the loaders of the tools it is for. `BENCHTOP_PYTHON` names a Python that has `datasets`,
//! `lmms_eval` or `vlmeval`; a test without its package says so and passes.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Bench, Need, json_lines, skip, tell};

/// A data set of four questions, of three kinds and with two pictures between them.
fn bench() -> Bench {
    let bench = Bench::new();
    for (name, width) in [("p/one.png", 3), ("p/two.png", 5)] {
        let mut bytes = std::io::Cursor::new(Vec::new());
        image::RgbImage::new(width, 2)
            .write_to(&mut bytes, image::ImageFormat::Png)
            .unwrap();
        bench.write(name, bytes.into_inner());
    }
    let choice = |text: &str, role: &str| json!({"text": text, "role": role});
    let item = |key: Value,
                picture: &str,
                question: &str,
                kind: &str,
                options: Value,
                answer: &str| {
        let id = format!(
            "birds/{}",
            key.as_str().map_or_else(|| key.to_string(), str::to_string)
        );
        json!({"id": id, "dataset": "birds", "key": key, "form": "plain", "images": [{"name": picture}],
            "question": question, "kind": kind, "options": options, "answer": answer, "subtask": "colour",
            "extra": {"n": 1}})
    };
    let two = json!([
        choice("red", "distractor"),
        choice("blue \"sky\"\nor\tsea", "correct")
    ]);
    let true_false = json!([choice("True", "correct"), choice("False", "distractor")]);
    let rows = [
        item(
            json!(7),
            "p/one.png",
            "Which\n\"colour\"?",
            "multiple-choice",
            two,
            "blue \"sky\"\nor\tsea",
        ),
        item(
            json!("eight"),
            "p/one.png",
            "It flies.",
            "true-false",
            true_false,
            "True",
        ),
        item(
            json!(9),
            "p/two.png",
            "Is it red?",
            "yes-no",
            json!([]),
            "yes",
        ),
        item(
            json!(10),
            "p/two.png",
            "What is it?",
            "free-form",
            json!([]),
            "a bird",
        ),
    ];
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let file = bench.write("birds.jsonl", text);
    bench.run(["import", file.to_str().unwrap()]).ok();
    bench
}

/// What the tool `what` sees of `format`; `None`, said aloud, where it is not installed.
fn seen(what: &str, format: &str) -> Option<Vec<Value>> {
    let bench = bench();
    let out = bench.beside(what);
    bench
        .run(["export", "--format", format, "--out", out.to_str().unwrap()])
        .ok();
    loaded(&bench, what, &out, "birds", format)
}

/// What the tool `what` sees in the folder `out`.
pub fn loaded(
    bench: &Bench,
    what: &str,
    out: &Path,
    name: &str,
    format: &str,
) -> Option<Vec<Value>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/tools.py");
    let python = std::env::var_os("BENCHTOP_PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = Command::new(python);
    command
        .arg(script)
        .arg(what)
        .arg(out)
        .arg(name)
        .env("HF_HOME", bench.beside("cache"));
    let Ok(output) = command.output() else {
        skip(Need::Program("python3"), &format!("{what} needs Python"));
        return None;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(3) {
        skip(
            Need::Loaders,
            &format!("{what}: {}", said.lines().last().unwrap_or_default()),
        );
        return None;
    }
    assert!(output.status.success(), "{what}: {said}");
    tell(&format!("{format}: read by the loader of {what}"));
    Some(json_lines(&String::from_utf8(output.stdout).unwrap()))
}

fn column(rows: &[Value], name: &str) -> Vec<Value> {
    rows.iter().map(|row| row[name].clone()).collect()
}

#[test]
fn datasets_loads_the_folder_and_the_parquet() {
    for (what, format) in [("folder", "hf-folder"), ("parquet", "hf-parquet")] {
        let Some(rows) = seen(what, format) else {
            continue;
        };
        assert_eq!(column(&rows, "id"), ["7", "eight", "9", "10"], "{what}");
        assert_eq!(
            column(&rows, "answer"),
            ["B", "A", "Yes", "a bird"],
            "{what}"
        );
        assert_eq!(
            rows[0]["options"],
            json!(["red", "blue \"sky\"\nor\tsea"]),
            "{what}"
        );
        assert_eq!(rows[3]["options"], json!([]), "{what}");
        assert_eq!(rows[0]["question"], "Which\n\"colour\"?");
        assert_eq!(
            column(&rows, "pictures"),
            [
                json!([[3, 2]]),
                json!([[3, 2]]),
                json!([[5, 2]]),
                json!([[5, 2]])
            ]
        );
    }
}

/// The splits of two data sets, as the cards of a release declare them.
#[test]
fn datasets_loads_a_release_with_its_splits() {
    let bench = crate::flows::release::bench();
    let all = ["--filter", "status:pending,accepted,rejected"];
    let split = ["--split", "dev=1,test=1", "--seed", "3"];
    let report = crate::flows::release::release(&bench, &[&["v1"], &all[..], &split[..]].concat());
    let one = [&["v2", "--filter", "dataset:birds"][..]].concat();
    crate::flows::release::release(&bench, &one);
    let folder = bench.root().join("releases");
    for part in ["huggingface", "parquet"] {
        let (mut items, mut pictures) = (0, 0);
        for config in ["birds", "fish"] {
            for split in ["dev", "test"] {
                if !folder
                    .join("v1/huggingface")
                    .join(config)
                    .join(split)
                    .exists()
                {
                    continue;
                }
                let name = format!("{config}:{split}");
                let path = folder.join("v1").join(part);
                let Some(rows) = loaded(&bench, "release", &path, &name, part) else {
                    return;
                };
                items += rows.len() as u64;
                pictures += rows
                    .iter()
                    .filter(|row| row["pictures"] != json!([]))
                    .count();
            }
        }
        assert_eq!(report["items"], items, "{part}");
        // Four items have a picture that is withheld.
        assert_eq!(pictures, 8, "{part}");
        let path = folder.join("v2").join(part);
        let rows = loaded(&bench, "release", &path, "default:train", part).unwrap();
        assert_eq!(rows.len(), 8, "{part}");
        assert_eq!(rows[0]["question"], "What is in \"0\"?");
    }
}

#[test]
fn lmms_eval_loads_the_task_and_counts_its_answers() {
    let Some(rows) = seen("lmms", "lmms-eval") else {
        return;
    };
    assert_eq!(column(&rows, "target"), ["B", "A", "Yes", "a bird"]);
    assert_eq!(
        rows[0]["text"],
        "Which\n\"colour\"?\nA. red\nB. blue \"sky\"\nor\tsea\nAnswer with the option's letter from the given choices directly."
    );
    assert_eq!(rows[3]["text"], "What is it?");
    assert_eq!(
        column(&rows, "pictures"),
        [
            json!([[3, 2]]),
            json!([[3, 2]]),
            json!([[5, 2]]),
            json!([[5, 2]])
        ]
    );
    for row in &rows {
        assert_eq!(
            (&row["right"], &row["wrong"]),
            (&json!({"exact_match": 1.0}), &json!({"exact_match": 0.0}))
        );
    }
}

#[test]
fn vlmevalkit_loads_the_table_and_shows_its_pictures() {
    let Some(rows) = seen("vlmevalkit", "vlmevalkit") else {
        return;
    };
    assert_eq!(
        column(&rows, "index"),
        [json!(7), json!(0), json!(9), json!(10)]
    );
    assert_eq!(column(&rows, "answer"), ["B", "A", "Yes", "a bird"]);
    assert!(rows.iter().all(|row| row["noted"] == true));
    let text = rows[0]["text"].as_str().unwrap();
    assert!(
        text.contains("Which\n\"colour\"?") && text.contains("B. blue \"sky\"\nor\tsea"),
        "{text}"
    );
    assert_eq!(
        column(&rows, "pictures"),
        [
            json!([[3, 2]]),
            json!([[3, 2]]),
            json!([[5, 2]]),
            json!([[5, 2]])
        ]
    );
}
