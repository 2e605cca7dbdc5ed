//! Counts and summarizes the values of fields.

use std::collections::HashMap;

use super::{cell, each_cell, each_text};
use crate::catalog::Catalog;
use crate::columns::Columns;
use crate::status_columns::StatusColumns;
use benchtop_model::field::Source;
use benchtop_model::sorting::sort_by;
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
    let source = field.row().source;
    let mut counts: Vec<(String, u64)> = if let Some(at) = Columns::named(field) {
        let names: Vec<&str> = columns.names[at].names.iter().map(String::as_str).collect();
        by_code(rows, &names, |row| usize::from(columns.codes[at][row]))
    } else if matches!(source, Source::Status) {
        let code = |row| usize::from(overlay.status(row).code());
        by_code(rows, &Status::ALL.map(Status::name), code)
    } else if matches!(source, Source::Type) {
        let code = |row: usize| usize::from(columns.kind[row]);
        by_code(rows, &QuestionKind::ALL.map(QuestionKind::name), code)
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
    sort_by(&mut counts, |a, b| {
        b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0))
    });
    let more = counts.len().saturating_sub(FREQUENCY_ROWS) as u64;
    counts.truncate(FREQUENCY_ROWS);
    Ok(Frequency {
        column: field.name().into(),
        rows: counts,
        total: rows.len() as u64,
        more,
    })
}

/// Counts the rows by a code that is a position in `names`.
fn by_code(rows: &[u32], names: &[&str], code: impl Fn(usize) -> usize) -> Vec<(String, u64)> {
    let mut counts = vec![0u64; names.len()];
    rows.iter().for_each(|row| counts[code(*row as usize)] += 1);
    let names = names.iter().map(|name| name.to_string());
    names.zip(counts).collect()
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

    fn add(&mut self, row: u32, text: &str) {
        if text.is_empty() {
            return;
        }
        self.present += 1;
        self.seen
            .entry(crate::columns::id_hash(text))
            .or_insert((0, row))
            .0 += 1;
        if self.min.is_empty() || *text < *self.min {
            self.min = text.into();
        }
        if *text > *self.max {
            self.max = text.into();
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
    let is_text = |field: &Field| matches!(field.row().source, Source::Text(_));
    let fields: Vec<Field> = Field::ALL.into_iter().filter(is_text).collect();
    let mut texts: Vec<TextSummary> = fields.iter().map(|f| TextSummary::new(*f)).collect();
    each_text(catalog, rows, &fields, &mut |row, of| {
        let texts = texts.iter_mut().zip(of);
        texts.for_each(|(text, of)| text.add(row, of));
    })?;
    let (total, mut texts) = (rows.len() as u64, texts.into_iter());
    let one = |field: Field| match (field.row().source, &mut texts) {
        (Source::Number, _) => Ok(describe_numbers(rows)),
        (Source::Text(_), texts) => match texts.next() {
            Some(text) => text.finish(catalog, overlay, total),
            None => Ok(Summary::default()),
        },
        _ => frequency(catalog, overlay, rows, field).map(|f| describe_values(&f)),
    };
    Field::ALL.into_iter().map(one).collect()
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
