//! A judge model reads the answers that no rule can read. It is asked once, and its readings are kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use benchtop::model::board::{AnswerDetail, BoardQuery};
use benchtop::protocol::Incoming;
use benchtop::protocol::wire::{Event, request};
use serde_json::{Value, json};

use super::eval::{number, predictions, quiz, reply, words};
use crate::inference::server::{Act, Seen, Server};
use crate::support::{Bench, has_line, wait_until};

/// What a model says that names no option in words that can be read.
const UNREADABLE: &str = "The smallest of these numbers, clearly.";

/// A server that is the model `tiny`, whose answer to a question is `said`, and judges.
fn server(
    said: fn(usize) -> &'static str,
    judge: impl Fn(&Seen) -> Act + Send + Sync + 'static,
) -> Server {
    Server::new(move |seen| match seen.body["model"].as_str() {
        Some("tiny") => reply(said(number(seen)), "stop"),
        _ => judge(seen),
    })
}

/// A project of so many questions that `tiny` has answered.
fn answered(items: usize, server: &Server) -> Bench {
    let bench = quiz(items);
    answer_all(&bench, items, ("tiny", server));
    bench
}

/// Has `tiny` answer all questions, under a name.
pub fn answer_all(bench: &Bench, items: usize, (name, server): (&str, &Server)) {
    let url = server.url();
    bench
        .run([
            "eval",
            "--model",
            "tiny",
            "--name",
            name,
            "--endpoint",
            &url,
            "--json",
        ])
        .ok();
    wait_until("the answers are predictions", || {
        predictions(bench)
            .get(name)
            .is_some_and(|p| p.len() == items)
    });
}

fn judge_args<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let args = [
        "eval",
        "judge",
        "--judge",
        "wise",
        "--endpoint",
        url,
        "--tries",
        "1",
        "--json",
    ];
    args.into_iter().chain(more.iter().copied()).collect()
}

/// Right answers and all of them, by a rule.
fn score(bench: &Bench, rule: &str) -> (u64, u64) {
    let cells = bench
        .run([
            "board",
            "--rule",
            rule,
            "--format",
            "json",
            "--columns",
            "Acc",
        ])
        .lines();
    let cell = cells.iter().find(|cell| cell["model"] == "tiny").unwrap();
    (cell["k"].as_u64().unwrap(), cell["n"].as_u64().unwrap())
}

/// How each answer was read by a rule, by the key of its item.
fn traces(bench: &Bench, rule: &str) -> BTreeMap<String, (Option<String>, String)> {
    let answers = behind(bench, rule, "Acc").into_iter();
    answers
        .map(|answer| (answer.key, (answer.extracted, answer.trace)))
        .collect()
}

/// The answers of `tiny` behind a column.
pub fn behind(bench: &Bench, rule: &str, column: &str) -> Vec<AnswerDetail> {
    let ask = BoardQuery {
        rule: Some(rule.into()),
        ..BoardQuery::default()
    };
    let behind = request::Drilldown {
        ask: Box::new(ask),
        model: "tiny".into(),
        column: column.into(),
        from: 0,
    };
    bench.client("ann", |_| ()).ask(behind).unwrap().answers
}

/// The questions that a judge was asked, in order.
fn judged(server: &Server, judge: &str) -> Vec<usize> {
    server
        .seen()
        .iter()
        .filter(|seen| seen.body["model"] == judge)
        .map(number)
        .collect()
}

#[test]
fn a_judge_reads_each_unreadable_answer_once() {
    let said = |n: usize| match n {
        3 => "(A)",
        4 => "",
        5 => "I'm sorry, but I cannot answer that.",
        _ => UNREADABLE,
    };
    let server = server(said, |seen| {
        match (seen.body["model"].as_str().unwrap(), number(seen)) {
            ("second", _) => reply("C", "stop"),
            (_, 1) => reply("A", "stop"),
            (_, 2) => reply("(b)", "stop"),
            (_, 6) => reply("Z", "stop"),
            (_, 7) => reply("The answer is A", "length"),
            _ => reply("A. one", "stop"),
        }
    });
    let bench = answered(8, &server);
    let url = server.url();
    let judge = |more: &[&str]| bench.run(judge_args(&url, more)).lines().remove(0);
    assert_eq!(
        (score(&bench, "strict"), score(&bench, "strict+judge")),
        ((1, 8), (1, 8)),
        "nobody was asked yet"
    );
    let dry = judge(&["--dry-run"]);
    let none =
        json!({ "model": "tiny", "unparsed": 6, "skipped": 1, "judged": 0, "read": 0, "none": 0 });
    assert_eq!(
        (&dry["models"], &dry["asked"], judged(&server, "wise").len()),
        (&json!([none]), &json!(0), 0),
        "{dry}"
    );
    // A board that is open somewhere is told that it is another one now.
    let told = Arc::new(AtomicUsize::new(0));
    let hear = told.clone();
    let watcher = bench.client("bea", move |incoming| {
        let reread = matches!(incoming, Incoming::Event(Event::AnswersReparsed));
        hear.fetch_add(usize::from(reread), Ordering::SeqCst);
    });
    watcher.ask(request::Subscribe { since: u64::MAX }).unwrap();
    let found = judge(&["tiny"]);
    wait_until("the board is told", || told.load(Ordering::SeqCst) == 1);
    let one =
        json!({ "model": "tiny", "unparsed": 6, "skipped": 1, "judged": 5, "read": 3, "none": 2 });
    let wanted = json!({
        "judge": "wise", "instruction": "match-option@1", "asked": 5, "failed": 0, "why": null, "cut": 1,
        "tokens": [500, 25], "models": [one],
    });
    assert_eq!(found, wanted);
    // It saw the question, its options and the answer: no picture, no key.
    let seen = server
        .seen()
        .into_iter()
        .rfind(|seen| seen.body["model"] == "wise")
        .unwrap();
    let text = words(&seen);
    assert!(
        text.contains("A. one\nB. two\n") && text.contains(UNREADABLE),
        "{text}"
    );
    assert_eq!(
        (
            &seen.body["temperature"],
            seen.body.to_string().contains("image_url")
        ),
        (&json!(0), false)
    );
    assert_eq!(
        (score(&bench, "strict"), score(&bench, "strict+judge")),
        ((1, 8), (3, 8))
    );
    let read = traces(&bench, "strict+judge");
    let of = |n: &str| (read[n].0.as_deref(), read[n].1.clone());
    assert!(of("1").1.contains("`wise` (match-option@1)"), "{read:?}");
    assert_eq!(
        (of("1").0, of("2").0, of("3").0, of("4").0, of("5").0),
        (Some("A"), Some("B"), Some("A"), None, None)
    );
    assert!(
        of("3").1.starts_with("strict@2: ") && !of("3").1.contains("match-option"),
        "{read:?}"
    );
    // Question 4 was not put to the judge, and question 7 was put to it in vain: the traces differ.
    assert!(
        !of("4").1.contains("`wise`") && of("7").1 != of("4").1,
        "{read:?}"
    );
    assert_eq!(traces(&bench, "strict")["1"].0, None);
    let board = bench.run(["board", "--rule", "strict+judge"]).ok();
    assert!(
        has_line(&board, &["strict", "wise (match-option@1)"]),
        "{board}"
    );
    // Nothing is asked twice, by this owner or by the next, and what was read is no part of what can be made again.
    assert_eq!(judge(&[])["asked"], 0);
    bench.run(["stop"]).ok();
    std::fs::remove_dir_all(bench.root().join("store")).unwrap();
    let again = judge(&[]);
    assert_eq!(
        (
            &again["asked"],
            &again["models"][0],
            score(&bench, "strict+judge")
        ),
        (&json!(0), &one_of(&wanted), (3, 8))
    );
    assert_eq!(judged(&server, "wise").len(), 5);
    // An edited question is another question: its reading no longer counts, and it is asked about again.
    let id = predictions_id(&bench, "8");
    bench.run(["edit", &id, "--option", "D=five"]).ok();
    assert_eq!(score(&bench, "strict+judge"), (2, 8));
    assert_eq!(
        (&judge(&[])["asked"], score(&bench, "strict+judge")),
        (&json!(1), (3, 8))
    );
    // Another judge is asked anew; the last reading counts, and the board says that there are two.
    let second = [
        "eval",
        "judge",
        "--judge",
        "second",
        "--endpoint",
        &url,
        "--json",
    ];
    assert_eq!(bench.run(second).lines()[0]["asked"], 5);
    assert_eq!(score(&bench, "strict+judge"), (1, 8));
    let board = bench.run(["board", "--rule", "strict+judge"]).ok();
    assert!(
        board.contains("second (match-option@1), wise (match-option@1)"),
        "{board}"
    );
    // Files alone have no readings.
    let file = bench.beside("quiz.jsonl");
    let refused = bench
        .run(["board", file.to_str().unwrap(), "--rule", "strict+judge"])
        .refused(2);
    assert!(refused.names("eval judge"), "{refused}");
    let refused = bench.run(judge_args(&url, &["nobody"])).refused(1);
    assert!(refused.names("tiny"), "{refused}");
}

fn one_of(report: &Value) -> Value {
    report["models"][0].clone()
}

/// The id of the item with this key.
fn predictions_id(bench: &Bench, key: &str) -> String {
    let ends = format!("/{key}");
    bench
        .items()
        .iter()
        .filter_map(|item| item["id"].as_str())
        .find(|id| id.ends_with(&ends))
        .unwrap()
        .to_string()
}

#[test]
fn a_silent_judge_ends_the_command_and_the_next_run_continues() {
    const SILENT: usize = 3;
    let replies = Arc::new(AtomicUsize::new(0));
    let theirs = replies.clone();
    let server = server(
        |_| UNREADABLE,
        move |seen| {
            if seen.body["model"] == "nobody" {
                return Act::Status(
                    404,
                    vec![],
                    json!({"error": {"message": "no model `nobody`"}}).to_string(),
                );
            }
            match theirs.fetch_add(1, Ordering::SeqCst) {
                SILENT..20 => Act::Status(500, vec![], "out of memory".into()),
                _ => reply("A", "stop"),
            }
        },
    );
    let bench = answered(16, &server);
    let url = server.url();
    let args = [
        "eval",
        "judge",
        "--judge",
        "nobody",
        "--endpoint",
        &url,
        "--tries",
        "1",
        "--concurrency",
        "1",
    ];
    let refused = bench.run(args).refused(1);
    assert!(
        refused.names("5 ") && refused.names("no model `nobody`"),
        "{refused}"
    );
    assert!(
        judged(&server, "nobody").len() <= 8,
        "a wrong name costs two small batches at most"
    );
    let refused = bench
        .run(judge_args(&url, &["--concurrency", "1"]))
        .refused(1);
    assert!(refused.names("out of memory"), "{refused}");
    let before: BTreeSet<usize> = judged(&server, "wise")[..SILENT].iter().copied().collect();
    assert_eq!(
        (before.len(), score(&bench, "strict+judge")),
        (SILENT, (SILENT as u64, 16))
    );
    // The server is mended: what was read is not asked again.
    replies.store(20, Ordering::SeqCst);
    let asked = server.seen().len();
    let found = bench.run(judge_args(&url, &[])).lines().remove(0);
    assert_eq!(
        (&found["asked"], &found["models"][0]["judged"]),
        (&json!(13), &json!(16)),
        "{found}"
    );
    let after: BTreeSet<usize> = server.seen()[asked..].iter().map(number).collect();
    assert!(
        after.len() == 13 && after.is_disjoint(&before),
        "{before:?} {after:?}"
    );
    assert_eq!(score(&bench, "strict+judge"), (16, 16));
}

#[test]
fn a_killed_owner_loses_no_reading() {
    const IN_FLIGHT: usize = 2;
    let server = server(
        |_| UNREADABLE,
        |_| Act::Later(Duration::from_millis(120), Box::new(reply("A", "stop"))),
    );
    let bench = answered(24, &server);
    let url = server.url();
    let journal = bench.root().join("runs/judge.jsonl");
    let recorded = || {
        std::fs::read_to_string(&journal)
            .unwrap_or_default()
            .matches('\n')
            .count()
    };
    let mut command = bench.command(judge_args(&url, &["--concurrency", "2"]));
    let mut child = command
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_until("some readings", || recorded() >= 4);
    bench.kill_owner();
    child.wait().unwrap();
    let (kept, asked) = (recorded(), server.seen().len());
    assert!(
        (4..24).contains(&kept),
        "{kept} readings when it was killed"
    );
    // The write that it was killed in.
    let mut bytes = std::fs::read(&journal).unwrap();
    bytes.extend_from_slice(b"{\"v\":1,\"item\":\"quiz/");
    std::fs::write(&journal, bytes).unwrap();
    let found = bench.run(judge_args(&url, &[])).lines().remove(0);
    assert_eq!(
        (&found["asked"], &found["models"][0]["judged"]),
        (&json!(24 - kept), &json!(24)),
        "{found}"
    );
    let after: BTreeSet<usize> = server.seen()[asked..].iter().map(number).collect();
    assert_eq!((after.len(), recorded()), (24 - kept, 24));
    assert!(
        judged(&server, "wise").len() <= 24 + 2 * IN_FLIGHT,
        "what was in flight is asked again, and no more"
    );
    assert_eq!(score(&bench, "strict+judge"), (24, 24));
}
