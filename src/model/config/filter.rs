//! `[filter]`: the models and settings of the scorers.

use std::path::PathBuf;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::endpoint::named;
use super::one_line;
use crate::scoring::rules::Threshold;

/// `[filter]`. A model is a name from `benchtop models list` or a folder in the layout of
/// transformers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FilterModels {
    /// The CLIP model of the scorers `clip`, `duplicate`, and `contamination`.
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
    /// Cosine from which the scorer `contamination` takes a picture for one of the references
    /// (default [`NEAR`](crate::scoring::NEAR)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contamination_threshold: Option<Threshold>,
    /// Models that the scorer `consensus` uses. Defaults to all models that are not in `blind`.
    pub consensus: Consensus,
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
            contamination_threshold: None,
            consensus: Consensus::default(),
            blind: Vec::new(),
        }
    }
}

/// The models whose answers make the consensus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consensus {
    /// Models by name; all if there are none.
    Models(Vec<String>),
    /// The best models of a column of the board.
    Top { n: u32, column: String },
}

impl Default for Consensus {
    fn default() -> Self {
        Consensus::Models(Vec::new())
    }
}

/// What the setting may be.
const EXPECTED: &str = "a list of models, or text such as `top 6 of Final.clean`";

impl Consensus {
    /// Reads `top N of COLUMN`.
    fn parse(text: &str) -> Option<Consensus> {
        let (n, column) = text
            .trim()
            .strip_prefix("top ")?
            .trim()
            .split_once(" of ")?;
        let (n, column) = (n.trim().parse().ok()?, column.trim());
        let is_plain = !column.is_empty() && !column.chars().any(char::is_control);
        (n > 0 && is_plain).then(|| Consensus::Top {
            n,
            column: column.into(),
        })
    }
}

impl std::fmt::Display for Consensus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Consensus::Models(names) => f.write_str(&names.join(", ")),
            Consensus::Top { n, column } => write!(f, "top {n} of {column}"),
        }
    }
}

impl Serialize for Consensus {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Consensus::Models(names) => names.serialize(to),
            Consensus::Top { .. } => to.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Consensus {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Consensus;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Consensus, E> {
                Consensus::parse(text)
                    .ok_or_else(|| E::custom(format!("`{text}` is not {EXPECTED}")))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, names: A) -> Result<Consensus, A::Error> {
                let names = Deserialize::deserialize(SeqAccessDeserializer::new(names));
                names.map(Consensus::Models).map_err(A::Error::custom)
            }
        }
        source.deserialize_any(Either)
    }
}
