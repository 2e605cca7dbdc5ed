//! Acknowledged means on disk, whichever process dies.

mod beside;
mod bootstrap;
mod budgets;
mod damaged;
mod eval;
pub mod generate;
mod jobs;
mod kill;
mod migration;
mod power_cut;
mod release;
mod replaced;
mod sample;
mod scenario;
mod scoring;
