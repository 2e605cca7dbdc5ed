//! Grid cells that compatibility rules leave empty, with reasons.

use super::axis::{SUBJECT, SUBTASK};
use benchtop_compose::compatibility::{Compatibility, TermAt};
use benchtop_compose::compiled_metadata::CompiledMetadata;

/// A value of a property.
enum Value {
    Subject(usize),
    Subtask(usize),
    Term(TermAt),
}

fn value(grammar: &CompiledMetadata, property: &str, value: &str) -> Option<Value> {
    match property {
        SUBJECT => grammar.subject(value).map(Value::Subject),
        SUBTASK => grammar.subtask(value).map(Value::Subtask),
        vocabulary => {
            let list = grammar.list(vocabulary)?;
            grammar.lists[list]
                .position(value)
                .map(|term| Value::Term((list, term)))
        }
    }
}

/// The cells (row by row) that cannot contain items, with reasons. Rows and columns are values of
/// these properties.
pub(super) fn excluded<'v>(
    grammar: &CompiledMetadata,
    (rows, columns): (&str, &str),
    down: impl Iterator<Item = &'v str>,
    across: impl Iterator<Item = &'v str>,
) -> Vec<(u32, String)> {
    let Some(rules) = grammar.compatibility.as_deref() else {
        return Vec::new();
    };
    let across: Vec<Option<Value>> = across.map(|v| value(grammar, columns, v)).collect();
    let mut out = Vec::new();
    for (row, own) in down.enumerate() {
        let Some(own) = value(grammar, rows, own) else {
            continue;
        };
        for (column, other) in across.iter().enumerate() {
            let why = other
                .as_ref()
                .and_then(|other| why(grammar, rules, &own, other));
            out.extend(why.map(|why| ((row * across.len() + column) as u32, why)));
        }
    }
    out
}

fn why(grammar: &CompiledMetadata, rules: &Compatibility, a: &Value, b: &Value) -> Option<String> {
    let name = |t: TermAt| &grammar.lists[t.0].terms[t.1 as usize];
    let with = |what: String, why: &str| {
        if why.is_empty() {
            what
        } else {
            format!("{what}: {why}")
        }
    };
    let hides = |term: TermAt, subtask: usize| {
        let list = grammar.subtasks[subtask].list;
        let (_, why) = rules
            .hidden(term)
            .iter()
            .find(|(hidden, _)| *hidden == list)?;
        Some(with(
            format!("`{}` hides the {}", name(term), grammar.lists[list].name),
            why,
        ))
    };
    match (a, b) {
        (Value::Term(a), Value::Term(b)) if rules.clash(*a, *b) => {
            let what = format!(
                "`{}` and `{}` cannot appear in one picture",
                name(*a),
                name(*b)
            );
            Some(with(what, rules.reason(*a, *b)))
        }
        (Value::Term(term), Value::Subtask(subtask))
        | (Value::Subtask(subtask), Value::Term(term)) => hides(*term, *subtask),
        // A picture about which nothing can be asked.
        (Value::Term(term), Value::Subject(subject))
        | (Value::Subject(subject), Value::Term(term)) => {
            let mut asked = grammar.subjects[*subject].supports.iter();
            let first = hides(*term, *asked.next()?)?;
            asked
                .all(|subtask| hides(*term, *subtask).is_some())
                .then_some(first)
        }
        _ => None,
    }
}
