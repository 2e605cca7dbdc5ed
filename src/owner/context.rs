//! State shared by the owner's threads, in parts, so that a function can take only the part it
//! needs.

mod activity;
mod broadcast;
mod guard;
mod items;
mod machine_load;
mod writable;

use std::path::PathBuf;
use std::sync::{Arc, mpsc};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

pub use self::activity::{Activity, Counted};
pub use self::broadcast::Broadcast;
pub use self::items::{Data, Items};
pub use self::machine_load::Machine;
pub use self::writable::Writable;

use super::bootstrap::StepIndexes;
use super::engine::Engine;
use super::evaluate::Evaluations;
use super::generate::{GeneratorFactory, Requested};
use super::latency::Latency;
use super::metadata::MetadataCache;
use super::releases::Releases;
use super::rounds::{AtWork, Rounds};
use super::scoring::Scoring;
use super::search::Search;
use super::settings::Settings;
use super::writer::WriterCommand;
use benchtop_files::project::Project;
use benchtop_metrics::extract::Extractor;
use benchtop_model::config::Config;
use benchtop_model::{Error, Result};
use benchtop_pipeline::board::BoardData;
use benchtop_store::catalog::CatalogVersion;
use benchtop_store::lazy_index::LazyIndex;
use benchtop_store::trust::Trust;

/// Board data, with the catalog version and the extraction rule it was made for.
pub type Boards = Vec<(CatalogVersion, Option<Extractor>, Arc<BoardData>)>;

/// The state shared by the owner's threads.
pub struct OwnerContext {
    pub project: Project,
    pub writable: Writable,
    /// Items, statuses, verdicts, and pictures.
    pub items: Items,
    pub broadcast: Broadcast,
    /// Number of clients and running tasks.
    pub activity: Activity,
    /// Load of GPUs and processors.
    pub machine: Machine,
    /// Consent of the owner's user.
    pub trust: Trust,
    /// The sled index, which may still be opening.
    pub index: Arc<LazyIndex>,
    /// Start time of the owner, in milliseconds since 1970.
    pub started: i64,
    /// Queue of the writer thread.
    pub writer: mpsc::Sender<WriterCommand>,
    /// Text search in the current catalog.
    pub search: Search,
    /// The metadata and its usage by items.
    pub metadata: Arc<MetadataCache>,
    /// Jobs of all kinds.
    pub jobs: Engine<OwnerContext>,
    /// The pictures that items request.
    pub requested: Requested,
    pub rounds: Rounds,
    /// Connections that work on rounds.
    pub at_work: AtWork,
    /// Scores and rules.
    pub scoring: Scoring,
    pub evaluations: Evaluations,
    /// Where the steps of bootstrapping jobs are in their journals.
    pub step_indexes: StepIndexes,
    /// Which items are in the releases.
    pub releases: Releases,
    /// Settings of `benchtop.toml`.
    settings: Settings,
    /// Latency of decisions.
    pub latency: Latency,
    /// Notified to stop the owner.
    pub stop: Notify,
    /// Held by the running import, so that there is only one at a time.
    pub importing: Mutex<()>,
    /// Path of the socket.
    pub socket: PathBuf,
    scored: Mutex<Boards>,
}

/// The error of work that the ending owner no longer does.
pub fn shutting_down() -> Error {
    Error::unreachable("the owner is shutting down")
}

impl OwnerContext {
    /// State of an owner that has just opened its project. `maker` builds generators.
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        project: Project,
        trust: Trust,
        index: Arc<LazyIndex>,
        data: Data,
        notices: Vec<String>,
        writer: mpsc::Sender<WriterCommand>,
        started: i64,
        maker: GeneratorFactory,
    ) -> OwnerContext {
        OwnerContext {
            writable: Writable::new(project.root()),
            settings: Settings::new(&project),
            items: Items::new(data),
            broadcast: Broadcast::new(notices, index.clone()),
            activity: Activity::default(),
            machine: Machine::default(),
            project,
            trust,
            index,
            started,
            writer,
            search: Search::default(),
            metadata: Arc::default(),
            jobs: Engine::default(),
            requested: Requested::new(maker),
            rounds: Rounds::default(),
            at_work: AtWork::default(),
            scoring: Scoring::default(),
            evaluations: Evaluations::default(),
            step_indexes: StepIndexes::default(),
            releases: Releases::default(),
            latency: Latency::default(),
            stop: Notify::new(),
            importing: Mutex::new(()),
            socket: PathBuf::new(),
            scored: Mutex::default(),
        }
    }

    /// Board data, cached until the next import.
    pub fn scored(&self) -> MutexGuard<'_, Boards> {
        self.scored.lock()
    }

    /// Queues work for the writer thread.
    ///
    /// # Errors
    /// [`Error::unreachable`] if the owner is shutting down.
    pub fn tell_writer(&self, work: WriterCommand) -> Result<()> {
        self.writer.send(work).map_err(|_| shutting_down())
    }

    /// Queues work for the writer thread and waits for its reply.
    ///
    /// # Errors
    /// [`Error::unreachable`] if the owner is shutting down.
    pub fn ask_writer<T>(&self, work: impl FnOnce(mpsc::Sender<T>) -> WriterCommand) -> Result<T> {
        guard::check_none_held();
        let (reply, answer) = mpsc::channel();
        self.tell_writer(work(reply))?;
        answer.recv().map_err(|_| shutting_down())
    }

    /// Settings of `benchtop.toml`, reread if the file changed. While the file cannot be read, the
    /// last valid settings apply, and a notice gives the reason.
    pub fn config(&self) -> Arc<Config> {
        self.settings.now(&self.project, &self.broadcast)
    }
}
