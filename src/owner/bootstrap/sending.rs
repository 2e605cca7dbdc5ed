//! Sends the requests of a bootstrapping job, in a thread beside the one that prepares the next ones.
//! Answers are on disk before anybody hears of them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;

use super::job::BootstrapJob;
use super::roles::ChatModels;
use super::session::Session;
use crate::clock::now;
use crate::context::OwnerContext;
use crate::engine::{Live, Step};
use crate::trust;
use benchtop_inference::BatchEvent;
use benchtop_inference::vlm::VisionLanguageModel;
use benchtop_model::generation::{Failure, FailureKind};
use benchtop_model::history::stamp;
use benchtop_model::job::JobStatus;
use benchtop_model::trust::Destination;
use benchtop_model::vlm::{Reply, VlmRequest};
use benchtop_model::{Error, Result};
use benchtop_pipeline::evaluate::server_errors::is_of_question;
use benchtop_store::jobs::{Answer, Done, ModelRole, StepJournal, StepLine};

/// A request that is about to be sent.
pub(super) struct PendingRequest {
    pub(super) n: usize,
    pub(super) k: usize,
    pub(super) role: ModelRole,
    pub(super) ask: u32,
    pub(super) repair: bool,
    pub(super) request: VlmRequest,
}

pub(super) type PendingByRole = BTreeMap<ModelRole, Vec<PendingRequest>>;

pub(super) fn by_role(pending: Vec<PendingRequest>) -> PendingByRole {
    let mut by_role = PendingByRole::new();
    for one in pending {
        by_role.entry(one.role).or_default().push(one);
    }
    by_role
}

/// Answers that come within this time are written together. Nobody waits for them before the batch
/// has ended.
const TOGETHER: Duration = Duration::from_millis(10);

/// What became of a request.
type AnsweredRequest = (PendingRequest, std::result::Result<Reply, Failure>);

/// What a thread sends, and with what.
struct Batch {
    shared: Arc<OwnerContext>,
    id: u32,
    journal: Arc<Mutex<StepJournal>>,
    models: ChatModels,
    to: Vec<Destination>,
    /// Names of the models.
    names: BTreeMap<ModelRole, String>,
    /// Keys of the products.
    keys: Vec<String>,
    pending: PendingByRole,
    /// Set when nobody waits for it any more.
    dropped: Arc<AtomicBool>,
}

/// What came of a batch.
struct AnsweredBatch {
    /// The roles that were asked, in order.
    heard: Vec<(ModelRole, Vec<AnsweredRequest>)>,
    /// Lines that are on disk.
    lines: Vec<StepLine>,
}

/// A batch that is being answered. Stops it and waits for its end when it is dropped, so that no two
/// sessions of a job write at the same time.
pub(super) struct BatchInFlight {
    /// The roles that it asks.
    roles: Vec<ModelRole>,
    dropped: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<AnsweredBatch>>>,
}

impl BatchInFlight {
    pub(super) fn asks(&self, role: ModelRole) -> bool {
        self.roles.contains(&role)
    }

    pub(super) fn is_answered(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    fn wait(mut self) -> Result<AnsweredBatch> {
        let panicked = || Error::failed("internal error: a batch of requests panicked");
        let thread = self.thread.take().ok_or_else(panicked)?;
        thread.join().unwrap_or_else(|_| Err(panicked()))
    }
}

impl Drop for BatchInFlight {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            self.dropped.store(true, Ordering::Relaxed);
            // Its answers are on disk. Whoever goes on with the job reads them there.
            let _ = thread.join();
        }
    }
}

impl Session<'_> {
    /// Begins to send requests.
    pub(super) fn send(&mut self, pending: PendingByRole) -> Result<BatchInFlight> {
        let name = |role: &ModelRole| {
            let name = self.models.table(*role).model.clone();
            (*role, name.unwrap_or_default())
        };
        let products = self.progress.products.all.iter();
        let batch = Batch {
            shared: Arc::clone(self.shared),
            id: self.id,
            journal: Arc::clone(&self.journal),
            names: pending.keys().map(name).collect(),
            keys: products.map(|product| product.key.clone()).collect(),
            models: self.models.built.clone(),
            to: self.to.clone(),
            pending,
            dropped: Arc::default(),
        };
        let dropped = Arc::clone(&batch.dropped);
        let roles = batch.pending.keys().copied().collect();
        let thread = std::thread::Builder::new()
            .name("bootstrap".into())
            .spawn(move || batch.send())
            .map_err(|e| Error::failed(format!("cannot start a thread: {e}")))?;
        Ok(BatchInFlight {
            roles,
            dropped,
            thread: Some(thread),
        })
    }

    /// Waits for a batch, takes over its answers, and records its failures if the servers answer
    /// others. Returns why the job does not go on now.
    pub(super) fn take_answers(&mut self, batch: BatchInFlight) -> Result<Option<Step>> {
        let AnsweredBatch { heard, lines } = batch.wait()?;
        lines.into_iter().for_each(|line| self.progress.take(line));
        for (role, heard) in heard {
            let is_answered = heard.iter().any(|(_, result)| result.is_ok());
            let mut lost = Vec::new();
            for (one, result) in heard {
                let Err(failure) = result else { continue };
                match failure.kind {
                    FailureKind::Cancelled => {}
                    FailureKind::Unavailable if failure.is_outage() => {
                        return Ok(Some(Step::Outage(failure.reason)));
                    }
                    _ => lost.push((one, failure)),
                }
            }
            if !self.shared.jobs.goes_on(self.id) {
                return Ok(Some(Step::More));
            }
            let of_item = |failure: &Failure| match failure.kind {
                FailureKind::Input => true,
                FailureKind::Refused => {
                    self.progress.answers > 0 && is_of_question(&failure.reason)
                }
                _ => false,
            };
            let of_server = lost.iter().find(|(_, failure)| !of_item(failure));
            if let Some((_, failure)) = of_server.filter(|_| !is_answered) {
                let what = format!("the {} does not answer: {}", role.name(), failure.reason);
                return Err(Error::unreachable(what).help(format!(
                    "check [{}] in benchtop.toml, then run: benchtop jobs resume {}",
                    role.name(),
                    self.id
                )));
            }
            let lines = lost.into_iter();
            let lines = lines.map(|(w, failure)| self.line((w.n, w.k), Done::Failed(failure)));
            let lines: Vec<StepLine> = lines.collect();
            self.record(lines)?;
        }
        Ok(None)
    }
}

impl Batch {
    /// Asks one role after another. Ends after a role that answered nothing, since its servers may
    /// be gone.
    fn send(mut self) -> Result<AnsweredBatch> {
        let (mut heard, mut lines) = (Vec::new(), Vec::new());
        for (role, pending) in std::mem::take(&mut self.pending) {
            let (of_role, written) = self.ask(role, pending)?;
            lines.extend(written);
            let is_answered = of_role.iter().any(|(_, result)| result.is_ok());
            heard.push((role, of_role));
            if !is_answered || !self.shared.jobs.goes_on(self.id) {
                break;
            }
        }
        Ok(AnsweredBatch { heard, lines })
    }

    /// Asks a model, once it has answered other batches. A thread writes the answers, so that one
    /// write can hold several.
    fn ask(
        &self,
        role: ModelRole,
        pending: Vec<PendingRequest>,
    ) -> Result<(Vec<AnsweredRequest>, Vec<StepLine>)> {
        let requests: Vec<VlmRequest> = pending.iter().map(|one| one.request.clone()).collect();
        let mut pending: Vec<Option<PendingRequest>> = pending.into_iter().map(Some).collect();
        let (shared, id, keys) = (&self.shared, self.id, &self.keys);
        let name = self.names.get(&role).map_or("", String::as_str);
        let model = self.models.get(&role);
        let mut model = model
            .ok_or_else(|| Error::failed("the model is missing"))?
            .lock();
        if self.dropped.load(Ordering::Relaxed) || !self.shared.jobs.goes_on(self.id) {
            return Ok((Vec::new(), Vec::new()));
        }
        trust::check(&self.shared, &self.to)?;
        let journal = &self.journal;
        let (sender, receiver) = mpsc::channel::<StepLine>();
        let mut heard: Vec<AnsweredRequest> = Vec::new();
        let written = std::thread::scope(|scope| {
            let writer = scope.spawn(move || {
                let mut all = Vec::new();
                while let Ok(first) = receiver.recv() {
                    // Parked, it is not woken by each answer.
                    std::thread::park_timeout(TOGETHER);
                    let lines: Vec<StepLine> =
                        [first].into_iter().chain(receiver.try_iter()).collect();
                    journal.lock().append(&lines)?;
                    all.extend(lines);
                }
                Ok::<_, Error>(all)
            });
            model.ask(&requests, &mut |event| {
                let mut goes_on = true;
                if let BatchEvent::Done { index, result } = event
                    && let Some(one) = pending.get_mut(index).and_then(Option::take)
                {
                    if let Ok(reply) = &result {
                        let line = StepLine::Done {
                            n: one.n,
                            product: keys.get(one.k).cloned().unwrap_or_default(),
                            done: Done::Answer(Box::new(answer(&one, reply, name))),
                        };
                        // If it cannot be written, no more is asked.
                        goes_on = sender.send(line).is_ok();
                    }
                    heard.push((one, result));
                }
                let standing = |live: &mut Live, _: &mut BootstrapJob| live.header.standing;
                let standing = shared.jobs.with(id, standing);
                goes_on
                    && !self.dropped.load(Ordering::Relaxed)
                    && standing.is_some_and(|standing| standing != JobStatus::Cancelled)
                    && !shared.jobs.is_ending()
            });
            drop(sender);
            writer.thread().unpark();
            let panicked = |_| Err(Error::failed("internal error: the journal panicked"));
            writer.join().unwrap_or_else(panicked)
        })?;
        Ok((heard, written))
    }
}

fn answer(one: &PendingRequest, reply: &Reply, named: &str) -> Answer {
    let sampling = one.request.sampling;
    Answer {
        role: one.role,
        ask: one.ask,
        repair: one.repair,
        seed: sampling.map(|sampling| sampling.seed),
        temperature: sampling.map(|sampling| sampling.temperature),
        system: one.request.system.clone(),
        prompt: one.request.prompt.clone(),
        pictures: one.request.images.len() as u32,
        reply: reply.text.clone(),
        finish: reply.finish.clone(),
        usage: reply.usage,
        model: reply.model.clone().unwrap_or_else(|| named.to_string()),
        at: stamp(now()),
    }
}
