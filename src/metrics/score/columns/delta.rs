//! VLB's variants against their originals.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::paired_subset::{PairedSubset, answered};
use crate::score::column::{
    BoardEngine, Cell, Column, Columns, Data, Head, ItemSelection, Metric, ModelScores,
    QuestionTable, Scale,
};
use crate::score::model_answers::ModelAnswers;
use crate::tally::Tally;
use crate::vlb::{self, AnsweredPair, Paired};
use benchtop_model::Field;
use benchtop_model::sorting::sort_by_key;

pub const METRIC: Metric = Metric {
    reference: &[[
        "`delta.VARIANT`, `delta.VARIANT.modified`, `modified.VARIANT`",
        "a variant minus the same model on the originals of the same questions; the same over items that were really modified; their share",
        "VLB Tables 1 and 2",
    ]],
    columns,
};

#[derive(Clone, Copy)]
enum What {
    Delta,
    DeltaOfModified,
    Modified,
}

struct Delta {
    what: What,
    variant: String,
    /// By variant, then by data set.
    subsets: Arc<[PairedSubset]>,
}

/// The deltas of all variants.
struct Deltas(Vec<vlb::Delta>);

impl Column for Delta {
    fn cell(&self, of: &ModelScores<'_>) -> Option<Cell> {
        let deltas = of.memo.get(|| Deltas(deltas(&self.subsets, of)));
        let delta = deltas.0.iter().find(|d| d.variant == self.variant)?;
        let number = |value: Option<f64>, n| value.map(|value| Cell::Number { value, n });
        match self.what {
            What::Delta => number(delta.delta.value, delta.changed.n),
            What::DeltaOfModified => number(delta.delta_modified.value, delta.modified),
            What::Modified => (delta.recorded > 0).then_some(Cell::Share {
                k: delta.modified,
                n: delta.recorded,
            }),
        }
    }

    fn rows(&self, engine: &BoardEngine, model: usize, asked: &ItemSelection) -> Vec<u32> {
        let model = engine.answers(model);
        answered(&self.subsets, &self.variant, model)
            .flat_map(|subset| subset.pairs(model, asked))
            .map(|(row, _)| row as u32)
            .collect()
    }

    fn depends_on_answers(&self) -> bool {
        true
    }
}

fn deltas(subsets: &[PairedSubset], of: &ModelScores<'_>) -> Vec<vlb::Delta> {
    let pairs = answered_pairs(subsets, &of.engine.sheet, of.answers(), &of.chosen);
    vlb::deltas(pairs.map(|pair| Paired {
        variant: pair.variant,
        modified: pair.modified,
        vanilla: Tally::of(u64::from(pair.before), 1),
        changed: Tally::of(u64::from(pair.after), 1),
    }))
}

/// The pairs of the subsets that count for a model.
fn answered_pairs<'s>(
    subsets: &'s [PairedSubset],
    sheet: &'s QuestionTable,
    model: &'s ModelAnswers,
    chosen: &'s ItemSelection,
) -> impl Iterator<Item = AnsweredPair<'s>> {
    let right = |row: usize| sheet.right(row, model.mark(row));
    let own = subsets.iter().filter(|subset| subset.is_answered(model));
    own.flat_map(|subset| subset.pairs(model, chosen))
        .map(move |(row, original)| AnsweredPair {
            variant: sheet.name(Field::Variant, row),
            row,
            original,
            modified: match sheet.modified[row] {
                0 => None,
                recorded => Some(recorded == 1),
            },
            before: right(original),
            after: right(row),
        })
}

impl BoardEngine {
    /// Questions of variants, each with its original, that count for a model. They are what the columns
    /// `delta.*` are computed from.
    pub fn answered_pairs(
        &self,
        model: &ModelAnswers,
        chosen: &ItemSelection,
    ) -> Vec<AnsweredPair<'_>> {
        let subsets = subsets(&self.sheet);
        let pairs = answered_pairs(&subsets, &self.sheet, model, chosen);
        // The names are those of the sheet, which outlives the subsets.
        pairs
            .map(|pair| AnsweredPair {
                variant: self.sheet.name(Field::Variant, pair.row),
                ..pair
            })
            .collect()
    }
}

/// The variants whose originals are known.
fn subsets(sheet: &QuestionTable) -> Vec<PairedSubset> {
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
    let subset = |([name, ..], pairs): ([&str; 3], Vec<(u32, u32)>)| {
        let (rows, base) = pairs.into_iter().unzip();
        PairedSubset {
            name: name.to_string(),
            rows,
            base,
        }
    };
    found.into_iter().map(subset).collect()
}

fn columns(data: &Data<'_>, found: &mut Columns) {
    if !data.sheet.original.any() {
        return;
    }
    let subsets: Arc<[PairedSubset]> = subsets(data.sheet).into();
    let mut names: Vec<String> = subsets.iter().map(|v| v.name.clone()).collect();
    names.dedup();
    sort_by_key(&mut names, |name| (name.contains('+'), name.clone()));
    for variant in names {
        let mut add = |head: Head, what: What| {
            let head = head.of_variant(&variant);
            let (variant, subsets) = (variant.clone(), subsets.clone());
            let delta = Delta {
                what,
                variant,
                subsets,
            };
            found.add(head, delta);
        };
        let help = "score minus the score on the originals of these questions, in points (VLB, Tables 1 and 2)";
        let name = format!("delta.{variant}");
        add(Head::new(&name, "delta", help, Scale::Points), What::Delta);
        let help = "delta over really modified questions only (after five refused tries VLB keeps the original)";
        let name = format!("delta.{variant}.modified");
        let head = Head::new(name, "delta of modified", help, Scale::Points);
        add(head, What::DeltaOfModified);
        let help = "share of the variant's questions that were really modified";
        let head = Head::share(format!("modified.{variant}"), "modified", help);
        add(head.describing(), What::Modified);
    }
}
