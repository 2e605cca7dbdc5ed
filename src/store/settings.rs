//! Changes of `benchtop.toml` that keep its comments and its order.

use std::path::Path;

use toml_edit::{Array, DocumentMut, InlineTable, Item, TableLike, Value, value};

use benchtop_files::project::{FILE, Project};
use benchtop_files::{disk, regular};
use benchtop_model::config::Config;
use benchtop_model::settings::ChangedSetting;
use benchtop_model::{Error, Result};

/// A wanted setting of a table.
#[derive(Clone, Debug)]
pub struct Setting {
    pub table: &'static str,
    pub key: &'static str,
    pub value: NewValue,
}

/// The value of a setting.
#[derive(Clone, Debug)]
pub enum NewValue {
    /// Removes the setting.
    Unset,
    Text(String),
    /// Pairs of names and texts, as an inline table.
    Texts(Vec<(String, String)>),
    /// The fields of the first entry of a list of tables, such as the first server. A field without
    /// a value is removed. The other fields and entries stay.
    First(Vec<(&'static str, Option<String>)>),
}

/// A changed `benchtop.toml` that is not written yet.
#[derive(Clone, Debug)]
pub struct SettingsEdit {
    before: String,
    after: String,
    pub changes: Vec<ChangedSetting>,
    /// The settings after the change.
    pub config: Config,
}

/// Works out a change of the settings.
///
/// # Errors
/// An invalid file before the change, or invalid settings after it, with the field.
pub fn edit(project: &Project, settings: &[Setting]) -> Result<SettingsEdit> {
    let path = project.root().join(FILE);
    let before = regular::read_text(&path, regular::SETTINGS_LIMIT)?;
    let old = Config::parse(&before, &path)?;
    let mut document: DocumentMut = before.parse().map_err(|e: toml_edit::TomlError| {
        Error::input(e.message().replace('\n', " ")).file(&path)
    })?;
    let mut changes = Vec::new();
    for setting in settings {
        changes.extend(change(&mut document, setting, &path)?);
    }
    let after = match changes.is_empty() {
        true => before.clone(),
        false => document.to_string(),
    };
    // The line is that of a text that nobody has seen.
    let config = match changes.is_empty() {
        true => old,
        false => Config::parse(&after, &path).map_err(|mut problem| {
            problem.place.line = None;
            problem
        })?,
    };
    Ok(SettingsEdit {
        before,
        after,
        changes,
        config,
    })
}

/// Writes the change.
///
/// # Errors
/// [`Error::conflict`] if the file changed meanwhile.
pub fn write(project: &Project, edit: &SettingsEdit) -> Result<()> {
    if edit.changes.is_empty() {
        return Ok(());
    }
    let path = project.root().join(FILE);
    if regular::read_text(&path, regular::SETTINGS_LIMIT)? != edit.before {
        return Err(Error::conflict("the file changed meanwhile")
            .file(&path)
            .help("look at it, and try again"));
    }
    disk::write_atomic(&path, edit.after.as_bytes())
}

/// Changes one setting. Returns the changes as a person reads them.
fn change(
    document: &mut DocumentMut,
    setting: &Setting,
    path: &Path,
) -> Result<Vec<ChangedSetting>> {
    let Setting { table, key, value } = setting;
    let name = format!("{table}.{key}");
    let is_there = document.get(table).is_some();
    if !is_there {
        let nothing = match value {
            NewValue::Unset => true,
            NewValue::First(fields) => fields.iter().all(|(_, text)| text.is_none()),
            _ => false,
        };
        if nothing {
            return Ok(Vec::new());
        }
        document.insert(table, toml_edit::table());
    }
    let wrong = |what: &str| Err(Error::input(what).file(path).field(name.clone()));
    let Some(held) = document.get_mut(table).and_then(Item::as_table_like_mut) else {
        return wrong("this is no table");
    };
    let before = held.get(key).map(shown);
    match value {
        NewValue::First(fields) => return first(held, (table, key), fields, path),
        NewValue::Unset => drop(held.remove(key)),
        NewValue::Text(text) => put(held, key, text.as_str().into()),
        NewValue::Texts(pairs) => {
            let pairs = pairs
                .iter()
                .map(|(name, text)| (name.as_str(), Value::from(text.as_str())));
            put(
                held,
                key,
                Value::InlineTable(pairs.collect::<InlineTable>()),
            );
        }
    }
    let after = held.get(key).map(shown);
    if !is_there && held.is_empty() {
        document.remove(table);
    }
    let changed = ChangedSetting {
        name,
        before,
        after,
    };
    Ok(match changed.before == changed.after {
        true => Vec::new(),
        false => vec![changed],
    })
}

/// Sets a value and keeps the comment behind it.
fn put(table: &mut dyn TableLike, key: &str, mut new: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        None => drop(table.insert(key, value(new))),
    }
}

/// Changes fields of the first table of a list.
fn first(
    table: &mut dyn TableLike,
    (name, key): (&str, &str),
    fields: &[(&'static str, Option<String>)],
    path: &Path,
) -> Result<Vec<ChangedSetting>> {
    let is_new = table.get(key).is_none();
    if is_new {
        if fields.iter().all(|(_, text)| text.is_none()) {
            return Ok(Vec::new());
        }
        let mut list = Array::new();
        list.push(InlineTable::new());
        table.insert(key, value(list));
    }
    let first: Option<&mut dyn TableLike> = match table.get_mut(key) {
        Some(Item::Value(Value::Array(list))) => {
            if list.is_empty() {
                list.push(InlineTable::new());
            }
            let first = list.get_mut(0).and_then(Value::as_inline_table_mut);
            first.map(|first| first as &mut dyn TableLike)
        }
        Some(Item::ArrayOfTables(list)) => list.get_mut(0).map(|first| first as &mut dyn TableLike),
        _ => None,
    };
    let Some(first) = first else {
        let what = "this is no list of tables";
        return Err(Error::input(what).file(path).field(format!("{name}.{key}")));
    };
    let mut changes = Vec::new();
    for (field, text) in fields {
        let before = first.get(field).map(shown);
        match text {
            Some(text) => put(first, field, text.as_str().into()),
            None => drop(first.remove(field)),
        }
        let after = first.get(field).map(shown);
        if before != after {
            let name = format!("{name}.{key}.{field}");
            changes.push(ChangedSetting {
                name,
                before,
                after,
            });
        }
    }
    if first.is_empty() {
        match table.get_mut(key) {
            Some(Item::Value(Value::Array(list))) if list.len() > 1 => drop(list.remove(0)),
            Some(Item::ArrayOfTables(list)) if list.len() > 1 => drop(list.remove(0)),
            _ => drop(table.remove(key)),
        }
    }
    Ok(changes)
}

/// A value as written, without the comment behind it.
fn shown(item: &Item) -> String {
    match item.as_value() {
        Some(value) => value.clone().decorated("", "").to_string(),
        None => item.to_string().trim().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# mine\nname = \"x\" # the name\n\n[generate]\n# what paints\nbackend = \"storyboard\" # for now\n\
        \n[judge]\nmodel = \"m\"\nendpoints = [\n  # the lab's\n  { url = \"http://a/v1\", concurrency = 8 },\n  { url = \"http://b/v1\" },\n]\n";

    fn project(text: &str) -> (tempfile::TempDir, Project) {
        let dir = tempfile::tempdir().unwrap();
        Project::init(dir.path()).unwrap();
        std::fs::write(dir.path().join(FILE), text).unwrap();
        let project = Project::open(dir.path()).unwrap();
        (dir, project)
    }

    fn set(table: &'static str, key: &'static str, value: NewValue) -> Setting {
        Setting { table, key, value }
    }

    #[test]
    fn a_change_keeps_comments_and_the_other_servers() {
        let (dir, project) = project(TEXT);
        let wanted = [
            set("generate", "backend", NewValue::Text("candle".into())),
            set("generate", "model", NewValue::Text("sdxl-base".into())),
            set(
                "judge",
                "endpoints",
                NewValue::First(vec![("url", Some("http://c/v1".into())), ("key_env", None)]),
            ),
            set("shared", "group", NewValue::Unset),
        ];
        let edited = edit(&project, &wanted).unwrap();
        let names: Vec<&str> = edited.changes.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(
            names,
            ["generate.backend", "generate.model", "judge.endpoints.url"]
        );
        assert_eq!(edited.changes[0].before.as_deref(), Some("\"storyboard\""));
        write(&project, &edited).unwrap();
        let text = std::fs::read_to_string(dir.path().join(FILE)).unwrap();
        for kept in [
            "# mine\nname = \"x\" # the name\n",
            "# what paints\nbackend = \"candle\" # for now\n",
            "# the lab's\n  { url = \"http://c/v1\", concurrency = 8 }",
            "{ url = \"http://b/v1\" }",
        ] {
            assert!(text.contains(kept), "{kept}\n{text}");
        }
        assert!(!text.contains("shared"), "{text}");
        let again = edit(&project, &wanted).unwrap();
        assert!(again.changes.is_empty(), "{:?}", again.changes);
    }

    #[test]
    fn invalid_settings_are_refused_with_their_field_and_not_written() {
        let (dir, project) = project(TEXT);
        let wanted = [set("generate", "backend", NewValue::Text("http".into()))];
        let problem = edit(&project, &wanted).unwrap_err();
        assert_eq!(
            problem.place.field.as_deref(),
            Some("generate"),
            "{problem:?}"
        );
        let wanted = [set(
            "shared",
            "people",
            NewValue::Texts(vec![("ann".into(), "../x".into())]),
        )];
        assert!(edit(&project, &wanted).is_err());
        let fine = [set("shared", "group", NewValue::Text("staff".into()))];
        let edited = edit(&project, &fine).unwrap();
        std::fs::write(dir.path().join(FILE), format!("{TEXT}# more\n")).unwrap();
        let problem = write(&project, &edited).unwrap_err();
        assert_eq!(problem.kind, benchtop_model::ErrorKind::Conflict);
    }

    #[test]
    fn what_is_added_and_removed_again_leaves_no_trace() {
        let (dir, project) = project(TEXT);
        let people = vec![("robert".to_string(), "bob".to_string())];
        let on = [
            set("shared", "group", NewValue::Text("staff".into())),
            set("shared", "people", NewValue::Texts(people)),
        ];
        let edited = edit(&project, &on).unwrap();
        assert_eq!(edited.config.shared.people["robert"], "bob");
        write(&project, &edited).unwrap();
        let off = [
            set("shared", "group", NewValue::Unset),
            set("shared", "people", NewValue::Unset),
        ];
        let edited = edit(&project, &off).unwrap();
        write(&project, &edited).unwrap();
        let text = std::fs::read_to_string(dir.path().join(FILE)).unwrap();
        assert!(text.starts_with(TEXT), "{text}");
        assert!(
            Config::parse(&text, Path::new(FILE))
                .unwrap()
                .shared
                .group
                .is_none()
        );
    }
}
