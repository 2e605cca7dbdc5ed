//! Verdicts in and out: `benchtop verdicts --format ...` and `benchtop verdicts import`.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Bench, json_lines};

const FORMS: [&str; 3] = ["jsonl", "csv", "label-studio"];

fn fixture(name: &str) -> String {
    format!(
        "{}/tests/flows/label_studio/{name}",
        env!("CARGO_MANIFEST_DIR")
    )
}

fn one(bench: &Bench, args: &[&str]) -> Value {
    bench.run(args.iter().copied()).lines().remove(0)
}

fn import(bench: &Bench, file: &str, more: &[&str]) -> Value {
    one(
        bench,
        &[&["verdicts", "import", file, "--json"], more].concat(),
    )
}

fn counts(report: &Value) -> [u64; 4] {
    let aside = report["aside"].as_array().unwrap().len() as u64;
    [
        report["read"].as_u64().unwrap(),
        report["added"].as_u64().unwrap(),
        report["known"].as_u64().unwrap(),
        aside,
    ]
}

fn statuses(bench: &Bench) -> Vec<Value> {
    bench
        .items()
        .iter()
        .map(|item| item["status"].clone())
        .collect()
}

/// A project in which several people judged, in a round and outside of one, in words that forms stumble over.
fn judged() -> Bench {
    let bench = Bench::with_items(6);
    let round = "round new first --protocol both-accept --people ann,bob --open --calibration 0 --filter number:1,2,3";
    bench.run(round.split(' ')).ok();
    let say = |who: &str, lines: &[Value]| {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        bench.feed(["decide", "--as", who], &text).ok();
    };
    let note = "=1+1, \"two\" lines\r\nof 日本語 & <b>, '; 🙂";
    say(
        "ann",
        &[
            json!({"item": "set/0", "verdict": "reject", "round": "first", "reasons": ["unsafe", "other"], "note": note}),
            json!({"item": "set/1", "verdict": "accept", "round": "first"}),
            json!({"item": "set/4", "verdict": "unsure", "note": "'tis"}),
            json!({"item": "set/4", "verdict": "fix", "note": ""}),
        ],
    );
    say(
        "bob",
        &[
            json!({"item": "set/0", "verdict": "accept", "round": "first"}),
            json!({"item": "set/1", "verdict": "accept", "round": "first"}),
            json!({"item": "set/5", "verdict": "skip"}),
        ],
    );
    let settled = json!({"item": "set/0", "verdict": "accept", "round": "first", "adjudication": true, "note": "clear"});
    say("cem", &[settled]);
    bench
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

#[test]
fn exported_verdicts_import_once_into_a_copy() {
    let there = judged();
    let (verdicts, stand) = (there.verdicts(), statuses(&there));
    assert_eq!(verdicts.len(), 7, "{verdicts:?}");
    assert_eq!(stand[..2], [json!("accepted"), json!("accepted")]);
    for form in FORMS {
        let file = there.beside(&format!("verdicts.{form}"));
        let file = file.to_str().unwrap();
        there
            .run(["verdicts", "--format", form, "--out", file])
            .ok();
        assert_eq!(
            there.run(["verdicts", "--format", form]).ok(),
            std::fs::read_to_string(file).unwrap(),
            "{form}"
        );
        let here = Bench::with_items(6);
        copy(
            &there.root().join("sessions/rounds"),
            &here.root().join("sessions/rounds"),
        );
        here.run(["stop"]).ok();
        let dry = import(&here, file, &["--dry-run"]);
        assert_eq!(
            (counts(&dry), here.verdicts().len()),
            ([7, 7, 0, 0], 0),
            "{form}: {dry}"
        );
        let report = import(&here, file, &[]);
        assert_eq!(
            (counts(&report), &report["format"]),
            ([7, 7, 0, 0], &json!(form)),
            "{report}"
        );
        assert_eq!(
            (here.verdicts(), statuses(&here)),
            (verdicts.clone(), stand.clone()),
            "{form}"
        );
        assert_eq!(one(&here, &["replay", "--json"])["same"], true);
        // Neither there nor here does anything change any more.
        let before = here.journals();
        assert_eq!(
            counts(&import(&here, file, &["--format", form])),
            [7, 0, 7, 0]
        );
        assert_eq!(counts(&import(&there, file, &[])), [7, 0, 7, 0]);
        assert_eq!(here.journals(), before);
        here.run(["stop"]).ok();
        assert_eq!(here.verdicts(), verdicts, "{form}, after a restart");
    }
    let of_round = there
        .run(["verdicts", "--json", "--round", "first"])
        .lines();
    assert_eq!(of_round.len(), 5);
    assert!(of_round.iter().all(|line| line["round"] == "first"));
    assert!(
        there
            .run(["verdicts"])
            .ok()
            .contains("#2\tset/1\taccept\tann")
    );
}

#[test]
fn label_studio_exports_import_each_annotation_once() {
    let bench = Bench::with_items(4);
    let words = [
        "--map",
        "ann@example.org=ann",
        "--map",
        "5=cem",
        "--choice",
        "Good=accept",
        "--choice",
        "Bad=reject",
    ];
    let report = import(&bench, &fixture("export.json"), &words);
    assert_eq!(counts(&report), [8, 2, 0, 6], "{report}");
    let why: Vec<&str> = report["aside"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a["why"].as_str().unwrap())
        .collect();
    for part in ["--map 9=NAME", "`So so`"] {
        assert!(
            why.iter().any(|why| why.contains(part)),
            "{part} in {why:?}"
        );
    }
    let reasons: std::collections::BTreeSet<&&str> = why.iter().collect();
    assert_eq!(reasons.len(), 6, "one reason each: {why:?}");
    let unknown = &report["aside"][4];
    assert_eq!(
        (&unknown["item"], &unknown["who"]),
        (&json!("set/99"), &json!("bob"))
    );
    assert!(
        unknown["place"]
            .as_str()
            .unwrap()
            .starts_with("task 3 (line "),
        "{unknown}"
    );
    assert_eq!(
        report["conflicts"][0]["item"], "set/0",
        "ann and cem differ"
    );
    let verdicts = bench.verdicts();
    let of = |n: usize, name: &str| verdicts[n][name].clone();
    assert_eq!(
        (of(0, "who"), of(0, "verdict"), of(0, "ms")),
        (json!("ann"), json!("accept"), json!(12_345))
    );
    assert_eq!(
        (of(0, "at"), of(0, "seen")),
        (json!("2024-05-03T10:12:30.000Z"), json!("script"))
    );
    assert_eq!(
        (of(1, "who"), of(1, "reasons")),
        (json!("cem"), json!(["wrong-answer", "unsafe"]))
    );
    assert_eq!(
        counts(&import(&bench, &fixture("export.json"), &words)),
        [8, 0, 2, 6]
    );
    assert_eq!(
        counts(&import(&bench, &fixture("min.json"), &words)),
        [3, 0, 2, 1],
        "JSON-MIN has the same two"
    );
    assert_eq!(bench.verdicts(), verdicts);
    let nothing = bench.run(["verdicts", "import", &fixture("min.json"), "--dry-run"]);
    assert_eq!(nothing.code, 1, "everything is set aside");
    let said = nothing.out;
    assert!(
        said.contains("task 1 (line 2)") && said.contains("--choice"),
        "{said}"
    );
}

#[test]
fn label_studio_tasks_match_their_config() {
    let bench = judged();
    let text = bench
        .run("verdicts --format label-studio --map a@x.org=ann --pictures-at /data/?d=".split(' '))
        .ok();
    let tasks: Value = serde_json::from_str(&text).unwrap();
    let task = &tasks[0];
    assert_eq!(
        (
            tasks.as_array().unwrap().len(),
            task["annotations"].as_array().unwrap().len()
        ),
        (4, 3)
    );
    assert_eq!(task["data"]["item"], "set/0");
    assert_eq!(task["data"]["image"], "/data/?d=0.png");
    assert_eq!(
        (&task["data"]["options"], &task["data"]["key"]),
        (&json!("A. this\nB. that"), &json!("this"))
    );
    let annotation = &task["annotations"][0];
    assert_eq!(annotation["completed_by"], json!({"email": "a@x.org"}));
    let result = annotation["result"].as_array().unwrap();
    let names: Vec<&str> = result
        .iter()
        .map(|r| r["from_name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["verdict", "reasons", "note"]);
    assert_eq!(result[1]["value"]["choices"], json!(["unsafe", "other"]));
    let config = bench.run(["verdicts", "--labeling-config"]).ok();
    for region in result {
        let name = region["from_name"].as_str().unwrap();
        assert!(
            config.contains(&format!("name=\"{name}\" toName=\"question\"")),
            "{name} in {config}"
        );
    }
    for field in ["image", "question", "options", "key"] {
        assert!(
            config.contains(&format!("value=\"${field}\"")) && task["data"][field].is_string(),
            "{field}"
        );
    }
}

#[test]
fn verdicts_import_names_bad_files_and_values() {
    let bench = Bench::with_items(2);
    let refused = |name: &str, text: &str, more: &[&str]| {
        let file = bench.write(name, text);
        let args = [&["verdicts", "import", file.to_str().unwrap()], more].concat();
        bench.run(args.iter().copied()).refused(1)
    };
    let cut = refused("cut.json", "[{\"id\": 1, \"annotations\": [\n", &[]);
    assert!(cut.is_in("/cut.json") && cut.line > 0, "{cut}");
    let names = refused("names.csv", "name,verdict\nann,accept\n", &[]);
    assert_eq!(names.place(), ("names.csv", 1, "item"));
    let wrong = refused(
        "lines.jsonl",
        "{\"item\":\"set/0\"}\n",
        &["--choice", "Good=acept"],
    );
    assert!(wrong.names("`acept`"), "{wrong}");
    assert!(
        bench
            .run(["verdicts", "import", "nowhere.csv"])
            .refused(1)
            .names("nowhere.csv")
    );
    assert!(
        bench
            .run(["verdicts", "import", "x.csv", "--map", "ann"])
            .refused(2)
            .names("THEIRS=OURS")
    );
    let file = bench.write(
        "some.csv",
        "item,who,verdict\nset/0,ann,accept\nset/1,ann,great\n",
    );
    let report = import(&bench, file.to_str().unwrap(), &[]);
    assert_eq!(counts(&report), [2, 1, 0, 1]);
    assert_eq!(report["aside"][0]["place"], "line 3");
    assert!(
        report["aside"][0]["why"]
            .as_str()
            .unwrap()
            .starts_with("field `verdict`: `great` ")
    );
    assert_eq!(statuses(&bench), ["accepted", "pending"]);
}

#[test]
fn exports_respect_a_blind_round() {
    let bench = Bench::with_items(3);
    let round = "round new first --protocol both-accept --people ann,bob --calibration 0 --repeats 0 --probes 0";
    bench.run(round.split(' ')).ok();
    let lines: String = (1..=3)
        .map(|n| {
            json!({"item": n, "verdict": "reject", "round": "first", "note": "zebra"}).to_string()
                + "\n"
        })
        .collect();
    bench.feed(["decide", "--as", "bob"], &lines).ok();
    let seen = |who: &str, form: &str| bench.run(["verdicts", "--format", form, "--as", who]).ok();
    for form in FORMS {
        let (ann, bob) = (seen("ann", form), seen("bob", form));
        assert!(
            !ann.contains("zebra") && !ann.contains("bob") && bob.contains("zebra"),
            "{form}: {ann}"
        );
    }
    bench
        .feed(
            ["decide", "--as", "ann"],
            "{\"item\":2,\"verdict\":\"accept\",\"round\":\"first\"}\n",
        )
        .ok();
    for form in FORMS {
        assert_eq!(seen("ann", form).matches("zebra").count(), 1, "{form}");
    }
}

#[test]
fn verdicts_beyond_one_reply_are_exported_and_imported() {
    let there = Bench::with_items(2_100);
    // A gap, so that no answer ends where a page of rows does.
    let lines: String = (1..=2_100)
        .filter(|n| !(900..930).contains(n))
        .map(|n| {
            json!({"item": n, "verdict": (["accept", "reject"])[n % 2], "note": "é".repeat(n)})
                .to_string()
                + "\n"
        })
        .collect();
    there.feed(["decide", "--as", "ann"], &lines).ok();
    let again: String = (990..=1_010)
        .map(|n| json!({"item": n, "verdict": "fix"}).to_string() + "\n")
        .collect();
    there.feed(["decide", "--as", "bob"], &again).ok();
    let verdicts = there.verdicts();
    assert_eq!(verdicts.len(), 2_070 + 21);
    let numbers: Vec<u64> = verdicts
        .iter()
        .map(|v| v["number"].as_u64().unwrap())
        .collect();
    assert!(numbers.is_sorted());
    for form in FORMS {
        let here = Bench::with_items(2_100);
        let file = there.beside(&format!("many.{form}"));
        there
            .run([
                "verdicts",
                "--format",
                form,
                "--out",
                file.to_str().unwrap(),
            ])
            .ok();
        assert_eq!(
            counts(&import(&here, file.to_str().unwrap(), &[])),
            [2_091, 2_091, 0, 0],
            "{form}"
        );
        assert_eq!(here.verdicts(), verdicts, "{form}");
    }
}

/// Tasks of somebody's own labeling config, as Label Studio exports them: no field of theirs names an item.
fn foreign_tasks(questions: &[(u32, &str)]) -> (Value, Value) {
    let annotation = |n: u32, quality: &str| {
        json!({"id": n, "completed_by": 1, "was_cancelled": false, "created_at": "2026-05-01T10:00:00Z", "lead_time": 4.5,
        "result": [
            {"from_name": "answer", "to_name": "image", "type": "choices", "value": {"choices": ["Owl"]}},
            {"from_name": "quality", "to_name": "image", "type": "choices", "value": {"choices": [quality]}},
        ]})
    };
    let data = |n: u32, question: &str| json!({"question": question, "options": ["Owl", "Crow"], "key": "A", "qid": n});
    let quality = |n: u32| if n.is_multiple_of(2) { "akw" } else { "ok" };
    let task = |&(n, question): &(u32, &str)| json!({"id": 900 + n, "annotations": [annotation(n, quality(n))], "data": data(n, question)});
    let row = |&(n, question): &(u32, &str)| {
        let mut row = data(n, question);
        for (name, value) in [
            ("id", json!(900 + n)),
            ("answer", json!("Owl")),
            ("quality", json!(quality(n))),
            ("annotator", json!(1)),
            ("annotation_id", json!(n)),
            ("created_at", json!("2026-05-01T10:00:00Z")),
            ("lead_time", json!(4.5)),
        ] {
            row[name] = value;
        }
        row
    };
    (
        questions.iter().map(task).collect(),
        questions.iter().map(row).collect(),
    )
}

#[test]
fn label_studio_annotations_find_their_items() {
    let bench = Bench::new();
    let questions = [(1, "What is it?"), (2, "What flies?"), (3, "What sings?")];
    let (tasks, rows) = foreign_tasks(&questions);
    let write =
        |name: &str, value: &Value| bench.write(name, value.to_string()).display().to_string();
    let (full, min) = (write("birds.json", &tasks), write("birds.min.json", &rows));
    bench.run(["import", &full]).ok();
    let words = [
        "--map",
        "1=ann",
        "--choice",
        "ok=accept",
        "--choice",
        "akw=reject",
    ];
    assert_eq!(counts(&import(&bench, &full, &words)), [3, 3, 0, 0]);
    assert_eq!(
        counts(&import(&bench, &min, &words)),
        [3, 0, 3, 0],
        "JSON-MIN has the same annotations"
    );
    let said: Vec<_> = bench
        .verdicts()
        .iter()
        .map(|v| (v["item"].clone(), v["verdict"].clone(), v["answer"].clone()))
        .collect();
    let wanted =
        |n: u32, verdict: &str| (json!(format!("birds/{n}")), json!(verdict), json!("Owl"));
    assert_eq!(
        said,
        [
            wanted(1, "accept"),
            wanted(2, "reject"),
            wanted(3, "accept")
        ]
    );

    // The same numbers in another file are other questions: nothing lands on a guess.
    let others = [(1, "Which tool?"), (2, "What flies?")];
    let other = write("tools.json", &foreign_tasks(&others).0);
    let refused = bench.run([
        "verdicts",
        "import",
        &other,
        "--json",
        "--map",
        "1=bob",
        "--choice",
        "ok=accept",
        "--choice",
        "akw=reject",
    ]);
    assert_eq!(counts(&json_lines(&refused.ok()).remove(0)), [2, 1, 0, 1]);
    // With both files in, a question that stands in both is asked back.
    bench.run(["import", &other]).ok();
    let (third, _) = foreign_tasks(&[(2, "What flies?")]);
    let third = write("again.json", &third);
    let asked = bench.run([
        "verdicts",
        "import",
        &third,
        "--json",
        "--map",
        "1=cem",
        "--choice",
        "akw=reject",
    ]);
    assert_eq!(asked.code, 1, "of a file of which nothing was taken");
    let asked = json_lines(&asked.out).remove(0);
    assert_eq!(counts(&asked), [1, 0, 0, 1]);
    assert!(
        asked["aside"][0]["why"]
            .as_str()
            .unwrap()
            .contains("--dataset"),
        "{asked}"
    );
    let named = import(
        &bench,
        &third,
        &[
            "--map",
            "1=cem",
            "--choice",
            "akw=reject",
            "--dataset",
            "tools",
        ],
    );
    assert_eq!(counts(&named), [1, 1, 0, 0]);
    assert!(
        bench
            .verdicts()
            .iter()
            .any(|v| v["item"] == "tools/2" && v["who"] == "cem")
    );
    assert_eq!(
        bench
            .run(["verdicts", "import", &third, "--dataset", "none"])
            .code,
        1
    );
}
