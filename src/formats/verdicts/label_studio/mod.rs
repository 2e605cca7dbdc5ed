//! Label Studio's JSON: tasks with the annotations of several people.
//!
//! benchtop writes tasks that Label Studio imports, with a matching labeling config ([`config`]).
//! It reads both export formats: JSON (tasks) and JSON-MIN (one annotation per record). Data that
//! annotations have no place for (revision, round, how the item was seen) is stored in the task's
//! `data` under [`BLOCK`], which Label Studio keeps unchanged. An annotation that was changed there
//! no longer matches its block and is read as a new verdict.
//!
//! Source: labelstud.io, "Label Studio Task Format" and "Export annotations".

pub mod config;
mod controls;
mod read;
mod regions;
mod task;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use read::read;
pub use task::{TaskExtra, TaskWriter};

use benchtop_model::verdict::Part;
use benchtop_model::{PictureSeen, Seen};

/// The field of a task's `data` for everything that annotations have no place for.
pub const BLOCK: &str = "benchtop";

/// The field of a task's `data` with the comments on its item, since Label Studio has no place for
/// comments in imported tasks.
pub const COMMENTS: &str = "benchtop_comments";

/// Names of the controls in the labeling config.
pub const VERDICT: &str = "verdict";
/// See [`VERDICT`].
pub const REASONS: &str = "reasons";
/// See [`VERDICT`].
pub const TAGS: &str = "tags";
/// See [`VERDICT`].
pub const BOXES: &str = "boxes";
/// See [`VERDICT`].
pub const POINTS: &str = "points";
/// See [`VERDICT`].
pub const NOTE: &str = "note";
/// See [`VERDICT`].
pub const ANSWER: &str = "answer";

/// The circumstances of a verdict in [`BLOCK`], by receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Circumstances {
    uuid: Uuid,
    who: String,
    at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rev: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ms: Option<u32>,
    seen: Seen,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pictures: Vec<PictureSeen>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    round: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    part: Option<Part>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    guidelines: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    revealed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    on: Option<String>,
    /// Hash of the verdict's content: [`benchtop_model::verdict_interchange::said`].
    said: String,
}
