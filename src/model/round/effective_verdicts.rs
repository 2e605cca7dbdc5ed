//! Which of the verdicts on an item decide it, and what they make of it.
//!
//! An item may have been judged outside rounds, and in several rounds under several protocols. The verdicts of a round
//! decide together, under its protocol, and never with those of another; the round (or what was judged outside rounds)
//! in which somebody last decided on the item has the word.

use super::Protocol;
use crate::status::{Status, single};
use crate::verdict::{Asked, Part, Verdict};

/// A verdict on an item that counts (it is not undone).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given<'a> {
    /// Who gave it.
    pub person: &'a str,
    /// What was said.
    pub verdict: Verdict,
    /// The round that asked; none outside rounds.
    pub asked: Option<&'a Asked>,
    /// When, against the others: a later verdict has a greater number, such as its revision.
    pub order: u64,
}

impl<'a> Given<'a> {
    fn round(&self) -> Option<&'a str> {
        self.asked.map(|asked| asked.round.as_str())
    }

    fn part(&self) -> Part {
        self.asked.map_or(Part::Main, |asked| asked.part)
    }
}

/// What verdicts make of an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// Its status.
    pub status: Status,
    /// The round that decided it; none if that was outside rounds, or if nothing was decided.
    pub round: Option<String>,
    /// An adjudicator settled it.
    pub adjudicated: bool,
    /// Whoever settled it had judged it in the same round before: to be shown as such.
    pub own: bool,
    /// What is wrong with the record, in sentences: rounds that are not known any more.
    pub notes: Vec<String>,
}

/// The status of an item from the verdicts that count. `lookup` gives the protocol of a round, `default` is the protocol of
/// verdicts outside rounds.
///
/// 1. Repeats, probes and practice decide nothing, and neither do rounds of a protocol that does not.
/// 2. Within a round the last verdict of each person counts, be it their first or their revision of it; they are
///    taken in the order they were given, as [`Protocol::status`] says.
/// 3. The last adjudication in that round stands above them, whenever it was given; one that skipped or was
///    answered is none.
/// 4. The round with the latest verdict that is neither a skip nor an answer decides. If it is half-way, the item is
///    pending again: somebody asked anew. Only where nothing else was said do skips.
///
/// A round that `lookup` does not know counts as `single`, and a note says so.
pub fn status_of<'a>(
    given: &[Given<'a>],
    lookup: impl Fn(&str) -> Option<Protocol>,
    default: Protocol,
) -> Decided {
    let mut notes = Vec::new();
    let mut protocols: Vec<(Option<&'a str>, Protocol)> = Vec::new();
    for round in given.iter().map(Given::round) {
        if protocols.iter().any(|(known, _)| *known == round) {
            continue;
        }
        let protocol = match round {
            None => default,
            Some(name) => lookup(name).unwrap_or_else(|| {
                notes.push(format!(
                    "the round `{name}` is not there any more: its verdicts count as `single`"
                ));
                Protocol::Single
            }),
        };
        protocols.push((round, protocol));
    }
    let decides = |given: &&Given<'a>| {
        given.part().decides()
            && protocols
                .iter()
                .any(|(round, p)| *round == given.round() && p.decides())
    };
    let said = |given: &&Given<'a>| !matches!(given.verdict, Verdict::Skip | Verdict::Answer);
    let latest = |of: &dyn Fn(&&Given<'a>) -> bool| {
        given
            .iter()
            .filter(decides)
            .filter(of)
            .max_by_key(|g| g.order)
    };
    let Some(last) = latest(&said).or_else(|| latest(&|g| g.verdict == Verdict::Skip)) else {
        return Decided {
            notes,
            ..Decided::default()
        };
    };
    let round = last.round();
    let mut group: Vec<&Given<'a>> = given
        .iter()
        .filter(decides)
        .filter(|g| g.round() == round)
        .collect();
    group.sort_by_key(|g| g.order);
    let settled = group
        .iter()
        .rfind(|g| g.part() == Part::Adjudication && said(g));
    let status = match settled {
        Some(verdict) => single(&[verdict.verdict]),
        None => {
            let mut standing: Vec<&Given<'a>> = Vec::new();
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
            .any(|g| g.part() != Part::Adjudication && g.person == by.person && said(g))
    });
    Decided {
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
