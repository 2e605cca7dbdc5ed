//! Jobs of three kinds beside each other, and kill -9 of the owner that works on them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use benchtop::store::runs::{self, Line};
use serde_json::Value;

use super::generate::{fifty, recorded};
use super::scoring::recorded as scores;
use crate::flows::eval::reply;
use crate::flows::filter::{configure, says};
use crate::inference::server::{Act, Server};
use crate::support::{Bench, dice, goes_on, wait_until};

const PICTURES: u64 = 2;
const RUN: u64 = 3;
const SCORES: u64 = 4;
const KINDS: [(u64, &str); 3] = [(PICTURES, "generation"), (RUN, "run"), (SCORES, "scoring")];

fn jobs(bench: &Bench) -> Vec<Value> {
    bench.run(["jobs", "--json"]).lines()
}

fn job(bench: &Bench, id: u64) -> Value {
    let found = jobs(bench).into_iter().find(|job| job["id"] == id);
    found.unwrap()
}

/// The unfinished jobs in their order.
fn order(bench: &Bench) -> Vec<u64> {
    let jobs = jobs(bench);
    let places: Vec<u64> = jobs
        .iter()
        .filter_map(|job| job["place"].as_u64())
        .collect();
    let open = places.iter().filter(|place| **place > 0).count() as u64;
    assert_eq!(
        places[..open as usize],
        (1..=open).collect::<Vec<_>>(),
        "every place once: {jobs:?}"
    );
    let ids = jobs.iter().filter_map(|job| job["id"].as_u64());
    ids.take(open as usize).collect()
}

/// All results on disk, each with what makes it one: pictures, answers, and scores.
fn results(bench: &Bench) -> [Vec<String>; 3] {
    let made = recorded(bench).into_iter();
    let mut answers = Vec::new();
    runs::read(bench.root(), RUN as u32, &mut |line| {
        if let Line::Answer { asked, .. } = line {
            answers.push(asked.number.to_string());
        }
        Ok(())
    })
    .unwrap();
    [
        made.filter(|line| line["job"] == PICTURES)
            .map(|line| line["picture"].to_string())
            .collect(),
        answers,
        scores(bench).iter().map(u64::to_string).collect(),
    ]
}

/// Starts the three jobs. Each takes some seconds.
fn begin(bench: &Bench, asked: &Server, judge: &Server) {
    bench.run(["generate", "--size", "64x64"]).ok();
    let url = judge.url();
    configure(
        bench,
        &format!("[judge]\nmodel = \"tiny\"\nendpoints = [{{ url = \"{url}\", concurrency = 1 }}]"),
    );
    bench
        .run([
            "generate",
            "--size",
            "64x64",
            "--filter",
            "status:pending",
            "--seed",
            "9",
            "--per-minute",
            "240",
            "--detach",
        ])
        .ok();
    let url = asked.url();
    bench
        .run([
            "eval",
            "--model",
            "tiny",
            "--endpoint",
            &url,
            "--concurrency",
            "2",
            "--blind",
            "--detach",
        ])
        .ok();
    bench
        .run([
            "filter",
            "run",
            "judge/answer-stands",
            "--drafts",
            "--detach",
        ])
        .ok();
}

/// The model that is asked, and the judge. They answer late while `slow` is set.
fn servers(slow: &Arc<AtomicBool>) -> (Server, Server) {
    let server = |ms, act: fn() -> Act| {
        let slow = slow.clone();
        Server::new(move |_| match slow.load(Ordering::Relaxed) {
            true => Act::Later(Duration::from_millis(ms), Box::new(act())),
            false => act(),
        })
    };
    let asked = server(120, || reply("(A)", "stop"));
    (asked, server(80, || says("yes")))
}

#[test]
fn jobs_of_three_kinds_have_one_order_and_the_same_actions() {
    let bench = fifty();
    let (asked, judge) = servers(&Arc::new(true.into()));
    begin(&bench, &asked, &judge);
    for (id, kind) in KINDS {
        assert_eq!(job(&bench, id)["kind"], kind);
    }
    assert_eq!(order(&bench), [PICTURES, RUN, SCORES]);
    // They need different resources, so all of them run.
    wait_until("all run", || {
        KINDS.iter().all(|(id, _)| {
            let job = job(&bench, *id);
            job["standing"] == "running" && job["done"].as_u64() > Some(0)
        })
    });
    for (id, _) in KINDS {
        let id = id.to_string();
        bench.run(["jobs", "first", &id]).ok();
        bench.run(["jobs", "pause", &id]).ok();
    }
    assert_eq!(order(&bench), [SCORES, RUN, PICTURES]);
    // The order and the pauses are on disk.
    bench.kill_owner();
    assert_eq!(order(&bench), [SCORES, RUN, PICTURES]);
    for (id, _) in KINDS {
        assert_eq!(job(&bench, id)["standing"], "paused");
        bench.run(["jobs", "remove", &id.to_string()]).refused(1);
        bench.run(["jobs", "resume", &id.to_string()]).ok();
        wait_until("it goes on", || job(&bench, id)["standing"] == "running");
    }
    // The words of the filter act on the same job.
    bench.run(["filter", "pause", "4"]).ok();
    assert_eq!(job(&bench, SCORES)["scoring"]["phase"], "paused");
    for (id, _) in KINDS {
        bench.run(["jobs", "cancel", &id.to_string()]).ok();
        bench.run(["jobs", "remove", &id.to_string()]).ok();
    }
    assert_eq!(order(&bench), [0; 0]);
    assert_eq!(jobs(&bench).len(), 1, "the first job has ended");
}

/// Pauses, resumes, or moves a job, another one in each round.
fn act(bench: &Bench, n: u64) {
    let (id, _) = KINDS[n as usize % KINDS.len()];
    let act = match job(bench, id)["standing"].as_str() {
        Some("paused") => "resume",
        Some("queued" | "running") if n.is_multiple_of(2) => "pause",
        Some("queued" | "running") => "first",
        _ => return,
    };
    let out = bench.run(["jobs", act, &id.to_string()]);
    let is_over = || job(bench, id)["standing"] == "done";
    assert!(out.code == 0 || is_over(), "{act} {id}: {out:?}");
    if act == "first" {
        let first = order(bench).first().copied();
        assert!(first == Some(id) || is_over(), "{first:?}");
    }
}

/// The jobs that are paused.
fn paused(bench: &Bench) -> Vec<u64> {
    let jobs = jobs(bench).into_iter();
    let paused = jobs.filter(|job| job["standing"] == "paused");
    let mut paused: Vec<u64> = paused.filter_map(|job| job["id"].as_u64()).collect();
    paused.sort_unstable();
    paused
}

#[test]
fn killed_jobs_of_three_kinds_do_nothing_twice() {
    let bench = fifty();
    let slow = Arc::new(AtomicBool::new(true));
    let (asked, judge) = servers(&slow);
    begin(&bench, &asked, &judge);
    let mut before = results(&bench);
    let mut sizes: [BTreeSet<usize>; 3] = Default::default();
    let is_spread = |sizes: &[BTreeSet<usize>; 3]| sizes.iter().all(|sizes| sizes.len() > 3);
    let mut n = 0;
    while goes_on(n, 12, is_spread(&sizes)) {
        // The next owner goes on by itself.
        act(&bench, n);
        let (places, pauses) = (order(&bench), paused(&bench));
        std::thread::sleep(Duration::from_millis(100 + dice(n, 300)));
        // What somebody was told is there after the kill.
        let told = KINDS.map(|(id, _)| job(&bench, id)["done"].as_u64().unwrap() as usize);
        bench.kill_owner();
        let now = results(&bench);
        for (at, (before, now)) in before.iter().zip(&now).enumerate() {
            assert!(now.starts_with(before), "round {n}: a result is gone");
            // The progress of a scoring job starts anew with its owner.
            assert!(now.len() >= told[at], "round {n}: {told:?}");
            sizes[at].insert(now.len());
        }
        before = now;
        // The order and the pauses are as they were. What was not paused may have ended.
        let after = order(&bench);
        let left = places.into_iter().filter(|id| after.contains(id));
        assert_eq!(left.collect::<Vec<_>>(), after, "round {n}");
        assert_eq!(paused(&bench), pauses, "round {n}");
        n += 1;
    }
    assert!(is_spread(&sizes), "the kills were not spread over the jobs");
    // Nothing is killed from here on.
    slow.store(false, Ordering::Relaxed);
    for id in paused(&bench) {
        bench.run(["jobs", "resume", &id.to_string()]).ok();
    }
    wait_until("all are done", || {
        KINDS
            .iter()
            .all(|(id, _)| job(&bench, *id)["standing"] == "done")
    });
    let items = bench.items().len();
    let all = results(&bench);
    assert_eq!((all[0].len(), all[1].len()), (50, items));
    for all in &all {
        let distinct: BTreeSet<&String> = all.iter().collect();
        assert_eq!(distinct.len(), all.len(), "something was done twice");
    }
    // At most what was in flight was asked again.
    let most = items + n as usize * 4;
    assert!(asked.seen().len() <= most, "{} asked", asked.seen().len());
    println!("kill -9 of an owner with three jobs: killed at {sizes:?} results");
}
