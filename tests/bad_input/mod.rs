//! What must be refused: with file, line and field, exit code 1, and nothing changed.

mod disk;
mod files;
mod metadata;
mod pictures;

use std::path::Path;

use crate::support::{Bench, question};

/// Imports `path`, which must be refused for a reason that holds all of `words`, and must change nothing.
fn refused(bench: &Bench, path: &Path, words: &[&str]) -> String {
    let before = bench.snapshot();
    let items = bench.items();
    let error = bench.run(["import", path.to_str().unwrap()]).refused(1);
    for word in words {
        assert!(error.contains(word), "{word:?} is not in: {error}");
    }
    assert!(
        error.contains(path.to_str().unwrap()),
        "the file is not named: {error}"
    );
    let after = bench.snapshot();
    assert_eq!(after, before, "the project changed: {error}");
    assert_eq!(bench.items(), items);
    error
}

/// Lines of questions `numbers`, with line `bad` (from 1) replaced.
fn lines(numbers: std::ops::Range<usize>, bad: usize, line: &str) -> String {
    let mut all: Vec<String> = numbers.map(|n| question(n).to_string()).collect();
    all[bad - 1] = line.to_string();
    all.join("\n") + "\n"
}
