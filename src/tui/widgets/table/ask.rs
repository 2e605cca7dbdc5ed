//! What tables ask the user for.

use super::{CopyFormat, CopyWhat};
use crate::widgets::menu::{Choice, Menu};
use crate::widgets::prompt::Prompt;
use crate::widgets::text;

/// A prompt for the pattern of the rows to select, or to unselect.
pub fn regex(on: bool) -> Prompt {
    let label = if on {
        "select by regex"
    } else {
        "unselect by regex"
    };
    Prompt::new(label, "", Vec::new())
}

/// A menu of columns.
pub fn column(names: impl IntoIterator<Item = String>) -> Menu {
    let choices = names.into_iter().map(Choice::new).collect();
    Menu::new("go to column", choices).filtering()
}

/// A menu of the formats of a copy, in the order of [`CopyFormat::ALL`].
pub fn copy_format(what: &CopyWhat) -> Menu {
    let title = match what {
        CopyWhat::All => "copy the whole table as".to_string(),
        CopyWhat::Selected(ids) => {
            format!("copy {} selected rows as", text::grouped(ids.len() as u64))
        }
        CopyWhat::Row(_) | CopyWhat::Page { .. } => "copy as".to_string(),
    };
    let choices = CopyFormat::ALL.iter().map(|f| Choice::new(f.name()));
    Menu::new(title, choices.collect())
}
