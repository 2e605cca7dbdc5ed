//! Panes: what fills the screen below the tabs. They turn actions into effects and draw; they do no I/O.

pub mod adjudicate;
pub mod agreement;
pub mod board;
pub mod coverage;
pub mod filters;
pub mod generate;
pub mod list;
pub mod metadata;
pub mod review;
pub mod rounds;
pub mod templates;
pub mod vocabulary;
