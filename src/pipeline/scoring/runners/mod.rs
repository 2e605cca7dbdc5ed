//! The scorers, each behind [`Runner`](super::runner::Runner).

pub mod alignment;
pub mod duplicate;
pub mod free;
pub mod judge;
pub mod ocr;
pub mod pictures;
