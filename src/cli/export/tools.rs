//! `benchtop export` in the formats of other tools.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::source::Source;
use benchtop_model::export::{ExportReport, ExportRequest};
use benchtop_model::{Key, Result};
use benchtop_pipeline::export::Tables;
use benchtop_pipeline::export::tools::{Surveys, Tools};
use benchtop_protocol::wire::AnswerSet;

/// A model's answers by data set (if the answer set names one) and key.
type Outputs = HashMap<(Option<String>, Key), String>;

pub(super) fn write(
    source: &Source<'_>,
    ask: &ExportRequest,
    tables: &'static Tables,
) -> Result<ExportReport> {
    let dir = ask.out.as_deref().unwrap_or(Path::new("."));
    let mut surveys = Surveys::default();
    source.each("reading", |item| {
        surveys.add(&item);
        Ok(())
    })?;
    let mut tools = Tools::new(tables, dir, &source.client.welcome().root, surveys);
    source.each("exporting", |item| tools.push(&item))?;
    let mut unused_answers = 0;
    if ask.with_predictions {
        for (model, sets) in models(source)? {
            let mut outputs = outputs(source, &sets)?;
            let mut answers = tools.answers(&model);
            source.each("exporting answers", |item| {
                let own = outputs.remove(&(Some(item.dataset.clone()), item.key.clone()));
                let output = own.or_else(|| outputs.remove(&(None, item.key.clone())));
                answers.push(&item, output.as_deref())
            })?;
            answers.finish()?;
            unused_answers += outputs.len() as u64;
        }
    }
    let aside = tools.aside().clone();
    let written = tools.finish()?;
    Ok(ExportReport {
        items: written.items,
        answers: ask.with_predictions.then_some(written.answers),
        unused_answers,
        without_picture: written.without,
        then: tables.without_picture,
        set_aside: aside.count() as u64,
        aside: aside.first().to_vec(),
        ..ExportReport::default()
    })
}

/// The answer sets of each model, with their numbers.
fn models(source: &Source<'_>) -> Result<BTreeMap<String, Vec<(u32, AnswerSet)>>> {
    let sets = source.answer_sets()?;
    let mut models: BTreeMap<String, Vec<(u32, AnswerSet)>> = BTreeMap::new();
    for (at, set) in sets.into_iter().enumerate() {
        models
            .entry(set.model.clone())
            .or_default()
            .push((at as u32, set));
    }
    Ok(models)
}

/// The answers of the sets. The first of several answers to one question counts.
fn outputs(source: &Source<'_>, sets: &[(u32, AnswerSet)]) -> Result<Outputs> {
    let mut outputs = Outputs::new();
    for (at, set) in sets {
        let mut failed = None;
        source.lines(*at, &mut |row| match row {
            Ok(row) => drop(
                outputs
                    .entry((set.dataset.clone(), row.key))
                    .or_insert(row.output),
            ),
            Err(problem) => drop(failed.get_or_insert(problem)),
        })?;
        if let Some(problem) = failed {
            return Err(problem);
        }
    }
    Ok(outputs)
}
