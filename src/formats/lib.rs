//! Floor 2: interchange formats: streaming readers and writers, one module per format.
//!
//! [`FORMATS`] is the table of formats. [`detect_files`] detects a file's format from its content.
//! [`Format`] states whether a format has questions, answers, or both. [`Format::about`] reads the
//! names of the model and data set, if the file has them. [`items`] and [`predictions`] read a file record by record, each with the
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
//! | `format` | what a file format is |
//! | `head` | the beginning of a file, by which its format is detected |
//! | [`input`] | opens a file that is read as a stream |
//! | [`inspect`] | a short look at a path before an import |
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
//! | `registry` | the table of formats |
//! | `roundtrip_column` | the column `benchtop` of exported tables, for fields without a column |
//! | `rows` | rows of JSON, delimited text, spreadsheets, and Parquet |
//! | `third_party` | files of other tools: their rows, and the meaning of their columns |
//! | `tools` | one reader per tool: records to flat rows |
//! | [`verdicts`] | verdicts and comments as JSON Lines, CSV, and Label Studio's JSON |

use std::collections::VecDeque;
use std::io::BufRead;
use std::path::Path;

use self::input::open;
use benchtop_model::mapping::Mapping;
use benchtop_model::{Error, Result};

mod cells;
pub mod chart;
mod chat_turns;
mod choices;
pub mod delimited;
mod detect;
mod dysca;
mod dysca_nested;
mod fields;
mod format;
mod head;
pub mod input;
pub mod inspect;
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
mod registry;
mod roundtrip_column;
mod rows;
mod third_party;
mod tools;
pub mod verdicts;

pub use cells::Inline;
pub use detect::{Detected, DetectedFile, detect_files, detect_format, detect_mapped};
pub use dysca::DyscaWriter;
pub use dysca_nested::NestedWriter;
pub use format::{Format, Questions};
pub use mapped::{MODEL, tool_verdict};
pub use mvp::{CATEGORIES, category, write_question};
pub use predictions::{is_own_instruction, is_text_of, text_of, write_prediction};
pub use reader::{Items, Predictions, Reader};
pub use records::{RECORD_LIMIT, Raw, Record, Records, Shape};
pub use registry::{FORMATS, named};
pub use third_party::columns;
pub use tools::openvlm::read as model_cards;

/// Reads the items of the file at `path`, in the given format. Their ids are `<dataset>/<key>`.
///
/// # Errors
/// See [`open`]; [`benchtop_model::ErrorKind::Input`] if the format has no items.
pub fn items(path: &Path, format: &Format, dataset: &str) -> Result<Items> {
    items_by(path, format, dataset, None)
}

/// Reads items as [`items`] does. `mapping` maps the columns of a table.
///
/// # Errors
/// See [`items`]; [`benchtop_model::ErrorKind::Input`] if a mapped column does not exist.
pub fn items_by(
    path: &Path,
    format: &Format,
    dataset: &str,
    mapping: Option<&Mapping>,
) -> Result<Items> {
    match format.items {
        Some(_) => items_from(open(path)?, path, format, dataset),
        None => third_party::items(path, format, dataset, mapping),
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
    format: &Format,
    dataset: &str,
) -> Result<Items> {
    let Some(make) = format.items else {
        let what = format!("cannot stream questions from the format {}", format.name);
        return Err(Error::input(what).file(name));
    };
    let dataset = dataset.to_string();
    let make = Box::new(move |raw: Raw<'_>, out: &mut _| make(raw, &dataset, out));
    Ok(Reader::of_records(input, name, make))
}

/// Reads the predictions of the file at `path`, in the given format.
///
/// # Errors
/// See [`open`]; [`benchtop_model::ErrorKind::Input`] if the format has no predictions.
pub fn predictions(path: &Path, format: &Format) -> Result<Predictions> {
    predictions_by(path, format, None)
}

/// Reads predictions as [`predictions`] does. `mapping` maps the columns of a table.
///
/// # Errors
/// See [`predictions`]; [`benchtop_model::ErrorKind::Input`] if a mapped column does not exist.
pub fn predictions_by(
    path: &Path,
    format: &Format,
    mapping: Option<&Mapping>,
) -> Result<Predictions> {
    if !format.has_predictions {
        return Err(Error::input(format!(
            "the format {} has questions but no answers",
            format.name
        ))
        .file(path));
    }
    match format.predictions {
        Some(_) => predictions_from(open(path)?, path, format),
        None => third_party::predictions(path, format, mapping),
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
    format: &Format,
) -> Result<Predictions> {
    let Some(make) = format.predictions else {
        let what = format!("cannot stream answers from the format {}", format.name);
        return Err(Error::input(what).file(name));
    };
    let make = Box::new(move |raw: Raw<'_>, out: &mut VecDeque<_>| out.push_back(make(raw)));
    Ok(Reader::of_records(input, name, make))
}
