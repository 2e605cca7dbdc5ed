//! `store/` is an index. Without it the project is the same and reports the rebuild.

use serde_json::Value;

use crate::conformance::{fixture, shared};
use crate::support::Bench;

/// Items with their statuses, verdicts, the leaderboard, and an export: all that a person sees of a project.
fn everything(bench: &Bench) -> Vec<String> {
    let answer = bench
        .client("ann", |_| ())
        .ask(benchtop::protocol::wire::request::Board(Box::default()))
        .unwrap();
    let items = bench.run(["items", "--json"]).ok();
    assert!(items.len() > 100);
    vec![
        items,
        bench
            .run([
                "items",
                "--json",
                "--filter",
                "status:accepted,rejected",
                "--sort",
                "-judged,id",
            ])
            .ok(),
        bench.run(["verdicts", "--json"]).ok(),
        bench.run(["export", "--format", "jsonl"]).ok(),
        format!("{answer:?}"),
    ]
}

/// True if a notice says that the index was made again, and from which folders.
fn rebuilt(bench: &Bench) -> bool {
    let notices = bench.status()["notices"].to_string();
    notices.contains("imports/") && notices.contains("sessions/")
}

fn counts(status: &Value) -> Value {
    let mut counts = status["counts"].clone();
    counts["rev"] = status["rev"].clone();
    counts
}

#[test]
fn a_project_without_its_index_is_rebuilt_with_a_notice() {
    let bench = Bench::new();
    bench
        .run(["import", fixture("small").to_str().unwrap()])
        .ok();
    if let Some(figures) = shared("dysca-figures") {
        bench.run(["import", figures.to_str().unwrap()]).ok();
    }
    bench.import_items("set", 0..700);
    let lines: String = (1..=60)
        .map(|n| {
            format!(
                "{{\"item\":{n},\"verdict\":\"{}\"}}\n",
                ["accept", "reject", "flag"][n % 3]
            )
        })
        .collect();
    bench.feed(["decide", "--as", "ann"], &lines).ok();
    bench
        .feed(
            ["decide", "--as", "bob"],
            "{\"item\":5,\"verdict\":\"accept\"}\n",
        )
        .ok();
    bench.run(["undo", "--as", "ann", "--count", "3"]).ok();
    bench.run(["redo", "--as", "ann"]).ok();
    let (before, status) = (everything(&bench), bench.status());
    assert_eq!(status["notices"], serde_json::json!([]));
    for way in ["stopped", "killed"] {
        if way == "stopped" {
            bench.run(["stop"]).ok();
        } else {
            bench.kill_owner();
        }
        std::fs::remove_dir_all(bench.root().join("store")).unwrap();
        let after = everything(&bench);
        for (before, after) in before.iter().zip(&after) {
            assert!(before == after, "{way}:\n{before}\n{after}");
        }
        assert_eq!(counts(&bench.status()), counts(&status));
        assert!(rebuilt(&bench));
    }
    // And with a damaged one, whether sled notices or takes it for an empty one.
    bench.run(["stop"]).ok();
    let db = bench.project().index().join("db");
    let mut bytes = std::fs::read(&db).unwrap();
    bytes.iter_mut().step_by(5).for_each(|b| *b ^= 0x55);
    std::fs::write(&db, bytes).unwrap();
    assert_eq!(everything(&bench), before);
    assert!(rebuilt(&bench));
}
