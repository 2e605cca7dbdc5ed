//! Speaking to an owner: what everything above this floor uses.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use super::start;
use super::wire::{
    AnyReply, AnyRequest, Event, FRAME_LIMIT, FromOwner, Hello, MAGIC, NeedsConsent, PROTOCOL,
    Request, ToOwner, Welcome, request,
};
use benchtop_files::project::Project;
use benchtop_model::import::Progress;
use benchtop_model::trust::Destination;
use benchtop_model::{Error, ErrorKind, Result, name};

/// How long an owner that hangs up may still be ending.
const ENDING: Duration = Duration::from_secs(5);

/// What reaches a client unasked, or asked through [`Client::send`].
#[derive(Debug)]
pub enum Incoming {
    /// The answer to a question sent with that number; a page may come in parts.
    Answer(u64, Result<AnyReply>),
    /// How far the command of that number is.
    Progress(u64, Progress),
    /// Something happened.
    Event(Event),
    /// The owner is gone; nothing more comes from this client.
    Lost,
}

enum Reply {
    Answer(Box<Result<AnyReply>>),
    Progress(Progress),
}

type Waiting = Arc<Mutex<HashMap<u64, mpsc::Sender<Reply>>>>;

/// A connection to an owner. Questions may be asked from any thread.
pub struct Client {
    stream: Mutex<UnixStream>,
    next: AtomicU64,
    waiting: Waiting,
    welcome: Welcome,
}

fn unreachable(what: impl std::fmt::Display) -> Error {
    Error::new(
        ErrorKind::Unreachable,
        format!("the owner went away: {what}"),
    )
    .help("run the command again: it starts a new owner; whatever was acknowledged is on disk")
}

impl Client {
    /// Connects to the project's owner as annotator `who`, starting one when none is running. `on` is called on a
    /// thread of its own with everything that [`ask`](Self::ask) does not wait for.
    ///
    /// # Errors
    /// What keeps the owner from opening the project or from admitting this client.
    pub fn connect(
        project: &Project,
        who: &str,
        on: impl FnMut(Incoming) + Send + 'static,
    ) -> Result<Client> {
        let deadline = Instant::now() + start::PATIENCE;
        loop {
            let mut stream = start::ensure(project)?;
            match greet(&mut stream, who) {
                Ok(welcome) => return Client::over(stream, welcome, on),
                // It was just ending, of its own accord or not: nothing was asked yet, so the next one will do.
                Err(problem)
                    if problem.kind == ErrorKind::Unreachable && Instant::now() < deadline =>
                {
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(problem) => return Err(problem),
            }
        }
    }

    /// Connects when an owner is running; `None` otherwise.
    ///
    /// # Errors
    /// As [`connect`](Self::connect).
    pub fn attach(
        project: &Project,
        who: &str,
        on: impl FnMut(Incoming) + Send + 'static,
    ) -> Result<Option<Client>> {
        let deadline = Instant::now() + ENDING;
        loop {
            let Some(mut stream) = start::find(project)? else {
                return Ok(None);
            };
            match greet(&mut stream, who) {
                Ok(welcome) => return Client::over(stream, welcome, on).map(Some),
                // It was just ending: its socket takes connections for a moment longer than it does.
                Err(problem)
                    if problem.kind == ErrorKind::Unreachable && Instant::now() < deadline =>
                {
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(problem) => return Err(problem),
            }
        }
    }

    fn over(
        stream: UnixStream,
        welcome: Welcome,
        mut on: impl FnMut(Incoming) + Send + 'static,
    ) -> Result<Client> {
        let waiting: Waiting = Arc::default();
        let mut source = stream.try_clone().map_err(unreachable)?;
        let waiters = waiting.clone();
        let read = move || {
            while let Ok(message) = read_frame(&mut source) {
                pass_on(message, &waiters, &mut on);
            }
            // Dropping the senders wakes everyone who waits.
            waiters
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clear();
            on(Incoming::Lost);
        };
        std::thread::Builder::new()
            .name("owner".into())
            .spawn(read)
            .map_err(unreachable)?;
        Ok(Client {
            stream: Mutex::new(stream),
            next: AtomicU64::new(1),
            waiting,
            welcome,
        })
    }

    /// What the owner said at the beginning.
    pub fn welcome(&self) -> &Welcome {
        &self.welcome
    }

    /// Sends a question; its answer comes as [`Incoming::Answer`] with the number given back here.
    ///
    /// # Errors
    /// [`ErrorKind::Unreachable`].
    pub fn send(&self, ask: impl Into<AnyRequest>) -> Result<u64> {
        let number = self.next.fetch_add(1, Ordering::SeqCst);
        self.write(&ToOwner::Ask(number, ask.into()))?;
        Ok(number)
    }

    /// Says that the answer to `number` is no longer wanted.
    ///
    /// # Errors
    /// [`ErrorKind::Unreachable`].
    pub fn cancel(&self, number: u64) -> Result<()> {
        self.write(&ToOwner::Cancel(number))
    }

    fn write(&self, message: &ToOwner) -> Result<()> {
        write_frame(
            &mut self.stream.lock().unwrap_or_else(PoisonError::into_inner),
            message,
        )
    }

    /// Asks and waits for the reply.
    ///
    /// # Errors
    /// What the owner refuses, or [`ErrorKind::Unreachable`].
    pub fn ask<R: Request>(&self, ask: R) -> Result<R::Reply> {
        self.ask_watching(ask, &mut |_| ())
    }

    /// Asks and waits, with word of how far a long task is.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub fn ask_watching<R: Request>(
        &self,
        ask: R,
        watch: &mut dyn FnMut(Progress),
    ) -> Result<R::Reply> {
        R::reply(self.wait(ask.into(), watch)?)
    }

    /// Has the person agree to what goes to `to`, if anything does, then asks.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub fn ask_agreed<R: NeedsConsent>(
        &self,
        to: Vec<Destination>,
        then: R,
        watch: &mut dyn FnMut(Progress),
    ) -> Result<R::Reply> {
        if to.is_empty() {
            return self.ask_watching(then, watch);
        }
        R::reply(
            self.wait(
                request::Agree {
                    to,
                    then: Some(then.then()),
                }
                .into(),
                watch,
            )?,
        )
    }

    fn wait(&self, ask: AnyRequest, watch: &mut dyn FnMut(Progress)) -> Result<AnyReply> {
        let number = self.next.fetch_add(1, Ordering::SeqCst);
        let (sender, receiver) = mpsc::channel();
        self.waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(number, sender);
        self.write(&ToOwner::Ask(number, ask))?;
        loop {
            match receiver.recv() {
                Ok(Reply::Progress(progress)) => watch(progress),
                Ok(Reply::Answer(answer)) if matches!(&*answer, Ok(reply) if reply.is_partial()) => {
                }
                Ok(Reply::Answer(answer)) => {
                    self.waiting
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .remove(&number);
                    return *answer;
                }
                Err(_) => return Err(unreachable("it closed the connection")),
            }
        }
    }

    /// Closes the connection; the reading thread ends with [`Incoming::Lost`].
    pub fn close(&self) {
        let stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = stream.shutdown(std::net::Shutdown::Both);
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.close();
    }
}

fn greet(stream: &mut UnixStream, who: &str) -> Result<Welcome> {
    name::check_annotator(who)?;
    let hello = Hello {
        magic: MAGIC,
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").into(),
        who: who.to_string(),
    };
    // An owner that refuses before it listens has hung up by now, and its reason still waits to be read.
    let written = write_frame(stream, &ToOwner::Hello(hello));
    let _ = stream.set_read_timeout(Some(Duration::from_secs(30)));
    let welcome = match read_frame(stream) {
        Ok(FromOwner::Welcome(welcome)) => *welcome,
        Ok(FromOwner::Refused(problem)) => return Err(problem),
        Ok(_) => return Err(unreachable("it did not greet")),
        Err(problem) => return Err(written.err().unwrap_or(problem)),
    };
    let _ = stream.set_read_timeout(None);
    Ok(welcome)
}

fn pass_on(message: FromOwner, waiting: &Waiting, on: &mut impl FnMut(Incoming)) {
    let waiter = |number: &u64| {
        waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(number)
            .cloned()
    };
    match message {
        FromOwner::Answer(number, answer) => match waiter(&number) {
            Some(waiter) => drop(waiter.send(Reply::Answer(answer))),
            None => on(Incoming::Answer(number, *answer)),
        },
        FromOwner::Progress(number, progress) => match waiter(&number) {
            Some(waiter) => drop(waiter.send(Reply::Progress(progress))),
            None => on(Incoming::Progress(number, progress)),
        },
        FromOwner::Event(event) => on(Incoming::Event(event)),
        FromOwner::Welcome(_) | FromOwner::Refused(_) => {}
    }
}

fn write_frame(stream: &mut UnixStream, message: &ToOwner) -> Result<()> {
    let body = postcard::to_extend(message, vec![0; 4]).map_err(unreachable)?;
    let mut frame = body;
    let length = frame.len() - 4;
    if length > FRAME_LIMIT {
        return Err(Error::new(
            ErrorKind::Usage,
            "the question is larger than a frame",
        ));
    }
    frame[..4].copy_from_slice(&(length as u32).to_be_bytes());
    stream.write_all(&frame).map_err(unreachable)
}

fn read_frame(stream: &mut UnixStream) -> Result<FromOwner> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).map_err(unreachable)?;
    let length = u32::from_be_bytes(length) as usize;
    if length > FRAME_LIMIT {
        return Err(unreachable("it sent a frame that is too large"));
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).map_err(unreachable)?;
    postcard::from_bytes(&body)
        .map_err(|e| unreachable(format!("it said something unreadable ({e})")))
}
