//! Imports and merges run beside decisions. Neither loses anything.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use benchtop::model::{Act, Decision, Judgement, Seen, Verdict};
use benchtop::protocol::wire::{Decide, request};
use benchtop::store::journal::Journal;
use uuid::Uuid;

use crate::support::{Bench, wait_until};

/// Verdicts of `who` on the items `set/from` and on.
fn given(who: &str, set: &str, from: u64, count: u64) -> Vec<Decision> {
    let one = |n: u64| Decision {
        uuid: Uuid::now_v7(),
        rev: n + 1,
        at: 1_763_700_000_000 + n as i64,
        who: who.into(),
        item: format!("{set}/{}", from + n),
        on: None,
        act: Act::Judge(Judgement::new(Verdict::Accept, Seen::Script)),
    };
    (0..count).map(one).collect()
}

fn by_person(bench: &Bench) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for verdict in bench.verdicts() {
        *counts
            .entry(verdict["who"].as_str().unwrap().to_string())
            .or_default() += 1;
    }
    counts
}

#[test]
fn import_and_merge_lose_no_concurrent_decision() {
    let bench = Bench::with_items(3000);
    bench.run(["stop"]).ok();
    // A journal of many verdicts, most of them on items that come later: the fold takes a while.
    let mut early = given("ann", "late", 0, 6000);
    early.extend(given("ann", "set", 0, 4000).into_iter().take(3000));
    Journal::open(&bench.root().join("sessions"), "ann")
        .unwrap()
        .append(&early)
        .unwrap();
    let other = tempfile::tempdir().unwrap();
    Journal::open(other.path(), "cid")
        .unwrap()
        .append(&given("cid", "set", 0, 2500))
        .unwrap();
    let merged = other.path().join("cid.jsonl");
    let late = bench.items_file("late", 0..6000);
    let over = AtomicBool::new(false);
    let mut decided = 0;
    std::thread::scope(|scope| {
        let deciding = scope.spawn(|| {
            let client = bench.client("bob", |_| ());
            let mut decided = 0;
            for number in 1..=3000 {
                if over.load(Ordering::SeqCst) && decided >= 300 {
                    break;
                }
                let judgement = Judgement::new(Verdict::Reject, Seen::Script);
                let decide = Decide {
                    uuid: Uuid::now_v7(),
                    number,
                    expected: None,
                    judgement,
                };
                client.ask(request::Decide(decide)).unwrap();
                decided += 1;
            }
            decided
        });
        bench.run(["import", late.to_str().unwrap()]).ok();
        bench.run(["merge", merged.to_str().unwrap()]).ok();
        over.store(true, Ordering::SeqCst);
        decided = deciding.join().unwrap();
    });
    let expected = BTreeMap::from([
        ("ann".to_string(), 9000),
        ("bob".to_string(), decided),
        ("cid".to_string(), 2500),
    ]);
    wait_until("all verdicts count", || by_person(&bench) == expected);
    let accepted = bench.status()["counts"]["by_status"].clone();
    let notices = bench.status()["notices"].to_string();
    assert!(!notices.contains(".jsonl"), "{notices}");
    // The journals say the same, and so does what the owner leaves for the next opening.
    for end in ["kill", "stop"] {
        if end == "kill" {
            bench.kill_owner();
        } else {
            bench.run(["stop"]).ok();
        }
        assert_eq!(by_person(&bench), expected, "{end}");
        assert_eq!(bench.status()["counts"]["by_status"], accepted, "{end}");
    }
}
