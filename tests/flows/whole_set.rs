//! A whole set in small: the script `docs/whole_set.sh`, from the composition to the release.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use benchtop::protocol::wire::request;
use serde_json::Value;

use super::eval::reply;
use super::filter::tiny_clip;
use crate::conformance::loaders::loaded;
use crate::inference::server::Server;
use crate::support::{Bench, json_lines, run, tame};

const SCENARIOS: [&str; 4] = ["clean", "corruption", "print-attack", "adversarial"];

/// The scenario of an item.
fn scenario(item: &Value) -> &str {
    item["variant"]["name"].as_str().unwrap_or("clean")
}

/// The letter of the right option.
fn right(item: &Value) -> String {
    let options = item["options"].as_array().unwrap().iter();
    let at = options
        .clone()
        .position(|o| o["role"] == "correct")
        .unwrap();
    char::from(b'A' + at as u8).to_string()
}

/// MC+TF of each scenario, counted naively: the mean of the two types' scores, each the mean of its
/// subtasks (Dysca 4.1).
fn recomputed(
    items: &BTreeMap<String, Value>,
    outputs: &[(String, Value)],
) -> BTreeMap<String, f64> {
    // Right answers and all answers by subtask, by scenario and type.
    type Counts<'i> = BTreeMap<&'i str, (f64, f64)>;
    let mut counts: BTreeMap<(&str, &str), Counts<'_>> = BTreeMap::new();
    for answer in outputs {
        let item = &items[answer.0.as_str()];
        let text = |name: &str| item[name].as_str().unwrap();
        let of = counts.entry((scenario(item), text("kind"))).or_default();
        let (hits, all) = of.entry(text("subtask")).or_default();
        *all += 1.0;
        let said = answer.1["output"].as_str().unwrap();
        *hits += f64::from(said == right(item));
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let score = |name: &str| {
        let types = ["multiple-choice", "true-false"].map(|kind| {
            let of = counts[&(name, kind)].values();
            mean(&of.map(|(hits, all)| hits / all).collect::<Vec<_>>())
        });
        mean(&types)
    };
    let names = SCENARIOS.into_iter();
    names.map(|name| (name.to_string(), score(name))).collect()
}

/// What the model said, each with the id of its item.
fn outputs(bench: &Bench) -> Vec<(String, Value)> {
    let client = bench.client("ann", |_| ());
    let sets = client.ask(request::AnswerSets).unwrap();
    let mut found = Vec::new();
    for (at, set) in sets.iter().enumerate() {
        let dataset = set.dataset.as_deref().unwrap();
        for part in 0.. {
            let ask = request::AnswerLines {
                set: at as u32,
                part,
            };
            let Some(lines) = client.ask(ask).unwrap() else {
                break;
            };
            let id = |answer: &Value| format!("{dataset}/{}", answer["key"]);
            found.extend(json_lines(&lines).into_iter().map(|a| (id(&a), a)));
        }
    }
    found
}

fn by_id(text: &str) -> BTreeMap<String, Value> {
    let of = |item: Value| (item["id"].as_str().unwrap().to_string(), item);
    json_lines(text).into_iter().map(of).collect()
}

#[test]
fn a_script_makes_and_releases_a_whole_set() {
    // It answers by the question and the picture, so that scenarios differ. Every question has two options.
    let server = Server::new(|seen| {
        let dice = usize::from(blake3::hash(seen.body.to_string().as_bytes()).as_bytes()[0]);
        reply(["A", "B"][dice % 2], "stop")
    });
    let beside = Bench::new();
    let clip = tiny_clip(&beside);
    let root = beside.beside("set");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/whole_set.sh");
    let mut command = Command::new("sh");
    command
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_benchtop"))
        .args([&root, &clip])
        .args([&server.url(), "-22"]);
    tame(&mut command);
    run(command.env("BENCHTOP_AS", "ann"), "").ok();
    let bench = Bench::at(root);

    let items = by_id(&bench.run(["export", "--drafts", "--format", "jsonl"]).ok());
    let accepted: BTreeSet<String> = json_lines(
        &bench
            .run(["items", "--filter", "status:accepted", "--json"])
            .ok(),
    )
    .iter()
    .map(|item| item["id"].as_str().unwrap().to_string())
    .collect();
    let count = |name: &str, among: &dyn Fn(&str) -> bool| {
        let of = items
            .iter()
            .filter(|(id, item)| scenario(item) == name && among(id));
        of.count()
    };
    assert_eq!(count("clean", &|_| true), 200);
    let kept = count("clean", &|id| accepted.contains(id));
    // The filter flagged some and not all, and a person rejected those.
    assert!((150..200).contains(&kept), "{kept}");
    for name in ["corruption", "adversarial"] {
        assert_eq!(count(name, &|_| true), kept, "{name}");
    }
    // Questions about a text in the picture have no print attack.
    let texts = items.values().filter(|item| {
        scenario(item) == "clean"
            && item["subtask"] == "text"
            && accepted.contains(item["id"].as_str().unwrap())
    });
    assert_eq!(count("print-attack", &|_| true), kept - texts.count());

    let board = bench.run(["board", "--format", "json"]).lines();
    let outputs = outputs(&bench);
    let wanted = recomputed(&items, &outputs);
    let value = |column: &str| {
        let cell = board.iter().find(|cell| cell["column"] == column).unwrap();
        cell["value"].as_f64().unwrap()
    };
    for name in SCENARIOS {
        let found = value(&format!("MC+TF.{name}"));
        assert!(
            (found - wanted[name]).abs() < 1e-9,
            "{name}: {found} {wanted:?}"
        );
    }
    for name in &SCENARIOS[1..] {
        let drop = value(&format!("MC+TF.{name}-clean"));
        let by = 100.0 * (wanted[*name] - wanted["clean"]);
        assert!((drop - by).abs() < 1e-6, "{name}: {drop} {by}");
    }

    let folder = bench.root().join("releases/v1");
    let other = Bench::new();
    for entry in std::fs::read_dir(folder.join("records")).unwrap() {
        let file = entry.unwrap().path().join("items.jsonl");
        if file.exists() {
            other.run(["import", file.to_str().unwrap()]).ok();
        }
    }
    let back = by_id(&other.run(["export", "--drafts", "--format", "jsonl"]).ok());
    assert_eq!(back.keys().cloned().collect::<BTreeSet<_>>(), accepted);
    for (id, item) in &back {
        assert_eq!(item, &items[id]);
    }
    let mut loaded_items = 0;
    for name in SCENARIOS {
        let config = match name {
            "clean" => "balanced-3".to_string(),
            name => format!("balanced-3-{name}"),
        };
        for split in ["train", "test"] {
            let path = folder.join("huggingface");
            let wanted = format!("{config}:{split}");
            match loaded(&bench, "release", &path, &wanted, "huggingface") {
                Some(rows) => loaded_items += rows.len(),
                None => return,
            }
        }
    }
    assert_eq!(loaded_items, accepted.len());
}
