//! Alignment rate: the share of pictures that show what they should, by aspect and difficulty
//! (AutoBench-V).
//!
//! A property of the benchmark, not of a model. A picture counts once in each cell, however many
//! questions are about it.

use std::collections::{BTreeMap, HashSet};

use crate::board::BoardData;
use benchtop_metrics::autobench::{alignment_rate, grid, majority};
use benchtop_metrics::score::ItemSelection;
use benchtop_metrics::statistics::{Z95, wilson};
use benchtop_metrics::tally::Tally;
use benchtop_model::analysis::{Aligned, Alignment, By, Rate};
use benchtop_model::{Field, Verdict};

/// The votes on the picture of an item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Votes {
    pub aligned: u32,
    pub all: u32,
}

impl Votes {
    /// The vote of a verdict. `None` if the verdict does not decide.
    pub fn of(verdict: Verdict) -> Option<bool> {
        match verdict {
            Verdict::Accept => Some(true),
            Verdict::Reject | Verdict::Fix => Some(false),
            Verdict::Skip | Verdict::Flag | Verdict::Unsure | Verdict::Answer => None,
        }
    }

    /// Adds a vote.
    pub fn add(&mut self, aligned: bool) {
        self.aligned += u32::from(aligned);
        self.all += 1;
    }
}

/// The rates over the pictures of the questions in `chosen`. `votes` is by row.
pub fn aligned(
    scored: &BoardData,
    chosen: &ItemSelection,
    ask: &Alignment,
    votes: &dyn Fn(usize) -> Votes,
) -> Aligned {
    let sheet = scored.engine().sheet();
    let mut pictures: BTreeMap<(&str, &str, u64), Votes> = BTreeMap::new();
    for row in (0..sheet.len()).filter(|row| chosen.holds(*row) && sheet.image.get(*row) != 0) {
        let (aspect, difficulty) = (
            sheet.name(Field::Subtask, row),
            sheet.name(Field::Level, row),
        );
        let (of, own) = (
            pictures
                .entry((aspect, difficulty, sheet.image.get(row)))
                .or_default(),
            votes(row),
        );
        (of.aligned, of.all) = (of.aligned + own.aligned, of.all + own.all);
    }
    let said = |votes: &Votes| majority(votes.aligned, votes.all);
    let images = |of: bool| {
        let is = move |(_, votes): &(_, &Votes)| !of || said(votes).is_some();
        pictures
            .iter()
            .filter(is)
            .map(|((.., image), _)| image)
            .collect::<HashSet<_>>()
            .len()
    };
    let without = (images(false) - images(true)) as u64;
    let told = pictures
        .iter()
        .filter_map(|((aspect, difficulty, _), votes)| {
            Some((*aspect, *difficulty, Tally::of(u64::from(said(votes)?), 1)))
        });
    let grid = grid(told);
    let mut rates = Vec::new();
    let named = |name: &str| Some(if name.is_empty() { "none" } else { name }.to_string());
    let mut row = |aspect: Option<String>, of: &[Tally]| {
        let one = grid.difficulties.len() == 1;
        let label = |d: &String| named(d).filter(|_| !(one && d.is_empty()));
        let each = grid.difficulties.iter().map(label).zip(of.iter().copied());
        let whole =
            (grid.difficulties.len() > 1).then(|| (None, of.iter().copied().sum::<Tally>()));
        rates.extend(
            each.chain(whole)
                .filter_map(|(difficulty, tally)| rate(aspect.clone(), difficulty, tally)),
        );
    };
    grid.aspects
        .iter()
        .for_each(|(aspect, of)| row(named(aspect), of));
    row(None, &grid.all);
    let (by, threshold, round) = match &ask.by {
        By::Filter(threshold) => ("filter", Some(*threshold), None),
        By::People(round) => ("people", None, round.clone()),
    };
    Aligned {
        by: by.into(),
        threshold,
        round,
        without,
        rates,
    }
}

fn rate(aspect: Option<String>, difficulty: Option<String>, tally: Tally) -> Option<Rate> {
    let (aligned, n) = (tally.points as u64, tally.n);
    let rate = alignment_rate(aligned, n).value?;
    let wilson = wilson(aligned, n, Z95).map(|(low, high)| (100.0 * low, 100.0 * high));
    Some(Rate {
        aspect,
        difficulty,
        aligned,
        n,
        rate,
        wilson,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::from_items;
    use benchtop_compose::sample;

    #[test]
    fn a_picture_counts_once_and_pictures_without_votes_are_left_out() {
        let mut items: Vec<_> = sample::draw()
            .flat_map(|drawn| drawn.unwrap().items)
            .take(6)
            .collect();
        for (n, item) in items.iter_mut().enumerate() {
            item.images.truncate(1);
            item.images[0].hash = None;
            item.images[0].name = format!("{}.png", n / 2);
            (item.subtask, item.level) =
                (Some("spatial".into()), Some(["easy", "hard"][n / 4].into()));
        }
        let scored = from_items(items, Vec::new(), None).unwrap();
        let chosen = scored.engine().choose(None);
        let votes = [(1, 1), (1, 2), (0, 2), (1, 2), (0, 0), (0, 0)];
        let votes = |row: usize| Votes {
            aligned: votes[row].0,
            all: votes[row].1,
        };
        let found = aligned(
            &scored,
            &chosen,
            &Alignment {
                by: By::People(None),
            },
            &votes,
        );
        let cell = |aspect: Option<&str>, difficulty: Option<&str>| {
            let of =
                |r: &&Rate| r.aspect.as_deref() == aspect && r.difficulty.as_deref() == difficulty;
            found
                .rates
                .iter()
                .find(of)
                .map(|r| (r.aligned, r.n, r.rate))
        };
        // Two of three votes for the first picture, one of four for the second, none for the third.
        assert_eq!(cell(Some("spatial"), Some("easy")), Some((1, 2, 50.0)));
        assert_eq!(
            (cell(None, Some("easy")), cell(None, Some("hard"))),
            (Some((1, 2, 50.0)), None)
        );
        assert_eq!(
            (found.without, found.by.as_str(), found.threshold),
            (1, "people", None)
        );
    }
}
