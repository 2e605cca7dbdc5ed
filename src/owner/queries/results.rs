//! Queries about boards and predictions.

use super::analysis;
use super::board_data::{self, set};
use crate::dispatch::{Query, Watch};
use crate::visibility::AnnotatorView;
use benchtop_model::analysis::Analysis;
use benchtop_model::board::{Board, DrilldownPage};
use benchtop_model::{Error, Result};
use benchtop_protocol::wire::{AnswerSet, request};

impl Query for request::AnswerSets {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<AnswerSet>> {
        Ok(sight
            .items
            .catalog()
            .answers()
            .iter()
            .filter_map(|answers| set(&answers.part))
            .collect())
    }
}

impl Query for request::AnswerLines {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<Option<String>> {
        let catalog = sight.items.catalog();
        let answers = catalog.answers().get(self.set as usize);
        let none = || Error::not_found(format!("unknown answer set {}", self.set));
        answers.ok_or_else(none)?.lines(self.part as usize)
    }
}

impl Query for request::Board {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<Board> {
        board_data::board(sight, &self.0)
    }
}

impl Query for request::Drilldown {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<DrilldownPage> {
        board_data::behind(sight, &self.ask, (&self.model, &self.column), self.from)
    }
}

impl Query for request::Analyse {
    fn answer(self, sight: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Analysis> {
        analysis::analysed(sight, &self.0, watch)
    }
}
