//! Checks of single cells.

use super::attainable::{attainable, spread_attainable};
use super::findings::{Report, Rule};
use super::plan::{Plan, Total};
use super::table::Table;

/// Half of the last printed digit. Tables with deviations round them and never truncate.
const HALF_DIGIT: f64 = 0.005;

/// Checks printed deltas against the difference of their two values.
pub(super) fn deltas(table: &Table, plan: &Plan, tolerance: f64, report: &mut Report) {
    for [delta, value, base] in &plan.deltas {
        for row in 0..table.rows.len() {
            let numbers = [delta, value, base].map(|column| table.number(row, *column));
            let [Some(printed), Some(after), Some(before)] = numbers else {
                continue;
            };
            report.check(Rule::Delta);
            let true_delta = after - before;
            if (printed - true_delta).abs() > tolerance {
                let what = format!(
                    "printed {printed:+.2}, but {after:.2} - {before:.2} = {true_delta:+.2}"
                );
                report.add_finding(table, row, Some(*delta), Rule::Delta, what);
            }
        }
    }
}

/// Checks percentages, and deviations, against the counts that could give them.
pub(super) fn shares(table: &Table, plan: &Plan, tolerance: f64, report: &mut Report) {
    for share in &plan.shares {
        for row in 0..table.rows.len() {
            let n = match share.of {
                Total::Fixed(n) => Some(n),
                Total::Column(column) => table
                    .number(row, column)
                    .filter(|n| *n >= 0.0 && n.fract() == 0.0)
                    .map(|n| n as u64),
            };
            let (Some(value), Some(n)) = (table.number(row, share.value), n) else {
                continue;
            };
            report.check(Rule::Unattainable);
            let runs = share.runs.max(1);
            if !attainable(value, n.saturating_mul(runs), tolerance) {
                let of = if runs > 1 {
                    format!("{runs} runs of {n}")
                } else {
                    n.to_string()
                };
                let near = nearest(value, n.saturating_mul(runs));
                report.add_finding(
                    table,
                    row,
                    Some(share.value),
                    Rule::Unattainable,
                    format!("no count out of {of} gives {value}{near}"),
                );
                continue;
            }
            let Some(sd) = share.sd.and_then(|column| table.number(row, column)) else {
                continue;
            };
            report.check(Rule::UnattainableSd);
            if !spread_attainable(value, sd, n, runs, HALF_DIGIT) {
                let what = format!(
                    "no {runs} counts out of {n} have the mean {value} and the population deviation {sd}"
                );
                report.add_finding(table, row, share.sd, Rule::UnattainableSd, what);
            }
        }
    }
}

/// The attainable values on both sides of one that is not attainable.
fn nearest(value: f64, n: u64) -> String {
    if n == 0 || !(0.0..=100.0).contains(&value) {
        return String::new();
    }
    let below = (value * n as f64 / 100.0).floor();
    let percent = |k: f64| 100.0 * k.min(n as f64) / n as f64;
    format!(
        "; the nearest possible values are {:.2} and {:.2}",
        percent(below),
        percent(below + 1.0)
    )
}

/// Checks totals against the weighted means of their parts.
pub(super) fn means(table: &Table, plan: &Plan, tolerance: f64, report: &mut Report) {
    for (total, parts) in &plan.means {
        for row in 0..table.rows.len() {
            let numbers: Option<Vec<f64>> = parts
                .iter()
                .map(|(column, _)| table.number(row, *column))
                .collect();
            let (Some(printed), Some(numbers)) = (table.number(row, *total), numbers) else {
                continue;
            };
            let weight: f64 = parts.iter().map(|(_, weight)| weight).sum();
            if weight <= 0.0 {
                continue;
            }
            report.check(Rule::Sum);
            let mean = numbers
                .iter()
                .zip(parts)
                .map(|(x, (_, weight))| x * weight)
                .sum::<f64>()
                / weight;
            if (mean - printed).abs() > tolerance {
                let what = format!("printed {printed:.2}, but the parts give {mean:.2}");
                report.add_finding(table, row, Some(*total), Rule::Sum, what);
            }
        }
    }
}
