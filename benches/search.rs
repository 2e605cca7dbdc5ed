//! Fuzzy search over 617,000 items against plain substring search and against SkimMatcherV2 over everything.
//!
//! `cargo bench --bench search [-- N]`. One line a pattern; ratios are within this run. What is to hold: first rows
//! within twice a plain `memmem` pass (of one thread) or 16 ms, complete within a quarter of Skim on two threads,
//! recall@50 of at least 0.98.
//!
//! Recall@50: how many of the first 50 rows score at least what the 50th best row of Skim over everything scores.
//! Words are scored each by itself and added up, in both.

use benchtop::model::cancel::Cancel;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use benchtop::search::arena::{Arena, searchable};
use benchtop::search::search;
use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use memchr::memmem::Finder;

mod synthetic;

const PATTERNS: [&str; 18] = [
    "t",
    "te",
    "teap",
    "teapot",
    "teapot l",
    "teapot left blue",
    "robtundr",
    "xqzj",
    "rb",
    "wt",
    "blue owl watercolor",
    "sax gothic",
    "plnt",
    "hmbrd",
    "locomotive 77",
    "what is the color",
    "stmpnkowl",
    "zephyr",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = std::env::args()
        .skip(1)
        .find(|a| a != "--bench")
        .map_or(Ok(synthetic::DYSCA), |n| n.parse())?;
    let mut arena = Arena::new();
    let mut text = String::new();
    let (mut bytes, mut building) = (0, Duration::ZERO);
    for (row, item) in (0..).zip(synthetic::items(n)) {
        let began = Instant::now();
        text.clear();
        searchable(&item, &mut text);
        arena.push(row, &text)?;
        building += began.elapsed();
        bytes += text.len();
    }
    arena.shrink();
    let rows = f64::from(arena.rows().max(1));
    println!(
        "{} rows of {:.0} B, arena {:.0} MiB ({:.1} B a row beside the text), built in {:.0} ms",
        arena.rows(),
        bytes as f64 / rows,
        arena.bytes() as f64 / 1048576.0,
        (arena.bytes() as f64 - bytes as f64) / rows,
        ms(building)
    );
    println!(
        "{:<22}{:>9} {:>8} {:>8} {:>7} {:>9} {:>9} {:>7} {:>7}",
        "pattern", "matches", "memmem", "first", "ratio", "complete", "Skim 2T", "ratio", "recall"
    );
    let mut held = true;
    for pattern in PATTERNS {
        let plain = (0..3)
            .map(|_| memmem(&arena, pattern))
            .min()
            .unwrap_or_default();
        let (mut first, mut complete, mut hits) = (Duration::MAX, Duration::MAX, None);
        for _ in 0..3 {
            let began = Instant::now();
            let mut shown = None;
            let found = search(&arena, pattern, None, Cancel::NEVER, &mut |_| {
                shown.get_or_insert_with(|| began.elapsed());
            });
            let whole = began.elapsed();
            first = first.min(shown.unwrap_or(whole));
            complete = complete.min(whole);
            hits = Some(found);
        }
        let began = Instant::now();
        let mut scores = skim(&arena, pattern);
        let full = began.elapsed();
        let hits = hits.ok_or("nothing was measured")?;
        let want = scores.len().min(50);
        scores.sort_unstable_by_key(|score| std::cmp::Reverse(*score));
        let bar = want.checked_sub(1).map_or(i64::MAX, |last| scores[last]);
        let good = hits
            .rows
            .iter()
            .take(50)
            .filter(|(_, score)| i64::from(*score) >= bar)
            .count();
        let recall = if want == 0 {
            1.0
        } else {
            good as f64 / want as f64
        };
        let (slow, share) = (ms(first) / ms(plain), ms(complete) / ms(full));
        let ok = (slow <= 2.0 || ms(first) <= 16.0)
            && share <= 0.25
            && recall >= 0.98
            && hits.exact == Some(scores.len() as u64);
        held &= ok;
        println!(
            "{pattern:<22}{:>9} {:>8.1} {:>8.1} {slow:>6.1}x {:>9.1} {:>9.1} {share:>6.2}x {recall:>7.2}{}",
            hits.exact.unwrap_or(0),
            ms(plain),
            ms(first),
            ms(complete),
            ms(full),
            if ok { "" } else { "  MISSED" }
        );
    }
    println!(
        "times in ms; {}",
        if held { "all held" } else { "NOT all held" }
    );
    Ok(())
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The floor: rows that hold the pattern as it stands, one hit a row, on one thread.
fn memmem(arena: &Arena, pattern: &str) -> Duration {
    let began = Instant::now();
    let finder = Finder::new(pattern);
    let mut rows = 0;
    for text in arena.texts() {
        let text = text.as_bytes();
        let mut from = 0;
        while let Some(at) = finder.find(&text[from..]) {
            rows += 1;
            match memchr::memchr(0, &text[from + at..]) {
                Some(end) => from += at + end + 1,
                None => break,
            }
        }
    }
    std::hint::black_box(rows);
    began.elapsed()
}

/// Skim over everything on two threads: the scores of the rows that match.
fn skim(arena: &Arena, pattern: &str) -> Vec<i64> {
    let next = AtomicUsize::new(0);
    let work = || {
        let matcher = SkimMatcherV2::default().respect_case();
        let mut scores = Vec::new();
        loop {
            let from = next.fetch_add(4096, Ordering::Relaxed) as u32;
            if from >= arena.rows() {
                return scores;
            }
            for text in (from..(from + 4096).min(arena.rows())).filter_map(|row| arena.get(row)) {
                let mut words = pattern.split_whitespace();
                scores.extend(
                    words.try_fold(0, |sum, word| Some(sum + matcher.fuzzy_match(text, word)?)),
                );
            }
        }
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let mut scores = work();
        scores.extend(other.join().unwrap_or_default());
        scores
    })
}
