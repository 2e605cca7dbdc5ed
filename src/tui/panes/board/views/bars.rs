//! A group of columns as bars.

use super::view::{CHART, View, chart, names, number};
use crate::panes::board::table::short;
use crate::widgets::meter::bar;
use crate::widgets::table::{ColumnKind, LocalCell, Spec};
use benchtop_metrics::autobench::DIFFICULTIES;
use benchtop_model::board::{Better, Board, Cell, Row, Scale};

const WIDTH: usize = 24;

pub(super) fn view(board: &Board, row: &Row, group: &str) -> Option<View> {
    let columns: Vec<_> = board.columns.iter().filter(|c| c.group == group).collect();
    let value = |row: &Row, name: &str| board.cell(row, name).and_then(Cell::value);
    // A scenario is shown with its drop from the clean one.
    let drop = |name: &str| {
        let drops = format!("{group} drop");
        let column = board
            .columns
            .iter()
            .find(|c| c.group == drops && c.name.strip_suffix("-clean") == Some(name))?;
        value(row, &column.name)
    };
    let dropped = columns.iter().any(|c| drop(&c.name).is_some());
    let line = |column: &&benchtop_model::board::Column| {
        let cell = board.cell(row, &column.name)?;
        let own = cell.value()?;
        let others = board
            .rows
            .iter()
            .filter(|r| r.reference.is_none())
            .filter_map(|r| value(r, &column.name));
        let less = column.scale.better() == Better::Less;
        let best = if less {
            others.reduce(f64::min)
        } else {
            others.reduce(f64::max)
        };
        let scale = column.scale.unit();
        let label = short(board, column);
        let mut cells = vec![LocalCell::text(if label.is_empty() {
            &column.name
        } else {
            label
        })];
        cells.push(number(Some(own), |v| format!("{:.1}", v * scale)));
        cells.push(LocalCell::count(cell.n()));
        cells.push(number(best, |v| format!("{:.1}", v * scale)));
        cells.push(number(best.map(|best| own - best), |v| {
            format!("{:+.1}", v * scale)
        }));
        if dropped {
            cells.push(number(drop(&column.name), |v| format!("{v:+.1}")));
        }
        let share = if column.scale == Scale::Share {
            own
        } else {
            own.abs() / greatest(board, group)
        };
        cells.push(chart(bar(share, WIDTH, false)));
        Some((column.name.clone(), cells))
    };
    let rows: Vec<_> = columns.iter().filter_map(line).collect();
    let mut specs = vec![names("column", &rows)];
    let wide = |name: &str| Spec::number(name, "", ColumnKind::Number, 6);
    specs.extend([wide("value"), wide("n"), wide("best"), wide("gap")]);
    if dropped {
        specs.push(wide("drop"));
    }
    specs.push(Spec::text(CHART, WIDTH as u16));
    let mut notes = vec![
        columns
            .first()
            .map_or(String::new(), |c| format!("{group}: {}", c.help)),
    ];
    notes.extend(curve(board, row, group));
    View::of(&row.model, group, notes, specs, rows)
}

/// The columns of a group that have difficulties, as pairs of column and difficulty, easiest first.
fn graded<'b>(board: &'b Board, group: &str) -> Vec<(&'b str, &'b str)> {
    let columns = || board.columns.iter().filter(|c| c.group == group);
    let of = |difficulty: &str| {
        columns().find_map(|c| {
            let name = c
                .name
                .rsplit('.')
                .next()
                .filter(|name| name.eq_ignore_ascii_case(difficulty))?;
            Some((c.name.as_str(), name))
        })
    };
    DIFFICULTIES.into_iter().filter_map(of).collect()
}

/// Whether a group has columns of several difficulties.
pub(super) fn is_graded(board: &Board, group: &str) -> bool {
    group == "Acc by level" && graded(board, group).len() > 1
}

/// A sentence about the difficulty curve: whether accuracy falls, and where it does not.
fn curve(board: &Board, row: &Row, group: &str) -> Option<String> {
    let of = |(column, name): (&str, &'_ str)| {
        Some((
            name.to_string(),
            100.0 * board.cell(row, column).and_then(Cell::value)?,
        ))
    };
    let points: Vec<(String, f64)> = graded(board, group)
        .into_iter()
        .filter(|_| is_graded(board, group))
        .filter_map(of)
        .collect();
    if points.len() < 2 {
        return None;
    }
    let rises: Vec<String> = points
        .windows(2)
        .filter(|pair| pair[1].1 > pair[0].1)
        .map(|pair| {
            format!(
                "{} {:.1} > {} {:.1}",
                pair[1].0, pair[1].1, pair[0].0, pair[0].1
            )
        })
        .collect();
    let ends = points.first().zip(points.last());
    let over = ends.map_or(0.0, |(first, last)| last.1 - first.1);
    Some(match rises.is_empty() {
        true => format!(
            "accuracy falls with difficulty, as expected: {over:+.1} points from {} to {}",
            points[0].0,
            points[points.len() - 1].0
        ),
        false => format!(
            "unexpected: accuracy rises with difficulty: {}",
            rises.join(", ")
        ),
    })
}

/// The greatest absolute value of a group whose columns are not shares.
fn greatest(board: &Board, group: &str) -> f64 {
    let at: Vec<usize> = (0..board.columns.len())
        .filter(|at| board.columns[*at].group == group)
        .collect();
    let values = board
        .rows
        .iter()
        .filter(|r| r.reference.is_none())
        .flat_map(|r| {
            at.iter()
                .filter_map(|at| r.cells.get(*at).copied().flatten()?.value())
        });
    values.map(f64::abs).fold(f64::MIN_POSITIVE, f64::max)
}
