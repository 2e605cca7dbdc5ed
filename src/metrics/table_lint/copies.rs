//! Finds rows and values that appear twice in a table.

use std::collections::BTreeMap;

use super::findings::{Report, Rule};
use super::plan::{Plan, Total};
use super::table::Table;

/// Fewer equal cells than this may be chance.
const RUN: usize = 3;

/// A row of the printed table: its name, where it begins, and its numbers.
struct Printed {
    name: String,
    row: usize,
    numbers: Vec<Option<u64>>,
}

/// Reports rows with the numbers of another row.
pub(super) fn rows(table: &Table, plan: &Plan, report: &mut Report) {
    for (block, rows) in blocks(table, plan) {
        for (at, later) in rows.iter().enumerate() {
            for earlier in &rows[..at] {
                report.check(Rule::CopiedRow);
                let pairs = || {
                    later
                        .numbers
                        .iter()
                        .zip(&earlier.numbers)
                        .filter(|(a, b)| a.is_some() || b.is_some())
                };
                let equal = pairs().filter(|(a, b)| a == b).count();
                let of = if block.is_empty() {
                    String::new()
                } else {
                    format!(" ({block})")
                };
                let run = longest(pairs().map(|(a, b)| a == b)).unwrap_or(0);
                let (rule, has) = if equal >= RUN && equal == pairs().count() {
                    (Rule::CopiedRow, format!("has all {equal} numbers of"))
                } else if run >= RUN {
                    let has = format!("shares {run} numbers in sequence, {equal} in all, with");
                    (Rule::CopiedCells, has)
                } else {
                    continue;
                };
                let (name, line) = (&earlier.name, table.line(earlier.row));
                let what = format!("{}{of} {has} {name} (line {line})", later.name);
                report.add_finding(table, later.row, None, rule, what);
            }
        }
    }
}

fn longest(equal: impl Iterator<Item = bool>) -> Option<usize> {
    let mut run = 0;
    equal
        .map(|equal| (run = if equal { run + 1 } else { 0 }, run).1)
        .max()
}

/// The rows of the printed table, by block.
fn blocks(table: &Table, plan: &Plan) -> BTreeMap<String, Vec<Printed>> {
    let mut blocks: BTreeMap<String, Vec<Printed>> = BTreeMap::new();
    let bits = |row: usize, column: usize| table.number(row, column).map(f64::to_bits);
    if let Some([row_names, block_names, values]) = &plan.long {
        for row in 0..table.rows.len() {
            let block = blocks.entry(table.name(row, block_names)).or_default();
            let name = table.name(row, row_names);
            let numbers = values.iter().map(|column| bits(row, *column));
            match block.iter_mut().find(|printed| printed.name == name) {
                Some(printed) => printed.numbers.extend(numbers),
                None => block.push(Printed {
                    name,
                    row,
                    numbers: numbers.collect(),
                }),
            }
        }
        return blocks;
    }
    let counted: Vec<usize> = plan
        .shares
        .iter()
        .filter_map(|s| {
            if let Total::Column(n) = s.of {
                Some(n)
            } else {
                None
            }
        })
        .collect();
    let filled = |column: usize| {
        (0..table.rows.len()).filter(move |row| !table.cell(*row, column).is_empty())
    };
    let is_number = |column: usize| {
        filled(column).next().is_some()
            && filled(column).all(|row| table.number(row, column).is_some())
    };
    let (numbers, names): (Vec<usize>, Vec<usize>) =
        (0..table.columns.len()).partition(|c| is_number(*c));
    let rows = (0..table.rows.len()).map(|row| {
        let values = numbers
            .iter()
            .filter(|c| !counted.contains(c))
            .map(|column| bits(row, *column));
        Printed {
            name: table.name(row, &names),
            row,
            numbers: values.collect(),
        }
    });
    blocks.insert(String::new(), rows.collect());
    blocks
}

/// Reports values that appear twice in columns of distinct values.
pub(super) fn values(table: &Table, plan: &Plan, report: &mut Report) {
    let mut seen: BTreeMap<u64, Vec<(usize, usize)>> = BTreeMap::new();
    for row in 0..table.rows.len() {
        for column in &plan.distinct {
            // 0 and 100 often occur by chance.
            if let Some(value) = table
                .number(row, *column)
                .filter(|v| *v != 0.0 && *v != 100.0)
            {
                report.check(Rule::DuplicateValue);
                seen.entry(value.to_bits())
                    .or_default()
                    .push((row, *column));
            }
        }
    }
    for (bits, places) in seen.into_iter().filter(|(_, places)| places.len() > 1) {
        let place = |(row, column): &(usize, usize)| {
            format!(
                "{} in line {}",
                table.columns.get(*column).map_or("", String::as_str),
                table.line(*row)
            )
        };
        let listed: Vec<String> = places.iter().map(place).collect();
        let what = format!(
            "{:.2} appears {} times: {}",
            f64::from_bits(bits),
            places.len(),
            listed.join(", ")
        );
        let (row, column) = places[places.len() - 1];
        report.add_finding(table, row, Some(column), Rule::DuplicateValue, what);
    }
}
