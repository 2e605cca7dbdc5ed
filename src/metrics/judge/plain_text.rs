//! Finds yes or no in plain text.

use benchtop_model::judge::{Found, Unparsed, Word};

/// The word and how it was found, or the reason why there is none.
pub(super) type Read = Result<(Word, Found), Unparsed>;

/// After "no", these words begin a sentence about the answer. Before any other word, "no" only says
/// that something is missing.
const GOES_ON: [&str; 30] = [
    "it", "its", "this", "that", "these", "those", "the", "there", "they", "he", "she", "we", "i",
    "you", "because", "since", "as", "in", "a", "an", "based", "given", "although", "while", "my",
    "adding", "removing", "and", "or", "but",
];
/// Before yes or no in one clause, these words leave open whether it is meant.
const HEDGES: [&str; 15] = [
    "not", "cannot", "never", "neither", "nor", "if", "whether", "unless", "maybe", "perhaps",
    "either", "could", "might", "may", "unsure",
];
/// Ends of a clause, in Latin and Chinese script.
const CLAUSE: [char; 16] = [
    '.', ',', ';', ':', '!', '?', '\n', '(', ')', '。', '，', '；', '：', '！', '？', '、',
];

/// A yes or no that is a separate word.
struct Mention {
    word: Word,
    /// Marked as the answer.
    marked: bool,
    /// Offered next to the other one: "yes or no".
    offered: bool,
    /// After a hedge.
    hedged: bool,
    /// Nothing but punctuation precedes it.
    first: bool,
}

/// The yes or no in `text`.
pub(super) fn read(text: &str) -> Read {
    let mentions = mentions(text);
    let marked: Vec<&Mention> = mentions
        .iter()
        .filter(|m| m.marked && !m.offered && !m.hedged)
        .collect();
    let (of, found) = match marked.is_empty() {
        false => (marked, Found::Marked),
        true => (mentions.iter().collect(), Found::Words),
    };
    let word = of.first().ok_or(Unparsed::Neither)?.word;
    if of.iter().any(|m| m.word != word) {
        return Err(Unparsed::Both);
    }
    match of.iter().any(|m| m.hedged) {
        true => Err(Unparsed::Hedged),
        false => Ok((word, found)),
    }
}

/// The yes or no that `text` opens with or marks as its answer.
pub(super) fn opening(text: &str) -> Option<Word> {
    mentions(text)
        .into_iter()
        .find(|m| (m.first || m.marked) && !m.offered && !m.hedged)
        .map(|m| m.word)
}

fn mentions(text: &str) -> Vec<Mention> {
    let inside = |c: char| c.is_alphanumeric() || c == '\'' || c == '’';
    let mut words: Vec<(usize, usize)> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| inside(*c)) {
        match words.last_mut().filter(|(_, end)| *end == at) {
            Some((_, end)) => *end = at + c.len_utf8(),
            None => words.push((at, at + c.len_utf8())),
        }
    }
    // Quotation marks are not part of a word.
    let quote = |c: char| c == '\'' || c == '’';
    let word = |&(start, end): &(usize, usize)| text[start..end].trim_matches(quote);
    let mut found = Vec::new();
    // Whether this clause has a hedge. It is updated word by word, because a model that repeats
    // itself writes thousands.
    let (mut hedged, mut end) = (false, 0);
    for (i, place) in words.iter().enumerate() {
        hedged &= !text[end..place.0].contains(CLAUSE);
        end = place.1;
        hedged |= hedge(word(place));
        let Some(said) = Word::from_name(word(place)) else {
            continue;
        };
        let (before, after) = (&text[..place.0], &text[place.1..]);
        let next = words.get(i + 1).map(|w| (&text[place.1..w.0], word(w)));
        if hyphened(before, after)
            || said == Word::No && next.is_some_and(|(gap, word)| lacking(gap, word))
        {
            continue;
        }
        found.push(Mention {
            word: said,
            marked: marked(before, after),
            offered: offered(next, words.get(i + 2).map(word))
                || offered_before(&words[..i], text, place.0),
            hedged,
            first: before.chars().all(|c| !c.is_alphanumeric()),
        });
    }
    found
}

fn hyphened(before: &str, after: &str) -> bool {
    let dash = |c: char| c == '-' || c == '\u{2010}' || c == '\u{2011}';
    let mut after = after.chars();
    before.ends_with(dash)
        && before
            .trim_end_matches(dash)
            .ends_with(char::is_alphanumeric)
        || after.next().is_some_and(dash) && after.next().is_some_and(char::is_alphanumeric)
}

/// Whether "no" only denies something: "no change", "no way to tell", "No. 5".
fn lacking(gap: &str, next: &str) -> bool {
    let blank = !gap.is_empty() && gap.chars().all(|c| c.is_whitespace() && c != '\n');
    let number = next.starts_with(|c: char| c.is_ascii_digit()) && matches!(gap.trim(), "" | ".");
    number || blank && !GOES_ON.iter().any(|w| w.eq_ignore_ascii_case(next))
}

/// Whether the word is marked: `[[Yes]]`, `Answer: yes`, `"answer": "yes"`, `the answer is
/// **yes**`.
fn marked(before: &str, after: &str) -> bool {
    if before.trim_end().ends_with("[[") && after.trim_start().starts_with("]]") {
        return true;
    }
    let wraps =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '*' | '_' | '[' | '(' | '{');
    let lead = before.trim_end_matches(wraps);
    let lead = match lead.strip_suffix([':', '=', '：']) {
        Some(lead) => lead,
        None => match lead
            .strip_suffix("is")
            .filter(|l| l.ends_with(char::is_whitespace))
        {
            Some(lead) => lead,
            None => return false,
        },
    };
    let lead = lead.trim_end_matches(wraps).as_bytes();
    let ends = |word: &str| {
        lead.len() >= word.len()
            && lead[lead.len() - word.len()..].eq_ignore_ascii_case(word.as_bytes())
    };
    ends("answer") || ends("verdict")
}

/// Whether both words are offered: "yes or no", "yes/no", "yes | no".
fn offered(next: Option<(&str, &str)>, after: Option<&str>) -> bool {
    let other = |w: &str| Word::from_name(w).is_some();
    match next {
        Some((_, "or")) => after.is_some_and(other),
        Some((gap, word)) => other(word) && gap.contains(['/', '|']),
        None => false,
    }
}

/// Whether the word is the second of an offered pair.
fn offered_before(words: &[(usize, usize)], text: &str, start: usize) -> bool {
    let word = |w: &(usize, usize)| &text[w.0..w.1];
    match words {
        [.., other, or] if word(or).eq_ignore_ascii_case("or") => {
            Word::from_name(word(other)).is_some()
        }
        [.., other] => {
            Word::from_name(word(other)).is_some() && text[other.1..start].contains(['/', '|'])
        }
        [] => false,
    }
}

fn hedge(word: &str) -> bool {
    let word = word.to_lowercase().replace('’', "'");
    word.ends_with("n't") || HEDGES.contains(&word.as_str())
}
