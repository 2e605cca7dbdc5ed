//! Commands end to end.

mod agreement;
mod analyse;
mod board;
mod cli;
mod comments;
mod compose;
mod coverage;
mod edit;
pub mod eval;
mod export;
mod extract;
pub mod filter;
mod generate;
mod history;
mod home;
mod judge;
mod lint;
mod lint_table;
mod reading;
mod rebuild;
mod recompose;
mod sample;
pub mod servers;
mod sources;
mod verdicts;
mod vocab;
mod words;
