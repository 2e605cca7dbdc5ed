//! kill -9 of an owner that makes pictures.
//!
//! 20 rounds by default; `BENCHTOP_TORTURE=200 cargo test --test suite durability::generate -- --nocapture` runs 200.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use benchtop::store::pictures;
use serde_json::Value;

use crate::support::{Bench, dice, json_lines, owners, rounds, wait_until};

/// A project with questions about fifty pictures.
pub fn fifty() -> Bench {
    let bench = Bench::new();
    let plan = bench.write("fifty.toml", "name = \"fifty\"\n[[pictures]]\nsubject = \"animal\"\ncount = 50\n");
    bench.run(["compose", "--plan", plan.to_str().unwrap(), "--seed", "3"]).ok();
    let dry = bench.run(["generate", "--dry-run", "--json"]).lines().remove(0);
    assert_eq!(dry["pictures"], 50, "{dry}");
    bench
}

/// Lines of the picture journal that are about pictures.
pub fn recorded(bench: &Bench) -> Vec<Value> {
    let text = std::fs::read_to_string(bench.root().join("images").join(pictures::FILE)).unwrap_or_default();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    json_lines(whole).into_iter().filter(|l| l["picture"].is_string()).collect()
}

/// The files of `images/` below their folders, by name.
fn files(images: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for dir in std::fs::read_dir(images).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()) {
        for file in std::fs::read_dir(dir).unwrap() {
            let path = file.unwrap().path();
            found.insert(path.file_name().unwrap().to_str().unwrap().to_string(), std::fs::read(&path).unwrap());
        }
    }
    found
}

/// Every picture is recorded once, with a file of its hash, and there is no other file.
pub fn check(bench: &Bench, wanted: usize) {
    let images = bench.root().join("images");
    let reading = pictures::read(&images).unwrap();
    assert!(reading.problems.is_empty() && !reading.whole.torn, "{:?}", reading.problems);
    let lines = recorded(bench);
    let names: BTreeSet<String> = lines.iter().map(|l| l["picture"].to_string()).collect();
    assert_eq!((lines.len(), names.len()), (wanted, wanted), "a picture is lost, or there twice");
    let hashes: BTreeSet<String> = lines.iter().map(|l| format!("{}.png", l["hash"].as_str().unwrap())).collect();
    let files = files(&images);
    assert_eq!(files.keys().cloned().collect::<BTreeSet<_>>(), hashes, "files that belong to nobody, or none");
    for (name, bytes) in files {
        assert_eq!(format!("{}.png", blake3::hash(&bytes).to_hex()), name);
    }
}

pub fn job(bench: &Bench) -> Value {
    bench.run(["jobs", "--json"]).lines().remove(0)
}

#[test]
fn a_job_whose_owner_is_killed_makes_every_picture_once() {
    killed(&[], true);
}

/// The same with a diffusion model in the owner's process: a tiny one, with random weights.
#[test]
fn a_model_whose_owner_is_killed_makes_every_picture_once() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/parity/data/models/sd");
    killed(&["--backend", "candle", "--model", model, "--steps", "2"], false);
}

fn killed(with: &[&str], drafts: bool) {
    let bench = fifty();
    let begin = ["generate", "--detach", "--per-minute", "400", "--size", "64x64"];
    bench.run(begin.iter().chain(with).copied()).ok();
    let mut seen = BTreeSet::new();
    for n in 0..rounds(20) {
        std::thread::sleep(Duration::from_millis(20 + dice(n, 160)));
        bench.kill_owner();
        let lines = recorded(&bench);
        seen.insert(lines.len());
        // What was recorded stays recorded, and everybody sees it.
        let shown = bench.items().iter().filter(|i| i["images"][0]["hash"].is_string()).count();
        assert!(shown >= lines.len(), "round {n}: {shown} items show {} pictures", lines.len());
    }
    wait_until("the job is done", || job(&bench)["standing"] == "done");
    let job = job(&bench);
    assert_eq!((&job["done"], &job["of"], &job["failed"]), (&50.into(), &50.into(), &0.into()));
    check(&bench, 50);
    assert!(bench.items().iter().all(|i| (i["images"][0]["draft"] == true) == drafts));
    let notices = bench.status()["notices"].to_string();
    assert!(!notices.contains("not counted"), "{notices}");
    // Nothing is missing any more, also without the store.
    bench.run(["stop"]).ok();
    std::fs::remove_dir_all(bench.root().join("store")).unwrap();
    assert!(bench.run(["generate"].iter().chain(with).copied()).refused(1).contains("no picture to make"));
    check(&bench, 50);
    assert!(owners(bench.root()).len() == 1);
    println!("kill -9 of a generating owner: {} rounds, killed at {seen:?} of 50 pictures", rounds(20));
}
