use std::collections::BTreeMap;

use proptest::prelude::*;
use uuid::Uuid;

use super::label_studio::{TaskExtra, TaskWriter};
use super::*;
use benchtop_model::config::Reason;
use benchtop_model::verdict::{Part, RoundContext};
use benchtop_model::verdict_interchange::{Exchanged, ExchangedVerdict, NameMapping};
use benchtop_model::{
    Choice, ErrorKind, Form, Item, Judgement, Key, Mark, PictureSeen, QuestionKind, Role, Seen,
    Verdict,
};

fn reasons() -> Vec<Reason> {
    ["wrong-answer", "unsafe", "-odd"]
        .map(|key| Reason {
            key: key.into(),
            label: key.replace('-', " "),
        })
        .into()
}

fn tags() -> Vec<Reason> {
    ["night", "light/low", "light"]
        .map(|key| Reason {
            key: key.into(),
            label: key.to_uppercase(),
        })
        .into()
}

fn words(people: &[(&str, &str)], choices: &[(&str, &str)]) -> NameMapping {
    let map = |list: &[(&str, &str)]| {
        list.iter()
            .map(|(a, b)| (a.to_string(), b.to_string()))
            .collect::<BTreeMap<_, _>>()
    };
    NameMapping {
        people: map(people),
        choices: map(choices),
        ..NameMapping::default()
    }
}

/// Reads a text. Returns the verdicts, a description of each rejected record (place, item,
/// annotator, and error), and the notes.
fn read_text(
    form: VerdictForm,
    text: &str,
    words: &NameMapping,
) -> Result<(Vec<ExchangedVerdict>, Vec<String>, Vec<String>)> {
    let (mut taken, mut aside, known) = (Vec::new(), Vec::new(), reasons());
    let tags = tags();
    let meaning = Meaning {
        words,
        reasons: &known,
        tags: &tags,
        item: &|key, _| Ok(key.to_string()),
    };
    let take = &mut |found: Found| {
        match found.content {
            Ok(Exchanged::Verdict(verdict)) => taken.push(*verdict),
            Ok(Exchanged::Comment(comment)) => panic!("{comment:?}"),
            Err(problem) => aside.push(format!(
                "{} | {} | {} | {problem}",
                found.place, found.item, found.who
            )),
        }
        true
    };
    let notes = match form {
        VerdictForm::Jsonl => jsonl::read(text.as_bytes(), meaning, take)?,
        VerdictForm::Csv => csv::read(text.as_bytes(), meaning, take)?,
        VerdictForm::LabelStudio => label_studio::read(text.as_bytes(), meaning, take)?,
    };
    Ok((taken, aside, notes))
}

fn item(id: &str) -> Item {
    let option = |text: &str, role| Choice {
        text: text.into(),
        role,
    };
    Item {
        id: id.into(),
        dataset: "set".into(),
        key: Key::Int(0),
        form: Form::Plain,
        images: Vec::new(),
        prompt: None,
        negative_prompt: None,
        instruction: None,
        question: "Which \"one\",\nis it?".into(),
        kind: QuestionKind::MultipleChoice,
        options: vec![
            option("this", Role::Correct),
            option("that", Role::Distractor),
        ],
        answer: "this".into(),
        task: None,
        subtask: Some("animal".into()),
        granularity: None,
        level: None,
        style: None,
        pair: None,
        rotation: None,
        provenance: None,
        derivation: None,
        variant: None,
        edited: None,
        extra: serde_json::Map::new(),
    }
}

fn written(form: VerdictForm, verdicts: &[ExchangedVerdict], words: &NameMapping) -> String {
    let mut out = Vec::new();
    match form {
        VerdictForm::Jsonl => verdicts
            .iter()
            .for_each(|v| jsonl::write(1, v, &mut out).unwrap()),
        VerdictForm::Csv => {
            csv::write_names(&mut out).unwrap();
            verdicts
                .iter()
                .for_each(|v| csv::write(1, v, &mut out).unwrap());
        }
        VerdictForm::LabelStudio => {
            let sizes = vec![Some((640, 480)); 2];
            let extra = TaskExtra {
                comments: Vec::new(),
                sizes,
            };
            let mut writer = TaskWriter::new(out, words, "https://example.org/");
            for (n, list) in verdicts.chunk_by(|a, b| a.item == b.item).enumerate() {
                writer
                    .push(n as u32 + 1, &item(&list[0].item), list, &extra)
                    .unwrap();
            }
            out = writer.finish().unwrap();
        }
    }
    String::from_utf8(out).unwrap()
}

/// Texts with all characters that are difficult for the formats.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[=+@'\t-]{0,3}",
        "[a-z\",;\r\n' =é漢\u{1f600}\u{2028}\\\\<>&]{0,12}",
        any::<String>(),
    ]
}

fn marks() -> impl Strategy<Value = Mark> {
    let corner = || (0.0..=1.0, 0.0..=1.0);
    let label = proptest::option::of("[a-zé=,;\"]{1,8}");
    (1u32..3, corner(), proptest::option::of(corner()), label).prop_map(
        |(picture, from, to, label)| {
            let mark = match to {
                Some(to) => Mark::area(picture, from, to),
                None => Mark::point(picture, from.0, from.1),
            };
            mark.labeled(label)
        },
    )
}

fn judgements() -> impl Strategy<Value = Judgement> {
    let asked = (
        ("[a-z][a-z0-9.-]{0,8}", 0..Part::ALL.len()),
        proptest::option::of("[0-9a-f]{8}"),
        any::<bool>(),
    );
    let asked = asked.prop_map(|((round, part), guidelines, revealed)| {
        let part = Part::ALL[part];
        RoundContext {
            round,
            part,
            guidelines,
            revealed,
        }
    });
    let seen = proptest::sample::select(&Seen::ALL[..]);
    let pictures = proptest::collection::vec(proptest::sample::select(&PictureSeen::ALL[..]), 0..4);
    let why = proptest::sample::subsequence(
        reasons().into_iter().map(|r| r.key).collect::<Vec<_>>(),
        0..=3,
    );
    let tagged = proptest::sample::subsequence(
        tags().into_iter().map(|tag| tag.key).collect::<Vec<_>>(),
        0..=3,
    );
    let said = (
        0..Verdict::ALL.len(),
        why,
        proptest::option::of(texts()),
        proptest::option::of(texts()),
    );
    (
        said,
        (seen, pictures),
        proptest::option::of(any::<u32>()),
        proptest::option::of(asked),
        (tagged, proptest::collection::vec(marks(), 0..3)),
    )
        .prop_map(
            |((verdict, reasons, note, answer), (seen, pictures), ms, asked, (tags, marks))| {
                Judgement {
                    verdict: Verdict::ALL[verdict],
                    reasons,
                    tags,
                    marks,
                    note,
                    ms,
                    seen,
                    pictures,
                    answer,
                    round: asked,
                }
            },
        )
}

fn verdicts() -> impl Strategy<Value = Vec<ExchangedVerdict>> {
    let one = (
        0u8..3,
        "[a-zé][a-z0-9._-]{0,8}",
        judgements(),
        0i64..4_102_444_800_000,
        0u64..(1 << 53),
        any::<u128>(),
    );
    let one = one.prop_map(|(n, who, judgement, at, rev, uuid)| ExchangedVerdict {
        item: format!("set/{n}"),
        who,
        judgement,
        at: Some(at),
        rev: Some(rev),
        uuid: Uuid::from_u128(uuid),
        on: Some(format!("0000000{n}")),
        question: None,
    });
    proptest::collection::vec(one, 0..12).prop_map(|mut list| {
        list.sort_by(|a, b| a.item.cmp(&b.item));
        list
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn verdicts_round_trip_in_every_format(list in verdicts()) {
        let words = words(&[("a@example.org", "ann")], &[]);
        for form in VerdictForm::ALL {
            let text = written(form, &list, &words);
            let (mut taken, aside, notes) = read_text(form, &text, &words).unwrap();
            // Label Studio's tasks show the question; the flat formats do not.
            taken.iter_mut().for_each(|verdict| verdict.question = None);
            prop_assert_eq!(&taken, &list, "{:?}: {}", form, text);
            prop_assert!(aside.is_empty() && notes.is_empty(), "{:?} {:?}", aside, notes);
        }
    }

    #[test]
    fn readers_do_not_panic_on_any_text(text in any::<String>(), junk in "[\\[{\"a:,}\\]\n]{0,40}") {
        for form in VerdictForm::ALL {
            for text in [&text, &junk] {
                let _ = read_text(form, text, &NameMapping::default());
            }
        }
    }
}

fn some(note: &str) -> ExchangedVerdict {
    let judgement = Judgement {
        note: Some(note.into()),
        ..Judgement::new(Verdict::Reject, Seen::Painted)
    };
    ExchangedVerdict {
        item: "set/1".into(),
        who: "ann".into(),
        judgement,
        at: Some(1_700_000_000_123),
        rev: Some(3),
        uuid: Uuid::from_u128(7),
        on: None,
        question: None,
    }
}

#[test]
fn csv_is_rfc_4180_and_no_cell_starts_a_formula() {
    let text = written(
        VerdictForm::Csv,
        &[some("=HYPERLINK(\"x\")"), some("a\nb, \"c\"")],
        &NameMapping::default(),
    );
    let mut lines = text.split("\r\n");
    assert_eq!(lines.next().unwrap(), csv::COLUMNS.join(","));
    let first = lines.next().unwrap();
    assert!(
        first.starts_with(
            "1,set/1,ann,reject,,\"'=HYPERLINK(\"\"x\"\")\",,painted,2023-11-14T22:13:20.123Z,3,"
        ),
        "{first}"
    );
    assert!(lines.next().unwrap().contains(",\"a\nb, \"\"c\"\"\","));
    assert_eq!(lines.next(), Some(""));
    for (form, text) in [
        (
            VerdictForm::Jsonl,
            "{\"item\":\"set/1\",\"who\":\"ann\",\"verdict\":\"accept\"}",
        ),
        (
            VerdictForm::Csv,
            "\u{feff}who,verdict,item,mood\nann,accept,set/1,\"fine, thanks\"",
        ),
    ] {
        let (taken, aside, notes) = read_text(form, text, &NameMapping::default()).unwrap();
        assert_eq!(
            (taken.len(), aside.len(), taken[0].at, taken[0].rev),
            (1, 0, None, None),
            "{aside:?}"
        );
        assert_eq!(
            taken[0].judgement,
            Judgement::new(Verdict::Accept, Seen::Script)
        );
        assert_eq!(notes.len(), usize::from(form == VerdictForm::Csv));
    }
}

#[test]
fn invalid_lines_are_reported_with_their_field_and_others_count() {
    let csv = "item,who,verdict,at,rev,reasons\nset/1,ann,accept,,,\nset/1,ann,maybe,,,\nset/1,ann,accept,noon,,\n\
               set/1,ann,accept,,x,\nset/1,ann,reject,,,unsafe; bad light\nset/1,ann\nset/1,a b,accept,,,\n,ann,accept,,,\n\
               set/1,,accept,,,\n";
    let (taken, aside, _) = read_text(VerdictForm::Csv, csv, &NameMapping::default()).unwrap();
    assert_eq!((taken.len(), aside.len()), (1, 8), "{aside:?}");
    for (line, part) in [
        (0, "line 3 | set/1 | ann | field `verdict`"),
        (0, "--choice \"maybe=accept\""),
        (1, "field `at`"),
        (2, "field `rev`"),
        (3, "field `reasons`"),
        (4, "line 7 |  |  | "),
        (5, "field `who`"),
        (6, "field `item`"),
        (7, "line 10"),
    ] {
        assert!(aside[line].contains(part), "{part} in {}", aside[line]);
    }
    let lines = "{\"item\":\"set/1\",\"who\":\"ann\",\"verdict\":\"accept\"}\n{\"item\":\"set/1\"\n\
                 {\"item\":\"set/1\",\"who\":\"ann\",\"verdict\":7}\n{\"item\":\"set/1\",\"who\":\"ann\",\"verdict\":\"accept\",\"seen\":\"no\"}\n";
    let (taken, aside, _) = read_text(VerdictForm::Jsonl, lines, &NameMapping::default()).unwrap();
    assert_eq!((taken.len(), aside.len()), (1, 3), "{aside:?}");
    assert!(
        aside[0].contains("line 2") && aside[2].contains("line 4"),
        "{aside:?}"
    );
}

#[test]
fn truncated_files_and_other_formats_are_errors() {
    let refused = |form, text: &str| read_text(form, text, &NameMapping::default()).unwrap_err();
    assert_eq!(
        refused(VerdictForm::Csv, "a,b\n1,2\n")
            .place
            .field
            .as_deref(),
        Some("item")
    );
    assert_eq!(refused(VerdictForm::Csv, "").kind, ErrorKind::Input);
    let open = refused(VerdictForm::Csv, "item,who,verdict\nset/1,ann,\"acc\nept\n");
    assert_eq!((open.place.line, open.kind), (Some(2), ErrorKind::Input));
    assert!(
        refused(VerdictForm::Jsonl, "[{\"item\":\"x\"}]")
            .help
            .unwrap()
            .contains("label-studio")
    );
    assert!(
        refused(VerdictForm::LabelStudio, "{\"id\":1}\n")
            .help
            .unwrap()
            .contains("jsonl")
    );
    for cut in [
        "[{\"id\":1,\"annotations\":[]",
        "[{\"id\":1}, 5]",
        "[",
        "hello",
    ] {
        let problem = refused(VerdictForm::LabelStudio, cut);
        assert!(
            problem.kind == ErrorKind::Input && problem.place.line == Some(1),
            "{cut}: {problem}"
        );
    }
}

const FULL: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/flows/label_studio/export.json"
));
const MIN: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/flows/label_studio/min.json"
));

#[test]
fn label_studio_exports_are_read() {
    let people = [("ann@example.org", "ann"), ("5", "cem")];
    let choices = [("Good", "accept"), ("Bad", "reject")];
    let words = words(&people, &choices);
    let (taken, aside, notes) = read_text(VerdictForm::LabelStudio, FULL, &words).unwrap();
    let short = |v: &ExchangedVerdict| (v.item.clone(), v.who.clone(), v.judgement.verdict);
    let good = |item: &str, who: &str| (item.to_string(), who.to_string(), Verdict::Accept);
    let bad = ("set/0".to_string(), "cem".to_string(), Verdict::Reject);
    // The reader does not know whether the project has set/99, and whether this is the question of
    // set/2.
    let wanted = [
        good("set/0", "ann"),
        bad,
        good("set/99", "bob"),
        good("set/2", "bob"),
    ];
    assert_eq!(taken.iter().map(short).collect::<Vec<_>>(), wanted);
    assert_eq!(
        taken[0].judgement.note.as_deref(),
        Some("two lines\nand a \"quote\" ✓")
    );
    assert_eq!(
        (taken[0].judgement.ms, taken[0].at),
        (Some(12_345), Some(1_714_731_150_000))
    );
    assert_eq!(
        taken[1].judgement.reasons,
        ["wrong-answer", "unsafe"],
        "labels are read as what they stand for"
    );
    let places: Vec<&str> = aside
        .iter()
        .map(|a| a.split(" | ").next().unwrap())
        .collect();
    let of = |n| {
        format!(
            "task 2 (line {}), annotation {n}",
            FULL.lines()
                .position(|l| l.contains("\"id\": 32,"))
                .unwrap()
        )
    };
    assert_eq!(
        places,
        ["task 1 (line 2), annotation 3", &of(1), &of(2), &of(3)]
    );
    for (at, part) in [
        (0, "field `was_cancelled`"),
        (1, "--map 9=NAME"),
        (2, "field `completed_by`"),
        (3, "`So so`"),
    ] {
        assert!(aside[at].contains(part), "{part} in {}", aside[at]);
    }
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].ends_with("quality, stars"), "{notes:?}");

    let (min, aside, _) = read_text(VerdictForm::LabelStudio, MIN, &words).unwrap();
    assert_eq!(
        min,
        taken[..2],
        "the same annotation has the same receipt in both exports"
    );
    assert!(
        aside.len() == 1 && aside[0].contains("field `verdict`"),
        "{aside:?}"
    );
}

#[test]
fn annotation_changed_in_label_studio_is_a_new_verdict() {
    let text = written(
        VerdictForm::LabelStudio,
        &[some("dark")],
        &NameMapping::default(),
    );
    let as_written = read_text(VerdictForm::LabelStudio, &text, &NameMapping::default())
        .unwrap()
        .0;
    assert_eq!(
        (as_written[0].uuid, as_written[0].rev),
        (Uuid::from_u128(7), Some(3))
    );
    let changed = text.replace("\"choices\":[\"reject\"]", "\"choices\":[\"accept\"]");
    let (changed, aside, _) =
        read_text(VerdictForm::LabelStudio, &changed, &NameMapping::default()).unwrap();
    assert!(aside.is_empty(), "{aside:?}");
    assert_eq!(
        (changed[0].judgement.verdict, changed[0].rev),
        (Verdict::Accept, None)
    );
    assert_ne!(changed[0].uuid, as_written[0].uuid);
    assert_eq!(changed[0].who, "ann");
    // JSON-MIN has no receipts; the same annotator with the same content matches.
    let task: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut min = task[0]["data"].clone();
    for (name, value) in [
        ("verdict", "reject"),
        ("note", "dark"),
        ("annotator", "ann"),
    ] {
        min[name] = value.into();
    }
    (min["annotation_id"], min["id"]) = (5.into(), 9.into());
    let (min, aside, _) = read_text(
        VerdictForm::LabelStudio,
        &format!("[{min}]"),
        &NameMapping::default(),
    )
    .unwrap();
    assert!(aside.is_empty(), "{aside:?}");
    assert_eq!(min, as_written);
}

#[test]
fn label_studio_has_regions_in_percent_and_paths_of_levels() {
    let mut verdict = some("six fingers");
    verdict.judgement.reasons = vec!["unsafe".into()];
    verdict.judgement.tags = vec!["light/low".into()];
    let hand = Mark::area(2, (0.25, 0.5), (0.5, 0.75)).labeled(Some("hand".into()));
    verdict.judgement.marks = vec![hand.clone(), Mark::point(1, 0.125, 1.0)];
    let text = written(
        VerdictForm::LabelStudio,
        &[verdict.clone()],
        &NameMapping::default(),
    );
    let task: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(task[0]["data"]["comments"], "");
    let result = task[0]["annotations"][0]["result"].as_array().unwrap();
    let of = |kind: &str| result.iter().find(|r| r["type"] == kind).unwrap();
    let region = of("rectanglelabels");
    let value = &region["value"];
    assert_eq!(
        [&value["x"], &value["y"], &value["width"], &value["height"]].map(|v| v.as_f64().unwrap()),
        [25.0, 50.0, 25.0, 25.0]
    );
    assert_eq!(value["rectanglelabels"][0], "hand");
    assert_eq!(
        (
            &region["original_width"],
            &region["item_index"],
            &region["to_name"]
        ),
        (&640.into(), &1.into(), &"image".into())
    );
    assert_eq!(of("keypoint")["value"]["y"].as_f64(), Some(100.0));
    assert_eq!(
        of("taxonomy")["value"]["taxonomy"],
        serde_json::json!([["light", "low"]])
    );
    let read = |text: &str| read_text(VerdictForm::LabelStudio, text, &NameMapping::default());
    let (taken, aside, _) = read(&text).unwrap();
    assert!(aside.is_empty(), "{aside:?}");
    assert_eq!(taken[0].judgement, verdict.judgement);
    // A rotated rectangle is no box.
    let (taken, aside, _) = read(&text.replace("\"rotation\":0", "\"rotation\":30")).unwrap();
    assert!(
        taken.is_empty() && aside[0].contains("field `value`"),
        "{aside:?}"
    );
}
