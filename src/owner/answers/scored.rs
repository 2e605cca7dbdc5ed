//! The leaderboard's working data, and the scores that follow from predictions.

use std::sync::Arc;

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
