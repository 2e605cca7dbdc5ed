//! import(export(x)) = x for the forms that other tools load, on made-up items of every kind.

use std::collections::HashMap;
use std::path::Path;

use benchtop::formats::out::{Folder, Packed, Survey, Table};
use benchtop::formats::{self, Format};
use benchtop::model::{
    Choice, Form, ImageRef, Item, Key, Provenance, QuestionKind, Role, Rotation, Variant,
};
use proptest::prelude::*;
use serde_json::Value;

use super::round_trips::{base, mvp};
use crate::support::Refusal;

/// A picture's bytes are its hash after the magic of a PNG.
fn bytes(image: &ImageRef) -> Option<Vec<u8>> {
    let hash = image.hash.as_deref()?;
    Some([&b"\x89PNG\r\n\x1a\n"[..], hash.as_bytes()].concat())
}

fn load(image: &ImageRef) -> benchtop::model::Result<Option<Vec<u8>>> {
    Ok(bytes(image))
}

fn survey(items: &[Item]) -> Survey {
    let mut survey = Survey::default();
    items.iter().for_each(|item| survey.look(item));
    survey
}

fn table(items: &[Item], _: &Path) -> Vec<u8> {
    let mut table = Table::new(Vec::new(), survey(items), "d", false).unwrap();
    items
        .iter()
        .for_each(|item| assert!(table.push(item, &mut load).is_ok()));
    table.finish()
}

fn packed(items: &[Item], _: &Path) -> Vec<u8> {
    let mut table = Packed::new(Vec::new(), survey(items), "d").unwrap();
    items
        .iter()
        .for_each(|item| assert!(table.push(item, &mut load).is_ok()));
    table.finish().unwrap()
}

fn folder(items: &[Item], dir: &Path) -> Vec<u8> {
    let mut folder = Folder::new(Vec::new(), survey(items), "d");
    for item in items {
        let put = &mut |name: &str, bytes: Vec<u8>| {
            let path = dir.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            assert!(!path.exists(), "{name} is written twice");
            std::fs::write(path, bytes).unwrap();
            Ok(())
        };
        folder.push(item, &mut load, put).unwrap();
    }
    folder.finish()
}

/// The items of a file with the bytes of their pictures, found as an import finds them.
fn read(path: &Path) -> Vec<(Item, Vec<Option<Vec<u8>>>)> {
    let format: &Format = formats::detect_files(path).unwrap().files.remove(0).format;
    let mut reader = formats::items(path, format, "d").unwrap();
    let (mut found, mut known) = (Vec::new(), HashMap::new());
    while let Some((_, item)) = reader.next() {
        let item = item.unwrap();
        known.extend(
            reader
                .pictures()
                .into_iter()
                .map(|p| (p.name.clone(), p.bytes().unwrap())),
        );
        let beside =
            |image: &ImageRef| std::fs::read(path.parent().unwrap().join(&image.name)).ok();
        let pictures = item
            .images
            .iter()
            .map(|i| known.get(&i.name).cloned().or_else(|| beside(i)))
            .collect();
        found.push((item, pictures));
    }
    found
}

fn same(items: &[Item], name: &str, write: impl Fn(&[Item], &Path) -> Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, write(items, dir.path())).unwrap();
    let found = read(&path);
    assert_eq!(found.len(), items.len(), "{name}");
    for ((found, pictures), item) in found.into_iter().zip(items) {
        let mut plain = item.clone();
        plain.images.iter_mut().for_each(|i| {
            *i = ImageRef {
                name: std::mem::take(&mut i.name),
                rights: i.rights.take(),
                ..Default::default()
            }
        });
        assert_eq!(
            serde_json::to_string(&found).unwrap(),
            serde_json::to_string(&plain).unwrap(),
            "{name}"
        );
        assert_eq!(found, plain, "{name}");
        assert_eq!(
            pictures,
            item.images.iter().map(bytes).collect::<Vec<_>>(),
            "{name}"
        );
    }
}

/// Text with all that a table may stumble over.
fn odd() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z\u{e9}\u{4e2d}\t\n\r\"',;|=\\[\\]{}\0 \\\\]{0,12}",
        Just("None".to_string()),
        Just("NA".to_string()),
        Just("A".to_string()),
        Just("2".to_string()),
        Just(" B. x\nC. y".to_string()),
        Just("yes".to_string()),
    ]
}

fn picture() -> impl Strategy<Value = ImageRef> {
    let hash = prop_oneof![
        Just(None),
        Just(Some("0a".repeat(32))),
        Just(Some("0b".repeat(32)))
    ];
    hash.prop_map(|hash| {
        let name = match hash.as_deref() {
            None => "lost/1.png",
            Some(hash) if hash.starts_with("0a") => "a'\"b/\u{e9} 1.png",
            _ => "./b.png",
        };
        ImageRef {
            name: name.into(),
            hash,
            ext: Some("png".into()),
            ..ImageRef::default()
        }
    })
}

fn wild() -> impl Strategy<Value = Item> {
    let options = prop::collection::vec(odd(), 1..30);
    let rest = (
        prop::option::of(odd()),
        prop::option::of(odd()),
        any::<bool>(),
        0..4u8,
    );
    (
        base(Form::Plain),
        odd(),
        options,
        prop::collection::vec(picture(), 0..3),
        any::<prop::sample::Index>(),
        rest,
    )
        .prop_map(
            |(mut item, question, options, images, right, (subtask, hint, more, kind))| {
                item.question = format!("q {question}");
                item.images = images;
                item.subtask = subtask;
                item.extra
                    .extend(hint.map(|hint| ("hint".to_string(), Value::from(hint))));
                let right = right.index(options.len());
                let role = |at| match at == right {
                    true if more => Role::Refusal,
                    true => Role::Correct,
                    false => Role::Distractor,
                };
                item.options = options
                    .into_iter()
                    .enumerate()
                    .map(|(at, text)| Choice {
                        text,
                        role: role(at),
                    })
                    .collect();
                item.answer = item.options[right].text.clone();
                match kind {
                    0 => item.kind = QuestionKind::TrueFalse,
                    1 => {
                        item.kind = QuestionKind::YesNo;
                        item.options.clear();
                        item.answer = if more { "no".into() } else { "YES".into() };
                    }
                    2 => {
                        item.kind = QuestionKind::FreeForm;
                        item.options.clear();
                    }
                    _ => {
                        item.rotation = Some(Rotation {
                            set: "s".into(),
                            index: right as u32,
                            of: 4,
                        })
                    }
                }
                if more {
                    item.extra.insert("$order".into(), vec!["b", "a"].into());
                    item.provenance = Some(Box::new(Provenance {
                        seed: 7,
                        chance: Some(0.5),
                        ..Provenance::default()
                    }));
                    let name = "V1+L4".to_string();
                    item.variant = Some(Variant {
                        name,
                        of: Some("d/0".into()),
                        modified: Some(false),
                    });
                }
                item
            },
        )
}

/// Items with ids of their own.
fn several() -> impl Strategy<Value = Vec<Item>> {
    let one = prop_oneof![wild(), mvp(), base(Form::Dysca)];
    prop::collection::vec(one, 1..6).prop_map(|items| {
        let mut seen = HashMap::new();
        items
            .into_iter()
            .filter(|item| seen.insert(item.id.clone(), ()).is_none())
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_table_of_vlmevalkit_gives_the_same_items(items in several()) {
        same(&items, "d.tsv", table);
    }

    #[test]
    fn parquet_gives_the_same_items(items in several()) {
        same(&items, "d.parquet", packed);
    }

    #[test]
    fn a_hugging_face_folder_gives_the_same_items(items in several()) {
        same(&items, "metadata.jsonl", folder);
    }
}

fn plain(key: Key, answer: usize) -> Item {
    let text = format!(
        "{{\"id\":\"d/{key}\",\"dataset\":\"d\",\"key\":{},\"form\":\"plain\",\"question\":\"What?\",\"kind\":\"multiple-choice\",\
         \"answer\":\"x\"}}",
        serde_json::to_string(&key).unwrap()
    );
    let mut item: Item = serde_json::from_str(&text).unwrap();
    for (at, text) in ["x", "y"].into_iter().enumerate() {
        let role = if at == answer {
            Role::Correct
        } else {
            Role::Distractor
        };
        item.options.push(Choice {
            text: text.into(),
            role,
        });
    }
    item.answer = item.options[answer].text.clone();
    item
}

#[test]
fn exported_rows_have_vlmevalkit_numbers_and_one_picture_each() {
    let hash = "0a".repeat(32);
    let image = ImageRef {
        name: "p.png".into(),
        hash: Some(hash),
        ext: None,
        ..ImageRef::default()
    };
    let mut items = vec![
        plain(Key::Int(3), 0),
        plain(Key::Text("0__0__0".into()), 1),
        plain(Key::Text("0__0__1".into()), 0),
    ];
    for (at, item) in items.iter_mut().enumerate() {
        item.images = vec![image.clone()];
        item.rotation = (at > 0).then(|| Rotation {
            set: "0".into(),
            index: at as u32,
            of: 2,
        });
    }
    let text = String::from_utf8(table(&items, Path::new(""))).unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|l| l.split('\t').map(|c| c.trim_matches('"')).collect())
        .collect();
    assert_eq!(
        rows[0][..7],
        ["index", "image", "question", "A", "B", "answer", "type"]
    );
    let of = |column: &str| rows[0].iter().position(|name| *name == column).unwrap();
    let column = |name: &str| {
        rows[1..]
            .iter()
            .map(|row| row[of(name)])
            .collect::<Vec<_>>()
    };
    assert_eq!(column("index"), ["3", "0", "1000000"]);
    assert_eq!(column("g_index"), ["", "0", "0"]);
    assert_eq!(column("answer"), ["A", "B", "A"]);
    assert!(column("image")[0].len() > 64);
    assert_eq!(column("image")[1..], ["3", "3"]);
}

#[test]
fn edited_table_cells_override_the_noted_item() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("d.tsv");
    let text = String::from_utf8(table(&[plain(Key::Text("k".into()), 0)], dir.path())).unwrap();
    assert!(text.contains("\t\"A\"\t"), "{text}");
    let (names, rows) = text.split_once('\n').unwrap();
    let changed = rows
        .replace("\t\"A\"\t", "\t\"B\"\t")
        .replace("\"What?\"", "\"Who?\"");
    std::fs::write(&path, format!("{names}\n{changed}")).unwrap();
    let (item, _) = read(&path).remove(0);
    assert_eq!(
        (item.key, item.question.as_str(), item.answer.as_str()),
        (Key::Text("k".into()), "Who?", "B")
    );
    assert_eq!(
        item.options.iter().position(|o| o.role == Role::Correct),
        Some(1)
    );
    std::fs::write(&path, text.replace("\"{\"\"", "\"{")).unwrap();
    let format = formats::detect_files(&path).unwrap().files[0].format;
    let problem = formats::items(&path, format, "d")
        .unwrap()
        .next()
        .unwrap()
        .1
        .unwrap_err();
    assert_eq!(
        Refusal::of_error(&problem).place(),
        ("d.tsv", 2, "benchtop")
    );
}

#[test]
fn vlmevalkit_answers_find_their_questions_by_the_noted_column() {
    let dir = tempfile::tempdir().unwrap();
    let items = [
        plain(Key::Text("first".into()), 0),
        plain(Key::Text("second".into()), 1),
    ];
    let mut answers = Table::new(Vec::new(), survey(&items), "d", true).unwrap();
    answers.pass(&items[0]);
    answers.answer(&items[1], "B, I think").unwrap();
    let path = dir.path().join("m_d.tsv");
    std::fs::write(&path, answers.finish()).unwrap();
    let found = formats::predictions(&path, formats::named("vlmevalkit-predictions").unwrap())
        .unwrap()
        .map(|(_, row)| row.unwrap());
    let found: Vec<_> = found
        .map(|p| (p.key, p.output, p.extra.contains_key("benchtop")))
        .collect();
    assert_eq!(
        found,
        [(Key::Text("second".into()), "B, I think".to_string(), false)]
    );
}

#[test]
fn derivations_and_rights_come_back() {
    let derivation = serde_json::json!({
        "method": "print-attack", "version": "2", "source": {"id": "d/1", "digest": "0a1b2c3d"},
        "picture": "0b".repeat(32), "parameters": {"word": "dog", "at": [0, 4], "seed": u64::MAX, "size": 0.1},
        "edit": "a word", "context": "One.\nTwo.", "tries": 2, "transcript": "runs/0001.jsonl#3", "chance": 0.25,
        "ruling": {"judge": "j", "model": "m", "pass": false, "reason": "\u{e9} \"why\""},
    });
    let rights = serde_json::json!({"source": "https://example.org/1", "license": "CC-BY-4.0", "sensitivity": ["celebrity", "violence"]});
    let mut items = vec![
        plain(Key::Int(1), 0),
        plain(Key::Int(2), 0),
        plain(Key::Int(3), 1),
    ];
    items[1].derivation = serde_json::from_value(derivation.clone()).unwrap();
    items[1].images = vec![ImageRef::named("lost.png"), ImageRef::named("gone.png")];
    items[2].images = vec![ImageRef::named("lost.png")];
    items[1].images[0].rights = serde_json::from_value(rights.clone()).unwrap();
    items[2].derivation = serde_json::from_value(derivation).unwrap();
    same(&items, "d.tsv", table);
    same(&items, "metadata.jsonl", folder);
    same(&items, "d.parquet", packed);
    same(&items, "d.jsonl", |items, _| {
        let plain = items.iter().cloned().map(|mut item| {
            item.images.iter_mut().for_each(|image| image.hash = None);
            item
        });
        let mut out = Vec::new();
        for item in plain {
            formats::jsonl::write(&item, &mut out).unwrap();
        }
        out
    });
    let back = serde_json::to_value(&items[1]).unwrap();
    assert_eq!(back["images"][0]["rights"], rights);
}

#[test]
fn exported_pictures_get_unique_names() {
    let dir = tempfile::tempdir().unwrap();
    let mut items = vec![
        plain(Key::Int(1), 0),
        plain(Key::Int(2), 0),
        plain(Key::Int(3), 0),
    ];
    for (item, (name, hash)) in
        items
            .iter_mut()
            .zip([("p.png", "0a"), ("p.png", "0b"), ("../out.png", "0c")])
    {
        let (hash, ext) = (Some(hash.repeat(32)), Some("png".to_string()));
        item.images = vec![ImageRef {
            name: name.into(),
            hash,
            ext,
            ..ImageRef::default()
        }];
    }
    let path = dir.path().join("metadata.jsonl");
    std::fs::write(&path, folder(&items, dir.path())).unwrap();
    let names: Vec<String> = read(&path)
        .into_iter()
        .map(|(mut item, _)| item.images.remove(0).name)
        .collect();
    assert_eq!(
        names,
        [
            "p.png".to_string(),
            format!("{}.png", "0b".repeat(32)),
            format!("{}.png", "0c".repeat(32))
        ]
    );
    for (found, item) in read(&path).iter().zip(&items) {
        assert_eq!(found.1, [bytes(&item.images[0])]);
    }
}
