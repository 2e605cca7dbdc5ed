//! Maps option letters in answers from a shuffled order to the item's own order.
//!
//! A model that was shown "A. dog  B. cat" answers B for a cat, but the item has "A. cat  B. dog".
//! Every rule that reads letters would take B for the dog. So each standalone option letter is
//! replaced by the letter of the same option in the item. Letters within the text of an option
//! stay. The original output is kept next to it.

use std::ops::Range;

use benchtop_model::Item;

/// Ranges of option texts within the output. Overlaps go to the longest.
fn quoted(output: &str, options: &[&str]) -> Vec<Range<usize>> {
    let mut texts: Vec<&str> = options
        .iter()
        .map(|o| o.trim())
        .filter(|o| o.chars().count() > 1)
        .collect();
    texts.sort_by_key(|o| std::cmp::Reverse(o.len()));
    let mut found: Vec<Range<usize>> = Vec::new();
    for text in texts {
        for (at, _) in output.match_indices(text) {
            let range = at..at + text.len();
            if found
                .iter()
                .all(|other| range.end <= other.start || other.end <= range.start)
            {
                found.push(range);
            }
        }
    }
    found
}

/// `output` with the letters of the item's own order. `shown` is the item's option (from 0) at each
/// position.
pub fn relabelled(output: &str, options: &[&str], shown: &[u16]) -> String {
    if shown
        .iter()
        .enumerate()
        .all(|(place, option)| place == usize::from(*option))
    {
        return output.to_string();
    }
    let quoted = quoted(output, options);
    // A lower-case letter in a sentence is an article or part of a name. Alone or in brackets it is
    // an answer.
    let is_bare = output
        .trim_matches(|c: char| !c.is_alphanumeric())
        .chars()
        .count()
        == 1;
    let mut out = String::with_capacity(output.len());
    let mut before: Option<char> = None;
    let mut rest = output.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let alone = !before.is_some_and(|c| c.is_alphanumeric() || c == '\'')
            && !rest
                .peek()
                .is_some_and(|(_, next)| next.is_alphanumeric() || *next == '\'')
            && !quoted.iter().any(|range| range.contains(&at));
        let place = match c {
            'A'..='Z' => Some(c as usize - 'A' as usize),
            'a'..='z' if is_bare || before.is_some_and(|c| matches!(c, '(' | '[' | '*')) => {
                Some(c as usize - 'a' as usize)
            }
            _ => None,
        };
        match place.filter(|_| alone).and_then(|place| shown.get(place)) {
            Some(option) if c.is_ascii_uppercase() => {
                out.push_str(&Item::letter(usize::from(*option)))
            }
            Some(option) => out.push_str(&Item::letter(usize::from(*option)).to_lowercase()),
            None => out.push(c),
        }
        before = Some(c);
    }
    out
}
