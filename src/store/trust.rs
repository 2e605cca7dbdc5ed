//! The trust file of a person, `trust.jsonl` in their configuration folder. A project cannot store
//! it, since a project can come from somebody else.
//!
//! It has three kinds of lines: an agreement to send data to a destination (host, key variable,
//! kind of data), a folder of linked pictures outside of a project, and a job that the person
//! started or resumed and that may continue on its own. A job is trusted only in the folder where
//! it started (path, device, and inode), with the random token beside it, and with the same digest
//! of everything that it sends.

mod lines;

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use benchtop_files::disk;
use benchtop_model::trust::Destination;
use benchtop_model::{Error, Result};
pub use lines::TrustFile;

const FILE: &str = "trust.jsonl";
/// Locked during a change.
const LOCK: &str = "trust.lock";
/// Maximum size of the file in bytes.
const MAX_FILE: u64 = 4 << 20;
/// Maximum number of remembered jobs. The oldest are dropped, and wait for a person when they are
/// seen again.
const MAX_JOBS: usize = 1000;

/// Identifies the folder of a project. A copy of the folder has another identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    /// Absolute path without symbolic links.
    pub project: String,
    pub device: u64,
    pub inode: u64,
}

impl Folder {
    /// Identifies the folder at `root`.
    pub fn of(root: &Path) -> Result<Folder> {
        let meta = root
            .symlink_metadata()
            .map_err(|e| Error::io(&e, "cannot be read", root))?;
        Ok(Folder {
            project: root.to_string_lossy().into_owned(),
            device: meta.dev(),
            inode: meta.ino(),
        })
    }
}

/// A job that a person started on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedJob {
    #[serde(flatten)]
    pub folder: Folder,
    /// Name of the kind of job.
    pub kind: String,
    pub id: u32,
    /// The random text that is stored with the job.
    pub token: String,
    /// Digest of everything that decides which data the job sends.
    pub digest: String,
}

/// A folder of linked pictures outside of a project. They may be sent like the project's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linked {
    #[serde(flatten)]
    pub folder: Folder,
    /// Folder of the pictures, without symbolic links.
    pub pictures: String,
}

/// An agreement to send data to a destination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    #[serde(flatten)]
    pub destination: Destination,
    /// Time of the agreement, RFC 3339 in UTC.
    pub at: String,
}

/// Location of a person's trust file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trust {
    folder: Option<PathBuf>,
}

impl Trust {
    pub fn in_folder(folder: impl Into<PathBuf>) -> Trust {
        Trust {
            folder: Some(folder.into()),
        }
    }

    /// The trust file of the current user: below `$XDG_CONFIG_HOME/benchtop`, or else
    /// `~/.config/benchtop`. As the XDG Base Directory Specification demands, relative paths are
    /// ignored.
    pub fn of_current_user() -> Trust {
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

    /// Path of the file, or `None` without a home folder.
    pub fn file(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(FILE))
    }

    fn folder(&self) -> Result<&Path> {
        self.folder.as_deref().ok_or_else(|| {
            Error::not_found("no home folder to store agreements in")
                .help("set HOME or XDG_CONFIG_HOME to a folder that you own")
        })
    }

    /// Reads the file. A missing file grants nothing.
    ///
    /// # Errors
    /// [`Error::denied`] if others can write the file, if it belongs to another user, or if it
    /// is a symbolic link. [`Error::input`] if it is too large.
    pub fn read(&self) -> Result<TrustFile> {
        let Some(path) = self.file() else {
            return Ok(TrustFile::default());
        };
        let fail = |e: std::io::Error| Error::io(&e, "cannot be read", &path);
        // Without NONBLOCK, opening a FIFO blocks until its other end is open.
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let mut file = match OpenOptions::new()
            .read(true)
            .custom_flags(flags)
            .open(&path)
        {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(TrustFile::default()),
            Err(_) if path.symlink_metadata().is_ok_and(|m| m.is_symlink()) => {
                return Err(Error::denied(
                    "the trust file is a symbolic link, expected a regular file",
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
            return Err(Error::denied(
                "the trust file is ignored, because other users can write it",
            )
            .file(&path)
            .help("check its content, then run `chown` and `chmod 600` on it"));
        }
        if meta.len() > MAX_FILE {
            return Err(
                Error::input(format!("the file is larger than {MAX_FILE} bytes")).file(&path),
            );
        }
        let mut text = String::new();
        Read::take(&mut file, MAX_FILE)
            .read_to_string(&mut text)
            .map_err(fail)?;
        Ok(TrustFile::parse(&text))
    }

    /// Changes the file atomically and durably. `change` returns whether there is something to
    /// write.
    ///
    /// # Errors
    /// See [`read`](Self::read). Nothing is changed then.
    pub fn change(&self, change: impl FnOnce(&mut TrustFile) -> bool) -> Result<()> {
        let folder = self.folder()?;
        let fail = |e: std::io::Error| Error::io(&e, "cannot store agreements", folder);
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
            return Err(Error::denied("the folder belongs to another user").file(folder));
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
        let more = held.jobs.len().saturating_sub(MAX_JOBS);
        held.jobs.drain(..more);
        let path = folder.join(FILE);
        // A temporary file has mode 0600, and so has the file after the rename.
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

    /// Records agreements to these destinations. `at` is an RFC 3339 time.
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

    /// Revokes agreements with the host `to` for the variable `key_env`, or for every variable.
    /// Returns the revoked agreements.
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

    /// Links the pictures below `pictures` to the project at `root`, or removes the link. Returns
    /// whether this changed something.
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

    /// Lets this job continue on its own. Replaces a job with the same number.
    pub fn begin(&self, job: &TrustedJob) -> Result<()> {
        self.change(|held| {
            held.jobs
                .retain(|j| !is_job(j, &job.folder.project, &job.kind, job.id));
            held.jobs.push(job.clone());
            true
        })
    }

    /// Revokes the trust in this job.
    pub fn end(&self, root: &Path, kind: &str, id: u32) -> Result<()> {
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

fn is_job(job: &TrustedJob, project: &str, kind: &str, id: u32) -> bool {
    job.folder.project == project && job.kind == kind && job.id == id
}

/// A random token of 32 hexadecimal digits.
pub fn token() -> Result<String> {
    let path = Path::new("/dev/urandom");
    let mut bytes = [0; 16];
    let read = File::open(path).and_then(|mut f| f.read_exact(&mut bytes));
    read.map_err(|e| Error::io(&e, "cannot read random bytes", path))?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

#[cfg(test)]
mod tests;
