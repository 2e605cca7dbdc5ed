//! Filters on the command line: scoring jobs, rules, the flagged queue, explanations.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::durability::generate::fifty;
use crate::flows::eval::{number, quiz};
use crate::inference::server::{Act, Seen, Server};
use crate::support::{Bench, ErrorKind, Need, json_lines, skip, wait_until};

/// Puts a table in the place of the one of that name in benchtop.toml.
pub fn configure(bench: &Bench, table: &str) {
    let path = bench.root().join("benchtop.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let heading = table.lines().next().unwrap();
    let (before, after) = text.split_once(&format!("{heading}\n")).unwrap();
    let after = after.find("\n[").map_or("", |at| &after[at..]);
    std::fs::write(path, format!("{before}{table}\n{after}")).unwrap();
}

fn rules(bench: &Bench, text: &str) -> String {
    bench
        .write("rules.toml", text)
        .to_str()
        .unwrap()
        .to_string()
}

fn one(text: &str) -> Value {
    json_lines(text).remove(0)
}

fn states(report: &Value, scorer: &str) -> Vec<u64> {
    let scorer = report["scorers"]
        .as_array()
        .unwrap()
        .iter()
        .find(|s| s["scorer"] == scorer)
        .unwrap();
    scorer["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_u64().unwrap())
        .collect()
}

/// Where a scored item is counted.
const SCORED: usize = 1;
const UNPARSED: usize = 2;
const REFUSED: usize = 3;
const FAILED: usize = 5;

#[test]
fn scores_rules_queue_and_explanations() {
    let bench = fifty();
    bench.run(["generate", "--size", "64x64"]).ok();
    let dry = one(&bench
        .run(["filter", "run", "flatness", "--dry-run", "--json"])
        .ok());
    assert_eq!((&dry["of"], &dry["phase"]), (&json!(50), &json!("queued")));
    let lines = json_lines(
        &bench
            .run(["filter", "run", "flatness", "--drafts", "--json-progress"])
            .ok(),
    );
    let last = &lines[lines.len() - 1]["job"];
    assert_eq!(
        (&last["phase"], &last["done"], &last["without"]),
        (&json!("done"), &json!(50), &json!(0))
    );
    bench.run(["filter", "run", "leakage", "--json"]).ok();
    let items = bench.items().len() as u64;
    let report = one(&bench.run(["filter", "report", "--json"]).ok());
    assert_eq!(
        (
            states(&report, "flatness")[SCORED],
            states(&report, "leakage")[SCORED]
        ),
        (items, items)
    );
    let clip = report["scorers"]
        .as_array()
        .unwrap()
        .iter()
        .find(|s| s["scorer"] == "clip")
        .unwrap();
    assert!(
        clip["not_ready"]
            .as_str()
            .unwrap()
            .contains("clip-vit-l-14"),
        "{clip}"
    );
    // A look at one score: the median of its range flags some.
    let bench_of = |args: &[&str]| {
        let all = ["filter", "report", "flatness", "--json"]
            .iter()
            .chain(args)
            .copied();
        one(&bench.run(all).ok())["bench"].clone()
    };
    let look = bench_of(&["--bars", "8"]);
    let range: Vec<f64> = look["range"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_f64().unwrap())
        .collect();
    assert_eq!(
        look["bars"]
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n.as_u64().unwrap())
            .sum::<u64>(),
        items
    );
    let line = format!("{:.3}", (range[0] + range[1]) / 2.0);
    let at = bench_of(&["--flag", &line, "--by", "subtask"]);
    let flagged = at["tally"]["items"][1].as_u64().unwrap();
    assert!(flagged > 0 && flagged < items, "{at}");
    assert!(at["precision"].is_null(), "nobody has judged anything");
    assert!(
        bench
            .run(["filter", "report", "flatness", "--by", "question"])
            .refused(2)
            .names("subtask")
    );
    // Rules: tried, applied, asked for in lists, taken back.
    let file = rules(
        &bench,
        &format!("[[rules]]\nname='dull'\nthen='flag'\nall=[{{score='flatness',below={line}}}]\n"),
    );
    let tried = one(&bench.run(["filter", "rules", "try", &file, "--json"]).ok());
    assert_eq!(
        (
            &tried["moves"][0][1],
            &tried["lines"].as_array().unwrap().len()
        ),
        (&json!(flagged), &1)
    );
    let applied = one(&bench
        .run(["filter", "rules", "apply", &file, "--json"])
        .ok());
    assert_eq!(
        (&applied["hits"][0], &applied["history"]),
        (&json!(flagged), &json!(1))
    );
    let written = std::fs::read_to_string(bench.root().join("benchtop.toml")).unwrap();
    assert!(
        written.contains("\n# ") && written.contains("name = \"dull\""),
        "{written}"
    );
    let queue = json_lines(&bench.run(["filter", "queue", "--json"]).ok());
    assert_eq!(queue.len() as u64, flagged);
    let listed = bench
        .run(["items", "--filter", "filter:flagged", "--json"])
        .lines();
    assert_eq!(listed.len() as u64, flagged);
    let by_score = bench
        .run([
            "items",
            "--filter",
            &format!("score:flatness<{line}"),
            "--json",
        ])
        .lines();
    assert_eq!(by_score, listed);
    let number = queue[0]["number"].as_u64().unwrap();
    let said = one(&bench
        .run(["filter", "explain", &number.to_string(), "--json"])
        .ok());
    assert_eq!(
        (&said["outcome"], &said["chips"][0]["rule"]),
        (&json!("flagged"), &json!("dull"))
    );
    // Accepting a flagged item is the filter's false alarm, rejecting one its success.
    let decide = |number: u64, verdict: &str| {
        let line = crate::support::verdict(uuid::Uuid::now_v7(), number as usize, verdict);
        bench.feed(["decide"], &format!("{line}\n")).ok();
    };
    decide(number, "accept");
    decide(queue[1]["number"].as_u64().unwrap(), "reject");
    let at = bench_of(&["--flag", &line]);
    assert_eq!(
        (&at["precision"]["k"], &at["precision"]["n"]),
        (&json!(1), &json!(2)),
        "{}",
        at["precision"]
    );
    let against = json_lines(
        &bench
            .run(["filter", "queue", "--order", "against-people", "--json"])
            .ok(),
    );
    assert_eq!(against, [json!({"number": number})]);
    let why = one(&bench
        .run(["filter", "explain", &number.to_string(), "--json"])
        .ok());
    assert_eq!(why["overridden"], true, "{why}");
    let none = one(&bench.run(["filter", "rules", "revert", "--json"]).ok());
    assert_eq!(
        (&none["tally"]["items"][1], &none["history"]),
        (&json!(0), &json!(0))
    );
    bench
        .run(["filter", "rules", "revert", "--json"])
        .refused_as(ErrorKind::Conflict);
    // What cannot be: each says why and what to do.
    let wrong = rules(
        &bench,
        "[[rules]]\nname='a'\nthen='flag'\nall=[{score='clop',below=1}]\n",
    );
    assert!(
        bench
            .run(["filter", "rules", "try", &wrong])
            .refused(1)
            .names("`clop`")
    );
    bench.run(["filter", "run", "clop"]).refused(2);
    assert!(
        bench
            .run(["filter", "run", "safety"])
            .refused(1)
            .names("[filter]")
    );
    assert!(
        bench
            .run(["filter", "run", "alignment"])
            .refused(1)
            .names("[judge]")
    );
    let refused = bench
        .run(["filter", "pause", "99", "--json"])
        .refused_as(ErrorKind::NotFound);
    assert!(refused.names("99"), "{refused}");
}

/// A good answer of these words.
pub fn says(text: &str) -> Act {
    let choice =
        json!({ "message": { "role": "assistant", "content": text }, "finish_reason": "stop" });
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 10 });
    Act::Body(
        json!({ "model": "tiny", "choices": [choice], "usage": usage })
            .to_string()
            .into(),
    )
}

/// All words of a question, for a number that depends on them alone.
pub fn words(seen: &Seen) -> String {
    seen.body["messages"].to_string()
}

pub fn asks(bench: &Bench, server: &Server) {
    let url = server.url();
    configure(
        bench,
        &format!(
            "[judge]\nmodel = \"tiny\"\nprice_in = 2.0\nprice_out = 8.0\nendpoints = [{{ url = \"{url}\", concurrency = 4, timeout_s = 5 }}]"
        ),
    );
}

/// What a badly behaved judge says, by the words of the question.
fn moody(swapped: bool) -> Server {
    let (yes, no) = if swapped {
        ("no", "yes")
    } else {
        ("yes", "no")
    };
    Server::new(move |seen| {
        let dice = words(seen).bytes().fold(7u32, |all, b| {
            all.wrapping_mul(31).wrapping_add(u32::from(b))
        }) % 10;
        match dice {
            0 if seen.before == 0 => Act::Status(429, vec![("retry-after", "0".into())], "busy".into()),
            1 => Act::Body(
                json!({ "choices": [{ "message": { "content": null, "refusal": "No." }, "finish_reason": "stop" }] })
                    .to_string()
                    .into(),
            ),
            2 => says("I am not sure about that."),
            3 => says("{\"answer\": \"maybe"),
            0 | 4..=6 => says(&format!("```json\n{{\"reason\": \"seen\", \"answer\": \"{yes}\"}}\n```")),
            _ => says(&format!("[[{no}]]")),
        }
    })
}

#[test]
fn judges_are_scored_despite_refusals_and_swapped_answers() {
    let mut passed = Vec::new();
    for swapped in [false, true] {
        let bench = fifty();
        bench.run(["generate", "--size", "64x64"]).ok();
        let server = moody(swapped);
        asks(&bench, &server);
        let job = one(&bench
            .run(["filter", "run", "judge/answer-stands", "--drafts", "--json"])
            .ok());
        assert_eq!(job["phase"], "done", "{job}");
        assert!(
            job["tokens"][0].as_u64().unwrap() > 0 && job["cost_micros"].as_u64().unwrap() > 0,
            "{job}"
        );
        let report = one(&bench.run(["filter", "report", "--json"]).ok());
        let states = states(&report, "judge/answer-stands");
        let items: u64 = states.iter().sum();
        assert_eq!(
            states[SCORED] + states[UNPARSED] + states[REFUSED],
            items,
            "{states:?}"
        );
        assert!(
            states[UNPARSED] > 0 && states[REFUSED] > 0 && states[SCORED] > 0,
            "{states:?}"
        );
        let at = one(&bench
            .run([
                "filter",
                "report",
                "judge/answer-stands",
                "--flag",
                "0.5",
                "--json",
            ])
            .ok());
        let failed = at["bench"]["tally"]["items"][1].as_u64().unwrap();
        passed.push((states.clone(), states[SCORED] - failed, failed));
        // Nothing is asked twice, and what was not understood is asked again only when somebody wants it.
        let before = server.seen().len();
        let again = one(&bench
            .run(["filter", "run", "judge/answer-stands", "--drafts", "--json"])
            .ok());
        assert_eq!((&again["of"], server.seen().len()), (&json!(0), before));
        bench
            .run(["filter", "run", "judge/answer-stands", "--retry"])
            .ok();
        let asked = server.seen().len() - before;
        assert!(
            asked > 0 && asked as u64 <= states[UNPARSED] + states[REFUSED],
            "{asked} of {states:?}"
        );
        // The raw verdict is kept beside what it means.
        let flagged = json_lines(
            &bench
                .run([
                    "items",
                    "--filter",
                    "score:judge/answer-stands<0.5",
                    "--json",
                ])
                .ok(),
        );
        let number = flagged[0]["number"].as_u64().unwrap().to_string();
        let said = one(&bench.run(["filter", "explain", &number, "--json"]).ok());
        let detail: Value =
            serde_json::from_str(said["scores"][0]["detail"].as_str().unwrap()).unwrap();
        assert_eq!(
            (&detail["pass"], &detail["said"]),
            (&json!("yes"), &json!({"word": "no"})),
            "{detail}"
        );
        assert!(detail["raw"].as_str().unwrap().contains("no"), "{detail}");
    }
    // The polarity test: yes and no swapped turns every verdict and leaves the third states alone.
    let [(plain, pass, fail), (swapped, fail_now, pass_now)] = [
        passed[0].clone(),
        (passed[1].0.clone(), passed[1].1, passed[1].2),
    ];
    assert_eq!((plain, pass, fail), (swapped, pass_now, fail_now));
}

/// An item needs several answers. While one is missing, the item has no score, not even a failed one.
#[test]
fn self_validation_that_is_interrupted_scores_only_whole_items() {
    let bench = fifty();
    bench.run(["generate", "--size", "64x64"]).ok();
    let server = Server::new(|seen| {
        if words(seen).contains("Choices:") {
            return says("{\"answer\": \"yes\"}");
        }
        let question = |n: u8| json!({"element": n, "type": "object", "question": format!("Is there a {n}?"), "choices": ["yes", "no"], "answer": "yes"});
        says(&json!({ "questions": [question(1), question(2)] }).to_string())
    });
    asks(&bench, &server);
    let limits = [("5", 0), ("13", 2)];
    for (requests, whole) in limits {
        bench
            .run([
                "filter",
                "run",
                "alignment",
                "--drafts",
                "--detach",
                "--max-requests",
                requests,
            ])
            .ok();
        let job = || {
            let jobs = bench.run(["jobs", "--json"]).lines();
            jobs.into_iter()
                .find(|job| job["kind"] == "scoring")
                .unwrap()
        };
        wait_until("the budget is spent", || job()["standing"] == "paused");
        let report = one(&bench.run(["filter", "report", "--json"]).ok());
        let states = states(&report, "alignment");
        let others = [UNPARSED, REFUSED, FAILED].map(|state| states[state]);
        assert_eq!(others, [0; 3], "{states:?}");
        assert!(job()["done"].as_u64() <= Some(whole), "{}", job());
        let id = job()["id"].to_string();
        for act in ["cancel", "remove"] {
            bench.run(["jobs", act, &id]).ok();
        }
    }
    let job = one(&bench
        .run(["filter", "run", "alignment", "--drafts", "--json"])
        .ok());
    assert_eq!(
        (&job["phase"], &job["without"]),
        (&json!("done"), &json!(0))
    );
}

#[test]
fn self_validation_flags_what_the_picture_does_not_show() {
    let bench = fifty();
    bench.run(["generate", "--size", "64x64"]).ok();
    let server = Server::new(|seen| {
        let words = words(seen);
        if words.contains("Choices:") {
            return says(if words.contains("the colour") {
                "{\"answer\": \"red\"}"
            } else {
                "{\"answer\": \"yes\"}"
            });
        }
        let question = |kind: &str, question: &str, answer: &str, choices: [&str; 2]| json!({"element": kind, "type": kind, "question": question, "choices": choices, "answer": answer});
        let list = [
            question("object", "Is there an animal?", "yes", ["yes", "no"]),
            question(
                "color",
                "What is the colour of it?",
                "blue",
                ["red", "blue"],
            ),
        ];
        says(&json!({ "questions": list }).to_string())
    });
    asks(&bench, &server);
    let job = one(&bench
        .run(["filter", "run", "alignment", "--drafts", "--json"])
        .ok());
    assert_eq!(
        (&job["phase"], &job["without"]),
        (&json!("done"), &json!(0)),
        "{job}"
    );
    let said = one(&bench.run(["filter", "explain", "1", "--json"]).ok());
    assert_eq!(
        said["scores"][0]["values"][0],
        json!(["alignment", 0.5]),
        "{said}"
    );
    let detail: Value =
        serde_json::from_str(said["scores"][0]["detail"].as_str().unwrap()).unwrap();
    assert_eq!(
        (
            &detail["failed"],
            detail["answers"].as_array().unwrap().len()
        ),
        (&json!(["color"]), 2),
        "{detail}"
    );
    // All pictures have a score of one half: aligned by that threshold, and not by a higher one.
    let all = |more: &[&str]| {
        let args = ["analyze", "alignment", "--json"]
            .into_iter()
            .chain(more.iter().copied());
        let found = one(&bench.run(args).ok());
        let whole = |r: &&Value| r["aspect"].is_null() && r["difficulty"].is_null();
        (
            found["rates"]
                .as_array()
                .unwrap()
                .iter()
                .find(whole)
                .unwrap()
                .clone(),
            found,
        )
    };
    let (rate, found) = all(&[]);
    assert_eq!(
        (&found["by"], &found["threshold"], &found["without"]),
        (&json!("filter"), &json!(0.5), &json!(0))
    );
    assert_eq!(
        (&rate["rate"], &rate["aligned"]),
        (&json!(100.0), &rate["n"]),
        "{rate}"
    );
    let (higher, _) = all(&["--threshold", "0.6"]);
    assert_eq!(
        (&higher["rate"], &higher["aligned"], &higher["n"]),
        (&json!(0.0), &json!(0), &rate["n"])
    );
    assert!(
        bench
            .run(["analyze", "alignment"])
            .ok()
            .contains("`alignment`")
    );
}

#[test]
fn declined_and_unreadable_votes_are_left_out() {
    let bench = quiz(2);
    let said = [
        ("wrong", "(B)", "(B)"),
        ("right", "(A)", "I cannot answer that."),
        (
            "shy",
            "I'm sorry, but I can't help with that.",
            "I cannot answer that.",
        ),
        ("odd", "Lovely weather.", "Lovely weather."),
    ];
    for (model, first, second) in said {
        let server = Server::new(move |seen| says(if number(seen) == 1 { first } else { second }));
        bench
            .run([
                "eval",
                "--model",
                model,
                "--endpoint",
                &server.url(),
                "--json",
            ])
            .ok();
    }
    let explained = |item: &str| {
        let said = one(&bench.run(["filter", "explain", item, "--json"]).ok());
        let scores = said["scores"].as_array().unwrap().clone();
        let found = scores
            .into_iter()
            .find(|s| s["scorer"] == "consensus")
            .unwrap_or_else(|| panic!("{said}"));
        let detail: Value = serde_json::from_str(found["detail"].as_str().unwrap()).unwrap();
        (found["values"].clone(), found["counted"].clone(), detail)
    };
    wait_until("all answers count", || {
        explained("1").2["missing"] == 0 && explained("2").2["missing"] == 0
    });
    let (values, counted, detail) = explained("1");
    assert_eq!(values, json!([["consensus", 0.5]]));
    assert_eq!(counted, json!({"k": 1, "n": 2, "left_out": 2}));
    assert_eq!(
        detail,
        json!({"right": 1, "wrong": 1, "refused": 1, "unparsed": 1, "missing": 0})
    );
    // One wrong answer of one is not one of four: k of n is told.
    let (values, counted, _) = explained("2");
    assert_eq!(
        (values, counted),
        (
            json!([["consensus", 1.0]]),
            json!({"k": 1, "n": 1, "left_out": 3})
        )
    );
    assert!(
        bench
            .run(["filter", "explain", "2"])
            .ok()
            .contains("1 of 1, 3")
    );
}

#[test]
fn an_absent_judge_blocks_the_job_and_loses_nothing() {
    let bench = fifty();
    bench.run(["generate", "--size", "64x64"]).ok();
    configure(
        &bench,
        "[judge]\nmodel = \"tiny\"\ntries = 1\nendpoints = [{ url = \"http://127.0.0.1:9/v1\", timeout_s = 1 }]",
    );
    bench
        .run([
            "filter",
            "run",
            "judge/answer-stands",
            "--drafts",
            "--detach",
        ])
        .ok();
    std::thread::sleep(Duration::from_millis(200));
    // The pictures were job 1.
    bench.run(["filter", "pause", "2"]).ok();
    let report = one(&bench.run(["filter", "report", "--json"]).ok());
    assert_eq!(states(&report, "judge/answer-stands")[SCORED], 0);
    bench.run(["filter", "cancel", "2"]).ok();
}

/// A tiny CLIP with its tokenizer.
pub fn tiny_clip(bench: &Bench) -> PathBuf {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parity/data");
    let to = bench.beside("clip");
    std::fs::create_dir_all(&to).unwrap();
    for folder in ["clip/openai", "tokenizer"] {
        for file in std::fs::read_dir(data.join(folder))
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|p| p.is_file())
        {
            let name = to.join(file.file_name().unwrap());
            if !name.exists() {
                std::fs::copy(&file, name).unwrap();
            }
        }
    }
    to
}

#[test]
fn a_tiny_clip_scores_dysca_pictures() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/dysca-figures");
    if !data.is_dir() {
        return skip(Need::Data, "dysca-figures is not beside this checkout");
    }
    let bench = Bench::new();
    bench.run(["import", data.to_str().unwrap()]).ok();
    let clip = tiny_clip(&bench);
    configure(
        &bench,
        &format!(
            "[filter]\nclip = {:?}\nreferences = [{:?}]",
            clip,
            data.join("images")
        ),
    );
    let job = one(&bench.run(["filter", "run", "clip", "--json"]).ok());
    assert_eq!(
        (&job["phase"], &job["without"]),
        (&json!("done"), &json!(0)),
        "{job}"
    );
    let report = one(&bench.run(["filter", "report", "--json"]).ok());
    assert_eq!(
        states(&report, "clip")[SCORED],
        24,
        "every question has its picture's score"
    );
    let look = |score: &str| {
        one(&bench.run(["filter", "report", score, "--json"]).ok())["bench"]["range"].clone()
    };
    let (logit, cosine) = (look("clip"), look("clip.cosine"));
    let scale = logit[0].as_f64().unwrap() / cosine[0].as_f64().unwrap();
    assert!(
        (scale - logit[1].as_f64().unwrap() / cosine[1].as_f64().unwrap()).abs()
            < 1e-3 * scale.abs()
    );
    // Every picture is in the reference folder too: all of them are found.
    let job = one(&bench.run(["filter", "run", "duplicate", "--json"]).ok());
    assert_eq!(job["phase"], "done", "{job}");
    let report = one(&bench
        .run(["filter", "report", "duplicate", "--flag", "0.9", "--json"])
        .ok());
    assert_eq!(
        report["bench"]["tally"]["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n.as_u64().unwrap())
            .sum::<u64>(),
        24
    );
    let said = one(&bench.run(["filter", "explain", "1", "--json"]).ok());
    assert!(said["scores"].as_array().unwrap().len() >= 2, "{said}");
    // The pictures against themselves: all of them are there, and the sets are one.
    let images = data.join("images");
    let folders = [images.to_str().unwrap(); 2];
    let found = one(&bench
        .run(["filter", "compare", folders[0], folders[1], "--json"])
        .ok());
    assert_eq!(
        (&found["contaminated"]["k"], &found["contaminated"]["n"]),
        (&json!(8), &json!(8)),
        "{found}"
    );
    assert!(
        found["kmmd_biased"].as_f64().unwrap().abs() < 1e-6,
        "{found}"
    );
}
