//! Free-form answers compared with what the items say: which pairs of texts there are, and how alike they are.

use std::collections::{HashMap, HashSet};

use crate::board::dataset_resolver::DatasetResolver;
use benchtop_inference::scoring::TextEmbedder;
use benchtop_model::free_form::{FreeForm, cosine};
use benchtop_model::{Error, ErrorKind, Item, QuestionKind, Result};
use benchtop_store::Catalog;
use benchtop_store::manifest::Holds;
use benchtop_store::similarity::{Cosines, pair};

/// Items between two looks at cancellation.
const STEP: usize = 4096;
/// Pairs compared and recorded at a time.
const TOGETHER: usize = 256;

/// An answer to a free-form question, and what it is compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The item's row.
    pub row: u32,
    /// What the item says.
    pub reference: String,
    /// What the model said.
    pub output: String,
}

impl Compared {
    /// The number of the pair.
    pub fn pair(&self) -> u64 {
        pair(&self.reference, &self.output)
    }
}

/// The outputs of one model, by row.
type Outputs = HashMap<u32, String>;

/// Models that have answers, in the order they were brought in.
pub fn models(catalog: &Catalog) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for answers in catalog.answers() {
        if let Holds::Predictions { model, .. } = &answers.part.holds
            && !all.contains(model)
        {
            all.push(model.clone());
        }
    }
    all
}

fn outputs(catalog: &Catalog, shelf: &DatasetResolver, wanted: &str) -> Result<Outputs> {
    let mut found = Outputs::new();
    for answers in catalog.answers() {
        if !matches!(&answers.part.holds, Holds::Predictions { model, .. } if model == wanted) {
            continue;
        }
        let homes = shelf.homes_of(answers, &|hash| catalog.row_of_hash(hash).is_some())?;
        let mut id = String::new();
        for row in answers.predictions()? {
            if let Ok(at) = homes.find(&row.key.to_string(), &mut id, |hash| {
                catalog.row_of_hash(hash)
            }) {
                found.entry(at).or_insert(row.output);
            }
        }
    }
    Ok(found)
}

/// The free-form answers of `models`, each list in the order of the items. Where a file names no data set, its answers belong where
/// the board has them.
///
/// # Errors
/// [`ErrorKind::Corrupt`] when items or answers are damaged, and [`ErrorKind::Cancelled`].
pub fn compared(
    catalog: &Catalog,
    models: &[String],
    rule: FreeForm,
    wanted: &dyn Fn() -> bool,
) -> Result<Vec<Vec<Compared>>> {
    let shelf = DatasetResolver::of(catalog);
    let outputs: Vec<Outputs> = models
        .iter()
        .map(|model| outputs(catalog, &shelf, model))
        .collect::<Result<_>>()?;
    let mut all: Vec<Vec<Compared>> = models.iter().map(|_| Vec::new()).collect();
    catalog.each_line(0, &mut |row, line| {
        if row % STEP == 0 && !wanted() {
            return Err(Error::new(
                ErrorKind::Cancelled,
                "nobody waits for this any more",
            ));
        }
        // Most items are no free-form ones, and reading them whole would take long.
        if memchr::memmem::find(line, QuestionKind::FreeForm.name().as_bytes()).is_none() {
            return Ok(true);
        }
        let item: Item = serde_json::from_slice(line).map_err(|e| {
            Error::new(
                ErrorKind::Corrupt,
                format!("item #{} cannot be read: {e}", row + 1),
            )
        })?;
        let Some(reference) = rule.reference(&item) else {
            return Ok(true);
        };
        for (outputs, list) in outputs.iter().zip(&mut all) {
            let Some(output) = outputs.get(&(row as u32)) else {
                continue;
            };
            let (reference, output) = (reference.to_string(), output.clone());
            list.push(Compared {
                row: row as u32,
                reference,
                output,
            });
        }
        Ok(true)
    })?;
    Ok(all)
}

/// What a comparison came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Pairs that were compared now.
    pub pairs: u64,
    /// Texts that are longer than the model reads.
    pub cut: u64,
}

/// Compares the pairs that were not compared yet, some at a time, each recorded before the next: `watch` is told pairs done
/// and in all, and says whether to go on.
///
/// # Errors
/// [`ErrorKind::Cancelled`], what keeps the model from working, and the operating system's. What was compared is kept.
pub fn compare(
    all: &[Vec<Compared>],
    cosines: &mut Cosines,
    model: &mut dyn TextEmbedder,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Done> {
    let mut seen = HashSet::new();
    let left: Vec<&Compared> = all
        .iter()
        .flatten()
        .filter(|c| cosines.get(c.pair()).is_none() && seen.insert(c.pair()))
        .collect();
    let (mut done, of) = (Done::default(), left.len() as u64);
    let cancelled = || {
        Error::new(
            ErrorKind::Cancelled,
            "nobody waits for this any more; what was compared is kept",
        )
    };
    for some in left.chunks(TOGETHER) {
        if !watch(done.pairs, of) {
            return Err(cancelled());
        }
        let mut texts: Vec<&str> = some
            .iter()
            .flat_map(|c| [c.reference.as_str(), c.output.as_str()])
            .collect();
        texts.sort_unstable();
        texts.dedup();
        let embedded = model.embed(&texts, &mut |_| watch(done.pairs, of));
        let mut vectors = HashMap::new();
        for (text, found) in texts.iter().zip(embedded) {
            let found = found.map_err(|failure| match failure.kind {
                benchtop_model::generation::FailureKind::Cancelled => cancelled(),
                _ => Error::input(format!("a text cannot be compared: {}", failure.reason)),
            })?;
            done.cut += u64::from(found.cut.is_some());
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
    watch(done.pairs, of);
    Ok(done)
}

/// The score of each of these answers by row, of so many rows; not a number where there is none.
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
