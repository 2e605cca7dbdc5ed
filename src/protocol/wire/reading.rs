//! Requests and replies for answers that another model reads or compares.

use serde::{Deserialize, Serialize};

use benchtop_model::evaluation::Server;
use benchtop_model::free_form::FreeForm;

/// Which answers a judge reads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JudgeRequest {
    /// Models whose answers are read; empty for all.
    pub models: Vec<String>,
    /// Name of the judge on its servers.
    pub judge: String,
    /// Servers, used as one pool.
    pub servers: Vec<Server>,
    /// Maximum number of tokens in a reply.
    pub max_tokens: u32,
    /// Maximum number of attempts per question, including the first.
    pub tries: u32,
    /// Dry run: only report earlier readings.
    pub dry: bool,
    /// Whether the judge grades free-form answers, instead of reading answers that `strict` cannot
    /// read.
    #[serde(default)]
    pub grade: bool,
}

/// Readings of a judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeReport {
    pub judge: String,
    /// Name and version of the instruction.
    pub instruction: String,
    /// Replies received in this run.
    pub asked: u64,
    /// Questions that got no reply in this run.
    pub failed: u64,
    /// Reason for the last failure.
    pub why: Option<String>,
    /// Replies of this run that hit the token limit and cannot be read.
    pub cut: u64,
    /// Prompt and completion tokens of this run, as counted by the server.
    pub tokens: (u64, u64),
    pub models: Vec<JudgedModel>,
}

/// Answers of one model that a judge reads: those that the `strict` rule cannot read, or the
/// free-form ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedModel {
    pub model: String,
    /// Number of such answers.
    pub answers: u64,
    /// Answers that no judge is asked about: they are empty, or their question has no known
    /// options.
    pub skipped: u64,
    /// Answers that this judge was asked about, in this or an earlier run.
    pub judged: u64,
    /// Judged answers whose reply names an option, yes, or no, or is a grade.
    pub read: u64,
    /// Judged answers whose reply does not.
    pub none: u64,
}

/// Which free-form answers to compare, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SimilarityRequest {
    /// Models whose answers are compared; empty for all.
    pub models: Vec<String>,
    /// Texts to compare with, and the threshold.
    pub rule: FreeForm,
    /// Text encoder: a known name, or a folder.
    pub encoder: String,
    /// Dry run: only report earlier comparisons.
    pub dry: bool,
}

/// Similarity of free-form answers to the texts of their items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimilarityReport {
    /// Description of the text encoder.
    pub encoder: String,
    pub rule: String,
    /// Pairs of texts compared in this run.
    pub pairs: u64,
    /// Texts that were truncated to the encoder's input length.
    pub cut: u64,
    pub models: Vec<ModelSimilarity>,
}

/// Free-form answers of one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelSimilarity {
    pub model: String,
    /// Answers to free-form questions that have a text to compare with.
    pub answers: u64,
    /// Number of compared answers.
    pub compared: u64,
    /// Mean similarity, from -1 to 1; `None` without compared answers.
    pub mean: Option<f64>,
}
