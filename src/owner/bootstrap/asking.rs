//! The requests of a bootstrapping job: the next ones, and their answers, which are on disk before
//! anybody hears of them.

use std::collections::BTreeMap;
use std::sync::mpsc;

use super::job::BootstrapJob;
use super::roles;
use super::session::Session;
use crate::clock::now;
use crate::engine::{Live, Step};
use crate::trust;
use benchtop_files::picture_file::PictureFile;
use benchtop_inference::BatchEvent;
use benchtop_inference::vlm::VisionLanguageModel;
use benchtop_model::generation::{Failure, FailureKind};
use benchtop_model::history::stamp;
use benchtop_model::job::JobStatus;
use benchtop_model::judge::ShownPictures;
use benchtop_model::vlm::{Encoded, Reply, VlmRequest};
use benchtop_model::{Error, Item, Result};
use benchtop_pipeline::bootstrap::painting;
use benchtop_pipeline::bootstrap::requests;
use benchtop_pipeline::bootstrap::state::{Made, Next};
use benchtop_pipeline::evaluate::ask;
use benchtop_pipeline::evaluate::server_errors::is_of_question;
use benchtop_store::jobs::{Answer, Done, ModelRole, StepLine};

/// No request is added to those that are sent together once their pictures have so many bytes.
const PICTURE_BYTES: usize = 64 << 20;

/// A request that is about to be sent.
pub(super) struct PendingRequest {
    n: usize,
    k: usize,
    role: ModelRole,
    ask: u32,
    repair: bool,
    request: VlmRequest,
}

/// What became of a request.
pub(super) type AnsweredRequest = (PendingRequest, std::result::Result<Reply, Failure>);

impl Session<'_> {
    /// The requests that are next. What cannot be asked is recorded as a failure.
    pub(super) fn pending(&mut self, active: &[usize]) -> Result<Vec<PendingRequest>> {
        let (mut pending, mut lines, mut bytes) = (Vec::new(), Vec::new(), 0);
        for n in active {
            if bytes >= PICTURE_BYTES {
                break;
            }
            let ready: Vec<usize> = self.progress.ready(*n).collect();
            for k in ready {
                let made = match self.item(*n)? {
                    Ok(item) => self.request_for((*n, k), &item)?,
                    Err(failure) => Some(Err(failure.reason)),
                };
                match made {
                    Some(Ok(one)) => {
                        let pictures = one.request.images.iter();
                        bytes += pictures.map(|p| p.bytes().len()).sum::<usize>();
                        pending.push(one);
                    }
                    Some(Err(why)) => {
                        let failure = Failure::new(FailureKind::Input, why);
                        lines.push(self.line((*n, k), Done::Failed(failure)));
                    }
                    None => {}
                }
            }
        }
        self.record(lines)?;
        Ok(pending)
    }

    fn request_for(
        &self,
        (n, k): (usize, usize),
        item: &Item,
    ) -> Result<Option<std::result::Result<PendingRequest, String>>> {
        let Some(product) = self.progress.products.all.get(k) else {
            return Ok(None);
        };
        let prompts = self.prompts(k)?;
        let wording = self.progress.wording(n, product.parent, &item.question);
        let next = self.next(n, k);
        let (role, number, repair) = match &next {
            Next::Ask { ask } => (roles::maker(product.applied.strategy), *ask, None),
            Next::Repair {
                ask,
                reply,
                problem,
            } => {
                let role = roles::maker(product.applied.strategy);
                (role, *ask, Some((reply, problem)))
            }
            Next::Judge(_) => {
                let judged = self.progress.state(n, k).map_or(0, |state| state.judged);
                (Some(ModelRole::Judge), judged + 1, None)
            }
            _ => return Ok(None),
        };
        let Some(role) = role else { return Ok(None) };
        let tokens = self.models.table(role).max_tokens;
        let seed =
            |repair| requests::seed(self.spec.plan.seed, &item.id, &product.key, number, repair);
        let (request, shows, made) = match &next {
            Next::Judge(made) => {
                let request = prompts.judge(item, &wording, made, tokens);
                (request, prompts.judging.shows, Some(made))
            }
            _ => {
                let shows = prompts
                    .writing
                    .as_ref()
                    .map_or(ShownPictures::None, |w| w.shows);
                let request = self.size((n, k), item).and_then(|size| {
                    prompts.write(item, &wording, size, (number, seed(false)), tokens)
                });
                (request, shows, None)
            }
        };
        let one = request.and_then(|request| {
            let images = self.pictures((n, k), item, (shows, made))?;
            let request = match repair {
                Some((reply, problem)) => requests::repair(request, reply, problem, seed(true)),
                None => request,
            };
            Ok(PendingRequest {
                n,
                k,
                role,
                ask: number,
                repair: repair.is_some(),
                request: VlmRequest { images, ..request },
            })
        });
        Ok(Some(one))
    }

    /// The pictures of a request. Those about an edit show the picture before it, and judges also see
    /// the one after it.
    fn pictures(
        &self,
        (n, k): (usize, usize),
        item: &Item,
        (shows, made): (ShownPictures, Option<&Made>),
    ) -> std::result::Result<Vec<Encoded>, String> {
        let root = self.shared.project.root();
        let edits = self.progress.products.all.get(k);
        let (files, shown) = match (
            shows,
            edits.is_some_and(|p| p.applied.strategy.is_of_picture()),
        ) {
            (ShownPictures::None, _) => return Ok(Vec::new()),
            (_, false) => (ask::files(root, item), item.images.len()),
            (shows, true) => {
                let before = self.picture_before(n, k, item);
                let source = item.images.first();
                let after = made
                    .zip(source)
                    .map(|(made, source)| painting::painted(source, "edited", made));
                let shown = match (shows, made) {
                    (ShownPictures::Pair, _) => vec![before, after],
                    (_, None) => vec![before],
                    (_, Some(_)) => vec![after],
                };
                (PictureFile::all(root, shown.iter().flatten()), shown.len())
            }
        };
        // Nobody judges an edit from one picture, or answers about a part of them.
        if files.len() < shown {
            return Err(format!(
                "it has {shown} pictures, of which {} are available",
                files.len()
            ));
        }
        files.iter().map(ask::encoded).collect()
    }

    /// Sends requests. Their answers are on disk when this returns, and their failures if the
    /// servers answer others.
    pub(super) fn send(&mut self, pending: Vec<PendingRequest>) -> Result<Option<Step>> {
        let mut by_role: BTreeMap<ModelRole, Vec<PendingRequest>> = Default::default();
        for one in pending {
            by_role.entry(one.role).or_default().push(one);
        }
        for (role, pending) in by_role {
            trust::check(self.shared, &self.to)?;
            let heard = self.ask(role, pending)?;
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

    /// Asks a model. A thread writes the answers that came while it wrote the ones before, so that
    /// one write can hold several.
    fn ask(
        &mut self,
        role: ModelRole,
        pending: Vec<PendingRequest>,
    ) -> Result<Vec<AnsweredRequest>> {
        let requests: Vec<VlmRequest> = pending.iter().map(|one| one.request.clone()).collect();
        let mut pending: Vec<Option<PendingRequest>> = pending.into_iter().map(Some).collect();
        let (shared, id) = (self.shared.clone(), self.id);
        let named = self.models.table(role).model.clone().unwrap_or_default();
        let keys: Vec<String> = self
            .progress
            .products
            .all
            .iter()
            .map(|p| p.key.clone())
            .collect();
        let Session {
            models, journal, ..
        } = self;
        let model = models.of(&shared, (id, role))?;
        let (sender, receiver) = mpsc::channel::<StepLine>();
        let mut heard: Vec<AnsweredRequest> = Vec::new();
        let written = std::thread::scope(|scope| {
            let writer = scope.spawn(move || {
                let mut all = Vec::new();
                while let Ok(first) = receiver.recv() {
                    let lines: Vec<StepLine> =
                        std::iter::once(first).chain(receiver.try_iter()).collect();
                    journal.append(&lines)?;
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
                            done: Done::Answer(Box::new(answer(&one, reply, &named))),
                        };
                        // If it cannot be written, no more is asked.
                        goes_on = sender.send(line).is_ok();
                    }
                    heard.push((one, result));
                }
                let standing = |live: &mut Live, _: &mut BootstrapJob| live.header.standing;
                let standing = shared.jobs.with(id, standing);
                goes_on
                    && standing.is_some_and(|standing| standing != JobStatus::Cancelled)
                    && !shared.jobs.is_ending()
            });
            drop(sender);
            let panicked = |_| Err(Error::failed("internal error: the journal panicked"));
            writer.join().unwrap_or_else(panicked)
        })?;
        written
            .into_iter()
            .for_each(|line| self.progress.take(line));
        Ok(heard)
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
