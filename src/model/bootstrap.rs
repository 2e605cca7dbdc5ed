//! Bootstrapping (VLB): variants of questions by strategies that models write, paint, and judge.

use serde::{Deserialize, Serialize};

use super::job::JobState;
use super::trust::PendingConsent;
use super::{Error, Result};

/// Name of the method in derivations.
pub const METHOD: &str = "vlb";
/// Number of tries per strategy, after which the original stands in (VLB section 3.3).
pub const TRIES: u32 = 5;
/// Greatest number of compositions in a plan.
const COMPOSITIONS: usize = 64;
/// Greatest number of tries per strategy.
const MOST_TRIES: u32 = 20;

/// What a bootstrapping job makes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootstrapPlan {
    /// Compositions of strategies, such as `V3(V1)+L4`. Each makes one data set.
    pub strategies: Vec<String>,
    /// Which items; empty for all.
    #[serde(default)]
    pub filter: String,
    #[serde(default)]
    pub seed: u64,
    /// At most so many items, drawn at random.
    #[serde(default)]
    pub limit: Option<u64>,
    /// Tries per strategy.
    #[serde(default = "tries")]
    pub tries: u32,
}

fn tries() -> u32 {
    TRIES
}

impl Default for BootstrapPlan {
    fn default() -> BootstrapPlan {
        BootstrapPlan {
            strategies: Vec::new(),
            filter: String::new(),
            seed: 0,
            limit: None,
            tries: TRIES,
        }
    }
}

impl BootstrapPlan {
    /// Checks the settings, typed or stored. The compositions are checked where they are parsed.
    ///
    /// # Errors
    /// [`Error::usage`] with the first wrong one.
    pub fn check(&self) -> Result<()> {
        let wrong = |field: &str, what: String| Err(Error::usage(what).field(field));
        if self.strategies.is_empty() || self.strategies.len() > COMPOSITIONS {
            let what = format!("a plan has 1 to {COMPOSITIONS} compositions of strategies");
            return wrong("strategies", what);
        }
        if self.limit == Some(0) {
            return wrong("limit", "the limit must be at least 1".into());
        }
        if !(1..=MOST_TRIES).contains(&self.tries) {
            return wrong("tries", format!("tries must be 1 to {MOST_TRIES}"));
        }
        Ok(())
    }

    /// The data set of the variants of items of `dataset` by the composition with this name.
    pub fn dataset(dataset: &str, name: &str) -> String {
        format!("{dataset}-{name}")
    }
}

/// A request to start a bootstrapping job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewBootstrap {
    pub plan: BootstrapPlan,
    /// Only count what it would make.
    pub dry: bool,
}

/// A composition of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedComposition {
    /// As it is written in plans: `V3(V1)+L4`.
    pub text: String,
    /// The variant, which is the name of its board columns: `V1+V3+L4`.
    pub name: String,
    /// The difficulty that it is meant to have: `harder`, `easier`, or `mixed`.
    pub difficulty: String,
}

/// A started or previewed job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StartedBootstrap {
    /// The job; `None` for a preview.
    pub job: Option<JobState>,
    /// Source items.
    pub sources: u64,
    /// New items.
    pub items: u64,
    pub compositions: Vec<PlannedComposition>,
    /// Products that are made once and shared by the compositions, over all sources.
    pub products: u64,
    /// The least and the most requests that this takes, without repeated ones.
    pub requests: (u64, u64),
    /// New items that exist already.
    pub already: u64,
    /// Items that are left out: why, and how many.
    pub excluded: Vec<(String, u64)>,
    /// Whether writer and judge are the same model.
    pub judges_itself: bool,
    /// The agreement that is needed before the job starts.
    pub waits: Option<Box<PendingConsent>>,
}

/// One request of a transcript, with what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TranscriptStep {
    /// The product that it is about: strategies in the order in which they are applied.
    pub product: String,
    /// `writer`, `grounder`, `painter`, or `judge`; empty for what the program decided.
    pub role: String,
    /// Number of the request for this product, from 1; 0 if it is none.
    pub ask: u32,
    /// Whether it is a repair of the answer before.
    pub repair: bool,
    pub model: String,
    pub seed: Option<u32>,
    pub temperature: Option<f64>,
    pub system: Option<String>,
    pub prompt: String,
    /// Number of pictures that were sent.
    pub pictures: u32,
    /// The answer, or what the program decided.
    pub reply: String,
    pub at: String,
}
