//! Commands for the writer thread.

use std::collections::BTreeMap;
use std::sync::mpsc;
use std::time::Instant;

use uuid::Uuid;

use benchtop_model::edit::EditMark;
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::generation::Fingerprint;
use benchtop_model::{Decision, Result};
use benchtop_protocol::wire::{CommentOn, Decide, Receipt, ResumePoint};
use benchtop_store::open::RecordedImport;

/// Sends the result to the caller. Must not block.
pub type Reply = Box<dyn FnOnce(Result<Receipt>) + Send>;

/// A decision to make.
#[derive(Debug)]
pub enum DecisionRequest {
    Decide(Decide),
    Comment(CommentOn),
    /// Undo the last effective verdict, edit, or comment.
    Undo(Uuid),
    /// Redo the last undo.
    Redo(Uuid),
}

/// A command for the writer thread.
pub enum WriterCommand {
    /// A decision of `who`.
    Decide {
        who: String,
        wish: DecisionRequest,
        /// Time of the request, for
        /// [`OwnerContext::latency`](crate::context::OwnerContext::latency). `None` for bulk
        /// decisions, which are not timed.
        asked: Option<Instant>,
        /// Receives the receipt.
        reply: Reply,
    },
    /// Save the resume point of `who`.
    Place { who: String, place: ResumePoint },
    /// Items were added. Folds the journals again if some decisions had no item.
    Imported,
    /// Items get new texts. Verdicts on the earlier texts stop counting at a revision that this
    /// thread assigns.
    Revise(Revise),
    /// Record generated pictures at a revision that this thread assigns. Verdicts on the earlier
    /// pictures stop counting.
    RecordPictures(MadePictures),
    /// Rounds were created or closed. Rereads them and folds the journals again.
    Rounds(mpsc::Sender<()>),
    /// Append decisions from other machines and fold all journals again.
    Merge(MergedDecisions),
    /// Write the checkpoint and end. The sender is dropped at the end.
    Finish(mpsc::Sender<()>),
}

/// See [`WriterCommand::Join`].
pub struct MergedDecisions {
    /// Decisions by annotator.
    pub fresh: BTreeMap<String, Vec<Decision>>,
    /// Receives the result when the decisions are on disk and count.
    pub reply: mpsc::Sender<Result<()>>,
}

/// Adds revised items to the project under the given revision.
pub type Record = Box<dyn FnOnce(u64) -> Result<RecordedImport> + Send>;

/// See [`WriterCommand::Revise`].
pub struct Revise {
    /// Writes the manifest line.
    pub record: Record,
    /// Rows whose verdicts no longer count.
    pub changed: Vec<u32>,
    /// Rows whose verdicts still count.
    pub kept: Vec<u32>,
    /// Set for manual edits.
    pub edit: Option<EditMark>,
    /// Receives the result, which must then be added to the index.
    pub reply: mpsc::Sender<Result<RecordedImport>>,
}

/// See [`WriterCommand::RecordPictures`].
pub struct MadePictures {
    /// The pictures. Their files are synced; their revision is assigned later.
    pub made: Vec<GeneratedImage>,
    /// Fingerprints of the generators.
    pub prints: Vec<Fingerprint>,
    /// Rows of their items, sorted.
    pub rows: Vec<u32>,
    /// Receives the result when the pictures are recorded on disk.
    pub reply: mpsc::Sender<Result<()>>,
}
