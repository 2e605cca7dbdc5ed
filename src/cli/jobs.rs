//! `benchtop jobs`: lists and controls jobs of all kinds.

use clap::Subcommand;
use serde_json::{Value, json};

use super::consent;
use super::follow::{Follow, Followed, follow, left};
use crate::context::Context;
use crate::out;
use crate::out::print;
use benchtop_model::evaluation::RunState;
use benchtop_model::history::stamp;
use benchtop_model::job::budget::{parse_money, spending};
use benchtop_model::job::{BudgetChange, JobAct, JobFailure, JobState, JobStatus};
use benchtop_model::{Error, Result, clean};
use benchtop_protocol::Client;
use benchtop_protocol::wire::{Event, FAILURE_PAGE, request};

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Print JSON lines
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Args)]
pub struct JobNumber {
    /// Number of the job
    pub id: u32,
}

#[derive(Subcommand)]
enum What {
    /// List all jobs, active ones first in the order of their queue
    List,
    /// Watch a job until it ends
    Watch(JobNumber),
    /// Pause a job at the next step; results stay
    Pause(JobNumber),
    /// Resume a paused or failed job
    Resume(JobNumber),
    /// Cancel a job; results stay
    Cancel(JobNumber),
    /// Retry the failures of a job
    Retry(JobNumber),
    /// List the failures of a job
    Failures(JobNumber),
    /// Move a job to the front of the queue
    First(JobNumber),
    /// Change the limits of a job; 0 removes a limit
    Set {
        /// Number of the job
        id: u32,
        /// Pictures per batch; for an evaluation, requests in flight per server
        #[arg(long, value_name = "N", required_unless_present = "per_minute")]
        batch: Option<u32>,
        /// Maximum number of pictures per minute
        #[arg(long, value_name = "N")]
        per_minute: Option<u32>,
    },
    /// Show or change what a job may send to servers; 0 removes a limit
    ///
    /// A job whose budget is spent is paused. Raise the budget, then resume the job.
    Budget {
        /// Number of the job
        id: u32,
        /// Maximum number of requests, repeated ones included
        #[arg(long, alias = "requests", value_name = "N")]
        max_requests: Option<u64>,
        /// Maximum number of tokens, prompts and answers together
        #[arg(long, alias = "tokens", value_name = "N")]
        max_total_tokens: Option<u64>,
        /// Maximum cost of the tokens
        #[arg(long, alias = "cost", value_name = "PRICE", value_parser = parse_money)]
        max_cost: Option<u64>,
    },
    /// Remove a finished job from the list
    Remove(JobNumber),
}

pub fn run(context: &Context, args: &Args) -> Result<u8> {
    let act = |id: &u32, act: JobAct| act_on(context, *id, act, args.json);
    match args.what.as_ref().unwrap_or(&What::List) {
        What::List => list(&context.client()?, args.json),
        What::Watch(JobNumber { id }) => {
            let mut follower = Follow::connect(context)?;
            let job = JobState::ask(follower.client(), *id)?;
            follow(&mut follower, job, false, args.json)
        }
        What::Pause(JobNumber { id }) => act(id, JobAct::Pause),
        What::Resume(JobNumber { id }) => act(id, JobAct::Resume),
        What::Cancel(JobNumber { id }) => act(id, JobAct::Cancel),
        What::Retry(JobNumber { id }) => act(id, JobAct::Retry),
        What::First(JobNumber { id }) => act(id, JobAct::Place(1)),
        What::Remove(JobNumber { id }) => act(id, JobAct::Remove),
        What::Failures(JobNumber { id }) => failures(&context.client()?, *id, args.json),
        What::Set {
            id,
            batch,
            per_minute,
        } => {
            let limit = |n: u32| (n > 0).then_some(n);
            let mut code = 0;
            for change in [
                batch.map(|n| JobAct::Batch(limit(n))),
                per_minute.map(|n| JobAct::PerMinute(limit(n))),
            ] {
                code = change.map_or(Ok(code), |change| act(id, change))?;
            }
            Ok(code)
        }
        What::Budget {
            id,
            max_requests,
            max_total_tokens,
            max_cost,
        } => {
            let limit = |n: &Option<u64>| n.map(|n| (n > 0).then_some(n));
            let change = BudgetChange {
                requests: limit(max_requests),
                tokens: limit(max_total_tokens),
                cost_micros: limit(max_cost),
            };
            change_budget(&context.client()?, *id, change, args.json)
        }
    }
}

/// Changes the budget of a job, unless nothing is to change, and shows it.
fn change_budget(client: &Client, id: u32, change: BudgetChange, json: bool) -> Result<u8> {
    let act = JobAct::Budget(change);
    let job = match change == BudgetChange::default() {
        true => JobState::ask(client, id)?,
        false => client
            .ask(request::JobAct { id, act })?
            .ok_or_else(|| Error::not_found(format!("no job {id}")))?,
    };
    out::report(json, &value(&job), || {
        let spent = match &job.usage {
            Some(usage) => spending(&job.budget, usage, true).join(", "),
            None => "sends no requests to servers".into(),
        };
        format!("job {id} {}: {spent}\n", job.standing.name())
    })
}

fn act_on(context: &Context, id: u32, act: JobAct, json: bool) -> Result<u8> {
    let client = context.client()?;
    let waits = match act {
        JobAct::Resume | JobAct::Retry => JobState::ask(&client, id)?.waits,
        _ => None,
    };
    match consent::resume(&client, waits.as_deref(), request::JobAct { id, act })? {
        Some(job) => out::report(json, &value(&job), || format!("{}\n", line(&job))),
        None => out::report(json, &json!({"id": id, "removed": true}), || {
            format!("removed job {id}\n")
        }),
    }
}

fn list(client: &Client, json: bool) -> Result<u8> {
    let jobs = client.ask(request::Jobs)?;
    let line = |job| format!("{}\n", clean::line(&line(job)));
    let each = |job| out::either(json, &value(job), || line(job));
    let mut text: String = jobs.iter().map(each).collect();
    if text.is_empty() && !json {
        text = "no jobs; start one with `benchtop generate`, `benchtop eval`, or `benchtop filter run`\n".into();
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
            let tries = out::count(*tries, "try");
            format!("#{number}\t{picture}\tsample {sample}\t{tries}\t{reason}")
        };
        print(&list.iter().map(|f| each(f) + "\n").collect::<String>())?;
        from += list.len() as u64;
        if list.len() < FAILURE_PAGE {
            return Ok(0);
        }
    }
}

/// A job as JSON. `docs/cli.md` documents the fields; they are a contract.
pub fn value(job: &JobState) -> Value {
    let mut value = json!(job);
    value["created"] = stamp(job.created).into();
    value
}

/// A job as a tab-separated line.
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
    out.extend(spent(job).iter().map(|part| format!("\t{part}")));
    if let Some(reason) = &job.reason {
        out.push_str(&format!("\t{}", reason.replace(['\n', '\t'], " ")));
    }
    out
}

/// What was spent of the limits of a job.
fn spent(job: &JobState) -> Vec<String> {
    let usage = job.usage.unwrap_or_default();
    spending(&job.budget, &usage, false)
}

/// The progress of a job as one line of at most `width` columns.
fn progress(job: &JobState, width: usize) -> String {
    let mut parts = vec![format!("job {} {}", job.id, job.standing.name())];
    if job.standing == JobStatus::Queued && job.place > 1 {
        parts.push(format!("{} ahead in the queue", job.place - 1));
    }
    // The reason comes before the progress, because the line may be cut.
    parts.extend(
        job.reason
            .as_ref()
            .filter(|_| job.standing.is_active())
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
        parts.push(format!("{:.1} per minute", job.rate));
    }
    parts.extend(job.left_s.map(left));
    if let Some(run) = &job.run {
        parts.push(format!("{} + {} tokens", run.tokens.0, run.tokens.1));
    }
    parts.extend(spent(job));
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

    fn from_event(event: Event) -> Option<JobState> {
        match event {
            Event::Job(job) => Some(*job),
            _ => None,
        }
    }

    fn ask(client: &Client, id: u32) -> Result<JobState> {
        let jobs = client.ask(request::Jobs)?;
        let none = || {
            Error::not_found(format!("no job {id}")).help("run `benchtop jobs` to list the jobs")
        };
        jobs.into_iter().find(|job| job.id == id).ok_or_else(none)
    }

    fn is_settled(&self) -> bool {
        // The answers of an evaluation become predictions shortly after its end, and the next
        // command of a script counts on them. A reason says why they do not.
        let run = self.run.as_ref();
        let has_published = run.is_none_or(|run| run.predictions >= self.done);
        let is_over = self.standing.is_finished() && (has_published || self.reason.is_some());
        is_over || self.standing == JobStatus::Paused
    }

    fn succeeded(&self) -> bool {
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

    fn detach_hint(id: u32) -> String {
        format!(
            "Job {id} continues in the background. Run `benchtop jobs watch {id}`, `pause {id}`, or `cancel {id}`."
        )
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
    let done = out::count(*done, &job.unit);
    let mut text = format!("job {id} {}: {done}", standing.name());
    if let Some(run) = &job.run {
        text.push_str(&run_details(run));
    }
    if *failed > 0 {
        text.push_str(&format!(
            ", {failed} failed (see `benchtop jobs failures {id}`; retry with `benchtop jobs retry {id}`)"
        ));
    }
    text.push('\n');
    if let Some(reason) = &job.reason {
        text.push_str(&format!("note: {reason}\n"));
    }
    text
}

/// The counts of an evaluation, in parentheses.
pub fn run_details(run: &RunState) -> String {
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
    fn an_evaluation_is_over_when_its_answers_are_predictions() {
        let run = |predictions| {
            Some(Box::new(benchtop_model::evaluation::RunState {
                predictions,
                ..Default::default()
            }))
        };
        let mut job = JobState {
            standing: JobStatus::Done,
            done: 24,
            run: run(0),
            ..JobState::default()
        };
        assert!(!job.is_settled());
        job.reason = Some("the disk is full".into());
        assert!(job.is_settled());
        (job.reason, job.run) = (None, run(24));
        assert!(job.is_settled());
        job.run = None;
        assert!(job.is_settled());
    }

    #[test]
    fn progress_shows_known_fields_and_fits_the_width() {
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
            "job 3 running  5 of 40  12 %  1 failed  2.5 per minute  14 min left  step 3 of 20 x 4";
        assert_eq!(progress(&job, 200), whole);
        assert_eq!(progress(&job, 20), "job 3 running  5 of ");
        job.left_s = Some(90_000);
        assert!(progress(&job, 200).contains("25 h left"));
    }

    #[test]
    fn json_has_the_date_and_names() {
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
