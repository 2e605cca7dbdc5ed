//! Parses a model's questions about a description, from JSON or from blocks of `field: value`
//! lines.

use serde_json::Value;

use super::{plain, text_of};
use crate::judge::spoken;
use benchtop_model::json_objects::{Pairs, objects};
use benchtop_model::judge::Element;

/// The questions that could be read, and notes about the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Questions {
    pub elements: Vec<Element>,
    /// What was left out or is unusual, one line each.
    pub notes: Vec<String>,
}

/// Reads at most `count` questions from `text`. A question is left out if it lacks its text or its
/// answer, if its answer is not one of its choices, or if it repeats an earlier question. A
/// question whose type is not in `types` is kept and noted.
pub fn read(text: &str, types: &[String], count: u32) -> Questions {
    let text = spoken(text);
    let (found, _) = objects(text);
    let mut raw: Vec<Element> = found.iter().flat_map(from_object).collect();
    if raw.is_empty() {
        raw = from_lines(text);
    }
    let mut all = Questions::default();
    for (at, element) in raw.into_iter().enumerate() {
        let choices: Vec<String> = element.choices.iter().map(|c| plain(c)).collect();
        let answer = plain(&element.answer);
        let known = |e: &Element| plain(&e.question) == plain(&element.question);
        let wrong = if plain(&element.question).is_empty() {
            "has no text".to_string()
        } else if answer.is_empty() {
            "has no answer".to_string()
        } else if !choices.is_empty() && !choices.contains(&answer) {
            format!(
                "has the answer \"{}\", which is not one of its choices",
                element.answer
            )
        } else if all.elements.iter().any(known) {
            "repeats an earlier question".to_string()
        } else if all.elements.len() >= count as usize {
            format!("exceeds the requested {count}")
        } else {
            if !types.is_empty() && !types.iter().any(|t| plain(t) == plain(&element.kind)) {
                all.notes.push(format!(
                    "question {} has the type \"{}\", which is not listed",
                    at + 1,
                    element.kind
                ));
            }
            all.elements.push(element);
            continue;
        };
        all.notes
            .push(format!("question {} is left out: it {wrong}", at + 1));
    }
    if all.elements.len() < count as usize {
        all.notes.push(format!(
            "{} of {count} questions could be read",
            all.elements.len()
        ));
    }
    all
}

/// A question object, or an object with a list of questions.
fn from_object(object: &Pairs) -> Vec<Element> {
    let get = |names: &[&str]| {
        let named =
            |(key, _): &&(String, Value)| names.iter().any(|n| n.eq_ignore_ascii_case(key.trim()));
        object.0.iter().find(named).map(|(_, value)| value)
    };
    if let Some(Value::Array(list)) = get(&["questions", "qas", "elements"]) {
        let object = |v: &Value| serde_json::from_value::<Pairs>(v.clone()).ok();
        return list
            .iter()
            .filter_map(object)
            .flat_map(|o| from_object(&o))
            .collect();
    }
    let text = |names: &[&str]| get(names).and_then(text_of).unwrap_or_default();
    let choices = match get(&["choices", "options"]) {
        Some(Value::Array(list)) => list
            .iter()
            .filter_map(text_of)
            .filter(|c| !c.is_empty())
            .collect(),
        Some(Value::String(list)) => split(list),
        _ => Vec::new(),
    };
    match get(&["question"]) {
        None => Vec::new(),
        Some(_) => vec![Element {
            kind: text(&["type", "element_type"]).to_lowercase(),
            element: text(&["element"]),
            question: text(&["question"]),
            choices,
            answer: text(&["answer"]),
        }],
    }
}

fn split(list: &str) -> Vec<String> {
    let list = list.trim().trim_start_matches('[').trim_end_matches(']');
    let one = |c: &str| c.trim().trim_matches(['"', '\'']).trim().to_string();
    list.split([',', ';'])
        .map(one)
        .filter(|c| !c.is_empty())
        .collect()
}

/// Parses blocks of lines such as `question: ...`, with any bullets or marks before the names. A
/// blank line, or a name that the block already has, starts the next block.
fn from_lines(text: &str) -> Vec<Element> {
    let mut all: Vec<Element> = Vec::new();
    let mut block = Element::default();
    let mut end = |block: &mut Element| {
        let done = std::mem::take(block);
        if !done.question.is_empty() {
            all.push(done);
        }
    };
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() {
            end(&mut block);
            continue;
        }
        let line = line.trim_start_matches(|c: char| !c.is_alphabetic());
        let Some((name, value)) = line.split_once([':', '：']) else {
            continue;
        };
        let value = value.trim().trim_matches(['*', '"', ' ']).to_string();
        let name = name
            .trim()
            .trim_matches(['*', '_', '"', '`'])
            .to_ascii_lowercase();
        let set = match name.as_str() {
            "question" | "q" => !block.question.is_empty(),
            "element" => !block.element.is_empty(),
            "type" | "element_type" | "element type" => !block.kind.is_empty(),
            "answer" | "a" => !block.answer.is_empty(),
            "choices" | "options" => !block.choices.is_empty(),
            _ => continue,
        };
        if set {
            end(&mut block);
        }
        match name.as_str() {
            "question" | "q" => block.question = value,
            "element" => block.element = value,
            "answer" | "a" => block.answer = value,
            "choices" | "options" => block.choices = split(&value),
            _ => block.kind = value.to_lowercase(),
        }
    }
    end(&mut block);
    all
}
