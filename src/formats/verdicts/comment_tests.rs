//! Comments are written and read back in all three forms.

use proptest::prelude::*;
use uuid::Uuid;

use super::label_studio::{TaskExtra, TaskWriter};
use super::*;
use benchtop_model::verdict_interchange::{Exchanged, ExchangedComment, NameMapping};
use benchtop_model::{Item, Key, Mark};

/// Reads comments, and describes the records that cannot be read.
fn read_text(form: VerdictForm, text: &str) -> (Vec<ExchangedComment>, Vec<(String, Error)>) {
    let (mut taken, mut aside) = (Vec::new(), Vec::new());
    let words = NameMapping {
        people: [("bob@x.org".to_string(), "bob".to_string())].into(),
        ..NameMapping::default()
    };
    let meaning = Meaning {
        words: &words,
        reasons: &[],
        tags: &[],
        item: &|key, _| Ok(key.to_string()),
    };
    let take = &mut |found: Found| {
        match found.content {
            Ok(Exchanged::Comment(comment)) => taken.push(*comment),
            Ok(Exchanged::Verdict(verdict)) => panic!("{verdict:?}"),
            Err(problem) => aside.push((found.place, problem)),
        }
        true
    };
    match form {
        VerdictForm::Jsonl => jsonl::read(text.as_bytes(), meaning, take),
        VerdictForm::Csv => csv::read(text.as_bytes(), meaning, take),
        VerdictForm::LabelStudio => label_studio::read(text.as_bytes(), meaning, take),
    }
    .unwrap();
    (taken, aside)
}

fn written(form: VerdictForm, comments: &[ExchangedComment]) -> String {
    let mut out = Vec::new();
    match form {
        VerdictForm::Jsonl => comments
            .iter()
            .for_each(|c| jsonl::write_comment(1, c, &mut out).unwrap()),
        VerdictForm::Csv => {
            comments_csv::write_names(&mut out).unwrap();
            comments
                .iter()
                .for_each(|c| comments_csv::write(1, c, &mut out).unwrap());
        }
        VerdictForm::LabelStudio => {
            let words = NameMapping::default();
            let mut writer = TaskWriter::new(out, &words, "");
            for comment in comments {
                let item = Item {
                    id: comment.item.clone(),
                    ..Item::blank("set", Key::Int(1))
                };
                let extra = TaskExtra {
                    comments: vec![comment.clone()],
                    sizes: Vec::new(),
                };
                writer.push(1, &item, &[], &extra).unwrap();
            }
            out = writer.finish().unwrap();
        }
    }
    String::from_utf8(out).unwrap()
}

fn comments() -> impl Strategy<Value = ExchangedComment> {
    let text = prop_oneof![Just(String::new()), "[=+@'\t\r\n,\";-]{0,4}", ".{0,12}"];
    let who = prop_oneof![Just("ann"), Just("bob")];
    let time = prop::option::of(-62_000_000_000_000i64..4_000_000_000_000);
    let rest = (
        any::<u128>(),
        prop::option::of(0u64..1 << 53),
        prop::option::of(any::<u128>()),
        any::<bool>(),
    );
    (text, who, time.clone(), time, rest).prop_map(
        |(text, who, at, edited, (uuid, rev, reply_to, flag))| ExchangedComment {
            item: "set/=1".into(),
            who: who.into(),
            at,
            rev,
            uuid: Uuid::from_u128(uuid),
            on: flag.then(|| "0a1b".into()),
            marks: match flag {
                true => vec![Mark {
                    label: Some("=hand, \"left\"".into()),
                    ..Mark::point(2, 0.25, 1.0)
                }],
                false => Vec::new(),
            },
            text,
            reply_to: reply_to.map(Uuid::from_u128),
            edited,
            resolved: flag.then(|| "cem".into()),
            imported: flag,
        },
    )
}

proptest! {
    #[test]
    fn comments_come_back_in_every_form(list in prop::collection::vec(comments(), 0..4)) {
        for form in VerdictForm::ALL {
            if form == VerdictForm::Jsonl && list.is_empty() {
                continue;
            }
            let (read, aside) = read_text(form, &written(form, &list));
            prop_assert_eq!((&read, aside.len()), (&list, 0), "{:?}", form);
        }
    }
}

#[test]
fn a_line_of_anybody_needs_an_item_an_author_and_a_text() {
    let lines = r#"{"item":"set/1","who":"bob@x.org","text":"dark"}
{"item":"set/1","who":"bob","text":"dark","at":"yesterday"}
{"who":"bob","text":"dark"}
{"item":"set/1","who":"bob","text":5}
{"item":"set/1","who":"bob","text":"x","resolved":"../etc"}
"#;
    let (read, aside) = read_text(VerdictForm::Jsonl, lines);
    assert_eq!((read.len(), read[0].who.as_str()), (1, "bob"));
    let again = read_text(VerdictForm::Jsonl, lines).0;
    assert_eq!(again[0].uuid, read[0].uuid, "the receipt is derived");
    let fields: Vec<_> = aside
        .iter()
        .map(|(_, p)| p.place.field.as_deref())
        .collect();
    assert_eq!(fields[..2], [Some("at"), Some("item")]);
    assert_eq!((fields.len(), fields[3]), (4, Some("resolved")));
    let (read, aside) = read_text(
        VerdictForm::LabelStudio,
        r#"[{"data":{"item":"set/1","benchtop_comments":[{"who":"bob","text":"a"},7]},"annotations":[]},
            {"data":{"item":"set/1","benchtop_comments":"x"},"annotations":[]}]"#,
    );
    assert_eq!((read.len(), read[0].item.as_str()), (1, "set/1"));
    let places: Vec<&str> = aside.iter().map(|(place, _)| place.as_str()).collect();
    assert_eq!(places, ["task 1 (line 1), comment 2", "task 2 (line 2)"]);
}
