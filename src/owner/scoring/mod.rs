//! Scores, rules, and outcomes. Read on first use, and recomputed when items, pictures, scores, or
//! rules change.

mod answer;
mod cache;
mod earlier;
mod job;
#[cfg(test)]
mod tests;
mod work;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

pub use answer::chips;
pub use cache::{LoadedRules, ScorerFactory, Scoring};
pub use earlier::take_over;
pub use job::SCORING;

use super::context::OwnerContext;
use benchtop_model::Result;
use benchtop_model::cancel::Cancel;
use benchtop_model::scoring::Scorer;
use benchtop_model::scoring::rules::RuleSet;
use benchtop_pipeline::scoring::column::Column;
use benchtop_pipeline::scoring::inputs::{Inputs, Texts};
use benchtop_pipeline::scoring::rules::{ColumnsBy, Outcomes};
use benchtop_protocol::wire::Event;
use benchtop_store::rules::{self, RulesFile};
use benchtop_store::scores::{DIMENSION, EMBEDDINGS, Embeddings, Scores};
use cache::{HeldColumn, InputVersion, OutcomeSources};

/// Minimum time between two updates of a column while its scores are computed; an update is slow
/// with many items.
const FRESH_FOR: Duration = Duration::from_secs(1);

impl Scoring {
    /// The inputs of each item.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Corrupt`] if the texts are damaged;
    /// [`benchtop_model::ErrorKind::Cancelled`].
    pub fn inputs(
        &self,
        shared: &OwnerContext,
        cancel: Cancel<'_>,
    ) -> Result<(InputVersion, Arc<Inputs>)> {
        let catalog = shared.items.catalog();
        let of = (catalog.edition(), shared.items.pictures().len());
        if let Some((held, inputs)) = self.inputs.lock().as_ref().filter(|(held, _)| *held == of) {
            return Ok((*held, inputs.clone()));
        }
        let named = shared.requested.images(shared, cancel)?;
        let texts = {
            let mut held = self.texts.lock();
            match held.as_ref().filter(|t| t.edition == catalog.edition()) {
                Some(texts) => texts.clone(),
                None => held
                    .insert(Arc::new(Texts::read(&catalog, cancel)?))
                    .clone(),
            }
        };
        let inputs = Arc::new(Inputs::new(&texts, &named, &shared.items.pictures()));
        *self.inputs.lock() = Some((of, inputs.clone()));
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
        let mut all = self.scores.lock();
        if let Some(found) = all.get(scorer) {
            return Ok(found.clone());
        }
        let found = Scores::current(&shared.project.scores(), scorer)?;
        let found = found.map(|scores| {
            scores
                .problems
                .iter()
                .for_each(|p| shared.broadcast.notices().push(p.to_string()));
            Arc::new(Mutex::new(scores))
        });
        all.insert(scorer.clone(), found.clone());
        Ok(found)
    }

    /// The scores of one scorer by row. Up to one second old while its job runs.
    ///
    /// # Errors
    /// Same as [`inputs`](Self::inputs) and [`scores`](Self::scores).
    pub fn column(
        &self,
        shared: &OwnerContext,
        scorer: &Scorer,
        cancel: Cancel<'_>,
    ) -> Result<Arc<Column>> {
        let changes = self.generation();
        let (of, inputs) = self.inputs(shared, cancel)?;
        let is_running = self.is_running(shared, scorer);
        if let Some(held) = self.columns.lock().get(scorer).filter(|held| held.of == of)
            && (held.changes == changes || (is_running && held.made.elapsed() < FRESH_FOR))
        {
            return Ok(held.column.clone());
        }
        let column = match scorer {
            Scorer::Consensus | Scorer::Blind => {
                super::queries::from_predictions(shared, scorer, inputs.len())?
            }
            _ => match self.scores(shared, scorer)? {
                Some(scores) => Column::look_up(&scores.lock(), &inputs),
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
        self.columns.lock().insert(scorer.clone(), held);
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
        cancel: Cancel<'_>,
    ) -> Result<ColumnsBy> {
        scorers
            .into_iter()
            .map(|s| Ok((s.clone(), self.column(shared, &s, cancel)?)))
            .collect()
    }

    /// The rules on disk. The file is read again only if it has changed.
    pub fn rules(&self, shared: &OwnerContext) -> LoadedRules {
        let path = shared.project.root().join(benchtop_files::project::FILE);
        let stamp = std::fs::metadata(&path)
            .ok()
            .and_then(|m| Some((m.modified().ok()?, m.len())));
        let mut held = self.rules.lock();
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
            shared.broadcast.send(Event::Rules);
        }
        now
    }

    /// Caches rules that were just written.
    fn rules_are(&self, shared: &OwnerContext, written: RulesFile) {
        *self.rules.lock() = LoadedRules {
            written: Some(written),
            problem: None,
            stamp: None,
        };
        self.changed();
        shared.broadcast.send(Event::Rules);
    }

    /// Reads all scores again, and caches rules that were just written. Scores were written without
    /// a job.
    pub fn rescored(&self, shared: &OwnerContext, written: RulesFile) {
        self.scores.lock().clear();
        self.rules_are(shared, written);
    }

    /// The outcomes, with the rules and columns they were computed from.
    ///
    /// # Errors
    /// Same as [`columns`](Self::columns).
    pub fn outcomes(
        &self,
        shared: &OwnerContext,
        cancel: Cancel<'_>,
    ) -> Result<(RuleSet, ColumnsBy, Arc<Outcomes>)> {
        let (rules, generation) = (self.rules(shared).set(), self.generation());
        let scorers = benchtop_pipeline::scoring::rules::scorers(&rules.measures());
        let columns = self.columns(shared, scorers, cancel)?;
        let (of, _) = self.inputs(shared, cancel)?;
        let mut held = self.outcomes.lock();
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

    /// Whether [`outcomes`](Self::outcomes) answers without reading all items.
    pub fn is_current(&self, shared: &OwnerContext) -> bool {
        let now = (
            shared.items.catalog().edition(),
            shared.items.pictures().len(),
        );
        let held = self.outcomes.try_lock();
        held.is_some_and(|held| held.as_ref().is_some_and(|(made, _)| made.of == now))
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
        let found = self
            .outcomes
            .lock()
            .as_ref()
            .filter(|(made, _)| made.rules == rules)
            .map(|(made, _)| {
                let is_new = made.of == now
                    && (made.generation == self.generation() || self.is_busy(shared));
                (made.columns.clone(), is_new)
            });
        if !found.as_ref().is_some_and(|(_, is_new)| *is_new)
            && !self.finding.swap(true, Ordering::SeqCst)
        {
            let owner = shared.clone();
            let find = move || {
                let found = owner.scoring.outcomes(&owner, Cancel::NEVER);
                owner.scoring.finding.store(false, Ordering::SeqCst);
                if found.is_ok() {
                    owner.broadcast.send(Event::Rules);
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
            let scores = scores.lock();
            let part = |name: &str| scores.about.parts.get(name).cloned();
            (
                part(EMBEDDINGS),
                part(DIMENSION).and_then(|d| d.parse().ok()),
                scores.len(),
            )
        };
        let (Some(short), Some(dim)) = (short, dim) else {
            return Ok(None);
        };
        let mut held = self.embeddings.lock();
        let is_running = self.is_running(shared, &Scorer::Duplicate);
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
}
