//! kill -9 at random moments: of the owner, of the client, of nobody's in particular when many start at once.
//!
//! A dozen rounds by default; `BENCHTOP_TORTURE=200 cargo test --test suite kill -- --nocapture` runs 200.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use uuid::Uuid;

use crate::support::{Bench, dice, kill, owners, readiness, rounds, verdict, wait_until};

const ITEMS: usize = 3000;

/// What a round sent, and what of it was acknowledged.
#[derive(Default)]
struct Round {
    sent: Vec<String>,
    acknowledged: BTreeSet<String>,
}

fn uuid_of(value: &Value) -> String {
    value["uuid"].as_str().unwrap_or_default().to_string()
}

/// Feeds verdicts as `who` until `stop` or until nobody reads, and takes the receipts.
fn decide(bench: &Bench, who: &str, stop: &AtomicBool, slowly: bool) -> Round {
    let mut round = Round::default();
    let mut decider = bench.decider(who);
    for number in 1..=ITEMS {
        let line = verdict(
            Uuid::now_v7(),
            number,
            ["accept", "reject", "flag"][number % 3],
        );
        if stop.load(Ordering::SeqCst) || !decider.send(&line) {
            break;
        }
        round.sent.push(line);
        if slowly && number % 8 == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    for receipt in decider.finish() {
        if receipt["saved"] == true {
            round.acknowledged.insert(uuid_of(&receipt));
        }
    }
    round
}

/// Every receipt is in the journals and among the verdicts, exactly once.
fn check(bench: &Bench, who: &str, round: &Round, what: &str) {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for verdict in bench.verdicts().iter().filter(|v| v["who"] == who) {
        *counts.entry(uuid_of(verdict)).or_default() += 1;
    }
    let mut lines: BTreeMap<String, u32> = BTreeMap::new();
    for line in bench.journals().iter().filter(|l| l["who"] == who) {
        *lines.entry(uuid_of(line)).or_default() += 1;
    }
    assert!(
        counts.values().chain(lines.values()).all(|n| *n == 1),
        "{what}: something counts twice"
    );
    let lost: Vec<&String> = round
        .acknowledged
        .iter()
        .filter(|u| !counts.contains_key(*u) || !lines.contains_key(*u))
        .collect();
    assert!(
        lost.is_empty(),
        "{what}: {} of {} acknowledged are lost",
        lost.len(),
        round.acknowledged.len()
    );
    let notices = bench.status()["notices"].to_string();
    assert!(!notices.contains(".jsonl:"), "{what}: {notices}");
}

#[test]
fn no_acknowledged_verdict_is_lost_when_the_owner_is_killed() {
    let bench = Bench::with_items(ITEMS);
    let mut all = Round::default();
    let (mut early, mut imports) = (0, 0);
    for n in 0..rounds(12) {
        let who = format!("r{n}");
        let stop = AtomicBool::new(false);
        let kind = n % 4;
        let round = std::thread::scope(|scope| {
            if kind == 1 {
                bench.kill_owner();
            }
            let deciding = scope.spawn(|| decide(&bench, &who, &stop, kind != 0));
            let importing = (kind == 3).then(|| {
                let file = bench.items_file(&format!("more{n}"), 0..4000);
                let bench = &bench;
                scope.spawn(move || bench.run(["import", file.to_str().unwrap()]).code)
            });
            wait_until("an owner", || !owners(bench.root()).is_empty());
            // Every fourth round within 25 ms of the owner's birth: before it listens, or just after.
            let wait = if kind == 1 {
                dice(n, 25)
            } else {
                10 + dice(n, if kind == 0 { 60 } else { 300 })
            };
            std::thread::sleep(Duration::from_millis(wait));
            owners(bench.root()).into_iter().for_each(kill);
            stop.store(true, Ordering::SeqCst);
            early += u32::from(kind == 1);
            if let Some(importing) = importing {
                let taken = importing.join().unwrap() == 0;
                imports += 1;
                let there = bench
                    .run(["items", "--json", "--filter", &format!("dataset:more{n}")])
                    .lines()
                    .len();
                assert!(
                    there == 4000 || (there == 0 && !taken),
                    "round {n}: {there} of 4000 items, taken: {taken}"
                );
            }
            deciding.join().unwrap()
        });
        check(&bench, &who, &round, &format!("round {n}"));
        if n % 3 == 0 {
            // Sent again with their receipts, all of them count, and each once.
            let again = bench.feed(["decide", "--as", &who], &(round.sent.join("\n") + "\n"));
            assert_eq!(again.code, 0, "round {n}: {}", again.err);
            let acknowledged = again.lines().iter().map(uuid_of).collect();
            check(
                &bench,
                &who,
                &Round {
                    sent: Vec::new(),
                    acknowledged,
                },
                &format!("round {n}, sent again"),
            );
        }
        all.sent.extend(round.sent);
        all.acknowledged.extend(round.acknowledged);
    }
    let there: BTreeSet<String> = bench.journals().iter().map(uuid_of).collect();
    assert!(all.acknowledged.is_subset(&there));
    assert!(!all.acknowledged.is_empty());
    leftovers(&bench);
    println!(
        "kill -9 of the owner: {} rounds ({early} within 25 ms of its start, {imports} during an import), {} sent, {} acknowledged, 0 lost",
        rounds(12),
        all.sent.len(),
        all.acknowledged.len()
    );
}

/// Killed imports leave nothing behind once the project was opened again.
fn leftovers(bench: &Bench) {
    bench.kill_owner();
    bench.run(["verdicts"]).ok();
    let manifest = std::fs::read_to_string(bench.root().join("imports/manifest.jsonl")).unwrap();
    for entry in std::fs::read_dir(bench.root().join("imports")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name == "manifest.jsonl" || manifest.contains(&name),
            "imports/{name} belongs to nobody"
        );
    }
}

#[test]
fn no_acknowledged_verdict_is_lost_when_the_client_is_killed() {
    let bench = Bench::with_items(500);
    for n in 0..rounds(6).min(100) {
        let who = format!("c{n}");
        let mut decider = bench.decider(&who);
        let mut acknowledged = BTreeSet::new();
        let enough = 1 + dice(n, 200) as usize;
        for number in 1..=400 {
            if !decider.send(&verdict(Uuid::now_v7(), number, "accept")) {
                break;
            }
            if number == enough {
                // What was sent and not answered may or may not count; what was answered does.
                acknowledged.insert(uuid_of(&decider.receipt()));
                kill(decider.child.id());
            }
        }
        acknowledged.extend(
            decider
                .finish()
                .iter()
                .filter(|r| r["saved"] == true)
                .map(uuid_of),
        );
        check(
            &bench,
            &who,
            &Round {
                sent: Vec::new(),
                acknowledged,
            },
            &format!("client round {n}"),
        );
    }
    wait_until("the owner lets go of the dead", || {
        bench.status()["owner"]["clients"] == 1
    });
}

#[test]
fn exactly_one_of_many_starting_owners_stays() {
    let bench = Bench::new();
    for n in 0..50 {
        let mut children: Vec<_> = (0..2 + n % 3).map(|_| bench.spawn_owner()).collect();
        let said: Vec<Value> = children.iter_mut().map(readiness).collect();
        let ready = said.iter().filter(|s| **s == "ready").count();
        let owned = said.iter().filter(|s| **s == "owned").count();
        assert_eq!(
            (ready, ready + owned),
            (1, children.len()),
            "round {n}: {said:?}"
        );
        for (child, said) in children.iter_mut().zip(&said) {
            if said == "owned" {
                assert_eq!(child.wait().unwrap().code(), Some(0), "round {n}");
            }
        }
        let alive = owners(bench.root());
        assert_eq!(alive.len(), 1, "round {n}");
        assert_eq!(bench.pid(), Some(u64::from(alive[0])), "round {n}");
        if n % 2 == 0 {
            bench.run(["stop"]).ok();
            assert_eq!(owners(bench.root()), [0; 0], "round {n}");
            assert!(!bench.root().join(".owner/socket").exists());
        } else {
            // A crash leaves its socket; the next ones must see that nobody listens.
            bench.kill_owner();
        }
        children.iter_mut().for_each(|c| drop(c.wait()));
    }
}

#[test]
fn concurrent_clients_share_one_owner() {
    let bench = Bench::with_items(10);
    for n in 0..8 {
        bench.kill_owner();
        std::thread::scope(|scope| {
            for client in 0..5 {
                let bench = &bench;
                scope.spawn(move || {
                    let who = format!("n{n}-{client}");
                    let line = verdict(Uuid::now_v7(), 1 + client, "accept");
                    let receipts = bench.feed(["decide", "--as", &who], &line).lines();
                    assert_eq!(receipts[0]["saved"], true);
                });
            }
        });
        assert_eq!(owners(bench.root()).len(), 1, "round {n}");
    }
    assert_eq!(bench.verdicts().len(), 8 * 5);
}

#[test]
fn a_repeated_decision_counts_once_across_a_kill() {
    let bench = Bench::with_items(5);
    let uuid = Uuid::now_v7();
    let line = verdict(uuid, 3, "reject");
    let first = bench
        .feed(["decide", "--as", "ann"], &line)
        .lines()
        .remove(0);
    bench.kill_owner();
    let again = bench
        .feed(["decide", "--as", "ann"], &format!("{line}\n{line}\n"))
        .lines();
    for receipt in &again {
        assert_eq!(
            (&receipt["rev"], &receipt["uuid"], &receipt["number"]),
            (&first["rev"], &first["uuid"], &first["number"])
        );
    }
    assert_eq!(bench.journals().len(), 1);
    assert_eq!(bench.status()["counts"]["decisions"], 1);
}

#[test]
fn decide_continues_with_the_next_owner() {
    let bench = Bench::with_items(300);
    let mut decider = bench.decider("ann");
    for number in 1..=300 {
        // By id and by number: both ask the owner something.
        let line = match number % 2 {
            0 => serde_json::json!({"item": format!("set/{}", number - 1), "verdict": "accept"})
                .to_string(),
            _ => verdict(Uuid::now_v7(), number, "accept"),
        };
        assert!(decider.send(&line), "it ended early");
        if number % 100 == 50 {
            decider.receipt();
            // Not until there is none: the next one is there at once.
            owners(bench.root()).into_iter().for_each(kill);
        }
    }
    let receipts = decider.finish();
    assert_eq!(
        receipts.iter().filter(|r| r["saved"] == true).count(),
        297,
        "{:?}",
        receipts.iter().find(|r| r["saved"] == false)
    );
    assert_eq!(bench.verdicts().len(), 300);
    assert_eq!(bench.journals().len(), 300, "each counts once");
}
