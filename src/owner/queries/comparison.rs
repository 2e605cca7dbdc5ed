//! Queries about a board beyond its cells: ranks, intervals, and comparisons of models or rules.

use std::sync::Arc;

use super::board_data::{chosen, rule, scored, seen};
use crate::dispatch::{Query, Watch};
use crate::visibility::AnnotatorView;
use benchtop_metrics::score::ItemSelection;
use benchtop_model::board::analysis::{CellInterval, Disagreement, ModelComparison, Rank, TOOL};
use benchtop_model::board::{BoardQuery, ItemAnswers};
use benchtop_model::{Error, Result};
use benchtop_pipeline::board::BoardData;
use benchtop_protocol::wire::request;

fn parts(view: &AnnotatorView, ask: &BoardQuery) -> Result<(Arc<BoardData>, ItemSelection)> {
    let scored = scored(view.shared(), rule(ask.rule.as_deref())?)?;
    let chosen = chosen(view, &scored, ask)?;
    Ok((scored, chosen))
}

/// Row of the item with this id or number.
fn row_of(view: &AnnotatorView, name: &str) -> Result<u32> {
    let catalog = view.items.catalog();
    let by_number = || {
        let number: u32 = name.trim_start_matches('#').parse().ok()?;
        catalog.row(number).ok()
    };
    let none = || Error::not_found(format!("unknown item `{name}`"));
    catalog.row_of(name)?.or_else(by_number).ok_or_else(none)
}

impl Query for request::Ranks {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<(String, Rank)>> {
        let (scored, chosen) = parts(view, &self.ask)?;
        scored.ranks(&self.column, &chosen)
    }
}

impl Query for request::CellInterval {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<CellInterval> {
        let (scored, chosen) = parts(view, &self.ask)?;
        scored.confidence_intervals(&self.model, &self.column, &chosen, self.plan, watch.cancel)
    }
}

impl Query for request::Compare {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<ModelComparison> {
        let (scored, chosen) = parts(view, &self.ask)?;
        let [a, b] = &self.models;
        let visible = |row: u32| seen(view, row);
        scored.compare(
            (a, b),
            &self.column,
            &chosen,
            self.plan,
            (watch.cancel, &visible),
        )
    }
}

impl Query for request::Disagreements {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Vec<Disagreement>> {
        let (first, chosen) = parts(view, &self.ask)?;
        let visible = |row: u32| seen(view, row);
        if self.other.as_deref() == Some(TOOL) {
            return first.against_tools(&chosen, (watch.cancel, &visible));
        }
        let second = scored(view.shared(), rule(self.other.as_deref())?)?;
        first.disagreements(&second, &chosen, (watch.cancel, &visible))
    }
}

impl Query for request::ModelAnswers {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<ItemAnswers> {
        let row = row_of(view, &self.item)?;
        // The answer key and the model answers would reveal as much as a score.
        view.check_item(row + 1)?;
        let scored = scored(view.shared(), rule(self.rule.as_deref())?)?;
        scored.answers_to(row as usize, self.column.as_deref())
    }
}
