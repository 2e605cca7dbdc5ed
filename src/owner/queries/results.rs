//! Queries about boards and predictions.

use super::board_data::set;
use crate::dispatch::{Query, Watch};
use crate::visibility::AnnotatorView;
use benchtop_model::{Error, Result};
use benchtop_protocol::wire::{AnswerSet, request};

impl Query for request::AnswerSets {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Vec<AnswerSet>> {
        Ok(view
            .items
            .catalog()
            .answers()
            .iter()
            .filter_map(|answers| set(&answers.part))
            .collect())
    }
}

impl Query for request::AnswerLines {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<Option<String>> {
        let catalog = view.items.catalog();
        let answers = catalog.answers().get(self.set as usize);
        let none = || Error::not_found(format!("unknown answer set {}", self.set));
        answers.ok_or_else(none)?.lines(self.part as usize)
    }
}
