//! What an export would write.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use super::source::Source;
use super::write;
use benchtop_model::cancel::ProgressSink;
use benchtop_model::export::{Existing, ExportPlan, ExportRequest};
use benchtop_model::{Filter, Form, Result};
use benchtop_pipeline::export::{Answers, Kind};
use benchtop_protocol::Client;

/// Counts what an export would write.
///
/// # Errors
/// What [`write`](super::write) refuses before it writes, and cancellation.
pub fn plan(client: &Client, ask: &ExportRequest, watch: ProgressSink<'_>) -> Result<ExportPlan> {
    let export = write::format(ask)?;
    write::check_options(export, ask)?;
    let filter = Filter::parse(&ask.filter)?;
    let source = Source {
        client,
        filter,
        watch,
    };
    source.check_drafts(ask.drafts)?;
    let has_pictures = ask.images || matches!(export.kind, Kind::Tables(_));
    let mut plan = ExportPlan {
        out: ask.out.clone(),
        existing: ask.out.as_deref().map(existing).unwrap_or_default(),
        ..ExportPlan::default()
    };
    let (mut pictures, mut datasets) = (HashSet::new(), BTreeSet::new());
    let (mut first, mut more_files) = (None, BTreeSet::new());
    source.each("counting", |item| {
        plan.items += 1;
        if !(export.takes)(item.form) {
            plan.left_out += 1;
            return Ok(());
        }
        if let (Kind::File(_), Some(out)) = (&export.kind, ask.out.as_deref()) {
            let first = first.get_or_insert_with(|| item.clone());
            more_files.extend((export.file_beside)(out, first, &item));
        }
        if !datasets.contains(&item.dataset) {
            datasets.insert(item.dataset.clone());
        }
        if has_pictures {
            let is_missing = |image: &benchtop_model::ImageRef| image.hash.is_none();
            plan.without_file += u64::from(item.images.iter().any(is_missing));
            pictures.extend(item.images.into_iter().filter_map(|image| image.hash));
        }
        Ok(())
    })?;
    plan.pictures = pictures.len() as u64;
    let is_there = |file: &&PathBuf| existing(file) != Existing::Nothing;
    plan.more_replaced = more_files.iter().filter(is_there).count() as u64;
    plan.more_files = more_files.into_iter().collect();
    plan.datasets = datasets.into_iter().collect();
    let answers = match (export.answers, ask.with_predictions) {
        (Answers::Always, _) => source
            .answer_sets()?
            .iter()
            .filter(|s| s.form != Form::Plain)
            .count(),
        (Answers::OnRequest, true) => source.answer_sets()?.len(),
        _ => 0,
    };
    plan.answer_sets = answers as u64;
    Ok(plan)
}

/// What is at a path. A link counts as a file: it is replaced.
fn existing(path: &Path) -> Existing {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => {
            let mut entries = std::fs::read_dir(path).into_iter().flatten();
            match entries.next() {
                Some(_) => Existing::Folder,
                None => Existing::Nothing,
            }
        }
        Ok(found) => Existing::File(found.len()),
        Err(_) => Existing::Nothing,
    }
}
