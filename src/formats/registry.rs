//! The table of the formats that benchtop reads. Detection, reading, and the table in
//! docs/formats.md follow it. A format is one file with a [`Format`] and one row here.

use super::format::Format;
use super::{dysca, dysca_nested, jsonl, mvp, predictions, tools};

/// The formats, in the order in which they are asked about a file. Tables are recognized by usual
/// names only, so they come last.
pub static FORMATS: &[&Format] = &[
    &jsonl::ITEMS,
    &dysca_nested::RECORDS,
    &tools::vlmevalkit::RESULTS,
    &tools::vlmevalkit::PREDICTIONS,
    &tools::vlmevalkit::DATASET,
    &tools::lmms::SAMPLES,
    &tools::inspect::EVAL_LOG,
    &tools::inspect::JSON_LOG,
    &tools::helm::STATE,
    &tools::helm::INSTANCES,
    &tools::opencompass::PREDICTIONS,
    &tools::label_studio::TASKS,
    &tools::label_studio::TABLE,
    &tools::fiftyone::SAMPLES,
    &tools::coco::CAPTIONS,
    &mvp::ROTATIONS,
    &predictions::EVALUATED,
    &predictions::OF_ROTATIONS,
    &predictions::PLAIN,
    &mvp::QUESTIONS,
    &dysca::RECORDS,
    &tools::table::BOTH,
    &tools::table::QUESTIONS,
    &tools::table::PREDICTIONS,
];

/// The format with this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}

#[cfg(test)]
mod tests {
    use super::super::format::Questions;
    use super::*;

    /// The row of a format in docs/formats.md.
    fn row(format: &Format) -> String {
        let holds = match (format.questions, format.has_predictions) {
            (Questions::Own, false) => "questions",
            (Questions::Own, true) => "questions, answers",
            (Questions::Beside, _) => "answers, and the questions asked",
            (Questions::No, _) => "answers",
        };
        let Format {
            title,
            name,
            recognized_by,
            named_in,
            ..
        } = format;
        format!("| {title} | `{name}` | {recognized_by} | {holds} | {named_in} |\n")
    }

    #[test]
    fn documentation_lists_the_formats_in_order() {
        let docs = include_str!("../../docs/formats.md");
        let rows: String = FORMATS.iter().copied().map(row).collect();
        assert!(docs.contains(&rows), "docs/formats.md must have:\n{rows}");
    }

    #[test]
    fn each_format_has_a_name_of_its_own_and_one_way_of_reading() {
        for &format in FORMATS {
            assert_eq!(named(format.name), Some(format));
            let same = FORMATS.iter().filter(|other| other.name == format.name);
            assert_eq!(same.count(), 1, "{}", format.name);
            let by_record = format.items.is_some() || format.predictions.is_some();
            assert_ne!(by_record, format.rows.is_some(), "{}", format.name);
        }
    }
}
