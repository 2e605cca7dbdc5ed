//! A copy that waits for its rows.

use std::collections::HashMap;

use crate::widgets::table::CopyFormat;
use crate::widgets::table::copy::CopyCell;
use benchtop_model::{Error, ErrorKind, Field, Item, Result};
use benchtop_protocol::wire::{Lines, Row};

/// The fields that items do not contain: only loaded rows have their values.
pub(super) const BESIDE: [Field; 2] = [Field::Judged, Field::Comments];

#[derive(Debug)]
pub(super) struct Copying {
    pub(super) format: CopyFormat,
    /// Columns in display order.
    pub(super) columns: Vec<usize>,
    /// Item numbers in table order.
    pub(super) numbers: Vec<u32>,
    /// The known values of [`BESIDE`].
    pub(super) beside: HashMap<u32, [String; 2]>,
    pub(super) rows: Vec<Vec<CopyCell>>,
    /// Whether this is the whole table. If it is too long, the page is copied instead.
    pub(super) all: bool,
}

impl Copying {
    /// Adds the next items. Fails if there are none, so that the requests end.
    pub(super) fn add(&mut self, lines: &Lines) -> Result<()> {
        let unreadable = |what: String| {
            Error::new(
                ErrorKind::Corrupt,
                format!("cannot read a row to copy: {what}"),
            )
        };
        let numbers: Vec<u32> = self.numbers.iter().skip(self.rows.len()).copied().collect();
        let mut added = false;
        for ((json, status), number) in lines.json.lines().zip(&lines.statuses).zip(numbers) {
            let item: Item = serde_json::from_str(json).map_err(|e| unreadable(e.to_string()))?;
            let mut row = Row::of(number, &item, *status, "");
            for (field, value) in BESIDE
                .into_iter()
                .zip(self.beside.get(&number).into_iter().flatten())
            {
                row.put(field, value.clone());
            }
            let cell = |c: &usize| row.cells.get(*c).cloned().unwrap_or_default().into();
            self.rows.push(self.columns.iter().map(cell).collect());
            added = true;
        }
        if added {
            Ok(())
        } else {
            Err(unreadable("the owner sent no items".into()))
        }
    }
}
