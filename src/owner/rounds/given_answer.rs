//! What counts as an answer to a question: an option, or words that decline.

use benchtop_metrics::extract::{Asked, Extractor, Read};
use benchtop_model::{Error, Item, QuestionKind, Result};

/// The answer `text` to the question of `item` as it is recorded: an option by its letter, so that people who type its text and people who
/// press its letter say the same; words that decline, and answers to a question without options, as they were typed.
///
/// # Errors
/// [`Kind::Input`](benchtop_model::ErrorKind::Input) at `answer` for anything else.
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
                format!("`{text}` does not answer the question"),
                format!("one of: {}", known.join(", ")),
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
                "one of {}, the text of one, or that it cannot be told",
                letters.join(", ")
            );
            wrong(format!("`{text}` is none of the options"), help)
        }
    }
}
