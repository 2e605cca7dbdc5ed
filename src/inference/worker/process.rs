//! The owner's handle of a running worker: sends messages, waits for replies, and ends a worker
//! that hangs.

use std::io::Write;
use std::process::ChildStdin;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use super::frames::{self, Broken};
use super::launch::Launch;
use super::loader;
use super::protocol::{FromWorker, Hello, ToWorker};
use super::supervisor::{BURIAL, GRACE, Heard, Life, live};
use benchtop_model::{Error, Result};

/// Maximum time of one [`Process::wait`].
const TICK: Duration = Duration::from_millis(100);

/// Timeouts of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// From its start to its greeting. Meanwhile it opens and checks the device.
    pub start: Duration,
    /// To load a model. Its files may be read twice, over a network.
    pub load: Duration,
    /// From one step to the next, including decoding.
    pub step: Duration,
    /// Without any message, even after a ping.
    pub silence: Duration,
    /// Wait before a restart. Each further crash doubles it, up to 30 seconds.
    pub pause: Duration,
    /// Number of crashes in a row, without a picture between them, after which it is not restarted
    /// for now.
    pub crashes: u32,
}

impl Timeouts {
    pub const GPU: Timeouts = Timeouts {
        start: Duration::from_secs(180),
        load: Duration::from_secs(1800),
        step: Duration::from_secs(600),
        silence: Duration::from_secs(120),
        pause: Duration::from_millis(500),
        crashes: 5,
    };
    /// On a CPU, a step of a large model takes minutes, and decoding takes longer.
    pub const CPU: Timeouts = Timeouts {
        step: Duration::from_secs(4 * 3600),
        ..Self::GPU
    };
}

/// The result of [`Process::wait`].
#[derive(Debug)]
pub(super) enum Waited {
    Frame(FromWorker),
    /// The worker has ended, with the reason.
    Gone(String),
    Nothing,
}

/// Measures the time without a message and the time without progress.
#[derive(Debug)]
pub(super) struct Clock {
    /// Time of the last message.
    heard: Instant,
    /// Time of the last progress.
    moved: Instant,
    /// True if a ping was sent since the last message.
    pinged: bool,
    /// Maximum time without a message.
    silence: Duration,
    /// Maximum time without progress.
    stall: Duration,
}

impl Clock {
    pub(super) fn new(silence: Duration, stall: Duration) -> Clock {
        let now = Instant::now();
        Clock {
            heard: now,
            moved: now,
            pinged: false,
            silence,
            stall,
        }
    }
}

/// A running worker. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Process {
    to: Option<Sender<Vec<u8>>>,
    from: Receiver<Heard>,
    life: Arc<Life>,
    pub(super) hello: Hello,
    /// Version of the worker program.
    pub(super) version: String,
}

/// Starts a worker, waits for its greeting, and ends it, for `benchtop doctor`. Also returns the
/// version of the program.
pub fn probe(launch: &Launch, timeouts: &Timeouts) -> Result<(Hello, String)> {
    let process = Process::start(launch, timeouts)?;
    Ok((process.hello.clone(), process.version.clone()))
}

impl Process {
    /// Starts a worker and waits for its greeting.
    ///
    /// # Errors
    /// [`Error::unreachable`] with the end of its standard error.
    pub(super) fn start(launch: &Launch, timeouts: &Timeouts) -> Result<Process> {
        let named = launch.program.display().to_string();
        let (tell, from) = mpsc::channel();
        let life = Arc::new(Life::default());
        let (theirs, program) = (life.clone(), launch.clone());
        let wrong = |what: String| Error::unreachable(what).file(&launch.program);
        std::thread::Builder::new()
            .name("worker".into())
            .spawn(move || live(&program, &tell, &theirs))
            .map_err(|e| wrong(format!("cannot start the worker's thread: {e}")))?;
        let (to, frames) = mpsc::channel();
        let mut frames = Some(frames);
        // From here on, dropping `process` ends the worker.
        let empty = Hello {
            place: String::new(),
            about: Err(String::new()),
        };
        let mut process = Process {
            to: Some(to),
            from,
            life,
            hello: empty,
            version: String::new(),
        };
        let deadline = Instant::now() + timeouts.start;
        loop {
            match process
                .from
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(Heard::Started(stdin)) => {
                    let Some(frames) = frames.take() else {
                        continue;
                    };
                    let writing = std::thread::Builder::new().name("to worker".into());
                    writing
                        .spawn(move || write(stdin, &frames))
                        .map_err(|e| wrong(format!("cannot start the worker's thread: {e}")))?;
                }
                Ok(Heard::Hello(greeting, hello)) => {
                    (process.hello, process.version) = (hello, greeting.version);
                    return Ok(process);
                }
                Ok(Heard::Gone(why)) => {
                    return Err(match loader::explain(&why) {
                        Some((what, help)) => wrong(what).help(help),
                        None => wrong(why),
                    });
                }
                Ok(Heard::Frame(_)) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(wrong(format!("{named} ended without a message")));
                }
                Err(RecvTimeoutError::Timeout) => {
                    let words = process.life.last_words();
                    return Err(wrong(format!(
                        "sent nothing for {} s{words}",
                        timeouts.start.as_secs()
                    )));
                }
            }
        }
    }

    /// The process id while the worker runs.
    pub(super) fn pid(&self) -> Option<u32> {
        self.life.pid()
    }

    /// Sends a message. Fails only if the message cannot be encoded; [`wait`](Self::wait) reports a
    /// lost worker.
    pub(super) fn tell(&self, what: &ToWorker) -> std::result::Result<(), Broken> {
        let frame = frames::encode(what)?;
        if let Some(to) = &self.to {
            let _ = to.send(frame);
        }
        Ok(())
    }

    /// Waits up to [`TICK`] for a message, and ends the wait if the worker hangs.
    pub(super) fn wait(&self, clock: &mut Clock) -> Waited {
        match self.from.recv_timeout(TICK) {
            Ok(Heard::Frame(frame)) => {
                let now = Instant::now();
                (clock.heard, clock.pinged) = (now, false);
                if matches!(frame, FromWorker::Pong) {
                    return Waited::Nothing;
                }
                clock.moved = now;
                Waited::Frame(frame)
            }
            Ok(Heard::Gone(why)) => Waited::Gone(why),
            Ok(Heard::Started(_) | Heard::Hello(..)) => Waited::Nothing,
            Err(RecvTimeoutError::Disconnected) => Waited::Gone("ended without a message".into()),
            Err(RecvTimeoutError::Timeout) => {
                let hangs = |what: &str, long: Duration| {
                    let (long, words) = (long.as_secs_f64(), self.life.last_words());
                    Waited::Gone(format!("{what} for {long:.0} s and was killed{words}"))
                };
                if clock.heard.elapsed() > clock.silence {
                    return hangs("did not answer", clock.silence);
                }
                if clock.moved.elapsed() > clock.stall {
                    return hangs("made no progress", clock.stall);
                }
                if clock.heard.elapsed() > clock.silence / 2
                    && !std::mem::replace(&mut clock.pinged, true)
                {
                    // A ping always fits into a frame.
                    let _ = self.tell(&ToWorker::Ping);
                }
                Waited::Nothing
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.to = None;
        self.life.kill();
        let deadline = Instant::now() + BURIAL + GRACE;
        // The thread that reaps the worker closes the channel last.
        while !matches!(
            self.from
                .recv_timeout(deadline.saturating_duration_since(Instant::now())),
            Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout)
        ) {}
    }
}

/// Writes frames until the channel or the pipe closes.
fn write(mut stdin: ChildStdin, frames: &Receiver<Vec<u8>>) {
    while let Ok(frame) = frames.recv() {
        if stdin.write_all(&frame).is_err() {
            return;
        }
    }
}
