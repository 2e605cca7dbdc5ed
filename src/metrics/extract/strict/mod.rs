//! benchtop's own rule, first version: reads the answer that an output commits to, and nothing
//! else.
//!
//! For questions with options, these steps are tried in order (`X` is a letter):
//! 1. Statements: the whole output, its first line, its last line, or its first sentence is one
//!    answer (`X`, `(X)`, `X.`, `**X**`, `X. text`, or an option's text), or an answer follows
//!    "answer", `\boxed{`, or `[[`.
//! 2. A refusal, by phrase.
//! 3. Marks: `option X`, `(X)`, `X.`, `X)`, or `X:` anywhere.
//! 4. The text of exactly one option is mentioned, and nothing is negated.
//!
//! The first step with a result decides. If it gives two answers, the output contradicts itself and
//! is unparsed; so is a letter beyond the options. An option that is itself a refusal makes the
//! answer a refusal. Text before `</think>` is not read.

mod phrases;
mod statements;
mod votes;

use super::extractor::Extractor;
use super::question_parts::Asked;
use super::reading::Read;
use super::text::{alphanumeric_at, alphanumeric_before, index, places, same};

use self::phrases::{denies, refuses};
use self::statements::{statements, whole_answer};
use self::votes::{Votes, Why};

/// VLMEvalKit's text for a failed request.
const FAILED: &str = "Failed to obtain answer";
pub(super) fn read(asked: &Asked, output: &str, judge: Option<&str>) -> (Read, Why) {
    let text = after_thinking(output).trim();
    let (mut read, mut why) = match text {
        "" => (Read::Unparsed, Why::Empty),
        _ if text.starts_with(FAILED) => (Read::Unparsed, Why::Failed),
        _ if asked.wants_yes_or_no() => yes_or_no(text),
        _ => option(asked, text),
    };
    if let (Read::Unparsed, Some(judge)) = (read, judge) {
        let said = if asked.wants_yes_or_no() {
            yes_or_no(judge).0
        } else {
            option(asked, judge).0
        };
        if said != Read::Unparsed {
            (read, why) = (said, Why::Judge);
        }
    }
    match read {
        Read::Option(at) if !asked.declines(at) => (read, why),
        Read::Option(_) if why != Why::Judge => (Read::Refused, Why::RefusalOption),
        Read::Option(_) => (Read::Refused, why),
        _ => (read, why),
    }
}

fn after_thinking(output: &str) -> &str {
    const END: &str = "</think>";
    memchr::memmem::rfind(output.as_bytes(), END.as_bytes())
        .map_or(output, |at| &output[at + END.len()..])
}

fn option(asked: &Asked, text: &str) -> (Read, Why) {
    if let Some(at) = whole_answer(asked, text) {
        let mut votes = Votes::default();
        votes.add(at);
        if let Some(found) = votes.decide(asked, Why::Statement) {
            return found;
        }
    }
    if let Some(found) = statements(asked, text).decide(asked, Why::Statement) {
        return found;
    }
    if refuses(text) {
        return (Read::Refused, Why::Refusal);
    }
    marks(asked, text)
        .decide(asked, Why::Mark)
        .unwrap_or_else(|| mention(asked, text))
}

/// Votes for `(X)` and `[X]` in any case, `X.`, `X)`, and `X:` before a space or the end, and
/// `option X`. Capital letters count only if they belong to an option.
fn marks(asked: &Asked, text: &str) -> Votes {
    let bytes = text.as_bytes();
    let mut votes = Votes::default();
    let at = |i: usize| bytes.get(i).copied().unwrap_or(b' ');
    for (i, letter) in bytes
        .iter()
        .enumerate()
        .filter(|(_, b)| b.is_ascii_alphabetic())
    {
        let (before, after) = (i.checked_sub(1).map_or(b' ', at), at(i + 1));
        // Not the plural in "cat(s)".
        let inside = matches!((before, after), (b'(', b')') | (b'[', b']'))
            && !alphanumeric_before(text, i - 1);
        let ends = matches!(after, b'.' | b')' | b':') && at(i + 2).is_ascii_whitespace();
        let alone = !alphanumeric_before(text, i) && !matches!(before, b'.' | b'\'');
        if inside
            || (letter.is_ascii_uppercase() && ends && alone && index(*letter) < asked.letters())
        {
            votes.add(index(*letter));
        }
    }
    for place in ["option", "choice"]
        .into_iter()
        .flat_map(|word| places(text, word))
    {
        let rest = text[place.end..].trim_start_matches([' ', '(', '*', '"', ':', '\'']);
        let letter = rest.bytes().next().filter(u8::is_ascii_uppercase);
        if let Some(letter) = letter.filter(|_| !alphanumeric_at(rest, 1)) {
            votes.add(index(letter));
        }
    }
    votes
}

/// The only option whose text is mentioned as whole words that are not part of a longer option's
/// text.
fn mention(asked: &Asked, text: &str) -> (Read, Why) {
    let mut votes = Votes::default();
    for (at, option) in asked.options.iter().enumerate() {
        let wanted = option.text.trim();
        let longer = |place: &std::ops::Range<usize>| {
            asked.options.iter().any(|o| {
                let other = o.text.trim();
                other.len() > wanted.len()
                    && places(text, other).any(|p| p.start <= place.start && place.end <= p.end)
            })
        };
        if places(text, wanted).any(|place| !longer(&place)) {
            votes.add(at);
        }
    }
    match votes {
        Votes { one: None, .. } => (Read::Unparsed, Why::Nothing),
        Votes { several: true, .. } => (Read::Unparsed, Why::Mentions),
        _ if denies(text) => (Read::Unparsed, Why::Denied),
        Votes { one: Some(at), .. } => (Read::Option(at), Why::Mention),
    }
}

/// The first word, the last line, or what follows "answer". A refusal if none of them is yes or no.
fn yes_or_no(text: &str) -> (Read, Why) {
    const YES: usize = 0;
    let word = |text: &str| {
        let word = text.trim_start_matches(|c: char| !c.is_alphanumeric());
        let word = &word[..word
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(word.len())];
        match word {
            _ if same(word, "yes") || same(word, "true") => Some(YES),
            _ if same(word, "no") || same(word, "false") => Some(YES + 1),
            _ => None,
        }
    };
    let mut votes = Votes::default();
    word(text).into_iter().for_each(|at| votes.add(at));
    if let Some(last) = text.lines().rev().find(|l| !l.trim().is_empty()) {
        let bare = last.trim_matches(|c: char| !c.is_alphanumeric());
        word(bare)
            .filter(|_| bare.len() <= "false".len())
            .into_iter()
            .for_each(|at| votes.add(at));
    }
    for place in places(text, "answer") {
        let rest = text[place.end..].trim_start_matches([' ', ':', '"', '*', '\n', '\'']);
        let rest = super::text::begins(rest, "is ").map_or(rest, |n| &rest[n..]);
        word(rest).into_iter().for_each(|at| votes.add(at));
    }
    match votes {
        Votes { several: true, .. } => (Read::Unparsed, Why::Contradiction),
        Votes { one: Some(YES), .. } => (Read::Yes, Why::Statement),
        Votes { one: Some(_), .. } => (Read::No, Why::Statement),
        _ if refuses(text) => (Read::Refused, Why::Refusal),
        _ => (Read::Unparsed, Why::Nothing),
    }
}

pub(super) fn trace(asked: &Asked, output: &str, judge: Option<&str>) -> String {
    let (read, why) = read(asked, output, judge);
    let how = match why {
        Why::Empty => "the output is empty",
        Why::Failed => "the output says that there was no answer",
        Why::Statement => "it states one answer",
        Why::Contradiction => "it states several answers",
        Why::Beyond => "it names a letter beyond the options",
        Why::Refusal => "it states no answer and declines to give one",
        Why::RefusalOption => "it chooses the option that declines to answer",
        Why::Mark => "it states no answer and marks one option",
        Why::Mention => "it states and marks nothing, and mentions the text of one option",
        Why::Mentions => "it states and marks nothing, and mentions the texts of several options",
        Why::Denied => "it states and marks nothing, and mentions one option beside a negation",
        Why::Nothing => "it states, marks and mentions nothing",
        Why::Judge => "not readable by itself; the stored judge was read",
    };
    format!("{}: {how}; {}", Extractor::Strict1.name(), read.traced())
}
