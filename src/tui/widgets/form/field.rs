//! The fields of a form: names, help, values, and how keys change them.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use crossterm::event::{KeyCode, KeyEvent};
use tui_input::Input;

use super::picker::Picker;
use crate::widgets::text_input;

/// A row of a form.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its label, by which it is found.
    pub name: &'static str,
    /// One line.
    pub help: &'static str,
    pub value: Value,
}

/// The value of a field.
#[derive(Clone, Debug)]
pub enum Value {
    Text(Input),
    /// A file or folder, as typed.
    Path(Input),
    /// A whole number in a range. If it is optional, it may be empty.
    Number {
        input: Input,
        range: RangeInclusive<u64>,
        optional: bool,
    },
    Flag(bool),
    /// A file or folder from a list.
    File(Box<Picker>),
    /// The selected option, all options, and the part of a name typed so far.
    Choice(usize, Vec<String>, String),
}

impl Field {
    fn new(name: &'static str, help: &'static str, value: Value) -> Field {
        Field { name, help, value }
    }

    pub fn text(name: &'static str, help: &'static str, text: impl Into<String>) -> Field {
        Field::new(name, help, Value::Text(Input::new(text.into())))
    }

    pub fn path(name: &'static str, help: &'static str, path: impl Into<String>) -> Field {
        Field::new(name, help, Value::Path(Input::new(path.into())))
    }

    pub fn number(
        name: &'static str,
        help: &'static str,
        range: RangeInclusive<u64>,
        number: u64,
    ) -> Field {
        let input = Input::new(number.to_string());
        let optional = false;
        Field::new(
            name,
            help,
            Value::Number {
                input,
                range,
                optional,
            },
        )
    }

    /// A number that may be empty, and is so at first.
    pub fn optional_number(
        name: &'static str,
        help: &'static str,
        range: RangeInclusive<u64>,
    ) -> Field {
        let (input, optional) = (Input::default(), true);
        Field::new(
            name,
            help,
            Value::Number {
                input,
                range,
                optional,
            },
        )
    }

    pub fn flag(name: &'static str, help: &'static str, is_on: bool) -> Field {
        Field::new(name, help, Value::Flag(is_on))
    }

    /// A file or folder from a list that starts in `folder`.
    pub fn file(name: &'static str, help: &'static str, folder: PathBuf) -> Field {
        Field::new(name, help, Value::File(Box::new(Picker::new(folder))))
    }

    pub fn choice<S: AsRef<str>>(
        name: &'static str,
        help: &'static str,
        options: &[S],
        selected: &str,
    ) -> Field {
        let at = options.iter().position(|name| name.as_ref() == selected);
        let options = options.iter().map(|name| name.as_ref().to_string());
        let value = Value::Choice(at.unwrap_or(0), options.collect(), String::new());
        Field::new(name, help, value)
    }
}

/// The fields of a form, in order.
#[derive(Clone, Debug, Default)]
pub struct Fields(pub Vec<Field>);

impl Fields {
    pub fn get(&self, name: &str) -> Option<&Value> {
        let field = self.0.iter().find(|field| field.name == name);
        field.map(|field| &field.value)
    }

    /// The value of a field as text, without surrounding spaces.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).map_or("", Value::text)
    }

    /// The text of a field that is not empty.
    pub fn filled(&self, name: &str) -> Option<&str> {
        Some(self.text(name)).filter(|text| !text.is_empty())
    }

    /// The index of the selected option.
    pub fn pick(&self, name: &str) -> usize {
        match self.get(name) {
            Some(Value::Choice(at, ..)) => *at,
            _ => 0,
        }
    }

    /// The picked file or folder.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        match self.get(name) {
            Some(Value::File(picker)) => Some(picker.path()),
            _ => None,
        }
    }

    pub fn is_on(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Value::Flag(true)))
    }

    /// The number in a field. `None` if it is empty or invalid.
    pub fn number<T: TryFrom<u64>>(&self, name: &str) -> Option<T> {
        T::try_from(self.text(name).parse().ok()?).ok()
    }

    /// Replaces the value of a field. Returns whether it changed.
    pub fn set(&mut self, name: &str, text: &str) -> bool {
        let field = self.0.iter_mut().find(|field| field.name == name);
        field.is_some_and(|field| field.value.set(text))
    }
}

/// The option selected by typing `c` after `typed`: the one whose name continues that way.
/// Repeating a first letter cycles through the names that start with it. After a complete name,
/// another can follow. A typing error keeps the selection. `None` for a space that fits no name.
fn option_typed(all: &[String], at: usize, typed: &mut String, c: char) -> Option<usize> {
    let from = |at: usize| (0..all.len()).map(move |step| (at + step) % all.len());
    let c = c.to_ascii_lowercase();
    let more = format!("{typed}{c}");
    if let Some(found) = from(at).find(|i| all[*i].starts_with(&more)) {
        *typed = more;
        return Some(found);
    }
    let complete = all.contains(typed);
    if c == ' ' {
        typed.clear();
        return None;
    }
    if (typed.is_empty() || complete || *typed == c.to_string())
        && let Some(found) = from(at + 1).find(|i| all[*i].starts_with(c))
    {
        *typed = c.to_string();
        return Some(found);
    }
    Some(at)
}

impl Value {
    /// The value as text, without surrounding spaces.
    pub fn text(&self) -> &str {
        match self {
            Value::Text(input) | Value::Path(input) | Value::Number { input, .. } => {
                input.value().trim()
            }
            Value::Flag(is_on) => flag_text(*is_on),
            Value::File(picker) => picker.text(),
            Value::Choice(at, all, _) => all.get(*at).map_or("", String::as_str),
        }
    }

    /// The line of text, if it is one.
    pub fn input(&self) -> Option<&Input> {
        match self {
            Value::Text(input) | Value::Path(input) | Value::Number { input, .. } => Some(input),
            Value::Flag(_) | Value::File(_) | Value::Choice(..) => None,
        }
    }

    fn input_mut(&mut self) -> Option<&mut Input> {
        match self {
            Value::Text(input) | Value::Path(input) | Value::Number { input, .. } => Some(input),
            Value::Flag(_) | Value::File(_) | Value::Choice(..) => None,
        }
    }

    fn set(&mut self, text: &str) -> bool {
        let before = self.text().to_string();
        match self {
            Value::Flag(is_on) => *is_on = text == flag_text(true),
            Value::File(picker) => {
                picker.jump(text);
            }
            Value::Choice(at, all, _) => {
                *at = all.iter().position(|name| *name == text).unwrap_or(*at);
            }
            _ => {
                if let Some(input) = self.input_mut() {
                    *input = Input::new(text.into());
                }
            }
        }
        self.text() != before
    }

    /// What is wrong with the value itself.
    pub fn problem(&self) -> Option<String> {
        let (range, optional) = match self {
            Value::Number {
                range, optional, ..
            } => (range, optional),
            Value::File(picker) => return picker.problem(),
            _ => return None,
        };
        let (text, least, most) = (self.text(), range.start(), range.end());
        if text.is_empty() && *optional {
            return None;
        }
        let or_empty = if *optional { ", or leave it empty" } else { "" };
        match text.parse::<u64>() {
            Ok(number) if range.contains(&number) => None,
            Ok(_) if *most == u64::MAX => Some(format!("type at least {least}{or_empty}")),
            Ok(_) => Some(format!("type {least} to {most}{or_empty}")),
            Err(_) => Some(format!("`{text}` is not a whole number{or_empty}")),
        }
    }

    /// Handles a key. Returns whether the value changed.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        match self {
            Value::Flag(is_on) => {
                let before = *is_on;
                *is_on = match key.code {
                    KeyCode::Char(' ' | 'x') | KeyCode::Left | KeyCode::Right => !before,
                    KeyCode::Char('y') => true,
                    KeyCode::Char('n') => false,
                    _ => before,
                };
                *is_on != before
            }
            Value::File(picker) => picker.key(key),
            Value::Choice(_, all, _) if all.is_empty() => false,
            Value::Choice(at, all, typed) => {
                let before = *at;
                *at = match key.code {
                    // A space may continue a name. Otherwise it selects the next option.
                    KeyCode::Char(c) => {
                        option_typed(all, *at, typed, c).unwrap_or((*at + 1) % all.len())
                    }
                    KeyCode::Right => {
                        typed.clear();
                        (*at + 1) % all.len()
                    }
                    KeyCode::Left => {
                        typed.clear();
                        (*at + all.len() - 1) % all.len()
                    }
                    KeyCode::Backspace => {
                        typed.pop();
                        *at
                    }
                    _ => *at,
                };
                *at != before
            }
            _ => self
                .input_mut()
                .is_some_and(|input| text_input::edit(input, key)),
        }
    }

    /// Forgets what was typed when the cursor leaves the field.
    pub fn left(&mut self) {
        if let Value::Choice(.., typed) = self {
            typed.clear();
        }
    }

    /// Pastes into the field. Returns whether the value changed.
    pub fn paste(&mut self, pasted: &str) -> bool {
        if let Value::File(picker) = self {
            return picker.jump(pasted);
        }
        let input = self.input_mut();
        input.is_some_and(|input| {
            text_input::paste(input, pasted);
            true
        })
    }
}

fn flag_text(is_on: bool) -> &'static str {
    if is_on { "yes" } else { "no" }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: [&str; 7] = [
        "single",
        "both-accept",
        "majority",
        "equivalence",
        "audit",
        "answer",
        "refusal",
    ];

    fn press(value: &mut Value, code: KeyCode) -> bool {
        value.key(KeyEvent::from(code))
    }

    /// The selected option after each key.
    fn typed(keys: &str) -> Vec<String> {
        let mut value = Field::choice("rule", "", &RULES, "single").value;
        let press = |c: char| {
            press(&mut value, KeyCode::Char(c));
            value.text().to_string()
        };
        keys.chars().map(press).collect()
    }

    #[test]
    fn typing_a_name_selects_the_option() {
        for name in RULES {
            assert_eq!(typed(name).last().unwrap(), name);
        }
        assert!(
            typed("both-accept")
                .iter()
                .all(|rule| *rule == "both-accept")
        );
        assert_eq!(
            typed("aaa"),
            ["audit", "answer", "audit"],
            "a repeated first letter cycles"
        );
        assert_eq!(
            typed("anx"),
            ["audit", "answer", "answer"],
            "a typing error keeps the selection"
        );
        assert_eq!(
            typed("auditequiv").last().unwrap(),
            "equivalence",
            "another name can follow a complete one"
        );
        assert_eq!(typed("z"), ["single"]);
    }

    #[test]
    fn a_space_continues_a_name_or_selects_the_next() {
        let options = [
            "neither names nor scores",
            "names",
            "scores",
            "names and scores",
        ];
        let mut value = Field::choice("see", "", &options, options[0]).value;
        for c in "names and s".chars() {
            press(&mut value, KeyCode::Char(c));
        }
        assert_eq!(value.text(), "names and scores");
        value.left();
        press(&mut value, KeyCode::Char(' '));
        assert_eq!(value.text(), options[0]);
    }

    #[test]
    fn a_flag_is_toggled_and_typed() {
        let mut value = Field::flag("images", "", false).value;
        for (key, changes, text) in [
            (KeyCode::Char(' '), true, "yes"),
            (KeyCode::Char('y'), false, "yes"),
            (KeyCode::Left, true, "no"),
            (KeyCode::Char('q'), false, "no"),
        ] {
            assert_eq!((press(&mut value, key), value.text()), (changes, text));
        }
    }

    #[test]
    fn numbers_have_a_range_and_may_be_optional() {
        let mut fields = Fields(vec![
            Field::number("n", "", 1..=256, 4),
            Field::optional_number("sample", "", 1..=u64::MAX),
        ]);
        let problem = |fields: &Fields, name: &str| fields.get(name).unwrap().problem();
        assert_eq!(fields.number::<u8>("n"), Some(4));
        assert!(problem(&fields, "n").is_none() && problem(&fields, "sample").is_none());
        for wrong in ["", "0", "257", "-1", "x"] {
            fields.set("n", wrong);
            assert!(problem(&fields, "n").is_some(), "{wrong}");
        }
        assert!(fields.set("sample", "0") && problem(&fields, "sample").is_some());
        assert!(!fields.set("sample", "0"), "the same value again");
        fields.set("n", "256");
        assert_eq!(fields.number::<u8>("n"), None, "it does not fit");
    }
}
