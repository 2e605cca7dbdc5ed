//! Where an item comes from: terms, template, prompt, picture, edit, question.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

named! {
    /// A step on the way to an item.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum StepKind {
        /// The terms that were drawn.
        Term = "term",
        /// The wording that the terms filled.
        Template = "template",
        /// The prompt of the picture.
        Prompt = "prompt",
        /// A picture, imported, generated, or made by an edit.
        Picture = "picture",
        /// An edit that derived an item from another one.
        Edit = "edit",
        /// The question itself.
        Question = "question",
    }
}

/// One step with its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub kind: StepKind,
    /// What it was: a prompt, the name of a picture or method, a question.
    pub what: String,
    /// Id of the item that it belongs to.
    pub item: String,
    /// Names and values, each value as JSON, because postcard cannot carry free values.
    pub parameters: Vec<(String, String)>,
}

impl Step {
    /// A step without parameters.
    pub fn new(kind: StepKind, what: impl Into<String>, item: &str) -> Step {
        Step {
            kind,
            what: what.into(),
            item: item.into(),
            parameters: Vec::new(),
        }
    }

    /// Adds a parameter. Empty values are left out.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Step {
        let value = value.into();
        let is_empty = match &value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Array(list) => list.is_empty(),
            Value::Object(map) => map.is_empty(),
            _ => false,
        };
        if !is_empty {
            self.parameters.push((name.into(), value.to_string()));
        }
        self
    }

    /// The parameters with their values as people read them: a text without quotes, anything else as
    /// JSON.
    pub fn readable(&self) -> impl Iterator<Item = (&str, String)> {
        self.parameters.iter().map(|(name, json)| {
            let value = match serde_json::from_str(json) {
                Ok(Value::String(text)) => text,
                _ => json.clone(),
            };
            (name.as_str(), value)
        })
    }
}

/// The steps that led to an item, the first one first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lineage {
    /// Item number, from 1.
    pub number: u32,
    pub id: String,
    /// What changed since the item was made, if anything did.
    pub stale: Option<String>,
    pub steps: Vec<Step>,
}

impl Lineage {
    /// The JSON of `benchtop explain`.
    pub fn to_json(&self) -> Value {
        let step = |step: &Step| {
            let parameters = step.parameters.iter().map(|(name, json)| {
                let value = serde_json::from_str(json).unwrap_or_default();
                (name.clone(), value)
            });
            let parameters: Map<String, Value> = parameters.collect();
            json!({ "step": step.kind.name(), "what": step.what, "item": step.item, "parameters": parameters })
        };
        let steps: Vec<Value> = self.steps.iter().map(step).collect();
        json!({ "number": self.number, "id": self.id, "stale": self.stale, "steps": steps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_keep_order_and_types() {
        let step = Step::new(StepKind::Edit, "corruption", "d/1")
            .with("severity", 3)
            .with("at", vec![1, 2])
            .with("none", Value::Null)
            .with("empty", "")
            .with("word", "a \"dog\"");
        let readable: Vec<_> = step.readable().collect();
        let expected = [("severity", "3"), ("at", "[1,2]"), ("word", "a \"dog\"")];
        assert_eq!(readable, expected.map(|(n, v)| (n, v.to_string())));
        let lineage = Lineage {
            number: 7,
            id: "d/1".into(),
            stale: None,
            steps: vec![step],
        };
        let json = lineage.to_json();
        assert_eq!(json["steps"][0]["parameters"]["severity"], 3);
        assert_eq!(json["steps"][0]["step"], "edit");
    }
}
