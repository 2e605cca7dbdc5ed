//! Floor 2: interchange formats, one file each, read and write, streaming.
//!
//! [`recognise`] tells by content what a file is; [`Format::holds`] says whether it has questions, answers or both; [`about`]
//! names its model and data set where it says them; [`items`] and [`predictions`] read it record by record, each with the line
//! it begins on. Nothing here holds more than one record (a spreadsheet, which cannot be read otherwise, is held whole), and a
//! record is at most [`RECORD_LIMIT`] bytes. What a record says beyond the typed fields of [`Item`] is kept in `extra` and comes
//! back on export; names that begin with `$` are benchtop's. What the tools of the field write is listed in docs/formats.md.

use std::io::BufRead;
use std::path::Path;

use self::input::open;
use benchtop_model::mapping::Mapping;
use benchtop_model::{Error, Form, Item, Prediction, Result};

mod cells;
pub mod chart;
mod chat_turns;
mod choices;
pub mod delimited;
mod dysca;
mod dysca_nested;
mod fields;
pub mod input;
pub mod jsonl;
mod mapped;
mod mvp;
pub mod out;
pub mod picture;
mod predictions;
pub mod printed;
pub mod published;
mod reader;
mod recognise;
mod records;
mod roundtrip_column;
mod rows;
mod third_party;
mod tools;
pub mod verdicts;
mod write;

pub use cells::Inline;
pub use dysca::DyscaWriter;
pub use dysca_nested::NestedWriter;
pub use mapped::{MODEL, tool_verdict};
pub use mvp::{CATEGORIES, category, write_question};
pub use predictions::{is_text_of, text_of, write_prediction};
pub use reader::{Items, Predictions, Reader};
pub use recognise::{Found, Recognised, recognise, recognise_mapped, recognise_reader};
pub use records::{RECORD_LIMIT, Raw, Record, Records, Shape};
pub use third_party::{about, columns};
pub use tools::openvlm::read as model_cards;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Dysca's flat records (the paper's Listing 1).
    DyscaJson,
    /// Dysca's released sources: questions in `q_a` inside an image record.
    DyscaNested,
    /// MVP-Bench's `all_questions.json`.
    MvpQuestions,
    /// MVP-Bench's rotations, `mcq_questions.json`.
    MvpCircular,
    /// A model's answers to the questions: `MODEL.jsonl`.
    MvpPredictions,
    /// The same with extracted answers: `MODEL_evaluated.jsonl`.
    MvpEvaluated,
    /// A model's answers to the rotations: `mcq_MODEL.jsonl`.
    MvpCircularPredictions,
    /// benchtop's own: one [`Item`] a line.
    BenchtopJsonl,
    /// VLMEvalKit's table of questions.
    VlmDataset,
    /// VLMEvalKit's answers of a model, with the questions.
    VlmPredictions,
    /// The same with the tool's verdicts.
    VlmResults,
    /// lmms-eval's samples.
    LmmsSamples,
    /// Inspect AI's log as a zip archive.
    InspectEval,
    /// Inspect AI's log as JSON.
    InspectJson,
    /// HELM's questions with a model's answers.
    HelmState,
    /// HELM's questions.
    HelmInstances,
    /// OpenCompass's answers of a model.
    OpenCompass,
    /// Label Studio's tasks.
    LabelStudio,
    /// Label Studio's JSON-MIN, CSV or TSV.
    LabelStudioTable,
    /// FiftyOne's samples.
    FiftyOne,
    /// COCO's captions.
    Coco,
    /// A table of questions, by the names of its columns or a [`Mapping`].
    Table,
    /// A table of answers.
    TablePredictions,
    /// A table of questions with the answers to them.
    TableBoth,
}

/// What questions a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Questions {
    /// The data set's own.
    Own,
    /// Those that were answered, as the tool that asked them wrote them down: for want of the data set's own.
    Beside,
    /// None.
    No,
}

/// What a file of one format holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holds {
    /// Questions.
    pub questions: Questions,
    /// Whether it has answers of a model.
    pub predictions: bool,
}

impl Format {
    /// The name in messages and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Format::DyscaJson => "dysca",
            Format::DyscaNested => "dysca-nested",
            Format::MvpQuestions => "mvp-questions",
            Format::MvpCircular => "mvp-circular",
            Format::MvpPredictions => "mvp-predictions",
            Format::MvpEvaluated => "mvp-evaluated",
            Format::MvpCircularPredictions => "mvp-circular-predictions",
            Format::BenchtopJsonl => "benchtop-jsonl",
            Format::VlmDataset => "vlmevalkit",
            Format::VlmPredictions => "vlmevalkit-predictions",
            Format::VlmResults => "vlmevalkit-results",
            Format::LmmsSamples => "lmms-eval-samples",
            Format::InspectEval => "inspect-eval",
            Format::InspectJson => "inspect-json",
            Format::HelmState => "helm-scenario-state",
            Format::HelmInstances => "helm-instances",
            Format::OpenCompass => "opencompass-predictions",
            Format::LabelStudio => "label-studio",
            Format::LabelStudioTable => "label-studio-table",
            Format::FiftyOne => "fiftyone",
            Format::Coco => "coco-captions",
            Format::Table => "table",
            Format::TablePredictions => "table-predictions",
            Format::TableBoth => "table-with-predictions",
        }
    }

    /// What a file of it holds.
    pub fn holds(self) -> Holds {
        use Format as F;
        let (questions, predictions) = match self {
            F::DyscaJson | F::DyscaNested | F::MvpQuestions | F::MvpCircular | F::BenchtopJsonl => {
                (Questions::Own, false)
            }
            F::VlmDataset | F::HelmInstances | F::LabelStudioTable | F::Coco | F::Table => {
                (Questions::Own, false)
            }
            F::MvpPredictions
            | F::MvpEvaluated
            | F::MvpCircularPredictions
            | F::TablePredictions => (Questions::No, true),
            F::LabelStudio | F::FiftyOne | F::TableBoth => (Questions::Own, true),
            F::VlmPredictions | F::VlmResults | F::LmmsSamples | F::HelmState | F::OpenCompass => {
                (Questions::Beside, true)
            }
            F::InspectEval | F::InspectJson => (Questions::Beside, true),
        };
        Holds {
            questions,
            predictions,
        }
    }

    /// Whether it is a form of this program's own, or of the benchmarks it was made for, whose records come back as they were.
    fn is_native(self) -> bool {
        use Format as F;
        let questions = matches!(
            self,
            F::DyscaJson | F::DyscaNested | F::MvpQuestions | F::MvpCircular | F::BenchtopJsonl
        );
        questions
            || matches!(
                self,
                F::MvpPredictions | F::MvpEvaluated | F::MvpCircularPredictions
            )
    }
}

/// The items of the file at `path`, which has that `format`; they get ids `<dataset>/<key>`.
///
/// # Errors
/// As [`open`]; [`benchtop_model::ErrorKind::Input`] when the format holds no items.
pub fn items(path: &Path, format: Format, dataset: &str) -> Result<Items> {
    items_by(path, format, dataset, None)
}

/// The same, a table's columns being what `mapping` says.
///
/// # Errors
/// As [`items`]; [`benchtop_model::ErrorKind::Input`] for a column that is not there.
pub fn items_by(
    path: &Path,
    format: Format,
    dataset: &str,
    mapping: Option<&Mapping>,
) -> Result<Items> {
    match format.is_native() {
        true => items_from(open(path)?, path, format, dataset),
        false => third_party::items(path, format, dataset, mapping),
    }
}

/// The items that `input` holds; `name` stands for it in errors. benchtop's own form carries its data set itself.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] when the format holds no items, or is one that is read from a path.
pub fn items_from(
    input: Box<dyn BufRead + Send>,
    name: &Path,
    format: Format,
    dataset: &str,
) -> Result<Items> {
    let dataset = dataset.to_string();
    let make: reader::Make<Item> = match format {
        Format::DyscaJson => Box::new(move |raw, out| {
            out.push_back(raw.parse().and_then(|r| dysca::item(r, &dataset)))
        }),
        Format::DyscaNested => Box::new(move |raw, out| {
            if let Err(p) = raw
                .parse()
                .and_then(|r| dysca_nested::items(r, &dataset, out))
            {
                out.push_back(Err(p));
            }
        }),
        Format::MvpQuestions | Format::MvpCircular => {
            let form = if format == Format::MvpCircular {
                Form::MvpCircular
            } else {
                Form::Mvp
            };
            Box::new(move |raw, out| {
                out.push_back(raw.parse().and_then(|r| mvp::item(r, &dataset, form)))
            })
        }
        Format::BenchtopJsonl => Box::new(|raw, out| out.push_back(jsonl::item(raw))),
        _ => {
            return Err(Error::input(format!(
                "{} holds no questions that can be streamed",
                format.name()
            ))
            .file(name));
        }
    };
    Ok(Reader::of_records(input, name, make))
}

/// The predictions of the file at `path`, which has that `format`.
///
/// # Errors
/// As [`open`]; [`benchtop_model::ErrorKind::Input`] when the format holds no predictions.
pub fn predictions(path: &Path, format: Format) -> Result<Predictions> {
    predictions_by(path, format, None)
}

/// The same, a table's columns being what `mapping` says.
///
/// # Errors
/// As [`predictions`]; [`benchtop_model::ErrorKind::Input`] for a column that is not there.
pub fn predictions_by(
    path: &Path,
    format: Format,
    mapping: Option<&Mapping>,
) -> Result<Predictions> {
    if !format.holds().predictions {
        return Err(
            Error::input(format!("{} holds questions and no answers", format.name())).file(path),
        );
    }
    match format.is_native() {
        true => predictions_from(open(path)?, path, format),
        false => third_party::predictions(path, format, mapping),
    }
}

/// The predictions that `input` holds; `name` stands for it in errors.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] when the format holds no predictions, or is one that is read from a path.
pub fn predictions_from(
    input: Box<dyn BufRead + Send>,
    name: &Path,
    format: Format,
) -> Result<Predictions> {
    if !format.is_native() || !format.holds().predictions {
        return Err(Error::input(format!(
            "{} holds no answers that can be streamed",
            format.name()
        ))
        .file(name));
    }
    let make: reader::Make<Prediction> =
        Box::new(|raw, out| out.push_back(raw.parse().and_then(predictions::prediction)));
    Ok(Reader::of_records(input, name, make))
}
