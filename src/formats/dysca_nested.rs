//! Dysca's released sources: image records with their questions in `q_a` (`pqa_generate.py`).
//!
//! Questions have no id there, so the key is `<record id>.<position from 1>`. If an export contains
//! only a part of the questions, so that positions change, questions are written with an `id`,
//! which the reader uses.

use std::collections::VecDeque;
use std::io::Write;

use serde_json::Value;

use super::dysca;
use super::fields::{self, Layout};
use super::format::Format;
use super::python_json::{Array, Style};
use super::records::Record;
use benchtop_model::{Error, Form, ImageRef, Item, Key, Result};

/// The `extra` field with the fields of the image record.
const RECORD: &str = "$record";
const QUESTION: &[&str] = &[
    "question",
    "answer",
    "options",
    "task",
    "question_type",
    "question_majority",
    "granularity",
    "level",
    "style",
];

const LAYOUT: Layout<Item> = Layout {
    names: QUESTION,
    value,
    extra: |item| &item.extra,
    extra_mut: |item| &mut item.extra,
};

fn value(item: &Item, name: &str) -> Option<Value> {
    // The prompts belong to the image record. A question that has its own prompts keeps them in
    // `extra`.
    if QUESTION.contains(&name) {
        dysca::question_value(item, name)
    } else {
        None
    }
}

/// Dysca's image records.
pub(super) static RECORDS: Format = Format {
    name: "dysca-nested",
    title: "Dysca, nested",
    recognized_by: "`q_a`",
    detect: |head| head.has_fields(&["q_a"]).into(),
    items: Some(|raw, dataset, out| {
        if let Err(p) = raw.parse().and_then(|r| items(r, dataset, out)) {
            out.push_back(Err(p));
        }
    }),
    ..Format::QUESTIONS
};

/// The questions of one image record.
fn items(mut record: Record, dataset: &str, found: &mut VecDeque<Result<Item>>) -> Result<()> {
    let id = fields::key(&record, "id")?;
    let prompt = fields::optional_text(&record, "prompt")?;
    let negative = fields::optional_text(&record, "negative_prompt")?;
    let images = match record.contains_key("images") {
        true => dysca::images(&record)?,
        // The released post-processing gives this name to a record's picture.
        false => vec![ImageRef::named(format!("images/{id}.png"))],
    };
    let questions = match record.get_mut("q_a").map(Value::take) {
        Some(Value::Array(list)) if !list.is_empty() => list,
        Some(Value::Array(_)) => {
            return Err(Error::input("the image has no questions").field("q_a"));
        }
        Some(other) => return Err(fields::wrong("q_a", "an array of questions", &other)),
        None => return Err(fields::missing("q_a")),
    };
    for (i, question) in questions.into_iter().enumerate() {
        let one = || -> Result<Item> {
            let Value::Object(question) = question else {
                return Err(fields::wrong("q_a", "an array of questions", &question));
            };
            let mut item = dysca::question(&question, dataset)?;
            item.form = Form::DyscaNested;
            item.key = match question.contains_key("id") {
                true => fields::key(&question, "id")?,
                false => natural_key(&id, i),
            };
            item.id = format!("{dataset}/{}", item.key);
            if item.question.is_empty() && !question.contains_key("question") {
                return Err(fields::missing("question"));
            }
            fields::check(&item)?;
            let mut question = question;
            question.shift_remove("id");
            LAYOUT.absorb(&mut item, question)?;
            item.extra
                .insert(RECORD.into(), Value::Object(record.clone()));
            item.prompt.clone_from(&prompt);
            item.negative_prompt.clone_from(&negative);
            item.images.clone_from(&images);
            Ok(item)
        };
        let item = one().map_err(|p| {
            let field = p.place.field.clone().unwrap_or_default();
            let mut p = p;
            p.place.field = Some(format!("q_a[{i}].{field}"));
            p
        });
        found.push_back(item);
    }
    Ok(())
}

fn natural_key(record: &Key, index: usize) -> Key {
    Key::Text(format!("{record}.{}", index + 1))
}

/// Writes items back to image records, indented by four spaces as in the released sources.
///
/// Consecutive items of one image record are merged; memory holds one record.
pub struct NestedWriter<W: Write> {
    array: Array<W>,
    record: Record,
    questions: Vec<Value>,
}

impl<W: Write> NestedWriter<W> {
    /// Creates a writer to `out`, which should be buffered.
    pub fn new(out: W) -> Self {
        NestedWriter {
            array: Array::new(out, Style::NESTED),
            record: Record::new(),
            questions: Vec::new(),
        }
    }

    /// Adds an item. Its image record is written when the next record starts.
    ///
    /// # Errors
    /// [`benchtop_model::ErrorKind::Input`] with the field that the format cannot express, or if
    /// the item was not read from this format; and I/O errors.
    pub fn push(&mut self, item: &Item) -> Result<()> {
        dysca::expressible(item)?;
        let (Some(Value::Object(record)), Form::DyscaNested) = (item.extra.get(RECORD), item.form)
        else {
            return Err(Error::input(format!(
                "{}: the item was not imported from Dysca's nested format",
                item.id
            ))
            .field(RECORD)
            .help("export it in Dysca's flat format"));
        };
        if *record != self.record {
            self.write_record()?;
            self.record = record.clone();
        }
        let mut question = LAYOUT.record(item);
        let id = fields::key(&self.record, "id")?;
        if item.key != natural_key(&id, self.questions.len()) {
            question.shift_insert(0, "id".into(), fields::key_value(&item.key));
        }
        self.questions.push(Value::Object(question));
        Ok(())
    }

    fn write_record(&mut self) -> Result<()> {
        if self.questions.is_empty() {
            return Ok(());
        }
        let mut record = std::mem::take(&mut self.record);
        record.insert(
            "q_a".into(),
            Value::Array(std::mem::take(&mut self.questions)),
        );
        self.array.push(&record)
    }

    /// Writes the last record, closes the array, flushes, and returns the output.
    pub fn finish(mut self) -> Result<W> {
        self.write_record()?;
        self.array.finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn records() -> Value {
        json!([
            {"id": 1, "prompt": "an owl", "negative_prompt": "", "q_a": [
                {"question": "What is it?", "answer": "owl", "options": ["owl", "cat"], "task": "recognition",
                 "question_type": "multi choice", "question_majority": "animal"},
                {"question": "Describe it.", "answer": "an owl", "options": [], "task": "recognition",
                 "question_type": "image caption", "question_majority": "animal"}]},
            {"id": 2, "prompt": null, "seed": 5, "q_a": [
                {"id": "own", "question": "Is it red?", "answer": "True", "options": ["True", "False"], "task": "recognition",
                 "question_type": "true or false", "question_majority": "color", "note": "n"}]}
        ])
    }

    fn read(value: &Value) -> Vec<Item> {
        let mut found = VecDeque::new();
        for record in value.as_array().unwrap() {
            items(record.as_object().unwrap().clone(), "d", &mut found).unwrap();
        }
        found.into_iter().map(Result::unwrap).collect()
    }

    fn written(items: &[Item]) -> Value {
        let mut writer = NestedWriter::new(Vec::new());
        items.iter().for_each(|i| writer.push(i).unwrap());
        serde_json::from_slice(&writer.finish().unwrap()).unwrap()
    }

    #[test]
    fn image_records_round_trip() {
        let items = read(&records());
        assert_eq!(
            items.iter().map(|i| i.id.as_str()).collect::<Vec<_>>(),
            ["d/1.1", "d/1.2", "d/own"]
        );
        assert_eq!(items[0].images[0].name, "images/1.png");
        assert_eq!(written(&items).to_string(), records().to_string());
    }

    #[test]
    fn partial_export_keeps_the_keys() {
        let part: Vec<Item> = read(&records()).into_iter().skip(1).collect();
        assert_eq!(read(&written(&part))[0].key, Key::Text("1.2".into()));
        assert_eq!(read(&written(&part)), part);
    }

    #[test]
    fn errors_name_the_question() {
        let mut found = VecDeque::new();
        let record = json!({"id": 1, "q_a": [{"question": "Q", "answer": "a", "question_type": "essay"}, 4]});
        items(record.as_object().unwrap().clone(), "d", &mut found).unwrap();
        let fields: Vec<String> = found
            .into_iter()
            .map(|f| f.unwrap_err().place.field.unwrap_or_default())
            .collect();
        assert_eq!(fields[0], "q_a[0].question_type");
        assert!(fields[1].starts_with("q_a[1]"), "{fields:?}");
        let empty = json!({"id": 1, "q_a": []});
        assert!(
            items(
                empty.as_object().unwrap().clone(),
                "d",
                &mut VecDeque::new()
            )
            .is_err()
        );
    }
}
