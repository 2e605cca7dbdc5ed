//! Building blocks of panes. None of them reads events or does I/O.

pub mod areas;
pub mod confirm;
pub mod editor;
pub mod form;
pub mod keys;
pub mod lines;
pub mod menu;
pub mod meter;
pub mod page;
pub mod prompt;
pub mod purpose;
pub mod table;
pub mod tags;
pub mod text;
pub mod text_input;
pub mod toast;
pub mod word_diff;
