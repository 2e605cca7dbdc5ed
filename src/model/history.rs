//! Project history: points in time, decisions, differences, and merged journals.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::error::{Error, Result};
use super::status::Status;
use super::verdict::{Act, Verdict};

/// A point in the project's history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum HistoryPoint {
    /// The present.
    #[default]
    Now,
    /// Just after this revision.
    Rev(u64),
    /// After all decisions up to this time (milliseconds since 1970, by the owners' clocks).
    At(i64),
}

impl HistoryPoint {
    /// Parses `now`, a revision (`412`), or an RFC 3339 time (`2026-01-31T12:00:00Z`).
    pub fn parse(text: &str) -> Result<HistoryPoint> {
        let text = text.trim();
        if text == "now" {
            return Ok(HistoryPoint::Now);
        }
        if let Ok(rev) = text.parse() {
            return Ok(HistoryPoint::Rev(rev));
        }
        match text.parse::<jiff::Timestamp>() {
            Ok(time) => Ok(HistoryPoint::At(time.as_millisecond())),
            Err(_) => Err(
                Error::usage(format!("`{text}` is not a point in time")).help(
                    "give a revision such as 412, a time such as 2026-01-31T12:00:00Z, or `now`",
                ),
            ),
        }
    }

    /// Whether it includes a decision with this revision and time.
    pub fn includes(self, rev: u64, at: i64) -> bool {
        match self {
            HistoryPoint::Now => true,
            HistoryPoint::Rev(last) => rev <= last,
            HistoryPoint::At(last) => at <= last,
        }
    }
}

/// Formats milliseconds since 1970 as RFC 3339 in UTC.
pub fn stamp(at: i64) -> String {
    let time = jiff::Timestamp::from_millisecond(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    format!("{time:.3}")
}

/// A time as text, to the second. Empty for 0.
pub fn to_the_second(at: i64) -> String {
    if at == 0 {
        String::new()
    } else {
        stamp(at).chars().take(19).collect()
    }
}

/// A query of the decision log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogQuery {
    /// Only decisions of this annotator.
    pub who: Option<String>,
    /// Only decisions on the item with this id.
    pub item: Option<String>,
    /// Only decisions in this round.
    pub round: Option<String>,
    /// Only decisions after this point.
    pub since: Option<HistoryPoint>,
    /// Only decisions up to this point.
    pub until: HistoryPoint,
    /// Number of decisions to skip, newest first.
    pub skip: u64,
    /// Maximum number of decisions.
    pub count: u32,
}

/// An entry of the decision log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub uuid: Uuid,
    /// Project revision after it.
    pub rev: u64,
    /// Time in milliseconds since 1970.
    pub at: i64,
    pub who: String,
    /// Item id.
    pub item: String,
    /// Item number; `None` if the project does not have the item.
    pub number: Option<u32>,
    pub act: Act,
    /// Whether it is an effective verdict at present.
    pub counts: bool,
}

/// The project at a point in its history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryState {
    /// Revision of the last decision included.
    pub rev: u64,
    /// Number of decisions included.
    pub decisions: u64,
    /// Number of items per status, in the order of [`Status::ALL`].
    pub by_status: Vec<(Status, u64)>,
    /// Whether the owner's state matches the journals; only for [`HistoryPoint::Now`].
    pub same: Option<bool>,
    /// Remarks for people.
    pub notes: Vec<String>,
}

/// An item whose status differs between two points in time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusChange {
    /// Item number, from 1.
    pub number: u32,
    /// Item id.
    pub item: String,
    /// Status at the earlier point.
    pub from: Status,
    /// Status at the later point.
    pub to: Status,
}

/// The result of merging journals from another machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merged {
    pub files: Vec<MergedFile>,
    /// Decisions that were added.
    pub added: u64,
    /// Duplicate decisions, already known or repeated in the files.
    pub known: u64,
    /// Decisions that were not added, with reasons.
    pub aside: Vec<SkippedDecision>,
    /// Items with different verdicts, by several people or by one person on two machines.
    pub conflicts: Vec<Conflict>,
    /// Remarks for people.
    pub notes: Vec<String>,
}

/// A merged journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Number of valid lines.
    pub decisions: u64,
    /// Invalid lines with line number and reason. They are skipped.
    pub damaged: Vec<String>,
    /// Whether an incomplete last line follows, which was never acknowledged.
    pub torn: bool,
    /// Times that its clock went backward between two decisions of one annotator.
    pub clock_back: u64,
}

/// A decision that was not added.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SkippedDecision {
    /// Item id.
    pub item: String,
    pub who: String,
    pub uuid: Uuid,
    /// The reason.
    pub why: String,
}

/// An item with different verdicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// Item number, from 1.
    pub number: u32,
    /// Item id.
    pub item: String,
    /// Its status with all verdicts.
    pub status: Status,
    /// The conflicting verdicts.
    pub verdicts: Vec<ConflictingVerdict>,
}

/// A verdict of a [`Conflict`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConflictingVerdict {
    pub who: String,
    pub verdict: Verdict,
    /// Time in milliseconds since 1970.
    pub at: i64,
    /// Whether it came from the merged files.
    pub incoming: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moment_parses_revision_time_and_now() {
        assert_eq!(
            HistoryPoint::parse(" 412 ").unwrap(),
            HistoryPoint::Rev(412)
        );
        assert_eq!(HistoryPoint::parse("now").unwrap(), HistoryPoint::Now);
        assert_eq!(
            HistoryPoint::parse("1970-01-01T00:00:01Z").unwrap(),
            HistoryPoint::At(1000)
        );
        for bad in ["", "yesterday", "-3", "2026-13-01T00:00:00Z"] {
            assert!(
                HistoryPoint::parse(bad).unwrap_err().help.is_some(),
                "{bad}"
            );
        }
        assert!(HistoryPoint::Rev(4).includes(4, 99) && !HistoryPoint::Rev(4).includes(5, 1));
        assert!(HistoryPoint::At(10).includes(9, 10) && !HistoryPoint::At(10).includes(1, 11));
    }
}
