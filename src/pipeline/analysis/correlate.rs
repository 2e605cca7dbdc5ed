//! Whether two columns, or two boards, put the same models in the same order.

use serde::{Deserialize, Serialize};

use super::{column, matching, shown};
use benchtop_metrics::statistics::{Correlation, Significance, kendall, spearman};
use benchtop_model::board::{Board, Row};
use benchtop_model::{Error, Result};

/// Fewest models that an order says anything of: two are always in the same or in the opposite one.
const FEWEST: usize = 3;

/// Two columns, or two boards.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Correlate {
    /// The column; without one, the board's leading one.
    pub column: Option<String>,
    /// Another column of the same board.
    pub with: Option<String>,
    /// Or numbers from elsewhere.
    pub other: Option<Other>,
    /// For drawn orders.
    pub seed: u64,
}

/// Numbers of models from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Other {
    /// Where from.
    pub name: String,
    /// What they are.
    pub column: String,
    /// Model and number.
    pub scores: Vec<(String, f64)>,
    /// How models of the board are called there, where it is otherwise.
    pub names: Vec<(String, String)>,
}

/// One of the two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// `board`, or where the numbers are from.
    pub from: String,
    /// Column.
    pub column: String,
}

/// A model that both have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joined {
    /// Its name on the board.
    pub model: String,
    /// Its name there.
    pub other: String,
    /// Its number on the board, shares in percent.
    pub x: f64,
    /// Its number there.
    pub y: f64,
}

/// A coefficient of rank correlation and how easily chance gives one as strong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    /// From -1, the opposite order, to 1, the same one.
    pub value: Option<f64>,
    /// Two-sided p.
    pub p: Option<f64>,
    /// How p was found: `exact`, all orders; `permutation`, drawn ones; `none`.
    pub by: String,
    /// Orders that were looked at.
    pub orders: u64,
    /// Why there is no value.
    pub undefined: Option<String>,
}

/// Two columns, or two boards, held against each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Correlated {
    /// The board's column.
    pub x: Axis,
    /// What it is held against.
    pub y: Axis,
    /// Models that both have.
    pub n: u64,
    /// Spearman's rho, of average ranks.
    pub spearman: Coefficient,
    /// Kendall's tau-b.
    pub kendall: Coefficient,
    /// For drawn orders.
    pub seed: u64,
    /// The models.
    pub models: Vec<Joined>,
    /// Models of the board that the other one does not have, or has no number of.
    pub only_x: Vec<String>,
    /// And the other way round.
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
                "there is nothing to hold the column against",
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
        // Of one board the names are the same.
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
            "1 model is".to_string()
        } else {
            format!("{n} models are")
        };
        let what = format!("{both} in both; an order says nothing with fewer than {FEWEST}");
        let list = |names: &[String]| {
            if names.is_empty() {
                "none".into()
            } else {
                names.join(", ")
            }
        };
        let help = format!(
            "only here: {}; only there: {}; --names FILE says who is who",
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
