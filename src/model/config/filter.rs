//! `[filter]`: what scores items.

use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize};

use super::one_line;

/// `[filter]`. Models are names that `benchtop models list` shows, or folders in transformers' layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FilterModels {
    /// The CLIP model of the scorers `clip` and `duplicate`.
    #[serde(deserialize_with = "one_line")]
    pub clip: String,
    /// The SigLIP model of the scorer `siglip`.
    #[serde(deserialize_with = "named")]
    pub siglip: Option<String>,
    /// The safety checker: the folder `safety_checker` of a Stable Diffusion 1.5.
    #[serde(deserialize_with = "named")]
    pub safety: Option<String>,
    /// Languages of Tesseract, with `+` between them.
    #[serde(deserialize_with = "one_line")]
    pub languages: String,
    /// Folders of pictures that the set must have nothing in common with: other benchmarks, training sets.
    pub references: Vec<PathBuf>,
    /// Models whose word the scorer `consensus` takes; all but the blind ones otherwise.
    pub consensus: Vec<String>,
    /// Prediction sets whose models saw no picture: the scorer `blind` goes by them.
    pub blind: Vec<String>,
}

impl Default for FilterModels {
    fn default() -> Self {
        FilterModels {
            clip: "clip-vit-l-14".into(),
            siglip: None,
            safety: None,
            languages: "eng".into(),
            references: Vec::new(),
            consensus: Vec::new(),
            blind: Vec::new(),
        }
    }
}

fn named<'de, D: Deserializer<'de>>(source: D) -> Result<Option<String>, D::Error> {
    one_line(source).map(Some)
}
