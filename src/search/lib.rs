//! Floor 2: fuzzy search over all rows of an [`Arena`], fast enough to run on every keystroke.
//!
//! A query is a list of words. A row matches if it contains the characters of every word in order.
//! Exact scores for all matching rows would take seconds, so rows are ranked in steps, best guesses
//! first:
//!
//! 1. Find the rows that contain every word as a substring, with one search per chunk.
//! 2. Count the matching rows exactly, and give each the estimate of [`word`]. If step 1 found many
//!    rows with all words at word beginnings, estimate only rows that start with the first letter
//!    of a word, since no other scattered match could beat those.
//! 3. Score the best 2,000 with fuzzy-matcher's `SkimMatcherV2`, summed over the words, and sort by
//!    this score, then by row.
//!
//! The best rows so far are published every 8 ms. The search stops within about 1 ms of `cancel`.
//!
//! | file | what it does |
//! |---|---|
//! | [`arena`] | the searchable text of all items in memory |
//! | `scan` | goes through the chunks of an arena with several threads |
//! | `top` | the best rows so far |
//! | `word` | where a word of a query occurs in a text, and the estimate of its score |

use benchtop_model::cancel::Cancel;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

use arena::{Arena, Chunk};

pub mod arena;
mod scan;
mod top;
mod word;

use scan::Sweep;
use top::Found;
use word::Word;

/// Number of rows in a published partial result.
pub const PAGE: usize = 200;
/// Maximum number of rows in a final result.
pub const LIMIT: usize = 2000;
/// Number of rows with every word at a beginning from which scattered matches are skipped.
const ENOUGH_HEADS: u64 = 200;
/// Number of such rows in a chunk after which rows are no longer searched for a better position.
const MAX_PROBED: u64 = 64;
/// Time between published results.
const SLICE: Duration = Duration::from_millis(8);
/// Maximum number of cells of Skim's score matrix (24 MB). Longer rows keep their estimate.
const MAX_CELLS: usize = 1 << 20;

/// Result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hits {
    /// The best [`LIMIT`] rows with their scores, best first, then by row. For an empty query, all
    /// rows in order with score 0.
    pub rows: Vec<(u32, i32)>,
    /// Number of matching rows, or `None` if the search was canceled.
    pub exact: Option<u64>,
    /// Whether the search was canceled. `rows` are then the best rows so far.
    pub partial: bool,
}

/// Result of a running search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partial {
    /// The best [`PAGE`] rows with estimated scores, best first.
    pub rows: Vec<(u32, i32)>,
    /// Progress, from 0 to 1000.
    pub done: u32,
}

/// Searches `arena` for `query`.
///
/// With `only`, searches only these rows; ascending order is fastest. Two threads ask `cancel`
/// often. `publish` receives the best rows so far on this
/// thread, at least once if a search that is not canceled finds anything.
pub fn search(
    arena: &Arena,
    query: &str,
    only: Option<&[u32]>,
    cancel: Cancel<'_>,
    publish: &mut dyn FnMut(Partial),
) -> Hits {
    search_sliced(arena, query, only, cancel, publish, SLICE)
}

fn search_sliced(
    arena: &Arena,
    query: &str,
    only: Option<&[u32]>,
    cancel: Cancel<'_>,
    publish: &mut dyn FnMut(Partial),
    slice: Duration,
) -> Hits {
    let Some(query) = Query::parse(query) else {
        let rows: Vec<_> = match only {
            None => (0..arena.rows()).map(|row| (row, 0)).collect(),
            Some(only) => only
                .iter()
                .filter(|row| **row < arena.rows())
                .map(|row| (*row, 0))
                .collect(),
        };
        let exact = Some(rows.len() as u64);
        return Hits {
            rows,
            exact,
            partial: false,
        };
    };
    let only = only.map(ascending);
    let sweep = Sweep {
        arena,
        only: only.as_deref(),
        cancel,
    };
    let found = Mutex::new(Found::new(2 * LIMIT));
    let (mut published, mut nothing_yet) = (Instant::now(), true);
    let mut publish_best = |found: &Found, done: u32, now: bool| {
        if now || published.elapsed() >= slice {
            let rows = found.best(PAGE);
            if !rows.is_empty() {
                (published, nothing_yet) = (Instant::now(), false);
                publish(Partial { rows, done });
            }
        }
        nothing_yet
    };
    let cancelled = |found: Mutex<Found>| {
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        Hits {
            rows: found.best(PAGE),
            exact: None,
            partial: true,
        }
    };

    let substrings = |chunk: &Chunk, only: Option<&[u32]>, local: &mut Found| {
        query.substrings(chunk, only, local)
    };
    if !sweep.run(&found, &substrings, &mut |found, share| {
        _ = publish_best(found, share * 3 / 10, false)
    }) {
        return cancelled(found);
    }
    // Publish rows with all words as substrings now. Without any, publish the first page of the
    // others.
    let (step1, mut waiting) = {
        let found = found.lock().unwrap_or_else(PoisonError::into_inner);
        let step1 = Substrings {
            enough_heads: found.heads >= ENOUGH_HEADS,
            none: found.top.len() == 0 && query.words.len() == 1,
        };
        (step1, publish_best(&found, 300, true))
    };
    let scattered = |chunk: &Chunk, only: Option<&[u32]>, local: &mut Found| {
        query.scattered(chunk, only, step1, local)
    };
    if !sweep.run(&found, &scattered, &mut |found, share| {
        waiting = publish_best(
            found,
            300 + share * 6 / 10,
            waiting && found.top.len() >= PAGE,
        );
    }) {
        return cancelled(found);
    }
    let best = {
        let found = found.lock().unwrap_or_else(PoisonError::into_inner);
        publish_best(&found, 900, false);
        found.best(LIMIT)
    };
    match rescore(arena, &query, best, cancel) {
        None => cancelled(found),
        Some(rows) => {
            let count = found
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner)
                .count;
            Hits {
                rows,
                exact: Some(count),
                partial: false,
            }
        }
    }
}

/// All rows that match `query`, in row order, or `None` if canceled. [`search`] counts the same
/// rows.
pub fn matching(
    arena: &Arena,
    query: &str,
    only: Option<&[u32]>,
    cancel: Cancel<'_>,
) -> Option<Vec<u32>> {
    let Some(query) = Query::parse(query) else {
        return Some(match only {
            None => (0..arena.rows()).collect(),
            Some(only) => only
                .iter()
                .copied()
                .filter(|row| *row < arena.rows())
                .collect(),
        });
    };
    let only = only.map(ascending);
    let found = Mutex::new(Found::new(0));
    let collect = |chunk: &Chunk, only: Option<&[u32]>, local: &mut Found| {
        each_row(chunk, only, |index| {
            if query.matches(chunk, index) {
                local.rows.push(chunk.first + index as u32);
            }
        });
    };
    Sweep {
        arena,
        only: only.as_deref(),
        cancel,
    }
    .run(&found, &collect, &mut |_, _| ())
    .then(|| {
        let mut rows = found
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .rows;
        rows.sort_unstable();
        rows
    })
}

/// The `rows` whose text in the arena contains `needle`, which is in lower case. `rows` are in
/// ascending order.
pub fn containing(arena: &Arena, needle: &str, rows: &[u32]) -> Vec<u32> {
    let finder = memchr::memmem::Finder::new(needle);
    let mut found = Vec::new();
    for chunk in arena.chunks() {
        let (mut at, mut from) = (0, 0);
        while let Some(hit) = chunk
            .text()
            .as_bytes()
            .get(at..)
            .and_then(|rest| finder.find(rest))
        {
            from = chunk.row_at(at + hit, from);
            found.push(chunk.first + from as u32);
            at = chunk.range(from).end + 1;
        }
    }
    if rows.len() < arena.rows() as usize {
        found.retain(|row| rows.binary_search(row).is_ok());
    }
    found
}

/// Indexes of the characters of `text` to highlight for `query`, in ascending order. Words that do
/// not occur are ignored, since a cell shows only part of the searched text.
pub fn highlight(text: &str, query: &str) -> Vec<usize> {
    let Some(query) = Query::parse(query) else {
        return Vec::new();
    };
    let mut lowered = String::with_capacity(text.len());
    // The character of `text` behind each character of `lowered`.
    let mut origin = Vec::with_capacity(text.len());
    for (index, c) in text.chars().enumerate() {
        for low in arena::lower_char(c) {
            lowered.push(low);
            origin.push(index);
        }
    }
    let mut marked = BTreeSet::new();
    for word in &query.words {
        if (word.len() + 1) * (origin.len() + 1) <= MAX_CELLS {
            if let Some((_, indices)) = matcher().fuzzy_indices(&lowered, &word.text) {
                marked.extend(indices.into_iter().filter_map(|i| origin.get(i)));
            }
        } else if let Some(places) = word.places(lowered.as_bytes()) {
            let starts: BTreeSet<usize> = places.into_iter().collect();
            let chars = lowered.char_indices().zip(&origin);
            marked.extend(
                chars
                    .filter(|((at, _), _)| starts.contains(at))
                    .map(|(_, from)| from),
            );
        }
    }
    marked.into_iter().collect()
}

/// A new matcher. Matchers cannot be reused: fuzzy-matcher 0.3.7 does not reset all cells of its
/// matrix, so scores would depend on earlier rows. Its `use_cache(false)` panics.
fn matcher() -> SkimMatcherV2 {
    SkimMatcherV2::default().respect_case()
}

/// What step 1 found.
#[derive(Clone, Copy)]
struct Substrings {
    /// So many rows with all words at beginnings that other scattered matches are skipped.
    enough_heads: bool,
    /// The only word occurs nowhere as a substring.
    none: bool,
}

/// A query with at least one word.
struct Query {
    words: Vec<Word>,
    mask: u64,
    /// Indexes of the words, longest first.
    order: Vec<usize>,
}

impl Query {
    /// Returns `None` for a blank query.
    fn parse(text: &str) -> Option<Query> {
        let lowered: String = arena::lower(text).collect();
        let words: Vec<Word> = lowered.split_whitespace().map(Word::new).collect();
        let mut order: Vec<usize> = (0..words.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(words[i].len()));
        let mask = words.iter().fold(0, |mask, w| mask | w.mask);
        (!words.is_empty()).then_some(Query { words, mask, order })
    }

    fn matches(&self, chunk: &Chunk, index: usize) -> bool {
        chunk.mask(index) & self.mask == self.mask && {
            let row = chunk.bytes(index);
            self.words.iter().all(|w| w.within(row))
        }
    }

    /// Step 1: finds rows of a chunk that contain every word as a substring.
    fn substrings(&self, chunk: &Chunk, only: Option<&[u32]>, found: &mut Found) {
        let first = self.order[0];
        let lead = &self.words[first];
        let text = chunk.text().as_bytes();
        let mut heads = 0;
        let mut row_found = |index: usize, row: &[u8], at: usize| {
            let (mut score, mut head) = (0, true);
            for (i, word) in self.words.iter().enumerate() {
                let Some(at) = (if i == first {
                    Some(at)
                } else {
                    word.find(row, 0)
                }) else {
                    return;
                };
                let matched = word.substring(row, at, heads < MAX_PROBED);
                score += matched.score;
                head &= matched.head;
            }
            heads += u64::from(head);
            found.top.push(score, chunk.first + index as u32);
        };
        match only {
            // For so few rows, checking each is faster than searching the chunk.
            Some(only) if only.len() * 4 < chunk.len() => {
                for index in only.iter().map(|row| (row - chunk.first) as usize) {
                    if chunk.mask(index) & self.mask == self.mask {
                        let row = chunk.row(index).as_bytes();
                        if let Some(at) = lead.find(row, 0) {
                            row_found(index, row, at);
                        }
                    }
                }
            }
            _ => {
                let (mut from, mut next) = (0, 0);
                while let Some(at) = lead.find(text, from) {
                    let index = chunk.row_at(at, next);
                    let range = chunk.range(index);
                    (from, next) = (range.end + 1, index + 1);
                    if only.is_none_or(|only| {
                        only.binary_search(&(chunk.first + index as u32)).is_ok()
                    }) {
                        row_found(index, &text[range.clone()], at - range.start);
                    }
                    if next >= chunk.len() {
                        break;
                    }
                }
            }
        }
        found.heads += heads;
    }

    /// Step 2: counts matching rows, and estimates the scores of rows that step 1 did not find.
    fn scattered(&self, chunk: &Chunk, only: Option<&[u32]>, step1: Substrings, found: &mut Found) {
        each_row(chunk, only, |index| {
            if !self.matches(chunk, index) {
                return;
            }
            found.count += 1;
            let row = chunk.bytes(index);
            // A match at the start of a row counts double, so it can beat a row with all words as
            // substrings.
            let is_at_start = |w: &Word| chunk.row(index).chars().next() == w.text.chars().next();
            if step1.enough_heads && !self.words.iter().any(is_at_start) {
                return;
            }
            // A row must beat the worst of the best rows. The longest word contributes most.
            let floor = found.top.floor();
            let mut open: i32 = self.words.iter().map(Word::limit).sum();
            let mut sum = 0;
            for word in self.order.iter().map(|&i| &self.words[i]) {
                open -= word.limit();
                let least = if floor == i32::MIN {
                    floor
                } else {
                    floor - sum - open
                };
                let score = match step1.none {
                    true => word.apart(row, least),
                    false => word.scattered(row, least),
                };
                match score {
                    Some(score) => sum += score,
                    None => return,
                }
            }
            found.top.push(sum, chunk.first + index as u32);
        });
    }

    /// Step 3: Skim's score, summed over the words. Keeps the estimate if the matrix would be too
    /// large.
    fn score(&self, row: &str) -> Option<i32> {
        self.words.iter().try_fold(0i32, |sum, word| {
            let score = if 2 * (row.len() + 1) <= MAX_CELLS / 32 {
                i32::try_from(matcher().fuzzy_match(row, &word.text)?).ok()?
            } else {
                word.scattered(row.as_bytes(), i32::MIN)?
            };
            Some(sum.saturating_add(score))
        })
    }
}

/// `rows` in ascending order without duplicates. Borrows if they already are.
fn ascending(rows: &[u32]) -> Cow<'_, [u32]> {
    if rows.is_sorted_by(|a, b| a < b) {
        return Cow::Borrowed(rows);
    }
    let mut rows = rows.to_vec();
    rows.sort_unstable();
    rows.dedup();
    Cow::Owned(rows)
}

/// Calls `visit` with the index of each row of `chunk`, or of the rows in `only`, which must be in
/// this chunk.
fn each_row(chunk: &Chunk, only: Option<&[u32]>, mut visit: impl FnMut(usize)) {
    match only {
        None => (0..chunk.len()).for_each(visit),
        Some(only) => only
            .iter()
            .for_each(|row| visit((row - chunk.first) as usize)),
    }
}

/// Skim's scores of `rows`, best first, or `None` if canceled.
fn rescore(
    arena: &Arena,
    query: &Query,
    rows: Vec<(u32, i32)>,
    cancel: Cancel<'_>,
) -> Option<Vec<(u32, i32)>> {
    let scored = |part: &[(u32, i32)]| -> Option<Vec<(u32, i32)>> {
        let mut out = Vec::with_capacity(part.len());
        for (i, &(row, estimate)) in part.iter().enumerate() {
            if i % 64 == 0 && cancel.is_canceled() {
                return None;
            }
            out.push((
                row,
                arena
                    .get(row)
                    .and_then(|text| query.score(text))
                    .unwrap_or(estimate),
            ));
        }
        Some(out)
    };
    let (near, far) = rows.split_at(if rows.len() < 256 {
        rows.len()
    } else {
        rows.len() / 2
    });
    let (near, far) = std::thread::scope(|scope| {
        let helper = (!far.is_empty())
            .then(|| {
                std::thread::Builder::new()
                    .spawn_scoped(scope, || scored(far))
                    .ok()
            })
            .flatten();
        let near = scored(near);
        let far = match helper {
            Some(helper) => helper.join().ok().flatten(),
            None => scored(far),
        };
        (near, far)
    });
    let mut all = near?;
    all.extend(far?);
    all.sort_unstable_by_key(|&(row, score)| (std::cmp::Reverse(score), row));
    Some(all)
}

#[cfg(test)]
mod tests;
