//! Evaluations that asked every rotation of the options.

use crate::score::column::{
    Basis, BoardEngine, Cell, Column, Columns, Data, Head, ItemSelection, Metric, ModelScores,
    Unit, Units,
};
use crate::score::orders::is_circular;

pub const METRIC: Metric = Metric {
    reference: &[[
        "`CircularEval`",
        "an evaluation that asked every rotation (`eval --circular`): right in all of them",
        "MMBench",
    ]],
    columns,
};

struct CircularEval;

impl Column for CircularEval {
    fn cell(&self, of: &ModelScores<'_>) -> Option<Cell> {
        let units = self.units(of.engine, of.model, &of.chosen);
        let (k, n) = (
            units.iter().filter(|u| u.1).count() as u64,
            units.len() as u64,
        );
        (n > 0).then_some(Cell::Share { k, n })
    }

    fn basis(&self, _: &BoardEngine) -> Basis {
        Basis::Units
    }

    fn unit(&self) -> Unit {
        Unit::Orders
    }

    fn units(&self, engine: &BoardEngine, model: usize, chosen: &ItemSelection) -> Units {
        let whole = |(at, model): &(usize, &usize)| {
            let model = engine.answers(**model);
            let order = model.asked.as_ref().map(|asked| usize::from(asked.order));
            is_circular(model) && order == Some(at + 1)
        };
        let family = engine.orders.family(model).unwrap_or_default();
        let family = &family[..family.iter().enumerate().take_while(whole).count()];
        let sheet = &engine.sheet;
        let unit = |row: usize| {
            let rotations = sheet.options.get(row).copied().map_or(0, usize::from);
            let of = family.get(..rotations).filter(|of| of.len() > 1)?;
            let mut answers = of.iter().map(|model| engine.answers(*model));
            let asked = answers.clone().all(|model| model.was_asked(row));
            asked.then(|| {
                (
                    vec![row as u32],
                    answers.all(|model| engine.right(model, row)),
                )
            })
        };
        // A question that is a rotation itself was asked once.
        let is =
            |row: &usize| sheet.graded(*row) && chosen.holds(*row) && sheet.rotation[*row] == 0;
        (0..sheet.len()).filter(is).filter_map(unit).collect()
    }

    fn depends_on_answers(&self) -> bool {
        true
    }

    fn answerers(&self, engine: &BoardEngine, model: usize) -> Vec<usize> {
        engine.orders.all_of(model)
    }
}

fn columns(data: &Data<'_>, found: &mut Columns) {
    let mut several = data.orders.several();
    if !several.any(|family| is_circular(&data.models[family[0]])) {
        return;
    }
    let help = "CircularEval over the rotations that an evaluation asked: a question is right if all rotations are right";
    let head = Head::share("CircularEval", "Circular", help);
    found.add(head, CircularEval);
}
