//! Picture paths that leave their folder, and pictures that unpack to more than fits in memory.

use serde_json::json;

use super::{lines, refused};
use crate::support::{Bench, question};

/// A PNG of 1x1 pixels by its header, or of any size: the chunks after it are those of the small one.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut out = Vec::new();
    image::DynamicImage::new_luma8(1, 1)
        .write_to(&mut std::io::Cursor::new(&mut out), image::ImageFormat::Png)
        .unwrap();
    out[16..20].copy_from_slice(&width.to_be_bytes());
    out[20..24].copy_from_slice(&height.to_be_bytes());
    let crc = crc32fast::hash(&out[12..29]);
    out[29..33].copy_from_slice(&crc.to_be_bytes());
    out
}

/// Five questions, the fourth about `name`, the others about a good picture.
fn questions(name: &str) -> String {
    let with = |n: usize, name: &str| {
        let mut question = question(n);
        question["images"] = json!([name]);
        question.to_string()
    };
    let mut text: Vec<String> = (0..5).map(|n| with(n, "pics/good.png")).collect();
    text[3] = with(3, name);
    text.join("\n") + "\n"
}

#[test]
fn import_refuses_picture_paths_outside_the_folder() {
    let bench = Bench::with_items(2);
    bench.write("pictures/pics/good.png", png(1, 1));
    bench.write("secret.png", png(1, 1));
    std::os::unix::fs::symlink(
        bench.beside("secret.png"),
        bench.beside("pictures/pics/link.png"),
    )
    .unwrap();
    std::os::unix::fs::symlink("/etc", bench.beside("pictures/etc")).unwrap();
    for name in [
        "../../etc/passwd",
        "pics/../../secret.png",
        "/etc/passwd",
        "pics/link.png",
        "etc/passwd",
    ] {
        let file = bench.write("pictures/q.jsonl", questions(name));
        refused(&bench, &file, 4, "images", &[name]);
        // Neither does --link.
        let error = bench
            .run(["import", "--link", file.to_str().unwrap()])
            .refused(1);
        assert_eq!(error.place(), ("q.jsonl", 4, "images"));
    }
}

#[test]
fn a_decompression_bomb_is_never_unpacked() {
    for (width, height) in [(60_000, 60_000), (16_385, 1), (16_000, 16_000)] {
        let bench = Bench::new();
        bench.write("pictures/pics/good.png", png(1, 1));
        bench.write("pictures/pics/bomb.png", png(width, height));
        let file = bench.write("pictures/q.jsonl", questions("pics/bomb.png"));
        let report = bench
            .run(["import", "--json", file.to_str().unwrap()])
            .lines()
            .remove(0);
        let why = format!("too large: {width}x{height}");
        assert_eq!(
            report["unreadable"],
            json!([{"name": "pics/bomb.png", "why": why}]),
            "{report}"
        );
        assert_eq!(report["items"], 5);
    }
}

#[test]
fn a_hash_that_is_a_path_opens_no_file() {
    let bench = Bench::with_items(2);
    let item = |hash: &str, link: Option<&str>| {
        let mut image = json!({"name": "a.png", "hash": hash, "ext": "png"});
        if let Some(link) = link {
            image["link"] = link.into();
        }
        json!({
            "id": "own/1", "dataset": "own", "key": 1, "form": "plain", "images": [image], "question": "Q?",
            "kind": "yes-no", "answer": "yes",
        })
    };
    for (hash, link) in [
        ("../../../../../../../etc/passwd", None),
        ("00", Some("/etc/passwd")),
    ] {
        let file = bench.write("own.jsonl", item(hash, link).to_string() + "\n");
        let report = bench
            .run(["import", "--json", file.to_str().unwrap()])
            .lines()
            .remove(0);
        assert_eq!(
            report["missing_pictures"].as_u64().unwrap() + report["already"].as_u64().unwrap(),
            1,
            "{report}"
        );
    }
    let line = bench
        .run(["items", "--json", "--filter", "dataset:own"])
        .lines()
        .remove(0);
    assert_eq!(line["images"], json!([{"name": "a.png"}]));
}

#[test]
fn a_refused_import_removes_its_pictures() {
    let bench = Bench::with_items(2);
    for n in 0..7 {
        bench.write(&format!("pictures/{n}.png"), png(1, 1 + n));
    }
    let file = bench.write(
        "pictures/q.jsonl",
        lines(0..300, 290, "{\"id\": 5, \"images\": [], \"question\": 3}"),
    );
    refused(&bench, &file, 290, "question_type", &[]);
    // And kept when it succeeds.
    let file = bench.write(
        "pictures/q.jsonl",
        lines(0..300, 290, &question(289).to_string()),
    );
    let report = bench
        .run(["import", "--json", file.to_str().unwrap()])
        .lines()
        .remove(0);
    assert_eq!(
        (&report["pictures"], &report["missing_pictures"]),
        (&json!(7), &json!(0))
    );
    let pictures = bench
        .snapshot()
        .into_keys()
        .filter(|p| p.extension().is_some_and(|e| e == "png"))
        .count();
    assert_eq!(pictures, 7);
}
