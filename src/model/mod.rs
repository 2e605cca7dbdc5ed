//! Floor 1: plain data and rules. Nothing here touches a disk, a socket or a terminal.

pub mod board;
pub mod colour;
pub mod config;
pub mod device;
pub mod error;
pub mod filter;
pub mod finding;
pub mod generation;
pub mod history;
pub mod image;
pub mod item;
pub mod job;
pub mod judge;
pub mod made;
pub mod metafile;
pub mod ocr;
pub mod prediction;
pub mod safety;
pub mod scoring;
pub mod similarity;
pub mod status;
pub mod table;
pub mod usage;
pub mod verdict;
pub mod vlm;
pub mod weights;

pub use colour::ColourLevel;
pub use error::{Kind, Problem, Result};
pub use filter::{Field, Filter, Sort};
pub use finding::{Finding, Rule, Severity};
pub use image::ImageRef;
pub use item::{Choice, Form, Item, Key, Pair, Provenance, QuestionKind, Role, Rotation, Side};
pub use metafile::MetaFile;
pub use prediction::Prediction;
pub use status::Status;
pub use verdict::{Act, Decision, Judgement, Seen, Verdict};
