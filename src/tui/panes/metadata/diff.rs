//! Diffs of two versions of a metadata file: by line, and by term for vocabularies.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::widgets::word_diff::Change;

/// One line of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The line without its line break.
    pub text: String,
    pub change: Change,
}

/// Changed lines with `around` lines of context. `None` stands for a gap.
pub fn by_lines(old: &str, new: &str, around: usize) -> Vec<Option<Line>> {
    let (a, b): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let ops = capture_diff_slices(Algorithm::Myers, &a, &b);
    let mut all: Vec<Line> = Vec::new();
    let mut put = |text: &str, change| {
        all.push(Line {
            text: text.into(),
            change,
        })
    };
    for op in ops {
        let (from, to) = (op.old_range(), op.new_range());
        match op {
            DiffOp::Equal { .. } => b[to].iter().for_each(|l| put(l, Change::Same)),
            _ => {
                a[from].iter().for_each(|l| put(l, Change::Removed));
                b[to].iter().for_each(|l| put(l, Change::Added));
            }
        }
    }
    let changed: Vec<usize> = (0..all.len())
        .filter(|i| all[*i].change != Change::Same)
        .collect();
    let near = |i: usize| {
        let at = changed.partition_point(|c| *c < i);
        let reach = |c: Option<&usize>| c.is_some_and(|c| c.abs_diff(i) <= around);
        reach(changed.get(at)) || reach(at.checked_sub(1).and_then(|p| changed.get(p)))
    };
    let mut out: Vec<Option<Line>> = Vec::new();
    for (i, line) in all.iter().enumerate() {
        if near(i) {
            out.push(Some(line.clone()));
        } else if !matches!(out.last(), Some(None)) {
            out.push(None);
        }
    }
    out
}

/// The changes to a vocabulary's terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Terms that were replaced in place: old text, new text.
    pub renamed: Vec<(String, String)>,
    pub gone: Vec<String>,
    pub new: Vec<String>,
}

/// Compares the terms of a vocabulary. Equally many old and new terms in one place count as
/// renamed, whether the edit was made here or in another program. A term that only moved is in no
/// list.
pub fn by_terms(old: &[&str], new: &[&str]) -> Terms {
    let mut terms = Terms::default();
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        let (from, to) = (&old[op.old_range()], &new[op.new_range()]);
        match op {
            DiffOp::Equal { .. } => {}
            DiffOp::Replace { .. } if from.len() == to.len() => {
                terms.renamed.extend(
                    from.iter()
                        .zip(to)
                        .map(|(a, b)| (a.to_string(), b.to_string())),
                );
            }
            _ => {
                terms.gone.extend(from.iter().map(|t| t.to_string()));
                terms.new.extend(to.iter().map(|t| t.to_string()));
            }
        }
    }
    let was: std::collections::HashSet<&str> = old.iter().copied().collect();
    let is: std::collections::HashSet<&str> = new.iter().copied().collect();
    // A swap of two neighbors looks like a replacement too.
    let (renamed, other): (Vec<_>, Vec<_>) = std::mem::take(&mut terms.renamed)
        .into_iter()
        .partition(|(a, b)| !is.contains(a.as_str()) && !was.contains(b.as_str()));
    terms.renamed = renamed;
    for (a, b) in other {
        terms.gone.push(a);
        terms.new.push(b);
    }
    terms.gone.retain(|t| !is.contains(t.as_str()));
    terms.new.retain(|t| !was.contains(t.as_str()));
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_lines_are_left_out() {
        let old: String = (0..20).map(|i| format!("line {i}\n")).collect();
        let new = old.replace("line 10\n", "line ten\nline ten and a half\n");
        let lines = by_lines(&old, &new, 1);
        let texts: Vec<_> = lines
            .iter()
            .map(|l| l.as_ref().map(|l| (l.change, l.text.as_str())))
            .collect();
        assert_eq!(
            texts,
            [
                None,
                Some((Change::Same, "line 9")),
                Some((Change::Removed, "line 10")),
                Some((Change::Added, "line ten")),
                Some((Change::Added, "line ten and a half")),
                Some((Change::Same, "line 11")),
                None
            ]
        );
        assert!(by_lines(&old, &old, 2).iter().all(Option::is_none));
    }

    #[test]
    fn terms_are_renamed_removed_or_added() {
        let terms = by_terms(
            &["cat", "dog", "owl", "wolf"],
            &["cat", "hound", "owl", "bear", "fox"],
        );
        assert_eq!(terms.renamed, [("dog".to_string(), "hound".to_string())]);
        assert_eq!(
            (terms.gone, terms.new),
            (vec!["wolf".into()], vec!["bear".into(), "fox".into()])
        );
        let moved = by_terms(&["cat", "dog", "owl"], &["dog", "cat", "owl"]);
        assert_eq!(moved, Terms::default());
    }
}
