//! kill -9 of an owner that makes pictures.
//!
//! 12 rounds by default; `BENCHTOP_TORTURE=200 cargo test --test suite durability::generate -- --nocapture` runs 200.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use benchtop::model::generated_image::{GeneratedImage, hex};
use benchtop::store::pictures;
use serde_json::Value;

use crate::support::{Bench, ErrorKind, dice, json_lines, owners, rounds, wait_until};

/// A project with questions about fifty pictures.
pub fn fifty() -> Bench {
    let bench = Bench::new();
    let plan = bench.write(
        "fifty.toml",
        "name = \"fifty\"\n[[pictures]]\nsubject = \"animal\"\ncount = 50\n",
    );
    bench
        .run(["compose", "--plan", plan.to_str().unwrap(), "--seed", "3"])
        .ok();
    let dry = bench
        .run(["generate", "--dry-run", "--json"])
        .lines()
        .remove(0);
    assert_eq!(dry["pictures"], 50, "{dry}");
    bench
}

/// A data set that the project does not have.
const ELSEWHERE: &str = "elsewhere";

/// Lines of the picture journal that are about pictures of the project's own data sets.
pub fn recorded(bench: &Bench) -> Vec<Value> {
    let text = std::fs::read_to_string(bench.root().join("images").join(pictures::FILE))
        .unwrap_or_default();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    json_lines(whole)
        .into_iter()
        .filter(|l| l["picture"].is_string() && l["dataset"] != ELSEWHERE)
        .collect()
}

/// The files of `images/` below their folders, by name.
fn files(images: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for dir in std::fs::read_dir(images)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.is_dir())
    {
        for file in std::fs::read_dir(dir).unwrap() {
            let path = file.unwrap().path();
            found.insert(
                path.file_name().unwrap().to_str().unwrap().to_string(),
                std::fs::read(&path).unwrap(),
            );
        }
    }
    found
}

/// Every picture is recorded once, with a file of its hash, and there is no other file.
pub fn check(bench: &Bench, wanted: usize) {
    let images = bench.root().join("images");
    let reading = pictures::read(&images).unwrap();
    assert!(
        reading.problems.is_empty() && !reading.whole.torn,
        "{:?}",
        reading.problems
    );
    let lines = recorded(bench);
    let names: BTreeSet<String> = lines.iter().map(|l| l["picture"].to_string()).collect();
    assert_eq!(
        (lines.len(), names.len()),
        (wanted, wanted),
        "a picture is lost, or there twice"
    );
    let hashes: BTreeSet<String> = lines
        .iter()
        .map(|l| format!("{}.png", l["hash"].as_str().unwrap()))
        .collect();
    let files = files(&images);
    assert_eq!(
        files.keys().cloned().collect::<BTreeSet<_>>(),
        hashes,
        "files that belong to nobody, or none"
    );
    for (name, bytes) in files {
        assert_eq!(format!("{}.png", blake3::hash(&bytes).to_hex()), name);
    }
}

pub fn job(bench: &Bench) -> Value {
    bench.run(["jobs", "--json"]).lines().remove(0)
}

#[test]
fn a_killed_job_makes_every_picture_once() {
    killed(&fifty(), &[], true);
}

/// The same behind so many recorded pictures that the index over them is kept in the store, again and again.
#[test]
fn a_killed_job_after_many_pictures_makes_every_picture_once() {
    let bench = fifty();
    bench.run(["stop"]).ok();
    let (images, store) = (bench.root().join("images"), bench.root().join("store"));
    let made = |n: u64| GeneratedImage {
        rev: n + 1,
        dataset: ELSEWHERE.into(),
        picture: format!("{n}.png"),
        sample: 1,
        hash: blake3::hash(&n.to_le_bytes()).to_hex().to_string(),
        ext: "png".into(),
        fingerprint: hex(7),
        prompt: hex(n),
        job: 999,
        ..GeneratedImage::default()
    };
    let many: Vec<GeneratedImage> = (0..5000).map(made).collect();
    pictures::Journal::open(&images)
        .unwrap()
        .append(&many, &[])
        .unwrap();
    killed(&bench, &[], true);
    let snap = pictures::picture_snapshot::path(&store);
    // The last step of `killed` was an owner without a store; it keeps the index when it ends.
    bench.run(["stop"]).ok();
    wait_until("the index is kept", || snap.exists());
    let of = |reading: pictures::Reading| {
        let elsewhere = reading.pictures.of_job(999);
        (
            reading.pictures.len(),
            elsewhere,
            reading.pictures.last_rev(),
            reading.whole,
            reading.problems.len(),
        )
    };
    let (alone, helped) = (
        pictures::read(&images).unwrap(),
        pictures::read_on(&images, &store).unwrap(),
    );
    assert_eq!(
        (alone.pictures.len(), alone.pictures.of_job(999)),
        (5050, 5000)
    );
    assert_eq!(of(helped), of(alone));
}

/// The same with a diffusion model in the owner's process: a tiny one, with random weights.
#[test]
fn a_killed_model_job_makes_every_picture_once() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/parity/data/models/sd");
    killed(
        &fifty(),
        &["--backend", "candle", "--model", model, "--steps", "2"],
        false,
    );
}

fn killed(bench: &Bench, with: &[&str], drafts: bool) {
    let begin = [
        "generate",
        "--detach",
        "--per-minute",
        "400",
        "--size",
        "64x64",
    ];
    bench.run(begin.iter().chain(with).copied()).ok();
    let mut seen = BTreeSet::new();
    for n in 0..rounds(12) {
        std::thread::sleep(Duration::from_millis(20 + dice(n, 160)));
        bench.kill_owner();
        let lines = recorded(bench);
        seen.insert(lines.len());
        // What was recorded stays recorded, and everybody sees it.
        let shown = bench
            .items()
            .iter()
            .filter(|i| i["images"][0]["hash"].is_string())
            .count();
        assert!(
            shown >= lines.len(),
            "round {n}: {shown} items show {} pictures",
            lines.len()
        );
    }
    wait_until("the job is done", || job(bench)["standing"] == "done");
    let job = job(bench);
    assert_eq!(
        (&job["done"], &job["of"], &job["failed"]),
        (&50.into(), &50.into(), &0.into())
    );
    check(bench, 50);
    assert!(
        bench
            .items()
            .iter()
            .all(|i| (i["images"][0]["draft"] == true) == drafts)
    );
    let notices = bench.status()["notices"].to_string();
    assert!(!notices.contains(".jsonl:"), "{notices}");
    // Nothing is missing any more, also without the store.
    bench.run(["stop"]).ok();
    std::fs::remove_dir_all(bench.root().join("store")).unwrap();
    bench
        .run(["generate", "--json"].iter().chain(with).copied())
        .refused_as(ErrorKind::Conflict);
    check(bench, 50);
    assert!(owners(bench.root()).len() == 1);
    println!(
        "kill -9 of a generating owner: {} rounds, killed at {seen:?} of 50 pictures",
        rounds(12)
    );
}
