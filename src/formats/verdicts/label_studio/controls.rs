//! What an annotation says: choices and texts by the name of their control, and the verdict that they come to.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{ANSWER, NOTE, REASONS, VERDICT};
use crate::fields::wrong;
use crate::verdicts::{Meaning, line, unmapped};
use benchtop_model::{Error, Judgement, Result, Seen};

/// What the controls of an annotation hold.
#[derive(Debug, Default)]
pub(super) struct Controls {
    /// Choices with the name of their control.
    choices: Vec<(String, String)>,
    note: Option<String>,
    answer: Option<String>,
    /// Controls whose content says nothing of a verdict.
    pub other: BTreeSet<String>,
}

impl Controls {
    /// Takes in the choices of a control.
    pub(super) fn choose(&mut self, name: &str, list: Vec<String>) {
        self.choices
            .extend(list.into_iter().map(|choice| (name.to_string(), choice)));
    }

    /// Takes in choices of a control that may be the one for the answer: an answer that is picked is as good as one that is
    /// written, unless it was said that the choice means a verdict or a reason.
    pub(super) fn pick(&mut self, name: &str, list: Vec<String>, meaning: Meaning<'_>) {
        let known = list
            .iter()
            .any(|choice| meaning.words.choices.contains_key(choice));
        match name == ANSWER && !known && !list.is_empty() {
            true => self.write(name, list.join("\n")),
            false => self.choose(name, list),
        }
    }

    /// Takes in the text of a control.
    pub(super) fn write(&mut self, name: &str, text: String) {
        match name {
            NOTE => self.note = Some(text),
            ANSWER => self.answer = Some(text),
            other => drop(self.other.insert(other.to_string())),
        }
    }

    /// The verdict. A choice of another control than ours counts where it was said what it means.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] with the control: a choice that means nothing here, no verdict, two.
    pub(super) fn judgement(&mut self, meaning: Meaning<'_>) -> Result<Judgement> {
        let (mut verdicts, mut reasons, mut passed) = (Vec::new(), Vec::new(), None);
        for (name, choice) in std::mem::take(&mut self.choices) {
            let mapped = meaning.words.choices.contains_key(&choice);
            let field = |p: Error| p.field(name.clone());
            match name.as_str() {
                VERDICT => verdicts.push(line::verdict(&choice, meaning).map_err(field)?),
                REASONS => reasons.extend(line::reasons(&[choice], meaning).map_err(field)?),
                _ if !mapped => {
                    self.other.insert(name.clone());
                    passed.get_or_insert((name, choice));
                }
                _ => match meaning.words.verdict(&choice) {
                    Some(verdict) => verdicts.push(verdict),
                    None => reasons.extend(line::reasons(&[choice], meaning).map_err(field)?),
                },
            }
        }
        verdicts.dedup();
        match (verdicts.as_slice(), passed) {
            ([verdict], _) => Ok(Judgement {
                reasons,
                note: self.note.take(),
                answer: self.answer.take(),
                ..Judgement::new(*verdict, Seen::Script)
            }),
            ([], None) => Err(Error::input("it says no verdict").field(VERDICT).help(
                "the choices of another control are read where --choice says what they mean",
            )),
            ([], Some((name, choice))) => Err(Error::input(format!("`{choice}` is no verdict"))
                .field(name)
                .help(unmapped(&choice, "accept"))),
            (_, _) => Err(Error::input("it says two verdicts").field(VERDICT)),
        }
    }
}

/// The texts of a value: a text, a list of them, or what Label Studio wraps around either.
///
/// # Errors
/// Anything else.
pub(super) fn texts(name: &str, value: &Value) -> Result<Vec<String>> {
    match value {
        Value::Null => Ok(Vec::new()),
        Value::String(text) => Ok(vec![text.clone()]),
        Value::Array(list) => Ok(list
            .iter()
            .map(|v| texts(name, v))
            .collect::<Result<Vec<_>>>()?
            .concat()),
        Value::Object(fields) => match fields.get("choices").or_else(|| fields.get("text")) {
            Some(inner) => texts(name, inner),
            None => Err(wrong(name, "text", value)),
        },
        other => Err(wrong(name, "text", other)),
    }
}
