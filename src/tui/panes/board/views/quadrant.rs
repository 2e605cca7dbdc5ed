//! MM-SAP's knowledge quadrant: what a model knows, and whether it is aware of it.

use super::quadrant_picture::{Picture, QUADRANTS};
use super::view::{View, number};
use crate::widgets::table::{ColumnKind, LocalCell, Spec};
use crate::widgets::text;
use benchtop_model::board::{Board, Cell, Row};

/// The group of the columns that count answers by quadrant.
pub(super) const GROUP: &str = "quadrant";

/// The answers of a model by quadrant, in the order of [`QUADRANTS`], and their number.
fn quadrants(board: &Board, row: &Row) -> Option<([u64; 5], u64)> {
    let mut found = ([0; 5], 0);
    for ((.., column), of) in QUADRANTS.iter().zip(&mut found.0) {
        let cell = board.cell(row, column)?;
        *of = (cell.value()? * cell.n() as f64).round() as u64;
        found.1 = cell.n();
    }
    Some(found)
}

pub(super) fn view(board: &Board, row: &Row) -> Option<View> {
    let (of, all) = quadrants(board, row)?;
    let line = |((name, what, column), n): (&(&str, &str, &str), u64)| {
        let cells = vec![
            LocalCell::text(*name),
            LocalCell::count(n),
            number(Some(100.0 * n as f64 / all.max(1) as f64), |v| {
                format!("{v:.1}")
            }),
            LocalCell::text(*what),
        ];
        (column.to_string(), cells)
    };
    let shown = if of[4] > 0 { 5 } else { 4 };
    let rows = QUADRANTS.iter().zip(of).take(shown).map(line).collect();
    let wide = |name: &str| Spec::number(name, "", ColumnKind::Number, 7);
    let specs = vec![
        Spec::text("quadrant", 16),
        wide("answers"),
        wide("% all"),
        Spec::text("content", 40),
    ];
    let score = |name: &str| {
        board
            .cell(row, name)
            .and_then(Cell::value)
            .map_or("-".into(), |v| format!("{:.1}", 100.0 * v))
    };
    let notes = vec![
        format!(
            "{} answers over all shuffles; score_KK {} % + score_KU {} % = score_AR {} %",
            text::grouped(all),
            score("KK"),
            score("KU"),
            score("AR"),
        ),
        "the paper scores known knowns and known unknowns only".into(),
    ];
    let picture = Picture {
        of: [of[0], of[1], of[2], of[3]],
        all,
    };
    View::of(&row.model, "knowledge quadrant", notes, specs, rows)
        .map(|view| view.with_picture(picture))
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::board::{Column, Counts};

    #[test]
    fn counts_come_from_the_columns() {
        let n = 5590;
        let of = [3344_u64, 100, 1000, 1146, 0];
        let columns = QUADRANTS
            .iter()
            .map(|(.., name)| Column::share(*name, GROUP, ""))
            .collect();
        let cells = of
            .iter()
            .map(|k| {
                Some(Cell::Mean {
                    value: *k as f64 / n as f64,
                    n,
                })
            })
            .collect();
        let row = Row {
            model: "m".into(),
            cells,
            counts: Counts::default(),
            reference: None,
            white_box: Vec::new(),
        };
        let mut board = Board {
            questions: 1118,
            columns,
            rows: vec![row],
            notes: vec![],
            drafts: 0,
        };
        assert_eq!(quadrants(&board, &board.rows[0]), Some((of, n)));
        board.columns.pop();
        assert_eq!(quadrants(&board, &board.rows[0]), None);
    }
}
