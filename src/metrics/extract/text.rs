//! Text search without allocation.

/// Whether two texts are equal, ignoring case.
pub(super) fn same(a: &str, b: &str) -> bool {
    if a.is_ascii() && b.is_ascii() {
        return a.eq_ignore_ascii_case(b);
    }
    a.chars()
        .flat_map(char::to_lowercase)
        .eq(b.chars().flat_map(char::to_lowercase))
}

/// Length in bytes of `start` at the beginning of `text`, ignoring case; `None` if it is not there.
/// `'` also matches `’`.
pub(super) fn begins(text: &str, start: &str) -> Option<usize> {
    if start.is_ascii() {
        let (bytes, mut at) = (text.as_bytes(), 0);
        for wanted in start.bytes() {
            at += match bytes.get(at) {
                Some(byte) if byte.eq_ignore_ascii_case(&wanted) => 1,
                Some(_) if wanted == b'\'' && bytes[at..].starts_with("\u{2019}".as_bytes()) => {
                    "\u{2019}".len()
                }
                _ => return None,
            };
        }
        return Some(at);
    }
    let mut lower = start.chars().flat_map(char::to_lowercase);
    let mut wanted = lower.next();
    for (at, c) in text.char_indices() {
        if wanted.is_none() {
            return Some(at);
        }
        for c in c.to_lowercase() {
            if wanted != Some(if c == '\u{2019}' { '\'' } else { c }) {
                return None;
            }
            wanted = lower.next();
        }
    }
    wanted.is_none().then_some(text.len())
}

/// The occurrences of `word` in `text` as whole words, ignoring case, as byte ranges that do not
/// overlap.
pub(super) fn places<'a>(
    text: &'a str,
    word: &'a str,
) -> impl Iterator<Item = std::ops::Range<usize>> + 'a {
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(at) = next(text, from, word) {
            let ends = |n: &usize| !alphanumeric_at(text, at + n) && !number_at(text, at + n);
            let starts = !alphanumeric_before(text, at) && !number_before(text, at);
            if let Some(length) = Some(at)
                .filter(|_| starts)
                .and_then(|at| begins(&text[at..], word))
                .filter(ends)
            {
                from = at + length;
                return Some(at..from);
            }
            from = at + text[at..].chars().next().map_or(1, char::len_utf8);
        }
        from = text.len();
        None
    })
}

/// The next place, from a byte on, of the first letter of `word`, ignoring case.
fn next(text: &str, from: usize, word: &str) -> Option<usize> {
    let first = word.chars().next()?;
    let rest = text.get(from..)?;
    let found = if first.is_ascii() {
        let first = first as u8;
        memchr::memchr2(
            first.to_ascii_lowercase(),
            first.to_ascii_uppercase(),
            rest.as_bytes(),
        )
    } else {
        let lower = first.to_lowercase().next();
        rest.char_indices()
            .find(|(_, c)| c.to_lowercase().next() == lower)
            .map(|(at, _)| at)
    };
    found.map(|at| from + at)
}

/// Whether the character before this byte belongs to a word.
pub(super) fn alphanumeric_before(text: &str, at: usize) -> bool {
    text.get(..at)
        .and_then(|t| t.chars().next_back())
        .is_some_and(char::is_alphanumeric)
}

/// Whether the character at this byte belongs to a word.
pub(super) fn alphanumeric_at(text: &str, at: usize) -> bool {
    text.get(at..)
        .and_then(|t| t.chars().next())
        .is_some_and(char::is_alphanumeric)
}

/// Whether a number continues at this byte, as before `.5` in `3.5`.
pub(super) fn number_at(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let digit = |i: Option<usize>| i.and_then(|i| bytes.get(i)).is_some_and(u8::is_ascii_digit);
    digit(at.checked_sub(1))
        && matches!(bytes.get(at), Some(b'.' | b',' | b':' | b'/'))
        && digit(Some(at + 1))
}

/// Whether the number at this byte started earlier, as 5 does in `3.5` and in `-5`.
fn number_before(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).and_then(|i| bytes.get(i));
    let number = bytes.get(at).is_some_and(u8::is_ascii_digit);
    number && (before == Some(&b'-') || (before.is_some() && number_at(text, at - 1)))
}

/// The index of a letter in the alphabet, ignoring case.
pub(super) fn index(letter: u8) -> usize {
    usize::from(letter.to_ascii_uppercase().wrapping_sub(b'A'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_found() {
        let at = |text: &str, word: &str| {
            places(text, word)
                .map(|r| text[r].to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(at("Cat, cats, a CAT.", "cat"), ["Cat", "CAT"]);
        assert_eq!(at("the Sea Lion", "sea lion"), ["Sea Lion"]);
        assert_eq!(at("Éclair and éclair", "éclair"), ["Éclair", "éclair"]);
        assert!(
            at("concatenate", "cat").is_empty()
                && at("cat", "").is_empty()
                && at("", "cat").is_empty()
        );
        assert_eq!(begins("CAN\u{2019}T say", "can't"), Some(7));
        assert_eq!((begins("ca", "cat"), begins("cat", "cat")), (None, Some(3)));
        assert!(same("Größe", "GRÖßE") && !same("a", "b"));
        assert!(at("3.5 and 13 and -3 and 1,3 and 3:1", "3").is_empty());
        assert_eq!(at("3. And 3, or (3)", "3").len(), 3);
    }
}
