//! Finds the owner of a project, or starts one.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::lock::{self, ReadOnlyPaths};
use benchtop_files::project::Project;
use benchtop_files::{regular, writable};
use benchtop_model::{Error, ErrorKind, Result};

/// How long to wait for an owner that is starting or ending.
pub const START_TIMEOUT: Duration = Duration::from_secs(20);

/// The owner's log is truncated at this size, in bytes.
const LOG_LIMIT: u64 = 1 << 20;

/// The one line that an owner process prints when it starts.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Readiness {
    /// The owner listens.
    Ready,
    /// Another process owns the project.
    Owned,
    /// The owner cannot open the project.
    Failed(Error),
}

/// Connects to a running owner. Returns `None` if there is none.
pub fn find(project: &Project) -> Result<Option<UnixStream>> {
    let path = lock::socket_path(project)?;
    let near = match UnixStream::connect(&path) {
        Ok(stream) => return check_peer(project, stream).map(Some),
        Err(e) => match e.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::ConnectionRefused => Ok(None),
            _ => Err(Error::io(&e, "cannot reach the owner", &path)),
        },
    };
    // A read-only owner has its socket outside the project.
    let away = ReadOnlyPaths::found(project)
        .into_iter()
        .find_map(|away| UnixStream::connect(away.socket).ok());
    away.map_or(near, |stream| Ok(Some(stream)))
}

/// Checks that the other end of the connection is a process of this user or, in a shared project,
/// of its owner. A socket in a folder from somebody else could belong to anybody.
fn check_peer(project: &Project, stream: UnixStream) -> Result<UnixStream> {
    let path = lock::socket_path(project)?;
    let peer = rustix::net::sockopt::socket_peercred(&stream);
    let peer = peer
        .map_err(|e| Error::io(&e.into(), "cannot identify the owner", &path))?
        .uid
        .as_raw();
    let is_shared = !project.config().shared.people.is_empty();
    let owns_project = || {
        project
            .root()
            .symlink_metadata()
            .is_ok_and(|meta| meta.uid() == peer)
    };
    if peer == rustix::process::geteuid().as_raw() || (is_shared && owns_project()) {
        return Ok(stream);
    }
    Err(Error::denied(format!(
        "the socket of this project belongs to another user (uid {peer})"
    ))
    .file(path)
    .help("stop that process, or copy the project to a folder of yours"))
}

/// Connects to the owner. Starts one if none is running.
///
/// # Errors
/// The owner cannot open the project, or [`ErrorKind::Unreachable`] if it does not answer in time.
pub fn ensure(project: &Project) -> Result<UnixStream> {
    if !project.config().shared.people.is_empty()
        && let Some(stream) = connect_to_shared(project)?
    {
        return Ok(stream);
    }
    if let Err(e) = project.root().symlink_metadata()
        && e.kind() == std::io::ErrorKind::NotFound
    {
        return Err(Error::not_found(
            "the project folder no longer exists; it was moved or removed",
        )
        .file(project.root())
        .help("open the project at its new path"));
    }
    let read_only = writable::obstacle(project).is_some();
    if !read_only {
        project.ensure_private_runtime()?;
    }
    let deadline = Instant::now() + START_TIMEOUT;
    loop {
        if let Some(stream) = reach(project, read_only)? {
            return Ok(stream);
        }
        match spawn(project)? {
            Readiness::Failed(problem) => return Err(problem),
            Readiness::Ready => {}
            // Another owner is starting or ending.
            Readiness::Owned => {
                if let Some(stream) = wait(project, read_only)? {
                    return Ok(stream);
                }
            }
        }
        if Instant::now() > deadline {
            let log = log(project);
            return Err(
                Error::unreachable("the owner of this project does not answer")
                    .file(project.root())
                    .help(format!(
                        "read its log at {}; `benchtop status` shows its pid",
                        log.display()
                    )),
            );
        }
    }
}

/// Like [`find`], but in a read-only project it ignores an owner of another user.
fn reach(project: &Project, read_only: bool) -> Result<Option<UnixStream>> {
    match find(project) {
        Err(problem) if read_only && problem.kind == ErrorKind::Denied => Ok(None),
        found => found,
    }
}

/// Connects to the owner of a shared project of another user. Returns `None` if the project belongs
/// to this user.
fn connect_to_shared(project: &Project) -> Result<Option<UnixStream>> {
    let root = project.root();
    let meta = root
        .symlink_metadata()
        .map_err(|e| Error::io(&e, "cannot inspect", root))?;
    if meta.uid() == rustix::process::geteuid().as_raw() {
        return Ok(None);
    }
    let not_open = || {
        Error::unreachable(format!(
            "this shared project is not open; only user {} can open it",
            meta.uid()
        ))
        .file(root)
        .help("ask them to run `benchtop owner` in it")
    };
    let group = project
        .config()
        .shared
        .group
        .as_deref()
        .unwrap_or("named in benchtop.toml");
    match find(project) {
        // While an owner runs, the group can enter the folder of the socket.
        Err(problem) if problem.kind == ErrorKind::Denied => Err(problem.help(format!(
            "user {} must have this shared project open, and you must be in the group {group}",
            meta.uid()
        ))),
        found => found?.map(Some).ok_or_else(not_open),
    }
}

/// Waits half a second for an owner that is starting. Rebuilding a large store takes longer.
fn wait(project: &Project, read_only: bool) -> Result<Option<UnixStream>> {
    for _ in 0..50 {
        std::thread::sleep(Duration::from_millis(10));
        if let Some(stream) = reach(project, read_only)? {
            return Ok(Some(stream));
        }
    }
    Ok(None)
}

/// Path of the owner's log.
fn log(project: &Project) -> PathBuf {
    let away = writable::obstacle(project).and_then(|_| ReadOnlyPaths::make(project).ok());
    away.map_or_else(|| project.runtime().join("log"), |away| away.log)
}

/// Settings of glibc's allocator for an owner. By default, freeing one large table makes glibc keep
/// up to 64 MB of freed memory from then on, for as long as the process lives.
pub const OWNER_MEMORY: [(&str, &str); 2] = [
    ("MALLOC_MMAP_THRESHOLD_", "262144"),
    ("MALLOC_TRIM_THRESHOLD_", "524288"),
];

/// Sets the number of threads of rayon and of candle. Without it, candle counts the cores in
/// /proc/cpuinfo before every product of matrices.
pub const OWNER_THREADS: &str = "RAYON_NUM_THREADS";

/// The command `benchtop owner`, with [`OWNER_MEMORY`] and [`OWNER_THREADS`] unless the user set the
/// same variables.
pub fn owner_command(program: &Path) -> Command {
    let mut command = Command::new(program);
    let unset = |name: &str| std::env::var_os(name).is_none();
    command
        .arg("owner")
        .envs(OWNER_MEMORY.into_iter().filter(|(name, _)| unset(name)));
    if let Ok(threads) = std::thread::available_parallelism()
        && unset(OWNER_THREADS)
    {
        command.env(OWNER_THREADS, threads.to_string());
    }
    command
}

/// Starts an owner that is detached from this terminal, and waits for its first line.
fn spawn(project: &Project) -> Result<Readiness> {
    let program = std::env::current_exe()
        .map_err(|e| Error::failed(format!("cannot find the benchtop program: {e}")))?;
    let log = log(project);
    let fail = |e: std::io::Error| Error::io(&e, "cannot start the owner", &log);
    let log_file = regular::open(
        &log,
        OpenOptions::new().create(true).append(true).mode(0o600),
    )?;
    if log_file.metadata().map_err(fail)?.len() > LOG_LIMIT {
        log_file.set_len(0).map_err(fail)?;
    }
    let mut child = owner_command(&program)
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
        Error::unreachable("the owner ended before it was ready")
            .help(format!("read its log at {}", log.display()))
    })?;
    // A running owner outlives this process. An owner that ended is reaped here.
    if !matches!(readiness, Readiness::Ready) {
        let _ = child.wait();
    }
    Ok(readiness)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_started_with_settings_for_its_memory_and_threads() {
        let command = owner_command(Path::new("benchtop"));
        let given: Vec<_> = command
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?)))
            .collect();
        let threads = std::thread::available_parallelism().unwrap().to_string();
        let mut wanted = OWNER_MEMORY.to_vec();
        wanted.push((OWNER_THREADS, &threads));
        wanted.retain(|(name, _)| std::env::var_os(name).is_none());
        wanted.sort_unstable();
        assert_eq!(given, wanted);
    }
}
