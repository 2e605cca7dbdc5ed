//! The panel beside the terms or the text: the preview, the findings, or nothing.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{EditSession, draw};
use crate::action::Action;
use crate::theme::{Look, Role};
use crate::widgets::lines::{Lines, draw_more};
use crate::widgets::text;
use benchtop_model::Finding;

/// Lines per page key.
const PAGE: usize = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// Twenty questions composed from the metadata.
    #[default]
    Preview,
    Findings,
    /// Hidden.
    Nothing,
}

#[derive(Clone, Debug, Default)]
pub struct SidePanel {
    pub shows: Side,
    /// First visible line of the preview, and its number of lines.
    scroll: (usize, usize),
    finding: usize,
}

impl SidePanel {
    /// Switches to the next view.
    pub fn next_view(&mut self) {
        self.shows = match self.shows {
            Side::Preview => Side::Findings,
            Side::Findings => Side::Nothing,
            Side::Nothing => Side::Preview,
        };
    }

    /// Scrolls the preview to the top.
    pub fn rewind(&mut self) {
        self.scroll.0 = 0;
    }

    /// Runs an action. Returns the finding to go to.
    pub fn act(
        &mut self,
        action: Action,
        edit_session: &EditSession,
    ) -> Result<Option<Finding>, String> {
        if self.shows == Side::Findings {
            let last = edit_session.found().count().saturating_sub(1);
            self.finding = match action {
                Action::Down => (self.finding + 1).min(last),
                Action::Up => self.finding.saturating_sub(1),
                Action::Top => 0,
                Action::Bottom => last,
                Action::Open => {
                    let found = edit_session.found().nth(self.finding).cloned();
                    return found.map(Some).ok_or_else(|| "no findings".into());
                }
                other => return Err(format!("`{}` does nothing in the findings", other.name())),
            };
            return Ok(None);
        }
        let last = self.scroll.1.saturating_sub(1);
        self.scroll.0 = match action {
            Action::Down => self.scroll.0 + 1,
            Action::Up => self.scroll.0.saturating_sub(1),
            Action::PageDown => self.scroll.0 + PAGE,
            Action::PageUp => self.scroll.0.saturating_sub(PAGE),
            Action::Top => 0,
            Action::Bottom => last,
            other => return Err(format!("`{}` does nothing in the preview", other.name())),
        }
        .min(last);
        Ok(None)
    }

    /// Draws lines with labels in place of the preview of questions. `here` is true if it has the focus.
    pub fn draw_text(
        &mut self,
        (title, lines): (&str, &[(String, String, Role)]),
        here: bool,
        area: Rect,
        buf: &mut Buffer,
        look: &Look,
    ) {
        look.hits.wheel(area, [Action::Up, Action::Down], 3);
        if area.height < 2 {
            return;
        }
        let body = draw::under_heading(title, here, area, buf, look);
        let mut all = Vec::new();
        for (label, text, role) in lines {
            let indent = text::width(label);
            let room = usize::from(body.width).saturating_sub(indent).max(8);
            let labels =
                std::iter::once(label.clone()).chain(std::iter::repeat(" ".repeat(indent)));
            let wrapped = text::wrap(text, room);
            all.extend(
                labels
                    .zip(wrapped)
                    .map(|(label, line)| (label, line, *role)),
            );
        }
        let room = usize::from(body.height);
        self.scroll = (self.scroll.0.min(all.len().saturating_sub(room)), all.len());
        let mut shown = Lines::new(body, buf, look);
        for (label, line, role) in all.into_iter().skip(self.scroll.0).take(room) {
            shown.pieces(&[(label, Role::Key), (line, role)]);
        }
        let below = self.scroll.1.saturating_sub(self.scroll.0 + room);
        draw_more(below, "tab, j", body, buf, look);
    }

    /// Draws the panel. `here` is true if it has the focus.
    pub fn draw(
        &mut self,
        edit_session: &EditSession,
        here: bool,
        area: Rect,
        buf: &mut Buffer,
        look: &Look,
    ) {
        let lines = [Action::Up, Action::Down];
        look.hits.wheel(area, lines, 3);
        match self.shows {
            Side::Nothing => {}
            Side::Preview => {
                let lines = draw::preview(edit_session, here, self.scroll.0, area, buf, look);
                self.scroll = (self.scroll.0.min(lines.saturating_sub(1)), lines);
            }
            Side::Findings => {
                let found: Vec<&Finding> = edit_session.found().collect();
                self.finding = self.finding.min(found.len().saturating_sub(1));
                draw::findings(&found, here, self.finding, area, buf, look);
            }
        }
    }
}
