//! Acknowledged lines that were damaged later are reported, never cut, and never overwritten.

use std::path::{Path, PathBuf};

use benchtop::model::{Act, Decision, Judgement, Seen, Verdict};
use benchtop::store::journal::Journal;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{Bench, verdict, wait_until};

/// Flips a bit of the last line, `back` bytes before its newline.
fn flip(path: &Path, back: usize) -> Vec<u8> {
    let mut bytes = std::fs::read(path).unwrap();
    let at = bytes.len() - 1 - back;
    bytes[at] ^= 1;
    std::fs::write(path, &bytes).unwrap();
    bytes
}

fn decide(bench: &Bench, who: &str, number: usize, word: &str) {
    let receipts = bench
        .feed(
            ["decide", "--as", who],
            &verdict(Uuid::now_v7(), number, word),
        )
        .lines();
    assert_eq!(receipts[0]["saved"], true);
}

#[test]
fn a_damaged_last_verdict_is_reported_and_kept() {
    let bench = Bench::with_items(9);
    for number in 1..=3 {
        decide(&bench, "ann", number, "accept");
    }
    bench.run(["stop"]).ok();
    let path = bench.root().join("sessions/ann.jsonl");
    let damaged = flip(&path, 40);
    assert_eq!(bench.verdicts().len(), 2);
    let notices = bench.status()["notices"].to_string();
    assert!(notices.contains("ann.jsonl:3"), "{notices}");
    decide(&bench, "ann", 4, "reject");
    assert!(
        std::fs::read(&path).unwrap().starts_with(&damaged),
        "the damaged line was cut"
    );
    assert_eq!(bench.verdicts().len(), 3);
    // A torn line is another thing: nobody was told of it.
    bench.run(["stop"]).ok();
    let whole = std::fs::read(&path).unwrap();
    for n in 1..=2 {
        std::fs::write(
            &path,
            [&std::fs::read(&path).unwrap()[..], b"{\"v\":1,\"uu"].concat(),
        )
        .unwrap();
        assert_eq!(bench.verdicts().len(), 2 + n);
        let notices = &bench.status()["notices"];
        assert_eq!(notices.as_array().unwrap().len(), 2, "{notices}");
        decide(&bench, "ann", 4 + n, "reject");
        assert!(
            bench
                .root()
                .join(format!("sessions/ann.jsonl.torn-{n}"))
                .exists()
        );
        bench.run(["stop"]).ok();
    }
    assert!(std::fs::read(&path).unwrap().starts_with(&whole));
}

#[test]
fn recover_restores_an_import_with_a_damaged_line() {
    let bench = Bench::with_items(5);
    bench.import_items("second", 10..17);
    decide(&bench, "ann", 8, "accept");
    let before = bench.items();
    bench.run(["stop"]).ok();
    let manifest = bench.root().join("imports/manifest.jsonl");
    flip(&manifest, 60);
    let files = bench.snapshot();
    assert_eq!(bench.items().len(), 5);
    let notices = bench.status()["notices"].to_string();
    assert!(
        notices.contains("manifest.jsonl:2") && notices.contains("benchtop recover"),
        "{notices}"
    );
    let more = bench.items_file("third", 20..25);
    for args in [
        vec!["import", more.to_str().unwrap()],
        vec!["sample"],
        vec!["compose", "--count", "3"],
    ] {
        let error = bench.run(args.clone()).refused(1);
        assert!(
            error.place() == ("manifest.jsonl", 2, "") && error.names("benchtop recover"),
            "{args:?}: {error}"
        );
    }
    let doctor: Value = serde_json::from_str(&bench.run(["doctor", "--json"]).ok()).unwrap();
    assert_eq!(
        doctor["project"]["segments_without_line"],
        json!(["0002-01-items.jsonl.zst"])
    );
    assert_eq!(
        doctor["project"]["damaged_lines"].as_array().unwrap().len(),
        1
    );
    let kept = |name: &str| bench.snapshot().get(Path::new(name)).cloned();
    for name in [
        "imports/manifest.jsonl",
        "imports/0001-01-items.jsonl.zst",
        "imports/0002-01-items.jsonl.zst",
    ] {
        assert_eq!(kept(name).as_ref(), files.get(Path::new(name)), "{name}");
    }
    let listed = bench.run(["recover", "--json"]).lines().remove(0);
    assert_eq!(
        (&listed["applied"], &listed["entries"][0]["n"]),
        (&json!(false), &json!(2))
    );
    assert_eq!(listed["segments"][0]["from"], "mended-line");
    assert!(
        bench
            .run(["recover", "--apply"])
            .refused(1)
            .names("benchtop stop")
    );
    bench.run(["stop"]).ok();
    assert!(bench.run(["recover", "--apply"]).ok().contains("import 2"));
    assert_eq!(bench.items(), before);
    assert_eq!(bench.verdicts().len(), 1);
    bench.run(["import", more.to_str().unwrap()]).ok();
    assert_eq!(bench.items().len(), 17);
    assert!(
        bench
            .root()
            .join("imports/0003-01-items.jsonl.zst")
            .exists()
    );
    let found = bench.run(["recover", "--json"]).lines().remove(0);
    for kind in ["lines", "segments", "entries"] {
        assert_eq!(found[kind], serde_json::json!([]), "{found}");
    }
}

#[test]
fn an_import_overwrites_no_unnamed_segment() {
    let bench = Bench::with_items(3);
    bench.run(["stop"]).ok();
    let imports = bench.root().join("imports");
    let stray = imports.join("0007-01-items.jsonl.zst");
    std::fs::write(&stray, "somebody's").unwrap();
    bench.import_items("second", 10..12);
    assert!(imports.join("0008-01-items.jsonl.zst").exists());
    assert_eq!(std::fs::read(&stray).unwrap(), b"somebody's");
    let names: Vec<PathBuf> = std::fs::read_dir(&imports)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    assert!(
        names
            .iter()
            .all(|path| !path.to_string_lossy().contains("unfinished")),
        "{names:?}"
    );
    assert!(
        bench.status()["notices"]
            .to_string()
            .contains("0007-01-items.jsonl.zst")
    );
}

#[test]
fn opening_detects_a_flipped_bit_in_an_older_verdict() {
    let bench = Bench::with_items(9);
    for number in 1..=3 {
        decide(&bench, "ann", number, "accept");
    }
    bench.run(["stop"]).ok();
    assert!(bench.root().join("store/statuses.snap").exists());
    let path = bench.root().join("sessions/ann.jsonl");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[30] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(
        bench
            .run(["items", "--json", "--filter", "status:accepted"])
            .lines()
            .len(),
        2
    );
    assert!(
        bench.status()["notices"]
            .to_string()
            .contains("ann.jsonl:1")
    );
}

#[test]
fn opening_detects_a_flipped_bit_in_a_large_journal() {
    let bench = Bench::with_items(30);
    bench.run(["stop"]).ok();
    let decision = |n: u64| Decision {
        uuid: Uuid::from_u128(u128::from(n) + 1),
        rev: n + 1,
        at: 1_763_700_000_000 + n as i64,
        who: "ann".into(),
        item: format!("set/{}", if n == 0 { 0 } else { 1 + n % 29 }),
        on: None,
        act: Act::Judge(Judgement {
            note: Some("x".repeat(2000)),
            ..Judgement::new(Verdict::Accept, Seen::Script)
        }),
    };
    let all: Vec<Decision> = (0..5_000).map(decision).collect();
    Journal::open(&bench.root().join("sessions"), "ann")
        .unwrap()
        .append(&all)
        .unwrap();
    let path = bench.root().join("sessions/ann.jsonl");
    assert!(std::fs::metadata(&path).unwrap().len() > 8 << 20);
    let accepted = || {
        bench
            .run(["items", "--json", "--filter", "status:accepted"])
            .lines()
            .len()
    };
    assert_eq!(accepted(), 30);
    bench.run(["stop"]).ok();
    assert!(bench.root().join("store/statuses.snap").exists());
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[30] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    wait_until("the status is withdrawn", || accepted() == 29);
    let notices = bench.status()["notices"].to_string();
    assert!(
        notices.contains("ann.jsonl:1") && notices.contains("1 items"),
        "{notices}"
    );
    // What the next opening reads first is right again.
    bench.run(["stop"]).ok();
    assert_eq!(accepted(), 29);
}
