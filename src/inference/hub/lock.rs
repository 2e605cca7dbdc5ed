//! `models.lock`: the hash of each file at its first pull, to detect later changes.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use benchtop_model::{Error, Result};

/// The locked hash and size of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Locked {
    /// SHA-256 in lowercase hexadecimal digits.
    pub(super) sha256: String,
    /// Size in bytes.
    pub(super) size: u64,
}

/// All locked files, by `repo@revision` and path.
#[derive(Debug, Default)]
pub(super) struct Lock {
    at: PathBuf,
    files: BTreeMap<String, BTreeMap<String, Locked>>,
}

impl Lock {
    /// Reads the lock of a cache folder. A missing file is an empty lock.
    ///
    /// # Errors
    /// [`Error::corrupt`] if the file cannot be parsed. An unreadable lock must not count as
    /// empty, or it would not protect anything.
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
            Error::corrupt(format!("cannot read the lock of the model files: {err}"))
                .file(&at)
                .help("restore the file, or remove it if you trust the model files")
        })?;
        Ok(Lock { at, files })
    }

    pub(super) fn get(&self, repo: &str, revision: &str, path: &str) -> Option<&Locked> {
        self.files.get(&format!("{repo}@{revision}"))?.get(path)
    }

    /// Locks a file, and writes the lock atomically.
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
        let mut text = serde_json::to_vec_pretty(&self.files)
            .map_err(|e| Error::failed(format!("cannot write the lock of the model files: {e}")))?;
        text.push(b'\n');
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|e| failed(&e))?;
        file.write_all(&text)
            .and_then(|()| file.as_file().sync_all())
            .map_err(|e| failed(&e))?;
        file.persist(&self.at).map_err(|e| failed(&e.error))?;
        Ok(())
    }
}
