//! How alike free-form answers are to what the items say, as a column beside the answers that were read.
//!
//! Cosines are kept by pairs of texts, so that finding those of a model means reading all of its answers. The column is kept below
//! `store/board/`, for the free-form rows alone.

use std::path::Path;

use super::cache::{self, digest, short};
use benchtop_metrics::score::question_table::QuestionTable;
use benchtop_model::QuestionKind;
use benchtop_store::Catalog;

/// What of the answers' similarities is known.
pub struct Similarities<'a> {
    /// What they follow from beside questions and answers, in words that are others once it is another; none where no answers were
    /// compared.
    pub of: Option<String>,
    /// Those of a model's answers by row, NaN where there is none; empty where none were computed, or they cannot be read.
    pub find: &'a (dyn Fn(&str) -> Vec<f32> + Sync),
}

/// How alike a model's free-form answers are to what the items say: as it was kept, or found again.
pub(super) fn similarity(
    catalog: &Catalog,
    store: &Path,
    (sheet, questions): (&QuestionTable, &[u8; 32]),
    (model, files): (&str, &[usize]),
    similar: &Similarities<'_>,
) -> Vec<f32> {
    let Some(of) = &similar.of else {
        return Vec::new();
    };
    let free: Vec<usize> = (0..sheet.len())
        .filter(|row| sheet.kind(*row) == QuestionKind::FreeForm)
        .collect();
    let mut hasher = digest(catalog, files);
    hasher.update(questions);
    hasher.update(format!("{} {of}", catalog.revisions().list().len()).as_bytes());
    let (name, key) = (
        short(&format!("{model}\nfree-form")),
        *hasher.finalize().as_bytes(),
    );
    let kept = cache::read_similarity(store, &name, &key)
        .ok()
        .filter(|kept| kept.len() == free.len());
    let values = match kept {
        Some(values) => values,
        None => {
            let all = (similar.find)(model);
            if all.is_empty() {
                // It could not be read: next time it may be.
                return all;
            }
            let values: Vec<f32> = free
                .iter()
                .map(|row| all.get(*row).copied().unwrap_or(f32::NAN))
                .collect();
            cache::fine(cache::write_similarity(store, &name, &key, &values));
            values
        }
    };
    let mut all = vec![f32::NAN; sheet.len()];
    free.into_iter()
        .zip(values)
        .for_each(|(row, value)| all[row] = value);
    all
}
