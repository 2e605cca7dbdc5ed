//! Acknowledged means on disk, whatever dies.

mod eval;
pub mod generate;
mod kill;
mod power_cut;
mod scoring;
