//! Follows a job of the owner until it ends.

use std::io::IsTerminal;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

use super::out;
use crate::context::Context;
use crate::out::print;
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_protocol::wire::{Event, request};
use benchtop_protocol::{Client, Incoming};
use benchtop_tui::terminal::probe::WindowSize;

/// The state of a job that can be followed.
pub trait Followed: Sized {
    fn id(&self) -> u32;

    /// The new state that an event reports. `None` for events about anything else.
    fn from_event(event: Event) -> Option<Self>;

    /// Asks the owner for the current state of job `id`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if there is no such job.
    fn ask(client: &Client, id: u32) -> Result<Self>;

    /// True if the job does not continue by itself: it has ended, or is paused or blocked.
    fn is_settled(&self) -> bool;

    /// True if the job completed without failures.
    fn succeeded(&self) -> bool;

    fn value(&self) -> Value;

    /// The progress as one line of at most `width` columns.
    fn progress(&self, width: usize) -> String;

    /// The outcome as text, with a final newline.
    fn outcome(&self) -> String;

    /// The hint to print when the user stops watching job `id`.
    fn detach_hint(id: u32) -> String;
}

/// The remaining time as text.
pub fn left(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s left"),
        120..7200 => format!("{} min left", seconds.div_ceil(60)),
        _ => format!("{} h left", seconds.div_ceil(3600)),
    }
}

/// Options of a command that starts a job and follows it.
#[derive(clap::Args)]
pub struct FollowOptions {
    /// Start the job in the background
    #[arg(long, conflicts_with = "dry_run")]
    pub detach: bool,
    /// Print progress as JSON lines
    #[arg(long, conflicts_with_all = ["detach", "dry_run"])]
    pub json_progress: bool,
    /// Show what the job would do, without starting it
    #[arg(long)]
    pub dry_run: bool,
    /// Print the outcome as one JSON object
    #[arg(long, conflicts_with = "json_progress")]
    pub json: bool,
}

enum Signal {
    Event(Event),
    Lost,
    Interrupted,
}

/// A client that receives the events of jobs and reconnects if the owner dies.
pub struct Follow<'c> {
    context: &'c Context,
    client: Client,
    sender: mpsc::Sender<Signal>,
    signals: mpsc::Receiver<Signal>,
}

impl<'c> Follow<'c> {
    /// Connects to the owner and subscribes to its events.
    pub fn connect(context: &'c Context) -> Result<Follow<'c>> {
        let (sender, signals) = mpsc::channel();
        let client = Follow::dial(context, &sender)?;
        Ok(Follow {
            context,
            client,
            sender,
            signals,
        })
    }

    fn dial(context: &Context, sender: &mpsc::Sender<Signal>) -> Result<Client> {
        let sender = sender.clone();
        let hear = move |incoming| {
            let _ = match incoming {
                Incoming::Event(event) => sender.send(Signal::Event(event)),
                Incoming::Lost => sender.send(Signal::Lost),
                Incoming::Answer(..) | Incoming::Progress(..) => Ok(()),
            };
        };
        let client = Client::connect(&context.project()?, &context.who()?, hear)?;
        client.ask(request::Subscribe {
            since: client.welcome().rev,
        })?;
        Ok(client)
    }

    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Waits for the next state of a job. `None` if the user interrupts.
    fn next<J: Followed>(&mut self, id: u32) -> Result<Option<J>> {
        loop {
            match self.signals.recv_timeout(Duration::from_secs(600)) {
                Ok(Signal::Event(Event::Resync)) | Err(mpsc::RecvTimeoutError::Timeout) => {
                    return J::ask(&self.client, id).map(Some);
                }
                Ok(Signal::Event(event)) => {
                    if let Some(job) = J::from_event(event).filter(|job| job.id() == id) {
                        return Ok(Some(job));
                    }
                }
                Ok(Signal::Lost) => {
                    // The next owner continues the job.
                    self.client = Follow::dial(self.context, &self.sender)?;
                    return J::ask(&self.client, id).map(Some);
                }
                Ok(Signal::Interrupted) => return Ok(None),
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(Error::new(
                        ErrorKind::Unreachable,
                        "lost the connection to the owner",
                    ));
                }
            }
        }
    }
}

/// Reports a started job, as JSON or text, and follows it. Without a job (a dry run, or `--detach`)
/// only the report is printed.
///
/// # Errors
/// As [`follow`].
pub fn begun<J: Followed>(
    follower: &mut Follow<'_>,
    job: Option<J>,
    (value, text): (&Value, &str),
    (json, lines): (bool, bool),
) -> Result<u8> {
    let Some(job) = job else {
        return out::report(json, value, || text.to_string());
    };
    if lines {
        print(&out::json_text(value))?;
    } else if !json {
        out::tell_text(text);
    }
    follow(follower, job, json, lines)
}

/// Follows a job until it ends or pauses. Prints progress as JSON lines, or on one line of the
/// terminal. The exit code is 1 unless the job succeeded.
///
/// # Errors
/// When the connection to the owner is lost and no owner can be reached.
pub fn follow<J: Followed>(
    follower: &mut Follow<'_>,
    mut job: J,
    json: bool,
    lines: bool,
) -> Result<u8> {
    let interrupted = follower.sender.clone();
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT]) {
        let _ = std::thread::Builder::new()
            .name("interrupt".into())
            .spawn(move || {
                signals
                    .forever()
                    .for_each(|_| drop(interrupted.send(Signal::Interrupted)));
            });
    }
    let show = !json && !lines && std::io::stderr().is_terminal();
    let id = job.id();
    // The job may have changed before the subscription.
    job = J::ask(&follower.client, id).unwrap_or(job);
    if !show && !json && !lines && !job.is_settled() {
        out::tell(job.progress(79));
    }
    loop {
        if lines {
            print(&out::json_text(
                &json!({"event": "job", "job": job.value()}),
            ))?;
        }
        if show {
            let width = WindowSize::of(std::io::stderr())
                .map_or(79, |size| usize::from(size.cells.0).max(20) - 1);
            out::progress(&job.progress(width));
        }
        if job.is_settled() {
            break;
        }
        let Some(next) = follower.next(id)? else {
            if show {
                out::tell("");
            }
            out::tell(J::detach_hint(id));
            return Ok(0);
        };
        job = next;
    }
    if show {
        out::progress("");
    }
    if json {
        print(&out::json_text(&job.value()))?;
    } else if !lines {
        print(&job.outcome())?;
    }
    Ok(u8::from(!job.succeeded()))
}
