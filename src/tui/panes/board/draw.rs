//! Drawing of the leaderboard.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::pane::BoardPane;
use crate::action::Action;
use crate::keymap::Keymap;
use crate::pane::Scene;
use crate::theme::Role;
use crate::widgets::areas;
use crate::widgets::lines::Lines;
use crate::widgets::table::Empty;
use crate::widgets::table::draw::{BAR, draw_empty};
use crate::widgets::text;
use benchtop_model::board::{Curated, PublishedFigures, Row};

/// The scored items, for menus and titles.
pub(super) fn on(curated: &Curated) -> String {
    match curated {
        Curated::All => "all items".into(),
        Curated::Accepted => "accepted items".into(),
        Curated::Round(name) => format!("items accepted in {name}"),
    }
}

/// The published rows, for menus and titles.
pub(super) fn printed(printed: &PublishedFigures) -> String {
    match printed {
        PublishedFigures::Off => "none".into(),
        PublishedFigures::All => "of all papers".into(),
        PublishedFigures::Paper(name) => format!("of {name}"),
    }
}

impl BoardPane {
    /// The title: what is scored, and pending requests.
    fn title(&self, keys: &Keymap) -> String {
        let Some(board) = &self.found else {
            return " leaderboard".into();
        };
        let mut title = format!(
            " leaderboard on {}: {}",
            on(&self.shown.curated),
            text::grouped(board.questions)
        );
        if let Some(whole) = self.whole() {
            title += &format!(" of {}", text::grouped(whole.questions));
        }
        title += if board.questions == 1 {
            " question"
        } else {
            " questions"
        };
        if !self.shown.filter.is_empty() {
            title += &format!("  only {}", self.shown.filter.to_text());
        }
        if let Some(rule) = &self.shown.rule {
            title += &format!("  by {rule}");
            if let Some(n) = self.read_otherwise {
                title += &format!(" ({} parsed differently)", text::grouped(n));
            }
        }
        if self.shown.printed != PublishedFigures::Off {
            let is_published = |row: &&Row| row.reference.is_some() && !row.is_chance();
            let rows = board.rows.iter().filter(is_published);
            let rows = text::plural(rows.count() as u64, "published row");
            title += &format!("  {rows} {}", printed(&self.shown.printed));
        }
        if let Some(model) = &self.marked {
            title += &format!(
                "  {} compares with {model}",
                keys.press(Action::CompareModels)
            );
        }
        if self.asked.is_some() {
            title += "  ...";
        }
        title
    }

    /// Draws the table, or the topmost layer, and the details of the cell under the cursor.
    pub(super) fn draw_parts(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) {
        let (keys, look) = (scene.keymap, scene.look);
        if let Some(layer) = self.layers.last_mut() {
            return layer.draw(area, buf, scene);
        }
        let Some(board) = &self.found else {
            let empty = self.failed.clone().map_or(Empty::Loading, Empty::Failed);
            return draw_empty(&empty, area, buf, look);
        };
        if board.columns.is_empty() && board.rows.is_empty() {
            return draw_empty(&super::table::nothing(), area, buf, look);
        }
        let mut lines = Lines::new(area, buf, look);
        lines.text(&self.title(keys), Role::Heading);
        let area = lines.rest();
        let notes = board.notes.len().min(if area.height >= 40 { 6 } else { 2 });
        let below = (3 + u16::try_from(notes).unwrap_or(0)).min(area.height / 2);
        let (above, below) = areas::top(area, area.height - below);
        self.table
            .make_room(if look.accessible { 0 } else { BAR + 1 }, above.width);
        self.table.draw(above, buf, look);
        let mut lines = Lines::new(below, buf, look);
        for (line, role) in self.detail().into_iter().chain(self.notes(notes)) {
            lines.text(&line, role);
        }
    }
}
