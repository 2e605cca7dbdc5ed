//! Accuracy over the option orders of an evaluation.

use crate::score::bitmap_index::Bitmap;
use crate::score::column::{
    BoardEngine, Cell, Column, Columns, Data, Head, ItemSelection, Metric, ModelScores, Scale,
    StratumLabels, Unit, Units,
};
use crate::statistics::{mean, variance};

pub const METRIC: Metric = Metric {
    reference: &[[
        "`Acc.orders`, `Acc.orders.sd`",
        "mean accuracy, and its population deviation, over the orders that an evaluation asked (`--shuffles`, `--circular`)",
        "",
    ]],
    columns,
};

/// The mean accuracy over the orders, or its standard deviation.
struct OverOrders {
    is_spread: bool,
}

/// What [`shares`] returns.
struct Shares(Option<(Vec<f64>, u64)>);

/// The accuracy in each order, on the questions that were asked in all orders, and the number of
/// these questions.
fn shares(of: &ModelScores<'_>) -> Option<(Vec<f64>, u64)> {
    let engine = of.engine;
    let family = engine.orders.family(of.model)?;
    let chosen = engine.narrowed(family, &of.chosen);
    let sum = |plane: &Bitmap| {
        let counts = engine.index.count(plane, &chosen.plane);
        let own = engine.strata.by_stack().zip(counts);
        let own = own.filter(|(labels, _)| labels.is_graded());
        own.map(|(_, n)| u64::from(n)).sum::<u64>()
    };
    let n = sum(&engine.all);
    let share = |model: &usize| sum(&engine.bitmaps[*model].right) as f64 / n as f64;
    (n > 0).then(|| (family.iter().map(share).collect(), n))
}

impl Column for OverOrders {
    fn cell(&self, of: &ModelScores<'_>) -> Option<Cell> {
        let shares = of.memo.get(|| Shares(shares(of)));
        let (shares, n) = shares.0.as_ref()?;
        Some(match self.is_spread {
            false => Cell::Mean {
                value: mean(shares)?,
                n: *n,
            },
            true => Cell::Number {
                value: 100.0 * variance(shares)?.sqrt(),
                n: *n,
            },
        })
    }

    fn unit(&self) -> Unit {
        Unit::Orders
    }

    fn units(&self, engine: &BoardEngine, model: usize, chosen: &ItemSelection) -> Units {
        let Some(family) = engine.orders.family(model) else {
            return Units::new();
        };
        let all = engine.narrowed(family, chosen);
        let is_graded =
            |stack: usize| engine.strata.labels[engine.strata.of_stack[stack] as usize].is_graded();
        let right = |row: u32| {
            let mut of = family.iter().map(|model| engine.answers(*model));
            of.all(|model| engine.right(model, row as usize))
        };
        let rows = engine.rows_of(is_graded, &all).into_iter();
        rows.map(|row| (vec![row], right(row))).collect()
    }

    fn depends_on_answers(&self) -> bool {
        true
    }

    fn answerers(&self, engine: &BoardEngine, model: usize) -> Vec<usize> {
        engine.orders.all_of(model)
    }
}

fn columns(data: &Data<'_>, found: &mut Columns) {
    let is_several = data.orders.several().next().is_some();
    if !is_several || !data.strata.any(StratumLabels::is_graded) {
        return;
    }
    let help =
        "mean accuracy over the option orders of an evaluation, on questions asked in every order";
    let mean = Head::share("Acc.orders", "over orders", help);
    let help = "population standard deviation of the accuracy over the option orders, in points";
    let spread = Head::new("Acc.orders.sd", "over orders", help, Scale::Spread);
    found.add(mean, OverOrders { is_spread: false });
    found.add(spread, OverOrders { is_spread: true });
}
