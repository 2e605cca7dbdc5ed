//! The note on an item: typed ahead of its verdict, which takes it along, or while its reasons are chosen. The owner remembers
//! it meanwhile, so that a line that goes dead in the middle of it loses nothing.

use super::App;
use super::connection::{Pending, State};
use super::overlay::{MenuFor, Overlay, PromptFor};
use crate::action::Action;
use crate::widgets::prompt::Prompt;
use crate::widgets::text;
use crate::widgets::toast::Toast;
use benchtop_protocol::wire::{ResumePoint, request};

/// How long after a key the note is remembered, in milliseconds: typing goes on meanwhile.
const REMEMBER_MS: u64 = 300;
/// Characters of it that a message shows.
const SHOWN: usize = 24;

impl App {
    /// Where the annotator is, with the note that is being typed.
    pub(super) fn place(&self) -> ResumePoint {
        ResumePoint {
            note: self.review.note().cloned(),
            ..self.review.place()
        }
    }

    /// The note that was being typed when the annotator left.
    pub(super) fn take_up_note(&mut self, note: Option<(u32, String)>) {
        let Some((number, note)) = note else { return };
        let (key, shown) = (self.keymap.press(Action::Note), text::fit(&note, SHOWN));
        self.say(Toast::info(format!(
            "your note on #{number} is kept (“{shown}”): {key} goes on with it"
        )));
        self.review.set_note(Some((number, note)));
    }

    /// The note that was begun on this item.
    pub(super) fn begun_note(&self, number: u32) -> String {
        let note = self.review.note().filter(|(of, _)| *of == number);
        note.map(|(_, note)| note.clone()).unwrap_or_default()
    }

    /// Asks for the note on the item on screen.
    pub(super) fn ask_note(&mut self) {
        if let Err(why) = self.review.work().map_or(Ok(()), |work| work.ready()) {
            return self.say(Toast::warning(why));
        }
        let Some(number) = self.review.number() else {
            return self.say(Toast::info("there is nothing to note"));
        };
        let begun = self.begun_note(number);
        let prompt = Prompt::new(format!("note on #{number}"), begun.clone(), Vec::new());
        self.overlay = Some(Overlay::Prompt(PromptFor::Note(number, begun), prompt));
    }

    /// The note was typed, or left as it was: the next verdict on the item takes it.
    pub(super) fn noted(&mut self, number: u32, note: &str) {
        let note = note.trim();
        self.review
            .set_note((!note.is_empty()).then(|| (number, note.to_string())));
        self.remember();
    }

    /// The note that the verdict on an item takes along.
    pub(super) fn take_note(&mut self, number: u32) -> Option<String> {
        let note = self.begun_note(number).trim().to_string();
        if note.is_empty() {
            return None;
        }
        self.review.set_note(None);
        self.tags.used(&note);
        self.note_due = Some(self.now() + REMEMBER_MS);
        Some(note)
    }

    /// A verdict was refused: its note is not lost.
    pub(super) fn note_again(&mut self, number: u32, note: Option<String>) {
        if let (Some(note), None) = (note, self.review.note()) {
            self.review.set_note(Some((number, note)));
        }
    }

    /// A key went to the menu or the prompt: takes note of the note.
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

    /// The menu was closed: its note is not wanted.
    pub(super) fn forget_note(&mut self) {
        if self.review.note().is_some() {
            self.review.set_note(None);
            self.remember();
        }
    }

    /// Has the owner remember where the annotator is, if it can be reached.
    pub(super) fn remember(&mut self) {
        self.note_due = None;
        if self.link.state() == State::Up {
            self.link
                .ask(Pending::Place, request::SetPlace(self.place()));
        }
    }
}
