//! What the owner's threads share.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, mpsc,
};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, broadcast};

use super::evaluate::Evaluations;
use super::generate::{JobQueue, Maker};
use super::latency::Latency;
use super::metadata::MetadataCache;
use super::rounds::{AtWork, Rounds};
use super::scoring::Scoring;
use super::search::Search;
use super::settings::Settings;
use super::writer::{WriterCommand, now};
use benchtop_files::project::Project;
use benchtop_inference::gauges::Gauges;
use benchtop_inference::worker;
use benchtop_metrics::extract::Extractor;
use benchtop_model::config::Config;
use benchtop_model::device::Devices;
use benchtop_model::{Error, Result as Outcome, history};
use benchtop_pipeline::board::BoardData;
use benchtop_protocol::home;
use benchtop_protocol::home::Home;
use benchtop_protocol::wire::Event;
use benchtop_store::catalog::CatalogVersion;
use benchtop_store::lazy_index::LazyIndex;
use benchtop_store::pictures::Pictures;
use benchtop_store::trust::Trust;
use benchtop_store::{Catalog, Ledger, Overlay};

/// Time between two readings of the gauges.
const GAUGES_EVERY: Duration = Duration::from_millis(500);

/// The leaderboard's working data: of which edition, and read by which rule.
pub type Boards = Vec<(CatalogVersion, Option<Extractor>, Arc<BoardData>)>;

/// Items and their statuses.
pub struct Data {
    /// Items and predictions.
    pub catalog: Arc<Catalog>,
    /// Statuses.
    pub overlay: Overlay,
}

/// What the owner's threads share.
pub struct OwnerContext {
    /// The project.
    pub project: Project,
    /// What the owner's user has agreed to.
    pub trust: Trust,
    /// The sled index; it may still be opening.
    pub index: Arc<LazyIndex>,
    /// When the owner started, in milliseconds since 1970.
    pub started: i64,
    /// The writer's queue.
    pub writer: mpsc::Sender<WriterCommand>,
    /// Events for every client.
    pub events: broadcast::Sender<Event>,
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
    /// The gauges of the machine and what they last read; looked for at the first question.
    gauges: Mutex<Option<(Gauges, Instant, Devices)>>,
    /// Set to end the owner.
    pub stop: Notify,
    /// Held by the import that is running: one at a time.
    pub importing: Mutex<()>,
    clients: AtomicU32,
    jobs: AtomicU32,
    data: RwLock<Data>,
    ledger: RwLock<Ledger>,
    pictures: RwLock<Pictures>,
    notices: Mutex<Vec<String>>,
    read_only: Mutex<Option<String>>,
    /// Why nothing may be written from the start on, when that is so.
    pub closed: Option<Error>,
    /// Where clients reach this owner.
    pub socket: PathBuf,
    home: Home,
    scored: Mutex<Boards>,
}

/// A lock is poisoned only by a panic, and every write under these locks leaves them whole at each step.
fn whole<T>(result: Result<T, PoisonError<T>>) -> T {
    result.unwrap_or_else(PoisonError::into_inner)
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
        maker: Maker,
    ) -> OwnerContext {
        let home = Home::of(project.root());
        let settings = Settings::new(&project);
        OwnerContext {
            settings,
            project,
            trust,
            index,
            started,
            writer,
            events: broadcast::channel(1024).0,
            search: Search::default(),
            metadata: Arc::default(),
            desk: JobQueue::new(maker),
            rounds: Rounds::default(),
            at_work: AtWork::default(),
            scoring: Scoring::default(),
            evaluations: Evaluations::default(),
            latency: Latency::default(),
            gauges: Mutex::new(None),
            stop: Notify::new(),
            importing: Mutex::new(()),
            clients: AtomicU32::new(0),
            jobs: AtomicU32::new(0),
            data: RwLock::new(data),
            ledger: RwLock::new(Ledger::default()),
            pictures: RwLock::default(),
            notices: Mutex::new(notices),
            read_only: Mutex::new(None),
            closed: None,
            socket: PathBuf::new(),
            home,
            scored: Mutex::new(Vec::new()),
        }
    }

    /// What the machine is doing; read anew at most every half second, whoever asks.
    pub fn devices(&self) -> Devices {
        let mut held = self.gauges.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, read, devices)) = held.as_ref()
            && read.elapsed() < GAUGES_EVERY
        {
            return devices.clone();
        }
        let mut gauges = held.take().map_or_else(Gauges::new, |(gauges, ..)| gauges);
        let mut ours = worker::pids();
        ours.push(std::process::id());
        let devices = gauges.read(&ours);
        *held = Some((gauges, Instant::now(), devices.clone()));
        devices
    }

    /// Items and statuses, to read.
    pub fn data(&self) -> RwLockReadGuard<'_, Data> {
        whole(self.data.read())
    }

    /// Items and statuses, to change; held for microseconds.
    pub fn data_mut(&self) -> RwLockWriteGuard<'_, Data> {
        whole(self.data.write())
    }

    /// The items as they are now.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.data().catalog.clone()
    }

    /// Verdicts, to read; waits while they are being loaded.
    pub fn ledger(&self) -> RwLockReadGuard<'_, Ledger> {
        whole(self.ledger.read())
    }

    /// Verdicts, to change.
    pub fn ledger_mut(&self) -> RwLockWriteGuard<'_, Ledger> {
        whole(self.ledger.write())
    }

    /// The pictures that were made, to read; waits while their journal is being read. Whoever holds this asks for no
    /// other lock.
    pub fn pictures(&self) -> RwLockReadGuard<'_, Pictures> {
        whole(self.pictures.read())
    }

    /// The pictures that were made, to change.
    pub fn pictures_mut(&self) -> RwLockWriteGuard<'_, Pictures> {
        whole(self.pictures.write())
    }

    /// What a person should know.
    pub fn notices(&self) -> MutexGuard<'_, Vec<String>> {
        let mut notices = whole(self.notices.lock());
        for late in self.index.notices() {
            crate::log::write(format_args!("{} {late}", history::stamp(now())));
            notices.push(late);
        }
        notices
    }

    /// Why decisions cannot be saved, when they cannot.
    pub fn read_only(&self) -> MutexGuard<'_, Option<String>> {
        whole(self.read_only.lock())
    }

    /// Why nothing may be written now: the project was opened for reading only, or its folder is another one.
    ///
    /// # Errors
    /// That, as a problem.
    pub fn may_write(&self) -> Outcome<()> {
        self.closed.clone().map_or(Ok(()), Err)?;
        self.at_home()
    }

    /// Whether the project's path still names the folder that was opened.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Conflict`] once it does not, from then on.
    pub fn at_home(&self) -> Outcome<()> {
        if self.home.is_there(self.project.root()) {
            Ok(())
        } else {
            Err(home::moved(self.project.root()))
        }
    }

    /// The leaderboard's working data, kept until the next import.
    pub fn scored(&self) -> MutexGuard<'_, Boards> {
        whole(self.scored.lock())
    }

    /// Tells every client.
    pub fn tell(&self, event: Event) {
        // No receivers is not an error: nobody is watching.
        let _ = self.events.send(event);
    }

    /// Clients attached.
    pub fn clients(&self) -> u32 {
        self.clients.load(Ordering::SeqCst)
    }

    /// Long commands running.
    pub fn jobs(&self) -> u32 {
        self.jobs.load(Ordering::SeqCst)
    }

    /// Counts a client for as long as the guard lives.
    pub fn count_client(self: &Arc<Self>) -> Counted {
        self.clients.fetch_add(1, Ordering::SeqCst);
        Counted {
            shared: self.clone(),
            job: false,
        }
    }

    /// `benchtop.toml` as it is on disk now. It is read again when it is another file; while it cannot be read the last
    /// that could be counts, and a notice says so.
    pub fn config(&self) -> Arc<Config> {
        self.settings.now(self)
    }

    /// Counts a job for as long as the guard lives.
    pub fn count_job(self: &Arc<Self>) -> Counted {
        self.jobs.fetch_add(1, Ordering::SeqCst);
        Counted {
            shared: self.clone(),
            job: true,
        }
    }
}

/// See [`OwnerContext::count_client`] and [`OwnerContext::count_job`].
pub struct Counted {
    shared: Arc<OwnerContext>,
    job: bool,
}

impl Drop for Counted {
    fn drop(&mut self) {
        let counter = if self.job {
            &self.shared.jobs
        } else {
            &self.shared.clients
        };
        counter.fetch_sub(1, Ordering::SeqCst);
    }
}
