//! Releases: the same bytes from the same state, statistics, differences, verification, and the way
//! back into a project.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{Bench, ErrorKind, json_lines, verdict};

fn png(width: u32, shade: u8) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::RgbImage::from_pixel(width, 2, image::Rgb([shade; 3]))
        .write_to(&mut bytes, image::ImageFormat::Png)
        .unwrap();
    bytes.into_inner()
}

/// Twelve questions of two data sets about six pictures. The first eight are accepted, and the next
/// two rejected. One picture is restricted, one under a closed license.
pub fn bench() -> Bench {
    let bench = Bench::new();
    let mut rows = String::new();
    for n in 0..12_u8 {
        let set = if n < 9 { "birds" } else { "fish" };
        let picture = format!("p/{}.png", n / 2);
        bench.write(&picture, png(3 + u32::from(n / 2), 40 * (n / 2)));
        let rights = match n / 2 {
            1 => {
                json!({"source": "a collection", "license": "CC-BY-4.0", "sensitivity": ["restricted"]})
            }
            2 => json!({"source": "https://example.org/x", "license": "CC-BY-4.0"}),
            3 => json!({"license": "All rights reserved"}),
            _ => Value::Null,
        };
        let mut image = json!({"name": picture});
        if !rights.is_null() {
            image["rights"] = rights;
        }
        let choice = |text: String, role: &str| json!({"text": text, "role": role});
        let options = match n % 3 {
            0 => json!([
                choice(format!("a bird {n}"), "correct"),
                choice("no bird".into(), "distractor")
            ]),
            1 => json!([
                choice("x".into(), "distractor"),
                choice("y".into(), "correct"),
                choice("z".into(), "refusal")
            ]),
            _ => json!([]),
        };
        let answer = match n % 3 {
            0 => format!("a bird {n}"),
            1 => "y".into(),
            _ => "two words".into(),
        };
        let kind = if n % 3 == 2 {
            "free-form"
        } else {
            "multiple-choice"
        };
        let mut row = json!({
            "id": format!("{set}/{n}"), "dataset": set, "key": n, "form": "plain", "images": [image],
            "question": format!("What is in \"{n}\"?"), "kind": kind, "options": options, "answer": answer,
            "subtask": if n % 2 == 0 { "animal" } else { "colour" }, "extra": {"n": n},
        });
        if n == 7 {
            row["variant"] = json!({"name": "corruption", "of": "birds/6"});
        }
        rows += &format!("{row}\n");
    }
    let file = bench.write("items.jsonl", rows);
    bench.run(["import", file.to_str().unwrap()]).ok();
    for number in 1..=10 {
        let word = if number <= 8 { "accept" } else { "reject" };
        bench
            .feed(
                ["decide", "--as", "ann"],
                &verdict(Uuid::from_u128(number as u128), number, word),
            )
            .ok();
    }
    bench
}

/// Everything in a folder by path.
pub fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => {
                    let name = path.strip_prefix(dir).unwrap().to_str().unwrap();
                    found.insert(name.to_string(), std::fs::read(&path).unwrap());
                }
            }
        }
    }
    found
}

pub fn release(bench: &Bench, args: &[&str]) -> Value {
    let args = ["release", "--json"]
        .into_iter()
        .chain(args.iter().copied());
    bench.run(args).lines().remove(0)
}

/// A folder that is no project.
fn nowhere(bench: &Bench) -> Bench {
    let dir = bench.beside("away");
    std::fs::create_dir(&dir).unwrap();
    Bench::at(dir)
}

fn read(path: PathBuf) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn repeated_releases_have_the_same_bytes() {
    let bench = bench();
    let dry = release(&bench, &["v1", "--dry-run"]);
    assert_eq!((&dry["items"], &dry["withheld"]), (&8.into(), &2.into()));
    assert!(
        !bench.root().join("releases").exists(),
        "a dry run writes nothing"
    );
    let split = [
        "--version",
        "1.0",
        "--split",
        "train=3,test=1",
        "--seed",
        "5",
    ];
    let one = release(&bench, &[&["v1"], &split[..]].concat());
    let folder = bench.root().join("releases/v1");
    let before = files(&folder);
    assert_eq!(
        one["files"],
        before.len() - 1,
        "the manifest does not list itself"
    );
    // The same again elsewhere, by another owner.
    bench.run(["stop"]).ok();
    let elsewhere = bench.beside("elsewhere/v1");
    let out = ["--out", elsewhere.to_str().unwrap()];
    let two = release(&bench, &[&["v1"], &out[..], &split[..]].concat());
    assert_eq!((&two["hash"], &two["again"]), (&one["hash"], &true.into()));
    assert_eq!(files(&elsewhere), before);
    // A copy of the project without the record makes the same.
    bench.run(["stop"]).ok();
    let to = bench.beside("copy");
    let done = std::process::Command::new("cp")
        .arg("-r")
        .arg(bench.root())
        .arg(&to)
        .status();
    assert!(done.unwrap().success());
    let copy = Bench::at(to);
    std::fs::remove_dir_all(copy.root().join("releases")).unwrap();
    let three = release(&copy, &[&["v1"], &split[..]].concat());
    assert_eq!(three["hash"], one["hash"]);
    assert_eq!(files(&copy.root().join("releases/v1")), before);
    // Nothing names this machine or the annotators.
    let root = bench.root().to_str().unwrap().to_string();
    for (name, bytes) in &before {
        assert!(
            memchr::memmem::find(bytes, root.as_bytes()).is_none(),
            "{name}"
        );
        assert!(memchr::memmem::find(bytes, b"\"ann\"").is_none(), "{name}");
    }
}

#[test]
fn an_existing_release_is_never_replaced() {
    let bench = bench();
    release(&bench, &["v1"]);
    let folder = bench.root().join("releases/v1");
    let (before, record) = (files(&folder), read(bench.root().join("releases/v1.json")));
    let again = bench
        .run(["release", "v1", "--json"])
        .refused_as(ErrorKind::Conflict);
    assert_eq!(again.file, folder.to_str().unwrap());
    // Another state under the same name, elsewhere.
    bench
        .feed(
            ["decide", "--as", "ann"],
            &verdict(Uuid::now_v7(), 11, "accept"),
        )
        .ok();
    let out = bench.beside("other");
    let other = bench.run(["release", "v1", "--out", out.to_str().unwrap(), "--json"]);
    let refusal = other.refused_as(ErrorKind::Conflict);
    assert_eq!(refusal.field, "name");
    assert!(!out.exists());
    // Folders that are there, a link, and names with another meaning.
    std::fs::create_dir(&out).unwrap();
    let args = ["release", "v2", "--out", out.to_str().unwrap(), "--json"];
    bench.run(args).refused_as(ErrorKind::Conflict);
    let link = bench.beside("link");
    std::os::unix::fs::symlink(bench.beside("nowhere"), &link).unwrap();
    let args = ["release", "v2", "--out", link.to_str().unwrap(), "--json"];
    bench.run(args).refused_as(ErrorKind::Conflict);
    assert!(!bench.beside("nowhere").exists());
    for name in ["newest", "../x", ".x"] {
        bench
            .run(["release", name, "--json"])
            .refused_as(ErrorKind::Usage);
    }
    bench
        .run(["release", "v3", "--filter", "subtask:none", "--json"])
        .refused_as(ErrorKind::Usage);
    assert_eq!(files(&folder), before);
    assert_eq!(read(bench.root().join("releases/v1.json")), record);
    let listed = bench.run(["release", "--json"]).lines().remove(0);
    assert_eq!(listed["releases"].as_array().unwrap().len(), 1, "{listed}");
}

/// Every number of the statistics, counted here from the exported items.
#[test]
fn statistics_are_those_of_the_items() {
    let bench = bench();
    release(&bench, &["v1"]);
    let found = read(bench.root().join("releases/v1/statistics/statistics.json"));
    let text = bench
        .run(["export", "--format", "jsonl", "--filter", "status:accepted"])
        .ok();
    let items = json_lines(&text);
    let of = |item: &Value| -> (String, String) {
        let question = item["question"].as_str().unwrap().to_string();
        let right = item["options"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|o| o["role"] == "correct");
        let answer = right.map_or(&item["answer"], |o| &o["text"]);
        (question, answer.as_str().unwrap().to_string())
    };
    let (questions, answers): (Vec<String>, Vec<String>) = items.iter().map(of).unzip();
    let texts = |texts: &[String]| {
        let lengths = |each: &dyn Fn(&String) -> usize| {
            let all: Vec<usize> = texts.iter().map(each).collect();
            let mean = all.iter().sum::<usize>() as f64 / all.len() as f64;
            json!({"mean": (mean * 1e4).round() / 1e4, "min": all.iter().min(), "max": all.iter().max()})
        };
        json!({
            "unique": texts.iter().collect::<BTreeSet<_>>().len(),
            "words": lengths(&|t| t.split(' ').count()),
            "characters": lengths(&|t| t.chars().count()),
        })
    };
    assert_eq!(found["questions"], texts(&questions));
    assert_eq!(found["answers"], texts(&answers));
    let hashes: BTreeSet<&str> = items
        .iter()
        .map(|i| i["images"][0]["hash"].as_str().unwrap())
        .collect();
    let pictures =
        json!({"references": 8, "unique": hashes.len(), "without_file": 0, "withheld": 2});
    assert_eq!(found["pictures"], pictures);
    let counts = |of: &dyn Fn(&Value) -> String| {
        let mut counts = BTreeMap::new();
        items
            .iter()
            .for_each(|item| *counts.entry(of(item)).or_insert(0) += 1);
        json!(counts)
    };
    assert_eq!(
        found["types"],
        counts(&|i| i["kind"].as_str().unwrap().into())
    );
    assert_eq!(
        found["subtasks"],
        counts(&|i| i["subtask"].as_str().unwrap().into())
    );
    let scenario = |i: &Value| i["variant"]["name"].as_str().unwrap_or("clean").to_string();
    assert_eq!(found["scenarios"], counts(&scenario));
    let options: Vec<usize> = items
        .iter()
        .filter_map(|i| i["options"].as_array())
        .map(Vec::len)
        .collect();
    let mean = options.iter().sum::<usize>() as f64 / options.len() as f64;
    assert_eq!(found["options"]["questions"], options.len());
    assert_eq!(
        found["options"]["per_question"]["mean"],
        (mean * 1e4).round() / 1e4
    );
    let funnel = &found["funnel"];
    let steps = ["items", "judged", "accepted", "rejected", "released"]
        .map(|s| funnel[s].as_u64().unwrap());
    assert_eq!(steps, [12, 10, 8, 2, 8]);
    assert_eq!(funnel["rejected_share"], 0.2);
}

#[test]
fn pictures_that_must_not_be_redistributed_are_named_and_left_out() {
    let bench = bench();
    release(&bench, &["v1"]);
    let folder = bench.root().join("releases/v1");
    let licenses = read(folder.join("licenses.json"));
    let withheld = licenses["withheld"].as_array().unwrap();
    let all = files(&folder);
    for n in [1_u32, 3] {
        let bytes = png(3 + n, 40 * n as u8);
        let hash = blake3::hash(&bytes).to_hex().to_string();
        let named = withheld
            .iter()
            .find(|picture| picture["blake3"] == hash.as_str())
            .unwrap();
        assert_eq!(named["items"].as_array().unwrap().len(), 2);
        for (name, other) in &all {
            assert!(
                memchr::memmem::find(other, &bytes).is_none(),
                "{name} has picture {n}"
            );
        }
    }
    assert_eq!(withheld.len(), 2);
    let kept = png(3, 0);
    let holders = all
        .values()
        .filter(|bytes| memchr::memmem::find(bytes, &kept).is_some());
    assert_eq!(
        holders.count(),
        2,
        "the folder and the records; the table is packed"
    );
    // Of the pictures 0 to 3.
    let unstated = licenses["pictures"].as_array().unwrap();
    let unstated = unstated
        .iter()
        .find(|p| p["license"] == "not stated")
        .unwrap();
    assert_eq!(unstated["pictures"], 1);
}

/// The items of a project with the hashes of their pictures.
fn items_of(bench: &Bench) -> BTreeMap<String, Value> {
    let text = bench.run(["export", "--format", "jsonl"]).ok();
    let of = |item: Value| (item["id"].as_str().unwrap().to_string(), item);
    json_lines(&text).into_iter().map(of).collect()
}

#[test]
fn a_release_reads_back_losslessly() {
    let bench = bench();
    // Several data sets, and one without withheld pictures.
    for (name, filter) in [("all", ALL), ("birds", "dataset:birds")] {
        release(&bench, &[name, "--filter", filter]);
    }
    let before = items_of(&bench);
    let withheld: BTreeSet<String> = [2, 3, 6, 7].map(|n| format!("birds/{n}")).into();
    for name in ["all", "birds"] {
        let folder = bench.root().join("releases").join(name);
        for part in ["records", "huggingface", "parquet"] {
            let other = Bench::new();
            let paths = match (part, name) {
                ("records", "all") => vec!["records/birds/items.jsonl", "records/fish/items.jsonl"],
                ("records", _) => vec!["records/items.jsonl"],
                _ => vec![part],
            };
            for path in paths {
                other
                    .run(["import", folder.join(path).to_str().unwrap()])
                    .ok();
            }
            let after = items_of(&other);
            let wanted: Vec<&String> = before
                .keys()
                .filter(|id| name == "all" || id.starts_with("birds/") && !id.ends_with("/8"))
                .collect();
            assert_eq!(after.keys().collect::<Vec<_>>(), wanted, "{name} {part}");
            for (id, item) in &after {
                let mut wanted = before[id].clone();
                if withheld.contains(id) {
                    for field in ["hash", "ext"] {
                        wanted["images"][0].as_object_mut().unwrap().remove(field);
                    }
                }
                let mut found = item.clone();
                // The formats with tables may name pictures by their new paths.
                if part != "records" {
                    found["images"][0]["name"] = wanted["images"][0]["name"].clone();
                }
                assert_eq!(found, wanted, "{name} {part}");
            }
        }
    }
}

/// A filter for items of any status.
const ALL: &str = "status:pending,accepted,rejected";

#[test]
fn differences_name_items_and_what_changed() {
    let bench = bench();
    release(&bench, &["v1"]);
    let edit = ["edit", "1", "--question", "What else?", "--as", "ann"];
    bench.run(edit).ok();
    bench
        .feed(
            ["decide", "--as", "ann"],
            &verdict(Uuid::now_v7(), 1, "accept"),
        )
        .ok();
    bench
        .feed(
            ["decide", "--as", "ann"],
            &verdict(Uuid::now_v7(), 2, "reject"),
        )
        .ok();
    bench
        .feed(
            ["decide", "--as", "ann"],
            &verdict(Uuid::now_v7(), 12, "accept"),
        )
        .ok();
    let two = release(&bench, &["v2"]);
    assert_eq!(
        [&two["added"], &two["removed"], &two["changed"]],
        [1, 1, 1].map(Value::from).each_ref()
    );
    let diff = bench
        .run(["release", "diff", "v1", "v2", "--json"])
        .lines()
        .remove(0);
    let changed = json!([{"id": "birds/0", "what": ["question"]}]);
    assert_eq!(
        (&diff["added"], &diff["removed"], &diff["changed"]),
        (&json!(["fish/11"]), &json!(["birds/1"]), &changed)
    );
    let row = diff["statistics"]
        .as_array()
        .unwrap()
        .iter()
        .find(|r| r["name"] == "funnel.rejected")
        .unwrap();
    assert_eq!((&row["a"], &row["b"]), (&2.0.into(), &3.0.into()));
    // Folders without the project, in the other direction, and a verdict that changed.
    let [a, b] = ["v1", "v2"].map(|name| bench.root().join("releases").join(name));
    let away = nowhere(&bench);
    let mut command = away.command([
        "release",
        "diff",
        b.to_str().unwrap(),
        a.to_str().unwrap(),
        "--json",
    ]);
    let found = crate::support::run(&mut command, "").lines().remove(0);
    assert_eq!(
        (&found["added"], &found["removed"]),
        (&diff["removed"], &diff["added"])
    );
    release(&bench, &["v3", "--filter", ALL]);
    bench
        .feed(
            ["decide", "--as", "ann"],
            &verdict(Uuid::now_v7(), 11, "reject"),
        )
        .ok();
    release(&bench, &["v4", "--filter", ALL]);
    let diff = bench
        .run(["release", "diff", "v3", "v4", "--json"])
        .lines()
        .remove(0);
    assert_eq!(
        diff["changed"],
        json!([{"id": "fish/10", "what": ["verdict"]}])
    );
    bench
        .run(["release", "diff", "v1", "none", "--json"])
        .refused_as(ErrorKind::NotFound);
    // The text names them as well.
    let text = bench.run(["release", "diff", "v1", "v2"]).ok();
    for part in ["fish/11", "birds/1", "birds/0"] {
        assert!(text.contains(part), "{text}");
    }
    let log = std::fs::read_to_string(b.join("CHANGELOG.md")).unwrap();
    assert!(
        log.contains("birds/0: question") && log.contains("v1"),
        "{log}"
    );
}

#[test]
fn verify_names_every_kind_of_damage() {
    let bench = bench();
    let hash = release(&bench, &["v1"])["hash"]
        .as_str()
        .unwrap()
        .to_string();
    let folder = bench.root().join("releases/v1");
    let away = nowhere(&bench);
    let verify = || away.command(["release", "verify", folder.to_str().unwrap(), "--json"]);
    let check = |more: &[&str]| {
        let mut command = verify();
        command.args(more);
        let output = crate::support::run(&mut command, "");
        (output.code, json_lines(&output.out).remove(0))
    };
    let (code, sound) = check(&["--hash", &hash]);
    assert_eq!((code, &sound["sound"]), (0, &true.into()), "{sound}");
    let (code, found) = check(&["--hash", "00"]);
    assert_eq!((code, &found["hash_matches"]), (1, &false.into()));
    let at = |name: &str| folder.join(name);
    std::fs::remove_file(at("README.md")).unwrap();
    std::fs::write(at("statistics/more.txt"), "x").unwrap();
    let mut bytes = std::fs::read(at("LICENSES.md")).unwrap();
    bytes[3] ^= 1;
    std::fs::write(at("LICENSES.md"), &bytes).unwrap();
    std::fs::write(at("CHANGELOG.md"), "longer or shorter").unwrap();
    std::fs::remove_file(at("DATASHEET.md")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", at("DATASHEET.md")).unwrap();
    std::os::unix::fs::symlink("/", at("everything")).unwrap();
    // A listed file that claims to be large, and consists of holes.
    let huge = std::fs::File::options()
        .write(true)
        .open(at("release.json"))
        .unwrap();
    huge.set_len(1 << 40).unwrap();
    let (code, found) = check(&[]);
    assert_eq!(code, 1);
    assert_eq!(found["missing"], json!(["README.md"]));
    assert_eq!(found["extra"], json!(["statistics/more.txt"]));
    assert_eq!(
        found["changed"],
        json!(["CHANGELOG.md", "LICENSES.md", "release.json"])
    );
    assert_eq!(found["not_files"], json!(["DATASHEET.md", "everything"]));
    // The manifest itself: another length, holes of the stated length, a path outside, no JSON.
    let text = std::fs::read_to_string(at("manifest.json")).unwrap();
    let mut manifest: Value = serde_json::from_str(&text).unwrap();
    let files = manifest["files"].as_array_mut().unwrap();
    files
        .iter_mut()
        .find(|f| f["path"] == "release.json")
        .unwrap()["bytes"] = (1_u64 << 40).into();
    std::fs::write(at("manifest.json"), manifest.to_string()).unwrap();
    let (code, found) = check(&[]);
    assert_eq!((code, &found["hash_matches"]), (1, &false.into()));
    assert!(
        found["changed"]
            .as_array()
            .unwrap()
            .contains(&"release.json".into())
    );
    for bad in [
        text.replace("\"README.md\"", "\"../../items.jsonl\""),
        "{".into(),
        String::new(),
    ] {
        std::fs::write(at("manifest.json"), bad).unwrap();
        let output = crate::support::run(&mut verify(), "");
        output.refused_as(ErrorKind::Input);
    }
    std::fs::remove_file(at("manifest.json")).unwrap();
    crate::support::run(&mut verify(), "").refused_as(ErrorKind::NotFound);
}

#[test]
fn home_status_and_filters_count_released_items_exactly() {
    let bench = bench();
    let counts = || {
        let home = bench.run(["home", "--json"]).lines().remove(0);
        let listed = home["lists"]["released"]["items"].clone();
        (listed, bench.status()["counts"]["released"].clone())
    };
    assert_eq!(counts(), (0.into(), 0.into()));
    release(&bench, &["v1"]);
    assert_eq!(counts(), (8.into(), 8.into()));
    release(&bench, &["v2", "--filter", "subtask:animal"]);
    assert_eq!(counts(), (4.into(), 4.into()));
    let items = |filter: &str| {
        bench
            .run(["items", "--json", "--filter", filter])
            .lines()
            .len()
    };
    assert_eq!(
        (
            items("release:newest"),
            items("release:v1"),
            items("NOT release:v1")
        ),
        (4, 8, 4)
    );
    assert_eq!(items("release:v2,v1 subtask:colour"), 4);
    bench
        .run(["items", "--json", "--filter", "release:none"])
        .refused_as(ErrorKind::NotFound);
    // By the next owner as well, without the folder.
    bench.run(["stop"]).ok();
    std::fs::remove_dir_all(bench.root().join("releases/v2")).unwrap();
    assert_eq!(counts(), (4.into(), 4.into()));
    let verified = bench.run(["verify", "--json"]).lines().remove(0);
    assert_eq!(verified["damaged"], 0, "{verified}");
    bench.run(["stop"]).ok();
    std::fs::write(bench.root().join("releases/v1.json"), "{}").unwrap();
    let output = bench.run(["verify", "--json"]);
    let verified = json_lines(&output.out).remove(0);
    assert_eq!(
        (output.code, &verified["damaged"]),
        (1, &1.into()),
        "{verified}"
    );
}

#[test]
fn the_datasheet_names_what_is_not_answered() {
    let bench = bench();
    let open = release(&bench, &["v1", "--dry-run"])["unanswered"]
        .as_array()
        .unwrap()
        .len();
    bench.run(["release", "datasheet", "--write"]).ok();
    bench
        .run(["release", "datasheet", "--write", "--json"])
        .refused_as(ErrorKind::Conflict);
    let path = bench.root().join("metadata/datasheet-answers.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace(
        "\npurpose = \"\"",
        "\npurpose = \"To test <b>releases</b>.\"",
    );
    std::fs::write(&path, text).unwrap();
    let report = release(&bench, &["v1"]);
    let unanswered = report["unanswered"].as_array().unwrap();
    assert_eq!(unanswered.len() + 1, open);
    assert!(!unanswered.contains(&"purpose".into()) && unanswered.contains(&"funding".into()));
    let sheet = std::fs::read_to_string(bench.root().join("releases/v1/DATASHEET.md")).unwrap();
    assert!(sheet.contains("To test &lt;b>releases&lt;/b>."), "{sheet}");
    assert_eq!(sheet.matches("Not answered.").count(), unanswered.len());
    std::fs::write(&path, "purpose = 3\n").unwrap();
    let refusal = bench
        .run(["release", "v2", "--json"])
        .refused_as(ErrorKind::Input);
    assert_eq!(refusal.field, "purpose");
    assert_eq!(refusal.file, path.to_str().unwrap());
}

#[test]
fn splits_keep_pictures_together_and_share_the_columns() {
    let bench = bench();
    let args = [
        "v1",
        "--filter",
        ALL,
        "--split",
        "train=1,test=1",
        "--seed",
        "3",
    ];
    let report = release(&bench, &args);
    let folder = bench.root().join("releases/v1");
    let splits = read(folder.join("splits.json"));
    let ids = |name: &str| -> BTreeSet<String> {
        let ids = splits[name].as_array().unwrap().iter();
        ids.map(|id| id.as_str().unwrap().to_string()).collect()
    };
    let (train, test) = (ids("train"), ids("test"));
    assert_eq!(
        (train.len() + test.len(), train.intersection(&test).count()),
        (12, 0)
    );
    assert_eq!(
        report["splits"],
        json!([["test", test.len()], ["train", train.len()]])
    );
    for n in (0..12).step_by(2) {
        let id = |n: usize| format!("{}/{n}", if n < 9 { "birds" } else { "fish" });
        assert_eq!(
            train.contains(&id(n)),
            train.contains(&id(n + 1)),
            "picture {}",
            n / 2
        );
    }
    let mut lines = 0;
    for (name, bytes) in files(&folder.join("huggingface")) {
        if name.ends_with("metadata.jsonl") {
            lines += String::from_utf8(bytes).unwrap().lines().count();
        }
    }
    assert_eq!(lines, 12);
    let none = bench.run(["release", "v2", "--split", "a=1000000,b=1", "--json"]);
    assert_eq!(none.refused_as(ErrorKind::Usage).field, "split");
    assert!(!bench.root().join("releases/v2").exists());
}

#[test]
fn a_damaged_picture_stops_the_release_and_leaves_nothing() {
    let bench = bench();
    let item = &bench.items()[0];
    let (hash, ext) = (item["images"][0]["hash"].as_str().unwrap(), "png");
    let path = bench
        .root()
        .join("images")
        .join(&hash[..2])
        .join(format!("{hash}.{ext}"));
    std::fs::write(path, "x").unwrap();
    bench
        .run(["release", "v1", "--json"])
        .refused_as(ErrorKind::Corrupt);
    let left: Vec<_> = std::fs::read_dir(bench.root().join("releases"))
        .into_iter()
        .flatten()
        .collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(
        release(&bench, &["v1", "--filter", "subtask:animal NOT number:1"])["items"],
        3
    );
}

#[test]
fn items_of_the_sample_are_marked_as_made_up() {
    let bench = bench();
    let none = release(&bench, &["v1"]);
    assert_eq!(none["sample"], 0);
    let read = |path: &str| -> Value {
        serde_json::from_slice(&std::fs::read(bench.root().join("releases").join(path)).unwrap())
            .unwrap()
    };
    assert_eq!(read("v1/manifest.json")["sample"], Value::Null);
    let empty = Bench::new();
    empty.run(["sample"]).ok();
    let all = [
        "v1",
        "--drafts",
        "--filter",
        "status:accepted,pending,rejected",
    ];
    let report = release(&empty, &all);
    let (items, sample) = (&report["items"], &report["sample"]);
    assert!(items.as_u64() > Some(70), "{report}");
    assert_eq!(sample, items, "every item is made up");
    let folder = empty.root().join("releases/v1");
    let json = |name: &str| -> Value {
        serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap()
    };
    assert_eq!(json("manifest.json")["sample"], *sample);
    assert_eq!(json("release.json")["sample"], *sample);
    let sheet = json("datasheet.json");
    let known = sheet.as_array().unwrap().iter();
    let mut known = known.filter(|question| question["key"] == "instances");
    let number = sample.to_string();
    let instances = known.next().unwrap()["known"].as_str().unwrap().to_string();
    assert!(instances.contains(&number), "{instances}");
    for page in ["README.md", "DATASHEET.md"] {
        let page = std::fs::read_to_string(folder.join(page)).unwrap();
        assert!(page.contains("made-up"), "{page}");
    }
    // The number is part of the hash.
    let path = folder.join("manifest.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let forged = text.replacen(&format!("\"sample\":{number}"), "\"sample\":1", 1);
    assert_ne!(text, forged);
    std::fs::write(&path, forged).unwrap();
    let checked = empty.run(["release", "verify", folder.to_str().unwrap(), "--json"]);
    assert_ne!(checked.code, 0, "{checked:?}");
}

/// Seconds and memory of a preview and a release of many items: the table in `docs/cli.md`. `BENCH_ITEMS`
/// sets the number of items. 500 pictures are shared.
#[test]
#[ignore = "measures; run it with --ignored --nocapture"]
fn measured_with_many_items() {
    let count = std::env::var("BENCH_ITEMS").map_or(617_000, |n| n.parse().unwrap());
    let bench = Bench::new();
    let pictures = 500;
    for n in 0..pictures {
        let side = 16 + (n % 7) as u32;
        bench.write(&format!("p/{n}.png"), png(side, (n % 256) as u8));
    }
    let path = bench.beside("many.jsonl");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    for n in 0..count {
        let row = json!({
            "id": format!("many/{n}"), "dataset": "many", "key": n, "form": "plain",
            "images": [{"name": format!("p/{}.png", n % pictures)}],
            "prompt": format!("a photo of thing {n} in a room with a window, soft light, seen from the left"),
            "question": format!("Which of these is in picture {n}, seen from the left?"),
            "kind": "multiple-choice", "subtask": format!("subtask {}", n % 48), "style": format!("style {}", n % 51),
            "options": [
                {"text": format!("thing {n}"), "role": "correct"}, {"text": "a boat", "role": "distractor"},
                {"text": "a lamp", "role": "distractor"}, {"text": "a shoe", "role": "distractor"},
            ],
            "answer": format!("thing {n}"),
        });
        writeln!(file, "{row}").unwrap();
    }
    file.into_inner().unwrap();
    let bytes = std::fs::metadata(&path).unwrap().len();
    let timed = |what: &str, args: &[&str]| {
        let started = std::time::Instant::now();
        let out = bench.run(args.iter().copied()).ok();
        let seconds = started.elapsed().as_secs_f64();
        let status = bench.run(["status", "--json"]).lines().remove(0);
        let of = format!(
            "/proc/{}/status",
            status["owner"]["pid"].as_u64().unwrap_or_default()
        );
        let memory = std::fs::read_to_string(of).unwrap_or_default();
        let mut peak = memory.lines().filter(|line| line.starts_with("VmHWM"));
        println!(
            "{what}: {seconds:.2} s, {}",
            peak.next().unwrap_or_default()
        );
        out
    };
    let import = ["import", path.to_str().unwrap()];
    println!("{count} items, {bytes} bytes");
    timed("import", &import);
    bench.run(["stop"]).ok();
    timed("open and count", &["status"]);
    let words = ["--filter", "status:pending", "--json"];
    timed(
        "preview",
        &[&["release", "v1", "--dry-run"], &words[..]].concat(),
    );
    timed(
        "the same preview again",
        &[&["release", "v1", "--dry-run"], &words[..]].concat(),
    );
    let out = timed("release", &[&["release", "v1"], &words[..]].concat());
    let report: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!(report["items"], count);
    println!("{} files, {} bytes", report["files"], report["bytes"]);
    timed(
        "verify",
        &[
            "release",
            "verify",
            bench.root().join("releases/v1").to_str().unwrap(),
        ],
    );
}
