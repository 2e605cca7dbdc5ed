//! Input that must be refused with file, line, and field, with exit code 1, and without any change.

mod disk;
mod files;
mod metadata;
mod pictures;

use std::path::Path;

use crate::support::{Bench, ErrorKind, Refusal, question};

/// Imports `path`. The import must fail at this line and field (0 and "" for none), name all
/// of `data`, and change nothing.
fn refused(bench: &Bench, path: &Path, line: u64, field: &str, data: &[&str]) -> Refusal {
    let before = bench.snapshot();
    let items = bench.items();
    let error = bench
        .run(["import", "--json", path.to_str().unwrap()])
        .refused(1);
    // An id that is taken is a conflict.
    let kinds = [Some(ErrorKind::Input), Some(ErrorKind::Conflict)];
    assert!(
        kinds[..if field == "id" { 2 } else { 1 }].contains(&error.kind),
        "{error}"
    );
    assert_eq!(
        (error.file.as_str(), error.line, error.field.as_str()),
        (path.to_str().unwrap(), line, field),
        "{error}"
    );
    for part in data {
        assert!(error.names(part), "{part:?} is not in: {error}");
    }
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
