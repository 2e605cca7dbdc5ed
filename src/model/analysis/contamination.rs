//! Image and image-text contamination (VLB, contamination analysis): results.

use serde::{Deserialize, Serialize};

use crate::scoring::queries::Share;

/// The contamination of some items. Items without a picture are in no count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// Of the compared items, those whose picture is near to a reference picture.
    pub image: Share,
    /// Of the near items that the judge ruled on, those whose caption answers the question.
    pub text_of_near: Share,
    /// Of the compared items, those whose picture is near and whose caption answers the question.
    /// Too low while there are near items without a ruling.
    pub text_of_all: Share,
    /// Near items whose reference picture has no caption.
    pub without_caption: u64,
    /// Near items whose ruling could not be read, was refused, or failed.
    pub without_ruling: u64,
    /// Items that were not compared: not scored yet, or their picture failed.
    pub not_compared: u64,
}

/// The contamination of the originals or of a variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContaminationRow {
    /// The variant, such as `V1+L4`; `None` for the originals.
    pub variant: Option<String>,
    /// Its items with a picture, without those where the original stands in.
    pub items: u64,
    /// Items where the original stands in, which are in no rate.
    pub unmodified: u64,
    pub rates: Rates,
    /// The same over the originals of these items, each once. `None` for the originals, and if the
    /// project has none of them.
    pub originals: Option<Rates>,
}

/// The contamination of a benchmark by the reference folders.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contaminations {
    /// Minimum cosine of near pictures.
    pub threshold: f32,
    /// The judge.
    pub model: String,
    /// The originals, then the variants by number of strategies and name.
    pub rows: Vec<ContaminationRow>,
}
