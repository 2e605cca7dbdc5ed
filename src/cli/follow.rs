//! Following a job that the owner works on until it is over.

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

/// A kind of job that can be followed: how it is at one moment.
pub trait Followed: Sized {
    /// Its number.
    fn id(&self) -> u32;

    /// The job that an event is about, where it is about such a job.
    fn heard(event: Event) -> Option<Self>;

    /// How job `id` is now.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`].
    fn ask(client: &Client, id: u32) -> Result<Self>;

    /// Whether nothing comes of it any more unless somebody does something.
    fn rests(&self) -> bool;

    /// Whether it is done, and all of it.
    fn is_well(&self) -> bool;

    /// As JSON.
    fn value(&self) -> Value;

    /// How far it is, in one line of at most `width` columns.
    fn progress(&self, width: usize) -> String;

    /// What came of it, in lines.
    fn outcome(&self) -> String;

    /// What whoever stops watching job `id` can do with it.
    fn goes_on(id: u32) -> String;
}

/// How long something still takes.
pub fn left(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s left"),
        120..7200 => format!("{} min left", seconds.div_ceil(60)),
        _ => format!("{} h left", seconds.div_ceil(3600)),
    }
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
        Ok(Follow {
            context,
            client,
            sender,
            heard,
        })
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
        client.ask(request::Subscribe {
            since: client.welcome().rev,
        })?;
        Ok(client)
    }

    /// The connection.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The next that is heard of a job; none when its user has had enough.
    fn next<J: Followed>(&mut self, id: u32) -> Result<Option<J>> {
        loop {
            match self.heard.recv_timeout(Duration::from_secs(600)) {
                Ok(Heard::Event(Event::Resync)) | Err(mpsc::RecvTimeoutError::Timeout) => {
                    return J::ask(&self.client, id).map(Some);
                }
                Ok(Heard::Event(event)) => {
                    if let Some(job) = J::heard(event).filter(|job| job.id() == id) {
                        return Ok(Some(job));
                    }
                }
                Ok(Heard::Lost) => {
                    // The next owner goes on with it.
                    self.client = Follow::dial(self.context, &self.sender)?;
                    return J::ask(&self.client, id).map(Some);
                }
                Ok(Heard::Interrupted) => return Ok(None),
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(Error::new(
                        ErrorKind::Unreachable,
                        "the owner cannot be heard any more",
                    ));
                }
            }
        }
    }
}

/// Says what was begun, as JSON or in words, and follows the job; there is none where it was only asked what it would be, or is left to
/// the owner.
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
        let said = if json {
            out::json_text(&value)
        } else {
            text.to_string()
        };
        return print(&said).map(|()| 0);
    };
    if lines {
        print(&out::json_text(&value))?;
    } else if !json {
        out::tell_text(text);
    }
    follow(follower, job, json, lines)
}

/// Waits for a job, telling how far it is: as JSON lines, or on one line where a person is looking. A job that is paused
/// is left alone. The exit code is 1 unless all of it was done.
///
/// # Errors
/// When the owner cannot be reached any more.
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
                    .for_each(|_| drop(interrupted.send(Heard::Interrupted)));
            });
    }
    let show = !json && !lines && std::io::stderr().is_terminal();
    let id = job.id();
    // It may have changed before anybody listened.
    job = J::ask(&follower.client, id).unwrap_or(job);
    if !show && !json && !lines && !job.rests() {
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
        if job.rests() {
            break;
        }
        let Some(next) = follower.next(id)? else {
            if show {
                out::tell("");
            }
            out::tell(J::goes_on(id));
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
    Ok(u8::from(!job.is_well()))
}
