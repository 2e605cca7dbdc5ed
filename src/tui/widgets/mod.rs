//! Parts that panes are made of. None of them reads an event or does I/O.

pub mod confirm;
pub mod editor;
pub mod keys;
pub mod line;
pub mod lines;
pub mod menu;
pub mod meter;
pub mod page;
pub mod prompt;
pub mod table;
pub mod tags;
pub mod text;
pub mod toast;
pub mod word_diff;
