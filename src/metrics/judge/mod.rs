//! Turns a judge's raw answer into a ruling: JSON first, then a marked answer, then the words.
//! Everything else is unparsed, a third state, and never a guess.

mod plain_text;

#[cfg(test)]
mod tests;

use serde_json::Value;

use self::plain_text::{Read, opening, read};
use super::extract::declines;
use benchtop_model::generation::Failure;
use benchtop_model::json_objects::{Pairs, objects};
use benchtop_model::judge::{Found, JudgeAnswer, JudgeReading, Unparsed, Word};
use benchtop_model::vlm::{Alternative, Finish, Reply};

/// Incremented whenever the same answer would give another number.
pub const VERSION: u32 = 1;

/// A reading without a ruling.
fn no_ruling(said: JudgeAnswer, reason: Option<String>) -> JudgeReading {
    JudgeReading {
        said,
        pass: None,
        found: None,
        reason,
    }
}

/// The ruling in `reply`, where `pass` is the good answer.
pub fn ruling(reply: &Reply, pass: Word) -> JudgeReading {
    match reply.finish {
        Finish::Refused => {
            let reason = Some(reply.text.trim().to_string()).filter(|r| !r.is_empty());
            no_ruling(JudgeAnswer::Refused, reason)
        }
        _ => understood(&reply.text, pass),
    }
}

/// The ruling if the server refused the question ([`Failure`] of kind refused): also a refusal.
/// Other failures say nothing about the picture.
pub fn refused(failure: &Failure) -> Option<JudgeReading> {
    (failure.kind == benchtop_model::generation::FailureKind::Refused)
        .then(|| no_ruling(JudgeAnswer::Refused, Some(failure.reason.clone())))
}

/// The ruling in `text`, where `pass` is the good answer.
pub fn understood(text: &str, pass: Word) -> JudgeReading {
    let text = spoken(text);
    let of = |read: Read, reason| match read {
        Ok((word, found)) => JudgeReading {
            said: JudgeAnswer::Word(word),
            pass: Some(word == pass),
            found: Some(found),
            reason,
        },
        Err(why) => no_ruling(JudgeAnswer::Unparsed(why), reason),
    };
    if text.trim().is_empty() {
        return of(Err(Unparsed::Empty), None);
    }
    let (objects, outside) = objects(text);
    match answers(&objects) {
        None => match read(text) {
            Err(Unparsed::Neither) if declines(text) => {
                no_ruling(JudgeAnswer::Refused, Some(text.trim().to_string()))
            }
            read => of(read, None),
        },
        Some((read, reason)) => {
            let contradicted =
                read.is_ok_and(|(word, _)| opening(&outside).is_some_and(|other| other != word));
            of(
                if contradicted {
                    Err(Unparsed::Both)
                } else {
                    read
                },
                reason,
            )
        }
    }
}

/// The answer of the objects with an `answer` field, and the first reason. `None` if there is no
/// such object. An answer that is neither yes nor no still counts, so the surrounding words are not
/// read.
fn answers(objects: &[Pairs]) -> Option<(Read, Option<String>)> {
    let all = |name: &str| -> Vec<&Value> {
        let named = |(key, _): &&(String, Value)| key.trim().eq_ignore_ascii_case(name);
        objects
            .iter()
            .flat_map(|o| o.0.iter().filter(named))
            .map(|(_, value)| value)
            .collect()
    };
    let given = all("answer");
    let reason = all("reason")
        .into_iter()
        .find_map(Value::as_str)
        .map(|r| r.trim().to_string());
    let word = |value: &&Value| match value {
        Value::Bool(yes) => Some(if *yes { Word::Yes } else { Word::No }),
        Value::String(text) => Word::from_name(text.trim_matches(|c: char| !c.is_alphanumeric())),
        _ => None,
    };
    let words: Vec<Option<Word>> = given.iter().map(word).collect();
    let read = match words.first()? {
        Some(word) if words.iter().all(|w| *w == Some(*word)) => Ok((*word, Found::Json)),
        None if words.iter().all(Option::is_none) => Err(Unparsed::Neither),
        _ => Err(Unparsed::Both),
    };
    Some((read, reason.filter(|r| !r.is_empty())))
}

/// An answer without the thoughts that some models write first. Empty if the thoughts do not end.
pub(super) fn spoken(text: &str) -> &str {
    match (text.rfind("</think>"), text.contains("<think>")) {
        (Some(at), _) => &text[at + "</think>".len()..],
        (None, true) => "",
        (None, false) => text,
    }
}

/// A model's certainty of yes against no: p(yes) / (p(yes) + p(no)) over the alternatives of its
/// first token, ignoring case, spaces, and punctuation. `None` if neither is among them. This
/// follows VQAScore (Lin et al. 2024), which uses p(yes) only.
pub fn certainty(first: &[Alternative]) -> Option<f64> {
    let sum = |word: Word| -> f64 {
        let is = |a: &&Alternative| {
            Word::from_name(a.token.trim_matches(|c: char| !c.is_alphanumeric())) == Some(word)
        };
        first.iter().filter(is).map(|a| a.logprob.exp()).sum()
    };
    let (yes, no) = (sum(Word::Yes), sum(Word::No));
    (yes + no > 0.0).then(|| yes / (yes + no))
}
