//! The similarities of free-form answers to their references, as a column.
//!
//! Cosines are stored by pairs of texts, so collecting those of a model means reading all of its
//! answers. The column is cached below `store/board/`, for free-form rows only.

use std::path::Path;

use super::cache::{self, digest, short};
use super::read_answers::ModelFiles;
use benchtop_metrics::score::question_table::QuestionTable;
use benchtop_model::QuestionKind;
use benchtop_store::Catalog;

/// Available similarities, or the grades of a judge in their place.
pub struct Similarities<'a> {
    /// What they are, in the name of the cached file.
    pub name: &'static str,
    /// Cache key of the model and settings behind the similarities. `None` if no answers were
    /// compared.
    pub of: Option<String>,
    /// Similarities of a model's answers by row, NaN where there is none. Empty if none were
    /// computed or they cannot be read.
    pub find: &'a (dyn Fn(&str) -> Vec<f32> + Sync),
}

/// The similarities of a model's free-form answers, from the cache or collected anew.
pub(super) fn similarity(
    catalog: &Catalog,
    store: &Path,
    sheet: &QuestionTable,
    questions: &[u8; 32],
    ModelFiles { model, files }: ModelFiles<'_>,
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
    hasher.update(format!("{} {of}", catalog.revisions().list.len()).as_bytes());
    let (name, key) = (
        short(&format!("{model}\n{}", similar.name)),
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
                // Do not cache: reading may work next time.
                return all;
            }
            let values: Vec<f32> = free
                .iter()
                .map(|row| all.get(*row).copied().unwrap_or(f32::NAN))
                .collect();
            cache::ignore_cache_error(cache::write_similarity(store, &name, &key, &values));
            values
        }
    };
    let mut all = vec![f32::NAN; sheet.len()];
    free.into_iter()
        .zip(values)
        .for_each(|(row, value)| all[row] = value);
    all
}
