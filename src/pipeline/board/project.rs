//! Boards of a project. Questions and answers are read from the segments once, and from caches
//! afterwards.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::board_data::{BoardData, Texts};
use super::cache::{self, CachedAnswers, digest, questions, short};
use super::changed_options::Changed;
use super::dataset_resolver::DatasetResolver;
use super::diagnostics::BoardNotes;
use super::judge_readings::Ruling;
use super::read_answers::{
    ModelFiles, Reading, TOGETHER, evaluated, names_its_dataset, read_models,
};
use super::rows::as_asked;
use super::similarities::{Similarities, similarity};
use benchtop_formats as formats;
use benchtop_metrics::extract::Extractor;
use benchtop_metrics::score::parsed_answer::ParsedAnswer;
use benchtop_metrics::score::question_table::QuestionTable;
use benchtop_metrics::score::{Asked, BoardEngine, ModelAnswers, Place};
use benchtop_model::cancel::Cancel;
use benchtop_model::evaluation::AnswerFileHeader;
use benchtop_model::{Item, Prediction, Result};
use benchtop_store::Catalog;
use benchtop_store::catalog::{self, PredictionSegment};
use benchtop_store::judge_cache::JudgeExtractions;
use benchtop_store::manifest::Content;

struct Segments {
    catalog: Arc<Catalog>,
    /// The files of each model, evaluated ones first.
    files: BTreeMap<String, Vec<usize>>,
}

impl Texts for Segments {
    fn items(&self, rows: &[u32]) -> Result<Vec<Item>> {
        rows.iter()
            .map(|row| self.catalog.item(*row as usize))
            .collect()
    }

    fn answers(&self, model: &str, places: &[Place]) -> Result<Vec<Option<Prediction>>> {
        let files = self.files.get(model).map_or(&[][..], Vec::as_slice);
        let mut found = vec![None; places.len()];
        let mut order: Vec<usize> = (0..places.len())
            .filter(|at| places[*at] != Place::NONE)
            .collect();
        order.sort_unstable_by_key(|at| (places[*at].file, places[*at].row));
        for at in order {
            let place = places[at];
            if let Some(answers) = files
                .get(usize::from(place.file))
                .and_then(|at| self.catalog.answers().get(*at))
            {
                found[at] = answers.prediction(place.row as usize)?;
            }
        }
        Ok(found)
    }
}

/// The board data of a project with these items and predictions and its store at `store`. `rule`
/// reads all answers; by default each question has its own rule. `readings` are used by
/// [`Extractor::StrictJudge`].
///
/// # Errors
///
/// [`ErrorKind::Corrupt`] if a segment is damaged, [`ErrorKind::Cancelled`].
pub fn from_catalog(
    catalog: &Arc<Catalog>,
    store: &Path,
    (rule, readings): (Option<Extractor>, &Arc<JudgeExtractions>),
    similar: &Similarities<'_>,
    cancel: Cancel<'_>,
) -> Result<BoardData> {
    let questions = questions(catalog);
    let sheet = Arc::new(sheet(catalog, store, &questions)?);
    let mut files: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, answers) in catalog.answers().iter().enumerate() {
        if let Content::Predictions { model, .. } = &answers.part.holds {
            files.entry(model.clone()).or_default().push(at);
        }
    }
    for of in files.values_mut() {
        of.sort_by_key(|at| !evaluated(&catalog.answers()[*at]));
    }
    let of: Vec<ModelFiles<'_>> = files
        .iter()
        .map(|(model, files)| ModelFiles { model, files })
        .collect();
    let reading = Reading {
        catalog,
        resolver: &DatasetResolver::of(catalog),
        sheet: &sheet,
        ruling: Ruling { rule, readings },
        cancel,
    };
    let parts = of.len().div_ceil(TOGETHER);
    let parts = parts.next_multiple_of(rayon::current_num_threads());
    let kept: Vec<Vec<CachedAnswers>> = of
        .par_chunks(of.len().div_ceil(parts.max(1)).max(1))
        .map(|models| {
            let mut kept = model_answers(reading, store, models)?;
            for (of, kept) in models.iter().zip(&mut kept) {
                // Duplicates were dropped during import.
                kept.graded.counts.duplicate += of
                    .files
                    .iter()
                    .map(|at| catalog.answers()[*at].part.duplicates)
                    .sum::<u64>();
                kept.graded.asked = asked(catalog, of.files);
                kept.graded.similarity =
                    similarity(catalog, store, &sheet, &questions, *of, similar);
            }
            Ok(kept)
        })
        .collect::<Result<_>>()?;
    let (mut board_notes, mut models, mut places) =
        (BoardNotes::default(), Vec::new(), BTreeMap::new());
    board_notes.compares(match rule.is_some_and(Extractor::grades) {
        true => "without a grade; run benchtop eval judge --grade",
        false => "not compared yet; run benchtop eval similarity",
    });
    // The answers of evaluations come from no file.
    let brought = |a: &&PredictionSegment| !a.part.source_blake3.is_empty();
    board_notes.files(
        catalog
            .answers()
            .iter()
            .filter(brought)
            .map(|a| a.part.source.as_str()),
    );
    for answers in catalog.answers() {
        board_notes.doubled(&answers.part.source, answers.part.duplicates);
    }
    let (before, mut changed) = (Changed::of(catalog)?, BTreeMap::new());
    for model in kept.into_iter().flatten() {
        let own = files
            .get(&model.graded.model)
            .map_or(&[][..], Vec::as_slice);
        changed.insert(
            model.graded.model.clone(),
            before.rows(catalog, own, &model.places),
        );
        model.files.iter().for_each(|(source, file_outcomes)| {
            board_notes.file(&model.graded.model, source, file_outcomes)
        });
        places.insert(model.graded.model.clone(), model.places);
        models.push(Arc::new(model.graded));
    }
    let texts = Segments {
        catalog: catalog.clone(),
        files,
    };
    let scored = BoardData::new(
        BoardEngine::new(sheet, models),
        places,
        Box::new(texts),
        board_notes,
        rule,
    );
    Ok(BoardData {
        changed,
        ..scored.with_readings(readings.clone())
    })
}

/// The questions asked of a model, if all its files are of one evaluation.
fn asked(catalog: &Catalog, files: &[usize]) -> Option<Asked> {
    let of = |at: &usize| match &catalog.answers()[*at].part.holds {
        Content::Predictions { run, .. } => run.as_ref(),
        Content::Items { .. } | Content::Revisions { .. } => None,
    };
    let runs: Vec<&AnswerFileHeader> = files.iter().map(of).collect::<Option<_>>()?;
    let first = runs.first()?;
    let mut lacking: Vec<u32> = runs
        .iter()
        .flat_map(|run| &run.lacking)
        .filter_map(|number| number.checked_sub(1))
        .collect();
    lacking.sort_unstable();
    lacking.dedup();
    Some(Asked {
        base: first.base.clone(),
        orders: first.orders,
        order: first.order,
        lacking,
    })
}

/// The question table, from the cache or built anew.
fn sheet(catalog: &Catalog, store: &Path, key: &[u8; 32]) -> Result<QuestionTable> {
    if let Ok(sheet) = cache::read_sheet(store, key)
        && sheet.len() == catalog.len()
    {
        return Ok(sheet);
    }
    let mut sheet = QuestionTable::default();
    catalog.each_line(0, &mut |_, line| {
        let item: Item = catalog::parse(line)?;
        sheet.push(&item).map(|()| true)
    })?;
    cache::ignore_cache_error(cache::write_sheet(store, key, &sheet));
    Ok(sheet)
}

/// The answers of models: from the cache, updated for revised items, or read anew.
fn model_answers(
    reading: Reading<'_>,
    store: &Path,
    models: &[ModelFiles<'_>],
) -> Result<Vec<CachedAnswers>> {
    let mut found = Vec::new();
    for of in models {
        let (name, key) = cache_key(reading, *of);
        found.push((cached(reading, store, *of, (&name, &key))?, name, key));
    }
    let missing: Vec<ModelFiles<'_>> = models
        .iter()
        .zip(&found)
        .filter(|(_, (kept, ..))| kept.is_none())
        .map(|(of, _)| *of)
        .collect();
    let mut read = read_models(reading, &missing)?.into_iter();
    let mut of = |(kept, name, key): (Option<CachedAnswers>, String, [u8; 32])| {
        kept.or_else(|| {
            let mut kept = read.next()?;
            kept.revisions = reading.catalog.revisions().list.len() as u64;
            cache::ignore_cache_error(cache::write_marks(store, &name, &key, &kept));
            Some(kept)
        })
    };
    Ok(found.into_iter().filter_map(&mut of).collect())
}

/// The name of the file that keeps a model's answers, and what it depends on.
fn cache_key(reading: Reading<'_>, of: ModelFiles<'_>) -> (String, [u8; 32]) {
    let Reading {
        catalog,
        resolver,
        ruling,
        ..
    } = reading;
    let ModelFiles { model, files } = of;
    let rule = ruling.rule;
    let mut hasher = digest(catalog, files);
    // A rule's name contains its version.
    let rules = rule.map_or_else(
        || Extractor::ALL.map(Extractor::name).join(" "),
        |rule| rule.name().to_string(),
    );
    hasher.update(rules.as_bytes());
    hasher.update(ruling.digest().as_bytes());
    if resolver.is_several()
        && files
            .iter()
            .any(|at| !names_its_dataset(&catalog.answers()[*at]))
    {
        // The assignment of answers without a data set depends on all data sets and on the origin
        // of each.
        let answers = files.iter().map(|at| &catalog.answers()[*at].part);
        catalog.item_parts().chain(answers).for_each(|part| {
            hasher.update(format!("{} {} {}\n", part.file, part.rows, part.source).as_bytes());
        });
    }
    let name = short(&format!("{model}\n{}", rule.map_or("", Extractor::name)));
    (name, *hasher.finalize().as_bytes())
}

/// A model's answers from the cache, updated for revised items.
fn cached(
    reading: Reading<'_>,
    store: &Path,
    of: ModelFiles<'_>,
    (name, key): (&str, &[u8; 32]),
) -> Result<Option<CachedAnswers>> {
    let Reading {
        catalog,
        sheet,
        ruling,
        cancel,
        ..
    } = reading;
    let revisions = &catalog.revisions().list;
    if let Ok(mut kept) = cache::read_marks(store, name, key) {
        let same = kept.revisions == revisions.len() as u64;
        // New items can only match answers that had no question before.
        let grown = kept.graded.marks.len() < sheet.len() && kept.graded.counts.extra > 0;
        if kept.graded.marks.len() <= sheet.len()
            && kept.revisions <= revisions.len() as u64
            && !grown
        {
            kept.graded.marks.resize(sheet.len(), ParsedAnswer::ABSENT);
            if !same {
                reread_revised(catalog, sheet, of.files, ruling, &mut kept)?;
                cache::ignore_cache_error(cache::write_marks(store, name, key, &kept));
            }
            cancel.check()?;
            return Ok(Some(kept));
        }
    }
    Ok(None)
}

/// Reads the answers to revised items again.
fn reread_revised(
    catalog: &Catalog,
    sheet: &QuestionTable,
    files: &[usize],
    ruling: Ruling<'_>,
    kept: &mut CachedAnswers,
) -> Result<()> {
    let revisions = &catalog.revisions().list;
    let from = kept.revisions as usize;
    let revised: HashSet<u32> = revisions
        .iter()
        .skip(from)
        .flat_map(|r| r.rows.iter().copied())
        .collect();
    let places = kept.places.unpack();
    for row in revised.into_iter().map(|row| row as usize) {
        let Some(place) = places.get(row).copied().filter(|p| *p != Place::NONE) else {
            continue;
        };
        let Some(at) = files.get(usize::from(place.file)) else {
            continue;
        };
        let Some(answer) = catalog.answers()[*at].prediction(place.row as usize)? else {
            continue;
        };
        let item = catalog.item(row)?;
        if let (Some((_, file_outcomes)), Some(said)) = (
            kept.files.get_mut(usize::from(place.file)),
            formats::text_of(&answer),
        ) {
            let key = answer.key.to_string();
            match formats::is_text_of(said, &item.question, item.instruction.as_deref()) {
                true => file_outcomes.drifted.remove(&key),
                false => file_outcomes.drifted.insert(key),
            };
        }
        let before = kept.graded.mark(row);
        let asked = as_asked(&item, &answer);
        let mut mark = ModelAnswers::read(
            sheet,
            row,
            ruling.rule,
            &asked,
            &answer.output,
            answer.judge.as_deref(),
        );
        if mark == ParsedAnswer::UNPARSED {
            let judged = ruling.judged((&item.id, &item.question), &asked, &answer.output);
            mark = judged.map_or(mark, benchtop_metrics::score::mark);
        }
        let counts = &mut kept.graded.counts;
        for (state, n) in [
            (ParsedAnswer::UNPARSED, &mut counts.unparsed),
            (ParsedAnswer::REFUSED, &mut counts.refused),
        ] {
            *n = *n + u64::from(mark == state) - u64::from(before == state);
        }
        kept.graded.marks[row] = mark;
    }
    kept.revisions = revisions.len() as u64;
    Ok(())
}
