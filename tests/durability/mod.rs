//! Acknowledged means on disk, whatever dies.

mod kill;
mod power_cut;
