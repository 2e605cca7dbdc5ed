//! The note on an item. It is typed before the verdict that carries it, or with the reasons of a
//! rejection. The owner stores it meanwhile, so that a lost connection loses nothing.

use super::ReviewPane;
use super::pane::show_error;
use crate::action::Action;
use crate::pane::{Ask, Context, Typed};
use crate::widgets::prompt::Prompt;
use crate::widgets::text;
use benchtop_protocol::wire::{ResumePoint, request};

/// Delay after a key before the note is stored, in milliseconds.
const REMEMBER_MS: u64 = 300;
/// Number of characters of the note shown in a message.
const SHOWN: usize = 24;

impl ReviewPane {
    /// Restores the note that was being typed when the annotator left.
    pub(super) fn resume_note(&mut self, note: Option<(u32, String)>, cx: &mut Context<'_>) {
        let Some((number, note)) = note else { return };
        let (key, shown) = (cx.key(Action::Note), text::fit(&note, SHOWN));
        cx.say(format!(
            "kept your note on #{number} (“{shown}”); {key} continues it"
        ));
        self.set_note(number, &note);
    }

    /// The unfinished note on this item.
    pub(super) fn unfinished_note(&self, number: u32) -> String {
        self.notes.get(&number).cloned().unwrap_or_default()
    }

    /// Replaces the unfinished note on an item. Returns whether it changed.
    pub(super) fn set_note(&mut self, number: u32, note: &str) -> bool {
        self.noted = Some(number);
        let old = match note.trim().is_empty() {
            true => return self.notes.remove(&number).is_some(),
            false => self.notes.insert(number, note.to_string()),
        };
        old.as_deref() != Some(note)
    }

    /// The note to resume with: the one written last, or else any.
    fn note(&self) -> Option<(u32, String)> {
        let last = self
            .noted
            .and_then(|number| self.notes.get_key_value(&number));
        let note = last.or_else(|| self.notes.first_key_value());
        note.map(|(number, note)| (*number, note.clone()))
    }

    /// Items with a note that the next start will not offer.
    pub(super) fn unsaved_notes(&self) -> impl Iterator<Item = u32> {
        let kept = self.note().map(|(number, _)| number);
        let numbers = self.notes.keys().copied();
        numbers.filter(move |number| Some(*number) != kept)
    }

    /// Asks for the note on the item on screen.
    pub(super) fn ask_note(&mut self, cx: &mut Context<'_>) {
        if let Err(why) = self.work().map_or(Ok(()), |work| work.ready()) {
            return cx.refuse(why);
        }
        let Some(number) = self.number() else {
            return cx.say("no item to write a note on");
        };
        let begun = self.unfinished_note(number);
        let prompt = Prompt::new(format!("note on #{number}"), begun.clone(), Vec::new());
        cx.prompt_live(prompt, move |pane: &mut Self, typed, cx| {
            match typed {
                Typed::Changed(note) => pane.watch_note(number, note, cx),
                Typed::Done(note) => pane.on_note(number, note, cx),
                Typed::Cancelled => pane.on_note(number, &begun, cx),
            }
            Ok(())
        });
    }

    /// Keeps the typed note for the next verdict on the item.
    pub(super) fn on_note(&mut self, number: u32, note: &str, cx: &mut Context<'_>) {
        self.set_note(number, note.trim());
        self.remember(cx);
    }

    /// Removes and returns the note for a verdict on the item.
    pub(super) fn take_note(&mut self, number: u32, cx: &mut Context<'_>) -> Option<String> {
        let note = self.unfinished_note(number).trim().to_string();
        if note.is_empty() {
            return None;
        }
        self.set_note(number, "");
        cx.tagged(note.clone());
        self.note_due.restart(cx.env.now + REMEMBER_MS);
        Some(note)
    }

    /// Restores the note of a refused verdict.
    pub(super) fn restore_note(&mut self, number: u32, note: Option<String>) {
        if let Some(note) = note {
            self.notes.entry(number).or_insert(note);
        }
    }

    /// Tracks the note while it is typed.
    pub(super) fn watch_note(&mut self, number: u32, note: &str, cx: &mut Context<'_>) {
        if self.set_note(number, note) {
            self.note_due.restart(cx.env.now + REMEMBER_MS);
        }
    }

    /// Stores the resume point, with the unfinished note.
    pub(super) fn remember(&mut self, cx: &mut Context<'_>) {
        self.note_due.stop();
        let place = ResumePoint {
            note: self.note(),
            ..self.place()
        };
        cx.send(Ask::new(request::SetPlace(place), show_error).before_quit());
    }
}
