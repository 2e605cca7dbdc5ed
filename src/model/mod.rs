//! Floor 1: plain data and rules. Nothing here touches a disk, a socket or a terminal.

pub mod board;
pub mod colour;
pub mod config;
pub mod error;
pub mod filter;
pub mod image;
pub mod item;
pub mod prediction;
pub mod status;
pub mod table;
pub mod verdict;

pub use colour::ColourLevel;
pub use error::{Kind, Problem, Result};
pub use filter::{Field, Filter, Sort};
pub use image::ImageRef;
pub use item::{Choice, Form, Item, Key, Pair, QuestionKind, Role, Rotation, Side};
pub use prediction::Prediction;
pub use status::Status;
pub use verdict::{Act, Decision, Judgement, Seen, Verdict};
