//! Floor 2: interchange formats: streaming readers and writers, one module per format.
//!
//! [`recognize`] detects a file's format from its content. [`Format::holds`] states whether a
//! format has questions, answers, or both. [`about`] reads the names of the model and data set, if
//! the file has them. [`items`] and [`predictions`] read a file record by record, each with the
//! line on which it begins.
//!
//! Memory holds a single record of at most [`RECORD_LIMIT`] bytes. Only spreadsheets are read as a
//! whole. Data of a record that has no typed field in [`Item`] is stored in `extra` and written
//! back on export; names that begin with `$` are reserved for benchtop. docs/formats.md lists the
//! formats of other tools.
//!
//! | module | contents |
//! |---|---|
//! | `cells` | cells of tables: texts, lists, and pictures |
//! | [`chart`] | charts of a board as SVG or PNG |
//! | `chat_turns` | numbers of table rows that are rotations of one question |
//! | `choices` | the options of a table row, and the right one |
//! | [`delimited`] | comma- and tab-separated values |
//! | `detect` | the format of a file, from its first record |
//! | `dysca` | Dysca's flat JSON records |
//! | `dysca_nested` | Dysca's image records with questions in `q_a` |
//! | `fields` | reads fields with errors that name them, and writes records back as they were |
//! | [`input`] | opens a file that is read as a stream |
//! | [`jsonl`] | benchtop's own format: one item per line |
//! | `mapped` | rows of a table as items and predictions, by a mapping |
//! | `mvp` | MVP-Bench's question files |
//! | [`out`] | exports for VLMEvalKit, lmms-eval, and Hugging Face |
//! | `predictions` | MVP-Bench's prediction rows |
//! | [`published`] | the published figures of papers that ship with the program |
//! | [`published_figures`] | published figures as rows for the board |
//! | `python_json` | JSON with the spacing of Python's `json` module; XML escapes |
//! | `reader` | reads files of any format record by record |
//! | `records` | records of JSON Lines or a JSON array in constant memory |
//! | `roundtrip_column` | the column `benchtop` of exported tables, for fields without a column |
//! | `rows` | rows of JSON, delimited text, spreadsheets, and Parquet |
//! | `third_party` | files of other tools: their rows, and the meaning of their columns |
//! | `tools` | one reader per tool: records to flat rows |
//! | [`verdicts`] | verdicts as JSON Lines, CSV, and Label Studio's JSON |

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
mod detect;
mod dysca;
mod dysca_nested;
mod fields;
pub mod input;
pub mod jsonl;
mod mapped;
mod mvp;
pub mod out;
mod predictions;
pub mod published;
pub mod published_figures;
mod python_json;
mod reader;
mod records;
mod roundtrip_column;
mod rows;
mod third_party;
mod tools;
pub mod verdicts;

pub use cells::Inline;
pub use detect::{Detected, DetectedFile, detect_files, detect_format, detect_mapped};
pub use dysca::DyscaWriter;
pub use dysca_nested::NestedWriter;
pub use mapped::{MODEL, tool_verdict};
pub use mvp::{CATEGORIES, category, write_question};
pub use predictions::{is_text_of, text_of, write_prediction};
pub use reader::{Items, Predictions, Reader};
pub use records::{RECORD_LIMIT, Raw, Record, Records, Shape};
pub use third_party::{about, columns};
pub use tools::openvlm::read as model_cards;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Dysca's flat records (the paper's Listing 1).
    DyscaJson,
    /// Dysca's released sources: image records with questions in `q_a`.
    DyscaNested,
    /// MVP-Bench's `all_questions.json`.
    MvpQuestions,
    /// MVP-Bench's rotations, `mcq_questions.json`.
    MvpCircular,
    /// MVP-Bench's answers to the questions: `MODEL.jsonl`.
    MvpPredictions,
    /// MVP-Bench's answers with extracted answers: `MODEL_evaluated.jsonl`.
    MvpEvaluated,
    /// MVP-Bench's answers to the rotations: `mcq_MODEL.jsonl`.
    MvpCircularPredictions,
    /// benchtop's own format: one [`Item`] per line.
    BenchtopJsonl,
    /// VLMEvalKit's table of questions.
    VlmDataset,
    /// VLMEvalKit's answers of a model, with the questions.
    VlmPredictions,
    /// VLMEvalKit's answers with its verdicts.
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
    /// Label Studio's JSON-MIN, CSV, or TSV.
    LabelStudioTable,
    /// FiftyOne's samples.
    FiftyOne,
    /// COCO's captions.
    Coco,
    /// A table of questions, read by column names or by a [`Mapping`].
    Table,
    /// A table of answers.
    TablePredictions,
    /// A table of questions with answers.
    TableBoth,
}

/// The questions in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Questions {
    /// The data set's own questions.
    Own,
    /// Questions as logged by the tool that asked them. They are used if the data set's own are
    /// missing.
    Beside,
    No,
}

/// The content of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holds {
    pub questions: Questions,
    /// Whether it has a model's answers.
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

    /// The content of this format.
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

    /// Whether this is benchtop's own format or that of a benchmark it was made for. Their records
    /// are written back unchanged.
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

/// Reads the items of the file at `path`, in the given format. Their ids are `<dataset>/<key>`.
///
/// # Errors
/// See [`open`]; [`benchtop_model::ErrorKind::Input`] if the format has no items.
pub fn items(path: &Path, format: Format, dataset: &str) -> Result<Items> {
    items_by(path, format, dataset, None)
}

/// Reads items as [`items`] does. `mapping` maps the columns of a table.
///
/// # Errors
/// See [`items`]; [`benchtop_model::ErrorKind::Input`] if a mapped column does not exist.
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

/// Reads the items in `input`; `name` is its name in errors. In benchtop's own format, the file
/// determines the data set.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] if the format has no items, or can only be read from a
/// path.
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
                "cannot stream questions from the format {}",
                format.name()
            ))
            .file(name));
        }
    };
    Ok(Reader::of_records(input, name, make))
}

/// Reads the predictions of the file at `path`, in the given format.
///
/// # Errors
/// See [`open`]; [`benchtop_model::ErrorKind::Input`] if the format has no predictions.
pub fn predictions(path: &Path, format: Format) -> Result<Predictions> {
    predictions_by(path, format, None)
}

/// Reads predictions as [`predictions`] does. `mapping` maps the columns of a table.
///
/// # Errors
/// See [`predictions`]; [`benchtop_model::ErrorKind::Input`] if a mapped column does not exist.
pub fn predictions_by(
    path: &Path,
    format: Format,
    mapping: Option<&Mapping>,
) -> Result<Predictions> {
    if !format.holds().predictions {
        return Err(Error::input(format!(
            "the format {} has questions but no answers",
            format.name()
        ))
        .file(path));
    }
    match format.is_native() {
        true => predictions_from(open(path)?, path, format),
        false => third_party::predictions(path, format, mapping),
    }
}

/// Reads the predictions in `input`; `name` is its name in errors.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] if the format has no predictions, or can only be read from
/// a path.
pub fn predictions_from(
    input: Box<dyn BufRead + Send>,
    name: &Path,
    format: Format,
) -> Result<Predictions> {
    if !format.is_native() || !format.holds().predictions {
        return Err(Error::input(format!(
            "cannot stream answers from the format {}",
            format.name()
        ))
        .file(name));
    }
    let make: reader::Make<Prediction> =
        Box::new(|raw, out| out.push_back(raw.parse().and_then(predictions::prediction)));
    Ok(Reader::of_records(input, name, make))
}
