//! Whether a picture shows what its description says: AutoBench-V's self-validation score S_a, the
//! share of TIFA-style questions (Hu et al. 2023) that a model answers as the description does.
//!
//! The paper names no threshold. Its released code uses 0.0, which accepts every picture; an older
//! controller in the same code uses 0.5. [`THRESHOLD`] is 0.5. A threshold of 0 accepts every
//! picture here too.

pub mod questions;

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::extract::declines;
use super::judge::{spoken, understood};
use benchtop_model::json_objects::objects;
use benchtop_model::judge::{Element, JudgeAnswer, Word};

/// The default share of right answers from which a picture counts as aligned.
pub const THRESHOLD: f64 = 0.5;
/// Number of questions per picture, as in AutoBench-V.
pub const QUESTIONS: u32 = 6;

/// Incremented whenever the same answers would give another number.
pub const VERSION: u32 = 2;

/// How an answer is compared with the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Ignores case, a lead ("answer:"), an option's letter, punctuation, and articles. An answer
    /// that fits no option, or more than one, is unknown.
    Folded,
    /// AutoBench-V's released code (`tools/tifa.py`): removes a leading `answer: `, then compares
    /// all characters.
    Legacy,
}

benchtop_model::named!(Rule {
    Folded: "folded",
    Legacy: "legacy",
});

/// The result of one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answered {
    /// As in the description.
    Right,
    Wrong,
    /// Unparsed, refused, or missing.
    Unknown,
}

/// Compares `text` with the expected answer to the question about `element`. `None` means that
/// there is no answer.
pub fn answered(element: &Element, text: Option<&str>, rule: Rule) -> Answered {
    let same = |same: bool| {
        if same {
            Answered::Right
        } else {
            Answered::Wrong
        }
    };
    match (text, rule) {
        (None, _) => Answered::Unknown,
        (Some(text), Rule::Legacy) => {
            let text = text.trim();
            same(text.strip_prefix("answer: ").map_or(text, str::trim) == element.answer)
        }
        (Some(text), Rule::Folded) => folded(element, text),
    }
}

fn folded(element: &Element, text: &str) -> Answered {
    let text = spoken(text).trim();
    let (objects, _) = objects(text);
    let fields = objects
        .iter()
        .flat_map(|o| &o.0)
        .filter(|(key, _)| key.trim().eq_ignore_ascii_case("answer"));
    let given: Vec<String> = fields
        .map(|(_, v)| v.as_str().map_or_else(|| v.to_string(), str::to_string))
        .collect();
    let (text, explicit) = match given.as_slice() {
        [] => (text.to_string(), false),
        [first, rest @ ..] if rest.iter().all(|r| plain(r) == plain(first)) => {
            (first.clone(), true)
        }
        _ => return Answered::Unknown,
    };
    let wanted = plain(&element.answer);
    let given_text = plain(lead(&text));
    if given_text.is_empty() || wanted.is_empty() {
        return Answered::Unknown;
    }
    let choices: Vec<String> = element.choices.iter().map(|c| plain(c)).collect();
    let letter = letter(lead(&text));
    if let Some((at, behind)) = &letter
        && choices.get(*at).is_some_and(|c| c != behind)
        && choices.contains(behind)
    {
        return Answered::Unknown;
    }
    if given_text == wanted {
        return Answered::Right;
    }
    if choices.contains(&given_text) {
        return Answered::Wrong;
    }
    if choices.is_empty() {
        return if declines(&text) {
            Answered::Unknown
        } else {
            Answered::Wrong
        };
    }
    if choices.iter().all(|c| Word::from_name(c).is_some()) && !explicit {
        return match (understood(&text, Word::Yes).said, Word::from_name(&wanted)) {
            (JudgeAnswer::Word(word), Some(wanted)) if word == wanted => Answered::Right,
            (JudgeAnswer::Word(_), Some(_)) => Answered::Wrong,
            _ => Answered::Unknown,
        };
    }
    // "B", "(b) red", "B. red", "it is red".
    let chosen = match letter {
        Some((at, behind))
            if at < choices.len() && (behind.is_empty() || behind == choices[at]) =>
        {
            Some(at)
        }
        _ => {
            let mut held = (0..choices.len()).filter(|&i| holds(&given_text, &choices[i]));
            held.next().filter(|_| held.next().is_none())
        }
    };
    match chosen {
        Some(at) if choices[at] == wanted => Answered::Right,
        Some(_) => Answered::Wrong,
        None => Answered::Unknown,
    }
}

/// The answer without its lead.
fn lead(text: &str) -> &str {
    let text = text.trim().trim_start_matches(['*', '#', '>', '-', ' ']);
    let lower = text.to_ascii_lowercase();
    let leads = [
        "the correct answer is",
        "the answer is",
        "final answer:",
        "answer:",
        "answer is",
    ];
    let cut = leads
        .iter()
        .find(|l| lower.starts_with(**l))
        .map_or(0, |l| l.len());
    text[cut..].trim_start_matches([':', '*', ' '])
}

/// The index of the option letter that `text` starts with, alone or before punctuation, and the
/// words after it.
fn letter(text: &str) -> Option<(usize, String)> {
    let bare = text.trim().trim_start_matches(['(', '[']);
    let first = bare.chars().next().filter(char::is_ascii_alphabetic)?;
    let rest = &bare[1..];
    let marked = rest.is_empty() || rest.starts_with([')', ']', '.', ':']);
    marked.then(|| {
        (
            usize::from(first.to_ascii_uppercase() as u8 - b'A'),
            plain(rest),
        )
    })
}

/// Lowercase words, separated by single spaces, without leading articles.
fn plain(text: &str) -> String {
    let lower = text.to_lowercase();
    let keeps = |c: char| c.is_alphanumeric() || c == '\'' || c == '-';
    let words: Vec<&str> = lower
        .split(|c: char| !keeps(c))
        .map(|w| w.trim_matches(['\'', '-']))
        .filter(|w| !w.is_empty())
        .collect();
    match words.as_slice() {
        ["a" | "an" | "the", rest @ ..] if !rest.is_empty() => rest.join(" "),
        words => words.join(" "),
    }
}

/// Whether `whole` contains the words of `part` in sequence; both are [`plain`].
fn holds(whole: &str, part: &str) -> bool {
    !part.is_empty() && format!(" {whole} ").contains(&format!(" {part} "))
}

/// S_a of one picture: the result of each question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    /// Questions answered right.
    pub right: Vec<usize>,
    /// Questions answered wrong: the elements that the picture does not show.
    pub failed: Vec<usize>,
    /// Questions with an unknown answer.
    pub unknown: Vec<usize>,
}

impl Alignment {
    /// Sorts the results of the questions, in order.
    pub fn new(answers: impl IntoIterator<Item = Answered>) -> Alignment {
        let mut all = Alignment::default();
        for (at, answered) in answers.into_iter().enumerate() {
            match answered {
                Answered::Right => all.right.push(at),
                Answered::Wrong => all.failed.push(at),
                Answered::Unknown => all.unknown.push(at),
            }
        }
        all
    }

    /// S_a: right answers over known answers. `None` if no answer is known.
    pub fn share(&self) -> Option<f64> {
        let known = self.right.len() + self.failed.len();
        (known > 0).then(|| self.right.len() as f64 / known as f64)
    }

    /// S_a as in the released code: right answers over all questions, 0 if there are none.
    pub fn legacy_share(&self) -> f64 {
        let all = self.right.len() + self.failed.len() + self.unknown.len();
        if all == 0 {
            0.0
        } else {
            self.right.len() as f64 / all as f64
        }
    }

    /// Whether S_a reaches `threshold`. `None` if this depends on unknown answers, or if there are
    /// no questions.
    pub fn aligned(&self, threshold: f64) -> Option<bool> {
        let (right, unknown) = (self.right.len(), self.unknown.len());
        let all = right + self.failed.len() + unknown;
        if threshold <= 0.0 {
            return Some(true);
        }
        if all == 0 {
            return None;
        }
        let share = |count: usize| count as f64 / all as f64;
        match (
            share(right) >= threshold,
            share(right + unknown) >= threshold,
        ) {
            (true, _) => Some(true),
            (_, false) => Some(false),
            _ => None,
        }
    }
}

/// A JSON string, number, or boolean as text.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_string()),
        Value::Number(n) => Some(n.to_string()),
        Value::Bool(yes) => Some(if *yes { "yes" } else { "no" }.to_string()),
        _ => None,
    }
}
