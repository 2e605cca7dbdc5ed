//! A round as it is reported: what was asked, who said how much, and what came of it.

use serde::{Deserialize, Serialize};

use super::state::RoundState;
use super::{Order, Origin, Rate};
use crate::agreement::analysis::{Agreed, By, Row};
use crate::annotator;
use crate::status::Status;
use crate::verdict::Verdict;

/// Everything that is reported of a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundReport {
    /// What it is and how far.
    pub state: RoundState,
    /// What its items were drawn from.
    pub origin: Origin,
    /// The order in which items were shown.
    pub order: Order,
    /// What orders, repeats and probes were drawn from.
    pub seed: u64,
    /// Share of items shown twice.
    pub repeats: Rate,
    /// Share of known items mixed in.
    pub probes: Rate,
    /// Known items to practise on.
    pub practice: u64,
    /// When the first and the last of its verdicts came, in milliseconds since 1970; none without verdicts.
    pub from: Option<(i64, i64)>,
    /// Its items by status, adjudications counted, in the order of [`Status::ALL`].
    pub outcome: Vec<(Status, u64)>,
    /// How far people agree, pair by pair, and how steady and right each is.
    pub agreement: Agreed,
    /// The same by properties of the items that have more than one value.
    pub groups: Vec<(By, Vec<Row>)>,
    /// First verdicts that were changed by a second one, of all people together.
    pub revised: annotator::Rate,
    /// What an audit found (Dysca section 3.5: a tenth by hand); none under other protocols.
    pub audit: Option<Audit>,
    /// Items on which people differ, or that somebody flagged or was unsure of, and how many of them are settled.
    pub disputes: (u64, u64),
    /// What was settled.
    pub adjudications: Vec<Adjudicated>,
    /// Version of the guidelines when the round was made.
    pub guidelines: Option<String>,
    /// First verdicts by the version of the guidelines that they were given under, most verdicts first.
    pub versions: Vec<(Option<String>, u64)>,
}

/// What an audit found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// Items found wrong, of those that it decided on.
    pub wrong: annotator::Rate,
    /// What the models make of the items that it decided on, in the order of their names; none without predictions.
    pub scores: Vec<AuditScore>,
}

/// A model's answers to audited items, as far as it has given any: those that cannot be read are wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditScore {
    /// The model.
    pub model: String,
    /// Right, of all items that the audit decided on.
    pub with: annotator::Rate,
    /// Right, of those that it found nothing wrong with.
    pub without: annotator::Rate,
}

/// An item that an adjudication settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjudicated {
    /// Its number, from 1.
    pub number: u32,
    /// Its id.
    pub item: String,
    /// Who settled it.
    pub by: String,
    /// As what.
    pub verdict: Verdict,
    /// Keys of the reasons.
    pub reasons: Vec<String>,
    /// Why.
    pub note: Option<String>,
    /// Whoever settled it had judged it in the round before.
    pub own: bool,
    /// What the others had said, in the order they did. Who is `annotator 1`, `annotator 2` unless the round tells names.
    pub verdicts: Vec<(String, Verdict)>,
}
