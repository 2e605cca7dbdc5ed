//! From verdicts to a status, by a pure function of the verification protocol.

use serde::{Deserialize, Serialize};

use super::verdict::Verdict;

/// Where an item stands.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Nobody has judged it.
    #[default]
    Pending,
    /// It is kept.
    Accepted,
    /// It is out.
    Rejected,
    /// It needs a change before it can be kept.
    ToFix,
    /// Somebody should look again.
    Flagged,
    /// It was passed over.
    Skipped,
}

impl Status {
    /// All statuses, in the order they are listed and sorted; the position is the stored code.
    pub const ALL: [Status; 6] = [
        Self::Pending,
        Self::Accepted,
        Self::Rejected,
        Self::ToFix,
        Self::Flagged,
        Self::Skipped,
    ];

    /// The name used in filters, tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::ToFix => "to-fix",
            Self::Flagged => "flagged",
            Self::Skipped => "skipped",
        }
    }

    /// The status of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }

    /// The stored code: the position in [`Status::ALL`].
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The status of a stored code; unknown codes are pending.
    pub fn from_code(code: u8) -> Self {
        Self::ALL
            .get(usize::from(code))
            .copied()
            .unwrap_or_default()
    }
}

/// The `single` protocol: one person's word is enough, and the last word counts.
///
/// `standing` holds the verdicts that count, one an annotator, in the order they were given. A skip is no word on the
/// item, and an answer to its question neither: they take nothing back of what another has said. What was only passed
/// over is [`Status::Skipped`].
pub fn single(standing: &[Verdict]) -> Status {
    let word = standing
        .iter()
        .rev()
        .find(|v| !matches!(v, Verdict::Skip | Verdict::Answer));
    match word {
        Some(Verdict::Accept) => Status::Accepted,
        Some(Verdict::Reject) => Status::Rejected,
        Some(Verdict::Fix) => Status::ToFix,
        Some(Verdict::Flag | Verdict::Unsure) => Status::Flagged,
        _ if standing.contains(&Verdict::Skip) => Status::Skipped,
        _ => Status::Pending,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_round_trip() {
        for status in Status::ALL {
            assert_eq!(Status::from_code(status.code()), status);
            assert_eq!(Status::from_name(status.name()), Some(status));
        }
        assert_eq!(Status::from_code(250), Status::Pending);
    }

    #[test]
    fn the_last_word_counts() {
        assert_eq!(single(&[]), Status::Pending);
        assert_eq!(
            single(&[Verdict::Accept, Verdict::Reject]),
            Status::Rejected
        );
        assert_eq!(single(&[Verdict::Accept, Verdict::Unsure]), Status::Flagged);
    }

    #[test]
    fn a_skip_or_an_answer_takes_nothing_back() {
        assert_eq!(
            single(&[Verdict::Accept, Verdict::Skip, Verdict::Answer]),
            Status::Accepted
        );
        assert_eq!(single(&[Verdict::Answer, Verdict::Skip]), Status::Skipped);
        assert_eq!(single(&[Verdict::Answer]), Status::Pending);
    }
}
