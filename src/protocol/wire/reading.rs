//! Answers that are read or compared by another model: what is asked, and what came of it.

use serde::{Deserialize, Serialize};

use benchtop_model::evaluation::Server;
use benchtop_model::free_form::FreeForm;

/// Which answers are shown to which judge.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JudgeAsk {
    /// Whose answers; empty for all.
    pub models: Vec<String>,
    /// The judge as its servers call it.
    pub judge: String,
    /// The servers, used as one pool.
    pub servers: Vec<Server>,
    /// Most tokens of a reply.
    pub max_tokens: u32,
    /// Most tries of one question, the first counted.
    pub tries: u32,
    /// Only say what was read before.
    pub dry: bool,
}

/// What a judge read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeReport {
    /// The judge.
    pub judge: String,
    /// The words that it was asked in, with their version.
    pub instruction: String,
    /// Replies that came now.
    pub asked: u64,
    /// Questions that got no reply now.
    pub failed: u64,
    /// Why the last of these got none.
    pub why: Option<String>,
    /// Replies of now that reached the most tokens and name no option.
    pub cut: u64,
    /// Tokens of now, asked and answered, as the server counted them.
    pub tokens: (u64, u64),
    /// By model.
    pub models: Vec<JudgedOf>,
}

/// The answers of one model that `strict` cannot read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedOf {
    /// Its name.
    pub model: String,
    /// How many there are.
    pub unparsed: u64,
    /// Those of them that say nothing, or to questions without known options: no judge is asked about them.
    pub skipped: u64,
    /// Those that this judge was asked about, now or before.
    pub judged: u64,
    /// Of these, those that name an option, or yes or no.
    pub read: u64,
    /// Of these, those that name none.
    pub none: u64,
}

/// Which free-form answers are compared, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SimilarityAsk {
    /// Whose answers; empty for all.
    pub models: Vec<String>,
    /// With what they are compared, and how that counts.
    pub rule: FreeForm,
    /// The text encoder: a known name or a folder.
    pub encoder: String,
    /// Only say what was compared before.
    pub dry: bool,
}

/// How alike free-form answers are to what the items say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimilarityReport {
    /// The text encoder, in words.
    pub encoder: String,
    /// The name of the rule.
    pub rule: String,
    /// Pairs of texts that were compared now.
    pub pairs: u64,
    /// Texts that are longer than the encoder reads: of those the beginning counts.
    pub cut: u64,
    /// By model.
    pub models: Vec<SimilarTo>,
}

/// The free-form answers of one model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimilarTo {
    /// Its name.
    pub model: String,
    /// Its answers to free-form questions that have something to compare with.
    pub answers: u64,
    /// Those that were compared.
    pub compared: u64,
    /// The mean of their scores, from -1 to 1; none without any.
    pub mean: Option<f64>,
}
