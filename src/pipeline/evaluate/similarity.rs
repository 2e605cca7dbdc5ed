//! Compares free-form answers with their references: collects the pairs of texts and computes their
//! similarities.

use std::collections::{HashMap, HashSet};

use crate::board::dataset_resolver::DatasetResolver;
use benchtop_inference::scoring::TextEmbedder;
use benchtop_model::cancel::{Cancel, ProgressSink, canceled};
use benchtop_model::free_form::{FreeForm, cosine};
use benchtop_model::{Error, ErrorKind, Item, QuestionKind, Result};
use benchtop_store::Catalog;
use benchtop_store::catalog::parse_item;
use benchtop_store::judge_cache::about;
use benchtop_store::manifest::Content;
use benchtop_store::similarity::{Cosines, pair};

/// Number of items between cancellation checks.
const STEP: usize = 4096;
/// Number of pairs compared and recorded at a time.
const TOGETHER: usize = 256;

/// An answer to a free-form question, and its reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    pub row: u32,
    /// The item's reference text.
    pub reference: String,
    pub output: String,
    /// The key of a judge's grade.
    pub about: String,
}

impl Compared {
    /// The number of the pair.
    pub fn pair(&self) -> u64 {
        pair(&self.reference, &self.output)
    }
}

/// The outputs of one model, by row.
type Outputs = HashMap<u32, String>;

/// Models with answers, in import order.
pub fn models(catalog: &Catalog) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for answers in catalog.answers() {
        if let Content::Predictions { model, .. } = &answers.part.holds
            && !all.contains(model)
        {
            all.push(model.clone());
        }
    }
    all
}

fn outputs(catalog: &Catalog, resolver: &DatasetResolver, wanted: &str) -> Result<Outputs> {
    let mut found = Outputs::new();
    for answers in catalog.answers() {
        if !matches!(&answers.part.holds, Content::Predictions { model, .. } if model == wanted) {
            continue;
        }
        let assignment =
            resolver.assign_part(answers, &|hash| catalog.row_of_hash(hash).is_some())?;
        let mut id = String::new();
        for row in answers.predictions()? {
            if let Ok(at) = assignment.find(&row.key.to_string(), &mut id, |hash| {
                catalog.row_of_hash(hash)
            }) {
                found.entry(at).or_insert(row.output);
            }
        }
    }
    Ok(found)
}

/// The free-form answers of `models`, each list in item order. Answers without a data set are
/// assigned as on the board.
///
/// # Errors
///
/// [`ErrorKind::Corrupt`] if items or answers are damaged, and [`ErrorKind::Cancelled`].
pub fn compared(
    catalog: &Catalog,
    models: &[String],
    rule: FreeForm,
    cancel: Cancel<'_>,
) -> Result<Vec<Vec<Compared>>> {
    let resolver = DatasetResolver::of(catalog);
    let outputs: Vec<Outputs> = models
        .iter()
        .map(|model| outputs(catalog, &resolver, model))
        .collect::<Result<_>>()?;
    let mut all: Vec<Vec<Compared>> = models.iter().map(|_| Vec::new()).collect();
    catalog.each_line(0, &mut |row, line| {
        if row % STEP == 0 {
            cancel.check()?;
        }
        // Most items are not free-form, and parsing all of them would be slow.
        if memchr::memmem::find(line, QuestionKind::FreeForm.name().as_bytes()).is_none() {
            return Ok(true);
        }
        let item: Item = parse_item(row, line)?;
        let Some(reference) = rule.reference(&item) else {
            return Ok(true);
        };
        for (outputs, list) in outputs.iter().zip(&mut all) {
            let Some(output) = outputs.get(&(row as u32)) else {
                continue;
            };
            list.push(Compared {
                row: row as u32,
                about: about(&item.id, &item.question, [reference], output),
                reference: reference.to_string(),
                output: output.clone(),
            });
        }
        Ok(true)
    })?;
    Ok(all)
}

/// The result of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimilaritySummary {
    /// Number of new pairs.
    pub pairs: u64,
    /// Texts longer than the model's input.
    pub cut: u64,
}

/// Compares the remaining pairs in batches, each recorded before the next.
///
/// # Errors
///
/// [`ErrorKind::Cancelled`], a model error, or a failed write. Finished pairs are kept.
pub fn compare(
    all: &[Vec<Compared>],
    cosines: &mut Cosines,
    model: &mut dyn TextEmbedder,
    watch: ProgressSink<'_>,
) -> Result<SimilaritySummary> {
    let mut seen = HashSet::new();
    let left: Vec<&Compared> = all
        .iter()
        .flatten()
        .filter(|c| cosines.get(c.pair()).is_none() && seen.insert(c.pair()))
        .collect();
    let (mut done, of) = (SimilaritySummary::default(), left.len() as u64);
    let cancelled = |_| {
        Error::new(
            ErrorKind::Cancelled,
            "canceled; finished comparisons are kept",
        )
    };
    for some in left.chunks(TOGETHER) {
        watch
            .report("comparing", done.pairs, Some(of))
            .map_err(cancelled)?;
        let mut texts: Vec<&str> = some
            .iter()
            .flat_map(|c| [c.reference.as_str(), c.output.as_str()])
            .collect();
        texts.sort_unstable();
        texts.dedup();
        let embedded = model.embed(&texts, watch.cancel);
        let mut vectors = HashMap::new();
        for (text, found) in texts.iter().zip(embedded) {
            let found = found.map_err(|failure| match failure.kind {
                benchtop_model::generation::FailureKind::Cancelled => cancelled(canceled()),
                _ => Error::input(format!("cannot compare a text: {}", failure.reason)),
            })?;
            done.cut += u64::from(found.tokens_before_cut.is_some());
            vectors.insert(*text, found.vector);
        }
        let of_pair = |c: &&Compared| {
            let (a, b) = (
                vectors.get(c.reference.as_str())?,
                vectors.get(c.output.as_str())?,
            );
            Some((c.pair(), cosine(a, b) as f32))
        };
        let found: Vec<(u64, f32)> = some.iter().filter_map(of_pair).collect();
        cosines.append(&found)?;
        done.pairs += found.len() as u64;
    }
    let _ = watch.report("comparing", done.pairs, Some(of));
    Ok(done)
}

/// The score of each answer by row, for this many rows. NaN where there is none.
pub fn column(list: &[Compared], cosines: &Cosines, rule: FreeForm, rows: usize) -> Vec<f32> {
    let mut scores = vec![f32::NAN; rows];
    for compared in list {
        if let (Some(place), Some(cosine)) = (
            scores.get_mut(compared.row as usize),
            cosines.get(compared.pair()),
        ) {
            *place = rule.score(f64::from(cosine)) as f32;
        }
    }
    scores
}
