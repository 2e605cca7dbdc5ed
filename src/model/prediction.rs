//! Predictions of models.

use serde::{Deserialize, Serialize};

use super::item::Key;

/// A model's output for one question, as in its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The question's id in its source file.
    pub key: Key,
    /// The raw output.
    pub output: String,
    /// The answer extracted by the released rule, if the file has it (MVP-Bench's `extracted
    /// (rule)`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The answer extracted by a language model, if the file has it (MVP-Bench's `extracted
    /// (GPT)`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// Other fields of the source row, in order.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub extra: serde_json::Map<String, serde_json::Value>,
}

/// The verdict of the tool that wrote a prediction file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolVerdict {
    /// 1 if right, 0 if wrong, or a share.
    pub right: Option<f64>,
    /// The answer that it extracted.
    pub extracted: Option<String>,
}

impl ToolVerdict {
    /// Whether the tool gave no verdict.
    pub fn is_empty(&self) -> bool {
        self.right.is_none() && self.extracted.is_none()
    }

    /// The verdict in words: `right`, `B, wrong`, `0.5`.
    pub fn describe(&self) -> String {
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

    /// Whether the tool counts the answer as right; `None` without a verdict or for a share.
    pub fn is_right(&self) -> Option<bool> {
        let right = self.right?;
        (right == 0.0 || right == 1.0).then_some(right == 1.0)
    }
}
