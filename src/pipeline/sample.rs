//! The sample set, brought in like any other.

use super::import::Outcome;
use crate::model::Result;
use crate::store::Catalog;
use crate::store::index::Index;
use crate::store::project::Project;

/// Fills.
///
/// # Errors
/// x
pub fn fill(_project: &Project, _index: &Index, _catalog: &Catalog, _at: &str) -> Result<Outcome> {
    Ok(Outcome { catalog: None, report: Default::default() })
}
