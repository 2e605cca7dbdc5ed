//! Manual edits of items: rewording a question, replacing an option, correcting an answer.
//!
//! MVP-Bench's annotators adjusted distractors this way (section 3.3). An edited item has a new
//! text, so everybody judges it again.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::item::{Choice, Item, QuestionKind, Role, gold};
use super::{Error, Result};

/// An edit of one item. Fields that are `None` stay unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// Item number, from 1.
    pub number: u32,
    /// The item revision that was on screen; `None` edits the latest one.
    pub expected: Option<u64>,
    /// The question without its options.
    pub question: Option<String>,
    /// All options in order.
    pub options: Option<Vec<Choice>>,
    /// The answer key: for a question with options, an option's text or letter.
    pub answer: Option<String>,
    /// The whole text that models get. If `None`, the other changes are applied to the existing
    /// text.
    pub instruction: Option<String>,
    pub note: Option<String>,
    /// Restores the original text.
    pub restore: bool,
    /// Only previews the edit.
    #[serde(rename = "dry")]
    pub preview: bool,
}

/// A change of an item's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EditAct {
    /// An edit.
    Edit,
    /// Undoes the edit that made this project revision.
    Undo(u64),
    /// Redoes that edit.
    Redo(u64),
}

/// The author of a change. It is stored with the new text so that undo works after a restart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditMark {
    pub by: String,
    pub act: EditAct,
    /// Receipt of an undo or redo. A repeated receipt counts once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Uuid>,
}

/// Record of manual edits of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edited {
    /// The last annotator who edited it.
    pub by: String,
    /// Time of the last edit, in milliseconds since 1970.
    pub at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The original text.
    pub before: ItemText,
}

/// The editable text of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemText {
    /// The question without its options.
    pub question: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Choice>,
    pub answer: String,
    /// The whole text that models get.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
}

impl ItemText {
    /// The text of `item`.
    pub fn of(item: &Item) -> ItemText {
        ItemText {
            question: item.question.clone(),
            options: item.options.clone(),
            answer: item.answer.clone(),
            instruction: item.instruction.clone(),
        }
    }

    fn put(self, item: &mut Item) {
        (item.question, item.options) = (self.question, self.options);
        (item.answer, item.instruction) = (self.answer, self.instruction);
    }
}

impl Edit {
    /// Applies the edit for annotator `by` at time `at` (milliseconds since 1970).
    ///
    /// # Errors
    /// [`ErrorKind::Input`](super::ErrorKind::Input) with the field: an empty question, options
    /// that are empty, duplicate, or without exactly one right answer, an answer that is not an
    /// option, an instruction in which the old text cannot be found, or no change at all.
    pub fn apply(&self, item: &Item, by: &str, at: i64) -> Result<Item> {
        let before = ItemText::of(item);
        let mut next = item.clone();
        if self.restore {
            let Some(edited) = &item.edited else {
                return Err(Error::input("this item has not been edited").field("restore"));
            };
            edited.before.clone().put(&mut next);
        } else {
            self.write(&mut next)?;
        }
        if next.options != before.options {
            let chance = next.chance_of_options();
            next.provenance
                .iter_mut()
                .for_each(|made| made.chance = chance);
            next.derivation
                .iter_mut()
                .for_each(|made| made.chance = chance);
        }
        let now = ItemText::of(&next);
        if now == before {
            return Err(Error::input("the edit changes nothing")
                .help("change the question, an option, the answer, or the instruction"));
        }
        let first = item
            .edited
            .as_ref()
            .map_or(before, |edited| edited.before.clone());
        next.edited = (now != first).then(|| {
            Box::new(Edited {
                by: by.into(),
                at,
                note: self.note.clone(),
                before: first,
            })
        });
        Ok(next)
    }

    fn write(&self, item: &mut Item) -> Result<()> {
        let before = ItemText::of(item);
        if let Some(question) = &self.question {
            item.question = text(question, "question", "the question")?;
        }
        if let Some(options) = &self.options {
            item.options = options.clone();
        }
        if item.options.is_empty() {
            if let Some(answer) = &self.answer {
                item.answer = plain_answer(item.kind, &text(answer, "answer", "the answer")?)?;
            }
        } else {
            choose(item, &before, self.answer.as_deref())?;
        }
        item.instruction = match &self.instruction {
            Some(instruction) => Some(text(instruction, "instruction", "the instruction")?),
            None => before
                .instruction
                .clone()
                .map(|old| rewritten(&old, &before, item))
                .transpose()?,
        };
        Ok(())
    }
}

fn text(text: &str, field: &str, what: &str) -> Result<String> {
    match text.trim() {
        "" => Err(Error::input(format!("{what} is empty")).field(field)),
        text => Ok(text.into()),
    }
}

/// Validates the options, finds the right one, and writes the answer key the way the source did: as
/// a letter or as a text.
fn choose(item: &mut Item, before: &ItemText, answer: Option<&str>) -> Result<()> {
    let wrong = |what: String, help: &str| Err(Error::input(what).field("options").help(help));
    for (at, option) in item.options.iter_mut().enumerate() {
        option.text = text(
            &option.text,
            "options",
            &format!("option {}", Item::letter(at)),
        )?;
    }
    if item.options.len() < 2 {
        return wrong(
            "a question with options needs at least 2 options".into(),
            "add a distractor",
        );
    }
    for (at, option) in item.options.iter().enumerate() {
        if let Some(twin) = item
            .options
            .iter()
            .take(at)
            .position(|o| o.text.to_lowercase() == option.text.to_lowercase())
        {
            let what = format!(
                "options {} and {} are the same: `{}`",
                Item::letter(twin),
                Item::letter(at),
                option.text
            );
            return wrong(what, "change one of them");
        }
    }
    if let Some(answer) = answer {
        let named = |(at, option): (usize, &Choice)| {
            option.text == answer.trim() || Item::letter(at) == answer.trim()
        };
        let Some(right) = item.options.iter().enumerate().position(named) else {
            let letters: Vec<String> = (0..item.options.len()).map(Item::letter).collect();
            return Err(
                Error::input(format!("`{answer}` is not one of the options"))
                    .field("answer")
                    .help(format!(
                        "give one of {}, or the text of an option",
                        letters.join(", ")
                    )),
            );
        };
        for (at, option) in item.options.iter_mut().enumerate() {
            option.role = match option.role {
                // In MM-SAP's Beyond, the right answer is still a refusal option.
                Role::Refusal => Role::Refusal,
                _ if at == right => Role::Correct,
                Role::Correct | Role::Distractor => Role::Distractor,
            };
        }
    }
    // Removing the right option does not make the refusal option right.
    let stated = gold(&before.options);
    let refusal_may_be_right =
        answer.is_some() || stated.is_some_and(|at| before.options[at].role == Role::Refusal);
    let count = |role| {
        item.options
            .iter()
            .filter(|option| option.role == role)
            .count()
    };
    let right_count = if count(Role::Correct) == 0 && refusal_may_be_right {
        count(Role::Refusal)
    } else {
        count(Role::Correct)
    };
    let Some(right) = gold(&item.options).filter(|_| right_count == 1) else {
        return wrong(
            format!("{right_count} options are marked as right"),
            "mark exactly one option as right",
        );
    };
    let (old, new) = (
        stated.and_then(|at| before.options.get(at)),
        &item.options[right].text,
    );
    item.answer = match (stated, old) {
        (Some(at), _) if before.answer == Item::letter(at) => Item::letter(right),
        (_, Some(old)) if before.answer == old.text => new.clone(),
        _ if stated == Some(right) && old.is_some_and(|old| old.text == *new) => {
            before.answer.clone()
        }
        (Some(_), Some(old)) if before.answer.matches(old.text.as_str()).count() == 1 => {
            before.answer.replace(old.text.as_str(), new)
        }
        _ => new.clone(),
    };
    Ok(())
}

/// Validates the answer to a question without options.
fn plain_answer(kind: QuestionKind, answer: &str) -> Result<String> {
    let known: &[&str] = match kind {
        QuestionKind::YesNo => &["yes", "no"],
        QuestionKind::TrueFalse => &["true", "false"],
        QuestionKind::MultipleChoice | QuestionKind::FreeForm => return Ok(answer.into()),
    };
    match known.contains(&answer.to_lowercase().as_str()) {
        true => Ok(answer.into()),
        false => Err(Error::input(format!(
            "`{answer}` is not an answer to this kind of question"
        ))
        .field("answer")
        .help(format!("give one of: {}", known.join(", ")))),
    }
}

/// Replaces the old question and options in the instruction by the new ones.
fn rewritten(old: &str, before: &ItemText, item: &Item) -> Result<String> {
    let lost = |what: &str| {
        Error::input(format!(
            "cannot find {what} in the instruction to change it"
        ))
        .field("instruction")
        .help("edit the whole instruction as well")
    };
    let same = |(a, b): (&Choice, &Choice)| a.text == b.text;
    let kept = before.options.len() == item.options.len();
    let options_same = kept && before.options.iter().zip(&item.options).all(same);
    // Search the options in order, after the question, because earlier text may contain their
    // words.
    let mut out = old.to_string();
    if !options_same {
        if !kept {
            return Err(lost("the same number of options"));
        }
        let from = old
            .find(&before.question)
            .map_or(0, |at| at + before.question.len());
        let (mut written, mut at) = (old.get(..from).unwrap_or_default().to_string(), from);
        for (was, is) in before.options.iter().zip(&item.options) {
            let rest = old.get(at..).unwrap_or_default();
            let found = word(rest, &was.text).ok_or_else(|| lost("the options"))?;
            written.push_str(rest.get(..found).unwrap_or_default());
            written.push_str(&is.text);
            at += found + was.text.len();
        }
        written.push_str(old.get(at..).unwrap_or_default());
        out = written;
    }
    if before.question != item.question {
        if out.matches(before.question.as_str()).count() != 1 {
            return Err(lost("the question exactly once"));
        }
        out = out.replace(before.question.as_str(), &item.question);
    }
    Ok(out)
}

/// Position of `word` in `text` as a whole word.
fn word(text: &str, word: &str) -> Option<usize> {
    let joined = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let whole = |at: &usize| {
        let (before, after) = (
            text.get(..*at).unwrap_or_default(),
            text.get(at + word.len()..).unwrap_or_default(),
        );
        !joined(before.chars().next_back()) && !joined(after.chars().next())
    };
    text.match_indices(word).map(|(at, _)| at).find(whole)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Provenance;
    use super::super::item::KNOW;
    use super::*;

    fn item() -> Item {
        serde_json::from_value(json!({
            "id": "d/1", "dataset": "d", "key": 1, "form": "dysca", "question": "Which animal is it?",
            "instruction": "Which animal is it?\nA. cat\nB. catfish\nC. dog\nAnswer with a letter.",
            "kind": "multiple-choice", "answer": "C",
            "options": [{"text": "cat", "role": "distractor"}, {"text": "catfish", "role": "distractor"},
                        {"text": "dog", "role": "correct"}],
        }))
        .unwrap()
    }

    fn texts(texts: [&str; 3], right: usize) -> Option<Vec<Choice>> {
        let role = |at| {
            if at == right {
                Role::Correct
            } else {
                Role::Distractor
            }
        };
        Some(
            texts
                .into_iter()
                .enumerate()
                .map(|(at, text)| Choice {
                    text: text.into(),
                    role: role(at),
                })
                .collect(),
        )
    }

    fn refused(edit: Edit) -> (String, Option<String>) {
        let problem = edit.apply(&item(), "ann", 5).unwrap_err();
        (problem.what.clone(), problem.place.field.clone())
    }

    #[test]
    fn replacing_a_distractor_updates_the_instruction() {
        let edit = Edit {
            options: texts(["fox", "catfish", "dog"], 2),
            note: Some("too easy".into()),
            ..Edit::default()
        };
        let next = edit.apply(&item(), "ann", 5).unwrap();
        assert_eq!(
            next.instruction.as_deref(),
            Some("Which animal is it?\nA. fox\nB. catfish\nC. dog\nAnswer with a letter.")
        );
        assert_eq!((next.answer.as_str(), next.correct()), ("C", Some(2)));
        let edited = next.edited.clone().unwrap();
        assert_eq!(
            (edited.by.as_str(), edited.note.as_deref(), edited.at),
            ("ann", Some("too easy"), 5)
        );
        assert_eq!(edited.before, ItemText::of(&item()));
        assert_ne!(next.digest(), item().digest());
        // A second edit keeps the original text. Restoring that text clears the record.
        let again = Edit {
            question: Some("Which?".into()),
            ..Edit::default()
        }
        .apply(&next, "bob", 6)
        .unwrap();
        assert_eq!(again.edited.as_ref().unwrap().before, ItemText::of(&item()));
        assert!(
            again
                .instruction
                .as_deref()
                .unwrap()
                .starts_with("Which?\nA. fox")
        );
        let back = Edit {
            restore: true,
            ..Edit::default()
        }
        .apply(&again, "ann", 7)
        .unwrap();
        assert_eq!(back, item());
    }

    #[test]
    fn answer_keeps_the_notation_of_the_source() {
        let edit = Edit {
            answer: Some("cat".into()),
            ..Edit::default()
        };
        let next = edit.apply(&item(), "ann", 5).unwrap();
        assert_eq!((next.answer.as_str(), next.correct()), ("A", Some(0)));
        assert_eq!(next.options[2].role, Role::Distractor);
        let mut by_text = item();
        by_text.answer = "dog".into();
        assert_eq!(edit.apply(&by_text, "ann", 5).unwrap().answer, "cat");
        let renamed = Edit {
            options: texts(["cat", "catfish", "hound"], 2),
            ..Edit::default()
        };
        assert_eq!(renamed.apply(&by_text, "ann", 5).unwrap().answer, "hound");
        by_text.answer = "C. dog".into();
        assert_eq!(
            renamed.apply(&by_text, "ann", 5).unwrap().answer,
            "C. hound"
        );
        let mut yes = item();
        (yes.options, yes.kind, yes.answer) = (vec![], QuestionKind::YesNo, "Yes".into());
        assert_eq!(
            Edit {
                answer: Some("No".into()),
                ..Edit::default()
            }
            .apply(&yes, "a", 1)
            .unwrap()
            .answer,
            "No"
        );
        let maybe = Edit {
            answer: Some("maybe".into()),
            ..Edit::default()
        }
        .apply(&yes, "a", 1)
        .unwrap_err();
        assert_eq!(maybe.place.field.as_deref(), Some("answer"));
    }

    #[test]
    fn chance_level_follows_the_options() {
        let chance = |level: Option<&str>, role: Role, options: usize| {
            let mut composed = item();
            composed.options[0].role = role;
            (composed.instruction, composed.level) = (None, level.map(str::to_string));
            let made = if level.is_some() {
                2.0 / 3.0
            } else {
                1.0 / 3.0
            };
            composed.provenance = Some(Box::new(Provenance {
                chance: Some(made),
                ..Provenance::default()
            }));
            let mut list = composed.options.clone();
            list.resize(
                4,
                Choice {
                    text: "owl".into(),
                    role: Role::Distractor,
                },
            );
            list.rotate_left(4 - options);
            list.truncate(options);
            let edit = Edit {
                options: Some(list),
                ..Edit::default()
            };
            let next = edit.apply(&composed, "ann", 5).unwrap();
            assert_eq!(
                next.chance(),
                next.provenance.as_ref().unwrap().chance,
                "exports agree"
            );
            let back = Edit {
                restore: true,
                ..Edit::default()
            }
            .apply(&next, "ann", 6)
            .unwrap();
            assert_eq!(back, composed);
            // An item whose provenance an earlier version left unchanged.
            let left = Item {
                provenance: composed.provenance.clone(),
                ..next.clone()
            };
            assert_eq!(left.chance(), next.chance());
            next.chance()
        };
        assert_eq!(chance(None, Role::Distractor, 2), Some(0.5));
        assert_eq!(chance(None, Role::Distractor, 4), Some(0.25));
        assert_eq!(
            chance(Some(KNOW), Role::Refusal, 4),
            Some(0.5),
            "refusing is right too"
        );
        assert_eq!(
            chance(Some(KNOW), Role::Refusal, 2),
            Some(0.5),
            "no refusal option is left"
        );
    }

    /// In MM-SAP's Beyond, the refusal option is the right answer and keeps its role.
    #[test]
    fn refusal_option_can_be_the_right_answer() {
        let mut beyond = item();
        beyond.options[2] = Choice {
            text: "I cannot tell".into(),
            role: Role::Refusal,
        };
        (beyond.instruction, beyond.answer) = (None, "C".into());
        let asked = Edit {
            question: Some("Which animal hides?".into()),
            ..Edit::default()
        };
        let next = asked.apply(&beyond, "ann", 5).unwrap();
        assert_eq!(
            (next.answer.as_str(), next.gold(), next.correct()),
            ("C", Some(2), None)
        );
        let key = |answer: &str| Edit {
            answer: Some(answer.into()),
            ..Edit::default()
        };
        let known = key("A").apply(&next, "ann", 6).unwrap();
        assert_eq!((known.answer.as_str(), known.correct()), ("A", Some(0)));
        assert_eq!(known.options[2].role, Role::Refusal);
        let back = key("I cannot tell").apply(&known, "ann", 7).unwrap();
        assert_eq!(
            (back.answer.as_str(), &back.options),
            ("C", &beyond.options)
        );
        // Removing the right option does not make refusing right.
        let fewer = |item: &Item, at: usize| {
            let mut options = item.options.clone();
            options.remove(at);
            Edit {
                options: Some(options),
                ..Edit::default()
            }
            .apply(item, "ann", 8)
        };
        assert_eq!(
            fewer(&known, 0).unwrap_err().place.field.as_deref(),
            Some("options")
        );
        assert_eq!(
            fewer(&beyond, 2).unwrap_err().place.field.as_deref(),
            Some("options")
        );
        assert_eq!(fewer(&beyond, 0).unwrap().answer, "B");
    }

    #[test]
    fn unanswerable_edits_name_the_field() {
        let field = |edit| refused(edit).1.unwrap_or_default();
        assert_eq!(
            field(Edit {
                question: Some(" ".into()),
                ..Edit::default()
            }),
            "question"
        );
        assert_eq!(
            field(Edit {
                options: texts(["Dog", "catfish", "dog"], 2),
                ..Edit::default()
            }),
            "options"
        );
        assert_eq!(
            field(Edit {
                options: texts(["", "catfish", "dog"], 2),
                ..Edit::default()
            }),
            "options"
        );
        assert_eq!(
            field(Edit {
                options: texts(["a", "b", "c"], 7),
                ..Edit::default()
            }),
            "options"
        );
        assert_eq!(
            field(Edit {
                answer: Some("D".into()),
                ..Edit::default()
            }),
            "answer"
        );
        assert_eq!(
            field(Edit {
                restore: true,
                ..Edit::default()
            }),
            "restore"
        );
        let fewer = texts(["cat", "x", "dog"], 2).map(|mut list| {
            list.remove(1);
            list
        });
        assert_eq!(
            field(Edit {
                options: fewer,
                ..Edit::default()
            }),
            "instruction"
        );
        assert!(refused(Edit::default()).0.contains("changes nothing"));
        assert!(
            refused(Edit {
                question: Some("Which animal is it?".into()),
                ..Edit::default()
            })
            .0
            .contains("nothing")
        );
    }
}
