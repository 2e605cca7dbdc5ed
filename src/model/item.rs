//! A benchmark item: Dysca's (M, P, I, Q) tuple with the fields that MVP-Bench adds.

use crate::hash;
use std::collections::BTreeMap;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize};

use super::derivation::Derivation;
use super::edit::Edited;
use super::image::ImageRef;

/// The id of a record in its source file: `1583` or `"0__0__1"`. It keeps its type so that exports
/// return it unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum Key {
    /// An integer.
    Int(i64),
    Text(String),
}

// Written by hand, because serde copies the value of an untagged enum before it tries the variants.
impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Key, D::Error> {
        from.deserialize_any(KeyVisitor)
    }
}

struct KeyVisitor;

impl Visitor<'_> for KeyVisitor {
    type Value = Key;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a whole number or text")
    }

    fn visit_i64<E>(self, number: i64) -> Result<Key, E> {
        Ok(Key::Int(number))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Key, E> {
        let number = i64::try_from(number).map_err(E::custom)?;
        Ok(Key::Int(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Key, E> {
        Ok(Key::Text(text.to_string()))
    }

    fn visit_string<E>(self, text: String) -> Result<Key, E> {
        Ok(Key::Text(text))
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Key::Int(n) => write!(f, "{n}"),
            Key::Text(s) => f.write_str(s),
        }
    }
}

named! {
    /// Question type (Dysca section 3.4; MVP-Bench section 3).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum QuestionKind {
        /// Choose one of several options.
        MultipleChoice = "multiple-choice",
        /// Judge a statement (Dysca's "true or false").
        TrueFalse = "true-false",
        /// Answer yes or no (MVP-Bench's "y/n").
        YesNo = "yes-no",
        /// Answer in free text (Dysca's "image caption").
        FreeForm = "free-form",
    }
}

/// Role of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    Correct,
    Distractor,
    /// "I cannot tell" (MM-SAP).
    Refusal,
}

impl Role {
    /// The role of an option that is right or wrong.
    pub fn of(is_right: bool) -> Role {
        if is_right {
            Role::Correct
        } else {
            Role::Distractor
        }
    }
}

/// Level of composed questions that need knowledge, where refusing is right too (MM-SAP's
/// KnowVisQA).
pub const KNOW: &str = "know";

/// An option of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The text without its letter.
    pub text: String,
    pub role: Role,
}

impl Choice {
    /// Options with these texts, and the role of each position.
    pub fn list(texts: Vec<String>, role: impl Fn(usize) -> Role) -> Vec<Choice> {
        let choice = |(at, text)| Choice {
            text,
            role: role(at),
        };
        texts.into_iter().enumerate().map(choice).collect()
    }
}

crate::named! {
    /// The side of an MVP-Bench image pair that a question is about.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Side {
        /// The natural image, `_s` (N in Table 3).
        Natural = "natural",
        /// The manipulated image, `_e` (M in Table 3).
        Manipulated = "manipulated",
        /// A cross-image question over both pictures side by side (CI).
        Cross = "cross",
    }
}

/// Membership in an MVP-Bench image pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The pair's id in its source file.
    pub id: Key,
    pub side: Side,
}

/// Membership in a rotation set of a multiple-choice question (CircularEval).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rotation {
    /// Name of the set, unique within the data set.
    pub set: String,
    /// Position in the set, from 1.
    pub index: u32,
    /// Size of the set according to the source.
    pub of: u32,
}

/// How an item differs from its original: Dysca's scenarios (`clean`, `corruption`, `print-attack`,
/// `adversarial`), VLB's bootstrapping (`vanilla`, `V1`, `L4`, `V1+L4`), MM-SAP's shuffled options
/// (`shuffle-1`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// The variant's name, which is also its column heading.
    pub name: String,
    /// Id of the original item, if it is in the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Whether the item was really changed (VLB keeps the original after five refused tries).
    /// `None` if unrecorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<bool>,
}

/// How an item was composed, so that it can be composed again (Dysca section 3.2: M -> P -> Q).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    pub seed: u64,
    /// Number of the picture in the composition, from 1.
    pub picture: u64,
    /// The subject of the picture.
    pub subject: String,
    /// Index of the wording of the subject's prompt.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub wording: u32,
    /// Terms by slot, and the style's name.
    pub terms: BTreeMap<String, String>,
    /// Terms of the second picture of a pair.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub second: BTreeMap<String, String>,
    /// The term that a statement or yes/no question claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// Chance level; `None` for free-form questions. Dysca's fixed 25 % is wrong for short
    /// vocabularies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
    /// Hash over the templates and the style wording, 16 hex digits.
    pub recipe: String,
    /// Revision of the vocabularies, 16 hex digits.
    pub vocabulary: String,
    /// Revision of the styles and templates, 16 hex digits.
    pub templates: String,
}

/// The file format that an item came from. Exports in that format return the record unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// A flat Dysca record (the paper's Listing 1).
    Dysca,
    /// A question in an image record's `q_a` list (Dysca's released sources).
    DyscaNested,
    /// A row of MVP-Bench's `all_questions.json`.
    Mvp,
    /// A rotation row of MVP-Bench's `mcq_questions.json`.
    MvpCircular,
    /// benchtop's own JSONL, or an item composed by benchtop.
    Plain,
}

/// One question about one or more pictures. Stored items are immutable; edits are later revisions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// `<dataset>/<key>`, unique in the project.
    pub id: String,
    pub dataset: String,
    /// Id in the source file.
    pub key: Key,
    pub form: Form,
    /// The pictures in order; empty for a text-only question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ImageRef>,
    /// Prompt of the picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negative_prompt: Option<String>,
    /// The whole text that models get, with options and hint, exactly as in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// The question without its options.
    pub question: String,
    pub kind: QuestionKind,
    /// Options in order; empty for yes/no and free-form questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Choice>,
    /// The answer key as the source states it: an option's text, a letter, "yes", or a reference
    /// text.
    pub answer: String,
    /// Dysca's task ("recognition" and others).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Subtask (Dysca's `question_majority`; MVP-Bench's category B1..S2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtask: Option<String>,
    /// Dysca's granularity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granularity: Option<String>,
    /// Level ("low", "high"; "easy", "medium", "hard").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Picture style, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<String>,
    /// The image pair (MVP-Bench).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<Pair>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// The variant, if the item was made from another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<Variant>,
    /// How the item was composed, if it was composed in the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Box<Provenance>>,
    /// How the item was derived from another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derivation: Option<Box<Derivation>>,
    /// Record of manual edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Box<Edited>>,
    /// Other fields of the source record, for export.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub extra: serde_json::Map<String, serde_json::Value>,
}

/// Index of the keyed option, see [`Item::gold`].
pub(super) fn gold(options: &[Choice]) -> Option<usize> {
    let mut refusals = options
        .iter()
        .enumerate()
        .filter(|(_, option)| option.role == Role::Refusal)
        .map(|(at, _)| at);
    let only = refusals.next().filter(|_| refusals.next().is_none());
    options
        .iter()
        .position(|option| option.role == Role::Correct)
        .or(only)
}

impl Item {
    /// An item with only its id.
    pub fn blank(dataset: &str, key: Key) -> Item {
        Item {
            id: format!("{dataset}/{key}"),
            dataset: dataset.to_string(),
            key,
            form: Form::Plain,
            images: Vec::new(),
            prompt: None,
            negative_prompt: None,
            instruction: None,
            question: String::new(),
            kind: QuestionKind::FreeForm,
            options: Vec::new(),
            answer: String::new(),
            task: None,
            subtask: None,
            granularity: None,
            level: None,
            style: None,
            pair: None,
            rotation: None,
            variant: None,
            provenance: None,
            derivation: None,
            edited: None,
            extra: Default::default(),
        }
    }

    /// Index of the right option.
    pub fn correct(&self) -> Option<usize> {
        self.options.iter().position(|o| o.role == Role::Correct)
    }

    /// Index of the keyed option: the right one or, if there is none (MM-SAP's Beyond), the only
    /// refusal option.
    pub fn gold(&self) -> Option<usize> {
        gold(&self.options)
    }

    /// Chance level: the recorded one while the options are unchanged since composition, otherwise
    /// 1/options; 1/2 for yes/no; `None` for free-form.
    pub fn chance(&self) -> Option<f64> {
        let is_as_made = self
            .edited
            .as_ref()
            .is_none_or(|edited| edited.before.options == self.options);
        let derived = self.derivation.as_ref().and_then(|made| made.chance);
        match &self.provenance {
            _ if is_as_made && derived.is_some() => derived,
            Some(made) if is_as_made => made.chance,
            _ => self.chance_of_options(),
        }
    }

    /// Chance level from the options alone. For composed and derived items of level [`KNOW`],
    /// refusing counts as right too.
    pub(super) fn chance_of_options(&self) -> Option<f64> {
        let has_refusal = || {
            self.options
                .iter()
                .any(|option| option.role == Role::Refusal)
        };
        let is_made_here = self.provenance.is_some() || self.derivation.is_some();
        let refusal_is_right = is_made_here && self.level.as_deref() == Some(KNOW);
        let rights = 1 + u8::from(refusal_is_right && self.correct().is_some() && has_refusal());
        match self.kind {
            QuestionKind::FreeForm => None,
            _ if !self.options.is_empty() => Some(f64::from(rights) / self.options.len() as f64),
            QuestionKind::MultipleChoice => None,
            _ => Some(0.5),
        }
    }

    /// The first 8 hex digits of a BLAKE3 hash over what an annotator judges: the question, its
    /// options and answer, and the pictures (by hash, or by name if the hash is unknown).
    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut part = |text: &str| hash::put(&mut hasher, text);
        part(&self.question);
        part(self.instruction.as_deref().unwrap_or_default());
        part(&self.answer);
        for option in &self.options {
            part(&option.text);
            part(match option.role {
                Role::Correct => "correct",
                Role::Distractor => "distractor",
                Role::Refusal => "refusal",
            });
        }
        part("pictures");
        for image in &self.images {
            part(image.hash.as_deref().unwrap_or(&image.name));
        }
        hasher
            .finalize()
            .to_hex()
            .get(..8)
            .unwrap_or_default()
            .to_string()
    }

    /// The item for an annotator who answers it: the question, its options, and its pictures,
    /// without anything that could reveal the answer. No option is marked as right.
    pub fn without_key(mut self) -> Item {
        self.answer.clear();
        self.options
            .iter_mut()
            .filter(|o| o.role == Role::Correct)
            .for_each(|o| o.role = Role::Distractor);
        (self.prompt, self.negative_prompt) = (None, None);
        (self.provenance, self.derivation, self.edited) = (None, None, None);
        // Its original has the same answer.
        self.variant
            .iter_mut()
            .for_each(|variant| variant.of = None);
        self.extra.clear();
        for (at, image) in self
            .images
            .iter_mut()
            .enumerate()
            .filter(|(_, image)| image.hash.is_some())
        {
            image.name = format!("picture {}", at + 1);
        }
        self
    }

    /// The item for an annotator in a blind round, without what a judge decided on it.
    pub fn without_ruling(mut self) -> Item {
        self.derivation = self
            .derivation
            .map(|derivation| Box::new(derivation.without_ruling()));
        // An original stands in if the judge refused the edits.
        self.variant
            .iter_mut()
            .for_each(|variant| variant.modified = None);
        self
    }

    /// Letter of the option at `index`: A, B, ... Z, then a number.
    pub fn letter(index: usize) -> String {
        match u8::try_from(index) {
            Ok(i) if i < 26 => char::from(b'A' + i).to_string(),
            _ => (index + 1).to_string(),
        }
    }
}
