//! Counts terms and pairs of properties, in a pass over the codes with statuses.

use std::collections::HashMap;

use super::axis::{Axis, SUBJECT, SUBTASK, TYPE};
use super::excluded::excluded;
use super::item_line::Asked;
use super::{CODE, NONE, OFFERED, SECOND, Usage, asked_about};
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_metrics::statistics::{Z95, wilson};
use benchtop_model::sorting::sort_by;
use benchtop_model::usage::{FailingTerm, Grid, Tally, TermUse};
use benchtop_model::{Error, Result};
use benchtop_store::StatusColumns;

/// Maximum number of cells in a grid, so that it fits a message.
const CELLS: usize = 400_000;
/// Maximum number of failing terms to list.
const FAILING: usize = 500;

impl Usage {
    /// Use of the terms of this vocabulary (or of the styles), by term. Terms without items are
    /// left out.
    pub fn terms(
        &self,
        grammar: &CompiledMetadata,
        overlay: &StatusColumns,
        vocabulary: &str,
    ) -> Vec<TermUse> {
        let (slots, mut uses) = self.slots(grammar, |name| name == vocabulary);
        let asks = self.asks(grammar, vocabulary);
        for row in 0..self.len() {
            let codes = self.codes_of(row);
            let status = overlay.status(row);
            let mut seen = CountedSlots::default();
            let mut right = NONE;
            for flagged in codes.iter().filter(|c| **c & OFFERED == 0) {
                let slot = slots[(flagged & CODE) as usize];
                if slot == NONE {
                    continue;
                }
                if right == NONE && flagged & SECOND == 0 {
                    right = slot;
                }
                if seen.first(slot) {
                    uses[slot as usize].items.add(status);
                }
            }
            if right != NONE && asks[self.class[row] as usize] {
                uses[right as usize].answers.add(status);
            }
        }
        uses.retain(|u| u.items.all() > 0);
        sort_by(&mut uses, |a, b| a.term.cmp(&b.term));
        uses
    }

    /// For each code the index of its term in the vocabularies in `wanted`, and those terms.
    pub(super) fn slots(
        &self,
        grammar: &CompiledMetadata,
        wanted: impl Fn(&str) -> bool,
    ) -> (Vec<u32>, Vec<TermUse>) {
        let vocabularies = self.vocabularies(grammar);
        let mut uses: Vec<TermUse> = Vec::new();
        let mut at: HashMap<(&str, &str), u32> = HashMap::new();
        let slots = self.terms.iter().map(|(space, term)| {
            let vocabulary = &*vocabularies[*space as usize];
            if !wanted(vocabulary) {
                return NONE;
            }
            *at.entry((vocabulary, term)).or_insert_with(|| {
                uses.push(TermUse {
                    term: term.clone(),
                    ..TermUse::default()
                });
                uses.len() as u32 - 1
            })
        });
        let slots = slots.collect();
        (slots, uses)
    }

    /// By class: whether its questions ask about this vocabulary and have a right answer in it.
    fn asks(&self, grammar: &CompiledMetadata, vocabulary: &str) -> Vec<bool> {
        let names = self.names.list.iter();
        let about: Vec<bool> = names
            .map(|n| asked_about(grammar, n) == vocabulary)
            .collect();
        self.classes
            .iter()
            .map(|c| c.asked != Asked::Beyond && about[c.subtask as usize])
            .collect()
    }

    /// Counts pairs of two properties: `subject`, `subtask`, `type`, `style`, or any vocabulary.
    /// Values follow the order of the metadata, then unknown values by name, then items without a
    /// value under an empty name. With `only` (sorted row numbers from 0) other items are not
    /// counted.
    ///
    /// # Errors
    ///
    /// [`benchtop_model::ErrorKind::Input`] for too many cells, and for a property that neither the
    /// metadata nor any item has.
    pub fn grid(
        &self,
        grammar: &CompiledMetadata,
        overlay: &StatusColumns,
        (rows, columns): (&str, &str),
        only: Option<&[u32]>,
    ) -> Result<Grid> {
        for property in [rows, columns] {
            let own = [SUBJECT, SUBTASK, TYPE].contains(&property);
            let known = || {
                grammar.list(property).is_some()
                    || self.vocabularies(grammar).iter().any(|v| **v == *property)
            };
            if !own && !known() {
                let names: Vec<&str> = grammar.lists.iter().map(|l| l.name.as_str()).collect();
                return Err(
                    Error::input(format!("unknown property `{property}`")).help(format!(
                        "known properties: {SUBJECT}, {SUBTASK}, {TYPE}, {}",
                        names.join(", ")
                    )),
                );
            }
        }
        let (down, across) = (self.axis(grammar, rows), self.axis(grammar, columns));
        let (height, width) = (down.values.len(), across.values.len());
        if height.saturating_mul(width) > CELLS {
            let what = format!(
                "{rows} by {columns} has {height} by {width} cells, more than the limit of {CELLS}"
            );
            return Err(Error::input(what).help("choose a property with fewer values"));
        }
        let mut cells = vec![Tally::default(); height * width];
        let mut count = |row: usize| {
            let cell = down.at(self, row) as usize * width + across.at(self, row) as usize;
            cells[cell].add(overlay.status(row));
        };
        match only {
            None => (0..self.len()).for_each(&mut count),
            Some(only) => only
                .iter()
                .map(|r| *r as usize)
                .filter(|r| *r < self.len())
                .for_each(&mut count),
        }
        let sum = |cells: &mut dyn Iterator<Item = &Tally>| {
            let mut sum = Tally::default();
            cells.for_each(|c| sum.0.iter_mut().zip(c.0).for_each(|(a, b)| *a += b));
            sum
        };
        let of_row = |r: usize| sum(&mut cells[r * width..(r + 1) * width].iter());
        let of_column = |c: usize| sum(&mut cells.iter().skip(c).step_by(width.max(1)));
        let keep = |axis: &Axis, total: &dyn Fn(usize) -> Tally| -> Vec<(usize, Tally)> {
            let totals = (0..axis.values.len()).map(|at| (at, total(at)));
            totals
                .filter(|(at, tally)| *at < axis.known || tally.all() > 0)
                .collect()
        };
        let (kept_rows, kept_columns) = (keep(&down, &of_row), keep(&across, &of_column));
        let cell = |r: usize| kept_columns.iter().map(move |(c, _)| (r, *c));
        let kept = kept_rows
            .iter()
            .flat_map(|(r, _)| cell(*r))
            .map(|(r, c)| cells[r * width + c])
            .collect();
        let named = |axis: &Axis, kept: &[(usize, Tally)]| -> Vec<(String, Tally)> {
            kept.iter()
                .map(|(at, tally)| (axis.values[*at].clone(), *tally))
                .collect()
        };
        let (rows_kept, columns_kept) = (named(&down, &kept_rows), named(&across, &kept_columns));
        fn names(values: &[(String, Tally)]) -> impl Iterator<Item = &str> {
            values.iter().map(|(v, _)| v.as_str())
        }
        let excluded = excluded(
            grammar,
            (rows, columns),
            names(&rows_kept),
            names(&columns_kept),
        );
        Ok(Grid {
            rows: rows_kept,
            columns: columns_kept,
            cells: kept,
            excluded,
        })
    }

    /// The terms whose items fail most, among those with at least `min_items` accepted or rejected
    /// ones, ordered by the lower end of the Wilson interval of the rejected share.
    pub fn failing(
        &self,
        grammar: &CompiledMetadata,
        overlay: &StatusColumns,
        min_items: u64,
    ) -> Vec<FailingTerm> {
        let vocabularies = self.vocabularies(grammar);
        let (slots, mut uses) = self.slots(grammar, |_| true);
        for row in 0..self.len() {
            let status = overlay.status(row);
            let mut seen = CountedSlots::default();
            for flagged in self.codes_of(row).iter().filter(|c| **c & OFFERED == 0) {
                let slot = slots[(flagged & CODE) as usize];
                if seen.first(slot) {
                    uses[slot as usize].items.add(status);
                }
            }
        }
        let mut vocabulary = vec![""; uses.len()];
        for (slot, (space, _)) in slots.iter().zip(&self.terms) {
            vocabulary[*slot as usize] = &vocabularies[*space as usize];
        }
        let failing = uses
            .into_iter()
            .zip(vocabulary)
            .filter_map(|(used, vocabulary)| {
                let (accepted, judged) = used.items.acceptance()?;
                let rejected = judged - (accepted * judged as f64).round() as u64;
                let (at_least, _) = wilson(rejected, judged, Z95)?;
                (judged >= min_items && rejected > 0).then(|| FailingTerm {
                    vocabulary: vocabulary.to_string(),
                    term: used.term,
                    items: used.items,
                    at_least,
                })
            });
        let mut failing: Vec<FailingTerm> = failing.collect();
        let name = |f: &FailingTerm| (f.vocabulary.clone(), f.term.clone());
        sort_by(&mut failing, |a, b| {
            b.at_least
                .total_cmp(&a.at_least)
                .then_with(|| name(a).cmp(&name(b)))
        });
        failing.truncate(FAILING);
        failing
    }

    /// The rows of items with one of these terms (vocabulary and term) in a picture or a statement,
    /// in order.
    pub fn rows_with(&self, grammar: &CompiledMetadata, terms: &[(String, String)]) -> Vec<u32> {
        let vocabularies = self.vocabularies(grammar);
        let wanted = |(space, term): &(u32, String)| {
            let vocabulary = &*vocabularies[*space as usize];
            terms.iter().any(|(v, t)| v == vocabulary && t == term)
        };
        let wanted: Vec<bool> = self.terms.iter().map(wanted).collect();
        let has = |row: &usize| {
            self.codes_of(*row)
                .iter()
                .any(|code| code & OFFERED == 0 && wanted[(code & CODE) as usize])
        };
        (0..self.len()).filter(has).map(|row| row as u32).collect()
    }
}

/// The slots already counted for an item. An item has few terms.
#[derive(Default)]
pub(super) struct CountedSlots {
    slots: [u32; 16],
    len: usize,
}

impl CountedSlots {
    /// Whether this slot is new. Beyond 16 different ones a slot may be reported twice.
    pub(super) fn first(&mut self, slot: u32) -> bool {
        if self.slots[..self.len].contains(&slot) {
            return false;
        }
        if let Some(place) = self.slots.get_mut(self.len) {
            *place = slot;
            self.len += 1;
        }
        true
    }
}
