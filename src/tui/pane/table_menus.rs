//! Menus, prompts, and messages that panes with tables share.

use super::{Context, Pane};
use crate::widgets::menu::{Choice, Menu};
use crate::widgets::prompt::Prompt;
use crate::widgets::table::{Answer, CopyFormat, CopyWhat, TableEffect};
use crate::widgets::text;

/// Asks for the format of a copy.
pub fn choose_format<P: Pane>(
    what: CopyWhat,
    cx: &mut Context<'_>,
    then: impl FnOnce(&mut P, CopyWhat, CopyFormat, &mut Context<'_>) + 'static,
) {
    let title = match &what {
        CopyWhat::All => "copy the whole table as".to_string(),
        CopyWhat::Selected(ids) => {
            format!("copy {} selected rows as", text::grouped(ids.len() as u64))
        }
        CopyWhat::Row(_) | CopyWhat::Page { .. } => "copy as".to_string(),
    };
    let (formats, line) = (CopyFormat::ALL.to_vec(), |f: &CopyFormat| (f.name(), ""));
    cx.choose_of(title, formats, line, move |pane: &mut P, format, cx| {
        then(pane, what, format, cx);
    });
}

/// Says what the table of a pane answered. Returns the row and the column to open. `nothing` is said
/// of what the pane has not.
pub fn opened(answers: Vec<Answer>, nothing: &str, cx: &mut Context<'_>) -> Option<(u64, usize)> {
    let mut open = None;
    for answer in answers {
        match answer {
            Answer::Effect(TableEffect::Open { id, column, .. }) => open = Some((id, column)),
            Answer::Effect(TableEffect::Refuse(why)) => cx.refuse(why),
            Answer::Message(text) => cx.say(text),
            _ => cx.refuse(nothing),
        }
    }
    open
}

/// Asks for one of these columns.
pub fn choose_column<P: Pane>(
    names: Vec<String>,
    cx: &mut Context<'_>,
    then: impl FnOnce(&mut P, usize, &mut Context<'_>) + 'static,
) {
    let choices = names.into_iter().map(Choice::new).collect();
    cx.choose_in(Menu::new("go to column", choices).filtering(), then);
}

/// Asks for the regular expression of the rows to select or unselect.
pub fn ask_regex<P: Pane>(
    on: bool,
    cx: &mut Context<'_>,
    then: impl FnMut(&mut P, &str, &mut Context<'_>) -> Result<(), String> + 'static,
) {
    let label = if on {
        "select by regex"
    } else {
        "unselect by regex"
    };
    cx.prompt(Prompt::new(label, "", Vec::new()), then);
}
