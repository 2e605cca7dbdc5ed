//! Model files on this machine, as plain data: what `benchtop models` prints and gives as JSON.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// How much of a file or of a model is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileState {
    /// All of it, as far as its size tells; after a verification, by its hash.
    Complete,
    /// Some of it: a pull goes on where it ended.
    Partial,
    /// Nothing.
    Absent,
    /// Something else: the size or the hash is wrong.
    Corrupt,
}

/// One file of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileReport {
    /// Path within the model's repository.
    pub path: String,
    /// How much is there.
    pub state: FileState,
    /// Bytes that are there.
    pub bytes: u64,
    /// Bytes it should have, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Its SHA-256: the one it must have, where one is pinned or locked, else the one found by a verification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// One model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelReport {
    /// The name it is asked for by; of a local folder its path.
    pub name: String,
    /// What it is, in a few words.
    pub what: String,
    /// Repository on the hub; empty for a local folder.
    pub repo: String,
    /// Commit of the repository; empty for a local folder.
    pub revision: String,
    /// Licence of the weights, by its name.
    pub licence: String,
    /// The folder its files lie in, or would.
    pub folder: PathBuf,
    /// The worst state of its files; [`FileState::Partial`] when some are absent and some are not.
    pub state: FileState,
    /// Its files.
    pub files: Vec<FileReport>,
}

/// How far a pull or a verification is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileProgress {
    /// Path within the model's repository.
    pub path: String,
    /// What is being done.
    pub doing: Doing,
    /// Bytes of this file that are done.
    pub done: u64,
    /// Bytes of this file, where that is known.
    pub of: Option<u64>,
}

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doing {
    /// It is fetched.
    Pull,
    /// It is read and hashed.
    Verify,
}

impl ModelReport {
    /// The state of a model whose files are in `states`.
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

    /// What to put where by hand, one line a file that is not complete. Empty when nothing is missing.
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
    fn a_model_is_as_its_files_are() {
        let state = |states: &[FileState]| ModelReport::state_of(states.iter().copied());
        assert_eq!(state(&[Complete, Complete]), Complete);
        assert_eq!(state(&[Absent, Absent]), Absent);
        assert_eq!(state(&[Absent, Complete]), Partial);
        assert_eq!(state(&[Partial, Complete]), Partial);
        assert_eq!(state(&[Absent, Corrupt, Complete]), Corrupt);
    }
}
