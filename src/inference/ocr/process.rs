//! Runs a program until it ends, times out, or is canceled.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// Maximum number of output bytes that are kept.
const OUTPUT: u64 = 16 << 20;
/// Time between two checks whether the program has ended: at first, and at most.
const POLL: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(25));

/// How a program ended.
pub(super) enum End {
    /// With exit code 0.
    Done { out: Vec<u8>, stderr: String },
    /// With another exit code.
    Failed { code: i32, stderr: String },
    /// By a signal.
    Signal(i32),
    /// Killed after the timeout.
    Late,
    /// Killed because the work was canceled.
    Stopped,
}

/// A running program. Dropping it kills its process group.
struct Running(Option<Child>);

impl Running {
    fn ended(&mut self) -> std::io::Result<Option<ExitStatus>> {
        let ended = match &mut self.0 {
            Some(child) => child.try_wait()?,
            None => None,
        };
        if ended.is_some() {
            self.0 = None;
        }
        Ok(ended)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // The program runs in its own group.
            let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
            let _ = child.wait();
        }
    }
}

/// Runs `program` on `input`. Input and output go through unnamed files, so that full pipes cannot
/// cause a deadlock.
pub(super) fn run(
    program: &Path,
    args: &[&str],
    input: &[u8],
    timeout: Duration,
    stop: &AtomicBool,
) -> std::io::Result<End> {
    let mut stdin = tempfile::tempfile()?;
    stdin.write_all(input)?;
    stdin.seek(SeekFrom::Start(0))?;
    let (mut out, mut err) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut command = Command::new(program);
    command
        .args(args)
        .stdin(Stdio::from(stdin))
        .stdout(Stdio::from(out.try_clone()?))
        .stderr(Stdio::from(err.try_clone()?))
        // One thread per process, and decimal points in numbers.
        .env("OMP_THREAD_LIMIT", "1")
        .env("LC_ALL", "C")
        .process_group(0);
    let mut running = Running(Some(command.spawn()?));
    let (until, mut poll) = (Instant::now() + timeout, POLL.0);
    let status = loop {
        if let Some(status) = running.ended()? {
            break status;
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(End::Stopped);
        }
        if Instant::now() >= until {
            return Ok(End::Late);
        }
        std::thread::sleep(poll);
        poll = (poll * 2).min(POLL.1);
    };
    let stderr = String::from_utf8_lossy(&whole(&mut err)?).into_owned();
    Ok(match (status.code(), status.signal()) {
        (Some(0), _) => End::Done {
            out: whole(&mut out)?,
            stderr,
        },
        (Some(code), _) => End::Failed { code, stderr },
        (None, signal) => End::Signal(signal.unwrap_or_default()),
    })
}

fn whole(file: &mut File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(OUTPUT).read_to_end(&mut bytes)?;
    Ok(bytes)
}
