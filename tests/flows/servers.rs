//! Missing servers, missing keys, and settings that change while the owner runs.

use std::time::Duration;

use benchtop::model::job::{Budget, NewJob};
use benchtop::protocol::wire::request;
use serde_json::{Value, json};

use crate::durability::generate::fifty;
use crate::flows::eval::{quiz, reply};
use crate::inference::server::{Act, Server};
use crate::support::{Bench, wait_until};

/// An address where nobody listens.
fn nobody() -> &'static str {
    "http://127.0.0.1:9/v1"
}

pub fn generates(bench: &Bench, url: &str, more: &str) {
    let table =
        format!("backend = \"http\"\nmodel = \"m\"\nendpoints = [{{ url = \"{url}\"{more} }}]");
    generates_with(bench, &table);
}

/// Replaces the table `[generate]` of `benchtop.toml`.
pub fn generates_with(bench: &Bench, table: &str) {
    let path = bench.root().join("benchtop.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let begins = text.find("[generate]").unwrap();
    let ends = text[begins + 1..]
        .find("\n[")
        .map_or(text.len(), |at| begins + 1 + at);
    std::fs::write(
        &path,
        format!("{}[generate]\n{table}\n{}", &text[..begins], &text[ends..]),
    )
    .unwrap();
}

fn job(bench: &Bench) -> Value {
    bench.run(["jobs", "--json"]).lines().remove(0)
}

#[test]
fn settings_are_read_again_while_the_owner_runs() {
    let bench = fifty();
    let says = || {
        bench
            .run(["generate", "--dry-run", "--json"])
            .lines()
            .remove(0)["generator"]
            .clone()
    };
    assert_eq!(says(), "storyboard");
    let pid = bench.pid();
    generates(&bench, nobody(), "");
    assert_eq!((says(), bench.pid()), (json!("http m"), pid));
    // A file that cannot be read leaves the last settings, and is named; what counts at the next start is named too.
    let path = bench.root().join("benchtop.toml");
    let good = std::fs::read_to_string(&path).unwrap();
    let client = bench.client("tester", |_| ());
    std::fs::write(&path, format!("{good}\n[generate\n")).unwrap();
    let notices = || {
        let new = NewJob {
            samples: 1,
            dry: true,
            ..NewJob::default()
        };
        let begun = client
            .ask(request::Generate(Box::new(new), Budget::default()))
            .unwrap();
        assert_eq!(begun.generator, "http m");
        let status = client.ask(request::Status).unwrap();
        status.notices.join("; ")
    };
    // The notice about a broken file has the path of the file.
    let broken = || notices().contains(path.to_str().unwrap());
    assert!(broken(), "{}", notices());
    std::fs::write(
        &path,
        good.replace("idle_minutes = 10", "idle_minutes = 77"),
    )
    .unwrap();
    assert!(notices().contains("[owner]") && !broken(), "{}", notices());
}

#[test]
fn a_job_waits_for_a_dead_endpoint_and_resumes() {
    let bench = fifty();
    generates(&bench, nobody(), "");
    bench.run(["generate", "--size", "64x64", "--detach"]).ok();
    wait_until("it is said", || {
        job(&bench)["reason"]
            .as_str()
            .is_some_and(|why| why.contains("cannot connect"))
    });
    let waiting = job(&bench);
    assert_eq!(
        (&waiting["standing"], &waiting["failed"]),
        (&json!("queued"), &json!(0)),
        "{waiting}"
    );
    assert!(bench.run(["jobs"]).ok().contains("cannot connect"));
    // A server that is there, written into the file meanwhile, is asked at the next try.
    let server = Server::new(|_| Act::Picture(&[]));
    generates(&bench, &server.url(), "");
    wait_until("it is done", || job(&bench)["standing"] == "done");
    let done = job(&bench);
    assert_eq!(
        (&done["done"], &done["failed"], &done["reason"]),
        (&json!(50), &json!(0), &Value::Null),
        "{done}"
    );
}

#[test]
fn a_missing_model_keeps_its_questions_pending() {
    let bench = quiz(12);
    bench
        .run([
            "eval",
            "--model",
            "tiny",
            "--endpoint",
            nobody(),
            "--detach",
        ])
        .ok();
    wait_until("it is said", || {
        job(&bench)["reason"]
            .as_str()
            .is_some_and(|why| why.contains("cannot connect"))
    });
    let waiting = job(&bench);
    assert_eq!(
        (&waiting["standing"], &waiting["failed"]),
        (&json!("queued"), &json!(0)),
        "{waiting}"
    );
    // Another run has its turn meanwhile.
    let server = Server::new(|_| reply("(A)", "stop"));
    let other = bench
        .run([
            "eval",
            "--model",
            "big",
            "--endpoint",
            &server.url(),
            "--json",
        ])
        .lines()
        .pop()
        .unwrap();
    assert_eq!(
        (&other["standing"], &other["done"]),
        (&json!("done"), &json!(12)),
        "{other}"
    );
    bench.run(["jobs", "cancel", "1"]).ok();
}

const KEY: &str = "BENCHTOP_TEST_IMAGES_KEY";

#[test]
fn a_key_unknown_to_the_owner_pauses_the_job() {
    let bench = fifty();
    let server = Server::new(|_| Act::Stall(Duration::from_secs(60)));
    generates(&bench, &server.url(), &format!(", key_env = \"{KEY}\""));
    bench
        .run(["trust", "add", &server.url(), "--key-env", KEY])
        .ok();
    let said = bench
        .run(["generate", "--size", "64x64", "--detach"])
        .refused(1);
    let names = |said: &str, pid: u64| {
        [KEY, "benchtop stop", &pid.to_string()]
            .iter()
            .all(|part| said.contains(part))
    };
    assert!(names(&said.to_string(), bench.pid().unwrap()), "{said}");
    bench.run(["stop"]).ok();
    let mut command = bench.command(["generate", "--size", "64x64", "--detach"]);
    let begun = crate::support::run(command.env(KEY, "secret"), "");
    assert_eq!(begun.code, 0, "{begun:?}");
    wait_until("it asks", || !server.seen().is_empty());
    bench.kill_owner();
    // A client without the key starts the next owner.
    wait_until("it is paused", || job(&bench)["standing"] == "paused");
    let paused = job(&bench);
    assert!(
        names(paused["reason"].as_str().unwrap(), bench.pid().unwrap()),
        "{paused}"
    );
    assert_eq!(paused["failed"], 0);
    // The same of an evaluation.
    let quiz = quiz(3);
    quiz.run(["stop"]).ok();
    let args = [
        "eval",
        "--model",
        "tiny",
        "--endpoint",
        &server.url(),
        "--key-env",
        KEY,
        "--detach",
    ];
    assert_eq!(
        crate::support::run(quiz.command(args).env(KEY, "secret"), "").code,
        0
    );
    wait_until("it runs", || job(&quiz)["standing"] == "running");
    quiz.kill_owner();
    wait_until("it is paused", || job(&quiz)["standing"] == "paused");
    assert!(
        names(job(&quiz)["reason"].as_str().unwrap(), quiz.pid().unwrap()),
        "{}",
        job(&quiz)
    );
}
