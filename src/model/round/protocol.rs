//! Review protocols of the papers: the question, the number of people, and how their verdicts
//! become a status.
//!
//! Sources: MVP-Bench (data construction and Table 1: two annotators, kept only if both accept;
//! Table 6: human performance), AutoBench-V (human alignment: at least three of five people),
//! MM-SAP (at least three of five people), VLB (human check: 7 strategies x 3 sets x 100 pairs,
//! original next to variant), Dysca (one tenth audited by hand).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::status::{Status, single};
use crate::verdict::Verdict;

/// Maximum number of votes per item.
pub const MAX_VOTES: u8 = 32;

/// How verdicts become a status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// One verdict is enough, and the last one counts ([`single`]).
    #[default]
    Single,
    /// Kept only if both annotators accept (MVP-Bench, data construction).
    BothAccept,
    /// Kept if at least k of n accept (AutoBench-V: 3 of 5).
    Majority(Votes),
    /// Compares the original and the changed picture or question side by side: is the answer still
    /// the same (VLB, human check)? Both of two people must agree, since the paper does not give a
    /// number. Accept always means "the same", whatever the polarity of the judge's prompt for the
    /// strategy.
    Equivalence,
    /// One person audits a sample to estimate the error rate (Dysca). Bad items are rejected.
    Audit,
    /// The question is answered without its answer key (MVP-Bench, Table 6: human performance).
    /// Decides nothing.
    Answer,
    /// Is the refusal option the only right one (MM-SAP)? At least three of five people must agree.
    Refusal,
}

/// `k` of `n` votes: 1 <= k <= n <= [`MAX_VOTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "WrittenVotes")]
pub struct Votes {
    k: u8,
    n: u8,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenVotes {
    k: u32,
    n: u32,
}

impl TryFrom<WrittenVotes> for Votes {
    type Error = String;

    fn try_from(WrittenVotes { k, n }: WrittenVotes) -> Result<Votes, String> {
        Votes::new(k, n)
    }
}

impl Votes {
    /// At least `k` of `n` people.
    pub fn new(k: u32, n: u32) -> Result<Votes, String> {
        match (u8::try_from(k), u8::try_from(n)) {
            (_, Ok(n)) if n == 0 || n > MAX_VOTES => {
                Err(format!("n = {n}, expected 1 to {MAX_VOTES} people"))
            }
            (Ok(k), Ok(n)) if (1..=n).contains(&k) => Ok(Votes { k, n }),
            (_, Ok(n)) => Err(format!("k = {k} of n = {n}, expected k from 1 to {n}")),
            (_, Err(_)) => Err(format!("n = {n}, expected 1 to {MAX_VOTES} people")),
        }
    }

    /// Number of people who must accept.
    pub fn k(self) -> u8 {
        self.k
    }

    /// Number of people asked.
    pub fn n(self) -> u8 {
        self.n
    }
}

/// Labels of the two verdict keys under a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyLabels {
    /// Label of [`Verdict::Accept`].
    pub accept: &'static str,
    /// Label of [`Verdict::Reject`].
    pub reject: &'static str,
}

impl Protocol {
    /// Default number of people per item.
    pub fn people(self) -> u8 {
        self.votes().map_or(1, Votes::n)
    }

    /// The required votes; `None` if a single verdict decides or nothing is decided.
    pub fn votes(self) -> Option<Votes> {
        match self {
            Protocol::BothAccept | Protocol::Equivalence => Some(Votes { k: 2, n: 2 }),
            Protocol::Refusal => Some(Votes { k: 3, n: 5 }),
            Protocol::Majority(votes) => Some(votes),
            Protocol::Single | Protocol::Audit | Protocol::Answer => None,
        }
    }

    /// The question shown on screen, in one line.
    pub fn question(self) -> &'static str {
        match self {
            Protocol::Single | Protocol::BothAccept => "Are image, question, and answer right?",
            Protocol::Majority(_) => "Do image, question, and answer match?",
            Protocol::Equivalence => "Is the answer still the same after the change?",
            Protocol::Audit => "Is anything wrong with this item?",
            Protocol::Answer => "What is the answer?",
            Protocol::Refusal => "Is the refusal the only right option?",
        }
    }

    /// The meaning of accept and reject. `None` under `answer`, where options are chosen instead.
    pub fn key_labels(self) -> Option<KeyLabels> {
        let (accept, reject) = match self {
            Protocol::Single | Protocol::BothAccept | Protocol::Majority(_) => ("accept", "reject"),
            Protocol::Equivalence => ("same answer", "another answer"),
            Protocol::Audit => ("nothing wrong", "wrong"),
            Protocol::Refusal => ("only refusal", "can be answered"),
            Protocol::Answer => return None,
        };
        Some(KeyLabels { accept, reject })
    }

    /// Whether its verdicts can change a status.
    pub fn decides(self) -> bool {
        self != Protocol::Answer
    }

    /// The status of an item from its effective verdicts, one per person, in the order they were
    /// given.
    ///
    /// `single` and `audit` follow the last verdict ([`single`]). `answer` leaves everything
    /// pending. Where k of n must accept, skips and answers do not count, and the first matching
    /// line is the status:
    /// 1. more than n - k reject: [`Status::Rejected`], even if verdicts are still missing;
    /// 2. k accept: [`Status::Accepted`], regardless of the others;
    /// 3. k could still accept: [`Status::Pending`];
    /// 4. k would accept if the fixes were made: [`Status::ToFix`];
    /// 5. otherwise: [`Status::Flagged`], because of flags or unsure verdicts.
    ///
    /// So with more than n verdicts, rejections take precedence: three verdicts under `both-accept`
    /// keep an item only if none of them is a rejection.
    pub fn status(self, standing: &[Verdict]) -> Status {
        let Some(Votes { k, n }) = self.votes() else {
            return if self.decides() {
                single(standing)
            } else {
                Status::Pending
            };
        };
        let (k, n) = (usize::from(k), usize::from(n));
        let (mut accepts, mut rejects, mut fixes, mut others) = (0, 0, 0, 0);
        for verdict in standing {
            match verdict {
                Verdict::Accept => accepts += 1,
                Verdict::Reject => rejects += 1,
                Verdict::Fix => fixes += 1,
                Verdict::Flag | Verdict::Unsure => others += 1,
                Verdict::Skip | Verdict::Answer => {}
            }
        }
        let open = n.saturating_sub(accepts + rejects + fixes + others);
        if rejects > n - k {
            Status::Rejected
        } else if accepts >= k {
            Status::Accepted
        } else if accepts + open >= k {
            Status::Pending
        } else if accepts + fixes + open >= k {
            Status::ToFix
        } else {
            Status::Flagged
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Protocol::Single => "single",
            Protocol::BothAccept => "both-accept",
            Protocol::Majority(votes) => return write!(f, "majority {} of {}", votes.k, votes.n),
            Protocol::Equivalence => "equivalence",
            Protocol::Audit => "audit",
            Protocol::Answer => "answer",
            Protocol::Refusal => "refusal",
        })
    }
}

impl FromStr for Protocol {
    type Err = String;

    /// Parses the output of [`Display`](fmt::Display), and also `majority 3/5` and
    /// `majority-3-of-5`.
    fn from_str(text: &str) -> Result<Protocol, String> {
        let simple = [
            Self::Single,
            Self::BothAccept,
            Self::Equivalence,
            Self::Audit,
            Self::Answer,
            Self::Refusal,
        ];
        if let Some(found) = simple.into_iter().find(|p| p.to_string() == text) {
            return Ok(found);
        }
        let unknown = || {
            let known =
                "single, both-accept, \"majority 3 of 5\", equivalence, audit, answer, or refusal";
            format!("unknown protocol `{text}`, expected {known}")
        };
        let votes = text
            .strip_prefix("majority")
            .and_then(|v| v.strip_prefix([' ', '-']))
            .ok_or_else(unknown)?;
        let (k, n) = [" of ", "-of-", "/"]
            .iter()
            .find_map(|by| votes.split_once(by))
            .ok_or_else(unknown)?;
        let number = |text: &str| text.parse::<u32>().map_err(|_| unknown());
        Ok(Protocol::Majority(Votes::new(number(k)?, number(n)?)?))
    }
}

/// The effect of another protocol on the same verdicts. Every item is in exactly one of the first
/// six counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhatIf {
    /// Accepted under the other protocol.
    pub kept: u64,
    /// Rejected under it.
    pub dropped: u64,
    /// Pending under it.
    pub pending: u64,
    /// Flagged under it.
    pub flagged: u64,
    /// To fix under it.
    pub to_fix: u64,
    /// Only skipped.
    pub skipped: u64,
    /// Items whose status differs.
    pub changed: u64,
    /// Items accepted only under the other protocol.
    pub gained: u64,
    /// Items accepted only under the present protocol.
    pub lost: u64,
}

/// Counts the statuses of `items` under `other` and compares them with `now`. Each item is the list
/// of its effective verdicts in the order they were given.
pub fn what_if<I>(items: I, now: Protocol, other: Protocol) -> WhatIf
where
    I: IntoIterator,
    I::Item: AsRef<[Verdict]>,
{
    let mut found = WhatIf::default();
    for standing in items {
        let (before, after) = (
            now.status(standing.as_ref()),
            other.status(standing.as_ref()),
        );
        *match after {
            Status::Accepted => &mut found.kept,
            Status::Rejected => &mut found.dropped,
            Status::Pending => &mut found.pending,
            Status::Flagged => &mut found.flagged,
            Status::ToFix => &mut found.to_fix,
            Status::Skipped => &mut found.skipped,
        } += 1;
        found.changed += u64::from(before != after);
        found.gained += u64::from(before != Status::Accepted && after == Status::Accepted);
        found.lost += u64::from(before == Status::Accepted && after != Status::Accepted);
    }
    found
}

#[cfg(test)]
#[path = "protocol_tests.rs"]
mod tests;
