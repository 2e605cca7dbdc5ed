//! Derives the status of an item from its effective verdicts.
//!
//! An item can be judged outside of rounds and in several rounds with different protocols. The
//! verdicts of one round are counted together under its protocol, never with those of another. The
//! group (a round, or everything outside of rounds) with the latest decision on the item determines
//! its status.

use super::Protocol;
use crate::status::{Status, single};
use crate::verdict::{Part, RoundContext, Verdict};

/// A verdict that was not undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffectiveVerdict<'a> {
    pub person: &'a str,
    pub verdict: Verdict,
    /// The round it was given in; `None` outside of rounds.
    pub asked: Option<&'a RoundContext>,
    /// Its position in time, such as its revision. Later verdicts have greater numbers.
    pub order: u64,
}

impl<'a> EffectiveVerdict<'a> {
    fn round(&self) -> Option<&'a str> {
        self.asked.map(|asked| asked.round.as_str())
    }

    fn part(&self) -> Part {
        self.asked.map_or(Part::Main, |asked| asked.part)
    }
}

/// The status of an item and where it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemDecision {
    pub status: Status,
    /// The round that decided; `None` if it was decided outside of rounds or not at all.
    pub round: Option<String>,
    /// Whether an adjudicator settled it.
    pub adjudicated: bool,
    /// Whether the adjudicator had also judged it in the same round, which must be shown.
    pub own: bool,
    /// Problems with the record, as sentences, such as unknown rounds.
    pub notes: Vec<String>,
}

/// The status of an item from its effective verdicts. `lookup` returns the protocol of a round,
/// `default` is the protocol outside of rounds.
///
/// 1. Repeats, probes, and practice do not count, and neither do rounds whose protocol does not
///    decide.
/// 2. Within a round, the last verdict of each person counts, first or revised. They go to
///    [`Protocol::status`] in the order they were given.
/// 3. The last adjudication of the round overrides them, whenever it was given. A skip or an answer
///    is not an adjudication.
/// 4. The group with the latest decision (neither skip nor answer) determines the status. If it is
///    incomplete, the item is pending again. Skips count only if there is no decision at all.
///
/// A round that `lookup` does not know counts as `single`, with a note.
pub fn status_of<'a>(
    given: &[EffectiveVerdict<'a>],
    lookup: impl Fn(&str) -> Option<Protocol>,
    default: Protocol,
) -> ItemDecision {
    let mut notes = Vec::new();
    let mut protocols: Vec<(Option<&'a str>, Protocol)> = Vec::new();
    for round in given.iter().map(EffectiveVerdict::round) {
        if protocols.iter().any(|(known, _)| *known == round) {
            continue;
        }
        let protocol = match round {
            None => default,
            Some(name) => lookup(name).unwrap_or_else(|| {
                notes.push(format!(
                    "round `{name}` no longer exists; its verdicts count as `single`"
                ));
                Protocol::Single
            }),
        };
        protocols.push((round, protocol));
    }
    let decides = |given: &&EffectiveVerdict<'a>| {
        given.part().decides()
            && protocols
                .iter()
                .any(|(round, p)| *round == given.round() && p.decides())
    };
    let is_decision =
        |given: &&EffectiveVerdict<'a>| !matches!(given.verdict, Verdict::Skip | Verdict::Answer);
    let latest = |filter: &dyn Fn(&&EffectiveVerdict<'a>) -> bool| {
        given
            .iter()
            .filter(decides)
            .filter(filter)
            .max_by_key(|g| g.order)
    };
    let Some(last) = latest(&is_decision).or_else(|| latest(&|g| g.verdict == Verdict::Skip))
    else {
        return ItemDecision {
            notes,
            ..ItemDecision::default()
        };
    };
    let round = last.round();
    let mut group: Vec<&EffectiveVerdict<'a>> = given
        .iter()
        .filter(decides)
        .filter(|g| g.round() == round)
        .collect();
    group.sort_by_key(|g| g.order);
    let settled = group
        .iter()
        .rfind(|g| g.part() == Part::Adjudication && is_decision(g));
    let status = match settled {
        Some(verdict) => single(&[verdict.verdict]),
        None => {
            let mut standing: Vec<&EffectiveVerdict<'a>> = Vec::new();
            for verdict in group.iter().filter(|g| g.part() != Part::Adjudication) {
                standing.retain(|other| other.person != verdict.person);
                standing.push(verdict);
            }
            let protocol = protocols
                .iter()
                .find(|(known, _)| *known == round)
                .map_or(default, |(_, p)| *p);
            let standing: Vec<Verdict> = standing.iter().map(|g| g.verdict).collect();
            protocol.status(&standing)
        }
    };
    let own = settled.is_some_and(|by| {
        group
            .iter()
            .any(|g| g.part() != Part::Adjudication && g.person == by.person && is_decision(g))
    });
    ItemDecision {
        status,
        round: round.map(str::to_string),
        adjudicated: settled.is_some(),
        own,
        notes,
    }
}

#[cfg(test)]
#[path = "standing_tests.rs"]
mod tests;
