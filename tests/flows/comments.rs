//! `benchtop comments`, and comments, marks, and tags in logs, merges, and files of verdicts.

use serde_json::{Value, json};

use crate::support::Bench;

fn add(bench: &Bench, args: &[&str]) -> String {
    let receipt = bench.run([&["comments"], args].concat()).lines().remove(0);
    assert_eq!(receipt["saved"], true);
    receipt["uuid"].as_str().unwrap().to_string()
}

fn list(bench: &Bench, more: &[&str]) -> Vec<Value> {
    bench.run([&["comments", "--json"], more].concat()).lines()
}

fn texts(comments: &[Value]) -> Vec<&str> {
    comments
        .iter()
        .map(|c| c["text"].as_str().unwrap())
        .collect()
}

fn configure(bench: &Bench) {
    bench.run(["stop"]).ok();
    let text = "name = \"b\"\n[review]\nreasons = [\n  { key = \"unsafe\", label = \"Unsafe\" },\n  \
                { key = \"anatomy/hands\", label = \"Hands\" },\n]\ntags = [{ key = \"light/night\", label = \"Night\" }]\n";
    std::fs::write(bench.root().join("benchtop.toml"), text).unwrap();
}

/// Three items with a picture each.
fn pictured() -> Bench {
    let bench = Bench::new();
    let image = image::DynamicImage::new_rgb8(40, 20);
    let mut out = std::io::Cursor::new(Vec::new());
    image.write_to(&mut out, image::ImageFormat::Png).unwrap();
    bench.write("a.png", out.into_inner());
    let item = |n: usize| {
        json!({"id": format!("set/{n}"), "dataset": "set", "key": n, "form": "plain", "kind": "true-false",
               "question": format!("Is {n} red?"), "answer": "True", "images": [{"name": "a.png"}],
               "options": [{"text": "True", "role": "correct"}, {"text": "False", "role": "distractor"}]})
        .to_string()
            + "\n"
    };
    let file = bench.write("items.jsonl", (0..3).map(item).collect::<String>());
    bench.run(["import", file.to_str().unwrap()]).ok();
    configure(&bench);
    bench
}

#[test]
fn a_thread_is_written_listed_and_resolved() {
    let bench = pictured();
    let mark = "0.25,0.5,0.25,0.25=left hand";
    let first = add(
        &bench,
        &["add", "set/1", "six fingers", "--mark", mark, "--as", "ann"],
    );
    let reply = add(&bench, &["reply", "2", &first, "no, five", "--as", "bob"]);
    add(&bench, &["resolve", "#2", &first, "--as", "bob"]);
    add(
        &bench,
        &["edit", "2", &first, "seven fingers", "--as", "ann"],
    );
    let comments = list(&bench, &[]);
    assert_eq!(texts(&comments), ["seven fingers", "no, five"]);
    let [one, two] = &comments[..] else {
        panic!("{comments:?}")
    };
    assert_eq!((&one["item"], &one["number"]), (&json!("set/1"), &json!(2)));
    assert_eq!(
        (&one["resolved"], &one["earlier"]),
        (&json!("bob"), &json!(false))
    );
    assert_eq!(
        one["marks"],
        json!([{"picture": 1, "box": [0.25, 0.5, 0.25, 0.25], "label": "left hand"}]),
        "an edit keeps the marks"
    );
    assert!(one["edited"].is_string() && two["edited"].is_null());
    assert_eq!(
        (&two["uuid"], &two["reply_to"]),
        (&json!(reply), &json!(first))
    );
    let text = bench.run(["comments"]).ok();
    assert!(crate::support::has_line(
        &text,
        &["#2", "ann", "seven fingers", "1:0.25,0.5"]
    ));
    // Filters, and what is not there.
    assert_eq!(
        list(&bench, &["--filter", "comments:open"]),
        Vec::<Value>::new()
    );
    assert_eq!(texts(&list(&bench, &["--filter", "mark:HAND"])).len(), 2);
    assert_eq!(
        bench
            .run(["items", "--filter", "comments:yes"])
            .ok()
            .lines()
            .count(),
        1
    );
    add(&bench, &["reopen", "2", &first, "--as", "ann"]);
    assert_eq!(list(&bench, &["--filter", "comments:open"]).len(), 2);
    for (args, code) in [
        (["comments", "add", "2", " "].as_slice(), 1),
        (&["comments", "add", "2", "x", "--mark", "2:0.1,0.1"], 1),
        (&["comments", "add", "2", "x", "--mark", "7"], 2),
        (&["comments", "add", "none/1", "x"], 1),
        (&["comments", "delete", "2", &first, "--as", "bob"], 1),
        (&["comments", "resolve", "1", &first], 1),
    ] {
        bench.run(args.iter().copied()).refused(code);
    }
    add(&bench, &["delete", "2", &reply, "--as", "bob"]);
    let undone = bench.run(["undo", "--as", "bob"]).lines().remove(0);
    assert_eq!(
        (&undone["of"], &undone["number"]),
        (&json!("comment"), &json!(2))
    );
    assert_eq!(list(&bench, &[]).len(), 2);
    // Logs, replays, and checks know them.
    let log = bench.run(["log", "--json"]).lines();
    let acts: Vec<&str> = log
        .iter()
        .filter_map(|line| line["comment"].as_str())
        .collect();
    assert_eq!(
        acts,
        [
            "undo", "delete", "reopen", "edit", "resolve", "write", "write"
        ]
    );
    let replay = bench.run(["replay", "--json"]).lines().remove(0);
    assert_eq!(
        (&replay["same"], &replay["decisions"]),
        (&json!(true), &json!(7))
    );
    assert_eq!(
        bench.run(["diff", "0", "now", "--json"]).lines(),
        Vec::<Value>::new()
    );
    bench.run(["stop"]).ok();
    bench.run(["verify"]).ok();
    assert_eq!(
        bench
            .items()
            .iter()
            .filter(|i| i["status"] == "pending")
            .count(),
        3
    );
}

#[test]
fn merged_journals_keep_comments_in_any_order() {
    let there = Bench::with_items(3);
    let first = add(&there, &["add", "1", "is it red?", "--as", "ann"]);
    add(&there, &["reply", "1", &first, "it is", "--as", "bob"]);
    add(&there, &["resolve", "1", &first, "--as", "bob"]);
    add(&there, &["add", "2", "gone", "--as", "bob"]);
    there.run(["undo", "--as", "bob"]).ok();
    let all = list(&there, &[]);
    assert_eq!(texts(&all), ["is it red?", "it is"]);
    let journal = |who: &str| {
        let from = there.root().join(format!("sessions/{who}.jsonl"));
        from.to_str().unwrap().to_string()
    };
    for order in [["ann", "bob"], ["bob", "ann"]] {
        let here = Bench::with_items(3);
        for who in order {
            let report = here
                .run(["merge", &journal(who), "--json"])
                .lines()
                .remove(0);
            assert!(report["added"].as_u64() > Some(0), "{report}");
        }
        assert_eq!(list(&here, &[]), all, "{order:?}");
        assert_eq!(
            here.run(["merge", &journal("bob"), "--json"]).lines()[0]["added"],
            0
        );
        let replay = here.run(["replay", "--json"]).lines().remove(0);
        assert_eq!(replay["same"], true);
    }
}

#[test]
fn tags_and_marks_of_verdicts_survive_every_format() {
    let bench = pictured();
    let said = [
        json!({"item": 1, "verdict": "reject", "reasons": ["anatomy/hands"], "tags": ["light/night"],
               "marks": [{"box": [0.25, 0.5, 0.25, 0.25], "label": "a;b,\"c\""}, {"point": [0.5, 1]}]}),
        json!({"item": 2, "verdict": "accept", "tags": ["light/night"]}),
    ];
    let lines: String = said.iter().map(|line| format!("{line}\n")).collect();
    bench.feed(["decide", "--as", "ann"], &lines).ok();
    for wrong in [
        json!({"item": 3, "verdict": "accept", "tags": ["light"]}),
        json!({"item": 3, "verdict": "accept", "marks": [{"point": [0.5, 2]}]}),
        json!({"item": 3, "verdict": "accept", "marks": [{"picture": 2, "point": [0.5, 0.5]}]}),
    ] {
        let refused = bench.feed(["decide", "--as", "ann"], &format!("{wrong}\n"));
        assert_eq!(refused.code, 1, "{wrong}");
    }
    let verdicts = bench.verdicts();
    assert_eq!(verdicts[0]["tags"], json!(["light/night"]));
    assert_eq!(
        verdicts[0]["marks"][1],
        json!({"picture": 1, "point": [0.5, 1.0]})
    );
    let listed = |filter: &str| {
        let lines = bench.run(["items", "--json", "--filter", filter]).lines();
        lines
            .iter()
            .map(|i| i["number"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (listed("tag:light"), listed("reason:anatomy")),
        (vec![1, 2], vec![1])
    );
    assert_eq!(
        (listed("mark:b,x"), listed("mark: tag:light")),
        (vec![1], vec![2])
    );
    add(&bench, &["add", "1", "look at the hand", "--as", "bob"]);
    for form in ["jsonl", "csv", "label-studio"] {
        let file = bench.beside(&format!("verdicts.{form}"));
        let file = file.to_str().unwrap();
        bench
            .run(["verdicts", "--format", form, "--out", file])
            .ok();
        let here = pictured();
        let report = here
            .run(["verdicts", "import", file, "--json"])
            .lines()
            .remove(0);
        assert_eq!(report["added"], 2, "{form}: {report}");
        assert_eq!(here.verdicts(), verdicts, "{form}");
    }
    // Regions have the size of the picture, and the comments can be read beside them.
    let tasks = std::fs::read_to_string(bench.beside("verdicts.label-studio")).unwrap();
    let tasks: Value = serde_json::from_str(&tasks).unwrap();
    assert_eq!(tasks[0]["data"]["comments"], "bob: look at the hand");
    let result = tasks[0]["annotations"][0]["result"].as_array().unwrap();
    let region = result
        .iter()
        .find(|r| r["type"] == "rectanglelabels")
        .unwrap();
    assert_eq!(
        (
            &region["original_width"],
            &region["original_height"],
            &region["value"]["x"]
        ),
        (&json!(40), &json!(20), &json!(25.0))
    );
    let reasons = result.iter().find(|r| r["from_name"] == "reasons").unwrap();
    assert_eq!(
        reasons["value"],
        json!({"taxonomy": [["anatomy", "hands"]]})
    );
    let config = bench.run(["verdicts", "--labeling-config"]).ok();
    assert!(config.contains("<Taxonomy name=\"reasons\"") && config.contains("<RectangleLabels"));
}

#[test]
fn comments_stay_on_an_item_whose_text_changed() {
    let bench = pictured();
    add(
        &bench,
        &["add", "1", "odd", "--mark", "0.5,0.5", "--as", "ann"],
    );
    bench
        .run(["edit", "1", "--question", "Is it blue?", "--as", "bob"])
        .ok();
    let comments = list(&bench, &[]);
    assert_eq!(comments[0]["earlier"], true, "{comments:?}");
    bench.run(["stop"]).ok();
    assert_eq!(list(&bench, &[]), comments);
}

/// The comments of a project without what an import changes.
fn content(bench: &Bench) -> Vec<Value> {
    let mut comments = list(bench, &[]);
    for comment in &mut comments {
        let comment = comment.as_object_mut().unwrap();
        comment.remove("imported");
    }
    comments.sort_by_key(|c| c["uuid"].as_str().unwrap().to_string());
    comments
}

fn imported(bench: &Bench, file: &std::path::Path) -> Value {
    let args = ["verdicts", "import", file.to_str().unwrap(), "--json"];
    bench.run(args).lines().remove(0)["comments"].take()
}

#[test]
fn comments_come_back_from_all_three_forms_once_and_marked_as_imported() {
    let bench = pictured();
    let mark = "0.25,0.5,0.25,0.25=left hand";
    let text = "=six\nfingers, \"left\"";
    let first = add(
        &bench,
        &["add", "set/1", text, "--mark", mark, "--as", "ann"],
    );
    add(&bench, &["reply", "2", &first, "'no", "--as", "bob"]);
    add(&bench, &["add", "set/2", "dark", "--as", "ann"]);
    add(&bench, &["edit", "2", &first, "+7\nfingers", "--as", "ann"]);
    add(&bench, &["resolve", "2", &first, "--as", "bob"]);
    let verdict = json!({"item": 2, "verdict": "accept"});
    bench
        .feed(["decide", "--as", "ann"], &format!("{verdict}\n"))
        .ok();
    for (command, form) in [
        ("comments", "jsonl"),
        ("comments", "csv"),
        ("verdicts", "label-studio"),
    ] {
        let file = bench.beside(&format!("all.{form}"));
        let path = file.to_str().unwrap();
        bench.run([command, "--format", form, "--out", path]).ok();
        let other = pictured();
        let counts = imported(&other, &file);
        assert_eq!(
            counts,
            json!({"read": 3, "added": 3, "updated": 0, "known": 0}),
            "{form}"
        );
        assert_eq!(content(&other), content(&bench), "{form}");
        assert!(list(&other, &[]).iter().all(|c| c["imported"] == true));
        assert!(list(&bench, &[]).iter().all(|c| c["imported"] == false));
        // Twice adds nothing, and neither does the project that wrote it.
        for to in [&other, &bench] {
            let lines = to.run(["log", "--json"]).lines().len();
            let counts = imported(to, &file);
            assert_eq!(counts["known"], 3, "{form}");
            assert_eq!(to.run(["log", "--json"]).lines().len(), lines, "{form}");
        }
        // What is edited there later comes too, once.
        let reply = list(&bench, &[])[1]["uuid"].as_str().unwrap().to_string();
        add(
            &bench,
            &["edit", "2", &reply, &format!("no, {form}"), "--as", "bob"],
        );
        bench.run([command, "--format", form, "--out", path]).ok();
        assert_eq!(imported(&other, &file)["updated"], 1, "{form}");
        assert_eq!(imported(&other, &file)["updated"], 0, "{form}");
        assert_eq!(content(&other), content(&bench), "{form}");
    }
}

#[test]
fn an_imported_comment_neither_changes_one_of_this_project_nor_carries_raw_text() {
    let bench = pictured();
    let own = add(&bench, &["add", "set/1", "six fingers", "--as", "ann"]);
    let line = |more: Value| {
        let mut line = json!({"item": "set/1", "who": "ann", "text": "five"});
        let fields = line.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        line.to_string() + "\n"
    };
    let file = [
        line(json!({"uuid": own, "edited": "2030-01-01T00:00:00Z"})),
        line(json!({"text": "\u{1b}[2J"})),
        line(json!({"item": "set/99"})),
        line(json!({"who": "eve", "text": "\u{202e}dab", "imported": false})),
    ];
    let file = bench.write("hostile.jsonl", file.concat());
    let report = bench
        .run(["verdicts", "import", file.to_str().unwrap(), "--json"])
        .lines()
        .remove(0);
    let places = report["aside"].as_array().unwrap().iter();
    let places: Vec<&str> = places.map(|one| one["place"].as_str().unwrap()).collect();
    assert_eq!(places, ["line 1", "line 2", "line 3"]);
    assert_eq!(report["comments"]["added"], 1);
    let comments = list(&bench, &[]);
    assert_eq!(comments[0]["text"], "six fingers");
    assert_eq!(
        (&comments[1]["who"], &comments[1]["imported"]),
        (&json!("eve"), &json!(true))
    );
    assert!(!bench.run(["comments"]).ok().contains('\u{202e}'));
}
