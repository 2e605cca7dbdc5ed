//! Edits the item on screen: a menu of its texts, a prompt for each, and a revision when it is
//! saved.

use super::App;
use super::connection::Pending;
use super::overlay::{MenuFor, Overlay, PromptFor};
use crate::action::Action;
use crate::panes::review::{Draft, Line};
use crate::widgets::menu::Menu;
use crate::widgets::prompt::Prompt;
use crate::widgets::toast::Toast;
use benchtop_model::Result;
use benchtop_protocol::wire::{AnyReply, Request, request};

impl App {
    /// Opens the menu of the item's texts.
    pub(super) fn edit_item(&mut self) {
        let shown = self.review.number().zip(self.review.current());
        match shown.map(|(number, loaded)| Draft::new(number, loaded.rev, loaded.item.clone())) {
            Some(draft) => self.show_draft(draft),
            None => self.say(Toast::info("no item to edit")),
        }
    }

    fn show_draft(&mut self, draft: Draft) {
        let choices = draft
            .lines()
            .into_iter()
            .map(|(_, choice)| choice)
            .collect();
        let menu = Menu::new(
            format!("edit #{} (with an optional note)", draft.number),
            choices,
        )
        .keeping(&draft.note);
        let menu = menu.with_tags(self.tags.known().to_vec());
        self.overlay = Some(Overlay::Menu(MenuFor::Edit(Box::new(draft)), menu));
    }

    /// Handles the chosen line of the draft.
    pub(super) fn draft_chosen(&mut self, mut draft: Draft, pick: usize, note: &str) {
        draft.note = note.to_string();
        let Some((line, _)) = draft.lines().into_iter().nth(pick) else {
            return;
        };
        if let Some((label, text)) = draft.asks(line) {
            let prompt = Prompt::new(label, text, Vec::new());
            self.overlay = Some(Overlay::Prompt(
                PromptFor::Edit(Box::new(draft), line),
                prompt,
            ));
            return;
        }
        match draft.edit(line == Line::Restore) {
            Ok(edit) => {
                self.tags.used(note);
                self.ask_now(
                    Pending::Edited(Box::new(draft)),
                    request::Edit(Box::new(edit)),
                );
            }
            Err(problem) => {
                self.show_draft(draft);
                self.say(Toast::from(&problem));
            }
        }
    }

    /// Takes the typed text of a line. `None` leaves it unchanged.
    pub(super) fn draft_typed(&mut self, mut draft: Draft, line: Line, text: Option<&str>) {
        if let Some(text) = text {
            draft.take(line, text);
        }
        self.show_draft(draft);
    }

    pub(super) fn item_edited(&mut self, draft: Draft, answer: Result<AnyReply>) {
        match answer.and_then(request::Edit::reply) {
            Ok(edited) => {
                self.count_after_bulk(false);
                let accept = self.keymap.press(Action::Accept);
                let verdicts = match edited.voided {
                    0 => String::new(),
                    1 => ", voiding a verdict".into(),
                    n => format!(", voiding {n} verdicts"),
                };
                let notes = edited
                    .notes
                    .iter()
                    .map(|note| format!("; {note}"))
                    .collect::<String>();
                let said = format!(
                    "edited #{}{verdicts}; {accept} accepts the new text{notes}",
                    draft.number
                );
                self.say(Toast::done(said));
                let effects = self.review.changed(draft.number);
                self.carry_out(effects);
            }
            Err(problem) => {
                // Keep the draft after an error.
                if self.overlay.is_none() {
                    self.show_draft(draft);
                }
                self.say(Toast::from(&problem));
            }
        }
    }
}
