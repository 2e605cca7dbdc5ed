//! Floor 1: plain data and rules. Nothing here accesses a disk, a socket, or a terminal.
//!
//! | module | contents |
//! |---|---|
//! | [`agreement`] | agreement between annotators |
//! | [`analysis`] | analyses of a whole board: requests and results |
//! | [`annotator`] | pace and quality of one annotator |
//! | [`board`] | leaderboards: rows, columns, and cells |
//! | [`bootstrap`] | variants of questions that models write, paint, and judge: plans and transcripts |
//! | [`brief`] | an error about something that is missing, as one line |
//! | [`cancel`] | cancellation and progress of long work |
//! | [`card`] | metadata of an evaluated model |
//! | [`clean`] | sanitizes text from outside for display |
//! | [`color`] | color levels of terminals |
//! | [`comment`] | comments on items |
//! | [`error_label`] | labels of errors in the answers of models |
//! | [`config`] | the settings in `benchtop.toml` |
//! | [`derivation`] | how an item was derived from another one |
//! | `derived_item` | what a derivation records of its source, and the original of an item |
//! | `edited_boxes` | the boxes that a derivation records, as marks |
//! | [`device`] | readings of the machine that generates pictures |
//! | [`edit`] | manual edits of items |
//! | [`error`] | the error type: what was wrong, where, and what to do |
//! | [`evaluation`] | evaluations: the model, its questions, settings, and answers |
//! | [`export`] | exports: request, formats, plan, and report |
//! | [`field`] | the fields of items: one row each |
//! | [`filter`] | filters and sort orders of items |
//! | [`finding`] | findings of the linter |
//! | [`free_form`] | scores of free-form answers by meaning |
//! | [`generated_image`] | generated pictures: keys, seeds, and journal records |
//! | [`generation`] | image generation: tasks, settings, capabilities, and results |
//! | [`hash`] | BLAKE3 hashes of several texts |
//! | [`history`] | points in time, decisions, differences, and merged journals |
//! | [`home`] | the first screen: counts of items, open work, and activity |
//! | [`image`] | references to an item's pictures |
//! | [`import`] | an import: request, progress, and report |
//! | [`item`] | a benchmark item |
//! | [`job`] | jobs: plans, settings, states, and actions |
//! | [`judge`] | judges and their questions |
//! | [`json_objects`] | JSON objects in the text of a model |
//! | [`lineage`] | where an item comes from, step by step |
//! | [`mapping`] | the mapping of table columns to fields |
//! | [`mark`] | points and boxes on the pictures of an item |
//! | [`metafile`] | metadata files as text, including the shipped ones |
//! | [`name`] | names that are also file names |
//! | `named` | values with names |
//! | [`ocr`] | OCR results |
//! | [`pixel_box`] | a box in a picture, in its pixels |
//! | [`prediction`] | predictions of models |
//! | [`prompt_preview`] | the request that a prompt file makes for an item |
//! | [`recompose`] | composing items again: request and report |
//! | [`region`] | a rectangle in a picture |
//! | [`release`] | releases: request, record, and report |
//! | [`rng`] | seeded random numbers that are the same on every machine |
//! | [`round`] | rounds: items, annotators, order, and protocol |
//! | [`safety`] | results of the safety checker |
//! | [`sample`] | what the sample of a project holds, and its removal |
//! | [`scenario`] | scenarios: the kinds with their settings, plans, and what a job would do |
//! | [`scoring`] | scorers, scores, score states, and rules |
//! | [`settings`] | changes of settings, as plans that a person sees first |
//! | [`similarity`] | similarity of pictures and texts |
//! | [`sorting`] | sorts for short lists, with one copy of the algorithm |
//! | [`status`] | the status of an item, and the `single` protocol |
//! | [`table`] | column statistics of items and boards |
//! | [`taxonomy`] | reasons and tags with levels |
//! | [`trust`] | consent to send data to other machines |
//! | [`usage`] | how items use the metadata |
//! | [`verdict`] | verdicts and decisions |
//! | [`verdict_interchange`] | exchange of verdicts with other projects and tools |
//! | [`vlm`] | requests to vision-language models, and their replies |
//! | [`weights`] | model files on this machine |
//! | [`writing`] | the forms of what models write |

#[macro_use]
mod named;

pub mod agreement;
pub mod analysis;
pub mod annotator;
pub mod board;
pub mod bootstrap;
pub mod brief;
pub mod cancel;
pub mod card;
pub mod clean;
pub mod color;
pub mod comment;
pub mod config;
pub mod derivation;
mod derived_item;
pub mod device;
pub mod edit;
mod edited_boxes;
pub mod error;
pub mod error_label;
pub mod evaluation;
pub mod export;
pub mod field;
pub mod filter;
pub mod finding;
pub mod free_form;
pub mod generated_image;
pub mod generation;
pub mod hash;
pub mod history;
pub mod home;
pub mod image;
pub mod import;
pub mod item;
pub mod job;
pub mod json_objects;
pub mod judge;
pub mod lineage;
pub mod mapping;
pub mod mark;
pub mod metafile;
pub mod name;
pub mod ocr;
pub mod pixel_box;
pub mod prediction;
pub mod prompt_preview;
pub mod recompose;
pub mod region;
pub mod release;
pub mod rng;
pub mod round;
pub mod safety;
pub mod sample;
pub mod scenario;
pub mod scoring;
pub mod settings;
pub mod similarity;
pub mod sorting;
pub mod status;
pub mod table;
pub mod taxonomy;
pub mod trust;
pub mod usage;
pub mod verdict;
pub mod verdict_interchange;
pub mod vlm;
pub mod weights;
pub mod writing;

pub use color::ColorLevel;
pub use comment::{Comment, CommentAct};
pub use derivation::{Derivation, JudgeRuling, SourceItem};
pub use error::{Error, ErrorKind, Result};
pub use field::Field;
pub use filter::{Filter, Sort};
pub use finding::{Finding, Rule, Severity};
pub use image::{ImageRef, Rights};
pub use item::{
    Choice, Form, Item, Key, Pair, Provenance, QuestionKind, Role, Rotation, Side, Variant,
};
pub use mark::Mark;
pub use metafile::MetaFile;
pub use pixel_box::PixelBox;
pub use prediction::{Prediction, ToolVerdict};
pub use region::Region;
pub use status::Status;
pub use verdict::{Act, Decision, Judgement, PictureSeen, Seen, Verdict};

/// Whether a field has its default value. Records leave such fields out.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
