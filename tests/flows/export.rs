//! Exports in the formats of other tools import into another project unchanged.

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::{Bench, has_line, has_word};

fn small(name: &str) -> String {
    format!(
        "{}/tests/conformance/fixtures/small/{name}",
        env!("CARGO_MANIFEST_DIR")
    )
}

/// A project with MVP-Bench's questions, rotations and answers, and a set with pictures.
fn full() -> Bench {
    let bench = Bench::new();
    bench.run(["import", &small("")]).ok();
    for (name, width) in [("pictures/one.png", 3), ("pictures/two.png", 5)] {
        let mut bytes = std::io::Cursor::new(Vec::new());
        image::RgbImage::new(width, 2)
            .write_to(&mut bytes, image::ImageFormat::Png)
            .unwrap();
        bench.write(name, bytes.into_inner());
    }
    let rows = "index\timage\tquestion\tA\tB\tanswer\tcategory\tg_index\todd\n\
        1\tpictures/one.png\tWhat, \"x\"?\tNone\tNA\tB\tc1\t1\t5\n\
        1000001\tpictures/one.png\tWhat, \"x\"?\tNA\tNone\tA\tc1\t1\t\n\
        2\tpictures/two.png\tWho?\ta\tb\tA\tc2\t2\tmore\n\
        3\tnowhere.png\tWhere?\ta\tb\tB\tc2\t3\t\n";
    let table = bench.write("birds.tsv", rows);
    let answers = "index\tquestion\tanswer\tprediction\n1\tWhat, \"x\"?\tB\tB. NA\n2\tWho?\tA\tI \"think\"\tof\n"
        .replace("\"think\"\tof", "think of");
    let answers = bench.write("wise/wise_birds.tsv", answers);
    bench
        .run(["import", table.to_str().unwrap(), answers.to_str().unwrap()])
        .ok();
    bench
}

fn export(bench: &Bench, format: &str, more: &[&str]) -> (std::path::PathBuf, String) {
    let out = bench.beside(format);
    let args = ["export", "--format", format, "--out", out.to_str().unwrap()];
    let output = bench.run(args.into_iter().chain(more.iter().copied()));
    assert_eq!(output.code, 0, "{output:?}");
    (out, output.err)
}

fn jsonl(bench: &Bench) -> BTreeMap<String, String> {
    let lines = bench.run(["export", "--format", "jsonl"]).ok();
    let id = |line: &str| {
        serde_json::from_str::<serde_json::Value>(line).unwrap()["id"]
            .as_str()
            .unwrap()
            .to_string()
    };
    lines
        .lines()
        .map(|line| (id(line), line.to_string()))
        .collect()
}

#[test]
fn dysca_export_leaves_out_and_counts_other_forms() {
    let bench = Bench::new();
    let rows = [
        r#"{"id": 1, "question": "Which?", "A": "cat", "B": "dog", "answer": "dog"}"#,
        r#"{"id": 2, "question": "Is it?", "answer": "yes"}"#,
        r#"{"id": 3, "question": "Is it red?", "answer": "no"}"#,
    ];
    let file = bench.write("mixed.jsonl", rows.join("\n"));
    bench.run(["import", file.to_str().unwrap()]).ok();
    let (out, err) = export(&bench, "dysca", &[]);
    let notes: Vec<&str> = err.lines().collect();
    assert!(
        notes.len() == 2 && has_word(notes[0], "1") && has_word(notes[1], "2"),
        "{err}"
    );
    assert!(
        notes[1].contains("mixed/2") && notes[1].contains("yes/no"),
        "{err}"
    );
    assert_eq!(
        serde_json::from_slice::<Vec<serde_json::Value>>(&std::fs::read(out).unwrap())
            .unwrap()
            .len(),
        1
    );
}

fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match path.is_dir() {
            true => found.extend(
                files(&path)
                    .into_iter()
                    .map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)),
            ),
            false => drop(found.insert(name, std::fs::read(&path).unwrap())),
        }
    }
    found
}

#[test]
fn every_export_format_round_trips() {
    let bench = full();
    let items = jsonl(&bench);
    assert!(
        items.len() > 8 && items.keys().any(|id| id.starts_with("birds/")),
        "{items:?}"
    );
    for format in ["vlmevalkit", "lmms-eval", "hf-folder", "hf-parquet"] {
        let (out, said) = export(&bench, format, &[]);
        let counts: Vec<u64> = said
            .lines()
            .filter_map(|line| line.split(' ').find_map(|word| word.parse().ok()))
            .collect();
        assert_eq!(counts[0], items.len() as u64, "{said}");
        assert!((1..counts[0]).contains(&counts[1]), "{said}");
        let names: Vec<String> = files(&out).into_keys().collect();
        assert!(
            names.iter().all(|name| !name.contains(".tmp-")),
            "{names:?}"
        );
        let other = Bench::new();
        other.run(["import", out.to_str().unwrap()]).ok();
        assert_eq!(jsonl(&other), items, "{format}: {names:?}");
    }
}

#[test]
fn exported_answers_return_to_their_questions() {
    let bench = full();
    let (out, said) = export(&bench, "vlmevalkit", &["--with-predictions"]);
    assert!(said.lines().count() >= 2, "{said}");
    let before = files(&out);
    let names: Vec<&str> = before.keys().map(String::as_str).collect();
    assert!(
        names.contains(&"birds.tsv") && names.contains(&"wise/wise_birds.tsv"),
        "{names:?}"
    );
    assert_eq!(
        names
            .iter()
            .filter(|name| name.starts_with("wise/"))
            .count(),
        1,
        "{names:?}"
    );
    let other = Bench::new();
    other.run(["import", out.to_str().unwrap()]).ok();
    let (again, _) = export(&other, "vlmevalkit", &["--with-predictions"]);
    assert_eq!(files(&again), before);
}

#[test]
fn export_filters_items_and_refuses_bad_options() {
    let bench = full();
    let (out, said) = export(
        &bench,
        "hf-folder",
        &["--filter", "dataset:birds subtask:c1"],
    );
    assert!(has_line(&said, &["2"]), "{said}");
    let names: Vec<String> = files(&out).into_keys().collect();
    assert_eq!(names, ["train/metadata.jsonl", "train/pictures/one.png"]);
    assert!(
        bench
            .run(["export", "--format", "hf-parquet"])
            .refused(2)
            .names("--out")
    );
    let dir = out.to_str().unwrap();
    let refused = bench
        .run([
            "export",
            "--format",
            "lmms-eval",
            "--out",
            dir,
            "--with-predictions",
        ])
        .refused(2);
    assert!(refused.names("vlmevalkit"), "{refused}");
    let refused = bench
        .run([
            "export",
            "--format",
            "vlmevalkit",
            "--out",
            dir,
            "--pictures",
        ])
        .refused(2);
    assert!(refused.names("--pictures"), "{refused}");
}

#[test]
fn vlmevalkit_export_separates_questions_without_options() {
    let bench = Bench::new();
    let rows = [
        r#"{"id": 1, "question": "Which?", "A": "cat", "B": "dog", "answer": "dog"}"#,
        r#"{"id": 2, "question": "Describe it.", "answer": "a dog on a mat"}"#,
    ];
    let file = bench.write("mixed.jsonl", rows.join("\n"));
    let answers = bench.write("m/m_mixed.csv", "id,output\n1,B\n2,a dog\n");
    bench
        .run(["import", file.to_str().unwrap(), answers.to_str().unwrap()])
        .ok();
    let (out, _) = export(&bench, "vlmevalkit", &["--with-predictions"]);
    let found = files(&out);
    let text = |name: &str| String::from_utf8(found[name].clone()).unwrap();
    assert!(text("mixed.tsv").contains("Which?") && !text("mixed.tsv").contains("Describe"));
    let alone = text("mixed-without-options.tsv");
    assert!(
        alone.contains("Describe") && !alone.contains("\"A\""),
        "a tool takes letters for options: {alone}"
    );
    let models: Vec<&String> = found.keys().filter(|name| name.contains('/')).collect();
    assert_eq!(models.len(), 2, "{models:?}");
    let items = jsonl(&bench);
    let other = Bench::new();
    other.run(["import", out.to_str().unwrap()]).ok();
    assert_eq!(jsonl(&other), items);
    let (again, _) = export(&other, "vlmevalkit", &["--with-predictions"]);
    assert_eq!(files(&again), found);
}

#[test]
fn a_dry_run_counts_what_the_export_writes_and_writes_nothing() {
    let bench = full();
    let out = bench.beside("planned");
    let path = out.to_str().unwrap();
    let with = [
        "--format",
        "vlmevalkit",
        "--out",
        path,
        "--with-predictions",
    ];
    let args = |more: &[&'static str]| [&["export"][..], &with, more].concat();
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let plan = json(&bench.run(args(&["--dry-run", "--json"])).ok());
    assert!(!out.exists());
    assert_eq!(
        (&plan["existing"], &plan["left_out"]),
        (&"nothing".into(), &0.into())
    );
    let report = json(&bench.run(args(&["--json"])).ok());
    assert_eq!(report["items"], plan["items"]);
    assert!(plan["pictures"].as_u64() == Some(2) && report["answers"].as_u64() > Some(0));
    let plan = json(&bench.run(args(&["--dry-run", "--json"])).ok());
    assert_eq!(plan["existing"], "folder");
    // Items on standard output leave no place for a report.
    bench
        .run(["export", "--format", "jsonl", "--json"])
        .refused(2);
    let file = bench.write("old.jsonl", "12345");
    let args = [
        "export",
        "--format",
        "jsonl",
        "--out",
        file.to_str().unwrap(),
        "--dry-run",
        "--json",
    ];
    assert_eq!(json(&bench.run(args).ok())["existing"]["file"], 5);
}

#[test]
fn an_inspection_says_what_an_import_would_add_and_adds_nothing() {
    let bench = Bench::new();
    let rows = "question,A,B,answer\nIs it?,x,y,A\nWho?,a,b,B\n";
    let file = bench.write("t.csv", rows);
    let path = file.to_str().unwrap();
    let shown = bench.run(["import", path, "--inspect", "--json"]).ok();
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let found = &shown["paths"][0];
    assert_eq!((&found["is"], &found["items"]), (&"file".into(), &2.into()));
    assert_eq!(found["first"][1], "Who?");
    assert!(has_line(
        &bench.run(["import", path, "--inspect"]).ok(),
        &["2 items"]
    ));
    assert!(jsonl(&bench).is_empty());
    let imported = bench.run(["import", path, "--json"]).ok();
    let imported: serde_json::Value = serde_json::from_str(&imported).unwrap();
    assert_eq!(imported["items"], found["items"]);
}
