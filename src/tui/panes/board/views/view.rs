//! A breakdown: its table, notes, and drawing, and the cells that all breakdowns share.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::quadrant_picture::Picture;
use crate::action::{Action, Scope};
use crate::pane::Scene;
use crate::panes::board::kind::Kind;
use crate::panes::board::layer::{Layer, LayerEffect};
use crate::theme::Role;
use crate::widgets::areas;
use crate::widgets::lines::Lines;
use crate::widgets::table::draw::BAR;
use crate::widgets::table::{Empty, LocalCell, LocalTable, Spec};
use crate::widgets::text;

/// The name of the chart column.
pub(super) const CHART: &str = "chart";

#[derive(Clone, Debug)]
pub struct View {
    /// The models, in the order of their columns.
    models: Vec<String>,
    /// What they are broken down by.
    kind: Option<Kind>,
    /// Notes below the table, one per line.
    notes: Vec<String>,
    /// The column behind each row.
    columns: Vec<String>,
    /// The columns behind the cells of each row after its name, if each cell has its own.
    cells: Vec<Vec<Option<String>>>,
    table: LocalTable,
    /// The drawing below the table, if there is room.
    picture: Option<Picture>,
}

impl View {
    /// A view of a model `by` something. `None` without rows.
    pub(super) fn of(
        model: &str,
        by: &str,
        notes: Vec<String>,
        specs: Vec<Spec>,
        rows: Vec<(String, Vec<LocalCell>)>,
    ) -> Option<View> {
        View::of_models(vec![model.to_string()], model, by, notes, specs, rows)
    }

    /// A view of several models, which the title calls `said`. Their columns follow the first one.
    pub(super) fn of_models(
        models: Vec<String>,
        said: &str,
        by: &str,
        notes: Vec<String>,
        mut specs: Vec<Spec>,
        rows: Vec<(String, Vec<LocalCell>)>,
    ) -> Option<View> {
        if rows.is_empty() {
            return None;
        }
        let title = format!("{said} by {by}");
        specs
            .iter_mut()
            .for_each(|spec| spec.group.clone_from(&title));
        let (columns, cells): (Vec<String>, Vec<Vec<LocalCell>>) = rows.into_iter().unzip();
        let hint = "nothing to show".to_string();
        let table = LocalTable::new(specs, cells, 1, Empty::Nothing(hint));
        Some(View {
            models,
            kind: None,
            notes,
            columns,
            cells: Vec::new(),
            table,
            picture: None,
        })
    }

    pub(super) fn with_picture(self, picture: Picture) -> View {
        View {
            picture: Some(picture),
            ..self
        }
    }

    pub(super) fn with_cells(self, cells: Vec<Vec<Option<String>>>) -> View {
        View { cells, ..self }
    }

    pub(super) fn by(self, kind: &Kind) -> View {
        View {
            kind: Some(kind.clone()),
            ..self
        }
    }
}

impl Layer for View {
    fn scopes(&self) -> &'static [Scope] {
        &[Scope::Breakdown, Scope::Table, Scope::Global]
    }

    fn act(&mut self, action: Action) -> Vec<LayerEffect> {
        match action {
            Action::BreakDownBy => vec![LayerEffect::BreakDown(self.models.clone())],
            Action::AddModels => vec![LayerEffect::AddModels {
                to: self.models.clone(),
                by: self.kind.clone(),
            }],
            action => self.act_on_table(action),
        }
    }

    fn table_mut(&mut self) -> Option<&mut LocalTable> {
        Some(&mut self.table)
    }

    /// Shows the answers behind the row; those of the model under the cursor, of several. Elsewhere in
    /// the row of two models, tests their difference.
    fn open(&self, row: usize) -> LayerEffect {
        let Some(column) = self.columns.get(row).cloned() else {
            return LayerEffect::refuse("nothing to open");
        };
        let at = self.table.state().column().checked_sub(1);
        if let (Some(cells), [model]) = (self.cells.get(row), self.models.as_slice()) {
            let cell = at.and_then(|at| cells.get(at)?.clone());
            return match cell {
                Some(column) => LayerEffect::Drilldown {
                    model: model.clone(),
                    column,
                },
                None => LayerEffect::refuse("move to the number of a variant"),
            };
        }
        match (
            self.models.as_slice(),
            at.and_then(|at| self.models.get(at)),
        ) {
            ([model], _) | (_, Some(model)) => LayerEffect::Drilldown {
                model: model.clone(),
                column,
            },
            ([first, second], None) => LayerEffect::Compare {
                models: [first.clone(), second.clone()],
                column,
            },
            _ => LayerEffect::refuse("move to the number of a model"),
        }
    }

    /// Draws the view. Accessible mode omits the chart column.
    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) {
        let look = scene.look;
        let chart = self.table.columns().last().is_some_and(|c| c.name == CHART);
        if look.accessible && chart {
            self.table.drop_last_column();
        }
        let room = usize::from(area.width);
        let notes = self
            .notes
            .iter()
            .filter(|note| !look.accessible || !note.starts_with(CHART));
        let open = (self.models.len() == 2).then(|| {
            let key = scene.keymap.press(Action::Open);
            format!("{key} on a name tests the difference, and on a number lists its answers")
        });
        let notes: Vec<String> = notes
            .chain(&open)
            .flat_map(|note| text::wrap(note, room))
            .collect();
        let below = u16::try_from(notes.len()).unwrap_or(0).min(area.height / 3);
        let (above, below) = areas::top(area, area.height - below);
        // Headings, rows, and the line of counts come first.
        let rows = u16::try_from(self.columns.len() + 3).unwrap_or(u16::MAX);
        let picture = self
            .picture
            .as_ref()
            .filter(|_| !look.accessible && above.height >= rows + Picture::HEIGHT);
        let mut table = above;
        if let Some(picture) = picture {
            let (upper, rest) = areas::top(above, rows);
            table = upper;
            let area = areas::top(rest, Picture::HEIGHT).0;
            picture.draw(self.table.cursor_id(), area, buf, look);
        }
        let bars = if look.accessible { 0 } else { BAR + 1 };
        self.table.make_room(bars, table.width);
        self.table.draw(table, buf, look);
        let mut lines = Lines::new(below, buf, look);
        notes.iter().for_each(|note| lines.text(note, Role::Dim));
    }
}

/// The column of names, as wide as the names of these rows.
pub(super) fn names(heading: &str, rows: &[(String, Vec<LocalCell>)]) -> Spec {
    let names = rows.iter().map(|(_, cells)| text::width(cells[0].value()));
    Spec::text(heading, names.max().unwrap_or(8).clamp(8, 24) as u16)
}

pub(super) fn number(value: Option<f64>, format: impl Fn(f64) -> String) -> LocalCell {
    match value {
        Some(value) => LocalCell::number(format(value), Some(value)),
        None => LocalCell::missing("-"),
    }
}

pub(super) fn chart(text: String) -> LocalCell {
    LocalCell::text(text).role(Role::Accent)
}
