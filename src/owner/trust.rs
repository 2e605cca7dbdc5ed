//! What leaves the machine goes only where the owner's own user agreed to, and a job goes on by itself only where that
//! user began it on this machine. The owner holds both here, whatever a client says or a project holds.
//!
//! What they agreed to is in their own configuration folder ([`benchtop_store::trust`]), and read anew at each check, so
//! that what is taken back holds at once.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use super::context::OwnerContext;
use benchtop_files::project::Project;
use benchtop_model::config::Config;
use benchtop_model::config::endpoint::Endpoint;
use benchtop_model::config::generate::Backend;
use benchtop_model::evaluation::{NewRun, Server};
use benchtop_model::history::stamp;
use benchtop_model::job::{GenerationOverrides, JobAct};
use benchtop_model::scoring::Scorer;
use benchtop_model::scoring::job::ScoringAct;
use benchtop_model::trust::{DataKind, Destination, PendingConsent, RequestedDestination, refusal};
use benchtop_model::{Item, Result};
use benchtop_pipeline::generate::build;
use benchtop_protocol::wire::{AnyRequest, request};
use benchtop_store::runs::Run;
use benchtop_store::trust::{Folder, Held, JobKind, TrustedJob, token};

/// The servers of an evaluation, each once.
///
/// # Errors
/// [`Usage`](benchtop_model::ErrorKind::Usage) for an address or a variable that cannot be used.
pub fn of_run(new: &NewRun) -> Result<Vec<Destination>> {
    of_servers(
        &new.servers,
        if new.blind {
            DataKind::Texts
        } else {
            DataKind::Pictures
        },
    )
}

/// Servers as destinations, each once.
///
/// # Errors
/// As [`of_run`].
pub fn of_servers(servers: &[Server], sends: DataKind) -> Result<Vec<Destination>> {
    each_once(
        servers
            .iter()
            .map(|server| Destination::new(&server.url, server.key_env.as_deref(), sends)),
    )
}

/// The servers that make pictures of these wishes; none where this machine does.
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

/// The servers of the judge that a scorer asks; none for a scorer that works on this machine.
///
/// # Errors
/// As [`of_run`].
pub fn of_scorer(config: &Config, scorer: &Scorer) -> Result<Vec<Destination>> {
    match scorer {
        Scorer::Judge(_) | Scorer::Alignment => {
            of_endpoints(&config.judge.endpoints, DataKind::Pictures)
        }
        _ => Ok(Vec::new()),
    }
}

fn of_endpoints<F>(endpoints: &[Endpoint<F>], sends: DataKind) -> Result<Vec<Destination>> {
    each_once(
        endpoints
            .iter()
            .map(|e| Destination::new(&e.url, e.key_env.as_deref(), sends)),
    )
}

fn each_once(all: impl Iterator<Item = Result<Destination>>) -> Result<Vec<Destination>> {
    Ok(all.collect::<Result<BTreeSet<_>>>()?.into_iter().collect())
}

/// What the person trusts now; where that cannot be read nothing is.
fn held(shared: &OwnerContext) -> Held {
    shared.trust.read().unwrap_or_else(|problem| {
        let said = format!("nothing is trusted, so jobs wait: {problem}");
        let mut notices = shared.broadcast.notices();
        if !notices.contains(&said) {
            notices.push(said);
        }
        Held::default()
    })
}

/// Refuses destinations that the person has not agreed to. Called before anything is sent, and again at each batch.
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

/// What must be agreed to before a job goes on; none where everything is.
pub fn waits(
    shared: &OwnerContext,
    elsewhere: bool,
    to: &[Destination],
    (count, what): (u64, &str),
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
            what: format!("{count} {what}"),
            count,
            to,
        })
    })
}

/// The person agrees.
///
/// # Errors
/// [`Usage`](benchtop_model::ErrorKind::Usage) for a destination that is none, and when it cannot be kept.
pub fn agree(shared: &OwnerContext, to: &[Destination]) -> Result<()> {
    // What came over the socket is read as if it was typed.
    let to: Vec<Destination> = to
        .iter()
        .map(|d| Destination::new(&d.to, d.key_env.as_deref(), d.sends))
        .collect::<Result<_>>()?;
    if to.is_empty() {
        return Ok(());
    }
    shared.trust.agree(&to, &stamp(crate::clock::now()))
}

/// Whether a request consents to what leaves the machine: it resumes a job that waits for that. One that is not known
/// here does.
pub fn consents(shared: &OwnerContext, ask: &AnyRequest) -> bool {
    match ask {
        AnyRequest::JobAct(request::JobAct { id, act }) => {
            let resumes = matches!(act, JobAct::Resume | JobAct::Retry);
            resumes && (shared.evaluations.does_wait(*id) || shared.desk.waits_for_consent(*id))
        }
        AnyRequest::ScoringAct(request::ScoringAct { id, act }) => {
            matches!(act, ScoringAct::Resume | ScoringAct::Retry)
                && shared.scoring.waits_for_consent(*id)
        }
        _ => true,
    }
}

/// Which pictures outside of a project are sent: those that the person linked to it on this machine. A project from somebody
/// else can name any picture of theirs.
pub struct Reach {
    root: PathBuf,
    below: Vec<PathBuf>,
    is_open: bool,
}

impl Reach {
    /// Of a job that sends to these.
    pub fn of(shared: &OwnerContext, to: &[Destination]) -> Reach {
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
        Reach {
            below: mine.map(|l| l.pictures.into()).collect(),
            root,
            is_open,
        }
    }

    /// Why the pictures of an item are not sent; none where they are.
    pub fn refuses(&self, item: &Item) -> Option<String> {
        let outside = |path: PathBuf| {
            let is_inside = path.starts_with(&self.root)
                || self.below.iter().any(|below| path.starts_with(below));
            (!is_inside).then_some(path)
        };
        // What is not there is told as such.
        let found = item
            .images
            .iter()
            .filter_map(|image| image.link.as_ref()?.canonicalize().ok());
        let path = found.filter(|_| !self.is_open).find_map(outside)?;
        let folder = path.parent().unwrap_or(&path).display().to_string();
        let folder: String = folder.chars().flat_map(char::escape_debug).collect();
        Some(format!(
            "its picture lies outside of this project, and you did not link it here: benchtop trust link '{folder}'"
        ))
    }
}

/// The person linked the pictures at these paths to the project; what cannot be remembered is told, and they are not sent.
pub fn link(shared: &OwnerContext, paths: &[PathBuf]) {
    for path in paths {
        let folder = if path.is_dir() {
            path.as_path()
        } else {
            path.parent().unwrap_or(path)
        };
        if let Err(problem) = shared.trust.link(shared.project.root(), folder, true) {
            super::log::write(format_args!(
                "{} pictures outside of the project are not sent: {problem}",
                stamp(crate::clock::now())
            ));
        }
    }
}

fn digest(parts: &Value) -> String {
    blake3::hash(parts.to_string().as_bytes())
        .to_hex()
        .to_string()
}

/// Everything of an evaluation that decides what is sent where; how many requests are in flight is no part of it.
pub fn digest_of_run(run: &Run, numbers: &[u32]) -> String {
    let mut new = run.new.clone();
    new.servers
        .iter_mut()
        .for_each(|server| server.concurrency = 0);
    let mut new = json!(new);
    // A run that was begun by an earlier version has no such field.
    if let Some(fields) = new
        .as_object_mut()
        .filter(|fields| fields.get("drafts") == Some(&json!(false)))
    {
        fields.remove("drafts");
    }
    let Run {
        id,
        label,
        by,
        created,
        instruction,
        items,
        asks,
        ..
    } = run;
    digest(&json!([
        new,
        id,
        label,
        by,
        created,
        instruction,
        items,
        asks,
        numbers
    ]))
}

/// The same of a generation job: with the servers that `benchtop.toml` names.
pub fn digest_of_generation(
    config: &Config,
    job: &benchtop_store::jobs::Job,
    numbers: &[u32],
) -> String {
    let wishes = build::complete_overrides(config, &job.wishes);
    let is_http = wishes.backend.as_deref() == Some(Backend::Http.name());
    let servers = is_http.then_some(&config.generate.endpoints);
    // Its words are cut when it is stored; the numbers of its items say the same.
    let benchtop_store::jobs::Job {
        id,
        by,
        created,
        scope,
        samples,
        seed,
        ..
    } = job;
    digest(&json!([
        wishes, servers, id, by, created, scope, samples, seed, numbers
    ]))
}

/// The same of a scoring job: with the servers of the judge that it asks.
pub fn digest_of_scoring(config: &Config, id: u32, scorer: &Scorer, filter: &str) -> String {
    let is_asking = matches!(scorer, Scorer::Judge(_) | Scorer::Alignment);
    let servers = is_asking.then_some((&config.judge.endpoints, &config.judge.model));
    digest(&json!([id, scorer, filter, servers]))
}

/// The jobs of this project that go on by themselves, as they were when the owner started.
pub struct Known {
    folder: Option<Folder>,
    held: Held,
}

impl Known {
    /// Reads them.
    pub fn read(shared: &OwnerContext) -> Known {
        Known {
            folder: Folder::of(shared.project.root()).ok(),
            held: held(shared),
        }
    }

    /// Whether the person began this job here, and nothing that decides what it sends is another since.
    pub fn has(&self, kind: JobKind, id: u32, token: Option<&str>, digest: &str) -> bool {
        let (Some(folder), Some(token)) = (&self.folder, token) else {
            return false;
        };
        let is_it = |j: &&TrustedJob| j.kind == kind && j.id == id && j.folder == *folder;
        self.held
            .jobs
            .iter()
            .find(is_it)
            .is_some_and(|j| j.token == token && j.digest == digest)
    }
}

/// From now on this job goes on by itself. Gives the token that is to lie with it; none where it cannot be remembered:
/// the job works all the same, and waits after the next start.
pub fn begin(shared: &OwnerContext, kind: JobKind, id: u32, digest: String) -> Option<String> {
    let remember = || -> Result<String> {
        let (folder, token) = (Folder::of(shared.project.root())?, token()?);
        shared.trust.begin(&TrustedJob {
            folder,
            kind,
            id,
            token: token.clone(),
            digest,
        })?;
        Ok(token)
    };
    match remember() {
        Ok(token) => Some(token),
        Err(problem) => {
            super::log::write(format_args!(
                "{} job {id} waits after the next start of the owner: {problem}",
                stamp(crate::clock::now())
            ));
            None
        }
    }
}

/// This job does not go on by itself any more: it is over, or waits for a person.
pub fn end(shared: &OwnerContext, kind: JobKind, id: u32) {
    if let Err(problem) = shared.trust.end(shared.project.root(), kind, id) {
        super::log::write(format_args!(
            "{} job {id} is still remembered as one that goes on: {problem}",
            stamp(crate::clock::now())
        ));
    }
}

/// The project with `benchtop.toml` as it is on disk now: a judge is chosen while the owner runs. What is built from it
/// is what was checked.
///
/// # Errors
/// What is wrong with the file.
pub fn current_project(shared: &Arc<OwnerContext>) -> Result<Project> {
    Project::open(shared.project.root())
}
