//! Lists a folder of the user.

use std::path::Path;

use crate::widgets::form::picker::{Entry, EntryKind, Listing};
use benchtop_model::cancel::Cancel;
use benchtop_model::{Error, Result};

/// Most entries that are listed.
const MOST: usize = 20_000;
/// Entries between two checks for cancellation.
const STEP: usize = 256;

/// The entries of a folder, in any order. Links are not followed.
///
/// # Errors
///
/// If it cannot be listed, and cancellation.
pub fn list(folder: &Path, cancel: Cancel<'_>) -> Result<Listing> {
    let entries = std::fs::read_dir(folder).map_err(|e| Error::io(&e, "cannot list", folder))?;
    let mut found = Listing::default();
    for (at, entry) in entries.flatten().enumerate() {
        if at % STEP == 0 {
            cancel.check()?;
        }
        if at == MOST {
            found.more = true;
            break;
        }
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_dir() => EntryKind::Folder,
            Ok(kind) if kind.is_file() => EntryKind::File,
            Ok(kind) if kind.is_symlink() => EntryKind::Link,
            _ => EntryKind::Other,
        };
        let name = entry.file_name();
        found.entries.push(Entry { kind, name });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_kinds_and_links_are_links() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("sets")).unwrap();
        std::fs::write(dir.path().join("a.csv"), "").unwrap();
        std::os::unix::fs::symlink("/", dir.path().join("root")).unwrap();
        let mut found = list(dir.path(), Cancel::NEVER).unwrap().entries;
        found.sort_by_key(|entry| entry.kind);
        let kinds: Vec<EntryKind> = found.iter().map(|entry| entry.kind).collect();
        assert_eq!(kinds, [EntryKind::Folder, EntryKind::File, EntryKind::Link]);
        assert!(list(&dir.path().join("nowhere"), Cancel::NEVER).is_err());
    }
}
