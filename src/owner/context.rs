//! What the owner's threads share. Each part is a struct of its own: a function takes the part that it needs where that is enough.

mod activity;
mod broadcast;
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

use super::evaluate::Evaluations;
use super::generate::{GeneratorFactory, JobQueue};
use super::latency::Latency;
use super::metadata::MetadataCache;
use super::rounds::{AtWork, Rounds};
use super::scoring::Scoring;
use super::search::Search;
use super::settings::Settings;
use super::writer::WriterCommand;
use benchtop_files::project::Project;
use benchtop_metrics::extract::Extractor;
use benchtop_model::config::Config;
use benchtop_pipeline::board::BoardData;
use benchtop_store::catalog::CatalogVersion;
use benchtop_store::lazy_index::LazyIndex;
use benchtop_store::trust::Trust;

/// The leaderboard's working data: of which edition, and read by which rule.
pub type Boards = Vec<(CatalogVersion, Option<Extractor>, Arc<BoardData>)>;

/// What the owner's threads share.
pub struct OwnerContext {
    /// The project.
    pub project: Project,
    /// Whether it may be written.
    pub writable: Writable,
    /// Items, statuses, verdicts and pictures.
    pub items: Items,
    /// Events and notices for clients.
    pub broadcast: Broadcast,
    /// Clients and jobs that are counted.
    pub activity: Activity,
    /// GPUs and processors.
    pub machine: Machine,
    /// What the owner's user has agreed to.
    pub trust: Trust,
    /// The sled index; it may still be opening.
    pub index: Arc<LazyIndex>,
    /// When the owner started, in milliseconds since 1970.
    pub started: i64,
    /// The writer's queue.
    pub writer: mpsc::Sender<WriterCommand>,
    /// Text search over the current catalogue.
    pub search: Search,
    /// The metadata and its use.
    pub metadata: Arc<MetadataCache>,
    /// Generation jobs.
    pub desk: JobQueue,
    /// Verification rounds.
    pub rounds: Rounds,
    /// Who works in them over which connections.
    pub at_work: AtWork,
    /// Scores, rules, and the jobs that score.
    pub scoring: Scoring,
    /// Evaluations.
    pub evaluations: Evaluations,
    /// `benchtop.toml`.
    settings: Settings,
    /// Where decisions wait.
    pub latency: Latency,
    /// Set to end the owner.
    pub stop: Notify,
    /// Held by the import that is running: one at a time.
    pub importing: Mutex<()>,
    /// Where clients reach this owner.
    pub socket: PathBuf,
    scored: Mutex<Boards>,
}

impl OwnerContext {
    /// The state of an owner that has just opened its project. `maker` builds generators.
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
            desk: JobQueue::new(maker),
            rounds: Rounds::default(),
            at_work: AtWork::default(),
            scoring: Scoring::default(),
            evaluations: Evaluations::default(),
            latency: Latency::default(),
            stop: Notify::new(),
            importing: Mutex::new(()),
            socket: PathBuf::new(),
            scored: Mutex::default(),
        }
    }

    /// The leaderboard's working data, kept until the next import.
    pub fn scored(&self) -> MutexGuard<'_, Boards> {
        self.scored.lock()
    }

    /// `benchtop.toml` as it is on disk now. It is read again when it is another file; while it cannot be read the last
    /// that could be counts, and a notice says so.
    pub fn config(&self) -> Arc<Config> {
        self.settings.now(&self.project, &self.broadcast)
    }
}
