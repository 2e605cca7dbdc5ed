//! Opening a project from somebody else sends no secrets and no pictures without consent.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use benchtop::model::ErrorKind;
use benchtop::model::evaluation::{NewRun, OptionOrders, Server as Endpoint, Wording};
use benchtop::model::job::{Budget, JobStatus};
use benchtop::pipeline::evaluate::ask::Wordings;
use benchtop::protocol::wire::{JudgeRequest, request};
use benchtop::store::jobs::{self, JobHeader, RUN};
use benchtop::store::runs::{Counts, Run};
use serde_json::{Value, json};

use crate::durability::generate::fifty;
use crate::flows::eval::{quiz, reply};
use crate::flows::filter::{configure, says};
use crate::inference::server::{Act, Server, png};
use crate::support::{Bench, Output, run, wait_until, wording};
use crate::terminal::pty::{Line, Pty};
use crate::tui::support::{BENCHTOP, Bench as Seated};

/// What an attacker is after.
const VARIABLE: &str = "AWS_SECRET_ACCESS_KEY";
const SECRET: &str = "wJalrXUtnFEMI";

/// Long enough for an owner to ask a server that it means to ask: it does so within milliseconds of its start.
const LULL: Duration = Duration::from_millis(300);

/// A command of a person who has a secret in the environment, and so has the owner that it starts.
fn with_secret<'a>(bench: &Bench, args: impl IntoIterator<Item = &'a str>) -> Output {
    run(bench.command(args).env(VARIABLE, SECRET), "")
}

/// Opens the project as a person does, waits, and gives its jobs.
fn opened(bench: &Bench) -> Vec<Value> {
    with_secret(bench, ["status", "--json"]).ok();
    with_secret(bench, ["items", "--json"]).ok();
    std::thread::sleep(LULL);
    with_secret(bench, ["jobs", "--json"]).lines()
}

fn job(bench: &Bench) -> Value {
    with_secret(bench, ["jobs", "--json"]).lines().remove(0)
}

fn stop(bench: &Bench) {
    bench.run(["stop"]).ok();
    wait_until("the owner has ended", || {
        crate::support::owners(bench.root()).is_empty()
    });
}

fn origin(server: &Server) -> String {
    format!("http://{}", server.at)
}

/// A server that takes what it gets.
fn listening() -> Server {
    Server::new(|_| reply("(A)", "stop"))
}

/// Slow enough that a job on it is cut off in the middle.
fn slow() -> Server {
    Server::new(|_| Act::Later(Duration::from_millis(300), Box::new(reply("(A)", "stop"))))
}

fn new_run(url: &str, key_env: Option<&str>) -> NewRun {
    let server = Endpoint {
        url: url.into(),
        key_env: key_env.map(Into::into),
        concurrency: 2,
        timeout_s: 5,
    };
    NewRun {
        model: "tiny".into(),
        name: None,
        servers: vec![server],
        filter: String::new(),
        sample: None,
        seed: 1,
        blind: false,
        orders: OptionOrders::AsIs,
        wording: Wording::Paper,
        max_tokens: 16,
        tries: 1,
        prices: (0, 0),
        dry: false,
        drafts: false,
    }
}

/// Puts a run that is under way into a project, as somebody does who sends it.
fn plant(root: &Path, items: u32, new: NewRun) {
    let project = benchtop::files::project::Project::open(root).unwrap();
    let instruction = Wordings::of(&project, &Wording::Paper).unwrap().described();
    let run = Run {
        id: 1,
        label: "tiny".into(),
        by: "somebody".into(),
        created: 1,
        new,
        instruction,
        items,
        asks: u64::from(items),
        counts: Counts::default(),
        drafts: 0,
        again: false,
    };
    let header = JobHeader {
        id: 1,
        kind: RUN.into(),
        by: "somebody".into(),
        created: 1,
        standing: JobStatus::Running,
        token: Some("00000000000000000000000000000000".into()),
        ..JobHeader::default()
    };
    jobs::create(root, &header, &json!(run), None).unwrap();
}

fn copy(from: &Path, to: PathBuf) -> Bench {
    let done = Command::new("cp")
        .arg("-a")
        .arg(from)
        .arg(&to)
        .status()
        .unwrap();
    assert!(done.success());
    Bench::at(to)
}

/// What somebody changes in a file.
type Change<'a> = &'a dyn Fn(&mut Value);

fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    change(&mut value);
    std::fs::write(path, value.to_string()).unwrap();
}

#[test]
fn a_received_run_sends_nothing_without_consent() {
    let server = listening();
    let bench = quiz(3);
    stop(&bench);
    plant(bench.root(), 3, new_run(&server.url(), Some(VARIABLE)));
    let jobs = opened(&bench);
    assert!(
        server.seen().is_empty(),
        "opening the project sent {:?}",
        server.seen()
    );
    let job_now = &jobs[0];
    assert_eq!(job_now["standing"], "paused", "{job_now}");
    let destination = json!({"to": origin(&server), "key_env": VARIABLE, "sends": "pictures"});
    let waits = json!({
        "elsewhere": true, "what": "3 questions with their pictures", "count": 3,
        "to": [{"destination": destination, "agreed": false}],
    });
    assert_eq!(job_now["waits"], waits);
    let said = job_now["reason"].as_str().unwrap();
    let wanted = format!(
        "waits for your agreement: 3 questions with their pictures to {} with ${VARIABLE}",
        origin(&server)
    );
    assert!(said.starts_with(&wanted), "{said}");
    // Nothing that is typed without agreeing sends anything.
    for act in ["resume", "retry"] {
        let refused = with_secret(&bench, ["jobs", act, "1"]).refused(1);
        let command = format!(
            "benchtop trust add {} --key-env {VARIABLE}",
            origin(&server)
        );
        assert!(refused.names(&command), "{refused}");
    }
    // Nor does another owner, nor an agreement to the host without the key.
    bench.kill_owner();
    bench.run(["trust", "add", &server.url()]).ok();
    assert_eq!(opened(&bench)[0]["standing"], "paused");
    assert!(
        with_secret(&bench, ["jobs", "resume", "1"])
            .refused(1)
            .names(VARIABLE)
    );
    assert!(server.seen().is_empty(), "{:?}", server.seen());
    // The person agrees, and it goes on.
    bench
        .run(["trust", "add", &server.url(), "--key-env", VARIABLE])
        .ok();
    assert!(
        with_secret(&bench, ["jobs", "resume", "1"])
            .ok()
            .contains("queued")
    );
    wait_until("the run is done", || job(&bench)["standing"] == "done");
    let seen = server.seen();
    assert_eq!(seen.len(), 3);
    assert!(
        seen.iter()
            .all(|s| s.key.as_deref() == Some(&format!("Bearer {SECRET}"))),
        "{seen:?}"
    );
    assert!(
        seen.iter()
            .all(|s| s.body.to_string().contains("image_url"))
    );
    assert_eq!(job(&bench)["waits"], Value::Null);
}

#[test]
fn a_copied_moved_or_edited_run_waits_for_consent() {
    let (server, thief) = (slow(), listening());
    let bench = quiz(40);
    stop(&bench);
    let url = server.url();
    let args = [
        "eval",
        "--model",
        "tiny",
        "--endpoint",
        &url,
        "--key-env",
        VARIABLE,
        "--concurrency",
        "1",
        "--detach",
    ];
    with_secret(&bench, args).ok();
    wait_until("some answers", || server.seen().len() >= 2);
    bench.kill_owner();
    // The next owner goes on by itself: the same person, machine, folder and job.
    let before = server.seen().len();
    assert_eq!(opened(&bench)[0]["waits"], Value::Null);
    wait_until("more answers", || server.seen().len() > before + 1);
    bench.kill_owner();
    let asked = || server.seen().len();
    let waits = |bench: &Bench, why: &str| {
        let before = asked();
        let job = opened(bench).remove(0);
        assert_eq!(
            (&job["standing"], &job["waits"]["elsewhere"]),
            (&json!("paused"), &json!(true)),
            "{why}: {job}"
        );
        bench.kill_owner();
        assert_eq!((asked(), thief.seen().len()), (before, 0), "{why}");
    };
    waits(&copy(bench.root(), bench.beside("copy")), "a copy");
    let file = bench.root().join("runs/0001.json");
    let whole = std::fs::read(&file).unwrap();
    let token = serde_json::from_slice::<Value>(&whole).unwrap()["token"]
        .as_str()
        .unwrap()
        .to_string();
    assert_eq!(token.len(), 32);
    // A second version of a folder that was trusted, at the same place and with the same token.
    let changes: [(&str, Change<'_>); 7] = [
        ("another server", &|run| {
            run["new"]["servers"][0]["url"] = thief.url().into()
        }),
        ("one server more", &|run| {
            let more =
                json!({"url": thief.url(), "key_env": VARIABLE, "concurrency": 1, "timeout_s": 5});
            run["new"]["servers"].as_array_mut().unwrap().push(more);
        }),
        ("another variable", &|run| {
            run["new"]["servers"][0]["key_env"] = "HF_TOKEN".into()
        }),
        ("another model", &|run| {
            run["new"]["model"] = "dearer".into()
        }),
        ("other items", &|run| run["items"] = 39.into()),
        ("another token", &|run| run["token"] = "0".repeat(32).into()),
        ("no token", &|run| {
            drop(run.as_object_mut().unwrap().remove("token"))
        }),
    ];
    for (why, change) in changes {
        edit(&file, change);
        waits(&bench, why);
        std::fs::write(&file, &whole).unwrap();
    }
    std::fs::write(bench.root().join("runs/0001.items.json"), "[1,2,3]").unwrap();
    waits(&bench, "a list of items");
    std::fs::remove_file(bench.root().join("runs/0001.items.json")).unwrap();
    // Moved, it waits too; back at its place it is the one that was begun.
    let moved = bench.beside("moved");
    std::fs::rename(bench.root(), &moved).unwrap();
    waits(&Bench::at(moved.clone()), "a moved project");
    std::fs::rename(&moved, bench.root()).unwrap();
    let before = asked();
    assert_eq!(opened(&bench)[0]["waits"], Value::Null);
    wait_until("it goes on", || asked() > before);
    // What a person paused is not set going by who edits the file.
    with_secret(&bench, ["jobs", "pause", "1"]).ok();
    stop(&bench);
    edit(&file, |run| run["standing"] = "running".into());
    waits(&bench, "a paused run");
    // Another person on this machine has agreed to nothing.
    std::fs::write(&file, &whole).unwrap();
    let mut other = bench.command(["jobs", "--json"]);
    let listed = run(
        other
            .env(VARIABLE, SECRET)
            .env("XDG_CONFIG_HOME", bench.beside("other")),
        "",
    )
    .lines();
    assert_eq!(listed[0]["waits"]["to"][0]["agreed"], false, "{listed:?}");
}

#[test]
fn consent_is_private_listed_and_revocable() {
    let bench = Bench::new();
    let add = |args: &[&str]| {
        bench.run(
            ["trust", "add", "--json"]
                .into_iter()
                .chain(args.iter().copied()),
        )
    };
    let made = add(&["https://api.example.com:443/v1", "--key-env", "MY_API_KEY"])
        .lines()
        .remove(0);
    assert_eq!(
        (&made["to"], &made["key_env"]),
        (&json!("https://api.example.com"), &json!("MY_API_KEY"))
    );
    add(&["http://10.0.0.1:8000", "--sends", "texts"]).ok();
    let listed = bench.run(["trust", "--json"]).lines();
    assert_eq!(listed.len(), 2);
    assert_eq!(
        (&listed[1]["sends"], &listed[1]["key_env"]),
        (&json!("texts"), &Value::Null)
    );
    let file = bench.person().join("benchtop/trust.jsonl");
    assert_eq!(
        std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(
        std::fs::metadata(file.parent().unwrap())
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o700
    );
    for wrong in [
        ["--key-env", "PATH"],
        ["--key-env", "SSH_AUTH_SOCK"],
        ["--sends", "everything"],
    ] {
        assert_eq!(
            add(&["https://api.example.com", wrong[0], wrong[1]]).code,
            2,
            "{wrong:?}"
        );
    }
    assert_eq!(add(&["file:///etc/passwd"]).code, 2);
    bench
        .run([
            "trust",
            "remove",
            "https://api.example.com",
            "--key-env",
            "OTHER_KEY",
        ])
        .refused(1);
    bench
        .run(["trust", "remove", "https://api.example.com"])
        .ok();
    assert_eq!(bench.run(["trust", "--json"]).lines().len(), 1);
    // A file that others can write is no agreement of this person's.
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
    assert!(bench.run(["trust"]).refused(1).names("chmod 600"));
}

#[test]
fn owner_enforces_consent_for_every_client() {
    let server = listening();
    let bench = quiz(2);
    stop(&bench);
    with_secret(&bench, ["status"]).ok();
    let client = bench.client("ann", |_| ());
    let judge = JudgeRequest {
        models: Vec::new(),
        judge: "wise".into(),
        servers: new_run(&server.url(), Some(VARIABLE)).servers,
        max_tokens: 16,
        tries: 1,
        dry: false,
        grade: false,
    };
    let asked = client
        .ask(request::Evaluate(
            Box::new(new_run(&server.url(), Some(VARIABLE))),
            Budget::default(),
        ))
        .unwrap_err();
    for refused in [
        asked,
        client
            .ask(request::Judge(Box::new(judge), Budget::default()))
            .unwrap_err(),
    ] {
        assert_eq!(refused.kind, ErrorKind::Denied, "{refused}");
        assert!(refused.help.unwrap().contains("benchtop trust add"));
    }
    // The key was agreed to for another host, port and scheme.
    for other in [
        "http://127.0.0.1:1",
        "https://127.0.0.1",
        "http://localhost",
    ] {
        bench
            .run(["trust", "add", other, "--key-env", VARIABLE])
            .ok();
    }
    let refused = client
        .ask(request::Evaluate(
            Box::new(new_run(&server.url(), Some(VARIABLE))),
            Budget::default(),
        ))
        .unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Denied, "{refused}");
    // Agreed to for texts: pictures do not go.
    bench
        .run([
            "trust",
            "add",
            &server.url(),
            "--key-env",
            VARIABLE,
            "--sends",
            "texts",
        ])
        .ok();
    let refused = client
        .ask(request::Evaluate(
            Box::new(new_run(&server.url(), Some(VARIABLE))),
            Budget::default(),
        ))
        .unwrap_err();
    assert!(refused.what.contains("pictures"), "{refused}");
    // A variable that is none of a key is never sent, agreed to or not.
    let refused = client
        .ask(request::Evaluate(
            Box::new(new_run(&server.url(), Some("PATH"))),
            Budget::default(),
        ))
        .unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Usage, "{refused}");
    assert!(server.seen().is_empty(), "{:?}", server.seen());
}

#[test]
fn revoking_consent_stops_running_jobs() {
    let server = slow();
    let bench = quiz(40);
    stop(&bench);
    let url = server.url();
    let args = [
        "eval",
        "--model",
        "tiny",
        "--endpoint",
        &url,
        "--key-env",
        VARIABLE,
        "--concurrency",
        "1",
        "--detach",
    ];
    with_secret(&bench, args).ok();
    wait_until("some answers", || server.seen().len() >= 2);
    bench.run(["trust", "remove", &url]).ok();
    wait_until("it stops", || job(&bench)["standing"] == "paused");
    let (asked, now) = (server.seen().len(), job(&bench));
    assert!(asked < 40, "{asked} questions were asked");
    assert_eq!(now["waits"]["to"][0]["agreed"], false, "{now}");
    std::thread::sleep(LULL);
    assert_eq!(server.seen().len(), asked);
}

#[test]
fn linked_pictures_are_sent_only_by_the_user_who_linked_them() {
    let server = listening();
    let bench = Bench::new();
    let line = |n: usize| {
        bench.write(&format!("private/{n}.png"), png(8, 8, &n.to_string()));
        let question = json!({
            "id": n, "images": [format!("{n}.png")], "prompt": "p", "question": format!("What is {n}?"), "answer": "one",
            "question_type": "multi choice", "task": "recognition", "options": ["one", "two"], "question_majority": "animal",
        });
        format!("{question}\n")
    };
    let file = bench.write("private/quiz.jsonl", (1..=2).map(line).collect::<String>());
    // Somebody else made the project: it links to pictures that are this person's.
    let mut import = bench.command(["import", "--link", file.to_str().unwrap()]);
    run(import.env("XDG_CONFIG_HOME", bench.beside("somebody")), "").ok();
    stop(&bench);
    let url = server.url();
    let args = [
        "eval",
        "--model",
        "tiny",
        "--endpoint",
        &url,
        "--key-env",
        VARIABLE,
        "--json",
    ];
    let done = with_secret(&bench, args);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(server.seen().is_empty(), "{:?}", server.seen());
    let why = with_secret(&bench, ["jobs", "failures", "1"]).ok();
    assert!(why.contains("benchtop trust link"), "{why}");
    // Without pictures nothing of theirs leaves.
    with_secret(&bench, args.into_iter().chain(["--blind"])).ok();
    assert_eq!(server.seen().len(), 2);
    // This person links them.
    with_secret(
        &bench,
        ["trust", "link", bench.beside("private").to_str().unwrap()],
    )
    .ok();
    with_secret(&bench, ["jobs", "retry", "1"]).ok();
    wait_until("they are sent", || server.seen().len() == 4);
    assert!(
        server.seen()[2..]
            .iter()
            .all(|s| s.body.to_string().contains("image_url"))
    );
}

/// Pictures from servers that `benchtop.toml` names.
fn generate_with(bench: &Bench, url: &str) {
    let table = format!(
        "[generate]\nbackend = \"http\"\nmodel = \"m\"\nendpoints = [{{ url = \"{url}\", key_env = \"{VARIABLE}\", concurrency = 1 }}]"
    );
    configure(bench, &table);
}

#[test]
fn generation_asks_only_servers_with_consent() {
    let painter =
        || Server::new(|_| Act::Later(Duration::from_millis(100), Box::new(Act::Picture(&[]))));
    let (server, thief) = (painter(), painter());
    let bench = fifty();
    stop(&bench);
    generate_with(&bench, &server.url());
    // What a project names is no agreement.
    let begin = ["generate", "--size", "64x64", "--batch", "1", "--detach"];
    let refused = with_secret(&bench, begin).refused(1);
    let command = format!(
        "benchtop trust add {} --key-env {VARIABLE} --sends texts",
        origin(&server)
    );
    assert!(refused.names(&command), "{refused}");
    let dry = with_secret(&bench, ["generate", "--dry-run", "--json"])
        .lines()
        .remove(0);
    assert_eq!(
        (&dry["waits"]["what"], &dry["waits"]["count"]),
        (&json!("50 prompts for pictures"), &json!(50)),
        "{dry}"
    );
    assert!(server.seen().is_empty(), "{:?}", server.seen());
    bench
        .run([
            "trust",
            "add",
            &server.url(),
            "--key-env",
            VARIABLE,
            "--sends",
            "texts",
        ])
        .ok();
    with_secret(&bench, begin).ok();
    wait_until("some pictures", || server.seen().len() >= 2);
    bench.kill_owner();
    // A copy, and the same project with another server, wait.
    let asked = server.seen().len();
    let waits = |bench: &Bench, why: &str| {
        let job = opened(bench).remove(0);
        assert_eq!(
            (&job["standing"], &job["waits"]["elsewhere"]),
            (&json!("paused"), &json!(true)),
            "{why}: {job}"
        );
        bench.kill_owner();
        assert_eq!(
            (server.seen().len(), thief.seen().len()),
            (asked, 0),
            "{why}"
        );
        job
    };
    waits(&copy(bench.root(), bench.beside("copy")), "a copy");
    generate_with(&bench, &thief.url());
    let job_then = waits(&bench, "another server");
    assert_eq!(
        job_then["waits"]["to"][0]["destination"]["to"],
        origin(&thief)
    );
    assert!(
        with_secret(&bench, ["jobs", "resume", "1"])
            .refused(1)
            .names(&origin(&thief))
    );
    assert!(thief.seen().is_empty());
    bench.kill_owner();
    // The project is as it was: it goes on by itself, and the key goes to nobody else.
    generate_with(&bench, &server.url());
    assert_eq!(opened(&bench)[0]["waits"], Value::Null);
    wait_until("more pictures", || server.seen().len() > asked + 1);
    assert!(
        server
            .seen()
            .iter()
            .all(|s| s.key.as_deref() == Some(&format!("Bearer {SECRET}")))
    );
    assert!(thief.seen().is_empty());
}

#[test]
fn a_received_job_without_servers_waits_for_consent() {
    let bench = fifty();
    bench
        .run([
            "generate",
            "--size",
            "64x64",
            "--per-minute",
            "60",
            "--detach",
        ])
        .ok();
    bench.kill_owner();
    let copied = copy(bench.root(), bench.beside("copy"));
    let job_then = opened(&copied).remove(0);
    assert_eq!(
        (&job_then["standing"], &job_then["waits"]["to"]),
        (&json!("paused"), &json!([])),
        "{job_then}"
    );
    // It sends nothing: who types the command wants it.
    assert!(copied.run(["jobs", "resume", "1"]).ok().contains("queued"));
    // At its own place it goes on.
    let job_here = opened(&bench).remove(0);
    assert!(
        ["queued", "running"].contains(&job_here["standing"].as_str().unwrap()),
        "{job_here}"
    );
}

/// A judge that `benchtop.toml` names.
fn judge_with(bench: &Bench, url: &str) {
    let table = format!(
        "[judge]\nmodel = \"tiny\"\nendpoints = [{{ url = \"{url}\", key_env = \"{VARIABLE}\", concurrency = 1 }}]"
    );
    configure(bench, &table);
}

fn scoring(bench: &Bench) -> Value {
    let report = with_secret(bench, ["filter", "report", "--json"])
        .lines()
        .remove(0);
    let scorers = report["scorers"].as_array().unwrap();
    scorers
        .iter()
        .find(|s| s["scorer"] == "judge/answer-stands")
        .unwrap()["job"]
        .clone()
}

#[test]
fn a_judge_is_asked_only_with_consent() {
    let judge = || Server::new(|_| Act::Later(Duration::from_millis(100), Box::new(says("yes"))));
    let (server, thief) = (judge(), judge());
    let bench = fifty();
    bench.run(["generate", "--size", "64x64"]).ok();
    stop(&bench);
    // A job that is under way in a project that somebody sends.
    judge_with(&bench, &server.url());
    let planted = json!([{"id": 1, "scorer": "judge/answer-stands", "filter": "", "phase": "running", "retry": false}]);
    std::fs::create_dir_all(bench.root().join("jobs")).unwrap();
    std::fs::write(bench.root().join("jobs/scoring.json"), planted.to_string()).unwrap();
    opened(&bench);
    let job_then = scoring(&bench);
    // The pictures were job 1.
    let id = job_then["id"].to_string();
    assert_eq!(id, "2");
    assert_eq!(
        (&job_then["phase"], &job_then["waits"]["elsewhere"]),
        (&json!("paused"), &json!(true)),
        "{job_then}"
    );
    assert!(
        job_then["why"]
            .as_str()
            .unwrap()
            .contains(&format!("{} with ${VARIABLE}", origin(&server))),
        "{job_then}"
    );
    for args in [
        ["filter", "resume", id.as_str()],
        ["filter", "cancel", id.as_str()],
        ["filter", "run", "judge/answer-stands"],
    ] {
        let ran = with_secret(&bench, args);
        if args[1] != "cancel" {
            let command = format!(
                "benchtop trust add {} --key-env {VARIABLE}",
                origin(&server)
            );
            assert!(ran.refused(1).names(&command), "{args:?}");
        }
    }
    assert!(server.seen().is_empty(), "{:?}", server.seen());
    bench
        .run(["trust", "add", &server.url(), "--key-env", VARIABLE])
        .ok();
    with_secret(
        &bench,
        [
            "filter",
            "run",
            "judge/answer-stands",
            "--drafts",
            "--detach",
        ],
    )
    .ok();
    wait_until("it asks", || server.seen().len() >= 2);
    bench.kill_owner();
    // Another server in benchtop.toml, in a folder that was trusted before.
    let asked = server.seen().len();
    judge_with(&bench, &thief.url());
    opened(&bench);
    assert_eq!(scoring(&bench)["phase"], "paused");
    assert!(
        with_secret(&bench, ["filter", "resume", "3"])
            .refused(1)
            .names(&origin(&thief))
    );
    // While an owner runs, too: the file is read when a job begins.
    assert!(
        with_secret(&bench, ["filter", "run", "alignment"])
            .refused(1)
            .names(&origin(&thief))
    );
    bench.kill_owner();
    assert_eq!((server.seen().len(), thief.seen().len()), (asked, 0));
    judge_with(&bench, &server.url());
    opened(&bench);
    wait_until("it goes on", || server.seen().len() > asked);
    assert!(
        server
            .seen()
            .iter()
            .all(|s| s.key.as_deref() == Some(&format!("Bearer {SECRET}")))
    );
    assert!(thief.seen().is_empty());
}

#[test]
fn a_redirect_sends_no_key_and_no_picture_to_another_host() {
    let thief = listening();
    let to = format!("{}/chat/completions", thief.url());
    let server =
        Server::new(move |_| Act::Status(307, vec![("location", to.clone())], String::new()));
    let bench = quiz(1);
    stop(&bench);
    let url = server.url();
    let args = [
        "eval",
        "--model",
        "tiny",
        "--endpoint",
        &url,
        "--key-env",
        VARIABLE,
        "--tries",
        "2",
        "--json",
    ];
    let out = with_secret(&bench, args);
    let said = out.out + &out.err;
    assert!(
        said.contains(&origin(&server)) && said.contains(&origin(&thief)),
        "{said}"
    );
    assert_eq!(
        (server.seen().len(), thief.seen().len()),
        (1, 0),
        "a redirect is no reason to ask again"
    );
}

#[test]
fn a_terminal_user_is_asked_for_consent() {
    let server = listening();
    let bench = quiz(2);
    stop(&bench);
    plant(bench.root(), 2, new_run(&server.url(), Some(VARIABLE)));
    let typed = |answer: &[u8]| {
        let mut command = portable_pty::CommandBuilder::new(BENCHTOP);
        command.args([
            "jobs",
            "resume",
            "1",
            "--project",
            bench.root().to_str().unwrap(),
        ]);
        command.env("XDG_CONFIG_HOME", bench.person());
        command.env(VARIABLE, SECRET);
        let mut pty = Pty::run(command, Line::default());
        let shown = pty.wait_for("[y/N]").replace('\n', "");
        let wanted = format!(
            "this project wants to send 2 questions with their pictures to {}",
            origin(&server)
        );
        assert!(
            shown.contains(&wanted) && shown.contains(&format!("with ${VARIABLE}")),
            "{shown}"
        );
        pty.keys(answer);
        pty.wait_end()
    };
    assert!(!typed(b"\r").success());
    std::thread::sleep(LULL);
    assert!(server.seen().is_empty());
    assert!(bench.run(["trust", "--json"]).lines().is_empty());
    assert!(typed(b"y\r").success());
    wait_until("it goes on", || server.seen().len() == 2);
    assert_eq!(
        bench.run(["trust", "--json"]).lines()[0]["to"],
        origin(&server)
    );
}

#[test]
fn the_pane_shows_a_waiting_job_and_asks_for_consent() {
    let server = listening();
    let bench = Seated::plain(3);
    bench.stop_owner();
    plant(
        bench.project().root(),
        3,
        NewRun {
            blind: true,
            ..new_run(&server.url(), None)
        },
    );
    bench.start_owner();
    let mut seat = bench.seat("ann");
    seat.keys("gj");
    seat.wait_row(&["3 questions"]);
    std::thread::sleep(LULL);
    assert!(server.seen().is_empty(), "{:?}", server.seen());
    seat.keys("p");
    seat.wait_for(wording::AGREEMENT_ASKED);
    seat.keys("<esc>");
    seat.wait_gone(wording::AGREEMENT_ASKED);
    assert!(server.seen().is_empty());
    seat.keys("p");
    seat.wait_for(wording::AGREEMENT_ASKED);
    seat.keys("<enter>");
    wait_until("it goes on", || server.seen().len() == 3);
}
