//! Long-running work: reads formats, fills the store, and scores. It knows nothing of owners and
//! terminals.

pub mod analysis;
pub mod board;
pub mod compose;
pub mod evaluate;
pub mod export;
pub mod generate;
pub mod import;
mod missing_terms;
pub mod pictures;
pub mod recompose;
pub mod revise;
pub mod sample;
pub mod scoring;
pub mod sources;
pub mod usage;
pub mod verify;
