//! `benchtop models use`: what paints and what scores.

use benchtop::files::project::FILE;
use benchtop::model::ErrorKind;
use serde_json::{Value, json};

use crate::inference::server::{Act, Server};
use crate::support::Bench;

fn text(bench: &Bench) -> String {
    std::fs::read_to_string(bench.root().join(FILE)).unwrap()
}

fn used(bench: &Bench, args: &[&str]) -> Value {
    let all = ["models", "use", "--json"].iter().chain(args).copied();
    let mut command = bench.command(all);
    command.env("HF_HOME", bench.beside("models"));
    crate::support::run(&mut command, "").lines().remove(0)
}

#[test]
fn a_backend_is_written_with_the_comments_kept() {
    let bench = Bench::new();
    let before = text(&bench);
    let args = [
        "--backend",
        "candle",
        "--model",
        "sdxl-base",
        "--device",
        "cpu",
    ];
    let dry = used(&bench, &[&args[..], &["--dry-run"]].concat());
    assert_eq!(text(&bench), before);
    let project = dry["plan"]["project"].as_array().unwrap();
    assert_eq!(project.len(), 3, "{dry}");
    assert_eq!(project[0]["before"], "\"storyboard\"");
    let painter = &dry["plan"]["models"][0];
    assert_eq!(
        (&painter["setting"], &painter["model"]["state"]),
        (&json!("generate.model"), &json!("absent"))
    );
    assert!(
        painter["model"]["licence"]
            .as_str()
            .unwrap()
            .contains("OpenRAIL")
    );
    used(&bench, &args);
    let after = text(&bench);
    let without = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|l| l.trim_start().starts_with('#'));
        lines.map(str::to_string).collect()
    };
    assert_eq!(without(&after), without(&before));
    let config = bench.project().config().clone();
    assert_eq!(config.generate.model.as_deref(), Some("sdxl-base"));
    // Back to where it began, except for the removed lines.
    used(
        &bench,
        &["--backend", "storyboard", "--model", "", "--device", ""],
    );
    assert_eq!(text(&bench), before);
}

#[test]
fn invalid_choices_name_their_field_and_write_nothing() {
    let bench = Bench::new();
    let before = text(&bench);
    for (args, code, field) in [
        (["--backend", "http"], 1, "generate"),
        (["--backend", "paint"], 1, "generate.backend"),
        (["--device", "tpu"], 2, "generate.device"),
        (["--clip", "no-such-model"], 1, "filter.clip"),
        (["--endpoint", "nowhere"], 2, "generate.endpoint"),
        (["--judge-endpoint", "http://127.0.0.1:9/v1"], 1, "judge"),
    ] {
        let all = ["models", "use", "--json"].into_iter().chain(args);
        let refusal = bench.run(all).refused(code);
        assert_eq!(refusal.field, field, "{refusal:?}");
    }
    assert_eq!(text(&bench), before);
}

#[test]
fn a_server_is_asked_for_its_models_only_after_consent() {
    let list = br#"{"data": [{"id": "m"}]}"#;
    let server = Server::new(|_| Act::Body(list.to_vec()));
    let bench = Bench::new();
    let url = server.url();
    let judge = ["--judge-model", "m", "--judge-endpoint", &url];
    let tested = used(&bench, &[&judge[..], &["--test"]].concat());
    let said = &tested["plan"]["tests"][0];
    assert_eq!(
        (&said["models"], &said["has_model"]),
        (&json!(1), &json!(true))
    );
    // With a key, or elsewhere, an agreement comes first, and nothing is written before it.
    let before = text(&bench);
    let key = [
        "models",
        "use",
        "--json",
        "--judge-key-env",
        "SOME_API_KEY",
        "--test",
    ];
    let refusal = bench.run(key).refused_as(ErrorKind::Denied);
    assert!(refusal.help.contains("benchtop trust add"));
    assert_eq!(text(&bench), before);
    assert_eq!(server.seen().len(), 1);
    bench
        .run(["trust", "add", &url, "--key-env", "SOME_API_KEY"])
        .ok();
    let mut command = bench.command(key);
    command.env("SOME_API_KEY", "s3cret");
    let done = crate::support::run(&mut command, "").lines().remove(0);
    assert_eq!(done["plan"]["tests"][0]["has_model"], true, "{done}");
    let seen = server.seen();
    assert_eq!(seen[1].key.as_deref(), Some("Bearer s3cret"));
    assert!(!done.to_string().contains("s3cret") && !text(&bench).contains("s3cret"));
}

#[test]
fn a_failed_test_is_said_and_the_exit_code_is_1() {
    let server = Server::new(|_| Act::Status(401, Vec::new(), "no".into()));
    let bench = Bench::new();
    let url = server.url();
    let args = [
        "models",
        "use",
        "--json",
        "--judge-model",
        "m",
        "--judge-endpoint",
        &url,
        "--test",
    ];
    let done = bench.run(args);
    assert_eq!(done.code, 1);
    let said: Value = serde_json::from_str(done.out.trim()).unwrap();
    assert!(said["plan"]["tests"][0]["problem"].is_string(), "{said}");
    // Downloads need a yes.
    let pull = [
        "models",
        "use",
        "--json",
        "--clip",
        "clip-vit-l-14",
        "--pull",
    ];
    let mut command = bench.command(pull);
    command.env("HF_HOME", bench.beside("models"));
    command.env("HF_ENDPOINT", server.url());
    let refused = crate::support::run(&mut command, "");
    refused.refused_as(ErrorKind::Denied);
    assert_eq!(server.seen().len(), 1, "the hub was not asked");
}
