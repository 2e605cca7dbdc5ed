//! The same files on a board and in an import: what is read, what is left out, and which notes say so.

use std::path::PathBuf;

use benchtop::pipeline::board::{BoardData, from_paths};
use serde_json::json;

use super::tool;
use crate::support::{Bench, has_word};

fn board(paths: &[PathBuf]) -> BoardData {
    from_paths(paths, None).unwrap()
}

#[test]
fn the_board_uses_the_newest_of_five_runs_and_names_the_others() {
    let Some((folder, _)) = tool("vlmevalkit") else {
        return;
    };
    let scored = board(&[folder.join("LMUData"), folder.join("outputs")]);
    assert_eq!(scored.models().collect::<Vec<_>>(), ["m-good"]);
    let board = scored.full_board();
    let told = board
        .notes
        .iter()
        .find(|n| n.contains("5 runs") && n.contains("DyscaA"))
        .unwrap();
    for run in [
        "json/m-good/m-good_DyscaA.json",
        "tsv/m-good/m-good_DyscaA.tsv",
        "xlsx_missing_dup/m-good/m-good_DyscaA.xlsx",
    ] {
        assert!(told.contains(run), "{told}");
    }
    let reasons: Vec<String> = scored.skipped.iter().map(|p| p.what.clone()).collect();
    // Six tables of verdicts belong to an answer file. Four runs of the model are older.
    let older = reasons
        .iter()
        .filter(|r| r.contains("run of m-good"))
        .count();
    let same = |first: &str| reasons.iter().filter(|r| r.starts_with(first)).count();
    let counts: std::collections::BTreeSet<_> = reasons.iter().map(|r| same(&r[..20])).collect();
    assert!(older == 4 && counts.contains(&6), "{reasons:?}");
}

#[test]
fn missing_and_duplicate_rows_are_counted() {
    let Some((folder, _)) = tool("vlmevalkit") else {
        return;
    };
    let scored = board(&[
        folder.join("LMUData/DyscaA.tsv"),
        folder.join("outputs/xlsx_missing_dup"),
    ]);
    let counts = scored.full_board().rows[0].counts;
    assert_eq!((counts.missing, counts.duplicate), (3, 2));
    assert!(
        scored
            .full_board()
            .notes
            .iter()
            .any(|n| has_word(n, "1") && n.contains("32,767")),
        "{:?}",
        scored.full_board().notes
    );
}

#[test]
fn answers_numbered_by_row_find_their_questions() {
    let (Some((vlm, _)), Some((opencompass, _)), Some((lmms, _))) =
        (tool("vlmevalkit"), tool("opencompass"), tool("lmms-eval"))
    else {
        return;
    };
    // The same questions, whichever tool asked them: the parts hold no options and are graded all the same.
    for answers in [
        opencompass.join("predictions"),
        opencompass.join("predictions_split"),
        lmms.join("out"),
    ] {
        let scored = board(&[vlm.join("LMUData/DyscaA.tsv"), answers.clone()]);
        let board = scored.full_board();
        let row = &board.rows[0];
        assert_eq!(
            (row.counts.missing, row.counts.extra),
            (0, 0),
            "{}",
            answers.display()
        );
        let all = scored
            .full_board()
            .columns
            .iter()
            .position(|c| c.name == "Acc")
            .unwrap();
        assert_eq!(row.cells[all].unwrap().n(), 26);
    }
    // Other questions are another data set, whatever its name is.
    let scored = board(&[
        vlm.join("LMUData/DyscaYN_A.tsv"),
        opencompass.join("predictions"),
    ]);
    let all = scored
        .full_board()
        .columns
        .iter()
        .position(|c| c.name == "Acc")
        .unwrap();
    assert_eq!(
        scored.full_board().rows[0].cells[all].unwrap().n(),
        26,
        "only where the model answers anything"
    );
}

#[test]
fn import_reads_embedded_pictures_and_notes_what_it_left_out() {
    let (Some((vlm, _)), Some((inspect, _))) = (tool("vlmevalkit"), tool("inspect")) else {
        return;
    };
    let bench = Bench::new();
    let table = vlm.join("LMUData/DyscaA.tsv");
    let run = vlm.join("outputs/tsv_missing_dup");
    let import = |paths: &[&str]| {
        let args: Vec<&str> = ["import", "--json"]
            .into_iter()
            .chain(paths.iter().copied())
            .collect();
        bench.run(args).lines().remove(0)
    };
    let report = import(&[table.to_str().unwrap(), run.to_str().unwrap()]);
    assert_eq!(
        (
            &report["items"],
            &report["predictions"],
            &report["duplicates"]
        ),
        (&json!(26), &json!(23), &json!(2))
    );
    assert_eq!(
        (&report["pictures"], &report["missing_pictures"]),
        (&json!(8), &json!(0))
    );
    let notes = report["notes"].to_string();
    assert!(has_word(&notes, "2 rows"), "{notes}");
    // Again: nothing is added.
    let report = import(&[table.to_str().unwrap(), run.to_str().unwrap()]);
    assert_eq!(
        (&report["items"], &report["predictions"], &report["already"]),
        (&json!(0), &json!(0), &json!(49))
    );
    // A log of the same data set: its answers are taken, the questions are at hand.
    let report = import(&[inspect.join("logs_eval").to_str().unwrap()]);
    assert_eq!(
        (&report["items"], &report["predictions"]),
        (&json!(0), &json!(26))
    );
    // Another run of a model is another name or nothing.
    let old = inspect.join("logs_eval_0.3.110");
    let refused = bench.run(["import", old.to_str().unwrap()]).refused(1);
    assert!(refused.names("--model NAME"), "{refused}");
    let report = import(&["--model", "m-old", old.to_str().unwrap()]);
    assert_eq!(report["predictions"], json!(26));
}

/// What the models that have a row get of a column.
fn shares(scored: &BoardData, column: &str) -> Vec<(String, u64, u64)> {
    let board = scored.full_board();
    let at = board.columns.iter().position(|c| c.name == column).unwrap();
    let share = |row: &benchtop::model::board::Row| match row.cells[at] {
        Some(benchtop::model::board::Cell::Share { k, n }) => Some((row.model.clone(), k, n)),
        _ => None,
    };
    board.rows.iter().filter_map(share).collect()
}

#[test]
fn answers_of_two_tools_are_two_runs() {
    let (Some((vlm, _)), Some((hf, _))) = (tool("vlmevalkit"), tool("hf-datasets")) else {
        return;
    };
    // The answers beside a Parquet set are to that set, though the rows of another tool's have the same numbers.
    let scored = board(&[vlm.clone(), hf.clone()]);
    assert_eq!(
        shares(&scored, "Acc.dataset.DyscaA"),
        [("m-good".to_string(), 18, 26)]
    );
    assert_eq!(
        shares(&scored, "Acc.dataset.parquet-test"),
        [("m-good".to_string(), 20, 26)]
    );
    let bench = Bench::new();
    for folder in [&vlm, &hf] {
        bench.run(["import", folder.to_str().unwrap()]).ok();
    }
    let cells = bench.run(["board", "--format", "json"]).lines();
    let k = |column: &str| cells.iter().find(|c| c["column"] == column).unwrap()["k"].clone();
    assert_eq!(
        (k("Acc.dataset.DyscaA"), k("Acc.dataset.parquet-test")),
        (json!(18), json!(20))
    );
    // Without that set they are another run over the only one, and do not fill the holes of the first.
    let (table, run) = (
        vlm.join("LMUData/DyscaA.tsv"),
        vlm.join("outputs/tsv_missing_dup"),
    );
    let answers = hf.join("predictions.csv");
    let scored = board(&[table.clone(), run.clone(), answers.clone()]);
    let notes = scored.full_board().notes;
    assert!(
        notes.iter().any(|n| n.starts_with("m-good: 2 ")),
        "{notes:?}"
    );
    assert!(
        scored
            .skipped
            .iter()
            .any(|p| p.place.file == Some(answers.clone()) && p.what.contains("m-good")),
        "{:?}",
        scored.skipped
    );
    let bench = Bench::new();
    bench
        .run(["import", table.to_str().unwrap(), run.to_str().unwrap()])
        .ok();
    let refused = bench.run(["import", answers.to_str().unwrap()]).refused(1);
    assert!(refused.names("--model NAME"), "{refused}");
}
