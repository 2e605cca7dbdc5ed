//! A folder that appears whole or not at all: written beside its place under a temporary name,
//! synced, and renamed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use benchtop_files::disk;
use benchtop_files::project::Project;
use benchtop_model::hash::of_texts;
use benchtop_model::{Error, Result};

use super::tree::{self, Entry};

/// Prefix of the temporary names.
pub(super) const PREFIX: &str = ".benchtop-release-";
pub(super) const SUFFIX: &str = ".tmp";

/// A folder that is being written. Unless it is finished, it is removed.
pub(super) struct Staged {
    temp: PathBuf,
    to: PathBuf,
    /// Folders above it that did not exist.
    made: Vec<PathBuf>,
    is_finished: bool,
}

fn failed(e: &std::io::Error, path: &Path) -> Error {
    Error::io(e, "cannot write the release", path)
}

/// Error for a folder that exists already.
pub(super) fn exists(to: &Path) -> Error {
    Error::conflict("this exists already, and a release never replaces anything")
        .file(to)
        .field("out")
        .help("choose another name or another --out; `benchtop release verify DIR` checks what is there")
}

impl Staged {
    /// Begins the folder `to` of the project's release `name`. What a killed process left of the
    /// same release is removed.
    pub fn begin(project: &Project, to: &Path, name: &str) -> Result<Staged> {
        let root = project.root().to_string_lossy();
        let of = of_texts([&*root]).to_hex();
        let temp = disk::folder(to).join(format!("{PREFIX}{name}-{}{SUFFIX}", &of[..8]));
        let mut staged = Staged {
            temp,
            to: to.to_path_buf(),
            made: Vec::new(),
            is_finished: false,
        };
        disk::ensure_dirs(disk::folder(to), &mut staged.made)?;
        remove(&staged.temp)?;
        disk::ensure_dir(&staged.temp)?;
        Ok(staged)
    }

    pub fn path(&self) -> &Path {
        &self.temp
    }

    /// Writes a file of the folder.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.temp.join(name);
        disk::ensure_dirs(disk::folder(&path), &mut Vec::new())?;
        fs::write(&path, bytes).map_err(|e| failed(&e, &path))
    }

    /// Syncs everything and gives the folder its name.
    ///
    /// # Errors
    /// [`exists`] if something has the name.
    pub fn finish(mut self) -> Result<()> {
        for (path, entry) in tree::of(&self.temp)? {
            if let Entry::File(_) = entry {
                let path = self.temp.join(path);
                let synced = File::open(&path).and_then(|file| file.sync_all());
                synced.map_err(|e| failed(&e, &path))?;
            }
        }
        tree::folders(&self.temp)?
            .iter()
            .try_for_each(|dir| disk::sync_dir(dir))?;
        self.rename()?;
        self.is_finished = true;
        disk::sync_dir(disk::folder(&self.to))
    }

    /// Never replaces anything, an empty folder included.
    #[cfg(target_os = "linux")]
    fn rename(&self) -> Result<()> {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, &self.temp, CWD, &self.to, RenameFlags::NOREPLACE) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(exists(&self.to)),
            // Some file systems do not know the flag.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => self.rename_if_free(),
            Err(e) => Err(failed(&e.into(), &self.to)),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn rename(&self) -> Result<()> {
        self.rename_if_free()
    }

    fn rename_if_free(&self) -> Result<()> {
        if self.to.symlink_metadata().is_ok() {
            return Err(exists(&self.to));
        }
        fs::rename(&self.temp, &self.to).map_err(|e| failed(&e, &self.to))
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.is_finished {
            // What remains is removed by the next attempt.
            let _ = remove(&self.temp);
            disk::remove_made(&self.made);
        }
    }
}

/// Removes a folder with everything in it, or whatever else has the name. Links are not followed.
pub(super) fn remove(path: &Path) -> Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    };
    removed.map_err(|e| Error::io(&e, "cannot remove", path))
}
