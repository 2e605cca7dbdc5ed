//! Asks models the questions of a project over HTTP: which questions in which option orders
//! ([`orders`]), with which instructions and pictures ([`ask`]), and how answers become predictions
//! ([`publish_predictions`]). Free-form answers are compared with references ([`similarity`]), and
//! unparsed answers are shown to a judge ([`judge`]). A judge also grades free-form answers
//! ([`grade`]).

pub mod ask;
pub mod grade;
pub mod judge;
pub mod orders;
pub mod publish_predictions;
pub mod relabel;
pub mod server_errors;
pub mod similarity;

#[cfg(test)]
mod tests;
