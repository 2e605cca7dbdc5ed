//! kill -9 of an owner during scoring.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;

use super::generate::fifty;
use crate::flows::filter::{configure, says};
use crate::inference::server::{Act, Server};
use crate::support::{Bench, dice, json_lines, rounds, wait_until};

/// Bytes of a row of a file of scores, with the number of its inputs first.
const ROW: usize = 28;

/// The inputs that have a score on disk, in order.
pub fn recorded(bench: &Bench) -> Vec<u64> {
    let folder = bench.root().join("scores/judge.answer-stands");
    let files = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|e| e.unwrap().path());
    let bytes: Vec<u8> = files
        .filter(|p| p.extension().is_some_and(|e| e == "scores"))
        .flat_map(|p| std::fs::read(p).unwrap())
        .collect();
    bytes
        .chunks_exact(ROW)
        .map(|row| u64::from_le_bytes(row[..8].try_into().unwrap()))
        .collect()
}

fn job(bench: &Bench) -> Value {
    let report = json_lines(&bench.run(["filter", "report", "--json"]).ok()).remove(0);
    let scorers = report["scorers"].as_array().unwrap();
    scorers
        .iter()
        .find(|s| s["scorer"] == "judge/answer-stands")
        .unwrap()
        .clone()
}

#[test]
fn a_killed_scoring_job_scores_every_input_once() {
    let bench = fifty();
    bench.run(["generate", "--size", "64x64"]).ok();
    let slow = Arc::new(AtomicBool::new(true));
    let is_slow = slow.clone();
    let server = Server::new(move |_| match is_slow.load(Ordering::Relaxed) {
        true => Act::Later(Duration::from_millis(60), Box::new(says("yes"))),
        false => says("yes"),
    });
    let url = server.url();
    configure(
        &bench,
        &format!("[judge]\nmodel = \"tiny\"\nendpoints = [{{ url = \"{url}\", concurrency = 2 }}]"),
    );
    bench
        .run([
            "filter",
            "run",
            "judge/answer-stands",
            "--drafts",
            "--detach",
        ])
        .ok();
    let mut seen = BTreeSet::new();
    let mut before: Vec<u64> = Vec::new();
    for n in 0..rounds(12) {
        std::thread::sleep(Duration::from_millis(20 + dice(n, 160)));
        // What somebody was told is there after the kill.
        let told = job(&bench)["items"][1].as_u64().unwrap();
        bench.kill_owner();
        let now = recorded(&bench);
        assert!(now.starts_with(&before), "round {n}: a score is gone");
        assert!(
            now.len() as u64 >= told.min(50),
            "round {n}: {told} scores were told of, {} are there",
            now.len()
        );
        seen.insert(now.len());
        before = now;
    }
    // Nothing is killed from here on.
    slow.store(false, Ordering::Relaxed);
    wait_until("the job is done", || job(&bench)["job"]["phase"] == "done");
    let all = recorded(&bench);
    let distinct: BTreeSet<u64> = all.iter().copied().collect();
    assert_eq!(
        (all.len(), distinct.len()),
        (distinct.len(), all.len()),
        "an input is scored twice"
    );
    let scored = job(&bench);
    assert_eq!(
        scored["items"][1].as_u64().unwrap(),
        bench.items().len() as u64,
        "{scored}"
    );
    println!(
        "kill -9 of a scoring owner: {} rounds, killed at {seen:?} of {} scores",
        rounds(12),
        all.len()
    );
}
