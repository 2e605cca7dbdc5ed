//! Where an item's picture is.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A picture as an item names it, and where its bytes are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageRef {
    /// The path or name exactly as the source record has it.
    pub name: String,
    /// blake3 of the file's bytes, 64 hex digits; `None` when the file was not there at import.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// File extension in lower case, without the dot; the copy is `images/<h2>/<hash>.<ext>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ext: Option<String>,
    /// Set when the picture was linked and not copied: its absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<PathBuf>,
}

impl ImageRef {
    /// Path of the content-addressed copy below the project folder, when there is one.
    pub fn stored(&self) -> Option<PathBuf> {
        let hash = self.hash.as_deref()?;
        if self.link.is_some() {
            return None;
        }
        let file = match &self.ext {
            Some(ext) => format!("{hash}.{ext}"),
            None => hash.to_string(),
        };
        Some(PathBuf::from("images").join(hash.get(..2)?).join(file))
    }
}
