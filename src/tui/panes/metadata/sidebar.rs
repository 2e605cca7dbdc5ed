//! What stands beside the terms or the text: the preview, the findings, or nothing.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{EditSession, draw};
use crate::action::Action;
use crate::theme::Look;
use benchtop_model::Finding;

/// Lines a page key scrolls the preview by.
const PAGE: usize = 10;

/// Which of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// What the metadata makes of twenty questions.
    #[default]
    Preview,
    /// What the linter found.
    Findings,
    /// Nothing: more room for the rest.
    Nothing,
}

/// The side of a metadata pane.
#[derive(Clone, Debug, Default)]
pub struct SidePanel {
    /// What it shows.
    pub shows: Side,
    /// First line of the preview on the screen, and how many there are.
    scroll: (usize, usize),
    finding: usize,
}

impl SidePanel {
    /// Turns to the next of the three.
    pub fn turn(&mut self) {
        self.shows = match self.shows {
            Side::Preview => Side::Findings,
            Side::Findings => Side::Nothing,
            Side::Nothing => Side::Preview,
        };
    }

    /// The preview is of something else now: it begins at its top.
    pub fn rewind(&mut self) {
        self.scroll.0 = 0;
    }

    /// Does an action on it; gives the finding to go to.
    ///
    /// # Errors
    /// Why it does nothing here.
    pub fn act(&mut self, action: Action, desk: &EditSession) -> Result<Option<Finding>, String> {
        if self.shows == Side::Findings {
            let last = desk.found().count().saturating_sub(1);
            self.finding = match action {
                Action::Down => (self.finding + 1).min(last),
                Action::Up => self.finding.saturating_sub(1),
                Action::Top => 0,
                Action::Bottom => last,
                Action::Open => {
                    let found = desk.found().nth(self.finding).cloned();
                    return found
                        .map(Some)
                        .ok_or_else(|| "there are no findings".into());
                }
                other => return Err(format!("{} does nothing among findings", other.name())),
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
            other => return Err(format!("{} does nothing in the preview", other.name())),
        }
        .min(last);
        Ok(None)
    }

    /// Draws it; `here` says that the keys go to it.
    pub fn draw(
        &mut self,
        desk: &EditSession,
        here: bool,
        area: Rect,
        buf: &mut Buffer,
        look: &Look,
    ) {
        match self.shows {
            Side::Nothing => {}
            Side::Preview => {
                let lines = draw::preview(desk, here, self.scroll.0, area, buf, look);
                self.scroll = (self.scroll.0.min(lines.saturating_sub(1)), lines);
            }
            Side::Findings => {
                let found: Vec<&Finding> = desk.found().collect();
                self.finding = self.finding.min(found.len().saturating_sub(1));
                draw::findings(&found, here, self.finding, area, buf, look);
            }
        }
    }
}
