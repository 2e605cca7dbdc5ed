//! Models asked the questions of a project over servers: which questions in which orders ([`orders`]), in which words and
//! with which pictures ([`ask`]), and how the answers become predictions of the project ([`adopt`]). Free-form answers are
//! compared with what the items say ([`similarity`]).

pub mod adopt;
pub mod ask;
pub mod orders;
pub mod relabel;
pub mod similarity;

#[cfg(test)]
mod tests;
