//! `benchtop sample`: every command behind a pane shows something, twice the same, and it goes as it
//! came.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value;

use benchtop::model::ErrorKind;

use crate::support::Bench;

/// The files of a project that hold its data.
fn files(bench: &Bench) -> BTreeMap<PathBuf, String> {
    let of_data = ["imports", "images", "sessions", "scores", "jobs", "runs"];
    let mut files = bench.snapshot();
    files.retain(|path, _| of_data.iter().any(|name| path.starts_with(name)));
    files
}

fn json(bench: &Bench, args: &[&str]) -> Value {
    serde_json::from_str(&bench.run(args.iter().copied()).ok()).unwrap()
}

#[test]
fn every_command_behind_a_pane_shows_something() {
    let bench = Bench::new();
    bench.run(["sample"]).ok();
    let lines = |args: &[&str]| bench.run(args.iter().copied()).lines().len();
    assert!(lines(&["items", "--json"]) > 70);
    for filter in [
        "status:accepted",
        "status:rejected",
        "status:pending",
        "filter:flagged",
        "picture:draft",
        "picture:missing",
        "round:sample-round",
    ] {
        assert!(
            lines(&["items", "--json", "--filter", filter]) > 0,
            "{filter}"
        );
    }
    assert!(lines(&["verdicts", "--round", "sample-round", "--json"]) > 80);
    assert_eq!(lines(&["jobs", "--json"]), 1);
    assert!(lines(&["jobs", "failures", "1", "--json"]) > 0);
    let cells = bench.run(["board", "--format", "json"]).lines();
    let models: BTreeSet<&str> = cells
        .iter()
        .filter_map(|cell| cell["model"].as_str())
        .collect();
    let made_up = ["sample-large", "sample-medium", "sample-small"];
    assert!(models.into_iter().eq(made_up), "{cells:?}");
    assert!(bench.run(["board"]).ok().contains("made up"));
    for format in ["dysca", "jsonl"] {
        let written = bench.run(["export", "--format", format, "--drafts"]).ok();
        assert!(written.contains("sample"), "{format}: {written}");
    }
    let report = json(&bench, &["filter", "report", "--json"]);
    assert!(
        report["rules"].to_string().contains("sample-weak-match"),
        "{report}"
    );
    let round = json(&bench, &["round", "report", "sample-round", "--json"]);
    assert!(
        round["disputes"].as_u64() > round["settled"].as_u64(),
        "{round}"
    );
    assert!(round["settled"].as_u64() > Some(0), "{round}");
    let agreement = json(&bench, &["agreement", "--round", "sample-round", "--json"]);
    assert!(
        agreement["people"].to_string().contains("sample-bob"),
        "{agreement}"
    );
    assert_eq!(round["strangers"], 0, "{round}");
    assert!(lines(&["coverage", "--json"]) > 0);
    let home = json(&bench, &["home", "--json"]);
    assert_eq!(home["sample"], true);
    let of_lists = home["lists"].as_object().unwrap();
    // The sample is neither judged by this person nor released.
    let is_filled = |name: &str| !["own", "released"].contains(&name);
    for (name, list) in of_lists.iter().filter(|(name, _)| is_filled(name)) {
        assert!(list["items"].as_u64() > Some(0), "{name}");
    }
}

#[test]
fn the_sample_is_the_same_in_every_project() {
    let (one, two) = (Bench::new(), Bench::new());
    one.run(["sample"]).ok();
    two.run(["sample", "--as", "bob"]).ok();
    assert!(files(&one).len() > 40);
    assert_eq!(files(&one), files(&two));
    let again = json(&one, &["sample", "--json"]);
    assert_eq!(
        (
            again["items"].as_u64(),
            again["already"].as_u64() > Some(60)
        ),
        (Some(0), true)
    );
    assert_eq!(files(&one), files(&two));
    let replayed = json(&one, &["replay", "--json"]);
    assert_eq!(replayed["same"], true, "{replayed}");
    one.run(["stop"]).ok();
    one.run(["verify"]).ok();
    // A rebuilt index gives the same.
    let before = one.run(["items", "--json"]).ok();
    one.run(["stop"]).ok();
    std::fs::remove_dir_all(one.root().join("store")).unwrap();
    assert_eq!(one.run(["items", "--json"]).ok(), before);
}

#[test]
fn a_removed_sample_leaves_an_empty_project() {
    let bench = Bench::new();
    let settings = std::fs::read_to_string(bench.root().join("benchtop.toml")).unwrap();
    bench
        .run(["sample", "--remove", "--yes", "--json"])
        .refused_as(ErrorKind::NotFound);
    bench.run(["sample"]).ok();
    let first = files(&bench);
    let verdicts = "{\"item\":70,\"verdict\":\"accept\"}\n{\"item\":1,\"verdict\":\"reject\"}\n";
    bench.feed(["decide", "--as", "eva"], verdicts).ok();
    // Nobody is asked here.
    bench
        .run(["sample", "--remove", "--json"])
        .refused_as(ErrorKind::Usage);
    let removed = json(&bench, &["sample", "--remove", "--yes", "--json"]);
    assert_eq!(removed["contents"]["verdicts"], 2, "{removed}");
    assert_eq!(bench.items().len(), 0);
    assert_eq!(json(&bench, &["home", "--json"])["sample"], false);
    assert!(
        bench.status()["notices"].as_array().unwrap().is_empty(),
        "{}",
        bench.status()
    );
    bench.run(["stop"]).ok();
    bench.run(["verify"]).ok();
    let after = std::fs::read_to_string(bench.root().join("benchtop.toml")).unwrap();
    assert_eq!(after, settings);
    bench.run(["sample"]).ok();
    let mut second = files(&bench);
    second.retain(|path, _| first.contains_key(path));
    assert_eq!(second, first);
}

#[test]
fn only_a_sample_is_removed() {
    let bench = Bench::new();
    bench.run(["sample"]).ok();
    bench.import_items("mine", 0..3);
    let before = files(&bench);
    let refusal = bench
        .run(["sample", "--remove", "--yes", "--json"])
        .refused_as(ErrorKind::Conflict);
    assert!(refusal.names("mine"), "{refusal}");
    assert_eq!(files(&bench), before);
}

#[test]
fn a_project_with_items_gets_only_the_items_of_the_sample() {
    let bench = Bench::with_items(2);
    bench.run(["sample"]).ok();
    assert!(bench.items().len() > 60 && bench.verdicts().is_empty());
    let alone = Bench::new();
    alone.run(["sample", "--items-only"]).ok();
    assert_eq!(alone.items().len() + 2, bench.items().len());
    let removed = json(&alone, &["sample", "--remove", "--yes", "--json"]);
    assert_eq!(
        (removed["contents"]["made_up"].as_u64(), alone.items().len()),
        (Some(0), 0)
    );
}
