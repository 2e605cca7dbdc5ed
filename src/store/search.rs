//! Fuzzy search as one types, over all rows of an [`Arena`].
//!
//! A query is words divided by blanks; a row matches when the characters of every word occur in it in order. Scoring
//! all matching rows exactly would take seconds, so rows are ranked in steps, best guesses first:
//!
//! 1. Rows that hold every word in one piece, by substring search over whole chunks.
//! 2. Unless plenty of these begin words (no scattered match can beat them then, but one that begins the row), every
//!    matching row is given the estimate of [`word`]. The same pass counts the matches exactly.
//! 3. The best 2,000 are scored by fuzzy-matcher's `SkimMatcherV2`, the sum over the words, which gives the order;
//!    rows of one score keep theirs.
//!
//! What is best so far is published every 8 ms, and everything stops within about a millisecond of `cancel`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;

use super::arena::{self, Arena, Chunk};

pub mod contains;
mod scan;
mod top;
mod word;

use scan::Sweep;
use top::Found;
use word::Word;

/// Rows of a published partial result.
pub const PAGE: usize = 200;
/// Rows a finished result lists at most.
pub const LIMIT: usize = 2000;
/// Rows with every word at a beginning that make scattered matches uninteresting.
const PLENTY: u64 = 200;
/// Such rows in one chunk after which rows are no longer looked through for a better place.
const PROBED: u64 = 64;
/// Time between published results.
const SLICE: Duration = Duration::from_millis(8);
/// Cells of Skim's score matrix beyond which a row keeps its estimate: 24 MB.
const CELLS: usize = 1 << 20;

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hits {
    /// The best [`LIMIT`] rows with their scores, best first, rows of one score in their order; after an empty query
    /// all rows in their order, scored 0.
    pub rows: Vec<(u32, i32)>,
    /// How many rows match; `None` when the search was cancelled first.
    pub exact: Option<u64>,
    /// The search was cancelled: `rows` is the best it had seen by then.
    pub partial: bool,
}

/// What a search has found so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partial {
    /// The best [`PAGE`] rows with estimates of their scores, best first.
    pub rows: Vec<(u32, i32)>,
    /// Share of the work behind it, from 0 to 1000.
    pub done: u32,
}

/// Searches `arena` for `query`.
///
/// With `only` (quickest when rising) nothing but those rows is looked at. `cancel` is asked often, from two threads; once it says
/// yes the search ends. `publish` is called on this thread with what is best so far, at least once if the search finds
/// anything and is not cancelled.
pub fn search(
    arena: &Arena,
    query: &str,
    only: Option<&[u32]>,
    cancel: &(dyn Fn() -> bool + Sync),
    publish: &mut dyn FnMut(Partial),
) -> Hits {
    search_sliced(arena, query, only, cancel, publish, SLICE)
}

fn search_sliced(
    arena: &Arena,
    query: &str,
    only: Option<&[u32]>,
    cancel: &(dyn Fn() -> bool + Sync),
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
    let only = only.map(rising);
    let sweep = Sweep {
        arena,
        only: only.as_deref(),
        cancel,
    };
    let found = Mutex::new(Found::new(2 * LIMIT));
    let (mut published, mut nothing_yet) = (Instant::now(), true);
    let mut tell = |found: &Found, done: u32, now: bool| {
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

    let pieces = |chunk: &Chunk, only: Option<&[u32]>, local: &mut Found| {
        query.in_one_piece(chunk, only, local)
    };
    if !sweep.run(&found, &pieces, &mut |found, share| {
        _ = tell(found, share * 3 / 10, false)
    }) {
        return cancelled(found);
    }
    // Rows with every word in one piece are shown at once; where there are none, the first page of others is.
    let (plenty, mut waiting) = {
        let found = found.lock().unwrap_or_else(PoisonError::into_inner);
        (found.heads >= PLENTY, tell(&found, 300, true))
    };
    let scattered = |chunk: &Chunk, only: Option<&[u32]>, local: &mut Found| {
        query.scattered(chunk, only, plenty, local)
    };
    if !sweep.run(&found, &scattered, &mut |found, share| {
        waiting = tell(
            found,
            300 + share * 6 / 10,
            waiting && found.top.len() >= PAGE,
        );
    }) {
        return cancelled(found);
    }
    let best = {
        let found = found.lock().unwrap_or_else(PoisonError::into_inner);
        tell(&found, 900, false);
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

/// Every row that matches `query`, in row order: what [`search`] counts. `None` when cancelled.
pub fn matching(
    arena: &Arena,
    query: &str,
    only: Option<&[u32]>,
    cancel: &(dyn Fn() -> bool + Sync),
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
    let only = only.map(rising);
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

/// Which characters of `text` to mark for `query`: their indices (in characters, not bytes), rising.
///
/// Words that do not occur in `text` are passed over: a cell shows only a part of what was searched.
pub fn highlight(text: &str, query: &str) -> Vec<usize> {
    let Some(query) = Query::parse(query) else {
        return Vec::new();
    };
    let mut lowered = String::with_capacity(text.len());
    // The character of `text` that each character of `lowered` came from.
    let mut origin = Vec::with_capacity(text.len());
    for (index, c) in text.chars().enumerate() {
        for low in arena::lower_char(c) {
            lowered.push(low);
            origin.push(index);
        }
    }
    let mut marked = BTreeSet::new();
    for word in &query.words {
        if (word.len() + 1) * (origin.len() + 1) <= CELLS {
            if let Some((_, indices)) = matcher().fuzzy_indices(&lowered, word.text()) {
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

/// A fresh one for each row: one that is used again lets scores depend on the rows before, through cells of its
/// matrix that it does not reset (0.3.7), and its `use_cache(false)` panics.
fn matcher() -> SkimMatcherV2 {
    SkimMatcherV2::default().respect_case()
}

/// A query that has words.
struct Query {
    words: Vec<Word>,
    mask: u64,
    /// Indices of the words, the longest first.
    order: Vec<usize>,
}

impl Query {
    /// `None` when there is nothing but blanks.
    fn parse(text: &str) -> Option<Query> {
        let lowered: String = arena::lower(text).collect();
        let words: Vec<Word> = lowered.split_whitespace().map(Word::new).collect();
        let mut order: Vec<usize> = (0..words.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(words[i].len()));
        let mask = words.iter().fold(0, |mask, w| mask | w.mask());
        (!words.is_empty()).then_some(Query { words, mask, order })
    }

    fn matches(&self, chunk: &Chunk, index: usize) -> bool {
        chunk.mask(index) & self.mask == self.mask && {
            let row = chunk.row(index).as_bytes();
            self.words.iter().all(|w| w.within(row))
        }
    }

    /// Step 1: rows of a chunk that hold every word in one piece.
    fn in_one_piece(&self, chunk: &Chunk, only: Option<&[u32]>, found: &mut Found) {
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
                let together = word.together(row, at, heads < PROBED);
                score += together.score;
                head &= together.head;
            }
            heads += u64::from(head);
            found.top.push(score, chunk.first + index as u32);
        };
        match only {
            // So few that looking at each is quicker than looking through everything.
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

    /// Step 2: counts the rows that match, and estimates the score of those that step 1 can have missed.
    fn scattered(&self, chunk: &Chunk, only: Option<&[u32]>, plenty: bool, found: &mut Found) {
        each_row(chunk, only, |index| {
            if !self.matches(chunk, index) {
                return;
            }
            found.count += 1;
            let row = chunk.row(index);
            // Beginning the row counts double, so such a row can beat one with all words in one piece.
            if plenty
                && !self
                    .words
                    .iter()
                    .any(|w| row.chars().next() == w.text().chars().next())
            {
                return;
            }
            // What the best rows score already is the least worth knowing; the longest word decides most.
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
                match word.scattered(row.as_bytes(), least) {
                    Some(score) => sum += score,
                    None => return,
                }
            }
            found.top.push(sum, chunk.first + index as u32);
        });
    }

    /// Step 3: Skim's score, the sum over the words; the estimate where its matrix would be too large.
    fn score(&self, row: &str) -> Option<i32> {
        self.words.iter().try_fold(0i32, |sum, word| {
            let score = if 2 * (row.len() + 1) <= CELLS / 32 {
                i32::try_from(matcher().fuzzy_match(row, word.text())?).ok()?
            } else {
                word.scattered(row.as_bytes(), i32::MIN)?
            };
            Some(sum.saturating_add(score))
        })
    }
}

/// `rows` rising, each once: as they are when they are so already.
fn rising(rows: &[u32]) -> Cow<'_, [u32]> {
    if rows.is_sorted_by(|a, b| a < b) {
        return Cow::Borrowed(rows);
    }
    let mut rows = rows.to_vec();
    rows.sort_unstable();
    rows.dedup();
    Cow::Owned(rows)
}

/// Calls `visit` with the index of every row of `chunk`, or of those of `only` (which holds no other chunk's).
fn each_row(chunk: &Chunk, only: Option<&[u32]>, mut visit: impl FnMut(usize)) {
    match only {
        None => (0..chunk.len()).for_each(visit),
        Some(only) => only
            .iter()
            .for_each(|row| visit((row - chunk.first) as usize)),
    }
}

/// Skim's scores of `rows`, best first. `None` when cancelled.
fn rescore(
    arena: &Arena,
    query: &Query,
    rows: Vec<(u32, i32)>,
    cancel: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<(u32, i32)>> {
    let scored = |part: &[(u32, i32)]| -> Option<Vec<(u32, i32)>> {
        let mut out = Vec::with_capacity(part.len());
        for (i, &(row, estimate)) in part.iter().enumerate() {
            if i % 64 == 0 && cancel() {
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
