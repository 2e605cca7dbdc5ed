//! kill -9 of an owner that makes a scenario.
//!
//! 20 rounds by default; `BENCHTOP_TORTURE=200 cargo test --test suite durability::scenario -- --nocapture` runs 200.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use benchtop::model::Item;
use serde_json::Value;

use crate::flows::scenario::{asked, of_variant};
use crate::support::{Bench, dice, rounds, wait_until};

const PICTURES: usize = 60;
const SIDE: u32 = 320;

fn job(bench: &Bench) -> Value {
    bench.run(["jobs", "--json"]).lines().remove(0)
}

/// The names of the files below a folder.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => drop(found.insert(path.file_name().unwrap().to_str().unwrap().to_string())),
        }
    }
    found
}

/// What a scenario gives: each item with its picture, parameters, and place.
fn result(bench: &Bench, scenario: &str) -> BTreeMap<String, (Option<String>, Value)> {
    let of = |item: Item| {
        let derivation = serde_json::to_value(&item.derivation).unwrap();
        (item.id, (item.images[0].hash.clone(), derivation))
    };
    of_variant(bench, scenario).into_iter().map(of).collect()
}

fn killed(scenario: &str) {
    let settings = ["scenario", scenario, "--seed", "3"];
    let whole = asked(PICTURES, SIDE);
    whole.run(settings).ok();
    let expected = result(&whole, scenario);
    assert!(expected.len() >= PICTURES);

    let bench = asked(PICTURES, SIDE);
    let before = files(&bench.root().join("images"));
    let mut seen = BTreeSet::new();
    let mut n = 0;
    // The job ends within a few rounds; then another project is made the same way.
    let mut bench = bench;
    bench.run(settings.into_iter().chain(["--detach"])).ok();
    while n < rounds(20) {
        std::thread::sleep(Duration::from_millis(dice(n, 450)));
        let done = job(&bench)["done"].as_u64().unwrap();
        bench.kill_owner();
        seen.insert(done);
        let after = job(&bench);
        n += 1;
        if after["standing"] == "done" && n < rounds(20) {
            check(&bench, scenario, &expected, &before);
            bench = asked(PICTURES, SIDE);
            bench.run(settings.into_iter().chain(["--detach"])).ok();
        }
    }
    check(&bench, scenario, &expected, &before);
    assert!(
        seen.len() > 3,
        "the kills were not spread over the job: {seen:?}"
    );
    println!("kill -9 of an owner that makes a {scenario}: killed at {seen:?} pictures");
}

/// The job is complete, as if nobody had killed the owner, and left no other file.
fn check(
    bench: &Bench,
    scenario: &str,
    expected: &BTreeMap<String, (Option<String>, Value)>,
    before: &BTreeSet<String>,
) {
    wait_until("the job is done", || job(bench)["standing"] == "done");
    let found = result(bench, scenario);
    assert_eq!(&found, expected);
    assert_eq!(
        of_variant(bench, scenario).len(),
        expected.len(),
        "an item is there twice"
    );
    let mut named = before.clone();
    named.extend(
        found
            .values()
            .map(|(hash, _)| format!("{}.png", hash.as_ref().unwrap())),
    );
    assert_eq!(
        files(&bench.root().join("images")),
        named,
        "files that belong to nobody"
    );
    let imports = bench.root().join("imports");
    let manifest = std::fs::read_to_string(imports.join("manifest.jsonl")).unwrap();
    for file in files(&imports) {
        assert!(
            file == "manifest.jsonl" || manifest.contains(&file),
            "{file}"
        );
    }
    let jobs = files(&bench.root().join("jobs"));
    let is_known = |name: &&String| {
        ["0001.json", "0001.jsonl", "0001.items.json"].contains(&&***name)
            || name.starts_with("0001.jsonl.torn-")
    };
    assert!(jobs.iter().all(|name| is_known(&name)), "{jobs:?}");
    let verified = bench.run(["verify", "--json"]).lines();
    assert!(
        verified.iter().all(|line| line["event"] != "problem"),
        "{verified:?}"
    );
    bench.run(["stop"]).ok();
}

#[test]
fn a_killed_job_corrupts_every_picture_once() {
    killed("corruption");
}

#[test]
fn a_killed_job_attacks_every_question_once() {
    killed("print-attack");
}
