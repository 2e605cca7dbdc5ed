//! Edits of `compatibility.toml` that preserve comments, order, and formatting.

use std::path::Path;

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

use super::rules::FILE;
use benchtop_model::{Error, Result};

/// First line of a new file.
pub const HEADER: &str = "# Terms that cannot appear in one picture, and questions that cannot be asked about one. docs/metadata.md describes this file.\n";

/// A rule to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewRule {
    /// No picture has terms of both sides: vocabulary and terms of each.
    NotWith((String, Vec<String>), (String, Vec<String>)),
    /// Pictures with one of these terms do not show these vocabularies.
    Hides((String, Vec<String>), Vec<String>),
    /// Pictures with one of the first terms also show the second ones.
    Shows((String, Vec<String>), (String, Vec<String>)),
    /// These terms of a vocabulary look alike.
    LookAlike(String, Vec<String>),
}

fn read(text: &str) -> Result<DocumentMut> {
    text.parse().map_err(|e: toml_edit::TomlError| {
        let line = text
            .get(..e.span().map_or(0, |s| s.start))
            .map_or(1, |t| t.matches('\n').count() as u64 + 1);
        Error::input(format!(
            "correct the file first: {}",
            e.message().trim().replace('\n', " ")
        ))
        .file(Path::new(FILE))
        .line(line)
    })
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn key(name: &str) -> String {
    toml_edit::Key::new(name).to_string()
}

fn list(names: &[String]) -> String {
    format!(
        "[{}]",
        names
            .iter()
            .map(|n| quoted(n))
            .collect::<Vec<_>>()
            .join(", ")
    )
}

/// Appends a rule to the text.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] if the text is not valid TOML.
pub fn add(text: &str, rule: &NewRule) -> Result<String> {
    read(text)?;
    let side = |(vocabulary, terms): &(String, Vec<String>)| {
        format!("{} = {}\n", key(vocabulary), list(terms))
    };
    let table = match rule {
        NewRule::NotWith(a, b) => format!("[[not-with]]\n{}{}", side(a), side(b)),
        NewRule::Hides(a, hidden) => format!("[[hides]]\n{}hides = {}\n", side(a), list(hidden)),
        NewRule::Shows(a, b) => {
            format!(
                "[[shows]]\n{}shows = {{ {} }}\n",
                side(a),
                side(b).trim_end()
            )
        }
        NewRule::LookAlike(vocabulary, terms) => {
            format!("[[look-alike]]\n{} = {}\n", key(vocabulary), list(terms))
        }
    };
    let mut out = if text.is_empty() {
        HEADER.to_string()
    } else {
        text.to_string()
    };
    if !out.ends_with('\n') {
        out.push('\n');
    }
    Ok(format!("{out}\n{table}"))
}

/// Moves these terms to a group of their vocabulary, or out of all groups if `group` is `None`.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] if the text is not valid TOML, or `groups` does not consist
/// of tables of lists.
pub fn set_group(
    text: &str,
    vocabulary: &str,
    terms: &[String],
    group: Option<&str>,
) -> Result<String> {
    let mut document = read(if text.is_empty() { HEADER } else { text })?;
    let not_lists = || {
        Error::input("`groups` contains something other than lists; edit it by hand")
            .file(Path::new(FILE))
    };
    let root = document.as_table_mut();
    if root.get("groups").is_none() && group.is_some() {
        let mut groups = Table::new();
        groups.set_implicit(true);
        root.insert("groups", Item::Table(groups));
    }
    let Some(groups) = root.get_mut("groups") else {
        return Ok(text.to_string());
    };
    let groups = groups.as_table_like_mut().ok_or_else(not_lists)?;
    if groups.get(vocabulary).is_none() {
        if group.is_none() {
            return Ok(text.to_string());
        }
        groups.insert(vocabulary, Item::Table(Table::new()));
    }
    let own = groups
        .get_mut(vocabulary)
        .and_then(Item::as_table_like_mut)
        .ok_or_else(not_lists)?;
    let names: Vec<String> = own.iter().map(|(name, _)| name.to_string()).collect();
    let leaves = |value: &Value| !value.as_str().is_some_and(|t| terms.iter().any(|o| o == t));
    for name in names.iter().filter(|n| Some(n.as_str()) != group) {
        let array = own
            .get_mut(name)
            .and_then(Item::as_array_mut)
            .ok_or_else(not_lists)?;
        retain(array, leaves);
        if array.is_empty() {
            own.remove(name);
        }
    }
    if let Some(group) = group {
        if own.get(group).is_none() {
            own.insert(group, Item::Value(Value::Array(Array::new())));
        }
        let array = own
            .get_mut(group)
            .and_then(Item::as_array_mut)
            .ok_or_else(not_lists)?;
        for term in terms {
            if !array.iter().any(|v| v.as_str() == Some(term)) {
                push(array, term);
            }
        }
    }
    Ok(document.to_string())
}

/// Keeps the values for which `keep` is true. Comments before removed values stay.
fn retain(array: &mut Array, keep: impl Fn(&Value) -> bool) {
    let end = array.trailing().as_str().unwrap_or_default().to_string();
    let (comma, decor) = (array.trailing_comma(), array.decor().clone());
    let mut comments = String::new();
    let mut kept = Vec::new();
    for value in std::mem::take(array) {
        let before = value
            .decor()
            .prefix()
            .and_then(|p| p.as_str())
            .unwrap_or_default()
            .to_string();
        if keep(&value) {
            let mut value = value;
            value
                .decor_mut()
                .set_prefix(std::mem::take(&mut comments) + &before);
            kept.push(value);
        } else if let Some((comment, _)) = before.rsplit_once('\n').filter(|_| before.contains('#'))
        {
            comments.push_str(comment);
        }
    }
    kept.into_iter()
        .for_each(|value| array.push_formatted(value));
    // A comment at the end needs a comma before it and a line break after it.
    array.set_trailing_comma(comma || !comments.is_empty());
    let end = if comments.is_empty() || end.contains('\n') {
        end
    } else {
        format!("\n{end}")
    };
    array.set_trailing(comments + &end);
    *array.decor_mut() = decor;
}

/// Appends a term, on a line of its own if the other terms have one each.
fn push(array: &mut Array, term: &str) {
    let before = array
        .iter()
        .last()
        .and_then(|v| v.decor().prefix())
        .and_then(|p| p.as_str());
    let before = before
        .unwrap_or(if array.is_empty() { "" } else { " " })
        .to_string();
    let before = if array.len() == 1 && before.is_empty() {
        " ".into()
    } else {
        before
    };
    array.push_formatted(Value::from(term).decorated(before, ""));
}

/// Renames a term of a vocabulary in all rules.
///
/// # Errors
/// [`benchtop_model::ErrorKind::Input`] if the text is not valid TOML.
pub fn rename(text: &str, vocabulary: &str, old: &str, new: &str) -> Result<String> {
    let mut document = read(text)?;
    let mut changed = false;
    walk(document.as_table_mut(), vocabulary, false, &mut |array| {
        for value in array.iter_mut().filter(|v| v.as_str() == Some(old)) {
            let decor = value.decor().clone();
            *value = Value::from(new);
            *value.decor_mut() = decor;
            changed = true;
        }
    });
    Ok(if changed {
        document.to_string()
    } else {
        text.to_string()
    })
}

/// Calls `with` for every list of terms of this vocabulary, including its groups.
fn walk(
    table: &mut dyn TableLike,
    vocabulary: &str,
    groups: bool,
    with: &mut impl FnMut(&mut Array),
) {
    for (key, item) in table.iter_mut() {
        let name = key.get().to_string();
        if let Some(tables) = item.as_array_of_tables_mut() {
            tables
                .iter_mut()
                .for_each(|t| walk(t, vocabulary, false, with));
        } else if let Some(inner) = item.as_table_like_mut() {
            // Below `groups`, the vocabulary is a table of lists of its terms.
            walk(inner, vocabulary, name == vocabulary, with);
        } else if let Some(array) = item.as_array_mut().filter(|_| groups || name == vocabulary) {
            with(array);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::parse;
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|n| n.to_string()).collect()
    }

    fn groups(text: &str) -> Vec<(String, Vec<String>)> {
        let (rules, found) = parse(text);
        assert_eq!(found, [], "{text}");
        let terms =
            |g: &super::super::rules::Group| g.terms.terms.iter().map(|t| t.text.clone()).collect();
        rules
            .groups
            .iter()
            .map(|g| (g.name.text.clone(), terms(g)))
            .collect()
    }

    const FILE: &str = "# mine\n[groups.background]\n# where\nplace = [\n  \"in a cave\", # dark\n  \"on a lawn\",\n]\ntime = [\"at sunset\"]\n\n[[shows]]\nbackground = [\"on a lawn\"]\nshows = { plant = [\"daisy\"] }\n";

    #[test]
    fn added_rules_parse() {
        let side = |v: &str, t: &[&str]| (v.to_string(), names(t));
        let mut text = String::new();
        for rule in [
            NewRule::NotWith(
                side("action", &["a \"b\""]),
                side("background", &["in a cave", "x"]),
            ),
            NewRule::Hides(side("style", &["comic"]), names(&["color"])),
            NewRule::Shows(
                side("background", &["in a cave"]),
                side("animal", &["bear"]),
            ),
            NewRule::LookAlike("tv-show".into(), names(&["a", "b"])),
        ] {
            text = add(&text, &rule).unwrap();
        }
        let (rules, found) = parse(&text);
        assert_eq!(found, [], "{text}");
        assert_eq!(
            (
                rules.not_with.len(),
                rules.hides.len(),
                rules.shows.len(),
                rules.look_alike.len()
            ),
            (1, 1, 1, 1)
        );
        assert_eq!(rules.not_with[0].sides[0].terms[0].text, "a \"b\"");
        assert!(text.starts_with(HEADER));
        assert!(
            add("[[x]", &NewRule::LookAlike("a".into(), names(&["b", "c"])))
                .unwrap_err()
                .place
                .line
                .is_some()
        );
    }

    #[test]
    fn regrouping_keeps_comments() {
        let text = set_group(FILE, "background", &names(&["on a lawn"]), Some("time")).unwrap();
        let wanted = [
            ("place", vec!["in a cave"]),
            ("time", vec!["at sunset", "on a lawn"]),
        ];
        let wanted = wanted.map(|(g, t)| (g.to_string(), names(&t)));
        assert_eq!(groups(&text), wanted);
        assert!(text.contains("# dark") && text.contains("# where") && text.contains("[[shows]]"));
        let none = set_group(FILE, "background", &names(&["at sunset"]), None).unwrap();
        assert_eq!(groups(&none).len(), 1, "empty groups are removed");
        let new = set_group("", "color", &names(&["red"]), Some("warm")).unwrap();
        assert_eq!(groups(&new), [("warm".to_string(), names(&["red"]))]);
        assert_eq!(
            set_group(FILE, "color", &names(&["red"]), None).unwrap(),
            FILE
        );
        assert!(set_group("groups = 3\n", "color", &names(&["red"]), Some("warm")).is_err());
    }

    #[test]
    fn renamed_terms_change_in_every_rule() {
        let text = rename(FILE, "background", "on a lawn", "on the lawn").unwrap();
        assert_eq!(text, FILE.replace("on a lawn", "on the lawn"));
        assert_eq!(
            rename(FILE, "plant", "daisy", "oxeye").unwrap(),
            FILE.replace("daisy", "oxeye")
        );
        assert_eq!(rename(FILE, "color", "on a lawn", "x").unwrap(), FILE);
    }
}
