//! MM-SAP's knowledge quadrant: what a model knows, against whether it is aware of that.
//!
//! Source: Wang et al., "MM-SAP" (2024), section 3, whose scores count two of the four: known knowns (answered right, where there is
//! a right option: Basic and Knowledge) and known unknowns (declined, where declining is right: Knowledge and Beyond). Of what is
//! left, declining on Basic is an unknown known, since every model should answer there, and another option than the right one an
//! unknown unknown. Answers that are missing or cannot be read are in none of the four.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{View, cell_of, number};
use crate::model::board::{Board, Cell, Row};
use crate::tui::theme::{Look, Role};
use crate::tui::widgets::meter::bar;
use crate::tui::widgets::table::{ColumnKind, LocalCell, Spec};
use crate::tui::widgets::text;

/// Columns that a board of MM-SAP has.
pub(super) const COLUMNS: [&str; 4] = ["KK", "KU", "AnswerRate", "AnswerAcc"];

/// The quadrants in reading order of the drawing, each with what it counts and the column whose answers it is among.
const QUADRANTS: [(&str, &str, &str); 4] = [
    ("known knowns", "answered right: Basic, Knowledge", "KK"),
    ("unknown knowns", "declined on Basic, which can be answered", "AnswerRate.basic"),
    ("known unknowns", "declined rightly: Knowledge, Beyond", "KU"),
    ("unknown unknowns", "answered, but not with the right option", "AnswerAcc"),
];
/// In none of the four.
const UNREAD: (&str, &str, &str) = ("none of these", "missing, or no rule could read it", "AnswerRate");

/// Answers of a model by quadrant, in the order of [`QUADRANTS`].
#[derive(Clone, Debug, PartialEq)]
struct Quadrants {
    of: [u64; 4],
    /// Missing or unreadable.
    unread: u64,
    all: u64,
    /// Counts do not come out whole: shuffles have unlike numbers of questions.
    is_rounded: bool,
}

/// The quadrants of a model from its columns; `None` where it has no such answers.
fn quadrants(board: &Board, row: &Row) -> Option<Quadrants> {
    let n_of = |name: &str| cell_of(board, row, name).map_or(0, Cell::n) as f64;
    let share = |name: &str| cell_of(board, row, name).and_then(Cell::value);
    let all = n_of("AR");
    let [basic, knowledge, beyond] = ["AR.basic", "AR.knowledge", "AR.beyond"].map(n_of);
    // A score of no questions is no score: what it counts is none.
    let times = |name: &str, n: f64| if n > 0.0 { share(name).map(|share| share * n) } else { Some(0.0) };
    let known_knowns = times("KK", basic + knowledge)?;
    let known_unknowns = times("KU", knowledge + beyond)?;
    let answered = times("AnswerRate", all).filter(|_| all > 0.0)?;
    let counts = [known_knowns, known_unknowns, answered - known_knowns];
    let [kk, ku, uu] = counts.map(|n| n.round().max(0.0) as u64);
    let rest = (all as u64).saturating_sub(kk + ku + uu);
    let unread = rest.min(row.counts.unparsed + row.counts.missing);
    let is_rounded = counts.iter().any(|n| (n - n.round()).abs() > 1e-6 * all.max(1.0));
    Some(Quadrants { of: [kk, rest - unread, ku, uu], unread, all: all as u64, is_rounded })
}

pub(super) fn view(board: &Board, row: &Row) -> Option<View> {
    let found = quadrants(board, row)?;
    let percent = |n: u64| 100.0 * n as f64 / found.all.max(1) as f64;
    let line = |((name, what, column), n): ((&str, &str, &str), u64)| {
        let cells = vec![
            LocalCell::text(name),
            LocalCell::number(text::grouped(n), Some(n as f64)),
            number(Some(percent(n)), |v| format!("{v:.1}")),
            LocalCell::text(what),
        ];
        (column.to_string(), cells)
    };
    let mut rows: Vec<_> = QUADRANTS.into_iter().zip(found.of).map(line).collect();
    if found.unread > 0 {
        rows.push(line((UNREAD, found.unread)));
    }
    let wide = |name: &str| Spec::number(name, "", ColumnKind::Number, 7);
    let specs = vec![Spec::text("quadrant", 16), wide("answers"), wide("% all"), Spec::text("what it counts", 40)];
    let score = |name: &str| {
        cell_of(board, row, name).and_then(Cell::value).map_or("-".into(), |v| format!("{:.1}", 100.0 * v))
    };
    let mut notes = vec![
        format!(
            "{} answers, all shuffles together; score_KK {} %, score_KU {} %; known knowns and known unknowns make score_AR {} %",
            text::grouped(found.all),
            score("KK"),
            score("KU"),
            score("AR"),
        ),
        "the paper scores known knowns and known unknowns; the other two are the rest of the same answers".into(),
    ];
    if found.unread > 0 && board.questions != found.all {
        notes
            .push("missing and unreadable answers are counted over the whole board: some may be unknown knowns".into());
    }
    if found.is_rounded {
        notes.push("shuffles have unlike numbers of questions: counts are rounded".into());
    }
    let picture = Picture { of: found.of, all: found.all };
    View::of(&row.model, format!("{} by knowledge quadrant", row.model), notes, specs, rows)
        .map(|view| View { picture: Some(picture), ..view })
}

/// The quadrants as two rows of two.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    of: [u64; 4],
    all: u64,
}

impl Picture {
    /// Lines it takes.
    pub(super) const HEIGHT: u16 = 8;

    /// Draws it; the quadrant of the row at `cursor` is marked.
    pub(super) fn draw(&self, cursor: Option<u64>, area: Rect, buf: &mut Buffer, look: &Look) {
        const AXIS: u16 = 10;
        let half = usize::from((area.width.saturating_sub(AXIS + 3) / 2).min(40));
        if half < 20 || area.height < Picture::HEIGHT {
            return;
        }
        let x = area.x + AXIS;
        let mut put = |x: u16, y: u16, said: &str, role: Role| {
            let room = usize::from(area.right().saturating_sub(x));
            buf.set_stringn(x, area.y + y, said, room, look.style(role));
        };
        let second = x + half as u16 + 1;
        put(x + 2, 0, "aware of it", Role::Dim);
        put(second + 2, 0, "not aware of it", Role::Dim);
        let rule = |ends: [&str; 3]| {
            let line = "─".repeat(half);
            format!("{}{line}{}{line}{}", ends[0], ends[1], ends[2])
        };
        for (y, ends) in [(1, ["┌", "┬", "┐"]), (4, ["├", "┼", "┤"]), (7, ["└", "┴", "┘"])] {
            put(x, y, &rule(ends), Role::Border);
        }
        for (top, name) in [(2, " knowns"), (5, " unknowns")] {
            put(area.x, top, name, Role::Dim);
            for y in [top, top + 1] {
                [x, second, second + half as u16 + 1].into_iter().for_each(|x| put(x, y, "│", Role::Border));
            }
        }
        for (at, ((name, ..), n)) in QUADRANTS.into_iter().zip(self.of).enumerate() {
            let (left, top) = (if at % 2 == 0 { x } else { second } + 1, if at < 2 { 2 } else { 5 });
            let here = cursor == Some(at as u64);
            put(left, top, if here { "▌" } else { " " }, Role::Gutter);
            put(left + 1, top, name, if here { Role::Heading } else { Role::Text });
            let share = n as f64 / self.all.max(1) as f64;
            let said = format!("{} = {:.1} % ", text::grouped(n), 100.0 * share);
            put(left + 1, top + 1, &said, Role::Text);
            let used = text::width(&said) + 1;
            let role = if at % 2 == 0 { Role::Good } else { Role::Bad };
            put(left + used as u16, top + 1, &bar(share, half.saturating_sub(used + 1), false), role);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::board::{Column, Counts};

    /// A board of 400 Basic, 350 Knowledge and 368 Beyond questions in five shuffles.
    fn board(numbers: [(&str, f64, u64); 6], counts: Counts) -> Board {
        let columns = numbers.iter().map(|(name, ..)| Column::share(*name, "self-awareness", "")).collect();
        let cells = numbers.iter().map(|(_, value, n)| Some(Cell::Mean { value: *value, n: *n })).collect();
        let row = Row { model: "m".into(), cells, counts, reference: None };
        Board { questions: 10, columns, rows: vec![row], notes: vec![] }
    }

    #[test]
    fn every_answer_is_in_one_quadrant_or_unread() {
        // Two shuffles: Basic 4, Knowledge 4, Beyond 2 answers. Right 5 of 8, declined rightly 2 of 6, answered 7 of 10.
        let numbers = [
            ("AR", 0.7, 10),
            ("AR.basic", 0.75, 4),
            ("AR.knowledge", 0.75, 4),
            ("AR.beyond", 0.5, 2),
            ("KK", 5.0 / 8.0, 10),
            ("KU", 2.0 / 6.0, 10),
        ];
        let with = |rate: f64, counts| {
            let mut board = board(numbers, counts);
            board.columns.push(Column::share("AnswerRate", "self-awareness", ""));
            board.rows[0].cells.push(Some(Cell::Mean { value: rate, n: 10 }));
            quadrants(&board, &board.rows[0])
        };
        let found = with(0.7, Counts::default()).unwrap();
        assert_eq!((found.of, found.unread, found.all, found.is_rounded), ([5, 1, 2, 2], 0, 10, false));
        let found = with(0.7, Counts { unparsed: 1, ..Counts::default() }).unwrap();
        assert_eq!((found.of, found.unread), ([5, 0, 2, 2], 1), "what cannot be read is no refusal");
        assert!(with(0.72, Counts::default()).unwrap().is_rounded);
        let none = board(numbers, Counts::default());
        assert_eq!(quadrants(&none, &none.rows[0]), None);
    }
}
