//! Scores, rules, and outcomes. Read on first use, and recomputed when items, pictures, scores, or
//! rules change.

mod answer;
mod file;
mod queue;
#[cfg(test)]
mod tests;
mod work;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub use answer::chips;
pub use queue::start;

use super::context::OwnerContext;
use benchtop_files::project::Project;
use benchtop_model::Result;
use benchtop_model::scoring::Scorer;
use benchtop_model::scoring::rules::RuleSet;
use benchtop_pipeline::scoring::build;
use benchtop_pipeline::scoring::column::Column;
use benchtop_pipeline::scoring::inputs::{Inputs, Texts};
use benchtop_pipeline::scoring::rules::{ColumnsBy, Outcomes};
use benchtop_pipeline::scoring::runner::Runner;
use benchtop_protocol::wire::Event;
use benchtop_store::catalog::CatalogVersion;
use benchtop_store::rules::{self, Written};
use benchtop_store::scores::{DIMENSION, EMBEDDINGS, Embeddings, Scores};

/// Builds a scorer.
pub type ScorerFactory = Box<dyn Fn(&Project, &Scorer) -> Result<Box<dyn Runner>> + Send + Sync>;

/// Minimum time between two updates of a column while its scores are computed; an update is slow
/// with many items.
const FRESH_FOR: Duration = Duration::from_secs(1);

/// How long the result of a readiness check is valid.
const NOT_READY_FOR: Duration = Duration::from_secs(5);

/// What the inputs depend on.
type InputVersion = (CatalogVersion, usize);

struct HeldColumn {
    of: InputVersion,
    changes: u64,
    made: Instant,
    column: Arc<Column>,
}

/// Embeddings, with the model and the number of scores at the time of reading.
type HeldEmbeddings = ((String, usize), Arc<Embeddings>);

/// The time of the check, and the reason that each scorer cannot run.
type NotReady = (Instant, HashMap<Scorer, Option<String>>);

/// The rules on disk, with the error of the last read.
#[derive(Clone, Default)]
pub struct LoadedRules {
    /// The last rules that could be read.
    pub written: Option<Written>,
    /// Why the file cannot be read now.
    pub problem: Option<String>,
    stamp: Option<(std::time::SystemTime, u64)>,
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
struct OutcomeSources {
    rules: RuleSet,
    of: InputVersion,
    /// The generation of the scores.
    generation: u64,
    columns: ColumnsBy,
}

impl OutcomeSources {
    fn matches(&self, rules: &RuleSet, of: InputVersion, columns: &ColumnsBy) -> bool {
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
    maker: ScorerFactory,
    desk: queue::JobQueue,
    texts: Mutex<Option<Arc<Texts>>>,
    inputs: Mutex<Option<(InputVersion, Arc<Inputs>)>>,
    scores: Mutex<HashMap<Scorer, Option<Arc<Mutex<Scores>>>>>,
    columns: Mutex<BTreeMap<Scorer, HeldColumn>>,
    rules: Mutex<LoadedRules>,
    outcomes: Mutex<Option<(OutcomeSources, Arc<Outcomes>)>>,
    embeddings: Mutex<Option<HeldEmbeddings>>,
    /// Incremented with every recorded score.
    changes: AtomicU64,
    /// Whether a background thread is computing outcomes.
    finding: AtomicBool,
    /// The last readiness check. Cached since it starts a program.
    not_ready: Mutex<Option<NotReady>>,
}

impl Default for Scoring {
    fn default() -> Self {
        Scoring::new(Box::new(build::build))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Scoring {
    /// An empty state. `maker` builds scorers.
    pub fn new(maker: ScorerFactory) -> Scoring {
        Scoring {
            maker,
            desk: queue::JobQueue::default(),
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

    fn changed(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }

    /// The inputs of each item. `wanted` returns whether to continue reading.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`] if the texts are damaged;
    /// [`benchtop_model::ErrorKind::Cancelled`].
    pub fn inputs(
        &self,
        shared: &OwnerContext,
        wanted: &dyn Fn() -> bool,
    ) -> Result<(InputVersion, Arc<Inputs>)> {
        let catalog = shared.items.catalog();
        let of = (catalog.edition(), shared.items.pictures().len());
        if let Some((held, inputs)) = lock(&self.inputs).as_ref().filter(|(held, _)| *held == of) {
            return Ok((*held, inputs.clone()));
        }
        let named = shared.desk.requested_images(shared, wanted)?;
        let texts = {
            let mut held = lock(&self.texts);
            match held.as_ref().filter(|t| t.edition == catalog.edition()) {
                Some(texts) => texts.clone(),
                None => held
                    .insert(Arc::new(Texts::read(&catalog, wanted)?))
                    .clone(),
            }
        };
        let inputs = Arc::new(Inputs::new(&texts, &named, &shared.items.pictures()));
        *lock(&self.inputs) = Some((of, inputs.clone()));
        Ok((of, inputs))
    }

    /// The scores of a scorer, if it has any.
    ///
    /// # Errors
    /// Errors of reading them.
    pub fn scores(
        &self,
        shared: &OwnerContext,
        scorer: &Scorer,
    ) -> Result<Option<Arc<Mutex<Scores>>>> {
        let mut all = lock(&self.scores);
        if let Some(found) = all.get(scorer) {
            return Ok(found.clone());
        }
        let found = Scores::current(&shared.project.scores(), scorer)?;
        let found = found.map(|scores| {
            scores
                .problems()
                .iter()
                .for_each(|p| shared.broadcast.notices().push(p.to_string()));
            Arc::new(Mutex::new(scores))
        });
        all.insert(scorer.clone(), found.clone());
        Ok(found)
    }

    /// Drops cached scores after their files were replaced or moved.
    fn forget(&self, scorer: &Scorer) {
        lock(&self.scores).remove(scorer);
        lock(&self.columns).remove(scorer);
        self.changed();
    }

    /// Replaces the cached scores of a scorer.
    fn put(&self, scores: Scores) -> Arc<Mutex<Scores>> {
        let scorer = scores.about().scorer.clone();
        let scores = Arc::new(Mutex::new(scores));
        lock(&self.scores).insert(scorer.clone(), Some(scores.clone()));
        lock(&self.columns).remove(&scorer);
        self.changed();
        scores
    }

    /// The scores of one scorer by row. Up to one second old while its job runs.
    ///
    /// # Errors
    /// Same as [`inputs`](Self::inputs) and [`scores`](Self::scores).
    pub fn column(
        &self,
        shared: &OwnerContext,
        scorer: &Scorer,
        wanted: &dyn Fn() -> bool,
    ) -> Result<Arc<Column>> {
        let changes = self.generation();
        let (of, inputs) = self.inputs(shared, wanted)?;
        let is_running = self.desk.is_running(scorer);
        if let Some(held) = lock(&self.columns).get(scorer).filter(|held| held.of == of)
            && (held.changes == changes || (is_running && held.made.elapsed() < FRESH_FOR))
        {
            return Ok(held.column.clone());
        }
        let column = match scorer {
            Scorer::Consensus | Scorer::Blind => {
                super::queries::from_predictions(shared, scorer, inputs.len())?
            }
            _ => match self.scores(shared, scorer)? {
                Some(scores) => Column::look_up(&lock(&scores), &inputs),
                // Not cached: there are many scorers, and most projects use few.
                None => return Ok(Arc::new(Column::missing(scorer, &inputs))),
            },
        };
        let column = Arc::new(column);
        let held = HeldColumn {
            of,
            changes,
            made: Instant::now(),
            column: column.clone(),
        };
        lock(&self.columns).insert(scorer.clone(), held);
        Ok(column)
    }

    /// The columns of these scorers.
    ///
    /// # Errors
    /// Same as [`column`](Self::column).
    pub fn columns(
        &self,
        shared: &OwnerContext,
        scorers: impl IntoIterator<Item = Scorer>,
        wanted: &dyn Fn() -> bool,
    ) -> Result<ColumnsBy> {
        scorers
            .into_iter()
            .map(|s| Ok((s.clone(), self.column(shared, &s, wanted)?)))
            .collect()
    }

    /// The rules on disk. The file is read again only if it has changed.
    pub fn rules(&self, shared: &OwnerContext) -> LoadedRules {
        let path = shared.project.root().join(benchtop_files::project::FILE);
        let stamp = std::fs::metadata(&path)
            .ok()
            .and_then(|m| Some((m.modified().ok()?, m.len())));
        let mut held = lock(&self.rules);
        if held.stamp.is_some() && held.stamp == stamp {
            return held.clone();
        }
        let before = held.written.clone();
        match rules::read(&shared.project) {
            Ok(written) => {
                *held = LoadedRules {
                    written: Some(written),
                    problem: None,
                    stamp,
                }
            }
            Err(problem) => (held.problem, held.stamp) = (Some(problem.to_string()), stamp),
        }
        let now = held.clone();
        drop(held);
        if before.is_some_and(|b| Some(b) != now.written) {
            self.changed();
            shared.broadcast.tell(Event::Rules);
        }
        now
    }

    /// Caches rules that were just written.
    fn rules_are(&self, shared: &OwnerContext, written: Written) {
        *lock(&self.rules) = LoadedRules {
            written: Some(written),
            problem: None,
            stamp: None,
        };
        self.changed();
        shared.broadcast.tell(Event::Rules);
    }

    /// The outcomes, with the rules and columns they were computed from.
    ///
    /// # Errors
    /// Same as [`columns`](Self::columns).
    pub fn outcomes(
        &self,
        shared: &OwnerContext,
        wanted: &dyn Fn() -> bool,
    ) -> Result<(RuleSet, ColumnsBy, Arc<Outcomes>)> {
        let (rules, generation) = (self.rules(shared).set(), self.generation());
        let scorers = benchtop_pipeline::scoring::rules::scorers(&rules.measures());
        let columns = self.columns(shared, scorers, wanted)?;
        let (of, _) = self.inputs(shared, wanted)?;
        let mut held = lock(&self.outcomes);
        if let Some((made, outcomes)) = held
            .as_mut()
            .filter(|(made, _)| made.matches(&rules, of, &columns))
        {
            made.generation = generation;
            return Ok((rules, columns, outcomes.clone()));
        }
        let outcomes = Arc::new(Outcomes::of(&rules, &columns, &shared.items.catalog()));
        *held = Some((
            OutcomeSources {
                rules: rules.clone(),
                of,
                generation,
                columns: columns.clone(),
            },
            outcomes.clone(),
        ));
        Ok((rules, columns, outcomes))
    }

    /// The rules and columns of the last outcomes, without waiting, so that an item is shown
    /// without reading all items. If they are missing or outdated, a thread computes them and sends
    /// [`Event::Rules`] when done.
    fn cached(&self, shared: &Arc<OwnerContext>) -> Option<(RuleSet, ColumnsBy)> {
        let rules = self.rules(shared).set();
        if rules.rules.is_empty() {
            return None;
        }
        let now = (
            shared.items.catalog().edition(),
            shared.items.pictures().len(),
        );
        let found = lock(&self.outcomes)
            .as_ref()
            .filter(|(made, _)| made.rules == rules)
            .map(|(made, _)| {
                let is_new =
                    made.of == now && (made.generation == self.generation() || self.desk.is_busy());
                (made.columns.clone(), is_new)
            });
        if !found.as_ref().is_some_and(|(_, is_new)| *is_new)
            && !self.finding.swap(true, Ordering::SeqCst)
        {
            let owner = shared.clone();
            let find = move || {
                let found = owner.scoring.outcomes(&owner, &|| true);
                owner.scoring.finding.store(false, Ordering::SeqCst);
                if found.is_ok() {
                    owner.broadcast.tell(Event::Rules);
                }
            };
            if std::thread::Builder::new()
                .name("outcomes".into())
                .spawn(find)
                .is_err()
            {
                self.finding.store(false, Ordering::SeqCst);
            }
        }
        found.map(|(columns, _)| (rules, columns))
    }

    /// The embeddings of the model that searches near duplicates, if pictures were embedded. While
    /// a job adds embeddings, those of the first request are returned.
    ///
    /// # Errors
    /// Errors of reading them.
    fn embeddings(&self, shared: &OwnerContext) -> Result<Option<Arc<Embeddings>>> {
        let Some(scores) = self.scores(shared, &Scorer::Duplicate)? else {
            return Ok(None);
        };
        let (short, dim, size) = {
            let scores = lock(&scores);
            let part = |name: &str| scores.about().parts.get(name).cloned();
            (
                part(EMBEDDINGS),
                part(DIMENSION).and_then(|d| d.parse().ok()),
                scores.len(),
            )
        };
        let (Some(short), Some(dim)) = (short, dim) else {
            return Ok(None);
        };
        let mut held = lock(&self.embeddings);
        let is_running = self.desk.is_running(&Scorer::Duplicate);
        if let Some((_, embeddings)) = held
            .as_ref()
            .filter(|(of, _)| *of == (short.clone(), size) || is_running)
        {
            return Ok(Some(embeddings.clone()));
        }
        let embeddings = Arc::new(Embeddings::read(&shared.project.scores(), &short, dim)?);
        *held = Some(((short, size), embeddings.clone()));
        Ok(Some(embeddings))
    }

    /// Why a scorer cannot run now; may be a few seconds old.
    fn not_ready(&self, project: &Project, scorer: &Scorer) -> Option<String> {
        let mut held = lock(&self.not_ready);
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

    /// Whether a job waits for an agreement.
    pub fn waits_for_consent(&self, id: u32) -> bool {
        self.desk
            .inner()
            .live(id)
            .is_some_and(|live| live.state().waits.is_some())
    }

    /// Stops all work and waits for it.
    pub fn end(&self) {
        self.desk.end();
    }
}
