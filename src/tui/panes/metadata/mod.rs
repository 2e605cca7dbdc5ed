//! What the vocabulary pane and the template pane share: editing metadata files, previewing and
//! saving them, and resolving conflicts with edits from outside.
//!
//! | file | what it does |
//! |---|---|
//! | [`session`] | the files, undo steps, conflicts, the contents of a save |
//! | [`edit_session`] | what both panes edit: the files, the latest preview, and where to go |
//! | [`actions`] | actions of both panes: save, revert, resolve conflicts, and edit elsewhere |
//! | [`recompose`] | recomposing stale items, after a preview |
//! | [`preview`], [`worker`] | twenty questions as the edit changes them, while the person types |
//! | [`draw`] | the preview, the findings, and the status line of the files |
//! | [`sidebar`] | the panel beside the terms or the text |
//! | [`diff`] | diffs by line and by term |

pub mod actions;
pub mod diff;
pub mod draw;
pub mod edit_session;
pub mod preview;
pub mod recompose;
pub mod session;
pub mod sidebar;
pub mod worker;

pub use edit_session::{EditSession, Phase, Place};
pub use sidebar::{Side, SidePanel};
pub use worker::Previewer;
