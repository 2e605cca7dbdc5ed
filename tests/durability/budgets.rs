//! Budgets of jobs that send requests: nothing is sent beyond them, also after kill -9 of the owner.

use std::collections::BTreeSet;
use std::time::Duration;

use benchtop::store::runs;
use serde_json::{Value, json};

use super::generate::{fifty, recorded};
use super::scoring::recorded as scores;
use crate::flows::eval::{number, quiz, reply};
use crate::flows::filter::{configure, says};
use crate::flows::servers::generates;
use crate::inference::server::{Act, Server};
use crate::support::{Bench, ErrorKind, dice, goes_on, has_line, has_word, wait_until};

const IN_FLIGHT: usize = 8;
/// Tokens of an answer of [`reply`], in and out.
const TOKENS: (u64, u64) = (100, 5);

fn job(bench: &Bench) -> Value {
    bench.run(["jobs", "--json"]).lines().remove(0)
}

/// A server that answers after so many milliseconds.
fn slow(ms: u64) -> Server {
    Server::new(move |_| Act::Later(Duration::from_millis(ms), Box::new(reply("(A)", "stop"))))
}

/// Starts an evaluation with eight requests in flight.
fn eval(bench: &Bench, server: &Server, more: &[&str]) {
    let url = server.url();
    let flight = IN_FLIGHT.to_string();
    let args = [
        "eval",
        "--model",
        "tiny",
        "--endpoint",
        &url,
        "--concurrency",
        &flight,
        "--blind",
        "--detach",
    ];
    bench.run(args.into_iter().chain(more.iter().copied())).ok();
}

fn paused(bench: &Bench) -> Value {
    wait_until("the budget is spent", || {
        job(bench)["standing"] == "paused" || job(bench)["standing"] == "failed"
    });
    let job = job(bench);
    assert_eq!(job["standing"], "paused", "{job}");
    job
}

/// The same jobs as an owner would find them after a kill, with nothing sent meanwhile.
fn stays_paused(bench: &Bench, server: &Server) {
    let seen = server.seen().len();
    bench.kill_owner();
    assert_eq!(job(bench)["standing"], "paused");
    let refusal = bench
        .run(["jobs", "resume", "1", "--json"])
        .refused_as(ErrorKind::Conflict);
    assert!(
        refusal.help.contains("benchtop jobs budget 1"),
        "{refusal:?}"
    );
    assert_eq!(server.seen().len(), seen, "something was sent");
}

/// Raises the budget, and has the job end with every question asked once.
fn ends_after(bench: &Bench, server: &Server, raise: &[&str], questions: usize) {
    bench
        .run(
            ["jobs", "budget", "1"]
                .into_iter()
                .chain(raise.iter().copied()),
        )
        .ok();
    bench.run(["jobs", "resume", "1"]).ok();
    wait_until("the run is done", || job(bench)["standing"] == "done");
    let asked: Vec<usize> = server.seen().iter().map(number).collect();
    let distinct: BTreeSet<&usize> = asked.iter().collect();
    assert_eq!(distinct.len(), questions);
    assert_eq!(job(bench)["done"], questions);
}

#[test]
fn a_budget_of_37_requests_pauses_an_evaluation_after_37() {
    let bench = quiz(60);
    let server = slow(100);
    eval(&bench, &server, &["--max-requests", "37"]);
    let job = paused(&bench);
    assert_eq!(server.seen().len(), 37);
    assert!(server.peak() > IN_FLIGHT / 2, "{} at once", server.peak());
    assert_eq!(
        (&job["done"], &job["failed"], &job["budget"]["requests"]),
        (&json!(37), &json!(0), &json!(37))
    );
    assert_eq!(
        job["usage"],
        json!({"requests": 37, "tokens_in": 3700, "tokens_out": 185, "untold": 0, "cost_micros": null})
    );
    let reason = job["reason"].as_str().unwrap();
    let remedy = "`benchtop jobs budget 1 --max-requests 74`";
    assert!(
        has_word(reason, "37") && reason.contains(remedy),
        "{reason}"
    );
    let line = bench.run(["jobs"]).ok();
    assert!(has_line(&line, &["paused", "37 of 37"]), "{line}");
    let shown = bench.run(["jobs", "budget", "1"]).ok();
    assert!(has_line(&shown, &["37 of 37", "3885"]), "{shown}");
    stays_paused(&bench, &server);
    // A budget that is raised too little stops it again.
    bench
        .run(["jobs", "budget", "1", "--max-requests", "40"])
        .ok();
    bench.run(["jobs", "resume", "1"]).ok();
    paused(&bench);
    assert_eq!(server.seen().len(), 40);
    ends_after(&bench, &server, &["--max-requests", "0"], 60);
    assert_eq!(server.seen().len(), 60, "nothing was asked twice");
}

#[test]
fn a_killed_evaluation_stays_within_its_budget_of_requests() {
    const BUDGET: usize = 37;
    let bench = quiz(60);
    let server = slow(60);
    eval(&bench, &server, &["--max-requests", "37"]);
    let mut kills = BTreeSet::new();
    let mut n = 0;
    while goes_on(n, 6, kills.len() > 1) {
        job(&bench);
        std::thread::sleep(Duration::from_millis(40 + dice(n, 120)));
        bench.kill_owner();
        let sent = server.seen().len();
        let counted = counted(&bench, "runs");
        assert!(counted >= sent as u64, "{counted} counted of {sent} sent");
        kills.insert(sent);
        n += 1;
    }
    paused(&bench);
    assert!(kills.len() > 1, "killed at {kills:?} requests");
    let sent = server.seen().len();
    assert!(sent <= BUDGET, "{sent} requests");
    let (progress, _) = runs::progress(bench.root(), 1).unwrap();
    assert!(progress.answered.len() <= sent);
    stays_paused(&bench, &server);
    ends_after(&bench, &server, &["--max-requests", "200"], 60);
    let most = 60 + n as usize * IN_FLIGHT;
    let sent = server.seen().len();
    assert!(sent <= most, "{sent} requests, at most {most}");
    println!("kill -9 within a budget of {BUDGET} requests: killed at {kills:?}");
}

/// The requests that the file of a job counts.
fn counted(bench: &Bench, folder: &str) -> u64 {
    let path = bench.root().join(folder).join("0001.usage.json");
    let text = std::fs::read_to_string(path).unwrap_or_else(|_| "{}".into());
    let usage: Value = serde_json::from_str(&text).unwrap();
    usage["requests"].as_u64().unwrap_or_default()
}

/// Budgets of tokens and money: at most what was in flight goes over them, however often the owner
/// is killed. What an owner did not live to hear is paid for and not counted.
#[test]
fn killed_evaluations_stay_within_budgets_of_tokens_and_money() {
    const ANSWERS: usize = 10;
    let cost = format!("{}", ANSWERS as f64 * (0.0002 + 0.00004));
    let tokens = (ANSWERS as u64 * (TOKENS.0 + TOKENS.1)).to_string();
    for limits in [
        vec!["--max-total-tokens", tokens.as_str()],
        vec!["--price-in", "2", "--price-out", "8", "--max-cost", &cost],
    ] {
        let raise = match limits[0] {
            "--max-total-tokens" => ["--max-total-tokens", "100000"],
            _ => ["--max-cost", "9.5"],
        };
        for kills in [0, 2] {
            let bench = quiz(60);
            let server = slow(50);
            eval(&bench, &server, &limits);
            for n in 0..kills {
                job(&bench);
                std::thread::sleep(Duration::from_millis(30 + dice(n, 60)));
                bench.kill_owner();
            }
            let job = paused(&bench);
            let reason = job["reason"].as_str().unwrap();
            assert!(reason.contains(raise[0]), "{reason}");
            let most = ANSWERS + (1 + kills as usize) * IN_FLIGHT;
            let sent = server.seen().len();
            assert!((ANSWERS..=most).contains(&sent), "{sent} requests");
            let done = job["done"].as_u64().unwrap() as usize;
            // Tokens are counted before the answer is written, so a kill in between loses an answer that
            // is counted.
            let least = if kills == 0 { ANSWERS } else { 1 };
            assert!((least..ANSWERS + IN_FLIGHT).contains(&done), "{done}");
            let used = &job["usage"];
            assert!(
                used["tokens_in"].as_u64() >= Some(done.max(ANSWERS) as u64 * TOKENS.0),
                "{job}"
            );
            stays_paused(&bench, &server);
            ends_after(&bench, &server, &raise, 60);
        }
    }
}

#[test]
fn repeated_requests_count_too() {
    let bench = quiz(30);
    let server = Server::new(|seen| match seen.before {
        0 => Act::Status(429, vec![("Retry-After", "0".into())], String::new()),
        _ => reply("(A)", "stop"),
    });
    eval(&bench, &server, &["--max-requests", "20"]);
    let job = paused(&bench);
    assert_eq!((server.seen().len(), &job["failed"]), (20, &json!(0)));
    assert!(job["done"].as_u64() <= Some(10), "{job}");
    // The option's earlier name still works.
    bench.run(["jobs", "budget", "1", "--requests", "0"]).ok();
    bench.run(["jobs", "resume", "1"]).ok();
    wait_until("the run is done", || self::job(&bench)["done"] == 30);
}

#[test]
fn a_server_that_counts_no_tokens_stops_a_budget_of_tokens() {
    let bench = quiz(40);
    let server = Server::new(|_| {
        let choice = json!({ "message": { "content": "(A)" }, "finish_reason": "stop" });
        Act::Body(json!({ "choices": [choice] }).to_string().into_bytes())
    });
    eval(&bench, &server, &["--max-total-tokens", "9000"]);
    let job = paused(&bench);
    assert!(server.seen().len() <= IN_FLIGHT, "{}", server.seen().len());
    let reason = job["reason"].as_str().unwrap();
    assert!(reason.contains("--max-total-tokens 0"), "{reason}");
    ends_after(&bench, &server, &["--max-total-tokens", "0"], 40);
}

#[test]
fn budgets_that_cannot_be_kept_are_refused() {
    let bench = quiz(3);
    let server = slow(0);
    let url = server.url();
    let refused = |args: &[&str]| {
        let refusal = bench.run(args.iter().copied()).refused_as(ErrorKind::Usage);
        assert_eq!(bench.run(["jobs", "--json"]).lines().len(), 0);
        refusal.help
    };
    let eval = ["eval", "--model", "tiny", "--endpoint", &url];
    let priced = [&eval[..], &["--max-cost", "1", "--json"]].concat();
    assert!(refused(&priced).contains("price_in"));
    let fifty = fifty();
    fifty
        .run(["generate", "--max-requests", "5", "--json"])
        .refused_as(ErrorKind::Usage);
    assert_eq!(fifty.run(["jobs", "--json"]).lines().len(), 0);
    assert_eq!(server.seen().len(), 0);
}

/// Has a judge read the answers of `tiny`. Returns the requests to the judge.
#[test]
fn a_judge_reads_within_its_budget() {
    const ANSWERS: usize = 24;
    let bench = quiz(ANSWERS);
    let server = Server::new(|seen| {
        let text = match seen.body["model"].as_str() {
            Some("tiny") => "The smallest of these numbers, clearly.",
            _ => "A",
        };
        Act::Later(Duration::from_millis(30), Box::new(reply(text, "stop")))
    });
    eval(&bench, &server, &[]);
    wait_until("the answers are predictions", || {
        job(&bench)["run"]["predictions"] == ANSWERS
    });
    let judged = || {
        let of_judge = |seen: &&crate::inference::server::Seen| seen.body["model"] == "wise";
        server.seen().iter().filter(of_judge).count()
    };
    let url = server.url();
    let args = [
        "eval",
        "judge",
        "--judge",
        "wise",
        "--endpoint",
        &url,
        "--concurrency",
        "4",
        "--json",
    ];
    let read = |most: &str| bench.run(args.into_iter().chain(["--max-requests", most]));
    let refusal = read("7").refused_as(ErrorKind::Conflict);
    assert!(
        has_word(&refusal.text, "7") && refusal.help.contains("--max-requests 14"),
        "{refusal:?}"
    );
    assert_eq!(judged(), 7);
    bench.kill_owner();
    assert_eq!(job(&bench)["standing"], "paused");
    // The same command with a larger budget continues the job.
    let report = read("100").lines().remove(0);
    assert_eq!(report["models"][0]["judged"], ANSWERS, "{report}");
    assert_eq!(judged(), ANSWERS, "nothing was read twice");
}

/// Pictures and scores: 3 kills, then the budget is raised, and everything is there once.
#[test]
fn killed_pictures_and_scores_stay_within_their_budgets() {
    const BUDGET: usize = 20;
    let bench = fifty();
    let server = Server::new(|seen| {
        let act = match seen.body["prompt"].is_string() {
            true => Act::Picture(&[]),
            false => says("yes"),
        };
        Act::Later(Duration::from_millis(60), Box::new(act))
    });
    generates(&bench, &server.url(), ", concurrency = 4");
    let url = server.url();
    configure(
        &bench,
        &format!("[judge]\nmodel = \"tiny\"\nendpoints = [{{ url = \"{url}\", concurrency = 4 }}]"),
    );
    let pictures = ["generate", "--size", "64x64"];
    let scored = ["filter", "run", "judge/answer-stands"];
    for (number, args) in [(1, pictures), (2, scored)] {
        let id = &number.to_string();
        let before = server.seen().len();
        let sent = || server.seen().len() - before;
        let more = ["--max-requests", "20", "--detach"];
        bench.run(args.into_iter().chain(more)).ok();
        let job = || {
            let jobs = bench.run(["jobs", "--json"]).lines();
            let found = jobs.into_iter().find(|job| job["id"] == number);
            found.unwrap()
        };
        for n in 0..3 {
            job();
            std::thread::sleep(Duration::from_millis(40 + dice(n, 80)));
            bench.kill_owner();
        }
        wait_until("the budget is spent", || job()["standing"] == "paused");
        let reason = job()["reason"].to_string();
        assert!(has_word(&reason, "20"), "{reason}");
        assert!(sent() <= BUDGET, "{} requests", sent());
        bench.kill_owner();
        bench
            .run(["jobs", "resume", id, "--json"])
            .refused_as(ErrorKind::Conflict);
        assert!(sent() <= BUDGET, "{} requests", sent());
        bench
            .run(["jobs", "budget", id, "--max-requests", "5000"])
            .ok();
        bench.run(["jobs", "resume", id]).ok();
        wait_until("the job is done", || job()["standing"] == "done");
    }
    let names: Vec<String> = recorded(&bench)
        .iter()
        .map(|line| line["picture"].to_string())
        .collect();
    let distinct: BTreeSet<&String> = names.iter().collect();
    assert_eq!((names.len(), distinct.len()), (50, 50));
    let scores = scores(&bench);
    let distinct: BTreeSet<&u64> = scores.iter().collect();
    assert_eq!(scores.len(), distinct.len(), "nothing was scored twice");
    assert!(scores.len() >= 50);
}
