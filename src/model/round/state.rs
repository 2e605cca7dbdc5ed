//! Progress of rounds, and assignments.

use serde::{Deserialize, Serialize};

use super::{Adjudication, Protocol, Round};
use crate::status::Status;
use crate::verdict::{Judgement, Part};

/// A round and its progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundState {
    pub name: String,
    /// Its protocol.
    pub protocol: Protocol,
    /// Whether it is blind.
    pub blind: bool,
    /// Number of people per item.
    pub overlap: u8,
    /// Number of items.
    pub items: u64,
    /// Items that this project does not have.
    pub missing: u64,
    /// Number of items judged, per person.
    pub people: Vec<(String, u64)>,
    /// Verdicts that count toward the overlap.
    pub judged: u64,
    /// Verdicts needed in all.
    pub wanted: u64,
    /// Items by status from the round's verdicts alone, in the order of [`Status::ALL`]. `None` for
    /// people who must not see it in a blind round.
    pub by_status: Option<Vec<(Status, u64)>>,
    /// Verdicts of people who are not in the round, or on items that it does not have.
    pub strangers: u64,
    /// Creation time in milliseconds since 1970.
    pub created: i64,
    /// The annotator who created it.
    pub by: String,
    /// Time when it was closed.
    pub closed: Option<i64>,
    /// Path of the guidelines in the project.
    pub guidelines: Option<String>,
    /// Notes on shortages at creation. Only the reply to the creator contains them.
    pub notes: Vec<String>,
    /// People who left; they get no more items.
    pub left: Vec<String>,
    /// Items that a report leaves out because they are in another round that is blind for the
    /// reader.
    pub left_out: u64,
}

/// The next assignment of a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NextAssignment {
    /// An item, leased to the person.
    Item(Assignment),
    /// Nothing now: others have leased the remaining items. The first lease expires at this time
    /// (milliseconds since 1970).
    Wait(i64),
    /// Nothing is left.
    Finished,
    /// The round is closed.
    Closed,
}

/// An item to judge. It does not say whether it is a probe or a repeat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// Item number, from 1.
    pub number: u32,
    /// Item id.
    pub item: String,
    /// Whether it is a practice item, with feedback after the verdict.
    pub practice: bool,
    /// Number of items that the person had before in this round.
    pub nth: u32,
    /// Position (from 1) and total: among the practice items during practice, otherwise among the
    /// expected items after practice. Probes and repeats count like any other.
    pub place: (u32, u32),
    /// Current version of the round's guidelines.
    pub guidelines: Option<String>,
    /// End of the lease in milliseconds since 1970. Another request renews it.
    pub until: i64,
    /// Whether the person also works on this round in another terminal, which gets the same item.
    pub elsewhere: bool,
    /// Numbers of the items that will probably come next, for preloading pictures.
    pub ahead: Vec<u32>,
}

/// The current guidelines of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuidelinesText {
    /// Path of the file in the project.
    pub path: String,
    /// Current version: [`super::Guidelines::version_of`].
    pub version: String,
    /// Version when the round was created.
    pub made: String,
    /// Contents of the file.
    pub text: String,
}

/// Feedback after a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// Whether a practice item was good; `None` for other items.
    pub good: Option<bool>,
    /// Reason keys of a bad item.
    pub reasons: Vec<String>,
}

/// An item with different verdicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dispute {
    /// Item number, from 1.
    pub number: u32,
    pub item: String,
    /// Status from the verdicts of the round.
    pub status: Status,
    /// The verdicts in the order they were given. Annotators are `annotator 1`, `annotator 2`
    /// unless the round shows names.
    pub verdicts: Vec<OthersVerdict>,
    /// Whether one of them is by the reader.
    pub own: bool,
    /// The adjudication. The adjudicator is named only to themselves, or if the round shows names.
    pub settled: Option<OthersVerdict>,
    /// Revision of the item's text and pictures, which an adjudication must match.
    pub text_rev: u64,
}

/// One of several verdicts on an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OthersVerdict {
    /// The annotator, or a pseudonym.
    pub who: String,
    /// Time in milliseconds since 1970.
    pub at: i64,
    pub judgement: Judgement,
}

/// The context of an adjudication.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdjudicationContext {
    /// What adjudicators see.
    pub sees: Adjudication,
    /// Path of the guidelines in the project.
    pub guidelines: Option<String>,
    /// Current version of the guidelines; `None` if the file cannot be read.
    pub version: Option<String>,
    /// Verdicts under other guidelines versions: the recorded version (`None` if unrecorded) with
    /// the item numbers, ascending. Items that the reader may not see are left out.
    pub earlier: Vec<(Option<String>, Vec<u32>)>,
}

/// An effective verdict of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundVerdict {
    pub row: u32,
    pub who: String,
    pub part: Part,
    pub judgement: Judgement,
}

impl RoundState {
    /// The state of a round without verdicts.
    pub fn without_verdicts(round: &Round) -> RoundState {
        RoundState {
            name: round.name.clone(),
            protocol: round.protocol,
            blind: round.blind,
            overlap: round.overlap,
            items: round.items.len() as u64,
            missing: 0,
            people: round.people.iter().map(|name| (name.clone(), 0)).collect(),
            judged: 0,
            wanted: round.items.len() as u64 * u64::from(round.overlap),
            by_status: None,
            strangers: 0,
            created: round.created,
            by: round.by.clone(),
            closed: round.closed,
            guidelines: round.guidelines.as_ref().map(|g| g.path.clone()),
            notes: Vec::new(),
            left: round.people_who_left(),
            left_out: 0,
        }
    }
}
