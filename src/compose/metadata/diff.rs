//! Differences between two sets of metadata, term by term.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::{Metadata, STYLE, rules, styles, templates, vocabulary_of};

/// Changes of one vocabulary, or of the styles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermChanges {
    pub vocabulary: String,
    pub added: Vec<String>,
    pub removed: Vec<String>,
    /// Replaced terms: old and new.
    pub renamed: Vec<(String, String)>,
    /// Terms in another place relative to the others.
    pub moved: Vec<String>,
    /// Terms that became disabled.
    pub disabled: Vec<String>,
    /// Terms that became enabled.
    pub enabled: Vec<String>,
    /// Styles with a changed wording.
    pub reworded: Vec<String>,
}

impl TermChanges {
    fn is_empty(&self) -> bool {
        *self
            == TermChanges {
                vocabulary: self.vocabulary.clone(),
                ..TermChanges::default()
            }
    }
}

/// Changed parts of a file, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartChanges {
    pub added: Vec<String>,
    pub removed: Vec<String>,
    /// Parts with a different content.
    pub changed: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diff {
    /// Changed vocabularies, sorted by name, including the styles.
    pub terms: Vec<TermChanges>,
    /// Parts of the templates: `subject.animal`, `fragment.person`, and so on.
    pub templates: PartChanges,
    /// Compatibility rules, named by their terms: `not-with action = ["skiing"], background = ["in
    /// a desert"]`.
    pub rules: PartChanges,
}

impl Diff {
    /// Whether nothing that affects composition changed.
    pub fn is_empty(&self) -> bool {
        *self == Diff::default()
    }
}

/// A term, and whether it is disabled.
type Listed<'m> = (&'m str, bool);

/// The differences from `old` to `new`.
pub fn diff(old: &Metadata, new: &Metadata) -> Diff {
    let mut diff = Diff::default();
    let names = old
        .vocabularies()
        .keys()
        .chain(new.vocabularies().keys())
        .map(String::as_str);
    let mut names: Vec<&str> = names.chain([STYLE]).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let mut terms = lists(name, &listed(old, name), &listed(new, name));
        if name == STYLE {
            let before: HashMap<&str, _> = old
                .styles()
                .iter()
                .map(|s| (s.name.as_str(), (&s.prompt, &s.negative)))
                .collect();
            let changed = |s: &&super::Style| {
                before
                    .get(s.name.as_str())
                    .is_some_and(|wording| *wording != (&s.prompt, &s.negative))
            };
            terms.reworded = new
                .styles()
                .iter()
                .filter(changed)
                .map(|s| s.name.clone())
                .collect();
        }
        if !terms.is_empty() {
            diff.terms.push(terms);
        }
    }
    diff.templates = compared(templates_of(old), &templates_of(new));
    diff.rules = compared(rules_of(old), &rules_of(new));
    diff
}

fn compared(before: Named, after: &Named) -> PartChanges {
    let mut parts = PartChanges::default();
    for (name, value) in after {
        match before.get(name) {
            None => parts.added.push(name.clone()),
            Some(was) if was != value => parts.changed.push(name.clone()),
            Some(_) => {}
        }
    }
    parts.removed = before
        .into_keys()
        .filter(|name| !after.contains_key(name))
        .collect();
    parts
}

fn listed<'m>(metadata: &'m Metadata, name: &str) -> Vec<Listed<'m>> {
    if name == STYLE {
        return metadata
            .styles()
            .iter()
            .map(|s| (s.name.as_str(), s.disabled))
            .collect();
    }
    let terms = metadata
        .vocabularies()
        .get(name)
        .map(|v| v.terms().iter().map(|t| (t.text.as_str(), t.disabled)));
    terms.map_or(Vec::new(), Iterator::collect)
}

fn lists(name: &str, old: &[Listed<'_>], new: &[Listed<'_>]) -> TermChanges {
    let mut terms = TermChanges {
        vocabulary: name.into(),
        ..TermChanges::default()
    };
    let (before, after) = (positions(old), positions(new));
    for (term, disabled) in new {
        match before.get(term).map(|at| old[*at].1) {
            Some(false) if *disabled => terms.disabled.push((*term).into()),
            Some(true) if !disabled => terms.enabled.push((*term).into()),
            _ => {}
        }
    }
    // Terms in both, by old position. Those outside the longest increasing run were moved.
    let common: Vec<(&str, usize)> = new
        .iter()
        .filter_map(|(t, _)| Some((*t, *before.get(t)?)))
        .collect();
    let kept = longest_run(&common.iter().map(|(_, at)| *at).collect::<Vec<_>>());
    let stays: HashMap<&str, ()> = kept.iter().map(|at| (common[*at].0, ())).collect();
    terms.moved = common
        .iter()
        .map(|(t, _)| *t)
        .filter(|t| !stays.contains_key(t))
        .map(String::from)
        .collect();
    // Between two unmoved terms, removed and added terms are paired in order as renames.
    let gaps = |list: &[Listed<'_>], other: &HashMap<&str, usize>| {
        let mut gaps: Vec<Vec<String>> = vec![Vec::new()];
        for (term, _) in list {
            if stays.contains_key(term) {
                gaps.push(Vec::new());
            } else if !other.contains_key(term)
                && let Some(gap) = gaps.last_mut()
            {
                gap.push((*term).into());
            }
        }
        gaps
    };
    for (mut went, mut came) in gaps(old, &after).into_iter().zip(gaps(new, &before)) {
        let both = went.len().min(came.len());
        terms
            .renamed
            .extend(went.drain(..both).zip(came.drain(..both)));
        terms.removed.extend(went);
        terms.added.extend(came);
    }
    terms
}

fn positions<'m>(list: &[Listed<'m>]) -> HashMap<&'m str, usize> {
    let terms = list.iter().enumerate();
    terms.map(|(at, (term, _))| (*term, at)).collect()
}

/// Positions of a longest increasing subsequence (patience sorting).
fn longest_run(values: &[usize]) -> Vec<usize> {
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; values.len()];
    for (at, value) in values.iter().enumerate() {
        let pile = ends.partition_point(|end| values[*end] < *value);
        before[at] = pile.checked_sub(1).map(|p| ends[p]);
        if pile == ends.len() {
            ends.push(at);
        } else {
            ends[pile] = at;
        }
    }
    let mut run = Vec::new();
    let mut at = ends.last().copied();
    while let Some(found) = at {
        run.push(found);
        at = before[found];
    }
    run.reverse();
    run
}

/// Parts of a file by name.
type Named = BTreeMap<String, toml::Value>;

/// A file as a table. An invalid file becomes a single part.
fn table(metadata: &Metadata, file: &str) -> Result<toml::Table, Named> {
    let text = metadata.text(file).unwrap_or_default();
    text.parse()
        .map_err(|_| BTreeMap::from([(file.to_string(), toml::Value::String(text.into()))]))
}

fn templates_of(metadata: &Metadata) -> Named {
    let table = match table(metadata, templates::FILE) {
        Ok(table) => table,
        Err(whole) => return whole,
    };
    let mut parts = BTreeMap::new();
    for (section, value) in table {
        match value {
            toml::Value::Table(inner) => {
                parts.extend(
                    inner
                        .into_iter()
                        .map(|(name, value)| (format!("{section}.{name}"), value)),
                );
            }
            value => drop(parts.insert(section, value)),
        }
    }
    parts
}

fn rules_of(metadata: &Metadata) -> Named {
    let mut parts = BTreeMap::new();
    match table(metadata, rules::FILE) {
        Ok(table) => table
            .into_iter()
            .for_each(|(section, value)| rule_parts(&section, value, &mut parts)),
        Err(whole) => parts = whole,
    }
    parts
}

/// The rules of a section, named by their terms because they have no names.
fn rule_parts(section: &str, value: toml::Value, parts: &mut Named) {
    match value {
        toml::Value::Array(rules) => {
            for rule in rules {
                let mut terms = rule.clone();
                let why = terms.as_table_mut().and_then(|t| t.remove("why"));
                let name = format!("{section} {}", words(&terms));
                // Two rules about the same terms are the same rule.
                parts.insert(name, why.unwrap_or(toml::Value::Boolean(true)));
            }
        }
        toml::Value::Table(inner) => {
            for (vocabulary, value) in inner {
                match value {
                    toml::Value::Table(groups) if section == "groups" => parts.extend(
                        groups
                            .into_iter()
                            .map(|(group, terms)| (format!("groups.{vocabulary}.{group}"), terms)),
                    ),
                    value => drop(parts.insert(format!("{section}.{vocabulary}"), value)),
                }
            }
        }
        value => drop(parts.insert(section.to_string(), value)),
    }
}

/// A rule on one line.
fn words(value: &toml::Value) -> String {
    match value {
        toml::Value::Table(table) => {
            let part =
                |(name, value): (&String, &toml::Value)| format!("{name} = {}", words(value));
            table.iter().map(part).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string().replace('\n', " "),
    }
}

/// Metadata files that exist only in `old`, and only in `new`. [`diff`] does not show them if they
/// have no terms.
pub fn files(old: &Metadata, new: &Metadata) -> (Vec<String>, Vec<String>) {
    let known = |name: &&str| {
        vocabulary_of(name).is_some() || [styles::FILE, templates::FILE, rules::FILE].contains(name)
    };
    let only = |a: &Metadata, b: &Metadata| {
        a.files()
            .filter(known)
            .filter(|n| b.text(n).is_none())
            .map(String::from)
            .collect::<Vec<_>>()
    };
    (only(old, new), only(new, old))
}

#[cfg(test)]
mod tests {
    use super::super::file_of;
    use super::*;
    use crate::fixtures::small;
    use benchtop_model::MetaFile;

    fn edited(file: &str, change: impl Fn(&str) -> String) -> Metadata {
        let mut metadata = small();
        let text = change(metadata.text(file).unwrap());
        metadata.insert(MetaFile {
            name: file.into(),
            text,
        });
        metadata
    }

    fn animals(text: &str) -> TermChanges {
        let mut diff = diff(&small(), &edited(&file_of("animal"), |_| text.into()));
        assert!(diff.terms.len() <= 1 && diff.templates == PartChanges::default());
        diff.terms.pop().unwrap_or_default()
    }

    fn words(list: &[&str]) -> Vec<String> {
        list.iter().map(|w| (*w).to_string()).collect()
    }

    #[test]
    fn edits_are_classified() {
        // owl cat horse salmon beetle wolf
        assert_eq!(
            animals("owl\ncat\nhorse\nsalmon\nbeetle\nwolf\n"),
            TermChanges::default()
        );
        assert_eq!(
            animals("# new\nowl\ncat\n\nhorse\nsalmon\nbeetle\nwolf\n"),
            TermChanges::default()
        );
        assert_eq!(
            animals("owl\ncat\ndog\nhorse\nsalmon\nbeetle\nwolf\n").added,
            words(&["dog"])
        );
        assert_eq!(
            animals("cat\nhorse\nsalmon\nwolf\n").removed,
            words(&["owl", "beetle"])
        );
        let renamed = animals("barn owl\ncat\nhorse\ntrout\npike\nbeetle\nwolf\n");
        let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
        assert_eq!(
            renamed.renamed,
            [pair("owl", "barn owl"), pair("salmon", "trout")]
        );
        assert_eq!((renamed.added, renamed.removed), (words(&["pike"]), vec![]));
        let moved = animals("wolf\nowl\ncat\nhorse\n#- salmon\nbeetle\n");
        assert_eq!(
            (moved.moved, moved.disabled),
            (words(&["wolf"]), words(&["salmon"]))
        );
        let back = diff(
            &edited(&file_of("animal"), |t| t.replace("owl", "#- owl")),
            &small(),
        );
        assert_eq!(back.terms[0].enabled, words(&["owl"]));
    }

    #[test]
    fn rules_are_named_by_their_terms() {
        let ruled = |text: &str| {
            let mut metadata = small();
            metadata.insert(MetaFile {
                name: rules::FILE.into(),
                text: text.into(),
            });
            metadata
        };
        let rule = |list: &str, why: &str| {
            format!("[[not-with]]\nanimal = [\"owl\"]\ncolor = [{list}]\nwhy = \"{why}\"\n")
        };
        let groups = "[groups.background]\nplace = [\"in a forest\", \"by the sea\"]\n";
        let first = ruled(&(rule("\"red\"", "a") + groups));
        let added = diff(&small(), &first).rules.added;
        assert_eq!(
            added,
            words(&[
                "groups.background.place",
                "not-with animal = [\"owl\"], color = [\"red\"]"
            ])
        );
        assert_eq!(diff(&first, &small()).rules.removed, added);
        assert_eq!(
            diff(&first, &ruled(&(rule("\"red\"", "b") + groups)))
                .rules
                .changed,
            added[1..]
        );
        let other = diff(&first, &ruled(&rule("\"red\", \"blue\"", "a"))).rules;
        assert_eq!((other.added.len(), other.removed), (1, added));
        assert_eq!(
            diff(&first, &ruled("[[not-with")).rules.added,
            words(&[rules::FILE])
        );
        assert_eq!(files(&small(), &first), (vec![], words(&[rules::FILE])));
    }

    #[test]
    fn styles_templates_and_files_are_distinguished() {
        let styles = diff(
            &small(),
            &edited("styles.toml", |t| t.replace("comic, fine", "comic, rough")),
        );
        assert_eq!(styles.terms[0].vocabulary, "style");
        assert_eq!(styles.terms[0].reworded, words(&["comic"]));
        let templates = diff(
            &small(),
            &edited("templates.toml", |t| {
                t.replace("[subtask.color]", "[subtask.hue]")
                    .replace("thing = \"1 ", "thing = \"2 ")
            }),
        )
        .templates;
        assert_eq!(templates.added, words(&["subtask.hue"]));
        assert_eq!(templates.removed, words(&["subtask.color"]));
        assert_eq!(templates.changed, words(&["fragment.thing"]));
        assert_eq!(
            diff(&small(), &edited("templates.toml", |_| "nonsense".into()))
                .templates
                .added,
            words(&["templates.toml"])
        );
        let mut less = small();
        less.remove(&file_of("color"));
        assert_eq!(files(&small(), &less), (vec![file_of("color")], vec![]));
        assert!(diff(&small(), &small()).is_empty());
    }
}
