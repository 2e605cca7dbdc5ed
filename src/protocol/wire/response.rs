//! What replies hold, and what the owner tells unasked.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Waits;
use benchtop_model::history::Entry;
use benchtop_model::job::JobState;
use benchtop_model::scoring::job::ScoringState;
use benchtop_model::usage::{MetadataHealth, MetadataState, Tally};
use benchtop_model::verdict_interchange::ExchangedVerdict;
use benchtop_model::{Form, Status};

/// Decisions, and whether there are more.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LogPage {
    /// The newest first.
    pub entries: Vec<Entry>,
    /// Whether earlier ones follow.
    pub more: bool,
}

/// An item before and after an edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditedItem {
    /// Its JSON as it was.
    pub before: String,
    /// Its JSON as it is, or would be.
    pub after: String,
    /// Verdicts that no longer count, as far as they may be known.
    pub voided: u64,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// What became of the items of terms, and the lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retired {
    /// Items that were rejected, or verdicts that were taken back.
    pub verdicts: u64,
    /// Items on which somebody decided meanwhile: theirs stands.
    pub meanwhile: u64,
    /// First and last revision of the verdicts.
    pub revs: Option<(u64, u64)>,
    /// The metadata files as they are on disk now.
    pub state: MetadataState,
}

/// What became of one verdict on many items.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bulked {
    /// The items it is about, by the status they had.
    pub items: Tally,
    /// Items that were judged, or would be.
    pub judged: u64,
    /// Items of which the same person says so already.
    pub same: u64,
    /// Items that a blind round asks for: they are judged in it, one by one.
    pub in_rounds: u64,
    /// Items on which somebody decided meanwhile: theirs stands.
    pub meanwhile: u64,
    /// First and last revision of the verdicts.
    pub revs: Option<(u64, u64)>,
}

/// Items whose verdicts are in one answer, at most.
pub const VERDICTS: usize = 1000;

/// Verdicts that count.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VerdictPage {
    /// Item numbers, rising, with a verdict each.
    pub list: Vec<(u32, ExchangedVerdict)>,
    /// The number to go on from; `None` at the end.
    pub next: Option<u32>,
}

/// Owner, store and counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OwnerStatus {
    /// Owner's process id.
    pub pid: u32,
    /// Version of its program.
    pub version: String,
    /// Its socket.
    pub socket: PathBuf,
    /// When it started, RFC 3339.
    pub started: String,
    /// Clients attached, the asking one included.
    pub clients: u32,
    /// Long commands running.
    pub jobs: u32,
    /// The project's folder.
    pub root: PathBuf,
    /// Its name.
    pub project: String,
    /// Items.
    pub items: u64,
    /// Items by status, in the order of [`Status::ALL`].
    pub by_status: Vec<(Status, u64)>,
    /// Prediction files brought in.
    pub prediction_sets: u64,
    /// Revision of the last decision.
    pub rev: u64,
    /// Decisions in all journals.
    pub decisions: u64,
    /// Bytes of the sled store.
    pub store_bytes: u64,
    /// Whether decisions can be saved, and why not.
    pub read_only: Option<String>,
    /// What a person should know.
    pub notices: Vec<String>,
    /// Where decisions waited since the owner started.
    pub latency: Vec<Waits>,
    /// Whether the metadata on disk can be used; `None` where its folder cannot be read.
    pub metadata: Option<MetadataHealth>,
}

/// Decisions in one answer.
pub const LOGGED: u32 = 5000;

/// Failures of a job in one answer.
pub const FAILURES: usize = 1000;

/// A prediction file that was brought in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerSet {
    /// Model name.
    pub model: String,
    /// The form of the questions it answers.
    pub form: Form,
    /// Whether its rows carry stored extractions.
    pub evaluated: bool,
    /// Rows.
    pub rows: u64,
    /// The data set that they are answers to, where the file says so.
    pub dataset: Option<String>,
}

/// A decision is on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The decision's.
    pub uuid: Uuid,
    /// Revision of the project it made.
    pub rev: u64,
    /// Item number, from 1.
    pub number: u32,
    /// Where the item stands now.
    pub status: Status,
    /// What was taken back or brought back is an edit by hand.
    pub edit: bool,
}

/// Something happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// An item's status changed.
    Verdict {
        /// Who decided.
        who: String,
        /// The receipt with the new status.
        receipt: Receipt,
    },
    /// Items or predictions were added.
    Imported {
        /// Number of items now.
        items: u64,
    },
    /// A metadata file was changed, here or outside.
    Metadata,
    /// Pictures were made: verdicts that these items had no longer count, and what they show is another picture.
    Made {
        /// Revision of the project.
        rev: u64,
        /// Numbers of the items, sorted.
        numbers: Vec<u32>,
    },
    /// How far a job is: at most four times a second while it makes progress, and at once when its standing changes.
    Job(Box<JobState>),
    /// A job was removed.
    JobGone(u32),
    /// How far scoring is: at most four times a second, and at once when its phase changes.
    Scoring(Box<ScoringState>),
    /// The rules are others now.
    Rules,
    /// A round was made, closed or opened again.
    Rounds,
    /// Too much happened at once: ask again for what is on screen.
    Resync,
    /// The owner is about to end.
    Ending,
    /// What answers come to is another thing: they were compared, or read by a judge.
    Reread,
    /// The metadata on disk cannot be used, and why, or can be used again.
    MetadataErrors(Option<String>),
}
