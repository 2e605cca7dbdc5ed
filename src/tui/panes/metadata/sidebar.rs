//! The panel beside the terms or the text: the preview, the findings, or nothing.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{EditSession, draw};
use crate::action::Action;
use crate::theme::Look;
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
