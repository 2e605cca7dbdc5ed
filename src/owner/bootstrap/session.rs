//! A bootstrapping job in progress. Each answer is on disk before its step counts, and what to do
//! next follows from what is on disk.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc;

use super::job::{BootstrapJob, Stored};
use super::roles::{self, Models};
use crate::clock::now;
use crate::context::OwnerContext;
use crate::engine::{Live, Step};
use crate::queries;
use crate::trust::{self, PictureAccess};
use benchtop_inference::BatchEvent;
use benchtop_inference::vlm::VisionLanguageModel;
use benchtop_metrics::written::Unusable;
use benchtop_model::generation::{Failure, FailureKind};
use benchtop_model::history::stamp;
use benchtop_model::job::JobStatus;
use benchtop_model::judge::ShownPictures;
use benchtop_model::trust::Destination;
use benchtop_model::vlm::{Encoded, Reply, VlmRequest};
use benchtop_model::{Error, Item, Result};
use benchtop_pipeline::bootstrap::products::Products;
use benchtop_pipeline::bootstrap::progress::Progress;
use benchtop_pipeline::bootstrap::requests::{self, Prompts};
use benchtop_pipeline::bootstrap::state::{Made, Next};
use benchtop_pipeline::evaluate::ask;
use benchtop_pipeline::evaluate::server_errors::is_of_question;
use benchtop_pipeline::scenario::making::changed;
use benchtop_store::jobs::{Answer, Asked, Done, StepJournal, StepLine};

/// Number of sources at work for each request in flight, so that retries do not leave servers idle.
const AHEAD: usize = 2;

/// Refuses strategies whose pictures nothing can paint yet.
///
/// # Errors
/// [`Error::usage`] with the first of them.
pub(super) fn check_paintable(products: &Products) -> Result<()> {
    let edits = products.all.iter().map(|product| product.applied.strategy);
    match edits.into_iter().find(|strategy| strategy.is_of_picture()) {
        None => Ok(()),
        Some(strategy) => {
            let what = format!(
                "{} needs a painter, which this version lacks",
                strategy.name()
            );
            Err(Error::usage(what)
                .field("strategies")
                .help("L1, L2, L3, and L4 work, also together: L4(L1)"))
        }
    }
}

/// A request that is about to be sent.
struct Wish {
    n: usize,
    k: usize,
    role: Asked,
    ask: u32,
    repair: bool,
    request: VlmRequest,
}

/// What became of a request.
type Heard = (Wish, std::result::Result<Reply, Failure>);

pub(super) struct Session<'s> {
    pub(super) shared: &'s Arc<OwnerContext>,
    pub(super) id: u32,
    pub(super) spec: Stored,
    pub(super) progress: Progress,
    pub(super) journal: StepJournal,
    /// By name of the strategy.
    pub(super) prompts: std::collections::BTreeMap<String, Prompts>,
    pub(super) models: Models,
    pub(super) to: Vec<Destination>,
    /// Which pictures outside of the project it may send.
    pub(super) reach: PictureAccess,
    /// The sources at work.
    pub(super) items: HashMap<usize, Item>,
}

impl Session<'_> {
    /// Works until another job is first or everything is settled.
    pub(super) fn run(&mut self) -> Result<Step> {
        for role in roles::needed(&self.progress.products) {
            self.models.of(self.shared, (self.id, role))?;
        }
        let most = self.models.batch() * AHEAD;
        let (mut active, mut next) = (Vec::new(), 0);
        loop {
            if !self.shared.jobs.goes_on(self.id) {
                return Ok(Step::More);
            }
            while active.len() < most && next < self.progress.sources.len() {
                if self.progress.ready(next).next().is_some() {
                    active.push(next);
                }
                next += 1;
            }
            self.decide(&active)?;
            let wishes = self.wishes(&active)?;
            let is_idle = wishes.is_empty();
            if let Some(step) = self.send(wishes)? {
                return Ok(step);
            }
            let Session {
                progress, items, ..
            } = self;
            active.retain(|n| progress.ready(*n).next().is_some());
            items.retain(|n, _| active.contains(n));
            self.counted();
            match (active.is_empty(), next < self.progress.sources.len()) {
                (true, false) => return Ok(Step::Done),
                (false, _) if is_idle => return Err(Error::failed("a step has nothing to do")),
                _ => {}
            }
        }
    }

    /// Announces the counts.
    pub(super) fn counted(&self) {
        let progress = &self.progress;
        let update = |live: &mut Live, job: &mut BootstrapJob| {
            let before = job.spec.made;
            job.count(progress);
            job.is_answered = progress.answers > 0;
            let more = job.spec.made.saturating_sub(before);
            if more > 0 {
                live.progressed(more);
            }
        };
        self.shared.jobs.update(self.shared, self.id, update);
    }

    /// Records steps, and takes them over.
    fn record(&mut self, lines: Vec<StepLine>) -> Result<()> {
        self.journal.append(&lines)?;
        lines.into_iter().for_each(|line| self.progress.take(line));
        Ok(())
    }

    fn line(&self, (n, k): (usize, usize), done: Done) -> StepLine {
        let product = self.progress.products.all.get(k);
        StepLine::Done {
            n,
            product: product.map_or(String::new(), |product| product.key.clone()),
            done,
        }
    }

    fn prompts(&self, k: usize) -> Result<&Prompts> {
        let product = self.progress.products.all.get(k);
        let found = product.and_then(|p| self.prompts.get(p.applied.strategy.name()));
        found.ok_or_else(|| Error::failed("a prompt is missing"))
    }

    fn next(&self, n: usize, k: usize) -> Next {
        let strategy = self
            .progress
            .products
            .all
            .get(k)
            .map(|p| p.applied.strategy);
        let paints = strategy.is_some_and(|s| s.is_of_picture());
        self.progress
            .state(n, k)
            .map_or(Next::Settled, |state| state.next(paints))
    }

    /// The source, if it is what it was when the job was planned.
    fn item(&mut self, n: usize) -> Result<std::result::Result<Item, Failure>> {
        if let Some(item) = self.items.get(&n) {
            return Ok(Ok(item.clone()));
        }
        let failed = |why: String| Ok(Err(Failure::new(FailureKind::Input, why)));
        let Some(source) = self.progress.sources.get(n) else {
            return failed(changed().to_string());
        };
        let item = queries::item(self.shared, source.number)?;
        if item.digest() != source.digest {
            return failed(changed().to_string());
        }
        if let Some(why) = self.reach.refuses(&item) {
            return failed(why);
        }
        self.items.insert(n, item.clone());
        Ok(Ok(item))
    }

    /// Reads and checks the answers that are not read yet.
    fn decide(&mut self, active: &[usize]) -> Result<()> {
        let mut lines = Vec::new();
        for n in active {
            let ready: Vec<usize> = self.progress.ready(*n).collect();
            for k in ready {
                let done = match self.next(*n, k) {
                    Next::Read(unread) => match self.item(*n)? {
                        Err(failure) => Done::Failed(failure),
                        Ok(item) => {
                            let parent = self.progress.products.all.get(k).and_then(|p| p.parent);
                            let wording = self.progress.wording(*n, parent, &item.question);
                            match self.prompts(k)?.read(&item, &wording, &unread) {
                                Ok(candidates) => Done::Read { candidates },
                                Err(problem) => Done::Unread {
                                    repair: !unread.repair && matches!(problem, Unusable::Wrong(_)),
                                    problem: problem.reason().to_string(),
                                },
                            }
                        }
                    },
                    Next::Rule(unread) => {
                        let (pass, reason) = self.prompts(k)?.ruling(&unread);
                        Done::Ruled { pass, reason }
                    }
                    _ => continue,
                };
                lines.push(self.line((*n, k), done));
            }
        }
        match lines.is_empty() {
            true => Ok(()),
            false => {
                self.record(lines)?;
                // A ruling can open the product after it, whose answers may be there already.
                self.decide(active)
            }
        }
    }

    /// The requests that are next. What cannot be asked is recorded as a failure.
    fn wishes(&mut self, active: &[usize]) -> Result<Vec<Wish>> {
        let (mut wishes, mut lines) = (Vec::new(), Vec::new());
        for n in active {
            let ready: Vec<usize> = self.progress.ready(*n).collect();
            for k in ready {
                let made = match self.item(*n)? {
                    Ok(item) => self.wish((*n, k), &item)?,
                    Err(failure) => Some(Err(failure.reason)),
                };
                match made {
                    Some(Ok(wish)) => wishes.push(wish),
                    Some(Err(why)) => {
                        let failure = Failure::new(FailureKind::Input, why);
                        lines.push(self.line((*n, k), Done::Failed(failure)));
                    }
                    None => {}
                }
            }
        }
        self.record(lines)?;
        Ok(wishes)
    }

    fn wish(
        &self,
        (n, k): (usize, usize),
        item: &Item,
    ) -> Result<Option<std::result::Result<Wish, String>>> {
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
                (Some(Asked::Judge), judged + 1, None)
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
                let request = prompts.write(item, &wording, (number, seed(false)), tokens);
                (request, shows, None)
            }
        };
        let wish = request.and_then(|request| {
            let images = self.pictures(item, shows, made)?;
            let request = match repair {
                Some((reply, problem)) => requests::repair(request, reply, problem, seed(true)),
                None => request,
            };
            Ok(Wish {
                n,
                k,
                role,
                ask: number,
                repair: repair.is_some(),
                request: VlmRequest { images, ..request },
            })
        });
        Ok(Some(wish))
    }

    fn pictures(
        &self,
        item: &Item,
        shows: ShownPictures,
        _made: Option<&Made>,
    ) -> std::result::Result<Vec<Encoded>, String> {
        if shows == ShownPictures::None {
            return Ok(Vec::new());
        }
        let files = ask::files(self.shared.project.root(), item);
        files.iter().map(ask::encoded).collect()
    }

    /// Sends requests. Their answers are on disk when this returns, and their failures if the
    /// servers answer others.
    fn send(&mut self, wishes: Vec<Wish>) -> Result<Option<Step>> {
        let mut by_role: std::collections::BTreeMap<Asked, Vec<Wish>> = Default::default();
        for wish in wishes {
            by_role.entry(wish.role).or_default().push(wish);
        }
        for (role, wishes) in by_role {
            trust::check(self.shared, &self.to)?;
            let heard = self.ask(role, wishes)?;
            let is_answered = heard.iter().any(|(_, result)| result.is_ok());
            let mut lost = Vec::new();
            for (wish, result) in heard {
                let Err(failure) = result else { continue };
                match failure.kind {
                    FailureKind::Cancelled => {}
                    FailureKind::Unavailable if failure.is_outage() => {
                        return Ok(Some(Step::Outage(failure.reason)));
                    }
                    _ => lost.push((wish, failure)),
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
    fn ask(&mut self, role: Asked, wishes: Vec<Wish>) -> Result<Vec<Heard>> {
        let requests: Vec<VlmRequest> = wishes.iter().map(|w| w.request.clone()).collect();
        let mut wishes: Vec<Option<Wish>> = wishes.into_iter().map(Some).collect();
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
        let mut heard: Vec<Heard> = Vec::new();
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
                    && let Some(wish) = wishes.get_mut(index).and_then(Option::take)
                {
                    if let Ok(reply) = &result {
                        let line = StepLine::Done {
                            n: wish.n,
                            product: keys.get(wish.k).cloned().unwrap_or_default(),
                            done: Done::Answer(Box::new(answer(&wish, reply, &named))),
                        };
                        // If it cannot be written, no more is asked.
                        goes_on = sender.send(line).is_ok();
                    }
                    heard.push((wish, result));
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

fn answer(wish: &Wish, reply: &Reply, named: &str) -> Answer {
    let sampling = wish.request.sampling;
    Answer {
        role: wish.role,
        ask: wish.ask,
        repair: wish.repair,
        seed: sampling.map(|sampling| sampling.seed),
        temperature: sampling.map(|sampling| sampling.temperature),
        system: wish.request.system.clone(),
        prompt: wish.request.prompt.clone(),
        pictures: wish.request.images.len() as u32,
        reply: reply.text.clone(),
        finish: reply.finish.clone(),
        usage: reply.usage,
        model: reply.model.clone().unwrap_or_else(|| named.to_string()),
        at: stamp(now()),
    }
}
