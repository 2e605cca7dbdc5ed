//! Labels of errors in models' answers: `benchtop errors`, the filter words, and undo.

use serde_json::{Value, json};
use uuid::Uuid;

use benchtop::model::error_label::digest;
use benchtop::model::{CommentAct, ErrorKind};
use benchtop::protocol::wire::{CommentOn, request};

use crate::support::{Bench, Output};

/// Four questions, and the answers of two models. `tall` is right in 1 only, `wide` in 2 only.
pub fn answered() -> Bench {
    let bench = Bench::new();
    let record = |id: usize| {
        let subtask = if id < 3 { "animal" } else { "color" };
        json!({
            "id": id.to_string(), "question": format!("Which animal is {id}?"), "A": "cat", "B": "dog",
            "C": "fox", "answer": "A", "category": subtask,
        })
    };
    let items: Vec<String> = (1..=4).map(|id| record(id).to_string()).collect();
    let file = bench.write("in/quiz.jsonl", items.join("\n"));
    bench.run(["import", file.to_str().unwrap()]).ok();
    for (model, right) in [("tall", 1), ("wide", 2)] {
        let answer = |id: usize| {
            let answer = if id == right { "A" } else { "B" };
            json!({"id": id.to_string(), "prediction": answer, "model": model}).to_string()
        };
        let lines: Vec<String> = (1..=4).map(answer).collect();
        answers(&bench, model, &lines);
    }
    bench
}

fn answers(bench: &Bench, model: &str, lines: &[String]) {
    let file = bench.write(&format!("in/{model}.jsonl"), lines.join("\n"));
    bench.run(["import", file.to_str().unwrap()]).ok();
}

fn add(bench: &Bench, who: &str, item: &str, model: &str, label: &str) -> Output {
    bench.run(["--as", who, "errors", "add", item, model, label])
}

fn counts(bench: &Bench, args: &[&str]) -> Value {
    let args = ["errors", "--json"].iter().chain(args).copied();
    bench.run(args).lines().remove(0)
}

fn row(model: &str, label: &str, subtask: &str, answers: u64) -> Value {
    json!({"model": model, "label": label, "subtask": subtask, "answers": answers})
}

fn ids(bench: &Bench, filter: &str) -> Vec<String> {
    let lines = bench.run(["items", "--json", "--filter", filter]).lines();
    let id = |line: &Value| line["id"].as_str().unwrap().to_string();
    lines.iter().map(id).collect()
}

#[test]
fn labels_are_counted_by_model_label_and_subtask() {
    let bench = answered();
    assert_eq!(counts(&bench, &[])["answers"], 0);
    add(&bench, "ann", "quiz/2", "tall", "perception").ok();
    add(&bench, "ann", "quiz/2", "tall", "reasoning").ok();
    add(&bench, "bob", "quiz/2", "tall", "comprehension").ok();
    add(&bench, "bob", "#3", "tall", "reasoning").ok();
    add(&bench, "ann", "quiz/1", "wide", "reasoning").ok();
    let found = counts(&bench, &[]);
    let expected = json!([
        row("tall", "comprehension", "animal", 1),
        row("tall", "reasoning", "animal", 1),
        row("tall", "reasoning", "color", 1),
        row("wide", "reasoning", "animal", 1),
    ]);
    assert_eq!(found["counts"], expected);
    assert_eq!(
        (&found["answers"], &found["differ"]),
        (&json!(3), &json!(1))
    );
    let found = counts(&bench, &["--filter", "subtask:color"]);
    assert_eq!(
        found["counts"],
        json!([row("tall", "reasoning", "color", 1)])
    );
    assert_eq!(ids(&bench, "error:comprehension"), ["quiz/2"]);
    assert_eq!(ids(&bench, "error:reasoning error-of:wide"), ["quiz/1"]);
    assert_eq!(ids(&bench, "error:comprehension error-of:wide"), [""; 0]);
    assert_eq!(ids(&bench, "error:"), ["quiz/4"]);
    assert_eq!(ids(&bench, "NOT error:reasoning"), ["quiz/4"]);
    // Labels are no comments.
    assert_eq!(bench.run(["comments", "--json"]).lines().len(), 0);
    assert_eq!(ids(&bench, "comments:yes"), [""; 0]);
}

#[test]
fn labels_last_and_are_undone_like_verdicts() {
    let bench = answered();
    add(&bench, "ann", "quiz/2", "tall", "perception").ok();
    add(&bench, "ann", "quiz/2", "tall", "reasoning").ok();
    let label = |bench: &Bench| {
        let found = counts(bench, &[]);
        found["counts"][0]["label"].as_str().map(String::from)
    };
    bench.run(["stop"]).ok();
    assert_eq!(label(&bench).as_deref(), Some("reasoning"));
    bench.run(["--as", "ann", "undo"]).ok();
    assert_eq!(label(&bench).as_deref(), Some("perception"));
    bench.run(["--as", "ann", "redo"]).ok();
    assert_eq!(label(&bench).as_deref(), Some("reasoning"));
    bench
        .run(["--as", "ann", "errors", "remove", "quiz/2", "tall"])
        .ok();
    assert_eq!(label(&bench), None);
    bench.run(["--as", "ann", "undo"]).ok();
    bench.run(["stop"]).ok();
    assert_eq!(label(&bench).as_deref(), Some("reasoning"));
    bench.run(["verify"]).ok();
    let log = bench.run(["log", "--json"]).lines();
    let labels = log.iter().filter(|line| line["comment"] == "label");
    let given: Vec<&Value> = labels.map(|line| &line["label"]).collect();
    assert_eq!(
        given,
        [&Value::Null, &json!("reasoning"), &json!("perception")]
    );
}

#[test]
fn only_wrong_answers_get_labels_of_the_taxonomy() {
    let bench = answered();
    for model in ["tall", "nobody"] {
        let refusal = add(&bench, "ann", "quiz/1", model, "reasoning").refused(1);
        assert_eq!(refusal.field, "model");
        assert!(refusal.names(model), "{refusal:?}");
    }
    let refusal = add(&bench, "ann", "quiz/2", "tall", "sleepy").refused(1);
    assert!(refusal.names("sleepy"), "{refusal:?}");
    assert_eq!(counts(&bench, &[])["answers"], 0);
    let config = bench.root().join("benchtop.toml");
    let own = "[review]\nerrors = [{ key = \"sleepy\", label = \"tired\" }, { key = \"sleepy/yawn\", label = \"a yawn\" }]\n";
    let before = std::fs::read_to_string(&config).unwrap();
    let text = before.replacen("[review]\n", own, 1);
    assert_ne!(text, before);
    bench.run(["stop"]).ok();
    std::fs::write(&config, text).unwrap();
    add(&bench, "ann", "quiz/2", "tall", "sleepy/yawn").ok();
    assert_eq!(ids(&bench, "error:sleepy"), ["quiz/2"]);
    add(&bench, "ann", "quiz/2", "tall", "reasoning").refused(1);
}

#[test]
fn a_label_belongs_to_the_answer_that_it_was_given_to() {
    let bench = answered();
    let label = CommentOn {
        uuid: Uuid::from_u128(1),
        number: 3,
        act: CommentAct::Label {
            model: "tall".into(),
            answer: digest(Some("an earlier answer")),
            label: Some("reasoning".into()),
        },
    };
    let client = bench.client("ann", |_| ());
    client.ask(request::Comment(Box::new(label))).unwrap();
    let found = counts(&bench, &[]);
    assert_eq!(
        (&found["answers"], &found["earlier"]),
        (&json!(0), &json!(1))
    );
}

#[test]
fn exported_labels_come_back_and_bad_files_change_nothing() {
    let bench = answered();
    add(&bench, "ann", "quiz/2", "tall", "perception").ok();
    add(&bench, "ann", "quiz/4", "wide", "reasoning").ok();
    let file = bench.beside("errors.jsonl");
    let path = file.to_str().unwrap();
    bench.run(["errors", "export", "--out", path]).ok();
    let other = answered();
    let import = |path: &str| other.run(["--as", "bob", "errors", "import", path, "--json"]);
    let report = import(path).lines().remove(0);
    assert_eq!(
        (&report["labels"], &report["earlier"]),
        (&json!(2), &json!(0))
    );
    let both = |bench: &Bench| counts(bench, &[])["counts"].clone();
    assert_eq!(both(&other), both(&bench));
    let rev = |bench: &Bench| bench.run(["log", "--json"]).lines().len();
    let before = rev(&other);
    import(path).ok();
    assert_eq!(rev(&other), before, "a second import adds nothing");
    for (line, field) in [
        (
            json!({"item": "quiz/1", "model": "tall", "label": "reasoning"}),
            "model",
        ),
        (
            json!({"item": "quiz/2", "model": "tall", "label": "sleepy"}),
            "label",
        ),
    ] {
        let good = json!({"item": "quiz/3", "model": "tall", "label": "reasoning"});
        let text = format!("{good}\n{line}\n");
        let file = other.write("in/bad.jsonl", text);
        let refusal = import(file.to_str().unwrap()).refused_as(ErrorKind::Input);
        assert_eq!((refusal.line, &*refusal.field), (2, field), "{refusal:?}");
        assert_eq!(rev(&other), before);
    }
}
