//! The table of the formats that benchtop writes. The values of `--format`, their help, and the
//! writing follow it. A format is one file with an [`Export`] and one row here.

use super::format::Export;
use super::{dysca, hugging_face, jsonl, lmms_eval, mvp, vlmevalkit};

/// The formats, in the order of the help.
pub static EXPORTS: &[&Export] = &[
    &dysca::DYSCA,
    &mvp::MVP,
    &jsonl::JSONL,
    &vlmevalkit::VLMEVALKIT,
    &lmms_eval::LMMS_EVAL,
    &hugging_face::FOLDER,
    &hugging_face::PARQUET,
];

/// The format with this name.
pub fn named(name: &str) -> Option<&'static Export> {
    EXPORTS.iter().copied().find(|export| export.name == name)
}
