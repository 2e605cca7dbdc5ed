//! Files that other tools wrote. `expected.json` in each folder lists what an importer must find.

mod boards;
mod inspect;
mod others;
mod tables;
mod vlmevalkit;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use benchtop::formats::{self, Format};
use benchtop::model::{Item, Key, Prediction};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The folder of a tool with what is expected of it; nothing, visibly, where it is not beside this checkout.
fn tool(name: &str) -> Option<(PathBuf, Value)> {
    let folder = super::shared(&format!("realfiles/{name}"))?;
    let expected =
        serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
    Some((folder, expected))
}

/// The only file of a format below a path.
fn found(path: &Path, format: &Format) -> PathBuf {
    let mut files: Vec<PathBuf> = formats::detect_files(path)
        .unwrap()
        .files
        .into_iter()
        .filter(|f| f.format == format)
        .map(|f| f.path)
        .collect();
    assert_eq!(
        files.len(),
        1,
        "{} in {}: {files:?}",
        format.name,
        path.display()
    );
    files.remove(0)
}

fn items(path: &Path, format: &Format) -> Vec<Item> {
    formats::items(path, format, "d")
        .unwrap()
        .map(|(_, item)| item.unwrap())
        .collect()
}

fn predictions(path: &Path, format: &Format) -> (Vec<Prediction>, Vec<String>) {
    let mut reader = formats::predictions(path, format).unwrap();
    let rows = reader.by_ref().map(|(_, row)| row.unwrap()).collect();
    (rows, reader.notes())
}

/// Answers by key; of doubled ones the first.
fn by_key(rows: &[Prediction]) -> BTreeMap<Key, &Prediction> {
    let mut found = BTreeMap::new();
    for row in rows {
        found.entry(row.key.clone()).or_insert(row);
    }
    found
}

fn verdict(row: &Prediction) -> benchtop::model::ToolVerdict {
    formats::tool_verdict(row)
}

fn ids(list: &Value) -> Vec<i64> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|id| id.as_i64().unwrap())
        .collect()
}

/// That every expected question is there with its text, options in their order, and the right one.
fn same_questions(items: &[Item], expected: &Value, key: impl Fn(i64) -> Key) {
    let of: BTreeMap<&Key, &Item> = items.iter().map(|item| (&item.key, item)).collect();
    for question in expected.as_array().unwrap() {
        let id = question["id"].as_i64().unwrap();
        let item = of
            .get(&key(id))
            .unwrap_or_else(|| panic!("question {id} is missing"));
        assert_eq!(
            item.question,
            question["question"].as_str().unwrap(),
            "question {id}"
        );
        let options: Vec<&str> = item.options.iter().map(|o| o.text.as_str()).collect();
        let wanted: Vec<&str> = question["options"]
            .as_array()
            .unwrap()
            .iter()
            .map(|o| o.as_str().unwrap())
            .collect();
        assert_eq!(options, wanted, "options of question {id}");
        if let Some(letter) = question["answer"].as_str() {
            assert_eq!(
                item.correct().map(Item::letter).as_deref(),
                Some(letter),
                "answer of question {id}"
            );
        }
    }
}

/// Whether an answer is the expected text, which long ones are known by their length and hash of.
fn same_text(expected: &Value, output: &str) -> bool {
    match (
        expected.get("text").and_then(Value::as_str),
        expected.get("text_sha256").and_then(Value::as_str),
    ) {
        (Some(text), _) => text == output,
        (None, Some(hash)) => {
            let found = Sha256::digest(output.as_bytes())
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect::<String>();
            expected["text_len"] == output.chars().count() && hash == found
        }
        (None, None) => panic!("neither text nor hash: {expected}"),
    }
}

/// That every expected answer is there word for word; where the form holds fewer characters, their beginning.
fn same_answers(
    rows: &[Prediction],
    expected: &Value,
    key: impl Fn(i64) -> Key,
    cut: Option<usize>,
) {
    let of = by_key(rows);
    for answer in expected.as_array().unwrap() {
        let id = answer["id"].as_i64().unwrap();
        let Some(row) = of.get(&key(id)) else {
            panic!("no answer to {id}")
        };
        if cut.is_some_and(|limit| {
            answer["text_len"]
                .as_u64()
                .is_some_and(|n| n as usize > limit)
        }) {
            assert_eq!(Some(row.output.chars().count()), cut, "{id}");
            assert!(
                row.output
                    .starts_with(answer["text_head"].as_str().unwrap()),
                "{id}"
            );
        } else {
            assert!(
                same_text(answer, &row.output),
                "answer to {id}: {}",
                row.output
            );
        }
    }
}
