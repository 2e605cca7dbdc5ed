//! Chance levels, columns by term, inconsistent pictures, and the best models of a column as
//! consensus: the sample has composed questions with made-up answers.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::filter::configure;
use crate::support::Bench;
use benchtop::model::ErrorKind;

fn sample() -> Bench {
    let bench = Bench::new();
    bench.run(["sample"]).ok();
    bench
}

fn board(bench: &Bench, args: &[&str]) -> Vec<Value> {
    let args = ["board", "--format", "json"].iter().chain(args).copied();
    bench.run(args).lines()
}

fn one(bench: &Bench, args: &[&str]) -> Value {
    serde_json::from_str(&bench.run(args.iter().copied()).ok()).unwrap()
}

#[test]
fn chance_levels_are_a_row_that_is_never_ranked() {
    let bench = sample();
    let plain = board(&bench, &[]);
    assert!(plain.iter().all(|cell| cell.get("reference").is_none()));
    let with = board(&bench, &["--chance"]);
    let (chance, scored): (Vec<Value>, Vec<Value>) =
        with.into_iter().partition(|cell| cell["model"] == "chance");
    assert_eq!(scored, plain);
    assert!(
        chance
            .iter()
            .all(|cell| cell["reference"] == "chance level")
    );
    let of = |column: &str| {
        let found = chance.iter().find(|cell| cell["column"] == column);
        found.unwrap_or_else(|| panic!("{column}: {chance:?}"))["value"].clone()
    };
    assert_eq!(of("Acc.type.true-false"), json!(0.5));
    let acc = of("Acc").as_f64().unwrap();
    assert!(acc > 0.2 && acc < 0.5, "{acc}");
    let ranked = bench
        .run(["board", "--ranks", "Acc", "--format", "json"])
        .lines();
    assert!(ranked.iter().all(|line| line["model"] != "chance"));
    bench
        .run(["board", "--ranks", "Acc", "--chance"])
        .refused(2);
    let csv = bench.run(["board", "--chance", "--format", "csv"]).ok();
    assert!(
        csv.lines()
            .any(|l| l.starts_with("chance,Acc,,") && l.ends_with(",chance level"))
    );
}

#[test]
fn inconsistent_pictures_are_listed_with_both_answers() {
    let bench = sample();
    let cells = board(&bench, &["--columns", "inconsistent"]);
    let mut all = 0;
    for cell in &cells {
        let model = cell["model"].as_str().unwrap();
        let listed = board(&bench, &["--inconsistent", model]);
        let mut units: BTreeSet<(&str, bool)> = BTreeSet::new();
        for answer in &listed {
            assert_eq!(answer["column"], "inconsistent");
            let right = answer["right"].as_bool().unwrap();
            units.insert((answer["unit"].as_str().unwrap(), right));
        }
        let right = units.iter().filter(|(_, right)| *right).count() as u64;
        let wrong = units.iter().filter(|(_, right)| !*right).count() as u64;
        assert!(right > 0 || cell["k"] == 0, "{cell} {listed:?}");
        assert_eq!(right, wrong, "each picture has a right and a wrong answer");
        assert!(right <= cell["k"].as_u64().unwrap());
        all += right;
    }
    assert!(all > 0, "{cells:?}");
    bench.run(["board", "--inconsistent", "nobody"]).refused(1);
    bench
        .run(["board", "--inconsistent", "sample-small", "--column", "Acc"])
        .refused(2);
}

#[test]
fn columns_by_term_are_shown_if_they_are_named_and_can_be_clustered() {
    let bench = sample();
    let is_term = |cell: &Value| cell["column"].as_str().unwrap().starts_with("Acc.term.");
    assert!(!board(&bench, &[]).iter().any(is_term));
    let cells = board(&bench, &["--columns", "Acc.term.*"]);
    assert!(!cells.is_empty() && cells.iter().all(is_term));
    let column = cells[0]["column"].as_str().unwrap();
    let sure = bench
        .run([
            "board",
            "--intervals",
            "--column",
            column,
            "--format",
            "json",
        ])
        .lines();
    assert!(
        sure.iter().all(|line| line["column"] == *column),
        "{sure:?}"
    );
    let said = serde_json::to_string(&sure).unwrap();
    assert!(said.contains("\"image\""), "clusters are pictures: {said}");
    let clusters = one(
        &bench,
        &[
            "analyze",
            "cluster",
            "--of",
            "subtasks",
            "--columns",
            "Acc.term.*",
            "--json",
        ],
    );
    let names: BTreeSet<&str> = cells.iter().filter_map(|c| c["column"].as_str()).collect();
    let said = clusters.to_string();
    assert!(names.iter().all(|name| said.contains(name)), "{said}");
}

#[test]
fn the_best_models_of_a_column_make_the_consensus() {
    let bench = sample();
    configure(&bench, "[filter]\nconsensus = \"top 2 of Acc\"");
    let acc = board(&bench, &["--columns", "Acc"]);
    let mut best: Vec<(f64, &str)> = acc
        .iter()
        .map(|c| (-c["value"].as_f64().unwrap(), c["model"].as_str().unwrap()))
        .collect();
    best.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let named = format!("top 2 of Acc: {}, {}", best[0].1, best[1].1);
    let scorer = || {
        let report = one(&bench, &["filter", "report", "--json"]);
        let scorers = report["scorers"].as_array().unwrap().clone();
        let found = scorers.into_iter().find(|s| s["scorer"] == "consensus");
        found.unwrap()
    };
    assert_eq!(scorer()["version"], named);
    let item = board(&bench, &["--answers", best[0].1, "--column", "Acc"])[0]["item"].clone();
    let explained = one(
        &bench,
        &["filter", "explain", item.as_str().unwrap(), "--json"],
    );
    let scores = explained["scores"].as_array().unwrap();
    let found = scores.iter().find(|s| s["scorer"] == "consensus").unwrap();
    let counted = &found["counted"];
    let all = counted["n"].as_u64().unwrap() + counted["left_out"].as_u64().unwrap();
    assert_eq!(all, 2, "{found}");
    let detail: Value = serde_json::from_str(found["detail"].as_str().unwrap()).unwrap();
    assert_eq!(detail["models"], named);
    // A column that the board does not have is named with its field; other scorers still work.
    configure(&bench, "[filter]\nconsensus = \"top 2 of Final.nothing\"");
    let state = scorer();
    assert!(
        state["not_ready"]
            .as_str()
            .unwrap()
            .contains("Final.nothing"),
        "{state}"
    );
    configure(&bench, "[filter]\nconsensus = \"best 2\"");
    let problem = bench
        .run(["filter", "report", "--json"])
        .refused_as(ErrorKind::Input);
    assert_eq!(problem.field, "filter.consensus");
}

#[test]
fn the_plan_of_dysca_has_its_shares_of_question_types() {
    let bench = Bench::new();
    let of = |args: &[&str]| {
        let args = ["compose", "--dry-run", "--json"]
            .iter()
            .chain(args)
            .copied();
        let report: Value = serde_json::from_str(&bench.run(args).ok()).unwrap();
        let counts = report["counts"].as_array().unwrap().clone();
        let n = |kind: &str| {
            let own = counts.iter().filter(|count| count["type"] == kind);
            own.map(|count| count["questions"].as_u64().unwrap())
                .sum::<u64>()
        };
        ["multiple-choice", "true-false", "free-form"].map(n)
    };
    assert_eq!(of(&["--plan", "dysca", "--count", "1010"]), [410, 410, 190]);
    assert_eq!(of(&["--plan", "dysca"]).iter().sum::<u64>(), 3000);
    let parts = of(&["--count", "999"]);
    assert_eq!(parts.iter().sum::<u64>(), 999);
    assert!(parts.iter().all(|n| n.abs_diff(333) <= 16), "{parts:?}");
}
