//! The report of a round: settings, counts, agreement, and results.

use serde::{Deserialize, Serialize};

use super::state::RoundState;
use super::{Order, Origin, Rate};
use crate::agreement::analysis::{AgreementAnalysis, GroupBy, Row};
use crate::annotator;
use crate::status::Status;
use crate::verdict::Verdict;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundReport {
    pub state: RoundState,
    /// How the items were selected.
    pub origin: Origin,
    /// The order of the items.
    pub order: Order,
    /// Seed of orders, repeats, and probes.
    pub seed: u64,
    /// Share of repeats.
    pub repeats: Rate,
    /// Share of probes.
    pub probes: Rate,
    /// Number of practice items.
    pub practice: u64,
    /// Times of the first and the last verdict in milliseconds since 1970; `None` without verdicts.
    pub from: Option<(i64, i64)>,
    /// Items by status after adjudication, in the order of [`Status::ALL`].
    pub outcome: Vec<(Status, u64)>,
    /// Agreement by pair, and quality of each person.
    pub agreement: AgreementAnalysis,
    /// Agreement by item properties that have more than one value.
    pub groups: Vec<(GroupBy, Vec<Row>)>,
    /// First verdicts that were revised, over all people.
    pub revised: annotator::Rate,
    /// Result of an audit (Dysca section 3.5: a tenth by hand); `None` under other protocols.
    pub audit: Option<Audit>,
    /// How many items of each variant were accepted; empty if no item is of a variant.
    pub variants: Vec<VariantRate>,
    /// Number of disputed items (different verdicts, a flag, or an unsure), and how many of them
    /// are settled.
    pub disputes: (u64, u64),
    /// The adjudications.
    pub adjudications: Vec<AdjudicatedItem>,
    /// Version of the guidelines when the round was created.
    pub guidelines: Option<String>,
    /// First verdicts by guidelines version, most verdicts first.
    pub versions: Vec<(Option<String>, u64)>,
}

/// The items of a variant that were accepted. Under a protocol of equivalence this is the share that
/// people find equivalent to the originals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariantRate {
    pub variant: String,
    /// Accepted items of those decided, without those where the original stands in.
    pub accepted: annotator::Rate,
    /// Decided items where the original stands in, so that there was nothing to judge.
    pub unmodified: u64,
}

/// Result of an audit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// Items found wrong, of those decided.
    pub wrong: annotator::Rate,
    /// The models' accuracy on the decided items, sorted by model name; empty without predictions.
    pub scores: Vec<AuditScore>,
}

/// A model's accuracy on audited items that it answered. Unparsed answers count as wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditScore {
    pub model: String,
    /// Accuracy on all decided items.
    pub with: annotator::Rate,
    /// Accuracy on the items without errors.
    pub without: annotator::Rate,
}

/// An adjudicated item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdjudicatedItem {
    /// Item number, from 1.
    pub number: u32,
    /// Item id.
    pub item: String,
    /// The adjudicator.
    pub by: String,
    pub verdict: Verdict,
    /// Reason keys.
    pub reasons: Vec<String>,
    /// The adjudicator's note.
    pub note: Option<String>,
    /// Whether the adjudicator had judged the item in the round before.
    pub own: bool,
    /// The other verdicts in the order they were given. Annotators are `annotator 1`, `annotator 2`
    /// unless the round shows names.
    pub verdicts: Vec<(String, Verdict)>,
}
