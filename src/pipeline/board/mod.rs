//! Boards: their files and models, notes about problems, and the texts behind a cell.
//!
//! [`from_paths`] makes a board from files alone. A project's board is made from its catalog
//! (`owner`). [`benchtop_metrics::score`] does the counting.

mod board_data;
mod cache;
mod changed_options;
mod comparison;
pub mod dataset_resolver;
mod diagnostics;
mod drilldown;
mod in_memory;
mod item_answers;
mod judge_readings;
mod paths;
mod project;
mod ranks;
mod read_answers;
mod rows;
mod similarities;
pub mod white_box;

use std::path::Path;

pub use self::board_data::{BoardData, Texts};
pub use self::cache::Places;
pub(crate) use self::diagnostics::count;
pub use self::diagnostics::{BoardNotes, FileOutcomes};
pub use self::drilldown::{DRILLDOWN_FURTHER_PAGE, DRILLDOWN_PAGE};
pub use self::in_memory::{Answers, from_items};
pub use self::paths::{from_paths, from_paths_by};
pub use self::project::from_catalog;
pub use self::ranks::ALPHA;
#[cfg(test)]
pub(crate) use self::rows::as_asked;
pub use self::similarities::Similarities;

/// The model of a prediction file: its stem without the prefix `mcq_` and the suffix `_evaluated`.
pub fn model_name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = stem.strip_prefix("mcq_").unwrap_or(&stem);
    name.strip_suffix("_evaluated").unwrap_or(name).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_named_by_their_files() {
        for (file, name) in [
            ("a/GPT4o.jsonl", "GPT4o"),
            ("mcq_llava_v1.5_13b.jsonl", "llava_v1.5_13b"),
            ("MiniCPM-V-2_evaluated.jsonl", "MiniCPM-V-2"),
            ("mcq_GPT4o+vc-low.jsonl", "GPT4o+vc-low"),
            ("GPT4o+vc-low_evaluated.jsonl", "GPT4o+vc-low"),
        ] {
            assert_eq!(model_name(Path::new(file)), name);
        }
    }
}
