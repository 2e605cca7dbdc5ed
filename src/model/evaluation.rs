//! Evaluations as plain data: which model is asked which questions, how, and what of it came.

use serde::{Deserialize, Serialize};

use super::generation::FailureKind;
use super::job::JobState;
use super::trust::Waits;
use super::vlm::{Finish, Usage};

/// A server that is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Server {
    /// Where its API begins, such as `http://127.0.0.1:8000/v1`.
    pub url: String,
    /// The environment variable that holds the key.
    pub key_env: Option<String>,
    /// Most requests in flight.
    pub concurrency: u32,
    /// Seconds for one answer.
    pub timeout_s: u32,
}

/// In which orders the options of a question are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Orders {
    /// In that of the item.
    #[default]
    AsIs,
    /// In so many drawn ones (MM-SAP asks five times).
    Shuffles(u32),
    /// In every rotation (CircularEval). A question that is a rotation itself is asked as it is.
    Circular,
}

impl Orders {
    /// In words.
    pub fn words(self) -> String {
        match self {
            Orders::AsIs => "as they are".into(),
            Orders::Shuffles(1) => "1 shuffle".into(),
            Orders::Shuffles(n) => format!("{n} shuffles"),
            Orders::Circular => "all rotations".into(),
        }
    }
}

/// Most shuffles of one question.
pub const MOST_SHUFFLES: u32 = 100;

/// In which words a question is put.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wording {
    /// The item's own instruction; where it has none, or its options are shown in another order, that of its paper.
    Paper,
    /// The instruction of this name.
    Named(String),
    /// This text, with the name of its file.
    Text {
        /// What it is called.
        name: String,
        /// A file like those in `metadata/instruct/`.
        text: String,
    },
}

impl Wording {
    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Wording::Paper => "paper",
            Wording::Named(name) | Wording::Text { name, .. } => name,
        }
    }
}

/// An evaluation to be begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewRun {
    /// The model as its servers call it.
    pub model: String,
    /// What its answers go by; after the model otherwise.
    pub name: Option<String>,
    /// The servers, used as one pool.
    pub servers: Vec<Server>,
    /// Which items: filter words, empty for all.
    pub filter: String,
    /// Only so many of them, drawn.
    pub sample: Option<u64>,
    /// Seed of the sample and of shuffles.
    pub seed: u64,
    /// Without pictures.
    pub blind: bool,
    /// In which orders.
    pub orders: Orders,
    /// In which words.
    pub wording: Wording,
    /// Most tokens of an answer.
    pub max_tokens: u32,
    /// Most tries of one question, the first counted.
    pub tries: u32,
    /// What a million tokens of questions and of answers cost, in millionths.
    pub prices: (u64, u64),
    /// Only say what would be asked.
    pub dry: bool,
    /// Whether items that show a draft are asked too.
    #[serde(default)]
    pub drafts: bool,
}

/// What an evaluation is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BegunRun {
    /// The job; none when it was only asked what it would ask.
    pub job: Option<JobState>,
    /// What its answers go by.
    pub label: String,
    /// Items.
    pub items: u64,
    /// Questions, each order of options counted.
    pub asks: u64,
    /// Items that show a picture which is not there.
    pub without: u64,
    /// What must be agreed to before it is begun.
    pub waits: Option<Box<Waits>>,
    /// Items that show a draft, where pictures are sent.
    pub drafts: u64,
}

/// What is told of an evaluation beside what is told of every job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// The model as its servers call it.
    pub model: String,
    /// What its answers go by on the board.
    pub label: String,
    /// The servers.
    pub endpoints: Vec<String>,
    /// Whether it is asked without pictures.
    pub blind: bool,
    /// In which orders options are shown, in words.
    pub orders: String,
    /// The words in which it is asked, with a revision.
    pub instruction: String,
    /// Answers that reached the most tokens.
    pub truncated: u64,
    /// Answers that were refused.
    pub refused: u64,
    /// Answers without a word.
    pub empty: u64,
    /// Tokens of questions and of answers, as the servers counted them.
    pub tokens: (u64, u64),
    /// Answers whose tokens the server did not tell.
    pub untold: u64,
    /// What the tokens cost where prices are set, in millionths.
    pub cost_micros: Option<u64>,
    /// Answers that count on the board: all of them once the job is over.
    pub predictions: u64,
    /// Items that showed a draft when it was begun.
    pub drafts: u64,
}

/// A question of an evaluation: an item's number with which order of its options, from 1; 0 where they are as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Asked {
    /// Item number, from 1.
    pub number: u32,
    /// Which shuffle or rotation.
    pub order: u16,
}

/// A model's answer to one question of an evaluation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunAnswer {
    /// What it said, as it was.
    pub output: String,
    /// What it thought before, where the server gave that apart; never read as the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Why the answer ended.
    pub finish: Finish,
    /// The item's option (from 0) that was shown in each place; empty where they were as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<u16>,
    /// What it said with the letters that the options had in the item when it was asked; none where they were shown so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<String>,
    /// In which place (from 0) the option that declines to answer was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<u16>,
    /// The words in which it was asked: `dysca@1`, or `item` for its own.
    pub instruction: String,
    /// Its tokens, where the server told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The model's name as the server has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<String>,
}

/// A question that got no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFailure {
    /// What class of failure it is.
    pub kind: FailureKind,
    /// What went wrong.
    pub reason: String,
}

/// What a file of answers holds of an evaluation. A question that is neither answered nor in `lacking` was not asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPart {
    /// The run.
    pub run: u32,
    /// What the run's answers go by.
    pub base: String,
    /// In which orders options were shown.
    #[serde(default)]
    pub orders: Orders,
    /// Which of these the answers are to, from 1; 0 where options were as they are.
    #[serde(default)]
    pub order: u16,
    /// Numbers of the items that were asked and set aside without an answer, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacking: Vec<u32>,
}

/// What the answers of one order are called: the base name for options as they are and for first orders.
pub fn label_of(base: &str, orders: Orders, order: u16) -> String {
    match (orders, order) {
        (_, 0 | 1) | (Orders::AsIs, _) => base.to_string(),
        (Orders::Shuffles(_), n) => format!("{base} (shuffle {n})"),
        (Orders::Circular, n) => format!("{base} (rotation {n})"),
    }
}

/// All orders to which an answer counts: one to a question without options, which is asked once, belongs to every shuffle and to the
/// first rotation.
pub fn orders_of(orders: Orders, order: u16) -> std::ops::RangeInclusive<u16> {
    match (orders, order) {
        (Orders::Shuffles(n), 0) => 1..=u16::try_from(n).unwrap_or(u16::MAX),
        (Orders::Circular, 0) => 1..=1,
        (_, order) => order..=order,
    }
}

/// The base name of a run's answers: after the model, with what makes them another thing than its other answers. `run`
/// counts from 1.
pub fn base_label(model: &str, blind: bool, run: u32) -> String {
    match (blind, run) {
        (false, 1) => model.to_string(),
        (false, n) => format!("{model} (run {n})"),
        (true, 1) => format!("{model} (blind)"),
        (true, n) => format!("{model} (blind, run {n})"),
    }
}

/// What the answers of a model are called that was asked in other words than those of the items and their papers, such as MVP-Bench's VC
/// prompts: `MODEL+INSTRUCTION`. Prediction files of that name give the same row.
pub fn worded(model: &str, wording: &Wording) -> String {
    match wording {
        Wording::Paper => model.to_string(),
        other => format!("{model}+{}", other.name()),
    }
}

/// Whether answers of this name were given without pictures, by [`base_label`].
pub fn is_blind(label: &str) -> bool {
    label.contains(" (blind)") || label.contains(" (blind, run ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_other_orders_have_names_of_their_own() {
        assert_eq!(label_of("m", Orders::AsIs, 0), "m");
        assert_eq!(label_of("m", Orders::Shuffles(5), 3), "m (shuffle 3)");
        assert_eq!(label_of("m", Orders::Circular, 1), "m");
        assert_eq!(label_of("m", Orders::Shuffles(5), 1), "m");
        assert_eq!(
            [
                orders_of(Orders::Shuffles(2), 0),
                orders_of(Orders::Shuffles(2), 2)
            ],
            [1..=2, 2..=2]
        );
        assert_eq!(
            [orders_of(Orders::Circular, 0), orders_of(Orders::AsIs, 0)],
            [1..=1, 0..=0]
        );
        assert_eq!(label_of("m", Orders::Circular, 2), "m (rotation 2)");
        assert!(
            is_blind(&base_label("m", true, 1))
                && is_blind(&label_of(&base_label("m", true, 2), Orders::Circular, 3))
        );
        assert!(!is_blind(&base_label("m", false, 2)) && base_label("m", false, 2) == "m (run 2)");
        let vc = Wording::Text {
            name: "vc-low".into(),
            text: String::new(),
        };
        assert_eq!(
            (
                worded("m", &Wording::Paper).as_str(),
                worded("m", &vc).as_str()
            ),
            ("m", "m+vc-low")
        );
        assert_eq!(
            (Orders::Circular.words().as_str(), Wording::Paper.name()),
            ("all rotations", "paper")
        );
    }
}
