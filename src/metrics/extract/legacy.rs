//! Dysca's released rule, reproduced exactly: `Dysca_compute.py`, `normalize_extracted_answer` and
//! `get_most_similar`.
//!
//! It always keeps an answer. If the instruction has no line `Choices:`, it shifts every letter by
//! one, because the question then counts as the first option.

use std::borrow::Cow;

use memchr::memmem;
use strsim::levenshtein;

use super::extractor::Extractor;
use super::question_parts::Asked;
use super::reading::Read;
use benchtop_model::{Item, Role};

/// How a line was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// The letter names it.
    Letter(char),
    /// The letter names no line; the nearest line to the letter alone was chosen.
    NearestToLetter(char),
    /// There is no letter; the nearest line to the answer was chosen.
    Nearest,
}

/// The text that the released code compares with the right answer (the chosen line without its
/// first word), and how it was chosen.
pub(super) fn extracted<'a>(asked: &Asked<'a>, output: &str) -> (Cow<'a, str>, By) {
    if asked.instruction.is_empty() {
        let lines = asked
            .options
            .iter()
            .enumerate()
            .map(|(at, o)| format!("({}) {}", Item::letter(at), o.text));
        let lines = lines.collect::<Vec<_>>().join("\n");
        let (range, by) = chosen(&lines, output);
        return (
            Cow::Owned(lines.get(range).unwrap_or_default().to_string()),
            by,
        );
    }
    let lines = choices(asked.instruction);
    let (range, by) = chosen(lines, output);
    (Cow::Borrowed(lines.get(range).unwrap_or_default()), by)
}

/// The option with this text. Among equal options, the right one, because the released code
/// compares texts.
pub(super) fn read(asked: &Asked, output: &str) -> Read {
    let (text, _) = extracted(asked, output);
    let same = |right: bool| {
        asked
            .options
            .iter()
            .position(|o| o.text == text && (o.role == Role::Correct || !right))
    };
    same(true)
        .or_else(|| same(false))
        .map_or(Read::Unparsed, Read::Option)
}

/// The lines that the code takes for options.
fn choices(instruction: &str) -> &str {
    const BEFORE: &str = "Choices:\n";
    let from =
        memmem::rfind(instruction.as_bytes(), BEFORE.as_bytes()).map_or(0, |at| at + BEFORE.len());
    let rest = &instruction[from..];
    &rest[..memmem::find(rest.as_bytes(), b"\nHint:").unwrap_or(rest.len())]
}

/// The chosen line without its first word, as a byte range of `lines`.
fn chosen(lines: &str, output: &str) -> (std::ops::Range<usize>, By) {
    let output = output.trim();
    let letter = bracketed(output).or_else(|| output.bytes().rev().find(u8::is_ascii_uppercase));
    let mut one = [0; 4];
    let (wanted, code): (&str, Option<u32>) = match letter {
        Some(letter) => {
            let letter = char::from(letter.to_ascii_uppercase());
            (letter.encode_utf8(&mut one), Some(u32::from(letter)))
        }
        None => {
            let mut chars = output.chars();
            (
                output,
                chars
                    .next()
                    .filter(|_| chars.next().is_none())
                    .map(u32::from),
            )
        }
    };
    let place = code
        .and_then(|code| code.checked_sub(u32::from('A')))
        .and_then(|place| usize::try_from(place).ok());
    let letter = letter.map(|l| char::from(l.to_ascii_uppercase()));
    if let Some((line, by)) = place.and_then(|place| spans(lines).nth(place)).map(|line| {
        (
            line,
            letter
                .or_else(|| wanted.chars().next())
                .map_or(By::Nearest, By::Letter),
        )
    }) {
        return (after_first_word(lines, line), by);
    }
    let mut nearest = (usize::MAX, 0..0);
    for line in spans(lines) {
        let distance = distance(wanted, &lines[line.clone()]);
        if distance <= nearest.0 {
            nearest = (distance, line);
        }
    }
    (
        after_first_word(lines, nearest.1),
        letter.map_or(By::Nearest, By::NearestToLetter),
    )
}

/// Levenshtein distance. For a single character it is the line's length, minus one if the line
/// contains the character.
fn distance(wanted: &str, line: &str) -> usize {
    let mut chars = wanted.chars();
    match (chars.next(), chars.next()) {
        (Some(one), None) => (line.chars().count() - usize::from(line.contains(one)))
            .max(usize::from(line.is_empty())),
        _ => levenshtein(wanted, line),
    }
}

/// The last letter in round brackets.
fn bracketed(text: &str) -> Option<u8> {
    let found = text
        .as_bytes()
        .windows(3)
        .rev()
        .find(|w| w[0] == b'(' && w[1].is_ascii_alphabetic() && w[2] == b')');
    found.map(|w| w[1])
}

/// The lines as in Python's `split("\n")`: an empty text is one line.
fn spans(lines: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    lines.split('\n').scan(0, |next, line| {
        let from = *next;
        *next += line.len() + 1;
        Some(from..from + line.len())
    })
}

fn after_first_word(lines: &str, line: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let from = lines[line.clone()]
        .find(' ')
        .map_or(line.end, |blank| line.start + blank + 1);
    from..line.end
}

pub(super) fn trace(asked: &Asked, output: &str) -> String {
    let (text, by) = extracted(asked, output);
    let how = match by {
        By::Letter(letter) => format!("the letter `{letter}` stands for"),
        By::NearestToLetter(letter) => {
            format!(
                "the letter `{letter}` names no option; the option at the least edit distance from it is"
            )
        }
        By::Nearest => {
            "no letter; the option at the least edit distance from the answer is".to_string()
        }
    };
    let option = match read(asked, output) {
        Read::Option(at) => format!(", option {}", Item::letter(at)),
        _ => ", which is none of the options".to_string(),
    };
    let shifted = if !asked.instruction.is_empty() && !asked.instruction.contains("Choices:\n") {
        "; without a line `Choices:` the question counts as the first option"
    } else {
        ""
    };
    format!(
        "{}: {how} `{text}`{option}{shifted}",
        Extractor::LegacyDysca.name()
    )
}
