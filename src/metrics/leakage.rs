//! Whether a question contains the words of its own answer.
//!
//! Whole words are compared, ignoring case, so "cat" does not match "category". Articles are
//! skipped on both sides. Numbers up to twenty match in words and in digits. Words are not stemmed:
//! "owls" does not match "owl".

use std::ops::Range;

use serde::{Deserialize, Serialize};

use benchtop_model::{Item, QuestionKind, Role};

/// Incremented whenever the same question would give another result.
pub const VERSION: u32 = 1;

/// The numbers from 0 to 20 in words.
const NUMBERS: [&str; 21] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

/// An answer that appears in its question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leak {
    /// Byte range in the question.
    pub span: Range<usize>,
    /// Number of wrong options that also appear in the question. A question that names all options
    /// only asks which one it is.
    pub others: usize,
}

impl Leak {
    /// Whether the question gives away the answer, because no wrong option appears in it.
    pub fn tells(&self) -> bool {
        self.others == 0
    }
}

/// Looks for the answer of `item` in its question. True/false and yes/no questions, and items
/// without a stated answer, cannot leak.
pub fn leak(item: &Item) -> Option<Leak> {
    if matches!(item.kind, QuestionKind::TrueFalse | QuestionKind::YesNo) {
        return None;
    }
    // With options, the answer may be stated as a letter.
    let answer = item
        .correct()
        .map_or(item.answer.as_str(), |at| item.options[at].text.as_str());
    let span = find(&item.question, answer)?;
    let wrong = item.options.iter().filter(|o| o.role == Role::Distractor);
    let others = wrong
        .filter(|o| find(&item.question, &o.text).is_some())
        .count();
    Some(Leak { span, others })
}

/// The byte range in `question` in which the words of `answer` appear in sequence. `None` if
/// `answer` has no words.
pub fn find(question: &str, answer: &str) -> Option<Range<usize>> {
    let (question, answer) = (words(question), words(answer));
    if answer.is_empty() {
        return None;
    }
    let same = |window: &&[(Range<usize>, String)]| {
        window.iter().zip(&answer).all(|((_, a), (_, b))| a == b)
    };
    let found = question.windows(answer.len()).find(same)?;
    Some(found.first()?.0.start..found.last()?.0.end)
}

/// The words of a text with their byte ranges, without articles and with numbers as digits.
fn words(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
        match found.last_mut().filter(|w| w.end == at) {
            Some(word) => word.end = at + c.len_utf8(),
            None => found.push(at..at + c.len_utf8()),
        }
    }
    let folded = |span: Range<usize>| {
        let word = text[span.clone()].to_lowercase();
        let number = NUMBERS
            .iter()
            .position(|n| *n == word)
            .map(|n| n.to_string());
        (span, number.unwrap_or(word))
    };
    found
        .into_iter()
        .map(folded)
        .filter(|(_, w)| !matches!(w.as_str(), "a" | "an" | "the"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::item::{Choice, Form, Key};

    fn item(kind: QuestionKind, question: &str, answer: &str, options: &[&str]) -> Item {
        let role = |text: &str| {
            if text == answer {
                Role::Correct
            } else {
                Role::Distractor
            }
        };
        let json = serde_json::json!({ "id": "d/1", "dataset": "d", "key": 1, "form": "plain", "question": question,
            "kind": kind.name(), "answer": answer });
        let mut item: Item = serde_json::from_value(json).unwrap();
        assert_eq!((&item.key, item.form), (&Key::Int(1), Form::Plain));
        item.options = options
            .iter()
            .map(|t| Choice {
                text: (*t).into(),
                role: role(t),
            })
            .collect();
        item
    }

    #[test]
    fn whole_words_match() {
        let found = |question: &str, answer: &str| {
            find(question, answer).map(|span| question[span].to_string())
        };
        assert_eq!(
            found("What does the Owl, seen at night, eat?", "an owl").as_deref(),
            Some("Owl")
        );
        assert_eq!(found("Which category is it?", "cat"), None);
        assert_eq!(found("How do the owls look?", "owl"), None);
        assert_eq!(
            found("Are there three cats?", "3 cats").as_deref(),
            Some("three cats")
        );
        assert_eq!(found("Are there 3 cats?", "Three").as_deref(), Some("3"));
        assert_eq!(
            found("Is the Eiffel-Tower in Paris?", "the Eiffel Tower").as_deref(),
            Some("Eiffel-Tower")
        );
        assert_eq!(
            found("Die a Hard way?", "Die Hard").as_deref(),
            Some("Die a Hard"),
            "articles are passed over"
        );
        assert_eq!(found("Die the hard way?", "Hard Die"), None);
        assert_eq!(found("Ist das ein Käse?", "KÄSE").as_deref(), Some("Käse"));
        for nothing in ["", " ", "the", "?!", "a"] {
            assert_eq!(found("What is the a?", nothing), None, "{nothing}");
        }
        assert_eq!(found("", "owl"), None);
    }

    proptest::proptest! {
        #[test]
        fn span_lies_within_the_question(question in "\\PC{0,12}( the | two |İ|ß|-)?\\PC{0,12}", answer in "\\PC{0,4}") {
            if let Some(span) = find(&question, &answer) {
                proptest::prop_assert!(question.get(span).is_some_and(|s| !s.is_empty()));
            }
            proptest::prop_assert!(find(&question, &question).is_none_or(|span| span.end <= question.len()));
        }
    }

    #[test]
    fn item_leaks_unless_question_names_the_other_options() {
        use QuestionKind::*;
        let leaks = |i: Item| leak(&i).map(|l| (l.others, l.tells()));
        assert_eq!(
            leaks(item(
                MultipleChoice,
                "What bird is the red owl?",
                "owl",
                &["owl", "crow"]
            )),
            Some((0, true))
        );
        assert_eq!(
            leaks(item(
                MultipleChoice,
                "Is it red or blue?",
                "red",
                &["red", "blue"]
            )),
            Some((1, false))
        );
        assert_eq!(
            leaks(item(MultipleChoice, "What is it?", "owl", &["owl", "crow"])),
            None
        );
        assert_eq!(
            leaks(item(FreeForm, "Describe the owl.", "Owl", &[])),
            Some((0, true))
        );
        assert_eq!(leaks(item(YesNo, "Is there no owl?", "no", &[])), None);
        assert_eq!(
            leaks(item(
                TrueFalse,
                "It is true that it is red.",
                "True",
                &["True", "False"]
            )),
            None
        );
        // An answer stated by its letter is that option's text.
        let mut lettered = item(
            MultipleChoice,
            "Plan B shows which owl?",
            "owl",
            &["crow", "owl"],
        );
        lettered.answer = "B".into();
        assert_eq!(
            leak(&lettered).map(|l| &lettered.question[l.span]),
            Some("owl")
        );
    }
}
