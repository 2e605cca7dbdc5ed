//! Edits the item on screen: a menu of its texts, a prompt for each, and a revision when it is
//! saved.

use super::{Draft, Line, ReviewPane};
use crate::action::Action;
use crate::pane::{Ask, Context, Typed};
use crate::widgets::menu::Menu;
use crate::widgets::prompt::Prompt;
use benchtop_model::Result;
use benchtop_protocol::wire::{EditedItem, request};

impl ReviewPane {
    /// Opens the menu of the item's texts.
    pub(super) fn edit_item(&mut self, cx: &mut Context<'_>) {
        match self.number().zip(self.current()) {
            Some((number, loaded)) => {
                show_draft(Draft::new(number, loaded.rev, loaded.item.clone()), cx);
            }
            None => cx.say("no item to edit"),
        }
    }

    fn edited(&mut self, draft: Draft, done: Result<EditedItem>, cx: &mut Context<'_>) {
        let edited = match done {
            Ok(edited) => edited,
            Err(problem) => {
                // Keep the draft after an error.
                if !cx.env.is_covered {
                    show_draft(draft, cx);
                }
                return cx.error(&problem);
            }
        };
        cx.edited_item();
        let verdicts = match edited.voided {
            0 => String::new(),
            1 => ", voiding a verdict".into(),
            n => format!(", voiding {n} verdicts"),
        };
        let (accept, number) = (cx.key(Action::Accept), draft.number);
        let notes: String = edited.notes.iter().map(|n| format!("; {n}")).collect();
        cx.done(format!(
            "edited #{number}{verdicts}; {accept} accepts the new text{notes}"
        ));
        let effects = self.changed(number);
        self.carry_out(effects, cx);
    }
}

fn show_draft(draft: Draft, cx: &mut Context<'_>) {
    let choices = draft
        .lines()
        .into_iter()
        .map(|(_, choice)| choice)
        .collect();
    let title = format!("edit #{} (with an optional note)", draft.number);
    let menu = Menu::new(title, choices).keeping(&draft.note);
    let menu = menu.with_tags(cx.env.tags.to_vec());
    cx.menu(menu, |_: &mut ReviewPane, chosen, cx| {
        if let Some(pick) = chosen.picks.first() {
            chosen_line(draft, *pick, &chosen.note, cx);
        }
    });
}

/// Handles the chosen line of the draft.
fn chosen_line(mut draft: Draft, pick: usize, note: &str, cx: &mut Context<'_>) {
    draft.note = note.to_string();
    let Some((line, _)) = draft.lines().into_iter().nth(pick) else {
        return;
    };
    if let Some((label, text)) = draft.asks(line) {
        let prompt = Prompt::new(label, text, Vec::new());
        return cx.prompt_live(prompt, move |_: &mut ReviewPane, typed, cx| {
            let mut draft = draft.clone();
            match typed {
                Typed::Changed(_) => return Ok(()),
                Typed::Done(text) => draft.take(line, text),
                Typed::Cancelled => {}
            }
            show_draft(draft, cx);
            Ok(())
        });
    }
    match draft.edit(line == Line::Restore) {
        Ok(edit) => {
            cx.tagged(note);
            let ask = request::Edit(Box::new(edit));
            let then = |pane: &mut ReviewPane, done, cx: &mut Context<'_>| {
                pane.edited(draft, done, cx);
            };
            cx.send(Ask::new(ask, then).for_key());
        }
        Err(problem) => {
            show_draft(draft, cx);
            cx.error(&problem);
        }
    }
}
