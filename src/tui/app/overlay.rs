//! What lies over a pane: menus, prompts, pages. One at a time.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::recompose::Again;
use crate::action::Action;
use crate::panes::review::{Draft, Line, Viewed};
use crate::panes::{adjudicate, agreement, board, coverage, filters, generate, metadata, rounds};
use crate::theme::Look;
use crate::widgets::confirm;
use crate::widgets::menu::Menu;
use crate::widgets::page::Page;
use crate::widgets::prompt::Prompt;
use crate::widgets::table::{CopyFormat, CopyWhat};
use benchtop_model::recompose::Rename;
use benchtop_model::{Field, Filter, Verdict};
use benchtop_protocol::wire::Bulk;

/// What a menu decides.
#[derive(Clone, Debug)]
pub enum MenuFor {
    /// Why an item is rejected: the item as it was painted, and how it was seen.
    Reject(Viewed),
    /// One of these themes.
    Theme(Vec<String>),
    /// Any action by name.
    Palette(Vec<Action>),
    /// A column of the table on top.
    Column,
    /// A value to filter the list by.
    Value(Field, Vec<String>),
    /// A format to copy in.
    Copy(CopyWhat, Vec<CopyFormat>),
    /// What a metadata pane asked.
    Metadata(metadata::ChoiceFor),
    /// Whether items are composed again, with these renamed terms; in which ways.
    Recompose(Vec<Rename>, Vec<Again>),
    /// What the coverage view asked.
    Coverage(coverage::ChoiceFor),
    /// What the generate pane asked.
    Generate(generate::ChoiceFor),
    /// What the filter bench asked.
    Filters(filters::ChoiceFor),
    /// What the leaderboard asked.
    Board(board::ChoiceFor),
    /// What the agreement pane asked.
    Agreement(agreement::ChoiceFor),
    /// What the rounds pane asked.
    Rounds(rounds::ChoiceFor),
    /// In which order doubtful items are reviewed.
    Doubtful,
    /// A line of an item that is edited.
    Edit(Box<Draft>),
    /// Which verdict the items of this filter get.
    Bulk(Box<Filter>),
    /// Whether they get it.
    BulkNow(Box<Bulk>),
    /// What the adjudication pane asked.
    Adjudicate(adjudicate::ChoiceFor),
    /// Why an item is rejected by its adjudicator, or what it is where the guidelines have a gap.
    Settle(Box<adjudicate::Settle>),
}

/// What a prompt asks for.
#[derive(Clone, Debug)]
pub enum PromptFor {
    /// Words to find items by; the ones there were before come back when it is closed without change.
    Find(String),
    /// A regular expression for a column of the table on top.
    Regex {
        /// The column.
        column: usize,
        /// Select, or let go.
        on: bool,
    },
    /// A line of text for a metadata pane.
    Metadata(metadata::TextFor),
    /// A line of text for the generate pane.
    Generate(generate::TextFor),
    /// A line of text for the filter bench.
    Filters(filters::TextFor),
    /// Another text for a line of an item that is edited.
    Edit(Box<Draft>, Line),
    /// The filter of the leaderboard; the words there were before come back when it is closed without change.
    Board(String),
    /// Why an item is settled so.
    Why(Box<adjudicate::Settle>),
    /// A line of text for the rounds pane.
    Rounds(rounds::TextFor),
    /// The note on an item, and the one there was before.
    Note(u32, String),
    /// The answer to the question on the screen: the item as it was painted, and how it was seen.
    Answer(Viewed),
}

/// What is done once a person says that a verdict holds although a picture was not shown.
#[derive(Clone, Debug)]
pub enum ConfirmFor {
    /// This verdict.
    Verdict(Verdict),
    /// The verdict of this macro.
    Macro(usize),
    /// This answer to the question.
    Answer(String),
    /// An answer, which is asked for next.
    AskAnswer,
    /// What settles an item, after asking why.
    Settle {
        /// The verdict.
        verdict: Verdict,
        /// The guidelines have a gap here.
        gap: bool,
    },
}

/// What lies over a pane.
pub enum Overlay {
    /// A menu and what it decides.
    Menu(MenuFor, Menu),
    /// A prompt, in place of the message line.
    Prompt(PromptFor, Prompt),
    /// A page of text.
    Page(Page),
    /// A question that one key says yes to, in place of the message line and as many lines over it as it takes.
    Confirm {
        /// What is done then.
        then: ConfirmFor,
        /// The item as it was seen.
        viewed: Viewed,
        /// What is asked.
        question: String,
    },
}

impl Overlay {
    /// Draws it; gives where the terminal's cursor belongs.
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
