//! Which generator a job's wishes come to, with `benchtop.toml` behind them.

use crate::inference::ImageGenerator;
use crate::model::config::Config;
use crate::model::job::Wishes;
use crate::model::{Kind, Problem, Result};

/// The backend used where nothing names one.
pub const BACKEND: &str = "storyboard";
/// Backends there are.
pub const BACKENDS: [&str; 1] = [BACKEND];

/// The wishes with backend and model as `benchtop.toml` has them, where nothing is said.
pub fn full(_config: &Config, wishes: &Wishes) -> Wishes {
    let backend = wishes.backend.clone().or_else(|| Some(BACKEND.to_string()));
    Wishes { backend, ..wishes.clone() }
}

/// Refuses wishes for what there is not, before anything is begun.
///
/// # Errors
/// [`Kind::Usage`] naming what there is.
pub fn check(config: &Config, wishes: &Wishes) -> Result<()> {
    let backend = full(config, wishes).backend.unwrap_or_default();
    if !BACKENDS.contains(&backend.as_str()) {
        return Err(Problem::new(Kind::Usage, format!("`{backend}` is no backend"))
            .field("backend")
            .help(format!("one of: {}", BACKENDS.join(", "))));
    }
    Ok(())
}

/// Whether full wishes come to a generator that makes drafts.
pub fn drafts(wishes: &Wishes) -> bool {
    wishes.backend.as_deref() == Some(BACKEND)
}

/// Builds it.
///
/// # Errors
/// Why it cannot be had.
pub fn build(config: &Config, wishes: &Wishes) -> Result<Box<dyn ImageGenerator>> {
    check(config, wishes)?;
    Err(Problem::new(Kind::Input, "the storyboard is not part of this program yet"))
}
