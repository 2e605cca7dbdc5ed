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

/// What a tool that wrote a file of answers made of one of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolVerdict {
    /// 1 for right, 0 for wrong, or a share.
    pub right: Option<f64>,
    /// What it read in the answer.
    pub extracted: Option<String>,
}

impl ToolVerdict {
    /// Whether the tool says nothing.
    pub fn is_empty(&self) -> bool {
        self.right.is_none() && self.extracted.is_none()
    }

    /// What it says, in words for people: `right`, `B, wrong`, `0.5`.
    pub fn said(&self) -> String {
        let judged = match (self.is_right(), self.right) {
            (Some(true), _) => Some("right".to_string()),
            (Some(false), _) => Some("wrong".to_string()),
            (None, share) => share.map(|share| share.to_string()),
        };
        self.extracted
            .clone()
            .into_iter()
            .chain(judged)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Whether the tool calls the answer right; `None` where it says nothing or gives a share.
    pub fn is_right(&self) -> Option<bool> {
        let right = self.right?;
        (right == 0.0 || right == 1.0).then_some(right == 1.0)
    }
}
