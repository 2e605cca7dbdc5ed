//! Import files with wrong content.

use std::io::{Seek, SeekFrom, Write};

use serde_json::{Value, json};

use super::{lines, refused};
use crate::support::{Bench, ErrorKind, owners, question};

fn changed(n: usize, field: &str, value: Value) -> String {
    let mut question = question(n);
    question[field] = value;
    question.to_string()
}

#[test]
fn truncated_json_names_the_line() {
    let bench = Bench::with_items(3);
    let whole = lines(10..20, 4, &question(13).to_string());
    let cut = bench.write("cut.jsonl", &whole[..whole.len() - 40]);
    refused(&bench, &cut, 10, "", &[]);
    let array = Value::from((10..20).map(question).collect::<Vec<_>>())
        .to_string()
        .replace("},{", "},\n{");
    let cut = bench.write("array.json", &array[..array.len() - 40]);
    refused(&bench, &cut, 10, "", &[]);
    let empty = bench.write("empty.jsonl", "");
    refused(&bench, &empty, 0, "", &[]);
}

#[test]
fn import_refuses_a_line_of_two_gigabytes_in_bounded_memory() {
    let bench = Bench::with_items(3);
    let path = bench.beside("huge.jsonl");
    let mut file = std::fs::File::create(&path).unwrap();
    file.write_all(b"{\"id\": \"").unwrap();
    // A hole: the file has two gigabytes and the disk has none of them.
    file.set_len(2 << 30).unwrap();
    refused(&bench, &path, 1, "", &["16777216"]);
    // And after a good line.
    file.seek(SeekFrom::Start(0)).unwrap();
    writeln!(file, "{}", question(1)).unwrap();
    file.write_all(b"{\"id\": \"").unwrap();
    refused(&bench, &path, 2, "", &["16777216"]);
    let pid = owners(bench.root())[0];
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let peak = status
        .lines()
        .find_map(|l| l.strip_prefix("VmHWM:"))
        .unwrap();
    let kib: u64 = peak.split_whitespace().next().unwrap().parse().unwrap();
    assert!(kib < 256 << 10, "the owner's peak is {kib} KiB");
}

#[test]
fn wrong_types_name_line_and_field() {
    let bench = Bench::with_items(3);
    for (field, value, data) in [
        ("answer", json!(4), "number"),
        ("question", json!(["a"]), "array"),
        ("question", json!(" "), ""),
        ("options", json!("a"), "array"),
        ("id", json!({}), "object"),
        ("question_type", json!("essay"), "essay"),
        ("answer", json!("neither"), ""),
        ("style", json!("s".repeat(200_000)), "200000"),
    ] {
        let file = bench.write("wrong.jsonl", lines(10..20, 7, &changed(16, field, value)));
        refused(&bench, &file, 7, field, &[data]);
    }
    for text in ["[1, 2]\n", "\"text\"\n", "nonsense\n", "{\"a\": 1}\n"] {
        let file = bench.write("other.json", text);
        refused(&bench, &file, 1, "", &[]);
    }
    let file = bench.write("bytes.jsonl", b"{\"id\": 1, \"q\": \"\xC3\x28\"}\n");
    refused(&bench, &file, 1, "", &["UTF-8"]);
}

#[test]
fn a_derivation_or_rights_with_a_wrong_value_name_line_and_field() {
    let bench = Bench::with_items(3);
    let item = |n: usize, change: &dyn Fn(&mut Value)| {
        let mut item = json!({
            "id": format!("made/{n}"), "dataset": "made", "key": n, "form": "plain", "question": "What?", "kind": "free-form", "answer": "x",
            "images": [{"name": "a.png", "rights": {"license": "CC0-1.0", "sensitivity": ["violence"]}}],
            "derivation": {"method": "corruption", "source": {"id": "set/1", "digest": "0a1b2c3d"}, "parameters": {"seed": 7}},
        });
        change(&mut item);
        item.to_string()
    };
    type Change<'a> = &'a dyn Fn(&mut Value);
    let changes: [(&str, Change<'_>); 8] = [
        ("derivation.method", &|i| {
            i["derivation"]["method"] = json!("\u{1b}[2J")
        }),
        ("derivation.source.id", &|i| {
            i["derivation"]["source"]["id"] = json!("made/2")
        }),
        ("derivation.source.digest", &|i| {
            i["derivation"]["source"]["digest"] = json!("-")
        }),
        ("derivation.picture", &|i| {
            i["derivation"]["picture"] = json!("/etc/passwd")
        }),
        ("derivation.parameters.seed", &|i| {
            i["derivation"]["parameters"]["seed"] = json!(0.5)
        }),
        ("derivation.context", &|i| {
            i["derivation"]["context"] = json!("x".repeat(20_000))
        }),
        ("images.rights.license", &|i| {
            i["images"][0]["rights"]["license"] = json!("a;b")
        }),
        ("images.rights.sensitivity", &|i| {
            i["images"][0]["rights"]["sensitivity"] = json!(["\n"])
        }),
    ];
    for (field, change) in changes {
        let lines = [item(1, &|_| ()), item(2, change), item(3, &|_| ())].join("\n");
        let file = bench.write("made.jsonl", lines + "\n");
        refused(&bench, &file, 2, field, &[]);
    }
    // A list is no derivation at all.
    let lines = [item(1, &|_| ()), item(2, &|i| i["derivation"] = json!([1]))].join("\n");
    let file = bench.write("made.jsonl", lines + "\n");
    refused(&bench, &file, 2, "", &[]);
}

#[test]
fn an_id_with_another_content_is_refused_within_a_file_and_against_the_project() {
    let bench = Bench::with_items(3);
    let file = bench.write(
        "twice.jsonl",
        lines(10..20, 7, &changed(12, "question", json!("Which, though?"))),
    );
    refused(&bench, &file, 7, "id", &["line 3"]);
    let file = bench.write(
        "set.jsonl",
        lines(0..3, 2, &changed(1, "question", json!("Which, though?"))),
    );
    refused(&bench, &file, 2, "id", &["--dataset"]);
    // The same again is no error.
    let report = bench
        .run([
            "import",
            "--json",
            bench.items_file("set", 0..3).to_str().unwrap(),
        ])
        .lines()
        .remove(0);
    assert_eq!(
        (&report["items"], &report["already"]),
        (&json!(0), &json!(3))
    );
}

#[test]
fn keep_going_imports_good_records_and_lists_bad_ones() {
    let bench = Bench::with_items(3);
    let mut text = lines(10..20, 3, "{\"id\": 12,");
    text.push_str(&(changed(11, "question", json!("Which, though?")) + "\n"));
    text.push_str(&(changed(30, "images", json!(["../x.png"])) + "\n"));
    text.push_str(&(changed(31, "style", json!("s".repeat(5000))) + "\n"));
    text.push_str(&question(32).to_string());
    let file = bench.write("mixed.jsonl", text);
    let report = bench
        .run(["import", "--json", "--keep-going", file.to_str().unwrap()])
        .lines()
        .remove(0);
    assert_eq!(report["items"], 10);
    let skipped = report["skipped"].as_array().unwrap();
    let places: Vec<(u64, &str)> = skipped
        .iter()
        .map(|p| {
            (
                p["place"]["line"].as_u64().unwrap(),
                p["place"]["field"].as_str().unwrap_or_default(),
            )
        })
        .collect();
    assert_eq!(places, [(3, ""), (11, "id"), (12, "images"), (13, "style")]);
    assert_eq!(bench.items().len(), 13);
    let said = bench
        .run(["import", "--keep-going", file.to_str().unwrap()])
        .ok();
    assert!(said.contains("0 items"), "{said}");
}

#[test]
fn a_bad_file_imports_none_of_the_others() {
    let bench = Bench::with_items(3);
    bench.write("many/a.jsonl", lines(10..600, 1, &question(10).to_string()));
    bench.write(
        "many/b.jsonl",
        lines(0..300, 300, &changed(299, "answer", json!(4))),
    );
    let before = bench.snapshot();
    let error = bench
        .run(["import", bench.beside("many").to_str().unwrap()])
        .refused(1);
    assert_eq!(error.place(), ("b.jsonl", 300, "answer"));
    assert_eq!(bench.snapshot(), before);
    assert_eq!(bench.items().len(), 3);
}

#[test]
fn a_missing_path_and_an_empty_folder_have_different_errors() {
    let bench = Bench::new();
    let error = bench
        .run(["import", "--json", "/no/such/file"])
        .refused_as(ErrorKind::NotFound);
    assert_eq!(error.file, "/no/such/file");
    std::fs::create_dir(bench.beside("bare")).unwrap();
    let error = bench
        .run(["import", "--json", bench.beside("bare").to_str().unwrap()])
        .refused_as(ErrorKind::Input);
    assert!(error.is_in("/bare"), "{error}");
}

#[test]
fn damaged_tables_and_archives_change_nothing() {
    let bench = Bench::with_items(3);
    let table = "index,question,A,B,answer\n1,Q,x,y,A\n2,Q,x,y,z\n";
    let file = bench.write("table.csv", table);
    refused(&bench, &file, 3, "answer", &["answer-is"]);
    let file = bench.write("table.csv", "a,b\n1,2\n");
    refused(&bench, &file, 0, "", &["a, b", "--guess"]);
    let file = bench.write(
        "log.eval",
        b"PK\x03\x04\x14\x00\x00\x00\x08\x00 and no more",
    );
    refused(&bench, &file, 0, "", &[]);
    let file = bench.write("cut.parquet", b"PAR1\x15\x04\x15\x10");
    refused(&bench, &file, 0, "", &["Parquet"]);
    let file = bench.write("aux.pkl", b"\x80\x04\x95cos\nsystem\n");
    refused(&bench, &file, 0, "", &["pickle"]);
    let mapping = bench.write("mapping.toml", "question = \"q\"\nanswer = \"key\"\n");
    let file = bench.write("mapped.csv", "q,gold\nQ,A\n");
    let before = bench.snapshot();
    let error = bench
        .run([
            "import",
            "--mapping",
            mapping.to_str().unwrap(),
            file.to_str().unwrap(),
        ])
        .refused(1);
    assert!(error.names("`key`") && error.names("q, gold"), "{error}");
    assert_eq!(bench.snapshot(), before);
}
