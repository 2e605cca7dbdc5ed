//! The note on an item. It is typed before the verdict that carries it, or with the reasons of a
//! rejection. The owner stores it meanwhile, so that a lost connection loses nothing.

use super::App;
use super::connection::{Pending, State};
use super::overlay::{MenuFor, Overlay, PromptFor};
use crate::action::Action;
use crate::widgets::prompt::Prompt;
use crate::widgets::text;
use crate::widgets::toast::Toast;
use benchtop_protocol::wire::{ResumePoint, request};

/// Delay after a key before the note is stored, in milliseconds.
const REMEMBER_MS: u64 = 300;
/// Number of characters of the note shown in a message.
const SHOWN: usize = 24;

impl App {
    /// The annotator's resume point, with the unfinished note.
    pub(super) fn place(&self) -> ResumePoint {
        ResumePoint {
            note: self.review.note().cloned(),
            ..self.review.place()
        }
    }

    /// Restores the note that was being typed when the annotator left.
    pub(super) fn resume_note(&mut self, note: Option<(u32, String)>) {
        let Some((number, note)) = note else { return };
        let (key, shown) = (self.keymap.press(Action::Note), text::fit(&note, SHOWN));
        self.say(Toast::info(format!(
            "kept your note on #{number} (“{shown}”); {key} continues it"
        )));
        self.review.set_note(Some((number, note)));
    }

    /// The unfinished note on this item.
    pub(super) fn unfinished_note(&self, number: u32) -> String {
        let note = self.review.note().filter(|(of, _)| *of == number);
        note.map(|(_, note)| note.clone()).unwrap_or_default()
    }

    /// Asks for the note on the item on screen.
    pub(super) fn ask_note(&mut self) {
        if let Err(why) = self.review.work().map_or(Ok(()), |work| work.ready()) {
            return self.say(Toast::warning(why));
        }
        let Some(number) = self.review.number() else {
            return self.say(Toast::info("no item to write a note on"));
        };
        let begun = self.unfinished_note(number);
        let prompt = Prompt::new(format!("note on #{number}"), begun.clone(), Vec::new());
        self.overlay = Some(Overlay::Prompt(PromptFor::Note(number, begun), prompt));
    }

    /// Keeps the typed note for the next verdict on the item.
    pub(super) fn on_note(&mut self, number: u32, note: &str) {
        let note = note.trim();
        self.review
            .set_note((!note.is_empty()).then(|| (number, note.to_string())));
        self.remember();
    }

    /// Removes and returns the note for a verdict on the item.
    pub(super) fn take_note(&mut self, number: u32) -> Option<String> {
        let note = self.unfinished_note(number).trim().to_string();
        if note.is_empty() {
            return None;
        }
        self.review.set_note(None);
        self.tags.used(&note);
        self.note_due = Some(self.now() + REMEMBER_MS);
        Some(note)
    }

    /// Restores the note of a refused verdict.
    pub(super) fn restore_note(&mut self, number: u32, note: Option<String>) {
        if let (Some(note), None) = (note, self.review.note()) {
            self.review.set_note(Some((number, note)));
        }
    }

    /// Tracks the note after a key in a menu or prompt.
    pub(super) fn watch_note(&mut self) {
        let now = match &self.overlay {
            Some(Overlay::Menu(MenuFor::Reject(viewed), menu)) => {
                (viewed.number, menu.note().to_string())
            }
            Some(Overlay::Prompt(PromptFor::Note(number, _), prompt)) => {
                (*number, prompt.value().to_string())
            }
            _ => return,
        };
        let now = Some(now).filter(|(_, note)| !note.trim().is_empty());
        if now.as_ref() != self.review.note() {
            self.review.set_note(now);
            self.note_due = Some(self.now() + REMEMBER_MS);
        }
    }

    /// The menu was closed: drops its note.
    pub(super) fn forget_note(&mut self) {
        if self.review.note().is_some() {
            self.review.set_note(None);
            self.remember();
        }
    }

    /// Stores the resume point, if the owner can be reached.
    pub(super) fn remember(&mut self) {
        self.note_due = None;
        if self.link.state() == State::Up {
            self.link
                .ask(Pending::Place, request::SetPlace(self.place()));
        }
    }
}
