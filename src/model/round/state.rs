//! What is told of rounds: how far they are, and what somebody is to judge next.

use serde::{Deserialize, Serialize};

use super::{Adjudication, Protocol, Round};
use crate::status::Status;
use crate::verdict::{Judgement, Part};

/// A round and how far it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundState {
    /// What it is called.
    pub name: String,
    /// What is asked, and how verdicts decide.
    pub protocol: Protocol,
    /// Nobody sees what others or machines say of an item before their own verdict is in.
    pub blind: bool,
    /// How many people judge each item.
    pub overlap: u8,
    /// Its items.
    pub items: u64,
    /// Items that this project does not have.
    pub missing: u64,
    /// Items judged by each person.
    pub people: Vec<(String, u64)>,
    /// Verdicts that count towards the overlap.
    pub judged: u64,
    /// Verdicts that are wanted.
    pub wanted: u64,
    /// Its items by the status that its verdicts alone give them, in the order of [`Status::ALL`]; not told to somebody whom
    /// the round is blind for.
    pub by_status: Option<Vec<(Status, u64)>>,
    /// Verdicts of people who are not in it, or on items that it does not have.
    pub strangers: u64,
    /// When it was made, in milliseconds since 1970.
    pub created: i64,
    /// Who made it.
    pub by: String,
    /// When it was closed.
    pub closed: Option<i64>,
    /// Path of the guidelines in the project.
    pub guidelines: Option<String>,
    /// What there was too little of when it was drawn: told once, to the one who made it.
    pub notes: Vec<String>,
    /// Those among the people who left it: they are given nothing any more.
    pub left: Vec<String>,
    /// Items that a report leaves out, since another round that is blind for the one who asks has them.
    pub left_out: u64,
}

/// What there is for somebody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NextAssignment {
    /// An item, theirs until its time.
    Item(Assignment),
    /// Nothing now: others have in hand what is left. The first of their leases ends then (milliseconds since 1970).
    Wait(i64),
    /// Nothing more.
    Finished,
    /// Nothing: the round is closed.
    Closed,
}

/// An item that somebody is to judge. Whether it is a probe or a repeat is not told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// Its number, from 1.
    pub number: u32,
    /// Its id.
    pub item: String,
    /// It is practice: what it is will be told after the verdict.
    pub practice: bool,
    /// How many the person had before it in this round.
    pub nth: u32,
    /// Which it is, from 1, of how many: in practice of those of practice, afterwards of all that come after it if all
    /// people are equally fast. What is mixed in counts as any other.
    pub place: (u32, u32),
    /// Version of the round's guidelines as they are now.
    pub guidelines: Option<String>,
    /// When the lease ends, in milliseconds since 1970; asking again renews it.
    pub until: i64,
    /// The person is at work in this round at another terminal too, which is given the same item.
    pub elsewhere: bool,
    /// Numbers of the items that probably come next, to get their pictures ready.
    pub ahead: Vec<u32>,
}

/// The guidelines of a round as they are now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuidelinesText {
    /// Path of the file in the project.
    pub path: String,
    /// Its version: [`super::Guidelines::version_of`].
    pub version: String,
    /// The version when the round was made.
    pub made: String,
    /// What it says.
    pub text: String,
}

/// What is told once a verdict is in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// What the item is, where it was practice: good or bad.
    pub good: Option<bool>,
    /// Why it is bad: keys of reasons.
    pub reasons: Vec<String>,
}

/// An item on which people differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dispute {
    /// Its number, from 1.
    pub number: u32,
    /// Its id.
    pub item: String,
    /// Where the verdicts of the round leave it.
    pub status: Status,
    /// The verdicts, in the order they were given. Who gave them is `annotator 1`, `annotator 2` unless the round tells names.
    pub verdicts: Vec<Side>,
    /// Whether the one who asks is one of them.
    pub own: bool,
    /// The adjudication that settled it; who gave it is told to that person, and where the round tells names.
    pub settled: Option<Side>,
    /// Revision of its text and pictures: what an adjudication expects.
    pub text_rev: u64,
}

/// A verdict beside others on the same item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// Who gave it, as far as that is told.
    pub who: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What was said.
    pub judgement: Judgement,
}

/// What there is to know before the disputes of a round are settled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjudicating {
    /// What adjudicators see.
    pub sees: Adjudication,
    /// Path of the guidelines in the project.
    pub guidelines: Option<String>,
    /// The version of that file now; none where it cannot be read.
    pub version: Option<String>,
    /// Verdicts under another version: the version they are stamped with, none for no stamp, with the number of the item
    /// of each, rising. Items that the one who asks may not know of are left out.
    pub earlier: Vec<(Option<String>, Vec<u32>)>,
}

/// One verdict of a round that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InRound {
    /// The item's row.
    pub row: u32,
    /// Who.
    pub who: String,
    /// What for.
    pub part: Part,
    /// What was said.
    pub judgement: Judgement,
}

impl RoundState {
    /// The state of a round that has no verdict yet.
    pub fn fresh(round: &Round) -> RoundState {
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
            left: round.left(),
            left_out: 0,
        }
    }
}
