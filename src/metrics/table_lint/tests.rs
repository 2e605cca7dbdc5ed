use super::table::number;
use super::*;
use benchtop_model::Severity;

fn table(file: &str, text: &str) -> Table {
    let cells = |line: &str| line.split(',').map(str::to_string).collect::<Vec<_>>();
    let mut lines = text.lines();
    let columns = cells(lines.next().unwrap());
    Table {
        file: file.into(),
        columns,
        rows: (2..).zip(lines.map(cells)).collect(),
    }
}

fn lint_texts(texts: &[&str]) -> Report {
    let tables = texts
        .iter()
        .enumerate()
        .map(|(at, text)| table(&format!("{at}.csv"), text));
    lint(
        &tables
            .map(|t| (t.clone(), recognize(&t)))
            .collect::<Vec<_>>(),
        TOLERANCE,
    )
}

fn findings(report: &Report, rule: Rule) -> Vec<(u64, &str, &str)> {
    let of = report.findings.iter().filter(|f| f.rule == rule);
    of.map(|f| (f.line, f.column.as_str(), f.what.as_str()))
        .collect()
}

#[test]
fn printed_numbers_are_parsed() {
    let numbers = [
        "71.2",
        "+0.92",
        "-4.65",
        "\u{2212}4.65",
        "71.2 %",
        ".5",
        "-",
        "",
        "N/A",
        "nan",
        "inf",
        "--1",
        "1e3",
    ]
    .map(number);
    let of = |x| Some(x);
    assert_eq!(
        numbers[..6],
        [of(71.2), of(0.92), of(-4.65), of(-4.65), of(71.2), of(0.5)]
    );
    assert_eq!(numbers[6..12], [None; 6]);
    assert_eq!(numbers[12], of(1000.0));
}

#[test]
fn wrong_deltas_are_found() {
    let report = lint_texts(&[
        "model,clean,print,print_delta\na,50.00,45.00,-5.00\nb,60.00,45.00,-14.00\nc,60.01,45.00,-15.00\nd,60.00,,-1\n",
    ]);
    assert_eq!(report.checked[&Rule::Delta], 3);
    assert_eq!(
        findings(&report, Rule::Delta),
        [(
            3,
            "print_delta",
            "printed -14.00, but 45.00 - 60.00 = -15.00"
        )]
    );
}

#[test]
fn unattainable_values_are_found() {
    let report = lint_texts(&["model,value,n\na,64.60,500\nb,65.98,500\nc,33.33,3\nd,50,0\n"]);
    let found = findings(&report, Rule::Unattainable);
    assert_eq!(
        found[0],
        (
            3,
            "value",
            "no count out of 500 gives 65.98; the nearest possible values are 65.80 and 66.00"
        )
    );
    assert_eq!(found[1], (5, "value", "no count out of 0 gives 50"));
    assert_eq!((found.len(), report.checked[&Rule::Unattainable]), (2, 4));
    let own = lint_texts(&["model,easy,n_easy,hard,n_hard\na,50,4,33,4\n"]);
    assert_eq!(findings(&own, Rule::Unattainable).len(), 1);
    let mmsap = lint_texts(&[
        "model,basic,basic_sd,know,beyond,total\na,62.00,0.85,54.23,30.27,49.12\nb,62.00,0.84,54.23,30.27,49.52\n",
    ]);
    assert_eq!(
        findings(&mmsap, Rule::Sum),
        [(3, "total", "printed 49.52, but the parts give 49.12")]
    );
    assert_eq!(
        (
            mmsap.checked[&Rule::UnattainableSd],
            mmsap.checked[&Rule::Sum]
        ),
        (2, 2)
    );
}

#[test]
fn copied_rows_and_cells_are_found() {
    let wide = lint_texts(&["model,a,b,c,d\nx,1,2,3,4\ny,1,2,3,4\nz,9,2,3,4\nw,1,2,8,4\n"]);
    assert_eq!(
        findings(&wide, Rule::CopiedRow),
        [(3, "", "y has all 4 numbers of x (line 2)")]
    );
    assert_eq!(findings(&wide, Rule::CopiedCells).len(), 2, "{wide:?}");
    assert_eq!(wide.checked[&Rule::CopiedRow], 6);
    let long = "model,benchmark,variant,vanilla,value,printed_delta\n";
    let rows = |model: &str, set: &str, base: f64| {
        let row = |(variant, value): (&str, f64)| {
            format!(
                "{model},{set},{variant},{base},{value},{:.2}\n",
                value - base
            )
        };
        [("V1", 1.0), ("V2", 2.0), ("V3", 3.0)].map(row).concat()
    };
    let report = lint_texts(&[
        &format!(
            "{long}{}{}{}",
            rows("m", "SEED", 5.0),
            rows("q", "SEED", 5.0),
            rows("q", "MMB", 6.0)
        ),
        &format!("{long}{}", rows("Q", "seed", 7.0)),
    ]);
    assert_eq!(
        findings(&report, Rule::CopiedRow),
        [(5, "", "q (SEED) has all 3 numbers of m (line 2)")]
    );
    assert_eq!(
        findings(&report, Rule::Disagree),
        [(
            2,
            "vanilla",
            "Q seed has 7.00 here and 5.00 in 0.csv, line 5"
        )]
    );
    assert_eq!(report.of(Rule::Delta), 0);
}

#[test]
fn duplicate_values_are_found() {
    let report = lint_texts(&[
        "model,clean,corruption,adversarial,print\na,74.09,72.85,69.76,72.85\nb,100,100,50,0\nc,50,1,2,0\n",
    ]);
    assert_eq!(
        findings(&report, Rule::DuplicateValue),
        [
            (
                2,
                "print",
                "72.85 appears 2 times: corruption in line 2, print in line 2"
            ),
            (
                4,
                "clean",
                "50.00 appears 2 times: adversarial in line 3, clean in line 4"
            )
        ]
    );
    assert!(
        report
            .findings
            .iter()
            .all(|f| f.rule.severity() == Severity::Warning)
    );
}

#[test]
fn odd_tables_have_no_findings() {
    for text in [
        "model",
        "",
        "a,a,a\n1,2,3\n1\n,,,,,\n",
        "model,clean,clean_delta\nx,1,0\n",
        "n,value\n-1,5\n1.5,5\nx,5\n",
    ] {
        let report = lint(
            &[(
                table("t", &format!("{text}\n")),
                recognize(&table("t", &format!("{text}\n"))),
            )],
            TOLERANCE,
        );
        assert!(report.findings.is_empty(), "{text}: {report:?}");
    }
    let rules: std::collections::BTreeSet<_> = Rule::ALL.iter().map(|r| r.name()).collect();
    assert_eq!(rules.len(), Rule::ALL.len());
}
