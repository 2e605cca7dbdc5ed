//! Publishes the answers of a run as predictions of the project: one segment for each name, data
//! set, and form.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::relabel::relabelled;
use crate::new_segments::NewSegments;
use benchtop_files::project::Project;
use benchtop_model::evaluation::{AnswerFileHeader, RunAnswer, RunQuestion, label_of, orders_of};
use benchtop_model::{Form, Item, Key, Prediction, Result};
use benchtop_store::Catalog;
use benchtop_store::index::Index;
use benchtop_store::manifest::{Content, Manifest};
use benchtop_store::runs::{self, Line, Run};
use benchtop_store::segment::Writer;

/// The common properties of a segment's answers: order, data set, and form.
type SegmentKey = (u16, String, Form);

/// The source of the answers, as recorded in the manifest.
fn source(run: u32, dataset: &str) -> String {
    format!("evaluation {run} on {dataset}")
}

/// An answer as a prediction. Letters are those of the item's own order, with the original output
/// next to it if it differs.
pub fn prediction(run: &Run, item: &Item, asked: RunQuestion, answer: &RunAnswer) -> Prediction {
    let output = answer.reads.clone().unwrap_or_else(|| {
        // Runs of earlier versions did not record this.
        let options: Vec<&str> = item.options.iter().map(|o| o.text.as_str()).collect();
        relabelled(&answer.output, &options, &answer.shown)
    });
    let mut extra = Map::new();
    let mut put = |name: &str, value: Value| drop(extra.insert(name.into(), value));
    put("model_id", run.new.model.as_str().into());
    put("run", run.id.into());
    put("instruction", answer.instruction.as_str().into());
    put("finish", json!(answer.finish));
    put("blind", run.new.blind.into());
    if asked.order > 0 {
        put("order", asked.order.into());
    }
    if !answer.shown.is_empty() {
        put("shown", json!(answer.shown));
    }
    if output != answer.output {
        put("said", answer.output.as_str().into());
    }
    if let Some(reasoning) = &answer.reasoning {
        put("reasoning", reasoning.as_str().into());
    }
    if let Some(place) = answer.refusal {
        put("refusal", place.into());
    }
    if let Some(usage) = answer.usage {
        put("prompt_tokens", usage.prompt.into());
        put("completion_tokens", usage.completion.into());
    }
    if let Some(served) = answer.served.as_deref().filter(|s| *s != run.new.model) {
        put("served", served.into());
    }
    Prediction {
        key: item.key.clone(),
        output,
        rule: None,
        judge: None,
        extra,
    }
}

/// Writes the unpublished answers of `run` and its skipped items into segments. A data set whose
/// items were all skipped gets a segment without rows, so that it counts. A run without answers
/// gets none.
///
/// # Errors
///
/// [`benchtop_model::ErrorKind::Corrupt`] if stored data is damaged, or if a write fails. Then
/// nothing is left.
pub fn segments(project: &Project, catalog: &Catalog, run: &Run) -> Result<NewSegments> {
    let (mut there, mut told) = (HashSet::<(String, Key)>::new(), HashSet::new());
    let mine = format!("evaluation {} on ", run.id);
    for answers in catalog
        .answers()
        .iter()
        .filter(|a| a.part.source.starts_with(&mine))
    {
        if let Content::Predictions {
            model,
            dataset,
            run,
            ..
        } = &answers.part.holds
        {
            told.extend(
                run.iter()
                    .flat_map(|run| run.lacking.iter().map(|number| (run.order, *number))),
            );
            let set = format!("{model}\n{}", dataset.as_deref().unwrap_or_default());
            there.extend(
                answers
                    .predictions()?
                    .into_iter()
                    .map(|p| (set.clone(), p.key)),
            );
        }
    }
    let mut sets: BTreeMap<(u16, String, u8), (SegmentKey, Writer)> = BTreeMap::new();
    runs::read(project.root(), run.id, &mut |line| {
        let Line::Answer { asked, answer, .. } = line else {
            return Ok(());
        };
        let Some(row) = asked
            .number
            .checked_sub(1)
            .filter(|row| (*row as usize) < catalog.len())
        else {
            return Ok(());
        };
        let item = catalog.item(row as usize)?;
        for order in orders_of(run.new.orders, asked.order) {
            // The first answer to a question counts, even if it was answered twice.
            let label = label_of(&run.label, run.new.orders, order);
            if !there.insert((format!("{label}\n{}", item.dataset), item.key.clone())) {
                continue;
            }
            let at = (order, item.dataset.clone(), item.form as u8);
            let (_, writer) = match sets.entry(at) {
                Entry::Occupied(slot) => slot.into_mut(),
                Entry::Vacant(slot) => slot.insert((
                    (order, item.dataset.clone(), item.form),
                    Writer::create(&project.imports())?,
                )),
            };
            writer.push(&prediction(run, &item, asked, &answer))?;
        }
        Ok(())
    })?;
    if sets.is_empty() && there.is_empty() {
        return Ok(NewSegments::new(project, &Manifest::default()));
    }
    let mut skipped_items = skipped_items(project, catalog, run, &told)?;
    for ((order, dataset), numbers) in &skipped_items {
        if sets.keys().all(|(o, d, _)| (o, d) != (order, dataset)) {
            let first = numbers.first().map_or(0, |number| *number as usize - 1);
            let form = catalog.item(first)?.form;
            let set = (
                (*order, dataset.clone(), form),
                Writer::create(&project.imports())?,
            );
            sets.insert((*order, dataset.clone(), form as u8), set);
        }
    }
    let mut made = NewSegments::new(project, &Manifest::for_import(&project.imports())?);
    for ((order, dataset, form), writer) in sets.into_values() {
        let source = source(run.id, &dataset);
        let of_run = AnswerFileHeader {
            run: run.id,
            base: run.label.clone(),
            orders: run.new.orders,
            order,
            lacking: skipped_items
                .remove(&(order, dataset.clone()))
                .unwrap_or_default(),
        };
        let holds = Content::Predictions {
            model: label_of(&run.label, run.new.orders, order),
            form,
            evaluated: false,
            dataset: Some(dataset),
            run: Some(of_run),
        };
        made.push(writer, holds, source)?;
    }
    Ok(made)
}

/// Numbers of the items that were skipped, by order and data set, ascending, without those already
/// in `told`.
fn skipped_items(
    project: &Project,
    catalog: &Catalog,
    run: &Run,
    told: &HashSet<(u16, u32)>,
) -> Result<BTreeMap<(u16, String), Vec<u32>>> {
    let mut skipped_items: BTreeMap<(u16, String), Vec<u32>> = BTreeMap::new();
    let (progress, _) = runs::progress(project.root(), run.id)?;
    for asked in progress.failed.into_keys() {
        let Some(row) = asked
            .number
            .checked_sub(1)
            .filter(|row| (*row as usize) < catalog.len())
        else {
            continue;
        };
        let dataset = catalog.item(row as usize)?.dataset;
        for order in orders_of(run.new.orders, asked.order)
            .filter(|order| !told.contains(&(*order, asked.number)))
        {
            skipped_items
                .entry((order, dataset.clone()))
                .or_default()
                .push(asked.number);
        }
    }
    Ok(skipped_items)
}

/// Adds segments to the project and returns the new catalog. Removes them on failure.
///
/// # Errors
///
/// If a write fails.
pub fn publish(
    project: &Project,
    index: &Index,
    catalog: &Catalog,
    made: NewSegments,
    at: &str,
) -> Result<Arc<Catalog>> {
    let taken = made.add(project, index, catalog, catalog.columns().clone(), at);
    // A failed index write is only a notice: the next start rebuilds the index.
    taken.map(|(catalog, _)| catalog)
}
