//! Menus, prompts, and pages over a pane. At most one is open.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::action::Action;
use crate::pane::context::{OnPicked, OnTyped};
use crate::pane::{Callback, PaneId, Viewed};
use crate::theme::Look;
use crate::widgets::confirm;
use crate::widgets::menu::Menu;
use crate::widgets::page::Page;
use crate::widgets::prompt::Prompt;

/// The purpose of a menu.
pub enum MenuFor {
    /// A pane receives the choice.
    Pane(PaneId, OnPicked),
    Theme(Vec<String>),
    Palette(Vec<Action>),
    /// Whether to save edits before the program ends, over what was open.
    Unsaved(Option<Box<Overlay>>),
}

/// What is shown over a pane.
pub enum Overlay {
    Menu(MenuFor, Menu),
    /// Replaces the message line. The pane receives the text.
    Prompt((PaneId, OnTyped), Prompt),
    /// A page of text.
    Page(Page),
    /// A question that one key confirms. Replaces the message line and as many lines above as it
    /// needs.
    Confirm {
        /// The pane, and what it does once the user confirms.
        then: (PaneId, Callback<Viewed>),
        /// The item as it was seen.
        viewed: Viewed,
        question: String,
    },
}

impl Overlay {
    /// Draws the overlay. Returns the position of the terminal's cursor.
    pub fn draw(
        &mut self,
        area: Rect,
        message: Rect,
        buf: &mut Buffer,
        look: &Look,
    ) -> Option<Position> {
        match self {
            Overlay::Menu(_, menu) => menu.draw(area, buf, look),
            Overlay::Prompt(_, prompt) => Some(prompt.draw(message, buf, look)),
            Overlay::Page(page) => {
                page.searchable = true;
                page.draw(area, buf, look)
            }
            Overlay::Confirm { question, .. } => {
                confirm::draw(question, message, buf, look);
                None
            }
        }
    }
}
