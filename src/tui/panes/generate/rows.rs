//! Jobs and failures as table rows.

use super::error_line;
use crate::pane::id::Purpose;
use crate::theme::Role;
use crate::widgets::meter::stretch;
use crate::widgets::purpose::Begin;
use crate::widgets::table::{ColumnKind, Empty, LocalCell, LocalTable, Spec};
use benchtop_model::Result;
use benchtop_model::job::{JobFailure, JobState, JobStatus};

pub(super) fn columns() -> Vec<Spec> {
    let number = |name: &str, width| Spec {
        width,
        ..Spec::number(name, "", ColumnKind::Number, width)
    };
    vec![
        Spec::text("job", 22),
        Spec::text("state", 9),
        number("done", 9),
        number("total", 9),
        number("failed", 7),
        number("per min", 8),
        Spec::text("left", 12),
        Spec::text("generator", 24),
    ]
}

/// The color of a status.
pub(super) fn role(standing: JobStatus) -> Role {
    match standing {
        JobStatus::Running => Role::Accent,
        JobStatus::Queued => Role::Pending,
        JobStatus::Paused => Role::Warn,
        JobStatus::Done => Role::Good,
        JobStatus::Cancelled => Role::Dim,
        JobStatus::Failed => Role::Bad,
    }
}

fn count(n: Option<u64>) -> LocalCell {
    n.map_or(LocalCell::number("?", None), LocalCell::count)
}

pub(super) fn row(job: &JobState) -> Vec<LocalCell> {
    let failed = if job.failed > 0 {
        Role::Bad
    } else {
        Role::Text
    };
    let running = job.standing == JobStatus::Running;
    let rate = if running {
        LocalCell::number(format!("{:.1}", job.rate), Some(job.rate))
    } else {
        LocalCell::text("")
    };
    let left = job
        .left_s
        .filter(|_| running)
        .map(stretch)
        .unwrap_or_default();
    vec![
        LocalCell::text(format!("{} {}", job.id, job.name)),
        LocalCell::text(job.standing.name()).role(role(job.standing)),
        LocalCell::count(job.done),
        count(job.of),
        LocalCell::count(job.failed).role(failed),
        rate,
        LocalCell::text(left),
        LocalCell::text(if job.device.is_empty() {
            &job.generator
        } else {
            &job.device
        }),
    ]
}

const FAILURES: Purpose = Purpose {
    about: "Here are the tasks that a job could not do, each with its reason; this job has none.",
    example: &[
        "item  why                              tries",
        "#7    the picture is blank                 3",
    ],
};

/// The table of a job's failures. `back` is the key that leaves it.
pub(super) fn failures(
    job: u32,
    list: Option<&Result<Vec<JobFailure>>>,
    back: String,
) -> LocalTable {
    let mut columns = vec![
        Spec::text("item", 8),
        Spec::text("why", 44),
        Spec::text("tries", 6),
    ];
    columns.extend([
        Spec::text("kind", 14),
        Spec::text("picture", 30),
        Spec::text("sample", 7),
    ]);
    columns
        .iter_mut()
        .for_each(|c| c.group = format!("failures of job {job}: r retries, enter shows the item"));
    let row = |f: &JobFailure| {
        let kind = serde_json::to_value(f.kind)
            .ok()
            .and_then(|k| k.as_str().map(str::to_string))
            .unwrap_or_default();
        vec![
            LocalCell::text(format!("#{}", f.number)),
            LocalCell::text(&f.reason).role(Role::Bad),
            LocalCell::text(f.tries.to_string()),
            LocalCell::text(kind),
            LocalCell::text(format!("{}/{}", f.dataset, f.picture)),
            LocalCell::text(f.sample.to_string()),
        ]
    };
    let (rows, empty) = match list {
        None => (Vec::new(), Empty::Loading),
        Some(Err(problem)) => (Vec::new(), Empty::Failed(error_line(problem))),
        Some(Ok(list)) => (
            list.iter().map(row).collect(),
            Empty::Begin(
                &FAILURES,
                Begin {
                    key: back,
                    does: "goes back to the jobs",
                },
            ),
        ),
    };
    LocalTable::new(columns, rows, 1, empty)
}
