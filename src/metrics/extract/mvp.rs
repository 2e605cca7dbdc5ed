//! The rules of MVP-Bench's `evaluate.py`, which counts unparsed answers as wrong.

use super::extractor::Extractor;
use super::reading::Read;
use super::text::same;

/// Reads the answer. Letters are not checked against the question's options.
pub(super) fn read(rule: Extractor, output: &str, judge: Option<&str>) -> Read {
    let text = reduce(rule, output);
    match rule {
        Extractor::MvpYesNo => yes_or_no(text).or_else(|| yes_or_no(judge?)),
        Extractor::MvpCircular => letter(text).filter(|_| text.as_bytes()[0].is_ascii_uppercase()),
        _ => letter(text),
    }
    .unwrap_or(Read::Unparsed)
}

pub(super) fn explain(rule: Extractor, output: &str, judge: Option<&str>) -> String {
    let text = reduce(rule, output);
    let mut line = format!("{}: text before the first `.` and `,`", rule.name());
    if rule == Extractor::MvpMcq {
        line.push_str(" and `)`, without brackets");
    }
    line.push_str(&format!(" is `{text}`"));
    if rule == Extractor::MvpYesNo && yes_or_no(text).is_none() {
        line.push_str(", neither yes nor no; ");
        line.push_str(&judge.map_or("no judge asked".to_string(), |word| {
            format!("the stored judge said `{word}`")
        }));
    }
    match read(rule, output, judge).answer() {
        Some(read) => line.push_str(&format!("; read as `{read}`")),
        None => line.push_str("; not readable, counts as wrong"),
    }
    line
}

fn reduce(rule: Extractor, output: &str) -> &str {
    let text = before(before(output.trim(), '.'), ',');
    if rule == Extractor::MvpMcq {
        before(text, ')').trim_matches(['(', ')']).trim()
    } else {
        text
    }
}

fn before(text: &str, mark: char) -> &str {
    text.split(mark).next().unwrap_or(text).trim()
}

fn yes_or_no(text: &str) -> Option<Read> {
    [("yes", Read::Yes), ("no", Read::No)]
        .into_iter()
        .find(|(word, _)| same(text, word))
        .map(|(_, read)| read)
}

/// Exactly one letter.
fn letter(text: &str) -> Option<Read> {
    match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(Read::Option(usize::from(
            letter.to_ascii_uppercase() - b'A',
        ))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::extract::Extractor;

    #[test]
    fn each_rule_matches_its_source() {
        let yn = |o, j| Extractor::MvpYesNo.extract(o, j);
        assert_eq!(yn("Yes, the man is. No", None).as_deref(), Some("yes"));
        assert_eq!(yn(" NO ", None).as_deref(), Some("no"));
        assert_eq!(yn("I cannot tell", Some("No")).as_deref(), Some("no"));
        assert_eq!(yn("I cannot tell", Some("Unknown")), None);
        assert_eq!(yn("yes indeed", None), None);
        // The judge never overrules a readable output.
        assert_eq!(yn("Yes.", Some("No")).as_deref(), Some("yes"));

        let circular = |o| Extractor::MvpCircular.extract(o, None);
        assert_eq!(circular("C. scenario").as_deref(), Some("C"));
        assert_eq!(circular(" C , D").as_deref(), Some("C"));
        assert_eq!(
            (
                circular("c"),
                circular("(C)"),
                circular("C) x"),
                circular("")
            ),
            (None, None, None, None)
        );

        let mcq = |o| Extractor::MvpMcq.extract(o, None);
        assert_eq!(mcq("(c) scenario").as_deref(), Some("C"));
        assert_eq!(mcq("C) scenario").as_deref(), Some("C"));
        assert_eq!(mcq("The answer is C"), None);
    }

    #[test]
    fn trace_names_every_step() {
        assert_eq!(
            Extractor::MvpYesNo.explain("Hm, well", Some("Unknown")),
            "mvp-yn@1: text before the first `.` and `,` is `Hm`, neither yes nor no; the stored judge said `Unknown`; not \
             readable, counts as wrong"
        );
        assert!(
            Extractor::MvpMcq
                .explain("(c) x", None)
                .ends_with("is `c`; read as `C`")
        );
    }
}
