//! The commands as scripts see them: JSON, exit codes, round trips. `docs/cli.md` is their description.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::conformance::{fixture, shared};
use crate::support::{
    Bench, ErrorKind, PROGRAM, Refusal, has_word, json_lines, owners, run, verdict,
};

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap().keys().cloned().collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|n| (*n).to_string()).collect()
}

fn ids(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|l| l["id"].as_str().unwrap()).collect()
}

#[test]
fn status_is_one_object_with_and_without_an_owner() {
    let bench = Bench::new();
    let without = bench.status();
    assert_eq!(keys(&without), set(&["owner", "version", "project"]));
    assert_eq!(
        (&without["owner"], &without["project"]["name"]),
        (&Value::Null, &json!("project"))
    );
    assert!(owners(bench.root()).is_empty(), "status started an owner");
    assert!(bench.run(["status"]).ok().contains("no owner"));
    bench.import_items("set", 0..5);
    bench
        .feed(["decide"], "{\"item\":2,\"verdict\":\"reject\"}")
        .ok();
    let with = bench.status();
    assert_eq!(
        keys(&with),
        set(&[
            "owner",
            "version",
            "project",
            "counts",
            "rev",
            "store_bytes",
            "notices",
            "latency",
            "metadata"
        ])
    );
    assert_eq!(
        keys(&with["owner"]),
        set(&[
            "pid",
            "version",
            "socket",
            "started",
            "clients",
            "jobs",
            "read_only"
        ])
    );
    assert_eq!(with["owner"]["pid"], owners(bench.root())[0]);
    assert!(Path::new(with["owner"]["socket"].as_str().unwrap()).exists());
    assert_eq!(with["project"]["root"], bench.root().to_str().unwrap());
    assert_eq!(
        with["metadata"],
        json!({"errors": [], "in_force": "on-disk"})
    );
    assert_eq!(with["counts"]["items"], 5);
    assert_eq!(
        with["counts"]["by_status"],
        json!({"pending": 4, "accepted": 0, "rejected": 1, "to-fix": 0, "flagged": 0, "skipped": 0})
    );
    assert_eq!(
        (&with["rev"], &with["counts"]["decisions"]),
        (&json!(1), &json!(1))
    );
    assert!(bench.run(["status"]).ok().contains("rejected"));
    let doctor = bench.run(["doctor", "--json"]).lines().remove(0);
    assert_eq!(
        keys(&doctor),
        set(&["benchtop", "terminal", "devices", "project"])
    );
    assert_eq!(doctor["project"]["owner"]["pid"], with["owner"]["pid"]);
}

#[test]
fn items_are_filtered_sorted_and_one_object_a_line() {
    let bench = Bench::with_items(12);
    let lines: String = [(3, "accept"), (1, "reject"), (7, "accept")]
        .map(|(n, v)| format!("{{\"item\":\"set/{n}\",\"verdict\":\"{v}\"}}\n"))
        .concat();
    bench.feed(["decide"], &lines).ok();
    std::thread::sleep(std::time::Duration::from_millis(3));
    bench
        .feed(["decide"], "{\"item\":\"set/7\",\"verdict\":\"accept\"}")
        .ok();
    let items = |args: &[&str]| bench.run([&["items", "--json"], args].concat()).lines();
    let all = items(&[]);
    assert_eq!(all.len(), 12);
    assert_eq!(
        (&all[3]["number"], &all[3]["status"], &all[3]["id"]),
        (&json!(4), &json!("accepted"), &json!("set/3"))
    );
    assert_eq!(all[0]["kind"], "multiple-choice");
    assert_eq!(
        ids(&items(&["--filter", "status:accepted"])),
        ["set/3", "set/7"]
    );
    assert_eq!(
        ids(&items(&[
            "--filter",
            "status:accepted,rejected",
            "--sort",
            "-status,-number"
        ])),
        ["set/1", "set/7", "set/3"]
    );
    assert_eq!(
        ids(&items(&["--filter", "subtask:plant status:pending"])),
        ["set/5", "set/9", "set/11"]
    );
    assert_eq!(
        ids(&items(&["--filter", "number:4,2,40"])),
        ["set/1", "set/3"]
    );
    assert_eq!(ids(&items(&["--filter", "type:yes-no"])), [""; 0]);
    assert_eq!(
        ids(&items(&["--sort", "-id"]))[..3],
        ["set/11", "set/10", "set/9"]
    );
    assert_eq!(ids(&items(&["--sort", "-judged"]))[0], "set/7");
    assert_eq!(ids(&items(&["--filter", "thing 11"]))[0], "set/11");
    let plain = bench.run(["items", "--filter", "number:4"]).ok();
    assert_eq!(plain, "#4\taccepted\tset/3\tWhich is number 3?\n");
    for (args, wrong, right) in [
        (["--filter", "status:lost"], "`lost`", "pending, accepted"),
        (["--sort", "colour"], "`colour`", "subtask"),
    ] {
        let error = bench
            .run([&["items", "--json"][..], &args].concat())
            .refused_as(ErrorKind::Usage);
        assert!(error.names(wrong) && error.names(right), "{error}");
    }
}

#[test]
fn a_reason_that_the_project_does_not_declare_is_refused() {
    let bench = Bench::with_items(2);
    let line =
        json!({"item": 1, "verdict": "reject", "reasons": ["unsafe", "too-blue"]}).to_string();
    let output = bench.feed(["decide", "--as", "ann"], &line);
    assert_eq!(output.code, 1);
    let error = &json_lines(&output.out)[0]["error"];
    assert_eq!(error["place"]["field"], "reasons");
    assert!(
        error["help"].as_str().unwrap().contains("wrong-answer"),
        "{error}"
    );
    assert!(bench.verdicts().is_empty());
}

#[test]
fn decide_gives_a_receipt_a_line_and_refuses_lines_one_by_one() {
    let bench = Bench::with_items(4);
    let uuid = Uuid::now_v7();
    let input = [
        json!({"item": "set/2", "verdict": "reject", "reasons": ["unsafe", "other"], "note": "a\nb", "uuid": uuid})
            .to_string(),
        json!({"item": 1, "verdict": "accept"}).to_string(),
        String::new(),
        json!({"item": "set/99", "verdict": "accept"}).to_string(),
        json!({"item": 1, "verdict": "maybe"}).to_string(),
        json!({"item": 1, "verdict": "accept", "colour": "red"}).to_string(),
        "not json".into(),
        json!({"item": 4, "verdict": "flag"}).to_string(),
    ];
    let output = bench.feed(["decide", "--as", "ann"], &input.join("\n"));
    assert_eq!(output.code, 1, "a refused line makes the exit code 1");
    let receipts = json_lines(&output.out);
    assert_eq!(
        receipts
            .iter()
            .map(|r| r["line"].as_u64().unwrap())
            .collect::<Vec<_>>(),
        [1, 2, 4, 5, 6, 7, 8]
    );
    let saved: Vec<bool> = receipts
        .iter()
        .map(|r| r["saved"].as_bool().unwrap())
        .collect();
    assert_eq!(saved, [true, true, false, false, false, false, true]);
    assert_eq!(
        receipts[0],
        json!({"saved": true, "line": 1, "item": "set/2", "verdict": "reject", "number": 3, "status": "rejected", "rev": 1, "uuid": uuid})
    );
    assert_eq!(
        keys(&receipts[2]),
        set(&["saved", "line", "item", "uuid", "error"])
    );
    assert_eq!(
        (
            &receipts[2]["error"]["kind"],
            &receipts[2]["error"]["place"]["line"]
        ),
        (&json!("not_found"), &json!(4))
    );
    assert_eq!(receipts[3]["error"]["place"]["field"], "verdict");
    let verdicts = bench.verdicts();
    assert_eq!(verdicts.len(), 3);
    let of_two = verdicts.iter().find(|v| v["item"] == "set/2").unwrap();
    assert_eq!(
        keys(of_two),
        set(&[
            "number",
            "item",
            "who",
            "verdict",
            "reasons",
            "note",
            "ms",
            "seen",
            "at",
            "rev",
            "uuid",
            "answer",
            "round",
            "part",
            "guidelines",
            "revealed",
            "on",
            "pictures"
        ])
    );
    assert_eq!(
        (&of_two["reasons"], &of_two["note"], &of_two["seen"]),
        (
            &json!(["unsafe", "other"]),
            &json!("a\nb"),
            &json!("script")
        )
    );
    // The journal is what the receipts say, one object a line, with its checksum.
    let journal = bench.journals();
    assert_eq!(journal.len(), 3);
    assert!(
        journal
            .iter()
            .all(|l| l["crc"].as_str().unwrap().len() == 8 && l["who"] == "ann")
    );
    assert_eq!(bench.run(["decide", "--as", "a/b"]).code, 2);
    assert_eq!(bench.run(["decide", "--as", ".."]).code, 2);
}

#[test]
fn undo_and_redo_go_back_and_forth_for_their_annotator_only() {
    let bench = Bench::with_items(3);
    bench
        .feed(
            ["decide", "--as", "ann"],
            "{\"item\":1,\"verdict\":\"accept\"}\n{\"item\":2,\"verdict\":\"reject\"}\n",
        )
        .ok();
    bench
        .feed(
            ["decide", "--as", "bob"],
            "{\"item\":2,\"verdict\":\"flag\"}\n",
        )
        .ok();
    let statuses = || -> Vec<String> {
        bench
            .items()
            .iter()
            .map(|i| i["status"].as_str().unwrap().to_string())
            .collect()
    };
    assert_eq!(statuses(), ["accepted", "flagged", "pending"]);
    let receipts = bench.run(["undo", "--as", "ann", "--count", "2"]).lines();
    assert_eq!(
        receipts
            .iter()
            .map(|r| r["number"].as_u64().unwrap())
            .collect::<Vec<_>>(),
        [2, 1]
    );
    assert_eq!(
        (
            &receipts[0]["saved"],
            &receipts[0]["act"],
            &receipts[0]["status"]
        ),
        (&json!(true), &json!("undo"), &json!("flagged"))
    );
    assert_eq!(statuses(), ["pending", "flagged", "pending"]);
    bench.run(["undo", "--as", "ann"]).refused(1);
    assert_eq!(statuses(), ["pending", "flagged", "pending"]);
    assert_eq!(bench.run(["redo", "--as", "ann"]).lines()[0]["number"], 1);
    assert_eq!(statuses(), ["accepted", "flagged", "pending"]);
    bench.run(["stop"]).ok();
    // Undo goes across a restart.
    assert_eq!(bench.run(["redo", "--as", "ann"]).lines()[0]["number"], 2);
    assert_eq!(
        bench.run(["undo", "--as", "bob"]).lines()[0]["status"],
        "rejected"
    );
    assert_eq!(bench.run(["undo", "--as", "cy"]).code, 1);
    assert_eq!(bench.journals().len(), 8);
}

#[test]
fn an_import_says_what_it_took_and_twice_adds_nothing() {
    let bench = Bench::new();
    let import = |args: &[&str]| {
        bench
            .run([&["import", "--json"], args].concat())
            .lines()
            .remove(0)
    };
    let small = fixture("small");
    let report = import(&[small.to_str().unwrap()]);
    assert_eq!(
        keys(&report),
        set(&[
            "items",
            "predictions",
            "already",
            "duplicates",
            "pictures",
            "missing_pictures",
            "unreadable",
            "unreadable_pictures",
            "files",
            "skipped",
            "skipped_more",
            "notes"
        ])
    );
    assert_eq!(report["files"].as_array().unwrap().len(), 6);
    assert_eq!(keys(&report["files"][0]), set(&["path", "format", "added"]));
    let (items, predictions) = (
        report["items"].as_u64().unwrap(),
        report["predictions"].as_u64().unwrap(),
    );
    assert!(items > 0 && predictions > 0, "{report}");
    let before = bench.snapshot();
    let again = import(&[small.to_str().unwrap()]);
    assert_eq!(
        (&again["items"], &again["predictions"]),
        (&json!(0), &json!(0))
    );
    assert!(again["already"].as_u64().unwrap() >= items);
    assert_eq!(bench.snapshot(), before);
    // The same file as another data set is another data set.
    let other = import(&[
        "--dataset",
        "other",
        small.join("questions.json").to_str().unwrap(),
    ]);
    assert_eq!(other["items"], 8);
    assert_eq!(
        bench
            .run(["items", "--json", "--filter", "dataset:other"])
            .lines()
            .len(),
        8
    );
    assert_eq!(
        bench
            .run(["import", "--dataset", "a/b", small.to_str().unwrap()])
            .code,
        2
    );
}

fn export(bench: &Bench, args: &[&str]) -> String {
    bench.run([&["export"], args].concat()).ok()
}

#[test]
fn exports_reproduce_imports() {
    let bench = Bench::new();
    let mut folders = vec![(fixture("small"), "")];
    folders.extend(shared("mvp-bench").map(|f| (f, "mvp")));
    for (folder, name) in folders {
        let bench = if name.is_empty() {
            &bench
        } else {
            &Bench::new()
        };
        bench.run(["import", folder.to_str().unwrap()]).ok();
        let out = bench.beside("out");
        export(bench, &["--format", "mvp", "--out", out.to_str().unwrap()]);
        // Into a new project: the same items and answers.
        let again = Bench::new();
        let report = again
            .run(["import", "--json", out.to_str().unwrap()])
            .lines()
            .remove(0);
        assert_eq!(report["skipped"], json!([]));
        assert_eq!(
            again.status()["counts"]["prediction_sets"],
            bench.status()["counts"]["prediction_sets"]
        );
        assert_eq!(again.items().len(), bench.items().len());
        let jsonl = export(bench, &["--format", "jsonl"]);
        let own = Bench::new();
        let file = own.write("own.jsonl", &jsonl);
        own.run(["import", file.to_str().unwrap()]).ok();
        assert_eq!(export(&own, &["--format", "jsonl"]), jsonl);
    }
    let questions = std::fs::read_to_string(fixture("small").join("questions.json")).unwrap();
    assert_eq!(
        std::fs::read_to_string(bench.beside("out/data/all_questions.json")).unwrap(),
        questions
    );
    let only = export(&bench, &["--format", "jsonl", "--filter", "level:low"]);
    assert!(!only.is_empty() && json_lines(&only).iter().all(|l| l["level"] == "low"));
    assert_eq!(bench.run(["export", "--format", "mvp"]).code, 2);
    assert_eq!(bench.run(["export", "--format", "parquet"]).code, 2);
}

#[test]
fn dysca_figures_come_back_byte_for_byte_with_their_pictures() {
    let Some(figures) = shared("dysca-figures") else {
        return;
    };
    let bench = Bench::new();
    let report = bench
        .run(["import", "--json", figures.to_str().unwrap()])
        .lines()
        .remove(0);
    assert_eq!(
        (
            &report["items"],
            &report["pictures"],
            &report["missing_pictures"]
        ),
        (&json!(24), &json!(8), &json!(0))
    );
    let out = bench.beside("out/Dysca.json");
    export(
        &bench,
        &[
            "--format",
            "dysca",
            "--pictures",
            "--out",
            out.to_str().unwrap(),
        ],
    );
    assert_eq!(
        std::fs::read(&out).unwrap(),
        std::fs::read(figures.join("Dysca.json")).unwrap()
    );
    for n in 1..=8 {
        let name = format!("images/{n}.jpg");
        assert_eq!(
            std::fs::read(bench.beside("out").join(&name)).unwrap(),
            std::fs::read(figures.join(&name)).unwrap()
        );
    }
    // Linked instead of copied: nothing in images/, and the hash recorded.
    let linked = Bench::new();
    linked
        .run(["import", "--link", figures.to_str().unwrap()])
        .ok();
    let image = linked.items()[0]["images"][0].clone();
    assert_eq!(image["hash"], bench.items()[0]["images"][0]["hash"]);
    assert!(Path::new(image["link"].as_str().unwrap()).is_file());
    assert!(
        !linked
            .snapshot()
            .keys()
            .any(|p| p.extension().is_some_and(|e| e == "jpg"))
    );
    assert_eq!(
        export(&linked, &["--format", "dysca"]),
        export(&bench, &["--format", "dysca"])
    );
    // All 24 can be reviewed.
    let lines: String = (1..=24)
        .map(|n| verdict(Uuid::now_v7(), n, "accept") + "\n")
        .collect();
    assert_eq!(bench.feed(["decide"], &lines).lines().len(), 24);
    assert_eq!(bench.status()["counts"]["by_status"]["accepted"], 24);
}

#[test]
fn a_failed_export_leaves_the_old_file_and_nothing_else() {
    let bench = Bench::with_items(3);
    bench
        .run(["import", fixture("small").to_str().unwrap()])
        .ok();
    std::fs::create_dir(bench.beside("out")).unwrap();
    let out = bench.write("out/a.json", "the old one");
    // A folder where a file must be renamed to.
    std::fs::create_dir_all(bench.beside("out/b.json/in the way")).unwrap();
    for path in [bench.beside("out/b.json"), "/proc/nowhere/a.json".into()] {
        bench
            .run([
                "export",
                "--format",
                "jsonl",
                "--out",
                path.to_str().unwrap(),
            ])
            .refused(1);
    }
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "the old one");
    let mut left: Vec<_> = std::fs::read_dir(bench.beside("out"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["a.json", "b.json"]);
    let output = bench.run([
        "export",
        "--format",
        "dysca",
        "--out",
        out.to_str().unwrap(),
    ]);
    let notes: Vec<&str> = output.err.lines().collect();
    assert!(notes.len() == 2 && has_word(notes[0], "3"), "{notes:?}");
}

#[test]
fn a_closed_pipe_ends_a_command_quietly() {
    let bench = Bench::with_items(3000);
    bench
        .feed(
            ["decide"],
            &(1..=2000)
                .map(|n| verdict(Uuid::now_v7(), n, "accept") + "\n")
                .collect::<String>(),
        )
        .ok();
    for args in [
        vec!["items"],
        vec!["items", "--json"],
        vec!["items", "--json", "--sort", "-number"],
        vec!["verdicts", "--json"],
        vec!["export", "--format", "jsonl"],
        vec!["export", "--format", "dysca"],
    ] {
        let mut child = bench
            .command(args.clone())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn bad_usage_exits_with_2_and_refusal_with_1() {
    let bench = Bench::new();
    for args in [
        vec!["nonsense"],
        vec!["import"],
        vec!["items", "--colour"],
        vec!["undo", "--count", "many"],
    ] {
        assert_eq!(bench.run(args.clone()).code, 2, "{args:?}");
    }
    let nowhere = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new(PROGRAM);
    let error = run(command.args(["items", "--project"]).arg(nowhere.path()), "").refused(1);
    assert!(error.names("benchtop init"), "{error}");
    let error = bench
        .run(["init", bench.root().to_str().unwrap()])
        .refused(1);
    assert!(error.names(bench.root().to_str().unwrap()), "{error}");
    let made = bench.beside("new");
    bench.run(["init", made.to_str().unwrap()]).ok();
    assert!(made.join("benchtop.toml").is_file());
    std::fs::write(made.join("benchtop.toml"), "name = 4\n").unwrap();
    let mut command = std::process::Command::new(PROGRAM);
    let error = run(command.args(["items", "--project"]).arg(&made), "").refused(1);
    assert_eq!(error.place(), ("benchtop.toml", 1, "name"));
}

#[test]
fn a_command_with_json_prints_its_error_as_json() {
    let bench = Bench::with_items(2);
    let mut wrong = crate::support::question(7);
    wrong["answer"] = json!(4);
    let file = bench.write(
        "wrong.jsonl",
        format!("{}\n{wrong}\n", crate::support::question(6)),
    );
    let wrong = file.to_str().unwrap();
    for (args, code, kind, place) in [
        (
            vec!["import", "--json", wrong],
            1,
            "input",
            json!({"file": wrong, "line": 2, "field": "answer"}),
        ),
        (
            vec!["items", "--json", "--filter", "status:lost"],
            2,
            "usage",
            json!({"file": null, "line": null, "field": "status"}),
        ),
        (
            vec!["items", "--json", "--colour"],
            2,
            "usage",
            json!({"file": null, "line": null, "field": null}),
        ),
        (
            vec!["board", "--format", "json", "--ranks", "nonsense"],
            1,
            "not_found",
            json!({"file": null, "line": null, "field": null}),
        ),
    ] {
        let output = bench.run(args.clone());
        let [error] = &json_lines(&output.err)[..] else {
            panic!("{args:?}: {output:?}");
        };
        assert_eq!(keys(error), set(&["error"]), "{args:?}");
        let error = &error["error"];
        assert_eq!(keys(error), set(&["kind", "what", "place", "help"]));
        assert_eq!(
            (output.code, &error["kind"], &error["place"]),
            (code, &json!(kind), &place),
            "{args:?}: {error}"
        );
        assert!(output.out.is_empty(), "{args:?}: {output:?}");
        // After `--` the word is no option, and the text form has the same place.
        let without = args
            .iter()
            .copied()
            .filter(|arg| !["--json", "--format", "json"].contains(arg));
        let text = bench.run(without).refused(code);
        assert_eq!(text.kind, None);
        assert_eq!(text.line, place["line"].as_u64().unwrap_or_default());
        assert_eq!(text.field, place["field"].as_str().unwrap_or_default());
    }
    let last = bench.run(["items", "--colour", "--", "--json"]);
    assert!(last.code == 2 && !last.err.starts_with('{'), "{last:?}");
}

/// The names below `Commands:` in a help text.
fn commands(help: &str) -> Vec<&str> {
    let lines = help
        .lines()
        .skip_while(|l| !l.starts_with("Commands:"))
        .skip(1);
    lines
        .take_while(|l| !l.is_empty())
        .filter_map(|l| l.split_whitespace().next())
        .filter(|n| *n != "help")
        .collect()
}

#[test]
fn every_command_has_its_section_in_the_documentation() {
    let docs =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/cli.md")).unwrap();
    let bench = Bench::new();
    let help = bench.run(["--help"]).ok();
    let names = commands(&help);
    assert!(names.len() >= 14, "{names:?}");
    for name in names {
        let section = docs
            .split("\n## ")
            .find(|s| s.starts_with(&format!("`benchtop {name}")));
        let section =
            section.unwrap_or_else(|| panic!("docs/cli.md has no section on `benchtop {name}`"));
        let help = bench.run([name, "--help"]).ok();
        // One option a line. Elsewhere the help may name options of other commands.
        let options = help
            .lines()
            .filter(|line| line.trim_start().starts_with('-'))
            .filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")));
        for option in
            options.filter(|o| !["--project", "--as", "--color", "--help", "--version"].contains(o))
        {
            assert!(
                section.contains(option),
                "the section on {name} says nothing of {option}"
            );
        }
    }
}

#[test]
fn keys_are_listed_checked_and_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("keys.toml");
    let keys = |text: &str, args: &[&str]| {
        std::fs::write(&file, text).unwrap();
        let mut command = std::process::Command::new(PROGRAM);
        command
            .arg("keys")
            .args(args)
            .env("BENCHTOP_KEYS", &file)
            .current_dir(dir.path());
        let done = command.output().unwrap();
        let (out, err) = (
            String::from_utf8(done.stdout).unwrap(),
            String::from_utf8(done.stderr).unwrap(),
        );
        (done.status.code().unwrap(), out, err)
    };
    let path = file.to_str().unwrap();
    let right = "accept = \"y\"\n[macros]\nm = { key = \"W\", verdict = \"skip\" }\n";
    let (code, out, err) = keys(right, &[]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        out.lines().next().unwrap().ends_with(path) && out.lines().any(|l| l.starts_with("* y ")),
        "{out}"
    );
    let (code, out, _) = keys(right, &["--json"]);
    assert_eq!(code, 0);
    let lines = json_lines(&out);
    let accept = lines.iter().find(|l| l["action"] == "accept").unwrap();
    assert_eq!(
        (&accept["keys"], &accept["default"]),
        (&json!(["y"]), &json!(["a"]))
    );
    assert_eq!(lines.last().unwrap()["macro"], "m");
    assert_eq!(keys(right, &["check", path]).0, 0);
    let wrong = "accept = \"x\"\n";
    let (code, out, err) = keys(wrong, &[]);
    assert_eq!(code, 1);
    assert!(
        !out.contains(path) && Refusal::parse(code, &err).place() == ("keys.toml", 1, "accept"),
        "{out}{err}"
    );
    let (code, out, err) = keys(wrong, &["check", path, "--json"]);
    assert_eq!((code, keys(wrong, &["check", "none.toml"]).0), (1, 1));
    assert!(err.is_empty(), "{err}");
    assert_eq!(
        (
            &json_lines(&out)[0]["severity"],
            &json_lines(&out)[0]["line"]
        ),
        (&json!("error"), &json!(1))
    );
}
