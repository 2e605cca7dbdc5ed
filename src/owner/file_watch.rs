//! Keeps the inventory of the project's files, and warns about files that are missing, truncated,
//! or changed.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::context::OwnerContext;
use super::priority::lower_thread_priority;
use crate::clock::now;
use benchtop_files::project::Project;
use benchtop_model::cancel::Cancel;
use benchtop_model::history::stamp;
use benchtop_store::index::Index;
use benchtop_store::inventory::{self, Difference, Inventory};

/// Delay of the first check, so that it does not slow down the start.
const FIRST: Duration = Duration::from_secs(2);
/// Time between two checks.
const EVERY: Duration = Duration::from_secs(60);
/// How long the end waits for the index to close.
const CLOSING: Duration = Duration::from_secs(2);
/// Maximum number of files that are named in notices.
const NAMED: usize = 5;

/// Marks the project as open and returns notices about missing or truncated files. Call this before
/// opening the store.
pub fn begin(project: &Project) -> Vec<String> {
    if let Err(problem) = inventory::mark_open(project) {
        super::log::stamped(&problem);
    }
    let missing = Inventory::load(project)
        .map(|i| i.missing(project.root()))
        .unwrap_or_default();
    notices_of(&missing)
}

/// Notices about the differences.
fn notices_of(wrong: &[(String, Difference)]) -> Vec<String> {
    let one = |(file, differs): &(String, Difference)| {
        let what = match differs {
            Difference::Gone => "disappeared".to_string(),
            Difference::Short(left) => format!("was truncated to {left} bytes"),
            Difference::Rewritten => "changed at its beginning".to_string(),
            Difference::Grown(_) | Difference::Changed => "changed".to_string(),
        };
        format!(
            "{file} {what} since the last check; run `benchtop verify` to see what is lost and how to restore it"
        )
    };
    let mut notices: Vec<String> = wrong.iter().take(NAMED).map(one).collect();
    if wrong.len() > NAMED {
        notices.push(format!(
            "{} more files disappeared or changed; run `benchtop verify` to list them",
            wrong.len() - NAMED
        ));
    }
    notices
}

/// Checks the files regularly, on a thread with low priority.
pub fn start(shared: &Arc<OwnerContext>) -> std::io::Result<JoinHandle<()>> {
    let owner = shared.clone();
    std::thread::Builder::new()
        .name("file-watch".into())
        .spawn(move || {
            lower_thread_priority();
            let mut known = begin_known(&owner);
            let mut wait = FIRST;
            let mut pictures = true;
            while slept(&owner, wait) {
                look(&owner, &mut known);
                if std::mem::take(&mut pictures) {
                    gone(&owner);
                }
                wait = EVERY;
            }
        })
}

/// Notices of the start.
fn begin_known(owner: &OwnerContext) -> Vec<String> {
    owner.broadcast.notices().clone()
}

/// Waits. Returns `false` if the owner is ending.
fn slept(owner: &OwnerContext, time: Duration) -> bool {
    let since = Instant::now();
    while since.elapsed() < time {
        if owner.jobs.is_ending() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    !owner.jobs.is_ending()
}

fn look(owner: &OwnerContext, known: &mut Vec<String>) {
    // Another project may have replaced this one.
    if owner.writable.check_root().is_err() {
        return;
    }
    let before = Inventory::load(&owner.project).unwrap_or_default();
    let looked = before
        .update(&owner.project, &stamp(now()), false)
        .and_then(|(mut after, mut wrong)| {
            // Do not warn about files that were removed on purpose meanwhile.
            let _guard = inventory::guard();
            let held = Inventory::load(&owner.project).unwrap_or_default();
            let root = owner.project.root();
            let is_removed = |path: &String| match before.files.contains_key(path) {
                true => !held.files.contains_key(path),
                false => root.join(path).symlink_metadata().is_err(),
            };
            after.files.retain(|path, _| !is_removed(path));
            wrong.retain(|(path, _)| !is_removed(path));
            if after.files != before.files {
                after.write(&owner.project)?;
            }
            Ok(wrong)
        });
    match looked {
        Ok(wrong) => {
            for notice in notices_of(&wrong) {
                if !known.contains(&notice) {
                    super::log::stamped(&notice);
                    owner.broadcast.notices().push(notice.clone());
                    known.push(notice);
                }
            }
        }
        Err(problem) => super::log::stamped(format_args!("cannot update the inventory: {problem}")),
    }
}

/// Warns about items whose picture files are missing.
fn gone(owner: &OwnerContext) {
    let Ok(gone) = owner
        .requested
        .missing_files(owner, Cancel::when(&|| owner.jobs.is_ending()))
    else {
        return;
    };
    let Some(first) = gone.first() else { return };
    let n = gone.len();
    let notice = format!(
        "the pictures of {n} items are missing (first: #{}); filter by `picture:missing` to find them, run \
         `benchtop verify` to see how to restore them",
        first + 1
    );
    super::log::stamped(&notice);
    owner.broadcast.notices().push(notice);
}

/// Writes the inventory of all files, including caches, after an orderly end, when nobody else can
/// write.
pub fn end(shared: Arc<OwnerContext>) {
    let project = shared.project.clone();
    let since = Instant::now();
    while Arc::strong_count(&shared) > 1 && since.elapsed() < CLOSING {
        std::thread::sleep(Duration::from_millis(5));
    }
    let Ok(shared) = Arc::try_unwrap(shared) else {
        return;
    };
    if shared.writable.check_root().is_err() {
        return;
    }
    drop(shared);
    // sled closes its files on its own threads.
    while Index::check_unlocked(&project.index()).is_err() {
        if since.elapsed() > CLOSING {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let before = Inventory::load(&project).unwrap_or_default();
    let written = before
        .update(&project, &stamp(now()), true)
        .and_then(|(after, _)| after.write(&project));
    match written {
        Ok(()) => inventory::mark_closed(&project),
        Err(problem) => super::log::stamped(format_args!("cannot update the inventory: {problem}")),
    }
}
