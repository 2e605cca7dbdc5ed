//! Round files: `sessions/rounds/<name>.json`, one file per round. Like the journals, they cannot
//! be rebuilt: without its file, the verdicts of a round would count as verdicts outside of rounds.

use std::path::{Path, PathBuf};

use super::json_checksum::{self, Checksum};
use super::prefix_digest::{PrefixDigest, PrefixDigests};
use benchtop_files::project::Project;
use benchtop_files::{disk, regular};
use benchtop_model::round::Round;
use benchtop_model::sorting::sort_by;
use benchtop_model::{Error, Result};

pub fn folder(project: &Project) -> PathBuf {
    project.sessions().join("rounds")
}

fn path(project: &Project, name: &str) -> PathBuf {
    folder(project).join(format!("{name}.json"))
}

/// All round files with their lengths in bytes, sorted by name. A missing folder is empty.
pub fn lengths(project: &Project) -> Result<Vec<(PathBuf, u64)>> {
    let folder = folder(project);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Error::io(&e, "cannot be listed", &folder)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|e| Error::io(&e, "cannot be listed", &folder))?
            .path();
        if path.extension().is_some_and(|e| e == "json") {
            let length = regular::length(&path)?;
            found.push((path, length));
        }
    }
    found.sort();
    Ok(found)
}

/// Adds the digests of all round files to `digests`, since statuses depend on them.
pub fn digests(project: &Project, digests: &mut PrefixDigests) -> Result<()> {
    for (path, _) in lengths(project)? {
        let bytes = std::fs::read(&path).map_err(|e| Error::io(&e, "cannot be read", &path))?;
        digests.put(journal_name(&path), PrefixDigest::of(&bytes));
    }
    Ok(())
}

/// The name of a round file among the journals. Annotator names have no slash, so the names do not
/// collide.
pub fn journal_name(path: &Path) -> String {
    format!(
        "rounds/{}",
        path.file_name()
            .map(|n| n.to_string_lossy())
            .unwrap_or_default()
    )
}

/// Reads all rounds, and returns the errors of the files that are not valid.
pub fn read(project: &Project) -> Result<(Vec<Round>, Vec<Error>)> {
    let (mut rounds, mut problems) = (Vec::new(), Vec::new());
    for (path, _) in lengths(project)? {
        match read_one(&path) {
            Ok((round, broken)) => {
                rounds.push(round);
                problems.extend(broken);
            }
            Err(problem) => problems.push(problem),
        }
    }
    sort_by(&mut rounds, |a: &Round, b| {
        (a.created, &a.name).cmp(&(b.created, &b.name))
    });
    Ok((rounds, problems))
}

/// Reads a round file. A round with a wrong checksum still counts, and the error is returned with
/// it.
fn read_one(path: &Path) -> Result<(Round, Option<Error>)> {
    let bytes = regular::read(path, regular::LIST_LIMIT)?;
    let (bytes, checksum) = json_checksum::split(&bytes);
    let text = String::from_utf8(bytes)
        .map_err(|_| Error::input("the file is not UTF-8 text").file(path))?;
    let broken = (checksum == Checksum::Wrong).then(|| {
        Error::corrupt("the file does not match its checksum")
            .file(path)
            .help(
                "compare it with a copy; remove its last member, `crc`, if you changed it yourself",
            )
    });
    let round = Round::parse(&text, path)?;
    if path
        .file_stem()
        .is_none_or(|stem| stem != round.name.as_str())
    {
        let what = format!(
            "the file name does not match the round's name, `{}`",
            round.name
        );
        return Err(Error::input(what)
            .file(path)
            .field("name")
            .help("rename the file to `<name>.json`"));
    }
    Ok((round, broken))
}

/// Writes a new round.
///
/// # Errors
/// [`Error::conflict`] if a round of that name exists.
pub fn create(project: &Project, round: &Round) -> Result<()> {
    let path = path(project, &round.name);
    if path.symlink_metadata().is_ok() {
        return Err(
            Error::conflict(format!("a round named `{}` already exists", round.name))
                .file(path)
                .field("name")
                .help("choose another name"),
        );
    }
    disk::ensure_private_dir(&folder(project))?;
    disk::write_atomic(&path, &json_checksum::add(round.to_json()?.as_bytes()))
}

/// Writes an existing round after it was closed or reopened.
pub fn rewrite(project: &Project, round: &Round) -> Result<()> {
    disk::write_atomic(
        &path(project, &round.name),
        &json_checksum::add(round.to_json()?.as_bytes()),
    )
}

pub fn remove(project: &Project, name: &str) -> Result<()> {
    let path = path(project, name);
    std::fs::remove_file(&path).map_err(|e| Error::io(&e, "cannot be removed", &path))?;
    disk::sync_dir(&folder(project))
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::ErrorKind;
    use benchtop_model::round::{NewRound, Protocol, draw};

    #[test]
    fn rounds_are_read_in_order_and_damaged_files_are_reported() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::init(dir.path()).unwrap();
        assert_eq!(read(&project).unwrap().0, []);
        let round = |name: &str, now: i64| {
            let new = NewRound::new(name, Protocol::Single, vec!["ann".into()], 1);
            draw(&new, &[("set/1", ""), ("set/2", "")], &[], "ann", now)
                .unwrap()
                .round
        };
        let (late, early) = (round("a", 9), round("b", 3));
        create(&project, &late).unwrap();
        create(&project, &early).unwrap();
        assert_eq!(
            create(&project, &round("a", 10)).unwrap_err().kind,
            ErrorKind::Conflict
        );
        std::fs::write(
            folder(&project).join("c.json"),
            "{\"version\": 1,\n\"name\": 3}",
        )
        .unwrap();
        std::fs::copy(
            folder(&project).join("a.json"),
            folder(&project).join("d.json"),
        )
        .unwrap();
        let (rounds, problems) = read(&project).unwrap();
        assert_eq!(
            rounds,
            [
                early,
                Round {
                    closed: None,
                    ..late.clone()
                }
            ]
        );
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(
            problems.iter().all(|p| p.place.file.is_some()),
            "{problems:?}"
        );
        let closed = Round {
            closed: Some(12),
            ..late
        };
        rewrite(&project, &closed).unwrap();
        assert_eq!(read(&project).unwrap().0[1], closed);
        // The round folder holds no journals.
        assert!(
            crate::journal::list(&project.sessions())
                .unwrap()
                .is_empty()
        );
    }
}
