//! Payloads of replies, and events.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::StepLatency;
use benchtop_model::error_label::ErrorLabel;
use benchtop_model::history::Entry;
use benchtop_model::job::JobState;
use benchtop_model::usage::{MetadataHealth, MetadataState, Tally};
use benchtop_model::verdict_interchange::ExchangedVerdict;
use benchtop_model::{Comment, Form, Status};

/// A page of decisions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LogPage {
    /// Newest first.
    pub entries: Vec<Entry>,
    /// Whether there are earlier ones.
    pub more: bool,
}

/// An item before and after an edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditedItem {
    /// The item as JSON before the edit.
    pub before: String,
    /// The item as JSON after the edit.
    pub after: String,
    /// Verdicts that no longer count, as far as the annotator may know.
    pub voided: u64,
    /// Messages for the person.
    pub notes: Vec<String>,
}

/// Outcome of retiring terms, or of undoing it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retired {
    /// Rejected items, or verdicts that were undone.
    pub verdicts: u64,
    /// Items that were skipped because someone judged them meanwhile.
    pub meanwhile: u64,
    /// First and last revision of the verdicts.
    pub revs: Option<(u64, u64)>,
    /// The metadata files as they are on disk now.
    pub state: MetadataState,
}

/// Outcome of one verdict on many items.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bulked {
    /// Matching items, by their earlier status.
    pub items: Tally,
    /// Items that were judged, or would be.
    pub judged: u64,
    /// Items that already have this verdict from the same annotator.
    pub same: u64,
    /// Items skipped because a blind round asks for them. They are judged there, one by one.
    pub in_rounds: u64,
    /// Items skipped because someone judged them meanwhile.
    pub meanwhile: u64,
    /// First and last revision of the verdicts.
    pub revs: Option<(u64, u64)>,
}

/// Maximum number of items in one [`VerdictPage`].
pub const VERDICT_PAGE_ITEMS: usize = 1000;

/// A page of effective verdicts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VerdictPage {
    /// Verdicts with their item numbers, in rising order.
    pub list: Vec<(u32, ExchangedVerdict)>,
    /// Number of the next item; `None` at the end.
    pub next: Option<u32>,
}

/// State of the owner, the store, and the items.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OwnerStatus {
    /// Process id of the owner.
    pub pid: u32,
    /// Version of the owner program.
    pub version: String,
    pub socket: PathBuf,
    /// Start time, RFC 3339.
    pub started: String,
    /// Connected clients, including the one that asks.
    pub clients: u32,
    /// Number of running tasks.
    pub jobs: u32,
    pub root: PathBuf,
    pub project: String,
    pub items: u64,
    /// Items by status, in the order of [`Status::ALL`].
    pub by_status: Vec<(Status, u64)>,
    /// Number of imported prediction files.
    pub prediction_sets: u64,
    /// Revision of the last decision.
    pub rev: u64,
    /// Number of decisions in all journals.
    pub decisions: u64,
    /// Size of the sled store, in bytes.
    pub store_bytes: u64,
    /// Reason why decisions cannot be saved; `None` if they can.
    pub read_only: Option<String>,
    /// Messages for the person.
    pub notices: Vec<String>,
    /// Latency of decisions since the owner started.
    pub latency: Vec<StepLatency>,
    /// Whether the metadata on disk is usable; `None` if its folder cannot be read.
    pub metadata: Option<MetadataHealth>,
    /// Items in the newest release; `None` while a blind round hides it.
    pub released: Option<u64>,
}

/// Maximum number of decisions in one [`LogPage`].
pub const LOG_PAGE_ENTRIES: u32 = 5000;

/// Maximum number of failures in one reply.
pub const FAILURE_PAGE: usize = 1000;

/// An imported prediction file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerSet {
    pub model: String,
    /// Question form that the file answers.
    pub form: Form,
    /// Whether the rows contain extracted answers.
    pub evaluated: bool,
    /// Number of rows.
    pub rows: u64,
    /// Data set, if the file names one.
    pub dataset: Option<String>,
}

/// Confirms that a decision is on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// Id of the decision.
    pub uuid: Uuid,
    /// Revision of the project that it made.
    pub rev: u64,
    /// Item number, from 1.
    pub number: u32,
    /// Status of the item after the decision.
    pub status: Status,
    /// Whether an undo or redo applied to an edit instead of a verdict.
    pub edit: bool,
    /// Whether it is about a comment, or undid or redid one.
    pub comment: bool,
}

/// A comment with what it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownComment {
    pub comment: Comment,
    /// Whether the item had another text or other pictures when this was written. Its marks may be
    /// about another picture.
    pub is_earlier: bool,
}

/// The comments on an item, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    pub comments: Vec<ShownComment>,
    /// Number of older comments that did not fit.
    pub left_out: u64,
}

/// Comments on items with their texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommentPage {
    /// Item number, item id, and the comments, in the order of the numbers.
    pub list: Vec<(u32, String, Thread)>,
    /// Number of the next item; `None` at the end.
    pub next: Option<u32>,
}

/// An error label, and whether the answer is still the one that was labeled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownLabel {
    pub label: ErrorLabel,
    pub is_current: bool,
}

/// The error labels on the answers to one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabeledItem {
    /// Item number, from 1.
    pub number: u32,
    pub id: String,
    pub subtask: Option<String>,
    /// By model and annotator.
    pub labels: Vec<ShownLabel>,
}

/// Error labels of items.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorLabelPage {
    /// Items with labels, in the order of the numbers.
    pub list: Vec<LabeledItem>,
    /// Number of the next item; `None` at the end.
    pub next: Option<u32>,
}

/// A message that no client asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    Verdict {
        /// Annotator who decided.
        who: String,
        /// Receipt with the new status.
        receipt: Receipt,
    },
    /// Somebody wrote, changed, or resolved a comment.
    Comment {
        /// Who.
        who: String,
        /// Item number, from 1.
        number: u32,
        /// Revision of the project that it made.
        rev: u64,
    },
    /// Items or predictions were added.
    Imported {
        /// Number of items now.
        items: u64,
    },
    /// A metadata file changed, by the owner or from outside.
    Metadata,
    /// Pictures were generated. Earlier verdicts on these items no longer count.
    PicturesGenerated {
        /// Revision of the project.
        rev: u64,
        /// Item numbers, sorted.
        numbers: Vec<u32>,
    },
    /// Progress of a job: at most four times a second, and at once when its state changes.
    Job(Box<JobState>),
    /// A job was removed.
    JobRemoved(u32),
    /// The scoring rules changed.
    Rules,
    /// A round was created, closed, or reopened.
    Rounds,
    /// Too many changes at once: clients must request everything on screen again.
    Resync,
    /// The owner is ending.
    Ending,
    /// Parsed answers changed: a judge read them, or they were compared.
    AnswersReparsed,
    /// The metadata on disk became unusable, with the reason, or usable again.
    MetadataErrors(Option<String>),
}
