//! Word lists by language that compare statements with questions.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::bare_words::words;
use super::words::table;

/// The lists in `phrases.toml`, which explains them.
pub(super) const LISTS: [&str; 27] = [
    "stop",
    "place",
    "denies",
    "doubts",
    "pronouns",
    "short_yes",
    "short_no",
    "turns",
    "joins",
    "claim",
    "holds",
    "fails",
    "inverse",
    "contrast",
    "alike",
    "kinds",
    "empty",
    "yet",
    "lone",
    "compounds",
    "every",
    "above",
    "below",
    "least",
    "most",
    "mid",
    "names",
];
pub(super) const STOP: usize = 0;
pub(super) const PLACE: usize = 1;
pub(super) const DENIES: usize = 2;
pub(super) const DOUBTS: usize = 3;
pub(super) const PRONOUNS: usize = 4;
pub(super) const SHORT_YES: usize = 5;
pub(super) const SHORT_NO: usize = 6;
pub(super) const TURNS: usize = 7;
pub(super) const JOINS: usize = 8;
pub(super) const CLAIM: usize = 9;
pub(super) const HOLDS: usize = 10;
pub(super) const FAILS: usize = 11;
pub(super) const INVERSE: usize = 12;
pub(super) const CONTRAST: usize = 13;
pub(super) const ALIKE: usize = 14;
pub(super) const KINDS: usize = 15;
pub(super) const EMPTY: usize = 16;
pub(super) const YET: usize = 17;
pub(super) const LONE: usize = 18;
pub(super) const COMPOUNDS: usize = 19;
pub(super) const EVERY: usize = 20;
pub(super) const ABOVE: usize = 21;
pub(super) const BELOW: usize = 22;
pub(super) const LEAST: usize = 23;
pub(super) const MOST: usize = 24;
pub(super) const MIDDLE: usize = 25;
pub(super) const NAMES: usize = 26;

/// The lists of one or several languages, longest words first.
pub(super) type Lists = [Vec<String>; LISTS.len()];

/// The lists by language, sorted by language.
pub(super) fn all() -> &'static [Lists] {
    static ALL: OnceLock<Vec<Lists>> = OnceLock::new();
    ALL.get_or_init(|| {
        let lists = |classes: BTreeMap<String, Vec<String>>| {
            LISTS.map(|name| {
                sorted(
                    classes
                        .get(name)
                        .into_iter()
                        .flatten()
                        .map(|word| words(word))
                        .collect(),
                )
            })
        };
        table().into_values().map(lists).collect()
    })
}

/// The lists of these languages; of all languages for `None`.
pub(super) fn of(languages: Option<u64>) -> Arc<Lists> {
    static KEPT: OnceLock<Mutex<HashMap<Option<u64>, Arc<Lists>>>> = OnceLock::new();
    let mut kept = KEPT
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let made = kept.entry(languages).or_insert_with(|| {
        let is_in = |at: usize| languages.is_none_or(|some| some & (1 << at) != 0);
        let some = || {
            all()
                .iter()
                .enumerate()
                .filter(|(at, _)| is_in(*at))
                .map(|(_, lists)| lists)
        };
        Arc::new(std::array::from_fn(|name| {
            sorted(some().flat_map(|lists| lists[name].clone()).collect())
        }))
    });
    Arc::clone(made)
}

fn sorted(mut words: Vec<String>) -> Vec<String> {
    words.sort_by(|a, b| {
        b.chars()
            .count()
            .cmp(&a.chars().count())
            .then_with(|| a.cmp(b))
    });
    words.dedup();
    words
}
