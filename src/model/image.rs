//! Where an item's picture is.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Longest side of a picture that is decoded, in pixels.
pub const SIDE_LIMIT: u32 = 16_384;
/// Most memory that decoding one picture may take, in bytes: 67 million pixels of four bytes.
pub const DECODED_LIMIT: u64 = 256 << 20;
/// Largest picture file that is read, in bytes.
pub const FILE_LIMIT: u64 = 256 << 20;

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
    /// Whether it is a draft that stands in for a picture of a model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draft: bool,
    /// Why the file that was imported cannot be shown, where it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

impl ImageRef {
    /// Path of the content-addressed copy below the project folder, when there is one.
    ///
    /// A hash or an extension of any other shape gives nothing: they come from files that people bring in.
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
    fn only_a_hash_leads_to_a_stored_picture() {
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
