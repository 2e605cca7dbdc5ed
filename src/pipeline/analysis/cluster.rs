//! Hierarchical clustering of models or columns.

use super::columns::{column, shown};
use benchtop_metrics::statistics::linkage;
use benchtop_model::analysis::{Cluster, Clustered, Of};
use benchtop_model::board::{Board, Column, Row, Scale};
use benchtop_model::{Error, ErrorKind, Result};

pub(super) fn clustered(board: &Board, ask: &Cluster) -> Result<Clustered> {
    let has = |c: &&Column| {
        let mut rows = board.rows.iter();
        rows.any(|row| board.cell(row, &c.name).is_some())
    };
    let all = |is: &dyn Fn(&Column) -> bool| {
        let columns = board.columns.iter().filter(|c| is(c));
        columns.filter(has).collect::<Vec<_>>()
    };
    let columns: Vec<&Column> = if ask.columns.is_empty() {
        let subtasks = all(&|c| c.group == "Acc by subtask");
        let shares = || all(&|c| c.scale == Scale::Share && !c.on_demand);
        if subtasks.len() > 1 {
            subtasks
        } else {
            shares()
        }
    } else {
        ask.columns
            .iter()
            .map(|name| column(board, Some(name)))
            .collect::<Result<_>>()?
    };
    let numbers = |row: &Row| {
        let columns = columns.iter();
        columns
            .map(|c| shown(board, row, c))
            .collect::<Option<Vec<f64>>>()
    };
    let (mut models, mut left_out, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for of in &board.rows {
        match numbers(of) {
            Some(numbers) => {
                models.push(of.model.clone());
                values.push(numbers);
            }
            None => left_out.push(of.model.clone()),
        }
    }
    let names: Vec<String> = columns.iter().map(|c| c.name.clone()).collect();
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
                "only {} models have a score in all {} columns",
                points.len(),
                by.len()
            ),
            Of::Subtasks => {
                format!(
                    "only {} columns and {} models with a score in all of them",
                    points.len(),
                    by.len()
                )
            }
        };
        return Err(
            Error::input(format!("{what}: too few to cluster")).help("choose other columns")
        );
    }
    let merges = linkage(&values, ask.method)
        .ok_or_else(|| Error::new(ErrorKind::Input, "some scores are not finite"))?;
    Ok(Clustered {
        of: ask.of,
        method: ask.method,
        points,
        by,
        merges,
        left_out,
    })
}
