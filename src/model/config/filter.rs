//! `[filter]`: the models and settings of the scorers.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::endpoint::named;
use super::one_line;

/// `[filter]`. A model is a name from `benchtop models list` or a folder in the layout of
/// transformers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FilterModels {
    /// The CLIP model of the scorers `clip` and `duplicate`.
    #[serde(deserialize_with = "one_line")]
    pub clip: String,
    /// The SigLIP model of the scorer `siglip`.
    #[serde(deserialize_with = "named")]
    pub siglip: Option<String>,
    /// The safety checker: the `safety_checker` folder of a Stable Diffusion 1.5 model.
    #[serde(deserialize_with = "named")]
    pub safety: Option<String>,
    /// Tesseract languages, joined by `+`.
    #[serde(deserialize_with = "one_line")]
    pub languages: String,
    /// Folders of pictures that must not occur in the project, such as other benchmarks and
    /// training sets.
    pub references: Vec<PathBuf>,
    /// Models that the scorer `consensus` uses. Defaults to all models that are not in `blind`.
    pub consensus: Vec<String>,
    /// Prediction sets of models that saw no pictures, for the scorer `blind`.
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
