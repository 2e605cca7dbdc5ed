//! Metadata of a model, beside its answers.

use serde::{Deserialize, Serialize};

/// A model as a leaderboard describes it. Texts stay as the source has them, since sizes and dates
/// have many spellings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCard {
    pub name: String,
    pub url: Option<String>,
    /// Parameter count, such as `8B`.
    pub parameters: Option<String>,
    /// Its language model.
    pub language_model: Option<String>,
    /// Its vision encoder.
    pub vision_model: Option<String>,
    /// Its publisher.
    pub org: Option<String>,
    /// Release date.
    pub time: Option<String>,
    /// Whether its weights are open, according to the source.
    pub open_source: Option<String>,
    /// Whether the leaderboard's maintainers ran its scores, according to the source.
    pub verified: Option<String>,
}
