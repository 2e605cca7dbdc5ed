//! Hugging Face: folders, Parquet, and predictions in three forms.

use benchtop::formats;
use benchtop::model::{Key, QuestionKind};

use super::{by_key, ids, items, predictions, same_questions, same_text, tool};

#[test]
fn a_picture_folder_reads_with_its_splits() {
    let Some((folder, expected)) = tool("hf-datasets") else {
        return;
    };
    let mut all = Vec::new();
    for split in ["train", "validation"] {
        let path = folder.join(format!("imagefolder/{split}/metadata.jsonl"));
        assert_eq!(
            formats::detect_files(&path).unwrap().files[0].format,
            formats::named("table").unwrap()
        );
        let about = (formats::named("table").unwrap().about)(&path, &[]).unwrap();
        assert_eq!(
            about.dataset.as_deref(),
            Some(format!("imagefolder-{split}").as_str())
        );
        let items = items(&path, formats::named("table").unwrap());
        let keys: Vec<Key> = items.iter().map(|i| i.key.clone()).collect();
        assert_eq!(
            keys,
            ids(&expected["imagefolder"]["splits"][split])
                .into_iter()
                .map(Key::Int)
                .collect::<Vec<_>>()
        );
        for item in &items {
            assert!(
                path.with_file_name(&item.images[0].name).is_file(),
                "{}",
                item.images[0].name
            );
        }
        all.extend(items);
    }
    same_questions(&all, &expected["questions"], Key::Int);
}

#[test]
fn a_parquet_table_reads_with_its_pictures() {
    let Some((folder, expected)) = tool("hf-datasets") else {
        return;
    };
    let path = super::found(&folder.join("parquet"), formats::named("table").unwrap());
    let mut reader = formats::items(&path, formats::named("table").unwrap(), "d").unwrap();
    let (mut all, mut pictures) = (Vec::new(), 0);
    while let Some((_, item)) = reader.next() {
        for picture in reader.pictures() {
            assert!(picture.bytes().unwrap().starts_with(b"\xFF\xD8\xFF"));
            pictures += 1;
        }
        all.push(item.unwrap());
    }
    assert_eq!((all.len(), pictures), (30, 30));
    same_questions(&all, &expected["questions"], Key::Int);
    assert_eq!(
        all.iter()
            .filter(|i| i.kind == QuestionKind::FreeForm)
            .count(),
        4
    );
    let arrow = formats::detect_files(&folder.join("disk/data-00000-of-00001.arrow"))
        .unwrap_err()
        .to_string();
    assert!(
        arrow.contains("save_to_disk") && arrow.contains("to_parquet"),
        "{arrow}"
    );
}

#[test]
fn three_prediction_formats_distinguish_null_from_empty() {
    let Some((folder, expected)) = tool("hf-datasets") else {
        return;
    };
    let expected = &expected["predictions"];
    let null = ids(&expected["null_not_empty"]);
    for ending in ["jsonl", "csv", "parquet"] {
        let path = folder.join(format!("predictions.{ending}"));
        assert_eq!(
            formats::detect_files(&path).unwrap().files[0].format,
            formats::named("table-predictions").unwrap(),
            "{ending}"
        );
        let (rows, notes) = predictions(&path, formats::named("table-predictions").unwrap());
        // A comma-separated file cannot say that there is no answer: the cell is empty.
        let unanswered = if ending == "csv" { 0 } else { null.len() };
        assert_eq!(
            rows.len() + unanswered,
            expected["rows"].as_u64().unwrap() as usize,
            "{ending}"
        );
        assert_eq!(
            notes.iter().any(|n| n.starts_with("1 rows")),
            ending != "csv",
            "{notes:?}"
        );
        let of = by_key(&rows);
        for missing in ids(&expected["missing"]) {
            assert!(!of.contains_key(&Key::Int(missing)));
        }
        for doubled in ids(&expected["duplicated"]) {
            assert_eq!(
                rows.iter().filter(|r| r.key == Key::Int(doubled)).count(),
                2
            );
        }
        for row in expected["rows_by_id"].as_array().unwrap() {
            let id = row["id"].as_i64().unwrap();
            match of.get(&Key::Int(id)) {
                Some(found) => assert!(
                    same_text(row, &found.output),
                    "{ending}: {id}: {}",
                    found.output
                ),
                None => assert!(null.contains(&id) && ending != "csv", "{ending}: {id}"),
            }
        }
        assert!(rows.iter().all(|row| row.extra[formats::MODEL] == "m-good"));
    }
}
