//! `benchtop jobs`: what makes pictures now, and what is done to it.

use std::io::{IsTerminal, Write};
use std::sync::mpsc;
use std::time::Duration;

use clap::Subcommand;
use serde_json::{Value, json};

use super::{Context, print};
use crate::model::job::{JobAct, JobFailure, JobState, Standing};
use crate::model::{Kind, Problem, Result};
use crate::owner::wire::{Answer, Ask, Event, FAILURES};
use crate::owner::{Client, Incoming};
use crate::store::journal::stamp;
use crate::tui::terminal::probe::WindowSize;

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
        /// Pictures made together
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

fn other() -> Problem {
    Problem::new(Kind::Unreachable, "the owner gave another answer than was asked for")
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
            let job = follower.job(*id)?;
            follow(&mut follower, job, false, args.json)
        }
        What::Pause { id } => act(id, JobAct::Pause),
        What::Resume { id } => act(id, JobAct::Resume),
        What::Cancel { id } => act(id, JobAct::Cancel),
        What::Retry { id } => act(id, JobAct::Retry),
        What::First { id } => act(id, JobAct::Place(1)),
        What::Remove { id } => act(id, JobAct::Remove),
        What::Failures { id } => failures(&context.client()?, *id, args.json),
        What::Set { id, batch, per_minute } => {
            let limit = |n: u32| (n > 0).then_some(n);
            let mut code = 0;
            for wish in [batch.map(|n| JobAct::Batch(limit(n))), per_minute.map(|n| JobAct::PerMinute(limit(n)))] {
                code = wish.map_or(Ok(code), |wish| act(id, wish))?;
            }
            Ok(code)
        }
    }
}

fn act_on(context: &Context, id: u32, act: JobAct, json: bool) -> Result<u8> {
    let text = match context.client()?.ask(Ask::JobAct { id, act })? {
        Answer::Job(job) if json => format!("{}\n", value(&job)),
        Answer::Job(job) => format!("{}\n", line(&job)),
        Answer::Done if json => format!("{}\n", json!({"id": id, "removed": true})),
        Answer::Done => format!("job {id} is forgotten\n"),
        _ => return Err(other()),
    };
    print(&text).map(|()| 0)
}

fn list(client: &Client, json: bool) -> Result<u8> {
    let Answer::Jobs(jobs) = client.ask(Ask::Jobs)? else { return Err(other()) };
    let each = |job: &JobState| if json { value(job).to_string() } else { line(job) };
    let mut text: String = jobs.iter().map(|job| each(job) + "\n").collect();
    if text.is_empty() && !json {
        text = "no jobs; `benchtop generate` begins one\n".into();
    }
    print(&text).map(|()| 0)
}

fn failures(client: &Client, id: u32, json: bool) -> Result<u8> {
    let mut from = 0;
    loop {
        let Answer::JobFailures(list) = client.ask(Ask::JobFailures { id, from })? else { return Err(other()) };
        let each = |f: &JobFailure| {
            if json {
                return json!(f).to_string();
            }
            let JobFailure { number, picture, sample, tries, reason, .. } = f;
            format!("#{number}\t{picture}\tsample {sample}\t{tries} tries\t{}", reason.replace(['\n', '\t'], " "))
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
    let place = if job.place > 0 { format!("{}.", job.place) } else { String::new() };
    let of = job.of.map_or("?".into(), |of| of.to_string());
    let mut out =
        format!("{}\t{place}\t{}\t{} of {of}\t{}\t{}", job.id, job.standing.name(), job.done, job.name, job.generator);
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
    if let Some(left) = job.left_s {
        parts.push(match left {
            0..120 => format!("{left} s left"),
            120..7200 => format!("{} min left", left.div_ceil(60)),
            _ => format!("{} h left", left.div_ceil(3600)),
        });
    }
    if let Some(step) = job.step {
        parts.push(format!("step {} of {} x {}", step.done, step.of, step.batch));
    }
    parts.join("  ").chars().take(width).collect()
}

/// What whoever follows a job hears.
enum Heard {
    Event(Event),
    Lost,
    Interrupted,
}

/// A client that hears what becomes of jobs, and finds the owner again when it is gone.
pub struct Follow<'c> {
    context: &'c Context,
    client: Client,
    sender: mpsc::Sender<Heard>,
    heard: mpsc::Receiver<Heard>,
}

impl<'c> Follow<'c> {
    /// Connects and subscribes.
    ///
    /// # Errors
    /// As [`Context::client`].
    pub fn connect(context: &'c Context) -> Result<Follow<'c>> {
        let (sender, heard) = mpsc::channel();
        let client = Follow::dial(context, &sender)?;
        Ok(Follow { context, client, sender, heard })
    }

    fn dial(context: &Context, sender: &mpsc::Sender<Heard>) -> Result<Client> {
        let sender = sender.clone();
        let hear = move |incoming| {
            let _ = match incoming {
                Incoming::Event(event) => sender.send(Heard::Event(event)),
                Incoming::Lost => sender.send(Heard::Lost),
                Incoming::Answer(..) | Incoming::Progress(..) => Ok(()),
            };
        };
        let client = Client::connect(&context.project()?, &context.who()?, hear)?;
        client.ask(Ask::Subscribe { since: client.welcome().rev })?;
        Ok(client)
    }

    /// The connection.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// How a job is now.
    ///
    /// # Errors
    /// [`Kind::NotFound`].
    pub fn job(&self, id: u32) -> Result<JobState> {
        let Answer::Jobs(jobs) = self.client.ask(Ask::Jobs)? else { return Err(other()) };
        let none = || Problem::new(Kind::NotFound, format!("there is no job {id}")).help("`benchtop jobs` lists them");
        jobs.into_iter().find(|job| job.id == id).ok_or_else(none)
    }

    /// The next that is heard of a job; none when its user has had enough.
    fn next(&mut self, id: u32) -> Result<Option<JobState>> {
        loop {
            match self.heard.recv_timeout(Duration::from_secs(600)) {
                Ok(Heard::Event(Event::Job(job))) if job.id == id => return Ok(Some(*job)),
                Ok(Heard::Event(Event::Resync)) | Err(mpsc::RecvTimeoutError::Timeout) => {
                    return self.job(id).map(Some);
                }
                Ok(Heard::Event(_)) => {}
                Ok(Heard::Lost) => {
                    // The next owner goes on with it.
                    self.client = Follow::dial(self.context, &self.sender)?;
                    return self.job(id).map(Some);
                }
                Ok(Heard::Interrupted) => return Ok(None),
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(other()),
            }
        }
    }
}

/// Waits for a job, telling how far it is: as JSON lines, or on one line where a person is looking. A job that is paused
/// is left alone. The exit code is 1 unless everything was made.
///
/// # Errors
/// When the owner cannot be reached any more.
pub fn follow(follower: &mut Follow<'_>, mut job: JobState, json: bool, lines: bool) -> Result<u8> {
    let interrupted = follower.sender.clone();
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT]) {
        let _ = std::thread::Builder::new().name("interrupt".into()).spawn(move || {
            signals.forever().for_each(|_| drop(interrupted.send(Heard::Interrupted)));
        });
    }
    let show = !json && !lines && std::io::stderr().is_terminal();
    let id = job.id;
    // It may have changed before anybody listened.
    job = follower.job(id).unwrap_or(job);
    loop {
        if lines {
            print(&format!("{}\n", json!({"event": "job", "job": value(&job)})))?;
        }
        if show {
            let width = WindowSize::of(std::io::stderr()).map_or(79, |size| usize::from(size.cells.0).max(20) - 1);
            eprint!("\r\x1b[K{}", progress(&job, width));
            let _ = std::io::stderr().flush();
        }
        if job.standing.over() || job.standing == Standing::Paused {
            break;
        }
        let Some(next) = follower.next(id)? else {
            if show {
                eprintln!();
            }
            eprintln!("job {id} goes on without you: benchtop jobs watch {id}, pause {id} or cancel {id}");
            return Ok(0);
        };
        job = next;
    }
    if show {
        eprint!("\r\x1b[K");
    }
    if json {
        print(&format!("{}\n", value(&job)))?;
    } else if !lines {
        print(&outcome(&job))?;
    }
    Ok(u8::from(job.standing != Standing::Done || job.failed > 0))
}

fn outcome(job: &JobState) -> String {
    let JobState { id, done, failed, standing, .. } = job;
    let mut out = format!("job {id} is {}: {done} pictures made", standing.name());
    if *failed > 0 {
        out.push_str(&format!(", {failed} set aside (benchtop jobs failures {id}, then retry {id})"));
    }
    out.push('\n');
    if let Some(reason) = &job.reason {
        out.push_str(&format!("note: {reason}\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::job::Step;

    #[test]
    fn a_line_of_progress_says_what_is_known_and_fits() {
        let mut job = JobState { id: 3, standing: Standing::Running, done: 5, ..JobState::default() };
        assert_eq!(progress(&job, 80), "job 3 running  5");
        job.of = Some(40);
        job.failed = 1;
        job.rate = 2.5;
        job.left_s = Some(816);
        job.step = Some(Step { done: 3, of: 20, batch: 4 });
        let whole = "job 3 running  5 of 40  12 %  1 failed  2.5 a minute  14 min left  step 3 of 20 x 4";
        assert_eq!(progress(&job, 200), whole);
        assert_eq!(progress(&job, 20), "job 3 running  5 of ");
        job.left_s = Some(90_000);
        assert!(progress(&job, 200).contains("25 h left"));
    }

    #[test]
    fn a_job_in_json_has_a_date_and_the_names_of_its_settings() {
        let job = JobState { id: 3, standing: Standing::Paused, reason: Some("disk".into()), ..JobState::default() };
        let value = value(&job);
        assert_eq!(value["created"], "1970-01-01T00:00:00.000Z");
        assert_eq!((&value["standing"], &value["reason"]), (&json!("paused"), &json!("disk")));
        assert!(outcome(&job).contains("paused") && outcome(&job).contains("note: disk"));
    }
}
