//! Boards of a project. Questions and answers are read from the segments once, and from caches
//! afterwards.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::board_data::{BoardData, Texts};
use super::cache::{self, CachedAnswers, Places, digest, questions, short};
use super::changed_options::Changed;
use super::dataset_resolver::DatasetResolver;
use super::diagnostics::{BoardNotes, FileOutcomes};
use super::judge_readings::Ruling;
use super::rows::{Window, key_text, rows};
use super::similarities::{Similarities, similarity};
use benchtop_formats as formats;
use benchtop_metrics::extract::{self, Extractor};
use benchtop_metrics::score::parsed_answer::ParsedAnswer;
use benchtop_metrics::score::question_table::QuestionTable;
use benchtop_metrics::score::{Asked, BoardEngine, Grader, ModelAnswers, Outcome, Place};
use benchtop_model::cancel::Cancel;
use benchtop_model::evaluation::AnswerFileHeader;
use benchtop_model::{Error, ErrorKind, Item, Prediction, Result};
use benchtop_store::Catalog;
use benchtop_store::catalog::PredictionSegment;
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
    let of: Vec<(&String, &Vec<usize>)> = files.iter().collect();
    let (ruling, resolver) = (Ruling { rule, readings }, DatasetResolver::of(catalog));
    let kept: Vec<CachedAnswers> = of
        .par_iter()
        .map(|(model, files)| {
            let model_files = ModelFiles { model, files };
            let mut kept = model_answers(
                catalog,
                &resolver,
                store,
                &sheet,
                model_files,
                ruling,
                cancel,
            )?;
            // Duplicates were dropped during import.
            kept.graded.counts.duplicate += files
                .iter()
                .map(|at| catalog.answers()[*at].part.duplicates)
                .sum::<u64>();
            kept.graded.asked = asked(catalog, files);
            kept.graded.similarity =
                similarity(catalog, store, &sheet, &questions, model_files, similar);
            Ok(kept)
        })
        .collect::<Result<_>>()?;
    let (mut board_notes, mut models, mut places) =
        (BoardNotes::default(), Vec::new(), BTreeMap::new());
    board_notes.compares("not compared yet; run benchtop eval similarity");
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
    for model in kept {
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

fn evaluated(answers: &PredictionSegment) -> bool {
    matches!(
        answers.part.holds,
        Content::Predictions {
            evaluated: true,
            ..
        }
    )
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
        let item: Item = serde_json::from_slice(line).map_err(|e| {
            Error::new(
                ErrorKind::Corrupt,
                format!("cannot read a stored item: {e}"),
            )
        })?;
        sheet.push(&item).map(|()| true)
    })?;
    cache::ignore_cache_error(cache::write_sheet(store, key, &sheet));
    Ok(sheet)
}

/// A model and the indices of its answer files.
#[derive(Clone, Copy)]
pub(super) struct ModelFiles<'a> {
    pub(super) model: &'a str,
    pub(super) files: &'a [usize],
}

/// A model's answers: from the cache, updated for revised items, or read anew.
fn model_answers(
    catalog: &Catalog,
    resolver: &DatasetResolver,
    store: &Path,
    sheet: &QuestionTable,
    model_files: ModelFiles<'_>,
    ruling: Ruling<'_>,
    cancel: Cancel<'_>,
) -> Result<CachedAnswers> {
    let ModelFiles { model, files } = model_files;
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
    let key: [u8; 32] = *hasher.finalize().as_bytes();
    let name = short(&format!("{model}\n{}", rule.map_or("", Extractor::name)));
    let revisions = catalog.revisions().list();
    if let Ok(mut kept) = cache::read_marks(store, &name, &key) {
        let same = kept.revisions == revisions.len() as u64;
        // New items can only match answers that had no question before.
        let grown = kept.graded.marks.len() < sheet.len() && kept.graded.counts.extra > 0;
        if kept.graded.marks.len() <= sheet.len()
            && kept.revisions <= revisions.len() as u64
            && !grown
        {
            kept.graded.marks.resize(sheet.len(), ParsedAnswer::ABSENT);
            if !same {
                reread_revised(catalog, sheet, files, ruling, &mut kept)?;
                cache::ignore_cache_error(cache::write_marks(store, &name, &key, &kept));
            }
            cancel.check()?;
            return Ok(kept);
        }
    }
    let mut kept = read_model(catalog, resolver, sheet, model_files, ruling, cancel)?;
    kept.revisions = revisions.len() as u64;
    cache::ignore_cache_error(cache::write_marks(store, &name, &key, &kept));
    Ok(kept)
}

fn names_its_dataset(answers: &PredictionSegment) -> bool {
    matches!(
        answers.part.holds,
        Content::Predictions {
            dataset: Some(_),
            ..
        }
    )
}

/// Reads a model's files.
fn read_model(
    catalog: &Catalog,
    resolver: &DatasetResolver,
    sheet: &QuestionTable,
    ModelFiles { model, files }: ModelFiles<'_>,
    ruling: Ruling<'_>,
    cancel: Cancel<'_>,
) -> Result<CachedAnswers> {
    let mut grader = Grader::new(sheet, model, ruling.rule);
    let mut told = Vec::new();
    let mut window = Window::new(catalog);
    let hashes = &catalog.columns().id_hash;
    for at in files {
        let answers = &catalog.answers()[*at];
        grader.file(evaluated(answers));
        let assignment =
            resolver.assign_part(answers, &|hash| catalog.row_of_hash(hash).is_some())?;
        let named =
            names_its_dataset(answers) && assignment.names.iter().any(|name| resolver.has(name));
        let mut file_outcomes = FileOutcomes::new(named, assignment.shared.clone());
        let (mut frame, mut line, mut expected) = (0, 0u32, 0);
        let mut id = String::new();
        while let Some(text) = answers.lines(frame)? {
            for row in rows(&text) {
                let row = row?;
                let key = key_text(row.key);
                // Most files have the order of the questions.
                let find = |hash| match hashes.get(expected) {
                    Some(next) if *next == hash => Some(expected),
                    _ => catalog.row_of_hash(hash).map(|row| row as usize),
                };
                match assignment.find(&key, &mut id, find) {
                    Err(hash) => file_outcomes.count(grader.extra(hash)),
                    Ok(place) => {
                        (expected, file_outcomes.known) = (place + 1, true);
                        let question = window.question(place)?;
                        let said = row.extra.as_ref().and_then(|e| e.question.or(e.prompt));
                        let said: Option<Cow<'_, str>> =
                            said.and_then(|raw| serde_json::from_str(raw.get()).ok());
                        if said.is_some_and(|said| !question.is_text(&said)) {
                            file_outcomes.drifted.insert(key.into_owned());
                        }
                        let asked = question.asked();
                        let outcome =
                            grader.answer(place, line, &asked, &row.output, row.judge.as_deref());
                        if outcome == Outcome::Used
                            && grader.is_unparsed(place)
                            && let Some(read) =
                                ruling.judged((&id, &question.question), &asked, &row.output)
                        {
                            grader.judged(place, read);
                        }
                        file_outcomes.count(outcome);
                    }
                }
                line += 1;
            }
            cancel.check()?;
            frame += 1;
        }
        told.push((answers.part.source.clone(), file_outcomes));
    }
    let (graded, places) = grader.finish();
    Ok(CachedAnswers {
        graded,
        places: Places::pack(&places),
        files: told,
        revisions: 0,
    })
}

/// Reads the answers to revised items again.
fn reread_revised(
    catalog: &Catalog,
    sheet: &QuestionTable,
    files: &[usize],
    ruling: Ruling<'_>,
    kept: &mut CachedAnswers,
) -> Result<()> {
    let revisions = catalog.revisions().list();
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
        let asked = extract::Asked::from(&item);
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
