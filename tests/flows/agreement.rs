//! `agreement`, `pace`, and `round report`, as documented in docs/cli.md.

use serde_json::{Value, json};

use crate::support::{Bench, ErrorKind};

fn judged() -> Bench {
    let bench = Bench::with_items(12);
    let args = "round new first --protocol both-accept --people ann,bob --calibration 0 --repeats 0 --probes 0";
    bench.run(args.split(' ')).ok();
    for (who, other) in [("ann", 0), ("bob", 3)] {
        let line = |n: usize| {
            let verdict = if n.is_multiple_of(4) || n == other {
                "reject"
            } else {
                "accept"
            };
            json!({"item": n, "verdict": verdict, "note": "n", "round": "first"}).to_string() + "\n"
        };
        bench
            .feed(
                ["decide", "--as", who],
                &(1..=12).map(line).collect::<String>(),
            )
            .ok();
    }
    bench
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys
}

#[test]
fn agreement_is_one_object_with_every_number() {
    let bench = judged();
    let found = bench
        .run(["agreement", "--round", "first", "--json", "--draws", "200"])
        .lines()
        .remove(0);
    assert_eq!(
        keys(&found),
        [
            "bootstrap",
            "by",
            "categories",
            "methods",
            "notes",
            "people",
            "protocol",
            "quality",
            "round",
            "rows"
        ]
    );
    assert_eq!(
        (&found["by"], &found["categories"]),
        (&json!("pair"), &json!(["accept", "reject"]))
    );
    assert_eq!(found["bootstrap"], json!({"draws": 200, "seed": 1}));
    let pair = &found["rows"][1];
    let wanted = [
        "by_category",
        "cohen_kappa",
        "doubles",
        "fleiss_items",
        "fleiss_kappa",
        "gwet_ac1",
        "items",
        "krippendorff_alpha",
        "name",
        "negative_agreement",
        "people",
        "positive_agreement",
        "raw",
        "table",
        "unknown",
    ];
    assert_eq!(keys(pair), wanted);
    assert_eq!(
        (&pair["name"], &pair["people"]),
        (&json!("ann / bob"), &json!(["ann", "bob"]))
    );
    assert_eq!(
        pair["table"],
        json!({"rows": "ann", "columns": "bob", "counts": [[8, 1], [0, 3]]})
    );
    let raw = &pair["raw"];
    let wanted = [
        "high",
        "low",
        "more_doubles",
        "no_interval",
        "standard_error",
        "undefined",
        "value",
    ];
    assert_eq!(keys(raw), wanted);
    assert!(
        (raw["value"].as_f64().unwrap() - 11.0 / 12.0).abs() < 1e-12
            && raw["low"].as_f64() < raw["high"].as_f64()
    );
    assert_eq!(
        keys(&found["quality"][0]),
        [
            "informed",
            "lookalikes",
            "name",
            "practice",
            "probes",
            "repeats",
            "revised",
            "second"
        ]
    );
    assert_eq!(
        keys(&found["quality"][0]["revised"]),
        ["count", "high", "low", "of", "share"]
    );
    // The same without draws, by another property, for people to read, and as a paragraph.
    let bare = bench
        .run([
            "agreement",
            "--round",
            "first",
            "--by",
            "subtask",
            "--draws",
            "0",
            "--json",
        ])
        .lines();
    assert_eq!(
        (&bare[0]["bootstrap"], &bare[0]["rows"][0]["raw"]["low"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(bare[0]["rows"][0]["raw"]["value"], raw["value"]);
    let text = bench.run(["agreement", "--round", "first"]).ok();
    assert!(
        text.contains("ann / bob") && text.contains("91.7 % [") && text.contains("ann \\ bob"),
        "{text}"
    );
    let methods = bench
        .run(["agreement", "--round", "first", "--methods"])
        .ok();
    assert!(
        methods.lines().count() == 1 && methods.contains(" 12 items") && methods.contains("91.7 %"),
        "{methods}"
    );
}

#[test]
fn undefined_measures_print_their_reason() {
    let bench = judged();
    let none = bench.run(["agreement", "--json"]).lines().remove(0);
    assert_eq!(
        (&none["round"], &none["rows"][0]["items"]),
        (&Value::Null, &json!(0))
    );
    let raw = &none["rows"][0]["raw"];
    assert_eq!(raw["value"], Value::Null);
    let text = bench.run(["agreement"]).ok();
    assert!(
        text.contains(raw["undefined"].as_str().unwrap()) && !text.contains('%'),
        "{text}"
    );
}

#[test]
fn agreement_refuses_bad_requests() {
    let bench = judged();
    assert!(
        bench
            .run(["agreement", "--by", "colour", "--json"])
            .refused_as(ErrorKind::Usage)
            .names("subtask")
    );
    assert!(
        bench
            .run(["agreement", "--round", "second", "--json"])
            .refused_as(ErrorKind::NotFound)
            .names("first")
    );
    assert!(
        bench
            .run(["agreement", "--round", "first", "--draws", "1", "--json"])
            .refused_as(ErrorKind::Input)
            .names("1000000")
    );
    bench
        .run(["agreement", "--round", "first", "--by", "outcome", "--json"])
        .refused_as(ErrorKind::Conflict);
    for command in [["agreement", "--round"], ["round", "report"]] {
        let refused = bench
            .run(
                command
                    .into_iter()
                    .chain(["first", "--as", "ann", "--json"]),
            )
            .refused_as(ErrorKind::Denied);
        assert!(refused.names("first"), "{refused}");
    }
    assert!(
        bench
            .run(["pace", "--round", "second", "--json"])
            .refused_as(ErrorKind::NotFound)
            .names("first")
    );
}

#[test]
fn pace_shows_only_your_own_numbers() {
    let bench = judged();
    let own = bench
        .run(["pace", "--as", "ann", "--round", "first", "--json"])
        .lines()
        .remove(0);
    let wanted = [
        "breaks",
        "current_run",
        "drift",
        "items",
        "items_an_hour",
        "longest_run",
        "median_seconds",
        "offers_break",
        "round",
        "timed",
        "who",
        "worked_seconds",
    ];
    assert_eq!(keys(&own), wanted);
    assert_eq!(
        (&own["who"], &own["items"], &own["longest_run"]),
        (&json!("ann"), &json!(12), &json!(3))
    );
    assert_eq!(
        (&own["timed"], &own["median_seconds"], &own["drift"]),
        (&json!(0), &Value::Null, &Value::Null)
    );
    let other = bench.run(["pace", "--as", "dan", "--json"]).lines();
    assert_eq!(
        (&other[0]["who"], &other[0]["items"]),
        (&json!("dan"), &json!(0))
    );
}

#[test]
fn a_round_is_reported_as_markdown_and_as_json() {
    let bench = judged();
    let settle = json!({"item": 3, "verdict": "accept", "note": "bob | misread it", "round": "first", "adjudication": true});
    bench
        .feed(["decide", "--as", "cem"], &settle.to_string())
        .ok();
    let text = bench.run(["round", "report", "first"]).ok();
    for part in [
        "# Round `first`",
        "`both-accept`, 2",
        "24 of 24",
        "| accepted | 9 | 8 |",
        "\n## ",
        "| ann / bob | 12 | 12 |",
        "| #3 set/2 | annotator 1 accept, annotator 2 reject | accept | cem | bob \\| misread it |",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let path = bench.beside("report.md");
    let out = path.to_str().unwrap();
    assert_eq!(
        bench.run(["round", "report", "first", "--out", out]).ok(),
        ""
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    assert!(
        bench
            .run(["round", "report", "first", "--out", "/nowhere/report.md"])
            .refused(1)
            .names("/nowhere")
    );
    let found = bench
        .run(["round", "report", "first", "--json", "--draws", "0"])
        .lines()
        .remove(0);
    assert_eq!(
        (
            &found["outcome"]["accepted"],
            &found["by_status"]["accepted"]
        ),
        (&json!(9), &json!(8))
    );
    assert_eq!(
        (&found["disputes"], &found["settled"], &found["audit"]),
        (&json!(1), &json!(1), &Value::Null)
    );
    assert_eq!(
        keys(&found["adjudications"][0]),
        [
            "by", "item", "note", "number", "own", "reasons", "verdict", "verdicts"
        ]
    );
    let wanted = [
        "adjudications",
        "agreement",
        "audit",
        "blind",
        "by",
        "by_status",
        "closed",
        "created",
        "disputes",
        "first",
        "groups",
        "guidelines",
        "guidelines_version",
        "guidelines_versions",
        "items",
        "judged",
        "last",
        "left",
        "left_out",
        "methods",
        "missing",
        "name",
        "order",
        "origin",
        "outcome",
        "overlap",
        "people",
        "practice",
        "probes",
        "protocol",
        "repeats",
        "revised",
        "seed",
        "settled",
        "strangers",
        "wanted",
    ];
    assert_eq!(keys(&found), wanted);
}

#[test]
fn an_audit_reports_scores_with_and_without_wrong_items() {
    let bench = Bench::new();
    let small = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/conformance/fixtures/small"
    );
    bench.run(["import", small]).ok();
    let args =
        "round new tenth --protocol audit --people ann --calibration 0 --probes 0 --repeats 0";
    bench.run(args.split(' ')).ok();
    let say = |number: u64, verdict: &str| {
        let line =
            json!({"item": number, "verdict": verdict, "note": "n", "round": "tenth"}).to_string();
        bench.feed(["decide", "--as", "ann"], &line).ok();
    };
    // The rotations of a question are judged once.
    let mut numbers = Vec::new();
    let next = || {
        bench
            .run(["round", "next", "tenth", "--json", "--as", "ann"])
            .lines()
            .remove(0)
    };
    while let Some(number) = next()["number"].as_u64() {
        say(number, "accept");
        numbers.push(number);
    }
    numbers.sort_unstable();
    assert!(numbers.len() < bench.items().len());
    let audit = || {
        bench
            .run([
                "round", "report", "tenth", "--json", "--draws", "0", "--as", "cem",
            ])
            .lines()
            .remove(0)["audit"]
            .clone()
    };
    let before = audit();
    assert_eq!(
        (&before["wrong"]["count"], &before["wrong"]["of"]),
        (&json!(0), &json!(numbers.len()))
    );
    let scores = before["scores"].as_array().unwrap();
    assert!(!scores.is_empty());
    for score in scores {
        assert_eq!(score["with"], score["without"], "nothing is wrong yet");
        assert!(
            score["with"]["of"].as_u64().unwrap() > 0
                && score["with"]["count"].as_u64() <= score["with"]["of"].as_u64()
        );
    }
    say(numbers[0], "reject");
    say(numbers[1], "fix");
    let after = audit();
    assert_eq!(
        (&after["wrong"]["count"], &after["wrong"]["of"]),
        (&json!(2), &json!(numbers.len()))
    );
    let mut left_out = 0;
    for (then, now) in scores.iter().zip(after["scores"].as_array().unwrap()) {
        assert_eq!(then["with"], now["with"], "the same items, good or bad");
        let of = |score: &Value| score["without"]["of"].as_u64().unwrap();
        assert!(of(then) - of(now) <= 2, "{then} {now}");
        left_out += of(then) - of(now);
    }
    assert!(left_out > 0, "somebody had answered one of them");
    let text = bench
        .run(["round", "report", "tenth", "--draws", "0", "--as", "cem"])
        .ok();
    assert!(text.contains("| model | with | without |"), "{text}");
}
