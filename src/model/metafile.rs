//! Metadata files as text, including those shipped with the program.

use serde::{Deserialize, Serialize};

/// A metadata file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetaFile {
    /// Path within the metadata folder: `vocabularies/animal.txt`, `judge/NAME.toml`,
    /// `instruct/NAME.toml`, `styles.toml`, `templates.toml`, `compatibility.toml`.
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
}

/// The shipped files as [`MetaFile`]s.
pub fn shipped() -> impl Iterator<Item = MetaFile> {
    SHIPPED.iter().map(|(name, text)| MetaFile {
        name: (*name).into(),
        text: (*text).into(),
    })
}
