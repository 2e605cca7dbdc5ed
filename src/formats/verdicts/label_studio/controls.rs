//! The content of an annotation's controls (choices and texts by control name), and the verdict
//! that follows from it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{ANSWER, NOTE, REASONS, TAGS, VERDICT};
use crate::fields::wrong;
use crate::verdicts::line;
use crate::verdicts::meaning::{Meaning, unmapped};
use benchtop_model::{Error, Judgement, Mark, Result, Seen};

/// The content of an annotation's controls.
#[derive(Debug, Default)]
pub(super) struct Controls {
    /// Choices with the name of their control.
    choices: Vec<(String, String)>,
    /// Paths of levels, joined with `/`.
    tags: Vec<String>,
    pub marks: Vec<Mark>,
    note: Option<String>,
    answer: Option<String>,
    /// Controls that are irrelevant for a verdict.
    pub other: BTreeSet<String>,
}

impl Controls {
    /// Adds the choices of a control.
    pub(super) fn choose(&mut self, name: &str, list: Vec<String>) {
        self.choices
            .extend(list.into_iter().map(|choice| (name.to_string(), choice)));
    }

    /// Adds the choices of a control that may hold the answer. A picked answer counts like a
    /// written one, unless the user mapped the choice to a verdict or a reason.
    pub(super) fn pick(&mut self, name: &str, list: Vec<String>, meaning: Meaning<'_>) {
        let known = list
            .iter()
            .any(|choice| meaning.words.choices.contains_key(choice));
        match name == ANSWER && !known && !list.is_empty() {
            true => self.write(name, list.join("\n")),
            false => self.choose(name, list),
        }
    }

    /// Adds the paths of a taxonomy. Those of other controls than benchtop's count like choices.
    pub(super) fn file(&mut self, name: &str, paths: Vec<String>) {
        match name {
            TAGS => self.tags.extend(paths),
            other => self.choose(other, paths),
        }
    }

    /// Adds the text of a control.
    pub(super) fn write(&mut self, name: &str, text: String) {
        match name {
            NOTE => self.note = Some(text),
            ANSWER => self.answer = Some(text),
            other => drop(self.other.insert(other.to_string())),
        }
    }

    /// The verdict. Choices of other controls than benchtop's count if the user mapped them.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] with the control: an unknown choice, no verdict, or two
    /// verdicts.
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
                tags: line::tags(&self.tags, meaning).map_err(|p| p.field(TAGS))?,
                marks: std::mem::take(&mut self.marks),
                note: self.note.take(),
                answer: self.answer.take(),
                ..Judgement::new(*verdict, Seen::Script)
            }),
            ([], None) => Err(Error::input("the annotation has no verdict")
                .field(VERDICT)
                .help("map the choices of another control with --choice")),
            ([], Some((name, choice))) => Err(Error::input(format!("`{choice}` is not a verdict"))
                .field(name)
                .help(unmapped(&choice, "accept"))),
            (_, _) => Err(Error::input("the annotation has two verdicts").field(VERDICT)),
        }
    }
}

/// The texts of a value: a text, a list of texts, or Label Studio's wrapper around either.
///
/// # Errors
/// For any other value.
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
