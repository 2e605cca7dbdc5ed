//! Files that are too large or damaged.

use std::fs::File;

use serde_json::{Value, json};

use crate::support::{Bench, ErrorKind};

#[test]
fn merge_and_keys_refuse_a_file_of_two_gigabytes_in_bounded_memory() {
    let bench = Bench::with_items(2);
    let large = bench.beside("large.jsonl");
    File::create(&large).unwrap().set_len(2 << 30).unwrap();
    let pid = bench.start_owner();
    let refused = bench
        .run(["merge", "--json", large.to_str().unwrap()])
        .refused_as(ErrorKind::Input);
    assert_eq!(refused.place(), ("large.jsonl", 1, ""));
    // Two gigabytes of short lines are given up early too.
    let lines = bench.write("lines.jsonl", "{}\n".repeat(200_000));
    let refused = bench
        .run(["merge", "--json", lines.to_str().unwrap()])
        .refused_as(ErrorKind::Input);
    assert_eq!(refused.place().0, "lines.jsonl");
    let owner = bench.pid().unwrap_or_else(|| panic!("{pid}"));
    let status = std::fs::read_to_string(format!("/proc/{owner}/status")).unwrap();
    let peak = status
        .lines()
        .find_map(|l| l.strip_prefix("VmHWM:"))
        .unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 1 << 20, "the owner held {peak} KiB");
    for args in [
        ["keys", "check", large.to_str().unwrap()],
        ["keys", "check", "/dev/zero"],
    ] {
        assert_eq!(bench.run(args).code, 1, "{args:?}");
    }
}

#[test]
fn board_leaves_out_a_damaged_answer_file() {
    let bench = Bench::new();
    let small = format!(
        "{}/tests/conformance/fixtures/small",
        env!("CARGO_MANIFEST_DIR")
    );
    let copy = bench.beside("small");
    std::fs::create_dir_all(&copy).unwrap();
    let done = std::process::Command::new("cp")
        .args(["-r", &small, copy.parent().unwrap().to_str().unwrap()])
        .status();
    assert!(done.unwrap().success());
    let board = |bench: &Bench| bench.run(["board", "--format", "json", copy.to_str().unwrap()]);
    let whole = board(&bench);
    assert_eq!(whole.code, 0, "{whole:?}");
    let models = |text: &str| {
        let lines = text
            .lines()
            .map(|l| serde_json::from_str::<Value>(l).unwrap());
        let mut names: Vec<String> = lines
            .filter_map(|l| Some(l["model"].as_str()?.to_string()))
            .collect();
        names.dedup();
        names
    };
    let hit = &copy.join("beta.jsonl");
    let text = std::fs::read_to_string(hit).unwrap();
    std::fs::write(hit, format!("{}\n{{\"broken\n", text.trim_end())).unwrap();
    let damaged = board(&bench);
    assert_eq!(damaged.code, 1, "{damaged:?}");
    assert!(
        damaged
            .err
            .contains(hit.file_name().unwrap().to_str().unwrap()),
        "{}",
        damaged.err
    );
    let last: Value = serde_json::from_str(damaged.out.lines().last().unwrap()).unwrap();
    assert_eq!(
        last["damaged"]["line"],
        json!(text.trim_end().lines().count() + 1),
        "{last}"
    );
    assert!(
        models(&whole.out).iter().any(|m| m == "beta")
            && models(&damaged.out).iter().any(|m| m == "alpha")
    );
    assert!(
        !models(&damaged.out).iter().any(|m| m == "beta"),
        "a part of its answers is not all of them"
    );
}
