//! The journals of a project, read and folded.

use std::borrow::Cow;

use crate::model::{Decision, Result};
use crate::store::columns::id_hash;
use crate::store::index::digest;
use crate::store::pictures::{self, Pictures};
use crate::store::project::Project;
use crate::store::{Catalog, Ledger, journal};

/// One hash for all journals of a project by their lengths, as a checkpoint keeps it: those of the annotators, and that
/// of the pictures that were made, since a new picture ends what was said of the one before.
///
/// # Errors
/// The operating system's.
pub fn journals(project: &Project) -> Result<[u8; 32]> {
    let mut journals = journal::lengths(&project.sessions())?;
    let pictures = pictures::length(&project.images())?;
    if pictures > 0 {
        // No annotator's name holds a slash.
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
    let reading = pictures::read(&project.images())?;
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
    let mut notices = Vec::new();
    let mut decisions: Vec<Decision> = Vec::new();
    for (who, path) in journal::list(&project.sessions())? {
        let reading = journal::read(&path)?;
        notices.extend(reading.problems.iter().map(|p| format!("not counted: {p}")));
        if reading.torn {
            notices.push(format!("the last line of {who}'s journal was cut short before it was acknowledged"));
        }
        decisions.extend(reading.decisions);
    }
    decisions.sort_by_key(|d| (d.rev, d.at, d.uuid));
    let mut ledger = Ledger::default();
    let mut orphans = 0u64;
    let mut earlier = earlier(catalog, pictures).into_iter().peekable();
    for decision in &decisions {
        while let Some(Earlier { rev, rows, keeps }) = earlier.next_if(|e| e.rev < decision.rev) {
            ledger.revise(&rows, rev, keeps);
        }
        match catalog.row_of_hash(id_hash(&decision.item)) {
            Some(row) => {
                if let Err(problem) = ledger.apply(decision, row) {
                    notices.push(format!("not counted: {problem}"));
                }
            }
            None => orphans += 1,
        }
    }
    earlier.for_each(|e| ledger.revise(&e.rows, e.rev, e.keeps));
    if orphans > 0 {
        notices.push(format!("{orphans} decisions are on items that this project does not have; they are kept"));
    }
    Ok((ledger, notices))
}

/// Rows that have another text or picture since a revision of the project.
struct Earlier<'c> {
    rev: u64,
    rows: Cow<'c, [u32]>,
    keeps: bool,
}

/// All of them in the order of their revisions.
fn earlier<'c>(catalog: &'c Catalog, pictures: &Pictures) -> Vec<Earlier<'c>> {
    let texts = catalog.revisions().list().iter();
    let mut list: Vec<_> =
        texts.map(|r| Earlier { rev: r.rev, rows: Cow::Borrowed(&r.rows[..]), keeps: r.keeps }).collect();
    for (rev, items) in pictures.revisions() {
        let rows = items.iter().filter_map(|hash| catalog.row_of_hash(*hash));
        match list.last_mut() {
            Some(last) if last.rev == rev && !last.keeps => last.rows.to_mut().extend(rows),
            _ => list.push(Earlier { rev, rows: rows.collect(), keeps: false }),
        }
    }
    list.sort_by_key(|e| e.rev);
    list
}
