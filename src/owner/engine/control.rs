//! Starts jobs, and acts on them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::budget::check_budget;
use super::job::{Job, Kind};
use super::live::Live;
use super::runner::wake;
use super::state::{Engine, Entry, Inner};
use super::transition::transition;
use crate::clock::now;
use crate::context::OwnerContext;
use crate::{access, trust};
use benchtop_model::job::{JobAct, JobFailure, JobState, JobStatus, Usage};
use benchtop_model::{Error, Result};
use benchtop_protocol::wire::{Event, FAILURE_PAGE};
use benchtop_store::inventory;
use benchtop_store::jobs::{self, JobHeader, UsageFile};

/// How long a removal waits for the last step of a job.
const STOPPING: Duration = Duration::from_secs(5);

pub(super) fn unknown(id: u32) -> Error {
    Error::not_found(format!("unknown job {id}")).help("run `benchtop jobs` to list the jobs")
}

impl Engine<OwnerContext> {
    /// Starts a job on behalf of `by`. `make` makes it for its number, with the numbers of its items
    /// if it is about selected ones. It is on disk before anybody hears of it.
    ///
    /// # Errors
    /// Errors of `make`, and of writing the job file. Then there is no job.
    pub fn begin<J: Job<OwnerContext>>(
        &self,
        shared: &Arc<OwnerContext>,
        of: (&'static Kind<OwnerContext>, &str),
        make: impl FnOnce(&mut JobHeader) -> Result<(J, Option<Vec<u32>>)>,
    ) -> Result<JobState> {
        shared.writable.may_write()?;
        self.loaded()?.begin(shared, of, make)
    }

    /// Performs an action on a job. Returns its new state, or `None` if it was removed. `member` is
    /// the name of somebody who is not the project's owner.
    ///
    /// # Errors
    /// [`Error::not_found`]; [`Error::conflict`] if the job's state does not allow the action;
    /// [`Error::denied`] for destinations without an agreement, and for what only the project's
    /// owner may do; I/O errors.
    pub fn act(
        &self,
        shared: &Arc<OwnerContext>,
        member: Option<&str>,
        (id, act): (u32, JobAct),
    ) -> Result<Option<JobState>> {
        shared.writable.may_write()?;
        let mut inner = self.loaded()?;
        if act == JobAct::Remove {
            // It may just have been canceled.
            let deadline = Instant::now() + STOPPING;
            let is_stopping =
                |e: &Entry<OwnerContext>| e.live.at_work && e.live.header.standing.is_finished();
            while inner.jobs.get(&id).is_some_and(is_stopping) && Instant::now() < deadline {
                self.wake.wait_for(&mut inner, Duration::from_millis(50));
            }
        }
        let entry = inner.jobs.get_mut(&id).ok_or_else(|| unknown(id))?;
        // Under the lock, or the job could change before the action.
        if let Some(who) = member {
            entry.check_member(shared, who, act)?;
        }
        if act == JobAct::Resume {
            entry.check_spent()?;
        }
        let Entry { kind, live, job } = entry;
        let standing = live.header.standing;
        let refused = |what: &str| {
            let what = format!("job {id} is {}; {what}", standing.name());
            Err(Error::conflict(what))
        };
        if let Some(cancel) = job.command() {
            if act != JobAct::Cancel {
                return refused("a command can only be canceled");
            }
            cancel.store(true, Ordering::SeqCst);
            return inner.state_of(id).map(Some);
        }
        let owes = live.header.reason.is_some();
        let next = match transition(standing, act, (owes, job.retries_canceled())) {
            Ok(next) => next,
            Err(what) => return refused(what),
        };
        match act {
            JobAct::Place(place) => inner.place_at(shared, id, place)?,
            JobAct::Remove if live.at_work => {
                return refused("it is still stopping, try again in a moment");
            }
            JobAct::Remove => {
                inner.remove(shared, id)?;
                return Ok(None);
            }
            JobAct::Batch(n) | JobAct::PerMinute(n) => {
                let before = live.state((*kind, &**job), 0);
                let is_batch = matches!(act, JobAct::Batch(_));
                let limits = |n| match is_batch {
                    true => (Some(n), None),
                    false => (None, Some(n)),
                };
                let (batch, per_minute) = limits(n);
                job.limit(batch, per_minute)?;
                let entry = inner.jobs.get_mut(&id).ok_or_else(|| unknown(id))?;
                if let Err(problem) = entry.save(shared) {
                    let held = if is_batch {
                        before.batch
                    } else {
                        before.per_minute
                    };
                    let (batch, per_minute) = limits(held);
                    entry.job.limit(batch, per_minute)?;
                    return Err(problem);
                }
                entry.live.not_before = None;
            }
            JobAct::Budget(change) => {
                entry.change_budget(shared, change)?;
            }
            _ => inner.stand(shared, id, next, act == JobAct::Retry)?,
        }
        inner.tell(shared, id, true);
        wake(shared, &mut inner);
        // A job that is followed may have stopped.
        self.wake.notify_all();
        inner.state_of(id).map(Some)
    }

    /// The failures of a job, starting with number `from`.
    ///
    /// # Errors
    /// [`Error::not_found`], and errors of reading its journal.
    pub fn failures(&self, shared: &OwnerContext, id: u32, from: u64) -> Result<Vec<JobFailure>> {
        let inner = self.loaded()?;
        let entry = inner.jobs.get(&id).ok_or_else(|| unknown(id))?;
        let all = entry.job.failures(shared)?.into_iter();
        Ok(all
            .skip(usize::try_from(from).unwrap_or(usize::MAX))
            .take(FAILURE_PAGE)
            .collect())
    }

    /// Removes the oldest ended jobs of a kind, except the latest `most`.
    pub fn prune(&self, shared: &OwnerContext, kind: &str, most: usize) {
        let mut inner = self.inner();
        let ended = inner.jobs.values().filter(|e| {
            e.kind.name == kind && e.live.header.standing.is_finished() && !e.live.at_work
        });
        let ended: Vec<u32> = ended.map(|e| e.live.header.id).collect();
        for id in ended.iter().rev().skip(most) {
            if let Err(problem) = inner.remove(shared, *id) {
                crate::log::write(format_args!("cannot remove job {id}: {problem}"));
            }
        }
    }

    /// Has the threads look for urgent work.
    pub fn look_again(&self) {
        self.wake.notify_all();
    }
}

impl Inner<OwnerContext> {
    pub(super) fn begin<J: Job<OwnerContext>>(
        &mut self,
        shared: &Arc<OwnerContext>,
        (kind, by): (&'static Kind<OwnerContext>, &str),
        make: impl FnOnce(&mut JobHeader) -> Result<(J, Option<Vec<u32>>)>,
    ) -> Result<JobState> {
        let last_turn = self.jobs.values().map(|e| e.live.header.turn).max();
        let mut header = JobHeader {
            id: self.next_number(shared)?,
            by: by.into(),
            created: now(),
            turn: last_turn.map_or(0, |turn| turn.saturating_add(1)),
            ..JobHeader::default()
        };
        let (job, numbers) = make(&mut header)?;
        let (id, name) = (header.id, kind.name);
        header.kind = name.into();
        let prices = job.prices(&shared.config());
        check_budget(header.budget, prices)?;
        let digest = job.digest(shared, &header)?;
        header.token = trust::begin(shared, name, id, digest);
        let spec = job.spec();
        let root = shared.project.root();
        if let Err(problem) = jobs::create(root, &header, &spec, numbers.as_deref()) {
            trust::end(shared, name, id);
            return Err(problem);
        }
        let sent = (UsageFile::of(root, name, id), Usage::default());
        let mut live = Live::new(header.clone(), Some(sent));
        live.meter.set_prices(prices);
        (live.own, live.written) = (true, Some((header, spec)));
        let job = Box::new(job);
        self.jobs.insert(id, Entry { kind, live, job });
        self.tell(shared, id, true);
        wake(shared, self);
        self.state_of(id)
    }

    pub(super) fn state_of(&self, id: u32) -> Result<JobState> {
        let entry = self.jobs.get(&id).ok_or_else(|| unknown(id))?;
        Ok(self.state(entry))
    }

    /// Gives a job a new status. What becomes active was checked before: whatever its file says, it
    /// sends only to destinations with an agreement.
    pub(super) fn stand(
        &mut self,
        shared: &Arc<OwnerContext>,
        id: u32,
        next: JobStatus,
        retries: bool,
    ) -> Result<()> {
        let entry = self.jobs.get_mut(&id).ok_or_else(|| unknown(id))?;
        let Entry { kind, live, job } = &mut *entry;
        let (kind, is_active) = (kind.name, live.header.standing.is_active());
        let (starts, stops) = (
            next.is_active() && !is_active,
            is_active && !next.is_active(),
        );
        let before = live.header.clone();
        if starts || retries {
            trust::check(shared, &job.destinations(shared)?)?;
        }
        if retries {
            job.retry(shared, live.at_work)?;
        }
        if next != live.header.standing {
            (live.header.standing, live.header.reason) = (next, None);
        }
        // What was started elsewhere publishes nothing because it is canceled.
        let own = live.own || starts || !live.elsewhere;
        let owes = next.is_finished() && own && job.has_work(next);
        if starts || (owes && !is_active) {
            let digest = job.digest(shared, &live.header)?;
            live.header.token = trust::begin(shared, kind, id, digest);
        }
        if let Err(problem) = entry.save(shared) {
            entry.live.header = before;
            return Err(problem);
        }
        let Entry { live, job, .. } = entry;
        if stops {
            if !owes {
                trust::end(shared, kind, id);
            }
            job.stopped(next);
        }
        (live.own, live.elsewhere) = (own, live.elsewhere && !starts);
        live.resumed();
        live.update_waits(shared, &**job);
        Ok(())
    }

    /// Moves a job to another position in the queue. The others keep their order.
    fn place_at(&mut self, shared: &OwnerContext, id: u32, place: u32) -> Result<()> {
        let mut order = self.order();
        order.retain(|other| *other != id);
        order.insert((place.max(1) as usize - 1).min(order.len()), id);
        let mut before: Vec<(u32, i64)> = Vec::new();
        for (turn, id) in order.iter().enumerate() {
            let Some(entry) = self.jobs.get_mut(id) else {
                continue;
            };
            before.push((*id, entry.live.header.turn));
            entry.live.header.turn = turn as i64;
            if let Err(problem) = entry.save(shared) {
                for (id, turn) in before {
                    if let Some(entry) = self.jobs.get_mut(&id) {
                        entry.live.header.turn = turn;
                        let _ = entry.keep(shared);
                    }
                }
                return Err(problem);
            }
        }
        order.iter().for_each(|id| self.tell(shared, *id, true));
        Ok(())
    }

    /// Removes an ended job from the list, with its files.
    fn remove(&mut self, shared: &OwnerContext, id: u32) -> Result<()> {
        let entry = self.jobs.get(&id).ok_or_else(|| unknown(id))?;
        let kind = entry.kind.name;
        let root = shared.project.root();
        let guard = inventory::guard();
        jobs::remove(root, kind, id)?;
        // Otherwise its files would be reported as missing.
        let file = jobs::file(root, kind, id);
        let stem = file.strip_prefix(root).unwrap_or(&file).with_extension("");
        let stem = format!("{}.", stem.display());
        inventory::remove_records(&shared.project, &|path| path.starts_with(&stem))?;
        drop(guard);
        entry.job.removed(shared);
        trust::end(shared, kind, id);
        self.jobs.remove(&id);
        shared.broadcast.send(Event::JobRemoved(id));
        Ok(())
    }
}

impl Entry<OwnerContext> {
    /// Checks that a member who is not the project's owner may do this to the job.
    fn check_member(&self, shared: &Arc<OwnerContext>, who: &str, act: JobAct) -> Result<()> {
        let Entry { kind, live, job } = self;
        let denied = |what: &str| {
            let help = "ask the project's owner";
            Err(Error::denied(what).help(help))
        };
        match act {
            JobAct::Cancel | JobAct::Remove if live.header.by != who => {
                denied("only its starter and the project's owner may end or remove this job")
            }
            JobAct::Resume
            | JobAct::Retry
            | JobAct::Batch(_)
            | JobAct::PerMinute(_)
            | JobAct::Budget(_) => {
                access::allowed(kind.access, false)?;
                let continues = matches!(act, JobAct::Resume | JobAct::Retry);
                match continues && live.consent(shared, &**job).is_some() {
                    true => denied("only the project's owner may consent to what it sends"),
                    false => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }
}
