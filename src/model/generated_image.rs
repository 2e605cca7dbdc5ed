//! Generated pictures: their keys, their seeds, and their journal records.

use serde::{Deserialize, Serialize};

use super::hash::{first_bytes, of_texts};
use super::{Error, ImageRef, Item, Result};

/// Key of the picture that a data set calls `name`. Items with the same key share the picture.
pub fn picture_key(dataset: &str, name: &str) -> u64 {
    first_bytes(&of_texts([dataset, name]))
}

/// Key of a prompt. It covers the prompt and the negative prompt but not the settings, so a picture
/// does not become outdated when settings change. The fingerprint covers those.
pub fn prompt_key(prompt: &str, negative: Option<&str>) -> u64 {
    first_bytes(&of_texts([prompt, negative.unwrap_or_default()]))
}

/// Key of a picture file, from the 64 hex digits of its hash. Equal files have equal keys.
pub fn file_key(hash: &str) -> Option<u64> {
    u64::from_str_radix(hash.get(..16)?, 16).ok()
}

/// The seed of one sample of a picture. It depends only on these arguments, so the order of work
/// does not change it. It is below 2^32 because some servers and tools accept no larger seed.
pub fn seed_of(job_seed: u64, dataset: &str, name: &str, sample: u32) -> u64 {
    let hash = of_texts([
        "seed",
        &job_seed.to_string(),
        dataset,
        name,
        &sample.to_string(),
    ]);
    first_bytes(&hash) >> 32
}

/// Formats a key as the 16 hex digits used in journals.
pub fn hex(key: u64) -> String {
    format!("{key:016x}")
}

/// A generated picture, as recorded in the picture journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneratedImage {
    /// Project revision of this picture. Earlier verdicts were not on it.
    pub rev: u64,
    /// Data set of its items.
    pub dataset: String,
    /// The picture's name in its items.
    pub picture: String,
    /// Sample number, from 1.
    pub sample: u32,
    /// BLAKE3 hash of the file, 64 hex digits.
    pub hash: String,
    /// File extension.
    pub ext: String,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    pub seed: u64,
    /// [`super::generation::Fingerprint::short`] of the generator.
    pub fingerprint: String,
    /// [`hex`] of its [`prompt_key`].
    pub prompt: String,
    /// The job that generated it.
    pub job: u32,
    /// Time, RFC 3339.
    pub at: String,
    /// Whether it is a draft.
    pub draft: bool,
    /// Remarks for people.
    pub notes: Vec<String>,
    /// Ids of its items at the time.
    pub items: Vec<String>,
    /// For two pictures side by side, the hashes of both.
    #[serde(rename = "of")]
    pub composed_of: Vec<String>,
}

impl GeneratedImage {
    pub fn key(&self) -> u64 {
        picture_key(&self.dataset, &self.picture)
    }

    /// The picture as an item references it.
    pub fn image(&self) -> ImageRef {
        let (hash, ext) = (Some(self.hash.clone()), Some(self.ext.clone()));
        ImageRef {
            name: self.picture.clone(),
            hash,
            ext,
            draft: self.draft,
            ..ImageRef::default()
        }
    }
}

named! {
    /// State of an item's picture, for the filter word `picture:`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum PictureState {
        /// The picture exists.
        Yes = "yes",
        /// The picture is a draft.
        Draft = "draft",
        /// The picture or its file is missing, or the prompt has changed since.
        Missing = "missing",
        /// The item has no picture.
        None = "none",
        /// The file exists but cannot be shown, as found at import.
        Unreadable = "unreadable",
        /// The file exists but cannot be shown, or its bytes do not match the recorded hash. Checking
        /// the hash reads every file, so only filters that ask for it do so.
        Broken = "broken",
    }
}

impl PictureState {
    /// Whether a filter for `asked` matches this state.
    pub fn is_among(self, asked: &[PictureState]) -> bool {
        asked.contains(&self) || self == Self::Unreadable && asked.contains(&Self::Broken)
    }
}

/// A picture to generate, with its prompts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureRequest<'a> {
    pub name: &'a str,
    pub prompt: &'a str,
    pub negative: Option<&'a str>,
}

/// The picture to generate for an item: its first one, if the item has a prompt and no file came
/// with it.
pub fn picture_to_generate(item: &Item) -> Option<PictureRequest<'_>> {
    let image = item.images.first().filter(|i| i.hash.is_none())?;
    let prompt = item.prompt.as_deref().filter(|p| !p.trim().is_empty())?;
    Some(PictureRequest {
        name: &image.name,
        prompt,
        negative: item.negative_prompt.as_deref(),
    })
}

/// Fails if drafts would be used as pictures of a model. `of` counts the units named `what`.
///
/// # Errors
/// [`Error::conflict`] if there are drafts and `wanted` is false.
pub fn check_drafts(drafts: u64, (of, what): (u64, &str), wanted: bool) -> Result<()> {
    if drafts == 0 || wanted {
        return Ok(());
    }
    let what = format!("{drafts} of {of} {what} show a draft instead of a model's picture");
    let help = "set a model in [generate] and run `benchtop generate`, leave the drafts out with --filter 'NOT picture:draft', \
                or use them with --drafts";
    Err(Error::conflict(what).field("drafts").help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_seeds_depend_on_every_part() {
        assert_ne!(picture_key("a", "bc"), picture_key("ab", "c"));
        assert_ne!(prompt_key("a", None), prompt_key("a", Some("b")));
        assert_eq!(
            prompt_key("a", None),
            prompt_key("a", Some("")),
            "no negative prompt equals an empty one"
        );
        let seed = seed_of(1, "set", "a.png", 1);
        for other in [
            seed_of(2, "set", "a.png", 1),
            seed_of(1, "se", "ta.png", 1),
            seed_of(1, "set", "b.png", 1),
            seed_of(1, "set", "a.png", 2),
        ] {
            assert_ne!(seed, other);
        }
        assert!(seed < 1 << 32);
        // Composed benchmarks depend on this value. It must never change.
        assert_eq!(
            seed_of(1, "fifty-3", "images/fifty-3/1.png", 1),
            4_113_525_418
        );
    }

    #[test]
    fn state_names_round_trip() {
        for state in PictureState::ALL {
            assert_eq!(PictureState::from_name(state.name()), Some(state));
        }
        assert_eq!(PictureState::from_name("no"), None);
    }
}
