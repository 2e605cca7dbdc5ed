//! Verification rounds: who judges which items, in what order, and what their verdicts decide.

pub mod protocol;

pub use protocol::Protocol;
