//! `benchtop lint-table`: what cannot be right in printed tables of results.

use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::json;

use super::out;
use crate::out::{done, json_line, print};
use benchtop_formats as formats;
use benchtop_formats::input;
use benchtop_metrics::table_lint::{
    self, Of, Plan, Report, Rule, Share, TOLERANCE, Table, recognise,
};
use benchtop_model::{Error, ErrorKind, Result, Severity, clean};

/// Arguments of `lint-table`.
#[derive(clap::Args)]
pub struct Args {
    /// CSV files; what they say together is held against each other too
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Output::Text)]
    format: Output,
    /// A column of deltas, the column of the values, and that of what they are compared with
    #[arg(long = "delta", value_name = "DELTA=VALUE-BASE")]
    deltas: Vec<String>,
    /// Percentages in COLUMN are of so many questions; N is a number or a column
    #[arg(long = "n", value_name = "COLUMN=N")]
    counts: Vec<String>,
    /// A total that is the mean of its parts by weight
    #[arg(long = "total", value_name = "TOTAL=A*400+B*350")]
    totals: Vec<String>,
    /// Columns in which no value should stand twice
    #[arg(long, value_name = "COLUMN,COLUMN")]
    distinct: Option<String>,
    /// How far printed numbers may be from computed ones, in points
    #[arg(long, value_name = "POINTS", default_value_t = TOLERANCE)]
    tolerance: f64,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// Lines for people, and what was looked at
    Text,
    /// One object a line and finding
    Json,
}

/// Runs it. The exit code is 1 where there are errors.
///
/// # Errors
/// When a file cannot be read or is no table; [`ErrorKind::Usage`] for an option that does not fit; [`ErrorKind::NotFound`] for a column that
/// no table has.
pub fn run(args: &Args) -> Result<u8> {
    if !args.tolerance.is_finite() || args.tolerance < 0.0 {
        return Err(Error::new(
            ErrorKind::Usage,
            "the tolerance is not a number of points",
        ));
    }
    let mut tables = args
        .files
        .iter()
        .map(|path| read(path))
        .collect::<Result<Vec<_>>>()?;
    asked(args, &mut tables)?;
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
            .help("the first line names the columns"));
    };
    let table = Table {
        file: path.display().to_string(),
        columns,
        rows: rows.collect(),
    };
    let plan = recognise(&table);
    Ok((table, plan))
}

/// Adds what the options ask for to the tables that have the columns.
fn asked(args: &Args, tables: &mut [(Table, Plan)]) -> Result<()> {
    let bad = |option: &str, form: &str| {
        Error::new(
            ErrorKind::Usage,
            format!("`{option}` is not of the form {form}"),
        )
    };
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
                plan.shares.push(share(at[0], Of::Fixed(n)))
            })?,
            Err(_) => each(tables, &[column, n], |plan, at| {
                plan.shares.push(share(at[0], Of::Column(at[1])))
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

/// Does something with the plan of every table that has all these columns.
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
    Err(Error::new(ErrorKind::NotFound, what).help(format!("there are: {}", there.join("; "))))
}

fn text(tables: &[(Table, Plan)], report: &Report) -> String {
    let mut out = String::new();
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
        out.push_str(&format!("{}\n", clean::line(&line)));
    }
    if !report.findings.is_empty() {
        out.push('\n');
    }
    for (table, plan) in tables {
        let rows = table.rows.len();
        let known = plan.known.map_or_else(
            || "no published table".to_string(),
            |known| format!("read as {known}"),
        );
        let file = clean::line(&table.file);
        out.push_str(&format!(
            "{file}: {rows} {}, {known}\n",
            if rows == 1 { "row" } else { "rows" }
        ));
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
            Rule::DuplicateValue => format!("{} values stand twice", report.of(*rule)),
            _ => format!("{} wrong", report.of(*rule)),
        };
        out.push_str(&format!(
            "{n} {}: {found}\n",
            if *n == 1 { one } else { many }
        ));
    }
    if report.checked.is_empty() {
        out.push_str("nothing to look at: name columns with --delta, --n, --total or --distinct\n");
    }
    out
}
