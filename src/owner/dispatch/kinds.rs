//! The kinds of requests: a trait for the handlers of each, and what a handler runs with.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::context::OwnerContext;
use crate::visibility::AnnotatorView;
use crate::writer::DecisionRequest;
use benchtop_model::cancel::{Cancel, ProgressSink};
use benchtop_model::{Error, Result};
use benchtop_protocol::wire::{AnyReply, Blind, FromOwner, Receipt, Request};

/// Queue of the replies to one client.
pub type Outbox = mpsc::Sender<FromOwner>;

/// Cancellation and partial replies of a query.
pub struct Watch<'a> {
    /// Whether the request was canceled.
    pub cancel: Cancel<'a>,
    /// Sends a part of the reply early.
    pub partial: &'a mut dyn FnMut(AnyReply),
}

/// A request that runs on a lookup thread and can be canceled.
pub trait Query: Request {
    /// The reply, as far as the annotator may see it.
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Self::Reply>;

    /// Called for the requests of a connection in the order of arrival, before any of them runs.
    fn arrived(&self, _: &OwnerContext, _who: &str, _connection: u64) {}

    /// Generation of the request. A later generation of the same client cancels earlier ones.
    fn generation(&self) -> Option<u64> {
        None
    }
}

/// Context of a running task.
pub struct TaskContext<'a> {
    pub shared: &'a Arc<OwnerContext>,
    /// Annotator on whose behalf the task runs.
    pub who: &'a str,
    /// Sends progress to the client, and knows whether the client canceled the task.
    pub progress: ProgressSink<'a>,
}

impl TaskContext<'_> {
    /// What the annotator may see now.
    pub fn view(&self) -> AnnotatorView {
        AnnotatorView::of(self.shared, self.who)
    }
}

/// A request that runs on its own thread.
pub trait Task: Request {
    /// Whether it is in the list of jobs while it runs. Not if it starts a job of its own.
    const LISTED: bool = true;

    fn run(self, task: TaskContext<'_>) -> Result<Self::Reply>;
}

/// A request that the writer decides.
pub trait Decision: Request<Reply = Receipt> {
    /// The decision to make.
    fn decision(self) -> DecisionRequest;
}

/// Runs a handler. A panic becomes an error: without a reply, the client would wait forever.
///
/// # Errors
/// Those of the handler, and an internal error after a panic.
pub fn caught(handler: impl FnOnce() -> Result<AnyReply>) -> Result<AnyReply> {
    catch_unwind(AssertUnwindSafe(handler)).unwrap_or_else(|_| {
        let help = "`.owner/log` in the project has the details; please report them";
        Err(Error::failed("internal error: the request panicked").help(help))
    })
}

/// Runs a query, unless a blind round forbids it.
///
/// # Errors
/// [`Denied`](benchtop_model::ErrorKind::Denied) while a blind round hides the reply from the
/// annotator, and the errors of the handler.
pub fn answer<R: Query>(
    request: R,
    view: &AnnotatorView,
    watch: &mut Watch<'_>,
) -> Result<R::Reply> {
    if R::BLIND == Blind::Refused {
        view.check_scores()?;
    }
    request.answer(view, watch)
}

/// Runs a task, unless a blind round forbids it.
///
/// # Errors
/// As for [`answer`].
pub fn run<R: Task>(request: R, task: TaskContext<'_>) -> Result<R::Reply> {
    if R::BLIND == Blind::Refused {
        task.view().check_scores()?;
    }
    request.run(task)
}
