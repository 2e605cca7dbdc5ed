//! Model files: lists, verifies, and downloads them from the hub.
//!
//! Files are in Hugging Face's cache layout (`models--org--name/{blobs,snapshots,refs}`), shared
//! with other programs. Revisions are pinned, and each file is hashed after the download. If the
//! hash is not built in, the hub states it at the first pull, and `models.lock` keeps it
//! ([`lock`]). Files that do not match are removed.

mod builtin_models;
mod lock;
mod pull;
mod transfer;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use reqwest::header::HeaderValue;
use sha2::{Digest as _, Sha256};

pub use self::builtin_models::{KnownFile, KnownModel, models};
use self::lock::Lock;
use benchtop_model::weights::{FileOperation, FileProgress, FileReport, FileState, ModelReport};
use benchtop_model::{Error, ErrorKind, Result};

/// Receives the progress. Returning `false` cancels the work.
pub type Watch<'a> = &'a mut dyn FnMut(&FileProgress) -> bool;

/// The model files on this machine, and the hub to download them from.
#[derive(Clone, Debug)]
pub struct Hub {
    cache: PathBuf,
    endpoint: String,
    token: Option<HeaderValue>,
    known: Vec<KnownModel>,
    /// Wait before a failed transfer is retried; doubles each time.
    pause: std::time::Duration,
}

impl Hub {
    /// The hub and the cache of the environment, as in Hugging Face's tools: the cache is
    /// `HF_HUB_CACHE`, or `hub` in `HF_HOME`, or `~/.cache/huggingface/hub`; `HF_ENDPOINT` and
    /// `HF_TOKEN` set the hub and the token.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] without a home folder or a variable for the cache, or for an invalid
    /// token.
    pub fn from_env() -> Result<Hub> {
        let var = |name: &str| std::env::var(name).ok().filter(|v| !v.trim().is_empty());
        let home = var("HF_HOME").map(PathBuf::from).or_else(|| {
            let caches = var("XDG_CACHE_HOME").map(PathBuf::from);
            caches
                .or_else(|| Some(std::env::home_dir()?.join(".cache")))
                .map(|c| c.join("huggingface"))
        });
        let cache = var("HF_HUB_CACHE")
            .map(PathBuf::from)
            .or_else(|| home.map(|h| h.join("hub")))
            .ok_or_else(|| {
                Error::input("no home folder for model files")
                    .help("set HF_HOME to a folder for them")
            })?;
        let mut hub = Hub::new(
            cache,
            &var("HF_ENDPOINT").unwrap_or_else(|| "https://huggingface.co".into()),
        );
        if let Some(token) = var("HF_TOKEN") {
            hub = hub.with_token(&token)?;
        }
        Ok(hub)
    }

    /// Sets a token, which is sent only to the endpoint's host.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for characters that HTTP headers cannot hold.
    pub fn with_token(mut self, token: &str) -> Result<Hub> {
        let mut value =
            HeaderValue::from_str(&format!("Bearer {}", token.trim())).map_err(|_| {
                Error::input("the token has characters that HTTP headers cannot hold")
                    .field("HF_TOKEN")
            })?;
        value.set_sensitive(true);
        self.token = Some(value);
        Ok(self)
    }

    /// A hub with files in `cache`, downloaded from `endpoint` (scheme and host).
    pub fn new(cache: impl Into<PathBuf>, endpoint: &str) -> Hub {
        let endpoint = endpoint.trim_end_matches('/').to_string();
        let pause = std::time::Duration::from_secs(1);
        Hub {
            cache: cache.into(),
            endpoint,
            token: None,
            known: models(),
            pause,
        }
    }

    /// Replaces the known models.
    #[must_use]
    pub fn with_models(mut self, known: Vec<KnownModel>) -> Hub {
        self.known = known;
        self
    }

    /// Sets the wait before a failed transfer is retried.
    #[must_use]
    pub fn with_pause(mut self, pause: std::time::Duration) -> Hub {
        self.pause = pause;
        self
    }

    /// The state of every known model, by file sizes only.
    pub fn list(&self) -> Result<Vec<ModelReport>> {
        let lock = Lock::read(&self.cache)?;
        Ok(self
            .known
            .iter()
            .map(|known| self.look(known, &lock))
            .collect())
    }

    /// The state of one model, by file sizes only. `name` is a known model or a folder.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if it is neither.
    pub fn report(&self, name: &str) -> Result<ModelReport> {
        match self.find(name)? {
            Found::Known(known) => Ok(self.look(known, &Lock::read(&self.cache)?)),
            Found::Folder(folder) => local(name, folder, None),
        }
    }

    /// The folder of a complete model.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if the model is unknown or incomplete; the help lists the missing
    /// files. [`ErrorKind::Corrupt`] if a file has a wrong size.
    pub fn path(&self, name: &str) -> Result<PathBuf> {
        let report = self.report(name)?;
        let kind = match report.state {
            FileState::Complete => return Ok(report.folder),
            FileState::Corrupt => ErrorKind::Corrupt,
            FileState::Partial | FileState::Absent => ErrorKind::NotFound,
        };
        let complete = report
            .files
            .iter()
            .filter(|f| f.state == FileState::Complete)
            .count();
        let what = match report.state {
            FileState::Absent => format!("the model `{name}` is not on this machine"),
            _ => format!(
                "the model `{name}` is incomplete: {complete} of {} files",
                report.files.len()
            ),
        };
        Err(Error::new(kind, what).help(self.by_hand(&report)))
    }

    /// Hashes every file of a model. Files that do not match are reported as
    /// [`FileState::Corrupt`]. Files without a known or locked hash are reported with their hash.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for an unknown model, [`ErrorKind::Cancelled`] if `watch` cancels.
    pub fn verify(&self, name: &str, watch: Watch<'_>) -> Result<ModelReport> {
        let known = match self.find(name)? {
            Found::Known(known) => known,
            Found::Folder(folder) => return local(name, folder, Some(watch)),
        };
        let mut report = self.look(known, &Lock::read(&self.cache)?);
        for file in report
            .files
            .iter_mut()
            .filter(|f| matches!(f.state, FileState::Complete | FileState::Corrupt))
        {
            let found = hash(&report.folder.join(&file.path), &file.path, watch)?;
            match &file.sha256 {
                Some(wish) if *wish != found => {
                    file.state = FileState::Corrupt;
                    file.trouble = Some(format!(
                        "wrong SHA-256 {found}, expected {wish}: remove the file and pull again"
                    ));
                }
                _ => file.sha256 = Some(found),
            }
        }
        report.state = ModelReport::state_of(report.files.iter().map(|f| f.state));
        Ok(report)
    }

    /// The help text with the files to download by hand.
    fn by_hand(&self, report: &ModelReport) -> String {
        let fetch = format!("run `benchtop models pull {}`", report.name);
        let from = format!("{}/{}/tree/{}", self.endpoint, report.repo, report.revision);
        format!(
            "{fetch}, or download these files by hand (from {from}):\n{}",
            report.missing()
        )
    }

    fn find<'a>(&'a self, name: &'a str) -> Result<Found<'a>> {
        if let Some(known) = self.known.iter().find(|k| k.name == name) {
            return Ok(Found::Known(known));
        }
        let folder = Path::new(name);
        if folder.is_dir() {
            return Ok(Found::Folder(folder));
        }
        let names: Vec<_> = self.known.iter().map(|k| k.name.as_str()).collect();
        Err(
            Error::not_found(format!("`{name}` is neither a known model nor a folder"))
                .help(format!("the known models: {}", names.join(", "))),
        )
    }

    fn home(&self, known: &KnownModel) -> PathBuf {
        self.cache
            .join(format!("models--{}", known.repo.replace('/', "--")))
    }

    fn look(&self, known: &KnownModel, lock: &Lock) -> ModelReport {
        let home = self.home(known);
        let folder = home.join("snapshots").join(&known.revision);
        let files: Vec<_> = known
            .files
            .iter()
            .map(|file| look_at_file(known, file, lock, &home, &folder))
            .collect();
        ModelReport {
            name: known.name.clone(),
            what: known.what.clone(),
            repo: known.repo.clone(),
            revision: known.revision.clone(),
            licence: known.licence.clone(),
            folder,
            state: ModelReport::state_of(files.iter().map(|f| f.state)),
            files,
        }
    }
}

enum Found<'a> {
    Known(&'a KnownModel),
    Folder(&'a Path),
}

fn look_at_file(
    known: &KnownModel,
    file: &KnownFile,
    lock: &Lock,
    home: &Path,
    folder: &Path,
) -> FileReport {
    let locked = lock.get(&known.repo, &known.revision, &file.path);
    let sha256 = file
        .sha256
        .clone()
        .or_else(|| locked.map(|l| l.sha256.clone()));
    let size = file.size.or_else(|| locked.map(|l| l.size));
    let length = |path: PathBuf| {
        std::fs::metadata(path)
            .ok()
            .filter(std::fs::Metadata::is_file)
            .map(|m| m.len())
    };
    let part = sha256
        .as_ref()
        .and_then(|hash| length(home.join("blobs").join(format!("{hash}.incomplete"))));
    let (state, bytes, trouble) = match (length(folder.join(&file.path)), size, part) {
        (Some(bytes), Some(size), _) if bytes != size => (
            FileState::Corrupt,
            bytes,
            Some(format!("wrong size {bytes} bytes, expected {size}")),
        ),
        (Some(bytes), _, _) => (FileState::Complete, bytes, None),
        (None, _, Some(bytes)) => (FileState::Partial, bytes, None),
        (None, _, None) => (FileState::Absent, 0, None),
    };
    FileReport {
        path: file.path.clone(),
        state,
        bytes,
        size,
        sha256,
        trouble,
    }
}

/// The files of a local folder, two levels deep. They are hashed if `watch` is set.
fn local(name: &str, folder: &Path, mut watch: Option<Watch<'_>>) -> Result<ModelReport> {
    let mut files = Vec::new();
    let mut look = vec![(folder.to_path_buf(), 0)];
    while let Some((at, depth)) = look.pop() {
        let failed = |err: &std::io::Error| Error::io(err, "cannot read", &at);
        for entry in std::fs::read_dir(&at).map_err(|e| failed(&e))? {
            let path = entry.map_err(|e| failed(&e))?.path();
            if path.is_dir() && depth < 2 {
                look.push((path, depth + 1));
            } else if path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut reports = Vec::new();
    for file in files {
        let path = file
            .strip_prefix(folder)
            .unwrap_or(&file)
            .to_string_lossy()
            .into_owned();
        let bytes = std::fs::metadata(&file)
            .map_err(|e| Error::io(&e, "cannot read", &file))?
            .len();
        let sha256 = watch
            .as_mut()
            .map(|watch| hash(&file, &path, &mut **watch))
            .transpose()?;
        reports.push(FileReport {
            path,
            state: FileState::Complete,
            bytes,
            size: None,
            sha256,
            trouble: None,
        });
    }
    Ok(ModelReport {
        name: name.to_string(),
        what: "a local folder".into(),
        repo: String::new(),
        revision: String::new(),
        licence: "unknown".into(),
        folder: folder.to_path_buf(),
        state: if reports.is_empty() {
            FileState::Absent
        } else {
            FileState::Complete
        },
        files: reports,
    })
}

/// The SHA-256 of a file. `path` names it in the progress.
fn hash(file: &Path, path: &str, watch: Watch<'_>) -> Result<String> {
    let failed = |err: &std::io::Error| Error::io(err, "cannot read", file);
    let mut source = std::fs::File::open(file).map_err(|e| failed(&e))?;
    let of = source.metadata().map_err(|e| failed(&e))?.len();
    let (mut hasher, mut buffer, mut done) = (Sha256::new(), vec![0; 1 << 20], 0);
    loop {
        let n = source.read(&mut buffer).map_err(|e| failed(&e))?;
        if n == 0 {
            break;
        }
        hasher.update(buffer.get(..n).unwrap_or_default());
        done += n as u64;
        if !watch(&FileProgress {
            path: path.to_string(),
            doing: FileOperation::Verify,
            done,
            of: Some(of),
        }) {
            return Err(Error::cancelled("the verification was canceled"));
        }
    }
    Ok(hasher
        .finalize()
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect())
}
