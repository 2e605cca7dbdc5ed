//! Edits of many terms at once: every other line stays as it is, and all happen or none.

use std::collections::{BTreeSet, HashSet};

use benchtop_compose::metadata::vocabulary::fold;
use benchtop_compose::metadata::{Vocabulary, file_of};
use benchtop_model::{Error, Result};

/// The text of `vocabulary` with the lines of the terms at `at` changed by `change`, which is given each term as a
/// vocabulary of its own; an empty one takes the line away. A vocabulary of thousands is read once, not once a term.
///
/// # Errors
/// What `change` says, and when two terms would be the same.
pub fn of_terms(
    vocabulary: &Vocabulary,
    at: &BTreeSet<usize>,
    change: impl Fn(&mut Vocabulary) -> Result<()>,
) -> Result<String> {
    let lines: HashSet<usize> = vocabulary
        .terms()
        .iter()
        .enumerate()
        .filter(|(i, _)| at.contains(i))
        .map(|(_, t)| t.line as usize)
        .collect();
    let text = vocabulary.text();
    let mut out = String::with_capacity(text.len());
    let mut changed: Vec<String> = Vec::new();
    for (i, line) in text.split_inclusive('\n').enumerate() {
        if !lines.contains(&(i + 1)) {
            out.push_str(line);
            continue;
        }
        let (bare, end) = line.strip_suffix('\n').map_or((line, ""), |l| (l, "\n"));
        let mut one = Vocabulary::parse(vocabulary.name(), "", bare).0;
        change(&mut one).map_err(|p| p.line(i as u64 + 1))?;
        if let Some(term) = one.terms().first() {
            changed.push(term.text.clone());
            out.push_str(one.text().trim_end_matches('\n'));
            out.push_str(end);
        }
    }
    let (new, _) = Vocabulary::parse(vocabulary.name(), "", &out);
    let mut seen: HashSet<String> = HashSet::new();
    let twice: HashSet<String> = new
        .terms()
        .iter()
        .map(|t| fold(&t.text))
        .filter(|t| !seen.insert(t.clone()))
        .collect();
    // Terms that were double before are not this edit's doing.
    if let Some(term) = changed
        .iter()
        .find(|t| twice.contains(&fold(t)) && !is_double(vocabulary, t))
    {
        return Err(
            Error::input(format!("`{term}` would be in {} twice", vocabulary.name()))
                .file(file_of(vocabulary.name())),
        );
    }
    Ok(out)
}

fn is_double(vocabulary: &Vocabulary, term: &str) -> bool {
    let folded = fold(term);
    vocabulary
        .terms()
        .iter()
        .filter(|t| fold(&t.text) == folded)
        .count()
        > 1
}

/// Takes terms away with their lines.
///
/// # Errors
/// As [`of_terms`].
pub fn remove(vocabulary: &Vocabulary, at: &BTreeSet<usize>) -> Result<String> {
    of_terms(vocabulary, at, |one| one.remove(0))
}

/// Takes terms out of the sampling, or back into it.
///
/// # Errors
/// As [`of_terms`].
pub fn set_disabled(
    vocabulary: &Vocabulary,
    at: &BTreeSet<usize>,
    disabled: bool,
) -> Result<String> {
    of_terms(vocabulary, at, |one| one.set_disabled(0, disabled))
}

/// Replaces words in terms; the text and how many terms have them.
///
/// # Errors
/// As [`of_terms`], and when a term would become something that cannot be one.
pub fn replace(
    vocabulary: &Vocabulary,
    at: &BTreeSet<usize>,
    from: &str,
    to: &str,
) -> Result<(String, usize)> {
    let has = |i: &usize| {
        vocabulary
            .terms()
            .get(*i)
            .is_some_and(|t| t.text.contains(from))
    };
    let with: BTreeSet<usize> = at
        .iter()
        .copied()
        .filter(|i| !from.is_empty() && has(i))
        .collect();
    let text = of_terms(vocabulary, &with, |one| {
        let new = one
            .terms()
            .first()
            .map(|t| t.text.replace(from, to))
            .unwrap_or_default();
        one.rename(0, &new)
    })?;
    Ok((text, with.len()))
}

/// Moves terms of `from` to the end of `to`, disabled ones staying disabled; both texts.
///
/// # Errors
/// When `to` has one of them already, and as [`of_terms`].
pub fn move_to(
    from: &Vocabulary,
    at: &BTreeSet<usize>,
    to: &Vocabulary,
) -> Result<(String, String)> {
    let there: HashSet<String> = to.terms().iter().map(|t| fold(&t.text)).collect();
    let moved: Vec<_> = from
        .terms()
        .iter()
        .enumerate()
        .filter(|(i, _)| at.contains(i))
        .map(|(_, t)| t)
        .collect();
    if let Some(term) = moved.iter().find(|t| there.contains(&fold(&t.text))) {
        return Err(Error::input(format!(
            "`{}` is in {} already",
            term.text,
            to.name()
        )));
    }
    let lines = from.text();
    let lines: Vec<&str> = lines.lines().collect();
    let mut text = to.text();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    for term in &moved {
        // The line as it stands: a trailing comment goes with its term.
        text.push_str(lines.get(term.line as usize - 1).unwrap_or(&""));
        text.push('\n');
    }
    Ok((remove(from, at)?, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str =
        "# Animals.\n\ncat\n#- mouse\n# birds\ncrane # allow: homonym\nbarn owl  # at night\n";

    fn animals() -> Vocabulary {
        Vocabulary::parse("animal", "", FILE).0
    }

    fn at(list: &[usize]) -> BTreeSet<usize> {
        list.iter().copied().collect()
    }

    #[test]
    fn lines_around_stay_as_they_are() {
        assert_eq!(
            remove(&animals(), &at(&[0, 2])).unwrap(),
            FILE.replace("cat\n", "")
                .replace("crane # allow: homonym\n", "")
        );
        let off = set_disabled(&animals(), &at(&[0, 1, 2]), true).unwrap();
        assert_eq!(
            off,
            FILE.replace("cat", "#- cat").replace("crane", "#- crane")
        );
        let back = set_disabled(
            &Vocabulary::parse("animal", "", &off).0,
            &at(&[0, 2]),
            false,
        )
        .unwrap();
        assert_eq!(back, FILE);
        assert_eq!(
            remove(&Vocabulary::parse("x", "", "a\nb").0, &at(&[1])).unwrap(),
            "a\n"
        );
        assert_eq!(remove(&animals(), &at(&[9])).unwrap(), FILE);
    }

    #[test]
    fn text_is_replaced_in_terms_and_not_in_comments() {
        let (text, n) = replace(&animals(), &at(&[0, 1, 2, 3]), "a", "o").unwrap();
        assert_eq!(n, 3);
        assert_eq!(
            text,
            FILE.replace("cat\n", "cot\n")
                .replace("crane", "crone")
                .replace("barn", "born")
        );
        assert!(
            replace(&animals(), &at(&[0]), "cat", "").is_err(),
            "a term must say something"
        );
        assert!(
            replace(&animals(), &at(&[0]), "cat", "MOUSE")
                .unwrap_err()
                .what
                .contains("twice")
        );
        assert_eq!(
            replace(&animals(), &at(&[0]), "", "x").unwrap(),
            (FILE.to_string(), 0)
        );
    }

    #[test]
    fn terms_move_with_their_comments_and_never_over_another() {
        let plants = Vocabulary::parse("plant", "", "rose").0;
        let (from, to) = move_to(&animals(), &at(&[1, 2]), &plants).unwrap();
        assert_eq!(
            from,
            FILE.replace("#- mouse\n", "")
                .replace("crane # allow: homonym\n", "")
        );
        assert_eq!(to, "rose\n#- mouse\ncrane # allow: homonym\n");
        let cats = Vocabulary::parse("plant", "", "CAT\n").0;
        assert!(
            move_to(&animals(), &at(&[0]), &cats)
                .unwrap_err()
                .what
                .contains("already")
        );
    }
}
