//! The kinds of requests: a trait for the handlers of each, and what a handler runs with.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc;

use crate::context::OwnerContext;
use crate::visibility::AnnotatorView;
use crate::writer::DecisionRequest;
use benchtop_model::Result;
use benchtop_model::import::Progress;
use benchtop_protocol::wire::{AnyReply, Blind, FromOwner, Receipt, Request};

/// Where answers to one client go.
pub type Outbox = mpsc::Sender<FromOwner>;

/// How a query is watched while it is answered.
pub struct Watch<'a> {
    /// The answer is no longer wanted.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Part of the answer, ahead of the whole.
    pub partial: &'a mut dyn FnMut(AnyReply),
}

/// A request that is looked up beside the writer, and cancelled when its client no longer wants it.
pub trait Query: Request {
    /// The reply, as far as the annotator may know it.
    ///
    /// # Errors
    /// What is wrong with the request, or with what is stored.
    fn answer(self, sight: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Self::Reply>;

    /// Called in the order in which the requests of a connection come in, before any of them is answered.
    fn arrived(&self, _: &OwnerContext, _who: &str, _connection: u64) {}

    /// A later one of the same client cancels those of earlier generations.
    fn generation(&self) -> Option<u64> {
        None
    }
}

/// Told how far a task is; says whether to go on.
pub type Tell<'a> = &'a mut dyn FnMut(Progress) -> bool;

/// What a task runs with.
pub struct TaskContext<'a> {
    /// What the owner's threads share.
    pub shared: &'a Arc<OwnerContext>,
    /// The annotator in whose name it runs.
    pub who: &'a str,
    /// Tells the client how far it is.
    pub tell: Tell<'a>,
    /// Set when the client no longer wants it.
    pub cancelled: &'a AtomicBool,
}

impl TaskContext<'_> {
    /// What the annotator may see now.
    pub fn sight(&self) -> AnnotatorView {
        AnnotatorView::of(self.shared, self.who)
    }

    /// Whether the client still waits for it.
    pub fn is_wanted(&self) -> bool {
        !self.cancelled.load(Ordering::Relaxed)
    }
}

/// A request that runs on a thread of its own.
pub trait Task: Request {
    /// Does it.
    ///
    /// # Errors
    /// What keeps it from being done.
    fn run(self, task: TaskContext<'_>) -> Result<Self::Reply>;
}

/// A request that the writer decides.
pub trait Decision: Request<Reply = Receipt> {
    /// What is decided.
    fn decision(self) -> DecisionRequest;
}

/// Answers a query, where its blindness allows it.
///
/// # Errors
/// [`Denied`](benchtop_model::ErrorKind::Denied) while a blind round keeps it from the annotator, and those of the handler.
pub fn answer<R: Query>(
    request: R,
    sight: &AnnotatorView,
    watch: &mut Watch<'_>,
) -> Result<R::Reply> {
    if R::BLIND == Blind::Refused {
        sight.scores()?;
    }
    request.answer(sight, watch)
}

/// Runs a task, where its blindness allows it.
///
/// # Errors
/// As for [`answer`].
pub fn run<R: Task>(request: R, task: TaskContext<'_>) -> Result<R::Reply> {
    if R::BLIND == Blind::Refused {
        task.sight().scores()?;
    }
    request.run(task)
}
