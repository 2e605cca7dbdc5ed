//! The thread of evaluations: works on one run after the other.

use std::sync::Arc;
use std::time::Duration;

use super::queue::Inner;
use super::runtime::JobRuntime;
use super::work;
use crate::context::OwnerContext;
use crate::priority::lower_thread_priority;
use crate::trust;
use benchtop_model::{Error, ErrorKind};
use benchtop_store::trust::JobKind;

/// Starts the thread if there is work.
pub(super) fn wake(shared: &Arc<OwnerContext>, inner: &mut Inner) {
    if shared.writable.opened_read_only.is_some() {
        return;
    }
    let works = inner.thread.as_ref().is_some_and(|t| !t.is_finished());
    if inner.next().is_some() && !works && !inner.ended {
        let owner = shared.clone();
        let work = move || {
            lower_thread_priority();
            run(&owner);
        };
        match std::thread::Builder::new()
            .name("evaluate".into())
            .spawn(work)
        {
            Ok(thread) => inner.thread = Some(thread),
            Err(error) => {
                crate::log::write(format_args!("cannot start the evaluation thread: {error}"))
            }
        }
    }
    shared.evaluations.wake.notify_all();
}

/// Works until there is nothing to do for a while, or the owner ends.
fn run(shared: &Arc<OwnerContext>) {
    let desk = &shared.evaluations;
    loop {
        let id = {
            let mut inner = desk.inner();
            if inner.ended {
                return;
            }
            match inner.next() {
                Some(id) => {
                    inner.at_work = Some(id);
                    id
                }
                None => {
                    // The owner keeps running while a run waits for its servers.
                    let is_waiting = inner.runs.values().any(JobRuntime::waits_for_servers);
                    let _counted = is_waiting.then(|| shared.activity.count_job());
                    desk.wake.wait_for(&mut inner, Duration::from_millis(200));
                    if inner.next().is_none() && !is_waiting && !inner.ended {
                        // Cleared under the lock that `wake` takes, so it sees that no thread is
                        // running.
                        inner.thread = None;
                        return;
                    }
                    continue;
                }
            }
        };
        // The owner keeps running while a run is being worked on.
        let _counted = shared.activity.count_job();
        let outcome =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work::turn(shared, id)));
        let outcome = outcome.unwrap_or_else(|_| {
            Err(Error::new(
                ErrorKind::Io,
                "internal error: the evaluation thread panicked",
            ))
        });
        let mut inner = desk.inner();
        inner.at_work = None;
        if let (Some(live), Err(problem)) = (inner.runs.get_mut(&id), outcome) {
            live.stop(&problem);
            live.update_waits(shared);
        }
        if inner
            .runs
            .get(&id)
            .is_some_and(|live| !live.run.standing.is_active())
        {
            trust::end(shared, JobKind::Run, id);
        }
        inner.keep(shared, id);
        inner.tell(shared, id, true);
    }
}
