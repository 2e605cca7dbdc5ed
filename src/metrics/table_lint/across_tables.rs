//! Checks across tables.

use std::collections::BTreeMap;

use super::findings::{Report, Rule};
use super::plan::{ANSWERS, Plan, SCORES};
use super::table::Table;
use crate::mmsap::{Subset, ar_of_rate};

/// Reports numbers of one key that are printed with different values.
pub(super) fn same(tables: &[(Table, Plan)], report: &mut Report) {
    let mut seen: BTreeMap<(String, String), (usize, u64, f64)> = BTreeMap::new();
    for (at, (table, plan)) in tables.iter().enumerate() {
        for (key, column) in &plan.same {
            let mut reported: Vec<String> = Vec::new();
            for row in 0..table.rows.len() {
                let Some(value) = table.number(row, *column) else {
                    continue;
                };
                let (name, column_name) =
                    (table.name(row, key), table.columns[*column].to_lowercase());
                let first = seen.entry((folded(&name), column_name)).or_insert((
                    at,
                    table.line(row),
                    value,
                ));
                if (first.0, first.1) == (at, table.line(row)) {
                    continue;
                }
                report.check(Rule::Disagree);
                // Report once per key and table, not for every row.
                if first.2 != value && !reported.contains(&name) {
                    let file = if first.0 == at {
                        String::new()
                    } else {
                        format!("{}, ", tables[first.0].0.file)
                    };
                    let what = format!(
                        "{name} has {value:.2} here and {:.2} in {file}line {}",
                        first.2, first.1
                    );
                    report.add_finding(table, row, Some(*column), Rule::Disagree, what);
                    reported.push(name);
                }
            }
        }
    }
}

/// Checks score_AR in one table against Answer Rate and Answer Acc in the other.
pub(super) fn mmsap(tables: &[(Table, Plan)], tolerance: f64, report: &mut Report) {
    let known = |name: &'static str| {
        tables
            .iter()
            .filter(move |(_, plan)| plan.known == Some(name))
            .map(|(table, _)| table)
    };
    for (scores, answers) in known(SCORES).flat_map(|s| known(ANSWERS).map(move |a| (s, a))) {
        let (Some(model), Some(other)) = (scores.column("model"), answers.column("model")) else {
            continue;
        };
        for row in 0..scores.rows.len() {
            let name = folded(scores.cell(row, model));
            let Some(beside) =
                (0..answers.rows.len()).find(|r| folded(answers.cell(*r, other)) == name)
            else {
                continue;
            };
            for (subset, column) in Subset::ALL.into_iter().zip(["basic", "know", "beyond"]) {
                let of = |what: &str| {
                    answers.number(beside, answers.column(&format!("{column}_{what}"))?)
                };
                let at = scores.column(column);
                let acc = if subset == Subset::Beyond {
                    Some(0.0)
                } else {
                    of("answer_acc")
                };
                let (Some(printed), Some(rate), Some(acc)) = (
                    at.and_then(|c| scores.number(row, c)),
                    of("answer_rate"),
                    acc,
                ) else {
                    continue;
                };
                report.check(Rule::Sum);
                let made = ar_of_rate(subset, rate, acc);
                if (made - printed).abs() > tolerance {
                    let what = format!(
                        "printed {printed:.2}, but Answer Rate {rate:.2} and Answer Acc {acc:.2} ({} line {}) give {made:.2}",
                        answers.file,
                        answers.line(beside)
                    );
                    report.add_finding(scores, row, at, Rule::Sum, what);
                }
            }
        }
    }
}

/// A model's name without case, spaces, and dashes, because papers vary in how they write names.
fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
