//! MM-SAP's knowledge quadrant: what a model knows, and whether it is aware of it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{View, cell_of, number};
use crate::theme::{Look, Role};
use crate::widgets::meter::bar;
use crate::widgets::table::{ColumnKind, LocalCell, Spec};
use crate::widgets::text;
use benchtop_model::board::{Board, Cell, Row};

/// The group of the columns that count answers by quadrant.
pub(super) const GROUP: &str = "quadrant";

/// The quadrants in reading order of the drawing, then the remaining answers. Each has a name, a
/// description, and its column.
const QUADRANTS: [(&str, &str, &str); 5] = [
    (
        "known knowns",
        "correct answers: Basic, Knowledge",
        "quadrant.known-knowns",
    ),
    (
        "unknown knowns",
        "refusals on Basic, which is answerable",
        "quadrant.unknown-knowns",
    ),
    (
        "known unknowns",
        "correct refusals: Knowledge, Beyond",
        "quadrant.known-unknowns",
    ),
    (
        "unknown unknowns",
        "wrong answers",
        "quadrant.unknown-unknowns",
    ),
    ("other", "missing or unparsed", "quadrant.unread"),
];

/// The answers of a model by quadrant, in the order of [`QUADRANTS`], and their number.
fn quadrants(board: &Board, row: &Row) -> Option<([u64; 5], u64)> {
    let mut found = ([0; 5], 0);
    for ((.., column), of) in QUADRANTS.iter().zip(&mut found.0) {
        let cell = cell_of(board, row, column)?;
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
            LocalCell::number(text::grouped(n), Some(n as f64)),
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
        cell_of(board, row, name)
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
    View::of(
        &row.model,
        format!("{} by knowledge quadrant", row.model),
        notes,
        specs,
        rows,
    )
    .map(|view| View {
        picture: Some(picture),
        ..view
    })
}

#[derive(Clone, Debug)]
pub(super) struct Picture {
    of: [u64; 4],
    all: u64,
}

impl Picture {
    pub(super) const HEIGHT: u16 = 8;

    /// Draws the quadrants and marks the one of the row at `cursor`.
    pub(super) fn draw(&self, cursor: Option<u64>, area: Rect, buf: &mut Buffer, look: &Look) {
        const AXIS: u16 = 10;
        let half = usize::from((area.width.saturating_sub(AXIS + 3) / 2).min(40));
        if half < 20 || area.height < Picture::HEIGHT {
            return;
        }
        let x = area.x + AXIS;
        let mut put = |x: u16, y: u16, text: &str, role: Role| {
            let room = usize::from(area.right().saturating_sub(x));
            buf.set_stringn(x, area.y + y, text, room, look.style(role));
        };
        let second = x + half as u16 + 1;
        put(x + 2, 0, "aware", Role::Dim);
        put(second + 2, 0, "not aware", Role::Dim);
        let rule = |ends: [&str; 3]| {
            let line = "─".repeat(half);
            format!("{}{line}{}{line}{}", ends[0], ends[1], ends[2])
        };
        for (y, ends) in [
            (1, ["┌", "┬", "┐"]),
            (4, ["├", "┼", "┤"]),
            (7, ["└", "┴", "┘"]),
        ] {
            put(x, y, &rule(ends), Role::Border);
        }
        for (top, name) in [(2, " knowns"), (5, " unknowns")] {
            put(area.x, top, name, Role::Dim);
            for y in [top, top + 1] {
                [x, second, second + half as u16 + 1]
                    .into_iter()
                    .for_each(|x| put(x, y, "│", Role::Border));
            }
        }
        for (at, ((name, ..), n)) in QUADRANTS.iter().zip(self.of).enumerate() {
            let (left, top) = (
                if at % 2 == 0 { x } else { second } + 1,
                if at < 2 { 2 } else { 5 },
            );
            let here = cursor == Some(at as u64);
            put(left, top, if here { "▌" } else { " " }, Role::Gutter);
            put(
                left + 1,
                top,
                name,
                if here { Role::Heading } else { Role::Text },
            );
            let share = n as f64 / self.all.max(1) as f64;
            let count = format!("{} = {:.1} % ", text::grouped(n), 100.0 * share);
            put(left + 1, top + 1, &count, Role::Text);
            let used = text::width(&count) + 1;
            let role = if at % 2 == 0 { Role::Good } else { Role::Bad };
            put(
                left + used as u16,
                top + 1,
                &bar(share, half.saturating_sub(used + 1), false),
                role,
            );
        }
    }
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
