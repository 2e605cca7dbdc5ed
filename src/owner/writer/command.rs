//! What the writer is asked to do.

use std::collections::BTreeMap;
use std::sync::mpsc;
use std::time::Instant;

use uuid::Uuid;

use benchtop_model::edit::EditMark;
use benchtop_model::generated_image::GeneratedImage;
use benchtop_model::generation::Fingerprint;
use benchtop_model::{Decision, Result};
use benchtop_protocol::wire::{Decide, Receipt, ResumePoint};
use benchtop_store::open::Recorded;

/// Gives the answer back to whoever asked. Must not block.
pub type Reply = Box<dyn FnOnce(Result<Receipt>) + Send>;

/// What a person wants decided.
#[derive(Debug)]
pub enum DecisionRequest {
    /// A verdict.
    Decide(Decide),
    /// Take back the last verdict that counts, or edit.
    Undo(Uuid),
    /// Bring back the last that was undone.
    Redo(Uuid),
}

/// Work for the writer.
pub enum WriterCommand {
    /// A decision of `who`.
    Wish {
        /// The annotator.
        who: String,
        /// What is wanted.
        wish: DecisionRequest,
        /// When it was asked for, where somebody waits for it alone: for [`OwnerContext::latency`](crate::context::OwnerContext::latency).
        asked: Option<Instant>,
        /// Where the receipt goes.
        reply: Reply,
    },
    /// Remember where `who` is.
    Place {
        /// The annotator.
        who: String,
        /// Where.
        place: ResumePoint,
    },
    /// Items were added: fold the journals again if some decisions had no item.
    Imported,
    /// Items get later texts: what was said of the earlier ones ends to count at a revision that this thread gives out.
    Revise(Revise),
    /// Pictures were made: they are recorded at a revision that this thread gives out, and verdicts on what was there
    /// before them end to count.
    Made(MadePictures),
    /// Rounds were made or closed: read them and fold the journals again.
    Rounds(mpsc::Sender<()>),
    /// Decisions from other machines: they are appended and all journals folded again.
    Join(Join),
    /// Write the checkpoint and end; the sender waits for the other end to close.
    Finish(mpsc::Sender<()>),
}

/// See [`WriterCommand::Join`].
pub struct Join {
    /// The decisions, by annotator.
    pub fresh: BTreeMap<String, Vec<Decision>>,
    /// Where the outcome goes: they are on disk and count.
    pub reply: mpsc::Sender<Result<()>>,
}

/// Makes revised items part of the project under the revision it is given.
pub type Record = Box<dyn FnOnce(u64) -> Result<Recorded> + Send>;

/// See [`WriterCommand::Revise`].
pub struct Revise {
    /// Writes the manifest line.
    pub record: Record,
    /// Rows whose verdicts no longer count.
    pub changed: Vec<u32>,
    /// Rows whose verdicts count all the same.
    pub kept: Vec<u32>,
    /// Who wrote them by hand.
    pub edit: Option<EditMark>,
    /// Where the outcome goes: what is still to be entered in the index.
    pub reply: mpsc::Sender<Result<Recorded>>,
}

/// See [`WriterCommand::Made`].
pub struct MadePictures {
    /// The pictures, whose files are durable; their revision is still to be given.
    pub made: Vec<GeneratedImage>,
    /// What made them.
    pub prints: Vec<Fingerprint>,
    /// Rows of their items, sorted.
    pub rows: Vec<u32>,
    /// Where the outcome goes: it is on disk now.
    pub reply: mpsc::Sender<Result<()>>,
}
