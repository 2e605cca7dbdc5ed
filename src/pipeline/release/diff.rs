//! The differences between two releases.

use std::collections::HashMap;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use benchtop_files::project::Project;
use benchtop_files::regular;
use benchtop_model::release::{ReleaseRecord, ReleasedItem};
use benchtop_model::{Error, ErrorKind, Result};
use benchtop_store::releases::{self, RECORD_LIMIT};

/// The record in the folder of a release.
pub const RECORD: &str = "release.json";

/// A compared release.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Side {
    pub name: String,
    pub version: Option<String>,
    pub date: Option<String>,
    pub items: u64,
}

/// An item that is in both releases and differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedItem {
    pub id: String,
    /// What changed: `question`, `options`, `answer`, `picture`, `verdict`.
    pub what: Vec<&'static str>,
}

/// A number of the statistics in both releases.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// Its path, such as `questions.unique`.
    pub name: String,
    pub a: Option<f64>,
    pub b: Option<f64>,
}

/// The differences from release `a` to release `b`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReleaseDiff {
    pub a: Side,
    pub b: Side,
    /// Ids of items, in the order of `b`.
    pub added: Vec<String>,
    /// Ids of items, in the order of `a`.
    pub removed: Vec<String>,
    /// In the order of `b`.
    pub changed: Vec<ChangedItem>,
    pub statistics: Vec<Compared>,
}

/// The release that `what` names: one of the project, or a folder.
///
/// # Errors
/// If there is neither, and errors with the file.
pub fn load(project: Option<&Project>, what: &str) -> Result<ReleaseRecord> {
    let is_path = what.contains('/') || what == "." || what == "..";
    let named = match project.filter(|_| !is_path) {
        Some(project) => match releases::read(project, what) {
            Err(problem) if problem.kind == ErrorKind::NotFound => Err(problem),
            read => return read,
        },
        None => Err(Error::not_found(format!("no folder `{what}`"))
            .help("name a release of the project, or the folder of one")),
    };
    let dir = Path::new(what);
    if !dir.is_dir() {
        return named;
    }
    let dir = std::fs::canonicalize(dir).map_err(|e| Error::io(&e, "cannot open", dir))?;
    let path = dir.join(RECORD);
    let bytes = regular::read(&path, RECORD_LIMIT)?;
    ReleaseRecord::parse(&bytes).map_err(|problem| problem.file(path))
}

fn side(record: &ReleaseRecord) -> Side {
    Side {
        name: record.name.clone(),
        version: record.version.clone(),
        date: record.date.clone(),
        items: record.items.len() as u64,
    }
}

/// What differs between two records of one item.
fn changes(a: &ReleasedItem, b: &ReleasedItem) -> Vec<&'static str> {
    let parts = [
        ("question", a.question != b.question),
        ("options", a.options != b.options),
        ("answer", a.answer != b.answer),
        ("picture", a.pictures != b.pictures),
        ("verdict", a.verdict != b.verdict),
    ];
    let differs = parts.into_iter().filter(|(_, differs)| *differs);
    differs.map(|(name, _)| name).collect()
}

/// Compares two releases.
pub fn diff(a: &ReleaseRecord, b: &ReleaseRecord) -> ReleaseDiff {
    let mut before: HashMap<&str, &ReleasedItem> = a
        .items
        .iter()
        .map(|item| (item.id.as_str(), item))
        .collect();
    let mut found = ReleaseDiff {
        a: side(a),
        b: side(b),
        statistics: statistics(&a.statistics, &b.statistics),
        ..ReleaseDiff::default()
    };
    for item in &b.items {
        match before.remove(item.id.as_str()) {
            None => found.added.push(item.id.clone()),
            Some(old) => {
                let what = changes(old, item);
                if !what.is_empty() {
                    let id = item.id.clone();
                    found.changed.push(ChangedItem { id, what });
                }
            }
        }
    }
    let gone = a.items.iter().map(|item| &item.id);
    let gone = gone.filter(|id| before.contains_key(id.as_str()));
    found.removed = gone.cloned().collect();
    found
}

/// The numbers of both, by path, in the order of `b` and then of what only `a` has.
fn statistics(a: &Value, b: &Value) -> Vec<Compared> {
    let (mut before, mut now) = (Vec::new(), Vec::new());
    numbers("", a, 0, &mut before);
    numbers("", b, 0, &mut now);
    let of = |list: &[(String, f64)], name: &str| {
        let found = list.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| *value)
    };
    let names = now
        .iter()
        .chain(before.iter().filter(|(name, _)| of(&now, name).is_none()));
    names
        .map(|(name, _)| Compared {
            name: name.clone(),
            a: of(&before, name),
            b: of(&now, name),
        })
        .collect()
}

/// Most numbers of the statistics, which can come from anybody.
const NUMBERS_LIMIT: usize = 5000;

fn numbers(path: &str, value: &Value, depth: usize, found: &mut Vec<(String, f64)>) {
    match value {
        Value::Number(n) if found.len() < NUMBERS_LIMIT => {
            found.extend(n.as_f64().map(|n| (path.to_string(), n)));
        }
        Value::Object(fields) if depth < 8 => {
            for (name, value) in fields {
                let path = match path.is_empty() {
                    true => name.clone(),
                    false => format!("{path}.{name}"),
                };
                numbers(&path, value, depth + 1, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn items_are_added_removed_and_changed_in_named_parts() {
        let item = |id: &str, question: &str, answer: &str, verdict: &str| ReleasedItem {
            id: id.into(),
            question: question.into(),
            answer: answer.into(),
            verdict: verdict.into(),
            ..ReleasedItem::default()
        };
        let a = ReleaseRecord {
            name: "a".into(),
            statistics: json!({"items": 3, "questions": {"unique": 3}, "old": 1}),
            items: vec![
                item("1", "q", "x", "accepted"),
                item("2", "q", "x", "accepted"),
                item("3", "q", "x", "accepted"),
            ],
            ..ReleaseRecord::default()
        };
        let b = ReleaseRecord {
            name: "b".into(),
            statistics: json!({"items": 3, "questions": {"unique": 2}, "text": "no number"}),
            items: vec![
                item("4", "q", "x", "accepted"),
                item("3", "q", "y", "pending"),
                item("1", "q", "x", "accepted"),
            ],
            ..ReleaseRecord::default()
        };
        let found = diff(&a, &b);
        assert_eq!(
            (found.added, found.removed),
            (vec!["4".into()], vec!["2".into()])
        );
        let what = vec!["answer", "verdict"];
        assert_eq!(
            found.changed,
            [ChangedItem {
                id: "3".into(),
                what
            }]
        );
        let compared = |name: &str, a: Option<f64>, b: Option<f64>| Compared {
            name: name.into(),
            a,
            b,
        };
        assert_eq!(
            found.statistics,
            [
                compared("items", Some(3.0), Some(3.0)),
                compared("questions.unique", Some(3.0), Some(2.0)),
                compared("old", Some(1.0), None),
            ]
        );
    }
}
