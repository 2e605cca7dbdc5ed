//! Acknowledged means on disk, whatever dies.

pub mod generate;
mod kill;
mod power_cut;
mod scoring;
