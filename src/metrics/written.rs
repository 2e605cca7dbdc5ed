//! Reads what a model wrote for a question: JSON with a `text`, alone, in a code fence, or between
//! words. What is wrong is said so that the model can be asked to repair it; nothing is guessed.

use super::extract::declines;

use super::judge::spoken;
use super::leakage;
use super::vlb::Strategy;
use benchtop_model::json_objects::objects;
use benchtop_model::vlm::Finish;
use benchtop_model::{Item, QuestionKind};
use serde_json::Value;

/// Why an answer cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// The model declined. It is not asked to repair that.
    Refused(String),
    /// What is wrong, as the model is told.
    Wrong(String),
}

impl Unusable {
    /// The reason, as it is recorded.
    pub fn reason(&self) -> &str {
        match self {
            Unusable::Refused(reason) | Unusable::Wrong(reason) => reason,
        }
    }
}

/// What an answer says after the model's thoughts.
///
/// # Errors
/// It declines without any JSON, or it is empty.
pub fn said<'a>(answer: &'a str, finish: &Finish) -> Result<&'a str, Unusable> {
    let said = spoken(answer).trim();
    let declined = declines(said) && objects(said).0.is_empty();
    if *finish == Finish::Refused || declined {
        return Err(Unusable::Refused(one_line(said)));
    }
    match said.is_empty() {
        true => Err(Unusable::Wrong("the answer is empty".into())),
        false => Ok(said),
    }
}

/// The text in an answer, on one line, of at most `words` words.
///
/// # Errors
/// Why it cannot be used.
pub fn text(answer: &str, finish: &Finish, words: u32) -> Result<String, Unusable> {
    let wrong = |what: &str| Err(Unusable::Wrong(what.into()));
    let said = said(answer, finish)?;
    let (objects, _) = objects(said);
    let fields = objects.iter().flat_map(|object| &object.0);
    let named = fields.filter(|(name, _)| name.trim().eq_ignore_ascii_case("text"));
    let values: Vec<&Value> = named.map(|(_, value)| value).collect();
    let Some(first) = values.first() else {
        return match *finish {
            Finish::Length => wrong("the answer was cut off before its JSON was complete"),
            _ => wrong("the answer has no complete JSON object with a field `text`"),
        };
    };
    if values.iter().any(|value| value != first) {
        return wrong("the answer has several different texts; one is expected");
    }
    let Some(written) = first.as_str() else {
        return wrong("the field `text` is not a string");
    };
    let written = one_line(written);
    if !written.chars().any(char::is_alphanumeric) {
        return wrong("the field `text` is empty");
    }
    if declines(&written) {
        return Err(Unusable::Refused(written));
    }
    let count = written.split_whitespace().count();
    if count > words as usize {
        let what = format!("the text has {count} words; at most {words} are allowed");
        return Err(Unusable::Wrong(what));
    }
    Ok(written)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// Checks the text that a strategy wrote. `question` is the question before it.
///
/// # Errors
/// What is wrong with it.
pub fn check(
    strategy: Strategy,
    item: &Item,
    question: &str,
    written: &str,
) -> Result<(), Unusable> {
    let wrong = |what: String| Err(Unusable::Wrong(what));
    if let (Some(own), Some(other)) = (script(question), script(written))
        && own != other
    {
        let what = format!("the text is written in {other}, but the question in {own}");
        return wrong(what);
    }
    let (before, after) = (words(question), words(written));
    if matches!(strategy, Strategy::L1 | Strategy::L2) {
        if before == after {
            return wrong("the new question equals the original one".into());
        }
        let kept = before.iter().filter(|word| after.contains(word)).count();
        if strategy == Strategy::L1 && kept * 3 < before.len() {
            let what = "only some words may be replaced, but almost all of them were";
            return wrong(what.into());
        }
        let (told, tells) = (tells(item, question), tells(item, written));
        if let Some(answer) = tells.filter(|_| told.is_none()) {
            return wrong(format!("the new question names the answer `{answer}`"));
        }
    } else if let Some(answer) = names_answer(item, written) {
        return wrong(format!("the context names the answer `{answer}`"));
    }
    Ok(())
}

/// The answer as a text, if the question has one that a text can name.
fn answer(item: &Item) -> Option<&str> {
    let is_claim = matches!(item.kind, QuestionKind::TrueFalse | QuestionKind::YesNo);
    let correct = item.correct().and_then(|at| item.options.get(at));
    (!is_claim).then(|| correct.map_or(item.answer.as_str(), |option| option.text.as_str()))
}

/// The answer, if `text` names it.
fn names_answer<'i>(item: &'i Item, text: &str) -> Option<&'i str> {
    answer(item).filter(|answer| leakage::find(text, answer).is_some())
}

/// The answer, if `question` names it and no other option.
fn tells<'i>(item: &'i Item, question: &str) -> Option<&'i str> {
    let asked = Item {
        question: question.into(),
        ..item.clone()
    };
    leakage::leak(&asked)
        .filter(leakage::Leak::tells)
        .and_then(|_| answer(item))
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The script of most letters of a text. Languages of one script are not told apart.
fn script(text: &str) -> Option<&'static str> {
    let names = [
        "Latin",
        "Greek",
        "Cyrillic",
        "Hebrew",
        "Arabic",
        "Devanagari",
        "Thai",
        "Hangul",
        "Kana",
        "Han",
    ];
    let of = |c: char| {
        let at = match c {
            'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => 0,
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => 1,
            '\u{400}'..='\u{52f}' => 2,
            '\u{590}'..='\u{5ff}' => 3,
            '\u{600}'..='\u{77f}' => 4,
            '\u{900}'..='\u{97f}' => 5,
            '\u{e00}'..='\u{e7f}' => 6,
            '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}' => 7,
            '\u{3040}'..='\u{30ff}' => 8,
            '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' => 9,
            _ => return None,
        };
        Some(at)
    };
    let mut counts = [0_usize; 10];
    text.chars().filter_map(of).for_each(|at| counts[at] += 1);
    // Japanese mixes both.
    if counts[8] > 0 {
        counts[8] += std::mem::take(&mut counts[9]);
    }
    let most = counts.iter().max().copied().filter(|most| *most > 0)?;
    counts.iter().position(|n| *n == most).map(|at| names[at])
}

#[cfg(test)]
mod tests {
    use benchtop_model::{Choice, Key, Role};

    use super::*;

    fn item() -> Item {
        Item {
            question: "Which animal sits on the wall?".into(),
            kind: QuestionKind::MultipleChoice,
            options: Choice::list(vec!["cat".into(), "dog".into()], |at| Role::of(at == 0)),
            answer: "A".into(),
            ..Item::blank("d", Key::Int(1))
        }
    }

    fn wrong(answer: &str) -> bool {
        matches!(text(answer, &Finish::Stop, 6), Err(Unusable::Wrong(_)))
    }

    #[test]
    fn a_text_is_found_alone_in_a_fence_and_between_words() {
        for answer in [
            r#"{"text": "What is it?"}"#,
            "```json\n{\"text\": \"What  is\\nit?\"}\n```",
            "Sure! Here it is: {\"Text\": \"What is it?\"} I hope that helps.",
            "<think>{\"text\": \"no\"}</think>{\"text\": \"What is it?\"}",
        ] {
            let read = text(answer, &Finish::Stop, 6);
            assert_eq!(read.as_deref(), Ok("What is it?"), "{answer}");
        }
    }

    #[test]
    fn other_answers_are_wrong_or_refused() {
        for answer in [
            "",
            " \n",
            "What is it?",
            r#"{"text": "What is"#,
            r#"{"question": "What is it?"}"#,
            r#"{"text": ["What is it?"]}"#,
            r#"{"text": "  ?"}"#,
            r#"{"text": "one"} {"text": "two"}"#,
            r#"{"text": "one two three four five six seven"}"#,
            "<think>{\"text\": \"What is it?\"}",
        ] {
            assert!(wrong(answer), "{answer}");
        }
        for answer in [
            "I'm sorry, but I cannot help with that.",
            r#"{"text": "I'm sorry, but I cannot help with that."}"#,
        ] {
            let read = text(answer, &Finish::Stop, 50);
            assert!(matches!(read, Err(Unusable::Refused(_))), "{answer}");
        }
        let read = text(r#"{"text": "What is it?"}"#, &Finish::Refused, 6);
        assert!(matches!(read, Err(Unusable::Refused(_))));
    }

    #[test]
    fn each_strategy_has_its_checks() {
        let item = item();
        let of = |strategy, text| check(strategy, &item, &item.question, text).is_ok();
        assert!(of(Strategy::L1, "Which creature sits on the wall?"));
        assert!(!of(Strategy::L1, "which animal sits on the WALL"));
        assert!(!of(Strategy::L1, "What kind of beast do you see up there?"));
        assert!(!of(Strategy::L1, "Which cat sits on the wall?"));
        assert!(of(Strategy::L2, "On the wall there is an animal; name it."));
        assert!(!of(Strategy::L2, "На стене сидит животное; какое?"));
        assert!(of(Strategy::L3, "The wall is made of bricks."));
        assert!(!of(Strategy::L3, "The cat looks at us."));
        assert!(!of(Strategy::L4, "A cat would never pay taxes."));
        assert!(of(Strategy::L4, "Category theory is taught on Mondays."));
    }
}
