//! What the checks report: rules, findings, and how much each rule checked.

use std::collections::BTreeMap;

use serde::Serialize;

use benchtop_model::Severity;

use super::table::Table;

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

benchtop_model::named!(Rule {
    Delta: "delta",
    Unattainable: "unattainable",
    UnattainableSd: "unattainable-sd",
    Sum: "sum",
    Disagree: "disagree",
    CopiedRow: "copied-row",
    CopiedCells: "copied-cells",
    DuplicateValue: "duplicate-value",
});

impl Rule {
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

    pub(super) fn check(&mut self, rule: Rule) {
        self.checks(rule, 1);
    }

    pub(super) fn checks(&mut self, rule: Rule, n: u64) {
        if n > 0 {
            *self.checked.entry(rule).or_default() += n;
        }
    }

    pub(super) fn add_finding(
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
