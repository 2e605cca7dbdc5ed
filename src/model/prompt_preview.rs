//! The request that a prompt file makes for one item, as it would be sent.

use serde::{Deserialize, Serialize};

/// A request that is shown and not sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PromptPreview {
    /// Number of the item that it is about.
    pub number: u32,
    pub id: String,
    /// The table of benchtop.toml with the model: `writer`, `grounder`, or `judge`.
    pub role: String,
    /// The model of that table; empty without one.
    pub model: String,
    pub seed: u32,
    pub temperature: f64,
    pub max_tokens: u32,
    /// Names of the pictures that are sent along, in order.
    pub pictures: Vec<String>,
    pub system: Option<String>,
    pub prompt: String,
    /// The form of the answer that a server with structured output is asked for.
    pub answer: String,
}
