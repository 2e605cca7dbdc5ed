//! What a person on this machine trusts, in their own configuration folder: `trust.jsonl`, a line each. A project cannot
//! hold any of it, since a project can be somebody else's.
//!
//! Three kinds of lines: a destination that the person agreed to (host, variable of the key, what is sent), a folder of
//! pictures outside of a project that they linked to it, and a job that they began or resumed here and that is to go on by itself. A job counts only in the folder where it was begun (path,
//! device and inode), with the random token that lies beside it, and with everything that decides what it sends.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use benchtop_files::disk;
use benchtop_model::trust::Destination;
use benchtop_model::{Error, ErrorKind, Result};

/// The file.
const FILE: &str = "trust.jsonl";
/// Held while it is changed.
const LOCK: &str = "trust.lock";
/// Version of its lines.
const VERSION: u8 = 1;
/// Largest file that is read, in bytes.
const LIMIT: u64 = 4 << 20;
/// Jobs that are remembered: the oldest are forgotten, and wait when they are seen again.
const JOBS: usize = 1000;

/// What kind of job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobKind {
    /// An evaluation.
    Run,
    /// Pictures are made.
    Generation,
    /// Items are scored.
    Scoring,
}

/// The folder of a project as the system knows it: a copy is another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    /// Its path without links.
    pub project: String,
    /// Device.
    pub device: u64,
    /// Inode.
    pub inode: u64,
}

impl Folder {
    /// The folder of the project at `root`.
    ///
    /// # Errors
    /// The operating system's.
    pub fn of(root: &Path) -> Result<Folder> {
        let meta = root
            .symlink_metadata()
            .map_err(|e| Error::io(&e, "cannot be looked at", root))?;
        Ok(Folder {
            project: root.to_string_lossy().into_owned(),
            device: meta.dev(),
            inode: meta.ino(),
        })
    }
}

/// A job that a person began here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedJob {
    /// Where.
    #[serde(flatten)]
    pub folder: Folder,
    /// Which.
    pub kind: JobKind,
    /// Its number.
    pub id: u32,
    /// The random text that lies with the job.
    pub token: String,
    /// Digest of everything that decides what it sends.
    pub digest: String,
}

/// Pictures outside of a project that a person linked to it: they are sent like its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linked {
    /// The project.
    #[serde(flatten)]
    pub folder: Folder,
    /// All below this path, which has no links in it.
    pub pictures: String,
}

/// An agreement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// To what.
    #[serde(flatten)]
    pub destination: Destination,
    /// When, RFC 3339 in UTC.
    pub at: String,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
enum Line {
    Agreement(Agreement),
    Pictures(Linked),
    Job(TrustedJob),
}

#[derive(Serialize, Deserialize)]
struct Written {
    v: u8,
    #[serde(flatten)]
    line: Line,
}

/// What the file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Agreements.
    pub agreements: Vec<Agreement>,
    /// Folders of pictures.
    pub links: Vec<Linked>,
    /// Jobs, the oldest first.
    pub jobs: Vec<TrustedJob>,
    /// Lines that this program cannot read: they trust nothing, and stay as they are.
    pub unread: Vec<String>,
}

impl Held {
    /// Whether the person has agreed to it, or need not.
    pub fn agrees(&self, to: &Destination) -> bool {
        to.needs_no_consent() || self.agreements.iter().any(|a| a.destination.covers(to))
    }

    fn parse(text: &str) -> Held {
        let mut held = Held::default();
        for line in text.lines().filter(|l| !l.trim().is_empty()) {
            match serde_json::from_str::<Written>(line) {
                Ok(Written {
                    v: VERSION,
                    line: Line::Agreement(agreement),
                }) => held.agreements.push(agreement),
                Ok(Written {
                    v: VERSION,
                    line: Line::Pictures(linked),
                }) => held.links.push(linked),
                Ok(Written {
                    v: VERSION,
                    line: Line::Job(job),
                }) => held.jobs.push(job),
                _ => held.unread.push(line.to_string()),
            }
        }
        held
    }

    fn text(&self) -> Result<String> {
        let mut text = String::new();
        let mut put = |line: Line| -> Result<()> {
            let line = serde_json::to_string(&Written { v: VERSION, line })
                .map_err(|e| Error::new(ErrorKind::Io, e.to_string()))?;
            text.push_str(&line);
            text.push('\n');
            Ok(())
        };
        self.agreements
            .iter()
            .try_for_each(|a| put(Line::Agreement(a.clone())))?;
        self.links
            .iter()
            .try_for_each(|l| put(Line::Pictures(l.clone())))?;
        self.jobs
            .iter()
            .try_for_each(|j| put(Line::Job(j.clone())))?;
        self.unread
            .iter()
            .for_each(|line| text.push_str(&format!("{line}\n")));
        Ok(text)
    }
}

/// Where a person's trust is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trust {
    folder: Option<PathBuf>,
}

impl Trust {
    /// In `folder`.
    pub fn at(folder: impl Into<PathBuf>) -> Trust {
        Trust {
            folder: Some(folder.into()),
        }
    }

    /// Where this process's environment says: `$XDG_CONFIG_HOME/benchtop`, else `~/.config/benchtop` (XDG Base Directory
    /// Specification; a relative path there counts as none).
    pub fn of_person() -> Trust {
        let absolute = |name: &str| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|p| p.is_absolute())
        };
        let config =
            absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
        Trust {
            folder: config.map(|c| c.join("benchtop")),
        }
    }

    /// The file; none where there is no home folder.
    pub fn file(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(FILE))
    }

    fn folder(&self) -> Result<&Path> {
        self.folder.as_deref().ok_or_else(|| {
            Error::new(
                ErrorKind::NotFound,
                "there is no home folder to keep agreements in",
            )
            .help("set HOME or XDG_CONFIG_HOME to a folder of yours")
        })
    }

    /// What is trusted now. Without a file nothing is.
    ///
    /// # Errors
    /// [`ErrorKind::Denied`] for a file that others can write, that belongs to another user or is a link;
    /// [`ErrorKind::Input`] for one that is too large or no text; the operating system's.
    pub fn read(&self) -> Result<Held> {
        let Some(path) = self.file() else {
            return Ok(Held::default());
        };
        let fail = |e: std::io::Error| Error::io(&e, "cannot be read", &path);
        // Without NONBLOCK, opening a FIFO waits for its other end.
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let mut file = match OpenOptions::new()
            .read(true)
            .custom_flags(flags)
            .open(&path)
        {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Held::default()),
            Err(_) if path.symlink_metadata().is_ok_and(|m| m.is_symlink()) => {
                return Err(Error::new(
                    ErrorKind::Denied,
                    "this is a link, and a plain file is needed",
                )
                .file(&path));
            }
            Err(e) => return Err(fail(e)),
        };
        let meta = file.metadata().map_err(fail)?;
        if !meta.is_file()
            || meta.uid() != rustix::process::geteuid().as_raw()
            || meta.mode() & 0o022 != 0
        {
            return Err(Error::new(
                ErrorKind::Denied,
                "others can write this file, so nothing in it is trusted",
            )
            .file(&path)
            .help("look at what is in it, make it yours, then `chmod 600` it"));
        }
        if meta.len() > LIMIT {
            return Err(Error::input(format!("the file is larger than {LIMIT} bytes")).file(&path));
        }
        let mut text = String::new();
        Read::take(&mut file, LIMIT)
            .read_to_string(&mut text)
            .map_err(fail)?;
        Ok(Held::parse(&text))
    }

    /// Changes what is trusted, durably and whole; `change` says whether there is something to write.
    ///
    /// # Errors
    /// As [`read`](Self::read), and the operating system's; then nothing is changed.
    pub fn change(&self, change: impl FnOnce(&mut Held) -> bool) -> Result<()> {
        let folder = self.folder()?;
        let fail = |e: std::io::Error| Error::io(&e, "cannot be used for agreements", folder);
        if !folder.is_dir() {
            if let Some(above) = folder.parent() {
                std::fs::create_dir_all(above).map_err(fail)?;
            }
            match DirBuilder::new().mode(0o700).create(folder) {
                Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => return Err(fail(e)),
                _ => {}
            }
        }
        let meta = std::fs::metadata(folder).map_err(fail)?;
        if meta.uid() != rustix::process::geteuid().as_raw() {
            return Err(
                Error::new(ErrorKind::Denied, "this folder belongs to another user").file(folder),
            );
        }
        if meta.mode() & 0o077 != 0 {
            std::fs::set_permissions(folder, Permissions::from_mode(0o700)).map_err(fail)?;
        }
        let flags = OFlags::NOFOLLOW.bits().cast_signed();
        let mut options = OpenOptions::new();
        let lock: File = options
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(flags)
            .open(folder.join(LOCK))
            .map_err(fail)?;
        lock.lock().map_err(fail)?;
        let mut held = self.read()?;
        if !change(&mut held) {
            return Ok(());
        }
        let more = held.jobs.len().saturating_sub(JOBS);
        held.jobs.drain(..more);
        let path = folder.join(FILE);
        // A temporary file is its maker's alone (0600), and so the file that it becomes.
        let mut temp = tempfile::Builder::new()
            .prefix(".trust-")
            .tempfile_in(folder)
            .map_err(fail)?;
        temp.write_all(held.text()?.as_bytes())
            .and_then(|()| temp.as_file().sync_all())
            .map_err(fail)?;
        temp.persist(&path)
            .map_err(|e| Error::io(&e.error, "cannot write", &path))?;
        disk::sync_dir(folder)
    }

    /// The person agrees to these at the moment `at` (RFC 3339).
    ///
    /// # Errors
    /// As [`change`](Self::change).
    pub fn agree(&self, to: &[Destination], at: &str) -> Result<()> {
        self.change(|held| {
            let mut is_new = false;
            for destination in to {
                if !held
                    .agreements
                    .iter()
                    .any(|a| a.destination.covers(destination))
                {
                    held.agreements
                        .retain(|a| !destination.covers(&a.destination));
                    held.agreements.push(Agreement {
                        destination: destination.clone(),
                        at: at.into(),
                    });
                    is_new = true;
                }
            }
            is_new
        })
    }

    /// The person agrees no longer: to this host with this variable, or with any where none is named. Gives what was
    /// taken back.
    ///
    /// # Errors
    /// As [`change`](Self::change).
    pub fn revoke(&self, to: &str, key_env: Option<&str>) -> Result<Vec<Agreement>> {
        let mut gone = Vec::new();
        self.change(|held| {
            let is_meant = |a: &Agreement| {
                a.destination.to == to
                    && key_env.is_none_or(|key| a.destination.key_env.as_deref() == Some(key))
            };
            gone = held
                .agreements
                .iter()
                .filter(|a| is_meant(a))
                .cloned()
                .collect();
            held.agreements.retain(|a| !is_meant(a));
            !gone.is_empty()
        })?;
        Ok(gone)
    }

    /// The pictures below `pictures` are sent like those of the project at `root`, or no longer. Gives whether that is new.
    ///
    /// # Errors
    /// As [`change`](Self::change).
    pub fn link(&self, root: &Path, pictures: &Path, is_linked: bool) -> Result<bool> {
        let linked = Linked {
            folder: Folder::of(root)?,
            pictures: pictures.to_string_lossy().into_owned(),
        };
        let mut is_new = false;
        self.change(|held| {
            is_new = held.links.contains(&linked) != is_linked;
            held.links.retain(|l| *l != linked);
            if is_linked {
                held.links.push(linked.clone());
            }
            is_new
        })?;
        Ok(is_new)
    }

    /// From now on this job goes on by itself, in place of any of its number.
    ///
    /// # Errors
    /// As [`change`](Self::change).
    pub fn begin(&self, job: &TrustedJob) -> Result<()> {
        self.change(|held| {
            held.jobs
                .retain(|j| !is_job(j, &job.folder.project, job.kind, job.id));
            held.jobs.push(job.clone());
            true
        })
    }

    /// This job does not go on by itself any more.
    ///
    /// # Errors
    /// As [`change`](Self::change).
    pub fn end(&self, root: &Path, kind: JobKind, id: u32) -> Result<()> {
        let project = root.to_string_lossy();
        if !self
            .read()?
            .jobs
            .iter()
            .any(|j| is_job(j, &project, kind, id))
        {
            return Ok(());
        }
        self.change(|held| {
            let before = held.jobs.len();
            held.jobs.retain(|j| !is_job(j, &project, kind, id));
            held.jobs.len() != before
        })
    }
}

fn is_job(job: &TrustedJob, project: &str, kind: JobKind, id: u32) -> bool {
    job.folder.project == project && job.kind == kind && job.id == id
}

/// A random text that nobody can guess.
///
/// # Errors
/// The operating system's.
pub fn token() -> Result<String> {
    let path = Path::new("/dev/urandom");
    let mut bytes = [0; 16];
    let read = File::open(path).and_then(|mut f| f.read_exact(&mut bytes));
    read.map_err(|e| Error::io(&e, "no random numbers are to be had", path))?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::trust::DataKind;

    fn to(url: &str, key: Option<&str>) -> Destination {
        Destination::new(url, key, DataKind::Pictures).unwrap()
    }

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn agreements_are_private_kept_and_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let trust = Trust::at(dir.path().join("deep/benchtop"));
        assert_eq!(trust.read().unwrap(), Held::default());
        let (mine, other) = (
            to("https://a.example", Some("A_KEY")),
            to("https://b.example", None),
        );
        trust
            .agree(&[mine.clone(), other.clone()], "2026-01-01T00:00:00Z")
            .unwrap();
        let file = trust.file().unwrap();
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
        let held = trust.read().unwrap();
        assert!(
            held.agrees(&mine)
                && held.agrees(&other)
                && !held.agrees(&to("https://b.example", Some("A_KEY")))
        );
        assert!(
            held.agrees(&to("http://127.0.0.1:9", None))
                && !held.agrees(&to("http://127.0.0.1:9", Some("A_KEY")))
        );
        assert_eq!(
            trust
                .revoke("https://a.example", Some("B_KEY"))
                .unwrap()
                .len(),
            0
        );
        assert_eq!(trust.revoke("https://a.example", None).unwrap().len(), 1);
        assert!(!trust.read().unwrap().agrees(&mine));
    }

    #[test]
    fn what_cannot_be_read_trusts_nothing_and_stays() {
        let dir = tempfile::tempdir().unwrap();
        let trust = Trust::at(dir.path());
        trust.agree(&[to("https://a.example", None)], "t").unwrap();
        let file = trust.file().unwrap();
        let later = "{\"v\":2,\"is\":\"agreement\",\"to\":\"https://b.example\"}";
        let text = format!(
            "{}{later}\nnonsense\n",
            std::fs::read_to_string(&file).unwrap()
        );
        std::fs::write(&file, text).unwrap();
        let held = trust.read().unwrap();
        assert_eq!((held.agreements.len(), held.unread.len()), (1, 2));
        assert!(!held.agrees(&to("https://b.example", None)));
        trust.agree(&[to("https://c.example", None)], "t").unwrap();
        assert!(std::fs::read_to_string(&file).unwrap().contains(later));
        std::fs::set_permissions(&file, Permissions::from_mode(0o620)).unwrap();
        assert_eq!(trust.read().unwrap_err().kind, ErrorKind::Denied);
        assert_eq!(
            trust
                .agree(&[to("https://d.example", None)], "t")
                .unwrap_err()
                .kind,
            ErrorKind::Denied
        );
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
        assert_eq!(trust.read().unwrap_err().kind, ErrorKind::Denied);
    }

    #[test]
    fn a_job_is_of_its_folder_and_number() {
        let dir = tempfile::tempdir().unwrap();
        let (trust, root) = (Trust::at(dir.path().join("config")), dir.path());
        let job = |id: u32, token: &str| TrustedJob {
            folder: Folder::of(root).unwrap(),
            kind: JobKind::Run,
            id,
            token: token.into(),
            digest: "d".into(),
        };
        trust.begin(&job(1, "a")).unwrap();
        trust.begin(&job(2, "b")).unwrap();
        trust.begin(&job(1, "c")).unwrap();
        assert_eq!(trust.read().unwrap().jobs, [job(2, "b"), job(1, "c")]);
        trust.end(root, JobKind::Scoring, 1).unwrap();
        trust.end(root, JobKind::Run, 1).unwrap();
        assert_eq!(trust.read().unwrap().jobs, [job(2, "b")]);
        assert_ne!(token().unwrap(), token().unwrap());
    }

    #[test]
    fn two_processes_do_not_lose_each_others_agreements() {
        let dir = tempfile::tempdir().unwrap();
        let trust = Trust::at(dir.path());
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let trust = trust.clone();
                scope.spawn(move || {
                    for n in 0..5 {
                        trust
                            .agree(&[to(&format!("https://h{thread}-{n}.example"), None)], "t")
                            .unwrap();
                    }
                });
            }
        });
        assert_eq!(trust.read().unwrap().agreements.len(), 20);
    }
}
