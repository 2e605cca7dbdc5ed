//! A judge grades free-form answers from 0 to 1, for the rule `strict+grade`.

use serde_json::{Value, json};

use super::eval::{number, reply, words};
use super::judge::{answer_all, behind};
use crate::inference::server::{Act, Seen, Server};
use crate::support::{Bench, has_line};

/// A server that is the model `tiny`, which answers `said`, and that judges.
fn server(
    said: fn(usize) -> &'static str,
    judge: impl Fn(&str, usize) -> Act + Send + Sync + 'static,
) -> Server {
    Server::new(move |seen: &Seen| {
        let model = seen.body["model"].as_str().unwrap();
        match model {
            "tiny" => reply(said(asked(seen)), "stop"),
            _ => judge(model, asked(seen)),
        }
    })
}

/// The number of the question, which a judge sees after the examples.
fn asked(seen: &Seen) -> usize {
    match words(seen).rsplit_once("<question>\nWhat is ") {
        Some((_, rest)) => rest.split('?').next().unwrap().parse().unwrap(),
        None => number(seen),
    }
}

/// Free-form questions, and their answers by `tiny`.
fn answered(items: usize, server: &Server) -> Bench {
    let bench = Bench::new();
    let line = |n: usize| {
        json!({
            "id": n, "images": [], "prompt": format!("picture {n}"), "question": format!("What is {n}?"),
            "answer": "a red owl on a branch", "question_type": "image caption", "task": "caption", "options": [],
            "question_majority": "animal",
        })
        .to_string()
            + "\n"
    };
    let file = bench.write("free.jsonl", (1..=items).map(line).collect::<String>());
    bench.run(["import", file.to_str().unwrap()]).ok();
    answer_all(&bench, items, ("tiny", server));
    bench
}

fn grade(bench: &Bench, judge: &str, url: &str, more: &[&str]) -> Value {
    let args = [
        "eval",
        "judge",
        "--grade",
        "--judge",
        judge,
        "--endpoint",
        url,
        "--tries",
        "1",
        "--json",
    ];
    bench.run([&args[..], more].concat()).lines().remove(0)
}

/// The mean and the number of answers of a model in `Acc.type.free-form`.
fn mean(bench: &Bench, rule: &str) -> Option<(f64, u64)> {
    let args = ["board", "--rule", rule, "--format", "json"];
    let cells = bench.run(args).lines();
    let is = |cell: &&Value| cell["model"] == "tiny" && cell["column"] == "Acc.type.free-form";
    let cell = cells.iter().find(is)?;
    Some((cell["value"].as_f64()?, cell["n"].as_u64()?))
}

/// How each answer was graded: its number and the trace.
fn traces(bench: &Bench, rule: &str) -> Vec<(Option<f32>, String)> {
    behind(bench, rule, "Acc.type.free-form")
        .into_iter()
        .map(|a| (a.similarity, a.trace))
        .collect()
}

#[test]
fn free_form_answers_are_graded_once_and_make_a_column() {
    let said = |n: usize| match n {
        1 => "An owl, red, on a branch.",
        2 => "A bird.",
        3 => "A fish.",
        _ => "",
    };
    let server = server(said, |_, n| match n {
        1 => reply("1.0", "stop"),
        2 => reply("Grade: 0.4", "stop"),
        _ => reply("**0.0**", "stop"),
    });
    let bench = answered(4, &server);
    let url = server.url();
    assert_eq!(mean(&bench, "strict+grade"), None, "nobody was asked yet");
    let board = bench.run(["board", "--rule", "strict+grade"]).ok();
    assert!(
        has_line(&board, &["tiny", "3", "eval judge --grade"]),
        "{board}"
    );
    let dry = grade(&bench, "wise", &url, &["--dry-run"]);
    let of = |judged: u64, read: u64| json!({ "model": "tiny", "answers": 4, "skipped": 1, "judged": judged, "read": read, "none": judged - read });
    assert_eq!(
        (&dry["models"], &dry["asked"]),
        (&json!([of(0, 0)]), &json!(0)),
        "{dry}"
    );
    let found = grade(&bench, "wise", &url, &["tiny"]);
    assert_eq!(found["models"], json!([of(3, 3)]), "{found}");
    assert_eq!(
        (&found["asked"], &found["instruction"]),
        (&json!(3), &json!("grade-free-form@1"))
    );
    // The judge saw question, reference, and answer, and no picture.
    let seen = server
        .seen()
        .into_iter()
        .rfind(|seen| seen.body["model"] == "wise")
        .unwrap();
    let text = words(&seen);
    assert!(
        text.contains("a red owl on a branch") && text.contains(said(asked(&seen))),
        "{text}"
    );
    assert!(!seen.body.to_string().contains("image_url"));
    // An empty answer has 0. Similarities are another rule's.
    let (value, n) = mean(&bench, "strict+grade").unwrap();
    assert!((value - 0.35).abs() < 1e-4 && n == 4, "{value} {n}");
    assert_eq!(mean(&bench, "strict+judge"), None);
    let read = traces(&bench, "strict+grade");
    let grades: Vec<Option<f32>> = read.iter().map(|(grade, _)| *grade).collect();
    assert_eq!(grades, [Some(1.0), Some(0.4), Some(0.0), Some(0.0)]);
    assert!(
        read[1]
            .1
            .contains("grade 0.4: judge `wise` (grade-free-form@1) said `Grade: 0.4`"),
        "{read:?}"
    );
    assert!(read[3].1.contains("empty"), "{read:?}");
    let board = bench.run(["board", "--rule", "strict+grade"]).ok();
    assert!(
        has_line(&board, &["free-form", "wise (grade-free-form@1)"]),
        "{board}"
    );
    // Intervals and tests are those of every mean. The same answers of another model have their grades already.
    let column = ["--column", "Acc.type.free-form", "--rule", "strict+grade"];
    let sure = ["analyze", "intervals", "--json"];
    let sure = bench.run([&sure[..], &column].concat()).lines().remove(0);
    assert!(sure["interval"].is_object(), "{sure}");
    answer_all(&bench, 4, ("other", &server));
    assert_eq!(grade(&bench, "wise", &url, &[])["asked"], 0);
    let compare = ["board", "--compare", "tiny", "other", "--format", "json"];
    let test = bench.run([&compare[..], &column].concat()).ok();
    assert!(test.contains("0.35"), "{test}");
    // Nothing is asked twice, and the grades are not part of what can be made again.
    assert_eq!(grade(&bench, "wise", &url, &[])["asked"], 0);
    bench.run(["stop"]).ok();
    std::fs::remove_dir_all(bench.root().join("store")).unwrap();
    assert_eq!(grade(&bench, "wise", &url, &[])["asked"], 0);
    assert!((mean(&bench, "strict+grade").unwrap().0 - 0.35).abs() < 1e-4);
    // With another reference the answer is another one to grade.
    let items = bench.items();
    let id = items[1]["id"].as_str().unwrap();
    bench.run(["edit", id, "--answer", "a bird"]).ok();
    assert_eq!(mean(&bench, "strict+grade"), None);
    assert_eq!(grade(&bench, "wise", &url, &[])["asked"], 1);
    assert!(mean(&bench, "strict+grade").is_some());
}

#[test]
fn an_unreadable_or_refused_grade_leaves_the_answer_ungraded() {
    let server = server(
        |_| "A bird.",
        |judge, n| match (judge, n) {
            ("second", _) => reply("0.5", "stop"),
            (_, 1) => reply("0.7", "stop"),
            (_, 2) => reply("8/10", "stop"),
            (_, 3) => reply("1.7", "stop"),
            (_, 4) => reply("The answer is mostly right, so 0.8.", "stop"),
            (_, 5) => reply("0.3", "content_filter"),
            _ => reply("The grade", "length"),
        },
    );
    let bench = answered(6, &server);
    let url = server.url();
    let found = grade(&bench, "wise", &url, &[]);
    let one =
        json!({ "model": "tiny", "answers": 6, "skipped": 0, "judged": 6, "read": 1, "none": 5 });
    assert_eq!(
        (&found["models"], &found["cut"]),
        (&json!([one]), &json!(1)),
        "{found}"
    );
    assert_eq!(
        mean(&bench, "strict+grade"),
        None,
        "a part of the answers is no mean"
    );
    let board = bench.run(["board", "--rule", "strict+grade"]).ok();
    assert!(
        has_line(&board, &["tiny", "5", "without a grade"]),
        "{board}"
    );
    // The same judge is not asked again. Another one is, and its grades count.
    assert_eq!(grade(&bench, "wise", &url, &[])["asked"], 0);
    assert_eq!(grade(&bench, "second", &url, &[])["asked"], 6);
    assert_eq!(mean(&bench, "strict+grade"), Some((0.5, 6)));
    let text = bench
        .run([
            "eval",
            "judge",
            "--grade",
            "--judge",
            "wise",
            "--endpoint",
            &url,
            "--dry-run",
        ])
        .ok();
    assert!(
        has_line(
            &text,
            &["tiny", "6 free-form", "1 graded", "5 without a grade"]
        ),
        "{text}"
    );
}
