//! Rounds at the socket: served items, accepted verdicts, and exclusive leases.

use std::collections::{BTreeMap, BTreeSet};

use benchtop::model::round::state::NextAssignment;
use benchtop::model::verdict::{Part, RoundContext};
use benchtop::model::{Error, ErrorKind, Judgement, Seen, Status, Verdict};
use benchtop::protocol::Client;
use benchtop::protocol::wire::{Decide, Receipt, request};
use serde_json::json;
use uuid::Uuid;

use crate::support::{Bench, rounds, tell};

pub(super) fn judgement(round: &str, verdict: Verdict, note: &str) -> Judgement {
    let asked = RoundContext {
        round: round.into(),
        part: Part::Main,
        guidelines: None,
        revealed: false,
    };
    Judgement {
        note: Some(note.into()),
        round: Some(asked),
        ..Judgement::new(verdict, Seen::Painted)
    }
}

pub(super) fn decide(client: &Client, number: u32, judgement: Judgement) -> Result<Receipt, Error> {
    client.ask(request::Decide(Decide {
        uuid: Uuid::now_v7(),
        number,
        expected: None,
        judgement,
    }))
}

pub(super) fn next(client: &Client, round: &str) -> NextAssignment {
    client.ask(request::Next(round.into())).unwrap()
}

/// A project with a round for ann and bob.
pub(super) fn project(protocol: &str, more: &[&str]) -> Bench {
    let bench = Bench::with_items(6);
    let args = [
        "round",
        "new",
        "first",
        "--protocol",
        protocol,
        "--people",
        "ann,bob",
        "--calibration",
        "0",
    ];
    bench.run(args.into_iter().chain(more.iter().copied())).ok();
    bench
}

#[test]
fn repeats_and_probes_look_like_other_items_and_do_not_count() {
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
    let only = ["--filter", "status:pending"];
    let made = bench
        .run(args.split(' ').chain(only).chain(["--json"]))
        .lines()
        .remove(0);
    assert_eq!(made["notes"], json!([]), "{made}");
    let ann = bench.client("ann", |_| ());
    let mut shown: Vec<(u32, bool)> = Vec::new();
    while let NextAssignment::Item(served) = next(&ann, "first") {
        let view = ann.ask(request::Item(served.number)).unwrap();
        assert_eq!(
            (view.status, view.standing.len()),
            (Status::Pending, 0),
            "{served:?} tells what it is"
        );
        decide(&ann, served.number, judgement("first", Verdict::Accept, "")).unwrap();
        let feedback = ann
            .ask(request::Feedback {
                round: "first".into(),
                number: served.number,
            })
            .unwrap();
        assert_eq!(feedback.good.is_some(), served.practice);
        shown.push((served.number, served.practice));
    }
    assert_eq!(shown.iter().filter(|(_, practice)| *practice).count(), 4);
    let parts: BTreeMap<String, usize> = bench
        .journals()
        .iter()
        .filter(|l| l["who"] == "ann")
        .fold(BTreeMap::new(), |mut counts, line| {
            *counts
                .entry(line["part"].as_str().unwrap().to_string())
                .or_default() += 1;
            counts
        });
    assert_eq!(
        parts,
        [
            ("calibration", 4),
            ("main", 40),
            ("probe", 8),
            ("repeat", 8)
        ]
        .map(|(p, n)| (p.to_string(), n))
        .into()
    );
    let status = bench.status();
    assert_eq!(
        (
            &status["counts"]["by_status"]["accepted"],
            &status["counts"]["by_status"]["rejected"]
        ),
        (&json!(50), &json!(10)),
        "the probes stand where they stood"
    );
}

#[test]
fn a_round_refuses_strangers_and_unasked_verdicts() {
    let bench = project("both-accept", &[]);
    let cem = bench.client("cem", |_| ());
    assert_eq!(
        cem.ask(request::Next("first".into())).unwrap_err().kind,
        ErrorKind::Denied
    );
    assert_eq!(
        decide(&cem, 1, judgement("first", Verdict::Accept, ""))
            .unwrap_err()
            .kind,
        ErrorKind::Denied
    );
    let ann = bench.client("ann", |_| ());
    assert_eq!(
        decide(&ann, 1, judgement("second", Verdict::Accept, ""))
            .unwrap_err()
            .kind,
        ErrorKind::NotFound
    );
    assert_eq!(
        decide(&ann, 1, judgement("first", Verdict::Answer, ""))
            .unwrap_err()
            .kind,
        ErrorKind::Input
    );
    let bare = Judgement {
        note: None,
        ..judgement("first", Verdict::Reject, "")
    };
    assert_eq!(
        decide(&ann, 1, bare).unwrap_err().kind,
        ErrorKind::Input,
        "a rejection needs a reason"
    );
    // Who says it is a probe, or that the item has been revealed, is not believed.
    let mut lie = judgement("first", Verdict::Accept, "");
    lie.round = Some(RoundContext {
        round: "first".into(),
        part: Part::Repeat,
        guidelines: Some("x".into()),
        revealed: true,
    });
    decide(&ann, 1, lie).unwrap();
    let line = &bench.journals()[0];
    assert_eq!(
        (&line["part"], &line["guidelines"], &line["revealed"]),
        (&json!("main"), &json!(null), &json!(null))
    );
    bench.run(["round", "close", "first"]).ok();
    assert_eq!(next(&ann, "first"), NextAssignment::Closed);
    assert_eq!(
        decide(&ann, 2, judgement("first", Verdict::Accept, ""))
            .unwrap_err()
            .kind,
        ErrorKind::Conflict
    );
}

#[test]
fn an_adjudication_settles_a_dispute() {
    let bench = project("both-accept", &["--repeats", "0", "--probes", "0"]);
    let say = |who: &str, item: usize, verdict: &str| {
        let line =
            json!({"item": item, "verdict": verdict, "note": "n", "round": "first"}).to_string();
        bench.feed(["decide", "--as", who], &line).ok();
    };
    for item in 1..=4 {
        say("ann", item, "accept");
        say("bob", item, if item == 3 { "reject" } else { "accept" });
    }
    let list = bench
        .run(["round", "disputes", "first", "--json", "--as", "cem"])
        .lines();
    assert_eq!(
        (list.len(), &list[0]["number"], &list[0]["settled"]),
        (1, &json!(3), &json!(false))
    );
    assert_eq!(
        list[0]["verdicts"][1]["who"], "annotator 2",
        "names are not told"
    );
    assert_eq!(
        (
            &list[0]["adjudication"],
            &list[0]["verdicts"][1]["guidelines"]
        ),
        (&json!(null), &json!(null))
    );
    assert!(
        list[0]["verdicts"][1]["at"]
            .as_str()
            .unwrap()
            .ends_with('Z')
    );
    let other = bench
        .run([
            "round",
            "what-if",
            "first",
            "majority 1 of 2",
            "--json",
            "--as",
            "cem",
        ])
        .lines()
        .remove(0);
    assert_eq!(
        (&other["counts"]["kept"], &other["counts"]["gained"]),
        (&json!(4), &json!(1))
    );
    let line = json!({"item": 3, "verdict": "accept", "note": "bob misread it", "round": "first", "adjudication": true});
    bench
        .feed(["decide", "--as", "cem"], &line.to_string())
        .ok();
    let statuses: Vec<String> = bench
        .items()
        .iter()
        .map(|i| i["status"].as_str().unwrap().to_string())
        .collect();
    assert_eq!(
        statuses,
        [
            "accepted", "accepted", "accepted", "accepted", "pending", "pending"
        ]
    );
    let settled = |who: &str| {
        bench
            .run(["round", "disputes", "first", "--json", "--as", who])
            .lines()
            .remove(0)
    };
    let by = |who: &str| settled(who)["adjudication"]["who"].clone();
    assert_eq!(
        (settled("cem")["settled"].clone(), by("cem"), by("dora")),
        (json!(true), json!("cem"), json!("adjudicator"))
    );
    assert_eq!(settled("dora")["adjudication"]["note"], "bob misread it");
    assert_eq!(settled("dora")["verdicts"][0]["revealed"], false);
    let state = bench
        .run(["round", "show", "first", "--json", "--as", "cem"])
        .lines()
        .remove(0);
    assert_eq!(
        (
            &state["judged"],
            &state["wanted"],
            &state["by_status"]["rejected"]
        ),
        (&json!(8), &json!(12), &json!(1))
    );
}

#[test]
fn ten_annotators_are_served_distinct_items_beside_a_job() {
    const PEOPLE: usize = 10;
    const OVERLAP: usize = 5;
    let each = rounds(60) as usize;
    let items = each * PEOPLE / OVERLAP;
    let bench = Bench::with_items(items);
    let names: Vec<String> = (0..PEOPLE).map(|n| format!("p{n}")).collect();
    let people = names.join(",");
    let args = [
        "round",
        "new",
        "all",
        "--protocol",
        "majority 3 of 5",
        "--people",
        &people,
        "--calibration",
        "0",
    ];
    bench
        .run(args.into_iter().chain(["--repeats", "0", "--probes", "0"]))
        .ok();
    // Pictures of other items: a new one ends what was said of the one before.
    bench.run(["compose", "--count", "200"]).ok();
    let plan = [
        "generate",
        "--backend",
        "storyboard",
        "--filter",
        "dataset:balanced-1",
        "--size",
        "64x64",
        "--detach",
    ];
    bench.run(plan).ok();
    let clients: Vec<Client> = names
        .iter()
        .map(|name| bench.client(name, |_| ()))
        .collect();
    let given: Vec<u64> = std::thread::scope(|scope| {
        let work = |client: &Client| {
            let mut given = 0;
            loop {
                match next(client, "all") {
                    NextAssignment::Item(served) => {
                        let verdict = if served.number % 3 == 0 {
                            Verdict::Reject
                        } else {
                            Verdict::Accept
                        };
                        decide(client, served.number, judgement("all", verdict, "n")).unwrap();
                        given += 1;
                    }
                    NextAssignment::Wait(_) => {
                        std::thread::sleep(std::time::Duration::from_millis(1))
                    }
                    NextAssignment::Finished => return given,
                    NextAssignment::Closed => panic!("closed"),
                }
            }
        };
        let running: Vec<_> = clients
            .iter()
            .map(|client| scope.spawn(move || work(client)))
            .collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    // The journals are the proof.
    let mut by_item: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let journals = bench.journals();
    for line in &journals {
        let new = by_item
            .entry(line["item"].as_str().unwrap().into())
            .or_default()
            .insert(line["who"].as_str().unwrap().into());
        assert!(new, "{line}: the same item twice to one person");
    }
    assert_eq!(journals.len(), items * OVERLAP);
    assert!(by_item.len() == items && by_item.values().all(|people| people.len() == OVERLAP));
    assert_eq!(given.iter().sum::<u64>() as usize, items * OVERLAP);
    tell(&format!(
        "ten annotators, {} verdicts, {given:?} of each",
        journals.len()
    ));
}

#[test]
fn leaving_and_joining_annotators_share_the_rest() {
    let bench = project("both-accept", &["--repeats", "0", "--probes", "0"]);
    let [ann, bob, cem] = ["ann", "bob", "cem"].map(|who| bench.client(who, |_| ()));
    let all = |client: &Client, most: usize| {
        let mut numbers = Vec::new();
        while let NextAssignment::Item(served) = next(client, "first") {
            if numbers.len() == most {
                break;
            }
            decide(
                client,
                served.number,
                judgement("first", Verdict::Accept, ""),
            )
            .unwrap();
            numbers.push(served.number);
        }
        numbers
    };
    let judged = all(&bob, 2);
    let order = all(&ann, 3);
    // Two must stay.
    bench
        .run(["round", "people", "first", "--remove", "bob"])
        .refused(1);
    let twice = bench
        .run(["round", "people", "first", "--add", "ann"])
        .refused(1);
    assert!(
        twice.field == "people" && !twice.text.contains("people"),
        "{twice}"
    );
    let state = bench
        .run([
            "round", "people", "first", "--add", "cem", "--remove", "bob", "--json",
        ])
        .lines()
        .remove(0);
    assert_eq!(
        (
            &state["left"],
            &state["people"]["bob"],
            &state["people"]["cem"]
        ),
        (&json!(["bob"]), &json!(2), &json!(0))
    );
    let refused = bob.ask(request::Next("first".into())).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Denied);
    let late = (1..=6).find(|n| !judged.contains(n)).unwrap();
    assert_eq!(
        decide(&bob, late, judgement("first", Verdict::Accept, ""))
            .unwrap_err()
            .kind,
        ErrorKind::Denied
    );
    let rest = all(&ann, 6);
    let mut taken = all(&cem, 6);
    taken.sort_unstable();
    let left: Vec<u32> = (1..=6).filter(|n| !judged.contains(n)).collect();
    assert_eq!((order.len() + rest.len(), taken), (6, left));
    // It is the file that tells.
    bench.run(["stop"]).ok();
    let state = bench
        .run(["round", "show", "first", "--json"])
        .lines()
        .remove(0);
    assert_eq!(
        (&state["judged"], &state["left"]),
        (&json!(12), &json!(["bob"]))
    );
    assert_eq!(bench.status()["counts"]["by_status"]["accepted"], 6);
    // Who left may come back.
    let state = bench
        .run(["round", "people", "first", "--add", "bob", "--json"])
        .lines()
        .remove(0);
    assert_eq!(state["left"], json!([]));
    let report = bench
        .run(["round", "report", "first", "--json"])
        .lines()
        .remove(0);
    assert_eq!(report["people"]["bob"], 2);
}

#[test]
fn only_an_unused_round_can_be_deleted() {
    let bench = project("single", &["--repeats", "0", "--probes", "0"]);
    let ann = bench.client("ann", |_| ());
    let NextAssignment::Item(served) = next(&ann, "first") else {
        panic!()
    };
    let deleted = bench
        .run(["round", "delete", "first", "--json"])
        .lines()
        .remove(0);
    assert_eq!(deleted["deleted"], "first");
    assert_eq!(
        decide(&ann, served.number, judgement("first", Verdict::Accept, ""))
            .unwrap_err()
            .kind,
        ErrorKind::NotFound
    );
    assert_eq!(bench.run(["round", "list", "--json"]).lines().len(), 0);
    bench
        .run("round new first --protocol single --people ann --calibration 0".split(' '))
        .ok();
    let NextAssignment::Item(served) = next(&ann, "first") else {
        panic!()
    };
    decide(&ann, served.number, judgement("first", Verdict::Accept, "")).unwrap();
    bench.run(["round", "delete", "first"]).refused(1);
    bench.run(["undo", "--as", "ann"]).ok();
    bench.run(["round", "delete", "first"]).refused(1);
    bench.run(["stop"]).ok();
    assert_eq!(bench.run(["round", "list", "--json"]).lines().len(), 1);
    bench.run(["round", "delete", "second"]).refused(1);
}

#[test]
fn a_question_with_options_takes_an_option_or_a_refusal() {
    let bench = project(
        "answer",
        &["--repeats", "0", "--probes", "0", "--overlap", "1"],
    );
    let ann = bench.client("ann", |_| ());
    let answer = |number: u32, text: &str| {
        let judgement = Judgement {
            answer: Some(text.into()),
            ..judgement("first", Verdict::Answer, "")
        };
        decide(&ann, number, judgement)
    };
    for text in ["perhaps", "C", "this or that", "AB"] {
        let problem = answer(1, text).unwrap_err();
        assert_eq!(
            (problem.kind, problem.place.field.as_deref()),
            (ErrorKind::Input, Some("answer")),
            "{text}"
        );
    }
    for (number, text) in [
        (1, "b"),
        (2, " That "),
        (3, "A."),
        (4, "I cannot tell from the image"),
    ] {
        answer(number, text).unwrap();
    }
    let said: Vec<String> = bench
        .journals()
        .iter()
        .map(|line| line["answer"].as_str().unwrap_or_default().to_string())
        .collect();
    assert_eq!(said, ["B", "B", "A", "I cannot tell from the image"]);
}

#[test]
fn a_closed_round_reports_beside_a_blind_one() {
    let bench = Bench::with_items(40);
    bench
        .run(
            "round new first --protocol single --people ann --calibration 0 --repeats 0 --probes 0"
                .split(' '),
        )
        .ok();
    let verdicts: String = (1..=40)
        .map(|n| {
            json!({"item": n, "verdict": (["accept", "reject"])[n % 2], "note": "n", "round": "first"}).to_string()
                + "\n"
        })
        .collect();
    bench.feed(["decide", "--as", "ann"], &verdicts).ok();
    bench.import_items("more", 0..20);
    let second = "round new second --protocol single --people ann --filter dataset:more --probes 20% --calibration 4";
    bench.run(second.split(' ')).ok();
    let report = |name: &str| bench.run(["round", "report", name, "--json", "--as", "ann"]);
    report("first").refused(1);
    bench.run(["round", "close", "first"]).ok();
    // Its items that the other round mixes in stay veiled, and no number is over them.
    let found = report("first").lines().remove(0);
    let left_out = found["left_out"].as_u64().unwrap();
    let outcome: u64 = found["outcome"]
        .as_object()
        .unwrap()
        .values()
        .map(|n| n.as_u64().unwrap())
        .sum();
    assert!(left_out > 4 && left_out < 20, "{found}");
    assert_eq!(outcome + left_out, 40);
    report("second").refused(1);
    // To somebody who is in neither nothing is left out.
    let found = bench
        .run(["round", "report", "first", "--json", "--as", "dora"])
        .lines()
        .remove(0);
    assert_eq!(
        (&found["left_out"], &found["outcome"]["accepted"]),
        (&json!(0), &json!(20))
    );
}

#[test]
fn one_verdict_covers_all_rotations_of_a_question() {
    let bench = Bench::new();
    let options = ["cat", "dog", "cow"];
    let item = |set: usize, index: usize| {
        let texts: Vec<_> = (0..3).map(|at| options[(at + index) % 3]).collect();
        let role = |text: &&str| {
            if *text == "dog" {
                "correct"
            } else {
                "distractor"
            }
        };
        let list: Vec<_> = texts
            .iter()
            .map(|text| json!({"text": text, "role": role(text)}))
            .collect();
        json!({"id": format!("s/{}", set * 10 + index), "dataset": "s", "key": set * 10 + index, "form": "plain",
               "question": format!("Which is {set}?"), "kind": "multiple-choice", "options": list, "answer": "dog",
               "rotation": {"set": format!("q{set}"), "index": index + 1, "of": 3}})
    };
    let lines: String = (0..4)
        .flat_map(|set| (0..3).map(move |index| (set, index)))
        .map(|(s, i)| format!("{}\n", item(s, i)))
        .collect();
    let file = bench.write("s.jsonl", lines);
    bench.run(["import", file.to_str().unwrap()]).ok();
    let new = "round new first --protocol both-accept --people ann,bob --calibration 0 --repeats 0 --probes 0 --json";
    let made = bench.run(new.split(' ')).lines().remove(0);
    assert_eq!((&made["items"], &made["wanted"]), (&json!(4), &json!(8)));
    assert!(
        made["notes"][0].as_str().unwrap().contains("rotations"),
        "{made}"
    );
    let [ann, bob] = ["ann", "bob"].map(|who| bench.client(who, |_| ()));
    let mut asked = BTreeSet::new();
    while let NextAssignment::Item(served) = next(&ann, "first") {
        asked.insert(served.number.div_ceil(3));
        decide(&ann, served.number, judgement("first", Verdict::Accept, "")).unwrap();
        // The others of it are kept back from whoever is still to judge it.
        let view = bob.ask(request::Item(served.number + 1)).unwrap();
        assert_eq!((view.status, view.standing.len()), (Status::Pending, 0));
        let other = decide(
            &bob,
            if served.number % 3 == 0 {
                served.number - 1
            } else {
                served.number + 1
            },
            judgement("first", Verdict::Accept, ""),
        );
        assert!(other.is_err(), "another rotation is not asked for");
    }
    assert_eq!(asked.len(), 4);
    while let NextAssignment::Item(served) = next(&bob, "first") {
        decide(&bob, served.number, judgement("first", Verdict::Accept, "")).unwrap();
    }
    let accepted = || bench.status()["counts"]["by_status"]["accepted"].clone();
    assert_eq!(accepted(), 12, "a question is kept in all its orders");
    let found = ["items", "--json", "--filter", "round:first verdict:accept"];
    assert_eq!(bench.run(found).lines().len(), 12);
    assert_eq!(bench.verdicts().len(), 8, "and what was said was said once");
    bench.run(["undo", "--as", "bob"]).ok();
    assert_eq!(accepted(), 9);
    bench.run(["stop"]).ok();
    std::fs::remove_dir_all(bench.root().join("store")).unwrap();
    assert_eq!(bench.verdicts().len(), 7);
    assert_eq!(accepted(), 9, "as read from the journals");
    bench.run(["redo", "--as", "bob"]).ok();
    assert_eq!(accepted(), 12);
}
