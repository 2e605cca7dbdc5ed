//! `benchtop home`: its counts are those of the commands.

use serde_json::{Value, json};

use crate::support::Bench;

fn home(bench: &Bench, who: &str) -> Value {
    bench.run(["--as", who, "home", "--json"]).lines().remove(0)
}

fn names(list: &Value, field: &str) -> Vec<String> {
    let list = list.as_array().unwrap().iter();
    list.map(|entry| entry[field].as_str().unwrap().to_string())
        .collect()
}

#[test]
fn every_count_is_the_number_of_items_that_its_filter_lists() {
    let bench = Bench::new();
    assert_eq!(names(&home(&bench, "ann")["next"], "step"), ["add-items"]);
    bench.run(["compose", "--count", "40", "--seed", "3"]).ok();
    bench
        .run([
            "generate",
            "--backend",
            "storyboard",
            "--filter",
            "subtask:color,animal",
        ])
        .ok();
    let verdicts = "{\"item\":1,\"verdict\":\"accept\"}\n{\"item\":2,\"verdict\":\"reject\"}\n\
                    {\"item\":3,\"verdict\":\"skip\"}\n{\"item\":4,\"verdict\":\"accept\"}\n";
    bench.feed(["--as", "ann", "decide"], verdicts).ok();
    bench
        .feed(
            ["--as", "bob", "decide"],
            "{\"item\":5,\"verdict\":\"accept\"}\n",
        )
        .ok();
    bench
        .feed(
            ["--as", "ann", "decide"],
            "{\"item\":7,\"verdict\":\"accept\"}\n",
        )
        .ok();
    bench.run(["--as", "ann", "undo"]).ok();
    for who in ["ann", "bob", "cleo"] {
        let home = home(&bench, who);
        let lists = home["lists"].as_object().unwrap();
        assert_eq!(lists.len(), 9);
        for (name, list) in lists {
            let filter = list["filter"].as_str().unwrap();
            let items = bench.run(["--as", who, "items", "--json", "--filter", filter]);
            assert_eq!(
                json!(items.lines().len()),
                list["items"],
                "{name} of {who}: `{filter}`"
            );
        }
        assert_eq!(lists["items"]["items"], 40);
        assert_eq!(lists["accepted"]["items"], 3);
    }
    let ann = home(&bench, "ann");
    assert_eq!(ann["lists"]["own"]["items"], 4);
    assert_eq!(ann["people"][0]["who"], "ann");
    let days = ann["people"][0]["days"].as_array().unwrap();
    assert_eq!(
        (days.len(), days[13].as_u64()),
        (14, Some(3)),
        "skips do not count"
    );
    assert_eq!(home(&bench, "cleo")["since"], Value::Null);
}

#[test]
fn open_rounds_disputes_and_the_work_of_others_are_listed() {
    let bench = Bench::with_items(6);
    let new = "round new r1 --protocol both-accept --people ann,bob --calibration 0 --repeats 0 --probes 0";
    bench.run(new.split(' ')).ok();
    let start = home(&bench, "ann");
    assert_eq!(
        start["rounds"],
        json!([{"name": "r1", "judged": 0, "share": 6, "seconds_left": null}])
    );
    assert_eq!(home(&bench, "cleo")["rounds"], json!([]));
    assert_eq!(names(&start["next"], "step")[0], "judge-round");
    let judged = |who: &str, verdict: &str| {
        let lines: String = (1..=3)
            .map(|n| format!("{{\"item\":{n},{verdict},\"round\":\"r1\"}}\n"))
            .collect();
        bench.feed(["--as", who, "decide"], &lines).ok();
    };
    judged("ann", "\"verdict\":\"accept\"");
    assert_eq!(home(&bench, "ann")["rounds"][0]["judged"], 3);
    judged(
        "bob",
        "\"verdict\":\"reject\",\"reasons\":[\"wrong-content\"]",
    );
    let ann = home(&bench, "ann");
    let bob = &ann["people"].as_array().unwrap()[1];
    assert_eq!(
        (&bob["who"], &bob["since"]),
        (&json!("bob"), &json!(3)),
        "what bob judged after ann's last verdict"
    );
    bench.run(["round", "close", "r1"]).ok();
    let closed = home(&bench, "ann");
    assert_eq!(closed["rounds"], json!([]));
    assert_eq!(closed["disputes"], json!([{"round": "r1", "open": 3}]));
    let listed = bench.run(["round", "disputes", "r1", "--json"]).lines();
    assert_eq!(listed.len(), 3);
}
