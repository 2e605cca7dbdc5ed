//! AutoBench-V's position bias.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::paired_subset::{PairedSubset, answered, counts};
use crate::autobench::{PositionBias, position_bias};
use crate::score::column::{
    BoardEngine, Cell, Column, Columns, Data, Head, ItemSelection, Metric, ModelScores,
    QuestionTable, Scale,
};
use crate::score::strata::is_base;
use crate::tally::Tally;
use benchtop_model::Field;

pub const METRIC: Metric = Metric {
    reference: &[[
        "`R.POSITION`, `R.POSITION.relative`",
        "score with every right answer at one position minus the score with even positions, in points; in percent of the latter",
        "AutoBench-V 4.3; `position_bias.py`",
    ]],
    columns,
};

/// Prefix of variants whose right answers are all at one position, such as `position-A`
/// (AutoBench-V, section 4.3).
const POSITION: &str = "position-";

/// The shift in points, or relative to the score with even positions.
struct Shift {
    is_relative: bool,
    position: String,
    /// By position, then by data set. The baseline is the data set as it was made, each question
    /// once.
    subsets: Arc<[PairedSubset]>,
}

/// The shifts of all positions, each with its number of answers.
struct Shifts(Vec<(PositionBias, u64)>);

impl Column for Shift {
    fn cell(&self, of: &ModelScores<'_>) -> Option<Cell> {
        let shifts = of.memo.get(|| Shifts(shifts(&self.subsets, of)));
        let (bias, n) = shifts.0.iter().find(|(s, _)| s.position == self.position)?;
        let number = match self.is_relative {
            true => &bias.relative,
            false => &bias.absolute,
        };
        Some(Cell::Number {
            value: number.value?,
            n: *n,
        })
    }

    fn rows(&self, engine: &BoardEngine, model: usize, asked: &ItemSelection) -> Vec<u32> {
        let model = engine.answers(model);
        answered(&self.subsets, &self.position, model)
            .flat_map(|subset| subset.rows.iter().copied())
            .filter(|row| counts(model, asked, *row as usize))
            .collect()
    }

    fn depends_on_answers(&self) -> bool {
        true
    }
}

fn shifts(subsets: &[PairedSubset], of: &ModelScores<'_>) -> Vec<(PositionBias, u64)> {
    let (sheet, model) = (&of.engine.sheet, of.answers());
    let tally = |rows: &[u32]| {
        let rows = rows.iter().map(|row| *row as usize);
        rows.filter(|row| counts(model, &of.chosen, *row))
            .map(|row| Tally::of(u64::from(sheet.right(row, model.mark(row))), 1))
            .sum::<Tally>()
    };
    let shift = |same: &[PairedSubset]| {
        let answered = || same.iter().filter(|p| p.is_answered(model));
        let at: Tally = answered().map(|p| tally(&p.rows)).sum();
        let even = answered().map(|p| tally(&p.base)).sum();
        let found = position_bias(&[(same[0].name.clone(), at)], even);
        found.into_iter().map(move |bias| (bias, at.n))
    };
    let by_position = subsets.chunk_by(|a, b| a.name == b.name);
    by_position.flat_map(shift).collect()
}

fn subsets(sheet: &QuestionTable) -> Vec<PairedSubset> {
    let mut names = sheet.names.iter().flatten();
    if !names.any(|name| name.starts_with(POSITION)) {
        return Vec::new();
    }
    let mut found: BTreeMap<(&str, &str), Vec<u32>> = BTreeMap::new();
    let mut even: HashMap<&str, Vec<u32>> = HashMap::new();
    for row in (0..sheet.len()).filter(|row| sheet.graded(*row) && sheet.rotation[*row] <= 1) {
        let set = sheet.name(Field::Dataset, row);
        let variant = sheet.name(Field::Variant, row);
        match variant.strip_prefix(POSITION) {
            Some(name) => found.entry((name, set)).or_default().push(row as u32),
            None if is_base(variant) => even.entry(set).or_default().push(row as u32),
            None => {}
        }
    }
    let position = |((name, set), rows): ((&str, &str), Vec<u32>)| PairedSubset {
        name: name.to_string(),
        rows,
        base: even.get(set).cloned().unwrap_or_default(),
    };
    found.into_iter().map(position).collect()
}

fn columns(data: &Data<'_>, found: &mut Columns) {
    let subsets: Arc<[PairedSubset]> = subsets(data.sheet).into();
    let mut names: Vec<String> = subsets.iter().map(|p| p.name.clone()).collect();
    names.dedup();
    for position in names {
        let mut add = |name: String, group: &str, help: &str, is_relative: bool| {
            let shift = Shift {
                is_relative,
                position: position.clone(),
                subsets: subsets.clone(),
            };
            let head = Head::new(name, group, help, Scale::Points);
            found.add(head.describing(), shift);
        };
        let help = "score with every right answer at this position minus the score with even positions, in points (AutoBench-V's R)";
        add(format!("R.{position}"), "position bias", help, false);
        let help =
            "R in percent of the score with even positions (AutoBench-V's code, position_bias.py)";
        add(
            format!("R.{position}.relative"),
            "relative position bias",
            help,
            true,
        );
    }
}
