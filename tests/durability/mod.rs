//! Acknowledged means on disk, whatever dies.

mod damaged;
mod eval;
pub mod generate;
mod kill;
mod power_cut;
mod replaced;
mod scoring;
