//! Draws the cards and edits of the storyboard.
//!
//! A card shows the content of a picture (scene, subject, color, style) and is stamped `DRAFT`. A
//! subject that cannot be drawn is a box with its word. No other text is written, because it would
//! be the answer to a question.
//!
//! A task gives the same bytes on every machine: shapes have solid colors, and everything else is
//! integer arithmetic, without approximate reciprocals or the platform's sine.

mod backgrounds;
mod card;
mod content;
mod edit;
mod figure;
mod label;
mod lettering;
mod patterns;
mod shapes;
mod style_effects;

#[cfg(test)]
mod tests;

/// Version of the drawing. Part of the fingerprint: increase it with every change of the bytes.
pub const VERSION: u32 = 2;

pub use card::draw_card;
pub use edit::draw_edit;
