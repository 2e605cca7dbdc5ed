//! A running worker as its owner holds it: told, waited for, and ended where it hangs.

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
use benchtop_model::{Error, ErrorKind, Result};

/// How often somebody who waits is asked whether to go on.
const TICK: Duration = Duration::from_millis(100);

/// How long an owner waits for its worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// From its start to its first words: the device is opened and checked meanwhile.
    pub start: Duration,
    /// To load a model, whose files may have to be read twice over a network.
    pub load: Duration,
    /// From one step to the next, decoding included.
    pub step: Duration,
    /// Without any word, though it was asked for one: its process hangs.
    pub silence: Duration,
    /// Pause before it is started again; each further fall doubles it, up to 30 seconds.
    pub pause: Duration,
    /// Falls in a row, without a picture between them, after which it is not started again for now.
    pub falls: u32,
}

impl Timeouts {
    /// For a GPU.
    pub const GPU: Timeouts = Timeouts {
        start: Duration::from_secs(180),
        load: Duration::from_secs(1800),
        step: Duration::from_secs(600),
        silence: Duration::from_secs(120),
        pause: Duration::from_millis(500),
        falls: 5,
    };
    /// For a CPU, where a step of a large model takes minutes and its decoding longer.
    pub const CPU: Timeouts = Timeouts {
        step: Duration::from_secs(4 * 3600),
        ..Self::GPU
    };
}

/// What was waited for.
#[derive(Debug)]
pub(super) enum Waited {
    /// It said something.
    Frame(FromWorker),
    /// It is over, and why.
    Gone(String),
    /// Nothing yet.
    Nothing,
}

/// Since when nothing was heard, and nothing came forward.
#[derive(Debug)]
pub(super) struct Clock {
    heard: Instant,
    moved: Instant,
    asked: bool,
    silence: Duration,
    most: Duration,
}

impl Clock {
    /// From now on, with at most this long without `silence` being broken and without progress.
    pub(super) fn new(silence: Duration, most: Duration) -> Clock {
        let now = Instant::now();
        Clock {
            heard: now,
            moved: now,
            asked: false,
            silence,
            most,
        }
    }
}

/// A running worker. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Process {
    to: Option<Sender<Vec<u8>>>,
    from: Receiver<Heard>,
    life: Arc<Life>,
    /// Its first words.
    pub(super) hello: Hello,
    /// Version of its program.
    pub(super) version: String,
}

/// Starts a worker, hears its first words and ends it: for `doctor`. Gives the version of its program too.
///
/// # Errors
/// Why it could not be started.
pub fn probe(launch: &Launch, patience: &Timeouts) -> Result<(Hello, String)> {
    let process = Process::start(launch, patience)?;
    Ok((process.hello.clone(), process.version.clone()))
}

impl Process {
    /// Starts it and waits for its first words.
    ///
    /// # Errors
    /// [`ErrorKind::Unreachable`] with its last words; another protocol than this program's, by name.
    pub(super) fn start(launch: &Launch, patience: &Timeouts) -> Result<Process> {
        let named = launch.program().display().to_string();
        let (tell, from) = mpsc::channel();
        let life = Arc::new(Life::default());
        let (theirs, program) = (life.clone(), launch.clone());
        let wrong = |what: String| Error::new(ErrorKind::Unreachable, what).file(launch.program());
        std::thread::Builder::new()
            .name("worker".into())
            .spawn(move || live(&program, &tell, &theirs))
            .map_err(|e| wrong(format!("cannot be watched: {e}")))?;
        let (to, frames) = mpsc::channel();
        let mut frames = Some(frames);
        // From here on dropping it ends the worker.
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
        let deadline = Instant::now() + patience.start;
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
                        .map_err(|e| wrong(format!("cannot be told: {e}")))?;
                }
                Ok(Heard::Hello(greeting, hello)) => {
                    (process.hello, process.version) = (hello, greeting.version);
                    return Ok(process);
                }
                Ok(Heard::Gone(why)) => {
                    return Err(match loader::meant(&why) {
                        Some((what, help)) => wrong(what).help(help),
                        None => wrong(why),
                    });
                }
                Ok(Heard::Frame(_)) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(wrong(format!("{named} ended without a word")));
                }
                Err(RecvTimeoutError::Timeout) => {
                    let words = process.life.last_words();
                    return Err(wrong(format!(
                        "said nothing for {} s{words}",
                        patience.start.as_secs()
                    )));
                }
            }
        }
    }

    /// Its process id, while it lives.
    pub(super) fn pid(&self) -> Option<u32> {
        self.life.pid()
    }

    /// Tells it something; what cannot be sent is an error, what does not arrive is found by waiting.
    pub(super) fn tell(&self, what: &ToWorker) -> std::result::Result<(), Broken> {
        let frame = frames::encode(what)?;
        if let Some(to) = &self.to {
            let _ = to.send(frame);
        }
        Ok(())
    }

    /// Waits a moment for what it says, and finds out whether it hangs.
    pub(super) fn wait(&self, clock: &mut Clock) -> Waited {
        match self.from.recv_timeout(TICK) {
            Ok(Heard::Frame(frame)) => {
                let now = Instant::now();
                (clock.heard, clock.asked) = (now, false);
                if matches!(frame, FromWorker::Pong) {
                    return Waited::Nothing;
                }
                clock.moved = now;
                Waited::Frame(frame)
            }
            Ok(Heard::Gone(why)) => Waited::Gone(why),
            Ok(Heard::Started(_) | Heard::Hello(..)) => Waited::Nothing,
            Err(RecvTimeoutError::Disconnected) => Waited::Gone("ended without a word".into()),
            Err(RecvTimeoutError::Timeout) => {
                let hangs = |what: &str, long: Duration| {
                    let (long, words) = (long.as_secs_f64(), self.life.last_words());
                    Waited::Gone(format!("{what} for {long:.0} s and was ended{words}"))
                };
                if clock.heard.elapsed() > clock.silence {
                    return hangs("did not answer", clock.silence);
                }
                if clock.moved.elapsed() > clock.most {
                    return hangs("came no step further", clock.most);
                }
                if clock.heard.elapsed() > clock.silence / 2
                    && !std::mem::replace(&mut clock.asked, true)
                {
                    // A ping is always small enough.
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
        // The thread that collects it hangs up last.
        while !matches!(
            self.from
                .recv_timeout(deadline.saturating_duration_since(Instant::now())),
            Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout)
        ) {}
    }
}

/// Writes frames until there are no more, or nobody reads them.
fn write(mut stdin: ChildStdin, frames: &Receiver<Vec<u8>>) {
    while let Ok(frame) = frames.recv() {
        if stdin.write_all(&frame).is_err() {
            return;
        }
    }
}
