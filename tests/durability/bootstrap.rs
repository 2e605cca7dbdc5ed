//! kill -9 of an owner whose models write variants, and budgets of such jobs.
//!
//! 20 kills by default; `BENCHTOP_TORTURE=200 cargo test --test suite durability::bootstrap` does 200.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use benchtop::store::jobs::{Done, ModelRole, StepJournal, StepLine};
use serde_json::Value;

use crate::flows::bootstrap::{boots, good};
use crate::flows::derived::exported;
use crate::flows::eval::words;
use crate::inference::server::{Act, Seen, Server};
use crate::support::{Bench, dice, rounds, wait_until};

const IN_FLIGHT: usize = 8;
const ITEMS: usize = 40;

fn job(bench: &Bench) -> Value {
    bench.run(["jobs", "--json"]).lines().remove(0)
}

fn slow(ms: u64) -> Server {
    Server::new(move |seen| Act::Later(Duration::from_millis(ms), Box::new(good(seen))))
}

/// Slow while `waits`.
fn slow_while(waits: &Arc<AtomicBool>) -> Server {
    let waits = waits.clone();
    Server::new(move |seen| match waits.load(Ordering::SeqCst) {
        true => Act::Later(Duration::from_millis(300), Box::new(good(seen))),
        false => good(seen),
    })
}

/// What tells requests apart: model, text, and seed.
type Key = (String, String, Option<u64>);

fn sent(seen: &Seen) -> Key {
    let model = seen.body["model"].as_str().unwrap().to_string();
    let seed = seen.body["seed"].as_u64().filter(|_| model == "writer");
    (model, words(seen), seed)
}

/// The answers on disk, with how often each is there.
fn answers(bench: &Bench) -> BTreeMap<Key, usize> {
    let mut all = BTreeMap::new();
    StepJournal::each(bench.root(), 1, &mut |line| {
        if let StepLine::Done {
            done: Done::Answer(answer),
            ..
        } = line
        {
            let model = answer.role.name().to_string();
            let seed = answer
                .seed
                .map(u64::from)
                .filter(|_| answer.role == ModelRole::Writer);
            *all.entry((model, answer.prompt, seed)).or_default() += 1;
        }
    })
    .unwrap();
    all
}

/// How often a picture of each source was painted.
fn painted(bench: &Bench) -> Vec<usize> {
    let mut all = BTreeMap::new();
    StepJournal::each(bench.root(), 1, &mut |line| {
        if let StepLine::Done {
            n,
            done: Done::Painted { .. },
            ..
        } = line
        {
            *all.entry(n).or_default() += 1;
        }
    })
    .unwrap();
    all.into_values().collect()
}

fn is_ended(bench: &Bench) -> bool {
    job(bench)["standing"] == "done"
}

#[test]
fn a_killed_job_asks_for_no_answer_that_is_on_disk_and_makes_each_item_once() {
    let server = slow(12);
    let bench = boots(ITEMS, &server);
    let strategies = ["L1", "L3", "L4", "L4(L1)", "V3"];
    let args = ["bootstrap", "--detach", "--strategies"];
    bench.run(args.into_iter().chain(strategies)).ok();
    let (mut kills, mut n) = (0, 0);
    while n < rounds(20) {
        n += 1;
        std::thread::sleep(Duration::from_millis(dice(n, 60)));
        if bench.pid().is_none() {
            bench.run(["status"]).ok();
        }
        bench.kill_owner();
        kills += 1;
        // Requests that were on their way arrive.
        std::thread::sleep(Duration::from_millis(20));
        let (on_disk, before) = (answers(&bench), server.seen().len());
        bench.run(["jobs"]).ok();
        wait_until("the job goes on", || {
            server.seen().len() > before || is_ended(&bench)
        });
        for seen in &server.seen()[before..] {
            let key = sent(seen);
            assert!(!on_disk.contains_key(&key), "asked again: {key:?}");
        }
    }
    wait_until("the job ends", || is_ended(&bench));
    let on_disk = answers(&bench);
    assert!(on_disk.values().all(|count| *count == 1));
    // One answer of a writer and one of a judge for each product. V3 is only painted and judged.
    assert_eq!(on_disk.len(), ITEMS * (4 * 2 + 1));
    assert_eq!(painted(&bench), vec![1; ITEMS]);
    // Of each of the two models: requests in flight, and answers of the last moment.
    let most = on_disk.len() + kills * 2 * 2 * IN_FLIGHT;
    assert!(
        server.seen().len() <= most,
        "{} > {most}",
        server.seen().len()
    );
    let items = exported(&bench);
    let ids: BTreeSet<&String> = items.iter().map(|item| &item.id).collect();
    assert_eq!((ids.len(), items.len()), (ITEMS * 6, ITEMS * 6));
}

#[test]
fn a_paused_job_sends_no_batch_that_waits_for_its_model() {
    // The batch takes longer than the command that pauses the job.
    let waits = Arc::new(AtomicBool::new(true));
    let server = slow_while(&waits);
    let bench = boots(ITEMS, &server);
    let args = ["bootstrap", "--detach", "--strategies"];
    bench
        .run(args.into_iter().chain(["L1", "L2", "L3", "L4"]))
        .ok();
    wait_until("requests are sent", || server.seen().len() > IN_FLIGHT);
    bench.run(["jobs", "pause", "1"]).ok();
    waits.store(false, Ordering::SeqCst);
    // The batch that was being answered: four times as many sources as requests in flight.
    let batch = 4 * IN_FLIGHT * 4;
    wait_until("the batch ends", || server.seen().len() >= batch);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(server.seen().len(), batch);
    bench.run(["jobs", "resume", "1"]).ok();
    wait_until("the job ends", || is_ended(&bench));
    assert_eq!(server.seen().len(), ITEMS * 4 * 2);
}

#[test]
fn a_budget_is_exceeded_by_no_more_than_what_is_in_flight() {
    let server = slow(5);
    let bench = boots(ITEMS, &server);
    let args = [
        "bootstrap",
        "--strategies",
        "L1",
        "L4",
        "--detach",
        "--max-requests",
        "37",
    ];
    bench.run(args).ok();
    wait_until("the budget is spent", || {
        job(&bench)["standing"] == "paused"
    });
    let seen = server.seen().len();
    // Requests are counted before they are sent, so nothing exceeds the budget, with eight in flight.
    assert_eq!(seen, 37);
    assert_eq!(job(&bench)["usage"]["requests"], seen);
    bench
        .run(["jobs", "budget", "1", "--max-requests", "1000"])
        .ok();
    bench.run(["jobs", "resume", "1"]).ok();
    wait_until("the job ends", || is_ended(&bench));
    assert_eq!(server.seen().len(), ITEMS * 2 * 2);
    assert_eq!(exported(&bench).len(), ITEMS * 3);
}
