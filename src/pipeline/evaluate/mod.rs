//! Models asked the questions of a project over servers: which questions in which orders ([`orders`]), in which words and
//! with which pictures ([`ask`]), and how the answers become predictions of the project ([`publish_predictions`]). Free-form answers are
//! compared with what the items say ([`similarity`]); what no rule can read is shown to a judge ([`judge`]).

pub mod ask;
pub mod error_class;
pub mod judge;
pub mod orders;
pub mod publish_predictions;
pub mod relabel;
pub mod similarity;

#[cfg(test)]
mod tests;
