//! VLMEvalKit.

use std::path::Path;

use benchtop::formats;
use benchtop::model::{Key, QuestionKind};
use serde_json::{Value, json};

use super::{by_key, found, ids, items, predictions, same_answers, same_questions, tool, verdict};
use crate::support::{ErrorKind, Refusal};

/// Characters that a spreadsheet's cell holds.
const CELL: usize = 32_767;

#[test]
fn a_vlmevalkit_table_holds_every_question_and_picture() {
    let Some((folder, expected)) = tool("vlmevalkit") else {
        return;
    };
    let path = folder.join("LMUData/DyscaA.tsv");
    let mut reader = formats::items(&path, formats::named("vlmevalkit").unwrap(), "d").unwrap();
    let (mut all, mut pictures) = (Vec::new(), Vec::new());
    while let Some((_, item)) = reader.next() {
        all.push(item.unwrap());
        pictures.extend(reader.pictures());
    }
    assert_eq!(
        all.len(),
        expected["n_questions"].as_u64().unwrap() as usize
    );
    same_questions(&all, &expected["questions"], Key::Int);
    assert_eq!(
        pictures.len(),
        expected["n_images"].as_u64().unwrap() as usize
    );
    // Rows of one picture name it alike, whichever of them carries it.
    for one in expected["questions"].as_array().unwrap() {
        let first = expected["questions"]
            .as_array()
            .unwrap()
            .iter()
            .find(|q| q["image"] == one["image"])
            .unwrap();
        let name = |q: &Value| {
            let item = all
                .iter()
                .find(|i| i.key == Key::Int(q["id"].as_i64().unwrap()))
                .unwrap();
            item.images[0].name.clone()
        };
        assert_eq!(name(one), name(first));
    }
    for picture in &pictures {
        let bytes = picture.bytes().unwrap();
        assert!(
            bytes.starts_with(b"\xFF\xD8\xFF") && picture.name.ends_with(".jpg"),
            "{}",
            picture.name
        );
    }
    // "None", "NA" and "nan" are words like any other.
    let words = all.iter().find(|i| i.key == Key::Int(21)).unwrap();
    assert_eq!(
        words
            .options
            .iter()
            .map(|o| o.text.as_str())
            .collect::<Vec<_>>(),
        ["None", "NA", "nan", "Welcome"]
    );
    assert_eq!(
        (words.subtask.as_deref(), words.task.as_deref()),
        (Some("special"), Some("special"))
    );
    assert_eq!(words.extra["split"], json!("dev"));
}

#[test]
fn vlmevalkit_runs_hold_every_answer_with_the_tool_s_verdict() {
    let Some((folder, expected)) = tool("vlmevalkit") else {
        return;
    };
    for (name, format, cut) in [
        ("xlsx", "xlsx", Some(CELL)),
        ("tsv", "tsv", None),
        ("json", "json", None),
    ] {
        let run = &expected["runs"][name];
        let path = folder.join(format!("outputs/{name}/m-good/m-good_DyscaA.{format}"));
        assert_eq!(
            formats::detect_files(&path).unwrap().files[0].format,
            formats::named("vlmevalkit-predictions").unwrap()
        );
        let about = (formats::named("vlmevalkit-predictions").unwrap().about)(&path, &[]).unwrap();
        assert_eq!(
            (about.model.as_deref(), about.dataset.as_deref()),
            (Some("m-good"), Some("DyscaA"))
        );
        let (rows, notes) = predictions(&path, formats::named("vlmevalkit-predictions").unwrap());
        assert_eq!(rows.len(), run["n_rows"].as_u64().unwrap() as usize);
        same_answers(&rows, &run["predictions"], Key::Int, cut);
        assert_eq!(
            notes
                .iter()
                .any(|n| n.starts_with("1 ") && n.contains("32,767")),
            name == "xlsx",
            "{notes:?}"
        );
        let bare = format!("{} bare NaN", run["n_nan_tokens"]);
        assert_eq!(
            notes.iter().any(|n| n.starts_with(&bare)),
            name == "json",
            "{notes:?}"
        );
        let Some(hits) = run["tool_hits"].as_object() else {
            continue;
        };
        let (of, mut right) = (by_key(&rows), 0);
        for (id, hit) in hits {
            let found = verdict(of[&Key::Int(id.parse().unwrap())]).right.unwrap();
            assert_eq!(Some(found), hit.as_f64(), "{name}: {id}");
            right += u64::from(found > 0.5);
        }
        assert_eq!(Some(right), run["tool_right"].as_u64());
    }
}

#[test]
fn vlmevalkit_readers_keep_missing_and_duplicate_rows() {
    let Some((folder, expected)) = tool("vlmevalkit") else {
        return;
    };
    for (name, format) in [("xlsx_missing_dup", "xlsx"), ("tsv_missing_dup", "tsv")] {
        let run = &expected["runs"][name];
        let path = folder.join(format!("outputs/{name}/m-good/m-good_DyscaA.{format}"));
        let (rows, _) = predictions(&path, formats::named("vlmevalkit-predictions").unwrap());
        assert_eq!(rows.len(), run["n_rows"].as_u64().unwrap() as usize);
        let of = by_key(&rows);
        assert_eq!(of.len(), run["n_distinct"].as_u64().unwrap() as usize);
        for missing in ids(&run["missing"]) {
            assert!(!of.contains_key(&Key::Int(missing)), "{missing}");
        }
        for doubled in run["duplicated"].as_array().unwrap() {
            let key = Key::Int(doubled["id"].as_i64().unwrap());
            let texts: Vec<&str> = rows
                .iter()
                .filter(|r| r.key == key)
                .map(|r| r.output.as_str())
                .collect();
            assert_eq!(json!(texts), doubled["texts"]);
            let hits: Vec<Value> = rows
                .iter()
                .filter(|r| r.key == key)
                .map(|r| json!(verdict(r).right.unwrap() as i64))
                .collect();
            assert_eq!(
                json!(hits),
                run["tool_hits_on_doubled_rows_as_observed"][doubled["id"].to_string()]
            );
        }
    }
}

#[test]
fn verdict_files_join_their_answer_files_and_lost_options_are_counted() {
    let Some((folder, _)) = tool("vlmevalkit") else {
        return;
    };
    let path = folder.join("outputs/tsv/m-good/m-good_DyscaA_exact_matching_result.tsv");
    assert_eq!(
        formats::detect_files(&path).unwrap().files[0].format,
        formats::named("vlmevalkit-results").unwrap()
    );
    let about = (formats::named("vlmevalkit-results").unwrap().about)(&path, &[]).unwrap();
    assert_eq!(
        (about.model.as_deref(), about.dataset.as_deref()),
        (Some("m-good"), Some("DyscaA"))
    );
    assert_eq!(
        about.verdicts_of,
        Some(path.with_file_name("m-good_DyscaA.tsv"))
    );
    let mut reader = formats::items(
        &path.with_file_name("m-good_DyscaA.tsv"),
        formats::named("vlmevalkit-predictions").unwrap(),
        "d",
    )
    .unwrap();
    let all: Vec<_> = reader.by_ref().map(|(_, item)| item.unwrap()).collect();
    let words = all.iter().find(|i| i.key == Key::Int(21)).unwrap();
    assert_eq!(
        words
            .options
            .iter()
            .map(|o| o.text.as_str())
            .collect::<Vec<_>>(),
        ["", "", "", "Welcome"]
    );
    assert_eq!(words.correct(), Some(0));
    assert!(
        reader.notes().iter().any(|n| n.starts_with("3 options")),
        "{:?}",
        reader.notes()
    );
}

#[test]
fn circular_rotations_form_sets_with_their_group_verdicts() {
    let Some((folder, expected)) = tool("vlmevalkit") else {
        return;
    };
    let expected = &expected["circular"];
    let all = items(
        &folder.join("LMUData/DyscaCircA_circular.tsv"),
        formats::named("vlmevalkit").unwrap(),
    );
    assert_eq!(all.len(), expected["n_rows"].as_u64().unwrap() as usize);
    let path = found(
        &folder.join("outputs/circular"),
        formats::named("vlmevalkit-predictions").unwrap(),
    );
    let (rows, _) = predictions(&path, formats::named("vlmevalkit-predictions").unwrap());
    let of = by_key(&rows);
    for row in expected["rows"].as_array().unwrap() {
        let key = Key::Int(row["index"].as_i64().unwrap());
        let item = all.iter().find(|i| i.key == key).unwrap();
        let rotation = item.rotation.as_ref().unwrap();
        assert_eq!(
            (rotation.set.as_str(), rotation.index - 1),
            (
                row["g_index"].to_string().as_str(),
                row["rotation"].as_u64().unwrap() as u32
            )
        );
        assert_eq!(rotation.of as usize, item.options.len());
        let options: Vec<&str> = item.options.iter().map(|o| o.text.as_str()).collect();
        assert_eq!(json!(options), row["options"]);
        assert_eq!(
            (json!(of[&key].output), json!(item.answer)),
            (row["prediction"].clone(), row["answer"].clone())
        );
        let base = all
            .iter()
            .find(|i| i.key == Key::Int(row["g_index"].as_i64().unwrap()))
            .unwrap();
        assert_eq!(item.images, base.images);
    }
    for (set, hit) in expected["group_hit"].as_object().unwrap() {
        assert_eq!(
            verdict(of[&Key::Int(set.parse().unwrap())]).right,
            hit.as_f64(),
            "{set}"
        );
    }
}

#[test]
fn yes_no_runs_hold_the_tool_s_readings() {
    let Some((folder, expected)) = tool("vlmevalkit") else {
        return;
    };
    let expected = &expected["yes_no"];
    let all = items(
        &folder.join("LMUData/DyscaYN_A.tsv"),
        formats::named("vlmevalkit").unwrap(),
    );
    let (rows, _) = predictions(
        &found(
            &folder.join("outputs/yorn"),
            formats::named("vlmevalkit-predictions").unwrap(),
        ),
        formats::named("vlmevalkit-predictions").unwrap(),
    );
    assert_eq!((all.len(), rows.len()), (7, 7));
    for question in expected["questions"].as_array().unwrap() {
        let item = all
            .iter()
            .find(|i| Some(&i.key) == question["id"].as_i64().map(Key::Int).as_ref())
            .unwrap();
        assert_eq!(
            (item.kind, json!(item.question)),
            (QuestionKind::YesNo, question["question"].clone())
        );
        assert_eq!(json!(item.answer), question["answer"]);
    }
    let of = by_key(&rows);
    for answer in expected["predictions"].as_array().unwrap() {
        let row = of[&Key::Int(answer["id"].as_i64().unwrap())];
        let verdict = verdict(row);
        assert_eq!(json!(row.output), answer["text"]);
        assert_eq!(json!(verdict.extracted), answer["tool_extracted"]);
        assert_eq!(json!(verdict.right == Some(1.0)), answer["tool_right"]);
    }
}

#[test]
fn unreadable_vlmevalkit_files_are_refused_by_name() {
    let Some((folder, _)) = tool("vlmevalkit") else {
        return;
    };
    for (name, data) in [
        (
            "outputs/xlsx/m-good/m-good_DyscaA_exact_matching_result.pkl",
            "pickle",
        ),
        ("outputs/xlsx/m-good/m-good_DyscaA_acc.csv", "VLMEvalKit"),
        (
            "outputs/yorn/m-good/m-good_DyscaYN_A_score.csv",
            "VLMEvalKit",
        ),
    ] {
        let error = formats::detect_files(&Path::new(&folder).join(name)).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Input, "{error}");
        assert!(
            Refusal::of_error(&error).is_in(name) && error.what.contains(data),
            "{error}"
        );
    }
}
