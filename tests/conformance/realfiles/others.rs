//! lmms-eval, HELM, OpenCompass, Label Studio and FiftyOne.

use benchtop::formats;
use benchtop::model::Key;
use serde_json::{Value, json};

use super::{by_key, found, ids, items, predictions, same_answers, same_questions, tool, verdict};
use crate::support::ErrorKind;

/// Their rows are numbered from 0, the questions from 1.
fn position(id: i64) -> Key {
    Key::Int(id - 1)
}

#[test]
fn lmms_eval_samples_read() {
    let Some((folder, expected)) = tool("lmms-eval") else {
        return;
    };
    let path = found(&folder, formats::named("lmms-eval-samples").unwrap());
    let about = (formats::named("lmms-eval-samples").unwrap().about)(&path, &[]).unwrap();
    assert_eq!(
        (about.model.as_deref(), about.dataset.as_deref()),
        (Some("m-good"), expected["task"].as_str())
    );
    assert!(about.positions);
    let all = items(&path, formats::named("lmms-eval-samples").unwrap());
    same_questions(&all, &expected["questions"], position);
    let (rows, _) = predictions(&path, formats::named("lmms-eval-samples").unwrap());
    assert_eq!(rows.len(), expected["n_samples"].as_u64().unwrap() as usize);
    same_answers(&rows, &expected["predictions"], position, None);
    let of = by_key(&rows);
    for answer in expected["predictions"].as_array().unwrap() {
        let verdict = verdict(of[&position(answer["id"].as_i64().unwrap())]);
        assert_eq!(verdict.right, answer["tool_right"].as_f64());
        assert_eq!(
            verdict.extracted.as_deref(),
            answer["tool_letter"].as_str().filter(|l| !l.is_empty()),
            "{answer}"
        );
    }
    let right = rows
        .iter()
        .filter(|row| verdict(row).right == Some(1.0))
        .count();
    assert_eq!(right as u64, expected["tool_right"].as_u64().unwrap());
    // The data set that was asked, with the ids and pictures that the samples lack.
    let table = found(&folder.join("data"), formats::named("table").unwrap());
    same_questions(
        &items(&table, formats::named("table").unwrap()),
        &expected["questions"],
        Key::Int,
    );
}

#[test]
fn a_helm_run_reads() {
    let Some((folder, expected)) = tool("helm") else {
        return;
    };
    let key = |id: i64| Key::Text(format!("id{id}"));
    let path = found(&folder, formats::named("helm-scenario-state").unwrap());
    let about = (formats::named("helm-scenario-state").unwrap().about)(&path, &[]).unwrap();
    assert_eq!(
        (about.model.as_deref(), about.dataset.as_deref()),
        (Some("m-good"), Some("dysca_DyscaA"))
    );
    for (path, format) in [
        (path.clone(), formats::named("helm-scenario-state").unwrap()),
        (
            found(&folder, formats::named("helm-instances").unwrap()),
            formats::named("helm-instances").unwrap(),
        ),
    ] {
        let all = items(&path, format);
        same_questions(&all, &expected["questions"], key);
        for question in expected["questions"].as_array().unwrap() {
            let item = all
                .iter()
                .find(|i| i.key == key(question["id"].as_i64().unwrap()))
                .unwrap();
            assert_eq!(
                json!(item.images[0].name),
                json!(format!("images/{}", question["image"].as_str().unwrap()))
            );
        }
    }
    let (rows, notes) = predictions(&path, formats::named("helm-scenario-state").unwrap());
    let errored = ids(&expected["errored"]);
    assert_eq!(
        rows.len() + errored.len(),
        expected["n"].as_u64().unwrap() as usize
    );
    assert!(notes.iter().any(|n| n.starts_with("1 rows")), "{notes:?}");
    let answers: Vec<Value> = expected["predictions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|a| !errored.contains(&a["id"].as_i64().unwrap()))
        .cloned()
        .collect();
    same_answers(&rows, &Value::from(answers.clone()), key, None);
    let of = by_key(&rows);
    for answer in &answers {
        assert_eq!(
            verdict(of[&key(answer["id"].as_i64().unwrap())]).right,
            answer["tool_right"].as_f64(),
            "{answer}"
        );
    }
}

#[test]
fn opencompass_answers_read_whole_and_in_parts() {
    let Some((folder, expected)) = tool("opencompass") else {
        return;
    };
    let whole = found(
        &folder.join("predictions"),
        formats::named("opencompass-predictions").unwrap(),
    );
    let about = (formats::named("opencompass-predictions").unwrap().about)(&whole, &[]).unwrap();
    assert_eq!(
        (
            about.model.as_deref(),
            about.dataset.as_deref(),
            about.part_of
        ),
        (Some("m-good"), Some("DyscaA"), None)
    );
    same_questions(
        &items(&whole, formats::named("opencompass-predictions").unwrap()),
        &expected["questions"],
        position,
    );
    let (rows, _) = predictions(&whole, formats::named("opencompass-predictions").unwrap());
    same_answers(&rows, &expected["predictions"], position, None);
    let (mut all, mut parts) = (Vec::new(), Vec::new());
    for part in 0..2 {
        let path = folder.join(format!("predictions_split/m-good/DyscaA_{part}.json"));
        assert_eq!(
            formats::detect_files(&path).unwrap().files[0].format,
            formats::named("opencompass-predictions").unwrap()
        );
        let about = (formats::named("opencompass-predictions").unwrap().about)(&path, &[]).unwrap();
        assert_eq!(about.dataset.as_deref(), Some("DyscaA"));
        parts.push(about.part_of.unwrap());
        all.extend(predictions(&path, formats::named("opencompass-predictions").unwrap()).0);
    }
    assert_eq!(parts[0], parts[1]);
    assert_eq!(all.len(), 26);
    same_answers(&all, &expected["predictions"], position, None);
}

#[test]
fn label_studio_tasks_and_tables_read() {
    let Some((folder, expected)) = tool("label-studio") else {
        return;
    };
    let all_tasks = items(
        &folder.join("DyscaA.all.json"),
        formats::named("label-studio").unwrap(),
    );
    same_questions(&all_tasks, &expected["questions"], Key::Int);
    for question in expected["questions"].as_array().unwrap() {
        let item = all_tasks
            .iter()
            .find(|i| i.key == Key::Int(question["id"].as_i64().unwrap()))
            .unwrap();
        let url = expected["image_url_of"][question["image"].as_str().unwrap()]
            .as_str()
            .unwrap();
        assert_eq!(item.images[0].name, url.trim_start_matches('/'));
    }
    for (name, rows) in [
        ("DyscaA.min.json", 44),
        ("DyscaA.csv", 44),
        ("DyscaA.tsv", 44),
        ("DyscaA.json", 24),
    ] {
        let path = folder.join(name);
        let format = formats::detect_files(&path).unwrap().files.remove(0).format;
        let items = items(&path, format);
        assert!(items.len() >= rows, "{name}");
        for item in &items {
            let same = all_tasks.iter().find(|i| i.key == item.key).unwrap();
            assert_eq!(item, same, "{name}");
        }
    }
    let raw: Vec<Value> =
        serde_json::from_slice(&std::fs::read(folder.join("DyscaA.json")).unwrap()).unwrap();
    let (rows, _) = predictions(
        &folder.join("DyscaA.json"),
        formats::named("label-studio").unwrap(),
    );
    // A task names its predictions by number; what they say stands in the annotations made from one.
    let said = raw.iter().filter(|t| {
        t["annotations"]
            .as_array()
            .unwrap()
            .iter()
            .any(|a| !a["prediction"]["result"].is_null())
    });
    assert_eq!(by_key(&rows).len(), said.count());
    for row in rows
        .iter()
        .filter(|row| row.extra[formats::MODEL] == "m-good")
    {
        let wanted = expected["predictions"]["m-good"].as_array().unwrap();
        let wanted = wanted
            .iter()
            .find(|w| w["id"].as_i64().map(Key::Int).as_ref() == Some(&row.key))
            .unwrap();
        assert_eq!(json!(row.output), wanted["choice"]);
    }
}

#[test]
fn fiftyone_samples_read() {
    let Some((folder, expected)) = tool("fiftyone") else {
        return;
    };
    let path = found(&folder.join("dataset"), formats::named("fiftyone").unwrap());
    let all = items(&path, formats::named("fiftyone").unwrap());
    assert_eq!(all.len(), expected["n_samples"].as_u64().unwrap() as usize);
    same_questions(&all, &expected["questions"], Key::Int);
    for question in expected["questions"].as_array().unwrap() {
        let item = all
            .iter()
            .find(|i| i.key == Key::Int(question["id"].as_i64().unwrap()))
            .unwrap();
        assert_eq!(json!(item.images[0].name), question["image"]);
    }
    let (rows, _) = predictions(&path, formats::named("fiftyone").unwrap());
    // An answer without a label names no model: the file does.
    let model = &expected["predictions"]["model_field"];
    assert!(
        rows.iter()
            .all(|row| row.extra.get(formats::MODEL).is_none_or(|m| m == model))
    );
    assert_eq!(
        (formats::named("fiftyone").unwrap().about)(&path, &[])
            .unwrap()
            .model
            .as_deref(),
        model.as_str()
    );
    let of = by_key(&rows);
    for (id, label) in expected["predictions"]["labels"].as_object().unwrap() {
        let row = of.get(&Key::Int(id.parse().unwrap()));
        assert_eq!(
            row.and_then(|r| r.rule.clone()).as_deref(),
            label.as_str(),
            "{id}"
        );
    }
    let boxes = formats::detect_files(&folder.join("coco/labels.json")).unwrap_err();
    assert!(
        boxes.kind == ErrorKind::Input && boxes.what.contains("COCO"),
        "{boxes}"
    );
    let table = folder.join("cvat_like_csv/labels.csv");
    let one = items(&table, formats::named("table").unwrap());
    assert_eq!(
        one.iter().map(|i| i.key.clone()).collect::<Vec<_>>(),
        ids(&expected["one_per_picture"])
            .into_iter()
            .map(Key::Int)
            .collect::<Vec<_>>()
    );
    let wanted: Vec<Value> = expected["questions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|q| {
            expected["one_per_picture"]
                .as_array()
                .unwrap()
                .contains(&q["id"])
        })
        .cloned()
        .collect();
    same_questions(&one, &Value::from(wanted), Key::Int);
}
