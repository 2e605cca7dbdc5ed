//! What a model answered.

use serde::{Deserialize, Serialize};

use super::item::Key;

/// One model's answer to one question, as its file has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The question's id in its source file.
    pub key: Key,
    /// The raw output.
    pub output: String,
    /// The answer that the released rule extracted, where the file stores it (MVP-Bench's `extracted (rule)`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The answer that a language-model judge extracted, where the file stores it (MVP-Bench's `extracted (GPT)`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// Fields of the source row that have no place above, in their order.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub extra: serde_json::Map<String, serde_json::Value>,
}
