//! Agreement requests at the owner: permissions, the verdicts that count, and the numbers.

use benchtop::metrics::agreement::Agreement;
use benchtop::model::agreement::analysis::{AgreementAnalysis, AgreementQuery, GroupBy};
use benchtop::model::agreement::{Bootstrap, Scale, UNKNOWN, Undefined};
use benchtop::model::cancel::Cancel;
use benchtop::model::round::report::RoundReport;
use benchtop::model::verdict::{Part, RoundContext};
use benchtop::model::{ErrorKind, Judgement, Result, Seen, Status, Verdict};
use benchtop::protocol::wire::{Decide, request};
use benchtop::protocol::{Client, Incoming};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{Bench, PATIENCE};

const NONE: [&str; 6] = ["--calibration", "0", "--repeats", "0", "--probes", "0"];

fn project(items: usize, protocol: &str, people: &str, more: &[&str]) -> Bench {
    let bench = Bench::with_items(items);
    let args = [
        "round",
        "new",
        "first",
        "--protocol",
        protocol,
        "--people",
        people,
    ];
    bench.run(args.into_iter().chain(more.iter().copied())).ok();
    bench
}

fn say(client: &Client, round: Option<&str>, number: u32, verdict: Verdict) {
    let asked = round.map(|round| RoundContext {
        round: round.into(),
        part: Part::Main,
        guidelines: None,
        revealed: false,
    });
    let judgement = Judgement {
        note: Some("n".into()),
        round: asked,
        ms: Some(4000),
        ..Judgement::new(verdict, Seen::Painted)
    };
    let decide = Decide {
        uuid: Uuid::now_v7(),
        number,
        expected: None,
        judgement,
    };
    client.ask(request::Decide(decide)).unwrap();
}

fn ask(
    client: &Client,
    round: Option<&str>,
    by: GroupBy,
    bootstrap: Option<Bootstrap>,
) -> Result<AgreementAnalysis> {
    client.ask(request::Agreement(AgreementQuery {
        round: round.map(str::to_string),
        by,
        bootstrap,
    }))
}

fn report(client: &Client, round: &str) -> Result<RoundReport> {
    client.ask(request::RoundReport {
        round: round.into(),
        bootstrap: None,
    })
}

#[test]
fn the_numbers_are_those_of_the_metrics_on_the_same_journals() {
    let bench = project(24, "majority 2 of 3", "ann,bob,cem", &NONE);
    let clients = ["ann", "bob", "cem"].map(|who| bench.client(who, |_| ()));
    let verdicts = [
        Verdict::Accept,
        Verdict::Reject,
        Verdict::Accept,
        Verdict::Unsure,
        Verdict::Fix,
        Verdict::Flag,
    ];
    for (who, client) in clients.iter().enumerate() {
        for number in 1..=24u32 {
            // Not everybody judges every item.
            if !(number as usize + who).is_multiple_of(5) {
                say(
                    client,
                    Some("first"),
                    number,
                    verdicts
                        [(number as usize * 13 / 4 + who * number as usize / 3) % verdicts.len()],
                );
            }
        }
    }
    // What is taken back does not count.
    clients[0].ask(request::Undo(Uuid::now_v7())).unwrap();
    let dan = bench.client("dan", |_| ());
    let plan = Bootstrap {
        draws: 300,
        seed: 7,
    };
    let found = ask(&dan, Some("first"), GroupBy::Pair, Some(plan)).unwrap();
    assert_eq!(found.people, ["ann", "bob", "cem"]);
    assert_eq!(found.categories, ["accept", "reject or fix"]);
    // The journals themselves, by the rule that the documents state.
    let taken_back: Vec<Value> = bench
        .journals()
        .iter()
        .filter_map(|l| l.get("undo").cloned())
        .collect();
    assert_eq!(taken_back.len(), 1);
    let ratings = bench
        .journals()
        .into_iter()
        .filter(|l| l.get("verdict").is_some())
        .filter_map(|line| {
            if taken_back.contains(&line["uuid"]) {
                return None;
            }
            let category = match line["verdict"].as_str().unwrap() {
                "accept" => 0,
                "reject" | "fix" => 1,
                _ => UNKNOWN,
            };
            let row: u32 = line["item"]
                .as_str()
                .unwrap()
                .rsplit('/')
                .next()
                .unwrap()
                .parse()
                .unwrap();
            let who = ["ann", "bob", "cem"]
                .iter()
                .position(|who| line["who"] == *who)
                .unwrap();
            Some((row, who as u16, category))
        });
    let expected = Agreement::of(Scale::new(2, 0).unwrap(), ratings).unwrap();
    let expected = expected.counts().bootstrapped(plan, Cancel::NEVER).unwrap();
    assert_eq!(
        (&found.rows[0].measures, &found.raters),
        (&expected.all, &expected.raters)
    );
    let pairs: Vec<_> = found.rows[1..]
        .iter()
        .map(|row| (row.pair.unwrap(), &row.measures))
        .collect();
    let wanted: Vec<_> = expected
        .pairs
        .iter()
        .map(|pair| ((pair.a, pair.b), &pair.measures))
        .collect();
    assert_eq!(pairs, wanted);
    assert!(expected.all.unknown > 0 && expected.all.raw.interval.is_ok());
    // Groups are of the same ratings; three people have no Cohen's kappa but pair by pair.
    let groups = ask(&dan, Some("first"), GroupBy::Subtask, Some(plan)).unwrap();
    assert_eq!(groups.rows[0].measures, expected.all);
    assert_eq!(
        groups.rows[0].measures.cohen_kappa.value,
        Err(Undefined::PairsOnly)
    );
    let items: u64 = groups.rows[1..].iter().map(|row| row.measures.items).sum();
    assert_eq!(items, expected.all.items);
    // The same question gives the same answer, and one that nobody waits for any more is given up.
    assert_eq!(
        ask(&dan, Some("first"), GroupBy::Pair, Some(plan)).unwrap(),
        found
    );
    let (told, answers) = std::sync::mpsc::channel();
    let eve = bench.client("eve", move |incoming| drop(told.send(incoming)));
    let plan = Some(Bootstrap {
        draws: 1_000_000,
        seed: 1,
    });
    let long = AgreementQuery {
        round: Some("first".into()),
        by: GroupBy::Pair,
        bootstrap: plan,
    };
    let number = eve.send(request::Agreement(long)).unwrap();
    eve.cancel(number).unwrap();
    let answer = answers.recv_timeout(PATIENCE).unwrap();
    let Incoming::Answer(of, Err(problem)) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!((of, problem.kind), (number, ErrorKind::Cancelled));
}

#[test]
fn a_blind_round_refuses_whoever_is_in_it_until_it_is_closed() {
    let bench = project(6, "both-accept", "ann,bob", &NONE);
    let [ann, bob, cem] = ["ann", "bob", "cem"].map(|who| bench.client(who, |_| ()));
    let refused = |client: &Client| {
        let asks = [
            ask(client, Some("first"), GroupBy::Pair, None).map(drop),
            ask(client, Some("first"), GroupBy::Outcome, None).map(drop),
            ask(client, None, GroupBy::Pair, None).map(drop),
            report(client, "first").map(drop),
        ];
        asks.into_iter()
            .map(|answer| answer.unwrap_err().kind)
            .collect::<Vec<_>>()
    };
    for number in 1..=6 {
        say(&bob, Some("first"), number, Verdict::Accept);
    }
    assert_eq!(refused(&ann), [ErrorKind::Denied; 4]);
    // Having judged everything is not enough: others are still at work.
    assert_eq!(refused(&bob), [ErrorKind::Denied; 4]);
    assert_eq!(
        ask(&cem, Some("first"), GroupBy::Pair, None).unwrap().rows[0]
            .measures
            .items,
        6
    );
    assert_eq!(
        ask(&cem, Some("first"), GroupBy::Outcome, None)
            .unwrap_err()
            .kind,
        ErrorKind::Conflict,
        "there are no rules"
    );
    assert_eq!(
        ask(&cem, Some("second"), GroupBy::Pair, None)
            .unwrap_err()
            .kind,
        ErrorKind::NotFound
    );
    for number in 1..=6 {
        say(
            &ann,
            Some("first"),
            number,
            if number == 6 {
                Verdict::Reject
            } else {
                Verdict::Accept
            },
        );
    }
    bench.run(["round", "close", "first"]).ok();
    let found = ask(&ann, Some("first"), GroupBy::Pair, None).unwrap();
    assert_eq!(found.rows[0].measures.raw.value, Ok(5.0 / 6.0));
    assert_eq!(found.rows[1].name, "ann / bob");
    assert_eq!(report(&ann, "first").unwrap().disputes, (1, 0));
    // Another blind round over the same items keeps this one's numbers back too.
    let again = [
        "round",
        "new",
        "again",
        "--protocol",
        "both-accept",
        "--people",
        "ann,cem",
    ];
    bench.run(again.into_iter().chain(NONE)).ok();
    assert_eq!(refused(&ann), [ErrorKind::Denied; 4]);
    assert!(ask(&bob, Some("first"), GroupBy::Pair, None).is_ok());
}

#[test]
fn what_counts_is_the_first_verdict_and_a_second_one_is_reported() {
    let bench = project(4, "both-accept", "ann,bob", &NONE);
    let [ann, bob, cem] = ["ann", "bob", "cem"].map(|who| bench.client(who, |_| ()));
    for number in 1..=4 {
        say(&bob, Some("first"), number, Verdict::Accept);
    }
    // A skip is no verdict yet.
    say(&ann, Some("first"), 1, Verdict::Skip);
    for number in 1..=4 {
        say(
            &ann,
            Some("first"),
            number,
            if number < 3 {
                Verdict::Reject
            } else {
                Verdict::Accept
            },
        );
    }
    ann.ask(request::Item(1)).unwrap();
    say(&ann, Some("first"), 1, Verdict::Accept);
    let found = ask(&cem, Some("first"), GroupBy::Pair, None).unwrap();
    assert_eq!(
        found.rows[0].measures.raw.value,
        Ok(0.5),
        "she had seen what bob said"
    );
    let quality = |name: &str| found.quality.iter().find(|q| q.name == name).unwrap();
    let of_ann = quality("ann");
    assert_eq!(
        (
            of_ann.revised.count,
            of_ann.revised.of,
            of_ann.second,
            of_ann.informed
        ),
        (1, 4, 1, 1)
    );
    assert_eq!(
        (quality("bob").revised.count, quality("bob").revised.of),
        (0, 4)
    );
    assert!(
        found.methods.contains("12.5 % [2.2, 47.1]"),
        "{}",
        found.methods
    );
    // Outside of rounds each person's last word counts, and that it was no secret is said.
    say(&cem, None, 1, Verdict::Accept);
    say(&cem, None, 1, Verdict::Reject);
    let dan = bench.client("dan", |_| ());
    say(&dan, None, 1, Verdict::Reject);
    let outside = ask(&dan, None, GroupBy::Pair, None).unwrap();
    assert_eq!(
        (
            outside.rows[1].name.as_str(),
            outside.rows[1].measures.raw.value
        ),
        ("cem / dan", Ok(1.0))
    );
    assert_eq!((outside.quality.len(), outside.notes.len()), (0, 1));
}

#[test]
fn known_items_and_repeats_tell_how_right_and_steady_somebody_is() {
    let bench = Bench::with_items(60);
    let known: String = (41..=60)
        .map(|n| {
            json!({"item": n, "verdict": (["accept", "reject"])[n % 2], "note": "known"})
                .to_string()
                + "\n"
        })
        .collect();
    bench.feed(["decide", "--as", "cem"], &known).ok();
    let args =
        "round new first --protocol single --people ann --calibration 4 --probes 20% --repeats 20%";
    bench
        .run(args.split(' ').chain(["--filter", "status:pending"]))
        .ok();
    let ann = bench.client("ann", |_| ());
    let mut seen = std::collections::HashMap::<u32, u32>::new();
    while let benchtop::model::round::state::NextAssignment::Item(served) =
        ann.ask(request::Next("first".into())).unwrap()
    {
        let times = seen.entry(served.number).or_default();
        *times += 1;
        // Everything is accepted the first time and rejected the second.
        say(
            &ann,
            Some("first"),
            served.number,
            if *times == 1 {
                Verdict::Accept
            } else {
                Verdict::Reject
            },
        );
    }
    let cem = bench.client("cem", |_| ());
    let found = report(&cem, "first").unwrap();
    let [q] = &found.agreement.quality[..] else {
        panic!("{:?}", found.agreement.quality)
    };
    assert_eq!((q.practice.misses.count, q.practice.misses.of), (2, 2));
    assert_eq!(q.probes.misses.of + q.probes.false_rejects.of, 8);
    assert_eq!(
        (q.probes.misses.count, q.probes.false_rejects.count),
        (q.probes.misses.of, 0)
    );
    assert_eq!((q.repeats.same.count, q.repeats.same.of), (0, 8));
    assert!(found.agreement.methods.contains("Of 8 "));
    assert_eq!(
        found.agreement.rows[0].measures.raw.value,
        Err(Undefined::NoDoubles)
    );
    assert_eq!((found.practice, found.state.judged), (4, 40));
}

#[test]
fn a_report_says_what_was_settled_and_what_an_audit_found() {
    let bench = project(10, "audit", "ann", &NONE);
    let [ann, cem] = ["ann", "cem"].map(|who| bench.client(who, |_| ()));
    for number in 1..=10 {
        let verdict = match number {
            1 | 2 => Verdict::Reject,
            3 => Verdict::Fix,
            4 => Verdict::Flag,
            _ => Verdict::Accept,
        };
        say(&ann, Some("first"), number, verdict);
    }
    let settle = json!({"item": 2, "verdict": "accept", "note": "it is fine", "round": "first", "adjudication": true});
    bench
        .feed(["decide", "--as", "cem"], &settle.to_string())
        .ok();
    let found = report(&cem, "first").unwrap();
    let count = |list: &[(Status, u64)], wanted| list.iter().find(|(s, _)| *s == wanted).unwrap().1;
    assert_eq!(
        (
            count(&found.outcome, Status::Accepted),
            count(&found.outcome, Status::Rejected)
        ),
        (7, 1)
    );
    let alone = found.state.by_status.as_ref().unwrap();
    assert_eq!(
        (
            count(alone, Status::Accepted),
            count(alone, Status::Rejected)
        ),
        (6, 2)
    );
    let audit = found.audit.unwrap();
    assert_eq!(
        (audit.wrong.count, audit.wrong.of),
        (2, 9),
        "rejected and to fix; what was flagged is not decided"
    );
    assert_eq!(found.disputes, (1, 0), "flagged");
    let [settled] = &found.adjudications[..] else {
        panic!("{:?}", found.adjudications)
    };
    assert_eq!(
        (settled.number, settled.by.as_str(), settled.own),
        (2, "cem", false)
    );
    assert_eq!(
        (settled.note.as_deref(), &settled.verdicts),
        (
            Some("it is fine"),
            &vec![("annotator 1".into(), Verdict::Reject)]
        )
    );
    assert_eq!(found.agreement.quality.len(), 1, "cem only settled");
    assert_eq!(found.versions, [(None, 10)]);
}

#[test]
fn answers_are_compared_by_their_letters_and_words_that_decline_as_they_are_written() {
    let bench = project(
        3,
        "answer",
        "ann,bob",
        &[&NONE[..], &["--overlap", "2"]].concat(),
    );
    let [ann, bob, cem] = ["ann", "bob", "cem"].map(|who| bench.client(who, |_| ()));
    let answer = |client: &Client, number, text: &str| {
        let asked = RoundContext {
            round: "first".into(),
            part: Part::Main,
            guidelines: None,
            revealed: false,
        };
        let judgement = Judgement {
            round: Some(asked),
            answer: Some(text.into()),
            ..Judgement::new(Verdict::Answer, Seen::Painted)
        };
        client
            .ask(request::Decide(Decide {
                uuid: Uuid::now_v7(),
                number,
                expected: None,
                judgement,
            }))
            .unwrap();
    };
    for (number, (one, other)) in (1..).zip([
        ("A", " this "),
        ("B", "A"),
        ("I cannot tell", "i cannot tell"),
    ]) {
        answer(&ann, number, one);
        answer(&bob, number, other);
    }
    let found = ask(&cem, Some("first"), GroupBy::Pair, None).unwrap();
    assert_eq!(
        (found.categories, found.rows[0].measures.raw.value),
        (
            vec!["a".into(), "b".into(), "i cannot tell".into()],
            Ok(2.0 / 3.0)
        )
    );
}

#[test]
fn ones_own_pace_is_told_to_nobody_else() {
    let bench = project(6, "both-accept", "ann,bob", &NONE);
    let [ann, bob] = ["ann", "bob"].map(|who| bench.client(who, |_| ()));
    for number in 1..=5 {
        say(
            &ann,
            Some("first"),
            number,
            if number == 5 {
                Verdict::Skip
            } else {
                Verdict::Accept
            },
        );
    }
    let pace = |client: &Client, round: Option<&str>| {
        client
            .ask(request::Pace(round.map(str::to_string)))
            .unwrap()
    };
    let own = pace(&ann, Some("first"));
    assert_eq!(
        (
            own.who.as_str(),
            own.pace.items,
            own.pace.longest_run,
            own.timed
        ),
        ("ann", 4, 4, 4)
    );
    assert_eq!((own.pace.median_seconds, own.pace.drift), (Some(4.0), None));
    assert_eq!(
        (
            pace(&ann, None).pace.items,
            pace(&bob, Some("first")).pace.items
        ),
        (4, 0)
    );
    assert_eq!(
        ann.ask(request::Pace(Some("second".into())))
            .unwrap_err()
            .kind,
        ErrorKind::NotFound
    );
}
