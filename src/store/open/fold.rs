//! The journals of a project, read and folded.

use crate::model::Result;
use crate::model::history::Moment;
use crate::store::history::History;
use crate::store::index::digest;
use crate::store::pictures::{self, Pictures};
use crate::store::project::Project;
use crate::store::{Catalog, Ledger, journal, rounds};

/// One hash for all journals of a project by their lengths, as a checkpoint keeps it: those of the annotators, and that
/// of the pictures that were made, since a new picture ends what was said of the one before.
///
/// # Errors
/// The operating system's.
pub fn journals(project: &Project) -> Result<[u8; 32]> {
    let mut journals = journal::lengths(&project.sessions())?;
    for (path, length) in rounds::lengths(project)? {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        // No annotator's name holds a slash.
        journals.push((format!("rounds/{name}"), length));
    }
    let pictures = pictures::length(&project.images())?;
    if pictures > 0 {
        journals.push((format!("images/{}", pictures::FILE), pictures));
    }
    Ok(lengths(&journals))
}

pub(super) fn lengths(journals: &[(String, u64)]) -> [u8; 32] {
    digest(journals.iter().map(|(who, length)| (who.as_str(), *length)))
}

/// Reads the journal of pictures; also gives what a person should know about it.
///
/// # Errors
/// The operating system's.
pub fn load_pictures(project: &Project) -> Result<(Pictures, Vec<String>)> {
    let reading = pictures::read_on(&project.images(), &project.store())?;
    let mut notices: Vec<String> = reading.problems.iter().map(|p| format!("not counted: {p}")).collect();
    if reading.whole.torn {
        notices.push("the last line of the picture journal was cut short before it was acknowledged".into());
    }
    Ok((reading.pictures, notices))
}

/// Folds all journals; also gives what a person should know about them.
///
/// # Errors
/// The operating system's.
pub fn load_ledger(project: &Project, catalog: &Catalog, pictures: &Pictures) -> Result<(Ledger, Vec<String>)> {
    let history = History::read(project)?;
    let (ledger, found) = history.fold(catalog, pictures, Moment::Now);
    let mut notices = history.notices;
    notices.extend(found);
    Ok((ledger, notices))
}
