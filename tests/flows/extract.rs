//! `benchtop extract` as scripts see it: `docs/cli.md` is the description.

use std::process::Command;

use serde_json::json;

use crate::support::{Output, PROGRAM, Refusal, json_lines, run};

fn benchtop(args: &[&str], input: &str) -> Output {
    run(Command::new(PROGRAM).args(args), input)
}

const ASKED: &str = "Question: What is it?\\nChoices:\\n(A) Bear\\n(B) cat\\n(C) dog\\n(D) sea lion\\nHint: a letter.";

fn line(answer: &str) -> String {
    format!("{{\"instruction\":\"{ASKED}\",\"answer\":{answer}}}\n")
}

#[test]
fn answers_are_extracted_line_by_line() {
    let input = [
        line("\"(B)\""),
        "\n".into(),
        line("\"B. Dog\""),
        line("null"),
    ]
    .concat();
    let found = benchtop(&["extract", "--rule", "strict"], &input).lines();
    assert_eq!(
        found,
        [
            json!({"extracted": "cat", "state": "option", "trace": "strict@2: it commits itself to one answer; read as `B`"}),
            json!({"extracted": null, "state": "unparsed", "trace": "strict@2: it leaves open which answer it means; not readable"}),
            json!({"extracted": null, "state": "unparsed", "trace": "strict@2: the output is empty; not readable"}),
        ]
    );
    let legacy = benchtop(&["extract", "--rule", "legacy-dysca@1"], &input).lines();
    assert_eq!(
        legacy.iter().map(|l| &l["extracted"]).collect::<Vec<_>>(),
        ["cat", "sea lion", "dog"]
    );

    let compared = benchtop(
        &["extract", "--rule", "strict", "--compare", "legacy-dysca"],
        &input,
    );
    assert!(
        compared
            .err
            .contains("strict@2 and legacy-dysca@1 disagree on 2 of 3 "),
        "{compared:?}"
    );
    let lines = compared.lines();
    assert_eq!(lines.iter().map(|l| &l["line"]).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(lines[0]["readings"][1]["extracted"], "sea lion");
    assert_eq!(lines[1]["answer"], json!(null));
}

#[test]
fn extract_names_bad_lines_and_prints_earlier_ones() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("answers.jsonl");
    std::fs::write(
        &file,
        [line("\"A\""), "{\"instruction\": 1}\n".into()].concat(),
    )
    .unwrap();
    let bad = benchtop(&["extract", "--rule", "strict", file.to_str().unwrap()], "");
    assert_eq!((bad.code, json_lines(&bad.out).len()), (1, 1));
    assert_eq!(Refusal::of(&bad).place(), ("answers.jsonl", 2, ""));
    let stdin = benchtop(&["extract", "--rule", "strict"], "{\n").refused(1);
    assert_eq!(stdin.place(), ("", 1, ""));
    let unknown = benchtop(&["extract", "--rule", "best"], "").refused(2);
    assert!(
        unknown.names("`best`") && unknown.names("legacy-dysca@1"),
        "{unknown}"
    );
    benchtop(&["extract"], "").refused(2);
    let rules = benchtop(&["extract", "--rules"], "").ok();
    let all = benchtop::metrics::extract::Extractor::ALL;
    let bare: Vec<&str> = all
        .into_iter()
        .filter(|rule| !rule.is_of_project())
        .map(|rule| rule.name())
        .collect();
    assert_eq!(rules.lines().collect::<Vec<_>>(), bare);
    let of_project = benchtop(&["extract", "--rule", "strict+judge"], "").refused(2);
    assert!(of_project.names("`strict+judge`"), "{of_project}");
    let none = benchtop(&["extract", "--rule", "strict", "no.jsonl"], "").refused(1);
    assert!(none.names("no.jsonl"), "{none}");
}
