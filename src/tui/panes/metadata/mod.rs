//! What the vocabulary pane and the template pane share: editing metadata files, previewing and
//! saving them, and resolving conflicts with edits from outside.
//!
//! | file | what it does |
//! |---|---|
//! | [`session`] | the files, undo steps, conflicts, the contents of a save |
//! | [`edit_session`] | what both panes edit: loading, previews, conflicts, and saving |
//! | [`preview`], [`worker`] | twenty questions as the edit changes them, while the person types |
//! | [`draw`] | the preview, the findings, and the status line of the files |
//! | [`sidebar`] | the panel beside the terms or the text |
//! | [`diff`] | diffs by line and by term |
//! | [`effects`] | the effects for the program to carry out |

pub mod diff;
pub mod draw;
pub mod edit_session;
pub mod effects;
pub mod preview;
pub mod session;
pub mod sidebar;
pub mod worker;

pub use edit_session::{EditSession, Phase};
pub use effects::{ChoiceFor, MetadataEffect, ReplyFor, RuleChoice, RuleKind, TextFor, stepped};
pub use sidebar::{Side, SidePanel};
pub use worker::Previewer;
