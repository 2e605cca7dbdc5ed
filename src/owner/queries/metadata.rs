//! Queries about metadata files and their usage by items.

use std::sync::Arc;

use super::list::rows;
use crate::context::OwnerContext;
use crate::dispatch::{Query, Watch};
use crate::visibility::AnnotatorView;
use benchtop_model::usage::{FailingTerm, Grid, Impact, MetadataState, TermUse};
use benchtop_model::{Field, Result, Sort};
use benchtop_pipeline::usage::Usage;
use benchtop_protocol::wire::request;

fn usage(shared: &OwnerContext, watch: &Watch<'_>) -> Result<Arc<Usage>> {
    shared.metadata.usage(shared, watch.cancel)
}

impl Query for request::Metadata {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<MetadataState> {
        Ok(sight.metadata.now(sight)?.state.clone())
    }
}

impl Query for request::SaveMetadata {
    fn answer(self, sight: &AnnotatorView, _: &mut Watch<'_>) -> Result<MetadataState> {
        sight.metadata.save(sight, &self.0)
    }
}

impl Query for request::Impact {
    fn answer(self, sight: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Impact> {
        let grammar = sight.metadata.now(sight)?.in_force.with(self.0)?;
        let usage = usage(sight, watch)?;
        Ok(usage.impact(&grammar, &sight.items(false).1))
    }
}

impl Query for request::Terms {
    fn answer(self, sight: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Vec<TermUse>> {
        let held = sight.metadata.now(sight)?;
        Ok(usage(sight, watch)?.terms(held.compiled(), &sight.items(false).1, &self.0))
    }
}

impl Query for request::Grid {
    fn answer(self, sight: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Grid> {
        let held = sight.metadata.now(sight)?;
        let usage = usage(sight, watch)?;
        let number = [Sort::by(Field::Number)];
        let only = || rows(sight, &self.filter, &number);
        let only = (!self.filter.is_empty()).then(only).transpose()?;
        let axes = (self.rows.as_str(), self.columns.as_str());
        usage.grid(
            held.compiled(),
            &sight.items(false).1,
            axes,
            only.as_deref(),
        )
    }
}

impl Query for request::Failing {
    fn answer(self, sight: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Vec<FailingTerm>> {
        let held = sight.metadata.now(sight)?;
        Ok(usage(sight, watch)?.failing(held.compiled(), &sight.items(false).1, self.0))
    }
}
