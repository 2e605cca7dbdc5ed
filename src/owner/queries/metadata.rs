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
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<MetadataState> {
        Ok(view.metadata.now(view)?.state.clone())
    }
}

impl Query for request::SaveMetadata {
    fn answer(self, view: &AnnotatorView, _: &mut Watch<'_>) -> Result<MetadataState> {
        view.metadata.save(view, &self.0)
    }
}

impl Query for request::Impact {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Impact> {
        let grammar = view.metadata.now(view)?.in_force.with(self.0)?;
        let usage = usage(view, watch)?;
        Ok(usage.impact(&grammar, &view.items(false).1))
    }
}

impl Query for request::Terms {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Vec<TermUse>> {
        let held = view.metadata.now(view)?;
        Ok(usage(view, watch)?.terms(held.compiled(), &view.items(false).1, &self.0))
    }
}

impl Query for request::Grid {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Grid> {
        let held = view.metadata.now(view)?;
        let usage = usage(view, watch)?;
        let number = [Sort::by(Field::Number)];
        let only = || rows(view, &self.filter, &number);
        let only = (!self.filter.is_empty()).then(only).transpose()?;
        let axes = (self.rows.as_str(), self.columns.as_str());
        usage.grid(held.compiled(), &view.items(false).1, axes, only.as_deref())
    }
}

impl Query for request::Failing {
    fn answer(self, view: &AnnotatorView, watch: &mut Watch<'_>) -> Result<Vec<FailingTerm>> {
        let held = view.metadata.now(view)?;
        Ok(usage(view, watch)?.failing(held.compiled(), &view.items(false).1, self.0))
    }
}
