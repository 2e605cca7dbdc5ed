//! Reads Label Studio's exports: tasks with annotations, or JSON-MIN with one annotation per
//! record.

use std::collections::BTreeSet;
use std::io::BufRead;

use serde::Deserialize;
use serde_json::Value;

use super::controls::{Controls, texts};
use super::{
    ANSWER, BLOCK, BOXES, COMMENTS, Circumstances, NOTE, POINTS, REASONS, TAGS, VERDICT, regions,
};
use crate::fields::wrong;
use crate::records::{Record, Records, Shape, text_in};
use crate::tools::label_studio::{self, OWN};
use crate::verdicts::comment_line::CommentLine;
use crate::verdicts::line::{Line, drawn, time};
use crate::verdicts::meaning::Meaning;
use crate::verdicts::record::{Found, Take};
use benchtop_model::verdict_interchange::{Exchanged, ExchangedVerdict, judgement_digest};
use benchtop_model::{Error, Judgement, Result};

/// Reads an export.
///
/// # Errors
/// See [`super::super::read`].
pub fn read(input: impl BufRead, meaning: Meaning<'_>, take: Take<'_>) -> Result<Vec<String>> {
    let mut records = Records::new(input);
    let (mut task, mut begun, mut other) = (0u64, false, BTreeSet::new());
    loop {
        let record = match records.next_record() {
            Ok(None) => break,
            Ok(Some(raw)) => {
                let line = raw.line;
                raw.parse()
                    .map_err(|p| p.line(line))
                    .map(|record| (line, record))
            }
            Err(problem) if !begun || problem.place.line.is_none() => return Err(problem),
            Err(problem) => Err(problem),
        };
        if records.shape() == Shape::Lines {
            return Err(
                Error::input("the file has one object per line, not an array of tasks")
                    .help("use --format jsonl for benchtop's own lines"),
            );
        }
        begun = true;
        task += 1;
        match record {
            // After invalid JSON, reading cannot continue.
            Err(problem) => {
                return Err(Error {
                    what: format!("task {task}: {}", problem.what),
                    ..problem
                });
            }
            Ok((line, record)) => {
                let place = format!("task {task} (line {line})");
                if !read_record(&place, &record, meaning, &mut other, take) {
                    break;
                }
            }
        }
    }
    Ok(match other.is_empty() {
        true => Vec::new(),
        false => vec![format!("controls without a verdict were ignored: {}", {
            other.into_iter().collect::<Vec<String>>().join(", ")
        })],
    })
}

/// Reads one record. Returns whether to continue.
fn read_record(
    place: &str,
    record: &Record,
    meaning: Meaning<'_>,
    other: &mut BTreeSet<String>,
    take: Take<'_>,
) -> bool {
    let wrong = |place: &str, problem: Error| Found {
        place: place.to_string(),
        item: String::new(),
        who: String::new(),
        content: Err(problem),
    };
    match (record.get("annotations"), record.get("data")) {
        (Some(Value::Array(list)), Some(Value::Object(data))) => {
            let more = list.iter().enumerate().all(|(at, annotation)| {
                let place = format!("{place}, annotation {}", at + 1);
                let found = match annotation {
                    Value::Object(annotation) => {
                        let source = Source {
                            place: place.clone(),
                            data,
                            task: record.get("id"),
                            annotation,
                            min: false,
                        };
                        source.found(meaning, other)
                    }
                    _ => wrong(&place, Error::input("not an object").field("annotations")),
                };
                take(found)
            });
            more && read_comments(place, data, record.get("id"), false, meaning, take)
        }
        (None, _) if record.contains_key("annotation_id") || record.contains_key("annotator") => {
            let task = record.get("id");
            let source = Source {
                place: place.to_string(),
                data: record,
                task,
                annotation: record,
                min: true,
            };
            take(source.found(meaning, other))
                && read_comments(place, record, record.get("id"), true, meaning, take)
        }
        (Some(_), Some(Value::Object(_))) => take(wrong(
            place,
            Error::input("expected an array").field("annotations"),
        )),
        (Some(_), _) => take(wrong(
            place,
            Error::input("the task has no data").field("data"),
        )),
        (None, _) => {
            let what = "the record is neither a task with annotations nor a JSON-MIN record";
            take(wrong(place, Error::input(what).field("annotations")))
        }
    }
}

/// Reads the comments in the data of a task. Returns whether to continue.
fn read_comments(
    place: &str,
    data: &Record,
    task: Option<&Value>,
    min: bool,
    meaning: Meaning<'_>,
    take: Take<'_>,
) -> bool {
    let list = match data.get(COMMENTS) {
        None | Some(Value::Null) => return true,
        Some(Value::Array(list)) => list,
        Some(other) => {
            let problem = wrong(COMMENTS, "an array", other);
            return take(Found::comment(place.to_string(), Err(problem), meaning));
        }
    };
    let item = item(data, task, min, meaning).1;
    list.iter().enumerate().all(|(at, comment)| {
        let line = CommentLine::deserialize(comment)
            .map_err(|e| Error::input(e.to_string()).field(COMMENTS));
        let line = line.and_then(|line| {
            let item = item.clone()?.0;
            Ok(CommentLine { item, ..line })
        });
        let place = format!("{place}, comment {}", at + 1);
        take(Found::comment(place, line, meaning))
    })
}

/// The id of an item, and the question in its task.
type About = (String, Option<String>);

/// An annotation and the data of its task. In JSON-MIN both are one record.
struct Source<'s> {
    place: String,
    data: &'s Record,
    /// Label Studio's number of the task.
    task: Option<&'s Value>,
    annotation: &'s Record,
    min: bool,
}

impl Source<'_> {
    fn found(self, meaning: Meaning<'_>, other: &mut BTreeSet<String>) -> Found {
        let (key, known) = item(self.data, self.task, self.min, meaning);
        let item = known.as_ref().map_or(key, |about| about.0.clone());
        let who = self.completed_by();
        let verdict = self.verdict(known, who.as_ref(), meaning, other);
        Found {
            place: self.place,
            item,
            who: who.map(|w| w.name).unwrap_or_default(),
            content: verdict.map(|verdict| Exchanged::Verdict(Box::new(verdict))),
        }
    }

    /// The annotator: a number in Label Studio, an email address, or a name.
    fn completed_by(&self) -> Option<Person> {
        let field = if self.min {
            "annotator"
        } else {
            "completed_by"
        };
        let plain = |value: &Value| match value {
            Value::Number(n) => Some(Person {
                name: n.to_string(),
                number: true,
            }),
            Value::String(s) if !s.is_empty() => Some(Person {
                name: s.clone(),
                number: s.bytes().all(|b| b.is_ascii_digit()),
            }),
            _ => None,
        };
        match self.annotation.get(field)? {
            Value::Object(user) => match text_in(user, "email").filter(|email| !email.is_empty()) {
                Some(email) => Some(Person {
                    name: email.to_string(),
                    number: false,
                }),
                None => plain(user.get("id")?),
            },
            value => plain(value),
        }
    }

    fn verdict(
        &self,
        about: Result<About>,
        who: Option<&Person>,
        meaning: Meaning<'_>,
        other: &mut BTreeSet<String>,
    ) -> Result<ExchangedVerdict> {
        if self
            .annotation
            .get("was_cancelled")
            .and_then(Value::as_bool)
            == Some(true)
        {
            return Err(
                Error::input("the annotation was cancelled in Label Studio").field("was_cancelled")
            );
        }
        let (item, question) = about?;
        let mut controls = self.controls(meaning)?;
        let judgement = controls.judgement(meaning);
        other.append(&mut controls.other);
        let judgement = judgement?;
        let block = self.block()?;
        if let Some(known) = self.known(&block, &judgement, who, meaning) {
            return Ok(ExchangedVerdict {
                question,
                ..circumstanced(&item, known, judgement, meaning)?
            });
        }
        let person = who
            .ok_or_else(|| Error::input("the annotation has no annotator").field("completed_by"))?;
        if person.number && !meaning.words.people.contains_key(&person.name) {
            let what = format!("{} is an annotator's number in Label Studio", person.name);
            let help = format!("map the number to a name with --map {}=NAME", person.name);
            return Err(Error::input(what).field("completed_by").help(help));
        }
        let who = meaning
            .words
            .person(&person.name)
            .map_err(|p| p.field("completed_by"))?;
        let at = self.at()?;
        let judgement = Judgement {
            ms: self.lead_time(),
            ..judgement
        };
        let id = self
            .text(if self.min { "annotation_id" } else { "id" })
            .unwrap_or_default();
        let uuid = drawn("label-studio", &id, (&item, &who), at, &judgement);
        Ok(ExchangedVerdict {
            item,
            who,
            judgement,
            at,
            rev: None,
            uuid,
            on: None,
            question,
        })
    }

    /// The content of the annotation's controls.
    fn controls(&self, meaning: Meaning<'_>) -> Result<Controls> {
        let mut controls = Controls::default();
        if self.min {
            for (name, value) in self
                .annotation
                .iter()
                .filter(|(name, _)| !OWN[..7].contains(&name.as_str()))
            {
                match (name.as_str(), value) {
                    (NOTE, value) => {
                        let text = texts(name, value)?;
                        if !text.is_empty() {
                            controls.write(name, text.join("\n"));
                        }
                    }
                    (ANSWER, value) => controls.pick(name, texts(name, value)?, meaning),
                    (BOXES | POINTS, Value::Array(list)) => {
                        for value in list {
                            let picture = value.as_object().map_or(1, regions::picture);
                            controls.marks.push(regions::mark(value, picture)?);
                        }
                    }
                    (TAGS, value) => controls.file(name, regions::paths(value)),
                    (REASONS, value) if is_taxonomy(value) => {
                        controls.file(name, regions::paths(value));
                    }
                    (VERDICT | REASONS, value) => controls.choose(name, texts(name, value)?),
                    // Other fields are data of the task, unless the user mapped their choices.
                    (_, value) => {
                        let mut list = texts(name, value).unwrap_or_default();
                        list.retain(|word| meaning.words.choices.contains_key(word));
                        controls.choose(name, list);
                    }
                }
            }
            return Ok(controls);
        }
        let result = match self.annotation.get("result") {
            Some(Value::Array(result)) => result,
            Some(value) => return Err(wrong("result", "an array", value)),
            None => return Err(Error::input("missing").field("result")),
        };
        for region in result {
            let field = |name: &str| region.get(name).and_then(Value::as_str).unwrap_or_default();
            let (name, kind) = (field("from_name"), field("type"));
            let value = region.get("value").unwrap_or(&Value::Null);
            match kind {
                "choices" => controls.pick(name, texts(name, value)?, meaning),
                "taxonomy" => controls.file(name, regions::paths(value)),
                kind if regions::is_mark(kind) => {
                    let picture = region.as_object().map_or(1, regions::picture);
                    controls.marks.push(regions::mark(value, picture)?);
                }
                "textarea" => controls.write(name, texts(name, value)?.join("\n")),
                _ => drop(controls.other.insert(name.to_string())),
            }
        }
        Ok(controls)
    }

    /// The circumstances of the task's verdicts, if benchtop wrote the task.
    fn block(&self) -> Result<Vec<Circumstances>> {
        let Some(block) = self.data.get(BLOCK) else {
            return Ok(Vec::new());
        };
        serde_json::from_value(block.clone()).map_err(|e| Error::input(e.to_string()).field(BLOCK))
    }

    /// The circumstances of this verdict, if it is unchanged.
    fn known<'b>(
        &self,
        block: &'b [Circumstances],
        judgement: &Judgement,
        who: Option<&Person>,
        meaning: Meaning<'_>,
    ) -> Option<&'b Circumstances> {
        let said = judgement_digest(judgement);
        let mut same = block.iter().filter(|known| known.said == said);
        if self.min {
            // There is no receipt, so the same annotator with the same content matches.
            let who = meaning.words.person(&who?.name).ok()?;
            let at = self.text("created_at");
            let mut same: Vec<_> = same.filter(|known| known.who == who).collect();
            same.sort_by_key(|known| known.at != at);
            return same.first().copied();
        }
        let id = self.annotation.get("unique_id")?.as_str()?;
        same.find(|known| known.uuid.to_string() == id)
    }

    fn text(&self, name: &str) -> Option<String> {
        text(self.annotation.get(name)?)
    }

    /// The time of the last change, else of the creation.
    fn at(&self) -> Result<Option<i64>> {
        for name in ["updated_at", "created_at"] {
            match self.annotation.get(name) {
                None | Some(Value::Null) => {}
                Some(Value::String(text)) => {
                    return time(text).map(Some).map_err(|p| p.field(name));
                }
                Some(value) => return Err(wrong(name, "a time", value)),
            }
        }
        Ok(None)
    }

    /// Duration in milliseconds.
    fn lead_time(&self) -> Option<u32> {
        let seconds = self
            .annotation
            .get("lead_time")?
            .as_f64()
            .filter(|s| s.is_finite() && *s >= 0.0)?;
        // The cast saturates, which is fine: nobody looks at an item for fifty days.
        Some((seconds * 1000.0).round() as u32)
    }
}

/// The item's name in the task, and the item's id with the question in the task.
fn item(
    data: &Record,
    task: Option<&Value>,
    min: bool,
    meaning: Meaning<'_>,
) -> (String, Result<About>) {
    let named = meaning.words.item_field.as_deref();
    let said = data.get(named.unwrap_or("item")).and_then(text);
    let question = text_in(data, "question").map(str::to_string);
    let (key, question) = match (said, named) {
        (Some(said), _) => (Some(said), question),
        (None, Some(_)) => (None, question),
        (None, None) => {
            let (key, question) = label_studio::asked(data.clone(), task.cloned(), min);
            (key.as_ref().and_then(text), question)
        }
    };
    let Some(key) = key else {
        let problem =
            Error::input("the task does not name its item").field(named.unwrap_or("item"));
        let help = "use --item-field to name the field of `data` that holds the item's id";
        return (String::new(), Err(problem.help(help)));
    };
    let item = (meaning.item)(&key, question.as_deref());
    (key, item.map(|item| (item, question)))
}

/// Whether a value of JSON-MIN has paths of levels.
fn is_taxonomy(value: &Value) -> bool {
    let list = value.get("taxonomy").unwrap_or(value);
    list.as_array()
        .is_some_and(|list| list.iter().any(Value::is_array))
}

/// A text that is not empty, or a number as text.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// An annotator in Label Studio.
struct Person {
    name: String,
    number: bool,
}

/// A verdict on `item` with its original circumstances.
fn circumstanced(
    item: &str,
    known: &Circumstances,
    judgement: Judgement,
    meaning: Meaning<'_>,
) -> Result<ExchangedVerdict> {
    let known = known.clone();
    let line = Line {
        number: None,
        item: item.into(),
        who: known.who,
        verdict: judgement.verdict.name().into(),
        reasons: judgement.reasons,
        tags: judgement.tags,
        marks: judgement.marks,
        note: judgement.note,
        ms: known.ms,
        seen: Some(known.seen),
        at: known.at,
        rev: known.rev,
        uuid: Some(known.uuid),
        answer: judgement.answer,
        round: known.round,
        part: known.part,
        guidelines: known.guidelines,
        revealed: known.revealed,
        on: known.on,
        pictures: known.pictures,
    };
    line.exchanged(meaning)
        .map_err(|p| Error::input(p.what).field(BLOCK))
}
