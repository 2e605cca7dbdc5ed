//! Reads and folds the journals of a project.

use std::path::PathBuf;

use crate::history::History;
use crate::index::digest;
use crate::pictures::{self, Pictures};
use crate::prefix_digest::{JournalHashes, PrefixDigest, PrefixDigests};
use crate::{Catalog, Ledger, StatusColumns, journal, rounds};
use benchtop_files::project::Project;
use benchtop_model::history::HistoryPoint;
use benchtop_model::{Error, Result};

/// Name of the picture journal among the journals.
fn pictures_name() -> String {
    format!("images/{}", pictures::FILE)
}

/// The files that statuses depend on, with name and length: the annotators' journals, the rounds,
/// and the picture journal, since a new picture voids the verdicts on the one before.
fn files(project: &Project) -> Result<Vec<(String, PathBuf, u64)>> {
    let sessions = project.sessions();
    let with_path = |(who, length): (String, u64)| {
        let path = sessions.join(format!("{who}.jsonl"));
        (who, path, length)
    };
    let mut files: Vec<_> = journal::lengths(&sessions)?
        .into_iter()
        .map(with_path)
        .collect();
    files.extend(
        rounds::lengths(project)?
            .into_iter()
            .map(|(path, length)| (rounds::journal_name(&path), path, length)),
    );
    let length = pictures::length(&project.images())?;
    if length > 0 {
        files.push((
            pictures_name(),
            project.images().join(pictures::FILE),
            length,
        ));
    }
    files.sort();
    Ok(files)
}

/// A hash of the lengths of all journals, and their total length in bytes.
pub fn lengths(project: &Project) -> Result<([u8; 32], u64)> {
    let files = files(project)?;
    let bytes = files.iter().map(|(.., length)| length).sum();
    Ok((
        digest(
            files
                .iter()
                .map(|(name, _, length)| (name.as_str(), *length)),
        ),
        bytes,
    ))
}

/// Digests of the lengths and contents of all journals. Reads every journal.
pub fn journals(project: &Project) -> Result<JournalHashes> {
    let mut digests = PrefixDigests::default();
    for (name, path, length) in files(project)? {
        let file =
            std::fs::File::open(&path).map_err(|e| Error::io(&e, "cannot be read", &path))?;
        digests.put(name, PrefixDigest::of_file(&file, length, &path)?);
    }
    Ok(digests.journals())
}

/// Digests of the journals behind these statuses.
pub fn journals_behind(ledger: &Ledger, pictures: &Pictures) -> JournalHashes {
    let mut digests = ledger.digests.clone();
    if pictures.prefix().length() > 0 {
        digests.put(pictures_name(), pictures.prefix().clone());
    }
    digests.journals()
}

/// Reads the picture journal. Also returns notices for people.
pub fn load_pictures(project: &Project) -> Result<(Pictures, Vec<String>)> {
    let reading = pictures::read_on(&project.images(), &project.store())?;
    let mut notices: Vec<String> = reading
        .problems
        .iter()
        .map(|p| format!("a damaged line in the picture journal does not count: {p}"))
        .collect();
    if reading.whole.torn {
        notices.push(
            "the last line of the picture journal is incomplete and was never acknowledged".into(),
        );
    }
    Ok((reading.pictures, notices))
}

/// Folds the `known` prefixes of the journals again after rules or items changed.
///
/// # Errors
/// [`ErrorKind::Io`](benchtop_model::ErrorKind::Io) if a journal no longer has the known prefix.
pub fn fold_known(
    project: &Project,
    catalog: &Catalog,
    pictures: &Pictures,
    known: &PrefixDigests,
) -> Result<(Ledger, StatusColumns)> {
    let (ledger, _) =
        History::read_known(project, known)?.fold(catalog, pictures, HistoryPoint::Now);
    let mut overlay = StatusColumns::blank(catalog.len());
    ledger.write_over(&mut overlay);
    Ok((ledger, overlay))
}

/// Reads and folds all journals. Adds notices for people to `notices`.
pub fn all(
    project: &Project,
    catalog: &Catalog,
    notices: &mut Vec<String>,
) -> Result<(StatusColumns, Ledger, Pictures)> {
    let (pictures, found) = load_pictures(project)?;
    notices.extend(found);
    let (ledger, found) = load_ledger(project, catalog, &pictures)?;
    notices.extend(found);
    let mut overlay = StatusColumns::blank(catalog.len());
    ledger.write_over(&mut overlay);
    Ok((overlay, ledger, pictures))
}

/// Folds all journals. Also returns notices for people.
pub fn load_ledger(
    project: &Project,
    catalog: &Catalog,
    pictures: &Pictures,
) -> Result<(Ledger, Vec<String>)> {
    let history = History::read(project)?;
    let (ledger, found) = history.fold(catalog, pictures, HistoryPoint::Now);
    let mut notices = history.notices;
    notices.extend(found.iter().map(ToString::to_string));
    Ok((ledger, notices))
}
