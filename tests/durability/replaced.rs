//! Other programs replace, move, remove, cut or write to the journals of a project that is open. `saved` is never said of
//! what is not found when the project is read anew.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use benchtop::model::{Act, Decision, Judgement, Seen, Verdict};
use benchtop::protocol::Client;
use benchtop::protocol::wire::{Decide, request};
use benchtop::store::journal::{self, Journal};
use uuid::Uuid;

use crate::support::{Bench, Refusal, wait_until};

fn decide(client: &Client, number: u32) -> Result<Uuid, benchtop::model::Error> {
    let uuid = Uuid::now_v7();
    let judgement = Judgement::new(Verdict::Accept, Seen::Script);
    {
        let receipt = client.ask(request::Decide(Decide {
            uuid,
            number,
            expected: None,
            judgement,
        }))?;
        Ok(receipt.uuid)
    }
}

/// A journal of one verdict that nobody gave here, on item 20.
fn theirs() -> (Uuid, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    let uuid = Uuid::from_u128(7);
    let act = Act::Judge(Judgement::new(Verdict::Reject, Seen::Script));
    let decision = Decision {
        uuid,
        rev: 1,
        at: 5,
        who: "ann".into(),
        item: "set/19".into(),
        on: None,
        act,
    };
    Journal::open(dir.path(), "ann")
        .unwrap()
        .append(&[decision])
        .unwrap();
    (uuid, std::fs::read(dir.path().join("ann.jsonl")).unwrap())
}

fn found(bench: &Bench) -> BTreeSet<Uuid> {
    bench
        .verdicts()
        .iter()
        .map(|v| v["uuid"].as_str().unwrap().parse().unwrap())
        .collect()
}

/// What is done to the journal, whether it can be written after that, and whether their verdict is in it then.
type Change = (&'static str, fn(&Path), bool, bool);

const CHANGES: [Change; 6] = [
    (
        "replaced by rename",
        |path| {
            let new = path.with_extension("new");
            std::fs::write(&new, theirs().1).unwrap();
            std::fs::rename(new, path).unwrap();
        },
        true,
        true,
    ),
    (
        "removed",
        |path| std::fs::remove_file(path).unwrap(),
        true,
        false,
    ),
    (
        "cut",
        |path| {
            let bytes = std::fs::read(path).unwrap();
            let first = bytes.iter().position(|b| *b == b'\n').unwrap() as u64 + 1;
            std::fs::File::options()
                .write(true)
                .open(path)
                .unwrap()
                .set_len(first)
                .unwrap();
        },
        true,
        false,
    ),
    (
        "grown",
        |path| {
            std::fs::File::options()
                .append(true)
                .open(path)
                .unwrap()
                .write_all(&theirs().1)
                .unwrap()
        },
        true,
        true,
    ),
    (
        "its folder moved away",
        |path| moved(path.parent().unwrap()),
        false,
        false,
    ),
    (
        "its folder replaced",
        |path| {
            moved(path.parent().unwrap());
            std::fs::create_dir(path.parent().unwrap()).unwrap();
            std::fs::write(path, theirs().1).unwrap();
        },
        true,
        true,
    ),
];

fn moved(folder: &Path) {
    std::fs::rename(folder, folder.with_extension("moved")).unwrap();
}

#[test]
fn saved_decisions_survive_replaced_journals() {
    for (what, change, writable, theirs_count) in CHANGES {
        let bench = Bench::with_items(30);
        let client = bench.client("ann", |_| ());
        for number in 1..=3 {
            decide(&client, number).unwrap();
        }
        let path = bench.root().join("sessions/ann.jsonl");
        change(&path);
        let refused = decide(&client, 4).unwrap_err();
        assert!(
            Refusal::parse(1, &refused.to_string()).names("ann.jsonl") && refused.help.is_some(),
            "{what}: {refused}"
        );
        let mut saved = BTreeSet::new();
        if writable {
            saved.extend((5..=7).map(|number| decide(&client, number).unwrap()));
            let notices = bench.status()["notices"].to_string();
            assert!(notices.contains("ann"), "{what}: {notices}");
        } else {
            assert!(
                decide(&client, 5).is_err() && decide(&client, 6).is_err(),
                "{what}"
            );
            assert!(!bench.status()["owner"]["read_only"].is_null(), "{what}");
            assert!(
                !bench.root().join("sessions").exists(),
                "{what}: the owner made the folder again"
            );
            let folder = bench.root().join("sessions");
            std::fs::rename(folder.with_extension("moved"), folder).unwrap();
            saved.insert(decide(&client, 7).unwrap());
            assert_eq!(found(&bench).len(), 4, "{what}");
        }
        assert!(bench.status()["owner"]["read_only"].is_null(), "{what}");
        let shown = found(&bench);
        assert_eq!(
            shown.contains(&theirs().0),
            theirs_count,
            "{what}: {shown:?}"
        );
        drop(client);
        bench.kill_owner();
        let again = found(&bench);
        assert!(saved.is_subset(&again), "{what}: {saved:?} {again:?}");
        assert_eq!(shown, again, "{what}: shown was not what is on disk");
    }
}

#[test]
fn an_idle_owner_reads_a_replaced_journal() {
    let bench = Bench::with_items(30);
    let client = bench.client("ann", |_| ());
    decide(&client, 1).unwrap();
    let (uuid, bytes) = theirs();
    let path = bench.root().join("sessions/ann.jsonl");
    std::fs::write(path.with_extension("new"), bytes).unwrap();
    std::fs::rename(path.with_extension("new"), &path).unwrap();
    wait_until("the other journal counts", || {
        found(&bench) == BTreeSet::from([uuid])
    });
}

#[test]
fn an_owner_writes_a_renamed_journal_and_reports_it() {
    let bench = Bench::with_items(5);
    let client = bench.client("ann", |_| ());
    decide(&client, 1).unwrap();
    let path = bench.root().join("sessions/ann.jsonl");
    std::fs::hard_link(&path, bench.beside("backup")).unwrap();
    decide(&client, 2).unwrap();
    assert!(
        bench.status()["notices"]
            .to_string()
            .contains("2 hard links"),
        "{}",
        bench.status()["notices"]
    );
    assert_eq!(journal::read(&path).unwrap().decisions.len(), 2);
}

#[test]
fn moved_journals_hold_every_saved_decision_and_no_refused_one() {
    let bench = Bench::with_items(2000);
    let sessions = bench.root().join("sessions");
    let over = AtomicBool::new(false);
    let (mut saved, mut refused) = (BTreeSet::new(), BTreeSet::new());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0.. {
                if over.load(Ordering::SeqCst) {
                    break;
                }
                let _ = std::fs::rename(
                    sessions.join("ann.jsonl"),
                    sessions.join(format!("old-{n}")),
                );
                std::thread::sleep(Duration::from_millis(3 + n % 20));
            }
        });
        let client = bench.client("ann", |_| ());
        for number in 1..=1000 {
            let uuid = Uuid::now_v7();
            let judgement = Judgement::new(Verdict::Accept, Seen::Script);
            let answer = client.ask(request::Decide(Decide {
                uuid,
                number,
                expected: None,
                judgement,
            }));
            if answer.is_ok() {
                saved.insert(uuid)
            } else {
                refused.insert(uuid)
            };
        }
        over.store(true, Ordering::SeqCst);
    });
    let mut there = BTreeSet::new();
    for entry in std::fs::read_dir(&sessions).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && !path.ends_with("README.md") {
            there.extend(
                journal::read(&path)
                    .unwrap()
                    .decisions
                    .into_iter()
                    .map(|d| d.uuid),
            );
        }
    }
    assert!(
        !saved.is_empty() && !refused.is_empty(),
        "{} saved, {} refused",
        saved.len(),
        refused.len()
    );
    assert_eq!(
        saved.difference(&there).count(),
        0,
        "of {} saved",
        saved.len()
    );
    assert_eq!(
        refused.intersection(&there).count(),
        0,
        "of {} refused",
        refused.len()
    );
}
