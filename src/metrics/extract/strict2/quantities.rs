//! Questions about quantities (more than five, more apples than oranges) and about correctness.

use super::bare_words::{has, is_same, units, without};
use super::lists::{ABOVE, BELOW, CLAIM, FAILS, HOLDS, LEAST, Lists, MOST, PLACE, STOP};
use super::options::number;
use super::yes_no_clause::{QuestionWords, Says};

const BOUNDS: [usize; 4] = [ABOVE, BELOW, LEAST, MOST];
const MORE: [&str; 4] = ["more", "greater", "larger", "higher"];
const FEWER: [&str; 4] = ["fewer", "less", "smaller", "lower"];

/// The comparison that a question asks for.
pub(super) enum Bound {
    /// "More than five": one of `BOUNDS`, and the number.
    Count(usize, u64),
    /// "More apples than oranges".
    Compare { more: bool, sides: [String; 2] },
    /// "Is the sum correct?"
    Judges,
}

fn value(word: &str) -> Option<u64> {
    number(word)?.parse().ok()
}

impl Bound {
    pub(super) fn new(asks: &str, lists: &Lists, wanted: usize) -> Option<Bound> {
        for kind in BOUNDS {
            for phrase in &lists[kind] {
                let behind = asks
                    .split_once(phrase.as_str())
                    .and_then(|(_, behind)| behind.split_whitespace().next());
                if let Some(least) = behind.and_then(value).filter(|_| wanted > 1) {
                    return Some(Bound::Count(kind, least));
                }
            }
        }
        if has(asks, &lists[HOLDS]) && !has(asks, &lists[FAILS]) && !has(asks, &lists[CLAIM]) {
            return Some(Bound::Judges);
        }
        let (left, right) = asks.split_once(" than ")?;
        let spaced = format!("{left} ");
        let words = MORE
            .iter()
            .map(|word| (true, word))
            .chain(FEWER.iter().map(|word| (false, word)));
        let compares = words.filter(|(_, word)| spaced.contains(&format!(" {word} ")));
        let side = |side: &str, word: &str| {
            let mut own = units(&without(&without(side, &lists[PLACE]), &lists[STOP]));
            own.retain(|unit| unit != word);
            own
        };
        let mut bounds = compares.filter_map(|(more, word)| {
            let (left, right) = (side(left, word), side(right, word));
            Some(Bound::Compare {
                more,
                sides: [left.last()?.clone(), right.first()?.clone()],
            })
        });
        bounds.next_back()
    }
}

/// The words of a question without those before its number.
pub(super) fn wanted(asks: &str, lists: &Lists) -> Vec<String> {
    let mut before: Vec<String> = BOUNDS
        .iter()
        .flat_map(|kind| lists[*kind].clone())
        .collect();
    before.extend(lists[PLACE].iter().cloned());
    let mut wanted = Vec::new();
    for word in units(&without(&without(asks, &before), &lists[STOP])) {
        if !wanted.contains(&word) {
            wanted.push(word);
        }
    }
    wanted
}

impl QuestionWords<'_> {
    /// "There are seven cups", for a question about more than five.
    pub(super) fn of_count(
        &self,
        bare: &str,
        own: &[String],
        (kind, least): (usize, u64),
    ) -> Option<Says> {
        let mut counts = own.iter().filter(|word| number(word).is_some());
        let (Some(one), None) = (counts.next(), counts.next()) else {
            return None;
        };
        let rest = self.words.iter().filter(|word| number(word).is_none());
        let had: Vec<bool> = rest
            .map(|want| own.iter().any(|word| is_same(want, word)))
            .collect();
        let named = had.iter().all(|had| *had) || self.exists && had[0];
        if !named || BOUNDS.iter().any(|kind| has(bare, &self.lists[*kind])) {
            return None;
        }
        let count = value(one)?;
        let holds = match kind {
            ABOVE => count > least,
            BELOW => count < least,
            LEAST => count >= least,
            _ => count <= least,
        };
        Some(if holds { Says::Yes } else { Says::No })
    }

    /// "There are six cups and four plates", for a question about more cups than plates.
    pub(super) fn of_compare(
        &self,
        clause: &str,
        own: &[String],
        (more, sides): (bool, &[String; 2]),
        (denied, doubt): (bool, bool),
    ) -> Option<Says> {
        let says = |holds: bool| Some(if holds { Says::Yes } else { Says::No });
        let place = |side: &String| own.iter().position(|word| is_same(side, word));
        let places = [place(&sides[0])?, place(&sides[1])?];
        let has = |words: &[&str]| {
            words
                .iter()
                .any(|word| own.iter().any(|other| other == word))
        };
        let (above, below) = (has(&MORE), has(&FEWER));
        if above != below
            && clause.contains(" than ")
            && !denied
            && !doubt
            && places[0] != places[1]
        {
            // "There are fewer cups than plates."
            return says((above == more) == (places[0] < places[1]));
        }
        let count = |at: usize| at.checked_sub(1).and_then(|before| value(&own[before]));
        let counts = [count(places[0])?, count(places[1])?];
        let doubtful = self
            .doubts
            .iter()
            .any(|word| word.trim() != "only" && clause.contains(word.as_str()));
        if own.iter().filter(|word| number(word).is_some()).count() != 2 || denied || doubtful {
            return None;
        }
        says(if more {
            counts[0] > counts[1]
        } else {
            counts[0] < counts[1]
        })
    }
}
