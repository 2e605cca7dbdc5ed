//! Judges as plain data: VLB's judge of variants and AutoBench-V's self-validation. The questions
//! are files in `metadata/judge/`; `metrics::judge` reads the answers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::vlm::Schema;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    Yes,
    No,
}

impl Word {
    /// The name in files and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
        }
    }

    /// The word with this [`name`](Self::name), ignoring case and surrounding blanks.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim();
        [Self::Yes, Self::No]
            .into_iter()
            .find(|w| w.name().eq_ignore_ascii_case(name))
    }
}

named! {
    /// The pictures that accompany a question.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum ShownPictures {
        None = "none",
        /// The item's pictures.
        #[default]
        Item = "item",
        /// The original's picture, then the variant's.
        Pair = "pair",
    }
}

/// The form of the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerForm {
    /// Yes or no. Either can be the passing answer, as in VLB.
    YesNo {
        /// The passing answer.
        pass: Word,
    },
    /// Questions about a description, by element type (TIFA; AutoBench-V's S_a).
    Questions {
        /// Number of questions to request.
        count: u32,
        /// Element types.
        types: Vec<String>,
    },
    /// The answer to one such question.
    Choice {
        /// The share of right answers from which a picture counts as aligned; 0 accepts every
        /// picture.
        threshold: f64,
    },
}

impl AnswerForm {
    /// The name in files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::YesNo { .. } => "yes-no",
            Self::Questions { .. } => "questions",
            Self::Choice { .. } => "choice",
        }
    }

    /// JSON schema of the answer, for servers with structured output.
    pub fn schema(&self) -> Schema {
        let text = || json!({ "type": "string" });
        let object = |properties: Value| {
            let required: Vec<&String> = properties
                .as_object()
                .map(|p| p.keys().collect())
                .unwrap_or_default();
            json!({ "type": "object", "required": required, "additionalProperties": false, "properties": properties })
        };
        // The reason comes first so that the model can base its answer on it.
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

/// The reason that an answer could not be read. It counts as neither yes nor no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unparsed {
    /// Empty, or only reasoning.
    Empty,
    /// Contains neither yes nor no.
    Neither,
    /// Contains both, or contradicts itself.
    Both,
    /// Qualifies its answer with "not", "if", or "maybe".
    Hedged,
}

/// A judge's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgeAnswer {
    Word(Word),
    /// The answer could not be read.
    Unparsed(Unparsed),
    /// The judge refused to answer.
    Refused,
}

/// Where the word was found in the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// In a JSON object.
    Json,
    /// In a marked answer: `[[Yes]]`, `Answer: yes`.
    Marked,
    /// In the running text.
    Words,
}

/// A judge's answer after reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeReading {
    /// The raw answer.
    pub said: JudgeAnswer,
    /// Whether the item passes; `None` if the answer could not be read.
    pub pass: Option<bool>,
    /// Where the word was found.
    pub found: Option<Found>,
    /// The reason, if the judge gave one in JSON.
    pub reason: Option<String>,
}

/// A question about one element of a description, with the answer of a faithful picture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Element {
    /// Element type: object, color, counting, and so on.
    pub kind: String,
    /// The words of the description.
    pub element: String,
    pub question: String,
    /// Possible answers; may be empty.
    pub choices: Vec<String>,
    /// The answer according to the description.
    pub answer: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for shown in ShownPictures::ALL {
            assert_eq!(ShownPictures::from_name(shown.name()), Some(shown));
            assert_eq!(serde_json::to_value(shown).unwrap(), shown.name());
        }
        assert_eq!(
            (Word::from_name(" YES "), Word::from_name("yeah")),
            (Some(Word::Yes), None)
        );
    }

    #[test]
    fn schemas_require_all_fields() {
        let types = vec!["object".to_string()];
        for reads in [
            AnswerForm::YesNo { pass: Word::No },
            AnswerForm::Choice { threshold: 0.5 },
            AnswerForm::Questions { count: 6, types },
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
