//! What every pane implements, and what it may ask of the program.
//!
//! A [`Pane`] does no I/O. It gets a [`Context`] with each call and queues [`Effect`]s in it:
//! requests to the owner, menus, prompts, messages, and other panes to open. The program carries
//! them out after the call. Requests, menus, and prompts hold a typed callback, so the pane needs no
//! enum of purposes.
//!
//! | file | what it does |
//! |---|---|
//! | [`context`] | the effects that a pane queues, with their callbacks |
//! | [`id`] | the names of the panes |
//! | [`recorder`] | a program that only records, for tests |
//! | [`scene`] | what a pane draws with |
//! | [`seen`] | an item as it was painted and seen |
//! | [`timer`] | work that is due later |

pub mod context;
pub mod id;
pub mod recorder;
pub mod scene;
pub mod seen;
#[cfg(test)]
pub(crate) mod testing;
pub mod timer;

use std::any::Any;

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

pub use context::{Ask, Callback, Chosen, Context, Effect, Env, Target, Typed, menu};
pub use id::{Opens, PaneId};
pub use scene::{Pictures, Scene};
pub use seen::{Painted, Viewed};
pub use timer::Timer;

use crate::action::{Action, Scope};
use crate::keymap::Keymap;
use benchtop_model::job::JobState;

/// Something that happened outside of the pane. Every pane gets it, also those that are not on
/// screen ([`Env::is_shown`]).
#[derive(Clone, Copy, Debug)]
pub enum Notice<'a> {
    /// There is a new connection to the owner. Requests without a reply are lost.
    Reconnected,
    /// Anything may have changed.
    Resync,
    /// Verdicts or pictures changed. Comes many times a second.
    Changed,
    /// Comes once some time after [`Notice::Changed`]: counts can be requested again.
    Recount,
    /// This item changed.
    Item(u32),
    /// The annotator undid or redid a step on this item.
    TakenBack(u32),
    /// Rounds were created, changed, or deleted.
    Rounds,
    Job(&'a JobState),
    JobRemoved(u32),
    /// The metadata files were read again.
    Metadata,
    /// The user closed the editor and may have changed files of the project.
    Edited,
}

/// A screen that a tab leads to. `panes::registry` has one row for each.
pub trait Pane: Any {
    /// The scopes with live keys, nearest first.
    fn scopes(&self) -> &'static [Scope];

    /// The description on the help page.
    fn help(&self, keys: &Keymap) -> String;

    /// Opens the pane, or loads it again.
    fn open(&mut self, cx: &mut Context<'_>);

    fn act(&mut self, action: Action, cx: &mut Context<'_>);

    /// Whether keys that are no action are text.
    fn typing(&self) -> bool {
        false
    }

    /// Handles a key while [`typing`](Self::typing).
    fn key(&mut self, _key: KeyEvent, _cx: &mut Context<'_>) {}

    /// Handles pasted text if it [`pastes`](Self::pastes).
    fn paste(&mut self, _pasted: &str, _cx: &mut Context<'_>) {}

    /// Whether pasted text goes to the pane.
    fn pastes(&self) -> bool {
        self.typing()
    }

    /// Whether undo and redo go to the pane. Otherwise they take back verdicts.
    fn has_undo(&self) -> bool {
        false
    }

    fn on_notice(&mut self, _notice: Notice<'_>, _cx: &mut Context<'_>) {}

    /// When to call [`tick`](Self::tick), in milliseconds of the program's clock.
    fn due(&self) -> Option<u64> {
        None
    }

    /// Runs the work that is due.
    fn tick(&mut self, _cx: &mut Context<'_>) {}

    /// The item that the last frame painted, if the pane judges items.
    fn painted(&self) -> Option<Painted> {
        None
    }

    /// Whether verdicts await their receipts. The program waits for them before it quits.
    fn has_unsaved(&self) -> bool {
        false
    }

    /// Whether it shows progress that arrives more often than anybody can read. Frames without a
    /// key then wait for each other.
    fn shows_progress(&self) -> bool {
        false
    }

    /// Draws the pane. Returns the position of the terminal's cursor while it types.
    fn draw(&mut self, area: Rect, buf: &mut Buffer, scene: &Scene<'_>) -> Option<Position>;
}

#[cfg(test)]
mod tests;
