//! Texts as bare words: lowercase, with a space for each mark.

use super::fold_characters::{fold, script};

/// A text with normalized characters, in lowercase.
pub(super) fn plain(text: &str) -> String {
    let mut folded = Vec::with_capacity(text.len());
    text.chars().for_each(|c| fold(c, &mut folded));
    folded.into_iter().flat_map(char::to_lowercase).collect()
}

/// The words of a text, separated and surrounded by spaces.
pub(super) fn words(text: &str) -> String {
    let text = plain(text)
        .replace("can't", "cannot")
        .replace("n't", " not");
    let blank = |c: char| if script(c) == 0 { ' ' } else { c };
    joined(&text.chars().map(blank).collect::<String>())
}

fn joined(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(' ');
    for word in text.split_whitespace() {
        out.push_str(word);
        out.push(' ');
    }
    if out.len() == 1 {
        out.push(' ');
    }
    out
}

/// Whether a word is of a script without spaces.
fn is_dense(word: &str) -> bool {
    word.chars().nth(1).is_some_and(|c| script(c) == 3)
}

pub(super) fn is_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7ff}')
}

/// A word in search form: words of scripts without spaces match anywhere.
pub(super) fn sought(word: &str) -> &str {
    if is_dense(word) { word.trim() } else { word }
}

/// The pairs of neighboring bytes in a text. Most words of a list are excluded by them, which is
/// much faster than a search.
struct Pairs([u64; 64]);

impl Pairs {
    fn of(text: &str) -> Pairs {
        let mut pairs = Pairs([0; 64]);
        for pair in text.as_bytes().windows(2) {
            let (word, bit) = Pairs::place(pair);
            pairs.0[word] |= bit;
        }
        pairs
    }

    /// Several pairs may have one place.
    fn place(pair: &[u8]) -> (usize, u64) {
        let at = usize::from(pair[0]).wrapping_mul(61) ^ usize::from(pair[1]);
        (at / 64 % 64, 1 << (at % 64))
    }

    /// Whether the text may contain a word of a list. `false` is certain.
    fn may_hold(&self, word: &str) -> bool {
        // A word of a script without spaces is searched without those around it.
        let is_plain = word.as_bytes().get(1).is_none_or(u8::is_ascii);
        let sought = if is_plain { word } else { word.trim() };
        sought.as_bytes().windows(2).all(|pair| {
            let (word, bit) = Pairs::place(pair);
            self.0[word] & bit != 0
        })
    }
}

/// Whether the words contain one of the list.
pub(super) fn has<'a>(words: &str, list: impl IntoIterator<Item = &'a String>) -> bool {
    let pairs = Pairs::of(words);
    list.into_iter()
        .any(|word| pairs.may_hold(word) && words.contains(sought(word)))
}

/// The words without those of a list.
pub(super) fn without(words: &str, list: &[String]) -> String {
    let (mut words, mut pairs) = (words.to_string(), Pairs::of(words));
    for word in list {
        if !pairs.may_hold(word) {
            continue;
        }
        if is_dense(word) && !word.chars().nth(1).is_some_and(is_hangul) {
            words = words.replace(word.trim(), " ");
        } else {
            while words.contains(word.as_str()) {
                words = words.replace(word.as_str(), " ");
            }
        }
        pairs = Pairs::of(&words);
    }
    joined(&words)
}

/// The parts between the words of a list.
pub(super) fn split(words: &str, list: &[String]) -> Vec<String> {
    let (mut words, mut pairs) = (words.to_string(), Pairs::of(words));
    for word in list {
        if !pairs.may_hold(word) {
            continue;
        }
        words = if is_dense(word) {
            words.replace(word.trim(), "\n")
        } else {
            words.replace(word.as_str(), " \n ")
        };
        pairs = Pairs::of(&words);
    }
    words
        .split('\n')
        .filter(|part| !part.trim().is_empty())
        .map(str::to_string)
        .collect()
}

/// Single words: characters in scripts without spaces, runs of Katakana, and parts between spaces
/// in Korean and Thai.
pub(super) fn units(words: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut last = 0;
    for c in words.chars() {
        let kind = match c {
            ' ' | '\u{3041}'..='\u{309f}' => 0,
            '\u{30a0}'..='\u{30ff}' => 1,
            '\u{e00}'..='\u{e7f}' => 2,
            c if is_hangul(c) => 2,
            c if script(c) == 3 => 3,
            _ => 4,
        };
        match out.last_mut() {
            Some(word) if kind == last && kind != 0 && kind != 3 => word.push(c),
            _ if kind != 0 => out.push(c.to_string()),
            _ => {}
        }
        last = kind;
    }
    out
}

/// A word without English endings: "riding" and "rides".
fn stem(word: &str) -> &str {
    for end in ["ing", "ed", "es", "s", "e"] {
        if let Some(rest) = word
            .strip_suffix(end)
            .filter(|rest| rest.chars().count() > 2)
        {
            let mut last = rest.chars().rev();
            let doubled = last
                .next()
                .filter(|c| last.next() == Some(*c) && rest.chars().count() > 3);
            return match doubled {
                Some(c) if end == "ing" || end == "ed" => &rest[..rest.len() - c.len_utf8()],
                _ => rest,
            };
        }
    }
    word
}

/// The parts in double quotes, as bare words.
pub(super) fn quoted(text: &str) -> Vec<String> {
    let text = plain(text);
    let parts: Vec<&str> = text.split('"').collect();
    if parts.len().is_multiple_of(2) {
        return Vec::new();
    }
    parts
        .iter()
        .skip(1)
        .step_by(2)
        .map(|part| words(part))
        .collect()
}

/// The parts before and after the last of these words, which is included in both because it may
/// deny either. `None` if there is none.
pub(super) fn halves(words: &str, list: &[&String]) -> Option<(String, String)> {
    let places = list
        .iter()
        .filter_map(|word| words.rfind(sought(word)).map(|at| (at, *word)));
    let (at, word) = places.max()?;
    let end = at + sought(word).len();
    Some((format!("{} ", &words[..end]), format!(" {}", &words[at..])))
}

/// Whether two words are forms of the same word: only their last letters may differ.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let (Some(first), Some(end_a), Some(end_b)) = (a.first(), a.last(), b.last()) else {
        return false;
    };
    let genders = [('o', 'a'), ('a', 'o'), ('ा', 'ी'), ('ी', 'ा')];
    if a.len() == b.len()
        && a[..a.len() - 1] == b[..b.len() - 1]
        && genders.contains(&(*end_a, *end_b))
    {
        // "niño" and "niña"
        return false;
    }
    if a.len() > 3 && b.len() > 3 && stem(one) == stem(other) {
        return true;
    }
    let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
    let alike = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    if script(*first) == 3 {
        return is_hangul(*first) && alike >= short.saturating_sub(1).max(1);
    }
    let loose = [0, 0, 0, 0, 1, 1].get(short).copied().unwrap_or(2);
    !first.is_ascii_digit() && long - short <= 3 && alike >= (short - loose).max(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_list_are_found_as_by_a_plain_search() {
        let list = |text: &str| text.split('|').map(str::to_string).collect::<Vec<_>>();
        let list = list(" a | the | on top of | not |的| 그림 | top | a b | n |何|  |x");
        for text in [
            " the cat is on top of the mat ",
            " a a a b not the the a ",
            " 什么的何的 on top ",
            " 이 그림 의 top ",
            " ",
            "",
            " n ",
            " on the top of not ",
            "a\u{3042}何x",
        ] {
            let any = list.iter().any(|word| text.contains(sought(word)));
            assert_eq!(has(text, &list), any, "{text}");
            let mut plain = text.to_string();
            for word in &list {
                if is_dense(word) && !word.chars().nth(1).is_some_and(is_hangul) {
                    plain = plain.replace(word.trim(), " ");
                } else if !word.trim().is_empty() {
                    while plain.contains(word.as_str()) {
                        plain = plain.replace(word.as_str(), " ");
                    }
                }
            }
            let list: Vec<String> = list
                .iter()
                .filter(|w| !w.trim().is_empty())
                .cloned()
                .collect();
            assert_eq!(without(text, &list), joined(&plain), "{text}");
        }
    }
}
