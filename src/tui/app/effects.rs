//! Menus and prompts of the board's table.

use super::App;
use super::overlay::{MenuFor, Overlay, PromptFor};
use crate::widgets::menu::{Choice, Menu};
use crate::widgets::prompt::Prompt;
use crate::widgets::table::{CopyFormat, CopyWhat};
use crate::widgets::text;

impl App {
    pub(super) fn ask_regex(&mut self, column: usize, on: bool) {
        let label = if on {
            "select by regex"
        } else {
            "unselect by regex"
        };
        self.overlay = Some(Overlay::Prompt(
            PromptFor::Regex { column, on },
            Prompt::new(label, "", Vec::new()),
        ));
    }

    pub(super) fn ask_column(&mut self, names: Vec<String>) {
        let menu =
            Menu::new("go to column", names.into_iter().map(Choice::new).collect()).filtering();
        self.overlay = Some(Overlay::Menu(MenuFor::Column, menu));
    }

    pub(super) fn ask_copy(&mut self, what: CopyWhat) {
        let formats = CopyFormat::ALL.to_vec();
        let title = match &what {
            CopyWhat::All => "copy the whole table as".to_string(),
            CopyWhat::Selected(ids) => {
                format!("copy {} selected rows as", text::grouped(ids.len() as u64))
            }
            CopyWhat::Row(_) | CopyWhat::Page { .. } => "copy as".to_string(),
        };
        let menu = Menu::new(
            title,
            formats.iter().map(|f| Choice::new(f.name())).collect(),
        );
        self.overlay = Some(Overlay::Menu(MenuFor::Copy(what, formats), menu));
    }
}
