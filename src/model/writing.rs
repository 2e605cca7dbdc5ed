//! The forms of what models write. The requests are files in `metadata/write/`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::vlm::Schema;

/// The form of the answer to a writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WrittenForm {
    /// A text of at most so many words.
    Text { words: u32 },
    /// Objects with boxes.
    Boxes { count: u32 },
    /// Numbers of marks in the picture.
    Marks { count: u32 },
}

impl WrittenForm {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            WrittenForm::Text { .. } => "text",
            WrittenForm::Boxes { .. } => "boxes",
            WrittenForm::Marks { .. } => "marks",
        }
    }

    /// JSON schema of the answer, for servers with structured output.
    pub fn schema(self) -> Schema {
        let text = || json!({ "type": "string" });
        let numbers = || json!({ "type": "array", "items": { "type": "number" } });
        let schema = match self {
            WrittenForm::Text { .. } => json!({
                "type": "object", "required": ["text"], "additionalProperties": false,
                "properties": { "text": text() },
            }),
            WrittenForm::Marks { .. } => json!({
                "type": "object", "required": ["removable"], "additionalProperties": false,
                "properties": { "removable": numbers() },
            }),
            WrittenForm::Boxes { .. } => {
                let object = json!({
                    "type": "object", "required": ["object", "box"], "additionalProperties": false,
                    "properties": { "object": text(), "box": numbers() },
                });
                json!({
                    "type": "object", "required": ["size", "objects"], "additionalProperties": false,
                    "properties": {
                        "size": numbers(),
                        "objects": { "type": "array", "items": object },
                    },
                })
            }
        };
        Schema {
            name: self.name().into(),
            schema: Arc::new(schema),
        }
    }
}
