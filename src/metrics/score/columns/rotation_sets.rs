//! Circular evaluation of rotation sets outside image pairs (VLMEvalKit, MMBench).

use super::measure::{Measure, groups};
use crate::score::column::{Columns, Data, Metric, Unit};

pub const METRIC: Metric = Metric {
    reference: &[[
        "`Circular`",
        "rotation sets of other benchmarks: every rotation right",
        "MMBench, VLMEvalKit",
    ]],
    columns,
};

fn columns(data: &Data<'_>, found: &mut Columns) {
    let sheet = data.sheet;
    if !sheet.rotation_set.any() {
        return;
    }
    let help = "CircularEval: a multiple-choice question is right if it is right in every rotation of its options";
    let mut measure = Measure::new("Circular", "Circular", help, Unit::Rotations);
    let rows = (0..sheet.len()).filter(|row| {
        sheet.rotation_set.get(*row) != 0 && sheet.pair.get(*row) == 0 && sheet.graded(*row)
    });
    groups(rows, |row| sheet.rotation_set.get(row))
        .into_iter()
        .for_each(|members| measure.push(members));
    measure.add_to(found);
}
