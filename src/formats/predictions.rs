//! MVP-Bench's prediction rows, plain (`MODEL.jsonl`, `mcq_MODEL.jsonl`) and evaluated.

use std::fmt;
use std::io::Write;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;

use super::fields::{self, Layout};
use super::format::Format;
use super::head::{Detection, Head};
use super::python_json::{self, Style};
use super::records::{Raw, Record, text_in};
use benchtop_model::{Form, Key, Prediction};

type Result<T, E = benchtop_model::Error> = std::result::Result<T, E>;

/// Fields that may hold the raw output, in order of precedence.
const OUTPUT: [&str; 3] = ["output", "prediction", "text"];
const RULE: &str = "extracted (rule)";
const JUDGE: &str = "extracted (GPT)";

const PLAIN_LAYOUT: Layout<Prediction> = Layout {
    names: &["question_id", "output", "prompt", "image", "model_id"],
    value: |p, name| {
        if name == "output" {
            Some(p.output.as_str().into())
        } else {
            common(p, name)
        }
    },
    extra: |p| &p.extra,
    extra_mut: |p| &mut p.extra,
};

const EVALUATED_LAYOUT: Layout<Prediction> = Layout {
    names: &[
        "question_id",
        "image",
        "question",
        "prediction",
        "answer",
        "type",
        "level",
        RULE,
        JUDGE,
    ],
    value: |p, name| {
        if name == "prediction" {
            Some(p.output.as_str().into())
        } else {
            common(p, name)
        }
    },
    ..PLAIN_LAYOUT
};

const OLD_LAYOUT: Layout<Prediction> = Layout {
    names: &["question_id", "text", "prompt", "image", "model_id"],
    value: |p, name| {
        if name == "text" {
            Some(p.output.as_str().into())
        } else {
            common(p, name)
        }
    },
    ..PLAIN_LAYOUT
};

/// The `extra` field with the name of the output field, if it was not `output`.
const NAME: &str = "$output";

fn common(prediction: &Prediction, name: &str) -> Option<Value> {
    match name {
        "question_id" => Some(fields::key_value(&prediction.key)),
        RULE => prediction.rule.as_deref().map(Value::from),
        JUDGE => prediction.judge.as_deref().map(Value::from),
        _ => None,
    }
}

fn layout(output: &str) -> &'static Layout<Prediction> {
    match output {
        "prediction" => &EVALUATED_LAYOUT,
        "text" => &OLD_LAYOUT,
        _ => &PLAIN_LAYOUT,
    }
}

/// Answers to the questions: `MODEL.jsonl`.
pub(super) static PLAIN: Format = Format {
    name: "mvp-predictions",
    title: "MVP-Bench answers",
    recognized_by: "`question_id` with `output`, `prediction`, or `text`",
    answers_to: Form::Mvp,
    detect: |head| {
        let answered = |name| head.has_fields(&["question_id", name]);
        OUTPUT.into_iter().any(answered).into()
    },
    predictions: Some(row),
    ..Format::ANSWERS
};

/// Answers to the rotations: `mcq_MODEL.jsonl`.
pub(super) static OF_ROTATIONS: Format = Format {
    name: "mvp-circular-predictions",
    title: "MVP-Bench answers to rotations",
    recognized_by: "an output, and a `question_id` such as `1__0__2`",
    answers_to: Form::MvpCircular,
    detect: |head| {
        // Rotations are numbered question__set__rotation.
        let id = match head {
            Head::Record(record) => record.get("question_id").and_then(Value::as_str),
            _ => None,
        };
        match id.is_some_and(|id| id.split("__").count() == 3) {
            true => (PLAIN.detect)(head),
            false => Detection::No,
        }
    },
    predictions: Some(row),
    ..Format::ANSWERS
};

/// Answers with extracted answers: `MODEL_evaluated.jsonl`.
pub(super) static EVALUATED: Format = Format {
    name: "mvp-evaluated",
    title: "MVP-Bench evaluated answers",
    recognized_by: "`question_id` with `prediction`",
    answers_to: Form::Mvp,
    is_evaluated: true,
    detect: |head| head.has_fields(&["question_id", "prediction"]).into(),
    predictions: Some(row),
    ..Format::ANSWERS
};

fn row(raw: Raw<'_>) -> Result<Prediction> {
    match serde_json::from_slice(raw.bytes) {
        Ok(Bare(prediction)) => Ok(prediction),
        Err(_) => raw.parse().and_then(prediction),
    }
}

/// A row with only `question_id` and `output`, in this order, read without a [`Record`].
struct Bare(Prediction);

impl<'de> Deserialize<'de> for Bare {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Bare, D::Error> {
        from.deserialize_map(BareFields)
    }
}

struct BareFields;

impl<'de> Visitor<'de> for BareFields {
    type Value = Bare;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row with question_id and output")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut row: A) -> Result<Bare, A::Error> {
        let other = || A::Error::custom("another field");
        let key = match row.next_entry::<&str, Key>()? {
            Some(("question_id", key)) if key != Key::Text(String::new()) => key,
            _ => return Err(other()),
        };
        let output = match row.next_entry::<&str, String>()? {
            Some(("output", output)) => output,
            _ => return Err(other()),
        };
        if row.next_key::<&str>()?.is_some() {
            return Err(other());
        }
        Ok(Bare(Prediction {
            key,
            output,
            rule: None,
            judge: None,
            extra: Record::new(),
        }))
    }
}

/// Parses a row.
fn prediction(record: Record) -> Result<Prediction> {
    let key = fields::key(&record, "question_id")?;
    let name = OUTPUT
        .into_iter()
        .find(|n| record.contains_key(*n))
        .unwrap_or("output");
    let mut prediction = Prediction {
        key,
        output: fields::text(&record, name)?.to_string(),
        rule: fields::optional_text(&record, RULE)?,
        judge: fields::optional_text(&record, JUDGE)?,
        extra: Record::new(),
    };
    layout(name).absorb(&mut prediction, record)?;
    if name != "output" {
        prediction.extra.insert(NAME.into(), name.into());
    }
    Ok(prediction)
}

/// The question's text in the row, if it has one.
pub fn text_of(prediction: &Prediction) -> Option<&str> {
    ["question", "prompt"]
        .iter()
        .find_map(|name| prediction.extra.get(*name)?.as_str())
}

/// Whether the model got the question with its own instruction: the instruction of an answer of a
/// run is another if it has a name.
pub fn is_own_instruction(prediction: &Prediction) -> bool {
    let named = |name: &serde_json::Value| name.as_str().is_some_and(|name| name != "item");
    !(prediction.extra.contains_key("run")
        && prediction.extra.get("instruction").is_some_and(named))
}

/// Whether `text`, the question text next to an answer, is the question of an item, with or without
/// its instruction.
pub fn is_text_of(text: &str, question: &str, instruction: Option<&str>) -> bool {
    text == question || instruction == Some(text)
}

/// Writes a prediction as a line of MVP-Bench's format, with the spacing of the released files. The
/// line is an evaluated row if the prediction was read from one, else a plain row.
pub fn write_prediction(prediction: &Prediction, out: &mut dyn Write) -> Result<()> {
    let name = text_in(&prediction.extra, NAME).unwrap_or("output");
    python_json::json(out, &layout(name).record(prediction), Style::LINE, 0)?;
    python_json::raw(out, b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(row: &str) -> Result<Prediction> {
        prediction(serde_json::from_str(row).unwrap())
    }

    #[test]
    fn rows_round_trip_byte_for_byte() {
        for row in [
            r#"{"question_id": 0, "output": "C. café", "prompt": "Q", "image": "a.jpg", "model_id": "m"}"#,
            r#"{"question_id": "0__0__1", "text": "C", "image": "a.jpg"}"#,
            r#"{"question_id": 1, "image": "a.jpg", "question": "Q", "prediction": "No.", "answer": "no", "type": "y/n-s", "level": "low", "extracted (rule)": "No", "extracted (GPT)": null}"#,
            r#"{"question_id": 1, "prediction": "C", "extracted (rule)": "C", "seed": 1}"#,
        ] {
            let mut out = Vec::new();
            write_prediction(&read(row).unwrap(), &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), format!("{row}\n"));
        }
    }

    #[test]
    fn typed_fields_are_read() {
        let row = read(
            r#"{"question_id": 1, "prediction": "Hm", "extracted (rule)": "Hm", "extracted (GPT)": "No", "question": "Q"}"#,
        );
        let row = row.unwrap();
        assert_eq!(
            (row.rule.as_deref(), row.judge.as_deref(), text_of(&row)),
            (Some("Hm"), Some("No"), Some("Q"))
        );
        assert_eq!(row.output, "Hm");
    }

    #[test]
    fn invalid_rows_name_their_field() {
        for (row, field) in [
            (r#"{"output": "a"}"#, "question_id"),
            (r#"{"question_id": 1}"#, "output"),
            (r#"{"question_id": 1, "output": null}"#, "output"),
        ] {
            let error = read(row).unwrap_err();
            assert_eq!(error.place.field.as_deref(), Some(field), "{error}");
        }
    }
}
