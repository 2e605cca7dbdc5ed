//! Menus, prompts, and pages over a pane. At most one is open.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::action::Action;
use crate::pane::context::OnTyped;
use crate::pane::{Callback, Chosen, PaneId, Viewed};
use crate::panes::review::{Draft, Line};
use crate::panes::{board, filters};
use crate::theme::Look;
use crate::widgets::confirm;
use crate::widgets::menu::Menu;
use crate::widgets::page::Page;
use crate::widgets::prompt::Prompt;
use crate::widgets::table::{CopyFormat, CopyWhat};
use benchtop_model::{Field, Filter, Verdict};
use benchtop_protocol::wire::Bulk;

/// The purpose of a menu.
pub enum MenuFor {
    /// A pane receives the choice.
    Pane(PaneId, Callback<Chosen>),
    /// The reasons of a rejection, for the item as it was painted.
    Reject(Viewed),
    Theme(Vec<String>),
    Palette(Vec<Action>),
    /// A column of the current table.
    Column,
    /// A value to filter the list by.
    Value(Field, Vec<String>),
    Copy(CopyWhat, Vec<CopyFormat>),
    /// Whether to save the metadata before the program ends.
    Unsaved,
    Filters(filters::ChoiceFor),
    Board(board::ChoiceFor),
    /// The order of the flagged items.
    Doubtful,
    /// A line of the edited item.
    Edit(Box<Draft>),
    /// The verdict on the items of this filter.
    Bulk(Box<Filter>),
    /// Confirmation of a verdict on many items.
    BulkNow(Box<Bulk>),
}

/// The purpose of a prompt.
pub enum PromptFor {
    /// A pane receives the text.
    Pane(PaneId, OnTyped),
    /// A search. Holds the previous words, which return on cancel.
    Find(String),
    /// A regular expression for a column of the current table.
    Regex {
        column: usize,
        on: bool,
    },
    Filters(filters::TextFor),
    /// The new text of a line of the edited item.
    Edit(Box<Draft>, Line),
    /// The board's filter. Holds the previous words, which return on cancel.
    Board(String),
    /// The note on an item. Holds the previous note.
    Note(u32, String),
    /// The answer to the question on screen, for the item as it was painted.
    Answer(Viewed),
}

/// What to do once the user confirms a verdict although a picture was not shown.
pub enum ConfirmFor {
    Verdict(Verdict),
    Macro(usize),
    Answer(String),
    /// An answer, to be typed next.
    AskAnswer,
    /// What a pane does with this verdict.
    Pane(PaneId, Verdict, Callback<Viewed>),
}

/// What is shown over a pane.
pub enum Overlay {
    Menu(MenuFor, Menu),
    /// Replaces the message line.
    Prompt(PromptFor, Prompt),
    /// A page of text.
    Page(Page),
    /// A question that one key confirms. Replaces the message line and as many lines above as it
    /// needs.
    Confirm {
        then: ConfirmFor,
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
                page.draw(area, buf, look);
                None
            }
            Overlay::Confirm { question, .. } => {
                confirm::draw(question, message, buf, look);
                None
            }
        }
    }
}
