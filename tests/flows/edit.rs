//! Edited items, and one verdict on many items.

use serde_json::json;

use crate::support::{Bench, has_line};

#[test]
fn an_edit_voids_verdicts_and_survives_a_restart() {
    let bench = Bench::with_items(4);
    for who in ["ann", "bob"] {
        bench
            .feed(
                ["decide", "--as", who],
                &json!({"item": 2, "verdict": "accept"}).to_string(),
            )
            .ok();
    }
    let id = bench.items()[1]["id"].as_str().unwrap().to_string();
    let dry = [
        "edit",
        &id,
        "--option",
        "B=the other",
        "--dry-run",
        "--json",
        "--as",
        "ann",
    ];
    let dry = bench.run(dry).lines().remove(0);
    assert_eq!(
        (&dry["voided"], &dry["after"]["options"][1]["text"]),
        (&json!(2), &json!("the other"))
    );
    assert_eq!(
        bench.items()[1]["status"],
        "accepted",
        "nothing was changed"
    );
    let args = [
        "edit",
        &id,
        "--option",
        "B=the other",
        "--note",
        "both fit",
        "--json",
        "--as",
        "ann",
    ];
    bench.run(args).ok();
    let look = |what: &str| {
        let item = bench.run(["export", "--format", "jsonl"]).lines().remove(1);
        assert_eq!(
            (&item["options"][1]["text"], &item["answer"]),
            (&json!("the other"), &json!("this")),
            "{what}"
        );
        assert_eq!(
            (
                &item["edited"]["by"],
                &item["edited"]["note"],
                &item["edited"]["before"]["options"][1]["text"]
            ),
            (&json!("ann"), &json!("both fit"), &json!("that")),
            "{what}"
        );
        assert_eq!(
            bench.items()[1]["status"],
            "pending",
            "{what}: what they accepted was another text"
        );
    };
    look("at once");
    // One who judged it before is nobody's word any more; the other must accept it too.
    bench
        .feed(
            ["decide", "--as", "bob"],
            &json!({"item": 2, "verdict": "accept"}).to_string(),
        )
        .ok();
    assert_eq!(bench.verdicts().len(), 1);
    bench.run(["stop"]).ok();
    std::fs::remove_dir_all(bench.root().join("store")).unwrap();
    assert_eq!(
        bench.verdicts().len(),
        1,
        "rebuilt from the journals and the manifest"
    );
    // Back to the first text: another revision, and no edit any more.
    bench.run(["edit", &id, "--restore"]).ok();
    let item = bench.run(["export", "--format", "jsonl"]).lines().remove(1);
    assert_eq!(
        (&item["options"][1]["text"], &item["edited"]),
        (&json!("that"), &json!(null))
    );
    assert_eq!(bench.verdicts().len(), 0);
}

#[test]
fn undo_reverts_the_last_verdict_or_edit() {
    let bench = Bench::with_items(3);
    let decide = |n: u32| {
        bench
            .feed(
                ["decide", "--as", "ann"],
                &json!({"item": n, "verdict": "accept"}).to_string(),
            )
            .ok()
    };
    let edit = |n: &str, text: &str, who: &str| {
        bench.run(["edit", n, "--question", text, "--as", who]).ok();
    };
    let question =
        |n: usize| bench.run(["export", "--format", "jsonl"]).lines()[n - 1]["question"].clone();
    let step = |what: &str| {
        let line = bench.run([what, "--as", "ann"]).lines().remove(0);
        (
            line["of"].as_str().unwrap_or_default().to_string(),
            line["number"].as_u64().unwrap(),
        )
    };
    let first = question(2);
    decide(1);
    edit("2", "Which of both?", "ann");
    edit("2", "Which of the two?", "ann");
    decide(3);
    assert_eq!(step("undo"), ("verdict".into(), 3));
    assert_eq!(
        (step("undo"), question(2)),
        (("edit".into(), 2), json!("Which of both?"))
    );
    // It is the manifest that tells, not a memory of the process.
    bench.run(["stop"]).ok();
    std::fs::remove_dir_all(bench.root().join("store")).unwrap();
    assert_eq!(
        (step("undo"), question(2)),
        (("edit".into(), 2), first.clone())
    );
    assert_eq!(step("undo"), ("verdict".into(), 1));
    bench.run(["undo", "--as", "ann"]).refused(1);
    assert_eq!(step("redo"), ("verdict".into(), 1));
    assert_eq!(
        (step("redo"), question(2)),
        (("edit".into(), 2), json!("Which of both?"))
    );
    assert_eq!(
        (step("redo"), question(2)),
        (("edit".into(), 2), json!("Which of the two?"))
    );
    assert_eq!(step("redo"), ("verdict".into(), 3));
    bench.run(["redo", "--as", "ann"]).refused(1);
    // Somebody else's later text is not taken back with it, and a new word forgets what was undone.
    step("undo");
    edit("2", "Which one?", "bob");
    assert_eq!(
        (step("undo"), question(2)),
        (("verdict".into(), 1), json!("Which one?"))
    );
    edit("3", "Why?", "ann");
    bench.run(["redo", "--as", "ann"]).refused(1);
    assert_eq!(step("undo"), ("edit".into(), 3));
    decide(1);
    bench.run(["redo", "--as", "ann"]).refused(1);
}

#[test]
fn a_wrong_edit_names_its_field_and_changes_nothing() {
    let bench = Bench::with_items(2);
    let before = bench.snapshot();
    for (args, field) in [
        (vec!["edit", "1", "--option", "B=this"], "options"),
        (vec!["edit", "1", "--option", "D=x"], "option"),
        (vec!["edit", "1", "--remove", "B"], "options"),
        (vec!["edit", "1", "--answer", "neither"], "answer"),
        (vec!["edit", "1", "--question", " "], "question"),
        (vec!["edit", "1", "--restore"], "restore"),
    ] {
        assert!(bench.run(args.clone()).refused(1).names(field), "{args:?}");
    }
    bench.run(["edit", "99", "--question", "x"]).refused(1);
    let kept = |name: &std::path::PathBuf| name.starts_with("imports");
    let files = |all: std::collections::BTreeMap<std::path::PathBuf, String>| {
        all.into_iter()
            .filter(|(name, _)| kept(name))
            .collect::<Vec<_>>()
    };
    assert_eq!(files(bench.snapshot()), files(before));
}

#[test]
fn bulk_verdicts_need_an_exact_count_and_undo_together() {
    let bench = Bench::with_items(900);
    bench
        .feed(
            ["decide", "--as", "ann"],
            &json!({"item": 2, "verdict": "reject", "note": "n"}).to_string(),
        )
        .ok();
    let args = |more: &[&'static str]| {
        let all = [
            "bulk",
            "accept",
            "--filter",
            "subtask:animal",
            "--as",
            "ann",
            "--json",
        ];
        all.into_iter()
            .chain(more.iter().copied())
            .collect::<Vec<_>>()
    };
    let dry = bench.run(args(&[])).lines().remove(0);
    assert_eq!(
        (&dry["dry_run"], &dry["judged"], &dry["items"]["pending"]),
        (&json!(true), &json!(450), &json!(450))
    );
    assert!(bench.run(args(&["--count", "449"])).refused(1).names("450"));
    assert_eq!(bench.verdicts().len(), 1);
    let done = bench.run(args(&["--count", "450"])).lines().remove(0);
    assert_eq!(
        (&done["judged"], &done["revs"][1]),
        (&json!(450), &json!(451))
    );
    assert_eq!(bench.status()["counts"]["by_status"]["accepted"], 450);
    assert_eq!(bench.run(args(&[])).lines()[0]["same"], 450, "said already");
    let ann = bench.client("ann", |_| ());
    use benchtop::protocol::wire::request;
    let back = ann.ask(request::UndoBulk(2, 451)).unwrap();
    assert_eq!(back.judged, 450);
    let status = bench.status();
    assert_eq!(
        (
            &status["counts"]["by_status"]["accepted"],
            &status["counts"]["by_status"]["rejected"]
        ),
        (&json!(0), &json!(1)),
        "what was said before it stands"
    );
}

#[test]
fn bulk_verdicts_are_refused_in_a_blind_round() {
    let bench = Bench::with_items(6);
    let args =
        "round new first --protocol both-accept --people ann,bob --calibration 0 --sample 50%";
    bench.run(args.split(' ')).ok();
    let bulk = ["bulk", "accept", "--filter", "", "--as", "ann", "--json"];
    let dry = bench.run(bulk).lines().remove(0);
    assert_eq!((&dry["judged"], &dry["in_rounds"]), (&json!(3), &json!(3)));
    bench.run(bulk.into_iter().chain(["--count", "3"])).ok();
    assert_eq!(bench.verdicts().len(), 3);
}

#[test]
fn the_board_notes_answers_older_than_an_edit() {
    let bench = Bench::new();
    let item = |n: usize| {
        let option = |text: &str| json!({"text": text, "role": if text == "dog" { "correct" } else { "distractor" }});
        let options = ["cat", "dog", "cow"].map(option);
        json!({"id": format!("s/{n}"), "dataset": "s", "key": n, "form": "plain", "question": format!("Which is {n}?"),
               "kind": "multiple-choice", "options": options, "answer": "dog"})
    };
    let lines = |of: Vec<serde_json::Value>| {
        of.iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    let answer =
        |n: usize| json!({"question_id": n, "question": format!("Which is {n}?"), "output": "B"});
    let import = |name: &str, of: Vec<serde_json::Value>| {
        let file = bench.write(name, lines(of));
        bench.run(["import", file.to_str().unwrap()]).ok();
    };
    import("s.jsonl", (0..4).map(item).collect());
    // One row twice: an import leaves the second out, and the board says so.
    import("early.jsonl", [0, 1, 2, 3, 3].map(answer).to_vec());
    let board = |ask: &str| bench.run(["board", "--filter", ask]).ok();
    // Notes that name a file or model: how many answers are to other words, or to other options.
    let noted = |shown: &str, name: &str| has_line(shown, &["note:", name, "1"]);
    let words = |ask: &str| has_line(&board(ask), &["note:", "early.jsonl", "(1)"]);
    let options = |ask: &str, model: &str| noted(&board(ask).replace(".jsonl", "-jsonl"), model);
    assert!(!words("") && !options("", "early:"), "{}", board(""));
    bench.run(["edit", "s/0", "--remove", "A"]).ok();
    bench
        .run(["edit", "s/1", "--question", "Which one is it?"])
        .ok();
    import("late.jsonl", (0..4).map(answer).collect());
    let check = |when: &str| {
        assert!(
            options("", "early:") && words("") && !options("", "late:"),
            "{when}: {}",
            board("")
        );
        assert!(
            !options("number:2,3", "early:"),
            "{when}: not of the questions scored"
        );
        let client = bench.client("ann", |_| ());
        let ask = benchtop::protocol::wire::request::Board(Box::default());
        let found = client.ask(ask).unwrap();
        let counts: Vec<_> = found
            .rows
            .iter()
            .map(|row| (row.counts.used, row.counts.duplicate))
            .collect();
        assert_eq!(counts, [(4, 1), (4, 0)], "{when}");
    };
    check("at once");
    bench.run(["stop"]).ok();
    std::fs::remove_dir_all(bench.root().join("store")).unwrap();
    check("after a rebuild");
    // The options as they were: nothing is told of the answers from before, and now the others are to other options.
    bench.run(["edit", "s/0", "--restore"]).ok();
    bench.run(["edit", "s/1", "--restore"]).ok();
    assert!(
        !options("", "early:") && !words("") && options("", "late:"),
        "{}",
        board("")
    );
}
