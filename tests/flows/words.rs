//! Filter expressions: which items they find, and which errors they give.

use serde_json::json;

use crate::support::{Bench, ErrorKind};

fn ids(bench: &Bench, words: &str) -> Vec<String> {
    let lines = bench.run(["items", "--json", "--filter", words]).lines();
    lines
        .iter()
        .map(|line| line["id"].as_str().unwrap().to_string())
        .collect()
}

/// `pinkish` and `pretty ink` hold the letters of `pink` in order, and only the first holds `pink`.
fn bench() -> Bench {
    let bench = Bench::new();
    let rows = [
        r#"{"id": "a", "question": "How many hearts are there?", "A": "one", "B": "two", "answer": "one", "prompt": "pinkish hearts"}"#,
        r#"{"id": "b", "question": "How many boats?", "A": "three hearts", "B": "two", "answer": "two", "prompt": "the art is pretty ink"}"#,
        r#"{"id": "c", "question": "Is it so?", "A": "here are trees", "B": "Hearts of oak", "answer": "Hearts of oak"}"#,
        r#"{"id": "hearts", "question": "Which?", "A": "x", "B": "y", "answer": "x", "prompt": "how art is sold"}"#,
    ];
    let file = bench.write("set.jsonl", rows.join("\n"));
    bench.run(["import", file.to_str().unwrap()]).ok();
    bench
}

#[test]
fn filter_text_matches_substrings_and_fuzzily_on_request() {
    let bench = bench();
    assert_eq!(
        ids(&bench, "hearts"),
        ["set/a", "set/b", "set/c", "set/hearts"]
    );
    assert_eq!(ids(&bench, "pink"), ["set/a"]);
    assert_eq!(ids(&bench, "fuzzy:pink"), ["set/a", "set/b"]);
    assert_eq!(ids(&bench, "question:hearts"), ["set/a"]);
    assert_eq!(ids(&bench, "prompt:HEARTS"), ["set/a"]);
    assert_eq!(ids(&bench, "option:hearts"), ["set/b", "set/c"]);
    assert_eq!(ids(&bench, "answer:hearts"), ["set/c"]);
    assert_eq!(ids(&bench, "id:set/hearts,set/c"), ["set/c", "set/hearts"]);
    assert_eq!(
        ids(&bench, "id:hearts,/c,SET/c,set/"),
        [""; 0],
        "an id is meant whole"
    );
    assert_eq!(ids(&bench, "\"set/c\""), ["set/c"]);
    assert_eq!(ids(&bench, "how many"), ["set/a", "set/b"]);
    assert_eq!(ids(&bench, "\"many boats\""), ["set/b"]);
    // The end of one text and the beginning of the next are no phrase.
    assert_eq!(ids(&bench, "\"boats? three\""), [""; 0]);
    assert_eq!(
        ids(&bench, "hearts NOT question:hearts NOT id:set/c"),
        ["set/b", "set/hearts"]
    );
    assert_eq!(ids(&bench, "NOT \"hearts\""), [""; 0]);
}

#[test]
fn every_filtering_command_refuses_a_misspelled_field() {
    let bench = bench();
    for command in [
        &["items", "--filter"][..],
        &["export", "--format", "jsonl", "--filter"],
        &["bulk", "accept", "--filter"],
        &["coverage", "--filter"],
        &["board", "--filter"],
        &[
            "round",
            "new",
            "r",
            "--protocol",
            "single",
            "--people",
            "ann",
            "--filter",
        ],
        &["filter", "queue", "--filter"],
        &["analyze", "stability", "--filter"],
    ] {
        let refused = bench
            .run(command.iter().copied().chain(["quesion:hearts"]))
            .refused(2);
        assert!(refused.names("`question:`"), "{command:?}: {refused}");
    }
    assert!(bench.verdicts().is_empty());
    let refused = bench
        .run(["items", "--filter", "\"open", "--json"])
        .refused_as(ErrorKind::Usage);
    assert!(refused.names("1"), "{refused}");
}

#[test]
fn one_verdict_must_meet_all_filter_conditions() {
    let bench = bench();
    let said = |who: &str, lines: &[serde_json::Value]| {
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        bench.feed(["decide", "--as", who], &lines.join("\n")).ok();
    };
    said(
        "ann",
        &[
            json!({"item": "set/a", "verdict": "reject", "reasons": ["unsafe"], "note": "too Dark"}),
            json!({"item": "set/b", "verdict": "accept"}),
        ],
    );
    said(
        "bob",
        &[
            json!({"item": "set/a", "verdict": "accept"}),
            json!({"item": "set/c", "verdict": "reject"}),
        ],
    );
    assert_eq!(ids(&bench, "who:ann"), ["set/a", "set/b"]);
    assert_eq!(ids(&bench, "who:ann,bob"), ["set/a", "set/b", "set/c"]);
    assert_eq!(ids(&bench, "who:bob verdict:accept"), ["set/a"]);
    assert_eq!(
        ids(&bench, "who:bob reason:unsafe"),
        [""; 0],
        "the reason is of another verdict"
    );
    assert_eq!(ids(&bench, "reason:unsafe"), ["set/a"]);
    assert_eq!(ids(&bench, "verdict:reject reason:\"\""), ["set/c"]);
    assert_eq!(ids(&bench, "note:dark"), ["set/a"]);
    assert_eq!(ids(&bench, "seen:script NOT who:bob"), ["set/b"]);
    assert_eq!(ids(&bench, "round:\"\""), ["set/a", "set/b", "set/c"]);
    assert_eq!(ids(&bench, "judged:no"), ["set/hearts"]);
    assert_eq!(ids(&bench, "judged:yes NOT verdict:accept"), ["set/c"]);
    assert_eq!(ids(&bench, "judged:<2001-01-01"), [""; 0]);
    assert_eq!(ids(&bench, "judged:>=2001-01-01").len(), 3);
    bench.run(["undo", "--as", "bob"]).ok();
    assert_eq!(
        ids(&bench, "who:bob"),
        ["set/a"],
        "a verdict that was taken back is none"
    );
}

#[test]
fn filters_find_no_hidden_verdicts_of_a_blind_round() {
    let bench = bench();
    let new = [
        "round",
        "new",
        "pass",
        "--protocol",
        "both-accept",
        "--people",
        "ann,bob",
    ];
    bench.run(new).ok();
    let line =
        json!({"item": "set/a", "verdict": "reject", "note": "dark", "round": "pass"}).to_string();
    bench.feed(["decide", "--as", "ann"], &line).ok();
    let seen = |who: &str, words: &str| {
        let output = bench.run(["items", "--json", "--as", who, "--filter", words]);
        (output.code, output.lines().len())
    };
    assert_eq!(seen("ann", "round:pass"), (0, 1));
    for words in [
        "round:pass",
        "who:ann",
        "verdict:reject",
        "note:dark",
        "judged:yes",
        "NOT judged:no",
        "seen:script",
    ] {
        assert_eq!(seen("bob", words), (0, 0), "{words}");
    }
}

#[test]
fn filters_select_rotations() {
    let bench = Bench::new();
    let rows = "index\timage\tquestion\tA\tB\tanswer\tg_index\n\
        1\t\tWhich?\tcat\tdog\tA\t1\n1000001\t\tWhich?\tdog\tcat\tB\t1\n2\t\tWho?\ta\tb\tA\t\n";
    let file = bench.write("turns.tsv", rows);
    bench.run(["import", file.to_str().unwrap()]).ok();
    let all = bench.run(["items", "--json"]).lines();
    let set = all
        .iter()
        .find_map(|line| line["rotation"]["set"].as_str())
        .map(str::to_string);
    assert_eq!(ids(&bench, "rotation:2"), ["turns/1000001"]);
    assert_eq!(ids(&bench, "rotation:none"), ["turns/2"]);
    if let Some(set) = set {
        assert_eq!(ids(&bench, &format!("rotation:{set}")).len(), 2);
    }
}
