//! The wrong word of a question: what a print attack writes, so that a model that reads it answers
//! wrongly.

use benchtop_compose::ambiguity::{contains_words, plain};
use benchtop_compose::compiled_metadata::CompiledMetadata;
use benchtop_model::rng::{Stream, key};
use benchtop_model::{Item, QuestionKind, Role};

/// The wrong word of an item. With `answers`, that of a statement or yes/no question is the wrong
/// answer, such as `False`.
///
/// # Errors
/// Why there is none, in words that follow "left out:".
pub(super) fn wrong(
    item: &Item,
    (seed, answers): (u64, bool),
    metadata: &CompiledMetadata,
) -> Result<String, String> {
    let mut stream = Stream::new(key(seed, &["wrong word", &item.id]));
    let word = match item.kind {
        QuestionKind::MultipleChoice => one_of(&distractors(item), &mut stream)
            .ok_or("multiple-choice questions without a wrong option")?,
        QuestionKind::TrueFalse | QuestionKind::YesNo => {
            let (right, wrong) =
                answer(item).ok_or("statements and yes/no questions without a readable answer")?;
            match (answers, claim(item)) {
                (true, _) => wrong,
                (false, None) => {
                    return Err(
                        "statements and yes/no questions that do not record what they claim".into(),
                    );
                }
                // A false claim names the wrong term itself.
                (false, Some(claim)) if !right => claim.to_string(),
                (false, Some(_)) => other_term(item, metadata, &mut stream)?,
            }
        }
        QuestionKind::FreeForm => other_term(item, metadata, &mut stream)?,
    };
    match word.trim() {
        "" => Err("questions whose wrong word is empty".into()),
        word => Ok(word.to_string()),
    }
}

fn distractors(item: &Item) -> Vec<String> {
    let wrong = item.options.iter().filter(|o| o.role == Role::Distractor);
    wrong.map(|option| option.text.clone()).collect()
}

fn claim(item: &Item) -> Option<&str> {
    item.provenance.as_ref()?.claim.as_deref()
}

/// Whether the claim of a question is right, and the wrong answer as it would be given.
fn answer(item: &Item) -> Option<(bool, String)> {
    let is_yes = |text: &str| match text.trim().to_lowercase().as_str() {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    };
    let given = item
        .correct()
        .map_or(&*item.answer, |at| &*item.options[at].text);
    let right = is_yes(given)?;
    let of_options = distractors(item)
        .into_iter()
        .find(|text| is_yes(text) == Some(!right));
    let wrong = match (item.kind, right) {
        (QuestionKind::YesNo, true) => "No",
        (QuestionKind::YesNo, false) => "Yes",
        (_, true) => "False",
        (_, false) => "True",
    };
    Some((right, of_options.unwrap_or_else(|| wrong.into())))
}

/// A term of the vocabulary that the question asks about, which the picture does not show as far as
/// its prompt and terms say.
fn other_term(
    item: &Item,
    metadata: &CompiledMetadata,
    stream: &mut Stream,
) -> Result<String, String> {
    let subtask = item
        .subtask
        .as_deref()
        .and_then(|name| metadata.subtask(name));
    let list = subtask.map(|at| &metadata.lists[metadata.subtasks[at].list]);
    let list = list.ok_or("questions whose subtask has no vocabulary in the metadata")?;
    let prompt = item
        .prompt
        .as_deref()
        .ok_or("questions without a prompt, which would say what the picture shows")?;
    let prompt = plain(prompt);
    let shown: Vec<String> = item
        .provenance
        .iter()
        .flat_map(|made| made.terms.values().chain(made.second.values()))
        .map(|term| plain(term))
        .collect();
    let is_free = |term: &&String| {
        let term = plain(term);
        !contains_words(&prompt, &term) && !shown.contains(&term)
    };
    let free: Vec<String> = list.terms.iter().filter(is_free).cloned().collect();
    one_of(&free, stream)
        .ok_or_else(|| "questions whose prompt names every term of the vocabulary".into())
}

fn one_of(all: &[String], stream: &mut Stream) -> Option<String> {
    (!all.is_empty()).then(|| all[stream.below(all.len())].clone())
}
