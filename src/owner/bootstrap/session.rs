//! A bootstrapping job in progress. Each answer is on disk before its step counts, and what to do
//! next follows from what is on disk.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;

use super::job::{BootstrapJob, Stored};
use super::painter::{Painted, Painter};
use super::recent_pictures::RecentPictures;
use super::roles::{self, Models};
use super::sending::{BatchInFlight, PendingByRole, by_role};
use crate::context::OwnerContext;
use crate::engine::{Live, Step};
use crate::queries;
use crate::trust::PictureAccess;
use benchtop_metrics::written::Unusable;
use benchtop_model::generation::{Failure, FailureKind};
use benchtop_model::trust::Destination;
use benchtop_model::{Error, ImageRef, Item, Result};
use benchtop_pipeline::bootstrap::painting;
use benchtop_pipeline::bootstrap::progress::Progress;
use benchtop_pipeline::bootstrap::requests::{self, Prompts, ROLE};
use benchtop_pipeline::bootstrap::state::{Next, Unread};
use benchtop_pipeline::scenario::making::changed;
use benchtop_store::jobs::{Candidate, Done, ModelRole, StepJournal, StepLine};

pub(super) struct Session<'s> {
    pub(super) shared: &'s Arc<OwnerContext>,
    pub(super) id: u32,
    pub(super) spec: Stored,
    pub(super) progress: Progress,
    /// The batch in flight writes, too.
    pub(super) journal: Arc<Mutex<StepJournal>>,
    /// By name of the strategy.
    pub(super) prompts: std::collections::BTreeMap<String, Prompts>,
    pub(super) models: Models,
    pub(super) painter: Painter,
    pub(super) to: Vec<Destination>,
    /// Which pictures outside of the project it may send.
    pub(super) reach: PictureAccess,
    pub(super) pictures: RecentPictures,
    /// The sources at work.
    pub(super) items: HashMap<usize, Arc<Item>>,
}

/// Batches that are being answered, the oldest first, and their sources.
type InFlight = VecDeque<(Vec<usize>, BatchInFlight)>;

/// Number of batches of one model in flight: one that it answers, and one that waits for it.
const AHEAD: usize = 2;

/// The batch whose answers are to be taken over now: one that is answered; the oldest one of a model
/// that has enough to do; the oldest one, if there is nothing to send and none was taken.
fn to_take(in_flight: &InFlight, pending: &PendingByRole, none_taken: bool) -> Option<usize> {
    let answered = in_flight.iter().position(|(_, batch)| batch.is_answered());
    let full = || {
        pending.keys().find_map(|role| {
            let asks = |(_, batch): &(_, BatchInFlight)| batch.asks(*role);
            let count = in_flight.iter().filter(|batch| asks(batch)).count();
            (count >= AHEAD).then(|| in_flight.iter().position(asks))?
        })
    };
    let idle = || (pending.is_empty() && none_taken && !in_flight.is_empty()).then_some(0);
    answered.or_else(full).or_else(idle)
}

impl Session<'_> {
    /// Works until another job is first or everything is settled. While batches of requests are
    /// answered, the next one is prepared, about other sources.
    pub(super) fn run(&mut self) -> Result<Step> {
        let most = self.models.batch;
        let (mut active, mut next) = (Vec::new(), 0);
        let mut in_flight = InFlight::new();
        loop {
            if !self.shared.jobs.goes_on(self.id) {
                for (_, batch) in in_flight {
                    self.take_answers(batch)?;
                }
                return Ok(Step::More);
            }
            while active.len() < most && next < self.progress.sources.len() {
                if self.progress.ready(next).next().is_some() {
                    active.push(next);
                }
                next += 1;
            }
            self.decide(&active)?;
            match self.paint(&active)? {
                Painted::Nothing => {}
                Painted::Some => continue,
                Painted::Ends(step) => return Ok(step),
            }
            let pending = by_role(self.pending(&active)?);
            let is_idle = pending.is_empty() && in_flight.is_empty();
            let mut answered = Vec::new();
            while let Some(at) = to_take(&in_flight, &pending, answered.is_empty())
                && let Some((sources, batch)) = in_flight.remove(at)
            {
                if let Some(step) = self.take_answers(batch)? {
                    return Ok(step);
                }
                answered.extend(sources);
            }
            if !pending.is_empty() {
                in_flight.push_back((std::mem::take(&mut active), self.send(pending)?));
            }
            active.append(&mut answered);
            active.retain(|n| self.progress.ready(*n).next().is_some());
            let is_asked = |n: &usize| in_flight.iter().any(|(sources, _)| sources.contains(n));
            self.items.retain(|n, _| active.contains(n) || is_asked(n));
            self.counted();
            let is_at_end = next >= self.progress.sources.len() && in_flight.is_empty();
            match active.is_empty() {
                true if is_at_end => return Ok(Step::Done),
                false if is_idle => return Err(Error::failed("a step has nothing to do")),
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
    pub(super) fn record(&mut self, lines: Vec<StepLine>) -> Result<()> {
        self.journal.lock().append(&lines)?;
        lines.into_iter().for_each(|line| self.progress.take(line));
        Ok(())
    }

    pub(super) fn line(&self, (n, k): (usize, usize), done: Done) -> StepLine {
        let product = self.progress.products.all.get(k);
        StepLine::Done {
            n,
            product: product.map_or(String::new(), |product| product.key.clone()),
            done,
        }
    }

    pub(super) fn prompts(&self, k: usize) -> Result<&Prompts> {
        let product = self.progress.products.all.get(k);
        let found = product.and_then(|p| self.prompts.get(p.applied.strategy.name()));
        found.ok_or_else(|| Error::failed("a prompt is missing"))
    }

    pub(super) fn next(&self, n: usize, k: usize) -> Next {
        let product = self.progress.products.all.get(k);
        let paints = product.is_some_and(|p| p.applied.strategy.is_of_picture());
        self.progress
            .state(n, k)
            .map_or(Next::Settled, |state| state.next(paints))
    }

    /// The source, if it is what it was when the job was planned.
    pub(super) fn item(&mut self, n: usize) -> Result<std::result::Result<Arc<Item>, Failure>> {
        if let Some(item) = self.items.get(&n) {
            return Ok(Ok(Arc::clone(item)));
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
        let item = Arc::new(item);
        self.items.insert(n, Arc::clone(&item));
        Ok(Ok(item))
    }

    /// The picture of a source before a product.
    pub(super) fn picture_before(&self, n: usize, k: usize, item: &Item) -> Option<ImageRef> {
        let parent = self.progress.products.all.get(k).and_then(|p| p.parent);
        self.progress.picture(n, parent, item)
    }

    /// The size of that picture, if the grounder is told it. As text, why it cannot be found out.
    pub(super) fn size(
        &self,
        (n, k): (usize, usize),
        item: &Item,
    ) -> std::result::Result<Option<(u32, u32)>, String> {
        let product = self.progress.products.all.get(k);
        if product.and_then(|p| roles::maker(p.applied.strategy)) != Some(ModelRole::Grounder) {
            return Ok(None);
        }
        let image = self.picture_before(n, k, item);
        let image = image.ok_or_else(|| "the item has no picture".to_string())?;
        let size = painting::size(self.shared.project.root(), &image);
        size.map(Some).map_err(|problem| problem.to_string())
    }

    /// What an answer of a writer or grounder offers.
    fn read(&self, (n, k): (usize, usize), item: &Item, unread: &Unread) -> Result<Done> {
        let parent = self.progress.products.all.get(k).and_then(|p| p.parent);
        let wording = self.progress.wording(n, parent, &item.question);
        let size = match self.size((n, k), item) {
            Ok(size) => size,
            Err(why) => return Ok(Done::Failed(Failure::new(FailureKind::Input, why))),
        };
        Ok(match self.prompts(k)?.read(item, &wording, size, unread) {
            Ok(candidates) => Done::Read {
                candidates: self.with_role((n, k), item, candidates)?,
            },
            Err(problem) => Done::Unread {
                repair: !unread.repair && matches!(problem, Unusable::Wrong(_)),
                problem: problem.reason().to_string(),
            },
        })
    }

    /// What an answer offers, with the role that the writer was given, if the prompt has roles.
    fn with_role(
        &self,
        (n, k): (usize, usize),
        item: &Item,
        mut candidates: Vec<Candidate>,
    ) -> Result<Vec<Candidate>> {
        let product = self.progress.products.all.get(k);
        let state = self.progress.state(n, k);
        let writing = self.prompts(k)?.writing.as_ref();
        if let (Some(product), Some(state), Some(writing)) = (product, state, writing) {
            let plan = self.spec.plan.seed;
            let seed = requests::seed(plan, &item.id, &product.key, state.asks, false);
            if let Some(role) = writing.role((state.asks, seed)) {
                for one in &mut candidates {
                    one.edit.insert(ROLE.into(), role.into());
                }
            }
        }
        Ok(candidates)
    }

    /// Reads and checks the answers that are not read yet, and plans the extensions of pictures.
    fn decide(&mut self, active: &[usize]) -> Result<()> {
        let mut lines = Vec::new();
        for n in active {
            let ready: Vec<usize> = self.progress.ready(*n).collect();
            for k in ready {
                let done = match self.next(*n, k) {
                    Next::Read(unread) => match self.item(*n)? {
                        Err(failure) => Done::Failed(failure),
                        Ok(item) => self.read((*n, k), &item, &unread)?,
                    },
                    Next::Ask { .. } => {
                        let product = self.progress.products.all.get(k);
                        match product.and_then(|p| painting::extension(p.applied)) {
                            None => continue,
                            Some(candidate) => Done::Read {
                                candidates: vec![candidate],
                            },
                        }
                    }
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
}
