//! Verdicts of rounds.

use std::collections::HashMap;
use std::ops::Range;

use super::{Ledger, group};
use benchtop_model::Judgement;
use benchtop_model::round::state::RoundVerdict;
use benchtop_model::verdict::Part;

/// A verdict that counts.
#[derive(Clone, Copy, Debug)]
pub struct CountedVerdict<'l> {
    pub row: u32,
    /// Index of the annotator in [`Ledger::names`].
    pub person: u16,
    /// Milliseconds since 1970.
    pub at: i64,
    pub judgement: &'l Judgement,
}

impl Ledger {
    /// Number of verdicts ever given, including those that no longer count.
    pub fn verdicts_given(&self) -> usize {
        self.given.len()
    }

    /// Annotators in the order of their first verdict.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.people.iter().map(|person| person.name.as_str())
    }

    /// The verdicts that count within a range of [`given`](Self::given), in the order they were
    /// given.
    pub fn counted_verdicts(
        &self,
        places: Range<usize>,
    ) -> impl Iterator<Item = CountedVerdict<'_>> {
        let given = self
            .given
            .get(places.start..places.end.min(self.given.len()))
            .unwrap_or_default();
        let counts = given.iter().filter(|given| given.counts);
        counts.map(|given| CountedVerdict {
            row: given.row,
            person: given.person,
            at: given.at,
            judgement: &given.judgement,
        })
    }

    /// The verdicts of each round that count, by the round's name, in the order they were given.
    pub fn by_round(&self) -> HashMap<String, Vec<RoundVerdict>> {
        let mut all: HashMap<String, Vec<RoundVerdict>> = HashMap::new();
        for given in self.given.iter().filter(|given| given.counts) {
            let Some(asked) = &given.judgement.round else {
                continue;
            };
            all.entry(asked.round.clone())
                .or_default()
                .push(RoundVerdict {
                    row: given.row,
                    who: self.people[usize::from(given.person)].name.clone(),
                    part: asked.part,
                    judgement: given.judgement.clone(),
                });
        }
        all
    }

    /// Number of verdicts ever given in a round, including those that no longer count.
    pub fn verdicts_given_in(&self, round: &str) -> usize {
        self.given
            .iter()
            .filter(|given| group(given).0 == Some(round))
            .count()
    }

    /// The verdicts that decide a row in a round: the last of each annotator and the adjudications,
    /// in the order they were given.
    pub fn in_round<'l>(
        &'l self,
        row: u32,
        round: &'l str,
    ) -> impl Iterator<Item = (String, Judgement)> + 'l {
        let of_round = self
            .effective_given(row)
            .into_iter()
            .filter(move |given| group(given).0 == Some(round));
        of_round.map(|given| {
            (
                self.people[usize::from(given.person)].name.clone(),
                given.judgement.clone(),
            )
        })
    }

    /// Whether an annotator has a verdict of this part on a row in a round.
    pub fn has_verdict(&self, row: u32, round: &str, who: &str, part: Part) -> bool {
        self.verdicts_on(row)
            .filter(|given| given.counts && self.people[usize::from(given.person)].name == who)
            .any(|given| {
                given
                    .judgement
                    .round
                    .as_ref()
                    .is_some_and(|asked| asked.round == round && asked.part == part)
            })
    }
}
