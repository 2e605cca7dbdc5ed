//! Handles the requests of one client and routes the replies.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::broadcast;

use super::context::OwnerContext;
use super::dispatch::{self, Decision, Outbox, Query, Task, Watch};
use super::jobs;
use super::outgoing::Outgoing;
use super::visibility::AnnotatorView;
use super::writer::WriterCommand;
use benchtop_model::Result;
use benchtop_model::cancel::Cancel;
use benchtop_protocol::wire::{AnyReply, Event, FromOwner, Receipt, Request};

/// Requests of one client that are in progress.
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

    /// Number of running queries.
    pub(super) fn lookups(&self) -> usize {
        self.lookups.load(Ordering::SeqCst)
    }

    fn cancels(&self) -> MutexGuard<'_, HashMap<u64, Arc<AtomicBool>>> {
        self.cancels.lock()
    }

    /// Cancels a request.
    pub(super) fn cancel(&self, number: u64) {
        if let Some(flag) = self.cancels().get(&number) {
            flag.store(true, Ordering::SeqCst);
        }
    }

    /// Cancels all requests.
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

/// The connection to one authenticated client.
pub(super) struct Conversation {
    pub(super) shared: Arc<OwnerContext>,
    pub(super) running: Arc<Running>,
    pub(super) who: String,
    /// User id of the client.
    pub(super) peer: u32,
    pub(super) outbox: Outbox,
    pub(super) outgoing: Arc<Outgoing>,
    /// Events for the client, after it has subscribed.
    pub(super) events: Option<broadcast::Receiver<Event>>,
}

impl Conversation {
    /// Queues a reply without waiting. Returns `false` if the client does not read its replies.
    pub(super) fn answer(&self, number: u64, answer: Result<AnyReply>) -> bool {
        self.outbox
            .try_send(FromOwner::Reply(number, Box::new(answer)))
            .is_ok()
    }

    pub(super) fn reply<R: Request>(&self, number: u64, reply: Result<R::Reply>) -> bool {
        self.answer(number, reply.map(R::pack))
    }

    /// Runs a query on a lookup thread.
    pub(super) fn look_up<R: Query>(&self, number: u64, ask: R) -> bool {
        ask.arrived(&self.shared, &self.who, self.running.connection);
        let generation = ask.generation();
        let answer = Box::new(move |view: &AnnotatorView, watch: &mut Watch<'_>| {
            dispatch::answer(ask, view, watch).map(R::pack)
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
        let view = AnnotatorView::of(&self.shared, &self.who).for_user(self.peer);
        let (running, outbox) = (self.running.clone(), self.outbox.clone());
        let flag = running.flag(number);
        running.lookups.fetch_add(1, Ordering::SeqCst);
        tokio::task::spawn_blocking(move || {
            let is_older =
                || generation.is_some_and(|own| running.generation.load(Ordering::Relaxed) > own);
            let cancelled = || flag.load(Ordering::Relaxed) || is_older();
            let mut partial =
                |part| drop(outbox.try_send(FromOwner::Reply(number, Box::new(Ok(part)))));
            let mut watch = Watch {
                cancel: Cancel::when(&cancelled),
                partial: &mut partial,
            };
            let answer = dispatch::caught(|| answer(&view, &mut watch));
            // Decrement before the reply is sent: its arrival makes the connection read more
            // requests.
            running.lookups.fetch_sub(1, Ordering::SeqCst);
            let _ = outbox.blocking_send(FromOwner::Reply(number, Box::new(answer)));
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
            (R::LISTED.then_some(R::NAME), work),
        );
        true
    }

    /// Sends a decision to the writer.
    pub(super) fn decide<R: Decision>(&self, number: u64, ask: R) -> bool {
        let asked = Instant::now();
        let (outgoing, shared) = (self.outgoing.clone(), self.shared.clone());
        let give = move |receipt: Result<Receipt>| {
            let message = FromOwner::Reply(number, Box::new(receipt.map(R::pack)));
            outgoing.give(message, asked, &shared.latency);
        };
        let (who, wish) = (self.who.clone(), ask.decision());
        self.shared
            .writer
            .send(WriterCommand::Decide {
                who,
                wish,
                asked: Some(asked),
                reply: Box::new(give),
            })
            .is_ok()
    }
}

type Lookup = Box<dyn FnOnce(&AnnotatorView, &mut Watch<'_>) -> Result<AnyReply> + Send>;
