//! Models asked the questions of a project over servers: which questions in which orders ([`orders`]), in which words and
//! with which pictures ([`ask`]), and how the answers become predictions of the project ([`adopt`]). Free-form answers are
//! compared with what the items say ([`similarity`]); what no rule can read is shown to a judge ([`judge`]).

pub mod adopt;
pub mod ask;
pub mod judge;
pub mod orders;
pub mod relabel;
pub mod similarity;
pub mod trouble;

#[cfg(test)]
mod tests;
