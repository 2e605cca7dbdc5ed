//! What the vocabulary pane and the template pane share: the metadata being edited, its preview, saving it, and what
//! happens when somebody else saves it too.
//!
//! | file | what it does |
//! |---|---|
//! | [`session`] | the files, every step back, conflicts, what a save writes |
//! | [`preview`], [`worker`] | what the edit makes of twenty questions, beside the typing |
//! | [`sidebar`] | what stands beside the terms or the text |
//! | [`diff`] | by words, by lines, by terms |
//! | [`effects`] | what the program around must do |

pub mod diff;
pub mod draw;
pub mod edit_session;
pub mod effects;
pub mod preview;
pub mod session;
pub mod sidebar;
pub mod worker;

pub use edit_session::{EditSession, Phase};
pub use effects::{ChoiceFor, MetadataEffect, RuleChoice, RuleKind, TextFor, Want, stepped};
pub use sidebar::{Side, SidePanel};
pub use worker::Previewer;
