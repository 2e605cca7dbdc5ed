//! Board data, and scores derived from predictions.

use crate::dispatch::{Query, Watch};
use std::collections::HashMap;
use std::sync::Arc;

use crate::context::OwnerContext;
use crate::evaluate::{Scores, edition};
use crate::rounds::accepted;
use crate::visibility::AnnotatorView;
use benchtop_files::project::Project;
use benchtop_formats::published_figures as published;
use benchtop_metrics::consensus::{Outcome, Tally};
use benchtop_metrics::extract::Extractor;
use benchtop_metrics::score::ItemSelection;
use benchtop_model::board::{AnswerDetail, Board, BoardQuery, Curated, DrilldownPage};
use benchtop_model::cancel::Cancel;
use benchtop_model::free_form::FreeForm;
use benchtop_model::scoring::Scorer;
use benchtop_model::scoring::queries::Counted;
use benchtop_model::sorting::sort_by;
use benchtop_model::{Error, Result, Status};
use benchtop_pipeline::board::{
    BoardData, DRILLDOWN_FURTHER_PAGE, DRILLDOWN_PAGE, Similarities, from_catalog, white_box,
};
use benchtop_pipeline::evaluate::grade;
use benchtop_pipeline::evaluate::similarity::compared;
use benchtop_pipeline::scoring::column::Column;
use benchtop_pipeline::scoring::predictions::{self, Counting};
use benchtop_protocol::wire::{AnswerSet, request};
use benchtop_store::Catalog;
use benchtop_store::columns::id_hash;
use benchtop_store::judge_cache::JudgeExtractions;
use benchtop_store::manifest::{Content, Segment};

/// Description of a prediction file.
pub(super) fn set(part: &Segment) -> Option<AnswerSet> {
    match &part.holds {
        Content::Predictions {
            model,
            form,
            evaluated,
            dataset,
            ..
        } => Some(AnswerSet {
            model: model.clone(),
            form: *form,
            evaluated: *evaluated,
            rows: part.rows,
            dataset: dataset.clone(),
        }),
        Content::Items { .. } | Content::Revisions { .. } => None,
    }
}

/// Board data, computed once per import and extraction rule.
pub fn scored(shared: &OwnerContext, rule: Option<Extractor>) -> Result<Arc<BoardData>> {
    let catalog = shared.items.catalog();
    let made_for = catalog.edition();
    let mut held = shared.scored();
    held.retain(|(edition, ..)| *edition == made_for);
    if let Some((.., scored)) = held.iter().find(|(_, r, _)| *r == rule) {
        return Ok(scored.clone());
    }
    let store = shared.project.store();
    let readings = match rule {
        Some(rule) if rule.is_of_project() => {
            Arc::new(JudgeExtractions::read(shared.project.root())?)
        }
        _ => Arc::default(),
    };
    // Answers that were not compared have no similarity.
    let cosines = Scores::new(shared, FreeForm::default());
    let similarities = |model: &str| cosines.of(model);
    let grades = |model: &str| grades(&catalog, &readings, model);
    let similar = match rule.is_some_and(Extractor::grades) {
        true => Similarities {
            name: "grades",
            of: Some(readings.digest.clone()),
            find: &grades,
        },
        false => Similarities {
            name: "free-form",
            of: edition(shared, FreeForm::default()),
            find: &similarities,
        },
    };
    let scored = Arc::new(from_catalog(
        &catalog,
        &store,
        (rule, &readings),
        &similar,
        Cancel::NEVER,
    )?);
    held.push((made_for, rule, scored.clone()));
    Ok(scored)
}

/// The grades of a model's free-form answers by row; empty if its answers cannot be read.
fn grades(catalog: &Catalog, readings: &JudgeExtractions, model: &str) -> Vec<f32> {
    let of = [model.to_string()];
    match compared(catalog, &of, FreeForm::default(), Cancel::NEVER) {
        Ok(mut all) => grade::column(&all.pop().unwrap_or_default(), readings, catalog.len()),
        Err(_) => Vec::new(),
    }
}

/// The extraction rule with this name.
///
/// # Errors
/// [`Error::usage`] with the known names.
pub(super) fn rule(name: Option<&str>) -> Result<Option<Extractor>> {
    let Some(name) = name else { return Ok(None) };
    let found = Extractor::from_name(name).ok_or_else(|| {
        let names = Extractor::ALL.map(Extractor::name).join(", ");
        Error::usage(format!("unknown extraction rule `{name}`")).help(format!("rules: {names}"))
    });
    found.map(Some)
}

impl Query for request::Board {
    /// The board. Requested figures of papers are appended here and not stored.
    ///
    /// # Errors
    /// An invalid filter, an unknown round or paper, or damaged items or predictions.
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Board> {
        let ask = &self.0;
        let scored = scored(view.shared(), rule(ask.rule.as_deref())?)?;
        let chosen = chosen(view, &scored, ask)?;
        let mut board = scored.board(&chosen);
        let proxies = &scored.engine().sheet().proxies;
        if !proxies.is_empty() {
            // Read now: the models may have been named while the owner runs.
            let project = Project::open(view.shared().project.root())?;
            white_box::mark(&mut board, proxies, &project.config().white_box);
        }
        mark_drafts(view.shared(), &scored, &chosen, &mut board)?;
        published::beside(&mut board, &ask.printed)?;
        if ask.chance {
            board.rows.push(scored.engine().chance_row(&chosen));
        }
        Ok(board)
    }
}

/// Records the number of questions with draft pictures.
fn mark_drafts(
    shared: &OwnerContext,
    scored: &BoardData,
    chosen: &ItemSelection,
    board: &mut Board,
) -> Result<()> {
    if shared.items.pictures().is_empty() || board.rows.is_empty() {
        return Ok(());
    }
    let rows = (0..scored.engine().sheet().len()).filter(|row| chosen.holds(*row));
    board.drafts = shared
        .requested
        .drafts(shared, rows.map(|row| row as u32), Cancel::NEVER)?;
    if board.drafts > 0 {
        let note = format!(
            "{} of {} questions show a draft, so their answers are not meaningful",
            board.drafts, board.questions
        );
        board.notes.insert(0, note);
    }
    Ok(())
}

impl Query for request::Drilldown {
    /// A page of the answers behind a cell of the board.
    ///
    /// # Errors
    /// As [`board`]; [`Error::not_found`] for an unknown model or column.
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<DrilldownPage> {
        let (ask, from) = (&self.ask, self.from);
        let scored = scored(view.shared(), rule(ask.rule.as_deref())?)?;
        let chosen = chosen(view, &scored, ask)?;
        let most = if from == 0 {
            DRILLDOWN_PAGE
        } else {
            DRILLDOWN_FURTHER_PAGE
        };
        let mut page = scored.drilldown(&self.model, &self.column, &chosen, (from, most))?;
        remove_hidden(view, &mut page.answers);
        Ok(page)
    }
}

/// Whether model answers to an item are visible: not while the item is blind, which includes rounds
/// that ask for the answer itself.
pub(super) fn seen(view: &AnnotatorView, row: u32) -> bool {
    !view.hides(row)
}

/// Removes the answers that the annotator may not see.
fn remove_hidden(view: &AnnotatorView, answers: &mut Vec<AnswerDetail>) {
    let catalog = view.items.catalog();
    answers.retain(|a| {
        catalog
            .row_of_hash(id_hash(&a.item))
            .is_none_or(|row| seen(view, row))
    });
}

/// Questions that a board is scored on.
///
/// # Errors
/// An invalid filter, an unknown round, or a filter that a blind round forbids.
pub(super) fn chosen(
    view: &AnnotatorView,
    scored: &BoardData,
    ask: &BoardQuery,
) -> Result<ItemSelection> {
    view.check_filter(&ask.filter)?;
    let rows = scored.engine().sheet().len();
    let only = |of: &[u32]| {
        let mut only = vec![false; rows];
        of.iter()
            .filter_map(|row| only_place(*row, rows))
            .for_each(|row| only[row] = true);
        only
    };
    let accepted: Option<Vec<bool>> = match &ask.curated {
        Curated::All => None,
        Curated::Accepted => {
            view.check_scores()?;
            let (_, overlay) = view.items(false);
            Some(
                (0..overlay.len())
                    .map(|row| overlay.status(row) == Status::Accepted)
                    .collect(),
            )
        }
        Curated::Round(name) => Some(only(&accepted(view, name)?)),
    };
    let wanted = match ask.filter.is_empty() {
        true => None,
        false => Some(only(&super::list::rows(view, &ask.filter, &[])?)),
    };
    let ruled = scored.engine();
    if accepted.is_none() && wanted.is_none() {
        return Ok(ruled.choose(None));
    }
    let is = |of: &Option<Vec<bool>>, row: usize| {
        of.as_ref()
            .is_none_or(|of| of.get(row).copied().unwrap_or(false))
    };
    Ok(ruled.choose(Some(&|row| is(&accepted, row) && is(&wanted, row))))
}

/// Position of a row on the board; `None` for items that were added after the board was computed.
fn only_place(row: u32, rows: usize) -> Option<usize> {
    usize::try_from(row).ok().filter(|row| *row < rows)
}

/// Number of items that a model answered, and answered correctly.
pub struct Right {
    pub model: String,
    /// Correct and all answers to the good items.
    pub good: (u64, u64),
    /// Correct and all answers to all items.
    pub all: (u64, u64),
}

/// Results of all models on the items in `asked`, whose values mark the good ones. Sorted by model
/// name. Empty without predictions.
pub fn right_of(shared: &OwnerContext, asked: &HashMap<String, bool>) -> Result<Vec<Right>> {
    if shared.items.catalog().answers().is_empty() {
        return Ok(Vec::new());
    }
    let scored = scored(shared, None)?;
    let catalog = shared.items.catalog();
    // The caller knows the items by id. There are few.
    let mut rows: HashMap<u32, bool> = HashMap::with_capacity(asked.len());
    for (id, good) in asked {
        if let Some(row) = catalog.row_of_hash(id_hash(id)) {
            rows.insert(row, *good);
        }
    }
    let none = |model: &str| Right {
        model: model.into(),
        good: (0, 0),
        all: (0, 0),
    };
    let mut counts: Vec<Right> = scored.models().map(none).collect();
    for (row, outcomes) in scored.outcomes(&|_| true) {
        let Some(good) = rows.get(&(row as u32)) else {
            continue;
        };
        for (counts, outcome) in counts
            .iter_mut()
            .zip(outcomes)
            .filter(|(_, o)| *o != Outcome::Missing)
        {
            let right = u64::from(outcome == Outcome::Right);
            counts.all = (counts.all.0 + right, counts.all.1 + 1);
            if *good {
                counts.good = (counts.good.0 + right, counts.good.1 + 1);
            }
        }
    }
    sort_by(&mut counts, |a, b| a.model.cmp(&b.model));
    Ok(counts)
}

/// Number of models behind a score that is derived from predictions, and the models that the
/// settings choose by a column; `None` if no model answered.
pub fn counted_of(
    shared: &OwnerContext,
    scorer: &Scorer,
    row: usize,
) -> Result<Option<(Counted, Tally, String)>> {
    if shared.items.catalog().answers().is_empty() {
        return Ok(None);
    }
    let scored = scored(shared, Some(predictions::RULE))?;
    let settings = shared.config().filter.clone();
    let counting = Counting::new(scorer, &scored, &settings)?;
    let found = predictions::counted(&counting, &scored, row);
    Ok(found.map(|(counted, tally)| (counted, tally, counting.shown())))
}

/// Scores derived from the predictions, by row.
pub fn from_predictions(shared: &OwnerContext, scorer: &Scorer, rows: usize) -> Result<Column> {
    let catalog = shared.items.catalog();
    if catalog.answers().is_empty() {
        return Ok(Column::without(rows));
    }
    let scored = scored(shared, Some(predictions::RULE))?;
    let settings = shared.config().filter.clone();
    let counting = Counting::new(scorer, &scored, &settings)?;
    Ok(predictions::column(&counting, &scored, rows))
}
