//! The leaderboard's working data, and the scores that follow from predictions.

use std::collections::HashMap;
use std::sync::Arc;

use crate::metrics::consensus::Outcome;
use crate::model::scoring::Scorer;
use crate::model::{Item, Kind, Problem, Result};
use crate::owner::state::Shared;
use crate::owner::wire::AnswerSet;
use crate::pipeline::board::{Answers, Scored};
use crate::pipeline::scoring::column::Column;
use crate::pipeline::scoring::predictions;
use crate::store::columns::id_hash;
use crate::store::manifest::{Holds, Part};

/// What is known of a prediction file.
pub(super) fn set(part: &Part) -> Option<AnswerSet> {
    match &part.holds {
        Holds::Predictions { model, form, evaluated } => {
            Some(AnswerSet { model: model.clone(), form: *form, evaluated: *evaluated, rows: part.rows })
        }
        Holds::Items { .. } | Holds::Revisions { .. } => None,
    }
}

/// The leaderboard's working data, made once an import.
pub(super) fn scored(shared: &Shared) -> Result<Arc<Scored>> {
    let catalog = shared.catalog();
    let made_for = catalog.edition();
    let mut held = shared.scored();
    if let Some((_, scored)) = held.as_ref().filter(|(n, _)| *n == made_for) {
        return Ok(scored.clone());
    }
    let mut items: Vec<Item> = Vec::with_capacity(catalog.len());
    catalog.each_line(0, &mut |_, line| {
        let item = serde_json::from_slice(line)
            .map_err(|e| Problem::new(Kind::Corrupt, format!("a stored item cannot be read: {e}")))?;
        items.push(item);
        Ok(true)
    })?;
    let mut sets = Vec::new();
    let mut notes = Vec::new();
    for answers in catalog.answers() {
        if let Some(set) = set(&answers.part) {
            if answers.part.duplicates > 0 {
                let (n, source) = (answers.part.duplicates, &answers.part.source);
                notes.push(format!("{source}: {n} rows were given more than once and dropped at import"));
            }
            sets.push(Answers {
                model: set.model,
                source: answers.part.source.clone(),
                dataset: None,
                evaluated: set.evaluated,
                rows: answers.predictions()?,
            });
        }
    }
    let mut scored = Scored::new(&items, sets);
    scored.board.notes.extend(notes);
    let scored = Arc::new(scored);
    *held = Some((made_for, scored.clone()));
    Ok(scored)
}

/// How many of some items a model answers right, of those it answers.
pub struct Right {
    /// The model.
    pub model: String,
    /// Right and answered, of the good ones.
    pub good: (u64, u64),
    /// The same of all.
    pub all: (u64, u64),
}

/// How the models do on the items in `asked`, which says whether each is good, in the order of their names. None without
/// predictions.
///
/// # Errors
/// When items or predictions cannot be read.
pub fn right_of(shared: &Shared, asked: &HashMap<String, bool>) -> Result<Vec<Right>> {
    if shared.catalog().answers().is_empty() {
        return Ok(Vec::new());
    }
    let scored = scored(shared)?;
    let none = |model: &str| Right { model: model.into(), good: (0, 0), all: (0, 0) };
    let mut counts: Vec<Right> = scored.models().map(none).collect();
    for (item, outcomes) in scored.outcomes(&|_| true) {
        let Some(good) = asked.get(item) else { continue };
        for (counts, outcome) in counts.iter_mut().zip(outcomes).filter(|(_, o)| *o != Outcome::Missing) {
            let right = u64::from(outcome == Outcome::Right);
            counts.all = (counts.all.0 + right, counts.all.1 + 1);
            if *good {
                counts.good = (counts.good.0 + right, counts.good.1 + 1);
            }
        }
    }
    counts.sort_by(|a, b| a.model.cmp(&b.model));
    Ok(counts)
}

/// The scores that follow from the predictions, by row.
///
/// # Errors
/// When items or predictions cannot be read.
pub fn from_predictions(shared: &Shared, scorer: &Scorer, rows: usize) -> Result<Column> {
    let catalog = shared.catalog();
    if catalog.answers().is_empty() {
        return Ok(Column::without(rows));
    }
    let scored = scored(shared)?;
    let models = &shared.project.config().filter;
    let row_of = |id: &str| catalog.row_of_hash(id_hash(id));
    Ok(predictions::column(scorer, &scored, models, rows, &row_of))
}
