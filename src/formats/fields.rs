//! Reads fields with errors that name them, and writes records back as they were.

use serde_json::Value;

use super::records::Record;
use benchtop_model::{Error, Item, Key, QuestionKind, Result, Role};

/// The `extra` field with a record's field order, if it is not the usual one.
pub(super) const ORDER: &str = "$order";

/// The JSON type of a value, for messages.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

pub(super) fn wrong(name: &str, expected: &str, value: &Value) -> Error {
    Error::input(format!("expected {expected}, found {}", kind_of(value))).field(name)
}

pub(super) fn missing(name: &str) -> Error {
    Error::input("missing").field(name)
}

pub(super) fn text<'a>(record: &'a Record, name: &str) -> Result<&'a str> {
    match record.get(name) {
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(wrong(name, "text", other)),
        None => Err(missing(name)),
    }
}

pub(super) fn optional_text(record: &Record, name: &str) -> Result<Option<String>> {
    match record.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(wrong(name, "text", other)),
    }
}

pub(super) fn key(record: &Record, name: &str) -> Result<Key> {
    match record.get(name) {
        Some(Value::String(text)) if !text.is_empty() => Ok(Key::Text(text.clone())),
        Some(Value::String(_)) => Err(Error::input("empty").field(name)),
        Some(value) => match value.as_i64() {
            Some(number) => Ok(Key::Int(number)),
            None => Err(wrong(name, "a whole number or text", value)),
        },
        None => Err(missing(name)),
    }
}

pub(super) fn key_value(key: &Key) -> Value {
    match key {
        Key::Int(number) => (*number).into(),
        Key::Text(text) => text.as_str().into(),
    }
}

/// An array of texts; `None` if the field is missing or null.
pub(super) fn texts(record: &Record, name: &str) -> Result<Option<Vec<String>>> {
    let list = match record.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(list)) => list,
        Some(other) => return Err(wrong(name, "an array of texts", other)),
    };
    let one = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        other => Err(wrong(name, "an array of texts", other)),
    };
    list.iter().map(one).collect::<Result<_>>().map(Some)
}

/// The value of an optional text field that has the same name in every record format and in
/// [`Item`].
pub(super) fn common_value(item: &Item, name: &str) -> Option<Value> {
    let field = match name {
        "prompt" => &item.prompt,
        "negative_prompt" => &item.negative_prompt,
        "task" => &item.task,
        "granularity" => &item.granularity,
        "level" => &item.level,
        "style" => &item.style,
        _ => return None,
    };
    field.as_deref().map(Value::from)
}

/// Reads the fields of [`common_value`] from a record.
pub(super) fn read_common(item: &mut Item, record: &Record) -> Result<()> {
    item.prompt = optional_text(record, "prompt")?;
    item.negative_prompt = optional_text(record, "negative_prompt")?;
    item.task = optional_text(record, "task")?;
    item.granularity = optional_text(record, "granularity")?;
    item.level = optional_text(record, "level")?;
    item.style = optional_text(record, "style")?;
    Ok(())
}

/// How a record of one format is written from a `T`: the usual field order, and the value of each
/// field.
///
/// Data that the typed fields of `T` cannot reproduce (unknown fields, nulls, unusual values,
/// another order) is stored in `extra` and restored from there.
pub(super) struct Layout<T: 'static> {
    /// Field names in the usual order.
    pub names: &'static [&'static str],
    /// The value of a field by name, from the typed fields.
    pub value: fn(&T, &str) -> Option<Value>,
    /// The extra fields.
    pub extra: fn(&T) -> &Record,
    pub extra_mut: fn(&mut T) -> &mut Record,
}

impl<T> Layout<T> {
    fn default_names<'a>(&self, from: &'a T) -> impl Iterator<Item = &'a str> {
        let (extra, names, value) = ((self.extra)(from), self.names, self.value);
        let usual = names
            .iter()
            .copied()
            .filter(move |n| extra.contains_key(*n) || value(from, n).is_some());
        let rest = extra
            .keys()
            .map(String::as_str)
            .filter(move |n| !n.starts_with('$') && !names.contains(n));
        usual.chain(rest)
    }

    /// Stores in `extra` what the typed fields of `into` do not reproduce of `record`.
    pub fn absorb(&self, into: &mut T, record: Record) -> Result<()> {
        if let Some(name) = record.keys().find(|n| n.starts_with('$')) {
            return Err(Error::input("field names that begin with $ are reserved").field(name));
        }
        let mut order: Vec<String> = Vec::with_capacity(record.len());
        for (name, value) in record {
            if (self.value)(into, &name).as_ref() == Some(&value) {
                order.push(name);
            } else {
                order.push(name.clone());
                (self.extra_mut)(into).insert(name, value);
            }
        }
        if !self
            .default_names(into)
            .eq(order.iter().map(String::as_str))
        {
            (self.extra_mut)(into).insert(ORDER.into(), order.into());
        }
        Ok(())
    }

    /// The record of `from`.
    pub fn record(&self, from: &T) -> Record {
        let extra = (self.extra)(from);
        let field = |name: &str| {
            let value = extra
                .get(name)
                .cloned()
                .or_else(|| (self.value)(from, name))?;
            Some((name.to_string(), value))
        };
        match extra.get(ORDER) {
            Some(Value::Array(names)) => names
                .iter()
                .filter_map(Value::as_str)
                .filter_map(field)
                .collect(),
            _ => self.default_names(from).filter_map(field).collect(),
        }
    }
}

/// Checks that apply to items of all formats.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] with the field.
pub(super) fn check(item: &Item) -> Result<()> {
    if item.question.trim().is_empty() {
        return Err(Error::input("the question is empty").field("question"));
    }
    if item.id != format!("{}/{}", item.dataset, item.key) {
        return Err(Error::input("the id must be DATASET/KEY").field("id"));
    }
    if let Some(derivation) = &item.derivation {
        derivation.check(&item.id)?;
    }
    let mut rights = item.images.iter().filter_map(|image| image.rights.as_ref());
    rights.try_for_each(|rights| rights.check())?;
    let of = |role| item.options.iter().filter(|o| o.role == role).count();
    // If the picture does not show the answer, the refusal option is right (MM-SAP's BeyondVisQA).
    let right = if of(Role::Correct) == 0 {
        of(Role::Refusal)
    } else {
        of(Role::Correct)
    };
    match item.kind {
        QuestionKind::MultipleChoice | QuestionKind::TrueFalse if item.options.is_empty() => {
            Err(Error::input("a question of this type needs options").field("options"))
        }
        _ if !item.options.is_empty() && right != 1 => Err(Error::input(format!(
            "{right} options are marked as correct, expected 1"
        ))
        .field("options")),
        QuestionKind::YesNo if !["yes", "no"].contains(&item.answer.to_lowercase().as_str()) => {
            Err(Error::input(format!(
                "the answer is `{}`, expected yes or no",
                item.answer
            ))
            .field("answer"))
        }
        _ => Ok(()),
    }
}
