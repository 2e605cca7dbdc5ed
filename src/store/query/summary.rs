//! Counts and summarizes the values of fields.

use std::collections::HashMap;

use super::{cell, each_cell, each_text};
use crate::catalog::Catalog;
use crate::columns::Columns;
use crate::status_columns::StatusColumns;
use benchtop_model::table::{Frequency, Summary};
use benchtop_model::{Field, QuestionKind, Result, Status};

/// Maximum number of values in a frequency table. `more` counts the rest.
const FREQUENCY_ROWS: usize = 10_000;

/// Counts the values of `field` in `rows`.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Corrupt`] if the texts are damaged.
pub fn frequency(
    catalog: &Catalog,
    overlay: &StatusColumns,
    rows: &[u32],
    field: Field,
) -> Result<Frequency> {
    let columns = catalog.columns();
    let mut counts: Vec<(String, u64)> = if let Some(at) = Columns::named(field) {
        let mut by_code = vec![0u64; columns.names[at].list().len()];
        rows.iter()
            .for_each(|row| by_code[usize::from(columns.codes[at][*row as usize])] += 1);
        by_code
            .into_iter()
            .enumerate()
            .map(|(c, n)| (columns.names[at].name(c as u16).to_string(), n))
            .collect()
    } else if field == Field::Status {
        let mut by_code = [0u64; Status::ALL.len()];
        rows.iter()
            .for_each(|row| by_code[usize::from(overlay.status(*row as usize).code())] += 1);
        Status::ALL
            .iter()
            .zip(by_code)
            .map(|(s, n)| (s.name().to_string(), n))
            .collect()
    } else if field == Field::Type {
        let mut by_code = [0u64; QuestionKind::ALL.len()];
        rows.iter()
            .for_each(|row| by_code[usize::from(columns.kind[*row as usize])] += 1);
        QuestionKind::ALL
            .iter()
            .zip(by_code)
            .map(|(k, n)| (k.name().to_string(), n))
            .collect()
    } else {
        let mut seen: HashMap<String, u64> = HashMap::new();
        each_cell(
            catalog,
            overlay,
            field,
            rows,
            &mut |_, text| match seen.get_mut(text) {
                Some(n) => *n += 1,
                None => {
                    seen.insert(text.to_string(), 1);
                }
            },
        )?;
        seen.into_iter().collect()
    };
    counts.retain(|(_, n)| *n > 0);
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let more = counts.len().saturating_sub(FREQUENCY_ROWS) as u64;
    counts.truncate(FREQUENCY_ROWS);
    Ok(Frequency {
        column: field.name().into(),
        rows: counts,
        total: rows.len() as u64,
        more,
    })
}

/// Summary of a text column. It stores hashes instead of texts, since 617,000 questions would take
/// 100 MB.
struct TextSummary {
    column: Field,
    /// Count and an example row for each hash of a text.
    seen: HashMap<u64, (u64, u32)>,
    min: String,
    max: String,
    present: u64,
}

impl TextSummary {
    fn new(column: Field) -> TextSummary {
        TextSummary {
            column,
            seen: HashMap::new(),
            min: String::new(),
            max: String::new(),
            present: 0,
        }
    }

    fn add(&mut self, row: u32, text: String) {
        if text.is_empty() {
            return;
        }
        self.present += 1;
        self.seen
            .entry(crate::columns::id_hash(&text))
            .or_insert((0, row))
            .0 += 1;
        if self.min.is_empty() || text < self.min {
            self.min.clone_from(&text);
        }
        if text > self.max {
            self.max = text;
        }
    }

    fn finish(self, catalog: &Catalog, overlay: &StatusColumns, total: u64) -> Result<Summary> {
        // The most frequent value, or the first of several.
        let top = self
            .seen
            .values()
            .max_by_key(|(n, row)| (*n, std::cmp::Reverse(*row)));
        let top = top
            .map(|(_, row)| cell(catalog, overlay, self.column, *row as usize))
            .transpose()?;
        Ok(Summary {
            column: self.column.name().into(),
            present: self.present,
            missing: total - self.present,
            distinct: self.seen.len() as u64,
            min: self.min,
            max: self.max,
            mean: None,
            top: top.unwrap_or_default(),
        })
    }
}

/// Summarizes each field over `rows`.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Corrupt`] if the texts are damaged.
pub fn describe(catalog: &Catalog, overlay: &StatusColumns, rows: &[u32]) -> Result<Vec<Summary>> {
    let (mut ids, mut questions) = (
        TextSummary::new(Field::Id),
        TextSummary::new(Field::Question),
    );
    each_text(catalog, rows, &mut |row, cells| {
        ids.add(row, cells.id);
        questions.add(row, cells.question);
    })?;
    let total = rows.len() as u64;
    let (ids, questions) = (
        ids.finish(catalog, overlay, total)?,
        questions.finish(catalog, overlay, total)?,
    );
    Field::ALL
        .into_iter()
        .map(|field| match field {
            Field::Id => Ok(ids.clone()),
            Field::Question => Ok(questions.clone()),
            Field::Number => Ok(describe_numbers(rows)),
            _ => frequency(catalog, overlay, rows, field).map(|f| describe_values(&f)),
        })
        .collect()
}

fn describe_numbers(rows: &[u32]) -> Summary {
    let number = |row: Option<&u32>| row.map(|r| (r + 1).to_string()).unwrap_or_default();
    let sum: u64 = rows.iter().map(|r| u64::from(*r) + 1).sum();
    Summary {
        column: Field::Number.name().into(),
        present: rows.len() as u64,
        missing: 0,
        distinct: rows.len() as u64,
        min: number(rows.iter().min()),
        max: number(rows.iter().max()),
        mean: (!rows.is_empty()).then(|| sum as f64 / rows.len() as f64),
        top: number(rows.iter().min()),
    }
}

fn describe_values(frequency: &Frequency) -> Summary {
    let missing = frequency
        .rows
        .iter()
        .find(|(v, _)| v.is_empty())
        .map_or(0, |(_, n)| *n);
    let values = || {
        frequency
            .rows
            .iter()
            .map(|(v, _)| v.as_str())
            .filter(|v| !v.is_empty())
    };
    Summary {
        column: frequency.column.clone(),
        present: frequency.total - missing,
        missing,
        distinct: values().count() as u64 + frequency.more,
        min: values().min().unwrap_or_default().into(),
        max: values().max().unwrap_or_default().into(),
        mean: None,
        top: values().next().unwrap_or_default().into(),
    }
}
