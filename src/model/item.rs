//! One benchmark item: Dysca's (M, P, I, Q) tuple, and the fields MVP-Bench adds to it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::edit::Edited;
use super::image::ImageRef;

/// The id a source file gave a record: `1583` or `"0__0__1"`, kept as it was so that exports return it unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Key {
    /// A whole number.
    Int(i64),
    /// Any other text.
    Text(String),
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Key::Int(n) => write!(f, "{n}"),
            Key::Text(s) => f.write_str(s),
        }
    }
}

/// How an answer is asked for (Dysca section 3.4; MVP-Bench section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionKind {
    /// One of several options.
    MultipleChoice,
    /// A statement that holds or does not (Dysca's "true or false").
    TrueFalse,
    /// A question answered by yes or no (MVP-Bench's "y/n").
    YesNo,
    /// Answered in free text (Dysca's "image caption").
    FreeForm,
}

impl QuestionKind {
    /// All kinds, in the order they are listed and sorted.
    pub const ALL: [QuestionKind; 4] = [
        Self::MultipleChoice,
        Self::TrueFalse,
        Self::YesNo,
        Self::FreeForm,
    ];

    /// The name used in filters, tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::MultipleChoice => "multiple-choice",
            Self::TrueFalse => "true-false",
            Self::YesNo => "yes-no",
            Self::FreeForm => "free-form",
        }
    }

    /// The kind of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.name() == name)
    }
}

/// What part an option plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The right answer.
    Correct,
    /// A wrong answer.
    Distractor,
    /// "I cannot tell" (MM-SAP).
    Refusal,
}

/// Level of composed questions that need knowledge: declining is right too (MM-SAP's KnowVisQA).
pub const KNOW: &str = "know";

/// One option of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Text without its letter.
    pub text: String,
    /// What part it plays.
    pub role: Role,
}

/// Which side of an MVP-Bench image pair a question looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The natural image, `_s` (N in Table 3).
    Natural,
    /// The manipulated image, `_e` (M in Table 3).
    Manipulated,
    /// Both at once: a cross-image question over the two pictures side by side (CI).
    Cross,
}

impl Side {
    /// The name used in filters, tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Side::Natural => "natural",
            Side::Manipulated => "manipulated",
            Side::Cross => "cross",
        }
    }
}

/// Membership in an MVP-Bench image pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The pair's id in its source.
    pub id: Key,
    /// Which picture of the pair.
    pub side: Side,
}

/// Membership in a set of rotations of one multiple-choice question (CircularEval).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rotation {
    /// Identifies the set within its dataset.
    pub set: String,
    /// Position in the set, from 1.
    pub index: u32,
    /// Size of the set as the source states it.
    pub of: u32,
}

/// How an item differs from the one it was made from: Dysca's scenarios (`clean`, `corruption`, `print-attack`, `adversarial`),
/// VLB's bootstrapping (`vanilla`, `V1`, `L4`, `V1+L4`), MM-SAP's shuffled options (`shuffle-1`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// Its name, which columns are headed with.
    pub name: String,
    /// Id of the original item, where that is in the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Whether it was really changed: after five refused tries VLB takes the original. `None` where nobody recorded it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<bool>,
}

/// What a composed item was made from, so that it can be made again (Dysca section 3.2: M -> P -> Q).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Seed of the composition.
    pub seed: u64,
    /// Number of the picture in the composition, from 1.
    pub picture: u64,
    /// What the picture shows.
    pub subject: String,
    /// Which wording of the subject's prompt, from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub wording: u32,
    /// Term by slot; the style by its name.
    pub terms: BTreeMap<String, String>,
    /// The terms of the other picture of a pair.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub second: BTreeMap<String, String>,
    /// The term that a statement or a yes/no question claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// Share of right answers a blind guess gets; none for free form. Dysca's 25 % is wrong for short vocabularies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
    /// 16 hex digits of a hash over the templates and the style wording it was written with.
    pub recipe: String,
    /// Revision of the vocabularies: 16 hex digits.
    pub vocabulary: String,
    /// Revision of styles and templates: 16 hex digits.
    pub templates: String,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// The interchange form an item came from; an export in that form returns its record unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// A flat Dysca record (the paper's Listing 1).
    Dysca,
    /// A question inside an image record's `q_a` list (Dysca's released sources).
    DyscaNested,
    /// A row of MVP-Bench's `all_questions.json`.
    Mvp,
    /// A rotation row of MVP-Bench's `mcq_questions.json`.
    MvpCircular,
    /// benchtop's own JSONL, or drawn by benchtop.
    Plain,
}

/// One question about one or more images. Immutable once stored; edits are later revisions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Unique in the project: `<dataset>/<key>`.
    pub id: String,
    /// The data set it belongs to.
    pub dataset: String,
    /// Its id in the source file.
    pub key: Key,
    /// The form it came in.
    pub form: Form,
    /// The images it asks about, in order. Empty for a text-only question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ImageRef>,
    /// Prompt P the image was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Negative prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negative_prompt: Option<String>,
    /// The whole text given to a model, options and hint included, exactly as the source has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// The question alone, without options.
    pub question: String,
    /// How an answer is asked for.
    pub kind: QuestionKind,
    /// Options in their order; empty for yes/no and free-form questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Choice>,
    /// The gold answer as the source states it: an option's text, a letter, "yes", or reference text.
    pub answer: String,
    /// Dysca's task ("recognition", ...).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Subtask (Dysca's `question_majority`; MVP-Bench's category B1..S2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtask: Option<String>,
    /// Dysca's granularity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granularity: Option<String>,
    /// Level or difficulty ("low", "high"; "easy", "medium", "hard").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Style of the image, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<String>,
    /// The image pair it belongs to (MVP-Bench).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<Pair>,
    /// The rotation set it belongs to (CircularEval).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// How it differs from the item it was made from, where it was made from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<Variant>,
    /// What it was composed from, when it was composed here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Box<Provenance>>,
    /// That somebody edited it by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Box<Edited>>,
    /// Fields of the source record that have no place above, kept for export.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub extra: serde_json::Map<String, serde_json::Value>,
}

/// Index of the option that a key names among these, see [`Item::gold`].
pub(super) fn gold(options: &[Choice]) -> Option<usize> {
    let mut declining = options
        .iter()
        .enumerate()
        .filter(|(_, option)| option.role == Role::Refusal)
        .map(|(at, _)| at);
    let only = declining.next().filter(|_| declining.next().is_none());
    options
        .iter()
        .position(|option| option.role == Role::Correct)
        .or(only)
}

impl Item {
    /// Index of the right option, if the question has options.
    pub fn correct(&self) -> Option<usize> {
        self.options.iter().position(|o| o.role == Role::Correct)
    }

    /// Index of the option that the key names: the right one; where none is (MM-SAP's Beyond), the only one that declines.
    pub fn gold(&self) -> Option<usize> {
        gold(&self.options)
    }

    /// Share of right answers a blind guess gets: as recorded while the options are those it was composed with, else
    /// 1/options; 1/2 for yes/no; nothing for free-form.
    pub fn chance(&self) -> Option<f64> {
        let is_as_made = self
            .edited
            .as_ref()
            .is_none_or(|edited| edited.before.options == self.options);
        match &self.provenance {
            Some(made) if is_as_made => made.chance,
            _ => self.chance_of_options(),
        }
    }

    /// The same by the options alone. Of what was composed here, declining is as right as the right option where the
    /// level is [`KNOW`].
    pub(super) fn chance_of_options(&self) -> Option<f64> {
        let declines = || {
            self.options
                .iter()
                .any(|option| option.role == Role::Refusal)
        };
        let may_decline = self.provenance.is_some() && self.level.as_deref() == Some(KNOW);
        let rights = 1 + u8::from(may_decline && self.correct().is_some() && declines());
        match self.kind {
            QuestionKind::FreeForm => None,
            _ if !self.options.is_empty() => Some(f64::from(rights) / self.options.len() as f64),
            QuestionKind::MultipleChoice => None,
            _ => Some(0.5),
        }
    }

    /// The first eight hex digits of the BLAKE3 of what a person judges: the question, its options and answer, and the
    /// pictures, by their bytes where those are known and by their names otherwise.
    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut part = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
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

    /// The item for somebody who is to answer it: the question, its options and its pictures, and nothing that could hold
    /// the answer. It is nobody's key: no option is right.
    pub fn without_key(mut self) -> Item {
        self.answer.clear();
        self.options
            .iter_mut()
            .filter(|o| o.role == Role::Correct)
            .for_each(|o| o.role = Role::Distractor);
        (
            self.prompt,
            self.negative_prompt,
            self.provenance,
            self.edited,
        ) = (None, None, None, None);
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

    /// Letter of option `index`: A, B, ... Z, then a number.
    pub fn letter(index: usize) -> String {
        match u8::try_from(index) {
            Ok(i) if i < 26 => char::from(b'A' + i).to_string(),
            _ => (index + 1).to_string(),
        }
    }
}
