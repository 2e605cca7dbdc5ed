//! The options of bootstrap intervals.

use benchtop_model::agreement::Bootstrap;

/// Options of the bootstrap intervals.
#[derive(clap::Args)]
pub(super) struct Draws {
    /// Bootstrap draws
    #[arg(long, value_name = "N", default_value_t = Bootstrap::default().draws, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    draws: u32,
    /// Seed of the draws
    #[arg(long, value_name = "N", default_value_t = Bootstrap::default().seed)]
    seed: u64,
}

impl Draws {
    pub(super) fn plan(&self) -> Bootstrap {
        Bootstrap {
            draws: self.draws,
            seed: self.seed,
        }
    }
}
