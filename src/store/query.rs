//! Filters, sorts, and counts rows over the columns in memory.

mod summary;

use std::borrow::Cow;

use regex::RegexBuilder;
use serde::Deserializer;
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};

use super::catalog::Catalog;
use super::columns::{Columns, kind_code};
use super::status_columns::StatusColumns;
use benchtop_model::field::Source;
use benchtop_model::history::to_the_second;
use benchtop_model::table::Match;
use benchtop_model::{Error, Field, Filter, Result, Sort};
pub use summary::{describe, frequency};

/// Rows that pass the filter, except its text search, in ascending order.
pub fn select(columns: &Columns, overlay: &StatusColumns, filter: &Filter) -> Vec<u32> {
    let rows = columns.len();
    let mut keep: Vec<u8> = match &filter.only {
        None => vec![1; rows],
        Some(only) => {
            let mut keep = vec![0; rows];
            for number in only {
                if let Some(slot) = (*number as usize)
                    .checked_sub(1)
                    .and_then(|row| keep.get_mut(row))
                {
                    *slot = 1;
                }
            }
            keep
        }
    };
    if !filter.status.is_empty() {
        let mut wanted = [0u8; 256];
        filter
            .status
            .iter()
            .for_each(|s| wanted[usize::from(s.code())] = 1);
        keep.iter_mut()
            .zip(&overlay.status)
            .for_each(|(k, s)| *k &= wanted[usize::from(*s)]);
    }
    if !filter.kind.is_empty() {
        let mut wanted = [0u8; 256];
        filter
            .kind
            .iter()
            .for_each(|k| wanted[usize::from(kind_code(*k))] = 1);
        keep.iter_mut()
            .zip(&columns.kind)
            .for_each(|(k, c)| *k &= wanted[usize::from(*c)]);
    }
    if !filter.judged.is_empty() {
        let passes = |at: i64| filter.judged.iter().any(|judged| judged.passes(at));
        keep.iter_mut()
            .zip(&overlay.judged)
            .for_each(|(k, at)| *k &= u8::from(passes(*at)));
    }
    for (field, values) in &filter.values {
        let Some(at) = Columns::named(*field) else {
            // No field of names: a filter that says so selects nothing.
            return Vec::new();
        };
        let mut wanted = [0u8; 1 << 16];
        if let Source::Names(_) = field.row().source {
            let has = |name: &String| values.iter().any(|v| field.has(name, v));
            let names = columns.names[at].names.iter().enumerate();
            names
                .filter(|(_, name)| has(name))
                .for_each(|(c, _)| wanted[c] = 1);
        }
        values
            .iter()
            .filter_map(|v| columns.names[at].code(v))
            .for_each(|c| wanted[usize::from(c)] = 1);
        keep.iter_mut()
            .zip(&columns.codes[at])
            .for_each(|(k, c)| *k &= wanted[usize::from(*c)]);
    }
    // Writes every row, and overwrites it unless it is kept. This avoids unpredictable branches.
    let total: usize = keep.iter().map(|k| usize::from(*k)).sum();
    let mut out = vec![0; total + 1];
    let mut at = 0;
    for (row, keep) in keep.iter().enumerate() {
        out[at] = row as u32;
        at += usize::from(*keep);
    }
    out.truncate(total);
    out
}

/// Sorts `rows` by the keys in `sort`, most important first, with ties by number. `text_rank`
/// returns the rank of each row by id or question.
pub fn sort(
    columns: &Columns,
    overlay: &StatusColumns,
    rows: &mut Vec<u32>,
    sort: &[Sort],
    text_rank: &dyn Fn(Field) -> Option<std::sync::Arc<Vec<u32>>>,
) {
    // Sorts by the least important key first. Each pass is stable.
    for Sort { field, descending } in sort.iter().rev().copied() {
        match field.row().source {
            Source::Number => {
                rows.sort_unstable();
                if descending {
                    rows.reverse();
                }
            }
            Source::Status => {
                count_sort(rows, descending, 256, |row| u16::from(overlay.status[row]))
            }
            Source::Type => count_sort(rows, descending, 256, |row| u16::from(columns.kind[row])),
            Source::Judged => {
                rows.sort_by(|a, b| {
                    in_order(
                        overlay.judged[*a as usize].cmp(&overlay.judged[*b as usize]),
                        descending,
                    )
                });
            }
            Source::Comments => rows.sort_by(|a, b| {
                in_order(overlay.comments(*a).cmp(&overlay.comments(*b)), descending)
            }),
            Source::Text(_) => {
                if let Some(rank) = text_rank(field) {
                    rows.sort_by(|a, b| {
                        in_order(rank[*a as usize].cmp(&rank[*b as usize]), descending)
                    });
                }
            }
            Source::Name(_) | Source::Names(_) => {
                let Some(at) = Columns::named(field) else {
                    continue;
                };
                let ranks = columns.names[at].ranks();
                let codes = &columns.codes[at];
                count_sort(rows, descending, ranks.len(), |row| {
                    ranks[usize::from(codes[row])]
                });
            }
        }
    }
}

fn in_order(order: std::cmp::Ordering, descending: bool) -> std::cmp::Ordering {
    if descending { order.reverse() } else { order }
}

/// Stable counting sort by a key below `keys`.
fn count_sort(rows: &mut Vec<u32>, descending: bool, keys: usize, key: impl Fn(usize) -> u16) {
    let mut starts = vec![0u32; keys + 1];
    let slot = |row: u32| {
        let k = usize::from(key(row as usize)).min(keys - 1);
        if descending { keys - 1 - k } else { k }
    };
    for row in rows.iter() {
        starts[slot(*row) + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut out = vec![0u32; rows.len()];
    for row in rows.iter() {
        let start = &mut starts[slot(*row)];
        out[*start as usize] = *row;
        *start += 1;
    }
    *rows = out;
}

/// A number of comments as text. Empty for none.
pub fn comment_count(comments: u32) -> String {
    match comments {
        0 => String::new(),
        comments => comments.to_string(),
    }
}

/// The value of a field in a row as text. Texts are read from the segments.
///
/// # Errors
/// [`Error::corrupt`] if the texts are damaged.
pub fn cell(
    catalog: &Catalog,
    overlay: &StatusColumns,
    field: Field,
    row: usize,
) -> Result<String> {
    Ok(match field.row().source {
        Source::Number => (row + 1).to_string(),
        Source::Status => overlay.status(row).name().into(),
        Source::Type => catalog.columns().question_kind(row).name().into(),
        Source::Judged => to_the_second(overlay.judged.get(row).copied().unwrap_or(0)),
        Source::Comments => comment_count(overlay.comments(row as u32)),
        Source::Text(of) => of(&catalog.item(row)?).into(),
        Source::Name(_) | Source::Names(_) => catalog.columns().value(field, row).into(),
    })
}

/// Reads only these fields of an item. Fields with a text of their own have the names of its JSON.
struct Texts<'f>(&'f [Field]);

impl<'de> Visitor<'de> for Texts<'_> {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an item")
    }

    fn visit_map<A: MapAccess<'de>>(
        self,
        mut item: A,
    ) -> std::result::Result<Vec<String>, A::Error> {
        let mut found = vec![None; self.0.len()];
        while let Some(key) = item.next_key::<Cow<'de, str>>()? {
            match self.0.iter().position(|field| field.name() == key) {
                Some(at) => found[at] = Some(item.next_value()?),
                None => drop(item.next_value::<IgnoredAny>()?),
            }
        }
        let named = found.into_iter().zip(self.0);
        named
            .map(|(text, field)| text.ok_or_else(|| A::Error::missing_field(field.name())))
            .collect()
    }
}

/// Calls `each` with the texts of these fields in all `rows`, in ascending order.
fn each_text(
    catalog: &Catalog,
    rows: &[u32],
    fields: &[Field],
    each: &mut dyn FnMut(u32, &[String]),
) -> Result<()> {
    let mut rows = rows.to_vec();
    rows.sort_unstable();
    catalog.each_of(&rows, &mut |row, line| {
        let mut item = serde_json::Deserializer::from_slice(line);
        let texts = item
            .deserialize_map(Texts(fields))
            .map_err(|e| Error::corrupt(format!("cannot parse item #{}: {e}", row + 1)))?;
        each(row, &texts);
        Ok(())
    })
}

/// Calls `each` with the value of `field` in all `rows`.
fn each_cell(
    catalog: &Catalog,
    overlay: &StatusColumns,
    field: Field,
    rows: &[u32],
    each: &mut dyn FnMut(u32, &str),
) -> Result<()> {
    match field.row().source {
        Source::Text(_) => each_text(catalog, rows, &[field], &mut |row, texts| {
            each(row, &texts[0])
        }),
        _ => {
            for row in rows {
                each(*row, &cell(catalog, overlay, field, *row as usize)?);
            }
            Ok(())
        }
    }
}

/// The numbers of the items in `rows` whose `field` matches.
///
/// # Errors
/// [`Error::usage`] for an invalid regular expression.
pub fn matching_cells(
    catalog: &Catalog,
    overlay: &StatusColumns,
    rows: &[u32],
    field: Field,
    what: &Match,
) -> Result<Vec<u32>> {
    let mut found = Vec::new();
    match what {
        Match::Regex(pattern) => {
            let regex = RegexBuilder::new(pattern)
                .case_insensitive(true)
                .size_limit(1 << 20)
                .build()
                .map_err(|e| {
                    Error::usage(format!("invalid regular expression `{pattern}`: {e}"))
                })?;
            each_cell(catalog, overlay, field, rows, &mut |row, text| {
                if regex.is_match(text) {
                    found.push(row + 1);
                }
            })?;
        }
        Match::Equal(value) => each_cell(catalog, overlay, field, rows, &mut |row, text| {
            if text == value {
                found.push(row + 1);
            }
        })?,
    }
    found.sort_unstable();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::item;
    use benchtop_model::Status;

    fn data() -> (Catalog, StatusColumns) {
        let mut columns = Columns::default();
        for n in 0..100 {
            columns
                .push(&item(n, ["plant", "animal", "", "food"][n as usize % 4]))
                .unwrap();
        }
        let mut overlay = StatusColumns::default();
        overlay.grow(100);
        for row in 0..10 {
            overlay.status[row] = Status::Accepted.code();
            overlay.judged[row] = 1000 - row as i64;
        }
        (Catalog::new(columns), overlay)
    }

    #[test]
    fn filters_combine_fields_with_and_and_values_with_or() {
        let (catalog, overlay) = data();
        let filter = Filter::parse("status:accepted subtask:animal,food").unwrap();
        let rows = select(catalog.columns(), &overlay, &filter);
        assert_eq!(rows, [1, 3, 5, 7, 9]);
        let filter = Filter::parse("subtask:nothing").unwrap();
        assert!(select(catalog.columns(), &overlay, &filter).is_empty());
    }

    #[test]
    fn sort_is_stable_and_puts_missing_values_last() {
        let (catalog, overlay) = data();
        let mut rows: Vec<u32> = (0..8).collect();
        let by = |field, descending| Sort { field, descending };
        sort(
            catalog.columns(),
            &overlay,
            &mut rows,
            &[by(Field::Subtask, false)],
            &|_| None,
        );
        assert_eq!(rows, [1, 5, 3, 7, 0, 4, 2, 6]);
        let keys = [by(Field::Subtask, true), by(Field::Judged, true)];
        sort(catalog.columns(), &overlay, &mut rows, &keys, &|_| None);
        assert_eq!(rows, [2, 6, 0, 4, 3, 7, 1, 5]);
    }

    #[test]
    fn texts_are_those_of_the_table_of_fields() {
        let item = item(7, "plant");
        let texts: Vec<Field> = (Field::ALL.into_iter())
            .filter(|field| matches!(field.row().source, Source::Text(_)))
            .collect();
        let read = |json: &serde_json::Value| {
            let json = json.to_string();
            serde_json::Deserializer::from_str(&json).deserialize_map(Texts(&texts))
        };
        let mut json = serde_json::to_value(&item).unwrap();
        let own: Vec<_> = texts.iter().map(|field| field.of(&item)).collect();
        assert_eq!(read(&json).unwrap(), own);
        json.as_object_mut().unwrap().remove("id");
        assert!(read(&json).unwrap_err().to_string().contains("`id`"));
    }

    #[test]
    fn counts_add_up() {
        let (catalog, overlay) = data();
        let rows: Vec<u32> = (0..100).collect();
        let frequency = frequency(&catalog, &overlay, &rows, Field::Subtask).unwrap();
        assert_eq!(frequency.rows.iter().map(|(_, n)| n).sum::<u64>(), 100);
        let found = matching_cells(
            &catalog,
            &overlay,
            &rows,
            Field::Subtask,
            &Match::Regex("^AN".into()),
        )
        .unwrap();
        assert_eq!(found.len(), 25);
        assert_eq!(
            matching_cells(
                &catalog,
                &overlay,
                &rows,
                Field::Subtask,
                &Match::Equal(String::new())
            )
            .unwrap()
            .len(),
            25
        );
    }
}
