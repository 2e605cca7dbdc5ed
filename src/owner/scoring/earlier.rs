//! Gives each scoring job of an earlier version a file and a number of its own.

use std::sync::Arc;

use super::job::{SCORING, Stored, digest};
use crate::context::OwnerContext;
use crate::trust::{self, ResumableJobs};
use benchtop_model::Result;
use benchtop_store::inventory;
use benchtop_store::jobs::{self, StoredJob};

/// Adds the jobs of the list of an earlier version to `all`, and replaces the list by their files.
/// Those that this user started here stay trusted.
pub fn take_over(shared: &Arc<OwnerContext>, all: &mut Vec<StoredJob>) {
    let path = shared.project.scoring_jobs();
    let (earlier, notice) = jobs::earlier_scoring_jobs(&path);
    shared.broadcast.notices().extend(notice);
    if earlier.is_empty() {
        return;
    }
    let known = ResumableJobs::read(shared);
    let root = shared.project.root();
    let ids = earlier.iter().map(|job| job.header.id);
    let highest = ids.filter(|id| *id <= jobs::HIGHEST).max().unwrap_or(0);
    let mut last = highest.max(shared.items.pictures().last_job());
    let mut written = Ok(());
    for mut job in earlier {
        let earlier_id = job.header.id;
        // An earlier start may have been interrupted.
        if all
            .iter()
            .any(|other| other.header.kind == SCORING.name && other.spec["earlier"] == earlier_id)
        {
            continue;
        }
        // Also by a file that cannot be read.
        let is_taken = !(1..=jobs::HIGHEST).contains(&earlier_id)
            || jobs::is_taken(root, earlier_id)
            || all.iter().any(|other| other.header.id == earlier_id);
        if is_taken {
            match jobs::next_number(root, last) {
                Ok(number) => (last, job.header.id) = (number, number),
                Err(problem) => {
                    written = Err(problem);
                    continue;
                }
            }
        }
        let taken = take(shared, &known, &mut job, earlier_id);
        written = written.and(taken);
        all.push(job);
    }
    if written.is_err() || shared.writable.opened_read_only.is_some() {
        return;
    }
    let _guard = inventory::guard();
    // The record may still have the name in a layout before.
    let names = ["jobs/scoring.json", "store/scoring.json"];
    let removed = jobs::remove_earlier_scoring_jobs(&path)
        .and_then(|()| inventory::remove_records(&shared.project, &|path| names.contains(&path)));
    if let Err(problem) = removed {
        crate::log::write(format_args!(
            "cannot remove the list of scoring jobs: {problem}"
        ));
    }
}

fn take(
    shared: &Arc<OwnerContext>,
    known: &ResumableJobs,
    job: &mut StoredJob,
    earlier_id: u32,
) -> Result<()> {
    let spec: Stored = job.spec()?;
    let project = trust::current_project(shared)?;
    let (id, kind) = (job.header.id, SCORING.name);
    job.header.id = earlier_id;
    let of_earlier = digest(project.config(), earlier_id, &spec)?;
    let is_own = known.has(kind, &job.header, &of_earlier);
    job.header.id = id;
    if shared.writable.opened_read_only.is_some() {
        return Ok(());
    }
    if is_own && id != earlier_id {
        let of_it = digest(project.config(), id, &spec)?;
        job.header.token = trust::begin(shared, kind, id, of_it);
        trust::end(shared, kind, earlier_id);
    }
    jobs::create(shared.project.root(), &job.header, &job.spec, None)
}
