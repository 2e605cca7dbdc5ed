//! `benchtop lint-table` as scripts see it: `docs/cli.md` is the description.

use std::process::Command;

use crate::support::{Output, PROGRAM, has_line, json_lines, run};

fn lint(args: &[&str]) -> Output {
    run(Command::new(PROGRAM).arg("lint-table").args(args), "")
}

#[test]
fn published_tables_are_linted() {
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/metadata/published");
    let path = |name: &str| format!("{published}/{name}");
    let vlb = lint(&["--format", "json", &path("vlb-tables-1-2.csv")]);
    assert_eq!(vlb.code, 1);
    let found = json_lines(&vlb.out);
    let of = |rule: &str| found.iter().filter(|f| f["rule"] == rule).count();
    assert_eq!((of("delta"), of("copied-row"), found.len()), (11, 1, 13));
    let keys: Vec<_> = found[0]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(keys, ["severity", "rule", "file", "line", "column", "what"]);
    let dysca = lint(&[&path("dysca-table-3.csv")]).ok();
    assert!(
        has_line(&dysca, &["Dysca, Table 3"]) && has_line(&dysca, &["104", "6"]),
        "{dysca}"
    );
    let both = lint(&[&path("mm-sap-table-1.csv"), &path("mm-sap-table-2.csv")]);
    assert_eq!(both.code, 1);
    assert!(
        has_line(&both.out, &["csv:3: error [sum] basic", "68.25"])
            && has_line(&both.out, &["32", "1"]),
        "{}",
        both.out
    );
}

#[test]
fn lint_table_checks_columns_named_on_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("mine.csv");
    std::fs::write(
        &file,
        "name,\"old, all\",new,gain,part one,part two,whole\r\nx,50,55,5.00,40,60,50\r\ny,50,55,6.00,40,60,55\r\n",
    )
    .unwrap();
    let file = file.to_str().unwrap();
    let plain = lint(&[file]).ok();
    assert!(
        has_line(&plain, &[file, "2"]) && has_line(&plain, &["1", "0"]),
        "{plain}"
    );
    let args = [
        file,
        "--delta",
        "gain=new-old, all",
        "--n",
        "part one=3",
        "--total",
        "whole=part one+part two*1",
    ];
    let found = lint(&args);
    assert_eq!(found.code, 1);
    for data in [
        &[
            "mine.csv:3: error [delta] gain:",
            "+6.00",
            "55.00",
            "50.00",
            "+5.00",
        ][..],
        &[
            "mine.csv:2: error [unattainable] part one:",
            "3",
            "40",
            "33.33",
            "66.67",
        ],
        &["mine.csv:3: error [sum] whole:", "55.00", "50.00"],
        &["2 deltas", "1"],
    ] {
        assert!(has_line(&found.out, data), "{data:?}: {}", found.out);
    }
    let twice = lint(&[file, "--distinct", "new,best"]).refused(1);
    assert!(twice.names("`best`"), "{twice}");
    let distinct = lint(&[file, "--distinct", "new"]).ok();
    assert!(
        has_line(&distinct, &["warning [duplicate-value] new: 55.00", "2"]),
        "{distinct}"
    );
    assert!(
        lint(&[file, "--delta", "gain"])
            .refused(2)
            .names("DELTA=VALUE-BASE")
    );
    let broken = dir.path().join("broken.csv");
    std::fs::write(&broken, "a,b\n1,2\n1\n").unwrap();
    let said = lint(&[broken.to_str().unwrap()]).refused(1);
    assert_eq!(said.place(), ("broken.csv", 3, ""));
    std::fs::write(&broken, "").unwrap();
    let said = lint(&[broken.to_str().unwrap()]).refused(1);
    assert_eq!(said.place().0, "broken.csv");
}
