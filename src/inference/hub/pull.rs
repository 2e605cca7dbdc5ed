//! Fetching a model's files: resumed where a transfer broke, hashed when whole, taken in only then.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use reqwest::{Client, Url};

use super::lock::{Lock, Locked};
use super::transfer::Wanted;
use super::{Found, Hub, Known, KnownFile, Watch, hash};
use crate::http::client::client;
use benchtop_model::weights::{FileProgress, FileState, ModelReport};
use benchtop_model::{Error, ErrorKind, Result};

/// A runtime of its own for transfers. Dropped, it waits for nothing: a thread of another runtime must not wait.
struct Threads(tokio::runtime::Handle, Option<tokio::runtime::Runtime>);

impl Threads {
    fn start() -> Result<Threads> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("hub")
            .enable_io()
            .enable_time()
            .build()
            .map_err(|e| {
                Error::new(
                    ErrorKind::Io,
                    format!("cannot start a thread for transfers: {e}"),
                )
            })?;
        Ok(Threads(runtime.handle().clone(), Some(runtime)))
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.1.take() {
            runtime.shutdown_background();
        }
    }
}

impl Hub {
    /// Fetches what is missing of a known model. A file that is there is not fetched again; one that was cut off goes
    /// on where it ended, also after a cancel.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`]: not a known name, or not on the hub. [`ErrorKind::Unreachable`]: no line to the hub; the help says
    /// what to put where by hand. [`ErrorKind::Denied`]: the hub wants a token. [`ErrorKind::Corrupt`]: a hash, size or commit is
    /// not what it must be; the file is removed. [`ErrorKind::DiskFull`], [`ErrorKind::Io`], [`ErrorKind::Cancelled`].
    pub fn pull(&self, name: &str, watch: Watch<'_>) -> Result<ModelReport> {
        let Found::Known(known) = self.find(name)? else {
            return Err(Error::input(format!(
                "`{name}` is a folder: there is nothing to pull"
            )));
        };
        let runtime = Threads::start()?;
        let client = client(Duration::from_secs(15), Duration::from_secs(20))?;
        for file in &known.files {
            let mut lock = Lock::read(&self.cache)?;
            let report = self.look(known, &lock);
            let there = report.files.iter().find(|f| f.path == file.path);
            if there.is_some_and(|f| f.state == FileState::Complete) {
                continue;
            }
            let done = self.pull_file(&runtime.0, &client, known, file, &mut lock, watch);
            done.map_err(|problem| match problem.kind {
                ErrorKind::Unreachable => problem.help(self.by_hand(&report)),
                _ => problem,
            })?;
        }
        self.look_at(name)
    }

    fn pull_file(
        &self,
        runtime: &tokio::runtime::Handle,
        client: &Client,
        known: &Known,
        file: &KnownFile,
        lock: &mut Lock,
        watch: Watch<'_>,
    ) -> Result<()> {
        let address = format!(
            "{}/{}/resolve/{}/{}",
            self.endpoint, known.repo, known.revision, file.path
        );
        let url = Url::parse(&address)
            .map_err(|e| Error::input(format!("`{address}` is no address: {e}")))?;
        let (tell, told) = channel();
        let wanted = Wanted {
            client: client.clone(),
            hub: self.clone(),
            url,
            path: file.path.clone(),
            tell,
        };
        let stated = wait(runtime, &told, watch, async {
            let stated = wanted.stated().await;
            (wanted, stated)
        })?;
        let (wanted, stated) = (stated.0, stated.1?);
        if let Some(commit) = stated.commit.as_ref().filter(|c| **c != known.revision) {
            return Err(corrupt(
                &file.path,
                format!("the hub gives commit {commit} for {}", known.revision),
            ));
        }
        let locked = lock.get(&known.repo, &known.revision, &file.path).cloned();
        let must = file
            .sha256
            .clone()
            .or_else(|| locked.as_ref().map(|l| l.sha256.clone()));
        if let (Some(must), Some(says)) = (&must, &stated.sha256)
            && must != says
        {
            return Err(corrupt(&file.path, format!("the hub states SHA-256 {says}, and {must} is expected"))
                .help("if the publisher has changed it on purpose, use another revision; nothing was fetched"));
        }
        let size = file.size.or(locked.map(|l| l.size));
        if let (Some(must), Some(says)) = (size, stated.size)
            && must != says
        {
            return Err(corrupt(
                &file.path,
                format!("the hub states {says} bytes, and {must} are expected"),
            ));
        }
        let must = must.or(stated.sha256);
        let size = size.or(stated.size);
        if let (Some(sha256), Some(size)) = (&must, size) {
            // Trusted from here on, so that a second try cannot be given something else.
            lock.set(
                &known.repo,
                &known.revision,
                &file.path,
                Locked {
                    sha256: sha256.clone(),
                    size,
                },
            )?;
        }

        let home = self.home(known);
        let blobs = home.join("blobs");
        std::fs::create_dir_all(&blobs)
            .map_err(|e| Error::io(&e, "cannot make the folder", &blobs))?;
        let part = blobs.join(match &must {
            Some(hash) => format!("{hash}.incomplete"),
            None => format!("{}.incomplete", file.path.replace('/', "--")),
        });
        let have = std::fs::metadata(&part).map(|m| m.len()).unwrap_or(0);
        room(&blobs, size.map(|size| size.saturating_sub(have)))?;
        let at = part.clone();
        wait(runtime, &told, watch, async move {
            wanted.fetch(&at, size).await
        })??;
        let bytes = std::fs::metadata(&part)
            .map_err(|e| Error::io(&e, "cannot read", &part))?
            .len();
        let found = hash(&part, &file.path, watch)?;
        let wrong = match (&must, size) {
            (Some(must), _) if *must != found => {
                Some(format!("its SHA-256 is {found}, and {must} is expected"))
            }
            (_, Some(size)) if size != bytes => {
                Some(format!("it has {bytes} bytes, and {size} are expected"))
            }
            _ => None,
        };
        if let Some(wrong) = wrong {
            let _ = std::fs::remove_file(&part);
            return Err(corrupt(&file.path, wrong)
                .help("it was removed; pull again, and if it happens again, mistrust the line"));
        }
        lock.set(
            &known.repo,
            &known.revision,
            &file.path,
            Locked {
                sha256: found.clone(),
                size: bytes,
            },
        )?;
        take_in(&home, &part, known, &file.path, &found)
    }
}

pub(super) fn corrupt(path: &str, what: String) -> Error {
    Error::new(ErrorKind::Corrupt, what).file(path)
}

/// Whether there is room for `bytes`, before hours are spent on them.
fn room(folder: &Path, bytes: Option<u64>) -> Result<()> {
    let (Some(bytes), Ok(disk)) = (bytes, rustix::fs::statvfs(folder)) else {
        return Ok(());
    };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if free >= bytes {
        return Ok(());
    }
    let what = format!("there is no room: {bytes} bytes are needed, {free} are free");
    Err(Error::new(ErrorKind::DiskFull, what)
        .file(folder)
        .help("free some space, or set HF_HOME to another disk"))
}

/// Makes a whole file part of the cache: a blob by its hash, and a link to it in the snapshot.
fn take_in(home: &Path, part: &Path, known: &Known, path: &str, sha256: &str) -> Result<()> {
    let blob = home.join("blobs").join(sha256);
    std::fs::rename(part, &blob).map_err(|e| Error::io(&e, "cannot rename", part))?;
    let link = home.join("snapshots").join(&known.revision).join(path);
    let folder = link.parent().unwrap_or(home);
    std::fs::create_dir_all(folder).map_err(|e| Error::io(&e, "cannot make the folder", folder))?;
    let up = "../".repeat(path.matches('/').count() + 2);
    let target = PathBuf::from(format!("{up}blobs/{sha256}"));
    match std::fs::remove_file(&link) {
        Err(err) if err.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::io(&err, "cannot replace", &link));
        }
        _ => {}
    }
    std::os::unix::fs::symlink(&target, &link).map_err(|e| Error::io(&e, "cannot link", &link))
}

/// Runs `work` while `watch` is told; cancels it when `watch` says so.
fn wait<T: Send + 'static>(
    runtime: &tokio::runtime::Handle,
    told: &std::sync::mpsc::Receiver<FileProgress>,
    watch: Watch<'_>,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T> {
    let (done, result) = channel();
    let task = runtime.spawn(async move {
        let _ = done.send(work.await);
    });
    let mut go = true;
    loop {
        match result.recv_timeout(Duration::from_millis(50)) {
            Ok(value) => {
                let _ = told
                    .try_iter()
                    .last()
                    .is_none_or(|progress| watch(&progress));
                return Ok(value);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::new(
                    ErrorKind::Io,
                    "a transfer was lost in this program: please report this",
                ));
            }
        }
        // The newest is enough.
        if let Some(progress) = told.try_iter().last() {
            go &= watch(&progress);
        }
        if !go {
            task.abort();
            return Err(Error::new(ErrorKind::Cancelled, "the pull was cancelled")
                .help("pull again to go on where it ended"));
        }
    }
}
