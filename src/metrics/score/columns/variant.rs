//! Accuracy by variant, for variants that have no final score.

use super::accuracy::add;
use super::final_score::scenarios;
use crate::score::column::{Columns, Data, Head, Metric, StratumLabels};
use benchtop_model::Field;

pub const METRIC: Metric = Metric {
    reference: &[[
        "`Acc.variant.*`",
        "share of right answers in a variant, if no final score shows the same",
        "",
    ]],
    columns,
};

fn columns(data: &Data<'_>, found: &mut Columns) {
    let (strata, scored) = (data.strata, scenarios(data.strata));
    let is = |s: &StratumLabels| !s.is_free_form() && !scored.contains(&strata.scenario(s));
    for (code, name) in strata.named(Field::Variant, |s| is(s).then_some(s.variant)) {
        let help = "accuracy on questions of this variant";
        let head = Head::share(format!("Acc.variant.{name}"), "Acc by variant", help);
        let head = head.of_variant(name);
        add(found, data, head, |s| {
            s.variant == code && !s.is_free_form()
        });
    }
}
