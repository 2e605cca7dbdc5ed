//! Answers in many wordings and languages, from a server to the board.

use std::collections::BTreeMap;

use serde_json::json;

use super::eval::{number, predictions, quiz};
use crate::inference::server::{Act, Server};
use crate::support::wait_until;

/// Answers that commit themselves to nothing.
const HEDGES: [&str; 10] = [
    "It could be A or B.",
    "The answer is not A.",
    "Rule out option A.",
    "Neither A nor B.",
    "Either A or C",
    "Maybe A?",
    "A. Wait, no.",
    "I'm torn between A and D.",
    "<think>The answer is A",
    "It can't be A.",
];

/// The first option, in ten languages.
const LANGUAGES: [&str; 10] = [
    "The correct option is A",
    "正确答案是A。",
    "答えはAです。",
    "정답은 A입니다.",
    "Правильный ответ: A",
    "La bonne réponse est A.",
    "Die richtige Antwort ist A.",
    "La respuesta correcta es A.",
    "A resposta correta é A.",
    "الإجابة الصحيحة هي A.",
];

/// A last question is answered in thoughts alone.
const ITEMS: usize = HEDGES.len() + LANGUAGES.len() + 1;

#[test]
fn strict_rejects_ten_hedges_and_reads_ten_languages() {
    let server = Server::new(|seen| {
        let at = number(seen) - 1;
        let message = match at {
            ..10 => json!({"role": "assistant", "content": HEDGES[at]}),
            10..20 => {
                json!({"role": "assistant", "content": LANGUAGES[at - 10], "reasoning_content": "B? No."})
            }
            _ => json!({"role": "assistant", "content": null, "reasoning": "The answer is A."}),
        };
        let choice = json!({"message": message, "finish_reason": "stop"});
        Act::Body(
            json!({"model": "tiny", "choices": [choice]})
                .to_string()
                .into_bytes(),
        )
    });
    let bench = quiz(ITEMS);
    bench
        .run([
            "eval",
            "--model",
            "tiny",
            "--endpoint",
            &server.url(),
            "--json",
        ])
        .ok();
    wait_until("the answers are predictions", || {
        predictions(&bench)
            .get("tiny")
            .is_some_and(|p| p.len() == ITEMS)
    });
    let score = |rule: &[&str]| {
        let args = ["board", "--format", "json", "--columns", "Acc"];
        let cells = bench
            .run(args.into_iter().chain(rule.iter().copied()))
            .lines();
        let cell = cells
            .into_iter()
            .find(|cell| cell["model"] == "tiny")
            .unwrap();
        (cell["k"].as_u64().unwrap(), cell["n"].as_u64().unwrap())
    };
    assert_eq!(
        (score(&[]), score(&["--rule", "strict"])),
        ((10, 21), (10, 21))
    );
    // The first version stays what it was: it may be right as often, and reads other answers.
    let reads = |rule: &str| {
        let args = [
            "board",
            "--answers",
            "tiny",
            "--column",
            "Acc",
            "--format",
            "json",
            "--rule",
            rule,
        ];
        let lines = bench.run(args).lines();
        let read = |line: serde_json::Value| {
            (
                line["key"].as_str().unwrap().parse().unwrap(),
                line["extracted"].clone(),
            )
        };
        lines
            .into_iter()
            .map(read)
            .collect::<BTreeMap<usize, serde_json::Value>>()
    };
    let (first, second) = (reads("strict@1"), reads("strict@2"));
    assert_eq!(second, reads("strict"));
    let said = |key: usize| {
        HEDGES
            .iter()
            .chain(&LANGUAGES)
            .nth(key - 1)
            .copied()
            .unwrap_or_default()
    };
    let apart: Vec<&str> = first
        .iter()
        .filter(|(key, read)| second[*key] != **read)
        .map(|(key, _)| said(*key))
        .collect();
    let hedges = HEDGES
        .iter()
        .filter(|hedge| !["Either A or C", "Maybe A?"].contains(hedge));
    assert_eq!(
        apart,
        hedges.chain(&LANGUAGES[..5]).copied().collect::<Vec<_>>()
    );
    // What a model thought is kept, and shown beside what it said.
    let lines = bench
        .run([
            "board",
            "--answers",
            "tiny",
            "--column",
            "Acc",
            "--format",
            "json",
        ])
        .lines();
    let thought = |line: &serde_json::Value| line["reasoning"].as_str().map(str::to_string);
    assert_eq!(
        lines
            .iter()
            .filter_map(thought)
            .filter(|text| text == "B? No.")
            .count(),
        10,
        "{lines:?}"
    );
    let silent = lines.iter().find(|line| line["key"] == "21").unwrap();
    assert_eq!(
        (&silent["reasoning"], &silent["extracted"]),
        (&json!("The answer is A."), &json!(null))
    );
    let journal = std::fs::read_to_string(bench.root().join("runs/0001.jsonl")).unwrap();
    assert!(journal.contains("\"reasoning\":\"B? No.\""), "{journal}");
}
