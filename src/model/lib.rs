//! Floor 1: plain data and rules. Nothing here accesses a disk, a socket, or a terminal.

pub mod agreement;
pub mod analysis;
pub mod annotator;
pub mod board;
pub mod card;
pub mod clean;
pub mod color;
pub mod config;
pub mod device;
pub mod edit;
pub mod error;
pub mod evaluation;
pub mod filter;
pub mod finding;
pub mod free_form;
pub mod generated_image;
pub mod generation;
pub mod history;
pub mod image;
pub mod import;
pub mod item;
pub mod job;
pub mod judge;
pub mod mapping;
pub mod metafile;
pub mod name;
pub mod ocr;
pub mod prediction;
pub mod recompose;
pub mod rng;
pub mod round;
pub mod safety;
pub mod scoring;
pub mod similarity;
pub mod status;
pub mod table;
pub mod trust;
pub mod usage;
pub mod verdict;
pub mod verdict_interchange;
pub mod vlm;
pub mod weights;

pub use color::ColorLevel;
pub use error::{Error, ErrorKind, Result};
pub use filter::{Field, Filter, Sort};
pub use finding::{Finding, Rule, Severity};
pub use image::ImageRef;
pub use item::{
    Choice, Form, Item, Key, Pair, Provenance, QuestionKind, Role, Rotation, Side, Variant,
};
pub use metafile::MetaFile;
pub use prediction::{Prediction, ToolVerdict};
pub use status::Status;
pub use verdict::{Act, Decision, Judgement, PictureSeen, Seen, Verdict};
