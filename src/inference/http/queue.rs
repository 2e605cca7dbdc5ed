//! The queue of tasks of one call: picks the next task, and schedules retries.

use std::collections::BTreeMap;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::exchange::{Api, Metered, Stop, ask};
use super::pool::{Outcome, Pool};
use super::retry::backoff;
use benchtop_model::generation::{Failure, FailureKind};

/// Receives the index of a task and its result.
pub(super) type Tell<A> = Sender<(usize, Result<A, Failure>)>;

struct Job<T> {
    index: usize,
    task: T,
    tried: u32,
    /// The endpoint of the last failure.
    failed_at: Option<usize>,
}

struct Jobs<T> {
    fresh: std::vec::IntoIter<(usize, T)>,
    waiting: BTreeMap<(Instant, usize), Job<T>>,
    /// Number of unfinished tasks.
    open: usize,
}

enum Next<T> {
    Job(Job<T>),
    /// Wait until then, or for a change.
    At(Instant),
    /// Wait for a change.
    Change,
    End,
}

struct Queue<T> {
    jobs: Mutex<Jobs<T>>,
    changed: Notify,
}

impl<T> Queue<T> {
    fn jobs(&self) -> MutexGuard<'_, Jobs<T>> {
        self.jobs
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The next job. Due retries come first, so that no task waits for all others.
    /// Schedules another try of a job that failed at an endpoint.
    fn again<A>(&self, mut job: Job<T>, failed_at: usize, due: Instant) -> Option<A> {
        job.failed_at = Some(failed_at);
        self.jobs().waiting.insert((due, job.index), job);
        self.changed.notify_waiters();
        None
    }

    fn next(&self) -> Next<T> {
        let mut jobs = self.jobs();
        let due = jobs.waiting.keys().next().map(|(due, _)| *due);
        if due.is_some_and(|due| due <= Instant::now())
            && let Some((_, job)) = jobs.waiting.pop_first()
        {
            return Next::Job(job);
        }
        if let Some((index, task)) = jobs.fresh.next() {
            return Next::Job(Job {
                index,
                task,
                tried: 0,
                failed_at: None,
            });
        }
        match due {
            _ if jobs.open == 0 => Next::End,
            Some(due) => Next::At(due),
            None => Next::Change,
        }
    }
}

/// Sends all `tasks`, and reports each once. Dropping the future drops the requests in flight.
pub(super) async fn work<A: Api>(
    api: Arc<Metered<A>>,
    pool: Arc<Pool>,
    tasks: Vec<(usize, A::Task)>,
    tell: Tell<A::Answer>,
) {
    let workers = pool.concurrency().min(tasks.len());
    let jobs = Jobs {
        open: tasks.len(),
        fresh: tasks.into_iter(),
        waiting: BTreeMap::new(),
    };
    let queue = Arc::new(Queue {
        jobs: Mutex::new(jobs),
        changed: Notify::new(),
    });
    let mut set = JoinSet::new();
    for _ in 0..workers {
        set.spawn(worker(
            Arc::clone(&api),
            Arc::clone(&pool),
            Arc::clone(&queue),
            tell.clone(),
        ));
    }
    drop(tell);
    while set.join_next().await.is_some() {}
}

async fn worker<A: Api>(
    api: Arc<Metered<A>>,
    pool: Arc<Pool>,
    queue: Arc<Queue<A::Task>>,
    tell: Tell<A::Answer>,
) {
    loop {
        let changed = queue.changed.notified();
        match queue.next() {
            Next::End => return,
            Next::Change => changed.await,
            Next::At(due) => {
                tokio::select! {
                    () = tokio::time::sleep_until(due.into()) => {}
                    () = changed => {}
                }
            }
            Next::Job(job) => {
                let index = job.index;
                let Some(result) = once(&*api, &pool, &queue, job).await else {
                    continue;
                };
                queue.jobs().open -= 1;
                queue.changed.notify_waiters();
                if tell.send((index, result)).is_err() {
                    return;
                }
            }
        }
    }
}

/// Tries a job once. `None` if it was queued for another try.
async fn once<A: Api>(
    api: &Metered<A>,
    pool: &Pool,
    queue: &Queue<A::Task>,
    mut job: Job<A::Task>,
) -> Option<Result<A::Answer, Failure>> {
    let seat = match pool.seat(job.failed_at).await {
        Ok(seat) => seat,
        Err(why) => return Some(Err(Failure::new(FailureKind::Unavailable, why))),
    };
    job.tried += 1;
    let at = seat.at;
    // A first try that takes far longer than others is abandoned. The second try has the full
    // timeout.
    let limit = if job.tried == 1 && pool.tries > 1 {
        pool.stall_limit()
    } else {
        None
    };
    let begun = Instant::now();
    let Stop {
        failure,
        again,
        outcome,
        ..
    } = match ask(api, pool, at, &job.task, limit).await {
        Ok(answer) => {
            pool.record(begun.elapsed());
            seat.leave(Outcome::Answered);
            return Some(Ok(answer));
        }
        Err(stop) => stop,
    };
    // An unreachable server does not count as a try of the task.
    let server_absent = matches!(outcome, Outcome::Absent(_));
    // A server that names a time is asked again then; its slots are closed until that time.
    let has_named_time = matches!(outcome, Outcome::Busy(Some(_)));
    job.tried -= u32::from(server_absent);
    seat.leave(outcome);
    match (again, job.tried) {
        (true, _) if server_absent => queue.again(job, at, Instant::now()),
        (true, 1) if has_named_time && pool.tries > 1 => queue.again(job, at, Instant::now()),
        (false, _) => Some(Err(failure)),
        (true, 1) if pool.tries <= 1 => Some(Err(failure)),
        (true, n) if n >= pool.tries => Some(Err(Failure::new(
            failure.kind,
            format!("{} (after {n} tries)", failure.reason),
        ))),
        (true, _) => {
            let wait = backoff(
                pool.timeouts.backoff,
                pool.timeouts.backoff_cap,
                job.tried,
                pool.draw(),
            );
            queue.again(job, at, Instant::now() + wait)
        }
    }
}
