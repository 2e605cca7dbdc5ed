//! Inspect AI.

use std::collections::BTreeSet;
use std::path::PathBuf;

use benchtop::formats::{self, Format};
use benchtop::model::Key;
use serde_json::Value;

use super::{
    by_key, ids, items, predictions, same_answers, same_questions, same_text, tool, verdict,
};

fn logs(folder: &std::path::Path, expected: &Value) -> Vec<(PathBuf, &'static Format, Value)> {
    let runs = expected["runs"].as_object().unwrap();
    let of = |(name, run): (&String, &Value)| {
        let path = folder.join(name);
        let format = formats::detect_files(&path).unwrap().files.remove(0).format;
        (path, format, run.clone())
    };
    runs.iter().map(of).collect()
}

#[test]
fn inspect_logs_hold_questions_answers_and_verdicts() {
    let Some((folder, expected)) = tool("inspect") else {
        return;
    };
    let logs = logs(&folder, &expected);
    assert_eq!(logs.len(), 4);
    for (path, format, run) in logs {
        let zipped = path.extension().is_some_and(|e| e == "eval");
        assert_eq!(
            format,
            if zipped {
                formats::named("inspect-eval").unwrap()
            } else {
                formats::named("inspect-json").unwrap()
            }
        );
        let about = (format.about)(&path, &[]).unwrap();
        assert_eq!(about.model.as_deref(), expected["model"].as_str());
        assert_eq!(about.dataset.as_deref(), expected["dataset"].as_str());
        assert!(about.written.unwrap().starts_with("2026-11-21T00:4"));
        let all = items(&path, format);
        assert_eq!(all.len(), run["samples"].as_u64().unwrap() as usize);
        same_questions(&all, &expected["questions"], Key::Int);
        assert!(
            all.iter().all(|item| item.images.len() == 1),
            "{}",
            path.display()
        );
        let (rows, notes) = predictions(&path, format);
        let errored: BTreeSet<i64> = ids(&run["errored"]).into_iter().collect();
        assert_eq!(rows.len(), all.len() - errored.len());
        let of = by_key(&rows);
        for id in &errored {
            assert!(!of.contains_key(&Key::Int(*id)));
        }
        let failed = notes
            .iter()
            .any(|n| n.starts_with(&format!("{} samples", errored.len())));
        assert_eq!(failed, !errored.is_empty(), "{notes:?}");
        let answers = run.get("predictions").unwrap_or(&expected["predictions"]);
        let left: Vec<Value> = answers
            .as_array()
            .unwrap()
            .iter()
            .filter(|a| !errored.contains(&a["id"].as_i64().unwrap()))
            .cloned()
            .collect();
        same_answers(&rows, &Value::from(left.clone()), Key::Int, None);
        let mut right = 0;
        for answer in &left {
            let row = of[&Key::Int(answer["id"].as_i64().unwrap())];
            assert!(same_text(answer, &row.output));
            let verdict = verdict(row);
            assert_eq!(
                verdict.right,
                answer["tool_right"].as_f64(),
                "{}: {}",
                path.display(),
                answer["id"]
            );
            assert_eq!(
                verdict.extracted.as_deref(),
                answer["tool_letter"].as_str().filter(|l| !l.is_empty())
            );
            right += u64::from(verdict.right == Some(1.0));
        }
        assert_eq!(Some(right), run["tool_right"].as_u64());
    }
}

#[test]
fn inspect_logs_carry_their_pictures() {
    let Some((folder, expected)) = tool("inspect") else {
        return;
    };
    for (path, format, _) in logs(&folder, &expected) {
        let mut reader = formats::items(&path, format, "d").unwrap();
        let mut carried = 0;
        while let Some((_, item)) = reader.next() {
            let item = item.unwrap();
            for picture in reader.pictures() {
                assert_eq!(picture.name, item.images[0].name);
                assert!(picture.bytes().unwrap().starts_with(b"\xFF\xD8\xFF"));
                carried += 1;
            }
        }
        // The older one names its pictures only.
        let old = path.to_string_lossy().contains("0.3.110");
        assert_eq!(carried, if old { 0 } else { 26 }, "{}", path.display());
    }
}
