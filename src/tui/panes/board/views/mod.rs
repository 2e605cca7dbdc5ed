//! Breakdowns of one model or of several side by side, computed from their cells.
//!
//! | file | what it breaks down |
//! |---|---|
//! | `view` | what all breakdowns share |
//! | `styles` | SC: the deviation of each style from the mean, and its contribution |
//! | `types` | SQ: multiple choice vs. true or false, by subtask |
//! | `strategies` | VLB: visual by language strategies, and by their number |
//! | `quadrant`, `quadrant_picture` | MM-SAP: knowledge vs. awareness |
//! | `bars` | any column group: subtasks, levels, scenarios and their drops |
//! | `side_by_side` | several models by any of these |

mod bars;
mod quadrant;
mod quadrant_picture;
mod side_by_side;
mod strategies;
mod styles;
mod types;
mod view;

pub use view::View;

use super::kind::Kind;
use benchtop_model::board::{Board, Row};

/// The most models side by side: one letter each.
pub const MOST: usize = side_by_side::LETTERS.len();

/// The breakdowns that a board has columns for, of one model or of `several`: kind, name, and
/// description.
pub fn kinds(board: &Board, several: bool) -> Vec<(Kind, String, String)> {
    let mut found = Vec::new();
    let has = |group: &str| board.columns.iter().filter(|c| c.group == group).count();
    if has(styles::GROUP) > 1 {
        found.push((
            Kind::Styles,
            "styles (SC)".into(),
            "each style's deviation from the mean".into(),
        ));
    }
    if types::GROUPS.iter().all(|group| has(group) > 0) {
        found.push((
            Kind::Types,
            "question types (SQ)".into(),
            "multiple choice vs. true or false".into(),
        ));
    }
    if has(quadrant::GROUP) > 0 {
        found.push((
            Kind::Quadrant,
            "knowledge quadrant".into(),
            "knowledge, and awareness of it".into(),
        ));
    }
    if strategies::has_grid(board) {
        let name = "strategies (VLB)".into();
        let word = "visual by language strategies, and by their number".into();
        found.push((Kind::Strategies, name, word));
    }
    let mut seen: Vec<&str> = Vec::new();
    for column in &board.columns {
        let is_known = [quadrant::GROUP, "SC", "SQ"].contains(&column.group.as_str())
            || seen.contains(&column.group.as_str())
            // Side by side, this is the same as the styles.
            || several && column.group == styles::GROUP;
        if !is_known && has(&column.group) > 1 {
            seen.push(&column.group);
            let word = match bars::is_graded(board, &column.group) {
                true => "accuracy from easy to hard".into(),
                false if several => format!("{} columns", has(&column.group)),
                false => format!(
                    "{} columns as bars, with the best model",
                    has(&column.group)
                ),
            };
            found.push((
                Kind::Group(column.group.clone()),
                column.group.clone(),
                word,
            ));
        }
    }
    if !board.columns.is_empty() && !several {
        let word = "scores over parts of the data, all models".into();
        found.push((Kind::Stability, "stability".into(), word));
    }
    found
}

/// The breakdown to open for a column. SC, SQ, and drops have no list of answers.
pub fn breakdown_of(board: &Board, column: &str) -> Option<Kind> {
    let of = board.column(column)?;
    let drop = of.group.ends_with(" drop");
    let kind = match of.name.as_str() {
        _ if of.group == "SC" => Kind::Styles,
        _ if of.group == "SQ" || of.group == "SQ by subtask" => Kind::Types,
        _ if drop => Kind::Group(of.group.trim_end_matches(" drop").into()),
        _ => return None,
    };
    kinds(board, false)
        .into_iter()
        .map(|(kind, ..)| kind)
        .find(|known| *known == kind)
}

impl View {
    /// A breakdown of these models. `None` if they have no values for it.
    pub fn new(kind: &Kind, board: &Board, rows: &[&Row]) -> Option<View> {
        let view = match rows {
            [] => None,
            [row] => View::of_one(kind, board, row),
            several => side_by_side::view(kind, board, several),
        };
        view.map(|view| view.by(kind))
    }

    fn of_one(kind: &Kind, board: &Board, row: &Row) -> Option<View> {
        match kind {
            Kind::Styles => styles::view(board, row),
            Kind::Types => types::view(board, row),
            Kind::Quadrant => quadrant::view(board, row),
            Kind::Strategies => strategies::view(board, row),
            Kind::Group(group) => bars::view(board, row, group),
            Kind::Stability => None,
        }
    }
}
