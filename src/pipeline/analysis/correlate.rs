//! Rank correlation of two columns or two boards.

use super::columns::{column, shown};
use crate::board::count;
use benchtop_metrics::statistics::{Correlation, Significance, kendall, spearman};
use benchtop_model::analysis::{Axis, Coefficient, Correlate, Correlated, Joined};
use benchtop_model::board::model_names::matching;
use benchtop_model::board::{Board, Column};
use benchtop_model::sorting::sort_by;
use benchtop_model::{Error, Result};

/// Minimum number of models. Two are always in the same or the opposite order.
const FEWEST: usize = 3;

pub(super) fn correlated(board: &Board, ask: &Correlate) -> Result<Correlated> {
    let scores = |of: &Column| {
        let rows = board.rows.iter();
        rows.filter_map(|row| Some((row.model.clone(), shown(board, row, of)?)))
            .collect::<Vec<(String, f64)>>()
    };
    let own = column(board, ask.column.as_deref())?;
    let x = Axis {
        from: "board".into(),
        column: own.name.clone(),
    };
    let (ours, (y, theirs, names)) = match (&ask.other, &ask.with) {
        (Some(other), _) => {
            let y = Axis {
                from: other.name.clone(),
                column: other.column.clone(),
            };
            (
                scores(own),
                (y, other.scores.clone(), other.names.as_slice()),
            )
        }
        (None, Some(with)) => {
            let with = column(board, Some(with))?;
            (
                scores(own),
                (
                    Axis {
                        from: "board".into(),
                        column: with.name.clone(),
                    },
                    scores(with),
                    &[][..],
                ),
            )
        }
        (None, None) => {
            return Err(Error::new(
                benchtop_model::ErrorKind::Usage,
                "nothing to compare the column with",
            )
            .help("name another column, another board, a table or a paper"));
        }
    };
    let models = |of: &[(String, f64)]| {
        of.iter()
            .map(|(model, _)| model.clone())
            .collect::<Vec<_>>()
    };
    let (our_names, their_names) = (models(&ours), models(&theirs));
    let pairs = match &ask.other {
        // The names on one board are the same.
        None => {
            let same = |(i, name): (usize, &String)| {
                Some((i, their_names.iter().position(|other| other == name)?))
            };
            our_names.iter().enumerate().filter_map(same).collect()
        }
        Some(_) => matching(&strs(&our_names), &strs(&their_names), names),
    };
    let joined = |(i, j): &(usize, usize)| Joined {
        model: our_names[*i].clone(),
        other: their_names[*j].clone(),
        x: ours[*i].1,
        y: theirs[*j].1,
    };
    let mut models: Vec<Joined> = pairs.iter().map(joined).collect();
    sort_by(&mut models, |a, b| {
        b.x.total_cmp(&a.x).then_with(|| a.model.cmp(&b.model))
    });
    let only = |names: &[String], taken: &dyn Fn(usize) -> bool| {
        let left = names.iter().enumerate().filter(|(at, _)| !taken(*at));
        left.map(|(_, name)| name.clone()).collect::<Vec<_>>()
    };
    let only_x = only(&our_names, &|at| pairs.iter().any(|(i, _)| *i == at));
    let only_y = only(&their_names, &|at| pairs.iter().any(|(_, j)| *j == at));
    if models.len() < FEWEST {
        let both = count(models.len() as u64, "model");
        let what = format!("only {both} in common; a correlation needs at least {FEWEST}");
        let list = |names: &[String]| {
            if names.is_empty() {
                "none".into()
            } else {
                names.join(", ")
            }
        };
        let help = format!(
            "only here: {}; only there: {}; use --names FILE to match names",
            list(&only_x),
            list(&only_y)
        );
        return Err(Error::input(what).help(help));
    }
    let (xs, ys): (Vec<f64>, Vec<f64>) = models.iter().map(|m| (m.x, m.y)).unzip();
    Ok(Correlated {
        x,
        y,
        n: models.len() as u64,
        spearman: coefficient(spearman(&xs, &ys, ask.seed)),
        kendall: coefficient(kendall(&xs, &ys, ask.seed)),
        seed: ask.seed,
        models,
        only_x,
        only_y,
    })
}

fn strs(of: &[String]) -> Vec<&str> {
    of.iter().map(String::as_str).collect()
}

fn coefficient(found: Correlation) -> Coefficient {
    let (by, orders) = match found.significance {
        Significance::Exact { orders } => ("exact", orders),
        Significance::Drawn { draws, .. } => ("permutation", u64::from(draws)),
        Significance::None => ("none", 0),
    };
    let undefined = found.coefficient.undefined.map(|why| why.into_owned());
    Coefficient {
        value: found.coefficient.value,
        p: found.p.value,
        by: by.into(),
        orders,
        undefined,
    }
}
