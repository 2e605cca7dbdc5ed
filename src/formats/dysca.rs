//! Dysca's JSON: the flat records of the paper's Listing 1 (`pqa_postprocess.py`).

use std::io::Write;

use serde_json::Value;

use super::fields::{self, Layout};
use super::format::Format;
use super::python_json::{Array, Style};
use super::records::Record;
use benchtop_model::{Choice, Error, Form, ImageRef, Item, QuestionKind, Result, Role};

/// Field names in the order of the released post-processing. Level and style are optional.
const NAMES: &[&str] = &[
    "id",
    "images",
    "prompt",
    "negative_prompt",
    "instruction",
    "question",
    "answer",
    "question_type",
    "task",
    "options",
    "question_majority",
    "granularity",
    "level",
    "style",
];

pub(super) const LAYOUT: Layout<Item> = Layout {
    names: NAMES,
    value,
    extra: |item| &item.extra,
    extra_mut: |item| &mut item.extra,
};

fn value(item: &Item, name: &str) -> Option<Value> {
    match name {
        "id" => Some(fields::key_value(&item.key)),
        "images" => Some(item.images.iter().map(|i| i.name.as_str()).collect()),
        "instruction" => item.instruction.as_deref().map(Value::from),
        _ => question_value(item, name),
    }
}

/// The fields of a question in both of Dysca's formats.
pub(super) fn question_value(item: &Item, name: &str) -> Option<Value> {
    match name {
        "question" => Some(item.question.as_str().into()),
        "answer" => Some(item.answer.as_str().into()),
        "question_type" => type_name(item.kind).map(Value::from),
        "options" => Some(item.options.iter().map(|o| o.text.as_str()).collect()),
        "question_majority" => item.subtask.as_deref().map(Value::from),
        _ => fields::common_value(item, name),
    }
}

fn type_name(kind: QuestionKind) -> Option<&'static str> {
    match kind {
        QuestionKind::MultipleChoice => Some("multi choice"),
        QuestionKind::TrueFalse => Some("true or false"),
        QuestionKind::FreeForm => Some("image caption"),
        QuestionKind::YesNo => None,
    }
}

/// Dysca's flat records.
pub(super) static RECORDS: Format = Format {
    name: "dysca",
    title: "Dysca, flat",
    recognized_by: "`question_type` and `answer`",
    detect: |head| {
        let is_mvp = head.has_fields(&["question_id"]);
        (!is_mvp && head.has_fields(&["question_type", "answer"])).into()
    },
    items: Some(|raw, dataset, out| out.push_back(raw.parse().and_then(|r| item(r, dataset)))),
    ..Format::QUESTIONS
};

/// Parses a flat record.
fn item(record: Record, dataset: &str) -> Result<Item> {
    let mut item = question(&record, dataset)?;
    item.key = fields::key(&record, "id")?;
    item.id = format!("{dataset}/{}", item.key);
    item.images = images(&record)?;
    item.instruction = fields::optional_text(&record, "instruction")?;
    if !record.contains_key("question") {
        let instruction = item
            .instruction
            .as_deref()
            .ok_or_else(|| fields::missing("question"))?;
        item.question = stem(instruction).to_string();
    }
    fields::check(&item)?;
    LAYOUT.absorb(&mut item, record)?;
    Ok(item)
}

/// The pictures by name.
pub(super) fn images(record: &Record) -> Result<Vec<ImageRef>> {
    let names = fields::texts(record, "images")?.unwrap_or_default();
    Ok(names.into_iter().map(ImageRef::named).collect())
}

/// The question's own fields, without an id. The question is empty if the record has none.
pub(super) fn question(record: &Record, dataset: &str) -> Result<Item> {
    let name = fields::text(record, "question_type")?;
    let kind = match name {
        "multi choice" => QuestionKind::MultipleChoice,
        "true or false" => QuestionKind::TrueFalse,
        "image caption" => QuestionKind::FreeForm,
        other => {
            return Err(Error::input(format!("unknown question type `{other}`"))
                .field("question_type")
                .help("use one of: multi choice, true or false, image caption"));
        }
    };
    let mut item = Item {
        form: Form::Dysca,
        kind,
        answer: fields::text(record, "answer")?.to_string(),
        subtask: fields::optional_text(record, "question_majority")?,
        ..Item::blank(dataset, benchtop_model::Key::Int(0))
    };
    fields::read_common(&mut item, record)?;
    if record.contains_key("question") {
        item.question = fields::text(record, "question")?.to_string();
    }
    let options = fields::texts(record, "options")?;
    if kind != QuestionKind::FreeForm {
        item.options = choices(
            options.ok_or_else(|| fields::missing("options"))?,
            &item.answer,
        )?;
    }
    Ok(item)
}

/// Options with their roles: the first one that equals the answer is correct.
fn choices(texts: Vec<String>, answer: &str) -> Result<Vec<Choice>> {
    let same = texts
        .iter()
        .position(|t| t == answer)
        .or_else(|| texts.iter().position(|t| t.trim() == answer.trim()));
    let Some(right) = same else {
        return Err(
            Error::input(format!("the answer `{answer}` is not among the options")).field("answer"),
        );
    };
    Ok(Choice::list(texts, |at| Role::of(at == right)))
}

/// The question in an instruction, without its label, options, hint, and "Your answer is:".
fn stem(instruction: &str) -> &str {
    let text = instruction.strip_prefix("Question:").unwrap_or(instruction);
    let end = ["\nChoices:", "\n(A)", "\nHint:", "\nYour answer is:"]
        .iter()
        .filter_map(|m| text.find(m))
        .min();
    text[..end.unwrap_or(text.len())].trim()
}

/// Checks whether Dysca's formats can express an item.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] with the field that cannot be expressed.
pub(super) fn expressible(item: &Item) -> Result<()> {
    let cannot = |what: &str, field: &str| {
        Err(
            Error::input(format!("{}: Dysca's format cannot express {what}", item.id))
                .field(field)
                .help("export this item as jsonl"),
        )
    };
    if type_name(item.kind).is_none() {
        return cannot("a yes/no question", "question_type");
    }
    if item.pair.is_some() {
        return cannot("membership in an image pair", "pair");
    }
    if item.rotation.is_some() {
        return cannot("membership in a rotation set", "rotation");
    }
    if item.kind == QuestionKind::FreeForm {
        return if item.options.is_empty() {
            Ok(())
        } else {
            cannot("options of a free-form question", "options")
        };
    }
    let texts = item.options.iter().map(|o| o.text.clone()).collect();
    match choices(texts, &item.answer) {
        Ok(same) if same == item.options => Ok(()),
        Ok(_) => cannot("refusal options, or several correct options", "options"),
        Err(_) => cannot("an answer that is not an option's text", "answer"),
    }
}

/// Writes flat Dysca records as the released files do: one JSON array, indented by two spaces,
/// ASCII only, no final newline.
pub struct DyscaWriter<W: Write> {
    array: Array<W>,
}

impl<W: Write> DyscaWriter<W> {
    /// Creates a writer to `out`, which should be buffered.
    pub fn new(out: W) -> Self {
        DyscaWriter {
            array: Array::new(out, Style::FLAT),
        }
    }

    /// Writes one item.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] with the field that the format cannot express (nothing
    /// is written then), and I/O errors.
    pub fn push(&mut self, item: &Item) -> Result<()> {
        expressible(item)?;
        self.array.push(&LAYOUT.record(item))
    }

    /// Closes the array, flushes, and returns the output.
    pub fn finish(self) -> Result<W> {
        self.array.finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record() -> Record {
        let value = json!({
            "id": 3, "images": ["images/1.png"], "prompt": null, "question": "What?", "answer": "cat",
            "question_type": "multi choice", "task": "recognition", "options": ["dog", "cat"], "question_majority": "animal",
            "granularity": "fine", "seed": 7
        });
        value.as_object().unwrap().clone()
    }

    fn rejected_field(name: &str, value: Value) -> String {
        let mut record = record();
        record.insert(name.into(), value);
        let error = item(record, "d").unwrap_err();
        error.place.field.unwrap_or_default()
    }

    #[test]
    fn record_round_trips_in_its_own_order() {
        let item = item(record(), "d").unwrap();
        assert_eq!(
            (item.id.as_str(), item.correct(), item.subtask.as_deref()),
            ("d/3", Some(1), Some("animal"))
        );
        assert_eq!(
            serde_json::to_string(&LAYOUT.record(&item)).unwrap(),
            serde_json::to_string(&record()).unwrap()
        );
        assert_eq!(item.extra.keys().collect::<Vec<_>>(), ["prompt", "seed"]);

        let mut odd = Record::new();
        for (name, value) in record().into_iter().rev().filter(|(n, _)| n != "question") {
            odd.insert(name, value);
        }
        odd.insert(
            "instruction".into(),
            "Question: What? \nChoices:\n(A) dog\n(B) cat\nYour answer is:".into(),
        );
        let item = super::item(odd.clone(), "d").unwrap();
        assert_eq!(item.question, "What?");
        assert_eq!(
            serde_json::to_string(&LAYOUT.record(&item)).unwrap(),
            serde_json::to_string(&odd).unwrap()
        );
    }

    #[test]
    fn invalid_fields_are_named() {
        for (name, value) in [
            ("question_type", json!("essay")),
            ("question", json!(" ")),
            ("answer", json!("cow")),
            ("answer", json!(5)),
            ("options", json!(["cat", 4])),
            ("options", json!(null)),
            ("id", json!(1.5)),
            ("images", json!("a.png")),
            ("$order", json!([])),
        ] {
            assert_eq!(rejected_field(name, value), name);
        }
    }

    #[test]
    fn inexpressible_items_are_errors() {
        let mut item = item(record(), "d").unwrap();
        item.options[0].role = Role::Refusal;
        assert_eq!(
            expressible(&item).unwrap_err().place.field.as_deref(),
            Some("options")
        );
        item.options[0].role = Role::Distractor;
        item.answer = "B".into();
        assert_eq!(
            expressible(&item).unwrap_err().place.field.as_deref(),
            Some("answer")
        );
        item.kind = QuestionKind::YesNo;
        let mut writer = DyscaWriter::new(Vec::new());
        assert_eq!(
            writer.push(&item).unwrap_err().place.field.as_deref(),
            Some("question_type")
        );
        assert_eq!(writer.finish().unwrap(), b"[]");
    }
}
