//! Finding the owner of a project, or starting one.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::lock::{self, Away};
use benchtop_files::project::Project;
use benchtop_files::{regular, writable};
use benchtop_model::{Error, ErrorKind, Result};

/// How long to wait for an owner that is starting, or for one that is ending to let go.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// The owner's log begins anew at this size, in bytes.
const LOG_LIMIT: u64 = 1 << 20;

/// The one line a starting owner prints.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Readiness {
    /// It listens.
    Ready,
    /// Somebody else owns the project.
    Owned,
    /// It cannot open the project.
    Failed(Error),
}

/// Connects to the owner that is running; `None` when none is.
///
/// # Errors
/// The operating system's, where it does not simply mean that nobody listens.
pub fn find(project: &Project) -> Result<Option<UnixStream>> {
    let path = lock::socket_path(project)?;
    let near = match UnixStream::connect(&path) {
        Ok(stream) => return of_owner(project, stream).map(Some),
        Err(e) => match e.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::ConnectionRefused => Ok(None),
            _ => Err(Error::io(&e, "the owner cannot be reached", &path)),
        },
    };
    // One that may only read has its socket outside of the project.
    let away = Away::found(project)
        .into_iter()
        .find_map(|away| UnixStream::connect(away.socket).ok());
    away.map_or(near, |stream| Ok(Some(stream)))
}

/// The connection, where its other end is a process of this user or, in a shared project, of the user it belongs to: a
/// socket in a folder that came from somebody else is anybody's.
fn of_owner(project: &Project, stream: UnixStream) -> Result<UnixStream> {
    let path = lock::socket_path(project)?;
    let peer = rustix::net::sockopt::socket_peercred(&stream);
    let peer = peer
        .map_err(|e| Error::io(&e.into(), "the owner cannot be told", &path))?
        .uid
        .as_raw();
    let is_shared = !project.config().shared.people.is_empty();
    let holds = || {
        project
            .root()
            .symlink_metadata()
            .is_ok_and(|meta| meta.uid() == peer)
    };
    if peer == rustix::process::geteuid().as_raw() || (is_shared && holds()) {
        return Ok(stream);
    }
    Err(Error::new(
        ErrorKind::Denied,
        format!("another user ({peer}) listens in this project"),
    )
    .file(path)
    .help("end that process, or copy the project to a folder of yours"))
}

/// Connects to the owner, starting one when none is running.
///
/// # Errors
/// What keeps the owner from opening the project, or [`ErrorKind::Unreachable`] when it does not answer in time.
pub fn ensure(project: &Project) -> Result<UnixStream> {
    if !project.config().shared.people.is_empty()
        && let Some(stream) = elsewhere(project)?
    {
        return Ok(stream);
    }
    if let Err(e) = project.root().symlink_metadata()
        && e.kind() == std::io::ErrorKind::NotFound
    {
        return Err(Error::new(
            ErrorKind::NotFound,
            "the project folder is not there any more: it was moved or removed",
        )
        .file(project.root())
        .help("open it where it is now"));
    }
    let closed = writable::obstacle(project).is_some();
    if !closed {
        project.ensure_private_runtime()?;
    }
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(stream) = reach(project, closed)? {
            return Ok(stream);
        }
        match spawn(project)? {
            Readiness::Failed(problem) => return Err(problem),
            Readiness::Ready => {}
            // Another owner is between its lock and its socket, or between its socket and its end.
            Readiness::Owned => {
                if let Some(stream) = wait(project, closed)? {
                    return Ok(stream);
                }
            }
        }
        if Instant::now() > deadline {
            let log = log(project);
            return Err(Error::new(
                ErrorKind::Unreachable,
                "the owner of this project does not answer",
            )
            .file(project.root())
            .help(format!(
                "its log is {}; `benchtop status` names its pid",
                log.display()
            )));
        }
    }
}

/// As [`find`]; in a project that is only read, its user's own owner is nobody else's business.
fn reach(project: &Project, closed: bool) -> Result<Option<UnixStream>> {
    match find(project) {
        Err(problem) if closed && problem.kind == ErrorKind::Denied => Ok(None),
        found => found,
    }
}

/// Connects to the owner of a shared project that belongs to somebody else; `None` where it is one's own.
fn elsewhere(project: &Project) -> Result<Option<UnixStream>> {
    let root = project.root();
    let meta = root
        .symlink_metadata()
        .map_err(|e| Error::io(&e, "cannot look at", root))?;
    if meta.uid() == rustix::process::geteuid().as_raw() {
        return Ok(None);
    }
    let ended = || {
        Error::new(
            ErrorKind::Unreachable,
            format!(
                "nobody holds this shared project open: user {} starts it",
                meta.uid()
            ),
        )
        .file(root)
        .help("they run `benchtop owner` in it, or any other command")
    };
    let group = project
        .config()
        .shared
        .group
        .as_deref()
        .unwrap_or("that benchtop.toml is to name");
    match find(project) {
        // Its folder is passable while an owner runs, to the group.
        Err(problem) if problem.kind == ErrorKind::Denied => Err(problem.help(format!(
            "user {} must hold this shared project open, and you must be in the group {group}",
            meta.uid()
        ))),
        found => found?.map(Some).ok_or_else(ended),
    }
}

/// Waits a while for an owner that is starting; one that is rebuilding a large store takes seconds.
fn wait(project: &Project, closed: bool) -> Result<Option<UnixStream>> {
    for _ in 0..50 {
        std::thread::sleep(Duration::from_millis(10));
        if let Some(stream) = reach(project, closed)? {
            return Ok(Some(stream));
        }
    }
    Ok(None)
}

/// Where an owner writes what it has to say.
fn log(project: &Project) -> PathBuf {
    let away = writable::obstacle(project).and_then(|_| Away::make(project).ok());
    away.map_or_else(|| project.runtime().join("log"), |away| away.log)
}

/// Starts an owner, detached from this terminal, and waits for its one line.
fn spawn(project: &Project) -> Result<Readiness> {
    let program = std::env::current_exe()
        .map_err(|e| Error::new(ErrorKind::Io, format!("cannot find myself: {e}")))?;
    let log = log(project);
    let fail = |e: std::io::Error| Error::io(&e, "the owner cannot be started", &log);
    let log_file = regular::open(
        &log,
        OpenOptions::new().create(true).append(true).mode(0o600),
    )?;
    if log_file.metadata().map_err(fail)?.len() > LOG_LIMIT {
        log_file.set_len(0).map_err(fail)?;
    }
    let mut child = Command::new(program)
        .arg("owner")
        .arg("--project")
        .arg(project.root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log_file)
        .spawn()
        .map_err(fail)?;
    let mut line = String::new();
    if let Some(pipe) = child.stdout.take() {
        BufReader::new(pipe).read_line(&mut line).map_err(fail)?;
    }
    let readiness = serde_json::from_str(&line).map_err(|_| {
        Error::new(
            ErrorKind::Unreachable,
            "the owner ended before it was ready",
        )
        .help(format!("its log is {}", log.display()))
    })?;
    // The owner outlives this process; one that did not stay is collected here.
    if !matches!(readiness, Readiness::Ready) {
        let _ = child.wait();
    }
    Ok(readiness)
}
