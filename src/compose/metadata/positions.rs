//! Converts byte offsets to lines and columns, and TOML errors to findings.

use std::ops::Range;

use benchtop_model::{Finding, Rule};

/// Sets the place of a finding to a byte range of `text`.
pub(super) fn at(finding: Finding, text: &str, span: Range<usize>) -> Finding {
    let before = text.get(..span.start).unwrap_or(text);
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count() as u32
        + 1;
    let spanned = text.get(span).unwrap_or_default();
    let length = spanned.lines().next().unwrap_or_default().chars().count() as u32;
    finding.line(line(before)).columns(column, length)
}

/// The line that follows `before`, from 1.
pub(super) fn line(before: &str) -> u32 {
    before.matches('\n').count() as u32 + 1
}

/// The byte range in the file of the range `inner` of a TOML string's value, given the range of the
/// string with its quotes.
pub(super) fn inside(
    text: &str,
    string: Range<usize>,
    value: &str,
    inner: Range<usize>,
) -> Range<usize> {
    let raw = text.get(string.clone()).unwrap_or_default();
    // Without escapes, the value occurs verbatim in the file.
    if let Some(start) = raw.find(value).filter(|_| !value.is_empty()) {
        let start = string.start + start;
        return start + inner.start..start + inner.end;
    }
    // Otherwise, search the same words, by their number of occurrences before.
    let words = value.get(inner.clone()).unwrap_or_default();
    let before = value
        .get(..inner.start)
        .map_or(0, |v| v.matches(words).count());
    match raw.match_indices(words).nth(before) {
        Some((start, _)) if !words.is_empty() => {
            string.start + start..string.start + start + words.len()
        }
        _ => string,
    }
}

/// A finding for a TOML error.
pub(super) fn toml(error: &toml::de::Error, file: &str, text: &str) -> Finding {
    let message = error.message().trim();
    let (what, known) = message.split_once(", expected ").unwrap_or((message, ""));
    let finding = Finding::new(Rule::Unreadable, file, what.replace('\n', " "));
    let finding = if known.is_empty() {
        finding
    } else {
        finding.help(format!("expected {known}"))
    };
    match error.span() {
        Some(span) => at(finding, text, span),
        None => finding,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_convert_to_lines_and_columns() {
        let text = "a\nünder {x}\n";
        let start = text.find('{').unwrap();
        let finding = at(
            Finding::new(Rule::UnknownSlot, "f", "w"),
            text,
            start..start + 3,
        );
        assert_eq!((finding.line, finding.column, finding.length), (2, 7, 3));
    }

    #[test]
    fn ranges_inside_strings_with_and_without_escapes() {
        let text = "k = \"a {b} c\"\n";
        assert_eq!(&text[inside(text, 4..13, "a {b} c", 2..5)], "{b}");
        let text = "k = \"{x}\\n{x}\"\n";
        let value = "{x}\n{x}";
        assert_eq!(inside(text, 4..text.len() - 1, value, 4..7), 10..13);
        assert_eq!(inside(text, 4..14, value, 0..0), 4..14);
    }
}
