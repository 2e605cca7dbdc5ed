//! The tasks of one call: which is asked next, which waits to be tried again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::ask::{Asked, ask};
use super::pool::Pool;
use super::retry::backoff;
use crate::model::generation::{Failure, FailureKind, Picture, Settings, Task};

/// Where results go: the task's number and what became of it.
pub(super) type Tell = Sender<(usize, Result<Picture, Failure>)>;

struct Job {
    index: usize,
    task: Task,
    tried: u32,
    /// The endpoint it failed at last.
    not: Option<usize>,
}

struct Waiting {
    due: Reverse<Instant>,
    job: Job,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.due == other.due
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.due.cmp(&other.due)
    }
}

struct Jobs {
    fresh: std::vec::IntoIter<(usize, Task)>,
    waiting: BinaryHeap<Waiting>,
    /// Not over yet.
    open: usize,
}

enum Next {
    Job(Job),
    At(Instant),
    Told,
    End,
}

struct Queue {
    jobs: Mutex<Jobs>,
    changed: Notify,
}

impl Queue {
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// What was to be tried again first, so that no task waits for all others.
    fn next(&self) -> Next {
        let mut jobs = self.jobs();
        let due = jobs.waiting.peek().map(|w| w.due.0);
        if due.is_some_and(|due| due <= Instant::now())
            && let Some(waiting) = jobs.waiting.pop()
        {
            return Next::Job(waiting.job);
        }
        if let Some((index, task)) = jobs.fresh.next() {
            return Next::Job(Job { index, task, tried: 0, not: None });
        }
        match due {
            _ if jobs.open == 0 => Next::End,
            Some(due) => Next::At(due),
            None => Next::Told,
        }
    }
}

/// Asks for all `tasks`; each is told once. Dropped, it drops what is in flight.
pub(super) async fn work(pool: Arc<Pool>, settings: Settings, tasks: Vec<(usize, Task)>, tell: Tell) {
    let workers = pool.concurrency().min(tasks.len());
    let jobs = Jobs { open: tasks.len(), fresh: tasks.into_iter(), waiting: BinaryHeap::new() };
    let queue = Arc::new(Queue { jobs: Mutex::new(jobs), changed: Notify::new() });
    let mut set = JoinSet::new();
    for _ in 0..workers {
        set.spawn(worker(Arc::clone(&pool), Arc::clone(&queue), settings.clone(), tell.clone()));
    }
    drop(tell);
    while set.join_next().await.is_some() {}
}

async fn worker(pool: Arc<Pool>, queue: Arc<Queue>, settings: Settings, tell: Tell) {
    loop {
        let changed = queue.changed.notified();
        match queue.next() {
            Next::End => return,
            Next::Told => changed.await,
            Next::At(due) => {
                tokio::select! {
                    () = tokio::time::sleep_until(due.into()) => {}
                    () = changed => {}
                }
            }
            Next::Job(job) => {
                let index = job.index;
                let Some(result) = once(&pool, &queue, &settings, job).await else { continue };
                queue.jobs().open -= 1;
                queue.changed.notify_waiters();
                if tell.send((index, result)).is_err() {
                    return;
                }
            }
        }
    }
}

/// One try. `None` when the task waits for another.
async fn once(pool: &Pool, queue: &Queue, settings: &Settings, mut job: Job) -> Option<Result<Picture, Failure>> {
    let seat = match pool.seat(job.not).await {
        Ok(seat) => seat,
        Err(why) => return Some(Err(Failure::new(FailureKind::Unavailable, why))),
    };
    job.tried += 1;
    let at = seat.at;
    let (asked, outcome) = ask(pool, seat.server(), settings, &job.task).await;
    seat.leave(outcome);
    match asked {
        Asked::Picture(picture) => Some(Ok(*picture)),
        Asked::Refused(failure) => Some(Err(failure)),
        Asked::Again(failure) if job.tried >= pool.tries => {
            let reason = match job.tried {
                1 => failure.reason,
                n => format!("{} (after {n} tries)", failure.reason),
            };
            Some(Err(Failure::new(failure.kind, reason)))
        }
        Asked::Again(_) => {
            let wait = backoff(pool.patience.backoff, pool.patience.backoff_cap, job.tried, pool.draw());
            job.not = Some(at);
            queue.jobs().waiting.push(Waiting { due: Reverse(Instant::now() + wait), job });
            queue.changed.notify_waiters();
            None
        }
    }
}
