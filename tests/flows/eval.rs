//! Evaluations on the command line: well and badly behaved servers, option orders, pictures, predictions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use benchtop::protocol::wire::request;
use serde_json::{Value, json};

use crate::inference::server::{Act, Seen, Server, png};
use crate::support::{Bench, has_line, json_lines, wait_until};

/// A project of `items` questions, each with a picture of its own and four options.
pub fn quiz(items: usize) -> Bench {
    quiz_of(items, (8, 8))
}

/// The same with pictures of this size.
pub fn quiz_of(items: usize, (width, height): (u32, u32)) -> Bench {
    let bench = Bench::new();
    let line = |n: usize| {
        bench.write(&format!("{n}.png"), png(width, height, &n.to_string()));
        json!({
            "id": n, "images": [format!("{n}.png")], "prompt": format!("picture {n}"), "question": format!("What is {n}?"),
            "answer": "one", "question_type": "multi choice", "task": "recognition",
            "options": ["one", "two", "three", "four"], "question_majority": "animal",
        })
        .to_string()
            + "\n"
    };
    let text: String = (1..=items).map(line).collect();
    let file = bench.write("quiz.jsonl", text);
    bench.run(["import", file.to_str().unwrap()]).ok();
    bench
}

/// An answer of the chat API.
pub fn reply(text: &str, finish: &str) -> Act {
    let choice =
        json!({ "message": { "role": "assistant", "content": text }, "finish_reason": finish });
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 5 });
    Act::Body(
        json!({ "model": "tiny-2026", "choices": [choice], "usage": usage })
            .to_string()
            .into_bytes(),
    )
}

/// The words of a question.
pub fn words(seen: &Seen) -> String {
    let content = &seen.body["messages"].as_array().unwrap().last().unwrap()["content"];
    match content.as_str() {
        Some(text) => text.to_string(),
        None => content
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|p| p["text"].as_str())
            .collect(),
    }
}

/// The number in a question.
pub fn number(seen: &Seen) -> usize {
    let words = words(seen);
    let rest = words.split("What is ").nth(1).unwrap();
    rest.split('?').next().unwrap().parse().unwrap()
}

fn eval(bench: &Bench, server: &Server, more: &[&str]) -> Value {
    let url = server.url();
    let args = [
        "eval",
        "--model",
        "tiny",
        "--endpoint",
        &url,
        "--json",
        "--timeout",
        "3",
    ];
    let out = bench.run(args.into_iter().chain(more.iter().copied()));
    json_lines(&out.out)
        .pop()
        .unwrap_or_else(|| panic!("{out:?}"))
}

/// All predictions of the project, by the name of their model.
pub fn predictions(bench: &Bench) -> BTreeMap<String, Vec<Value>> {
    let client = bench.client("ann", |_| ());
    let sets = client.ask(request::AnswerSets).unwrap();
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (at, set) in sets.iter().enumerate() {
        for part in 0.. {
            let ask = request::AnswerLines {
                set: at as u32,
                part,
            };
            let Some(lines) = client.ask(ask).unwrap() else {
                break;
            };
            found
                .entry(set.model.clone())
                .or_default()
                .extend(json_lines(&lines));
        }
    }
    found
}

#[test]
fn a_misbehaving_server_answers_every_question_once() {
    let bench = quiz(24);
    let server = Server::new(|seen| match (number(seen), seen.before) {
        (3 | 9, 0) => Act::Status(429, vec![("retry-after", "0".into())], "slow down".into()),
        (4 | 10, 0) => Act::Status(503, vec![], "busy".into()),
        (5, 0) => Act::Stall(Duration::from_secs(30)),
        (6, 0) => Act::Raw(200, vec![], vec![b'{'; 200], true),
        (7, 0) => Act::Body(b"<html>bad gateway</html>".to_vec()),
        (8, _) => reply("The answer is (A) and I will now expl", "length"),
        (11, _) => reply("I cannot help with that.", "content_filter"),
        (12, _) => reply("", "stop"),
        _ => reply("(A)", "stop"),
    });
    let job = eval(&bench, &server, &["--price-in", "2", "--price-out", "8"]);
    assert_eq!(
        (&job["standing"], &job["done"], &job["failed"]),
        (&json!("done"), &json!(24), &json!(0)),
        "{job}"
    );
    let run = &job["run"];
    assert_eq!(
        (&run["truncated"], &run["refused"], &run["empty"]),
        (&json!(1), &json!(1), &json!(1)),
        "{job}"
    );
    assert_eq!(run["tokens"], json!([2400, 120]));
    assert_eq!(run["cost_micros"], json!(2400 * 2 + 120 * 8));
    // What was answered with 200 was not asked again, truncated and refused answers neither.
    let mut asked: BTreeMap<usize, usize> = BTreeMap::new();
    server
        .seen()
        .iter()
        .for_each(|seen| *asked.entry(number(seen)).or_default() += 1);
    let again: BTreeSet<usize> = asked
        .iter()
        .filter(|(_, n)| **n > 1)
        .map(|(n, _)| *n)
        .collect();
    assert_eq!(again, BTreeSet::from([3, 4, 5, 6, 7, 9, 10]), "{asked:?}");
    assert!(again.iter().all(|n| asked[n] == 2), "{asked:?}");
    let seen = &server.seen()[0].body;
    assert_eq!(
        (&seen["model"], &seen["temperature"], &seen["max_tokens"]),
        (&json!("tiny"), &json!(0), &json!(512))
    );
    let picture = &seen["messages"][0]["content"][0]["image_url"]["url"];
    assert!(
        picture
            .as_str()
            .unwrap()
            .starts_with("data:image/png;base64,"),
        "{picture}"
    );
    wait_until("the answers are predictions", || {
        predictions(&bench)
            .get("tiny")
            .is_some_and(|p| p.len() == 24)
    });
    let rows = &predictions(&bench)["tiny"];
    let of = |n: i64| rows.iter().find(|r| r["key"] == n).unwrap();
    assert_eq!(
        (&of(8)["extra"]["finish"], &of(11)["extra"]["finish"]),
        (&json!("length"), &json!("refused"))
    );
    assert_eq!(of(1)["extra"]["instruction"], "dysca@1");
    assert_eq!(
        (&of(1)["extra"]["run"], &of(1)["extra"]["served"]),
        (&json!(1), &json!("tiny-2026"))
    );
    // Another run of the same model is another model on the board.
    let job = eval(&bench, &server, &["--sample", "5", "--seed", "3"]);
    assert_eq!(
        (&job["run"]["label"], &job["done"]),
        (&json!("tiny (run 2)"), &json!(5))
    );
    wait_until("its answers too", || {
        predictions(&bench)
            .get("tiny (run 2)")
            .is_some_and(|p| p.len() == 5)
    });
    assert_eq!(predictions(&bench)["tiny"].len(), 24);
    // What it was not asked is not held against it.
    let cells = bench.run(["board", "--format", "json"]).lines();
    let n = |model: &str| {
        cells
            .iter()
            .find(|c| c["model"] == model && c["column"] == "Acc")
            .unwrap()["n"]
            .clone()
    };
    assert_eq!((n("tiny"), n("tiny (run 2)")), (json!(24), json!(5)));
    let board = bench.run(["board"]);
    assert!(
        has_line(
            &(board.out.clone() + &board.err),
            &["tiny (run 2)", "5", "24"]
        ),
        "{board:?}"
    );
    let refused = bench
        .run([
            "eval",
            "--model",
            "x",
            "--name",
            "tiny",
            "--endpoint",
            &server.url(),
        ])
        .refused(1);
    assert!(refused.names("`tiny`"), "{refused}");
}

#[test]
fn a_blind_run_sends_no_pictures_and_asks_all_rotations() {
    let bench = quiz(3);
    let server = Server::new(|seen| {
        // It always means "two", wherever that stands.
        let words = words(seen);
        let line = words.lines().find(|l| l.ends_with(" two")).unwrap();
        reply(&line[..3], "stop")
    });
    let job = eval(&bench, &server, &["--blind", "--circular"]);
    assert_eq!(
        (&job["done"], &job["run"]["label"]),
        (&json!(12), &json!("tiny (blind)")),
        "{job}"
    );
    assert!(
        server
            .seen()
            .iter()
            .all(|s| !s.body.to_string().contains("image_url"))
    );
    let prompts: BTreeSet<String> = server.seen().iter().map(words).collect();
    assert_eq!(prompts.len(), 12);
    let label = |n: usize| {
        if n == 1 {
            "tiny (blind)".to_string()
        } else {
            format!("tiny (blind) (rotation {n})")
        }
    };
    wait_until("all rotations", || predictions(&bench).len() == 4);
    let found = predictions(&bench);
    for n in 1..=4 {
        let rows = &found[&label(n)];
        assert_eq!(rows.len(), 3);
        // Whatever it said, it reads as the letter of the item's own order.
        assert!(rows.iter().all(|r| r["output"] == "(B)"), "{rows:?}");
        assert!(
            rows.iter()
                .all(|r| r["extra"]["blind"] == true && r["extra"]["order"] == n),
            "{rows:?}"
        );
    }
    let turned = &found[&label(2)][0]["extra"];
    assert_eq!(
        (&turned["shown"], &turned["said"]),
        (&json!([1, 2, 3, 0]), &json!("(A)"))
    );
    // Shuffles: each has a name of its own.
    let job = eval(&bench, &server, &["--shuffles", "2", "--name", "sap"]);
    assert_eq!(job["done"], 6, "{job}");
    let both = ["sap", "sap (shuffle 2)"];
    wait_until("both shuffles", || {
        both.iter().all(|k| predictions(&bench).contains_key(*k))
    });
    // A board has a row for each run: all rotations, and the mean over orders, are columns of it.
    let cells = bench.run(["board", "--format", "json"]).lines();
    let models: BTreeSet<&str> = cells.iter().filter_map(|c| c["model"].as_str()).collect();
    assert_eq!(models, BTreeSet::from(["sap", "tiny (blind)"]));
    let of = |model: &str, column: &str| {
        let cell = cells
            .iter()
            .find(|c| c["model"] == model && c["column"] == column)
            .unwrap();
        (cell["k"].clone(), cell["n"].clone(), cell["value"].clone())
    };
    assert_eq!(
        of("tiny (blind)", "CircularEval"),
        (json!(0), json!(3), json!(0.0))
    );
    assert_eq!(of("sap", "Acc.orders"), (Value::Null, json!(3), json!(0.0)));
    assert_eq!(of("sap", "Acc.orders.sd").2, json!(0.0));
    let dry = bench.run([
        "eval",
        "--model",
        "m",
        "--endpoint",
        &server.url(),
        "--circular",
        "--dry-run",
        "--json",
    ]);
    let dry = dry.lines().remove(0);
    assert_eq!(
        (&dry["questions"], &dry["items"], &dry["job"]),
        (&json!(12), &json!(3), &Value::Null)
    );
}

#[test]
fn a_server_without_answers_pauses_the_run() {
    let bench = quiz(20);
    let mends = std::sync::Arc::new(AtomicUsize::new(0));
    let theirs = mends.clone();
    let server = Server::new(move |seen| {
        match (theirs.load(Ordering::SeqCst), seen.body["model"].as_str()) {
            (0, Some("html")) => Act::Body(b"<html>nginx</html>".to_vec()),
            (0, _) => Act::Status(
                404,
                vec![],
                json!({"error": {"message": "The model `tinny` does not exist"}}).to_string(),
            ),
            _ => reply("(A)", "stop"),
        }
    });
    let url = server.url();
    let out = bench.run([
        "eval",
        "--model",
        "tinny",
        "--endpoint",
        &url,
        "--tries",
        "1",
    ]);
    assert_eq!(out.code, 1, "{out:?}");
    assert!(
        out.out.contains("failed") && out.out.contains("The model `tinny` does not exist"),
        "{out:?}"
    );
    let out = bench.run([
        "eval",
        "--model",
        "html",
        "--endpoint",
        &url,
        "--tries",
        "1",
        "--json",
    ]);
    let job = json_lines(&out.out).pop().unwrap();
    assert_eq!(
        (out.code, &job["standing"], &job["done"], &job["failed"]),
        (1, &json!("failed"), &json!(0), &json!(0))
    );
    assert!(job["reason"].as_str().unwrap().contains("nginx"), "{job}");
    // Nothing listens there.
    let nobody = "http://127.0.0.1:9/v1";
    bench
        .run([
            "eval",
            "--model",
            "gone",
            "--endpoint",
            nobody,
            "--tries",
            "1",
            "--timeout",
            "2",
            "--detach",
        ])
        .ok();
    wait_until("it is said", || {
        bench.run(["jobs"]).ok().contains("cannot connect")
    });
    bench.run(["jobs", "cancel", "3"]).ok();
    let refused = bench
        .run(["eval", "--model", "x", "--endpoint", "file:///etc/passwd"])
        .refused(2);
    assert!(refused.names("http://"), "{refused}");
    let refused = bench
        .run([
            "eval",
            "--model",
            "x",
            "--endpoint",
            &url,
            "--key-env",
            "BENCHTOP_NO_SUCH_KEY",
        ])
        .refused(1);
    assert!(refused.names("BENCHTOP_NO_SUCH_KEY"), "{refused}");
    // Once the server is mended the run goes on, and nothing was lost.
    mends.store(1, Ordering::SeqCst);
    bench.run(["jobs", "resume", "1"]).ok();
    let job = bench
        .run(["jobs", "watch", "1", "--json"])
        .lines()
        .pop()
        .unwrap()["job"]
        .clone();
    assert_eq!(
        (&job["standing"], &job["done"]),
        (&json!("done"), &json!(20)),
        "{job}"
    );
}

#[test]
fn retry_asks_failed_questions_and_cancel_keeps_answers() {
    let bench = quiz(8);
    let mends = std::sync::Arc::new(AtomicUsize::new(0));
    let theirs = mends.clone();
    let server = Server::new(
        move |seen| match (theirs.load(Ordering::SeqCst), number(seen)) {
            (0, 2 | 5) => Act::Status(400, vec![], "this picture is refused".into()),
            (2, _) => Act::Later(Duration::from_millis(500), Box::new(reply("(A)", "stop"))),
            _ => Act::Later(Duration::from_millis(40), Box::new(reply("(A)", "stop"))),
        },
    );
    let picture = std::fs::read_dir(bench.root().join("images"))
        .unwrap()
        .flatten()
        .find(|e| e.path().is_dir())
        .unwrap();
    let file: PathBuf = std::fs::read_dir(picture.path())
        .unwrap()
        .flatten()
        .next()
        .unwrap()
        .path();
    let (bytes, hidden) = (std::fs::read(&file).unwrap(), file.with_extension("hidden"));
    std::fs::rename(&file, &hidden).unwrap();
    let job = eval(&bench, &server, &["--concurrency", "1"]);
    assert_eq!(
        job["done"].as_u64().unwrap() + job["failed"].as_u64().unwrap(),
        8,
        "{job}"
    );
    let failures = bench.run(["jobs", "failures", "1", "--json"]).lines();
    assert_eq!(failures.len() as u64, job["failed"].as_u64().unwrap());
    assert!(
        failures.iter().any(|f| f["reason"]
            .as_str()
            .unwrap()
            .contains("this picture is refused")),
        "{failures:?}"
    );
    assert!(
        failures
            .iter()
            .any(|f| f["reason"].as_str().unwrap().contains("picture")),
        "{failures:?}"
    );
    std::fs::rename(&hidden, &file).unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
    mends.store(1, Ordering::SeqCst);
    bench.run(["jobs", "retry", "1"]).ok();
    let job = bench
        .run(["jobs", "watch", "1", "--json"])
        .lines()
        .pop()
        .unwrap()["job"]
        .clone();
    assert_eq!(
        (&job["done"], &job["failed"], &job["standing"]),
        (&json!(8), &json!(0), &json!("done")),
        "{job}"
    );
    wait_until("all eight", || {
        predictions(&bench)
            .get("tiny")
            .is_some_and(|p| p.len() == 8)
    });
    // Given up in the middle: what was answered is there.
    mends.store(2, Ordering::SeqCst);
    let url = server.url();
    bench
        .run([
            "eval",
            "--model",
            "tiny",
            "--endpoint",
            &url,
            "--concurrency",
            "1",
            "--detach",
        ])
        .ok();
    wait_until("an answer", || {
        bench.run(["jobs", "--json"]).lines()[0]["done"]
            .as_u64()
            .unwrap()
            > 0
    });
    bench.run(["jobs", "cancel", "2"]).ok();
    let mut told = 0;
    wait_until("its answers", || {
        let jobs = bench.run(["jobs", "--json"]).lines();
        let job = jobs.iter().find(|j| j["id"] == 2).unwrap();
        told = job["run"]["predictions"].as_u64().unwrap();
        job["standing"] == "cancelled" && told > 0 && told == job["done"].as_u64().unwrap()
    });
    let found = predictions(&bench);
    assert_eq!(found["tiny (run 2)"].len() as u64, told);
    bench.run(["jobs", "remove", "2"]).ok();
    assert_eq!(
        predictions(&bench)["tiny (run 2)"].len() as u64,
        told,
        "predictions stay"
    );
    assert!(
        !bench.root().join("runs/0002.json").exists()
            && bench.root().join("runs/0001.jsonl").exists()
    );
}

#[test]
fn a_data_set_without_answers_counts_as_wrong() {
    let bench = quiz(8);
    let other = r#"{"id": 101, "images": [], "question": "What is 101?", "answer": "one", "question_type": "multi choice", "options": ["one", "two"], "question_majority": "plant"}"#;
    let file = bench.write(
        "other.jsonl",
        format!("{other}\n{}\n", other.replace("101", "102")),
    );
    bench.run(["import", file.to_str().unwrap()]).ok();
    let server = Server::new(|seen| match number(seen) {
        2 | 101.. => Act::Status(400, vec![], "image too large".into()),
        _ => reply("(A)", "stop"),
    });
    let job = eval(&bench, &server, &["--concurrency", "1"]);
    assert_eq!(
        (&job["done"], &job["failed"]),
        (&json!(7), &json!(3)),
        "{job}"
    );
    let cell = |column: &str| {
        let cells = bench.run(["board", "--format", "json"]).lines();
        let cell = cells
            .iter()
            .find(|c| c["model"] == "tiny" && c["column"] == column);
        cell.map_or((0, 0), |c| {
            (c["k"].as_u64().unwrap(), c["n"].as_u64().unwrap())
        })
    };
    wait_until("the answers are predictions", || {
        cell("Acc.dataset.quiz") == (7, 8)
    });
    assert_eq!((cell("Acc.dataset.other"), cell("Acc")), ((0, 2), (7, 10)));
    let table = bench.run(["board"]);
    assert!(has_line(&(table.out + &table.err), &["note: tiny", "3"]));
    // It is there after a start without anything kept.
    bench.run(["stop"]).ok();
    std::fs::remove_dir_all(bench.root().join("store")).unwrap();
    assert_eq!(cell("Acc"), (7, 10));
    assert_eq!(
        bench.run(["jobs", "--json"]).lines()[0]["run"]["predictions"],
        json!(7)
    );
}

#[test]
fn a_paused_run_loses_no_answer_and_keeps_its_wording() {
    let bench = quiz(30);
    let slow = std::sync::Arc::new(AtomicBool::new(true));
    let theirs = slow.clone();
    let server = Server::new(move |_| match theirs.load(Ordering::SeqCst) {
        true => Act::Later(Duration::from_millis(300), Box::new(reply("(A)", "stop"))),
        false => reply("(A)", "stop"),
    });
    let url = server.url();
    let mine = bench.root().join("metadata/instruct/mine.toml");
    let text = std::fs::read_to_string(bench.root().join("metadata/instruct/plain.toml")).unwrap();
    std::fs::write(&mine, &text).unwrap();
    let args = [
        "eval",
        "--model",
        "tiny",
        "--endpoint",
        &url,
        "--concurrency",
        "1",
        "--instruction",
        "mine",
        "--detach",
    ];
    bench.run(args).ok();
    wait_until("an answer", || {
        bench.run(["jobs", "--json"]).lines()[0]["done"]
            .as_u64()
            .unwrap()
            > 0
    });
    bench.run(["jobs", "pause", "1"]).ok();
    wait_until("nothing is in flight", || {
        let before = server.seen().len();
        std::thread::sleep(Duration::from_millis(150));
        server.now() == 0 && server.seen().len() == before
    });
    slow.store(false, Ordering::SeqCst);
    // Other words would be another run.
    std::fs::write(&mine, text.replace("{letter}. ", "{letter}) ")).unwrap();
    bench.run(["jobs", "resume", "1"]).ok();
    let watched = json_lines(&bench.run(["jobs", "watch", "1", "--json"]).out);
    let job = &watched[watched.len() - 1]["job"];
    assert_eq!(job["standing"], "paused", "{job}");
    assert!(job["reason"].is_string(), "{job}");
    std::fs::write(&mine, &text).unwrap();
    bench.run(["jobs", "set", "1", "--batch", "3"]).ok();
    bench.run(["jobs", "resume", "1"]).ok();
    let job = bench
        .run(["jobs", "watch", "1", "--json"])
        .lines()
        .pop()
        .unwrap()["job"]
        .clone();
    assert_eq!(
        (&job["standing"], &job["done"]),
        (&json!("done"), &json!(30)),
        "{job}"
    );
    // Other words than those of the questions are a row of their own.
    assert_eq!(
        (&job["run"]["label"], &job["run"]["model"]),
        (&json!("tiny+mine"), &json!("tiny")),
        "{job}"
    );
    let asked: BTreeSet<usize> = server.seen().iter().map(number).collect();
    assert_eq!(
        (server.seen().len(), asked.len()),
        (30, 30),
        "each question is asked once, paused or not"
    );
    let refused = bench
        .run([
            "eval",
            "--model",
            "x",
            "--endpoint",
            &url,
            "--instruction",
            "theirs",
        ])
        .refused(1);
    assert!(refused.names("mm-sap"), "{refused}");
}

#[test]
fn similarity_scores_free_form_answers() {
    let bench = Bench::new();
    let line = |n: usize| {
        json!({
            "id": n, "images": [], "prompt": format!("a photo of a cat, {n}"), "question": format!("What is {n}?"),
            "answer": "a cat sits on the mat", "question_type": "image caption", "task": "caption", "options": [],
            "question_majority": "animal",
        })
        .to_string()
            + "\n"
    };
    let file = bench.write("free.jsonl", (1..=5).map(line).collect::<String>());
    bench.run(["import", file.to_str().unwrap()]).ok();
    let server = Server::new(|seen| match number(seen) {
        1 => reply("a cat sits on the mat", "stop"),
        2 | 3 => reply("two dogs running in the snow", "stop"),
        4 => reply("", "stop"),
        _ => reply(&"a photo of a red cat ".repeat(20), "length"),
    });
    let job = eval(&bench, &server, &[]);
    assert_eq!(job["done"], 5, "{job}");
    wait_until("the answers are predictions", || {
        predictions(&bench)
            .get("tiny")
            .is_some_and(|p| p.len() == 5)
    });
    let encoder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/parity/data/minilm");
    let similarity = |more: &[&str]| {
        let args = ["eval", "similarity", "--encoder", encoder, "--json"];
        bench
            .run(args.into_iter().chain(more.iter().copied()))
            .lines()
            .remove(0)
    };
    let dry = similarity(&["--dry-run"]);
    assert_eq!(
        (
            &dry["pairs"],
            &dry["models"][0]["compared"],
            &dry["models"][0]["mean"]
        ),
        (&json!(0), &json!(0), &Value::Null)
    );
    let found = similarity(&[]);
    assert_eq!(
        (&found["pairs"], &found["cut"], &found["rule"]),
        (&json!(4), &json!(1), &json!("dysca-code")),
        "{found}"
    );
    assert_eq!(
        (
            &found["models"][0]["answers"],
            &found["models"][0]["compared"]
        ),
        (&json!(5), &json!(5)),
        "{found}"
    );
    let mean = found["models"][0]["mean"].as_f64().unwrap();
    assert!((0.2..1.0).contains(&mean), "{found}");
    // Without options there is nothing to shuffle: it is asked once and belongs to every shuffle.
    let before = server.seen().len();
    let job = eval(&bench, &server, &["--shuffles", "2", "--name", "two"]);
    assert_eq!(
        (&job["done"], server.seen().len() - before),
        (&json!(5), 5),
        "{job}"
    );
    let both = ["two", "two (shuffle 2)"];
    wait_until("both shuffles", || {
        both.iter()
            .all(|k| predictions(&bench).get(*k).is_some_and(|p| p.len() == 5))
    });
    // Nothing is compared twice; the other rule compares with the prompts.
    assert_eq!(similarity(&["tiny"])["pairs"], 0);
    let paper = similarity(&["--rule", "dysca-paper"]);
    assert_eq!(
        (&paper["pairs"], &paper["models"][0]["compared"]),
        (&json!(5), &json!(5)),
        "{paper}"
    );
    assert_eq!(
        similarity(&["--dry-run"])["models"][0]["mean"],
        json!(mean),
        "the same before and after"
    );
    // The board keeps them as a column: what they follow from is not looked at again.
    let cell = || {
        let lines = bench
            .run([
                "board",
                "--format",
                "json",
                "--columns",
                "Acc.type.free-form",
            ])
            .lines();
        lines
            .iter()
            .find(|l| l["model"] == "tiny")
            .and_then(|l| l["value"].as_f64())
    };
    let is_mean = || cell().is_some_and(|cell| (cell - mean).abs() < 1e-6);
    let stop = || drop(bench.run(["stop"]).ok());
    let of = |folder: &str, ending: &str| -> Vec<std::path::PathBuf> {
        let files = std::fs::read_dir(bench.root().join(folder))
            .unwrap()
            .map(|f| f.unwrap().path());
        files
            .filter(|path| path.extension().is_some_and(|e| e == ending))
            .collect()
    };
    let spoil = |path: &std::path::Path, at: usize| {
        let mut bytes = std::fs::read(path).unwrap();
        let at = at.min(bytes.len() - 1);
        bytes[at] ^= 0x55;
        std::fs::write(path, bytes).unwrap();
    };
    assert!(is_mean(), "{:?} {mean}", cell());
    stop();
    assert_eq!(of("store/board", "similar").len(), 3, "a column a model");
    let cosines = of("scores/similarity", "cosines");
    let rows = std::fs::read(&cosines[0]).unwrap();
    std::fs::write(&cosines[0], vec![0; rows.len()]).unwrap();
    assert!(is_mean(), "nothing but the column says so");
    // A damaged one is made again, of what there is.
    stop();
    of("store/board", "similar")
        .iter()
        .for_each(|path| spoil(path, 70));
    assert_eq!(cell(), None, "what is not known is no 0");
    let noted = bench.run(["board"]).ok();
    assert!(
        has_line(&noted, &["tiny", "5", "benchtop eval similarity"]),
        "{noted}"
    );
    stop();
    std::fs::write(&cosines[0], rows).unwrap();
    of("store/board", "similar")
        .iter()
        .for_each(|path| spoil(path, 70));
    assert!(is_mean(), "and of all of it, once it is back");
    let refused = bench
        .run(["eval", "similarity", "nobody", "--encoder", encoder])
        .refused(1);
    assert!(refused.names("tiny"), "{refused}");
    let refused = bench
        .run(["eval", "similarity", "--encoder", "no-such-model"])
        .refused(1);
    assert!(refused.names("no-such-model"), "{refused}");
}
