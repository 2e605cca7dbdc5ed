//! kill -9 of an owner during an evaluation.

use std::collections::BTreeSet;
use std::time::Duration;

use benchtop::store::runs;

use crate::flows::eval::{number, predictions, quiz, reply};
use crate::inference::server::{Act, Server};
use crate::support::{dice, goes_on, wait_until};

/// What is guaranteed: a question whose answer is on disk is never asked again and counts once. What was asked and not on
/// disk when the owner died is asked again: at most what was in flight, and what had come in the moment before.
#[test]
fn a_killed_run_asks_every_question_once() {
    const QUESTIONS: usize = 120;
    const IN_FLIGHT: usize = 3;
    let bench = quiz(QUESTIONS);
    let server =
        Server::new(|_| Act::Later(Duration::from_millis(90), Box::new(reply("(A)", "stop"))));
    let url = server.url();
    let flight = IN_FLIGHT.to_string();
    bench
        .run([
            "eval",
            "--model",
            "tiny",
            "--endpoint",
            &url,
            "--concurrency",
            &flight,
            "--detach",
        ])
        .ok();
    let mut kills: Vec<(usize, BTreeSet<u32>)> = Vec::new();
    let job = || bench.run(["jobs", "--json"]).lines().remove(0);
    let mut sizes = BTreeSet::new();
    let mut n = 0;
    while goes_on(n, 10, sizes.len() > 3) {
        // The next owner goes on by itself.
        job();
        std::thread::sleep(Duration::from_millis(150 + dice(n, 350)));
        // What somebody was told is there after the kill.
        let told = job()["done"].as_u64().unwrap();
        bench.kill_owner();
        let (progress, _) = runs::progress(bench.root(), 1).unwrap();
        let there: BTreeSet<u32> = progress.answered.iter().map(|a| a.number).collect();
        assert!(
            there.len() as u64 >= told,
            "round {n}: {told} answers were told of, {} are there",
            there.len()
        );
        if let Some((_, before)) = kills.last() {
            assert!(there.is_superset(before), "round {n}: an answer is gone");
        }
        sizes.insert(there.len());
        kills.push((server.seen().len(), there));
        n += 1;
    }
    assert!(
        sizes.len() > 3,
        "killed at {sizes:?} answers: the kills were not spread over the run"
    );
    wait_until("the run is done", || job()["standing"] == "done");
    let seen: Vec<u32> = server.seen().iter().map(|s| number(s) as u32).collect();
    for (at, there) in &kills {
        let again: Vec<&u32> = seen[*at..].iter().filter(|n| there.contains(n)).collect();
        assert!(
            again.is_empty(),
            "asked again although the answer was on disk: {again:?}"
        );
    }
    let distinct: BTreeSet<u32> = seen.iter().copied().collect();
    assert_eq!(distinct.len(), QUESTIONS);
    let most = QUESTIONS + kills.len() * (IN_FLIGHT + IN_FLIGHT);
    assert!(
        seen.len() <= most,
        "{} questions asked, at most {most} can have been",
        seen.len()
    );
    wait_until("the answers are predictions", || {
        predictions(&bench)
            .get("tiny")
            .is_some_and(|p| p.len() == QUESTIONS)
    });
    let rows = &predictions(&bench)["tiny"];
    let keys: BTreeSet<u64> = rows.iter().map(|r| r["key"].as_u64().unwrap()).collect();
    assert_eq!(
        (rows.len(), keys.len()),
        (QUESTIONS, QUESTIONS),
        "nothing is there twice"
    );
    // Another owner brings nothing in a second time.
    bench.kill_owner();
    assert_eq!(predictions(&bench)["tiny"].len(), QUESTIONS);
    println!(
        "kill -9 of an evaluating owner: {} rounds, killed at {sizes:?} of {QUESTIONS}, asked {}",
        kills.len(),
        seen.len()
    );
}
