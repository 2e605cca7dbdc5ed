//! The table of the formats that benchtop reads. Detection, reading, and the table in
//! docs/formats.md follow it. A format is one file with a [`Format`] and one row here.

use super::format::Format;
use super::tools::{
    coco, fiftyone, helm, inspect, label_studio, lmms, opencompass, table, vlmevalkit,
};
use super::{dysca, dysca_nested, jsonl, mvp, predictions};

/// The formats, in the order in which they are asked about a file.
pub static FORMATS: [&Format; 24] = [
    &jsonl::ITEMS,
    &dysca_nested::RECORDS,
    &vlmevalkit::RESULTS,
    &vlmevalkit::PREDICTIONS,
    &vlmevalkit::DATASET,
    &lmms::SAMPLES,
    &inspect::EVAL_LOG,
    &inspect::JSON_LOG,
    &helm::STATE,
    &helm::INSTANCES,
    &opencompass::PREDICTIONS,
    &label_studio::TASKS,
    &label_studio::TABLE,
    &fiftyone::SAMPLES,
    &coco::CAPTIONS,
    &mvp::ROTATIONS,
    &predictions::EVALUATED,
    &predictions::OF_ROTATIONS,
    &predictions::PLAIN,
    &mvp::QUESTIONS,
    &dysca::RECORDS,
    &table::BOTH,
    &table::QUESTIONS,
    &table::PREDICTIONS,
];

/// The format with this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.into_iter().find(|format| format.name == name)
}
