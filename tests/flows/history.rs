//! Decisions over time and over machines: `log`, `replay`, `diff`, `merge`.

use serde_json::{Value, json};

use crate::support::Bench;

fn judged(bench: &Bench, who: &str, verdicts: &[(usize, &str)]) {
    let line = |(item, verdict): &(usize, &str)| {
        format!("{{\"item\":\"set/{item}\",\"verdict\":\"{verdict}\"}}\n")
    };
    bench
        .feed(
            ["decide", "--as", who],
            &verdicts.iter().map(line).collect::<String>(),
        )
        .ok();
}

fn statuses(bench: &Bench) -> Vec<String> {
    bench
        .items()
        .iter()
        .map(|i| i["status"].as_str().unwrap().to_string())
        .collect()
}

fn journal(bench: &Bench, who: &str) -> String {
    bench
        .root()
        .join(format!("sessions/{who}.jsonl"))
        .to_str()
        .unwrap()
        .to_string()
}

fn one(bench: &Bench, args: &[&str]) -> Value {
    bench.run(args.iter().copied()).lines().remove(0)
}

#[test]
fn log_lists_decisions_and_replay_restores_any_moment() {
    let bench = Bench::with_items(4);
    judged(&bench, "ann", &[(0, "accept"), (1, "reject")]);
    judged(&bench, "bob", &[(1, "unsure")]);
    bench.run(["undo", "--as", "ann"]).ok();
    let log = bench.run(["log", "--json"]).lines();
    let told: Vec<_> = log
        .iter()
        .map(|l| (l["rev"].as_u64().unwrap(), l["who"].as_str().unwrap()))
        .collect();
    assert_eq!(told, [(4, "ann"), (3, "bob"), (2, "ann"), (1, "ann")]);
    assert_eq!(log[0]["undo"], log[2]["uuid"]);
    assert_eq!(
        (&log[2]["counts"], &log[3]["counts"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(
        bench
            .run(["log", "--json", "--who", "ann", "-n", "2"])
            .lines(),
        [log[0].clone(), log[2].clone()]
    );
    assert_eq!(
        bench
            .run(["log", "--json", "--item", "set/1", "--since", "2"])
            .lines(),
        log[..2]
    );
    assert_eq!(
        bench.run(["log", "--json", "--until", "1"]).lines(),
        log[3..]
    );
    let of_ann = bench
        .run([
            "log", "--json", "--who", "ann", "--limit", "2", "--as", "bob",
        ])
        .lines();
    assert_eq!(
        of_ann.len(),
        2,
        "whose decisions, and who asks, are two things"
    );
    let all = bench.run(["log", "--json"]).lines();
    assert!(
        all.iter()
            .any(|line| line["verdict"] == "reject" && line["counts"] == false)
    );
    let then = one(&bench, &["replay", "2", "--json"]);
    assert_eq!(
        (&then["by_status"]["rejected"], &then["rev"], &then["same"]),
        (&json!(1), &json!(2), &Value::Null)
    );
    let now = one(&bench, &["replay", "--json"]);
    assert_eq!(
        (
            &now["same"],
            &now["decisions"],
            &now["by_status"]["flagged"]
        ),
        (&json!(true), &json!(4), &json!(1))
    );
    assert_eq!(
        bench.run(["diff", "2", "--json"]).lines(),
        [json!({"number": 2, "item": "set/1", "from": "rejected", "to": "flagged"})]
    );
    assert_eq!(
        bench
            .run(["diff", "1970-01-01T00:00:00Z", "--json"])
            .lines()
            .len(),
        2
    );
    assert!(
        bench
            .run(["replay", "yesterday"])
            .refused(2)
            .names("2026-01-31"),
        "says what a moment looks like"
    );
}

#[test]
fn merge_joins_journals_in_any_order() {
    let [here, there, third] = [(); 3].map(|()| Bench::with_items(5));
    judged(&here, "ann", &[(0, "accept"), (1, "accept"), (2, "accept")]);
    judged(&there, "bob", &[(0, "reject"), (3, "accept")]);
    judged(&there, "ann", &[(1, "reject")]);
    let files = [journal(&there, "ann"), journal(&there, "bob")];
    let before = statuses(&here);
    let dry = one(
        &here,
        &["merge", "--dry-run", "--json", &files[0], &files[1]],
    );
    assert_eq!((&dry["added"], statuses(&here)), (&json!(3), before));
    let merged = one(&here, &["merge", "--json", &files[0], &files[1]]);
    assert_eq!(
        (&merged["added"], &merged["known"], &merged["aside"]),
        (&json!(3), &json!(0), &json!([]))
    );
    let conflicts: Vec<_> = merged["conflicts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["item"].clone())
        .collect();
    assert_eq!(conflicts, ["set/0", "set/1"]);
    let again = one(&here, &["merge", "--json", &files[1], &files[0]]);
    assert_eq!((&again["added"], &again["known"]), (&json!(0), &json!(3)));
    // Another machine that gets the same in another order, one file at a time, stands at the same.
    for file in [&files[1], &journal(&here, "ann"), &files[0]] {
        third.run(["merge", file]).ok();
    }
    assert_eq!(statuses(&third), statuses(&here));
    assert_eq!(one(&third, &["replay", "--json"])["same"], true);
    // What is decided afterwards comes after everything that was known.
    judged(&here, "ann", &[(0, "fix")]);
    assert_eq!(statuses(&here)[0], "to-fix");
    here.run(["stop"]).ok();
    assert_eq!(statuses(&here)[0], "to-fix");
    assert_eq!(
        here.run(["undo", "--as", "bob"]).lines()[0]["number"],
        4,
        "merged verdicts can be taken back"
    );
    assert!(
        here.run(["merge", "nowhere.jsonl"])
            .refused(1)
            .names("nowhere.jsonl")
    );
}

#[test]
fn merge_sets_aside_a_verdict_on_another_text() {
    let (here, there) = (Bench::with_items(3), Bench::new());
    let path = there.items_file("set", 0..3);
    let text = std::fs::read_to_string(&path).unwrap();
    let mut items: Vec<Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    items[1]["question"] = json!("Another question?");
    let lines: String = items.iter().map(|i| format!("{i}\n")).collect();
    std::fs::write(&path, lines).unwrap();
    there.run(["import", path.to_str().unwrap()]).ok();
    judged(&there, "bob", &[(0, "reject"), (1, "reject")]);
    let merged = one(&here, &["merge", "--json", &journal(&there, "bob")]);
    assert_eq!(
        (&merged["added"], &merged["aside"][0]["item"]),
        (&json!(1), &json!("set/1"))
    );
    assert_eq!(statuses(&here), ["rejected", "pending", "pending"]);
}
