//! Downloads the files of a model. Transfers are resumed, and a file enters the cache only after
//! its hash is checked.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use reqwest::{Client, Url};

use super::lock::{Lock, Locked};
use super::transfer::Wanted;
use super::{Found, Hub, KnownFile, KnownModel, Watch, hash};
use crate::http::client::{Threads, client};
use benchtop_model::weights::{FileProgress, FileState, ModelReport};
use benchtop_model::{Error, ErrorKind, Result};

impl Hub {
    /// Downloads the missing files of a known model. Interrupted transfers are resumed, even after
    /// a cancel.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an unknown model or one that is not on the hub;
    /// [`ErrorKind::Unreachable`] without a connection (the help lists the files to download by
    /// hand); [`ErrorKind::Denied`] if the hub wants a token; [`ErrorKind::Corrupt`] for a wrong
    /// hash, size, or commit (the file is removed); [`ErrorKind::DiskFull`];
    /// [`ErrorKind::Cancelled`].
    pub fn pull(&self, name: &str, watch: Watch<'_>) -> Result<ModelReport> {
        let Found::Known(known) = self.find(name)? else {
            return Err(Error::input(format!(
                "`{name}` is a folder, not a model of the hub"
            )));
        };
        let runtime = Threads::start("hub", "transfer thread")?;
        let client = client(Duration::from_secs(15), Duration::from_secs(20))?;
        for file in &known.files {
            let mut lock = Lock::read(&self.cache)?;
            let report = self.look(known, &lock);
            let present = report.files.iter().find(|f| f.path == file.path);
            if present.is_some_and(|f| f.state == FileState::Complete) {
                continue;
            }
            let done = self.pull_file(&runtime.0, &client, known, file, &mut lock, watch);
            done.map_err(|problem| match problem.kind {
                ErrorKind::Unreachable => problem.help(self.by_hand(&report)),
                _ => problem,
            })?;
        }
        self.report(name)
    }

    fn pull_file(
        &self,
        runtime: &tokio::runtime::Handle,
        client: &Client,
        known: &KnownModel,
        file: &KnownFile,
        lock: &mut Lock,
        watch: Watch<'_>,
    ) -> Result<()> {
        let address = format!(
            "{}/{}/resolve/{}/{}",
            self.endpoint, known.repo, known.revision, file.path
        );
        let url = Url::parse(&address)
            .map_err(|e| Error::input(format!("`{address}` is not a valid URL: {e}")))?;
        let (tell, progress) = channel();
        let wanted = Wanted {
            client: client.clone(),
            hub: self.clone(),
            url,
            path: file.path.clone(),
            tell,
        };
        let stated = wait(runtime, &progress, watch, async {
            let stated = wanted.stated().await;
            (wanted, stated)
        })?;
        let (wanted, stated) = (stated.0, stated.1?);
        if let Some(commit) = stated.commit.as_ref().filter(|c| **c != known.revision) {
            return Err(corrupt(
                &file.path,
                format!("the hub sends commit {commit}, expected {}", known.revision),
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
            return Err(corrupt(&file.path, format!("the hub states SHA-256 {says}, expected {must}"))
                .help("nothing was downloaded; if the publisher changed the file on purpose, use another revision"));
        }
        let size = file.size.or(locked.map(|l| l.size));
        if let (Some(must), Some(says)) = (size, stated.size)
            && must != says
        {
            return Err(corrupt(
                &file.path,
                format!("the hub states {says} bytes, expected {must}"),
            ));
        }
        let must = must.or(stated.sha256);
        let size = size.or(stated.size);
        if let (Some(sha256), Some(size)) = (&must, size) {
            // Locked before the transfer, so that a second try cannot get another file.
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
            .map_err(|e| Error::io(&e, "cannot create the folder", &blobs))?;
        let part = blobs.join(match &must {
            Some(hash) => format!("{hash}.incomplete"),
            None => format!("{}.incomplete", file.path.replace('/', "--")),
        });
        let have = std::fs::metadata(&part).map(|m| m.len()).unwrap_or(0);
        room(&blobs, size.map(|size| size.saturating_sub(have)))?;
        let at = part.clone();
        wait(runtime, &progress, watch, async move {
            wanted.fetch(&at, size).await
        })??;
        let bytes = std::fs::metadata(&part)
            .map_err(|e| Error::io(&e, "cannot read", &part))?
            .len();
        let found = hash(&part, &file.path, watch)?;
        let wrong = match (&must, size) {
            (Some(must), _) if *must != found => {
                Some(format!("wrong SHA-256 {found}, expected {must}"))
            }
            (_, Some(size)) if size != bytes => {
                Some(format!("wrong size {bytes} bytes, expected {size}"))
            }
            _ => None,
        };
        if let Some(wrong) = wrong {
            let _ = std::fs::remove_file(&part);
            return Err(corrupt(&file.path, wrong)
                .help("the file was removed; pull again, and if this repeats, check your network or proxy"));
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
    Error::corrupt(what).file(path)
}

/// Checks the free disk space before a long transfer.
fn room(folder: &Path, bytes: Option<u64>) -> Result<()> {
    let (Some(bytes), Ok(disk)) = (bytes, rustix::fs::statvfs(folder)) else {
        return Ok(());
    };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if free >= bytes {
        return Ok(());
    }
    let what = format!("not enough disk space: {bytes} bytes needed, {free} free");
    Err(Error::new(ErrorKind::DiskFull, what)
        .file(folder)
        .help("free some space, or set HF_HOME to a folder on another disk"))
}

/// Adds a complete file to the cache: a blob named by its hash, and a link to it in the snapshot.
fn take_in(home: &Path, part: &Path, known: &KnownModel, path: &str, sha256: &str) -> Result<()> {
    let blob = home.join("blobs").join(sha256);
    std::fs::rename(part, &blob).map_err(|e| Error::io(&e, "cannot rename", part))?;
    let link = home.join("snapshots").join(&known.revision).join(path);
    let folder = link.parent().unwrap_or(home);
    std::fs::create_dir_all(folder)
        .map_err(|e| Error::io(&e, "cannot create the folder", folder))?;
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

/// Runs `work` and reports its progress to `watch`. Cancels it if `watch` returns `false`.
fn wait<T: Send + 'static>(
    runtime: &tokio::runtime::Handle,
    progress: &std::sync::mpsc::Receiver<FileProgress>,
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
                let _ = progress
                    .try_iter()
                    .last()
                    .is_none_or(|latest| watch(&latest));
                return Ok(value);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::failed(
                    "internal error: the transfer was lost; please report this",
                ));
            }
        }
        // Only the latest progress matters.
        if let Some(latest) = progress.try_iter().last() {
            go &= watch(&latest);
        }
        if !go {
            task.abort();
            return Err(Error::cancelled("the pull was canceled").help("pull again to resume"));
        }
    }
}
