//! A manual edit of an item: a draft of its texts, shown as menu lines, until it is saved or
//! discarded.

use std::sync::Arc;

use crate::widgets::menu;
use benchtop_model::edit::{Edit, ItemText};
use benchtop_model::{Choice, Error, Item, Result, Role};

/// A line of the edit menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Question,
    Option(usize),
    /// Adds a distractor.
    More,
    Answer,
    /// The full prompt for a model.
    Instruction,
    Save,
    /// Restores the text from before all edits.
    Restore,
}

/// The edited texts of an item.
#[derive(Clone, Debug)]
pub struct Draft {
    pub number: u32,
    /// The revision on the screen when the edit began.
    rev: u64,
    item: Arc<Item>,
    text: ItemText,
    /// The answer, if it was edited.
    answer: Option<String>,
    /// Whether the instruction was edited. Otherwise it follows from the other texts.
    own_instruction: bool,
    /// The note to save with the edit.
    pub note: String,
}

impl Draft {
    /// A draft with the item's present texts.
    pub fn new(number: u32, rev: u64, item: Arc<Item>) -> Draft {
        let text = ItemText::of(&item);
        Draft {
            number,
            rev,
            item,
            text,
            answer: None,
            own_instruction: false,
            note: String::new(),
        }
    }

    /// The menu lines.
    pub fn lines(&self) -> Vec<(Line, menu::Choice)> {
        let original = ItemText::of(&self.item);
        let line = |label: String, changed: bool| {
            menu::Choice::new(label).help(if changed { "changed" } else { "" })
        };
        let mut lines = vec![(
            Line::Question,
            line(
                format!("question: {}", self.text.question),
                self.text.question != original.question,
            ),
        )];
        for (at, option) in self.text.options.iter().enumerate() {
            let role = match option.role {
                Role::Correct if self.answer.is_none() => " (correct)",
                Role::Refusal => " (refusal)",
                Role::Correct | Role::Distractor => "",
            };
            let changed = original
                .options
                .get(at)
                .is_none_or(|was| was.text != option.text);
            lines.push((
                Line::Option(at),
                line(
                    format!("{}. {}{role}", Item::letter(at), option.text),
                    changed,
                ),
            ));
        }
        if !self.text.options.is_empty() {
            lines.push((Line::More, menu::Choice::new("add a distractor")));
        }
        let answer = self.answer.as_ref().unwrap_or(&self.text.answer);
        lines.push((
            Line::Answer,
            line(format!("answer: {answer}"), self.answer.is_some()),
        ));
        if let Some(instruction) = &self.text.instruction {
            let shown = if self.own_instruction {
                instruction.as_str()
            } else {
                "follows the other texts"
            };
            let flat = shown.replace('\n', " ");
            lines.push((
                Line::Instruction,
                line(format!("instruction: {flat}"), self.own_instruction),
            ));
        }
        if self.is_changed() {
            // The label has no help: a long question leaves no room for it.
            let label = "save as a revision: voids its verdicts";
            lines.push((Line::Save, menu::Choice::new(label)));
        } else if let Some(edited) = &self.item.edited {
            let help = format!("edited by {}", edited.by);
            lines.push((
                Line::Restore,
                menu::Choice::new("restore the original text").help(help),
            ));
        }
        lines
    }

    /// The prompt label and the initial text of a line. `None` for lines without a prompt.
    pub fn asks(&self, line: Line) -> Option<(String, String)> {
        Some(match line {
            Line::Question => ("question".into(), self.text.question.clone()),
            Line::Option(at) => {
                let text = self.text.options.get(at)?.text.clone();
                (format!("{} (empty removes it)", Item::letter(at)), text)
            }
            Line::More => (Item::letter(self.text.options.len()), String::new()),
            Line::Answer => {
                let label = if self.text.options.is_empty() {
                    "answer"
                } else {
                    "letter of the correct option"
                };
                (
                    label.into(),
                    self.answer
                        .clone()
                        .unwrap_or_else(|| self.text.answer.clone()),
                )
            }
            // A prompt is a single line, so line breaks are written as `
            // `.
            Line::Instruction => (
                "instruction".into(),
                self.text.instruction.clone()?.replace('\n', "\\n"),
            ),
            Line::Save | Line::Restore => return None,
        })
    }

    /// Receives the typed text of a line.
    pub fn take(&mut self, line: Line, text: &str) {
        let text = text.trim();
        match line {
            Line::Question => self.text.question = text.into(),
            Line::Option(at) if text.is_empty() => drop(self.text.options.remove(at)),
            Line::Option(at) => {
                if let Some(option) = self.text.options.get_mut(at) {
                    option.text = text.into();
                }
            }
            Line::More if !text.is_empty() => {
                self.text.options.push(Choice {
                    text: text.into(),
                    role: Role::Distractor,
                });
            }
            Line::Answer => self.answer = (text != self.text.answer).then(|| text.to_string()),
            Line::Instruction => {
                let typed = text.replace("\\n", "\n");
                self.own_instruction |= self.item.instruction.as_ref() != Some(&typed);
                self.text.instruction = Some(typed);
            }
            Line::More | Line::Save | Line::Restore => {}
        }
    }

    /// The draft on a newer version of its item. Texts that were not edited follow it.
    pub fn rebased(mut self, rev: u64, item: Arc<Item>) -> Draft {
        let (old, new) = (ItemText::of(&self.item), ItemText::of(&item));
        if self.text.question == old.question {
            self.text.question = new.question;
        }
        if self.text.options == old.options {
            self.text.options = new.options;
        }
        if !self.own_instruction {
            self.text.instruction = new.instruction;
        }
        self.text.answer = new.answer;
        (self.rev, self.item) = (rev, item);
        self
    }

    pub fn is_changed(&self) -> bool {
        self.answer.is_some() || self.text != ItemText::of(&self.item)
    }

    /// The edit to save. Fails with the owner's error if the texts are invalid.
    pub fn edit(&self, restore: bool) -> Result<Edit> {
        let original = ItemText::of(&self.item);
        let if_changed = |new: &String, old: &String| (new != old).then(|| new.clone());
        let edit = Edit {
            number: self.number,
            expected: Some(self.rev),
            question: if_changed(&self.text.question, &original.question),
            options: (self.text.options != original.options).then(|| self.text.options.clone()),
            answer: self.answer.clone(),
            instruction: self
                .text
                .instruction
                .clone()
                .filter(|_| self.own_instruction),
            note: Some(self.note.trim().to_string()).filter(|note| !note.is_empty()),
            restore: false,
            preview: false,
        };
        if restore {
            return Ok(Edit {
                question: None,
                options: None,
                answer: None,
                instruction: None,
                restore,
                ..edit
            });
        }
        edit.apply(&self.item, "", 0).map_err(|p: Error| p)?;
        Ok(edit)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn draft() -> Draft {
        let item = json!({
            "id": "d/1", "dataset": "d", "key": 1, "form": "dysca", "question": "Which animal?",
            "instruction": "Which animal?\nA. cat\nB. dog", "kind": "multiple-choice", "answer": "dog",
            "options": [{"text": "cat", "role": "distractor"}, {"text": "dog", "role": "correct"}],
        });
        Draft::new(7, 3, Arc::new(serde_json::from_value(item).unwrap()))
    }

    #[test]
    fn a_typed_line_is_saved_as_an_edit() {
        let mut draft = draft();
        assert!(
            !draft.lines().iter().any(|(line, _)| *line == Line::Save),
            "nothing to save yet"
        );
        assert_eq!(draft.asks(Line::Option(0)).unwrap().1, "cat");
        draft.take(Line::Option(0), "red fox");
        let lines = draft.lines();
        let fox = lines
            .iter()
            .find(|(line, _)| *line == Line::Option(0))
            .unwrap();
        assert_eq!(
            (fox.1.label.as_str(), fox.1.help.as_str()),
            ("A. red fox", "changed")
        );
        assert_eq!(lines.last().unwrap().0, Line::Save);
        draft.note = " too easy ".into();
        let edit = draft.edit(false).unwrap();
        assert_eq!(
            (edit.number, edit.expected, edit.note.as_deref()),
            (7, Some(3), Some("too easy"))
        );
        assert_eq!(
            (
                edit.options.unwrap()[0].text.as_str(),
                edit.question,
                edit.instruction
            ),
            ("red fox", None, None)
        );
    }

    #[test]
    fn invalid_texts_are_reported_before_saving() {
        let mut draft = draft();
        draft.take(Line::Option(0), "");
        assert_eq!(
            draft.edit(false).unwrap_err().place.field.as_deref(),
            Some("options")
        );
        draft.take(Line::More, "cow");
        draft.take(Line::Answer, "Z");
        assert_eq!(
            draft.edit(false).unwrap_err().place.field.as_deref(),
            Some("answer")
        );
    }

    #[test]
    fn line_breaks_of_the_instruction_survive_the_prompt() {
        let mut draft = draft();
        let (_, text) = draft.asks(Line::Instruction).unwrap();
        assert_eq!(text, "Which animal?\\nA. cat\\nB. dog");
        draft.take(Line::Instruction, &text);
        assert!(!draft.is_changed());
        draft.take(Line::Instruction, "Look.\\nWhich animal?");
        assert_eq!(
            draft.edit(false).unwrap().instruction.as_deref(),
            Some("Look.\nWhich animal?")
        );
    }
}
