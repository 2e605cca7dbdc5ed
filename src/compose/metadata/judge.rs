//! `judge/NAME.toml`: judgings, questions to a judge with the form of their answers.
//!
//! The shipped judgings follow VLB (a judge of every edited picture and question, and of captions
//! of similar pictures) and AutoBench-V
//! (self-validation of a picture against its description). Their wording is benchtop's own.

use std::sync::LazyLock;

use serde::Deserialize;
use toml::Spanned;

use super::named_files::{Shipped, name_in, parse_shipped};
use super::positions;
use super::templates::Text;
pub use super::text_reader::Fields;
use super::text_reader::{Reader, filled};
use benchtop_model::judge::{AnswerForm, ShownPictures, Word};
use benchtop_model::vlm::{Schema, VlmRequest};
use benchtop_model::{Finding, Item, Rule};

/// The folder of judgings within the metadata folder.
pub const FOLDER: &str = "judge/";

/// The slots of judgings with their meanings.
pub const SLOTS: [(&str, &str); 10] = [
    (
        "question",
        "the question; for an edited one, the present text",
    ),
    (
        "options",
        "its options with letters, one per line; `none` without options",
    ),
    ("answer", "its answer"),
    ("prompt", "the prompt of its picture"),
    ("original-question", "the question before the edit"),
    ("context", "the text added before the question"),
    ("edit", "the edit of the picture"),
    (
        "caption",
        "the caption of the nearest reference picture; only for the scorer `contamination`",
    ),
    ("count", "the number of questions to ask for"),
    ("types", "the element types, separated by commas"),
];
/// Slots of judgings that request questions.
const OF_QUESTIONS: [&str; 2] = ["count", "types"];

/// The name of the judging in this file; `None` for other files.
pub fn judging_of(file: &str) -> Option<&str> {
    name_in(file, FOLDER, ".toml")
}

/// A question to a judge, and the form of its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Judging {
    /// File name without extension.
    pub name: String,
    /// Increases with every change of meaning.
    pub version: u32,
    /// A one-line description.
    pub about: String,
    /// Paper and section.
    pub source: String,
    /// The pictures that accompany it.
    pub shows: ShownPictures,
    /// The system prompt.
    pub system: Option<Text>,
    pub prompt: Text,
    /// The form of its answer.
    pub reads: AnswerForm,
    schema: Schema,
    /// Maximum number of output tokens; `None` uses `[judge]` of benchtop.toml.
    pub max_tokens: Option<u32>,
    /// Hash of the file, 16 hex digits. Answers to different texts are different answers.
    pub revision: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    version: Spanned<u32>,
    about: Spanned<String>,
    #[serde(default)]
    source: String,
    #[serde(default)]
    pictures: ShownPictures,
    system: Option<Spanned<String>>,
    prompt: Spanned<String>,
    max_tokens: Option<Spanned<u32>>,
    answer: Spanned<RawAnswer>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAnswer {
    read: Spanned<Read>,
    pass: Option<Spanned<Word>>,
    count: Option<Spanned<u32>>,
    types: Option<Spanned<Vec<String>>>,
    threshold: Option<Spanned<f64>>,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Read {
    YesNo,
    Questions,
    Choice,
}

/// Parses the judging `name` in `file`. `None` with findings if it is invalid.
pub fn parse(name: &str, file: &str, text: &str) -> (Option<Judging>, Vec<Finding>) {
    let raw: Raw = match toml::from_str(text) {
        Ok(raw) => raw,
        Err(error) => return (None, vec![positions::toml(&error, file, text)]),
    };
    let mut reader = Reader::new(file, text);
    let judging = reader.judging(name, raw);
    (judging.filter(|_| reader.found.is_empty()), reader.found)
}

impl Reader<'_> {
    fn judging(&mut self, name: &str, raw: Raw) -> Option<Judging> {
        let about = self.header(&raw.version, &raw.about);
        self.max_tokens(raw.max_tokens.as_ref());
        let reads = self.reads(raw.answer)?;
        let prompt = self.prompt(raw.prompt, &reads);
        let system = raw.system.map(|s| self.prompt(s, &reads));
        let revision = self.revision();
        Some(Judging {
            name: name.to_string(),
            version: raw.version.into_inner(),
            about,
            source: raw.source,
            shows: raw.pictures,
            system,
            prompt,
            schema: reads.schema(),
            reads,
            max_tokens: raw.max_tokens.map(Spanned::into_inner),
            revision,
        })
    }

    /// The form of the answer. Each form has its own required fields and no others.
    fn reads(&mut self, raw: Spanned<RawAnswer>) -> Option<AnswerForm> {
        let whole = raw.span();
        let RawAnswer {
            read,
            pass,
            count,
            types,
            threshold,
        } = raw.into_inner();
        let (kind, before) = (*read.get_ref(), self.found.len());
        let given = [
            ("pass", pass.as_ref().map(Spanned::span), Read::YesNo),
            ("count", count.as_ref().map(Spanned::span), Read::Questions),
            ("types", types.as_ref().map(Spanned::span), Read::Questions),
            (
                "threshold",
                threshold.as_ref().map(Spanned::span),
                Read::Choice,
            ),
        ];
        for (name, span, of) in given {
            match (span, of == kind) {
                (Some(span), false) => {
                    let what = format!("`{name}` does not apply to this form of answer");
                    self.say(Rule::Unreadable, span, what, "");
                }
                (None, true) => {
                    let help = "yes-no needs `pass`; questions needs `count` and `types`; choice needs `threshold`";
                    let what = format!("missing field `{name}`");
                    self.say(Rule::Unreadable, whole.clone(), what, help);
                }
                _ => {}
            }
        }
        self.in_range(count.as_ref(), 1..=50, |count| {
            format!("{count} questions are out of range; use 1 to 50")
        });
        if let Some(types) = &types {
            let list = types.get_ref();
            let twice = list
                .iter()
                .enumerate()
                .find(|(i, t)| t.trim().is_empty() || list[..*i].contains(t));
            if list.is_empty() || twice.is_some() {
                let what = "`types` must be a list of unique names, at least one";
                self.say(Rule::Unreadable, types.span(), what, "");
            }
        }
        self.in_range(threshold.as_ref(), 0.0..=1.0, |share| {
            format!("threshold {share} is out of range; use 0 to 1")
        });
        if self.found.len() > before {
            return None;
        }
        Some(match kind {
            Read::YesNo => AnswerForm::YesNo {
                pass: pass?.into_inner(),
            },
            Read::Questions => AnswerForm::Questions {
                count: count?.into_inner(),
                types: types?.into_inner(),
            },
            Read::Choice => AnswerForm::Choice {
                threshold: threshold?.into_inner(),
            },
        })
    }

    fn prompt(&mut self, words: Spanned<String>, reads: &AnswerForm) -> Text {
        let of_questions = matches!(reads, AnswerForm::Questions { .. });
        let known: Vec<&str> = SLOTS
            .iter()
            .map(|(name, _)| *name)
            .filter(|name| of_questions || !OF_QUESTIONS.contains(name))
            .collect();
        self.text_with(words, &known)
    }
}

impl Judging {
    /// The request for `fields`, without pictures. `max_tokens` applies if the judging sets none.
    ///
    /// # Errors
    /// The name of the first slot without a value. Questions with an empty slot are not asked.
    pub fn ask(&self, fields: &Fields, max_tokens: u32) -> Result<VlmRequest, &str> {
        let mut own = Fields::new();
        if let AnswerForm::Questions { count, types } = &self.reads {
            own.insert("count", count.to_string());
            own.insert("types", types.join(", "));
        }
        let (system, prompt) = filled((self.system.as_ref(), &self.prompt), &own, fields)?;
        Ok(VlmRequest {
            system,
            prompt,
            max_tokens: self.max_tokens.unwrap_or(max_tokens),
            schema: Some(self.schema.clone()),
            ..VlmRequest::default()
        })
    }
}

/// The slot values of an item: `question`, `options`, `answer`, and `prompt` if it has one. A derived
/// item has `edit` and `context` if they are recorded. `original` is the item that it is a variant
/// of, which gives `original-question`.
pub fn fields_of(item: &Item, original: Option<&Item>) -> Fields {
    let mut fields = Fields::new();
    let line = |(at, option): (usize, &benchtop_model::Choice)| {
        format!("{}. {}", Item::letter(at), option.text)
    };
    let options: Vec<String> = item.options.iter().enumerate().map(line).collect();
    fields.insert("question", item.question.clone());
    fields.insert(
        "options",
        if options.is_empty() {
            "none".into()
        } else {
            options.join("\n")
        },
    );
    fields.insert("answer", item.answer.clone());
    if let Some(prompt) = &item.prompt {
        fields.insert("prompt", prompt.clone());
    }
    if let Some(derivation) = &item.derivation {
        fields.extend(derivation.edit.clone().map(|edit| ("edit", edit)));
        let context = derivation.context.clone();
        fields.extend(context.map(|context| ("context", context)));
    }
    if let Some(original) = original {
        fields.insert("original-question", original.question.clone());
    }
    fields
}

/// The shipped judgings by name.
pub fn shipped_judgings() -> &'static Shipped<Judging> {
    static SHIPPED: LazyLock<Shipped<Judging>> = LazyLock::new(|| parse_shipped(judging_of, parse));
    &SHIPPED
}

#[cfg(test)]
#[path = "judge_tests.rs"]
pub(super) mod tests;
