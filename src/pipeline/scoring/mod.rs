//! Scores of the items of a project: inputs ([`inputs`]), columns of scores ([`column`]), rules
//! ([`rules`]), and the data of the Filters pane, the queue of flagged items, and explanations.

pub mod build;
pub mod captions;
pub mod column;
pub mod compare;
pub mod explain;
pub mod flag_priority;
pub mod inputs;
pub mod kin;
pub mod predictions;
pub mod rules;
pub mod runner;
pub mod runners;
pub mod threshold_tuning;

#[cfg(test)]
mod tests;
