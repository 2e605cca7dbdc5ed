//! Breakdowns of one model, computed from its cells.
//!
//! | file | what it breaks down |
//! |---|---|
//! | `view` | what all breakdowns share |
//! | `styles` | SC: the deviation of each style from the mean, and its contribution |
//! | `types` | SQ: multiple choice vs. true or false, by subtask |
//! | `quadrant`, `quadrant_picture` | MM-SAP: knowledge vs. awareness |
//! | `bars` | any column group: subtasks, levels, scenarios and their drops |

mod bars;
mod quadrant;
mod quadrant_picture;
mod styles;
mod types;
mod view;

pub use view::View;

use benchtop_model::board::{Board, Row};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Styles,
    Types,
    Quadrant,
    Group(String),
    /// The stability of the scores of all models. The owner computes it.
    Stability,
}

/// The breakdowns that a board has columns for: kind, name, and description.
pub fn kinds(board: &Board) -> Vec<(Kind, String, String)> {
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
    let mut seen: Vec<&str> = Vec::new();
    for column in &board.columns {
        let is_new = ![quadrant::GROUP, "SC", "SQ"].contains(&column.group.as_str())
            && !seen.contains(&column.group.as_str());
        if is_new && has(&column.group) > 1 {
            seen.push(&column.group);
            let word = match bars::is_graded(board, &column.group) {
                true => "accuracy from easy to hard".into(),
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
    if !board.columns.is_empty() {
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
    kinds(board)
        .into_iter()
        .map(|(kind, ..)| kind)
        .find(|known| *known == kind)
}

impl View {
    /// A breakdown of a model. `None` if it has no values for it.
    pub fn new(kind: &Kind, board: &Board, row: &Row) -> Option<View> {
        match kind {
            Kind::Styles => styles::view(board, row),
            Kind::Types => types::view(board, row),
            Kind::Quadrant => quadrant::view(board, row),
            Kind::Group(group) => bars::view(board, row, group),
            Kind::Stability => None,
        }
    }
}
