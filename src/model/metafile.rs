//! Metadata files as text, including those shipped with the program.

use serde::{Deserialize, Serialize};

use super::error::{Error, Result};

/// Maximum length of a vocabulary's name, in characters.
const NAME_LIMIT: usize = 80;
/// The folders of metadata files, with the extensions of their files.
pub const FOLDERS: [(&str, &str); 4] = [
    ("instruct", ".toml"),
    ("judge", ".toml"),
    ("vocabularies", ".txt"),
    ("write", ".toml"),
];
/// The metadata files outside of those folders.
pub const SINGLE: [&str; 3] = ["compatibility.toml", "styles.toml", "templates.toml"];

/// A metadata file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetaFile {
    /// Path within the metadata folder: `vocabularies/animal.txt`, `judge/NAME.toml`,
    /// `instruct/NAME.toml`, `write/NAME.toml`, `styles.toml`, `templates.toml`, `compatibility.toml`.
    pub name: String,
    pub text: String,
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        /// The shipped metadata files: path within the metadata folder, and contents.
        pub const SHIPPED: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../metadata/", $name))),)*];
    };
}

shipped! {
    "compatibility.toml",
    "instruct/autobench-v.toml",
    "instruct/dysca.toml",
    "instruct/mm-sap.toml",
    "instruct/mvp.toml",
    "instruct/plain.toml",
    "judge/autobench-v-answer.toml",
    "judge/autobench-v-questions.toml",
    "judge/vlb-l1-word-substitution.toml",
    "judge/vlb-l2-rephrase.toml",
    "judge/vlb-l3-relevant-context.toml",
    "judge/vlb-l4-irrelevant-context.toml",
    "judge/answer-stands.toml",
    "judge/contamination.toml",
    "judge/vlb-v1-add-object.toml",
    "judge/vlb-v2-remove-object.toml",
    "judge/vlb-v3-outpaint.toml",
    "styles.toml",
    "templates.toml",
    "vocabularies/action.txt",
    "vocabularies/age.txt",
    "vocabularies/animal.txt",
    "vocabularies/anime.txt",
    "vocabularies/background.txt",
    "vocabularies/celebrity.txt",
    "vocabularies/clothes.txt",
    "vocabularies/color.txt",
    "vocabularies/expression.txt",
    "vocabularies/food.txt",
    "vocabularies/gender.txt",
    "vocabularies/landmark.txt",
    "vocabularies/movie.txt",
    "vocabularies/object.txt",
    "vocabularies/plant.txt",
    "vocabularies/profession.txt",
    "vocabularies/race.txt",
    "vocabularies/text.txt",
    "vocabularies/tv-show.txt",
    "write/vlb-l1-word-substitution.toml",
    "write/vlb-l2-rephrase.toml",
    "write/vlb-l3-relevant-context.toml",
    "write/vlb-l4-irrelevant-context.toml",
    "write/vlb-v1-add-object.toml",
    "write/vlb-v2-remove-object.toml",
}

/// The shipped files as [`MetaFile`]s.
pub fn shipped() -> impl Iterator<Item = MetaFile> {
    SHIPPED.iter().map(|(name, text)| MetaFile {
        name: (*name).into(),
        text: (*text).into(),
    })
}

/// The name of the vocabulary or judging in the file of this name, where it can be one.
pub fn inner(name: &str) -> Option<&str> {
    let (folder, file) = name.split_once('/')?;
    let (_, ending) = FOLDERS.into_iter().find(|(f, _)| *f == folder)?;
    let name = file.strip_suffix(ending)?;
    let plain = |c: char| c != '/' && !c.is_control();
    (!name.is_empty()
        && !name.starts_with('.')
        && name.chars().count() <= NAME_LIMIT
        && name.chars().all(plain))
    .then_some(name)
}

/// Checks that `name` is that of a metadata file: `compatibility.toml`, `styles.toml`, `templates.toml`,
/// `vocabularies/NAME.txt`, `judge/NAME.toml`, `instruct/NAME.toml`, `write/NAME.toml`. A NAME that is `new` must be one that a slot can have.
///
/// # Errors
/// [`ErrorKind::Input`] says what names there are.
pub fn check_name(name: &str, new: bool) -> Result<()> {
    let slot = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let known = SINGLE.contains(&name) || inner(name).is_some_and(|v| !new || v.chars().all(slot));
    if known {
        return Ok(());
    }
    let shown: String = name
        .chars()
        .take(100)
        .flat_map(char::escape_debug)
        .collect();
    Err(Error::input(format!("`{shown}` cannot be the name of a metadata file")).help(
        "compatibility.toml, styles.toml, templates.toml, vocabularies/NAME.txt, judge/NAME.toml, \
         instruct/NAME.toml or write/NAME.toml, where NAME is lower-case letters, digits and `-`",
    ))
}
