//! The agreement pane, while annotators judge.

use std::process::Command;

use benchtop::metrics::agreement::Agreement;
use benchtop::model::agreement::Scale;
use benchtop::model::agreement::analysis::Measure;
use benchtop::model::verdict::{Part, RoundContext};
use benchtop::model::{Act, Judgement, Seen, Verdict};
use benchtop::protocol::Client;
use benchtop::protocol::wire::{Decide, request};
use serde_json::Value;
use uuid::Uuid;

use super::support::{BENCHTOP, Bench};
use crate::support::wording;

const GO: &str = "gk";

fn run(bench: &Bench, args: &str) -> String {
    let root = bench.project().root().to_path_buf();
    let done = Command::new(BENCHTOP)
        .args(args.split(' '))
        .arg("--project")
        .arg(root)
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

fn project(items: i64) -> Bench {
    let bench = Bench::plain(items);
    run(
        &bench,
        "round new first --protocol both-accept --people ann,bob --calibration 0 --repeats 0 --probes 0 --as eve",
    );
    bench
}

fn say(client: &Client, number: u32, verdict: Verdict) {
    let asked = RoundContext {
        round: "first".into(),
        part: Part::Main,
        guidelines: None,
        revealed: false,
    };
    let judgement = Judgement {
        note: Some("n".into()),
        round: Some(asked),
        ..Judgement::new(verdict, Seen::Painted)
    };
    client
        .ask(request::Decide(Decide {
            uuid: Uuid::now_v7(),
            number,
            expected: None,
            judgement,
        }))
        .unwrap();
}

#[test]
fn the_agreement_pane_equals_the_command_and_the_metrics() {
    let bench = project(20);
    let (ann, bob) = (bench.client("ann"), bench.client("bob"));
    for number in 1..=20 {
        say(
            &ann,
            number,
            if number % 3 == 0 {
                Verdict::Reject
            } else {
                Verdict::Accept
            },
        );
        say(
            &bob,
            number,
            if number % 4 == 0 {
                Verdict::Reject
            } else {
                Verdict::Accept
            },
        );
    }
    let rated = ["ann", "bob"]
        .into_iter()
        .zip(0..)
        .flat_map(|(who, rater)| {
            bench.journal(who).into_iter().map(move |decision| {
                let Act::Judge(judgement) = decision.act else {
                    panic!("{decision:?}")
                };
                let row: u32 = decision.item.rsplit('/').next().unwrap().parse().unwrap();
                (row, rater, u8::from(judgement.verdict == Verdict::Reject))
            })
        });
    let expected = Agreement::of(Scale::new(2, 0).unwrap(), rated)
        .unwrap()
        .counts()
        .report();
    let pair = &expected.pairs[0].measures;
    let printed = run(&bench, "agreement --round first --json --as eve");
    let printed: Value = serde_json::from_str(&printed).unwrap();
    let mut seat = bench.seat("eve");
    seat.keys(GO);
    seat.wait_for(wording::BY_PAIR);
    seat.wait_for("ann / bob");
    seat.keys("j");
    // Once the intervals are there the row stands as a whole.
    let shown = seat.wait_until("the pair with its intervals", |s| {
        s.lines().any(|line| line.trim() == "ann / bob") && !s.contains("[ ... ]")
    });
    for measure in Measure::ALL {
        let value = measure.estimate(pair).value.unwrap();
        // The last digit of a number may be lost where JSON is read.
        let told = printed["rows"][1][measure.key()]["value"].as_f64().unwrap();
        assert!(
            (told - value).abs() < 1e-12,
            "{}: {told} {value}",
            measure.name()
        );
        let interval =
            ["low", "high"].map(|end| printed["rows"][1][measure.key()][end].as_f64().unwrap());
        let line = format!(
            "{:>7} {}",
            measure.format_value(value),
            measure.format_interval(interval[0], interval[1])
        );
        let found = shown.lines().find(|l| l.contains(measure.name())).unwrap();
        assert!(found.contains(&line), "{line:?} in {found:?}");
    }
    seat.leave("q<ctrl-c>");
}

#[test]
fn numbers_follow_the_verdicts_and_rows_open_their_items() {
    let bench = project(6);
    let (ann, bob) = (bench.client("ann"), bench.client("bob"));
    let mut seat = bench.seat("eve");
    seat.keys(GO);
    seat.wait_for(wording::NOTHING_JUDGED);
    for number in 1..=4 {
        say(&ann, number, Verdict::Accept);
        say(
            &bob,
            number,
            if number == 4 {
                Verdict::Reject
            } else {
                Verdict::Accept
            },
        );
    }
    seat.wait_for(&wording::items_judged(4, 4));
    seat.wait_for("75.0 %");
    say(&ann, 5, Verdict::Reject);
    say(&bob, 5, Verdict::Reject);
    seat.wait_for(&wording::items_judged(5, 5));
    seat.wait_for("80.0 %");
    bob.ask(request::Undo(Uuid::now_v7())).unwrap();
    seat.wait_for(&wording::items_judged(5, 4));
    seat.keys("b");
    seat.wait_for(wording::BY_SUBTASK);
    seat.wait_for("even");
    seat.keys("<tab>");
    seat.wait_row(&["ann", "bob"]);
    seat.keys("m");
    seat.wait_for(wording::METHODS);
    let raw = seat.raw();
    assert!(
        raw.windows(7).any(|w| w == b"\x1b]52;c;"),
        "it goes into the clipboard"
    );
    seat.keys("gY<enter>");
    seat.wait_for(wording::ROWS_COPIED);
    seat.keys("j<enter>");
    seat.wait_for("3 of 6");
    seat.keys(GO);
    seat.wait_for(wording::BY_SUBTASK);
    seat.keys("r");
    seat.wait_for(wording::OUTSIDE_ROUNDS);
    seat.keys("2");
    seat.wait_for(wording::NOTHING_OUTSIDE);
    seat.leave("q<ctrl-c>");
}

#[test]
fn a_blind_round_hides_agreement_until_it_is_closed() {
    let bench = project(4);
    let (ann, bob) = (bench.client("ann"), bench.client("bob"));
    say(&ann, 1, Verdict::Accept);
    say(&bob, 1, Verdict::Reject);
    let mut seat = bench.seat("ann");
    seat.keys(GO);
    let shown = seat.wait_for(wording::IS_BLIND);
    assert!(!shown.contains("0.0 %"), "{shown}");
    run(&bench, "round close first --as eve");
    seat.wait_for(&wording::items_judged(1, 1));
    seat.leave("q<ctrl-c>");
}
