//! The thread of a worker: it starts it, hears it, and collects it when it is over, so that no zombie is left.

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

/// Bytes kept of what a worker says on its error stream.
const TAIL: usize = 8 << 10;
/// Characters of them that an error message repeats.
const WORDS: usize = 600;
/// How long a worker whose pipe has ended may take to end too before it is killed.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// How long one that was killed may take; a process within the driver cannot be killed until the driver lets it go.
pub(super) const BURIAL: Duration = Duration::from_secs(10);
/// What a worker's thread tells.
#[derive(Debug)]
pub(super) enum Heard {
    Started(ChildStdin),
    Hello(Greeting, Hello),
    Frame(FromWorker),
    /// It is over, and why.
    Gone(String),
}

/// Process ids of this process's workers.
static PIDS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Process ids of the workers that this process has now: what they take of a device is ours.
pub fn pids() -> Vec<u32> {
    lock(&PIDS).iter().copied().collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is known of a process that lives, or has.
#[derive(Debug, Default)]
pub(super) struct Life {
    /// None once it was collected: the number may then be another's.
    pid: Mutex<Option<Pid>>,
    tail: Mutex<Vec<u8>>,
}

impl Life {
    /// The process id, while it is one.
    pub(super) fn pid(&self) -> Option<u32> {
        lock(&self.pid).map(|pid| pid.as_raw_nonzero().get() as u32)
    }

    /// Kills its group.
    pub(super) fn kill(&self) {
        if let Some(pid) = *lock(&self.pid) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    /// The end of what it said on its error stream, on one line, to be put after a sentence.
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
            format!("; its last words: {shown}")
        }
    }
}

/// The thread of a worker: starts it, hears it, and collects it. A worker dies with the thread that started it, so this
/// one stays until it is gone.
pub(super) fn live(launch: &Launch, tell: &Sender<Heard>, life: &Arc<Life>) {
    let mut child = match launch.command().spawn() {
        Ok(child) => child,
        Err(error) => {
            let _ = tell.send(Heard::Gone(format!("cannot be started: {error}")));
            return;
        }
    };
    let number = child.id();
    *lock(&life.pid) = Pid::from_raw(number as i32);
    lock(&PIDS).insert(number);
    let (said, all_said) = mpsc::channel();
    if let Some(stderr) = child.stderr.take() {
        let life = life.clone();
        // Without this thread its words are missing, and nothing else.
        let _ = std::thread::Builder::new()
            .name("worker's words".into())
            .spawn(move || words(stderr, &life, &said));
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
    let status = collect(&mut child, life, grace);
    lock(&PIDS).remove(&number);
    let _ = all_said.recv_timeout(GRACE);
    let ended = match (broke, status) {
        (Some(broke), _) => format!("was ended: {broke}"),
        (None, Some(status)) => told(status),
        (None, None) => "does not end although it was killed: the driver holds it".into(),
    };
    let _ = tell.send(Heard::Gone(format!("{ended}{}", life.last_words())));
}

/// Passes on what a worker says until it ends.
fn listen(out: &mut impl Read, tell: &Sender<Heard>) -> std::result::Result<(), String> {
    let Some(first) = frames::body(out).map_err(|b| b.to_string())? else {
        return Ok(());
    };
    let (greeting, rest) = postcard::take_from_bytes::<Greeting>(&first)
        .ok()
        .filter(|(greeting, _)| greeting.magic == MAGIC)
        .ok_or("it is no worker of this program")?;
    if greeting.protocol != PROTOCOL {
        let Greeting {
            protocol, version, ..
        } = greeting;
        let mine = env!("CARGO_PKG_VERSION");
        return Err(format!(
            "it is version {version} and speaks protocol {protocol}, this is version {mine} and speaks {PROTOCOL}: build \
             both from the same sources"
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

/// Waits until the process has ended, kills it after `grace`, and gives up on one that stays.
fn collect(child: &mut Child, life: &Life, grace: Duration) -> Option<ExitStatus> {
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

/// How a process ended.
fn told(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit status {code}"),
        (None, Some(9)) => "was killed by signal 9, as the kernel does when memory is short".into(),
        (None, signal) => format!("was ended by signal {}", signal.unwrap_or_default()),
    }
}

/// Keeps the end of what a worker says on its error stream.
fn words(mut stderr: ChildStderr, life: &Life, said: &Sender<()>) {
    let mut some = [0; 1024];
    while let Ok(n @ 1..) = stderr.read(&mut some) {
        let mut tail = lock(&life.tail);
        tail.extend_from_slice(some.get(..n).unwrap_or_default());
        let over = tail.len().saturating_sub(TAIL);
        tail.drain(..over);
    }
    let _ = said.send(());
}
