//! Edits of several terms at once. All terms change or none, and every other line stays.

use std::collections::{BTreeSet, HashSet};

use benchtop_compose::metadata::vocabulary::fold;
use benchtop_compose::metadata::{Vocabulary, file_of};
use benchtop_model::{Error, Result};

/// A term as it was when something was asked about it: its position and text. The file may change
/// until the answer.
pub type Known = (usize, String);

/// The position of a term now.
///
/// # Errors
///
/// If it is gone.
pub fn position(vocabulary: &Vocabulary, (at, text): &Known) -> Result<usize> {
    let is_it = |at: &usize| vocabulary.terms().get(*at).is_some_and(|t| t.text == *text);
    let all = std::iter::once(*at).chain(0..vocabulary.terms().len());
    all.into_iter().find(is_it).ok_or_else(|| {
        let name = vocabulary.name();
        Error::input(format!("`{text}` is no longer in {name}")).file(file_of(name))
    })
}

/// Applies `change` to the terms at positions `at` and returns the new text of the vocabulary. Each
/// term is passed to `change` as a vocabulary with one term. If `change` empties it, the line is
/// removed. Fails if `change` fails or if two terms would become the same.
pub fn edit_terms(
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
        let mut single = Vocabulary::parse(vocabulary.name(), "", bare).0;
        change(&mut single).map_err(|p| p.line(i as u64 + 1))?;
        if let Some(term) = single.terms().first() {
            changed.push(term.text.clone());
            out.push_str(single.text().trim_end_matches('\n'));
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
    // Duplicates from before the edit are not its fault.
    if let Some(term) = changed
        .iter()
        .find(|t| twice.contains(&fold(t)) && !is_double(vocabulary, t))
    {
        return Err(
            Error::input(format!("duplicate term `{term}` in {}", vocabulary.name()))
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

/// Removes terms with their lines.
pub fn remove(vocabulary: &Vocabulary, at: &BTreeSet<usize>) -> Result<String> {
    edit_terms(vocabulary, at, |single| single.remove(0))
}

/// Disables or enables terms.
pub fn set_disabled(
    vocabulary: &Vocabulary,
    at: &BTreeSet<usize>,
    disabled: bool,
) -> Result<String> {
    edit_terms(vocabulary, at, |single| single.set_disabled(0, disabled))
}

/// Replaces text in terms. Returns the new text and the number of changed terms. Fails like
/// [`edit_terms`], or if a result is not a valid term.
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
    let text = edit_terms(vocabulary, &with, |single| {
        let new = single
            .terms()
            .first()
            .map(|t| t.text.replace(from, to))
            .unwrap_or_default();
        single.rename(0, &new)
    })?;
    Ok((text, with.len()))
}

/// Moves terms to the end of `to`. Disabled terms stay disabled. Returns both texts. Fails if `to`
/// already has one of the terms.
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
            "`{}` already exists in {}",
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
        // Copy the line as is: a trailing comment belongs to the term.
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
    fn other_lines_do_not_change() {
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
    fn replace_changes_terms_but_not_comments() {
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
            "a term must not be empty"
        );
        let error = replace(&animals(), &at(&[0]), "cat", "MOUSE").unwrap_err();
        assert!(error.what.contains("MOUSE"), "{}", error.what);
        assert_eq!(
            replace(&animals(), &at(&[0]), "", "x").unwrap(),
            (FILE.to_string(), 0)
        );
    }

    #[test]
    fn terms_move_with_their_comments_and_duplicates_are_errors() {
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
                .contains("cat")
        );
    }
}
