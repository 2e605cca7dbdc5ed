//! Decides when two terms can both be right. Distractors and the linter use the same rule.

use super::metadata::vocabulary::fold;

/// Minimum length of words for which an edit distance of 1 counts. "cat" and "bat" are different
/// things.
const EDIT_CHARS: usize = 5;
/// Words that mean nothing alone.
const WEAK: [&str; 14] = [
    "a", "an", "the", "of", "in", "on", "at", "and", "with", "to", "by", "from", "for", "under",
];

/// How two terms overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// They differ only in case, blanks, or hyphens.
    Same,
    /// Their edit distance is 1.
    Edit,
    /// One contains the other: "wine" and "red wine".
    Inside,
    /// They share their head noun: "grand piano" and "upright piano".
    Head,
}

impl Overlap {
    /// A description that follows "they".
    pub fn description(self) -> &'static str {
        match self {
            Overlap::Same => "differ only in case, blanks, or hyphens",
            Overlap::Edit => "differ by one letter",
            Overlap::Inside => "contain each other",
            Overlap::Head => "share their head noun",
        }
    }
}

/// A term, prepared for comparisons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparableTerm {
    folded: String,
    /// Whether the head noun says what the term is. Titles, names, and phrases have no head noun.
    nouns: bool,
}

/// The kind of terms in a vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermKind {
    /// Things: a "red wine" is a wine.
    Nouns,
    /// Titles, names, and phrases: the last word is not a head noun.
    Phrases,
}

impl ComparableTerm {
    pub fn new(term: &str, terms: TermKind) -> ComparableTerm {
        ComparableTerm {
            folded: plain(term),
            nouns: terms == TermKind::Nouns,
        }
    }

    /// The term in lowercase with single blanks between words.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// How this term and `other` overlap, if they do.
    pub fn overlap(&self, other: &ComparableTerm) -> Option<Overlap> {
        let (a, b) = (self.folded.as_str(), other.folded.as_str());
        if a == b {
            return Some(Overlap::Same);
        }
        let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        let phrase = self.nouns && other.nouns && long.contains(' ');
        if phrase && !WEAK.contains(&short) && contains_words(long, short) {
            return Some(Overlap::Inside);
        }
        if phrase && short.contains(' ') && last(short) == last(long) {
            return Some(Overlap::Head);
        }
        let apart = long.len() - short.len() <= 1 && short.len() >= EDIT_CHARS;
        (apart && one_edit(short, long)).then_some(Overlap::Edit)
    }
}

/// Lowercase, with single blanks between words and blanks instead of hyphens.
pub fn plain(text: &str) -> String {
    let folded = fold(text);
    let mut plain = String::with_capacity(folded.len());
    for word in folded
        .split(|c: char| c.is_whitespace() || c == '-' || c == '_')
        .filter(|w| !w.is_empty())
    {
        if !plain.is_empty() {
            plain.push(' ');
        }
        plain.push_str(word);
    }
    plain
}

fn last(words: &str) -> &str {
    words.rsplit(' ').next().unwrap_or_default()
}

/// Whether `text` contains `words` as whole words. Both must be in lowercase.
pub fn contains_words(text: &str, words: &str) -> bool {
    if words.is_empty() {
        return false;
    }
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(words).any(|(at, found)| {
        !letter(text[..at].chars().next_back()) && !letter(text[at + found.len()..].chars().next())
    })
}

/// Whether one inserted, deleted, or replaced letter turns one word into the other.
fn one_edit(short: &str, long: &str) -> bool {
    let same = short
        .bytes()
        .zip(long.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let (short, long) = (&short.as_bytes()[same..], &long.as_bytes()[same..]);
    if short.len() == long.len() {
        short.get(1..) == long.get(1..)
    } else {
        Some(short) == long.get(1..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: &str, b: &str) -> Option<Overlap> {
        let (a, b) = (
            ComparableTerm::new(a, TermKind::Nouns),
            ComparableTerm::new(b, TermKind::Nouns),
        );
        assert_eq!(a.overlap(&b), b.overlap(&a));
        a.overlap(&b)
    }

    #[test]
    fn overlaps_are_classified() {
        assert_eq!(near("Ice-Cream", "ice cream"), Some(Overlap::Same));
        assert_eq!(near("wine", "red wine"), Some(Overlap::Inside));
        assert_eq!(near("grand piano", "upright piano"), Some(Overlap::Head));
        assert_eq!(near("sparow", "sparrow"), Some(Overlap::Edit));
        assert_eq!(near("salmon", "salmen"), Some(Overlap::Edit));
        assert_eq!(near("cat", "bat"), None);
        assert_eq!(near("cat", "catfish"), None);
        assert_eq!(near("lion", "sea horse"), None);
        assert_eq!(near("piano", "guitar"), None);
        assert_eq!(near("horse", "house"), Some(Overlap::Edit));
    }

    #[test]
    fn phrases_may_share_words() {
        let title = |t| ComparableTerm::new(t, TermKind::Phrases);
        assert_eq!(title("Ghost World").overlap(&title("Wayne's World")), None);
        assert_eq!(title("Alien").overlap(&title("Alien Nation")), None);
        assert_eq!(title("Alien").overlap(&title("alien")), Some(Overlap::Same));
    }

    #[test]
    fn holds_matches_whole_words() {
        assert!(contains_words("1 orange owl, on a lawn", "orange"));
        assert!(!contains_words("1 oranges", "orange"));
        assert!(contains_words("in a forest", "a forest") && !contains_words("x", ""));
    }
}
