//! When two terms can both be right: the rule that distractors are drawn by, and that the linter applies.

use super::metadata::vocabulary::fold;

/// Shortest word for which one letter apart counts: "cat" and "bat" are different things.
const EDIT_CHARS: usize = 5;
/// Words that say nothing alone.
const WEAK: [&str; 14] = [
    "a", "an", "the", "of", "in", "on", "at", "and", "with", "to", "by", "from", "for", "under",
];

/// Why two terms are too near each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// They differ in case, blanks or hyphens alone.
    Same,
    /// One letter apart.
    Edit,
    /// One is the other with words added: "wine" and "red wine".
    Inside,
    /// They end in the same noun: "grand piano" and "upright piano".
    Head,
}

impl Overlap {
    /// In words, after "they".
    pub fn why(self) -> &'static str {
        match self {
            Overlap::Same => "differ in case, blanks or hyphens alone",
            Overlap::Edit => "are one letter apart",
            Overlap::Inside => "are one inside the other",
            Overlap::Head => "share their head noun",
        }
    }
}

/// A term made ready to be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    folded: String,
    /// Whether the head noun tells what the term is: titles, names and phrases have none.
    nouns: bool,
}

/// What kind of terms a vocabulary holds, as far as nearness goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    /// Things: "red wine" is a wine.
    Nouns,
    /// Titles, names and phrases: the last word tells nothing.
    Phrases,
}

impl Words {
    /// Makes a term ready.
    pub fn new(term: &str, terms: Terms) -> Words {
        Words {
            folded: plain(term),
            nouns: terms == Terms::Nouns,
        }
    }

    /// Lower case, one blank between words.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// Why this and `other` are too near each other, if they are.
    pub fn near(&self, other: &Words) -> Option<Overlap> {
        let (a, b) = (self.folded.as_str(), other.folded.as_str());
        if a == b {
            return Some(Overlap::Same);
        }
        let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        let phrase = self.nouns && other.nouns && long.contains(' ');
        if phrase && !WEAK.contains(&short) && holds(long, short) {
            return Some(Overlap::Inside);
        }
        if phrase && short.contains(' ') && last(short) == last(long) {
            return Some(Overlap::Head);
        }
        let apart = long.len() - short.len() <= 1 && short.len() >= EDIT_CHARS;
        (apart && one_edit(short, long)).then_some(Overlap::Edit)
    }
}

/// Lower case, one blank between words, hyphens as blanks.
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

/// Whether `text` holds `words` as whole words; both in lower case.
pub fn holds(text: &str, words: &str) -> bool {
    if words.is_empty() {
        return false;
    }
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(words).any(|(at, found)| {
        !letter(text[..at].chars().next_back()) && !letter(text[at + found.len()..].chars().next())
    })
}

/// Whether one letter added, dropped or replaced makes one word of the other.
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
        let (a, b) = (Words::new(a, Terms::Nouns), Words::new(b, Terms::Nouns));
        assert_eq!(a.near(&b), b.near(&a));
        a.near(&b)
    }

    #[test]
    fn what_is_near_and_what_is_not() {
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
    fn titles_share_words_without_being_near() {
        let title = |t| Words::new(t, Terms::Phrases);
        assert_eq!(title("Ghost World").near(&title("Wayne's World")), None);
        assert_eq!(title("Alien").near(&title("Alien Nation")), None);
        assert_eq!(title("Alien").near(&title("alien")), Some(Overlap::Same));
    }

    #[test]
    fn words_are_held_whole() {
        assert!(holds("1 orange owl, on a lawn", "orange"));
        assert!(!holds("1 oranges", "orange"));
        assert!(holds("in a forest", "a forest") && !holds("x", ""));
    }
}
