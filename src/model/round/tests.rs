use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::ErrorKind;

pub(super) fn names(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("person-{i}")).collect()
}

/// A round of `items` items for `people` people with this overlap, and `known` probes and practice
/// items.
pub(super) fn round(items: usize, people: usize, overlap: u8, known: usize) -> Round {
    let gold = |what: &str, i: usize| Gold {
        id: format!("{what}/{i}"),
        good: i % 2 == 1,
        reasons: if i % 2 == 1 {
            vec![]
        } else {
            vec!["wrong-answer".into()]
        },
        lookalike: i.is_multiple_of(3),
    };
    Round {
        version: VERSION,
        name: "first".into(),
        protocol: if overlap > 1 {
            Protocol::BothAccept
        } else {
            Protocol::Single
        },
        people: names(people),
        blind: true,
        overlap,
        order: Order::Seeded,
        seed: 7,
        repeats: Rate::REPEATS,
        probes: Rate::PROBES,
        guidelines: Some(Guidelines {
            path: "docs/rules.md".into(),
            version: "0123abcd".into(),
        }),
        adjudication: Adjudication::default(),
        items: (0..items).map(|i| format!("set/{i}")).collect(),
        calibration: (0..known.min(40)).map(|i| gold("practice", i)).collect(),
        probe_items: (0..known).map(|i| gold("probe", i)).collect(),
        origin: Origin {
            filter: "status:pending".into(),
            sample: Sample::Share(Rate::of_ten_thousand(1_000).unwrap()),
            strata: Some("subtask".into()),
            seed: 7,
            candidates: items as u64 * 10,
        },
        created: 1_790_000_000_000,
        by: "person-0".into(),
        closed: None,
        changes: Vec::new(),
        rotations: BTreeMap::new(),
    }
}

fn refused(change: impl FnOnce(&mut Round)) -> Error {
    let mut round = round(9, 3, 2, 4);
    change(&mut round);
    let problem = round.check().unwrap_err();
    assert_eq!(problem.kind, ErrorKind::Input);
    assert!(problem.help.is_some(), "{problem}");
    // Parsing the file fails in the same way.
    let text = round.to_json().unwrap();
    let read = Round::parse(&text, Path::new("rounds/first.json")).unwrap_err();
    assert_eq!(
        read.place.file.as_deref(),
        Some(Path::new("rounds/first.json"))
    );
    problem
}

#[test]
fn inconsistent_rounds_name_the_field() {
    type Change = fn(&mut Round);
    // The field, the change, and data that the message must contain.
    let cases: [(&str, Change, &str); 17] = [
        ("name", |r| r.name = "a/b".into(), "a/b"),
        ("by", |r| r.by = "".into(), "``"),
        ("people", |r| r.people.clear(), "0"),
        ("people", |r| r.people = names(1001), "1001"),
        ("people", |r| r.people[2] = "person-0".into(), "person-0"),
        ("people", |r| r.people[2] = "..".into(), "`..`"),
        ("people", |r| r.people.truncate(1), "needs 2"),
        ("overlap", |r| r.overlap = 1, "needs 2"),
        ("overlap", |r| r.overlap = 0, "needs 2"),
        ("order", |r| r.order = Order::AsListed, "blind"),
        ("repeats", |r| r.repeats = Rate::ALL, "100 %"),
        (
            "guidelines.path",
            |r| r.guidelines.as_mut().unwrap().path = "../rules.md".into(),
            "../rules.md",
        ),
        (
            "guidelines.version",
            |r| r.guidelines.as_mut().unwrap().version = "0123ABCD".into(),
            "0123ABCD",
        ),
        ("items", |r| r.items.clear(), "0"),
        ("items", |r| r.items[3] = "set/0".into(), "set/0"),
        (
            "probe_items",
            |r| r.probe_items[0].id = "set/0".into(),
            "set/0",
        ),
        ("calibration", |r| r.calibration[0].id.clear(), "empty"),
    ];
    for (field, change, data) in cases {
        let problem = refused(change);
        assert_eq!(problem.place.field.as_deref(), Some(field), "{problem}");
        assert!(problem.what.contains(data), "{problem}");
    }
    for path in ["", "/etc/passwd", "a/../../b", ".", "a\nb"] {
        let problem = refused(|r| r.guidelines.as_mut().unwrap().path = path.into());
        assert_eq!(
            problem.place.field.as_deref(),
            Some("guidelines.path"),
            "{path}"
        );
    }
}

#[test]
fn guidelines_version_is_a_hash_of_the_text() {
    // BLAKE3 of the empty input, from its published test vectors.
    assert_eq!(Guidelines::version_of(b""), "af1349b9");
    let mut made = round(9, 3, 2, 4);
    made.guidelines = Some(Guidelines {
        path: "rules.md".into(),
        version: Guidelines::version_of(b"Be fair."),
    });
    assert_eq!(made.check(), Ok(()));
}

#[test]
fn open_rounds_can_use_the_list_order() {
    let mut round = round(9, 3, 2, 4);
    (round.blind, round.order) = (false, Order::AsListed);
    assert_eq!(round.check(), Ok(()));
    assert!(round.has("person-2") && !round.has("person-3"));
}

#[test]
fn malformed_files_fail() {
    let text = round(2, 1, 1, 0).to_json().unwrap();
    let parse = |text: &str| Round::parse(text, Path::new("r.json")).unwrap_err();
    let problem = parse(&text.replacen("\"version\": 1", "\"version\": 2, \"colour\": 3", 1));
    assert_eq!(problem.place.field.as_deref(), Some("version"), "{problem}");
    assert!(problem.what.contains("version 2"));
    let problem = parse(&text.replacen("\"version\": 1", "\"version\": 1,\n\"colour\": 3", 1));
    assert!(
        problem.what.contains("colour") && problem.place.line == Some(3),
        "{problem}"
    );
    let problem = parse(&text.replacen("\"blind\": true", "\"blind\": true, \"blind\": true", 1));
    assert!(problem.what.contains("blind"), "{problem}");
    assert!(parse(&text[..text.len() / 2]).place.line.is_some());
    assert_eq!(parse("").kind, ErrorKind::Input);
}

proptest! {
    #[test]
    fn rounds_round_trip(
        items in 1usize..40, people in 2usize..9, known in 0usize..50, seed in any::<u64>(), created in any::<i64>(),
        shares in (0u32..=2500, 0u32..=2500, 0u32..=10_000), flags in any::<[bool; 4]>(),
        text in "\\PC{0,12}", sample in 0usize..4,
        protocol in select(vec![Protocol::BothAccept, Protocol::Single, Protocol::Answer, Protocol::Equivalence]),
    ) {
        let mut made = round(items, people, 2, known);
        let rate = |parts| Rate::of_ten_thousand(parts).unwrap();
        (made.protocol, made.seed, made.created) = (protocol, seed, created);
        (made.repeats, made.probes) = (rate(shares.0), rate(shares.1));
        (made.adjudication.names, made.adjudication.scores) = (flags[0], flags[1]);
        made.items[0] = format!("odd {text} \" \\ \u{1f4a1}");
        made.origin.filter = text;
        made.origin.sample = [Sample::All, Sample::Share(rate(shares.2)), Sample::Count(shares.2), Sample::PerStratum(9)][sample];
        if flags[2] {
            (made.guidelines, made.origin.strata) = (None, None);
        }
        made.closed = flags[3].then_some(created);
        let text = made.to_json().unwrap();
        prop_assert_eq!(Round::parse(&text, Path::new("r.json")).unwrap(), made);
    }
}
