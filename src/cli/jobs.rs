//! `benchtop jobs`: what makes pictures or asks models now, and what is done to it.

use clap::Subcommand;
use serde_json::{Value, json};

use super::consent;
use super::follow::{Follow, Followed, follow, left};
use crate::context::Context;
use crate::out;
use crate::out::print;
use benchtop_model::evaluation::RunState;
use benchtop_model::history::stamp;
use benchtop_model::job::{JobAct, JobFailure, JobState, JobStatus};
use benchtop_model::{Error, ErrorKind, Result, clean};
use benchtop_protocol::Client;
use benchtop_protocol::wire::{Event, FAILURES, request};

/// Arguments of `jobs`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Print JSON lines
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum What {
    /// List all jobs, those that are not over first and in their order
    List,
    /// Watch a job until it is over
    Watch {
        /// The job's number
        id: u32,
    },
    /// Stop a job at the next step; what is made stays
    Pause {
        /// The job's number
        id: u32,
    },
    /// Go on with a job that is paused or failed
    Resume {
        /// The job's number
        id: u32,
    },
    /// Give a job up; what is made stays
    Cancel {
        /// The job's number
        id: u32,
    },
    /// Try again what a job set aside
    Retry {
        /// The job's number
        id: u32,
    },
    /// List what a job set aside
    Failures {
        /// The job's number
        id: u32,
    },
    /// Let a job go before all others
    First {
        /// The job's number
        id: u32,
    },
    /// Change how a job works; 0 takes a limit away
    Set {
        /// The job's number
        id: u32,
        /// Pictures made together; of an evaluation, requests in flight at each server
        #[arg(long, value_name = "N", required_unless_present = "per_minute")]
        batch: Option<u32>,
        /// At most so many pictures a minute
        #[arg(long, value_name = "N")]
        per_minute: Option<u32>,
    },
    /// Forget a job that is over
    Remove {
        /// The job's number
        id: u32,
    },
}

/// Runs it.
///
/// # Errors
/// When there is no such job, or it cannot be done to it.
pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let act = |id: &u32, act: JobAct| act_on(context, *id, act, args.json);
    match args.what.as_ref().unwrap_or(&What::List) {
        What::List => list(&context.client()?, args.json),
        What::Watch { id } => {
            let mut follower = Follow::connect(context)?;
            let job = JobState::ask(follower.client(), *id)?;
            follow(&mut follower, job, false, args.json)
        }
        What::Pause { id } => act(id, JobAct::Pause),
        What::Resume { id } => act(id, JobAct::Resume),
        What::Cancel { id } => act(id, JobAct::Cancel),
        What::Retry { id } => act(id, JobAct::Retry),
        What::First { id } => act(id, JobAct::Place(1)),
        What::Remove { id } => act(id, JobAct::Remove),
        What::Failures { id } => failures(&context.client()?, *id, args.json),
        What::Set {
            id,
            batch,
            per_minute,
        } => {
            let limit = |n: u32| (n > 0).then_some(n);
            let mut code = 0;
            for wish in [
                batch.map(|n| JobAct::Batch(limit(n))),
                per_minute.map(|n| JobAct::PerMinute(limit(n))),
            ] {
                code = wish.map_or(Ok(code), |wish| act(id, wish))?;
            }
            Ok(code)
        }
    }
}

fn act_on(context: &Context, id: u32, act: JobAct, json: bool) -> Result<u8> {
    let client = context.client()?;
    let waits = match act {
        JobAct::Resume | JobAct::Retry => JobState::ask(&client, id)?.waits,
        _ => None,
    };
    let text = match consent::resume(&client, waits.as_deref(), request::JobAct { id, act })? {
        Some(job) if json => out::json_text(&value(&job)),
        Some(job) => format!("{}\n", line(&job)),
        None if json => out::json_text(&json!({"id": id, "removed": true})),
        None => format!("job {id} is forgotten\n"),
    };
    print(&text).map(|()| 0)
}

fn list(client: &Client, json: bool) -> Result<u8> {
    let jobs = client.ask(request::Jobs)?;
    let each = |job: &JobState| {
        if json {
            out::json(&value(job))
        } else {
            clean::line(&line(job)).into_owned()
        }
    };
    let mut text: String = jobs.iter().map(|job| each(job) + "\n").collect();
    if text.is_empty() && !json {
        text = "no jobs; `benchtop generate` or `benchtop eval` begins one\n".into();
    }
    print(&text).map(|()| 0)
}

fn failures(client: &Client, id: u32, json: bool) -> Result<u8> {
    let mut from = 0;
    loop {
        let list = client.ask(request::JobFailures { id, from })?;
        let each = |f: &JobFailure| {
            if json {
                return out::json(f);
            }
            let JobFailure {
                number,
                picture,
                sample,
                tries,
                reason,
                ..
            } = f;
            let (picture, reason) = (clean::line(picture), clean::line(reason));
            format!("#{number}\t{picture}\tsample {sample}\t{tries} tries\t{reason}")
        };
        print(&list.iter().map(|f| each(f) + "\n").collect::<String>())?;
        from += list.len() as u64;
        if list.len() < FAILURES {
            return Ok(0);
        }
    }
}

/// A job as JSON: the contract of `docs/cli.md`.
pub fn value(job: &JobState) -> Value {
    let mut value = json!(job);
    value["created"] = stamp(job.created).into();
    value
}

/// A job as a line.
fn line(job: &JobState) -> String {
    let place = if job.place > 0 {
        format!("{}.", job.place)
    } else {
        String::new()
    };
    let of = job.of.map_or("?".into(), |of| of.to_string());
    let mut out = format!(
        "{}\t{place}\t{}\t{} of {of}\t{}\t{}",
        job.id,
        job.standing.name(),
        job.done,
        job.name,
        job.generator
    );
    if job.failed > 0 {
        out.push_str(&format!("\t{} failed", job.failed));
    }
    if let Some(reason) = &job.reason {
        out.push_str(&format!("\t{}", reason.replace(['\n', '\t'], " ")));
    }
    out
}

/// How far a job is, in one line of at most `width` columns.
fn progress(job: &JobState, width: usize) -> String {
    let mut parts = vec![format!("job {} {}", job.id, job.standing.name())];
    if job.standing == JobStatus::Queued && job.place > 1 {
        parts.push(format!("{} before it", job.place - 1));
    }
    // Why it waits goes before how far it is: the line may be cut.
    parts.extend(
        job.reason
            .as_ref()
            .filter(|_| job.standing.live())
            .map(|why| why.replace(['\n', '\t'], " ")),
    );
    match job.of {
        Some(of) if of > 0 => {
            parts.push(format!("{} of {of}", job.done));
            parts.push(format!("{:.0} %", 100.0 * job.done as f64 / of as f64));
        }
        _ => parts.push(job.done.to_string()),
    }
    if job.failed > 0 {
        parts.push(format!("{} failed", job.failed));
    }
    if job.rate > 0.0 {
        parts.push(format!("{:.1} a minute", job.rate));
    }
    parts.extend(job.left_s.map(left));
    if let Some(run) = &job.run {
        parts.push(format!("{} + {} tokens", run.tokens.0, run.tokens.1));
    }
    if let Some(step) = job.step {
        parts.push(format!(
            "step {} of {} x {}",
            step.done, step.of, step.batch
        ));
    }
    parts.join("  ").chars().take(width).collect()
}

impl Followed for JobState {
    fn id(&self) -> u32 {
        self.id
    }

    fn heard(event: Event) -> Option<JobState> {
        match event {
            Event::Job(job) => Some(*job),
            _ => None,
        }
    }

    fn ask(client: &Client, id: u32) -> Result<JobState> {
        let jobs = client.ask(request::Jobs)?;
        let none = || {
            Error::new(ErrorKind::NotFound, format!("there is no job {id}"))
                .help("`benchtop jobs` lists them")
        };
        jobs.into_iter().find(|job| job.id == id).ok_or_else(none)
    }

    fn rests(&self) -> bool {
        self.standing.over() || self.standing == JobStatus::Paused
    }

    fn is_well(&self) -> bool {
        self.standing == JobStatus::Done && self.failed == 0
    }

    fn value(&self) -> Value {
        value(self)
    }

    fn progress(&self, width: usize) -> String {
        progress(self, width)
    }

    fn outcome(&self) -> String {
        outcome(self)
    }

    fn goes_on(id: u32) -> String {
        format!("job {id} goes on without you: benchtop jobs watch {id}, pause {id} or cancel {id}")
    }
}

fn outcome(job: &JobState) -> String {
    let JobState {
        id,
        done,
        failed,
        standing,
        ..
    } = job;
    let what = if job.run.is_some() {
        "answers"
    } else {
        "pictures made"
    };
    let mut out = format!("job {id} is {}: {done} {what}", standing.name());
    if let Some(run) = &job.run {
        out.push_str(&of_run(run));
    }
    if *failed > 0 {
        out.push_str(&format!(
            ", {failed} set aside (benchtop jobs failures {id}, then retry {id})"
        ));
    }
    out.push('\n');
    if let Some(reason) = &job.reason {
        out.push_str(&format!("note: {reason}\n"));
    }
    out
}

/// What is told of the answers of an evaluation.
pub fn of_run(run: &RunState) -> String {
    let mut parts: Vec<String> = [
        (run.truncated, "cut off"),
        (run.refused, "refused"),
        (run.empty, "empty"),
    ]
    .into_iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, what)| format!("{n} {what}"))
    .collect();
    let (asked, answered) = run.tokens;
    if asked + answered > 0 {
        let least = if run.untold > 0 { "at least " } else { "" };
        parts.push(format!("{least}{asked} + {answered} tokens"));
    }
    parts.extend(
        run.cost_micros
            .map(|micros| format!("cost {:.4}", micros as f64 / 1e6)),
    );
    if run.predictions > 0 {
        parts.push(format!("on the board as `{}`", run.label));
    }
    if parts.is_empty() {
        String::new()
    } else {
        format!(" ({})", parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::job::Step;

    #[test]
    fn a_line_of_progress_says_what_is_known_and_fits() {
        let mut job = JobState {
            id: 3,
            standing: JobStatus::Running,
            done: 5,
            ..JobState::default()
        };
        assert_eq!(progress(&job, 80), "job 3 running  5");
        job.of = Some(40);
        job.failed = 1;
        job.rate = 2.5;
        job.left_s = Some(816);
        job.step = Some(Step {
            done: 3,
            of: 20,
            batch: 4,
        });
        let whole =
            "job 3 running  5 of 40  12 %  1 failed  2.5 a minute  14 min left  step 3 of 20 x 4";
        assert_eq!(progress(&job, 200), whole);
        assert_eq!(progress(&job, 20), "job 3 running  5 of ");
        job.left_s = Some(90_000);
        assert!(progress(&job, 200).contains("25 h left"));
    }

    #[test]
    fn a_job_in_json_has_a_date_and_the_names_of_its_settings() {
        let job = JobState {
            id: 3,
            standing: JobStatus::Paused,
            reason: Some("disk".into()),
            ..JobState::default()
        };
        let value = value(&job);
        assert_eq!(value["created"], "1970-01-01T00:00:00.000Z");
        assert_eq!(
            (&value["standing"], &value["reason"]),
            (&json!("paused"), &json!("disk"))
        );
        assert!(outcome(&job).contains("paused") && outcome(&job).contains("note: disk"));
    }
}
