//! Finds numbers in a printed table of results that cannot be right: wrong deltas, impossible
//! values, totals that do not match their parts, and copied cells and rows.
//!
//! [`lint`] checks tables by the [`Plan`] of each, which names the columns that are deltas of
//! others, and so on. [`recognise`] makes plans for published tables from their columns.

mod across_tables;
mod attainable;
mod checks;
mod copies;
mod plan;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Serialize;

use benchtop_model::Severity;

pub use self::attainable::{attainable, spread_attainable};
pub use self::plan::{Plan, Share, Total, recognise};

/// How far printed numbers may be from computed ones, in points. Papers mix rounding and truncation
/// to two decimals.
pub const TOLERANCE: f64 = 0.015;

/// A table as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Name in findings.
    pub file: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows: the line on which each begins, from 1, and its cells.
    pub rows: Vec<(u64, Vec<String>)>,
}

impl Table {
    /// The number in a cell. `None` if it is empty, a dash, or not a number.
    pub fn number(&self, row: usize, column: usize) -> Option<f64> {
        number(self.cell(row, column))
    }

    pub fn cell(&self, row: usize, column: usize) -> &str {
        self.rows
            .get(row)
            .and_then(|(_, cells)| cells.get(column))
            .map_or("", |cell| cell.trim())
    }

    /// The index of a column by name, ignoring case.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns
            .iter()
            .position(|column| column.trim().eq_ignore_ascii_case(name.trim()))
    }

    fn line(&self, row: usize) -> u64 {
        self.rows.get(row).map_or(0, |(line, _)| *line)
    }

    /// The cells of these columns, joined as a name.
    fn name(&self, row: usize, columns: &[usize]) -> String {
        let parts: Vec<&str> = columns
            .iter()
            .map(|c| self.cell(row, *c))
            .filter(|cell| !cell.is_empty())
            .collect();
        parts.join(" ")
    }
}

/// Parses a number as tables print it: `71.2`, `+0.92`, `−4.65`, `71.2%`.
fn number(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('%').trim();
    let (sign, digits) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let plain = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    digits
        .parse::<f64>()
        .ok()
        .filter(|n| plain && n.is_finite())
        .map(|n| sign * n)
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// A printed delta differs from the difference of its two values.
    Delta,
    /// No count out of n gives the value.
    Unattainable,
    /// No counts give the mean together with the deviation.
    UnattainableSd,
    /// A total or product does not match its parts.
    Sum,
    /// One number is printed with different values.
    Disagree,
    /// A row, or its part for one data set, has the numbers of another row.
    CopiedRow,
    /// At least three cells in sequence have the numbers of another row.
    CopiedCells,
    /// A value appears in several places in which chance would not put it.
    DuplicateValue,
}

impl Rule {
    pub const ALL: [Rule; 8] = [
        Rule::Delta,
        Rule::Unattainable,
        Rule::UnattainableSd,
        Rule::Sum,
        Rule::Disagree,
        Rule::CopiedRow,
        Rule::CopiedCells,
        Rule::DuplicateValue,
    ];

    /// The name in messages and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Delta => "delta",
            Rule::Unattainable => "unattainable",
            Rule::UnattainableSd => "unattainable-sd",
            Rule::Sum => "sum",
            Rule::Disagree => "disagree",
            Rule::CopiedRow => "copied-row",
            Rule::CopiedCells => "copied-cells",
            Rule::DuplicateValue => "duplicate-value",
        }
    }

    /// What the rule counts, in singular and plural.
    pub fn counts(self) -> (&'static str, &'static str) {
        match self {
            Rule::Delta => ("delta", "deltas"),
            Rule::Unattainable => ("value against its n", "values against their n"),
            Rule::UnattainableSd => ("deviation", "deviations"),
            Rule::Sum => ("sum", "sums"),
            Rule::Disagree => ("number printed twice", "numbers printed twice"),
            Rule::CopiedRow | Rule::CopiedCells => ("pair of rows", "pairs of rows"),
            Rule::DuplicateValue => ("cell for duplicates", "cells for duplicates"),
        }
    }

    /// Errors are certain; warnings may be chance.
    pub fn severity(self) -> Severity {
        match self {
            Rule::CopiedCells | Rule::DuplicateValue => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

/// A fault in a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The table's name.
    pub file: String,
    /// Line of the row, from 1.
    pub line: u64,
    /// Name of the column; empty if the whole row is meant.
    pub column: String,
    pub rule: Rule,
    /// Description in one sentence.
    pub what: String,
}

/// The findings, and how much was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The findings, by table and line.
    pub findings: Vec<Finding>,
    /// Number of cells, rows, or pairs that each rule checked. Rules that had nothing to check are
    /// left out.
    pub checked: BTreeMap<Rule, u64>,
}

impl Report {
    /// Number of findings of a rule.
    pub fn of(&self, rule: Rule) -> usize {
        self.findings.iter().filter(|f| f.rule == rule).count()
    }

    fn check(&mut self, rule: Rule) {
        self.checks(rule, 1);
    }

    fn checks(&mut self, rule: Rule, n: u64) {
        if n > 0 {
            *self.checked.entry(rule).or_default() += n;
        }
    }

    fn add_finding(
        &mut self,
        table: &Table,
        row: usize,
        column: Option<usize>,
        rule: Rule,
        what: String,
    ) {
        let column = column
            .and_then(|c| table.columns.get(c))
            .cloned()
            .unwrap_or_default();
        self.findings.push(Finding {
            file: table.file.clone(),
            line: table.line(row),
            column,
            rule,
            what,
        });
    }
}

/// Checks these tables by their plans, and against each other.
pub fn lint(tables: &[(Table, Plan)], tolerance: f64) -> Report {
    let mut report = Report::default();
    for (table, plan) in tables {
        checks::deltas(table, plan, tolerance, &mut report);
        checks::shares(table, plan, tolerance, &mut report);
        checks::means(table, plan, tolerance, &mut report);
        copies::rows(table, plan, &mut report);
        copies::values(table, plan, &mut report);
    }
    across_tables::same(tables, &mut report);
    across_tables::mmsap(tables, tolerance, &mut report);
    report.findings.sort();
    report
}
