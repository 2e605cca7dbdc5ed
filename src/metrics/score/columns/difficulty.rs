//! Accuracy by aspect and difficulty (AutoBench-V, section 4), if the questions have several of
//! both.

use super::accuracy::add;
use crate::autobench::DIFFICULTIES;
use crate::score::column::{Columns, Data, Head, Metric, StratumLabels};
use benchtop_model::Field;

pub const METRIC: Metric = Metric {
    reference: &[[
        "`Acc.ASPECT.DIFFICULTY`",
        "right answers of an aspect (subtask) at a difficulty (level `easy`, `medium`, or `hard`)",
        "AutoBench-V 4",
    ]],
    columns,
};

fn columns(data: &Data<'_>, found: &mut Columns) {
    let strata = data.strata;
    let is_of = |s: &StratumLabels, difficulty: &str| {
        s.is_graded() && strata.name(Field::Level, s.level) == difficulty
    };
    let mut difficulties = DIFFICULTIES.to_vec();
    difficulties.retain(|difficulty| strata.any(|s| is_of(s, difficulty)));
    let aspects = strata.named(Field::Subtask, |s| s.is_graded().then_some(s.subtask));
    if aspects.len() < 2 || difficulties.len() < 2 {
        return;
    }
    let help = "accuracy on questions of this aspect and difficulty (AutoBench-V, section 4)";
    for (code, aspect) in aspects {
        for difficulty in &difficulties {
            let name = format!("Acc.{aspect}.{difficulty}");
            let head = Head::share(name, "Acc by aspect and difficulty", help);
            add(found, data, head, |s| {
                is_of(s, difficulty) && s.subtask == code
            });
        }
    }
}
