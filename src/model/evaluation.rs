//! Evaluations as plain data: the model, its questions, their settings, and the answers.

use serde::{Deserialize, Serialize};

use super::job::JobState;
use super::trust::PendingConsent;
use super::vlm::{Finish, Usage};

/// A server that runs the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Server {
    /// Base URL of the API, such as `http://127.0.0.1:8000/v1`.
    pub url: String,
    /// The environment variable with the key.
    pub key_env: Option<String>,
    /// Maximum number of requests in flight.
    pub concurrency: u32,
    /// Timeout of one answer in seconds.
    pub timeout_s: u32,
}

/// The orders in which a question's options are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptionOrders {
    /// The item's own order.
    #[default]
    AsIs,
    /// This many random orders (MM-SAP asks five times).
    Shuffles(u32),
    /// Every rotation (CircularEval). A question that is itself a rotation is asked once, as it is.
    Circular,
}

impl OptionOrders {
    /// A description for people.
    pub fn describe(self) -> String {
        match self {
            OptionOrders::AsIs => "as they are".into(),
            OptionOrders::Shuffles(1) => "1 shuffle".into(),
            OptionOrders::Shuffles(n) => format!("{n} shuffles"),
            OptionOrders::Circular => "all rotations".into(),
        }
    }
}

/// A price in millionths of its unit. `None` unless it is between 0 and 1,000,000.
pub fn micros(price: f64) -> Option<u64> {
    (0.0..=1e6)
        .contains(&price)
        .then(|| (price * 1e6).round() as u64)
}

/// Maximum number of shuffles per question.
pub const MAX_SHUFFLES: u32 = 100;

/// The instruction around a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wording {
    /// The item's own instruction, or its paper's instruction if it has none or its options are
    /// reordered.
    Paper,
    /// The project's instruction with this name.
    Named(String),
    /// A custom instruction.
    Text {
        /// File name without extension.
        name: String,
        /// Contents, in the format of `metadata/instruct/`.
        text: String,
    },
}

impl Wording {
    pub fn name(&self) -> &str {
        match self {
            Wording::Paper => "paper",
            Wording::Named(name) | Wording::Text { name, .. } => name,
        }
    }
}

/// A request to start an evaluation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewRun {
    /// The model name that the servers expect.
    pub model: String,
    /// Label of the answers; defaults to the model name.
    pub name: Option<String>,
    /// The servers, used as one pool.
    pub servers: Vec<Server>,
    /// Filter words that select the items; empty for all.
    pub filter: String,
    /// Size of a random sample of the items.
    pub sample: Option<u64>,
    /// Seed of the sample and of the shuffles.
    pub seed: u64,
    /// Whether to leave the pictures out.
    pub blind: bool,
    /// Orders of the options.
    pub orders: OptionOrders,
    /// Instruction.
    pub wording: Wording,
    /// Maximum number of tokens per answer.
    pub max_tokens: u32,
    /// Maximum number of requests per question, the first included.
    pub tries: u32,
    /// Price of a million prompt tokens and of a million output tokens, in millionths of the
    /// currency unit.
    pub prices: (u64, u64),
    /// Only previews the evaluation.
    pub dry: bool,
    /// Whether to ask about items that show a draft.
    #[serde(default)]
    pub drafts: bool,
}

/// The result of starting or previewing an evaluation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StartedRun {
    /// The job; `None` for a preview.
    pub job: Option<JobState>,
    /// Label of the answers.
    pub label: String,
    pub items: u64,
    /// Number of questions; each order of the options counts.
    pub asks: u64,
    /// Items whose picture is missing.
    pub without: u64,
    /// The agreement that is needed before the job starts.
    pub waits: Option<Box<PendingConsent>>,
    /// Items that show a draft, if pictures are sent.
    pub drafts: u64,
}

/// The state of an evaluation, beyond that of any job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    pub model: String,
    /// Label of the answers on the board.
    pub label: String,
    pub endpoints: Vec<String>,
    /// Whether pictures are left out.
    pub blind: bool,
    /// Description of the orders of the options.
    pub orders: String,
    /// Name and revision of the instruction.
    pub instruction: String,
    /// Answers that were cut off at the token limit.
    pub truncated: u64,
    /// Requests that the server refused.
    pub refused: u64,
    /// Empty answers.
    pub empty: u64,
    /// Prompt and output tokens, as the servers counted them.
    pub tokens: (u64, u64),
    /// Answers without a token count.
    pub untold: u64,
    /// Cost in millionths of the currency unit, if prices are set.
    pub cost_micros: Option<u64>,
    /// Answers that count on the board. When the job is over, all of them.
    pub predictions: u64,
    /// Items that showed a draft when the job started.
    pub drafts: u64,
}

/// A question of an evaluation: an item and an order of its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunQuestion {
    /// Item number, from 1.
    pub number: u32,
    /// Number of the shuffle or rotation, from 1; 0 for the item's own order.
    pub order: u16,
}

/// A model's answer to one question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunAnswer {
    /// The raw output.
    pub output: String,
    /// The reasoning, if the server sent it apart from the output. It is never read as the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Why the output ended.
    pub finish: Finish,
    /// The item's option (from 0) at each position shown; empty for the item's own order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<u16>,
    /// The output with letters mapped to the item's own order; `None` if the options were in that
    /// order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<String>,
    /// The position (from 0) at which the refusal option was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<u16>,
    /// The instruction: `dysca@1`, or `item` for the item's own.
    pub instruction: String,
    /// Token counts, if the server sent them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The model name that the server reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<String>,
}

/// The header of an answer file. A question that is neither answered nor in `lacking` was not
/// asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerFileHeader {
    pub run: u32,
    /// Base label of the run.
    pub base: String,
    /// Orders of the options.
    #[serde(default)]
    pub orders: OptionOrders,
    /// The order that this file covers, from 1; 0 for the items' own order.
    #[serde(default)]
    pub order: u16,
    /// Numbers of the items whose question failed, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacking: Vec<u32>,
}

/// The label of the answers of one order. The items' own order and the first order get the base
/// label.
pub fn label_of(base: &str, orders: OptionOrders, order: u16) -> String {
    match (orders, order) {
        (_, 0 | 1) | (OptionOrders::AsIs, _) => base.to_string(),
        (OptionOrders::Shuffles(_), n) => format!("{base} (shuffle {n})"),
        (OptionOrders::Circular, n) => format!("{base} (rotation {n})"),
    }
}

/// The orders that an answer counts for. A question without options is asked once (order 0) and
/// counts for every shuffle, or for the first rotation.
pub fn orders_of(orders: OptionOrders, order: u16) -> std::ops::RangeInclusive<u16> {
    match (orders, order) {
        (OptionOrders::Shuffles(n), 0) => 1..=u16::try_from(n).unwrap_or(u16::MAX),
        (OptionOrders::Circular, 0) => 1..=1,
        (_, order) => order..=order,
    }
}

/// The base label of a run. `run` counts the model's runs from 1.
pub fn base_label(model: &str, blind: bool, run: u32) -> String {
    match (blind, run) {
        (false, 1) => model.to_string(),
        (false, n) => format!("{model} (run {n})"),
        (true, 1) => format!("{model} (blind)"),
        (true, n) => format!("{model} (blind, run {n})"),
    }
}

/// The model part of a label: `MODEL+INSTRUCTION` if the instruction is not the paper's, such as
/// MVP-Bench's VC prompts. Imported prediction files with that name share the row.
pub fn label_with_instruction(model: &str, wording: &Wording) -> String {
    match wording {
        Wording::Paper => model.to_string(),
        other => format!("{model}+{}", other.name()),
    }
}

/// Whether a label from [`base_label`] is of a run without pictures.
pub fn is_blind(label: &str) -> bool {
    label.contains(" (blind)") || label.contains(" (blind, run ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_name_order_and_run() {
        assert_eq!(label_of("m", OptionOrders::AsIs, 0), "m");
        assert_eq!(label_of("m", OptionOrders::Shuffles(5), 3), "m (shuffle 3)");
        assert_eq!(label_of("m", OptionOrders::Circular, 1), "m");
        assert_eq!(label_of("m", OptionOrders::Shuffles(5), 1), "m");
        assert_eq!(
            [
                orders_of(OptionOrders::Shuffles(2), 0),
                orders_of(OptionOrders::Shuffles(2), 2)
            ],
            [1..=2, 2..=2]
        );
        assert_eq!(
            [
                orders_of(OptionOrders::Circular, 0),
                orders_of(OptionOrders::AsIs, 0)
            ],
            [1..=1, 0..=0]
        );
        assert_eq!(label_of("m", OptionOrders::Circular, 2), "m (rotation 2)");
        assert!(
            is_blind(&base_label("m", true, 1))
                && is_blind(&label_of(
                    &base_label("m", true, 2),
                    OptionOrders::Circular,
                    3
                ))
        );
        assert!(!is_blind(&base_label("m", false, 2)) && base_label("m", false, 2) == "m (run 2)");
        let vc = Wording::Text {
            name: "vc-low".into(),
            text: String::new(),
        };
        assert_eq!(
            (
                label_with_instruction("m", &Wording::Paper).as_str(),
                label_with_instruction("m", &vc).as_str()
            ),
            ("m", "m+vc-low")
        );
        assert_eq!(
            (
                OptionOrders::Circular.describe().as_str(),
                Wording::Paper.name()
            ),
            ("all rotations", "paper")
        );
    }
}
