//! What a blind round hides in replies and events at the socket.

use std::sync::{Arc, Mutex};

use benchtop::model::agreement::Bootstrap;
use benchtop::model::agreement::analysis::AgreementQuery;
use benchtop::model::analysis::{Alignment, AnalysisQuery, By, What};
use benchtop::model::board::{BoardQuery, Curated, DrilldownPage};
use benchtop::model::edit::Edit;
use benchtop::model::history::{HistoryPoint, LogQuery};
use benchtop::model::job::{Budget, JobState, JobStatus, NewJob, Plan};
use benchtop::model::round::Protocol;
use benchtop::model::round::state::NextAssignment;
use benchtop::model::scoring::Scorer;
use benchtop::model::scoring::job::NewScoring;
use benchtop::model::scoring::queries::FlagOrder;
use benchtop::model::{ErrorKind, Field, Filter, JudgeRuling, Judgement, Seen, Status, Verdict};
use benchtop::protocol::Incoming;
use benchtop::protocol::wire::{AnyRequest, Decide, Event, PageRequest, request};
use serde_json::{Value, json};
use uuid::Uuid;

use super::rounds::{decide, judgement, next, project};
use super::tap::Tap;
use crate::flows::derived::{derived, exported, import};
use crate::flows::eval::quiz;
use crate::support::{Bench, composed, wait_until};

/// How many pictures are aligned.
fn aligned(by: By) -> AnyRequest {
    let what = What::Alignment(Alignment { by });
    request::Analyze(Box::new(AnalysisQuery {
        board: BoardQuery::default(),
        what,
    }))
    .into()
}

/// What ann can ask that could tell of an item.
fn battery() -> Vec<AnyRequest> {
    let rejected = Filter {
        status: vec![Status::Rejected],
        ..Filter::default()
    };
    let page = |filter: &Filter| PageRequest {
        generation: 9,
        filter: filter.clone(),
        sort: vec![],
        offset: 0,
        count: 50,
    };
    let mut asks = vec![
        request::Page(page(&Filter::default())).into(),
        request::Page(page(&rejected)).into(),
        request::Numbers(rejected.clone(), vec![]).into(),
        request::Locate {
            number: 2,
            filter: rejected.clone(),
            sort: vec![],
        }
        .into(),
        request::FirstPending(vec![1, 2, 3, 4, 5, 6]).into(),
        request::NextPending(0).into(),
        request::Lines(1).into(),
        request::Items(vec![1, 2, 3]).into(),
        request::Frequency(Filter::default(), Field::Status).into(),
        request::Describe(Filter::default()).into(),
        request::Verdicts {
            round: None,
            from: 1,
        }
        .into(),
        request::Verdicts {
            round: Some("first".into()),
            from: 1,
        }
        .into(),
        request::Log(LogQuery {
            count: 100,
            ..LogQuery::default()
        })
        .into(),
        request::StatusChanges(HistoryPoint::Rev(0), HistoryPoint::Now).into(),
        request::Disputes("first".into()).into(),
        request::Adjudication("first".into()).into(),
        request::Generate(
            Box::new(NewJob {
                plan: Plan::Filter("status:rejected".into()),
                dry: true,
                ..NewJob::default()
            }),
            Budget::default(),
        )
        .into(),
        request::Score(
            NewScoring {
                scorer: Scorer::Safety,
                filter: "status:rejected".into(),
                dry: true,
                drafts: false,
            },
            Budget::default(),
        )
        .into(),
        request::WhatIf {
            round: "first".into(),
            protocol: Protocol::Single,
        }
        .into(),
        request::Agreement(AgreementQuery {
            round: Some("first".into()),
            ..AgreementQuery::default()
        })
        .into(),
        request::Agreement(AgreementQuery::default()).into(),
        request::RoundReport {
            round: "first".into(),
            bootstrap: None,
        }
        .into(),
        request::Pace(Some("first".into())).into(),
        request::Board(Box::new(BoardQuery {
            curated: Curated::Accepted,
            ..BoardQuery::default()
        }))
        .into(),
        request::Board(Box::new(BoardQuery {
            curated: Curated::Round("first".into()),
            ..BoardQuery::default()
        }))
        .into(),
        request::Board(Box::new(BoardQuery {
            filter: rejected.clone(),
            ..BoardQuery::default()
        }))
        .into(),
        aligned(By::Filter(0.5)),
        aligned(By::People(None)),
        aligned(By::People(Some("first".into()))),
        request::Disagreements {
            ask: Box::default(),
            other: Some("tool".into()),
        }
        .into(),
        request::Rules.into(),
        request::FlaggedItems {
            filter: Filter::default(),
            order: FlagOrder::Random,
            seed: 1,
        }
        .into(),
    ];
    asks.extend((1..=6).map(|n| request::Item(n).into()));
    asks.extend((1..=6).map(|n: u32| {
        request::ModelAnswers {
            rule: None,
            column: None,
            item: n.to_string(),
        }
        .into()
    }));
    asks.extend((1..=6).map(|number| request::Explain { number }.into()));
    asks
}

#[test]
fn a_blind_round_tells_nothing_of_others_before_the_own_verdict_is_in() {
    let more = ["--repeats", "0", "--probes", "0"];
    let (told, quiet) = (project("both-accept", &more), project("both-accept", &more));
    let bob = told.client("bob", |_| ());
    for number in 1..=6 {
        decide(&bob, number, judgement("first", Verdict::Reject, "zebra")).unwrap();
    }
    let (mut tap, mut other) = (Tap::new(&told), Tap::new(&quiet));
    for tap in [&mut tap, &mut other] {
        tap.ask(request::Subscribe { since: u64::MAX }).unwrap();
    }
    // Events while ann listens.
    bob.ask(request::Undo(Uuid::now_v7())).unwrap();
    decide(&bob, 6, judgement("first", Verdict::Accept, "zebra again")).unwrap();
    for ask in battery() {
        let (here, there) = (tap.any(ask.clone()), other.any(ask.clone()));
        assert_eq!(
            format!("{here:?}"),
            format!("{there:?}"),
            "{ask:?} tells whether bob has judged"
        );
    }
    let counts = |tap: &mut Tap| tap.ask(request::Status).unwrap().by_status;
    assert_eq!(counts(&mut tap), counts(&mut other));
    let replayed = |tap: &mut Tap| {
        tap.ask(request::Replay(HistoryPoint::Now))
            .unwrap()
            .by_status
    };
    assert_eq!(replayed(&mut tap), replayed(&mut other));
    let states = tap.ask(request::Rounds).unwrap();
    assert_eq!(
        states[0].by_status, None,
        "how many stand where would tell what bob said"
    );
    for frame in tap
        .frames
        .iter()
        .filter(|frame| !frame.contains("RoundState"))
    {
        assert!(
            !frame.contains("zebra") && !frame.contains("bob"),
            "{frame}"
        );
    }
    // Once her own is in she sees his, and only on that item.
    let (ann, filter) = (told.client("ann", |_| ()), Filter::default());
    decide(&ann, 2, judgement("first", Verdict::Accept, "fine")).unwrap();
    let standing = |number| {
        let view = ann.ask(request::Item(number)).unwrap();
        (
            view.status,
            view.standing.into_iter().map(|s| s.who).collect::<Vec<_>>(),
        )
    };
    assert_eq!(
        standing(2),
        (Status::Rejected, vec!["bob".to_string(), "ann".to_string()])
    );
    assert_eq!(standing(3), (Status::Pending, vec![]));
    // What she says after that is a revision, and says that she knew.
    decide(&ann, 2, judgement("first", Verdict::Reject, "he is right")).unwrap();
    let journal = std::fs::read_to_string(told.root().join("sessions/ann.jsonl")).unwrap();
    let last = journal.lines().last().unwrap();
    assert!(
        last.contains("\"part\":\"revision\"") && last.contains("\"revealed\":true"),
        "{last}"
    );
    // Taking it back veils the item again, after a restart too.
    ann.ask(request::Undo(Uuid::now_v7())).unwrap();
    ann.ask(request::Undo(Uuid::now_v7())).unwrap();
    assert_eq!(standing(2), (Status::Pending, vec![]));
    drop((ann, bob, tap));
    told.run(["stop"]).ok();
    told.start_owner();
    let mut tap = Tap::new(&told);
    let page = PageRequest {
        generation: 1,
        filter,
        sort: vec![],
        offset: 0,
        count: 50,
    };
    let page = tap.ask(request::Page(page)).unwrap();
    assert!(
        page.rows.iter().all(|row| row.status == Status::Pending),
        "the first page after a start"
    );
}

#[test]
fn a_receipt_tells_the_own_verdict_alone_and_never_what_the_item_is() {
    let bench = Bench::with_items(60);
    let known: String = (41..=60)
        .map(|n| {
            json!({"item": n, "verdict": (["accept", "reject"])[n % 2], "note": "known"})
                .to_string()
                + "\n"
        })
        .collect();
    bench.feed(["decide", "--as", "cem"], &known).ok();
    let args = "round new first --protocol both-accept --people ann,bob --calibration 4 --probes 20% --repeats 20%";
    bench
        .run(args.split(' ').chain(["--filter", "status:pending"]))
        .ok();
    let (ann, bob) = (bench.client("ann", |_| ()), bench.client("bob", |_| ()));
    for number in 1..=40 {
        decide(&bob, number, judgement("first", Verdict::Reject, "no")).unwrap();
    }
    let mut told = std::collections::BTreeSet::new();
    let mut skipped = false;
    while let NextAssignment::Item(served) = next(&ann, "first") {
        let verdict = if skipped || served.practice {
            Verdict::Accept
        } else {
            Verdict::Skip
        };
        skipped |= verdict == Verdict::Skip;
        let receipt = decide(&ann, served.number, judgement("first", verdict, "")).unwrap();
        let own = if verdict == Verdict::Skip {
            Status::Skipped
        } else {
            Status::Accepted
        };
        assert_eq!(receipt.status, own, "{served:?}");
        told.insert(served.number);
    }
    assert!(
        skipped && told.len() > 40,
        "items, practice and probes were among them"
    );
}

#[test]
fn a_refused_verdict_names_nobody() {
    let bench = project("both-accept", &["--repeats", "0", "--probes", "0"]);
    let (ann, bob) = (bench.client("ann", |_| ()), bench.client("bob", |_| ()));
    decide(&bob, 3, judgement("first", Verdict::Reject, "no")).unwrap();
    let ask = |expected, judgement| {
        ann.ask(request::Decide(Decide {
            uuid: Uuid::now_v7(),
            number: 3,
            expected,
            judgement,
        }))
        .unwrap_err()
    };
    let late = ask(Some(77), judgement("first", Verdict::Accept, ""));
    assert_eq!(late.kind, ErrorKind::Conflict);
    assert!(
        !late.to_string().contains("bob") && !late.to_string().contains("reject"),
        "{late}"
    );
    // A verdict beside the round would decide what the round is to decide, and its receipt would tell.
    let beside = ask(None, Judgement::new(Verdict::Accept, Seen::Painted));
    assert_eq!(beside.kind, ErrorKind::Conflict);
    assert!(
        beside.to_string().contains("`first`") && !beside.to_string().contains("bob"),
        "{beside}"
    );
    assert_eq!(bench.journals().len(), 1, "nothing of these was written");
}

#[test]
fn who_is_blind_neither_settles_nor_closes_nor_folds_in_what_would_tell() {
    let more = ["--repeats", "0", "--probes", "0", "--as", "cem"];
    let (told, quiet) = (project("both-accept", &more), project("both-accept", &more));
    let bob = told.client("bob", |_| ());
    decide(&bob, 1, judgement("first", Verdict::Reject, "no")).unwrap();
    let ann = told.client("ann", |_| ());
    let settle = json!({"item": 1, "verdict": "accept", "note": "n", "round": "first", "adjudication": true});
    let refused = told
        .feed(["decide", "--as", "ann"], &settle.to_string())
        .out;
    assert!(
        refused.contains("denied") && refused.contains("blind"),
        "{refused}"
    );
    let close = |client: &benchtop::protocol::Client, closed| {
        client
            .ask(request::CloseRound {
                round: "first".into(),
                closed,
            })
            .map_err(|problem| problem.kind)
    };
    assert_eq!(close(&ann, true).unwrap_err(), ErrorKind::Denied);
    // A journal from elsewhere in which somebody else accepts what bob rejected: the report must not say that.
    let elsewhere = Bench::with_items(6);
    elsewhere
        .feed(
            ["decide", "--as", "dee"],
            &json!({"item": 1, "verdict": "accept"}).to_string(),
        )
        .ok();
    let file = elsewhere.root().join("sessions/dee.jsonl");
    let conflicts = |bench: &Bench, who: &str| -> Value {
        let args = [
            "merge",
            file.to_str().unwrap(),
            "--dry-run",
            "--json",
            "--as",
            who,
        ];
        bench.run(args).lines().remove(0)["conflicts"].clone()
    };
    assert_eq!(conflicts(&told, "cem").as_array().unwrap().len(), 1);
    assert_eq!(conflicts(&told, "ann"), conflicts(&quiet, "ann"));
    let cem = told.client("cem", |_| ());
    close(&cem, true).unwrap();
    assert_eq!(
        conflicts(&told, "ann").as_array().unwrap().len(),
        1,
        "it is over"
    );
}

#[test]
fn an_item_with_a_new_picture_is_given_out_again() {
    let bench = Bench::new();
    let questions = bench.write("questions.jsonl", composed(2, 5));
    bench.run(["import", questions.to_str().unwrap()]).ok();
    let args =
        "round new first --protocol single --people ann --calibration 0 --probes 0 --repeats 0";
    bench.run(args.split(' ')).ok();
    let ann = bench.client("ann", |_| ());
    for _ in 0..2 {
        let NextAssignment::Item(served) = next(&ann, "first") else {
            panic!("two items")
        };
        decide(&ann, served.number, judgement("first", Verdict::Accept, "")).unwrap();
    }
    assert_eq!(next(&ann, "first"), NextAssignment::Finished);
    bench
        .run([
            "generate",
            "--backend",
            "storyboard",
            "--filter",
            "missing",
            "--size",
            "64x64",
        ])
        .ok();
    let state = bench
        .run(["round", "show", "first", "--json"])
        .lines()
        .remove(0);
    assert_eq!(
        state["judged"],
        json!(0),
        "nobody has judged the new pictures"
    );
    assert!(matches!(next(&ann, "first"), NextAssignment::Item(_)));
}

#[test]
fn who_is_to_answer_an_item_is_not_sent_its_key() {
    let bench = project("answer", &["--repeats", "0", "--probes", "0"]);
    let mut tap = Tap::new(&bench);
    let edit = benchtop::model::edit::Edit {
        number: 2,
        question: Some("x".into()),
        preview: true,
        ..Default::default()
    };
    let lines = [
        ("item", tap.ask(request::Item(2)).unwrap().json),
        ("lines", tap.ask(request::Lines(1)).unwrap().json),
        ("items", tap.ask(request::Items(vec![2])).unwrap().json),
    ];
    for (ask, line) in lines {
        assert!(
            line.contains("Which is number 1?") && line.contains("\"that\""),
            "{ask:?}: {line}"
        );
        assert!(
            !line.contains("correct")
                && !line.contains("a picture of")
                && !line.contains("\"answer\":\"this"),
            "{ask:?}: {line}"
        );
    }
    assert_eq!(
        bench
            .client("ann", |_| ())
            .ask(request::Edit(Box::new(edit)))
            .unwrap_err()
            .kind,
        ErrorKind::Denied
    );
    let answer = Judgement {
        answer: Some("B".into()),
        ..judgement("first", Verdict::Answer, "")
    };
    decide(&bench.client("ann", |_| ()), 2, answer).unwrap();
    assert!(
        tap.ask(request::Item(2)).unwrap().json.contains("correct"),
        "once it is in"
    );
    assert!(!tap.ask(request::Item(3)).unwrap().json.contains("correct"));
    // Who is not in it makes exports as ever.
    assert!(
        bench
            .run(["export", "--format", "jsonl", "--as", "cem"])
            .ok()
            .contains("correct")
    );
}

#[test]
fn a_verdict_bears_the_version_of_the_guidelines_that_its_annotator_was_told() {
    let bench = Bench::with_items(6);
    let file = bench.root().join("guide.md");
    std::fs::write(&file, "accept what is red\n").unwrap();
    let args = "round new first --protocol both-accept --people ann,bob --calibration 0 --guidelines guide.md";
    bench.run(args.split(' ')).ok();
    let (ann, bob) = (bench.client("ann", |_| ()), bench.client("bob", |_| ()));
    let say = |client: &benchtop::protocol::Client, served: NextAssignment| {
        let NextAssignment::Item(served) = served else {
            panic!("an item")
        };
        decide(
            client,
            served.number,
            judgement("first", Verdict::Accept, ""),
        )
        .unwrap();
    };
    let of_ann = next(&ann, "first");
    std::fs::write(&file, "accept what is blue\n").unwrap();
    // Bob is told the new text; ann still has the old one before her.
    let of_bob = next(&bob, "first");
    say(&bob, of_bob);
    say(&ann, of_ann);
    let stamp = |who: &str| {
        bench
            .journals()
            .into_iter()
            .find(|l| l["who"] == who)
            .unwrap()["guidelines"]
            .clone()
    };
    assert_ne!(stamp("ann"), stamp("bob"));
    let of_ann = next(&ann, "first");
    say(&ann, of_ann);
    assert_eq!(
        bench
            .journals()
            .into_iter()
            .filter(|l| l["guidelines"] == stamp("bob"))
            .count(),
        2
    );
}

/// What models said of an item, and whether they were right, would tell its key to whoever is still to judge it.
#[test]
fn what_models_said_of_a_veiled_item_is_kept_back_and_numbers_over_all_are_not() {
    let bench = Bench::new();
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/fixtures/small");
    bench.run(["import", folder.to_str().unwrap()]).ok();
    let args = "round new first --protocol both-accept --people ann,bob --calibration 0 --probes 0 --repeats 0";
    bench.run(args.split(' ')).ok();
    let ask = || Box::new(BoardQuery::default());
    let look = |who: &str| {
        let client = bench.client(who, |_| ());
        let (model, column) = ("alpha".to_string(), "aAcc.L_m".to_string());
        let behind = request::Drilldown {
            ask: ask(),
            model,
            column: column.clone(),
            from: 0,
        };
        let DrilldownPage { answers, all, .. } = client.ask(behind).unwrap();
        let (models, plan) = (
            ["alpha".into(), "beta".into()],
            Bootstrap { draws: 50, seed: 1 },
        );
        let compare = request::Compare {
            ask: ask(),
            models,
            column,
            plan,
        };
        let compared = client.ask(compare).unwrap();
        let other = Some("legacy-dysca@1".to_string());
        let rules = request::Disagreements { ask: ask(), other };
        let rules = client.ask(rules).unwrap();
        let table = compared.table.unwrap();
        let named = table.first_items.len() + table.second_items.len();
        let shown = rules.iter().map(|d| d.examples.len()).sum::<usize>();
        let differ = rules.iter().map(|d| d.differ).sum::<u64>();
        let tools = request::Disagreements {
            ask: ask(),
            other: Some("tool".to_string()),
        };
        let tools = client.ask(tools).unwrap();
        let shown = shown + tools.iter().map(|d| d.examples.len()).sum::<usize>();
        // All models' answers to one question, with its key, are refused altogether.
        for item in ["1", "#1"] {
            let answered = client.ask(request::ModelAnswers {
                rule: None,
                column: None,
                item: item.to_string(),
            });
            match (who, answers.is_empty(), answered) {
                ("ann", true, Err(problem)) => assert_eq!(problem.kind, ErrorKind::Denied),
                (_, false, Ok(found)) => assert_eq!(found.number, 1),
                other => panic!("{other:?}"),
            }
        }
        (
            answers.len(),
            named,
            shown,
            (all, table.first + table.second, differ),
        )
    };
    let (behind, named, shown, numbers) = look("cem");
    assert!(
        behind > 0 && named > 0 && shown > 0 && numbers.0 == behind as u64,
        "{behind} {named} {shown} {numbers:?}"
    );
    assert_eq!(look("ann"), (0, 0, 0, numbers));
    // How many answers cannot be read, and what a judge makes of them, is told once the round is over.
    let judge = [
        "eval",
        "judge",
        "--judge",
        "j",
        "--endpoint",
        "http://127.0.0.1:9/v1",
        "--dry-run",
        "--as",
        "ann",
    ];
    assert!(bench.run(judge).refused(1).names("first"));
    bench.run(["round", "close", "first"]).ok();
    bench.run(judge).ok();
    assert_eq!(look("ann"), (behind, named, shown, numbers));
}

/// The plan and the counts of a job over verdicts would tell how many items have them.
#[test]
fn a_job_over_verdicts_shows_neither_its_plan_nor_its_counts() {
    let bench = Bench::new();
    let file = bench.write("c.jsonl", composed(12, 3));
    bench.run(["import", file.to_str().unwrap()]).ok();
    let args = "round new first --protocol both-accept --people ann,bob --calibration 0 --probes 0 --repeats 0";
    bench.run(args.split(' ')).ok();
    let told = Arc::new(Mutex::new(Vec::new()));
    let hear = told.clone();
    let ann = bench.client("ann", move |incoming| {
        if let Incoming::Event(Event::Job(job)) = incoming {
            hear.lock().unwrap().push(job);
        }
    });
    ann.ask(request::Subscribe { since: u64::MAX }).unwrap();
    for plan in ["status:pending", "number:1"] {
        let args = [
            "generate", "--filter", plan, "--size", "64x64", "--as", "cem",
        ];
        bench.run(args).ok();
    }
    let jobs = |who: &str| {
        let client = bench.client(who, |_| ());
        let mut jobs = client.ask(request::Jobs).unwrap();
        jobs.sort_unstable_by_key(|job| job.id);
        jobs
    };
    let [of_ann, of_cem] = ["ann", "cem"].map(jobs);
    assert_eq!(
        (of_cem[0].plan.as_str(), of_cem[0].of),
        ("status:pending", Some(of_cem[0].done))
    );
    assert_eq!(of_ann[1], of_cem[1], "a plan that tells nothing is shown");
    let shows = |job: &JobState| {
        job.of.is_some() || job.done > 0 || format!("{job:?}").contains("status:pending")
    };
    assert!(!shows(&of_ann[0]), "{:?}", of_ann[0]);
    wait_until("the events", || {
        let is_last = |job: &JobState| job.id == 2 && job.standing == JobStatus::Done;
        told.lock().unwrap().iter().any(|job| is_last(job))
    });
    let told = told.lock().unwrap();
    let of_first: Vec<_> = told.iter().filter(|job| job.id == 1).collect();
    assert!(
        !of_first.is_empty() && !of_first.iter().any(|job| shows(job)),
        "{of_first:?}"
    );
    let failures = request::JobFailures { id: 1, from: 0 };
    assert_eq!(ann.ask(failures).unwrap_err().kind, ErrorKind::Denied);
    drop(told);
    bench.run(["round", "close", "first"]).ok();
    assert_eq!(jobs("ann"), jobs("cem"));
}

/// What a judge said of a derived item, how many tries it took, and where that is recorded, would tell an annotator what to say.
#[test]
fn a_blind_round_hides_what_a_judge_ruled_on_a_derived_item() {
    let bench = quiz(6);
    let source = exported(&bench).remove(0);
    let mut item = derived(&bench, &source, "V1", None, |d| {
        d.edit = Some("a red ball".into());
        d.tries = 4;
        d.ruling = Some(JudgeRuling {
            judge: "zebra".into(),
            pass: Some(true),
            ..JudgeRuling::default()
        });
        d.transcript = Some("zebra.jsonl".into());
    });
    item.variant.as_mut().unwrap().modified = Some(false);
    import(&bench, std::slice::from_ref(&item));
    let asks = || -> Vec<AnyRequest> {
        vec![
            request::Item(7).into(),
            request::Items(vec![7]).into(),
            request::Lines(1).into(),
            request::Lineage { number: 7 }.into(),
            request::Edit(Box::new(Edit {
                number: 7,
                question: Some("Which?".into()),
                preview: true,
                ..Edit::default()
            }))
            .into(),
        ]
    };
    let said = |tap: &mut Tap| -> Vec<String> {
        let replies = asks().into_iter().map(|ask| tap.any(ask));
        replies.map(|reply| format!("{reply:?}")).collect()
    };
    let mut tap = Tap::new(&bench);
    for said in &said(&mut tap)[..4] {
        assert!(said.contains("zebra") && said.contains("tries"), "{said}");
    }
    drop(tap);
    let round = [
        "round",
        "new",
        "first",
        "--protocol",
        "both-accept",
        "--people",
        "ann,bob",
        "--calibration",
        "0",
        "--repeats",
        "0",
        "--probes",
        "0",
    ];
    bench.run(round).ok();
    let mut tap = Tap::new(&bench);
    let hidden = said(&mut tap);
    for said in &hidden {
        assert!(!said.contains("zebra") && !said.contains("tries"), "{said}");
    }
    // The original stands in because the judge refused the edits.
    assert!(!hidden[0].contains("modified"), "{}", hidden[0]);
    // What was changed is part of the question.
    assert!(hidden[0].contains("a red ball") && hidden[3].contains("a red ball"));
    let ann = bench.client("ann", |_| ());
    decide(&ann, 7, judgement("first", Verdict::Accept, "")).unwrap();
    let view = ann.ask(request::Item(7)).unwrap();
    assert!(view.json.contains("zebra"), "{}", view.json);
}
