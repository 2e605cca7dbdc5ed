//! The history of a project: a moment of it, what was decided, and what decisions from another machine bring.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::error::{Error, Result};
use super::status::Status;
use super::verdict::{Act, Verdict};

/// A moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Moment {
    /// After everything.
    #[default]
    Now,
    /// After the decision of this revision.
    Rev(u64),
    /// After what was decided up to this time, in milliseconds since 1970 by the owners' clocks.
    At(i64),
}

impl Moment {
    /// Reads `now`, a revision (`412`), or an RFC 3339 time (`2026-01-31T12:00:00Z`).
    ///
    /// # Errors
    /// Says what is accepted.
    pub fn parse(text: &str) -> Result<Moment> {
        let text = text.trim();
        if text == "now" {
            return Ok(Moment::Now);
        }
        if let Ok(rev) = text.parse() {
            return Ok(Moment::Rev(rev));
        }
        match text.parse::<jiff::Timestamp>() {
            Ok(time) => Ok(Moment::At(time.as_millisecond())),
            Err(_) => Err(
                Error::new(super::ErrorKind::Usage, format!("`{text}` is no moment"))
                    .help("a revision such as 412, a time such as 2026-01-31T12:00:00Z, or `now`"),
            ),
        }
    }

    /// Whether a decision with this revision and time lies before its end.
    pub fn includes(self, rev: u64, at: i64) -> bool {
        match self {
            Moment::Now => true,
            Moment::Rev(last) => rev <= last,
            Moment::At(last) => at <= last,
        }
    }
}

/// Milliseconds since 1970 as RFC 3339 in UTC.
pub fn stamp(at: i64) -> String {
    let time = jiff::Timestamp::from_millisecond(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    format!("{time:.3}")
}

/// A time of judging as text, to the second; empty for never.
pub fn to_the_second(at: i64) -> String {
    if at == 0 {
        String::new()
    } else {
        stamp(at).chars().take(19).collect()
    }
}

/// Which decisions are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogAsk {
    /// Of this annotator.
    pub who: Option<String>,
    /// On the item of this id.
    pub item: Option<String>,
    /// In this round.
    pub round: Option<String>,
    /// After this moment.
    pub since: Option<Moment>,
    /// Up to this one.
    pub until: Moment,
    /// Passed over, the newest first.
    pub skip: u64,
    /// At most so many.
    pub count: u32,
}

/// A decision as it is listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its receipt.
    pub uuid: Uuid,
    /// Revision of the project after it.
    pub rev: u64,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Who.
    pub who: String,
    /// Id of the item.
    pub item: String,
    /// Its number; none where the project does not have it.
    pub number: Option<u32>,
    /// What.
    pub act: Act,
    /// Whether it is a verdict that counts now; a later one of the same person may say another thing.
    pub counts: bool,
}

/// The project as it was at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Revision of the last decision that was folded in.
    pub rev: u64,
    /// Decisions folded in.
    pub decisions: u64,
    /// Items by status, in the order of [`Status::ALL`].
    pub by_status: Vec<(Status, u64)>,
    /// Whether what the owner shows is what the journals say: asked only of [`Moment::Now`].
    pub same: Option<bool>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// An item that stands elsewhere at another moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// Item number, from 1.
    pub number: u32,
    /// Its id.
    pub item: String,
    /// Where it stood.
    pub from: Status,
    /// Where it stands at the later moment.
    pub to: Status,
}

/// What journals from elsewhere bring.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merged {
    /// The files.
    pub files: Vec<MergedFile>,
    /// Decisions that are new here.
    pub added: u64,
    /// Decisions that were here, or in two of the files.
    pub known: u64,
    /// Decisions that were not taken, and why.
    pub aside: Vec<Aside>,
    /// Items that people, or one person on two machines, judged differently.
    pub conflicts: Vec<Conflict>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// A journal from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedFile {
    /// Where it is.
    pub path: PathBuf,
    /// Good lines in it.
    pub decisions: u64,
    /// Bad lines with line number and reason: they are not taken.
    pub damaged: Vec<String>,
    /// Whether a torn last line, which nobody was told of, follows.
    pub torn: bool,
    /// How often its clock was put back between two decisions of one annotator.
    pub clock_back: u64,
}

/// A decision that was not taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Aside {
    /// Id of the item.
    pub item: String,
    /// Who decided.
    pub who: String,
    /// Its receipt.
    pub uuid: Uuid,
    /// Why it does not count here.
    pub why: String,
}

/// An item that was judged differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// Item number, from 1.
    pub number: u32,
    /// Its id.
    pub item: String,
    /// Where it stands with all of them.
    pub status: Status,
    /// The verdicts: who, what, when (milliseconds since 1970), and whether it came with the files.
    pub verdicts: Vec<Side>,
}

/// One of the verdicts of a [`Conflict`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// Who.
    pub who: String,
    /// What.
    pub verdict: Verdict,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// It came with the files.
    pub incoming: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_revisions_times_or_now() {
        assert_eq!(Moment::parse(" 412 ").unwrap(), Moment::Rev(412));
        assert_eq!(Moment::parse("now").unwrap(), Moment::Now);
        assert_eq!(
            Moment::parse("1970-01-01T00:00:01Z").unwrap(),
            Moment::At(1000)
        );
        for bad in ["", "yesterday", "-3", "2026-13-01T00:00:00Z"] {
            assert!(Moment::parse(bad).unwrap_err().help.is_some(), "{bad}");
        }
        assert!(Moment::Rev(4).includes(4, 99) && !Moment::Rev(4).includes(5, 1));
        assert!(Moment::At(10).includes(9, 10) && !Moment::At(10).includes(1, 11));
    }
}
