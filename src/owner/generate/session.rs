//! A job at work: what is left of it, one batch after the other, and what becomes of each picture.

use std::collections::{HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use crate::inference::{ImageGenerator, Told};
use crate::model::generation::{Failure, FailureKind, Fingerprint, Pixels, Settings, Task};
use crate::model::job::{JobFailure, Newest, Standing, Step};
use crate::model::made::Made;
use crate::model::{Kind, Problem, Result};
use crate::owner::state::Shared;
use crate::owner::writer::{MadePictures, Work, now};
use crate::pipeline::generate::check::check;
use crate::pipeline::generate::errand::{Errand, side_by_side};
use crate::pipeline::generate::file::{self, Origin};
use crate::pipeline::generate::named::Named;
use crate::pipeline::generate::work::{Target, sides};
use crate::store::jobs::Failed;
use crate::store::journal::stamp;

/// How often a picture is tried before it is set aside.
pub const TRIES: u32 = 3;
/// Failures in a row, without a picture between them, after which a job waits for somebody to look.
pub const IN_A_ROW: u32 = 24;
/// Pictures are handed over to be recorded at most this often, so that a decision never waits behind many.
const HAND_OVER_EVERY: Duration = Duration::from_millis(200);
/// Wait after the first of several passing failures in a row; each further one doubles it.
const WAIT: Duration = Duration::from_millis(500);
/// Longest wait between two tries.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// What there is to do.
pub enum Took {
    /// These pictures.
    Batch(Vec<Errand>),
    /// Nothing now.
    Nothing,
    /// Nothing any more.
    End,
}

/// See the module.
pub struct Session {
    id: u32,
    version: u64,
    seed: u64,
    named: Arc<Named>,
    settings: Settings,
    print: Fingerprint,
    short: String,
    drafts: bool,
    max_batch: usize,
    work: VecDeque<Target>,
    /// Doubles whose sides were not there when it was their turn.
    waited: HashSet<Target>,
    tries: HashMap<Target, u32>,
    in_a_row: u32,
    batch_limit: usize,
    /// Made and not yet recorded.
    pending: Vec<(Errand, Made)>,
    handed_over: Instant,
}

impl Session {
    /// Works out what is left of a job; none when it is not to be worked on any more.
    ///
    /// # Errors
    /// What keeps the job from going on.
    pub fn begin(shared: &Arc<Shared>, id: u32, generator: &dyn ImageGenerator) -> Result<Option<Session>> {
        let is_wanted = || shared.desk.inner().jobs.get(&id).is_some_and(|j| j.job.standing.live());
        let named = shared.desk.named(shared, &is_wanted)?;
        let capabilities = generator.capabilities();
        let index = shared.index.get()?;
        let mut inner = shared.desk.inner();
        let Some(live) = inner.jobs.get_mut(&id).filter(|j| j.job.standing.live()) else { return Ok(None) };
        let settings = live.job.settings.clone().unwrap_or_else(|| live.job.wishes.over(&capabilities.best));
        if let Some(excluded) = capabilities.excluded(&settings, &Task::default()) {
            return Err(Problem::input(excluded.reason).help("begin another job with settings that it can make"));
        }
        let print = generator.fingerprint(&settings);
        let mut work = live.scope(capabilities.draft).work(&named, &shared.pictures());
        let failed = |t: &Target| {
            let picture = &named.pictures()[t.picture as usize];
            live.failed.contains_key(&(picture.key, t.sample))
        };
        work.retain(|target| !failed(target));
        live.device = capabilities.name.clone();
        live.job.settings = Some(settings.clone());
        live.job.of = Some(live.done + (work.len() + live.failed.len()) as u64);
        index.keep_job(&live.job)?;
        let session = Session {
            id,
            version: live.version,
            seed: live.job.seed,
            named,
            settings,
            short: print.short(),
            print,
            drafts: capabilities.draft,
            max_batch: capabilities.max_batch.max(1),
            work,
            waited: HashSet::new(),
            tries: HashMap::new(),
            in_a_row: 0,
            batch_limit: usize::MAX,
            pending: Vec::new(),
            handed_over: Instant::now(),
        };
        inner.tell(shared, id, true);
        Ok(Some(session))
    }

    /// Whether what it knows of items and job is still so.
    pub fn is_current(&self, shared: &Shared) -> bool {
        let version = shared.desk.inner().jobs.get(&self.id).map(|j| j.version);
        self.named.edition == shared.catalog().edition() && version == Some(self.version)
    }

    /// Whether positions of `named` are positions of its pictures.
    pub fn is_of(&self, named: &Named) -> bool {
        self.named.edition == named.edition
    }

    /// The next pictures to make; `only` one where somebody waits for it.
    ///
    /// # Errors
    /// [`Kind::Corrupt`] when the texts are damaged.
    pub fn take(&mut self, shared: &Arc<Shared>, only: Option<Target>) -> Result<Took> {
        let (batch, per_minute, rows) = {
            let inner = shared.desk.inner();
            let Some(live) = inner.jobs.get(&self.id).filter(|j| j.job.standing == Standing::Running) else {
                return Ok(Took::Nothing);
            };
            (live.job.batch, live.job.per_minute, live.rows.clone())
        };
        let mut most = batch.map_or(self.max_batch, |b| b as usize).min(self.max_batch).min(self.batch_limit).max(1);
        if let Some(per_minute) = per_minute {
            most = most.min(per_minute.div_ceil(60).max(1) as usize);
        }
        if let Some(only) = only {
            self.work.retain(|target| *target != only);
            self.work.push_front(only);
            most = 1;
        }
        let catalog = shared.catalog();
        let mut errands: Vec<Errand> = Vec::new();
        while errands.len() < most {
            let Some(target) = self.work.pop_front() else { break };
            // Tried before: alone, so that it takes no others along.
            let alone = self.tries.contains_key(&target);
            if alone && !errands.is_empty() {
                self.work.push_front(target);
                break;
            }
            if self.is_made(shared, rows.as_deref(), target) {
                continue;
            }
            let errand = Errand::read(&catalog, &self.named, target, self.seed)?;
            if self.is_the_same(shared, &errand) {
                continue;
            }
            if errand.double && !errands.is_empty() {
                self.work.push_front(target);
                break;
            }
            let double = errand.double;
            errands.push(errand);
            if alone || double {
                break;
            }
        }
        if errands.is_empty() {
            return Ok(if self.work.is_empty() { Took::End } else { Took::Nothing });
        }
        if let Some(per_minute) = per_minute {
            let wait = Duration::from_secs_f64(60.0 * errands.len() as f64 / f64::from(per_minute));
            if let Some(live) = shared.desk.inner().jobs.get_mut(&self.id) {
                live.not_before = Some(Instant::now() + wait);
            }
        }
        Ok(Took::Batch(errands))
    }

    fn is_made(&self, shared: &Shared, rows: Option<&Vec<u32>>, target: Target) -> bool {
        let rows = rows.map(Vec::as_slice);
        let scope = crate::pipeline::generate::work::Scope { job: self.id, rows, samples: 0, drafts: self.drafts };
        scope.is_made(&self.named, &shared.pictures(), target)
    }

    /// Whether the very same picture is there: nothing would come of making it again.
    fn is_the_same(&self, shared: &Shared, errand: &Errand) -> bool {
        let picture = &self.named.pictures()[errand.target.picture as usize];
        let pictures = shared.pictures();
        !errand.double
            && pictures.samples(picture.key).any(|e| {
                (e.sample, e.prompt, e.seed) == (errand.target.sample, picture.prompt, errand.task.seed)
                    && pictures.fingerprint(e) == self.short
            })
    }

    /// Makes these pictures and records them. Gives whether the generator panicked, so that another is needed.
    ///
    /// # Errors
    /// What keeps the job from going on: a full disk, most likely. What was not recorded is made again.
    pub fn make(
        &mut self,
        shared: &Arc<Shared>,
        generator: &mut dyn ImageGenerator,
        errands: Vec<Errand>,
    ) -> Result<bool> {
        if errands.first().is_some_and(|e| e.double) {
            for errand in errands {
                self.double(shared, errand)?;
            }
            self.hand_over(shared)?;
            return Ok(false);
        }
        let tasks: Vec<Task> = errands.iter().map(|e| e.task.clone()).collect();
        let mut open: Vec<Option<Errand>> = errands.into_iter().map(Some).collect();
        let mut failures: Vec<(Errand, Failure)> = Vec::new();
        let mut trouble = None;
        let settings = self.settings.clone();
        let ran = catch_unwind(AssertUnwindSafe(|| {
            generator.generate(&settings, &tasks, &mut |told| {
                match told {
                    Told::Step { done, of, batch } => self.step(shared, Step { done, of, batch: batch as u32 }),
                    Told::Done { index, result } => {
                        // A second answer to the same task says nothing.
                        let Some(errand) = open.get_mut(index).and_then(Option::take) else { return true };
                        let kept = result
                            .map_err(Kept::Failed)
                            .and_then(|p| self.keep(shared, errand.clone(), &p.pixels, p.notes, Vec::new()));
                        match kept {
                            Ok(()) => self.in_a_row = 0,
                            Err(Kept::Failed(failure)) => failures.push((errand, failure)),
                            Err(Kept::Trouble(problem)) => trouble = Some(problem),
                        }
                    }
                }
                if trouble.is_none() && self.handed_over.elapsed() >= HAND_OVER_EVERY {
                    trouble = self.hand_over(shared).err();
                }
                trouble.is_none() && goes_on(shared, self.id)
            });
        }));
        let recorded = self.hand_over(shared);
        if let Some(problem) = trouble {
            return Err(problem);
        }
        recorded?;
        let silent = match &ran {
            Ok(()) => Failure::new(FailureKind::BadOutput, "the generator did not answer"),
            Err(panic) => Failure::new(FailureKind::BadOutput, format!("the generator panicked: {}", said(&**panic))),
        };
        failures.extend(open.into_iter().flatten().map(|errand| (errand, silent.clone())));
        self.failed(shared, failures, tasks.len())?;
        Ok(ran.is_err())
    }

    /// Checks a picture, makes it a file, and holds it to be recorded.
    fn keep(
        &mut self,
        shared: &Shared,
        errand: Errand,
        pixels: &Pixels,
        notes: Vec<String>,
        of: Vec<String>,
    ) -> std::result::Result<(), Kept> {
        let wide = Settings { width: pixels.width, height: pixels.height, ..self.settings.clone() };
        check(pixels, if errand.double { &wide } else { &self.settings }).map_err(Kept::Failed)?;
        let origin = Origin { errand: &errand, settings: &self.settings, print: &self.print, draft: self.drafts };
        let bytes = file::png(pixels, &origin).map_err(Kept::Trouble)?;
        let (image, _) = file::keep(&shared.project, &errand.name, self.drafts, &bytes).map_err(Kept::Trouble)?;
        let made = Made {
            rev: 0,
            dataset: errand.dataset.clone(),
            picture: errand.name.clone(),
            sample: errand.target.sample,
            hash: image.hash.unwrap_or_default(),
            ext: image.ext.unwrap_or_default(),
            width: pixels.width,
            height: pixels.height,
            seed: errand.task.seed,
            fingerprint: self.short.clone(),
            prompt: errand.prompt.clone(),
            job: self.id,
            at: stamp(now()),
            draft: self.drafts,
            notes,
            items: errand.items.clone(),
            of,
        };
        self.pending.push((errand, made));
        Ok(())
    }

    /// Puts the two sides of a picture beside each other, once both are there.
    fn double(&mut self, shared: &Shared, errand: Errand) -> Result<()> {
        let picture = &self.named.pictures()[errand.target.picture as usize];
        let found = {
            let made = shared.pictures();
            let image = |e: &crate::store::pictures::Entry| made.image(e, &errand.name);
            match sides(&self.named, &made, picture, errand.target.sample) {
                Some([Some(first), Some(second)]) => Some([image(first), image(second)]),
                _ => None,
            }
        };
        let Some(images) = found else {
            if self.waited.insert(errand.target) {
                self.work.push_back(errand.target);
                return Ok(());
            }
            let failure = Failure::new(FailureKind::Input, "the two pictures it is made of are not there");
            return self.set_aside(shared, &errand, failure, 1);
        };
        let [left, right] = [file::pixels(&shared.project, &images[0])?, file::pixels(&shared.project, &images[1])?];
        let of = images.into_iter().filter_map(|i| i.hash).collect();
        match self.keep(shared, errand.clone(), &side_by_side(&left, &right), Vec::new(), of) {
            Ok(()) => Ok(()),
            Err(Kept::Failed(failure)) => self.set_aside(shared, &errand, failure, 1),
            Err(Kept::Trouble(problem)) => Err(problem),
        }
    }

    /// Hands what was made to the thread that decides, and waits until it is on disk.
    fn hand_over(&mut self, shared: &Shared) -> Result<()> {
        self.handed_over = Instant::now();
        let (errands, made): (Vec<Errand>, Vec<Made>) = std::mem::take(&mut self.pending).into_iter().unzip();
        let Some(last) = made.last() else { return Ok(()) };
        let newest = Newest {
            path: last.image().stored().unwrap_or_default(),
            picture: last.picture.clone(),
            number: errands.last().map_or(0, Errand::number),
            sample: last.sample,
            draft: last.draft,
        };
        let count = made.len() as u64;
        let mut rows: Vec<u32> = errands.into_iter().flat_map(|e| e.rows).collect();
        rows.sort_unstable();
        rows.dedup();
        let (reply, recorded) = mpsc::channel();
        let ending = || Problem::new(Kind::Cancelled, "the owner is ending");
        let work = Work::Made(MadePictures { made, prints: vec![self.print.clone()], rows, reply });
        shared.writer.send(work).map_err(|_| ending())?;
        recorded.recv().map_err(|_| ending())??;
        let mut inner = shared.desk.inner();
        if let Some(live) = inner.jobs.get_mut(&self.id) {
            live.came(count);
            live.newest = Some(newest);
            // What another job left to this one, or took from it.
            live.job.of = live.job.of.map(|of| of.max(live.done + live.failed.len() as u64));
        }
        inner.tell(shared, self.id, false);
        Ok(())
    }

    fn step(&mut self, shared: &Shared, step: Step) {
        let mut inner = shared.desk.inner();
        if let Some(live) = inner.jobs.get_mut(&self.id) {
            live.step = Some(step);
        }
        inner.tell(shared, self.id, false);
    }

    /// What failed is tried again later, or set aside. `size` pictures were asked for together.
    fn failed(&mut self, shared: &Arc<Shared>, failures: Vec<(Errand, Failure)>, size: usize) -> Result<()> {
        let mut wait = false;
        for (errand, failure) in failures {
            let target = errand.target;
            match failure.kind {
                FailureKind::Cancelled => self.work.push_front(target),
                FailureKind::OutOfMemory if size > 1 => {
                    self.batch_limit = (size / 2).max(1);
                    self.work.push_front(target);
                }
                kind => {
                    self.in_a_row += 1;
                    let tries = self.tries.entry(target).or_default();
                    *tries += 1;
                    let tries = *tries;
                    let again = failure.passing() || kind == FailureKind::BadOutput;
                    if again && tries < TRIES {
                        wait |= failure.passing();
                        self.work.push_back(target);
                    } else {
                        self.set_aside(shared, &errand, failure.clone(), tries)?;
                    }
                    if self.in_a_row >= IN_A_ROW {
                        let what = format!("{IN_A_ROW} pictures failed in a row; the last: {}", failure.reason);
                        return Err(Problem::new(Kind::Io, what).help("resume the job once the cause is gone"));
                    }
                }
            }
        }
        if wait {
            let doubled = WAIT * 2u32.saturating_pow(self.in_a_row.saturating_sub(1).min(10));
            if let Some(live) = shared.desk.inner().jobs.get_mut(&self.id) {
                live.not_before = Some(Instant::now() + doubled.min(LONGEST_WAIT));
            }
        }
        Ok(())
    }

    /// Gives a picture up until somebody asks for it again.
    fn set_aside(&mut self, shared: &Shared, errand: &Errand, failure: Failure, tries: u32) -> Result<()> {
        let key = self.named.pictures()[errand.target.picture as usize].key;
        let sample = errand.target.sample;
        let failed = Failed {
            key,
            failure: JobFailure {
                dataset: errand.dataset.clone(),
                picture: errand.name.clone(),
                sample,
                number: errand.number(),
                kind: failure.kind,
                reason: failure.reason,
                tries,
            },
        };
        shared.index.get()?.keep_failed(self.id, &failed)?;
        let mut inner = shared.desk.inner();
        if let Some(live) = inner.jobs.get_mut(&self.id) {
            live.failed.insert((key, sample), failed);
        }
        inner.tell(shared, self.id, false);
        Ok(())
    }
}

/// What became of a picture that is not kept.
enum Kept {
    /// It is none.
    Failed(Failure),
    /// The job cannot go on.
    Trouble(Problem),
}

/// Whether a batch under way is still wanted.
fn goes_on(shared: &Shared, id: u32) -> bool {
    let inner = shared.desk.inner();
    !inner.ended && inner.jobs.get(&id).is_some_and(|j| j.job.standing.live())
}

/// What a panic said.
fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a word".into())
}
