//! Metadata changes under items that people have judged: what reads differently is judged anew, nothing else is.

use serde_json::{Value, json};

use crate::support::Bench;

fn edit(bench: &Bench, file: &str, old: &str, new: &str) {
    let path = bench.root().join("metadata").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(old), "{file} has no {old}");
    std::fs::write(path, text.replace(old, new)).unwrap();
}

fn numbers(bench: &Bench, words: &str) -> Vec<u64> {
    let lines = bench.run(["items", "--json", "--filter", words]).lines();
    lines.iter().map(|l| l["number"].as_u64().unwrap()).collect()
}

fn count(report: &Value, what: &str) -> u64 {
    report[what]["items"].as_u64().unwrap()
}

#[test]
fn what_reads_differently_is_pending_again_and_the_rest_keeps_its_verdicts() {
    let bench = Bench::new();
    bench.run(["compose", "--count", "600", "--seed", "3"]).ok();
    let all: String = (1..=600).map(|n| format!("{{\"item\":{n},\"verdict\":\"accept\"}}\n")).collect();
    bench.feed(["decide"], &all).ok();
    assert_eq!(bench.run(["recompose", "--json"]).lines()[0]["changed"]["items"], 0);

    edit(&bench, "styles.toml", "translucent washes", "thin washes");
    let dry = bench.run(["recompose", "--dry-run", "--json"]).lines().remove(0);
    assert_eq!(numbers(&bench, "status:accepted").len(), 600, "a dry run changes nothing");
    let report = bench.run(["recompose", "--json"]).lines().remove(0);
    let painted = numbers(&bench, "style:\"watercolor painting\"");
    assert_eq!((count(&dry, "changed"), count(&report, "changed")), (painted.len() as u64, painted.len() as u64));
    assert_eq!(report["changed"]["by_status"]["accepted"], painted.len());
    assert_eq!(report["notes"].as_array().unwrap().len(), 1);
    assert!(!painted.is_empty());
    assert_eq!(numbers(&bench, "status:pending"), painted);
    let first = bench.run(["items", "--json", "--filter", &format!("number:{}", painted[0])]).lines().remove(0);
    assert!(first["prompt"].as_str().unwrap().contains("thin washes"));
    // What is void cannot come back, and what is said now counts.
    let undone = bench.run(["undo"]).lines().remove(0);
    assert!(!painted.contains(&undone["number"].as_u64().unwrap()));
    bench.feed(["decide"], &format!("{{\"item\":{},\"verdict\":\"reject\"}}", painted[0])).ok();
    assert_eq!(numbers(&bench, "status:rejected"), [painted[0]]);
    assert_eq!(bench.run(["recompose", "--json"]).lines()[0]["changed"]["items"], 0, "once is enough");

    // The same after the owner was killed, and from the truth alone.
    let before = (bench.items(), bench.verdicts());
    bench.kill_owner();
    assert_eq!((bench.items(), bench.verdicts()), before);
    bench.run(["stop"]).ok();
    std::fs::remove_dir_all(bench.root().join("store")).unwrap();
    assert_eq!((bench.items(), bench.verdicts()), before);
}

#[test]
fn a_renamed_term_is_followed_and_a_removed_one_counted() {
    let bench = Bench::new();
    bench.run(["compose", "--count", "1200", "--seed", "3"]).ok();
    let items = bench.run(["items", "--json", "--filter", "subtask:animal"]).lines();
    let old = items[0]["provenance"]["terms"]["animal"].as_str().unwrap();
    edit(&bench, "vocabularies/animal.txt", &format!("\n{old}\n"), "\nbarn owl\n");
    let lost = bench.run(["recompose", "--dry-run", "--json"]).lines().remove(0);
    assert!(count(&lost, "gone") > 0 && count(&lost, "changed") == 0, "{lost}");
    assert_eq!(lost["gone"]["causes"][0]["what"], format!("animal `{old}`"));
    assert!(bench.run(["recompose", "--dry-run"]).ok().contains(&format!("animal `{old}`")));
    let renamed = bench.run(["recompose", "--rename", &format!("animal:{old}=barn owl"), "--json"]).lines().remove(0);
    assert_eq!((count(&renamed, "changed"), count(&renamed, "gone")), (count(&lost, "gone"), 0));
    let again = bench.run(["recompose", "--json"]).lines().remove(0);
    assert_eq!((count(&again, "changed"), count(&again, "gone")), (0, 0));
    bench.run(["recompose", "--rename", "owl"]).refused(2);
}

#[test]
fn broken_metadata_changes_nothing() {
    let bench = Bench::new();
    bench.run(["compose", "--count", "60"]).ok();
    edit(&bench, "templates.toml", "{color} {animal}", "{colour} {animal}");
    let error = bench.run(["recompose"]).refused(1);
    assert!(error.contains("colour") && error.contains("lint"), "{error}");
    assert_eq!(bench.status()["counts"]["by_status"]["pending"], json!(60));
}
