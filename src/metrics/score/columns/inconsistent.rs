//! Pictures whose multiple-choice question is answered right and whose true/false question is
//! answered wrong (Dysca, Figure 5).

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::score::column::{
    Basis, BoardEngine, Cell, Column, Columns, Data, Head, ItemSelection, Metric, ModelScores,
    Unit, Units, share,
};
use crate::score::strata::is_base;
use benchtop_model::{Field, QuestionKind};

pub const METRIC: Metric = Metric {
    reference: &[[
        "`inconsistent`",
        "pictures whose multiple-choice question is right and whose true-or-false question about the same subtask is wrong, as a share of the pictures with both; enter and `benchtop board --inconsistent MODEL` list them",
        "Dysca Figure 5",
    ]],
    columns,
};

/// The questions about one picture and subtask, with both types among them.
struct Inconsistent {
    units: Vec<Vec<u32>>,
    /// The unit of each row, or [`NONE`].
    of_row: Vec<u32>,
    /// The cell of each model if all questions are selected.
    of_all: Vec<OnceLock<Option<Cell>>>,
}

const NONE: u32 = u32::MAX;

impl Inconsistent {
    /// Whether the multiple-choice answers of a unit are right and a true/false answer is wrong.
    fn is_in(engine: &BoardEngine, model: usize, unit: &[u32]) -> bool {
        let answers = engine.answers(model);
        let right = |row: &u32| engine.right(answers, *row as usize);
        let of = |kind: QuestionKind| {
            let rows = unit.iter();
            rows.filter(move |row| engine.sheet.kind(**row as usize) == kind)
        };
        of(QuestionKind::MultipleChoice).all(right) && !of(QuestionKind::TrueFalse).all(right)
    }

    /// The units that count for a model: it was asked all of their questions.
    fn of<'s>(
        &'s self,
        engine: &'s BoardEngine,
        model: usize,
        chosen: &'s ItemSelection,
    ) -> impl Iterator<Item = (&'s [u32], bool)> + 's {
        let counts = move |row: &u32| {
            let row = *row as usize;
            chosen.holds(row)
                && engine.answers(model).was_asked(row)
                && engine.is_scored(model, row)
        };
        let units = self.units.iter().map(Vec::as_slice);
        units
            .filter(move |unit| unit.iter().all(counts))
            .map(move |unit| (unit, Inconsistent::is_in(engine, model, unit)))
    }
}

impl Column for Inconsistent {
    fn cell(&self, of: &ModelScores<'_>) -> Option<Cell> {
        let count = || {
            let units = self.of(of.engine, of.model, &of.chosen);
            share(units.map(|(_, is_in)| is_in))
        };
        match (of.board.chosen.is_all(), self.of_all.get(of.model)) {
            (true, Some(kept)) => *kept.get_or_init(count),
            _ => count(),
        }
    }

    fn basis(&self, _: &BoardEngine) -> Basis {
        Basis::Units
    }

    fn unit(&self) -> Unit {
        Unit::Image
    }

    fn units(&self, engine: &BoardEngine, model: usize, chosen: &ItemSelection) -> Units {
        let units = self.of(engine, model, chosen);
        units.map(|(unit, is_in)| (unit.to_vec(), is_in)).collect()
    }

    /// Drilldowns list only the pictures of the share.
    fn counts(&self, engine: &BoardEngine, answerer: usize, row: usize) -> bool {
        let unit = self.of_row.get(row);
        let unit = unit.and_then(|at| self.units.get(*at as usize));
        unit.is_some_and(|unit| Inconsistent::is_in(engine, answerer, unit))
    }
}

fn columns(data: &Data<'_>, found: &mut Columns) {
    let sheet = data.sheet;
    let is_kind = |row: usize, kind| sheet.kind(row) == kind;
    let (choice, claim) = (QuestionKind::MultipleChoice, QuestionKind::TrueFalse);
    let rows = (0..sheet.len()).filter(|row| {
        (is_kind(*row, choice) || is_kind(*row, claim))
            && sheet.image.get(*row) != 0
            && sheet.pair.get(*row) == 0
            && sheet.rotation[*row] <= 1
            && sheet.graded(*row)
            && is_base(sheet.name(Field::Variant, *row))
    });
    // Sorted rather than hashed, because it is done before the first board is shown.
    let mut keyed: Vec<_> = rows
        .map(|row| {
            let subtask = sheet.name(Field::Subtask, row);
            (
                (sheet.image.get(row), sheet.scope(row), subtask),
                row as u32,
            )
        })
        .collect();
    keyed.par_sort_unstable();
    let has = |unit: &[u32], kind| unit.iter().any(|row| is_kind(*row as usize, kind));
    let of_picture = keyed.chunk_by(|(one, _), (other, _)| one == other);
    let mut units: Vec<Vec<u32>> = of_picture
        .map(|rows| rows.iter().map(|(_, row)| *row).collect())
        .filter(|unit: &Vec<u32>| has(unit, choice) && has(unit, claim))
        .collect();
    if units.is_empty() {
        return;
    }
    // In the order of the data set.
    units.par_sort_unstable();
    let mut of_row = vec![NONE; sheet.len()];
    for (at, unit) in units.iter().enumerate() {
        for row in unit {
            of_row[*row as usize] = at as u32;
        }
    }
    let help = "pictures with a right multiple-choice answer and a wrong true-or-false answer about the same subtask (Dysca, Figure 5)";
    let head = Head::share("inconsistent", "inconsistent", help).describing();
    let of_all = data.models.iter().map(|_| OnceLock::new()).collect();
    found.add(
        head,
        Inconsistent {
            units,
            of_row,
            of_all,
        },
    );
}
