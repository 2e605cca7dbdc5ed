//! A refused prompt, while keys may be meant for it.

use crossterm::event::KeyCode;

use crate::widgets::toast::Severity;

pub(super) struct RefusedPrompt {
    /// The key that asked for it, or `None` from the palette. The same key tries again.
    pub(super) key: Option<KeyCode>,
    /// The token of the frame that shows the refusal.
    pub(super) token: u64,
    pub(super) last: u64,
    /// Why, and its severity.
    pub(super) why: (Severity, String),
    /// Whether keys were dropped.
    pub(super) dropped: bool,
}
