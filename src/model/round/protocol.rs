//! How the papers verified by hand, as data: what is asked, of how many people, and what their verdicts make of an item.
//!
//! Sources: MVP-Bench (data construction and Table 1: two annotators, kept only if both accept; Table 6: human
//! performance), AutoBench-V (human alignment: five people, at least three), MM-SAP (five people, at least three), VLB
//! (human check: 7 strategies x 3 sets x 100 pairs, original beside variant), Dysca (a tenth looked through by hand).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::status::{Status, single};
use crate::verdict::Verdict;

/// Most people that a rule can ask of one item.
pub const MOST_VOTES: u8 = 32;

/// How verdicts become a status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// One person's word is enough, and the last word counts ([`single`]).
    #[default]
    Single,
    /// Kept only if both of two accept (MVP-Bench, data construction).
    BothAccept,
    /// Kept if at least k of n accept (AutoBench-V: 3 of 5).
    Majority(Votes),
    /// The original and the changed image or question side by side: is the answer still the same (VLB, human check)? Both of
    /// two must say so; the paper does not say how many looked at a pair. Accept always means "the same", whatever
    /// the polarity of the judge's prompt for that strategy.
    Equivalence,
    /// One person looks through a sample, for the rate of errors (Dysca). What is found bad is out.
    Audit,
    /// The question is answered without its key being shown (MVP-Bench, Table 6: human performance). Decides nothing.
    Answer,
    /// Is the refusal option the only right one (MM-SAP)? At least three of five must say so.
    Refusal,
}

/// `k` of `n` people: 1 <= k <= n <= [`MOST_VOTES`].
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
    ///
    /// # Errors
    /// Says which of the two does not fit, and what would.
    pub fn new(k: u32, n: u32) -> Result<Votes, String> {
        match (u8::try_from(k), u8::try_from(n)) {
            (_, Ok(n)) if n == 0 || n > MOST_VOTES => {
                Err(format!("n = {n}, expected 1 to {MOST_VOTES} people"))
            }
            (Ok(k), Ok(n)) if (1..=n).contains(&k) => Ok(Votes { k, n }),
            (_, Ok(n)) => Err(format!("k = {k} of n = {n}, expected k from 1 to {n}")),
            (_, Err(_)) => Err(format!("n = {n}, expected 1 to {MOST_VOTES} people")),
        }
    }

    /// How many must accept.
    pub fn k(self) -> u8 {
        self.k
    }

    /// How many are asked.
    pub fn n(self) -> u8 {
        self.n
    }
}

/// What the two verdict keys mean under a protocol: labels of a word or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// What [`Verdict::Accept`] says.
    pub accept: &'static str,
    /// What [`Verdict::Reject`] says.
    pub reject: &'static str,
}

impl Protocol {
    /// How many people judge an item, unless a round says otherwise.
    pub fn people(self) -> u8 {
        self.votes().map_or(1, Votes::n)
    }

    /// How many of how many must accept; none where a single word counts, or where nothing is decided.
    pub fn votes(self) -> Option<Votes> {
        match self {
            Protocol::BothAccept | Protocol::Equivalence => Some(Votes { k: 2, n: 2 }),
            Protocol::Refusal => Some(Votes { k: 3, n: 5 }),
            Protocol::Majority(votes) => Some(votes),
            Protocol::Single | Protocol::Audit | Protocol::Answer => None,
        }
    }

    /// What the screen asks, in one line.
    pub fn question(self) -> &'static str {
        match self {
            Protocol::Single | Protocol::BothAccept => "Are image, question and answer right?",
            Protocol::Majority(_) => "Do image, question and answer go together?",
            Protocol::Equivalence => "Is the answer still the same after the change?",
            Protocol::Audit => "Is anything wrong with this item?",
            Protocol::Answer => "What is the answer?",
            Protocol::Refusal => "Is the refusal the only right option?",
        }
    }

    /// What accepting and rejecting mean. Under `answer` there is nothing to accept: options are chosen instead.
    pub fn keys(self) -> Option<Keys> {
        let (accept, reject) = match self {
            Protocol::Single | Protocol::BothAccept | Protocol::Majority(_) => ("accept", "reject"),
            Protocol::Equivalence => ("same answer", "another answer"),
            Protocol::Audit => ("nothing wrong", "wrong"),
            Protocol::Refusal => ("only refusal", "can be answered"),
            Protocol::Answer => return None,
        };
        Some(Keys { accept, reject })
    }

    /// Whether its verdicts can make or change a status.
    pub fn decides(self) -> bool {
        self != Protocol::Answer
    }

    /// The status that `standing` gives an item: one verdict a person, in the order they were given.
    ///
    /// `single` and `audit` follow the last word ([`single`]); `answer` leaves everything pending. Where k of n must
    /// accept, skips and answers count as not judged, and the first of these that holds is the status:
    /// 1. more than n - k reject: [`Status::Rejected`], as it can no longer be kept, even half-way;
    /// 2. k accept: [`Status::Accepted`], whatever the others wanted fixed or looked at;
    /// 3. k could still accept: [`Status::Pending`];
    /// 4. k could, if those who want it fixed were satisfied: [`Status::ToFix`];
    /// 5. only those who flagged it or were unsure stand in the way: [`Status::Flagged`].
    ///
    /// With more than n verdicts rejections therefore weigh first: three verdicts under `both-accept` keep an item
    /// only if none of them rejects it.
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

    /// Reads what [`Display`](fmt::Display) writes; `majority 3/5` and `majority-3-of-5` are read as well.
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
                "single, both-accept, \"majority 3 of 5\", equivalence, audit, answer or refusal";
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

/// What another rule would make of the same verdicts. Every item is in exactly one of the first six.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhatIf {
    /// Accepted under the other rule.
    pub kept: u64,
    /// Rejected under it.
    pub dropped: u64,
    /// With too few verdicts for it.
    pub pending: u64,
    /// Flagged under it.
    pub flagged: u64,
    /// To be fixed under it.
    pub to_fix: u64,
    /// Only passed over.
    pub skipped: u64,
    /// With another status than under the present rule.
    pub changed: u64,
    /// Not accepted now, accepted under the other rule.
    pub gained: u64,
    /// Accepted now, not accepted under the other rule.
    pub lost: u64,
}

/// Counts what `other` would make of `items` (the standing verdicts of each, in the order they were given), and what that
/// changes against `now`.
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
