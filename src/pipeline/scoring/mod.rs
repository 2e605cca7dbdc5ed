//! Scores over the items of a project: what is scored ([`inputs`]), the numbers by item ([`column`]), what rules make of
//! them ([`rules`]), and what the filter bench, the flagged queue and the explanation of an item show.

pub mod bench;
pub mod build;
pub mod column;
pub mod compare;
pub mod explain;
pub mod flag_priority;
pub mod inputs;
pub mod predictions;
pub mod rules;
pub mod runner;
pub mod runners;

#[cfg(test)]
mod tests;
