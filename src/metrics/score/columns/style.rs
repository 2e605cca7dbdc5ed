//! Accuracy by style.

use crate::score::column::{
    Basis, BoardEngine, Cell, Column, Columns, Data, Draw, Head, Metric, ModelScores,
};
use crate::score::tallies::tallies;
use benchtop_model::sorting::sort_by_key;

pub const METRIC: Metric = Metric {
    reference: &[[
        "`Acc.style.*`",
        "share of right answers about pictures of a style, if there are several",
        "",
    ]],
    columns,
};

struct OfStyle {
    style: usize,
}

impl Column for OfStyle {
    fn cell(&self, of: &ModelScores<'_>) -> Option<Cell> {
        let (k, n) = tallies(of).styles[self.style];
        (n > 0).then_some(Cell::Share { k, n })
    }

    fn basis(&self, engine: &BoardEngine) -> Basis {
        let own = engine.strata.style.iter();
        let own = own.map(|style| *style == Some(self.style as u32));
        Basis::Sums(Draw::answers(own, false))
    }
}

fn columns(data: &Data<'_>, found: &mut Columns) {
    let styles = &data.strata.styles;
    let mut order: Vec<usize> = (0..styles.len()).filter(|_| styles.len() > 1).collect();
    sort_by_key(&mut order, |at| &styles[*at]);
    for style in order {
        let help = "accuracy on questions about pictures of this style";
        let name = format!("Acc.style.{}", styles[style]);
        found.add(Head::share(name, "Acc by style", help), OfStyle { style });
    }
}
