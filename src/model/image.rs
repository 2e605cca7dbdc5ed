//! References to an item's pictures.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Longest side of a decodable picture, in pixels.
pub const SIDE_LIMIT: u32 = 16_384;
/// Memory limit for decoding one picture: 67 million pixels of four bytes.
pub const DECODED_LIMIT: u64 = 256 << 20;
/// Size limit of picture files, in bytes.
pub const FILE_LIMIT: u64 = 256 << 20;

/// A picture of an item: its name and the place of its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageRef {
    /// The path or name exactly as in the source record.
    pub name: String,
    /// BLAKE3 hash of the file, 64 hex digits; `None` if the file was missing at import.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// File extension in lowercase, without the dot. The copy is `images/<h2>/<hash>.<ext>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ext: Option<String>,
    /// The absolute path, if the picture was linked instead of copied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<PathBuf>,
    /// Whether it is a draft.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
    /// The reason that the imported file cannot be shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

impl ImageRef {
    /// A picture of which only the name is known.
    pub fn named(name: impl Into<String>) -> ImageRef {
        ImageRef {
            name: name.into(),
            ..ImageRef::default()
        }
    }

    /// Path of the content-addressed copy below the project folder.
    ///
    /// `None` if the picture has no copy, or if the hash or extension is malformed. Both can come
    /// from outside.
    pub fn stored(&self) -> Option<PathBuf> {
        let hash = self.hash.as_deref()?;
        let is_hash = hash.len() == 64
            && hash
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        let is_ext = |ext: &str| {
            !ext.is_empty() && ext.len() <= 8 && ext.bytes().all(|b| b.is_ascii_alphanumeric())
        };
        if self.link.is_some() || !is_hash || !self.ext.as_deref().is_none_or(is_ext) {
            return None;
        }
        let file = match &self.ext {
            Some(ext) => format!("{hash}.{ext}"),
            None => hash.to_string(),
        };
        Some(PathBuf::from("images").join(hash.get(..2)?).join(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_hashes_have_no_stored_path() {
        let image = |hash: &str, ext: Option<&str>| ImageRef {
            name: "a.png".into(),
            hash: Some(hash.into()),
            ext: ext.map(str::to_string),
            ..ImageRef::default()
        };
        let hash = "0a".repeat(32);
        assert_eq!(
            image(&hash, Some("png")).stored(),
            Some(PathBuf::from(format!("images/0a/{hash}.png")))
        );
        for bad in [
            "../../../../etc/passwd",
            "",
            "0a",
            "\u{e9}\u{e9}",
            &"0A".repeat(32),
            &"/".repeat(64),
        ] {
            assert_eq!(image(bad, None).stored(), None, "{bad}");
        }
        assert_eq!(image(&hash, Some("/../../x")).stored(), None);
    }
}
