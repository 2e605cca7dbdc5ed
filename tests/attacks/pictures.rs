//! Pictures that are replaced, linked, or removed outside of the program, and pictures that cannot be shown.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::flows::eval::{quiz, reply};
use crate::inference::server::{Server, png};
use crate::support::{Bench, has_line, has_word, question, wait_until};

/// The stored picture of an item.
fn picture(bench: &Bench, number: usize) -> PathBuf {
    let lines = bench.run(["export", "--format", "jsonl"]).ok();
    let item: Value = serde_json::from_str(lines.lines().nth(number - 1).unwrap()).unwrap();
    let hash = item["images"][0]["hash"].as_str().unwrap();
    bench
        .root()
        .join(format!("images/{}/{hash}.png", &hash[..2]))
}

/// Everything below a folder, as bytes.
fn all(dir: &Path) -> Vec<u8> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(all(&path)),
            false => found.extend(std::fs::read(&path).unwrap()),
        }
    }
    found
}

fn has(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

#[test]
fn exports_leave_out_replaced_linked_and_removed_pictures() {
    let bench = quiz(5);
    let secret = bench.write("id_rsa", "-----BEGIN OPENSSH PRIVATE KEY-----\n");
    let (replaced, linked, gone) = (picture(&bench, 1), picture(&bench, 2), picture(&bench, 3));
    std::fs::write(&replaced, png(8, 8, "REPLACED-PICTURE")).unwrap();
    std::fs::remove_file(&linked).unwrap();
    std::os::unix::fs::symlink(&secret, &linked).unwrap();
    std::fs::remove_file(&gone).unwrap();
    let key = b"OPENSSH PRIVATE KEY";
    // "LS0tLS1CRUdJTiBPUEVOU1NI" is how base64 begins of it.
    let encoded = b"LS0tLS1CRUdJTiBPUEVOU1NI";
    let formats: [(&str, &[&str]); 6] = [
        ("vlmevalkit", &[]),
        ("lmms-eval", &[]),
        ("hf-folder", &[]),
        ("hf-parquet", &[]),
        ("dysca", &["--images"]),
        ("jsonl", &["--images"]),
    ];
    for (format, more) in formats {
        let out = bench.beside(&format!("{format}/file"));
        let args = ["export", "--format", format, "--out", out.to_str().unwrap()];
        let done = bench.run(args.into_iter().chain(more.iter().copied()));
        assert_eq!(done.code, 1, "{format}: {done:?}");
        assert!(
            has_line(&done.err, &["2"]) && has_line(&done.err, &["3"]),
            "{format}: {}",
            done.err
        );
        for word in ["quiz/1", "quiz/2", "quiz/3"] {
            assert!(done.err.contains(word), "{format}: {word}: {}", done.err);
        }
        let written = all(&bench.beside(format));
        assert!(
            !has(&written, key) && !has(&written, encoded),
            "{format} carries the key"
        );
        assert!(
            !has(&written, b"REPLACED-PICTURE"),
            "{format} carries the replaced picture"
        );
        assert!(
            !has(&written, b"What is 1?") && has(&written, b"What is 4?"),
            "{format}"
        );
    }
}

#[test]
fn models_are_not_asked_about_changed_pictures() {
    let bench = quiz(4);
    std::fs::write(picture(&bench, 1), png(8, 8, "replaced")).unwrap();
    let linked = picture(&bench, 2);
    let real = bench.beside("moved.png");
    std::fs::rename(&linked, &real).unwrap();
    std::os::unix::fs::symlink(&real, &linked).unwrap();
    let server = Server::new(|_| reply("one", "stop"));
    let url = server.url();
    let out = bench.run(["eval", "--model", "tiny", "--endpoint", &url, "--json"]);
    assert_ne!(out.code, 0, "questions were set aside by damage: {out:?}");
    assert_eq!(
        server.seen().len(),
        2,
        "only the two whole pictures are sent"
    );
    let job: Value = serde_json::from_str(out.out.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&job["done"], &job["failed"]),
        (&json!(2), &json!(2)),
        "{job}"
    );
    let failures = bench.run(["jobs", "failures", job["id"].to_string().as_str(), "--json"]);
    let reasons: std::collections::BTreeSet<String> = failures
        .lines()
        .iter()
        .map(|failure| failure["reason"].to_string())
        .collect();
    assert_eq!(
        reasons.len(),
        2,
        "a changed picture and a link: {reasons:?}"
    );
    // Nor is it scored.
    let scored = bench.run(["filter", "run", "flatness", "--json"]);
    let last: Value = serde_json::from_str(scored.out.lines().last().unwrap()).unwrap();
    let job = last.get("job").unwrap_or(&last);
    assert_eq!(job["without"], 2, "{scored:?}");
}

#[test]
fn doctor_reports_missing_pictures() {
    let bench = quiz(6);
    let missing = |bench: &Bench| {
        bench
            .run(["items", "--json", "--filter", "picture:missing"])
            .lines()
            .len()
    };
    assert_eq!(missing(&bench), 0);
    let file = picture(&bench, 2);
    let bytes = std::fs::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(missing(&bench), 1, "at once, while the owner runs");
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(missing(&bench), 0);
    std::fs::remove_file(&file).unwrap();
    bench.run(["stop"]).ok();
    bench.start_owner();
    let told = || bench.status()["notices"].to_string();
    wait_until("the owner notices", || has_word(&told(), "#2"));
    let doctor = bench.run(["doctor", "--json"]).ok();
    let doctor: Value = serde_json::from_str(&doctor).unwrap();
    assert_eq!(doctor["project"]["store_health"], "see notices");
}

#[test]
fn import_names_and_marks_unreadable_pictures() {
    let bench = Bench::new();
    bench.write("q/good.png", png(8, 8, "good"));
    bench.write("q/drawing.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
    bench.write("q/text.jpg", "this is text");
    let mut huge = png(8, 8, "huge");
    for (at, side) in [(16, 8_400u32), (20, 8_400)] {
        huge[at..at + 4].copy_from_slice(&side.to_be_bytes());
    }
    let crc = crc32fast::hash(&huge[12..29]);
    huge[29..33].copy_from_slice(&crc.to_be_bytes());
    bench.write("q/huge.png", &huge);
    let names = ["good.png", "drawing.svg", "text.jpg", "huge.png"];
    let lines: Vec<String> = names
        .iter()
        .enumerate()
        .map(|(n, name)| {
            let mut question = question(n);
            question["images"] = json!([name]);
            question.to_string()
        })
        .collect();
    let file = bench.write("q/q.jsonl", lines.join("\n"));
    let report: Value =
        serde_json::from_str(&bench.run(["import", "--json", file.to_str().unwrap()]).ok())
            .unwrap();
    assert_eq!(
        (
            &report["items"],
            &report["pictures"],
            &report["unreadable_pictures"]
        ),
        (&json!(4), &json!(4), &json!(3)),
        "{report}"
    );
    assert_eq!(
        report["unreadable"][0],
        json!({"name": "drawing.svg", "why": "not an image"})
    );
    assert_eq!(report["unreadable"][2]["why"], "too large: 8400x8400");
    let found = bench
        .run(["items", "--json", "--filter", "picture:unreadable"])
        .lines();
    assert_eq!(found.len(), 3);
    // The text names each of them too.
    let bench = Bench::new();
    let text = bench.run(["import", file.to_str().unwrap()]).ok();
    for name in &names[1..] {
        assert!(
            text.lines().any(|line| line.contains(name)),
            "{name}: {text}"
        );
    }
    assert!(!text.contains(names[0]), "{text}");
}

#[test]
fn filter_finds_pictures_broken_before_and_after_import() {
    let bench = Bench::new();
    for name in ["a.png", "b.png", "c.png"] {
        bench.write(&format!("q/{name}"), png(8, 8, name));
    }
    bench.write("q/d.png", "no picture");
    let line = |(n, names): (usize, &[&str])| {
        let mut question = question(n);
        question["images"] = json!(names);
        question.to_string()
    };
    let items: [&[&str]; 5] = [
        &["a.png"],
        &["b.png"],
        &["a.png", "c.png"],
        &["d.png"],
        &["gone.png"],
    ];
    let lines: Vec<String> = items.into_iter().enumerate().map(line).collect();
    let file = bench.write("q/q.jsonl", lines.join("\n"));
    bench.run(["import", file.to_str().unwrap()]).ok();
    let found = |words: &str| {
        let items = bench.run(["items", "--json", "--filter", words]).lines();
        items
            .iter()
            .map(|item| item["number"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(found("picture:broken"), [4]);
    assert_eq!(found("picture:missing"), [5]);
    let hash = blake3::hash(&png(8, 8, "c.png")).to_hex().to_string();
    let changed = bench
        .project()
        .images()
        .join(&hash[..2])
        .join(format!("{hash}.png"));
    std::fs::write(&changed, png(8, 8, "another")).unwrap();
    assert_eq!(found("picture:broken"), [3, 4]);
    assert_eq!(found("picture:broken,missing"), [3, 4, 5]);
    assert_eq!(found("NOT picture:broken"), [1, 2, 5]);
    std::fs::write(&changed, png(8, 8, "c.png")).unwrap();
    assert_eq!(found("picture:broken"), [4]);
}
