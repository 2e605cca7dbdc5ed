//! The owner's thread of a worker: starts it, receives its messages, and reaps it, so that no
//! zombie is left.

use std::collections::BTreeSet;
use std::io::{BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, ChildStdin, ExitStatus};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::frames;
use super::launch::Launch;
use super::protocol::{FromWorker, Greeting, Hello, MAGIC, PROTOCOL};
use benchtop_model::clean;

/// Number of bytes of a worker's standard error that are kept.
const TAIL: usize = 8 << 10;
/// Number of characters of them in error messages.
const WORDS: usize = 600;
/// Time for a worker to exit after its pipe closes, before it is killed.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// Time for a killed worker to end. A process inside the driver ends only when the driver returns.
pub(super) const BURIAL: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) enum Heard {
    Started(ChildStdin),
    Hello(Greeting, Hello),
    Frame(FromWorker),
    /// The worker has ended, with the reason.
    Gone(String),
}

static PIDS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Process ids of the running workers of this process, whose memory on a device counts as
/// benchtop's.
pub fn pids() -> Vec<u32> {
    lock(&PIDS).iter().copied().collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The process id of a worker, and the end of its standard error.
#[derive(Debug, Default)]
pub(super) struct Life {
    /// `None` once the process was reaped, because the id may then belong to another process.
    pid: Mutex<Option<Pid>>,
    tail: Mutex<Vec<u8>>,
}

impl Life {
    /// The process id while the worker runs.
    pub(super) fn pid(&self) -> Option<u32> {
        lock(&self.pid).map(|pid| pid.as_raw_nonzero().get() as u32)
    }

    pub(super) fn kill(&self) {
        if let Some(pid) = *lock(&self.pid) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    /// The end of standard error on one line, to append to an error message. Empty if there is
    /// none.
    pub(super) fn last_words(&self) -> String {
        let tail = lock(&self.tail);
        let text = String::from_utf8_lossy(&tail);
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|l| !l.is_empty())
            .collect();
        let joined = lines.join(" | ");
        let clean = clean::line(&joined);
        let skipped = clean.chars().count().saturating_sub(WORDS);
        let shown: String = clean.chars().skip(skipped).collect();
        if shown.is_empty() {
            String::new()
        } else {
            format!("; its last output: {shown}")
        }
    }
}

/// Runs a worker: starts it, receives its messages, and reaps it. A worker is killed with the
/// thread that started it, so this thread stays until the worker has ended.
pub(super) fn live(launch: &Launch, tell: &Sender<Heard>, life: &Arc<Life>) {
    let mut child = match launch.command().spawn() {
        Ok(child) => child,
        Err(error) => {
            let _ = tell.send(Heard::Gone(format!("cannot start: {error}")));
            return;
        }
    };
    let number = child.id();
    *lock(&life.pid) = Pid::from_raw(number as i32);
    lock(&PIDS).insert(number);
    let (closed, stderr_closed) = mpsc::channel();
    if let Some(stderr) = child.stderr.take() {
        let life = life.clone();
        // If this thread cannot start, only the output is missing.
        let _ = std::thread::Builder::new()
            .name("worker's words".into())
            .spawn(move || read_stderr(stderr, &life, &closed));
    }
    if let Some(stdin) = child.stdin.take() {
        let _ = tell.send(Heard::Started(stdin));
    }
    let broke = child
        .stdout
        .take()
        .and_then(|stdout| listen(&mut BufReader::new(stdout), tell).err());
    let grace = if broke.is_some() {
        Duration::ZERO
    } else {
        GRACE
    };
    let status = reap(&mut child, life, grace);
    lock(&PIDS).remove(&number);
    let _ = stderr_closed.recv_timeout(GRACE);
    let ended = match (broke, status) {
        (Some(broke), _) => format!("was killed: {broke}"),
        (None, Some(status)) => describe(status),
        (None, None) => "was killed but does not end: it hangs in the driver".into(),
    };
    let _ = tell.send(Heard::Gone(format!("{ended}{}", life.last_words())));
}

/// Passes on the worker's messages until it ends.
fn listen(out: &mut impl Read, tell: &Sender<Heard>) -> std::result::Result<(), String> {
    let Some(first) = frames::body(out).map_err(|b| b.to_string())? else {
        return Ok(());
    };
    let (greeting, rest) = postcard::take_from_bytes::<Greeting>(&first)
        .ok()
        .filter(|(greeting, _)| greeting.magic == MAGIC)
        .ok_or("it is not a benchtop worker")?;
    if greeting.protocol != PROTOCOL {
        let Greeting {
            protocol, version, ..
        } = greeting;
        let mine = env!("CARGO_PKG_VERSION");
        return Err(format!(
            "the worker is version {version} with protocol {protocol}, but this is version {mine} with protocol \
             {PROTOCOL}: build both from the same sources"
        ));
    }
    let hello = frames::decode(rest).map_err(|b| b.to_string())?;
    let _ = tell.send(Heard::Hello(greeting, hello));
    while let Some(frame) = frames::read::<FromWorker>(out).map_err(|b| b.to_string())? {
        let last = matches!(frame, FromWorker::Fatal(_));
        if tell.send(Heard::Frame(frame)).is_err() || last {
            break;
        }
    }
    Ok(())
}

/// Waits until the process has ended, and kills it after `grace`. `None` if it does not end.
fn reap(child: &mut Child, life: &Life, grace: Duration) -> Option<ExitStatus> {
    let began = Instant::now();
    loop {
        {
            let mut pid = lock(&life.pid);
            if let Ok(Some(status)) = child.try_wait() {
                *pid = None;
                return Some(status);
            }
        }
        if began.elapsed() >= grace {
            life.kill();
        }
        if began.elapsed() > grace + BURIAL {
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit status {code}"),
        (None, Some(9)) => "was killed by signal 9, probably because memory ran out".into(),
        (None, signal) => format!("was killed by signal {}", signal.unwrap_or_default()),
    }
}

/// Reads standard error and keeps its end.
fn read_stderr(mut stderr: ChildStderr, life: &Life, closed: &Sender<()>) {
    let mut some = [0; 1024];
    while let Ok(n @ 1..) = stderr.read(&mut some) {
        let mut tail = lock(&life.tail);
        tail.extend_from_slice(some.get(..n).unwrap_or_default());
        let over = tail.len().saturating_sub(TAIL);
        tail.drain(..over);
    }
    let _ = closed.send(());
}
