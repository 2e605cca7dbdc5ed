//! Finds the answers that an output states.

use super::votes::{SEVERAL, Votes};
use crate::extract::question_parts::Asked;
use crate::extract::text::{alphanumeric_at, begins, index, number_at, places, same};

/// Words between "answer" and the answer.
const BETWEEN: [&str; 13] = [
    "is",
    "was",
    "be",
    "would",
    "should",
    "must",
    "the",
    "correct",
    "option",
    "choice",
    "letter",
    "therefore",
    "thus",
];

/// The answer that makes up the whole text: a letter, a letter with its option's text, or an
/// option's text. [`SEVERAL`] if letter and text belong to different options.
pub(super) fn whole_answer(asked: &Asked, text: &str) -> Option<usize> {
    let text = bare(text);
    let by_text = option_with(asked, text);
    let by_letter = match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(index(*letter)),
        [open, letter, rest @ ..]
            if letter.is_ascii_alphabetic() && matches!(open, b'(' | b'[') =>
        {
            after_letter(asked, *letter, text.get(text.len() - rest.len()..)?)
        }
        [letter, rest @ ..] if letter.is_ascii_alphabetic() => {
            let rest = text.get(text.len() - rest.len()..)?;
            let follows: &[char] = if letter.is_ascii_uppercase() {
                &['.', ')', ':', ',', ' ', '\n']
            } else {
                &['.', ')', ':']
            };
            match (*letter, rest.starts_with(' ')) {
                // An article, perhaps followed by an option's text.
                (b'A', true) => option_with(asked, rest),
                _ => rest
                    .starts_with(follows)
                    .then(|| after_letter(asked, *letter, rest))
                    .flatten(),
            }
        }
        _ => None,
    };
    match (by_letter, by_text) {
        (Some(letter), Some(text)) if letter != text => Some(SEVERAL),
        (letter, text) => letter.or(text),
    }
}

/// The option of a letter that is followed by nothing or by an option's text.
fn after_letter(asked: &Asked, letter: u8, rest: &str) -> Option<usize> {
    let rest = bare(rest.trim_start_matches([')', ']', '.', ':', ',', ' ', '\n', '*', '-']));
    match (rest.is_empty(), option_with(asked, rest)) {
        (true, _) => Some(index(letter)),
        (false, Some(option)) if option == index(letter) => Some(option),
        (false, Some(_)) => Some(SEVERAL),
        (false, None) => None,
    }
}

/// The text without surrounding emphasis, quotes, mathematics, double brackets, and full stop.
fn bare(text: &str) -> &str {
    let marks =
        |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`' | '"' | '\'' | '$' | '“' | '”');
    let mut text = text.trim_matches(marks);
    text = text
        .strip_suffix(['.', '!'])
        .unwrap_or(text)
        .trim_matches(marks);
    if let Some(inner) = text.strip_prefix("[[").and_then(|t| t.strip_suffix("]]")) {
        return inner.trim_matches(marks);
    }
    if let Some(inner) = text
        .strip_prefix("\\boxed{")
        .and_then(|t| t.strip_suffix('}'))
    {
        let inner = inner
            .strip_prefix("\\text{")
            .and_then(|t| t.strip_suffix('}'))
            .unwrap_or(inner);
        return inner.trim_matches(marks);
    }
    text
}

/// The option with exactly this text, ignoring case and a full stop; `None` if two options share
/// it.
fn option_with(asked: &Asked, text: &str) -> Option<usize> {
    let plain = |t: &str| -> usize { t.trim().strip_suffix('.').unwrap_or(t.trim()).len() };
    let text = text.trim();
    let is = |option: &str| {
        let option = option.trim();
        !option.is_empty() && same(&option[..plain(option)], &text[..plain(text)])
    };
    let mut found = asked
        .options
        .iter()
        .enumerate()
        .filter(|(_, o)| is(&o.text))
        .map(|(at, _)| at);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// All answers that the output states.
pub(super) fn statements(asked: &Asked, text: &str) -> Votes {
    let mut votes = Votes::default();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (first, last) = (lines.next(), lines.next_back());
    for line in [first, last]
        .into_iter()
        .flatten()
        .filter(|line| line.len() < text.len())
    {
        whole_answer(asked, line)
            .into_iter()
            .for_each(|at| votes.add(at));
    }
    if let Some(end) = text
        .find(['.', ',', '\n', ';'])
        .filter(|end| !number_at(text, *end))
    {
        option_with(asked, bare(&text[..end]))
            .into_iter()
            .for_each(|at| votes.add(at));
    }
    let wrong = |before: &str| {
        ["wrong", "incorrect"]
            .iter()
            .any(|w| before.trim_end().ends_with(w))
    };
    for place in places(text, "answer").filter(|place| !wrong(&text[..place.start])) {
        after_cue(asked, &text[place.end..], &mut votes);
    }
    for cue in ["\\boxed{", "[["] {
        text.match_indices(cue)
            .for_each(|(at, _)| after_cue(asked, &text[at..], &mut votes));
    }
    votes
}

/// Adds the answer after a cue: a letter (and further letters after `or`, `and`, or a comma), or an
/// option's text.
fn after_cue(asked: &Asked, text: &str, votes: &mut Votes) {
    let (mut rest, inside) = skip(text);
    if let Some(at) = leading_option(asked, rest) {
        return votes.add(at);
    }
    let mut enclosed = inside;
    while let Some(letter) = leading_letter(rest, enclosed) {
        votes.add(index(letter));
        let after = rest[1..].trim_start_matches([' ', ')', ']', '}', '*', '"', '\'']);
        let joined = ["or ", "and ", "/", "& "]
            .iter()
            .find_map(|join| begins(after, join).map(|n| &after[n..]));
        // After a comma, a letter counts only if no word follows, because a sentence may begin
        // there.
        let listed = || {
            after
                .strip_prefix(", ")
                .filter(|next| !next.get(1..).is_some_and(|t| t.starts_with(' ')))
        };
        let Some(next) = joined.or_else(listed) else {
            break;
        };
        (rest, enclosed) = skip(next);
    }
}

/// Skips marks and words that may precede an answer. Also returns whether an opening bracket is
/// among them.
fn skip(mut text: &str) -> (&str, bool) {
    let mut inside = false;
    loop {
        let marks = |c: char| {
            c.is_whitespace() || matches!(c, ':' | '=' | '"' | '\'' | '*' | '_' | '`' | '$' | '“')
        };
        let trimmed = text.trim_start_matches(marks);
        let open = ["\\boxed{", "\\text{", "(", "["]
            .iter()
            .find_map(|open| trimmed.strip_prefix(open));
        let word = BETWEEN
            .iter()
            .find_map(|w| begins(trimmed, w).filter(|n| !alphanumeric_at(trimmed, *n)));
        match (open, word) {
            (Some(rest), _) => (text, inside) = (rest, true),
            (None, Some(n)) => (text, inside) = (&trimmed[n..], false),
            _ => return (trimmed, inside),
        }
    }
}

/// A leading letter that is an answer and not a word of the sentence.
fn leading_letter(text: &str, inside: bool) -> Option<u8> {
    let letter = text.bytes().next().filter(u8::is_ascii_alphabetic)?;
    let after = &text[1..];
    let next = after.chars().next();
    let stands = match next {
        None => true,
        Some(')' | ']' | '}') if inside => true,
        Some(c) if c.is_alphanumeric() || matches!(c, '\'' | '\u{2019}' | '-') => false,
        Some(_) if letter.is_ascii_lowercase() => {
            matches!(next, Some('.' | ')' | '"' | '\n')) && !inside
        }
        // "A" and "I" before a word are words, unless a reason or another letter follows.
        Some(' ') if matches!(letter, b'A' | b'I') => {
            ["because", "since", "as ", "or ", "and ", "("]
                .iter()
                .any(|w| begins(after.trim_start(), w).is_some())
        }
        Some(_) => true,
    };
    stands.then_some(letter)
}

/// The option whose text comes first, perhaps after an article, and before a mark, the end, or a
/// reason. The longest match wins.
fn leading_option(asked: &Asked, text: &str) -> Option<usize> {
    let ends = |rest: &str| {
        let next = rest.trim_start_matches(' ');
        let reason = || {
            ["because", "since", "as "]
                .iter()
                .any(|w| begins(next, w).is_some())
        };
        !rest.starts_with(char::is_alphanumeric)
            && (next.is_empty() || !next.starts_with(char::is_alphanumeric) || reason())
    };
    let at = |text: &str| {
        let length = |option: &str| {
            Some(option.trim())
                .filter(|o| !o.is_empty())
                .and_then(|o| begins(text, o))
        };
        let found = asked
            .options
            .iter()
            .enumerate()
            .filter_map(|(at, o)| Some((length(&o.text)?, at)));
        let found = found
            .filter(|(n, _)| ends(&text[*n..]) && !number_at(text, *n))
            .max_by_key(|(n, _)| *n)?;
        // A single letter is read as a letter.
        (found.0 > 1 || !text.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(found.1)
    };
    let article = ["a ", "an "]
        .iter()
        .find_map(|a| begins(text, a).map(|n| &text[n..]));
    at(text).or_else(|| at(article?))
}
