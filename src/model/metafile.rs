//! A metadata file as text, and the files that come with the program.

use serde::{Deserialize, Serialize};

/// A metadata file as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetaFile {
    /// Its name in the metadata folder: `vocabularies/animal.txt`, `styles.toml`, `templates.toml`.
    pub name: String,
    /// What it holds.
    pub text: String,
}
