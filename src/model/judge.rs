//! What a judge is asked and how it is understood, as plain data: VLB's judge of variants and AutoBench-V's
//! self-validation. What a judging says to a model is a file; reading its answers is `metrics::judge`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::vlm::Schema;

/// Yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// Yes.
    Yes,
    /// No.
    No,
}

impl Word {
    /// The name used in files and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
        }
    }

    /// The word of that [`name`](Self::name), whatever its case and the blanks around it.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim();
        [Self::Yes, Self::No]
            .into_iter()
            .find(|w| w.name().eq_ignore_ascii_case(name))
    }
}

/// Which pictures a question goes with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// None.
    None,
    /// The item's.
    #[default]
    Item,
    /// The original, then the one that was made from it.
    Pair,
}

impl Shown {
    /// All of them, in the order they are listed.
    pub const ALL: [Shown; 3] = [Self::None, Self::Item, Self::Pair];

    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Item => "item",
            Self::Pair => "pair",
        }
    }

    /// What goes by that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }
}

/// How an answer is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reads {
    /// Yes or no, one of which is good: VLB's judge has both polarities.
    YesNo {
        /// The answer that passes.
        pass: Word,
    },
    /// A list of questions about a description, by type of element (TIFA; AutoBench-V's S_a).
    Questions {
        /// How many are asked for.
        count: u32,
        /// The types of elements.
        types: Vec<String>,
    },
    /// The answer to one such question.
    Choice {
        /// The share of right answers from which on a picture is aligned; 0 takes every picture.
        threshold: f64,
    },
}

impl Reads {
    /// The name used in files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::YesNo { .. } => "yes-no",
            Self::Questions { .. } => "questions",
            Self::Choice { .. } => "choice",
        }
    }

    /// The form that answers should have, for servers that can be held to one.
    pub fn schema(&self) -> Schema {
        let text = || json!({ "type": "string" });
        let object = |properties: Value| {
            let required: Vec<&String> = properties
                .as_object()
                .map(|p| p.keys().collect())
                .unwrap_or_default();
            json!({ "type": "object", "required": required, "additionalProperties": false, "properties": properties })
        };
        // The reason first: what a model writes before its answer is what it can go by.
        let yes_no = || json!({ "type": "string", "enum": ["yes", "no"] });
        let schema = match self {
            Self::YesNo { .. } => object(json!({ "reason": text(), "answer": yes_no() })),
            Self::Choice { .. } => object(json!({ "answer": text() })),
            Self::Questions { types, .. } => {
                let question = object(json!({
                    "element": text(),
                    "type": { "type": "string", "enum": types },
                    "question": text(),
                    "choices": { "type": "array", "items": text() },
                    "answer": text(),
                }));
                object(json!({ "questions": { "type": "array", "items": question } }))
            }
        };
        Schema {
            name: self.name().replace('-', "_"),
            schema: Arc::new(schema),
        }
    }
}

/// Why an answer was not understood: a third state beside yes and no, never a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unparsed {
    /// There were no words, or only thoughts.
    Empty,
    /// There is neither yes nor no in it.
    Neither,
    /// It says both, or one thing here and another there.
    Both,
    /// It says one of them with a "not", "if" or "maybe" before it.
    Hedged,
}

/// What a judge said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// Yes or no.
    Word(Word),
    /// Nothing that can be understood.
    Unparsed(Unparsed),
    /// It would not answer.
    Refused,
}

/// Where in an answer its word was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// In a JSON object.
    Json,
    /// Marked as the answer: `[[Yes]]`, `Answer: yes`.
    Marked,
    /// In the words.
    Words,
}

/// A judge's answer, understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    /// What it said, raw.
    pub said: Said,
    /// Whether that is good, by the polarity of what was asked; none where it was not understood.
    pub pass: Option<bool>,
    /// Where the word was found.
    pub found: Option<Found>,
    /// Its reason, where it gave one in JSON.
    pub reason: Option<String>,
}

/// A question about one element of a description, with the answer that a faithful picture gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Element {
    /// Its type: object, color, counting ...
    pub kind: String,
    /// The words of the description that it is about.
    pub element: String,
    /// The question.
    pub question: String,
    /// What to choose from; may be empty.
    pub choices: Vec<String>,
    /// The answer that the description gives.
    pub answer: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways() {
        for shown in Shown::ALL {
            assert_eq!(Shown::from_name(shown.name()), Some(shown));
            assert_eq!(serde_json::to_value(shown).unwrap(), shown.name());
        }
        assert_eq!(
            (Word::from_name(" YES "), Word::from_name("yeah")),
            (Some(Word::Yes), None)
        );
    }

    #[test]
    fn forms_ask_for_every_field_that_they_name() {
        let types = vec!["object".to_string()];
        for reads in [
            Reads::YesNo { pass: Word::No },
            Reads::Choice { threshold: 0.5 },
            Reads::Questions { count: 6, types },
        ] {
            let form = reads.schema();
            assert!(
                form.name
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b == b'_'),
                "{}",
                form.name
            );
            let object = match form.schema.pointer("/properties/questions/items") {
                Some(question) => question,
                None => &*form.schema,
            };
            let names: Vec<&str> = object["properties"]
                .as_object()
                .unwrap()
                .keys()
                .map(String::as_str)
                .collect();
            let required: Vec<&str> = object["required"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .collect();
            assert_eq!(names, required);
            assert!(names.contains(&"answer"));
        }
    }
}
