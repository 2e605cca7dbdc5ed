//! Loads the stored jobs.

use std::sync::Arc;

use super::kinds;
use super::live::Live;
use super::runner::wake;
use super::state::Entry;
use crate::context::OwnerContext;
use crate::scoring;
use crate::trust::ResumableJobs;
use benchtop_model::job::JobStatus;
use benchtop_model::{Error, ErrorKind};
use benchtop_store::jobs::{self, StoredJob};

/// Loads the stored jobs and continues those that were active and that this user started here. The
/// others wait for an agreement: a project from someone else must not send anything when it is
/// opened.
pub fn start(shared: &Arc<OwnerContext>) {
    let owner = shared.clone();
    let started = std::thread::Builder::new()
        .name("jobs".into())
        .spawn(move || load(&owner));
    match started {
        Ok(thread) => shared.jobs.inner().threads.push(thread),
        Err(error) => shared
            .broadcast
            .notices()
            .push(format!("cannot start jobs: {error}")),
    }
}

fn load(shared: &Arc<OwnerContext>) {
    let listed = jobs::list(shared.project.root());
    let (mut stored, mut problems) = listed.unwrap_or_else(|problem| (Vec::new(), vec![problem]));
    scoring::take_over(shared, &mut stored);
    // The index may still be opening: it is not waited for under the lock.
    let mut entries: Vec<Entry<OwnerContext>> = Vec::new();
    for stored in stored {
        match entry(shared, stored) {
            Ok(entry) => entries.push(entry),
            Err(problem) => problems.push(problem),
        }
    }
    for problem in problems {
        let notice = format!("a job cannot be read: {problem}");
        shared.broadcast.notices().push(notice);
    }
    let known = ResumableJobs::read(shared);
    let mut inner = shared.jobs.inner();
    for Entry {
        kind,
        mut live,
        job,
    } in entries
    {
        let is_active = live.header.standing.is_active();
        if live.header.standing == JobStatus::Running {
            live.header.standing = JobStatus::Queued;
        }
        let digest = job.digest(shared, &live.header);
        let is_own = digest.is_ok_and(|digest| known.has(kind.name, &live.header, &digest));
        if is_active && !is_own {
            live.pause_for_agreement(shared, &*job);
        } else {
            live.update_waits(shared, &*job);
        }
        inner.jobs.insert(live.header.id, Entry { kind, live, job });
    }
    inner.loaded = true;
    wake(shared, &mut inner);
    shared.jobs.wake.notify_all();
}

fn entry(
    shared: &Arc<OwnerContext>,
    stored: StoredJob,
) -> benchtop_model::Result<Entry<OwnerContext>> {
    let kind = kinds::of(&stored.header.kind).ok_or_else(|| {
        let what = format!(
            "job {} has the unknown kind `{}`",
            stored.header.id, stored.header.kind
        );
        Error::new(ErrorKind::Corrupt, what).help("a later version of benchtop may know it")
    })?;
    let job = (kind.load)(shared, &stored)?;
    let live = Live::new(stored.header);
    Ok(Entry { kind, live, job })
}
