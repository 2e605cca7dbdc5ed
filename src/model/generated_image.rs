//! Pictures that were made here: what one is called, how its seed follows, and what the picture journal says of it.

use serde::{Deserialize, Serialize};

use super::{Error, ErrorKind, ImageRef, Item, Result};

/// A number for the picture that a data set calls `name`: items with the same number are about the same picture.
pub fn picture_key(dataset: &str, name: &str) -> u64 {
    first_bytes(&hash_of(&[dataset, name]))
}

/// A number for what a picture is made from. It covers prompt and negative prompt and not the settings, so that a
/// picture is not out of date because the settings were tuned afterwards; those are in its fingerprint.
pub fn prompt_key(prompt: &str, negative: Option<&str>) -> u64 {
    first_bytes(&hash_of(&[prompt, negative.unwrap_or_default()]))
}

/// A number for a picture file, from the 64 hex digits of its hash: pictures with the same bytes have the same number.
pub fn file_key(hash: &str) -> Option<u64> {
    u64::from_str_radix(hash.get(..16)?, 16).ok()
}

/// The seed of one sample of a picture. It depends on nothing else, so that neither the order of the work nor what
/// else is made changes it; and it is below 2^32, since servers and other tools take no larger one.
pub fn seed_of(job_seed: u64, dataset: &str, name: &str, sample: u32) -> u64 {
    let hash = hash_of(&[
        "seed",
        &job_seed.to_string(),
        dataset,
        name,
        &sample.to_string(),
    ]);
    first_bytes(&hash) >> 32
}

/// blake3 over the parts with their lengths: where one ends and the next begins counts.
fn hash_of(parts: &[&str]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher
            .update(&(part.len() as u64).to_le_bytes())
            .update(part.as_bytes());
    }
    hasher.finalize()
}

fn first_bytes(hash: &blake3::Hash) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// 16 hex digits, as journals have such numbers.
pub fn hex(key: u64) -> String {
    format!("{key:016x}")
}

/// A picture that was made, as the journal records it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneratedImage {
    /// Revision of the project that it made: verdicts before it were not on this picture.
    pub rev: u64,
    /// The data set of its items.
    pub dataset: String,
    /// What they call it.
    pub picture: String,
    /// Which sample of it, from 1.
    pub sample: u32,
    /// blake3 of the file, 64 hex digits.
    pub hash: String,
    /// The file's extension.
    pub ext: String,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The seed it was made from.
    pub seed: u64,
    /// [`super::generation::Fingerprint::short`] of what made it.
    pub fingerprint: String,
    /// [`hex`] of its [`prompt_key`].
    pub prompt: String,
    /// The job that asked for it.
    pub job: u32,
    /// When, RFC 3339.
    pub at: String,
    /// Whether it stands in for a picture of a model.
    pub draft: bool,
    /// What a person should know of it.
    pub notes: Vec<String>,
    /// Ids of the items it belonged to when it was made.
    pub items: Vec<String>,
    /// For two pictures side by side: the hashes of both.
    pub of: Vec<String>,
}

impl GeneratedImage {
    /// See [`picture_key`].
    pub fn key(&self) -> u64 {
        picture_key(&self.dataset, &self.picture)
    }

    /// The picture as an item refers to it.
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

/// What an item's picture is, as the filter word `picture:` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PictureState {
    /// It is there.
    Yes,
    /// What is there is a draft.
    Draft,
    /// The item names a picture that is not there or whose file is gone, or one made from another prompt.
    Missing,
    /// The item is about no picture.
    None,
    /// The file is there and cannot be shown: import said so.
    Unreadable,
    /// The file is there and cannot be shown: import said so, or its bytes are not those that were recorded. To know the
    /// latter every file has to be read, so that only those who ask for it are told.
    Broken,
}

impl PictureState {
    /// All of them, in the order they are listed.
    pub const ALL: [PictureState; 6] = [
        Self::Yes,
        Self::Draft,
        Self::Missing,
        Self::None,
        Self::Unreadable,
        Self::Broken,
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Draft => "draft",
            Self::Missing => "missing",
            Self::None => "none",
            Self::Unreadable => "unreadable",
            Self::Broken => "broken",
        }
    }

    /// Whether it is one of those that are asked for.
    pub fn is_among(self, asked: &[PictureState]) -> bool {
        asked.contains(&self) || self == Self::Unreadable && asked.contains(&Self::Broken)
    }

    /// The state of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }
}

/// One picture that an item names and that can be made, with what it is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// Its name.
    pub name: &'a str,
    /// The prompt.
    pub prompt: &'a str,
    /// The negative prompt.
    pub negative: Option<&'a str>,
}

/// The picture of an item that has to be made: its first one, where the item has a prompt and no file came with it.
pub fn wanted(item: &Item) -> Option<Wanted<'_>> {
    let image = item.images.first().filter(|i| i.hash.is_none())?;
    let prompt = item.prompt.as_deref().filter(|p| !p.trim().is_empty())?;
    Some(Wanted {
        name: &image.name,
        prompt,
        negative: item.negative_prompt.as_deref(),
    })
}

/// Refuses what would take the drafts among so many `what` for pictures of a model.
///
/// # Errors
/// [`ErrorKind::Conflict`], unless there are none or they are wanted.
pub fn check_drafts(drafts: u64, (of, what): (u64, &str), wanted: bool) -> Result<()> {
    if drafts == 0 || wanted {
        return Ok(());
    }
    let what = format!("{drafts} of {of} {what} show a draft, which is no picture of a model");
    let help = "`benchtop generate` makes the pictures once [generate] names a model; --filter 'NOT picture:draft' leaves \
                these items out; --drafts takes them as they are";
    Err(Error::new(ErrorKind::Conflict, what)
        .field("drafts")
        .help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_seeds_depend_on_every_part_and_on_where_it_ends() {
        assert_ne!(picture_key("a", "bc"), picture_key("ab", "c"));
        assert_ne!(prompt_key("a", None), prompt_key("a", Some("b")));
        assert_eq!(
            prompt_key("a", None),
            prompt_key("a", Some("")),
            "no negative prompt is an empty one"
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
        // A benchmark generated today must come out the same in five years.
        assert_eq!(
            seed_of(1, "fifty-3", "images/fifty-3/1.png", 1),
            4_113_525_418
        );
    }

    #[test]
    fn states_are_found_by_their_names() {
        for state in PictureState::ALL {
            assert_eq!(PictureState::from_name(state.name()), Some(state));
        }
        assert_eq!(PictureState::from_name("no"), None);
    }
}
