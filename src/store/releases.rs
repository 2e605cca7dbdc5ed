//! Records of releases: `releases/<name>.json`, one file per release. They cannot be rebuilt: the
//! folder of a release may be elsewhere.

use std::path::PathBuf;

use benchtop_files::project::Project;
use benchtop_files::{disk, regular};
use benchtop_model::release::ReleaseRecord;
use benchtop_model::sorting::sort_by;
use benchtop_model::{Error, Result};

/// Maximum size of a record, in bytes. A record of a million items has about 130 MB.
pub const RECORD_LIMIT: u64 = 512 << 20;

/// Path of the record of a release.
pub fn path(project: &Project, name: &str) -> PathBuf {
    project.releases().join(format!("{name}.json"))
}

/// Names of the recorded releases, sorted.
pub fn names(project: &Project) -> Vec<String> {
    let files = disk::list(&project.releases());
    let name = |(file, path): (String, PathBuf)| {
        let name = file.strip_suffix(".json")?;
        let is_file = path.symlink_metadata().is_ok_and(|meta| meta.is_file());
        (is_file && !name.is_empty() && !name.starts_with('.')).then(|| name.to_string())
    };
    files.into_iter().filter_map(name).collect()
}

/// Reads the record of a release.
///
/// # Errors
/// [`Error::not_found`] if the project has no release of this name, and errors with the file.
pub fn read(project: &Project, name: &str) -> Result<ReleaseRecord> {
    let path = path(project, name);
    let bytes = regular::read_if_there(&path, RECORD_LIMIT)?;
    let bytes = bytes.ok_or_else(|| {
        let names = names(project).join(", ");
        let help = match names.is_empty() {
            true => "the project has no release yet; `benchtop release NAME` makes one".into(),
            false => format!("the releases are: {names}"),
        };
        Error::not_found(format!("no release `{name}` in this project")).help(help)
    })?;
    let record = ReleaseRecord::parse(&bytes).map_err(|problem| problem.file(&path))?;
    if record.name != name {
        let what = format!("the file name does not match the release `{}`", record.name);
        return Err(Error::input(what)
            .file(path)
            .field("name")
            .help("rename the file to `<name>.json`"));
    }
    Ok(record)
}

/// Reads all records in order, and returns the errors of those that are not valid.
pub fn read_all(project: &Project) -> (Vec<ReleaseRecord>, Vec<Error>) {
    let (mut records, mut problems) = (Vec::new(), Vec::new());
    for name in names(project) {
        match read(project, &name) {
            Ok(record) => records.push(record),
            Err(problem) => problems.push(problem),
        }
    }
    sort_by(&mut records, |a: &ReleaseRecord, b| {
        (a.number, &a.name).cmp(&(b.number, &b.name))
    });
    (records, problems)
}

/// The record of a new release, on the disk under a temporary name.
pub struct NewRecord {
    file: tempfile::NamedTempFile,
    path: PathBuf,
}

/// Writes the record of a new release under a temporary name, so that [`NewRecord::commit`] needs no
/// more space.
///
/// # Errors
/// [`Error::conflict`] if the project has a release of this name.
pub fn prepare(project: &Project, record: &ReleaseRecord) -> Result<NewRecord> {
    disk::ensure_dir(&project.releases())?;
    let path = path(project, &record.name);
    if path.symlink_metadata().is_ok() {
        return Err(exists(path));
    }
    let file = disk::staged(&path, &[&record.to_json()?])?;
    Ok(NewRecord { file, path })
}

fn exists(path: PathBuf) -> Error {
    Error::conflict("the project has a release of this name")
        .file(path)
        .field("name")
}

impl NewRecord {
    /// Gives the record its name.
    ///
    /// # Errors
    /// [`Error::conflict`] if the project got a release of this name meanwhile.
    pub fn commit(self) -> Result<()> {
        match self.file.persist_noclobber(&self.path) {
            Ok(_) => disk::sync_dir(disk::folder(&self.path)),
            Err(e) if e.error.kind() == std::io::ErrorKind::AlreadyExists => Err(exists(self.path)),
            Err(e) => Err(Error::io(&e.error, "cannot write", &self.path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::ErrorKind;
    use benchtop_model::release::VERSION;

    #[test]
    fn records_are_ordered_and_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::init(dir.path()).unwrap();
        let record = |name: &str, number: u32| ReleaseRecord {
            v: VERSION,
            name: name.into(),
            number,
            ..ReleaseRecord::default()
        };
        let missing = read(&project, "a").unwrap_err();
        assert_eq!(missing.kind, ErrorKind::NotFound);
        let create = |record: &ReleaseRecord| prepare(&project, record)?.commit();
        create(&record("b", 1)).unwrap();
        let late = prepare(&project, &record("a", 3)).unwrap();
        create(&record("a", 2)).unwrap();
        assert_eq!(late.commit().unwrap_err().kind, ErrorKind::Conflict);
        let again = create(&record("a", 3)).unwrap_err();
        assert_eq!(again.kind, ErrorKind::Conflict);
        let named = |(records, problems): (Vec<ReleaseRecord>, Vec<Error>)| {
            let names: Vec<_> = records.into_iter().map(|r| (r.name, r.number)).collect();
            (names, problems.len())
        };
        let two = vec![("b".to_string(), 1), ("a".to_string(), 2)];
        assert_eq!(named(read_all(&project)), (two.clone(), 0));
        // A renamed, a damaged, and a linked file.
        let at = |name: &str| project.releases().join(name);
        std::fs::copy(at("a.json"), at("c.json")).unwrap();
        std::fs::write(at("d.json"), "{").unwrap();
        std::os::unix::fs::symlink(at("a.json"), at("e.json")).unwrap();
        assert_eq!(named(read_all(&project)), (two, 2));
        assert_eq!(read(&project, "e").unwrap_err().kind, ErrorKind::Denied);
    }
}
