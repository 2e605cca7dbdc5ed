//! import(export(x)) = x: byte for byte for released files, and for generated items.

use std::io::Write;
use std::path::Path;

use benchtop::formats::{self, DyscaWriter, Format, NestedWriter, jsonl};
use benchtop::model::{
    Choice, Form, ImageRef, Item, Key, Pair, QuestionKind, Role, Rotation, Side,
};
use proptest::prelude::*;
use serde_json::{Map, Value};

use super::{fixture, shared};

fn read(bytes: Vec<u8>, format: &Format) -> Vec<Item> {
    let rows = formats::items_from(
        Box::new(std::io::Cursor::new(bytes)),
        Path::new("f"),
        format,
        "d",
    )
    .unwrap();
    rows.map(|(_, item)| item.unwrap()).collect()
}

fn write(
    items: &[Item],
    one: impl Fn(&Item, &mut dyn Write) -> benchtop::model::Result<()>,
) -> Vec<u8> {
    let mut out = Vec::new();
    items.iter().for_each(|i| one(i, &mut out).unwrap());
    out
}

fn dysca(items: &[Item]) -> Vec<u8> {
    let mut writer = DyscaWriter::new(Vec::new());
    items.iter().for_each(|i| writer.push(i).unwrap());
    writer.finish().unwrap()
}

/// Reads a file of any form here and writes it again in that form.
fn again(path: &Path) -> Vec<u8> {
    let found = formats::detect_files(path).unwrap().files.remove(0);
    if found.format.has_predictions {
        let mut out = Vec::new();
        for (_, row) in formats::predictions(path, found.format).unwrap() {
            formats::write_prediction(&row.unwrap(), &mut out).unwrap();
        }
        return out;
    }
    let items: Vec<Item> = formats::items(path, found.format, "d")
        .unwrap()
        .map(|(_, i)| i.unwrap())
        .collect();
    let own = write(&items, jsonl::write);
    assert_eq!(
        read(own, formats::named("benchtop-jsonl").unwrap()),
        items,
        "through our own form"
    );
    match found.format.name {
        "dysca" => dysca(&items),
        _ => write(&items, formats::write_question),
    }
}

#[test]
fn released_and_made_files_come_back_byte_for_byte() {
    let mut files = Vec::new();
    for folder in [
        Some(fixture("small")),
        shared("mvp-bench/data"),
        shared("mvp-bench/model_prediction"),
        shared("dysca-figures"),
    ] {
        let Some(folder) = folder else { continue };
        let found = formats::detect_files(&folder).unwrap();
        assert!(found.unknown.is_empty(), "{:?}", found.unknown);
        files.extend(found.files);
    }
    for file in &files {
        let same = again(&file.path) == std::fs::read(&file.path).unwrap();
        assert!(same, "{} changed", file.path.display());
    }
    println!("round trips: {} files byte for byte", files.len());
}

#[test]
fn the_released_files_are_recognised_by_content() {
    let Some(folder) = shared("mvp-bench") else {
        return;
    };
    let found = formats::detect_files(&folder).unwrap();
    let of = |format| found.files.iter().filter(|f| f.format == format).count();
    assert_eq!(of(formats::named("mvp-questions").unwrap()), 1);
    assert_eq!(of(formats::named("mvp-circular").unwrap()), 1);
    assert_eq!(of(formats::named("mvp-predictions").unwrap()), 4);
    assert_eq!(of(formats::named("mvp-evaluated").unwrap()), 4);
    assert_eq!(of(formats::named("mvp-circular-predictions").unwrap()), 4);
    assert_eq!(found.unknown.len(), 1);
    assert!(
        found.unknown[0].to_string().contains("expected.json"),
        "{}",
        found.unknown[0]
    );
}

#[test]
fn dysca_figures_are_recognised_and_read() {
    let Some(folder) = shared("dysca-figures") else {
        return;
    };
    let found = formats::detect_files(&folder).unwrap();
    assert_eq!(
        (found.files.len(), found.files[0].format, found.pictures),
        (1, formats::named("dysca").unwrap(), 8)
    );
    let items: Vec<Item> = formats::items(
        &found.files[0].path,
        formats::named("dysca").unwrap(),
        "figures",
    )
    .unwrap()
    .map(|(_, i)| i.unwrap())
    .collect();
    assert_eq!(items.len(), 24);
    assert_eq!(
        items
            .iter()
            .filter(|i| i.kind == QuestionKind::FreeForm)
            .count(),
        4
    );
    assert!(items.iter().all(|i| i.extra.is_empty()));
}

fn line() -> impl Strategy<Value = String> {
    "[a-zA-Z\u{e9}\u{4e2d}\u{1F600} ,\"\\\\]{0,12}[a-z]"
}

fn extra() -> impl Strategy<Value = Map<String, Value>> {
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        prop::collection::vec(any::<u8>(), 0..3).prop_map(Value::from),
    ];
    prop::collection::vec(("x_[a-z]{1,4}", value), 0..3)
        .prop_map(|pairs| pairs.into_iter().collect())
}

pub(super) fn base(form: Form) -> impl Strategy<Value = Item> {
    let options = prop::collection::hash_set("[a-z]{1,6}", 2..5);
    let key = prop_oneof![
        any::<i64>().prop_map(Key::Int),
        "[a-z_]{1,8}".prop_map(Key::Text)
    ];
    (
        key,
        line(),
        options,
        any::<prop::sample::Index>(),
        extra(),
        prop::option::of(line()),
        prop::option::of(line()),
    )
        .prop_map(
            move |(key, question, options, right, extra, prompt, level)| {
                let right = right.index(options.len());
                let options: Vec<Choice> = options
                    .into_iter()
                    .enumerate()
                    .map(|(i, text)| Choice {
                        text,
                        role: if i == right {
                            Role::Correct
                        } else {
                            Role::Distractor
                        },
                    })
                    .collect();
                Item {
                    id: format!("d/{key}"),
                    dataset: "d".into(),
                    key,
                    form,
                    images: vec![ImageRef {
                        name: "a.png".into(),
                        ..ImageRef::default()
                    }],
                    prompt,
                    negative_prompt: None,
                    instruction: None,
                    question: question.trim().to_string(),
                    kind: QuestionKind::MultipleChoice,
                    answer: options[right].text.clone(),
                    options,
                    task: Some("recognition".into()),
                    subtask: None,
                    granularity: None,
                    level,
                    style: None,
                    pair: None,
                    rotation: None,
                    provenance: None,
                    derivation: None,
                    variant: None,
                    edited: None,
                    extra,
                }
            },
        )
}

pub(super) fn mvp() -> impl Strategy<Value = Item> {
    (
        base(Form::Mvp),
        -700i64..700,
        0..4u8,
        any::<bool>(),
        prop::option::of(line()),
    )
        .prop_map(|(mut item, pair, which, given, subtask)| {
            let side =
                [Side::Natural, Side::Manipulated, Side::Cross, Side::Cross][usize::from(which)];
            let id = Key::Int(pair);
            item.subtask = if given {
                subtask
            } else {
                formats::category(&id).map(str::to_string)
            };
            item.pair = Some(Pair { id, side });
            item.level.get_or_insert("low".into());
            if side == Side::Natural {
                item.kind = QuestionKind::YesNo;
                item.options.clear();
                item.answer = "yes".into();
                item.instruction = Some(format!("{}\nPlease answer yes or no.", item.question));
                return item;
            }
            let lines: String = item
                .options
                .iter()
                .enumerate()
                .map(|(i, o)| format!("\n{}. {}", Item::letter(i), o.text))
                .collect();
            item.instruction = Some(format!("{}{lines}", item.question));
            item.answer = Item::letter(item.correct().unwrap());
            if which == 3 {
                item.form = Form::MvpCircular;
                item.rotation = Some(Rotation {
                    set: "7".into(),
                    index: 2,
                    of: 5,
                });
                item.images[0].name = "3_concat.jpg".into();
            }
            item
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn made_dysca_items_come_back(items in prop::collection::vec(base(Form::Dysca), 0..4)) {
        prop_assert_eq!(read(dysca(&items), formats::named("dysca").unwrap()), items.clone());
        prop_assert_eq!(read(write(&items, jsonl::write), formats::named("benchtop-jsonl").unwrap()), items);
    }

    #[test]
    fn made_mvp_items_come_back(item in mvp()) {
        let format = if item.form == Form::MvpCircular { formats::named("mvp-circular").unwrap() } else { formats::named("mvp-questions").unwrap() };
        let one = [item];
        prop_assert_eq!(read(write(&one, formats::write_question), format), one.to_vec());
    }

    #[test]
    fn made_nested_records_come_back(items in prop::collection::vec(base(Form::Dysca), 1..6), cut in 1usize..4) {
        let flat: Vec<Value> = serde_json::from_slice(&dysca(&items)).unwrap();
        let records: Vec<Value> = flat.chunks(cut).enumerate().map(|(i, group)| {
            let questions: Vec<Value> = group.iter().cloned().map(|mut q| {
                q.as_object_mut().unwrap().shift_remove("id");
                q
            }).collect();
            serde_json::json!({"id": i, "prompt": "p", "negative_prompt": "n", "q_a": questions})
        }).collect();
        let text = serde_json::to_vec(&records).unwrap();
        let nested = read(text, formats::named("dysca-nested").unwrap());
        let mut writer = NestedWriter::new(Vec::new());
        nested.iter().for_each(|i| writer.push(i).unwrap());
        let out = writer.finish().unwrap();
        prop_assert_eq!(serde_json::from_slice::<Value>(&out).unwrap().to_string(), Value::from(records).to_string());
        prop_assert_eq!(read(out, formats::named("dysca-nested").unwrap()), nested);
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "[\\[{}\\]:,\"a\\\\ \n0-9]{0,60}") {
        for format in [formats::named("dysca").unwrap(), formats::named("dysca-nested").unwrap(), formats::named("mvp-questions").unwrap(), formats::named("mvp-circular").unwrap(), formats::named("benchtop-jsonl").unwrap()] {
            let rows = formats::items_from(Box::new(std::io::Cursor::new(text.clone())), Path::new("f"), format, "d").unwrap();
            prop_assert!(rows.count() <= text.len() + 1);
        }
    }
}
