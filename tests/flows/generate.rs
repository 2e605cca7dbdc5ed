//! Generation on the command line: jobs, exports, and pictures of changed prompts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::durability::generate::{check, fifty, recorded};
use crate::flows::eval;
use crate::inference::server::Server;
use crate::support::{Bench, ErrorKind, json_lines, wait_until};

const SMALL: [&str; 3] = ["generate", "--size", "64x64"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    SMALL.iter().chain(more).copied().collect()
}

fn edit(bench: &Bench, file: &str, old: &str, new: &str) {
    let path = bench.root().join("metadata").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(old), "{file} has no {old}");
    std::fs::write(path, text.replace(old, new)).unwrap();
}

#[test]
fn a_generation_job_reports_its_progress_in_json() {
    let bench = fifty();
    let lines = bench.run(with(&["--json-progress"])).lines();
    assert_eq!(
        (
            &lines[0]["event"],
            &lines[0]["pictures"],
            &lines[0]["generator"]
        ),
        (&json!("begun"), &json!(50), &json!("storyboard"))
    );
    let last = &lines[lines.len() - 1]["job"];
    assert_eq!(
        (&last["standing"], &last["done"], &last["id"]),
        (&json!("done"), &json!(50), &json!(1))
    );
    assert!(
        last["newest"]["path"]
            .as_str()
            .unwrap()
            .starts_with("images/")
    );
    assert_eq!(last["settings"]["width"], 64);
    check(&bench, 50);
    bench.run(with(&["--json"])).refused_as(ErrorKind::Conflict);
    // Chosen items again, from another seed; a number and an id name them.
    let id = bench.items()[4]["id"].as_str().unwrap().to_string();
    let output = bench.feed(
        with(&["--items", "-", "--seed", "9", "--json"]),
        &format!("#1\n{id}\n"),
    );
    let job: Value = serde_json::from_str(&output.ok()).unwrap();
    assert!(job["done"].as_u64().unwrap() >= 1 && job["plan"] == "2 items");
    let listed = bench.run(["jobs", "--json"]).lines();
    assert_eq!(
        listed
            .iter()
            .map(|j| j["id"].as_u64().unwrap())
            .collect::<Vec<_>>(),
        [2, 1]
    );
    assert!(bench.run(["jobs"]).ok().contains("done"));
    bench.run(["jobs", "remove", "1"]).ok();
    assert!(bench.run(["jobs", "pause", "1"]).refused(1).names("1"));
    assert!(
        bench
            .feed(with(&["--items", "-"]), "nobody/1\n")
            .refused(1)
            .line
            == 1
    );
    bench.run(with(&["--backend", "crayon"])).refused(2);
    bench.run(with(&["--size", "8"])).refused(2);
    // A size that the generator cannot make fails the job and names what it can.
    let output = bench.run([
        "generate",
        "--size",
        "8x8",
        "--filter",
        "type:multiple-choice",
        "--seed",
        "2",
        "--json",
    ]);
    assert_eq!(output.code, 1);
    let job: Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(job["standing"], "failed");
    assert!(job["reason"].as_str().unwrap().contains("64"), "{job}");
}

#[test]
fn exports_carry_drafts_and_mark_them() {
    let bench = fifty();
    bench.run(SMALL).ok();
    let out = bench.beside("out/items.json");
    bench
        .run([
            "export",
            "--format",
            "dysca",
            "--pictures",
            "--drafts",
            "--out",
            out.to_str().unwrap(),
        ])
        .ok();
    let items: Vec<Value> = serde_json::from_slice(&std::fs::read(&out).unwrap()).unwrap();
    assert!(
        !items.is_empty() && items.iter().all(|i| i["draft"] == true),
        "{}",
        items[0]
    );
    let picture = out
        .parent()
        .unwrap()
        .join(items[0]["images"][0].as_str().unwrap());
    assert!(std::fs::read(picture).unwrap().starts_with(b"\x89PNG"));
    let lines = bench
        .run(["export", "--format", "jsonl", "--drafts"])
        .lines();
    assert!(
        lines
            .iter()
            .all(|i| i["images"][0]["draft"] == true && i["images"][0]["hash"].is_string())
    );
}

/// Asserts that the command refuses drafts and gives their number and the option that takes them.
fn refuses(bench: &Bench, args: &[&str], drafts: usize) {
    let refused = bench
        .run(args.iter().copied().chain(["--json"]))
        .refused_as(ErrorKind::Conflict);
    assert!(
        refused.names("--drafts") && refused.names(&format!("{drafts} ")),
        "{args:?}: {refused}"
    );
}

#[test]
fn drafts_are_refused_with_their_count_unless_requested() {
    let bench = fifty();
    bench.run(SMALL).ok();
    let drafts = bench.items().len();
    let server = Server::new(|_| eval::reply("(A)", "stop"));
    let url = server.url();
    // Exports: in every form, before a file is there.
    let out = bench.beside("out");
    for format in ["jsonl", "dysca", "hf-folder", "vlmevalkit"] {
        let said = bench
            .run(["export", "--format", format, "--out", out.to_str().unwrap()])
            .refused(1);
        assert!(
            said.names("--drafts") && said.names(&format!("{drafts} ")),
            "{format}: {said}"
        );
        assert!(!out.exists(), "{format}");
    }
    let mixed = "picture:draft number:1,2,3";
    let said = bench
        .run(["export", "--format", "jsonl", "--filter", mixed])
        .refused(1);
    assert!(said.names("3 "), "{said}");
    assert_eq!(
        bench
            .run(["export", "--format", "jsonl", "--filter", "picture:yes"])
            .lines()
            .len(),
        0
    );
    // Whoever looks at pictures: models that are evaluated, and scorers.
    let eval = [
        "eval",
        "--model",
        "tiny",
        "--endpoint",
        &url,
        "--filter",
        "number:1,2,3",
    ];
    refuses(&bench, &eval, 3);
    assert!(server.seen().is_empty());
    let dry = bench
        .run(eval.iter().copied().chain(["--dry-run", "--json"]))
        .lines()
        .pop()
        .unwrap();
    assert_eq!(dry["drafts"], 3, "{dry}");
    let counted = bench
        .run(["filter", "run", "flatness", "--dry-run", "--json"])
        .lines()
        .remove(0);
    refuses(
        &bench,
        &["filter", "run", "flatness"],
        counted["drafts"].as_u64().unwrap_or(0) as usize,
    );
    assert!(
        counted["drafts"] == counted["of"] && counted["drafts"].as_u64() > Some(1),
        "{counted}"
    );
    // Who does not look at pictures is not asked.
    bench.run(["filter", "run", "leakage", "--json"]).ok();
    let blind = bench
        .run(eval.iter().copied().chain(["--blind", "--json"]))
        .lines()
        .pop()
        .unwrap();
    assert_eq!(
        (&blind["standing"], &blind["run"]["drafts"]),
        (&json!("done"), &json!(0)),
        "{blind}"
    );
    // Asked for, they are used and marked.
    let run = bench
        .run(eval.iter().copied().chain(["--drafts", "--json"]))
        .lines()
        .pop()
        .unwrap();
    assert_eq!(
        (&run["standing"], &run["run"]["drafts"]),
        (&json!("done"), &json!(3)),
        "{run}"
    );
    let scored = bench
        .run(["filter", "run", "flatness", "--drafts", "--json"])
        .lines()
        .pop()
        .unwrap();
    assert_eq!(scored["phase"], "done", "{scored}");
    wait_until("the answers are on the board", || {
        let board = bench.run(["board", "--format", "json"]);
        json_lines(&board.out)
            .iter()
            .any(|line| line["model"] == "tiny" && line["drafts"] == drafts)
    });
    let note = format!("{drafts} of {drafts} questions show a draft");
    assert!(bench.run(["board"]).ok().contains(&note));
    // A record that says it shows a draft is one in the project that takes it in.
    let file = bench.beside("drafts.jsonl");
    bench
        .run([
            "export",
            "--format",
            "jsonl",
            "--drafts",
            "--pictures",
            "--out",
            file.to_str().unwrap(),
        ])
        .ok();
    let other = Bench::new();
    other.run(["import", file.to_str().unwrap()]).ok();
    assert_eq!(
        other
            .run(["items", "--json", "--filter", "picture:draft"])
            .lines()
            .len(),
        drafts
    );
    other.run(["export", "--format", "jsonl"]).refused(1);
}

#[test]
fn changed_prompts_make_exactly_their_pictures_missing() {
    let bench = fifty();
    bench.run(SMALL).ok();
    assert_eq!(missing(&bench), BTreeSet::new());
    let count = |words: &str| {
        bench
            .run(["items", "--json", "--filter", words])
            .lines()
            .len()
    };
    assert_eq!(
        (count("picture:draft"), count("picture:yes,missing,none")),
        (bench.items().len(), 0)
    );
    edit(&bench, "styles.toml", "translucent washes", "thin washes");
    assert_eq!(
        missing(&bench),
        BTreeSet::new(),
        "items read as before until they are composed again"
    );
    let report = bench.run(["recompose", "--json"]).lines().remove(0);
    let names = missing(&bench);
    let painted: BTreeSet<String> = bench
        .items()
        .iter()
        .filter(|i| i["style"] == "watercolor painting")
        .map(name)
        .collect();
    assert!(!names.is_empty() && names.len() < 50);
    assert_eq!(names, painted);
    assert!(report["changed"]["items"].as_u64().unwrap() >= names.len() as u64);
    assert_eq!(
        count("picture:missing") as u64,
        report["changed"]["items"].as_u64().unwrap()
    );
    assert_eq!(count("picture:missing style:cubism"), 0);
    let dry = bench
        .run(["generate", "--dry-run", "--json"])
        .lines()
        .remove(0);
    assert_eq!(
        (&dry["pictures"], &dry["items"]),
        (&json!(names.len()), &report["changed"]["items"])
    );
    let job: Value = serde_json::from_str(&bench.run(with(&["--json"])).ok()).unwrap();
    assert_eq!(job["done"], names.len());
    assert_eq!(missing(&bench), BTreeSet::new());
    let again: BTreeSet<String> = recorded(&bench)[50..]
        .iter()
        .map(|l| l["picture"].as_str().unwrap().into())
        .collect();
    assert_eq!(again, names);
}

fn name(item: &Value) -> String {
    item["images"][0]["name"].as_str().unwrap().into()
}

/// Names of the pictures that items show none of.
fn missing(bench: &Bench) -> BTreeSet<String> {
    bench
        .items()
        .iter()
        .filter(|i| i["images"][0]["hash"].is_null())
        .map(name)
        .collect()
}

#[test]
fn a_verdict_counts_only_after_its_picture() {
    let bench = fifty();
    let numbers: Vec<u64> = bench
        .items()
        .iter()
        .map(|i| i["number"].as_u64().unwrap())
        .collect();
    let mut decider = bench.decider("ann");
    bench.run(with(&["--detach", "--per-minute", "1500"])).ok();
    let mut revs: BTreeMap<u64, u64> = BTreeMap::new();
    // The last first, so that some come before their picture and some after it.
    for number in numbers.iter().rev() {
        assert!(decider.send(&json!({"item": number, "verdict": "accept"}).to_string()));
        let receipt = decider.receipt();
        assert_eq!(receipt["saved"], true, "{receipt}");
        revs.insert(*number, receipt["rev"].as_u64().unwrap());
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    decider.finish();
    wait_until("the job is done", || {
        bench.run(["jobs", "--json"]).lines()[0]["standing"] == "done"
    });
    let look = || {
        let items: BTreeMap<String, u64> = bench
            .items()
            .iter()
            .map(|i| {
                (
                    i["id"].as_str().unwrap().to_string(),
                    i["number"].as_u64().unwrap(),
                )
            })
            .collect();
        let mut made: BTreeMap<u64, u64> = BTreeMap::new();
        for line in recorded(&bench) {
            for id in line["items"].as_array().unwrap() {
                made.insert(items[id.as_str().unwrap()], line["rev"].as_u64().unwrap());
            }
        }
        let counting: Vec<u64> = bench
            .verdicts()
            .iter()
            .map(|v| v["number"].as_u64().unwrap())
            .collect();
        let wanted: Vec<u64> = numbers
            .iter()
            .copied()
            .filter(|n| revs[n] > made[n])
            .collect();
        assert_eq!(counting, wanted);
        wanted.len()
    };
    let counting = look();
    assert!(
        counting > 0 && counting < numbers.len(),
        "{counting} of {}",
        numbers.len()
    );
    println!(
        "{counting} of {} verdicts came after their picture",
        numbers.len()
    );
    // The same after a kill, and from the truth alone.
    bench.kill_owner();
    look();
    bench.run(["stop"]).ok();
    std::fs::remove_dir_all(bench.root().join("store")).unwrap();
    look();
}
