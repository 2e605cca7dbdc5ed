//! kill -9 of an owner that makes a scenario, and a full disk.
//!
//! 12 rounds by default; `BENCHTOP_TORTURE=200 cargo test --test suite durability::scenario -- --nocapture` runs 200.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use benchtop::model::Item;
use serde_json::Value;

use crate::attacks::space::fill;
use crate::flows::scenario::{asked, of_variant};
use crate::support::{Bench, Mount, Need, dice, goes_on, root, skip, wait_until};

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
    while goes_on(n, 12, seen.len() > 3) {
        std::thread::sleep(Duration::from_millis(dice(n, 450)));
        let done = job(&bench)["done"].as_u64().unwrap();
        bench.kill_owner();
        seen.insert(done);
        let after = job(&bench);
        n += 1;
        if after["standing"] == "done" && goes_on(n, 12, seen.len() > 3) {
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

/// The bytes of the files below a folder.
fn bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap();
    let of = |path: std::path::PathBuf| match path.is_dir() {
        true => bytes(&path),
        false => path.metadata().unwrap().len(),
    };
    entries.map(|entry| of(entry.unwrap().path())).sum()
}

/// The job on a disk that has room for so many percent of its pictures when it starts.
fn on_a_full_disk(scenario: &str, percent: u64) {
    if !root() {
        return skip(Need::Root, "a small disk needs root");
    }
    let settings = ["scenario", scenario, "--seed", "3"];
    let whole = asked(PICTURES, SIDE);
    whole.run(settings).ok();
    let expected = result(&whole, scenario);

    let clean = asked(PICTURES, SIDE);
    clean.run(["stop"]).ok();
    let of = |bench: &Bench| bytes(&bench.root().join("images"));
    let room = (of(&whole) - of(&clean)) * percent / 100;
    let small = clean.beside("small");
    let Some(mount) = Mount::new(&["-t", "tmpfs", "-o", "size=256m", "tmpfs"], &small) else {
        return;
    };
    let at = mount.at.join("project");
    let copied = std::process::Command::new("cp")
        .arg("-a")
        .args([clean.root(), &at])
        .status();
    assert!(copied.unwrap().success());
    let bench = Bench::at(at);
    let before = files(&bench.root().join("images"));
    let filler = mount.at.join("filler");
    bench.items();
    fill(&filler);
    let full = std::fs::metadata(&filler).unwrap().len();
    let file = std::fs::OpenOptions::new().write(true).open(&filler);
    file.unwrap().set_len(full - room).unwrap();

    bench.run(settings.into_iter().chain(["--detach"])).ok();
    wait_until("the full disk pauses the job", || {
        job(&bench)["standing"] == "paused"
    });
    let paused = job(&bench);
    assert!(
        paused["reason"].as_str().is_some_and(|why| !why.is_empty()),
        "{paused}"
    );
    assert_eq!(
        paused["failed"], 0,
        "a full disk is no failure of a picture: {paused}"
    );
    assert!(paused["done"].as_u64() < paused["of"].as_u64(), "{paused}");
    assert!(of_variant(&bench, scenario).is_empty());
    // Still full: it pauses again, and nothing is lost.
    fill(&mount.at.join("rest"));
    bench.run(["jobs", "resume", "1"]);
    wait_until("it is paused again", || job(&bench)["standing"] == "paused");
    assert_eq!(job(&bench)["failed"], 0);

    std::fs::remove_file(mount.at.join("rest")).unwrap();
    std::fs::remove_file(&filler).unwrap();
    wait_until("it goes on", || {
        bench.run(["jobs", "resume", "1"]).code == 0
    });
    check(&bench, scenario, &expected, &before);
    drop(bench);
    mount.unmount();
}

#[test]
fn a_full_disk_pauses_a_job_of_corruptions_which_goes_on_with_space() {
    for percent in [20, 70] {
        on_a_full_disk("corruption", percent);
    }
}

#[test]
fn a_full_disk_pauses_a_job_of_print_attacks_which_goes_on_with_space() {
    on_a_full_disk("print-attack", 50);
}
