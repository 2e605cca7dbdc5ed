//! Numbers of marks.

use benchtop_model::json_objects::{Pairs, arrays, objects};
use serde_json::Value;

use super::Reading;
use super::fault::{Fault, FaultKind};

/// Fields that have the list of marks.
const LISTS: [&str; 3] = ["removable", "marks", "objects"];
/// Fields with the number of a mark.
const NUMBERS: [&str; 3] = ["mark", "number", "id"];

/// What a grounder was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedMarks {
    /// Number of marks to choose. VLB asks for five.
    pub count: usize,
    /// Number of marks on the picture. Marks are numbered from 1.
    pub marks: usize,
}

/// Reads numbers of marks, such as `{"removable": [3, 1, 7]}` or `[{"mark": 3, "name": "a cup"}]`,
/// from a reply with words around it. The entries are in the order of the reply.
pub fn read_marks(reply: &str, asked: &AskedMarks) -> Reading<usize> {
    if reply.trim().is_empty() {
        return Reading::nothing(FaultKind::Empty, "the reply is empty");
    }
    let (found, outside) = objects(reply);
    let mut values = Vec::new();
    for Pairs(fields) in &found {
        let field = |names: &[&str]| fields.iter().find(|(name, _)| names.contains(&&**name));
        match (field(&LISTS), field(&NUMBERS)) {
            (Some((_, Value::Array(list))), _) => values.extend(list.iter().cloned()),
            (_, Some((_, number))) => values.push(number.clone()),
            _ => {}
        }
    }
    // A list alone, which is not in an object.
    if found.is_empty() {
        values.extend(arrays(reply).into_iter().flatten());
    }
    if values.is_empty() {
        let kind = match (found.is_empty(), outside.contains(['{', '['])) {
            (false, _) => FaultKind::NoEntries,
            (true, true) => FaultKind::Unfinished,
            (true, false) => FaultKind::NoJson,
        };
        return Reading::nothing(kind, "the reply has no list of marks as JSON");
    }
    let mut reading = Reading {
        entries: Vec::new(),
        faults: Vec::new(),
    };
    for (at, value) in values.iter().enumerate() {
        match number(value).filter(|mark| (1..=asked.marks).contains(mark)) {
            Some(mark) if reading.entries.contains(&mark) => {
                let what = format!("mark {mark} is there twice");
                let fault = Fault::of_entry(at, FaultKind::Twice, what);
                reading.faults.push(fault);
            }
            Some(mark) => reading.entries.push(mark),
            None => {
                let what = format!("not a number of a mark, from 1 to {}", asked.marks);
                let fault = Fault::of_entry(at, FaultKind::Mark, what);
                reading.faults.push(fault);
            }
        }
    }
    reading.count(values.len(), asked.count);
    reading
}

/// A number, also as a string and with a `#`, or in an object.
fn number(value: &Value) -> Option<usize> {
    match value {
        Value::Number(number) => number.as_u64().and_then(|n| usize::try_from(n).ok()),
        Value::String(text) => text.trim().trim_start_matches('#').parse().ok(),
        Value::Object(map) => NUMBERS
            .iter()
            .find_map(|name| map.get(*name))
            .filter(|value| !value.is_object())
            .and_then(number),
        _ => None,
    }
}
