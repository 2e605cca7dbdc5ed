//! Which items of the project are in its releases.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use parking_lot::Mutex;

use benchtop_files::project::Project;
use benchtop_model::Result;
use benchtop_model::release::NEWEST;
use benchtop_store::catalog::CatalogVersion;
use benchtop_store::columns::id_hash;
use benchtop_store::{Catalog, releases};

/// Rows of the items of each release, rising, by name. [`NEWEST`] stands for the newest one.
pub type ReleasedRows = HashMap<String, Arc<Vec<u32>>>;

/// What the rows depend on: the items, and mtime and inode of the folder of records.
type Key = (CatalogVersion, (i64, i64, u64));

#[derive(Debug, Default)]
struct Held {
    key: Option<Key>,
    generation: u64,
    rows: Arc<ReleasedRows>,
}

/// The rows of all releases, read on first use.
#[derive(Debug, Default)]
pub struct Releases(Mutex<Held>);

impl Releases {
    /// The rows of all releases, and a number that changes with them. Records that cannot be read
    /// are left out; `benchtop verify` names them.
    pub fn rows(&self, project: &Project, catalog: &Catalog) -> (u64, Arc<ReleasedRows>) {
        let meta = project.releases().symlink_metadata();
        let stamp = meta.map_or((0, 0, 0), |m| (m.mtime(), m.mtime_nsec(), m.ino()));
        let key = (catalog.edition(), stamp);
        let mut held = self.0.lock();
        if held.key != Some(key) {
            let mut rows = ReleasedRows::new();
            for record in releases::read_all(project).0 {
                let ids = record.items.iter();
                let found = ids.filter_map(|item| catalog.row_of_hash(id_hash(&item.id)));
                let mut found: Vec<u32> = found.collect();
                found.sort_unstable();
                found.dedup();
                let found = Arc::new(found);
                // The records are in order.
                rows.insert(NEWEST.into(), found.clone());
                rows.insert(record.name, found);
            }
            held.generation += 1;
            (held.key, held.rows) = (Some(key), Arc::new(rows));
        }
        (held.generation, held.rows.clone())
    }

    /// Number of items of the project that are in its newest release.
    pub fn newest(&self, project: &Project, catalog: &Catalog) -> u64 {
        let rows = self.rows(project, catalog).1;
        rows.get(NEWEST).map_or(0, |rows| rows.len() as u64)
    }

    /// Checks that the project has releases of these names.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::NotFound`].
    pub fn check(&self, project: &Project, catalog: &Catalog, names: &[String]) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        let rows = self.rows(project, catalog).1;
        let mut missing = names.iter();
        let missing = missing.find(|name| *name != NEWEST && !rows.contains_key(*name));
        match missing {
            Some(name) => releases::read(project, name).map(drop),
            None => Ok(()),
        }
    }
}
