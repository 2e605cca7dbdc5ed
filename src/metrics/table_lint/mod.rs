//! Finds numbers in a printed table of results that cannot be right: wrong deltas, impossible
//! values, totals that do not match their parts, and copied cells and rows.
//!
//! [`lint`] checks tables by the [`Plan`] of each, which names the columns that are deltas of
//! others, and so on. [`recognize`] makes plans for published tables from their columns.

mod across_tables;
mod attainable;
mod checks;
mod copies;
mod findings;
mod plan;
mod table;

#[cfg(test)]
mod tests;

pub use self::attainable::{attainable, spread_attainable};
pub use self::findings::{Finding, Report, Rule};
pub use self::plan::{Plan, Share, Total, recognize};
pub use self::table::Table;

/// How far printed numbers may be from computed ones, in points. Papers mix rounding and truncation
/// to two decimals.
pub const TOLERANCE: f64 = 0.015;

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
