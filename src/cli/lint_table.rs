//! `benchtop lint-table`: checks printed tables of results for impossible numbers.

use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::json;

use super::out;
use crate::out::{done, json_line, print};
use benchtop_formats as formats;
use benchtop_formats::input;
use benchtop_metrics::table_lint::{
    self, Plan, Report, Rule, Share, TOLERANCE, Table, Total, recognize,
};
use benchtop_model::{Error, Result, Severity, clean};

#[derive(clap::Args)]
pub struct Args {
    /// CSV files; they are also checked against each other
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Output::Text)]
    format: Output,
    /// Check a column of differences between two other columns (repeatable)
    #[arg(long = "delta", value_name = "DELTA=VALUE-BASE")]
    deltas: Vec<String>,
    /// Check that percentages are possible for N questions; N is a number or a column (repeatable)
    #[arg(long = "n", value_name = "COLUMN=N")]
    counts: Vec<String>,
    /// Check a column that is a weighted mean of others (repeatable)
    #[arg(long = "total", value_name = "TOTAL=A*400+B*350")]
    totals: Vec<String>,
    /// Check that no value occurs twice in these columns
    #[arg(long, value_name = "COLUMN,COLUMN")]
    distinct: Option<String>,
    /// Maximum difference between printed and computed numbers, in points
    #[arg(long, value_name = "POINTS", default_value_t = TOLERANCE)]
    tolerance: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// Text, with a summary of the checks
    Text,
    /// One JSON object per finding
    Json,
}

/// The exit code is 1 if there are findings of severity error.
///
/// # Errors
/// [`ErrorKind::Usage`](benchtop_model::ErrorKind::Usage) for a malformed option,
/// [`ErrorKind::NotFound`](benchtop_model::ErrorKind::NotFound) for a column that no table has, and
/// errors of the files.
pub fn run(args: &Args) -> Result<u8> {
    if !args.tolerance.is_finite() || args.tolerance < 0.0 {
        return Err(
            Error::usage("the tolerance must be a number of points, 0 or more").field("tolerance"),
        );
    }
    let mut tables = args
        .files
        .iter()
        .map(|path| read(path))
        .collect::<Result<Vec<_>>>()?;
    add_options(args, &mut tables)?;
    let report = table_lint::lint(&tables, args.tolerance);
    match args.format {
        Output::Json => {
            let mut out = std::io::BufWriter::new(out::lines());
            for f in &report.findings {
                let severity = f.rule.severity().name();
                let line = json!({"severity": severity, "rule": f.rule.name(), "file": f.file, "line": f.line, "column": f.column,
                    "what": f.what});
                json_line(&mut out, &line)?;
            }
            done(out.flush())?;
        }
        Output::Text => print(&text(&tables, &report))?,
    }
    Ok(u8::from(
        report
            .findings
            .iter()
            .any(|f| f.rule.severity() == Severity::Error),
    ))
}

fn read(path: &Path) -> Result<(Table, Plan)> {
    let rows =
        formats::delimited::table(BufReader::new(input::open(path)?)).map_err(|p| p.file(path))?;
    let mut rows = rows.into_iter();
    let Some((_, columns)) = rows.next() else {
        return Err(Error::input("the file is empty")
            .file(path)
            .help("write the names of the columns in the first line"));
    };
    let table = Table {
        file: path.display().to_string(),
        columns,
        rows: rows.collect(),
    };
    let plan = recognize(&table);
    Ok((table, plan))
}

/// Adds the checks of the options to the tables that have the columns.
fn add_options(args: &Args, tables: &mut [(Table, Plan)]) -> Result<()> {
    let bad = |option: &str, form: &str| Error::usage(format!("expected {form}, found `{option}`"));
    for option in &args.deltas {
        let parts = option
            .split_once('=')
            .and_then(|(delta, rest)| Some((delta, rest.rsplit_once('-')?)));
        let (delta, (value, base)) = parts.ok_or_else(|| bad(option, "DELTA=VALUE-BASE"))?;
        each(tables, &[delta, value, base], |plan, at| {
            plan.deltas.push([at[0], at[1], at[2]])
        })?;
    }
    for option in &args.counts {
        let (column, n) = option
            .split_once('=')
            .ok_or_else(|| bad(option, "COLUMN=N"))?;
        let share = |value, of| Share {
            value,
            of,
            runs: 1,
            sd: None,
        };
        match n.trim().parse() {
            Ok(n) => each(tables, &[column], |plan, at| {
                plan.shares.push(share(at[0], Total::Fixed(n)))
            })?,
            Err(_) => each(tables, &[column, n], |plan, at| {
                plan.shares.push(share(at[0], Total::Column(at[1])))
            })?,
        }
    }
    for option in &args.totals {
        const FORM: &str = "TOTAL=A*400+B*350";
        let (total, parts) = option.split_once('=').ok_or_else(|| bad(option, FORM))?;
        let part = |part: &str| match part.rsplit_once('*') {
            Some((name, weight)) => Some((
                name.to_string(),
                weight.trim().parse().ok().filter(|w: &f64| *w >= 0.0)?,
            )),
            None => Some((part.to_string(), 1.0)),
        };
        let parts: Vec<(String, f64)> = parts
            .split('+')
            .map(part)
            .collect::<Option<_>>()
            .ok_or_else(|| bad(option, FORM))?;
        let names: Vec<&str> = [total]
            .into_iter()
            .chain(parts.iter().map(|(name, _)| name.as_str()))
            .collect();
        each(tables, &names, |plan, at| {
            let weighted = at[1..]
                .iter()
                .zip(&parts)
                .map(|(at, (_, weight))| (*at, *weight));
            plan.means.push((at[0], weighted.collect()));
        })?;
    }
    if let Some(columns) = &args.distinct {
        let names: Vec<&str> = columns.split(',').collect();
        each(tables, &names, |plan, at| plan.distinct = at.to_vec())?;
    }
    Ok(())
}

/// Calls `add` for every table that has all these columns.
fn each(
    tables: &mut [(Table, Plan)],
    names: &[&str],
    mut add: impl FnMut(&mut Plan, &[usize]),
) -> Result<()> {
    let mut any = false;
    for (table, plan) in &mut *tables {
        if let Some(at) = names
            .iter()
            .map(|name| table.column(name))
            .collect::<Option<Vec<_>>>()
        {
            add(plan, &at);
            any = true;
        }
    }
    if any {
        return Ok(());
    }
    let there: Vec<String> = tables
        .iter()
        .map(|(t, _)| format!("{}: {}", t.file, t.columns.join(", ")))
        .collect();
    let what = format!(
        "no table has the columns {}",
        names
            .iter()
            .map(|n| format!("`{n}`"))
            .collect::<Vec<_>>()
            .join(", ")
    );
    Err(Error::not_found(what).help(format!("the columns: {}", there.join("; "))))
}

fn text(tables: &[(Table, Plan)], report: &Report) -> String {
    let mut text = String::new();
    for f in &report.findings {
        let column = if f.column.is_empty() {
            String::new()
        } else {
            format!("{}: ", f.column)
        };
        let (severity, rule) = (f.rule.severity().name(), f.rule.name());
        let line = format!(
            "{}:{}: {severity} [{rule}] {column}{}",
            f.file, f.line, f.what
        );
        text.push_str(&format!("{}\n", clean::line(&line)));
    }
    if !report.findings.is_empty() {
        text.push('\n');
    }
    for (table, plan) in tables {
        let rows = table.rows.len();
        let known = plan.known.map_or_else(
            || "not a known published table".to_string(),
            |known| format!("recognized as {known}"),
        );
        let file = clean::line(&table.file);
        text.push_str(&format!("{file}: {}, {known}\n", out::count(rows, "row")));
    }
    for (rule, n) in &report.checked {
        let (one, many) = rule.counts();
        let found = match rule {
            Rule::CopiedRow => {
                format!(
                    "{} copied whole, {} in part",
                    report.of(Rule::CopiedRow),
                    report.of(Rule::CopiedCells)
                )
            }
            Rule::DuplicateValue => {
                format!("{} twice", out::count(report.of(*rule), "value"))
            }
            _ => format!("{} wrong", report.of(*rule)),
        };
        text.push_str(&format!(
            "{n} {}: {found}\n",
            if *n == 1 { one } else { many }
        ));
    }
    if report.checked.is_empty() {
        text.push_str("nothing to check; name columns with --delta, --n, --total, or --distinct\n");
    }
    text
}
