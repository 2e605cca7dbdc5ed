//! The scorers, each behind [`Runner`](super::runner::Runner).

pub mod alignment;
pub mod clip_and_safety;
pub mod contamination;
pub mod duplicate;
pub mod embedded;
pub mod judge;
pub mod ocr;
pub mod without_model;
