//! References to an item's pictures.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Error, Result};

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
    /// Where the picture comes from, and who may see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rights: Option<Box<Rights>>,
}

/// Longest source of a picture, in bytes.
const SOURCE_LIMIT: usize = 2000;
/// Longest license or kind of sensitive content, in bytes.
const WORD_LIMIT: usize = 200;
/// Most kinds of sensitive content of one picture.
const KINDS_LIMIT: usize = 16;

/// The rights to a picture (Dublin Core: source, license) and its sensitive content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rights {
    /// Where the picture comes from: an address, or the name of a collection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The license, best as its SPDX name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// Kinds of sensitive content, such as `celebrity`, `violence`, or `restricted`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitivity: Vec<String>,
}

impl Rights {
    /// Rights from the texts of a table; `None` if all are empty. `sensitivity` is a list with
    /// commas or semicolons.
    pub fn of_texts(
        source: Option<String>,
        license: Option<String>,
        sensitivity: Option<&str>,
    ) -> Option<Box<Rights>> {
        let kinds = sensitivity.unwrap_or_default().split([',', ';']);
        let kinds = kinds.map(str::trim).filter(|kind| !kind.is_empty());
        let rights = Rights {
            source,
            license,
            sensitivity: kinds.map(str::to_string).collect(),
        };
        (rights != Rights::default()).then(|| Box::new(rights))
    }

    /// Checks the values, which can come from outside.
    ///
    /// # Errors
    /// [`Error::input`] with the field.
    pub fn check(&self) -> Result<()> {
        let check = |text: &str, limit: usize, field: &str| {
            let what = match text {
                _ if text.trim().is_empty() => "empty".into(),
                _ if text.len() > limit => format!("the maximum is {limit} bytes"),
                _ if text.chars().any(char::is_control) => "it has control characters".into(),
                _ if field != "source" && text.contains(';') => "it has a semicolon".into(),
                _ => return Ok(()),
            };
            Err(Error::input(what).field(format!("images.rights.{field}")))
        };
        if let Some(source) = &self.source {
            check(source, SOURCE_LIMIT, "source")?;
        }
        if let Some(license) = &self.license {
            check(license, WORD_LIMIT, "license")?;
        }
        if self.sensitivity.len() > KINDS_LIMIT {
            let what = format!("the maximum is {KINDS_LIMIT} kinds");
            return Err(Error::input(what).field("images.rights.sensitivity"));
        }
        let mut kinds = self.sensitivity.iter();
        kinds.try_for_each(|kind| check(kind, WORD_LIMIT, "sensitivity"))
    }
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
