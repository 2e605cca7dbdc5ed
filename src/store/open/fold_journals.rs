//! The journals of a project, read and folded.

use std::path::PathBuf;

use crate::history::History;
use crate::index::digest;
use crate::pictures::{self, Pictures};
use crate::prefix_digest::{Journals, PrefixDigest, PrefixDigests};
use crate::{Catalog, Ledger, Overlay, journal, rounds};
use benchtop_files::project::Project;
use benchtop_model::history::HistoryPoint;
use benchtop_model::{Error, Result};

/// What the picture journal is called among the journals.
fn pictures_name() -> String {
    format!("images/{}", pictures::FILE)
}

/// The files that statuses follow from, by name, with the bytes of each: the journals of the annotators, the rounds, and
/// the journal of the pictures that were made, since a new picture ends what was said of the one before.
fn files(project: &Project) -> Result<Vec<(String, PathBuf, u64)>> {
    let sessions = project.sessions();
    let of = |(who, length): (String, u64)| {
        let path = sessions.join(format!("{who}.jsonl"));
        (who, path, length)
    };
    let mut files: Vec<_> = journal::lengths(&sessions)?.into_iter().map(of).collect();
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

/// One hash for all journals of a project by their lengths, and their bytes together.
///
/// # Errors
/// The operating system's.
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

/// All journals of a project by their lengths and contents, which are read for it.
///
/// # Errors
/// The operating system's.
pub fn journals(project: &Project) -> Result<Journals> {
    let mut digests = PrefixDigests::default();
    for (name, path, length) in files(project)? {
        let file =
            std::fs::File::open(&path).map_err(|e| Error::io(&e, "cannot be read", &path))?;
        digests.put(name, PrefixDigest::of_file(&file, length, &path)?);
    }
    Ok(digests.journals())
}

/// The journals that these statuses follow from.
pub fn followed(ledger: &Ledger, pictures: &Pictures) -> Journals {
    let mut digests = ledger.digests.clone();
    if pictures.prefix().length() > 0 {
        digests.put(pictures_name(), pictures.prefix().clone());
    }
    digests.journals()
}

/// Reads the journal of pictures; also gives what a person should know about it.
///
/// # Errors
/// The operating system's.
pub fn load_pictures(project: &Project) -> Result<(Pictures, Vec<String>)> {
    let reading = pictures::read_on(&project.images(), &project.store())?;
    let mut notices: Vec<String> = reading
        .problems
        .iter()
        .map(|p| format!("not counted: {p}"))
        .collect();
    if reading.whole.torn {
        notices.push(
            "the last line of the picture journal was cut short before it was acknowledged".into(),
        );
    }
    Ok((reading.pictures, notices))
}

/// Folds what is `known` of the journals already, for rules or items that are others now.
///
/// # Errors
/// As [`load_ledger`], and [`Kind::Io`](benchtop_model::ErrorKind::Io) when a journal is not what was known of it.
pub fn fold_known(
    project: &Project,
    catalog: &Catalog,
    pictures: &Pictures,
    known: &PrefixDigests,
) -> Result<(Ledger, Overlay)> {
    let (ledger, _) =
        History::read_known(project, known)?.fold(catalog, pictures, HistoryPoint::Now);
    let mut overlay = Overlay::blank(catalog.len());
    ledger.write_over(&mut overlay);
    Ok((ledger, overlay))
}

/// Reads and folds all journals; adds what a person should know to `notices`.
///
/// # Errors
/// The operating system's.
pub fn all(
    project: &Project,
    catalog: &Catalog,
    notices: &mut Vec<String>,
) -> Result<(Overlay, Ledger, Pictures)> {
    let (pictures, found) = load_pictures(project)?;
    notices.extend(found);
    let (ledger, found) = load_ledger(project, catalog, &pictures)?;
    notices.extend(found);
    let mut overlay = Overlay::blank(catalog.len());
    ledger.write_over(&mut overlay);
    Ok((overlay, ledger, pictures))
}

/// Folds all journals; also gives what a person should know about them.
///
/// # Errors
/// The operating system's.
pub fn load_ledger(
    project: &Project,
    catalog: &Catalog,
    pictures: &Pictures,
) -> Result<(Ledger, Vec<String>)> {
    let history = History::read(project)?;
    let (ledger, found) = history.fold(catalog, pictures, HistoryPoint::Now);
    let mut notices = history.notices;
    notices.extend(found);
    Ok((ledger, notices))
}
