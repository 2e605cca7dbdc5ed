//! MVP-Bench's question files: `all_questions.json` and the rotations in `mcq_questions.json` (JSON
//! Lines, despite the name).

use std::io::Write;

use serde_json::Value;

use super::fields::{self, Layout};
use super::format::Format;
use super::python_json::{self, Style};
use super::records::Record;
use benchtop_model::{
    Choice, Error, Form, ImageRef, Item, Key, Pair, QuestionKind, Result, Role, Rotation, Side,
};

/// Low-level categories as ranges of pair ids, both ends included: B behavior, R role, I identity,
/// E emotion, S scenario.
///
/// The data set names no categories. The ranges are inferred: ids are stored in contiguous blocks,
/// and these boundaries give the 13 denominators implied by Table 5 of the MVP-Bench paper (66, 56,
/// 45, 41, 37, 57, 20, 26, 22, 38, 51, 13, 28 question pairs, 500 in total). The answers of the
/// cross-image questions confirm the labels.
pub const CATEGORIES: [(&str, i64, i64); 13] = [
    ("B1", 1, 50),
    ("B2", 101, 150),
    ("B3", 51, 100),
    ("B4", 151, 199),
    ("R1", 200, 247),
    ("R2", 248, 299),
    ("R3", 300, 346),
    ("I1", 347, 398),
    ("I2", 399, 446),
    ("E1", 447, 499),
    ("E2", 500, 548),
    ("S1", 549, 596),
    ("S2", 597, 646),
];

/// The category of a pair id, from [`CATEGORIES`].
pub fn category(pair: &Key) -> Option<&'static str> {
    let Key::Int(id) = pair else { return None };
    CATEGORIES
        .iter()
        .find(|(_, first, last)| (*first..=*last).contains(id))
        .map(|(name, ..)| *name)
}

const QUESTIONS_LAYOUT: Layout<Item> = Layout {
    names: &[
        "question_id",
        "id",
        "image",
        "question",
        "answer",
        "type",
        "level",
        "category",
        "prompt",
        "negative_prompt",
        "task",
        "granularity",
        "style",
    ],
    value,
    extra: |item| &item.extra,
    extra_mut: |item| &mut item.extra,
};

const ROTATIONS_LAYOUT: Layout<Item> = Layout {
    names: &[
        "question_id",
        "id",
        "mcq_id",
        "image",
        "index",
        "question",
        "answer",
        "type",
        "level",
        "category",
        "prompt",
        "negative_prompt",
        "task",
        "granularity",
        "style",
    ],
    ..QUESTIONS_LAYOUT
};

fn layout(form: Form) -> &'static Layout<Item> {
    if form == Form::MvpCircular {
        &ROTATIONS_LAYOUT
    } else {
        &QUESTIONS_LAYOUT
    }
}

fn value(item: &Item, name: &str) -> Option<Value> {
    match name {
        "question_id" => Some(fields::key_value(&item.key)),
        "id" => item.pair.as_ref().map(|p| fields::key_value(&p.id)),
        "mcq_id" => item.rotation.as_ref().map(|r| match r.set.parse::<i64>() {
            Ok(number) if number.to_string() == r.set => number.into(),
            _ => r.set.as_str().into(),
        }),
        "image" => item.images.first().map(|i| i.name.as_str().into()),
        "index" => item
            .rotation
            .as_ref()
            .map(|r| format!("{}/{}", r.index, r.of).into()),
        "question" => item.instruction.as_deref().map(Value::from),
        "answer" => Some(item.answer.as_str().into()),
        "type" => type_name(item).map(Value::from),
        "category" => {
            let inferred = item.pair.as_ref().and_then(|p| category(&p.id));
            (inferred != item.subtask.as_deref()).then(|| item.subtask.as_deref().into())
        }
        _ => fields::common_value(item, name),
    }
}

fn type_name(item: &Item) -> Option<&'static str> {
    // The released rotation file has mcq-e in every row, including cross-image rows.
    if item.rotation.is_some() && item.kind == QuestionKind::MultipleChoice {
        return Some("mcq-e");
    }
    match (item.kind, item.pair.as_ref()?.side) {
        (QuestionKind::YesNo, Side::Natural) => Some("y/n-s"),
        (QuestionKind::YesNo, Side::Manipulated) => Some("y/n-e"),
        (QuestionKind::MultipleChoice, Side::Manipulated) => Some("mcq-e"),
        (QuestionKind::MultipleChoice, Side::Cross) => Some("mcq-cross"),
        _ => None,
    }
}

/// The side in an image's name: `1_s.jpg`, `1_e.jpg`, `3_concat.jpg`.
fn side_of_image(name: &str) -> Option<Side> {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    match stem.rsplit_once('_').map(|(_, end)| end) {
        Some("s") => Some(Side::Natural),
        Some("e") => Some(Side::Manipulated),
        Some("concat") => Some(Side::Cross),
        _ => None,
    }
}

/// The parts of a question's text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts {
    stem: String,
    options: Vec<String>,
}

/// Splits a raw question into the stem and its options (`A. ...` lines in alphabetical order),
/// without the last line that says how to answer.
fn parts(raw: &str, kind: QuestionKind) -> Parts {
    let lines: Vec<&str> = raw.split('\n').collect();
    let hint = |l: &&str| {
        l.starts_with("Please answer yes or no") || l.starts_with("Answer with the option")
    };
    let end = match lines.last() {
        Some(last) if hint(last) => lines.len() - 1,
        _ => lines.len(),
    };
    let marked = |line: &str, n: usize| {
        line.strip_prefix(&format!("{}. ", Item::letter(n)))
            .map(str::to_string)
    };
    let first = match kind {
        QuestionKind::MultipleChoice => lines[..end]
            .iter()
            .position(|l| marked(l, 0).is_some())
            .unwrap_or(end),
        _ => end,
    };
    let mut options: Vec<String> = Vec::new();
    for line in &lines[first..end] {
        match (marked(line, options.len()), options.last_mut()) {
            (Some(text), _) => options.push(text),
            (None, Some(open)) => {
                open.push('\n');
                open.push_str(line);
            }
            (None, None) => {}
        }
    }
    Parts {
        stem: lines[..first].join("\n").trim().to_string(),
        options,
    }
}

/// The questions, `all_questions.json`.
pub(super) static QUESTIONS: Format = Format {
    name: "mvp-questions",
    title: "MVP-Bench questions",
    recognized_by: "`question_id`, `question`, `answer`",
    detect: |head| {
        head.has_fields(&["question_id", "question", "answer"])
            .into()
    },
    items: Some(|raw, dataset, out| {
        out.push_back(raw.parse().and_then(|r| item(r, dataset, Form::Mvp)))
    }),
    ..Format::QUESTIONS
};

/// The rotations, `mcq_questions.json`.
pub(super) static ROTATIONS: Format = Format {
    name: "mvp-circular",
    title: "MVP-Bench rotations",
    recognized_by: "`question_id`, `mcq_id`, `question`, `answer`",
    detect: |head| {
        head.has_fields(&["question_id", "mcq_id", "question", "answer"])
            .into()
    },
    items: Some(|raw, dataset, out| {
        out.push_back(
            raw.parse()
                .and_then(|r| item(r, dataset, Form::MvpCircular)),
        )
    }),
    ..Format::QUESTIONS
};

/// Parses a record of either question file.
fn item(record: Record, dataset: &str, form: Form) -> Result<Item> {
    let key = fields::key(&record, "question_id")?;
    let type_ = fields::text(&record, "type")?;
    let (kind, side) = match type_ {
        "y/n-s" => (QuestionKind::YesNo, Side::Natural),
        "y/n-e" => (QuestionKind::YesNo, Side::Manipulated),
        "mcq-e" => (QuestionKind::MultipleChoice, Side::Manipulated),
        "mcq-cross" => (QuestionKind::MultipleChoice, Side::Cross),
        other => {
            return Err(Error::input(format!("unknown question type `{other}`"))
                .field("type")
                .help("use one of: y/n-s, y/n-e, mcq-e, mcq-cross"));
        }
    };
    let image = fields::text(&record, "image")?.to_string();
    let side = match form {
        Form::MvpCircular => side_of_image(&image).unwrap_or(side),
        _ => side,
    };
    let pair = Pair {
        id: fields::key(&record, "id")?,
        side,
    };
    let raw = fields::text(&record, "question")?.to_string();
    if raw.trim().is_empty() {
        return Err(Error::input("the question is empty").field("question"));
    }
    let answer = fields::text(&record, "answer")?.to_string();
    let Parts { stem, options } = parts(&raw, kind);
    fields::text(&record, "level")?;
    let subtask = match record.contains_key("category") {
        true => fields::optional_text(&record, "category")?,
        false => category(&pair.id).map(str::to_string),
    };
    let mut item = Item {
        form,
        images: vec![ImageRef::named(image)],
        instruction: Some(raw),
        question: stem,
        kind,
        options: choices(options, &answer, kind)?,
        answer,
        subtask,
        pair: Some(pair),
        rotation: if form == Form::MvpCircular {
            Some(rotation(&record)?)
        } else {
            None
        },
        ..Item::blank(dataset, key)
    };
    fields::read_common(&mut item, &record)?;
    fields::check(&item)?;
    layout(form).absorb(&mut item, record)?;
    Ok(item)
}

fn choices(texts: Vec<String>, answer: &str, kind: QuestionKind) -> Result<Vec<Choice>> {
    if kind != QuestionKind::MultipleChoice {
        return Ok(Vec::new());
    }
    if texts.len() < 2 {
        return Err(Error::input("no options found in the question")
            .field("question")
            .help("write each option on a line that begins with `A. `, `B. `, and so on"));
    }
    if !(0..texts.len()).any(|i| Item::letter(i) == answer) {
        let letters = Item::letter(texts.len() - 1);
        return Err(Error::input(format!(
            "the answer `{answer}` is not among the options A to {letters}"
        ))
        .field("answer"));
    }
    let role = |at| Role::of(Item::letter(at) == answer);
    Ok(Choice::list(texts, role))
}

fn rotation(record: &Record) -> Result<Rotation> {
    let set = fields::key(record, "mcq_id")?.to_string();
    let index = fields::text(record, "index")?;
    let numbers = index
        .split_once('/')
        .and_then(|(i, of)| Some((i.parse().ok()?, of.parse().ok()?)));
    match numbers {
        Some((index, of)) if (1..=of).contains(&index) => Ok(Rotation { set, index, of }),
        _ => Err(
            Error::input(format!("expected a position like 2/5, found `{index}`")).field("index"),
        ),
    }
}

/// Writes one item as a row of MVP-Bench's question files, with a line break and the spacing of the
/// released files. Items with a rotation become rows of the rotation file.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] with the field that the format cannot express (nothing is
/// written then), and I/O errors.
pub fn write_question(item: &Item, out: &mut dyn Write) -> Result<()> {
    let cannot = |what: &str, field: &str| {
        Err(Error::input(format!(
            "{}: MVP-Bench's format cannot express {what}",
            item.id
        ))
        .field(field)
        .help("export this item as jsonl"))
    };
    if item.pair.is_none() {
        return cannot("a question outside any image pair", "pair");
    }
    if type_name(item).is_none() {
        return cannot("this question type on this side of the pair", "type");
    }
    if item.images.len() != 1 {
        return cannot("more or fewer images than one", "images");
    }
    if item.level.is_none() {
        return cannot("a question without a level", "level");
    }
    if item.rotation.is_some() != (item.form == Form::MvpCircular) {
        return cannot("a rotation of an item from another format", "rotation");
    }
    let same = item.instruction.as_deref().is_some_and(|raw| {
        let Parts { stem, options } = parts(raw, item.kind);
        stem == item.question
            && choices(options, &item.answer, item.kind).is_ok_and(|c| c == item.options)
    });
    if !same {
        return cannot(
            "a question whose instruction lacks its text, options, or answer",
            "instruction",
        );
    }
    python_json::json(out, &layout(item.form).record(item), Style::LINE, 0)?;
    python_json::raw(out, b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = r#"{"question_id": "1__1__0", "id": 60, "mcq_id": 1, "image": "Cross_Images/60_concat.jpg", "index": "1/2", "question": "What changed?\nA) old\nA. hat\nB. coat\nAnswer with the option's letter.", "answer": "B", "type": "mcq-e", "level": "low"}"#;

    fn read(text: &str) -> Result<Item> {
        let record: Record = serde_json::from_str(text).unwrap();
        let form = if record.contains_key("mcq_id") {
            Form::MvpCircular
        } else {
            Form::Mvp
        };
        item(record, "mvp", form)
    }

    fn written(item: &Item) -> String {
        let mut out = Vec::new();
        write_question(item, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rotation_round_trips_byte_for_byte() {
        let item = read(ROW).unwrap();
        assert_eq!(item.question, "What changed?\nA) old");
        assert_eq!(
            item.options
                .iter()
                .map(|o| o.text.as_str())
                .collect::<Vec<_>>(),
            ["hat", "coat"]
        );
        assert_eq!(
            (item.correct(), item.subtask.as_deref()),
            (Some(1), Some("B3"))
        );
        assert_eq!(item.pair.as_ref().unwrap().side, Side::Cross);
        assert_eq!(
            item.rotation.as_ref().unwrap(),
            &Rotation {
                set: "1".into(),
                index: 1,
                of: 2
            }
        );
        assert!(item.extra.is_empty());
        assert_eq!(written(&item), format!("{ROW}\n"));
    }

    #[test]
    fn unusual_rows_round_trip() {
        for row in [
            r#"{"level": "high", "question_id": 7, "id": "p", "image": "x.png", "question": "Is it?", "answer": "Yes", "type": "y/n-s", "hint": null}"#,
            r#"{"question_id": 7, "id": 1, "image": "x.png", "question": "Is it?\n\nPlease answer yes or no.", "answer": "no", "type": "y/n-e", "level": "high", "category": null}"#,
        ] {
            assert_eq!(written(&read(row).unwrap()), format!("{row}\n"));
        }
    }

    #[test]
    fn invalid_rows_name_their_field() {
        for (from, to, field) in [
            ("mcq-e", "essay", "type"),
            ("\"answer\": \"B\"", "\"answer\": \"C\"", "answer"),
            ("1/2", "3/2", "index"),
            ("A. hat", "hat", "question"),
            ("\"level\": \"low\"", "\"level\": 1", "level"),
            ("\"id\": 60, ", "", "id"),
            ("\"mcq_id\": 1", "\"mcq_id\": [1]", "mcq_id"),
        ] {
            let error = read(&ROW.replace(from, to)).unwrap_err();
            assert_eq!(error.place.field.as_deref(), Some(field), "{error}");
        }
    }

    #[test]
    fn inexpressible_items_are_errors() {
        let refused = |change: fn(&mut Item)| {
            let mut item = read(ROW).unwrap();
            change(&mut item);
            write_question(&item, &mut Vec::new())
                .unwrap_err()
                .place
                .field
                .unwrap_or_default()
        };
        assert_eq!(refused(|i| i.pair = None), "pair");
        assert_eq!(refused(|i| i.kind = QuestionKind::TrueFalse), "type");
        assert_eq!(refused(|i| i.images.clear()), "images");
        assert_eq!(refused(|i| i.level = None), "level");
        assert_eq!(refused(|i| i.question = "another".into()), "instruction");
        assert_eq!(refused(|i| i.rotation = None), "rotation");
    }

    #[test]
    fn categories_cover_their_blocks_once() {
        assert_eq!(
            (1..=646)
                .filter(|i| category(&Key::Int(*i)).is_none())
                .count(),
            0
        );
        assert_eq!(category(&Key::Int(647)), None);
        assert_eq!(category(&Key::Text("5".into())), None);
    }
}
