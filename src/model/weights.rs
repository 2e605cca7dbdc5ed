//! Model files on this machine, as `benchtop models` reports them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// State of a file or model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileState {
    /// Complete by size or, after a verification, by hash.
    Complete,
    /// Incomplete; a pull continues it.
    Partial,
    /// Missing.
    Absent,
    /// Wrong size or hash.
    Corrupt,
}

/// A file of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileReport {
    /// Path within the model's repository.
    pub path: String,
    pub state: FileState,
    /// Bytes on disk.
    pub bytes: u64,
    /// Expected size, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// SHA-256: the pinned or locked one, otherwise the one found by a verification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The problem with the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// A model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelReport {
    /// Name of the model, or path of a local folder.
    pub name: String,
    /// Short description.
    pub what: String,
    /// Repository on the hub; empty for a local folder.
    pub repo: String,
    /// Commit of the repository; empty for a local folder.
    pub revision: String,
    /// Name of the license.
    pub licence: String,
    /// The folder of its files, existing or not.
    pub folder: PathBuf,
    /// The worst state of its files; [`FileState::Partial`] if only some are absent.
    pub state: FileState,
    pub files: Vec<FileReport>,
}

/// Progress of a pull or verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileProgress {
    pub path: String,
    pub doing: FileOperation,
    /// Bytes done.
    pub done: u64,
    /// Size of the file, if known.
    pub of: Option<u64>,
}

/// The operation on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileOperation {
    /// Downloading.
    Pull,
    /// Reading and hashing.
    Verify,
}

impl ModelReport {
    /// The state of a model from the states of its files.
    pub fn state_of(states: impl IntoIterator<Item = FileState>) -> FileState {
        let states: Vec<_> = states.into_iter().collect();
        let all = |state| states.iter().all(|s| *s == state);
        match () {
            () if states.contains(&FileState::Corrupt) => FileState::Corrupt,
            () if all(FileState::Complete) => FileState::Complete,
            () if all(FileState::Absent) => FileState::Absent,
            () => FileState::Partial,
        }
    }

    /// The bytes of the files whose size is known.
    pub fn size(&self) -> u64 {
        self.files.iter().filter_map(|file| file.size).sum()
    }

    /// The files to place by hand, one line per incomplete file; empty if the model is complete.
    pub fn missing(&self) -> String {
        let lines = self
            .files
            .iter()
            .filter(|f| f.state != FileState::Complete)
            .map(|f| {
                let size = f.size.map(|n| format!(", {n} bytes")).unwrap_or_default();
                let hash = f
                    .sha256
                    .as_ref()
                    .map(|h| format!(", sha256 {h}"))
                    .unwrap_or_default();
                format!("{}{size}{hash}", self.folder.join(&f.path).display())
            });
        lines.collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::FileState::*;
    use super::*;

    #[test]
    fn model_state_follows_its_files() {
        let state = |states: &[FileState]| ModelReport::state_of(states.iter().copied());
        assert_eq!(state(&[Complete, Complete]), Complete);
        assert_eq!(state(&[Absent, Absent]), Absent);
        assert_eq!(state(&[Absent, Complete]), Partial);
        assert_eq!(state(&[Partial, Complete]), Partial);
        assert_eq!(state(&[Absent, Corrupt, Complete]), Corrupt);
    }
}
