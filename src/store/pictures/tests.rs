use crate::fixtures::sample_made;
use std::path::Path;

use super::*;
use benchtop_model::generation::Fingerprint;

fn print() -> Fingerprint {
    Fingerprint::default().with("model", "a")
}

fn written(dir: &Path, list: &[GeneratedImage]) -> Vec<u64> {
    Journal::open(dir)
        .unwrap()
        .append(list, &[print()])
        .unwrap()
}

#[test]
fn pictures_round_trip_and_the_newest_counts() {
    let dir = tempfile::tempdir().unwrap();
    let list: Vec<GeneratedImage> = (0..5).map(sample_made).collect();
    let offsets = written(dir.path(), &list);
    let reading = read(dir.path()).unwrap();
    assert!(reading.problems.is_empty() && !reading.whole.torn);
    let pictures = &reading.pictures;
    assert_eq!(
        (
            pictures.len(),
            pictures.of_job(3),
            pictures.of_job(4),
            pictures.last_job()
        ),
        (5, 5, 0, 3)
    );
    let prompt = prompt_key("a cat", Some("a dog"));
    let current = pictures.current(list[0].key(), prompt).unwrap();
    assert_eq!((current.sample, current.draft), (2, false));
    assert_eq!(pictures.line(current).unwrap(), list[1]);
    assert_eq!(pictures.fingerprint(current), print().short());
    assert_eq!(
        pictures
            .samples(list[0].key())
            .map(|e| e.sample)
            .collect::<Vec<_>>(),
        [2, 1]
    );
    assert!(
        pictures
            .current(list[0].key(), prompt_key("another", None))
            .is_none()
    );
    // The index that is built while recording equals the one from reading.
    let mut built = Pictures::default();
    list.iter()
        .zip(offsets)
        .for_each(|(made, at)| built.add(made, at));
    assert_eq!(format!("{:?}", built.made), format!("{:?}", pictures.made));
}

#[test]
fn a_fingerprint_is_explained_once() {
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), &[sample_made(0)]);
    written(dir.path(), &[sample_made(1)]);
    let text = std::fs::read_to_string(dir.path().join(FILE)).unwrap();
    assert_eq!(text.matches("\"parts\":{\"model\":\"a\"}").count(), 1);
    assert_eq!(text.lines().count(), 3);
}

#[test]
fn a_torn_line_is_saved_and_a_damaged_line_reported() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(FILE);
    written(dir.path(), &(0..3).map(sample_made).collect::<Vec<_>>());
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();
    assert!(read(dir.path()).unwrap().whole.torn);
    written(dir.path(), &[sample_made(4)]);
    let reading = read(dir.path()).unwrap();
    assert_eq!((reading.pictures.len(), reading.whole.torn), (3, false));
    assert!(dir.path().join("pictures.jsonl.torn-1").exists());
    let mut bytes = std::fs::read(&path).unwrap();
    let second = bytes.iter().position(|b| *b == b'\n').unwrap() + 40;
    bytes[second] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let reading = read(dir.path()).unwrap();
    assert_eq!(reading.pictures.len(), 2);
    assert_eq!(reading.problems[0].place.line, Some(2));
}

#[test]
fn invalid_lines_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let good = sample_made(1);
    let bad = [
        GeneratedImage {
            sample: 0,
            ..good.clone()
        },
        GeneratedImage {
            hash: "../../etc/passwd".into(),
            ..good.clone()
        },
        GeneratedImage {
            prompt: "x".into(),
            ..good.clone()
        },
        GeneratedImage {
            rev: 0,
            ..good.clone()
        },
    ];
    written(dir.path(), &bad);
    let reading = read(dir.path()).unwrap();
    assert_eq!(
        (reading.pictures.len(), reading.problems.len()),
        (0, bad.len())
    );
}

#[test]
fn an_item_gets_its_file_and_keeps_every_other_byte() {
    let mut pictures = Pictures::default();
    let line = r#"{"id":"set/1","dataset":"set","key":1,"form":"dysca","images":[{"name":"images/set/0.png"}],"prompt":"a cat","negative_prompt":"a dog","question":"\"images\":[","x":1.10}"#;
    assert_eq!(pictures.resolved(line), None);
    pictures.add(&sample_made(0), 0);
    let resolved = pictures.resolved(line).unwrap();
    let hash = sample_made(0).hash;
    let wanted = format!(
        r#"[{{"name":"images/set/0.png","hash":"{hash}","ext":"png","draft":true}}],"prompt":"a cat""#
    );
    assert!(resolved.contains(&wanted), "{resolved}");
    assert_eq!(
        resolved.len() - wanted.len(),
        line.len() - r#"[{"name":"images/set/0.png"}],"prompt":"a cat""#.len()
    );
    assert!(resolved.ends_with(r#""question":"\"images\":[","x":1.10}"#));
    pictures.add(&sample_made(1), 0);
    assert!(
        pictures
            .resolved(line)
            .unwrap()
            .contains(&sample_made(1).hash),
        "the newest"
    );
    // Items with another prompt or data set, or with a file of their own, do not change.
    assert_eq!(pictures.resolved(&line.replace("a cat", "a rat")), None);
    assert_eq!(
        pictures.resolved(&line.replace("\"dataset\":\"set\"", "\"dataset\":\"other\"")),
        None
    );
    assert_eq!(
        pictures.resolved(&line.replace("0.png\"}", "0.png\",\"hash\":\"00\"}")),
        None
    );
}

#[test]
#[ignore = "a measurement: cargo test --lib store::pictures -- --ignored --nocapture"]
fn reading_a_hundred_thousand() {
    let dir = tempfile::tempdir().unwrap();
    let list: Vec<GeneratedImage> = (0..100_000).map(sample_made).collect();
    written(dir.path(), &list);
    let start = std::time::Instant::now();
    let reading = read(dir.path()).unwrap();
    let took = start.elapsed();
    println!(
        "{} pictures, {} bytes: {took:?}",
        reading.pictures.len(),
        reading.whole.length
    );
}
