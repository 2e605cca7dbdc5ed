//! The owner process: opens the project, listens, serves, ends.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use tokio::net::UnixListener;
use tokio::signal::unix::{SignalKind, signal};

use super::lock::{self, Socket};
use super::people;
use super::session;
use super::start::Readiness;
use super::state::{Data, Shared};
use super::writer::{self, Work, now};
use crate::model::{Kind, Problem, Result};
use crate::pipeline::generate::build;
use crate::store::pictures::Pictures;
use crate::store::project::Project;
use crate::store::rounds;
use crate::store::trust::Trust;
use crate::store::{Ledger, open};

/// Environment variable that shortens the idle time, in seconds (for tests).
pub const IDLE_SECONDS: &str = "BENCHTOP_IDLE_SECONDS";

/// Runs the owner of the project at `root` until it is stopped or idle. Prints one [`Readiness`] line on standard
/// output, then lets go of the terminal.
///
/// # Errors
/// What kept it from starting (also printed), or from serving.
pub fn run(root: &Path) -> Result<()> {
    // A session of its own: closing the terminal that started it must not end it. It fails only where it already is one.
    let _ = rustix::process::setsid();
    rustix::process::umask(rustix::fs::Mode::from_bits_truncate(0o022));
    super::background::all_give_way();
    let started = prepare(root);
    let (project, lock) = match started {
        Ok(Some(ready)) => ready,
        Ok(None) => {
            say(&Readiness::Owned);
            return Ok(());
        }
        Err(problem) => {
            say(&Readiness::Failed(problem.clone()));
            return Err(problem);
        }
    };
    serve(project, &lock).inspect_err(|problem| say(&Readiness::Failed(problem.clone())))
}

fn prepare(root: &Path) -> Result<Option<(Project, File)>> {
    let project = Project::open(root)?;
    let Some(lock) = lock::take(&project)? else { return Ok(None) };
    Ok(Some((project, lock)))
}

/// Prints the one line and closes standard output, so that whoever waits for it goes on.
fn say(readiness: &Readiness) {
    let mut out = std::io::stdout().lock();
    if let Ok(line) = serde_json::to_string(readiness) {
        let _ = writeln!(out, "{line}");
    }
    let _ = out.flush();
    if let Ok(null) = File::options().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(null);
    }
}

fn serve(project: Project, lock: &File) -> Result<()> {
    for dir in [project.sessions(), project.imports(), project.images()] {
        std::fs::create_dir_all(&dir).map_err(|e| Problem::io(&e, "cannot be made", &dir))?;
    }
    let opened = open::open(&project)?;
    for notice in &opened.notices {
        eprintln!("{} {notice}", crate::store::journal::stamp(now()));
    }
    let socket_path = lock::socket_path(&project)?;
    let group = people::group(&project.config().shared)?;
    let (socket, listener) = Socket::bind(&socket_path, group, lock)?;
    let (sender, queue) = mpsc::channel();
    let idle = idle_time(&project);
    let data = Data { catalog: opened.catalog, overlay: opened.overlay };
    let shared = Arc::new(Shared::new(
        project,
        Trust::of_person(),
        opened.index,
        data,
        opened.notices,
        sender,
        now(),
        Box::new(build::build),
    ));
    let writing = start_writer(&shared, opened.ledger.zip(opened.pictures), queue)?;
    let watching =
        super::metadata::watch(&shared).map_err(|e| Problem::new(Kind::Io, format!("the owner cannot start: {e}")))?;
    super::generate::start(&shared);
    super::scoring::start(&shared);
    super::evaluate::start(&shared);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(16)
        .enable_all()
        .build()
        .map_err(|e| Problem::new(Kind::Io, format!("the owner cannot start: {e}")))?;
    let served = runtime.block_on(accept(listener, shared.clone(), idle));
    // Nobody new from here on; what is queued is written, then the checkpoint.
    drop(socket);
    shared.desk.end();
    shared.scoring.end();
    shared.evaluations.end();
    shared.metadata.end();
    let _ = watching.join();
    let (done, wait) = mpsc::channel();
    if shared.writer.send(Work::Finish(done)).is_ok() {
        let _ = wait.recv();
    }
    let _ = writing.join();
    runtime.shutdown_timeout(Duration::from_secs(2));
    served
}

fn start_writer(
    shared: &Arc<Shared>,
    folded: Option<(Ledger, Pictures)>,
    queue: mpsc::Receiver<Work>,
) -> Result<std::thread::JoinHandle<()>> {
    let stale = folded.is_some();
    if let Some((ledger, pictures)) = folded {
        let found = writer::load_rounds(shared, &ledger);
        shared.notices().extend(found);
        *shared.ledger_mut() = ledger;
        *shared.pictures_mut() = pictures;
    }
    // Nothing is shown to anybody before it is known what rounds keep back.
    if !stale && !rounds::lengths(&shared.project)?.is_empty() {
        shared.rounds.wait();
    }
    let (locked, wait) = mpsc::channel();
    let owner = shared.clone();
    let work = move || {
        let mut unread = None;
        if !stale {
            // The first page is served from the checkpoint meanwhile; whoever needs verdicts waits for these locks.
            let mut ledger = owner.ledger_mut();
            let mut pictures = owner.pictures_mut();
            let _ = locked.send(());
            match fold(&owner) {
                Ok((loaded, made, notices)) => {
                    let found = writer::load_rounds(&owner, &loaded);
                    (*ledger, *pictures) = (loaded, made);
                    owner.notices().extend(notices);
                    owner.notices().extend(found);
                }
                Err(problem) => {
                    *owner.read_only() = Some(problem.to_string());
                    unread = Some(problem.help("end the owner with `benchtop stop` once it can be read"));
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
        .map_err(|e| Problem::new(Kind::Io, format!("the writer cannot start: {e}")))?;
    let _ = wait.recv();
    Ok(handle)
}

/// Reads all journals.
fn fold(owner: &Shared) -> Result<(Ledger, Pictures, Vec<String>)> {
    let (pictures, mut notices) = open::load_pictures(&owner.project)?;
    let (ledger, found) = open::load_ledger(&owner.project, &owner.catalog(), &pictures)?;
    notices.extend(found);
    Ok((ledger, pictures, notices))
}

fn idle_time(project: &Project) -> Option<Duration> {
    match std::env::var(IDLE_SECONDS).ok().and_then(|s| s.parse().ok()) {
        Some(seconds) => Some(Duration::from_secs(seconds)),
        None => project.config().owner.idle(),
    }
}

async fn accept(listener: std::os::unix::net::UnixListener, shared: Arc<Shared>, idle: Option<Duration>) -> Result<()> {
    let fail = |e: std::io::Error| Problem::new(Kind::Io, format!("the owner cannot listen: {e}"));
    listener.set_nonblocking(true).map_err(fail)?;
    let listener = UnixListener::from_std(listener).map_err(fail)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(fail)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(fail)?;
    // A closed terminal is none of the owner's business.
    let mut hangup = signal(SignalKind::hangup()).map_err(fail)?;
    let mut tick = tokio::time::interval(Duration::from_millis(500));
    let mut busy = Instant::now();
    say(&Readiness::Ready);
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else {
                    // Out of descriptors, most likely: let some go before trying again.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                };
                let Ok(peer) = stream.peer_cred() else { continue };
                busy = Instant::now();
                tokio::spawn(session::serve(stream, shared.clone(), peer.uid()));
            }
            _ = tick.tick() => {
                if shared.clients() > 0 || shared.jobs() > 0 {
                    busy = Instant::now();
                } else if idle.is_some_and(|idle| busy.elapsed() >= idle) {
                    return Ok(());
                }
            }
            () = shared.stop.notified() => {
                // Let the answer to `stop` and the farewell reach their readers.
                tokio::time::sleep(Duration::from_millis(20)).await;
                return Ok(());
            }
            _ = terminate.recv() => return Ok(()),
            _ = interrupt.recv() => return Ok(()),
            _ = hangup.recv() => {}
        }
    }
}
