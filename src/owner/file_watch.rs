//! What the owner does for the files of the project beside serving it: it keeps the inventory, and tells of files that are
//! gone, cut or not what they were.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::context::OwnerContext;
use super::priority::lower_thread_priority;
use crate::clock::now;
use benchtop_files::project::Project;
use benchtop_model::history::stamp;
use benchtop_store::index::Index;
use benchtop_store::inventory::{self, Differs, Inventory};

/// After the start, so that nobody waits for it.
const FIRST: Duration = Duration::from_secs(2);
/// Between two looks.
const EVERY: Duration = Duration::from_secs(60);
/// How long the end waits for the index to be closed.
const CLOSING: Duration = Duration::from_secs(2);
/// Files that are named one by one.
const NAMED: usize = 5;

/// To be called before the store is opened: marks the project as open, and says which files are gone or cut.
pub fn begin(project: &Project) -> Vec<String> {
    if let Err(problem) = inventory::mark_open(project) {
        super::log::write(format_args!("{} {problem}", stamp(now())));
    }
    let missing = Inventory::load(project)
        .map(|i| i.missing(project.root()))
        .unwrap_or_default();
    told(&missing)
}

/// Differences in words.
fn told(wrong: &[(String, Differs)]) -> Vec<String> {
    let one = |(file, differs): &(String, Differs)| {
        let what = match differs {
            Differs::Gone => "is gone".to_string(),
            Differs::Short(left) => format!("was cut to {left} bytes"),
            Differs::Rewritten => "is not what it was: its beginning was changed".to_string(),
            Differs::Grown(_) | Differs::Changed => "is not what it was".to_string(),
        };
        format!(
            "{file} {what} since the last look; `benchtop verify` says what is lost and what brings it back"
        )
    };
    let mut notices: Vec<String> = wrong.iter().take(NAMED).map(one).collect();
    if wrong.len() > NAMED {
        notices.push(format!(
            "{} more files are gone or not what they were: `benchtop verify`",
            wrong.len() - NAMED
        ));
    }
    notices
}

/// Looks at the files now and then, on a thread that gives way.
///
/// # Errors
/// When there can be no thread.
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

/// What was told at the start.
fn begin_known(owner: &OwnerContext) -> Vec<String> {
    owner.broadcast.notices().clone()
}

/// Waits; false once the owner is ending.
fn slept(owner: &OwnerContext, time: Duration) -> bool {
    let since = Instant::now();
    while since.elapsed() < time {
        if owner.desk.is_ending() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    !owner.desk.is_ending()
}

fn look(owner: &OwnerContext, known: &mut Vec<String>) {
    // Another project may have taken the place of this one.
    if owner.writable.at_home().is_err() {
        return;
    }
    let before = Inventory::load(&owner.project).unwrap_or_default();
    let looked = before
        .update(&owner.project, &stamp(now()), false)
        .and_then(|(mut after, mut wrong)| {
            // What was removed on purpose since is not gone.
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
            for notice in told(&wrong) {
                if !known.contains(&notice) {
                    super::log::write(format_args!("{} {notice}", stamp(now())));
                    owner.broadcast.notices().push(notice.clone());
                    known.push(notice);
                }
            }
        }
        Err(problem) => super::log::write(format_args!(
            "{} the inventory cannot be kept: {problem}",
            stamp(now())
        )),
    }
}

/// Tells of pictures whose files are gone.
fn gone(owner: &OwnerContext) {
    let Ok(gone) = owner
        .desk
        .rows_with_missing_files(owner, &|| !owner.desk.is_ending())
    else {
        return;
    };
    let Some(first) = gone.first() else { return };
    let n = gone.len();
    let notice = format!(
        "the pictures of {n} items are gone (first: #{}): `picture:missing` finds them, `benchtop verify` says what brings \
         them back",
        first + 1
    );
    super::log::write(format_args!("{} {notice}", stamp(now())));
    owner.broadcast.notices().push(notice);
}

/// At an orderly end, with nobody else left who could write: the inventory of all files, the caches among them.
pub fn end(shared: Arc<OwnerContext>) {
    let project = shared.project.clone();
    let since = Instant::now();
    while Arc::strong_count(&shared) > 1 && since.elapsed() < CLOSING {
        std::thread::sleep(Duration::from_millis(5));
    }
    let Ok(shared) = Arc::try_unwrap(shared) else {
        return;
    };
    if shared.writable.at_home().is_err() {
        return;
    }
    drop(shared);
    // sled closes its files on threads of its own.
    while Index::free(&project.index()).is_err() {
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
        Err(problem) => super::log::write(format_args!(
            "{} the inventory cannot be kept: {problem}",
            stamp(now())
        )),
    }
}
