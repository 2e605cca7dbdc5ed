//! The note that is being typed on a rejection: the owner remembers it, so that a line that goes dead in the middle of it
//! loses nothing.

use super::App;
use super::link::{State, Want};
use super::overlay::{MenuFor, Overlay};
use crate::owner::wire::{Ask, Place};
use crate::tui::action::Action;
use crate::tui::widgets::text;
use crate::tui::widgets::toast::Toast;

/// How long after a key the note is remembered, in milliseconds: typing goes on meanwhile.
const REMEMBER_MS: u64 = 300;
/// Characters of it that a message shows.
const SHOWN: usize = 24;

impl App {
    /// Where the annotator is, with the note that is being typed.
    pub(super) fn place(&self) -> Place {
        Place { note: self.half_note.clone(), ..self.review.place() }
    }

    /// The note that was being typed when the annotator left.
    pub(super) fn take_up_note(&mut self, note: Option<(u32, String)>) {
        let Some((number, note)) = note else { return };
        let (key, shown) = (self.keymap.press(Action::Reject), text::fit(&note, SHOWN));
        self.say(Toast::info(format!("your note on #{number} is kept (“{shown}”): {key} goes on with it")));
        self.half_note = Some((number, note));
    }

    /// The note that was begun on this item.
    pub(super) fn begun_note(&self, number: u32) -> String {
        let note = self.half_note.as_ref().filter(|(of, _)| *of == number);
        note.map(|(_, note)| note.clone()).unwrap_or_default()
    }

    /// A key went to the menu, or the menu is gone: takes note of the note.
    pub(super) fn watch_note(&mut self) {
        let Some(Overlay::Menu(MenuFor::Reject(viewed), menu)) = &self.overlay else { return };
        let now = Some((viewed.number, menu.note().to_string())).filter(|(_, note)| !note.trim().is_empty());
        if now != self.half_note {
            self.half_note = now;
            self.note_due = Some(self.now() + REMEMBER_MS);
        }
    }

    /// The menu was closed: its note is said, or not wanted.
    pub(super) fn forget_note(&mut self) {
        if self.half_note.take().is_some() {
            self.remember();
        }
    }

    /// Has the owner remember where the annotator is, if it can be reached.
    pub(super) fn remember(&mut self) {
        self.note_due = None;
        if self.link.state() == State::Up {
            self.link.ask(Want::Place, Ask::SetPlace(self.place()));
        }
    }
}
