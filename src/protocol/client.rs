//! The connection from a client to the owner process of a project.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
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

/// How long to keep trying while an owner that closes connections is ending.
const ENDING_TIMEOUT: Duration = Duration::from_secs(5);

/// A message that no blocked [`Client::ask`] waits for.
#[derive(Debug)]
pub enum Incoming {
    /// Reply to the request with this number, sent with [`Client::send`]. A page may come in parts.
    Answer(u64, Result<AnyReply>),
    /// Progress of the request with this number.
    Progress(u64, Progress),
    Event(Event),
    /// The connection is closed. No more messages follow.
    Lost,
}

enum Reply {
    Answer(Box<Result<AnyReply>>),
    Progress(Progress),
}

type Waiting = Arc<Mutex<HashMap<u64, mpsc::Sender<Reply>>>>;

/// A connection to an owner. Requests may be sent from any thread.
pub struct Client {
    stream: Mutex<UnixStream>,
    next: AtomicU64,
    waiting: Waiting,
    welcome: Welcome,
}

fn unreachable(what: impl std::fmt::Display) -> Error {
    Error::unreachable(format!("lost the connection to the owner: {what}"))
        .help("run the command again to start a new owner; every acknowledged decision is on disk")
}

impl Client {
    /// Connects to the owner of the project as annotator `who`. Starts an owner if none is running.
    /// `on` is called on a separate thread with every message that [`ask`](Self::ask) does not wait
    /// for.
    ///
    /// # Errors
    /// The owner cannot open the project, or refuses this client.
    pub fn connect(
        project: &Project,
        who: &str,
        on: impl FnMut(Incoming) + Send + 'static,
    ) -> Result<Client> {
        let deadline = Instant::now() + start::START_TIMEOUT;
        loop {
            let mut stream = start::ensure(project)?;
            match greet(&mut stream, who) {
                Ok(welcome) => return Client::new(stream, welcome, on),
                // The owner was ending. Nothing was requested yet, so the next owner can serve this
                // client.
                Err(problem)
                    if problem.kind == ErrorKind::Unreachable && Instant::now() < deadline =>
                {
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(problem) => return Err(problem),
            }
        }
    }

    /// Like [`connect`](Self::connect), but returns `None` if no owner is running.
    pub fn attach(
        project: &Project,
        who: &str,
        on: impl FnMut(Incoming) + Send + 'static,
    ) -> Result<Option<Client>> {
        let deadline = Instant::now() + ENDING_TIMEOUT;
        loop {
            let Some(mut stream) = start::find(project)? else {
                return Ok(None);
            };
            match greet(&mut stream, who) {
                Ok(welcome) => return Client::new(stream, welcome, on).map(Some),
                // The owner was ending. Its socket accepts connections a moment longer than it
                // serves them.
                Err(problem)
                    if problem.kind == ErrorKind::Unreachable && Instant::now() < deadline =>
                {
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(problem) => return Err(problem),
            }
        }
    }

    fn new(
        stream: UnixStream,
        welcome: Welcome,
        mut on: impl FnMut(Incoming) + Send + 'static,
    ) -> Result<Client> {
        let waiting: Waiting = Arc::default();
        let mut source = stream.try_clone().map_err(unreachable)?;
        let waiters = waiting.clone();
        let read = move || {
            while let Ok(message) = read_frame(&mut source) {
                route(message, &waiters, &mut on);
            }
            // Dropping the senders wakes all waiting threads.
            lock(&waiters).clear();
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

    /// First message of the owner.
    pub fn welcome(&self) -> &Welcome {
        &self.welcome
    }

    /// Sends a request and returns its number. The reply comes as [`Incoming::Answer`].
    ///
    /// # Errors
    /// [`ErrorKind::Unreachable`] if the connection is lost.
    pub fn send(&self, ask: impl Into<AnyRequest>) -> Result<u64> {
        let number = self.next.fetch_add(1, Ordering::SeqCst);
        self.write(&ToOwner::Request(number, ask.into()))?;
        Ok(number)
    }

    /// Cancels the request with this number.
    ///
    /// # Errors
    /// [`ErrorKind::Unreachable`] if the connection is lost.
    pub fn cancel(&self, number: u64) -> Result<()> {
        self.write(&ToOwner::Cancel(number))
    }

    fn write(&self, message: &ToOwner) -> Result<()> {
        write_frame(&mut lock(&self.stream), message)
    }

    /// Sends a request and waits for the reply.
    ///
    /// # Errors
    /// The error of the owner, or [`ErrorKind::Unreachable`].
    pub fn ask<R: Request>(&self, ask: R) -> Result<R::Reply> {
        self.ask_watching(ask, &mut |_| ())
    }

    /// Like [`ask`](Self::ask), and calls `watch` with the progress of a long task.
    pub fn ask_watching<R: Request>(
        &self,
        ask: R,
        watch: &mut dyn FnMut(Progress),
    ) -> Result<R::Reply> {
        R::reply(self.wait(ask.into(), watch)?)
    }

    /// Records consent to the destinations `to`, then sends the request. With no destinations, only
    /// sends the request.
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
        lock(&self.waiting).insert(number, sender);
        self.write(&ToOwner::Request(number, ask))?;
        loop {
            match receiver.recv() {
                Ok(Reply::Progress(progress)) => watch(progress),
                Ok(Reply::Answer(answer)) if matches!(&*answer, Ok(reply) if reply.is_partial()) => {
                }
                Ok(Reply::Answer(answer)) => {
                    lock(&self.waiting).remove(&number);
                    return *answer;
                }
                Err(_) => return Err(unreachable("the owner closed it")),
            }
        }
    }

    /// Closes the connection. The reading thread ends with [`Incoming::Lost`].
    pub fn close(&self) {
        let stream = lock(&self.stream);
        let _ = stream.shutdown(std::net::Shutdown::Both);
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.close();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn greet(stream: &mut UnixStream, who: &str) -> Result<Welcome> {
    name::check_annotator(who)?;
    let hello = Hello {
        magic: MAGIC,
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").into(),
        who: who.to_string(),
    };
    // An owner that refuses early may have closed the connection already, with its reason still
    // unread.
    let written = write_frame(stream, &ToOwner::Hello(hello));
    let _ = stream.set_read_timeout(Some(Duration::from_secs(30)));
    let welcome = match read_frame(stream) {
        Ok(FromOwner::Welcome(welcome)) => *welcome,
        Ok(FromOwner::Refused(problem)) => return Err(problem),
        Ok(_) => return Err(unreachable("the owner sent no welcome message")),
        Err(problem) => return Err(written.err().unwrap_or(problem)),
    };
    let _ = stream.set_read_timeout(None);
    Ok(welcome)
}

fn route(message: FromOwner, waiting: &Waiting, on: &mut impl FnMut(Incoming)) {
    let waiter = |number: &u64| lock(waiting).get(number).cloned();
    match message {
        FromOwner::Reply(number, answer) => match waiter(&number) {
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
        return Err(Error::usage(format!(
            "the request is larger than a frame ({FRAME_LIMIT} bytes)"
        )));
    }
    frame[..4].copy_from_slice(&(length as u32).to_be_bytes());
    stream.write_all(&frame).map_err(unreachable)
}

fn read_frame(stream: &mut UnixStream) -> Result<FromOwner> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).map_err(unreachable)?;
    let length = u32::from_be_bytes(length) as usize;
    if length > FRAME_LIMIT {
        return Err(unreachable("the owner sent a frame that is too large"));
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).map_err(unreachable)?;
    postcard::from_bytes(&body)
        .map_err(|e| unreachable(format!("the owner sent an unreadable message ({e})")))
}
