//! Breakdowns of one model, laid over the leaderboard: they follow from its cells alone.
//!
//! | file | what it breaks down |
//! |---|---|
//! | `styles` | SC: every style's deviation from the mean, and what it adds |
//! | `types` | SQ: multiple choice against true or false, by subtask |
//! | `quadrant` | MM-SAP: what is known against whether the model is aware of it |
//! | `bars` | any group of columns: subtasks, levels, scenarios and their drops |

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

/// A breakdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// SC by style.
    Styles,
    /// SQ by subtask and type.
    Types,
    /// MM-SAP's knowledge quadrant.
    Quadrant,
    /// A group of columns as bars.
    Group(String),
    /// How the scores of all models settle over parts of the data: asked of the owner.
    Stability,
}

/// What an action on a breakdown leaves for the pane to do.
#[derive(Debug)]
pub enum ViewEffect {
    /// Show the answers behind this column.
    Behind(String),
    /// What any table leaves to do.
    Table(Answer),
}

/// A breakdown that is shown.
#[derive(Clone, Debug)]
pub struct View {
    /// Of which model.
    pub model: String,
    /// What the numbers are, a line each.
    notes: Vec<String>,
    /// The column behind each row.
    columns: Vec<String>,
    table: LocalTable,
    /// What is drawn below the table where there is room.
    picture: Option<quadrant::Picture>,
}

/// The breakdowns that a board has columns for, each with a word about it.
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
            "multiple choice against true or false".into(),
        ));
    }
    if has(quadrant::GROUP) > 0 {
        found.push((
            Kind::Quadrant,
            "knowledge quadrant".into(),
            "what it knows, and whether it is aware of that".into(),
        ));
    }
    let mut seen: Vec<&str> = Vec::new();
    for column in &board.columns {
        let is_new = ![quadrant::GROUP, "SC", "SQ"].contains(&column.group.as_str())
            && !seen.contains(&column.group.as_str());
        if is_new && has(&column.group) > 1 {
            seen.push(&column.group);
            let word = match bars::is_graded(board, &column.group) {
                true => "from easy to hard: whether accuracy falls as it should".into(),
                false => format!(
                    "{} columns as bars, beside the best model",
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
        let word = "how scores settle over parts of the data, of all models".into();
        found.push((Kind::Stability, "stability".into(), word));
    }
    found
}

/// The breakdown that the number in a column calls for: SC, SQ and drops are not of answers that could be listed.
pub fn called_for(board: &Board, column: &str) -> Option<Kind> {
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

/// The cell of a row in a column of that name, with the column's place.
fn cell_of(board: &Board, row: &Row, column: &str) -> Option<Cell> {
    let at = board.columns.iter().position(|c| c.name == column)?;
    row.cells.get(at).copied().flatten()
}

fn number(value: Option<f64>, said: impl Fn(f64) -> String) -> LocalCell {
    match value {
        Some(value) => LocalCell::number(said(value), Some(value)),
        None => {
            let mut none = LocalCell::number("-", None);
            none.view.role = Role::Dim;
            none
        }
    }
}

fn drawn(text: String) -> LocalCell {
    let mut cell = LocalCell::text(text);
    cell.view.role = Role::Accent;
    cell
}

impl View {
    /// That breakdown of a model; `None` where it has no numbers for it.
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
        let hint = "there is nothing to show".to_string();
        let table = LocalTable::new(specs, cells, 1, Empty::Nothing { hint });
        Some(View {
            model: model.to_string(),
            notes,
            columns,
            table,
            picture: None,
        })
    }

    /// The table it is drawn as, for going to a column, selecting and copying.
    pub fn table_mut(&mut self) -> &mut LocalTable {
        &mut self.table
    }

    /// Does a table action; Enter shows the answers behind the row.
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

    /// Draws it. A screen reader gets the numbers without the last column, which draws them.
    pub fn draw(&mut self, area: Rect, buf: &mut Buffer, look: &Look) {
        let drawn = self.table.columns().last().is_some_and(|c| c.name == DRAWN);
        if look.accessible && drawn {
            self.table.drop_last_column();
        }
        let room = usize::from(area.width);
        let notes = self
            .notes
            .iter()
            .filter(|note| !look.accessible || !note.starts_with(DRAWN));
        let notes: Vec<String> = notes.flat_map(|note| text::wrap(note, room)).collect();
        let below = u16::try_from(notes.len()).unwrap_or(0).min(area.height / 3);
        let above = Rect {
            height: area.height - below,
            ..area
        };
        // Headings, rows and the line of counts come first.
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

/// Name of the column that draws a row's numbers.
const DRAWN: &str = "drawn";
