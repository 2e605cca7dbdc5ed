//! Verification rounds on disk: `sessions/rounds/<name>.json`, a file a round. They are as much the truth about human work
//! as the journals beside them: without its file a round's verdicts would count as anybody's word.

use std::path::{Path, PathBuf};

use super::json_checksum::{self, Checksum};
use super::prefix_digest::{PrefixDigest, PrefixDigests};
use benchtop_files::project::Project;
use benchtop_files::{disk, regular};
use benchtop_model::round::Round;
use benchtop_model::{Error, ErrorKind, Result};

/// Where the rounds of a project are.
pub fn folder(project: &Project) -> PathBuf {
    project.sessions().join("rounds")
}

fn path(project: &Project, name: &str) -> PathBuf {
    folder(project).join(format!("{name}.json"))
}

/// The files of all rounds with the bytes of each, sorted by name.
///
/// # Errors
/// The operating system's; a folder that does not exist is empty.
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

/// Adds the files of all rounds to the journals that statuses follow from.
///
/// # Errors
/// The operating system's.
pub fn digests(project: &Project, digests: &mut PrefixDigests) -> Result<()> {
    for (path, _) in lengths(project)? {
        let bytes = std::fs::read(&path).map_err(|e| Error::io(&e, "cannot be read", &path))?;
        digests.put(journal_name(&path), PrefixDigest::of(&bytes));
    }
    Ok(())
}

/// What the file of a round is called among the journals: no annotator's name holds a slash.
pub fn journal_name(path: &Path) -> String {
    format!(
        "rounds/{}",
        path.file_name()
            .map(|n| n.to_string_lossy())
            .unwrap_or_default()
    )
}

/// Reads all rounds, and says what is wrong with the files that are none.
///
/// # Errors
/// The operating system's.
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
    rounds.sort_by(|a: &Round, b| (a.created, &a.name).cmp(&(b.created, &b.name)));
    Ok((rounds, problems))
}

/// The round of a file; one whose checksum is wrong counts all the same and is told of.
fn read_one(path: &Path) -> Result<(Round, Option<Error>)> {
    let bytes = regular::read(path, regular::LIST_LIMIT)?;
    let (bytes, checksum) = json_checksum::split(&bytes);
    let text = String::from_utf8(bytes)
        .map_err(|_| Error::input("the file is not UTF-8 text").file(path))?;
    let broken = (checksum == Checksum::Wrong).then(|| {
        Error::new(ErrorKind::Corrupt, "the file does not match its checksum")
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
        let what = format!("the file is not called after its round, `{}`", round.name);
        return Err(Error::input(what)
            .file(path)
            .field("name")
            .help("a round's file is `<name>.json`"));
    }
    Ok((round, broken))
}

/// Writes a round that is new.
///
/// # Errors
/// [`ErrorKind::Conflict`] when there is one of that name, and the operating system's.
pub fn create(project: &Project, round: &Round) -> Result<()> {
    let path = path(project, &round.name);
    if path.symlink_metadata().is_ok() {
        return Err(Error::new(
            ErrorKind::Conflict,
            format!("there is a round `{}`", round.name),
        )
        .file(path)
        .field("name")
        .help("give it another name"));
    }
    disk::ensure_private_dir(&folder(project))?;
    disk::write_atomic(&path, &json_checksum::add(round.to_json()?.as_bytes()))
}

/// Writes a round that was closed, or opened again.
///
/// # Errors
/// The operating system's.
pub fn rewrite(project: &Project, round: &Round) -> Result<()> {
    disk::write_atomic(
        &path(project, &round.name),
        &json_checksum::add(round.to_json()?.as_bytes()),
    )
}

/// Removes the file of a round.
///
/// # Errors
/// The operating system's.
pub fn remove(project: &Project, name: &str) -> Result<()> {
    let path = path(project, name);
    std::fs::remove_file(&path).map_err(|e| Error::io(&e, "cannot be removed", &path))?;
    disk::sync_dir(&folder(project))
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::round::{NewRound, Protocol, draw};

    #[test]
    fn rounds_come_back_in_their_order_and_a_damaged_file_is_named() {
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
        // No journal is taken from there.
        assert!(
            crate::journal::list(&project.sessions())
                .unwrap()
                .is_empty()
        );
    }
}
