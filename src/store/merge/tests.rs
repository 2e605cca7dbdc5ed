//! Tests that the result of merging does not depend on the order of files.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::checksummed_line;
use crate::open::tests::fill;
use benchtop_model::CommentAct;
use benchtop_model::verdict::{Judgement, Seen, Verdict};

const ITEMS: i64 = 6;

fn decision(uuid: u128, rev: u64, who: &str, item: i64, act: Act) -> Decision {
    let (uuid, item) = (Uuid::from_u128(uuid), format!("set/{item}"));
    Decision {
        uuid,
        rev,
        at: 1000 + rev as i64,
        who: who.into(),
        item,
        on: None,
        act,
    }
}

fn judge(verdict: Verdict) -> Act {
    Act::Judge(Judgement::new(verdict, Seen::Script))
}

/// Events of threads, also about comments that are not there.
fn comment(n: usize, of: Uuid) -> CommentAct {
    let (text, marks) = (format!("text {n}"), Vec::new());
    match n {
        9 => CommentAct::Write {
            text,
            reply_to: Some(of),
            marks,
        },
        10 => CommentAct::Edit { of, text, marks },
        11 => CommentAct::Delete { of },
        12 => CommentAct::Resolve { of, resolved: true },
        13 => CommentAct::Undo { of },
        _ => CommentAct::Redo { of },
    }
}

/// Receipt, revision, clock offset, annotator, item, act, and judged text.
type RandomDecision = (u128, u64, i64, usize, i64, usize, Option<u32>);

/// Random journals with undos of anything, duplicate receipts, and clocks that jump.
fn journals() -> impl Strategy<Value = Vec<Decision>> {
    let one = (
        0u128..30,
        1u64..12,
        -20i64..20,
        0usize..3,
        0..ITEMS + 1,
        0usize..15,
        prop::option::of(0u32..3),
    );
    let build = |(uuid, rev, jump, who, item, what, on): RandomDecision| {
        let act = match what {
            0 => Act::Undo(Uuid::from_u128(rev.into())),
            1 => Act::Redo(Uuid::from_u128(rev.into())),
            n @ 9.. => Act::Comment(comment(n, Uuid::from_u128(rev.into()))),
            n => judge(Verdict::ALL[n - 2]),
        };
        let who = ["ann", "bob", "cem"][who];
        let mut decision = decision(uuid, rev, who, item, act);
        decision.at += jump;
        // Some are on the present text, some on another text, and some name no text.
        decision.on = on.map(|n| {
            if n == 0 {
                "another".into()
            } else {
                format!("{n}")
            }
        });
        decision
    };
    prop::collection::vec(one.prop_map(build), 0..25)
}

#[test]
fn merging_is_independent_of_order_and_idempotent() {
    let dir = tempfile::tempdir().unwrap();
    let opened = fill(dir.path(), 0, ITEMS);
    let (catalog, pictures) = (&opened.catalog, Pictures::default());
    let right = |mut list: Vec<Decision>| {
        for decision in &mut list {
            let row = catalog.row_of_hash(id_hash(&decision.item));
            if let (Some(row), Some("1" | "2")) = (row, decision.on.as_deref()) {
                decision.on = Some(catalog.item(row as usize).unwrap().digest());
            }
        }
        list
    };
    let into = |history: &History, all: &[Decision]| {
        let merge = union(history, all.to_vec(), catalog, &pictures).unwrap();
        assert_eq!(
            merge.report.added as usize,
            merge.new_decisions.values().flatten().count()
        );
        history.with(merge.new_decisions.into_values().flatten())
    };
    let same = |a: &History, b: &History| {
        assert_eq!(a.decisions, b.decisions);
        let statuses = |h: &History| {
            let (ledger, _) = h.fold(catalog, &pictures, HistoryPoint::Now);
            (0..ITEMS as u32)
                .map(|row| {
                    let comments = ledger.comments(row, |_| true);
                    (ledger.status(row), ledger.effective_verdicts(row), comments)
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(statuses(a), statuses(b));
    };
    let config = ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest!(config, |(here in journals(), a in journals(), b in journals())| {
        let (a, b) = (right(a), right(b));
        let here = into(&History::default(), &right(here));
        let one_then_other = into(&into(&here, &a), &b);
        same(&one_then_other, &into(&into(&here, &b), &a));
        same(&one_then_other, &into(&here, &[a.clone(), b.clone()].concat()));
        same(&one_then_other, &into(&one_then_other, &b));
        same(&one_then_other, &into(&one_then_other, &a));
    });
}

#[test]
fn damaged_torn_and_late_lines_are_reported_and_the_rest_is_merged() {
    let dir = tempfile::tempdir().unwrap();
    let opened = fill(dir.path(), 0, ITEMS);
    let mut lines = Vec::new();
    for (n, item) in [(1, 0), (2, 1), (3, 2), (4, 99)] {
        let mut given = decision(n, n as u64, "ann", item, judge(Verdict::Accept));
        given.at -= if n == 3 { 500 } else { 0 };
        journal::encode(&given, &mut lines).unwrap();
    }
    let cut = lines.len();
    journal::encode(
        &decision(5, 5, "ann", 3, judge(Verdict::Reject)),
        &mut lines,
    )
    .unwrap();
    let second = memchr::memchr(b'\n', &lines).unwrap() + 30;
    lines[second] ^= 1;
    let path = dir.path().join("from-elsewhere.jsonl");
    std::fs::write(&path, &lines[..cut + 40]).unwrap();
    let merge = plan(
        &History::default(),
        std::slice::from_ref(&path),
        &opened.catalog,
        &Pictures::default(),
    )
    .unwrap();
    let file = &merge.report.files[0];
    assert_eq!((file.decisions, file.torn, file.clock_back), (3, true, 1));
    assert!(file.damaged[0].starts_with("line 2: "), "{file:?}");
    assert_eq!(merge.report.added, 3);
    assert!(!merge.report.notes.is_empty(), "the unknown item is noted");
    std::fs::write(&path, b"{\"some\":\"thing\"}\nelse\n").unwrap();
    let refused = plan(
        &History::default(),
        std::slice::from_ref(&path),
        &opened.catalog,
        &Pictures::default(),
    )
    .unwrap_err();
    assert!(refused.help.is_some() && refused.place.file == Some(path));
    let missing = plan(
        &History::default(),
        &["nowhere.jsonl".into()],
        &opened.catalog,
        &Pictures::default(),
    );
    assert_eq!(missing.unwrap_err().kind, ErrorKind::NotFound);
    let mut name = Vec::new();
    checksummed_line::encode(
        &serde_json::json!({"v": 1, "uuid": Uuid::nil(), "rev": 1, "at": "2026-01-01T00:00:00Z",
        "who": "../ann", "item": "set/1", "verdict": "accept"}),
        &mut name,
    )
    .unwrap();
    std::fs::write(dir.path().join("b.jsonl"), name).unwrap();
    let bad = plan(
        &History::default(),
        &[dir.path().join("b.jsonl")],
        &opened.catalog,
        &Pictures::default(),
    );
    assert!(
        bad.unwrap_err().place.file.is_some(),
        "an unsafe annotator name must not become a file name"
    );
}

#[test]
fn conflicts_are_listed_and_verdicts_on_another_text_are_skipped() {
    let dir = tempfile::tempdir().unwrap();
    let opened = fill(dir.path(), 0, ITEMS);
    let here = History::default().with([
        decision(1, 1, "ann", 0, judge(Verdict::Accept)),
        decision(2, 2, "ann", 1, judge(Verdict::Accept)),
        decision(3, 3, "ann", 2, judge(Verdict::Accept)),
    ]);
    let other = Decision {
        on: Some("00000000".into()),
        ..decision(13, 3, "bob", 3, judge(Verdict::Reject))
    };
    let all = vec![
        // Two annotators, one annotator on two machines, two annotators who agree, another text.
        decision(11, 1, "bob", 0, judge(Verdict::Reject)),
        decision(12, 5, "ann", 1, judge(Verdict::Reject)),
        decision(14, 4, "bob", 2, judge(Verdict::Accept)),
        other,
    ];
    let merge = union(&here, all, &opened.catalog, &Pictures::default()).unwrap();
    let listed: Vec<_> = merge
        .report
        .conflicts
        .iter()
        .map(|c| {
            (
                c.number,
                c.verdicts
                    .iter()
                    .map(|s| (s.who.as_str(), s.verdict, s.incoming))
                    .collect::<Vec<_>>(),
            )
        })
        .collect();
    let (accept, reject) = (Verdict::Accept, Verdict::Reject);
    assert_eq!(
        listed,
        [
            (1, vec![("ann", accept, false), ("bob", reject, true)]),
            (2, vec![("ann", accept, false), ("ann", reject, true)]),
        ]
    );
    assert_eq!((merge.report.added, merge.report.aside.len()), (3, 1));
    assert_eq!(merge.report.aside[0].item, "set/3");
}

#[test]
fn exported_verdicts_import_once_with_the_same_effect() {
    use benchtop_model::verdict_interchange::ExchangedVerdict;
    let dir = tempfile::tempdir().unwrap();
    let opened = fill(dir.path(), 0, ITEMS);
    let (catalog, pictures) = (&opened.catalog, Pictures::default());
    let ledger_of = |history: &History| history.fold(catalog, &pictures, HistoryPoint::Now).0;
    let effective = |history: &History| ledger_of(history).all_effective_verdicts();
    let exchanged = |history: &History, revs: bool| {
        let one = |(row, s): (u32, benchtop_model::verdict::EffectiveVerdict)| {
            let item = catalog.item(row as usize).unwrap();
            let on = Some(item.digest());
            let (who, judgement, at) = (s.who, s.judgement, Some(s.at));
            let rev = revs.then_some(s.rev);
            (
                "a line".to_string(),
                ExchangedVerdict {
                    item: item.id,
                    who,
                    judgement,
                    at,
                    rev,
                    uuid: s.uuid,
                    on,
                    question: None,
                },
            )
        };
        effective(history).into_iter().map(one).collect::<Vec<_>>()
    };
    let plan = |history: &History, list| {
        let planned =
            plan_verdicts(history, (list, Vec::new()), (catalog, &pictures), 5_000).unwrap();
        (planned.merge, planned.aside)
    };
    let config = ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest!(config, |(there in journals(), here in journals(), revs in any::<bool>())| {
        let there = History::default().with(there.into_iter().filter(|d| d.on.is_none()));
        let list = exchanged(&there, revs);
        let (merge, aside) = plan(&History::default(), list.iter().rev().cloned().collect());
        prop_assert_eq!((merge.report.added, aside.len()), (list.len() as u64, 0));
        let fresh = History::default().with(merge.new_decisions.into_values().flatten());
        if revs {
            prop_assert_eq!(effective(&fresh), effective(&there));
            let status = |h: &History| (0..ITEMS as u32).map(|row| ledger_of(h).status(row)).collect::<Vec<_>>();
            prop_assert_eq!(status(&fresh), status(&there));
        }
        // A second import adds nothing, even after other decisions.
        let others = here.into_iter().filter(|d| !list.iter().any(|(_, v)| v.uuid == d.uuid));
        let (again, aside) = plan(&fresh.with(others), list.clone());
        prop_assert_eq!((again.report.added, again.report.known, aside), (0, list.len() as u64, vec![]));
    });
}

#[test]
fn a_verdict_without_a_revision_is_placed_by_its_time() {
    use benchtop_model::verdict_interchange::ExchangedVerdict;
    let dir = tempfile::tempdir().unwrap();
    let opened = fill(dir.path(), 0, ITEMS);
    let (catalog, pictures) = (&opened.catalog, Pictures::default());
    let here = |uuid, rev| decision(uuid, rev, "ann", 1, judge(Verdict::Accept));
    let history = History::default().with([here(1, 5), here(2, 9)]);
    let verdict = |at, item: &str, question: Option<&str>| ExchangedVerdict {
        item: item.into(),
        who: "ann".into(),
        judgement: Judgement::new(Verdict::Reject, Seen::Script),
        at,
        rev: None,
        uuid: Uuid::from_u128(77),
        on: None,
        question: question.map(Into::into),
    };
    let taken = |verdict: ExchangedVerdict| {
        let list = vec![("line 2".to_string(), verdict)];
        let found = (list, Vec::new());
        let PlannedImport {
            merge, mut aside, ..
        } = plan_verdicts(&history, found, (catalog, &pictures), 4_000).unwrap();
        let fresh = merge.new_decisions.into_values().flatten().next();
        fresh
            .map(|d| (d.rev, d.at, d.on.is_some()))
            .ok_or_else(|| aside.remove(0).item)
    };
    assert_eq!(
        taken(verdict(Some(900), "set/1", None)),
        Ok((0, 900, false))
    );
    assert_eq!(
        taken(verdict(Some(1_005), "set/1", None)),
        Ok((5, 1_005, false))
    );
    assert_eq!(
        taken(verdict(Some(1_008), "set/1", None)),
        Ok((5, 1_008, false))
    );
    assert_eq!(taken(verdict(None, "set/1", None)), Ok((9, 4_000, false)));
    let question = catalog.item(1).unwrap().question;
    assert_eq!(
        taken(verdict(None, "set/1", Some(&question))),
        Ok((9, 4_000, true)),
        "the question shown is the present question"
    );
    assert_eq!(
        taken(verdict(None, "set/1", Some("Another?"))),
        Err("set/1".into())
    );
    assert_eq!(taken(verdict(None, "set/99", None)), Err("set/99".into()));
    let other = ExchangedVerdict {
        uuid: Uuid::from_u128(2),
        ..verdict(None, "set/1", None)
    };
    assert_eq!(taken(other), Err("set/1".into()));
}
