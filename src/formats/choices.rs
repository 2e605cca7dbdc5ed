//! The options of a table row, and the right one.

use serde_json::Value;

use super::cells;
use benchtop_model::mapping::AnswerIs;
use benchtop_model::{Choice, Error, Item, QuestionKind, Result, Role};

/// Splits a text into the question and its options. Lines after the last option, which say how to
/// answer, are dropped. Line breaks inside an option are kept.
pub(super) fn taken_apart(text: &str) -> (String, Vec<String>) {
    let mut before = String::new();
    let mut options: Vec<String> = Vec::new();
    let hint = |line: &str| {
        let line = line.trim_start().to_lowercase();
        [
            "answer",
            "please",
            "your answer",
            "hint",
            "select",
            "choose",
        ]
        .iter()
        .any(|word| line.starts_with(word))
    };
    let mut last_break = "";
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end_matches('\n');
        let line = line.strip_suffix('\r').unwrap_or(line);
        match (cells::marked(line, options.len()), options.last_mut()) {
            (Some(text), _) => options.push(text.to_string()),
            (None, None) => before.push_str(whole),
            (None, Some(open)) if !hint(line) => {
                open.push_str(last_break);
                open.push_str(line);
            }
            _ => break,
        }
        last_break = &whole[line.len()..];
    }
    options
        .iter_mut()
        .for_each(|option| option.truncate(option.trim_end_matches(['\r', '\n']).len()));
    (before.trim().to_string(), options)
}

/// The options with their roles.
pub(super) fn choices(
    mut texts: Vec<String>,
    answer: &Value,
    answer_is: AnswerIs,
    refusal: Option<&Value>,
) -> Result<Vec<Choice>> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let stated = cells::text(answer)
        .or_else(|| cells::list(answer).into_iter().next())
        .unwrap_or_default();
    if stated.trim().is_empty() {
        return Err(Error::input("the row does not state which option is right"));
    }
    // The text of the last option may have been lost.
    if let Some(at) = letter(&stated)
        .filter(|at| answer_is != AnswerIs::Text && *at >= texts.len() && *at < texts.len() + 2)
        && !texts.contains(&stated)
    {
        texts.resize(at + 1, String::new());
    }
    let right = position(&texts, answer, &stated, answer_is).ok_or_else(|| {
        Error::input(format!(
            "the answer `{stated}` matches none of the {} options",
            texts.len()
        ))
        .help("set answer-is in a mapping.toml to letter, index, position, or text")
    })?;
    let declines = refusal.and_then(|value| {
        let stated = cells::text(value)?;
        position(
            &texts,
            value,
            &stated,
            if value.is_number() {
                AnswerIs::Index
            } else {
                AnswerIs::Auto
            },
        )
    });
    Ok(Choice::list(texts, |at| match declines == Some(at) {
        true => Role::Refusal,
        false => Role::of(at == right),
    }))
}

/// The index of the option that `stated` names.
fn position(texts: &[String], value: &Value, stated: &str, answer_is: AnswerIs) -> Option<usize> {
    let by_letter = || letter(stated).filter(|at| *at < texts.len());
    let by_text = || {
        texts
            .iter()
            .position(|t| t == stated)
            .or_else(|| texts.iter().position(|t| t.trim() == stated.trim()))
    };
    let number = || stated.trim().parse::<usize>().ok();
    let found = match answer_is {
        AnswerIs::Letter => by_letter(),
        AnswerIs::Text => by_text(),
        AnswerIs::Index => number(),
        AnswerIs::Position => number().and_then(|n| n.checked_sub(1)),
        AnswerIs::Auto if value.is_number() => by_text().or_else(number),
        AnswerIs::Auto => by_letter().or_else(by_text).or_else(number),
    };
    found.filter(|at| *at < texts.len())
}

/// The index for a letter: `B`, `b`, `(B)`, `B.`.
fn letter(stated: &str) -> Option<usize> {
    let stated = stated.trim();
    let inner = stated
        .strip_prefix('(')
        .and_then(|s| s.strip_suffix(')'))
        .or_else(|| stated.strip_suffix('.'))
        .unwrap_or(stated);
    match inner.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(usize::from(byte.to_ascii_uppercase() - b'A')),
        _ => None,
    }
}

/// The options of a true-or-false question that lists none, and the index of the right one. Applies
/// if the row's type says so, or if it has no type and the answer is `True` or `False`.
pub(super) fn truths(stated: Option<&str>, answer: &str) -> Option<([&'static str; 2], usize)> {
    let is_true_false = stated.map(|stated| stated.to_lowercase().contains("true"));
    let answer = answer.trim().to_lowercase();
    let at = |pair: [&str; 2]| pair.iter().position(|word| word.to_lowercase() == answer);
    let [truth, agreement] = [["True", "False"], ["Yes", "No"]];
    match is_true_false {
        None | Some(true) if at(truth).is_some() => Some((truth, at(truth)?)),
        Some(true) => Some((agreement, at(agreement)?)),
        _ => None,
    }
}

/// The question type: as the row states it, else derived from its content.
pub(super) fn kind(stated: Option<&str>, item: &Item) -> QuestionKind {
    let stated = stated.unwrap_or_default().to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| stated.contains(word));
    let yes_no = ["yes", "no"].contains(&item.answer.to_lowercase().as_str());
    if item.options.is_empty() {
        return if yes_no && !says(&["free", "open"]) {
            QuestionKind::YesNo
        } else {
            QuestionKind::FreeForm
        };
    }
    let mut texts: Vec<String> = item.options.iter().map(|o| o.text.to_lowercase()).collect();
    texts.sort();
    if says(&["true"]) || (!says(&["multiple", "choice"]) && texts == ["false", "true"]) {
        return QuestionKind::TrueFalse;
    }
    QuestionKind::MultipleChoice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_inside_an_option_are_kept() {
        let (question, options) = taken_apart(
            "Which\r\none?\r\nA. a cat\r\nthat sits\r\nB. a dog\nthat runs\r\nAnswer with the letter.",
        );
        assert_eq!(question, "Which\r\none?");
        assert_eq!(options, ["a cat\r\nthat sits", "a dog\nthat runs"]);
        assert_eq!(
            taken_apart("  no options\r\nhere "),
            ("no options\r\nhere".into(), vec![])
        );
    }
}
