//! Columns that need more than right or wrong answers: MM-SAP refusals, VLB variants against their
//! originals, and AutoBench-V positions.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::item_selection::ItemSelection;
use super::model_answers::ModelAnswers;
use super::parsed_answer::ParsedAnswer;
use super::question_table::{QuestionTable, UNGRADED};
use super::{accuracy_columns, self_awareness};
use crate::autobench::{PositionBias, position_bias};
use crate::statistics::Number;
use crate::tally::Tally;
use crate::vlb::{self, Delta, Paired};
use benchtop_model::board::{Cell, Column, Scale};
use benchtop_model::{Field, QuestionKind};

/// Prefix of variants whose right answers are all at one position, such as `position-A`
/// (AutoBench-V, section 4.3).
const POSITION: &str = "position-";

enum Source {
    /// MM-SAP.
    Aware(self_awareness::Source),
    /// VLB variants: delta over all items, delta over modified items, and the share of modified
    /// items.
    Delta(String),
    DeltaModified(String),
    Modified(String),
    /// AutoBench-V positions: the shift in points, and relative to the score with even positions.
    Position(String),
    PositionRelative(String),
}

/// The questions of one variant and one data set, each with its baseline. A model is scored on all
/// of them if it answers at least one variant and one baseline question.
struct PairedSubset {
    /// The variant; for positions without [`POSITION`].
    name: String,
    rows: Vec<u32>,
    /// The original of each row. For positions: the questions with even positions, which are the
    /// data set as it was made, each question once.
    base: Vec<u32>,
}

impl PairedSubset {
    fn is_answered(&self, model: &ModelAnswers) -> bool {
        [&self.rows, &self.base].into_iter().all(|rows| {
            rows.iter()
                .any(|row| model.mark(*row as usize) != ParsedAnswer::ABSENT)
        })
    }

    /// The rows that count for a model, with their originals.
    fn pairs<'s>(
        &'s self,
        model: &'s ModelAnswers,
        chosen: &'s ItemSelection,
    ) -> impl Iterator<Item = (usize, usize)> + 's {
        let pairs = self
            .rows
            .iter()
            .zip(&self.base)
            .map(|(row, original)| (*row as usize, *original as usize));
        pairs.filter(|(row, original)| {
            counts(model, chosen, *row) && counts(model, chosen, *original)
        })
    }
}

/// The subsets of this variant that a model answers.
fn answered<'s>(
    all: &'s [PairedSubset],
    name: &'s str,
    model: &'s ModelAnswers,
) -> impl Iterator<Item = &'s PairedSubset> {
    all.iter()
        .filter(move |of| of.name == name && of.is_answered(model))
}

/// Whether a question counts for a model. A question that was asked but not answered counts as
/// wrong.
fn counts(model: &ModelAnswers, chosen: &ItemSelection, row: usize) -> bool {
    chosen.holds(row) && model.was_asked(row)
}

/// The columns and the rows behind them.
#[derive(Default)]
pub struct VariantColumns {
    pub columns: Vec<Column>,
    sources: Vec<Source>,
    /// Rows with a refusal option.
    refusable: Vec<u32>,
    /// Variants by name, then by data set.
    variants: Vec<PairedSubset>,
    /// Positions by name, then by data set.
    positions: Vec<PairedSubset>,
}

impl VariantColumns {
    pub fn new(sheet: &QuestionTable) -> VariantColumns {
        let mut special = VariantColumns::default();
        let choice =
            |row: &usize| sheet.graded(*row) && sheet.kind(*row) == QuestionKind::MultipleChoice;
        let refusable = (0..sheet.len())
            .filter(|row| sheet.refusal[*row] != UNGRADED)
            .filter(choice);
        special.refusable = refusable.map(|row| row as u32).collect();
        if !special.refusable.is_empty() {
            for (column, source) in self_awareness::columns(sheet, &special.refusable) {
                special.columns.push(column);
                special.sources.push(Source::Aware(source));
            }
        }
        if sheet.original.any() {
            special.originals(sheet);
        }
        special.by_position(sheet);
        special
    }

    fn add(&mut self, name: String, group: &str, help: &str, scale: Scale, source: Source) {
        self.columns.push(Column {
            name,
            group: group.into(),
            help: help.into(),
            scale,
        });
        self.sources.push(source);
    }

    fn originals(&mut self, sheet: &QuestionTable) {
        let at: HashMap<u64, u32> = (0u32..)
            .zip(&sheet.id)
            .map(|(row, id)| (*id, row))
            .collect();
        let pair = |row: usize| Some((row as u32, *at.get(&sheet.original.get(row))?));
        let both = |(row, original): &(u32, u32)| {
            sheet.graded(*row as usize) && sheet.graded(*original as usize)
        };
        let mut found: BTreeMap<[&str; 3], Vec<(u32, u32)>> = BTreeMap::new();
        let variants = (0..sheet.len()).filter(|row| sheet.original.get(*row) != 0);
        for (row, original) in variants.filter_map(pair).filter(both) {
            let name = |field, row: u32| sheet.name(field, row as usize);
            let key = [
                name(Field::Variant, row),
                name(Field::Dataset, row),
                name(Field::Dataset, original),
            ];
            found.entry(key).or_default().push((row, original));
        }
        let against = |(key, pairs): ([&str; 3], Vec<(u32, u32)>)| {
            let (rows, base) = pairs.into_iter().unzip();
            PairedSubset {
                name: key[0].to_string(),
                rows,
                base,
            }
        };
        self.variants = found.into_iter().map(against).collect();
        let mut names: Vec<String> = self.variants.iter().map(|v| v.name.clone()).collect();
        names.dedup();
        names.sort_by_key(|name| (name.contains('+'), name.clone()));
        for name in names {
            let help = "score minus the score on the originals of these questions, in points (VLB, Tables 1 and 2)";
            self.add(
                format!("delta.{name}"),
                "delta",
                help,
                Scale::Points,
                Source::Delta(name.clone()),
            );
            let help = "delta over really modified questions only (after five refused tries VLB keeps the original)";
            self.add(
                format!("delta.{name}.modified"),
                "delta of modified",
                help,
                Scale::Points,
                Source::DeltaModified(name.clone()),
            );
            let help = "share of the variant's questions that were really modified";
            self.add(
                format!("modified.{name}"),
                "modified",
                help,
                Scale::Share,
                Source::Modified(name),
            );
        }
    }

    fn by_position(&mut self, sheet: &QuestionTable) {
        if !sheet
            .names
            .iter()
            .flatten()
            .any(|name| name.starts_with(POSITION))
        {
            return;
        }
        let mut found: BTreeMap<(&str, &str), Vec<u32>> = BTreeMap::new();
        let mut even: HashMap<&str, Vec<u32>> = HashMap::new();
        for row in (0..sheet.len()).filter(|row| sheet.graded(*row) && sheet.rotation[*row] <= 1) {
            let (set, variant) = (
                sheet.name(Field::Dataset, row),
                sheet.name(Field::Variant, row),
            );
            match variant.strip_prefix(POSITION) {
                Some(name) => found.entry((name, set)).or_default().push(row as u32),
                None if accuracy_columns::is_base(variant) => {
                    even.entry(set).or_default().push(row as u32)
                }
                None => {}
            }
        }
        let position = |((name, set), rows): ((&str, &str), Vec<u32>)| {
            let even = even.get(set).cloned().unwrap_or_default();
            PairedSubset {
                name: name.to_string(),
                rows,
                base: even,
            }
        };
        self.positions = found.into_iter().map(position).collect();
        let mut names: Vec<String> = self.positions.iter().map(|p| p.name.clone()).collect();
        names.dedup();
        for name in names {
            let help = "score with every right answer at this position minus the score with even positions, in points (AutoBench-V's R)";
            self.add(
                format!("R.{name}"),
                "position bias",
                help,
                Scale::Points,
                Source::Position(name.clone()),
            );
            let help = "R in percent of the score with even positions (AutoBench-V's code, position_bias.py)";
            let source = Source::PositionRelative(name.clone());
            self.add(
                format!("R.{name}.relative"),
                "relative position bias",
                help,
                Scale::Points,
                source,
            );
        }
    }

    /// A model's cells, one per column. `scopes` are the scopes in which the model is scored.
    ///
    /// For an evaluation with shuffled options, `shuffles` has the numbers and answers of the
    /// shuffles and the questions that were asked in all of them. Otherwise the items name their
    /// shuffle.
    pub fn cells(
        &self,
        sheet: &QuestionTable,
        (model, scopes): (&ModelAnswers, &HashSet<u32>),
        chosen: &ItemSelection,
        shuffles: Option<(&[(u32, &ModelAnswers)], &ItemSelection)>,
    ) -> Vec<Option<Cell>> {
        if self.columns.is_empty() {
            return Vec::new();
        }
        let answers = |rows: &[u32]| {
            rows.iter()
                .any(|row| model.mark(*row as usize) != ParsedAnswer::ABSENT)
        };
        let report = answers(&self.refusable).then(|| match shuffles {
            Some((shuffles, all)) => {
                let shuffles = shuffles.iter().map(|(n, model)| (Some(*n), *model));
                self_awareness::report(sheet, shuffles, self.refusable_of(all, sheet, scopes))
            }
            None => self_awareness::report(
                sheet,
                [(None, model)].into_iter(),
                self.refusable_of(chosen, sheet, scopes),
            ),
        });
        let deltas = self.deltas(sheet, model, chosen);
        let positions = self.shifts(sheet, model, chosen);
        let points = |number: &Number, n: u64| {
            Some(Cell::Number {
                value: number.value?,
                n,
            })
        };
        let of = |name: &String| deltas.iter().find(|d| d.variant == *name);
        let shift = |name: &String| positions.iter().find(|(bias, _)| bias.position == *name);
        let cell = |source: &Source| match source {
            Source::Aware(source) => self_awareness::cell(source, report.as_ref()?),
            Source::Delta(name) => of(name).and_then(|d| points(&d.delta, d.changed.n)),
            Source::DeltaModified(name) => {
                of(name).and_then(|d| points(&d.delta_modified, d.modified))
            }
            Source::Modified(name) => of(name).filter(|d| d.recorded > 0).map(|d| Cell::Share {
                k: d.modified,
                n: d.recorded,
            }),
            Source::Position(name) => shift(name).and_then(|(bias, n)| points(&bias.absolute, *n)),
            Source::PositionRelative(name) => {
                shift(name).and_then(|(bias, n)| points(&bias.relative, *n))
            }
        };
        self.sources.iter().map(cell).collect()
    }

    /// The rows behind a column that count for a model.
    pub fn behind(
        &self,
        sheet: &QuestionTable,
        column: usize,
        model: &ModelAnswers,
        chosen: &ItemSelection,
    ) -> Vec<u32> {
        match self.sources.get(column) {
            Some(Source::Aware(source)) => {
                let is = |row: &&u32| {
                    chosen.holds(**row as usize)
                        && self_awareness::is_of(sheet, source, **row as usize)
                };
                self.refusable.iter().filter(is).copied().collect()
            }
            Some(Source::Delta(name) | Source::DeltaModified(name) | Source::Modified(name)) => {
                answered(&self.variants, name, model)
                    .flat_map(|v| v.pairs(model, chosen))
                    .map(|(row, _)| row as u32)
                    .collect()
            }
            Some(Source::Position(name) | Source::PositionRelative(name)) => {
                let rows =
                    answered(&self.positions, name, model).flat_map(|p| p.rows.iter().copied());
                rows.filter(|row| counts(model, chosen, *row as usize))
                    .collect()
            }
            None => Vec::new(),
        }
    }

    /// Whether a column is an MM-SAP measure, which spans all shuffles.
    pub fn is_of_refusals(&self, column: usize) -> bool {
        matches!(self.sources.get(column), Some(Source::Aware(..)))
    }

    /// Whether the column counts this model's answer to a question behind it.
    pub fn counts(
        &self,
        sheet: &QuestionTable,
        column: usize,
        model: &ModelAnswers,
        row: usize,
    ) -> bool {
        match self.sources.get(column) {
            Some(Source::Aware(source)) => self_awareness::counts(sheet, source, model, row),
            _ => true,
        }
    }

    /// Whether the column counts an answer as right. `None` if the answer key alone decides.
    pub fn right(
        &self,
        sheet: &QuestionTable,
        column: usize,
        model: &ModelAnswers,
        row: usize,
    ) -> Option<bool> {
        match self.sources.get(column) {
            Some(Source::Aware(source)) => Some(self_awareness::right(sheet, source, model, row)),
            _ => None,
        }
    }

    /// The selected questions with a refusal option, in the data sets that a model answers.
    fn refusable_of<'s>(
        &'s self,
        chosen: &'s ItemSelection,
        sheet: &'s QuestionTable,
        scopes: &'s HashSet<u32>,
    ) -> impl Iterator<Item = usize> + Clone + 's {
        let rows = self.refusable.iter().map(|row| *row as usize);
        rows.filter(|row| chosen.holds(*row) && scopes.contains(&sheet.scope(*row)))
    }

    fn deltas(
        &self,
        sheet: &QuestionTable,
        model: &ModelAnswers,
        chosen: &ItemSelection,
    ) -> Vec<Delta> {
        let tally = |row: usize| Tally::of(u64::from(sheet.right(row, model.mark(row))), 1);
        let variants = self
            .variants
            .iter()
            .filter(|variant| variant.is_answered(model));
        vlb::deltas(
            variants
                .flat_map(|variant| variant.pairs(model, chosen))
                .map(|(row, original)| Paired {
                    variant: sheet.name(Field::Variant, row),
                    modified: match sheet.modified[row] {
                        0 => None,
                        recorded => Some(recorded == 1),
                    },
                    vanilla: tally(original),
                    changed: tally(row),
                }),
        )
    }

    fn shifts(
        &self,
        sheet: &QuestionTable,
        model: &ModelAnswers,
        chosen: &ItemSelection,
    ) -> Vec<(PositionBias, u64)> {
        let tally = |rows: &[u32]| {
            let rows = rows
                .iter()
                .map(|row| *row as usize)
                .filter(|row| counts(model, chosen, *row));
            rows.map(|row| Tally::of(u64::from(sheet.right(row, model.mark(row))), 1))
                .sum::<Tally>()
        };
        let of = |same: &[PairedSubset]| {
            let answered = || same.iter().filter(|p| p.is_answered(model));
            let (at, even) = (
                answered().map(|p| tally(&p.rows)).sum(),
                answered().map(|p| tally(&p.base)).sum(),
            );
            let found = position_bias(&[(same[0].name.clone(), at)], even);
            found.into_iter().map(move |bias| (bias, at.n))
        };
        self.positions
            .chunk_by(|a, b| a.name == b.name)
            .flat_map(of)
            .collect()
    }
}
