//! kill -9 of an owner while it adds or removes the sample: the project holds all of it, or nothing.

use std::process::Child;
use std::time::Duration;

use serde_json::Value;

use benchtop::model::ErrorKind;

use crate::support::{Bench, dice, rounds, run};

/// A command that goes on while the owner is killed.
fn begin(bench: &Bench, args: &[&str]) -> Child {
    let mut command = bench.command(args.iter().copied());
    let null = std::process::Stdio::null;
    command.stdin(null()).stdout(null()).stderr(null());
    command.spawn().unwrap()
}

/// What the project holds: items, answers, verdicts, jobs, and scored items.
fn held(bench: &Bench) -> [usize; 5] {
    let report = bench.run(["filter", "report", "--json"]).lines().remove(0);
    let scored = report["scorers"].as_array().unwrap().iter();
    // Without the scorers that need no model and so have scores by themselves.
    let scored = scored.filter(|s| s["version"] != "");
    let scored = scored.map(|s| s["items"][1].as_u64().unwrap_or_default());
    let status = bench.status();
    [
        bench.items().len(),
        usize::try_from(
            status["counts"]["prediction_sets"]
                .as_u64()
                .unwrap_or_default(),
        )
        .unwrap(),
        bench.verdicts().len(),
        bench.run(["jobs", "--json"]).lines().len(),
        usize::try_from(scored.sum::<u64>()).unwrap(),
    ]
}

fn is_empty(bench: &Bench) -> bool {
    let left = ["imports", "jobs", "images", "scores"].map(|name| bench.root().join(name));
    let entries = |path| std::fs::read_dir(path).map_or(0, |list: std::fs::ReadDir| list.count());
    held(bench) == [0; 5] && left.into_iter().map(entries).sum::<usize>() == 0
}

/// Right after a kill all files are valid, unless the next start has to finish a removal. A client
/// that lost its owner may have begun that start.
fn verifies_or_waits(bench: &Bench) {
    let waits = bench.root().join(".owner/removal.json").exists();
    let verified = bench.run(["verify", "--json"]);
    match (verified.code, waits) {
        (0, _) => {}
        (_, true) => drop(verified.refused_as(ErrorKind::Conflict)),
        (_, false) => {
            // A kill can cut the index off while it is first written. The next start rebuilds it.
            let report: Value = serde_json::from_str(&verified.out).unwrap();
            let findings = report["findings"].as_array().unwrap().iter();
            let damaged = findings.filter(|finding| finding["severity"] == "damage");
            let damaged: Vec<&Value> = damaged.map(|finding| &finding["file"]).collect();
            assert_eq!(damaged, ["store/index/db"], "{}", verified.out);
        }
    }
}

fn verifies(bench: &Bench) {
    bench.run(["stop"]).ok();
    bench.run(["verify"]).ok();
}

#[test]
fn a_kill_leaves_all_of_the_sample_or_nothing() {
    let whole = Bench::new();
    whole.run(["sample"]).ok();
    let all = held(&whole);
    assert!(all.iter().all(|count| *count > 0), "{all:?}");
    let (mut added, mut removed) = (0, 0);
    let bench = Bench::new();
    for n in 0..rounds(6) {
        bench.start_owner();
        let mut adding = begin(&bench, &["sample"]);
        std::thread::sleep(Duration::from_millis(dice(n, 1600)));
        bench.kill_owner();
        adding.wait().unwrap();
        bench.kill_owner();
        verifies_or_waits(&bench);
        let what = format!("round {n}, added");
        match is_empty(&bench) {
            true => drop(bench.run(["sample"]).ok()),
            false => added += 1,
        }
        assert_eq!(held(&bench), all, "{what}");
        verifies(&bench);
        bench
            .feed(
                ["decide", "--as", "eva"],
                "{\"item\":70,\"verdict\":\"accept\"}\n",
            )
            .ok();
        let mut removing = begin(&bench, &["sample", "--remove", "--yes"]);
        std::thread::sleep(Duration::from_millis(dice(n + 1000, 300)));
        bench.kill_owner();
        removing.wait().unwrap();
        bench.kill_owner();
        verifies_or_waits(&bench);
        let what = format!("round {n}, removed");
        match is_empty(&bench) {
            true => removed += 1,
            false => {
                let [items, answers, verdicts, jobs, scored] = held(&bench);
                let with_own = [items, answers, verdicts - 1, jobs, scored];
                assert_eq!(with_own, all, "{what}");
                bench.run(["sample", "--remove", "--yes"]).ok();
            }
        }
        assert!(is_empty(&bench), "{what}");
        verifies(&bench);
    }
    crate::support::tell(&format!(
        "the sample was added before the kill in {added} rounds, and removed in {removed}"
    ));
}

#[test]
fn verdicts_on_a_removed_sample_are_moved_and_not_lost() {
    let bench = Bench::new();
    bench.run(["sample"]).ok();
    bench
        .feed(
            ["decide", "--as", "eva"],
            "{\"item\":70,\"verdict\":\"accept\"}\n",
        )
        .ok();
    let journal = std::fs::read(bench.root().join("sessions/eva.jsonl")).unwrap();
    let removed: Value = bench
        .run(["sample", "--remove", "--yes", "--json"])
        .lines()
        .remove(0);
    let folder = bench.root().join(removed["folder"].as_str().unwrap());
    assert_eq!(removed["contents"]["verdicts"], 1);
    assert_eq!(
        std::fs::read(folder.join("sessions/eva.jsonl")).unwrap(),
        journal
    );
    // The folder is a project again with the settings beside it.
    let copy = Bench::new();
    copy.run(["stop"]).ok();
    for name in ["imports", "images", "sessions", "scores", "jobs"] {
        let to = copy.root().join(name);
        let _ = std::fs::remove_dir_all(&to);
        run(
            std::process::Command::new("cp")
                .arg("-a")
                .arg(folder.join(name))
                .arg(&to),
            "",
        );
    }
    assert!(
        copy.verdicts()
            .iter()
            .any(|verdict| verdict["who"] == "eva")
    );
}
