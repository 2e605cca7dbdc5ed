//! Consent to sending data, and trust in jobs.
//!
//! Data leaves the machine only for destinations that the owner's user agreed to. A job resumes by
//! itself only if that user started it on this machine. The owner process enforces both, whatever a
//! client requests or a project contains. The consent is stored in the user's configuration folder
//! ([`benchtop_store::trust`]) and reread at each check, so that a withdrawal applies at once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::context::OwnerContext;
use benchtop_files::project::Project;
use benchtop_model::config::Config;
use benchtop_model::config::endpoint::Endpoint;
use benchtop_model::config::generate::Backend;
use benchtop_model::evaluation::{NewRun, Server};
use benchtop_model::history::stamp;
use benchtop_model::job::GenerationOverrides;
use benchtop_model::scoring::Scorer;
use benchtop_model::trust::{DataKind, Destination, PendingConsent, RequestedDestination, refusal};
use benchtop_model::{Error, Item, Result};
use benchtop_pipeline::generate::build;
use benchtop_store::jobs::JobHeader;
use benchtop_store::trust::{Folder, TrustFile, TrustedJob, token};

/// Servers of an evaluation, each once.
///
/// # Errors
/// [`Usage`](benchtop_model::ErrorKind::Usage) for an invalid address or variable.
pub fn of_run(new: &NewRun) -> Result<Vec<Destination>> {
    let sends = match new.blind {
        true => DataKind::Texts,
        false => DataKind::Pictures,
    };
    of_servers(&new.servers, sends)
}

/// Servers as destinations, each once.
///
/// # Errors
/// As [`of_run`].
pub fn of_servers(servers: &[Server], sends: DataKind) -> Result<Vec<Destination>> {
    each_once(servers.iter().map(|s| (&s.url, &s.key_env)), sends)
}

/// Servers that generate pictures with these overrides; empty if this machine generates them.
///
/// # Errors
/// As [`of_run`].
pub fn of_generation(config: &Config, wishes: &GenerationOverrides) -> Result<Vec<Destination>> {
    let is_http =
        build::complete_overrides(config, wishes).backend.as_deref() == Some(Backend::Http.name());
    if is_http {
        of_endpoints(&config.generate.endpoints, DataKind::Texts)
    } else {
        Ok(Vec::new())
    }
}

/// Servers of the judge that a scorer uses; empty for a local scorer.
///
/// # Errors
/// As [`of_run`].
pub fn of_scorer(config: &Config, scorer: &Scorer) -> Result<Vec<Destination>> {
    match scorer {
        scorer if scorer.asks_judge() => of_endpoints(&config.judge.endpoints, DataKind::Pictures),
        _ => Ok(Vec::new()),
    }
}

/// Endpoints as destinations, each once.
///
/// # Errors
/// As [`of_run`].
pub fn of_endpoints<F>(endpoints: &[Endpoint<F>], sends: DataKind) -> Result<Vec<Destination>> {
    each_once(endpoints.iter().map(|e| (&e.url, &e.key_env)), sends)
}

fn each_once<'s>(
    all: impl Iterator<Item = (&'s String, &'s Option<String>)>,
    sends: DataKind,
) -> Result<Vec<Destination>> {
    let all = all.map(|(url, key_env)| Destination::new(url, key_env.as_deref(), sends));
    Ok(all.collect::<Result<BTreeSet<_>>>()?.into_iter().collect())
}

/// What the user trusts now; nothing if it cannot be read.
fn held(shared: &OwnerContext) -> TrustFile {
    shared.trust.read().unwrap_or_else(|problem| {
        let notice = format!("cannot read what you trust, so jobs wait: {problem}");
        let mut notices = shared.broadcast.notices();
        if !notices.contains(&notice) {
            notices.push(notice);
        }
        TrustFile::default()
    })
}

/// Refuses destinations that the user has not agreed to. Called before anything is sent, and again
/// for each batch.
///
/// # Errors
/// [`Denied`](benchtop_model::ErrorKind::Denied), with the commands that agree.
pub fn check(shared: &OwnerContext, to: &[Destination]) -> Result<()> {
    if to.is_empty() {
        return Ok(());
    }
    let held = held(shared);
    let open: Vec<Destination> = to.iter().filter(|d| !held.agrees(d)).cloned().collect();
    if open.is_empty() {
        Ok(())
    } else {
        Err(refusal(&open))
    }
}

/// Consent that a job needs before it continues; `None` if it needs none. `what` says what it sends,
/// with their number.
pub fn waits(
    shared: &OwnerContext,
    elsewhere: bool,
    to: &[Destination],
    (count, what): (u64, String),
) -> Option<Box<PendingConsent>> {
    if to.is_empty() && !elsewhere {
        return None;
    }
    let held = held(shared);
    let to: Vec<RequestedDestination> = to
        .iter()
        .map(|d| RequestedDestination {
            agreed: held.agrees(d),
            destination: d.clone(),
        })
        .collect();
    let is_open = elsewhere || to.iter().any(|w| !w.agreed);
    is_open.then(|| {
        Box::new(PendingConsent {
            elsewhere,
            what,
            count,
            to,
        })
    })
}

/// Records the user's consent.
///
/// # Errors
/// [`Usage`](benchtop_model::ErrorKind::Usage) for an invalid destination, and errors of saving.
pub fn agree(shared: &OwnerContext, to: &[Destination]) -> Result<()> {
    // Validate the destinations as if they were typed.
    let to: Vec<Destination> = to
        .iter()
        .map(|d| Destination::new(&d.to, d.key_env.as_deref(), d.sends))
        .collect::<Result<_>>()?;
    if to.is_empty() {
        return Ok(());
    }
    shared.trust.agree(&to, &stamp(crate::clock::now()))
}

/// Decides which pictures outside the project may be sent: those that the user linked to it on this
/// machine. A project from somebody else could name any picture of the user.
pub struct PictureAccess {
    root: PathBuf,
    below: Vec<PathBuf>,
    is_open: bool,
}

impl PictureAccess {
    /// For a job that sends to these destinations.
    pub fn of(shared: &OwnerContext, to: &[Destination]) -> PictureAccess {
        let root = shared.project.root().to_path_buf();
        let is_open = to.iter().all(Destination::needs_no_consent);
        let links = if is_open {
            Vec::new()
        } else {
            held(shared).links
        };
        let folder = Folder::of(&root).ok();
        let mine = links
            .into_iter()
            .filter(|l| Some(&l.folder) == folder.as_ref());
        PictureAccess {
            below: mine.map(|l| l.pictures.into()).collect(),
            root,
            is_open,
        }
    }

    /// Reason why the pictures of an item are not sent; `None` if they are.
    pub fn refuses(&self, item: &Item) -> Option<String> {
        let outside = |path: PathBuf| {
            let is_inside = path.starts_with(&self.root)
                || self.below.iter().any(|below| path.starts_with(below));
            (!is_inside).then_some(path)
        };
        // Missing files are reported elsewhere.
        let found = item
            .images
            .iter()
            .filter_map(|image| image.link.as_ref()?.canonicalize().ok());
        let path = found.filter(|_| !self.is_open).find_map(outside)?;
        let command = link_command(path.parent().unwrap_or(&path));
        Some(format!(
            "its picture is outside the project and not linked; to allow it, run {command}"
        ))
    }

    /// Checks that captions in this folder may be sent.
    ///
    /// # Errors
    /// [`Error::denied`] for a folder outside of the project that is not linked.
    pub fn check_folder(&self, folder: &Path) -> Result<()> {
        let Ok(path) = folder.canonicalize() else {
            return Ok(());
        };
        let is_inside =
            path.starts_with(&self.root) || self.below.iter().any(|below| path.starts_with(below));
        if self.is_open || is_inside {
            return Ok(());
        }
        let what = "its captions are outside the project and not linked, so they are not sent";
        let help = format!("to allow it, run {}", link_command(&path));
        Err(Error::denied(what).file(path).help(help))
    }
}

fn link_command(folder: &Path) -> String {
    let folder = folder.display().to_string();
    let folder: String = folder.chars().flat_map(char::escape_debug).collect();
    format!("`benchtop trust link '{folder}'`")
}

/// Records that the user linked the pictures at these paths to the project. If this fails, they are
/// not sent.
pub fn link(shared: &OwnerContext, paths: &[PathBuf]) {
    for path in paths {
        let folder = if path.is_dir() {
            path.as_path()
        } else {
            path.parent().unwrap_or(path)
        };
        if let Err(problem) = shared.trust.link(shared.project.root(), folder, true) {
            super::log::stamped(format_args!(
                "pictures outside the project will not be sent: {problem}"
            ));
        }
    }
}

/// Digest of what decides which data a job sends where: of the JSON text of these parts, which is
/// not held in memory.
///
/// # Errors
/// [`Error::failed`] if a part has no JSON text.
pub fn digest(parts: &impl Serialize) -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    serde_json::to_writer(&mut hasher, parts).map_err(|e| Error::failed(e.to_string()))?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// Jobs of this project that may resume by themselves, as of the start of the owner.
pub struct ResumableJobs {
    folder: Option<Folder>,
    held: TrustFile,
}

impl ResumableJobs {
    pub fn read(shared: &OwnerContext) -> ResumableJobs {
        ResumableJobs {
            folder: Folder::of(shared.project.root()).ok(),
            held: held(shared),
        }
    }

    /// Whether the user started this job here and nothing that decides what it sends has changed.
    pub fn has(&self, kind: &str, header: &JobHeader, digest: &str) -> bool {
        let (Some(folder), Some(token)) = (&self.folder, &header.token) else {
            return false;
        };
        let is_it = |j: &&TrustedJob| j.kind == kind && j.id == header.id && j.folder == *folder;
        self.held
            .jobs
            .iter()
            .find(is_it)
            .is_some_and(|j| j.token == *token && j.digest == digest)
    }
}

/// Allows this job to resume by itself. Returns the token to store with the job; `None` if it
/// cannot be recorded. The job then runs, but waits after the next start of the owner.
pub fn begin(shared: &OwnerContext, kind: &str, id: u32, digest: String) -> Option<String> {
    let remember = || -> Result<String> {
        let (folder, token) = (Folder::of(shared.project.root())?, token()?);
        shared.trust.begin(&TrustedJob {
            folder,
            kind: kind.into(),
            id,
            token: token.clone(),
            digest,
        })?;
        Ok(token)
    };
    match remember() {
        Ok(token) => Some(token),
        Err(problem) => {
            super::log::stamped(format_args!(
                "job {id} will wait after the next start of the owner: {problem}"
            ));
            None
        }
    }
}

/// Revokes this: the job has finished, or waits for a person.
pub fn end(shared: &OwnerContext, kind: &str, id: u32) {
    if let Err(problem) = shared.trust.end(shared.project.root(), kind, id) {
        super::log::stamped(format_args!(
            "cannot revoke the permission of job {id} to resume by itself: {problem}"
        ));
    }
}

/// The project with the present `benchtop.toml`, because the judge may change while the owner runs.
/// The settings that are checked are the settings that are used.
pub fn current_project(shared: &Arc<OwnerContext>) -> Result<Project> {
    Project::open(shared.project.root())
}
