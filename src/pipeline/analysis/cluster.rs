//! Which models, or which columns, are alike.

use serde::{Deserialize, Serialize};

use super::{column, shown};
use benchtop_metrics::statistics::{Linkage, Merge, linkage};
use benchtop_model::board::{Board, Scale};
use benchtop_model::{Error, ErrorKind, Result};

/// What is put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Of {
    /// Models, by their numbers in the columns.
    #[default]
    Models,
    /// Columns, by the numbers that the models have in them.
    Subtasks,
}

/// Which tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    /// Of what.
    pub of: Of,
    /// How far two clusters are apart.
    pub method: Linkage,
    /// The columns; without any, accuracy by subtask, or all shares where there are no subtasks.
    pub columns: Vec<String>,
}

/// A tree of what is alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clustered {
    /// Of what.
    pub of: Of,
    /// How far two clusters are apart.
    pub method: Linkage,
    /// What is put together, numbered from 0.
    pub points: Vec<String>,
    /// What their coordinates are, in percent.
    pub by: Vec<String>,
    /// Nearest first; numbers from `points` on are earlier merges.
    pub merges: Vec<Merge>,
    /// Models without a number in one of the columns.
    pub left_out: Vec<String>,
}

pub(super) fn clustered(board: &Board, ask: &Cluster) -> Result<Clustered> {
    let has = |at: &usize| {
        board
            .rows
            .iter()
            .any(|row| row.cells.get(*at).copied().flatten().is_some())
    };
    let all = |is: &dyn Fn(usize) -> bool| {
        (0..board.columns.len())
            .filter(|at| is(*at))
            .filter(has)
            .collect::<Vec<_>>()
    };
    let columns: Vec<usize> = if ask.columns.is_empty() {
        let subtasks = all(&|at| board.columns[at].group == "Acc by subtask");
        let shares = || all(&|at| board.columns[at].scale == Scale::Share);
        if subtasks.len() > 1 {
            subtasks
        } else {
            shares()
        }
    } else {
        ask.columns
            .iter()
            .map(|name| column(board, Some(name)).map(|(at, _)| at))
            .collect::<Result<_>>()?
    };
    let name = |at: &usize| board.columns[*at].name.clone();
    let value = |row: usize, at: &usize| {
        let cell = board.rows.get(row)?.cells.get(*at).copied().flatten();
        shown(cell, board.columns[*at].scale)
    };
    let (mut models, mut left_out, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (row, of) in board.rows.iter().enumerate() {
        match columns
            .iter()
            .map(|at| value(row, at))
            .collect::<Option<Vec<f64>>>()
        {
            Some(numbers) => {
                models.push(of.model.clone());
                values.push(numbers);
            }
            None => left_out.push(of.model.clone()),
        }
    }
    let names: Vec<String> = columns.iter().map(name).collect();
    let (points, by, values) = match ask.of {
        Of::Models => (models, names, values),
        Of::Subtasks => {
            let turned = (0..columns.len())
                .map(|at| values.iter().map(|row| row[at]).collect())
                .collect();
            (names, models, turned)
        }
    };
    if points.len() < 2 || by.is_empty() {
        let what = match ask.of {
            Of::Models => format!(
                "{} models have a number in all {} columns",
                points.len(),
                by.len()
            ),
            Of::Subtasks => {
                format!(
                    "there are {} columns and {} models with a number in all of them",
                    points.len(),
                    by.len()
                )
            }
        };
        return Err(
            Error::input(format!("{what}: too few to put together")).help("choose other columns")
        );
    }
    let merges = linkage(&values, ask.method).ok_or_else(|| {
        Error::new(
            ErrorKind::Input,
            "some numbers are not finite: nothing can be put together",
        )
    })?;
    Ok(Clustered {
        of: ask.of,
        method: ask.method,
        points,
        by,
        merges,
        left_out,
    })
}
