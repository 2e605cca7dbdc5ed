//! Panes: the screens that the tabs lead to. A pane turns actions into effects and draws itself. It
//! does no I/O.

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
