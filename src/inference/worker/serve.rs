//! The worker's side: one device, one model, and one call at a time. One thread computes; another
//! receives messages, so that the worker reacts to cancels, pings, and the end of the owner while
//! it computes.

use crate::candle::config::CandleResult;
use crate::candle::config::reason;
use std::fs::File;
use std::io::{self, BufReader, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use candle_core::Device;
use rustix::process::Signal;
use serde::Serialize;

use super::compute_thread::Painter;
use super::fault::{Fault, What};
use super::frames::{self, Broken};
use super::messages::tell;
use super::protocol::{About, FromWorker, Greeting, Hello, Load, MAGIC, Make, PROTOCOL, ToWorker};
use crate::candle::device::{DeviceName, describe, device_check};
use benchtop_model::generation::Task;

/// Exit status of a worker that lost the state of its device.
pub const FATAL: u8 = 70;

/// Work for the compute thread.
enum Work {
    Load(Load),
    Make(Make, Vec<Task>),
}

/// Serves the owner over standard input and output until the owner ends. Returns only with an exit
/// status.
pub fn serve(place: DeviceName, fault: Option<Fault>) -> u8 {
    if io::stdout().is_terminal() {
        tell(
            "benchtop: this command is started by an owner process and cannot be used in a terminal",
        );
        return 2;
    }
    let (input, output) = match streams() {
        Ok(streams) => streams,
        Err(error) => {
            tell(format_args!(
                "benchtop: cannot set up the worker's pipes: {error}"
            ));
            return 1;
        }
    };
    // Elsewhere, the end of standard input must suffice.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    let voice = ReplyChannel(Arc::new(Mutex::new(output)));
    let cancelled = Arc::new(AtomicU64::new(0));
    let (send, work) = mpsc::channel();
    let (theirs, until) = (voice.clone(), cancelled.clone());
    if let Err(error) = std::thread::Builder::new()
        .name("hear".into())
        .spawn(move || hear(input, &theirs, &until, &send))
    {
        tell(format_args!(
            "benchtop: cannot start the worker's thread: {error}"
        ));
        return 1;
    }
    let device = hello(place, &voice, fault.as_ref());
    let mut painter = Painter {
        device,
        voice,
        cancelled,
        fault,
        made: 0,
        model: None,
    };
    for work in work {
        match work {
            Work::Load(load) => painter.load(&load),
            Work::Make(make, tasks) => painter.make(&make, &tasks),
        }
    }
    0
}

/// Moves standard input and output to other descriptors. What a library prints goes to standard
/// error, and what it reads is empty.
fn streams() -> io::Result<(File, File)> {
    let input = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let output = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok((input.into(), output.into()))
}

/// Ends the process at once, without exit handlers, which may wait for a device that hangs.
pub(super) fn end() -> ! {
    let _ = rustix::process::kill_process(rustix::process::getpid(), Signal::KILL);
    std::process::abort()
}

/// The output for frames.
#[derive(Clone)]
pub(super) struct ReplyChannel(Arc<Mutex<File>>);

impl ReplyChannel {
    /// Sends a message. Ends the process if the pipe is closed.
    pub(super) fn say(&self, what: &impl Serialize) {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match frames::write(&mut *out, what) {
            Ok(()) => {}
            Err(Broken::Io(_)) => end(),
            Err(broken) => {
                tell(format_args!(
                    "benchtop: cannot send the worker's reply: {broken}"
                ));
                end()
            }
        }
    }

    /// Writes bytes that are not a frame.
    pub(super) fn raw(&self, bytes: &[u8]) {
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = out.write_all(bytes).and_then(|()| out.flush());
    }
}

/// Receives messages until the owner ends, and then ends the process.
fn hear(input: File, voice: &ReplyChannel, cancelled: &AtomicU64, work: &Sender<Work>) {
    let mut input = BufReader::new(input);
    let mut tasks = Vec::new();
    loop {
        let heard = match frames::read(&mut input) {
            Ok(Some(heard)) => heard,
            Ok(None) => end(),
            Err(broken) => {
                tell(format_args!(
                    "benchtop: the worker cannot read the owner's message: {broken}"
                ));
                end()
            }
        };
        let sent = match heard {
            ToWorker::Load(load) => work.send(Work::Load(*load)),
            ToWorker::Task(task) => {
                tasks.push(*task);
                Ok(())
            }
            ToWorker::Make(make) => work.send(Work::Make(*make, std::mem::take(&mut tasks))),
            ToWorker::Cancel(run) => {
                cancelled.fetch_max(run, Ordering::SeqCst);
                Ok(())
            }
            ToWorker::Ping => {
                voice.say(&FromWorker::Pong);
                Ok(())
            }
        };
        // The compute thread has panicked, so the process is ending.
        if sent.is_err() {
            return;
        }
    }
}

/// Opens and checks the device, and sends the greeting.
fn hello(place: DeviceName, voice: &ReplyChannel, fault: Option<&Fault>) -> Option<Device> {
    let began = Instant::now();
    let opened = place
        .open()
        .and_then(|device| Ok((describe(&device).input()?, device)));
    let mut greeting = Greeting {
        magic: MAGIC,
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").into(),
    };
    match fault.map(|f| &f.kind) {
        Some(What::Protocol(other)) => greeting.protocol = *other,
        Some(What::Mute) => asleep(),
        _ => {}
    }
    let (device, about) = match opened {
        Ok((found, device)) => {
            let check = device_check(&device).map_err(|error| reason(&error));
            let took_ms = began.elapsed().as_millis() as u64;
            let about = About {
                name: found.name,
                architecture: found.architecture,
                memory: found.memory,
                check,
                took_ms,
            };
            (Some(device), Ok(about))
        }
        Err(problem) => (None, Err(problem.to_string().replace("\n  help: ", "; "))),
    };
    voice.say(&(
        greeting,
        Hello {
            place: place.to_string(),
            about,
        },
    ));
    device
}

/// Sleeps forever. The receiving thread ends the process.
pub(super) fn asleep() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}
