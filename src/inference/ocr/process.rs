//! A program that is run to its end, its time or its cancel.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// Most bytes of output that are kept: the text of a picture is far shorter.
const OUTPUT: u64 = 16 << 20;
/// Between two looks whether a program has ended, at first and at most.
const LOOK: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(25));

/// How a program ended.
pub(super) enum End {
    /// Well.
    Done {
        /// Its standard output.
        out: Vec<u8>,
        /// Its standard error.
        said: String,
    },
    /// With another exit code than 0.
    Failed {
        /// The code.
        code: i32,
        /// Its standard error.
        said: String,
    },
    /// By a signal.
    Signal(i32),
    /// It took too long, and was killed.
    Late,
    /// It was killed since its work was cancelled.
    Stopped,
}

/// A running program; dropped before its end, it is killed with all it started.
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
            // The group is the program's own: nobody else is in it.
            let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
            let _ = child.wait();
        }
    }
}

/// Runs `program` on `input`. Input and output go through files without names: a program that reads little or writes
/// much can never wait for us while we wait for it.
///
/// # Errors
/// The operating system's.
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
        // One thread each, and numbers with points.
        .env("OMP_THREAD_LIMIT", "1")
        .env("LC_ALL", "C")
        .process_group(0);
    let mut running = Running(Some(command.spawn()?));
    let (until, mut look) = (Instant::now() + timeout, LOOK.0);
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
        std::thread::sleep(look);
        look = (look * 2).min(LOOK.1);
    };
    let said = String::from_utf8_lossy(&whole(&mut err)?).into_owned();
    Ok(match (status.code(), status.signal()) {
        (Some(0), _) => End::Done {
            out: whole(&mut out)?,
            said,
        },
        (Some(code), _) => End::Failed { code, said },
        (None, signal) => End::Signal(signal.unwrap_or_default()),
    })
}

fn whole(file: &mut File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(OUTPUT).read_to_end(&mut bytes)?;
    Ok(bytes)
}
