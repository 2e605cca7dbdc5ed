//! Breakdowns of one model, computed from its cells.
//!
//! | file | what it breaks down |
//! |---|---|
//! | `styles` | SC: the deviation of each style from the mean, and its contribution |
//! | `types` | SQ: multiple choice vs. true or false, by subtask |
//! | `quadrant` | MM-SAP: knowledge vs. awareness |
//! | `bars` | any column group: subtasks, levels, scenarios and their drops |

mod bars;
mod quadrant;
mod styles;
mod types;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::action::Action;
use crate::theme::{Look, Role};
use crate::widgets::table::{Answer, Empty, LocalCell, LocalTable, Spec, TableEffect};
use crate::widgets::text;
use benchtop_model::board::{Board, Cell, Row};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Styles,
    Types,
    Quadrant,
    Group(String),
    /// The stability of the scores of all models. The owner computes it.
    Stability,
}

/// The result of an action.
#[derive(Debug)]
pub enum ViewEffect {
    /// Show the answers behind this column.
    Behind(String),
    /// The result of a table action.
    Table(Answer),
}

#[derive(Clone, Debug)]
pub struct View {
    pub model: String,
    /// Notes below the table, one per line.
    notes: Vec<String>,
    /// The column behind each row.
    columns: Vec<String>,
    table: LocalTable,
    /// The drawing below the table, if there is room.
    picture: Option<quadrant::Picture>,
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
    let of = board.columns.iter().find(|c| c.name == column)?;
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

/// The cell of a row in the column with this name.
fn cell_of(board: &Board, row: &Row, column: &str) -> Option<Cell> {
    let at = board.columns.iter().position(|c| c.name == column)?;
    row.cells.get(at).copied().flatten()
}

fn number(value: Option<f64>, format: impl Fn(f64) -> String) -> LocalCell {
    match value {
        Some(value) => LocalCell::number(format(value), Some(value)),
        None => {
            let mut none = LocalCell::number("-", None);
            none.view.role = Role::Dim;
            none
        }
    }
}

fn chart(text: String) -> LocalCell {
    let mut cell = LocalCell::text(text);
    cell.view.role = Role::Accent;
    cell
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

    fn of(
        model: &str,
        title: String,
        notes: Vec<String>,
        mut specs: Vec<Spec>,
        rows: Vec<(String, Vec<LocalCell>)>,
    ) -> Option<View> {
        if rows.is_empty() {
            return None;
        }
        specs
            .iter_mut()
            .for_each(|spec| spec.group.clone_from(&title));
        let (columns, cells): (Vec<String>, Vec<Vec<LocalCell>>) = rows.into_iter().unzip();
        let hint = "nothing to show".to_string();
        let table = LocalTable::new(specs, cells, 1, Empty::Nothing { hint });
        Some(View {
            model: model.to_string(),
            notes,
            columns,
            table,
            picture: None,
        })
    }

    /// The table, for going to a column, selecting, and copying.
    pub fn table_mut(&mut self) -> &mut LocalTable {
        &mut self.table
    }

    /// Runs a table action. Enter shows the answers behind the row.
    pub fn act(&mut self, action: Action) -> Vec<ViewEffect> {
        let answers = self.table.act(action);
        let effect = |answer| match answer {
            Answer::Effect(TableEffect::Open { id, .. }) => {
                match usize::try_from(id).ok().and_then(|at| self.columns.get(at)) {
                    Some(column) => ViewEffect::Behind(column.clone()),
                    None => ViewEffect::Table(Answer::Effect(TableEffect::Refuse(
                        "nothing to open".into(),
                    ))),
                }
            }
            other => ViewEffect::Table(other),
        };
        answers.into_iter().map(effect).collect()
    }

    /// Draws the view. Accessible mode omits the chart column.
    pub fn draw(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        let chart = self.table.columns().last().is_some_and(|c| c.name == CHART);
        if look.accessible && chart {
            self.table.drop_last_column();
        }
        let room = usize::from(area.width);
        let notes = self
            .notes
            .iter()
            .filter(|note| !look.accessible || !note.starts_with(CHART));
        let notes: Vec<String> = notes.flat_map(|note| text::wrap(note, room)).collect();
        let below = u16::try_from(notes.len()).unwrap_or(0).min(area.height / 3);
        let above = Rect {
            height: area.height - below,
            ..area
        };
        // Headings, rows, and the line of counts come first.
        let rows = u16::try_from(self.columns.len() + 3).unwrap_or(u16::MAX);
        let picture = self
            .picture
            .as_ref()
            .filter(|_| !look.accessible && above.height >= rows + quadrant::Picture::HEIGHT);
        let mut table = above;
        if let Some(picture) = picture {
            table.height = rows;
            let area = Rect {
                y: above.y + rows,
                height: quadrant::Picture::HEIGHT,
                ..above
            };
            picture.draw(self.table.cursor_id(), area, buf, look);
        }
        self.table.draw(table, buf, look);
        for (note, y) in notes.into_iter().zip(above.bottom()..area.bottom()) {
            buf.set_stringn(
                area.x,
                y,
                text::fit(&note, room),
                room,
                look.style(Role::Dim),
            );
        }
    }
}

/// The name of the chart column.
const CHART: &str = "chart";
