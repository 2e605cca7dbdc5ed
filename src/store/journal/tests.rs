use super::*;
use benchtop_model::ErrorKind;
use uuid::Uuid;

use benchtop_model::verdict::{Part, RoundContext};
use benchtop_model::{Act, CommentAct, Judgement, Mark, PictureSeen, Seen, Verdict};

fn judged(n: u64) -> Decision {
    Decision {
        uuid: Uuid::from_u128(u128::from(n) + 1),
        rev: n,
        at: 1_763_700_000_123 + n as i64,
        who: "ann".into(),
        item: format!("set/{n}"),
        on: Some("0badcafe".into()),
        act: Act::Judge(Judgement {
            reasons: vec!["unsafe".into()],
            note: Some("a \"note\"\nof two lines".into()),
            ms: Some(812),
            pictures: vec![PictureSeen::Painted, PictureSeen::Broken],
            ..Judgement::new(Verdict::Reject, Seen::Partly)
        }),
    }
}

#[test]
fn appended_decisions_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let undo = Decision {
        act: Act::Undo(Uuid::from_u128(1)),
        rev: 2,
        ..judged(2)
    };
    let mut journal = Journal::open(dir.path(), "ann").unwrap();
    journal.append(&[judged(0), judged(1)]).unwrap();
    journal.append(std::slice::from_ref(&undo)).unwrap();
    let reading = read(&dir.path().join("ann.jsonl")).unwrap();
    assert_eq!(reading.decisions, [judged(0), judged(1), undo]);
    assert_eq!(reading.length, journal.length());
    assert_eq!(reading.prefix, *journal.prefix());
}

#[test]
fn a_verdict_in_a_round_has_its_own_line_version() {
    let asked = RoundContext {
        round: "pass-1".into(),
        part: Part::Revision,
        guidelines: Some("1a2b3c4d".into()),
        revealed: true,
    };
    let judgement = Judgement {
        answer: Some("B".into()),
        round: Some(asked),
        ..Judgement::new(Verdict::Unsure, Seen::Painted)
    };
    let decision = Decision {
        act: Act::Judge(judgement),
        ..judged(3)
    };
    let (mut plain, mut in_round) = (Vec::new(), Vec::new());
    encode(&judged(3), &mut plain).unwrap();
    encode(&decision, &mut in_round).unwrap();
    assert!(
        plain.starts_with(b"{\"v\":1,") && in_round.starts_with(b"{\"v\":2,"),
        "an older program must refuse the second"
    );
    let dir = tempfile::tempdir().unwrap();
    Journal::open(dir.path(), "ann")
        .unwrap()
        .append(std::slice::from_ref(&decision))
        .unwrap();
    assert_eq!(
        read(&dir.path().join("ann.jsonl")).unwrap().decisions,
        [decision]
    );
}

#[test]
fn comments_have_their_own_line_version_and_verdicts_keep_theirs() {
    let of = Uuid::from_u128(9);
    let marks = vec![Mark::area(2, (0.25, 0.5), (0.5, 0.75)).labeled(Some("hand".into()))];
    let text = "six \"fingers\"\nof one hand".to_string();
    let acts = [
        CommentAct::Write {
            text: text.clone(),
            reply_to: Some(of),
            marks: marks.clone(),
        },
        CommentAct::Edit {
            of,
            text,
            marks: Vec::new(),
        },
        CommentAct::Delete { of },
        CommentAct::Resolve { of, resolved: true },
        CommentAct::Resolve {
            of,
            resolved: false,
        },
        CommentAct::Undo { of },
        CommentAct::Redo { of },
    ];
    for act in acts {
        let said = Decision {
            act: Act::Comment(act),
            ..judged(3)
        };
        let line = String::from_utf8(super::text(&said)).unwrap();
        assert!(line.starts_with("{\"v\":3,"), "{line}");
        assert_eq!(decode(line.as_bytes()).unwrap(), said);
    }
    let Act::Judge(judgement) = judged(3).act else {
        panic!("a verdict");
    };
    let tagged = Decision {
        act: Act::Judge(Judgement {
            tags: vec!["light/night".into()],
            marks,
            ..judgement
        }),
        ..judged(3)
    };
    let line = String::from_utf8(super::text(&tagged)).unwrap();
    assert!(line.starts_with("{\"v\":1,"), "earlier programs read it");
    assert_eq!(decode(line.as_bytes()).unwrap(), tagged);
    let plain = String::from_utf8(super::text(&judged(3))).unwrap();
    assert!(!plain.contains("tags") && !plain.contains("marks"));
}

#[test]
fn lines_about_comments_name_one_act_and_their_comment() {
    let line = |more: &str| {
        let plain = format!(
            "{{\"v\":3,\"uuid\":\"{}\",\"rev\":1,\"at\":\"2026-11-24T00:00:00Z\",\"who\":\"ann\",\"item\":\"set/1\"{more}",
            Uuid::from_u128(1)
        );
        let crc = crc32fast::hash(plain.as_bytes());
        decode(format!("{plain},\"crc\":\"{crc:08x}\"}}\n").as_bytes())
    };
    assert!(line(",\"comment\":\"write\",\"text\":\"x\"").is_ok());
    for more in [
        "",
        ",\"comment\":\"shout\"",
        ",\"comment\":\"delete\"",
        ",\"comment\":\"write\",\"verdict\":\"accept\"",
        ",\"comment\":\"write\",\"marks\":[{\"point\":[0,7]}]",
    ] {
        assert_eq!(line(more).unwrap_err().kind, ErrorKind::Corrupt, "{more}");
    }
}

#[test]
fn a_torn_tail_is_saved_and_appending_continues() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ann.jsonl");
    Journal::open(dir.path(), "ann")
        .unwrap()
        .append(&[judged(0), judged(1)])
        .unwrap();
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 7]).unwrap();
    let mut journal = Journal::open(dir.path(), "ann").unwrap();
    journal.append(&[judged(2)]).unwrap();
    let reading = read(&path).unwrap();
    assert_eq!(reading.decisions, [judged(0), judged(2)]);
    assert!(!reading.torn && reading.problems.is_empty());
    assert!(dir.path().join("ann.jsonl.torn-1").exists());
}

#[test]
fn after_refuses_a_journal_that_changed_since_it_was_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ann.jsonl");
    Journal::after(dir.path(), "ann", PrefixDigest::default())
        .unwrap()
        .append(&[judged(0)])
        .unwrap();
    let prefix = read(&path).unwrap().prefix;
    std::fs::write(
        &path,
        [&std::fs::read(&path).unwrap()[..], b"{\"v\":1"].concat(),
    )
    .unwrap();
    let mut journal = Journal::after(dir.path(), "ann", prefix.clone()).unwrap();
    journal.append(&[judged(1)]).unwrap();
    assert_eq!(read(&path).unwrap().decisions, [judged(0), judged(1)]);
    assert_eq!(*journal.prefix(), read(&path).unwrap().prefix);
    // The file has one line more than the prefix, is shorter, or exists although the prefix is
    // empty.
    for (cut, prefix) in [
        (false, prefix.clone()),
        (true, prefix),
        (true, PrefixDigest::default()),
    ] {
        if cut {
            std::fs::write(&path, b"{}\n").unwrap();
        }
        let before = std::fs::read(&path).unwrap();
        assert_eq!(
            Journal::after(dir.path(), "ann", prefix)
                .err()
                .unwrap()
                .kind,
            ErrorKind::Io
        );
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

#[test]
fn a_damaged_last_line_is_reported_and_stays_in_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ann.jsonl");
    Journal::open(dir.path(), "ann")
        .unwrap()
        .append(&[judged(0), judged(1)])
        .unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.len() - 60;
    bytes[at] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let reading = read(&path).unwrap();
    assert_eq!((reading.decisions, reading.torn), (vec![judged(0)], false));
    assert_eq!(reading.problems[0].place.line, Some(2));
    Journal::open(dir.path(), "ann")
        .unwrap()
        .append(&[judged(2)])
        .unwrap();
    assert!(
        std::fs::read(&path).unwrap().starts_with(&bytes),
        "the damaged line was cut"
    );
    assert_eq!(read(&path).unwrap().decisions, [judged(0), judged(2)]);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_damaged_line_is_reported_and_the_others_count() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ann.jsonl");
    Journal::open(dir.path(), "ann")
        .unwrap()
        .append(&[judged(0), judged(1)])
        .unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[40] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let reading = read(&path).unwrap();
    assert_eq!(reading.decisions, [judged(1)]);
    assert_eq!(reading.problems[0].place.line, Some(1));
}

#[test]
fn annotator_names_that_are_unsafe_as_file_names_are_refused() {
    for name in ["", "..", "a/b", ".hidden", "a b", &"x".repeat(65)] {
        assert!(check_annotator(name).is_err(), "{name:?}");
    }
    assert!(check_annotator("Zoë-2.b").is_ok());
}
