//! The project at one point in time.

use super::statistics::Funnel;
use benchtop_files::project::Project;
use benchtop_store::pictures::Pictures;
use benchtop_store::{Catalog, StatusColumns};

/// A project at one point in time, and the chosen items.
pub struct Source<'a> {
    pub project: &'a Project,
    pub catalog: &'a Catalog,
    pub statuses: &'a StatusColumns,
    pub pictures: &'a Pictures,
    /// Rows of the chosen items, rising.
    pub rows: Vec<u32>,
    /// Time of the newest verdict, in milliseconds since 1970; 0 for none.
    pub newest: i64,
    pub funnel: Funnel,
}
