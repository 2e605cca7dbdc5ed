//! The owner process: opens the project, accepts connections, and shuts down.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use tokio::net::UnixListener;
use tokio::signal::unix::{SignalKind, signal};

use super::context::{Data, OwnerContext};
use super::writer::{self, WriterCommand};
use super::{access, read_only, session};
use crate::clock::now;
use benchtop_files::project::Project;
use benchtop_files::{disk, inspect, writable};
use benchtop_model::{Error, ErrorKind, Result, clean};
use benchtop_pipeline::generate::build;
use benchtop_pipeline::release;
use benchtop_protocol::lock::{self, ReadOnlyPaths, Socket};
use benchtop_protocol::start::Readiness;
use benchtop_protocol::wire::Event;
use benchtop_store::pictures::Pictures;
use benchtop_store::removal;
use benchtop_store::trust::Trust;
use benchtop_store::{Ledger, StatusColumns, open, rounds};

/// Environment variable that sets the idle time, in seconds (for tests).
pub const IDLE_SECONDS: &str = "BENCHTOP_IDLE_SECONDS";

/// How long to wait for a store that another process still has open.
const STORE_RELEASE_TIMEOUT: Duration = Duration::from_secs(2);
/// How long an owner that stops waits for clients to get the last event.
const LAST_EVENT: Duration = Duration::from_millis(500);

/// Runs the owner of the project at `root` until it is stopped or idle. Prints one [`Readiness`]
/// line on standard output, then detaches from the terminal.
///
/// # Errors
/// The reason why it could not start (also printed) or failed later.
pub fn run(root: &Path) -> Result<()> {
    // Start a new session, so that closing the terminal does not end the owner. This fails only if
    // the process already leads a session.
    let _ = rustix::process::setsid();
    rustix::process::umask(rustix::fs::Mode::from_bits_truncate(0o022));
    super::priority::lower_pool_priority();
    let started = prepare(root);
    let held = match started {
        Ok(Some(held)) => held,
        Ok(None) => {
            print_readiness(&Readiness::Owned);
            return Ok(());
        }
        Err(problem) => {
            print_readiness(&Readiness::Failed(problem.clone()));
            return Err(problem);
        }
    };
    serve(held).inspect_err(|problem| print_readiness(&Readiness::Failed(problem.clone())))
}

/// A project whose lock this process holds.
struct Held {
    project: Project,
    lock: File,
    /// Reason for opening the project read-only, and paths of the lock and socket in that case.
    obstacle: Option<(Error, ReadOnlyPaths)>,
}

fn prepare(root: &Path) -> Result<Option<Held>> {
    let project = Project::open(root)?;
    let obstacle = match writable::obstacle(&project) {
        Some(why) => Some((why, ReadOnlyPaths::make(&project)?)),
        None => None,
    };
    let lock = match &obstacle {
        Some((_, away)) => away.take()?,
        None => lock::take(&project)?,
    };
    // Before anything is opened: nobody else has the lock.
    let emptied = match (&lock, &obstacle) {
        (Some(_), None) => removal::finish(&project)?,
        _ => None,
    };
    let project = match emptied {
        Some(_) => Project::open(root)?,
        None => project,
    };
    Ok(lock.map(|lock| Held {
        project,
        lock,
        obstacle,
    }))
}

/// Prints the readiness line and closes standard output, so that the starting process can continue.
fn print_readiness(readiness: &Readiness) {
    let mut out = std::io::stdout().lock();
    if let Ok(line) = serde_json::to_string(readiness) {
        let _ = writeln!(out, "{}", clean::json(&line));
    }
    let _ = out.flush();
    if let Ok(null) = File::options().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(null);
    }
}

/// Opens the data, read-only if `obstacle` is set or the disk turns out to be full.
fn open_data(
    project: &Project,
    obstacle: &mut Option<(Error, ReadOnlyPaths)>,
) -> Result<open::OpenData> {
    if obstacle.is_none() {
        let opened = folders(project).and_then(|()| {
            let missing = super::file_watch::begin(project);
            let mut opened = open_when_free(project)?;
            opened.notices.extend(missing);
            opened.notices.extend(release::recover(project));
            Ok(opened)
        });
        match opened {
            Err(problem) if problem.kind == ErrorKind::DiskFull => {
                let why = writable::no_space(project.root()).unwrap_or(problem);
                *obstacle = Some((why, ReadOnlyPaths::make(project)?));
            }
            opened => return opened,
        }
    }
    let why = obstacle
        .as_ref()
        .map_or_else(|| Error::denied("read-only"), |(why, _)| why.clone());
    open::open_to_read(project, &why).map_err(|problem| writable::unreadable(&why, problem))
}

/// Opens the data. A killed owner releases the lock before the store, and a child that was just
/// forked keeps both until it executes, so this waits for the store.
pub(crate) fn open_when_free(project: &Project) -> Result<open::OpenData> {
    let since = Instant::now();
    loop {
        match open::open(project) {
            Err(problem)
                if problem.kind == ErrorKind::Conflict
                    && since.elapsed() < STORE_RELEASE_TIMEOUT =>
            {
                std::thread::sleep(Duration::from_millis(10));
            }
            opened => return opened,
        }
    }
}

/// Creates the folders that an owner writes to.
fn folders(project: &Project) -> Result<()> {
    disk::ensure_private_dir(&project.sessions())?;
    disk::ensure_private_dir(&project.store())?;
    disk::ensure_dir(&project.imports())?;
    disk::ensure_dir(&project.images())?;
    Ok(())
}

fn serve(held: Held) -> Result<()> {
    let Held {
        project,
        lock,
        mut obstacle,
    } = held;
    let mut opened = open_data(&project, &mut obstacle)?;
    opened.notices.extend(inspect::notices(&project));
    for notice in &opened.notices {
        crate::log::stamped(notice);
    }
    // A read-only owner serves only its own user, because others may not be allowed to read the
    // files.
    let (socket_path, group) = match &obstacle {
        Some((_, away)) => (away.socket.clone(), None),
        None => (
            lock::socket_path(&project)?,
            access::group(&project.config().shared)?,
        ),
    };
    let (socket, listener) = Socket::bind(&socket_path, group, &lock)?;
    let obstacle = obstacle.map(|(why, _)| why);
    let (sender, queue) = mpsc::channel();
    let idle = idle_time(&project);
    let data = Data {
        catalog: opened.catalog,
        overlay: opened.overlay,
    };
    let maker = Box::new(build::build);
    let mut shared = OwnerContext::new(
        project,
        Trust::of_current_user(),
        opened.index,
        data,
        opened.notices,
        sender,
        now(),
        maker,
    );
    *shared.writable.read_only() = obstacle.as_ref().map(ToString::to_string);
    (shared.writable.opened_read_only, shared.socket) = (obstacle, socket_path);
    let shared = Arc::new(shared);
    let writing = start_writer(
        &shared,
        opened.ledger.zip(opened.pictures),
        opened.contents,
        queue,
    )?;
    let watching = super::metadata::watch(&shared)
        .map_err(|e| Error::failed(format!("cannot start the owner: {e}")))?;
    super::engine::start(&shared);
    let watching_files = match shared.writable.opened_read_only {
        Some(_) => None,
        None => Some(
            super::file_watch::start(&shared)
                .map_err(|e| Error::failed(format!("cannot start the owner: {e}")))?,
        ),
    };
    let seen = read_only::Seen::of(&shared);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(16)
        .enable_all()
        .build()
        .map_err(|e| Error::failed(format!("cannot start the owner: {e}")))?;
    let served = runtime.block_on(accept(listener, shared.clone(), idle, seen));
    // Accept no more clients. Then write the queued decisions and the checkpoint.
    drop(socket);
    shared.jobs.end();
    shared.metadata.end();
    let _ = watching.join();
    let (done, finished) = mpsc::channel();
    if shared.writer.send(WriterCommand::Finish(done)).is_ok() {
        let _ = finished.recv();
    }
    let _ = writing.join();
    runtime.shutdown_timeout(Duration::from_secs(2));
    if let Some(watching_files) = watching_files {
        let _ = watching_files.join();
        super::file_watch::end(shared);
    }
    // The lock is released when the process ends, not earlier, so that the next owner finds the
    // store closed.
    std::mem::forget(lock);
    served
}

fn start_writer(
    shared: &Arc<OwnerContext>,
    folded: Option<(Ledger, Pictures)>,
    contents: [u8; 32],
    queue: mpsc::Receiver<WriterCommand>,
) -> Result<std::thread::JoinHandle<()>> {
    let folded_already = folded.is_some();
    // A read-only owner never writes statuses, so they are never stale.
    let stale = folded_already && shared.writable.opened_read_only.is_none();
    if let Some((ledger, pictures)) = folded {
        let found = writer::load_rounds(shared, &ledger);
        shared.broadcast.notices().extend(found);
        *shared.items.ledger_mut() = ledger;
        *shared.items.pictures_mut() = pictures;
    }
    // Wait for the rounds before showing anything, because blind rounds hide data.
    if !folded_already && !rounds::lengths(&shared.project)?.is_empty() {
        shared.rounds.wait();
    }
    let (locked, wait) = mpsc::channel();
    let owner = shared.clone();
    let work = move || {
        let (mut unread, mut stale) = (None, stale);
        if !folded_already {
            // Meanwhile the first page is served from the checkpoint. Requests that need verdicts
            // wait for these locks.
            let mut ledger = owner.items.ledger_mut();
            let mut pictures = owner.items.pictures_mut();
            let _ = locked.send(());
            match fold(&owner) {
                Ok((loaded, made, notices)) => {
                    *pictures = made;
                    drop(pictures);
                    let found = writer::load_rounds(&owner, &loaded);
                    if open::journals_behind(&loaded, &owner.items.pictures()).contents != contents
                    {
                        stale = true;
                        owner
                            .broadcast
                            .notices()
                            .extend(replace_statuses(&owner, &loaded));
                    }
                    *ledger = loaded;
                    owner.broadcast.notices().extend(notices);
                    owner.broadcast.notices().extend(found);
                }
                Err(problem) => {
                    *owner.writable.read_only() = Some(problem.to_string());
                    unread = Some(
                        problem.help("fix the file, then run `benchtop stop` to restart the owner"),
                    );
                }
            }
        } else {
            let _ = locked.send(());
        }
        writer::run(owner, &queue, stale, unread);
    };
    let handle = std::thread::Builder::new()
        .name("writer".into())
        .spawn(work)
        .map_err(|e| Error::failed(format!("cannot start the writer: {e}")))?;
    let _ = wait.recv();
    Ok(handle)
}

/// Replaces the shown statuses with those of `ledger`. Needed if a journal changed but kept its
/// length. Returns a notice.
fn replace_statuses(owner: &OwnerContext, ledger: &Ledger) -> Option<String> {
    let mut data = owner.items.data_mut();
    let mut overlay = StatusColumns::blank(data.catalog.len());
    ledger.write_over(&mut overlay);
    let differ = overlay
        .status
        .iter()
        .zip(&data.overlay.status)
        .filter(|(a, b)| a != b)
        .count();
    data.overlay = overlay;
    drop(data);
    owner.broadcast.send(Event::Resync);
    let what = format!(
        "the journals changed while no owner was running: {differ} items were first shown with an outdated status"
    );
    (differ > 0).then_some(what)
}

/// Reads all journals.
fn fold(owner: &OwnerContext) -> Result<(Ledger, Pictures, Vec<String>)> {
    let (pictures, mut notices) = open::load_pictures(&owner.project)?;
    let (ledger, found) = open::load_ledger(&owner.project, &owner.items.catalog(), &pictures)?;
    notices.extend(found);
    Ok((ledger, pictures, notices))
}

fn idle_time(project: &Project) -> Option<Duration> {
    match std::env::var(IDLE_SECONDS)
        .ok()
        .and_then(|s| s.parse().ok())
    {
        Some(seconds) => Some(Duration::from_secs(seconds)),
        None => project.config().owner.idle(),
    }
}

async fn accept(
    listener: std::os::unix::net::UnixListener,
    shared: Arc<OwnerContext>,
    idle: Option<Duration>,
    mut seen: read_only::Seen,
) -> Result<()> {
    let fail = |e: std::io::Error| Error::failed(format!("cannot accept connections: {e}"));
    listener.set_nonblocking(true).map_err(fail)?;
    let listener = UnixListener::from_std(listener).map_err(fail)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(fail)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(fail)?;
    // Ignore a closed terminal.
    let mut hangup = signal(SignalKind::hangup()).map_err(fail)?;
    let mut tick = tokio::time::interval(Duration::from_millis(500));
    let mut busy = Instant::now();
    print_readiness(&Readiness::Ready);
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else {
                    // Probably out of file descriptors. Wait until some are closed.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                };
                let Ok(peer) = stream.peer_cred() else { continue };
                busy = Instant::now();
                tokio::spawn(session::serve(stream, shared.clone(), peer.uid()));
            }
            _ = tick.tick() => {
                if seen.is_to_end(&shared) {
                    return Ok(());
                }
                if shared.activity.clients() > 0 || shared.activity.jobs() > 0 {
                    busy = Instant::now();
                } else if idle.is_some_and(|idle| busy.elapsed() >= idle) {
                    return Ok(());
                }
            }
            () = shared.stop.notified() => {
                // Let the reply to `stop` and the last event reach the clients.
                tokio::time::sleep(Duration::from_millis(20)).await;
                let events = &shared.broadcast.events;
                let all_told = async {
                    while events.receiver_count() > 0 {
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                };
                // A client that does not read is not waited for.
                let _ = tokio::time::timeout(LAST_EVENT, all_told).await;
                return Ok(());
            }
            _ = terminate.recv() => return Ok(()),
            _ = interrupt.recv() => return Ok(()),
            _ = hangup.recv() => {}
        }
    }
}
