//! The project folder: creates, finds, and opens projects, and checks who owns them.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::{disk, inspect, metadata_folder, regular};
use benchtop_model::config::Config;
use benchtop_model::{Error, ErrorKind, Result};

/// Name of the index folder below `store/`.
pub const INDEX: &str = "index";
/// Name of the settings file. A folder with this file is a project.
pub const FILE: &str = "benchtop.toml";

const TEMPLATE: &str = include_str!("../../benchtop.toml");
const METADATA: &str = include_str!("../../metadata/README.md");
const SESSIONS: &str = include_str!("../../sessions/README.md");
const IGNORE: &str = "# Rebuilt from the rest of the project.\n/store/\n# The running owner process.\n/.owner/\n\
    # Jobs of this machine.\n/jobs/\n# Large, and recomputed if missing.\n/scores/*.embeddings\n";
const FOLDERS: [&str; 6] = [
    "metadata", "images", "sessions", "imports", "exports", "store",
];

/// An opened project folder: its paths and its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    root: PathBuf,
    config: Config,
}

impl Project {
    /// Turns `dir` into a project named after the folder. Creates missing parent folders.
    ///
    /// Existing files stay. `benchtop.toml` is written last, so a folder is a project only when it
    /// is complete. On failure, everything created by this call is removed.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`] if `dir` is already a project, [`ErrorKind::Denied`] if it is not
    /// writable.
    pub fn init(dir: &Path) -> Result<Project> {
        let already = || {
            Error::new(
                ErrorKind::Conflict,
                "this folder is already a benchtop project",
            )
            .file(dir)
            .help("run `benchtop` inside it to open it, or choose another folder")
        };
        if dir.join(FILE).symlink_metadata().is_ok() {
            return Err(already());
        }
        let mut made = Vec::new();
        match Self::fill(dir, &mut made) {
            Ok(true) => {}
            // Another process finished first. The files made here are part of its project now.
            Ok(false) => return Err(already()),
            Err(problem) => {
                if dir.join(FILE).symlink_metadata().is_err() {
                    disk::remove_made(&made);
                }
                return Err(problem);
            }
        }
        Self::open(dir)
    }

    /// Writes the files of a new project and records them in `made`. Returns `false` if another
    /// process wrote `benchtop.toml` first.
    fn fill(dir: &Path, made: &mut Vec<PathBuf>) -> Result<bool> {
        disk::ensure_dirs(dir, made)?;
        for name in FOLDERS {
            if ensure_folder(dir, name)? {
                made.push(dir.join(name));
            }
        }
        let files = [
            ("metadata/README.md", METADATA),
            ("sessions/README.md", SESSIONS),
            (".gitignore", IGNORE),
        ];
        for (name, text) in files {
            let path = dir.join(name);
            if disk::write_new(&path, text.as_bytes())? {
                made.push(path);
            }
        }
        metadata_folder::write_shipped(&dir.join("metadata"), made)?;
        let root =
            fs::canonicalize(dir).map_err(|e| Error::io(&e, "cannot open the folder", dir))?;
        disk::write_new(&dir.join(FILE), template(&root).as_bytes())
    }

    /// Creates the folders that an emptied project lacks, as [`init`](Self::init) does.
    ///
    /// # Errors
    /// I/O errors.
    pub fn ensure_folders(&self) -> Result<()> {
        for name in FOLDERS {
            ensure_folder(&self.root, name)?;
        }
        disk::write_new(&self.sessions().join("README.md"), SESSIONS.as_bytes())?;
        Ok(())
    }

    /// Finds the project that contains `start`: the nearest folder with a `benchtop.toml`, starting
    /// with `start` itself.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if there is none, and the errors of [`open`](Self::open).
    pub fn find(start: &Path) -> Result<Project> {
        let from =
            fs::canonicalize(start).map_err(|e| Error::io(&e, "cannot open the folder", start))?;
        match from.ancestors().find(|dir| dir.join(FILE).is_file()) {
            Some(dir) => Self::open(dir),
            None => {
                Err(Error::new(ErrorKind::NotFound, "not inside a benchtop project: no benchtop.toml here or above")
                    .file(start)
                    .help("run `benchtop init DIR` to create a project, or `benchtop sample DIR` to create one with sample items"))
            }
        }
    }

    /// Opens the project at `dir`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if `dir` is not a project. Errors in `benchtop.toml` carry line and
    /// field.
    pub fn open(dir: &Path) -> Result<Project> {
        let root =
            fs::canonicalize(dir).map_err(|e| Error::io(&e, "cannot open the folder", dir))?;
        let file = root.join(FILE);
        let text =
            regular::read_text(&file, regular::SETTINGS_LIMIT).map_err(
                |problem| match problem.kind {
                    ErrorKind::NotFound => Error::new(
                        ErrorKind::NotFound,
                        "not a benchtop project: the folder has no benchtop.toml",
                    )
                    .file(dir)
                    .help("run `benchtop init DIR` to create a project"),
                    _ => problem,
                },
            )?;
        inspect::folders(&root)?;
        let config = Config::parse(&text, &file)?;
        Ok(Project { root, config })
    }

    /// Absolute path of the project folder, without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Settings of `benchtop.toml` as of the time the project was opened.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// `metadata/`: vocabularies, styles, and templates.
    pub fn metadata(&self) -> PathBuf {
        self.root.join("metadata")
    }

    /// `images/`: pictures, named by the hash of their bytes.
    pub fn images(&self) -> PathBuf {
        self.root.join("images")
    }

    /// `sessions/`: one journal per annotator.
    pub fn sessions(&self) -> PathBuf {
        self.root.join("sessions")
    }

    /// `imports/`: imported items and predictions, from which `store/` is rebuilt.
    pub fn imports(&self) -> PathBuf {
        self.root.join("imports")
    }

    /// `exports/`: exports that have no other path.
    pub fn exports(&self) -> PathBuf {
        self.root.join("exports")
    }

    /// `releases/`: records of releases, and their folders.
    pub fn releases(&self) -> PathBuf {
        self.root.join("releases")
    }

    /// `store/`: rebuilt from the rest of the project if it is missing.
    pub fn store(&self) -> PathBuf {
        self.root.join("store")
    }

    /// `store/index/`: the sled database.
    pub fn index(&self) -> PathBuf {
        self.store().join(INDEX)
    }

    /// `scores/`: the scores of items.
    pub fn scores(&self) -> PathBuf {
        self.present_or_earlier("scores", "scores")
    }

    /// `scores/similarity/`: text similarities.
    pub fn similarity(&self) -> PathBuf {
        self.present_or_earlier("scores/similarity", "similarity")
    }

    /// `scores/rules.json`: earlier sets of rules.
    pub fn rules_history(&self) -> PathBuf {
        self.present_or_earlier("scores/rules.json", "rules.json")
    }

    /// `jobs/scoring.json`: scoring jobs.
    pub fn scoring_jobs(&self) -> PathBuf {
        self.present_or_earlier("jobs/scoring.json", "scoring.json")
    }

    /// Present path of a file or folder, or its earlier path below `store/` if only that exists.
    /// This happens in read-only projects of earlier versions (see `benchtop_store::homes`).
    fn present_or_earlier(&self, now: &str, earlier: &str) -> PathBuf {
        let is_there = |path: &Path| path.symlink_metadata().is_ok();
        let (now, earlier) = (self.root.join(now), self.store().join(earlier));
        if !is_there(&now) && is_there(&earlier) {
            earlier
        } else {
            now
        }
    }

    /// `.owner/`: lock, socket, and log of the running owner process.
    pub fn runtime(&self) -> PathBuf {
        self.root.join(".owner")
    }

    /// Creates `.owner/` as a folder that only this user can enter (0700; 0710 in a shared
    /// project), and returns its path.
    ///
    /// Call this before taking the lock. The project must belong to the current user. This includes
    /// root: files that root writes into somebody's project would lock that person out.
    ///
    /// # Errors
    /// [`ErrorKind::Denied`] if the project or `.owner/` belongs to another user, or if `.owner` is
    /// not a plain folder or cannot be created. [`ErrorKind::Conflict`] on a network file system,
    /// where other machines may not see the lock.
    pub fn ensure_private_runtime(&self) -> Result<PathBuf> {
        let me = rustix::process::geteuid().as_raw();
        let meta = |path: &Path| {
            path.symlink_metadata()
                .map_err(|e| Error::io(&e, "cannot inspect", path))
        };
        check_owner(&self.root, meta(&self.root)?.uid(), me)?;
        if let Some(name) = network_file_system(&self.root)? {
            return Err(Error::new(
                ErrorKind::Conflict,
                format!(
                    "the project is on a network file system ({name}), where locks do not work across machines"
                ),
            )
            .file(&self.root)
            .help("keep the project on a local disk and reach it over SSH"));
        }
        let dir = self.runtime();
        disk::ensure_dir(&dir)?;
        let found = meta(&dir)?;
        if !found.is_dir() {
            return Err(Error::new(ErrorKind::Denied, "not a plain folder")
                .file(&dir)
                .help("remove it; benchtop creates the folder itself"));
        }
        check_owner(&dir, found.uid(), me)?;
        // The group of a shared project must reach the socket, and nothing else.
        let mode = if self.config.shared.group.is_some() {
            0o710
        } else {
            0o700
        };
        if found.mode() & 0o777 != mode {
            fs::set_permissions(&dir, Permissions::from_mode(mode))
                .map_err(|e| Error::io(&e, "cannot make the folder private", &dir))?;
        }
        Ok(dir)
    }
}

/// Creates a folder of a project. Returns whether it was missing.
fn ensure_folder(dir: &Path, name: &str) -> Result<bool> {
    let make = match inspect::PRIVATE.contains(&name) {
        true => disk::ensure_private_dir,
        false => disk::ensure_dir,
    };
    make(&dir.join(name))
}

/// `benchtop.toml` for a project at `root`: the shipped file with the name of the folder.
fn template(root: &Path) -> String {
    let name = root
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    let name = if name.trim().is_empty() {
        "project"
    } else {
        name.trim()
    };
    TEMPLATE.replacen(
        "name = \"benchtop\"",
        &format!("name = {}", toml::Value::String(name.into())),
        1,
    )
}

fn check_owner(path: &Path, uid: u32, me: u32) -> Result<()> {
    if uid == me {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Denied,
        format!("this belongs to another user (uid {uid}; you are uid {me})"),
    )
    .file(path)
    .help("run benchtop as that user, or take over the whole project with `chown -R`"))
}

/// Name of the network file system that holds `path`; `None` on a local disk.
fn network_file_system(path: &Path) -> Result<Option<&'static str>> {
    #[cfg(target_os = "linux")]
    {
        let stat = rustix::fs::statfs(path)
            .map_err(|e| Error::io(&e.into(), "cannot inspect the file system of", path))?;
        // The field's width and sign differ between machines; the magic numbers have 32 bits.
        #[allow(clippy::unnecessary_cast)]
        Ok(network_name(stat.f_type as u64 & 0xffff_ffff))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        Ok(None)
    }
}

/// Name of a network file system, by the magic number of statfs(2).
#[cfg(target_os = "linux")]
fn network_name(magic: u64) -> Option<&'static str> {
    Some(match magic {
        0x6969 => "NFS",
        0x517b => "SMB",
        0xff53_4d42 => "CIFS",
        0xfe53_4d42 => "SMB2",
        0x5346_414f | 0x6b41_4653 => "AFS",
        0x7375_7245 => "Coda",
        0x564c => "NCP",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn init_creates_a_project_that_find_locates_from_a_subfolder() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("deep/my \"bench\"");
        let project = Project::init(&root).unwrap();
        assert_eq!(project.config().name, "my \"bench\"");
        for folder in [
            project.metadata(),
            project.images(),
            project.sessions(),
            project.imports(),
            project.exports(),
        ] {
            assert!(folder.is_dir(), "{}", folder.display());
        }
        let ignored = fs::read_to_string(root.join(".gitignore")).unwrap();
        assert!(
            ignored.contains("/store/")
                && ignored.contains("/.owner/")
                && !ignored.contains("sessions")
        );
        assert_eq!(Project::find(&project.metadata()).unwrap(), project);
        assert_eq!(
            fs::read_to_string(root.join("sessions/README.md")).unwrap(),
            SESSIONS
        );
        let metadata = metadata_folder::names(&project.metadata()).unwrap();
        assert!(
            metadata
                .iter()
                .any(|name| name == "vocabularies/animal.txt")
        );
        assert!(
            fs::read_to_string(root.join(FILE))
                .unwrap()
                .contains("# How verdicts become a status")
        );
    }

    #[test]
    fn a_second_init_is_refused_and_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        Project::init(dir.path()).unwrap();
        fs::write(dir.path().join(FILE), "name = \"mine\"\n").unwrap();
        fs::remove_dir(dir.path().join("exports")).unwrap();
        assert_eq!(
            Project::init(dir.path()).unwrap_err().kind,
            ErrorKind::Conflict
        );
        assert_eq!(
            fs::read_to_string(dir.path().join(FILE)).unwrap(),
            "name = \"mine\"\n"
        );
        assert!(!dir.path().join("exports").exists());
    }

    #[test]
    fn a_failed_init_removes_only_what_it_created() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(".gitignore"), "mine\n").unwrap();
        fs::write(dir.path().join("imports"), "a file in the way").unwrap();
        let problem = Project::init(dir.path()).unwrap_err();
        assert_eq!(problem.place.file, Some(dir.path().join("imports")));
        let mut left: Vec<_> = fs::read_dir(dir.path())
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        left.sort();
        assert_eq!(left, [".gitignore", "imports"]);
        fs::remove_file(dir.path().join("imports")).unwrap();
        Project::init(dir.path()).unwrap();
        assert_eq!(
            fs::read_to_string(dir.path().join(".gitignore")).unwrap(),
            "mine\n"
        );
    }

    #[test]
    fn a_read_only_folder_is_denied() {
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), Permissions::from_mode(0o500)).unwrap();
        if fs::write(dir.path().join("probe"), "").is_ok() {
            // Root may write anywhere the mode forbids; a kernel file system refuses even root.
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                concat!("skipped: this user may write into a read-only folder", "\n").as_bytes(),
            );
            return;
        }
        let problem = Project::init(&dir.path().join("new")).unwrap_err();
        assert_eq!(problem.kind, ErrorKind::Denied, "{problem}");
        assert!(problem.help.is_some());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_root_cannot_write_is_denied() {
        let problem = Project::init(Path::new("/sys/benchtop-test")).unwrap_err();
        assert_eq!(problem.kind, ErrorKind::Denied, "{problem}");
        assert!(problem.help.is_some());
    }

    #[test]
    fn outside_a_project_the_help_names_init_and_sample() {
        let dir = tempfile::tempdir().unwrap();
        let problem = Project::find(dir.path()).unwrap_err();
        assert_eq!(problem.kind, ErrorKind::NotFound);
        let help = problem.help.unwrap();
        assert!(help.contains("benchtop init") && help.contains("benchtop sample"));
        assert_eq!(
            Project::open(dir.path()).unwrap_err().kind,
            ErrorKind::NotFound
        );
        fs::write(dir.path().join(FILE), "nam = 1").unwrap();
        assert_eq!(Project::find(dir.path()).unwrap_err().place.line, Some(1));
    }

    #[test]
    fn the_runtime_folder_is_private_and_never_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project::init(dir.path()).unwrap();
        let runtime = project.ensure_private_runtime().unwrap();
        let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&runtime), 0o700);
        fs::set_permissions(&runtime, Permissions::from_mode(0o755)).unwrap();
        project.ensure_private_runtime().unwrap();
        assert_eq!(mode(&runtime), 0o700);
        fs::remove_dir(&runtime).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), &runtime).unwrap();
        assert_eq!(
            project.ensure_private_runtime().unwrap_err().kind,
            ErrorKind::Denied
        );
    }

    #[test]
    fn a_project_of_another_user_is_refused_even_for_root() {
        let path = Path::new("/p");
        assert_eq!(check_owner(path, 7, 7), Ok(()));
        for (uid, me) in [(7, 8), (0, 7), (7, 0)] {
            assert_eq!(
                check_owner(path, uid, me).unwrap_err().kind,
                ErrorKind::Denied
            );
        }
        let dir = tempfile::tempdir().unwrap();
        let project = Project::init(dir.path()).unwrap();
        if std::os::unix::fs::chown(dir.path(), Some(12345), None).is_err() {
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                concat!("skipped: only root can give a folder away", "\n").as_bytes(),
            );
            return;
        }
        let problem = project.ensure_private_runtime().unwrap_err();
        assert_eq!(problem.kind, ErrorKind::Denied);
        assert!(problem.what.contains("12345"));
        assert!(!project.runtime().exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn network_file_systems_are_recognized() {
        assert_eq!(network_name(0x6969), Some("NFS"));
        assert_eq!(network_name(0xff53_4d42), Some("CIFS"));
        assert_eq!(network_name(0xef53), None);
        assert_eq!(network_file_system(Path::new("/proc")), Ok(None));
    }

    #[test]
    fn the_repository_is_a_project() {
        let project = Project::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap();
        assert_eq!(project.config().name, "benchtop");
        assert!(project.metadata().is_dir() && project.sessions().is_dir());
    }
}
