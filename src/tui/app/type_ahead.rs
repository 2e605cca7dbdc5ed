//! Keys typed for a prompt that is not open, because it was refused or waits for the owner.
//!
//! On a slow line people type before they see the effect of the last key. Text meant as a note must
//! never act as a verdict. So keys after a refused prompt are dropped until the refusal is on
//! screen, and keys typed while the owner prepares a menu or page wait for it.

use crossterm::event::{KeyCode, KeyEvent};

use super::App;
use super::connection::Pending;
use super::refused_prompt::RefusedPrompt;
use crate::action::Action;
use crate::pane::Opens;
use crate::terminal::paint_receipt::Seen;
use crate::widgets::toast::{Severity, Toast};

/// Longest pause of somebody who keeps typing, in milliseconds.
const PAUSE_MS: u64 = 700;
/// Tokens of refusals start here; those of items start at 0.
const REFUSALS: u64 = 1 << 63;

impl App {
    /// Whether a key was meant for a prompt that is not open. Then it is no action.
    pub(super) fn hold_back(&mut self, key: KeyEvent, at: u64) -> bool {
        if self.overlay.is_some() {
            self.refused = None;
            return false;
        }
        if let Some(opens) = self.link.opens() {
            match (key.code, opens) {
                (KeyCode::Esc, _) => {
                    self.link.cancel(|want| want.opens().is_some());
                    self.held.clear();
                    self.say(Toast::info("canceled"));
                }
                (_, Opens::Overlay) => self.held.push((key, at)),
                (_, Opens::Confirmation) => {
                    self.say(Toast::info("wait for the count; earlier keys are ignored"))
                }
            }
            return true;
        }
        let Some(refused) = &mut self.refused else {
            return false;
        };
        let seen = self.receipts.seen(refused.token, at) != Seen::Waiting;
        let paused = at.saturating_sub(refused.last) >= PAUSE_MS;
        let again = !refused.dropped && refused.key == Some(key.code);
        if again || (seen && paused) {
            self.refused = None;
            return false;
        }
        let (severity, why) = refused.why.clone();
        (refused.last, refused.dropped) = (at, true);
        if matches!(key.code, KeyCode::Esc | KeyCode::Enter) {
            // An enter ends the dropped text.
            self.refused = None;
        }
        let text = format!("{why}; ignored the keys typed after it");
        self.say(Toast { severity, text });
        true
    }

    /// Called after an action: if its prompt was refused, the next keys are meant for it.
    pub(super) fn watch_refusal(&mut self, action: Action, key: Option<KeyCode>, at: u64) {
        if !action.prompts()
            || self.overlay.is_some()
            || self.typing()
            || self.link.opens().is_some()
        {
            return;
        }
        let why = self
            .toast
            .as_ref()
            .map_or((Severity::Info, action.name().to_string()), |t| {
                (t.severity, t.text.clone())
            });
        self.refusals += 1;
        let token = REFUSALS + self.refusals;
        // Sent after the frame that shows the refusal.
        let query = self.receipts.request(token, self.setting.clock.ms());
        self.extra.extend_from_slice(query);
        (self.refused, self.dirty) = (
            Some(RefusedPrompt {
                key,
                token,
                last: at,
                why,
                dropped: false,
            }),
            true,
        );
    }

    /// The owner answered: held keys go to the menu or page, or are dropped if there is none.
    pub(super) fn release_held_keys(&mut self) {
        if self.held.is_empty() || self.link.opens().is_some() {
            return;
        }
        let held = std::mem::take(&mut self.held);
        if self.overlay.is_none() {
            let why = self
                .toast
                .as_ref()
                .map_or(String::new(), |toast| format!("{}; ", toast.text));
            return self.say(Toast::warning(format!(
                "{why}ignored the keys typed meanwhile"
            )));
        }
        held.into_iter().for_each(|(key, at)| self.key(key, at));
    }
}

impl Pending {
    /// What pending requests open that keys are typed for.
    pub fn opens(&self) -> Option<Opens> {
        match self {
            Pending::Pane(receiver) => receiver.handling.opens,
            _ => None,
        }
    }
}
