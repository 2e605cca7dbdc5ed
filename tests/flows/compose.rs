//! `benchtop compose`: into a project, into a file, and as a dry run.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Bench, ErrorKind, PROGRAM, run};

const PAIRS: &str = "name = \"pairs\"\n[[pictures]]\nsubject = \"animal\"\ncount = 6\nshape = \"pair\"\ndiffers = \"color\"\n";

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[test]
fn compose_previews_adds_once_and_exports() {
    let bench = Bench::new();
    let before = bench.snapshot();
    let dry = object(
        &bench
            .run([
                "compose",
                "--count",
                "600",
                "--seed",
                "5",
                "--dry-run",
                "--json",
            ])
            .ok(),
    );
    assert_eq!(
        (&dry["dataset"], &dry["questions"]),
        (&json!("balanced-5"), &json!(600))
    );
    assert_eq!(dry["counts"].as_array().unwrap().len(), 60);
    let gender = |c: &&Value| c["subtask"] == "gender" && c["type"] == "multiple-choice";
    let gender = dry["counts"]
        .as_array()
        .unwrap()
        .iter()
        .find(gender)
        .unwrap();
    assert_eq!(
        (&gender["questions"], &gender["chances"]),
        (&json!(10), &json!([{"chance": 0.5, "questions": 10}]))
    );
    assert_eq!(dry["examples"].as_array().unwrap().len(), 3);
    let text = bench.run(["compose", "--count", "600", "--dry-run"]).ok();
    assert!(
        text.starts_with("balanced-1: 600 questions") && text.contains("33.3 %"),
        "{text}"
    );
    assert_eq!(bench.snapshot(), before);
    let wish = ["compose", "--count", "600", "--seed", "5", "--json"];
    let report = object(&bench.run(wish).ok());
    assert_eq!(
        (&report["items"], &report["already"]),
        (&json!(600), &json!(0))
    );
    let again = object(&bench.run(wish).ok());
    assert_eq!(
        (&again["items"], &again["already"]),
        (&json!(0), &json!(600))
    );
    let other = bench
        .run(["compose", "--count", "300", "--seed", "5"])
        .refused(1);
    assert!(other.names("--seed"), "{other}");
    let items = bench.items();
    assert_eq!(
        (items.len(), &items[0]["id"]),
        (600, &json!("balanced-5/1"))
    );
    assert_eq!(items[0]["provenance"]["seed"], 5);
    // What the project gives out is what is composed without one.
    let out = bench.beside("dysca.json");
    let wish = [
        "compose",
        "--count",
        "600",
        "--seed",
        "5",
        "--out",
        out.to_str().unwrap(),
        "--json",
    ];
    assert_eq!(object(&bench.run(wish).ok())["questions"], 600);
    let exported = bench.run(["export", "--format", "dysca"]).ok();
    assert_eq!(std::fs::read_to_string(&out).unwrap(), exported);
}

#[test]
fn outside_a_project_the_shipped_metadata_is_used() {
    let dir = tempfile::tempdir().unwrap();
    let within = |args: &[&str]| {
        run(
            Command::new(PROGRAM)
                .arg("compose")
                .args(args)
                .current_dir(dir.path()),
            "",
        )
    };
    let text = within(&["--count", "40", "--out", "-"]).ok();
    let records: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(records.len(), 40);
    assert_eq!(text, within(&["--count", "40", "--out", "-"]).ok());
    let lines = within(&["--count", "40", "--out", "-", "--format", "jsonl"]).lines();
    assert_eq!(lines[7]["instruction"], records[7]["instruction"]);
    assert!(within(&["--count", "40"]).refused(1).names("benchtop init"));
    within(&["--count", "0", "--out", "-"]).refused(2);
    within(&["--json", "--out", "-"]).refused(2);
    within(&["--dry-run", "--out", "-"]).refused(2);
    std::fs::write(dir.path().join("old.json"), "old").unwrap();
    std::fs::write(
        dir.path().join("plan.toml"),
        "name = \"x\"\n[[pictures]]\nsubjct = \"animal\"\n",
    )
    .unwrap();
    let refused = within(&["--plan", "plan.toml", "--out", "old.json"]).refused(1);
    assert_eq!(refused.place(), ("plan.toml", 3, ""));
    assert!(refused.names("`subjct`"), "{refused}");
    std::fs::write(dir.path().join("plan.toml"), b"name = \"x\"\n# \xff\n").unwrap();
    let refused = within(&["--plan", "plan.toml", "--dry-run"]).refused(1);
    assert_eq!(refused.place(), ("plan.toml", 2, ""));
    let refusal = "[[pictures]]\nsubject = \"animal\"\ncount = 9\nshape = \"refusal\"\n";
    std::fs::write(dir.path().join("plan.toml"), refusal).unwrap();
    assert!(
        within(&["--plan", "plan.toml", "--out", "old.json"])
            .refused(1)
            .names("refusal")
    );
    assert_eq!(
        std::fs::read_to_string(dir.path().join("old.json")).unwrap(),
        "old"
    );
    assert_eq!(
        std::fs::read_dir(dir.path()).unwrap().count(),
        2,
        "something was left behind"
    );
}

#[test]
fn composed_pairs_round_trip_and_metadata_errors_refuse() {
    let bench = Bench::new();
    let plan = bench.write("plan.toml", PAIRS);
    bench
        .run(["compose", "--plan", plan.to_str().unwrap()])
        .ok();
    let out = bench.beside("mvp");
    bench
        .run(["export", "--format", "mvp", "--out", out.to_str().unwrap()])
        .ok();
    let other = Bench::new();
    let report = object(
        &other
            .run([
                "import",
                out.to_str().unwrap(),
                "--dataset",
                "pairs-1",
                "--json",
            ])
            .ok(),
    );
    assert_eq!(report["items"], 6 * (4 + 2 * 4 + 4));
    let bare = |mut item: Value| {
        item.as_object_mut()
            .unwrap()
            .retain(|name, _| !["number", "provenance"].contains(&name.as_str()));
        (item["key"].as_u64().unwrap(), item.to_string())
    };
    let sorted = |bench: &Bench| {
        let mut items: Vec<_> = bench.items().into_iter().map(bare).collect();
        items.sort();
        items
    };
    assert_eq!(sorted(&other), sorted(&bench));
    let templates = bench.root().join("metadata/templates.toml");
    let text = std::fs::read_to_string(&templates).unwrap();
    std::fs::write(
        &templates,
        text.replace("delicious {food}", "delicious {foood}"),
    )
    .unwrap();
    for way in [&["compose"][..], &["compose", "--dry-run"]] {
        let refused = bench.run(way.iter().copied()).refused(1);
        assert!(
            refused.names("foood") && refused.names("benchtop lint"),
            "{refused}"
        );
    }
}

#[test]
fn compatibility_rules_hold_unless_disabled() {
    let bench = Bench::new();
    let (kept, aside) = (bench.beside("kept.jsonl"), bench.beside("aside.jsonl"));
    let compose = |out: &std::path::Path, more: &[&str]| {
        let args = [
            "compose",
            "--count",
            "8000",
            "--format",
            "jsonl",
            "--out",
            out.to_str().unwrap(),
        ];
        bench.run(args.iter().chain(more).copied()).ok()
    };
    compose(&kept, &[]);
    compose(&aside, &["--allow-impossible"]);
    let rules = |path: &std::path::Path| -> std::collections::BTreeSet<String> {
        let done = bench.run(["lint", path.to_str().unwrap(), "--json"]);
        done.out
            .lines()
            .map(|line| object(line)["rule"].as_str().unwrap().to_string())
            .collect()
    };
    assert_eq!(rules(&kept), std::collections::BTreeSet::new());
    for rule in [
        "impossible-scene",
        "hidden-answer",
        "second-answer",
        "look-alike",
        "shown-anyway",
        "repeated-question",
    ] {
        assert!(rules(&aside).contains(rule), "{rule}");
    }
    // Into the project, then without the rules under the same name.
    bench.run(["compose", "--count", "600"]).ok();
    bench
        .run(["compose", "--count", "600", "--allow-impossible", "--json"])
        .refused_as(ErrorKind::Conflict);
    bench
        .run([
            "compose",
            "--count",
            "600",
            "--allow-impossible",
            "--seed",
            "2",
        ])
        .ok();
    let cells = bench
        .run(["coverage", "--rows", "subtask", "--json"])
        .lines();
    let hidden = |c: &&Value| c["row"]["value"] == "age" && c["column"]["value"] == "origami";
    let cell = cells.iter().find(hidden).unwrap();
    assert!(
        cell["excluded"].as_str().unwrap().contains("`origami`"),
        "{cell}"
    );
    let table = bench
        .run(["coverage", "--rows", "action", "--columns", "background"])
        .ok();
    assert!(table.contains('×'), "{table}");
    // An error in the file refuses with its line.
    let file = bench.root().join("metadata/compatibility.toml");
    std::fs::write(
        &file,
        "[[not-with]]\naction = [\"skiing\"]\nbackground = 3\n",
    )
    .unwrap();
    let refused = bench
        .run(["compose", "--count", "10", "--seed", "9"])
        .refused(1);
    assert!(
        refused.place().0 == "compatibility.toml" && refused.names("not-with.background"),
        "{refused}"
    );
    let found = bench.run(["lint", file.to_str().unwrap(), "--json"]);
    assert_eq!(object(found.out.lines().next().unwrap())["line"], 3);
    // Nothing repeats where there is room, and where there is none that is said.
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, "").unwrap();
    let plan = bench.write(
        "few.toml",
        "name = \"few\"\n[[pictures]]\nsubject = \"profession\"\ncount = 4200\nabout = [\"profession\"]\nkinds = [\"free-form\"]\n",
    );
    let dry = object(
        &bench
            .run([
                "compose",
                "--plan",
                plan.to_str().unwrap(),
                "--dry-run",
                "--json",
            ])
            .ok(),
    );
    assert_eq!(
        dry["notes"].as_array().unwrap().len(),
        1,
        "{}",
        dry["notes"]
    );
}
