//! `models.lock`: the hash that each pulled file had at first, so that it never changes unnoticed.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use benchtop_model::{Error, ErrorKind, Result};

/// What is locked of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Locked {
    /// SHA-256 in lower-case hexadecimal digits.
    pub(super) sha256: String,
    /// Bytes.
    pub(super) size: u64,
}

/// All locked files: `repo@revision`, then path.
#[derive(Debug, Default)]
pub(super) struct Lock {
    at: PathBuf,
    files: BTreeMap<String, BTreeMap<String, Locked>>,
}

impl Lock {
    /// Reads the lock of a cache folder; one that is not there is empty.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] when it cannot be read: nothing is trusted then, since a lock that can be lost protects nothing.
    pub(super) fn read(cache: &Path) -> Result<Lock> {
        let at = cache.join("models.lock");
        let text = match std::fs::read(&at) {
            Ok(text) => text,
            Err(err) if err.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Lock {
                    at,
                    files: BTreeMap::new(),
                });
            }
            Err(err) => return Err(Error::io(&err, "cannot read", &at)),
        };
        let files = serde_json::from_slice(&text).map_err(|err| {
            Error::new(
                ErrorKind::Corrupt,
                format!("the lock of the model files cannot be read: {err}"),
            )
            .file(&at)
            .help("restore it, or remove it if you trust the files that are there")
        })?;
        Ok(Lock { at, files })
    }

    /// What is locked of a file.
    pub(super) fn get(&self, repo: &str, revision: &str, path: &str) -> Option<&Locked> {
        self.files.get(&format!("{repo}@{revision}"))?.get(path)
    }

    /// Locks a file, written whole and renamed.
    ///
    /// # Errors
    /// [`ErrorKind::Io`], [`ErrorKind::DiskFull`] or [`ErrorKind::Denied`] when it cannot be written.
    pub(super) fn set(
        &mut self,
        repo: &str,
        revision: &str,
        path: &str,
        locked: Locked,
    ) -> Result<()> {
        let files = self.files.entry(format!("{repo}@{revision}")).or_default();
        if files.get(path) == Some(&locked) {
            return Ok(());
        }
        files.insert(path.to_string(), locked);
        let failed = |err: &std::io::Error| Error::io(err, "cannot write", &self.at);
        let folder = self.at.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(|e| failed(&e))?;
        let mut text = serde_json::to_vec_pretty(&self.files).map_err(|e| {
            Error::new(
                ErrorKind::Io,
                format!("cannot write the lock of the model files: {e}"),
            )
        })?;
        text.push(b'\n');
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|e| failed(&e))?;
        file.write_all(&text)
            .and_then(|()| file.as_file().sync_all())
            .map_err(|e| failed(&e))?;
        file.persist(&self.at).map_err(|e| failed(&e.error))?;
        Ok(())
    }
}
