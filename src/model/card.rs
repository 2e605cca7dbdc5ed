//! What is known of a model beside its answers.

use serde::{Deserialize, Serialize};

/// A model as a leaderboard describes it. Texts are as the source has them: sizes and dates come in many spellings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCard {
    /// Its name.
    pub name: String,
    /// Where it is described.
    pub url: Option<String>,
    /// Parameters, such as `8B`.
    pub parameters: Option<String>,
    /// The language model within it.
    pub language_model: Option<String>,
    /// The vision encoder within it.
    pub vision_model: Option<String>,
    /// Who made it.
    pub org: Option<String>,
    /// When it came out.
    pub time: Option<String>,
    /// Whether its weights are open, as the source says.
    pub open_source: Option<String>,
    /// Whether its scores were run by the leaderboard's own people, as the source says.
    pub verified: Option<String>,
}
