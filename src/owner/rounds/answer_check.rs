//! Validates answers to questions: an option, or a refusal in words.

use benchtop_metrics::extract::{Asked, Extractor, Read};
use benchtop_model::{Error, Item, QuestionKind, Result};

/// The answer `text` to the question of `item` as it is recorded: the letter of an option, whether
/// its text or its letter was typed. Refusals in words and answers to questions without options are
/// kept as typed.
///
/// # Errors
/// [`ErrorKind::Input`](benchtop_model::ErrorKind::Input) at `answer` for anything else.
pub(super) fn taken(item: &Item, text: &str) -> Result<String> {
    let text = text.trim();
    let plain = text.to_lowercase();
    let declines = || Extractor::Strict.read(&Asked::from(item), text, None) == Read::Refused;
    let wrong = |what: String, help: String| Err(Error::input(what).field("answer").help(help));
    if item.options.is_empty() {
        let known: &[&str] = match item.kind {
            QuestionKind::YesNo | QuestionKind::TrueFalse => &["yes", "no", "true", "false"],
            QuestionKind::MultipleChoice | QuestionKind::FreeForm => return Ok(text.into()),
        };
        return match known.contains(&plain.as_str()) {
            true => Ok(plain),
            false if declines() => Ok(text.into()),
            false => wrong(
                format!("`{text}` is not an answer to this kind of question"),
                format!("give one of: {}", known.join(", ")),
            ),
        };
    }
    let letter = plain.trim_matches(|c: char| matches!(c, '(' | ')' | '.' | ':'));
    let is = |at: &usize| Item::letter(*at).to_lowercase() == letter;
    let found = (0..item.options.len()).find(is).or_else(|| {
        let same = |text: &str| text.trim().to_lowercase() == plain;
        item.options.iter().position(|option| same(&option.text))
    });
    match found {
        Some(at) => Ok(Item::letter(at)),
        None if declines() => Ok(text.into()),
        None => {
            let letters: Vec<String> = (0..item.options.len()).map(Item::letter).collect();
            let help = format!(
                "give one of {}, the text of an option, or say that it cannot be answered",
                letters.join(", ")
            );
            wrong(format!("`{text}` is not one of the options"), help)
        }
    }
}
