//! The sentence of a question that asks.

/// Maximum length, in characters, of a question above its options, and of an asking sentence.
const QUESTION: usize = 4000;
const SENTENCE: usize = 400;

/// The relevant part of a question's first line.
pub(super) fn first_line(text: &str) -> &str {
    let line = text.split('\n').next().unwrap_or_default();
    line.char_indices()
        .nth(400)
        .map_or(line, |(end, _)| &line[..end])
}

/// The first characters of a text.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    text.char_indices()
        .nth(most)
        .map_or(text, |(end, _)| &text[..end])
}

/// The last characters of a text.
pub(super) fn ending(text: &str, most: usize) -> &str {
    text.char_indices()
        .rev()
        .nth(most - 1)
        .map_or(text, |(at, _)| &text[at..])
}

/// The lines of a question above its options.
pub(super) fn above_options(question: &str) -> &str {
    let above = beginning(question, QUESTION);
    let labels = ["\nA.", "\nA)", "\n(A", "\n1.", "\n1)"].into_iter();
    let found = labels.filter_map(|label| above.find(label));
    &above[..found.filter(|at| *at > 0).min().unwrap_or(above.len())]
}

/// The last sentence above the options that asks; the first line if there is none.
pub(super) fn asking_sentence(question: &str) -> &str {
    let above = above_options(question);
    let Some(last) = above.rfind(['?', '？', '؟']) else {
        return first_line(question);
    };
    let ends = [". ", "? ", "! ", "\n", "。", "？", "؟", "।", "！"].into_iter();
    let begins = ends.filter_map(|end| above[..last].rfind(end).map(|at| at + end.len()));
    let stop = last + above[last..].chars().next().map_or(0, char::len_utf8);
    ending(&above[begins.max().unwrap_or(0)..stop], SENTENCE)
}
