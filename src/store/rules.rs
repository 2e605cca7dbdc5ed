//! The `[[rules]]` of `benchtop.toml`: read and written without changing the rest of the file, with
//! a history for revert.

use std::path::{Path, PathBuf};

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value, value};

use benchtop_files::project::{FILE, Project};
use benchtop_files::{disk, regular};
use benchtop_model::config::Config;
use benchtop_model::scoring::rules::{Condition, Join, Rule, RuleAction, RuleSet, Test};
use benchtop_model::{Error, Result};

/// Maximum number of rule sets in the history.
const HISTORY: usize = 50;

/// The rules of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct RulesFile {
    pub rules: RuleSet,
    /// Hash of the file.
    pub revision: String,
}

fn file(project: &Project) -> PathBuf {
    project.root().join(FILE)
}

fn text(project: &Project) -> Result<(String, String)> {
    let path = file(project);
    let text = regular::read_text(&path, regular::SETTINGS_LIMIT)?;
    let revision = blake3::hash(text.as_bytes()).to_hex()[..16].to_string();
    Ok((text, revision))
}

/// Reads the rules from disk.
///
/// # Errors
/// An invalid file, with line and field.
pub fn read(project: &Project) -> Result<RulesFile> {
    let (text, revision) = text(project)?;
    Ok(RulesFile {
        rules: Config::parse(&text, &file(project))?.rules,
        revision,
    })
}

/// Writes `rules` to the file if it still has `revision`. [`revert`] restores the previous rules.
/// On an error, the file is unchanged.
///
/// # Errors
/// [`Error::conflict`] if the file changed meanwhile.
pub fn write(project: &Project, rules: &RuleSet, revision: &str) -> Result<RulesFile> {
    let before = read(project)?;
    if before.rules == *rules && before.revision == revision {
        return Ok(before);
    }
    let written = put(project, rules, revision)?;
    let mut history = history(&project.rules_history())?;
    history.push(before.rules);
    write_history(project, history)?;
    Ok(written)
}

/// Restores the previous rules.
///
/// # Errors
/// [`Error::conflict`] without previous rules; see also [`write`].
pub fn revert(project: &Project, revision: &str) -> Result<RulesFile> {
    let mut history = history(&project.rules_history())?;
    let rules = history
        .pop()
        .ok_or_else(|| Error::conflict("there are no earlier rules to revert to"))?;
    let written = put(project, &rules, revision)?;
    write_history(project, history)?;
    Ok(written)
}

/// Removes the rules whose names begin with `prefix`, without a record in the history.
pub(super) fn remove(project: &Project, prefix: &str) -> Result<()> {
    let RulesFile {
        mut rules,
        revision,
    } = read(project)?;
    let before = rules.rules.len();
    rules.rules.retain(|rule| !rule.name.starts_with(prefix));
    if rules.rules.len() != before {
        put(project, &rules, &revision)?;
    }
    Ok(())
}

/// Number of rule sets that [`revert`] can restore.
pub fn reverts(project: &Project) -> u32 {
    history(&project.rules_history()).map_or(0, |h| h.len() as u32)
}

fn put(project: &Project, rules: &RuleSet, revision: &str) -> Result<RulesFile> {
    let (text, now) = text(project)?;
    let path = file(project);
    if now != revision {
        return Err(
            Error::conflict("the file changed since these rules were read")
                .file(&path)
                .help("check its rules, then apply again"),
        );
    }
    let new = with_rules(&text, rules, &path)?;
    // Write only rules that can be read back.
    let read = Config::parse(&new, &path)?;
    if read.rules != *rules {
        return Err(
            Error::input("the rules change when they are written and read back")
                .file(&path)
                .field("rules"),
        );
    }
    disk::write_atomic(&path, new.as_bytes())?;
    self::read(project)
}

/// The text of `benchtop.toml` with other rules. The rest, including comments and order, stays.
fn with_rules(text: &str, rules: &RuleSet, path: &Path) -> Result<String> {
    let mut document: DocumentMut = text.parse().map_err(|e: toml_edit::TomlError| {
        Error::input(e.message().replace('\n', " ")).file(path)
    })?;
    let mut tables = ArrayOfTables::new();
    rules.rules.iter().for_each(|rule| tables.push(table(rule)));
    match rules.rules.is_empty() {
        true => drop(document.remove("rules")),
        false => {
            // The rules go to the end, so that they cannot fall under another table's heading.
            document.remove("rules");
            document.insert("rules", Item::ArrayOfTables(tables));
        }
    }
    Ok(document.to_string())
}

fn table(rule: &Rule) -> Table {
    let mut table = Table::new();
    table.insert("name", value(rule.name.as_str()));
    table.insert(
        "then",
        value(if rule.then == RuleAction::Flag {
            "flag"
        } else {
            "park"
        }),
    );
    let mut list = Array::new();
    for one in &rule.conditions {
        let mut inline = Value::InlineTable(condition(one));
        inline.decor_mut().set_prefix("\n  ");
        list.push_formatted(inline);
    }
    list.set_trailing("\n");
    list.set_trailing_comma(true);
    table.insert(
        if rule.join == Join::All { "all" } else { "any" },
        value(list),
    );
    table
}

fn condition(condition: &Condition) -> InlineTable {
    let mut table = InlineTable::new();
    table.insert("score", condition.score.name().into());
    match condition.test {
        Test::Below(threshold) => drop(table.insert("below", threshold.number().into())),
        Test::Above(threshold) => drop(table.insert("above", threshold.number().into())),
        Test::Is(state) => drop(table.insert("is", state.name().into())),
    }
    if !condition.subtasks.is_empty() {
        let list = condition
            .subtasks
            .iter()
            .map(|(name, threshold)| (name.as_str(), Value::from(threshold.number())));
        table.insert("subtasks", Value::InlineTable(list.collect()));
    }
    table
}

fn history(path: &Path) -> Result<Vec<RuleSet>> {
    // An unreadable history only disables revert. It does not prevent new rules.
    let bytes = regular::read_if_there(path, regular::LIST_LIMIT)?;
    Ok(bytes
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default())
}

fn write_history(project: &Project, mut history: Vec<RuleSet>) -> Result<()> {
    let more = history.len().saturating_sub(HISTORY);
    history.drain(..more);
    let bytes = serde_json::to_vec(&history)
        .map_err(|e| Error::failed(format!("cannot serialize the history of rules: {e}")))?;
    let path = project.rules_history();
    disk::ensure_private_dir(disk::folder(&path))?;
    disk::write_atomic(&path, &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::ErrorKind;

    const TEXT: &str = "# mine\nname = \"x\" # the name\n\n[review]\nprotocol = \"single\"\n\n[look]\ntheme = \"dark\"\n";

    fn project(text: &str) -> (tempfile::TempDir, Project) {
        let dir = tempfile::tempdir().unwrap();
        Project::init(dir.path()).unwrap();
        std::fs::write(dir.path().join(FILE), text).unwrap();
        let project = Project::open(dir.path()).unwrap();
        (dir, project)
    }

    fn rules(below: f64) -> RuleSet {
        #[derive(serde::Deserialize)]
        struct File {
            rules: RuleSet,
        }
        let text = format!(
            "[[rules]]\nname=\"weak \\\"match\\\"\"\nthen=\"flag\"\nall=[{{score=\"clip\",below={below},subtasks={{\"a b\"=1.5}}}}, {{score=\"judge/x\",is=\"unparsed\"}}]\n[[rules]]\nname=\"out\"\nthen=\"park\"\nany=[{{score=\"safety\",above=0}}]"
        );
        toml::from_str::<File>(&text).unwrap().rules
    }

    #[test]
    fn rules_are_written_without_changing_the_rest() {
        let (_dir, project) = project(TEXT);
        let empty = read(&project).unwrap();
        assert!(empty.rules.rules.is_empty());
        let first = write(&project, &rules(25.0), &empty.revision).unwrap();
        assert_eq!(first.rules, rules(25.0));
        let text = std::fs::read_to_string(file(&project)).unwrap();
        assert!(text.starts_with(TEXT), "{text}");
        assert!(
            text.contains("{ score = \"clip\", below = 25.0, subtasks = { \"a b\" = 1.5 } }"),
            "{text}"
        );
        let second = write(&project, &rules(24.0), &first.revision).unwrap();
        assert_eq!((second.rules, reverts(&project)), (rules(24.0), 2));
        let back = revert(&project, &second.revision).unwrap();
        assert_eq!(back.rules, rules(25.0));
        let none = revert(&project, &back.revision).unwrap();
        assert_eq!(
            (
                none.rules,
                std::fs::read_to_string(file(&project)).unwrap().trim()
            ),
            (RuleSet::default(), TEXT.trim())
        );
        assert_eq!(
            revert(&project, &none.revision).unwrap_err().kind,
            ErrorKind::Conflict
        );
    }

    #[test]
    fn a_changed_or_invalid_file_is_not_written() {
        let (_dir, project) = project(TEXT);
        let before = read(&project).unwrap();
        std::fs::write(file(&project), format!("{TEXT}# edited\n")).unwrap();
        let problem = write(&project, &rules(25.0), &before.revision).unwrap_err();
        assert_eq!((problem.kind, reverts(&project)), (ErrorKind::Conflict, 0));
        let wrong = format!("{TEXT}\n[[rules]]\nname = \"a\"\nthen = \"drop\"\nall = []\n");
        std::fs::write(file(&project), &wrong).unwrap();
        let problem = read(&project).unwrap_err();
        assert!(problem.place.line.is_some(), "{problem:?}");
        assert!(write(&project, &rules(25.0), "").is_err());
        assert_eq!(std::fs::read_to_string(file(&project)).unwrap(), wrong);
    }

    #[test]
    fn rules_written_by_hand_between_other_tables_are_replaced() {
        let text = format!(
            "{TEXT}\n[[rules]] # by hand\nname = \"a\"\nthen = \"flag\"\nall = [{{ score = \"ocr\", below = 1 }}]\n\n[owner]\nidle_minutes = 3\n"
        );
        let (_dir, project) = project(&text);
        let found = read(&project).unwrap();
        assert_eq!(found.rules.rules.len(), 1);
        let written = write(&project, &rules(25.0), &found.revision).unwrap();
        assert_eq!(written.rules, rules(25.0));
        assert_eq!(
            Project::open(project.root())
                .unwrap()
                .config()
                .owner
                .idle_minutes,
            3
        );
    }
}
