//! The table of actions and statuses.

use benchtop_model::job::{JobAct, JobStatus};

/// The status of a job after an action. `owes` is whether work after its end failed, and
/// `retries_canceled` whether its kind can be retried after a cancellation.
///
/// # Errors
/// Why the status does not allow the action.
pub(super) fn transition(
    standing: JobStatus,
    act: JobAct,
    (owes, retries_canceled): (bool, bool),
) -> Result<JobStatus, &'static str> {
    use JobStatus::{Cancelled, Done, Failed, Paused, Queued};
    match act {
        JobAct::Pause if standing.is_active() => Ok(Paused),
        JobAct::Pause => Err("only queued and running jobs can be paused"),
        JobAct::Resume if matches!(standing, Paused | Failed) => Ok(Queued),
        JobAct::Resume if standing == Done && owes => Ok(Queued),
        JobAct::Resume => Err("only paused and failed jobs can be resumed"),
        JobAct::Cancel if standing.is_finished() => Err("it has already ended"),
        JobAct::Cancel => Ok(Cancelled),
        JobAct::Retry if standing == Cancelled && !retries_canceled => Err("start a new one"),
        JobAct::Retry if standing.is_active() => Ok(standing),
        JobAct::Retry => Ok(Queued),
        JobAct::Place(_) if standing.is_finished() => Err("it is no longer in the queue"),
        JobAct::Remove if !standing.is_finished() => Err("cancel it first"),
        JobAct::Budget(_) if matches!(standing, Done | Cancelled) => {
            Err("it sends nothing anymore")
        }
        JobAct::Place(_)
        | JobAct::Remove
        | JobAct::Batch(_)
        | JobAct::PerMinute(_)
        | JobAct::Budget(_) => Ok(standing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::job::BudgetChange;

    use JobStatus::{Cancelled, Done, Failed, Paused, Queued, Running};

    /// All that an action does to a job, by its status: `.` is refused.
    #[test]
    fn every_action_on_every_status() {
        let all = [Queued, Running, Paused, Done, Cancelled, Failed];
        for (act, flags, expected) in [
            (
                JobAct::Pause,
                (false, false),
                [Some(Paused), Some(Paused), None, None, None, None],
            ),
            (
                JobAct::Resume,
                (false, false),
                [None, None, Some(Queued), None, None, Some(Queued)],
            ),
            (
                JobAct::Resume,
                (true, false),
                [None, None, Some(Queued), Some(Queued), None, Some(Queued)],
            ),
            (
                JobAct::Cancel,
                (false, false),
                [
                    Some(Cancelled),
                    Some(Cancelled),
                    Some(Cancelled),
                    None,
                    None,
                    None,
                ],
            ),
            (
                JobAct::Retry,
                (false, false),
                [
                    Some(Queued),
                    Some(Running),
                    Some(Queued),
                    Some(Queued),
                    None,
                    Some(Queued),
                ],
            ),
            (
                JobAct::Retry,
                (false, true),
                [
                    Some(Queued),
                    Some(Running),
                    Some(Queued),
                    Some(Queued),
                    Some(Queued),
                    Some(Queued),
                ],
            ),
            (
                JobAct::Place(1),
                (false, false),
                [Some(Queued), Some(Running), Some(Paused), None, None, None],
            ),
            (
                JobAct::Remove,
                (false, false),
                [None, None, None, Some(Done), Some(Cancelled), Some(Failed)],
            ),
            (
                JobAct::Budget(BudgetChange::default()),
                (false, true),
                [
                    Some(Queued),
                    Some(Running),
                    Some(Paused),
                    None,
                    None,
                    Some(Failed),
                ],
            ),
        ] {
            let found = all.map(|standing| transition(standing, act, flags).ok());
            assert_eq!(found, expected, "{act:?}");
        }
    }
}
