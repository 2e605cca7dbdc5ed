//! Indexes of the journals of bootstrapping jobs, so that each transcript reads the lines of its item alone.

use std::path::Path;

use parking_lot::Mutex;

use benchtop_model::Result;
use benchtop_store::jobs::{StepIndex, StepLine};

/// Number of journals whose indexes are kept.
const KEPT: usize = 4;

/// Indexes of the journals that were read last, by number of the job, the last one first.
#[derive(Default)]
pub struct StepIndexes(Mutex<Vec<(u32, StepIndex)>>);

impl StepIndexes {
    /// The steps of source `n` of job `id`.
    ///
    /// # Errors
    /// Errors of reading.
    pub(super) fn steps(&self, root: &Path, id: u32, n: usize) -> Result<Vec<StepLine>> {
        let mut kept = self.0.lock();
        let found = kept.iter().position(|(other, _)| *other == id);
        let mut one = found.map_or_else(|| (id, StepIndex::default()), |at| kept.remove(at));
        let steps = one.1.steps(root, id, n);
        kept.insert(0, one);
        kept.truncate(KEPT);
        steps
    }
}
