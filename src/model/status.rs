//! The status of an item, and the `single` protocol.

use serde::{Deserialize, Serialize};

use super::verdict::Verdict;

// All statuses, in display and sort order. The position is the stored code.
named! {
    /// Status of an item.
    #[derive(
        Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
    )]
    #[serde(rename_all = "kebab-case")]
    pub enum Status {
        /// Not judged yet.
        #[default]
        Pending = "pending",
        Accepted = "accepted",
        Rejected = "rejected",
        /// Usable after a change.
        ToFix = "to-fix",
        /// Needs another look.
        Flagged = "flagged",
        /// Skipped only.
        Skipped = "skipped",
    }
}

impl Status {
    /// The stored code: the position in [`Status::ALL`].
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The status with this stored code; unknown codes are pending.
    pub fn from_code(code: u8) -> Self {
        Self::ALL
            .get(usize::from(code))
            .copied()
            .unwrap_or_default()
    }
}

/// The `single` protocol: one verdict is enough, and the last one counts.
///
/// `standing` holds the effective verdicts, one per annotator, in the order they were given. Skips
/// and answers do not count and do not withdraw verdicts of others. An item that was only skipped
/// is [`Status::Skipped`].
pub fn single(standing: &[Verdict]) -> Status {
    let last = standing
        .iter()
        .rev()
        .find(|v| !matches!(v, Verdict::Skip | Verdict::Answer));
    match last {
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
    fn last_verdict_counts() {
        assert_eq!(single(&[]), Status::Pending);
        assert_eq!(
            single(&[Verdict::Accept, Verdict::Reject]),
            Status::Rejected
        );
        assert_eq!(single(&[Verdict::Accept, Verdict::Unsure]), Status::Flagged);
    }

    #[test]
    fn skips_and_answers_withdraw_nothing() {
        assert_eq!(
            single(&[Verdict::Accept, Verdict::Skip, Verdict::Answer]),
            Status::Accepted
        );
        assert_eq!(single(&[Verdict::Answer, Verdict::Skip]), Status::Skipped);
        assert_eq!(single(&[Verdict::Answer]), Status::Pending);
    }
}
