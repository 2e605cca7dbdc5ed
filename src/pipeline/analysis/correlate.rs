//! Rank correlation of two columns or two boards.

use serde::{Deserialize, Serialize};

use super::{column, matching, shown};
use benchtop_metrics::statistics::{Correlation, Significance, kendall, spearman};
use benchtop_model::board::{Board, Row};
use benchtop_model::{Error, Result};

/// Minimum number of models. Two are always in the same or the opposite order.
const FEWEST: usize = 3;

/// A request for the correlation of two columns or boards.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Correlate {
    /// The column; by default the board's leading one.
    pub column: Option<String>,
    /// Another column of the same board.
    pub with: Option<String>,
    /// Or scores from elsewhere.
    pub other: Option<Other>,
    /// Seed of the permutations.
    pub seed: u64,
}

/// Scores of models from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Other {
    /// Name of the source.
    pub name: String,
    /// Name of the column.
    pub column: String,
    /// Models and scores.
    pub scores: Vec<(String, f64)>,
    /// Pairs of a model's name on the board and its name there, if they differ.
    pub names: Vec<(String, String)>,
}

/// One side of a correlation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// `board`, or the name of the source.
    pub from: String,
    pub column: String,
}

/// A model on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joined {
    pub model: String,
    pub other: String,
    /// Score on the board, shares in percent.
    pub x: f64,
    /// Score on the other side.
    pub y: f64,
}

/// A rank correlation coefficient with its p-value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    /// From -1, the opposite order, to 1, the same order.
    pub value: Option<f64>,
    /// Two-sided p-value.
    pub p: Option<f64>,
    /// How p was computed: `exact` from all orders, `permutation` from random ones, or `none`.
    pub by: String,
    /// Number of orders.
    pub orders: u64,
    /// Why there is no value.
    pub undefined: Option<String>,
}

/// The correlation of two columns or boards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Correlated {
    /// The board's column.
    pub x: Axis,
    /// The other side.
    pub y: Axis,
    /// Models on both sides.
    pub n: u64,
    /// Spearman's rho, with average ranks.
    pub spearman: Coefficient,
    pub kendall: Coefficient,
    /// Seed of the permutations.
    pub seed: u64,
    pub models: Vec<Joined>,
    /// Models of the board without a score on the other side.
    pub only_x: Vec<String>,
    /// Models of the other side without a score on the board.
    pub only_y: Vec<String>,
}

pub(super) fn correlated(board: &Board, ask: &Correlate) -> Result<Correlated> {
    let scores = |at: usize| {
        let scale = board.columns.get(at).map(|c| c.scale).unwrap_or_default();
        let value = move |row: &Row| {
            Some((
                row.model.clone(),
                shown(row.cells.get(at).copied().flatten(), scale)?,
            ))
        };
        board
            .rows
            .iter()
            .filter_map(value)
            .collect::<Vec<(String, f64)>>()
    };
    let (at, own) = column(board, ask.column.as_deref())?;
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
                scores(at),
                (y, other.scores.clone(), other.names.as_slice()),
            )
        }
        (None, Some(with)) => {
            let (with, column) = column(board, Some(with))?;
            (
                scores(at),
                (
                    Axis {
                        from: "board".into(),
                        column: column.name.clone(),
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
    models.sort_by(|a, b| b.x.total_cmp(&a.x).then_with(|| a.model.cmp(&b.model)));
    let only = |names: &[String], taken: &dyn Fn(usize) -> bool| {
        let left = names.iter().enumerate().filter(|(at, _)| !taken(*at));
        left.map(|(_, name)| name.clone()).collect::<Vec<_>>()
    };
    let only_x = only(&our_names, &|at| pairs.iter().any(|(i, _)| *i == at));
    let only_y = only(&their_names, &|at| pairs.iter().any(|(_, j)| *j == at));
    if models.len() < FEWEST {
        let n = models.len();
        let both = if n == 1 {
            "1 model".to_string()
        } else {
            format!("{n} models")
        };
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
