//! From a scorer's name to what scores.

use super::runner::Runner;
use crate::model::scoring::Scorer;
use crate::model::{Kind, Problem, Result};
use crate::store::project::Project;

/// Builds a scorer.
///
/// # Errors
/// Why it cannot be had, and what to do.
pub fn build(_project: &Project, scorer: &Scorer) -> Result<Box<dyn Runner>> {
    Err(Problem::new(Kind::NotFound, format!("`{scorer}` cannot run")))
}

/// Why a scorer cannot run now, where it cannot.
pub fn not_ready(_project: &Project, _scorer: &Scorer) -> Option<String> {
    None
}

/// The judge's questions in the project's metadata.
pub fn judges(_project: &Project) -> Vec<String> {
    Vec::new()
}
