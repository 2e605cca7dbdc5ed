//! What one client asks, and where the replies go.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{broadcast, mpsc};

use super::context::OwnerContext;
use super::dispatch::{self, Decision, Outbox, Query, Task, Watch};
use super::jobs;
use super::visibility::AnnotatorView;
use super::writer::WriterCommand;
use benchtop_model::Result;
use benchtop_protocol::wire::{AnyReply, Event, FromOwner, Receipt, Request};

/// A receipt on its way.
pub(super) struct Sent {
    /// When the decision was asked for.
    pub(super) asked: Instant,
    /// When it was acknowledged.
    pub(super) given: Instant,
    pub(super) message: FromOwner,
}

/// What one client has under way.
#[derive(Default)]
pub(super) struct Running {
    /// Number of the connection.
    pub(super) connection: u64,
    generation: AtomicU64,
    lookups: AtomicUsize,
    cancels: Mutex<HashMap<u64, Arc<AtomicBool>>>,
}

impl Running {
    pub(super) fn new(connection: u64) -> Running {
        Running {
            connection,
            ..Running::default()
        }
    }

    /// Queries that are being looked up.
    pub(super) fn lookups(&self) -> usize {
        self.lookups.load(Ordering::SeqCst)
    }

    fn cancels(&self) -> MutexGuard<'_, HashMap<u64, Arc<AtomicBool>>> {
        self.cancels.lock()
    }

    /// The reply to `number` is no longer wanted.
    pub(super) fn cancel(&self, number: u64) {
        if let Some(flag) = self.cancels().get(&number) {
            flag.store(true, Ordering::SeqCst);
        }
    }

    /// Nobody waits for any reply any more.
    pub(super) fn cancel_all(&self) {
        self.generation.store(u64::MAX, Ordering::SeqCst);
        self.cancels()
            .values()
            .for_each(|flag| flag.store(true, Ordering::SeqCst));
    }

    fn flag(&self, number: u64) -> Arc<AtomicBool> {
        let flag = Arc::new(AtomicBool::new(false));
        self.cancels().insert(number, flag.clone());
        flag
    }
}

/// One client, known by name.
pub(super) struct Conversation {
    pub(super) shared: Arc<OwnerContext>,
    pub(super) running: Arc<Running>,
    pub(super) who: String,
    /// The client's user id.
    pub(super) peer: u32,
    pub(super) outbox: Outbox,
    /// Receipts have a way of their own that is never full: the writer must neither wait for a client nor lose one.
    pub(super) receipts: mpsc::UnboundedSender<Sent>,
    /// What the client is told unasked, once it wants to be.
    pub(super) events: Option<broadcast::Receiver<Event>>,
}

impl Conversation {
    /// Queues an answer without waiting; false when the client does not read what it asked for.
    pub(super) fn answer(&self, number: u64, answer: Result<AnyReply>) -> bool {
        self.outbox
            .try_send(FromOwner::Answer(number, Box::new(answer)))
            .is_ok()
    }

    pub(super) fn reply<R: Request>(&self, number: u64, reply: Result<R::Reply>) -> bool {
        self.answer(number, reply.map(R::pack))
    }

    /// Looks up the reply to a query.
    pub(super) fn look_up<R: Query>(&self, number: u64, ask: R) -> bool {
        ask.arrived(&self.shared, &self.who, self.running.connection);
        let generation = ask.generation();
        let answer = Box::new(move |sight: &AnnotatorView, watch: &mut Watch<'_>| {
            dispatch::answer(ask, sight, watch).map(R::pack)
        });
        self.spawn(number, generation, answer);
        true
    }

    fn spawn(&self, number: u64, generation: Option<u64>, answer: Lookup) {
        if let Some(generation) = generation {
            self.running
                .generation
                .fetch_max(generation, Ordering::SeqCst);
        }
        let sight = AnnotatorView::of(&self.shared, &self.who);
        let (running, outbox) = (self.running.clone(), self.outbox.clone());
        let flag = running.flag(number);
        running.lookups.fetch_add(1, Ordering::SeqCst);
        tokio::task::spawn_blocking(move || {
            let is_older =
                || generation.is_some_and(|of| running.generation.load(Ordering::Relaxed) > of);
            let cancelled = || flag.load(Ordering::Relaxed) || is_older();
            let mut partial =
                |part| drop(outbox.try_send(FromOwner::Answer(number, Box::new(Ok(part)))));
            let answer = answer(
                &sight,
                &mut Watch {
                    cancelled: &cancelled,
                    partial: &mut partial,
                },
            );
            // Before the answer goes: its arrival is what makes the conversation look for more questions.
            running.lookups.fetch_sub(1, Ordering::SeqCst);
            let _ = outbox.blocking_send(FromOwner::Answer(number, Box::new(answer)));
            running.cancels().remove(&number);
        });
    }

    /// Starts a task.
    pub(super) fn start<R: Task>(&self, number: u64, ask: R) -> bool {
        let work =
            Box::new(move |task: dispatch::TaskContext<'_>| dispatch::run(ask, task).map(R::pack));
        jobs::start(
            &self.shared,
            &self.who,
            (self.outbox.clone(), number),
            self.running.flag(number),
            work,
        );
        true
    }

    /// Has the writer decide.
    pub(super) fn decide<R: Decision>(&self, number: u64, ask: R) -> bool {
        let (receipts, asked) = (self.receipts.clone(), Instant::now());
        let give = move |receipt: Result<Receipt>| {
            let message = FromOwner::Answer(number, Box::new(receipt.map(R::pack)));
            // The client is gone: the decision stands, and it gets the receipt when it asks again.
            let _ = receipts.send(Sent {
                asked,
                given: Instant::now(),
                message,
            });
        };
        let (who, wish) = (self.who.clone(), ask.decision());
        self.shared
            .writer
            .send(WriterCommand::Wish {
                who,
                wish,
                asked: Some(asked),
                reply: Box::new(give),
            })
            .is_ok()
    }
}

type Lookup = Box<dyn FnOnce(&AnnotatorView, &mut Watch<'_>) -> Result<AnyReply> + Send>;
