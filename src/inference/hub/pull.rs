//! Fetching a model's files: resumed where a transfer broke, hashed when whole, taken in only then.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_RANGE, ETAG, HeaderMap, LOCATION, RANGE};
use reqwest::{Client, Method, Response, Url};

use super::lock::{Lock, Locked};
use super::{Found, Hub, Known, KnownFile, Watch, hash};
use crate::inference::http::client::{client, told};
use crate::model::weights::{Doing, FileProgress, FileState, ModelReport};
use crate::model::{Kind, Problem, Result};

/// Tries of a file whose transfer breaks without a byte more having come.
const TRIES: u32 = 5;
/// Redirects of one request.
const HOPS: u32 = 5;
/// For the next bytes of a file.
const SILENCE: Duration = Duration::from_secs(60);

/// What the hub states of a file.
struct Stated {
    size: Option<u64>,
    /// SHA-256 of a large file.
    sha256: Option<String>,
    /// Commit of the repository.
    commit: Option<String>,
}

/// One file to fetch.
struct Wanted {
    client: Client,
    hub: Hub,
    url: Url,
    path: String,
    tell: Sender<FileProgress>,
}

/// Why a transfer ended before its end.
enum Stop {
    /// It may go on.
    Broken(String),
    /// It may not.
    Failed(Problem),
}

impl Hub {
    /// Fetches what is missing of a known model. A file that is there is not fetched again; one that was cut off goes
    /// on where it ended, also after a cancel.
    ///
    /// # Errors
    /// [`Kind::NotFound`]: not a known name, or not on the hub. [`Kind::Unreachable`]: no line to the hub; the help says
    /// what to put where by hand. [`Kind::Denied`]: the hub wants a token. [`Kind::Corrupt`]: a hash, size or commit is
    /// not what it must be; the file is removed. [`Kind::DiskFull`], [`Kind::Io`], [`Kind::Cancelled`].
    pub fn pull(&self, name: &str, watch: Watch<'_>) -> Result<ModelReport> {
        let Found::Known(known) = self.find(name)? else {
            return Err(Problem::input(format!("`{name}` is a folder: there is nothing to pull")));
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_io()
            .enable_time()
            .build()
            .map_err(|e| Problem::new(Kind::Io, format!("cannot start a thread for transfers: {e}")))?;
        let client = client(Duration::from_secs(15), Duration::from_secs(20))?;
        for file in &known.files {
            let mut lock = Lock::read(&self.cache)?;
            let report = self.look(known, &lock);
            let there = report.files.iter().find(|f| f.path == file.path);
            if there.is_some_and(|f| f.state == FileState::Complete) {
                continue;
            }
            let done = self.pull_file(&runtime, &client, known, file, &mut lock, watch);
            done.map_err(|problem| match problem.kind {
                Kind::Unreachable => problem.help(self.by_hand(&report)),
                _ => problem,
            })?;
        }
        // Dropping a runtime waits for its threads, which another runtime's thread must not do.
        runtime.shutdown_background();
        self.look_at(name)
    }

    fn pull_file(
        &self,
        runtime: &tokio::runtime::Runtime,
        client: &Client,
        known: &Known,
        file: &KnownFile,
        lock: &mut Lock,
        watch: Watch<'_>,
    ) -> Result<()> {
        let address = format!("{}/{}/resolve/{}/{}", self.endpoint, known.repo, known.revision, file.path);
        let url = Url::parse(&address).map_err(|e| Problem::input(format!("`{address}` is no address: {e}")))?;
        let (tell, told) = channel();
        let wanted = Wanted { client: client.clone(), hub: self.clone(), url, path: file.path.clone(), tell };
        let stated = wait(runtime, &told, watch, async {
            let stated = wanted.stated().await;
            (wanted, stated)
        })?;
        let (wanted, stated) = (stated.0, stated.1?);
        if let Some(commit) = stated.commit.as_ref().filter(|c| **c != known.revision) {
            return Err(corrupt(&file.path, format!("the hub gives commit {commit} for {}", known.revision)));
        }
        let locked = lock.get(&known.repo, &known.revision, &file.path).cloned();
        let must = file.sha256.clone().or_else(|| locked.as_ref().map(|l| l.sha256.clone()));
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
            return Err(corrupt(&file.path, format!("the hub states {says} bytes, and {must} are expected")));
        }
        let must = must.or(stated.sha256);
        let size = size.or(stated.size);
        if let (Some(sha256), Some(size)) = (&must, size) {
            // Trusted from here on, so that a second try cannot be given something else.
            lock.set(&known.repo, &known.revision, &file.path, Locked { sha256: sha256.clone(), size })?;
        }

        let home = self.home(known);
        let blobs = home.join("blobs");
        std::fs::create_dir_all(&blobs).map_err(|e| Problem::io(&e, "cannot make the folder", &blobs))?;
        let part = blobs.join(match &must {
            Some(hash) => format!("{hash}.incomplete"),
            None => format!("{}.incomplete", file.path.replace('/', "--")),
        });
        let have = std::fs::metadata(&part).map(|m| m.len()).unwrap_or(0);
        room(&blobs, size.map(|size| size.saturating_sub(have)))?;
        let at = part.clone();
        wait(runtime, &told, watch, async move { wanted.fetch(&at, size).await })??;
        let bytes = std::fs::metadata(&part).map_err(|e| Problem::io(&e, "cannot read", &part))?.len();
        let found = hash(&part, &file.path, watch)?;
        let wrong = match (&must, size) {
            (Some(must), _) if *must != found => Some(format!("its SHA-256 is {found}, and {must} is expected")),
            (_, Some(size)) if size != bytes => Some(format!("it has {bytes} bytes, and {size} are expected")),
            _ => None,
        };
        if let Some(wrong) = wrong {
            let _ = std::fs::remove_file(&part);
            return Err(corrupt(&file.path, wrong)
                .help("it was removed; pull again, and if it happens again, mistrust the line"));
        }
        lock.set(&known.repo, &known.revision, &file.path, Locked { sha256: found.clone(), size: bytes })?;
        take_in(&home, &part, known, &file.path, &found)
    }
}

fn corrupt(path: &str, what: String) -> Problem {
    Problem::new(Kind::Corrupt, what).file(path)
}

/// Whether there is room for `bytes`, before hours are spent on them.
fn room(folder: &Path, bytes: Option<u64>) -> Result<()> {
    let (Some(bytes), Ok(disk)) = (bytes, rustix::fs::statvfs(folder)) else { return Ok(()) };
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if free >= bytes {
        return Ok(());
    }
    let what = format!("there is no room: {bytes} bytes are needed, {free} are free");
    Err(Problem::new(Kind::DiskFull, what).file(folder).help("free some space, or set HF_HOME to another disk"))
}

/// Makes a whole file part of the cache: a blob by its hash, and a link to it in the snapshot.
fn take_in(home: &Path, part: &Path, known: &Known, path: &str, sha256: &str) -> Result<()> {
    let blob = home.join("blobs").join(sha256);
    std::fs::rename(part, &blob).map_err(|e| Problem::io(&e, "cannot rename", part))?;
    let link = home.join("snapshots").join(&known.revision).join(path);
    let folder = link.parent().unwrap_or(home);
    std::fs::create_dir_all(folder).map_err(|e| Problem::io(&e, "cannot make the folder", folder))?;
    let up = "../".repeat(path.matches('/').count() + 2);
    let target = PathBuf::from(format!("{up}blobs/{sha256}"));
    match std::fs::remove_file(&link) {
        Err(err) if err.kind() != std::io::ErrorKind::NotFound => {
            return Err(Problem::io(&err, "cannot replace", &link));
        }
        _ => {}
    }
    std::os::unix::fs::symlink(&target, &link).map_err(|e| Problem::io(&e, "cannot link", &link))
}

/// Runs `work` while `watch` is told; cancels it when `watch` says so.
fn wait<T: Send + 'static>(
    runtime: &tokio::runtime::Runtime,
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
                let _ = told.try_iter().last().is_none_or(|progress| watch(&progress));
                return Ok(value);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Problem::new(Kind::Io, "a transfer was lost in this program: please report this"));
            }
        }
        // The newest is enough.
        if let Some(progress) = told.try_iter().last() {
            go &= watch(&progress);
        }
        if !go {
            task.abort();
            return Err(
                Problem::new(Kind::Cancelled, "the pull was cancelled").help("pull again to go on where it ended")
            );
        }
    }
}

impl Wanted {
    /// Asks, following redirects; the token goes to the hub's own host only. `heed` ends at the first answer that states
    /// what a file is.
    async fn ask(&self, method: Method, range: Option<u64>, heed: bool) -> std::result::Result<Response, Stop> {
        let mut url = self.url.clone();
        for _ in 0..=HOPS {
            // Compressed, a file would have another length and no ranges.
            let mut request = self.client.request(method.clone(), url.clone()).header(ACCEPT_ENCODING, "identity");
            if let Some(token) = self.hub.token.as_ref().filter(|_| url.origin() == self.url.origin()) {
                request = request.header(AUTHORIZATION, token.clone());
            }
            if let Some(from) = range {
                request = request.header(RANGE, format!("bytes={from}-"));
            }
            let sent = tokio::time::timeout(SILENCE, request.send()).await;
            let response = sent.map_err(|_| Stop::Broken("no answer in time".into()))?;
            let response = response.map_err(|e| Stop::Broken(told(&e)))?;
            let next = response.headers().get(LOCATION).filter(|_| response.status().is_redirection());
            match next.and_then(|l| l.to_str().ok()) {
                None => return Ok(response),
                Some(_) if heed && response.headers().contains_key("x-linked-etag") => return Ok(response),
                Some(next) => {
                    url = url
                        .join(next)
                        .map_err(|e| Stop::Failed(self.refused(format!("a redirect to nowhere: {e}"))))?;
                }
            }
        }
        Err(Stop::Failed(self.refused(format!("more than {HOPS} redirects"))))
    }

    fn refused(&self, what: String) -> Problem {
        Problem::new(Kind::Io, format!("{}: {what}", self.url)).file(&self.path)
    }

    fn unreachable(&self, why: &str) -> Problem {
        Problem::new(Kind::Unreachable, format!("{} cannot be fetched: {why}", self.url))
    }

    /// What a status that is no success means.
    fn status(&self, response: &Response) -> Stop {
        let (status, url) = (response.status(), &self.url);
        let page = format!("{}{}", self.hub.endpoint, url.path().split("/resolve/").next().unwrap_or_default());
        Stop::Failed(match status.as_u16() {
            401 | 403 => Problem::new(Kind::Denied, format!("{url}: the hub wants to know who asks ({status})"))
                .help(format!("accept the licence at {page}, make a token, and set HF_TOKEN to it")),
            404 => Problem::new(Kind::NotFound, format!("{url}: the hub does not have it ({status})"))
                .help(format!("look at {page}: the publisher may have removed it")),
            408 | 429 | 500.. => return Stop::Broken(format!("the hub answers {status}")),
            _ => self.refused(format!("the hub answers {status}")),
        })
    }

    /// What the hub states of the file.
    async fn stated(&self) -> Result<Stated> {
        let mut tried = 0;
        loop {
            let stop = match self.ask(Method::HEAD, None, true).await {
                Ok(response) if response.status().is_success() || response.headers().contains_key("x-linked-etag") => {
                    return Ok(read_stated(response.status().is_success(), response.headers()));
                }
                Ok(response) => self.status(&response),
                Err(stop) => stop,
            };
            self.again(stop, &mut tried).await?;
        }
    }

    /// Waits before the next try, if there is one.
    async fn again(&self, stop: Stop, tried: &mut u32) -> Result<()> {
        let why = match stop {
            Stop::Failed(problem) => return Err(problem),
            Stop::Broken(why) => why,
        };
        *tried += 1;
        if *tried >= TRIES {
            return Err(self.unreachable(&why));
        }
        tokio::time::sleep(self.hub.pause * (1 << (*tried - 1).min(5))).await;
        Ok(())
    }

    /// Fetches the file into `part`, from where that ends.
    async fn fetch(&self, part: &Path, size: Option<u64>) -> Result<()> {
        let mut tried = 0;
        loop {
            let before = std::fs::metadata(part).map(|m| m.len()).unwrap_or(0);
            if size.is_some_and(|size| before == size && size > 0) {
                return Ok(());
            }
            let stop = match self.transfer(part, before, size).await {
                Ok(()) => return Ok(()),
                Err(stop) => stop,
            };
            // Who gets on gets as many tries as it takes.
            let after = std::fs::metadata(part).map(|m| m.len()).unwrap_or(0);
            tried = if after > before { 0 } else { tried };
            self.again(stop, &mut tried).await?;
        }
    }

    async fn transfer(&self, part: &Path, from: u64, size: Option<u64>) -> std::result::Result<(), Stop> {
        let failed = |e: std::io::Error| Stop::Failed(Problem::io(&e, "cannot write", part));
        let mut response = self.ask(Method::GET, (from > 0).then_some(from), false).await?;
        let status = response.status().as_u16();
        if status == 416 {
            // What is there is longer than the file, or is not of it.
            std::fs::remove_file(part).map_err(failed)?;
            return Err(Stop::Broken("the hub has no bytes after those that are here".into()));
        }
        if !response.status().is_success() {
            return Err(self.status(&response));
        }
        let range = response.headers().get(CONTENT_RANGE).and_then(|v| v.to_str().ok()).map(str::to_string);
        let goes_on = status == 206 && range.is_some_and(|r| r.starts_with(&format!("bytes {from}-")));
        let mut done = if goes_on { from } else { 0 };
        let mut file =
            std::fs::OpenOptions::new().create(true).write(true).truncate(false).open(part).map_err(failed)?;
        file.set_len(done).map_err(failed)?;
        std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(done)).map_err(failed)?;
        let of = size.or_else(|| response.content_length().map(|n| n + done));
        loop {
            let next = tokio::time::timeout(SILENCE, response.chunk()).await;
            let chunk = match next.map_err(|_| Stop::Broken("no more bytes in time".into()))? {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(err) => return Err(Stop::Broken(told(&err))),
            };
            if of.is_some_and(|of| done + chunk.len() as u64 > of) {
                drop(file);
                let _ = std::fs::remove_file(part);
                return Err(Stop::Failed(corrupt(
                    &self.path,
                    format!("more than {} bytes came", of.unwrap_or_default()),
                )));
            }
            file.write_all(&chunk).map_err(failed)?;
            done += chunk.len() as u64;
            let _ = self.tell.send(FileProgress { path: self.path.clone(), doing: Doing::Pull, done, of });
        }
        match of {
            Some(of) if done < of => Err(Stop::Broken(format!("the transfer ended after {done} of {of} bytes"))),
            _ => file.sync_all().map_err(failed),
        }
    }
}

/// Reads the hub's headers. The entity tag of a large file is its SHA-256; that of a small one is of git's making.
fn read_stated(whole: bool, headers: &HeaderMap) -> Stated {
    let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok()).map(|v| v.trim().to_string());
    let tag = text("x-linked-etag").or_else(|| text(ETAG.as_str()));
    let tag = tag.map(|t| t.trim_start_matches("W/").trim_matches('"').to_ascii_lowercase());
    let hash = tag.filter(|t| t.len() == 64 && t.bytes().all(|b| b.is_ascii_hexdigit()));
    let length = text("x-linked-size").or_else(|| text("content-length").filter(|_| whole));
    let commit = text("x-repo-commit").map(|c| c.to_ascii_lowercase());
    Stated { size: length.and_then(|n| n.parse().ok()), sha256: hash, commit }
}
