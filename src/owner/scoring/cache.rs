//! The scores, rules, and outcomes that the owner holds.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use benchtop_files::project::Project;
use benchtop_model::Result;
use benchtop_model::scoring::Scorer;
use benchtop_model::scoring::rules::RuleSet;
use benchtop_pipeline::scoring::build;
use benchtop_pipeline::scoring::column::Column;
use benchtop_pipeline::scoring::inputs::{Inputs, Texts};
use benchtop_pipeline::scoring::rules::{ColumnsBy, Outcomes};
use benchtop_pipeline::scoring::runner::Runner;
use benchtop_store::catalog::CatalogVersion;
use benchtop_store::rules::RulesFile;
use benchtop_store::scores::{Embeddings, Scores};

/// Builds a scorer.
pub type ScorerFactory = Box<dyn Fn(&Project, &Scorer) -> Result<Box<dyn Runner>> + Send + Sync>;

/// How long the result of a readiness check is valid.
const NOT_READY_FOR: Duration = Duration::from_secs(5);

/// What the inputs depend on.
pub type InputVersion = (CatalogVersion, usize);

pub(super) struct HeldColumn {
    pub(super) of: InputVersion,
    pub(super) changes: u64,
    pub(super) made: Instant,
    pub(super) column: Arc<Column>,
}

/// Embeddings, with the model and the number of scores at the time of reading.
pub(super) type HeldEmbeddings = ((String, usize), Arc<Embeddings>);

/// The time of the check, and the reason that each scorer cannot run.
type NotReady = (Instant, HashMap<Scorer, Option<String>>);

/// The rules on disk, with the error of the last read.
#[derive(Clone, Default)]
pub struct LoadedRules {
    /// The last rules that could be read.
    pub written: Option<RulesFile>,
    /// Why the file cannot be read now.
    pub problem: Option<String>,
    pub(super) stamp: Option<(std::time::SystemTime, u64)>,
}

impl LoadedRules {
    pub fn set(&self) -> RuleSet {
        self.written
            .as_ref()
            .map(|w| w.rules.clone())
            .unwrap_or_default()
    }
}

/// What outcomes are computed from.
pub(super) struct OutcomeSources {
    pub(super) rules: RuleSet,
    pub(super) of: InputVersion,
    /// The generation of the scores.
    pub(super) generation: u64,
    pub(super) columns: ColumnsBy,
}

impl OutcomeSources {
    pub(super) fn matches(&self, rules: &RuleSet, of: InputVersion, columns: &ColumnsBy) -> bool {
        let same = |scorer: &Scorer, column: &Arc<Column>| {
            columns.get(scorer).is_some_and(|c| Arc::ptr_eq(c, column))
        };
        self.rules == *rules
            && self.of == of
            && self.columns.len() == columns.len()
            && self
                .columns
                .iter()
                .all(|(scorer, column)| same(scorer, column))
    }
}

pub struct Scoring {
    pub(super) maker: ScorerFactory,
    /// Held while a job is started.
    pub(super) beginning: Mutex<()>,
    pub(super) texts: Mutex<Option<Arc<Texts>>>,
    pub(super) inputs: Mutex<Option<(InputVersion, Arc<Inputs>)>>,
    pub(super) scores: Mutex<HashMap<Scorer, Option<Arc<Mutex<Scores>>>>>,
    pub(super) columns: Mutex<BTreeMap<Scorer, HeldColumn>>,
    pub(super) rules: Mutex<LoadedRules>,
    pub(super) outcomes: Mutex<Option<(OutcomeSources, Arc<Outcomes>)>>,
    pub(super) embeddings: Mutex<Option<HeldEmbeddings>>,
    /// Incremented with every recorded score.
    pub(super) changes: AtomicU64,
    /// Whether a background thread is computing outcomes.
    pub(super) finding: AtomicBool,
    /// The last readiness check. Cached since it starts a program.
    pub(super) not_ready: Mutex<Option<NotReady>>,
}

impl Default for Scoring {
    fn default() -> Self {
        Scoring::new(Box::new(build::build))
    }
}

impl Scoring {
    /// An empty state. `maker` builds scorers.
    pub fn new(maker: ScorerFactory) -> Scoring {
        Scoring {
            maker,
            beginning: Mutex::default(),
            texts: Mutex::default(),
            inputs: Mutex::default(),
            scores: Mutex::default(),
            columns: Mutex::default(),
            rules: Mutex::default(),
            outcomes: Mutex::default(),
            embeddings: Mutex::default(),
            changes: AtomicU64::new(1),
            finding: AtomicBool::new(false),
            not_ready: Mutex::default(),
        }
    }

    /// A number that changes when scores or rules change, to detect outdated lists.
    pub fn generation(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    pub(super) fn changed(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    /// Drops cached scores after their files were replaced or moved.
    pub(super) fn forget(&self, scorer: &Scorer) {
        self.scores.lock().remove(scorer);
        self.columns.lock().remove(scorer);
        self.changed();
    }

    /// Replaces the cached scores of a scorer.
    pub(super) fn put(&self, scores: Scores) -> Arc<Mutex<Scores>> {
        let scorer = scores.about.scorer.clone();
        let scores = Arc::new(Mutex::new(scores));
        self.scores
            .lock()
            .insert(scorer.clone(), Some(scores.clone()));
        self.columns.lock().remove(&scorer);
        self.changed();
        scores
    }

    /// Why a scorer cannot run now; may be a few seconds old.
    pub(super) fn not_ready(&self, project: &Project, scorer: &Scorer) -> Option<String> {
        let mut held = self.not_ready.lock();
        if held
            .as_ref()
            .is_none_or(|(found, _)| found.elapsed() >= NOT_READY_FOR)
        {
            *held = Some((Instant::now(), HashMap::new()));
        }
        let known = held.as_mut().map(|(_, known)| known);
        match known {
            Some(known) => known
                .entry(scorer.clone())
                .or_insert_with(|| build::not_ready(project, scorer))
                .clone(),
            None => None,
        }
    }
}
