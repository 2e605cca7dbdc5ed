//! What the vocabulary pane and the template pane share: the metadata being edited, its preview, saving it, and what
//! happens when somebody else saves it too.
//!
//! | file | what it does |
//! |---|---|
//! | [`session`] | the files, every step back, conflicts, what a save writes |
//! | [`preview`], [`worker`] | what the edit makes of twenty questions, beside the typing |
//! | [`side`] | what stands beside the terms or the text |
//! | [`diff`] | by words, by lines, by terms |
//! | [`effects`] | what the program around must do |

pub mod desk;
pub mod diff;
pub mod draw;
pub mod effects;
pub mod preview;
pub mod session;
pub mod side;
pub mod worker;

pub use desk::{Desk, Phase};
pub use effects::{ChoiceFor, MetadataEffect, RuleChoice, RuleKind, TextFor, Want, stepped};
pub use side::{Side, SidePanel};
pub use worker::Previewer;
