//! Finds the section and key at the cursor of a template file, and the slots that can be used
//! there.

use crate::panes::metadata::preview::Selection;
use crate::widgets::text::plural;
use benchtop_compose::metadata::judge::{SLOTS, judging_of};
use benchtop_compose::metadata::write::{self, writing_of};
use benchtop_compose::metadata::{Metadata, STYLE, rules, styles, templates};

/// A table of a template file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Section {
    /// Before the first table, or in an unknown one.
    #[default]
    None,
    /// `[instruction]`.
    Instruction,
    /// `[pair]`.
    Pair,
    /// `[fragment]`.
    Fragment,
    /// `[subject.NAME]`.
    Subject(String),
    /// `[subtask.NAME]`.
    Subtask(String),
    /// A `[[style]]` with its name; empty if it has none yet.
    Style(String),
    /// A rule of `compatibility.toml`, by the name of its table.
    Rule(String),
    /// A judging. It fills the whole file.
    Judging(String),
    /// A writing. It fills the whole file.
    Writing(String),
}

/// A slot and a description.
pub type Slot = (String, String);

/// Removes the quotes of a TOML key.
fn unquoted(name: &str) -> String {
    name.trim().trim_matches(['"', '\'']).to_string()
}

/// The key if the line starts with `key =`.
fn key_of(line: &str) -> Option<&str> {
    let (key, _) = line.split_once('=')?;
    let key = key.trim();
    (!key.is_empty()
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_\"".contains(c)))
    .then_some(key)
}

/// The table around a line (from 1), and the key that the line belongs to.
pub fn at(file: &str, text: &str, line: u32) -> (Section, String) {
    if let Some(name) = judging_of(file) {
        return (Section::Judging(name.to_string()), String::new());
    }
    if let Some(name) = writing_of(file) {
        return (Section::Writing(name.to_string()), String::new());
    }
    let lines: Vec<&str> = text.lines().collect();
    let here = (line.max(1) as usize).min(lines.len());
    let mut key: Option<String> = None;
    for (back, raw) in lines[..here].iter().enumerate().rev() {
        let raw = raw.trim();
        if raw.starts_with('[') && raw.ends_with(']') && !raw.contains('{') && !raw.contains('=') {
            let name = raw.trim_matches(['[', ']']).trim();
            let section = match name.split_once('.') {
                _ if file == rules::FILE => Section::Rule(name.to_string()),
                _ if file == styles::FILE => Section::Style(style_name(&lines[back + 1..])),
                None if name == "instruction" => Section::Instruction,
                None if name == "pair" => Section::Pair,
                None if name == "fragment" => Section::Fragment,
                Some(("subject", name)) => Section::Subject(unquoted(name)),
                Some(("subtask", name)) => Section::Subtask(unquoted(name)),
                _ => Section::None,
            };
            return (section, unquoted(key.as_deref().unwrap_or_default()));
        }
        if key.is_none() {
            key = key_of(raw).map(String::from);
        }
    }
    (Section::None, unquoted(key.as_deref().unwrap_or_default()))
}

fn style_name(after: &[&str]) -> String {
    let fields = after
        .iter()
        .take_while(|l| !l.trim_start().starts_with('['));
    let name = fields
        .filter_map(|l| l.split_once('='))
        .find(|(k, _)| k.trim() == "name");
    name.map_or(String::new(), |(_, value)| unquoted(value))
}

impl Section {
    /// The questions to preview while the cursor is on `key` of this section.
    pub fn selection(&self, key: &str) -> Selection {
        match self {
            Section::Subject(name) => Selection::Subject(name.clone()),
            Section::Subtask(name) => Selection::Subtask(name.clone()),
            Section::Style(name) if !name.is_empty() => Selection::Style(name.clone()),
            Section::Fragment if !key.is_empty() => Selection::Fragment(key.into()),
            // The pictures that have terms of the vocabulary under the cursor.
            Section::Rule(name) => match name
                .strip_prefix("groups.")
                .or(Some(key).filter(|k| !k.is_empty()))
            {
                Some(vocabulary) if !["why", "hides", "shows"].contains(&vocabulary) => {
                    Selection::Vocabulary(vocabulary.into())
                }
                _ => Selection::All,
            },
            _ => Selection::All,
        }
    }

    /// The name in the heading.
    pub fn name(&self) -> String {
        match self {
            Section::None => "top of file".into(),
            Section::Instruction => "instruction".into(),
            Section::Pair => "pair".into(),
            Section::Fragment => "fragment".into(),
            Section::Subject(name) => format!("subject {name}"),
            Section::Subtask(name) => format!("subtask {name}"),
            Section::Style(name) => format!("style {name}"),
            Section::Rule(name) => format!("rule {name}"),
            Section::Judging(name) => format!("judge {name}"),
            Section::Writing(name) => format!("writer {name}"),
        }
    }

    /// The slots that can be used in the value of `key`.
    pub fn slots(&self, key: &str, metadata: &Metadata) -> Vec<Slot> {
        let templates = metadata.templates();
        let vocabulary = |name: &str| (name.to_string(), terms(metadata, name));
        let fixed = |list: &[(&str, &str)]| {
            list.iter()
                .map(|(a, b)| (a.to_string(), b.to_string()))
                .collect()
        };
        let question = ("question", "the question");
        let options = [
            ("options", "the options, one per line"),
            ("letters", "the letters of the options"),
        ];
        match (self, key) {
            (Section::Instruction, "yes-no" | "free-form") => fixed(&[question]),
            (Section::Instruction, "refusal") => Vec::new(),
            (Section::Instruction, _) => fixed(&[question, options[0], options[1]]),
            (Section::Pair, "option") => fixed(&[
                ("first", "the term of the first picture"),
                ("second", "the term of the second picture"),
            ]),
            (Section::Judging(_), _) => fixed(&SLOTS),
            (Section::Writing(_), _) => fixed(&write::SLOTS),
            (Section::Pair, "question") => Vec::new(),
            (Section::Pair, _) => fixed(&[question, options[0], options[1]]),
            (Section::Fragment, _) | (Section::Subject(_), "prompt" | "") => {
                let own = if *self == Section::Fragment { key } else { "" };
                let fragments = templates
                    .fragments
                    .iter()
                    .filter(|(n, _)| n.as_str() != own);
                let fragments =
                    fragments.map(|(n, t)| (n.clone(), format!("= {}", t.template.source())));
                let names = metadata
                    .vocabularies()
                    .keys()
                    .map(String::as_str)
                    .chain([STYLE]);
                fragments.chain(names.map(vocabulary)).collect()
            }
            (Section::Subject(name), "describe" | "answer") => common_vocabularies(metadata, name)
                .iter()
                .map(|n| vocabulary(n))
                .collect(),
            (
                Section::Subtask(name),
                "question" | "statement" | "yes-no" | "describe" | "answer",
            ) => {
                let vocabulary_name = templates
                    .subtasks
                    .get(name)
                    .map_or("", |s| s.vocabulary.as_str());
                let mut slots: Vec<Slot> = Vec::new();
                if key != "question" {
                    slots.push((
                        "term".into(),
                        format!("the {vocabulary_name} that is asked about or claimed"),
                    ));
                }
                slots.push((
                    "subject".into(),
                    "the term of the subject's main vocabulary".into(),
                ));
                // The vocabularies that all pictures of this subtask have in common.
                let names = templates
                    .subjects
                    .keys()
                    .map(|s| common_vocabularies(metadata, s))
                    .filter(|h| h.iter().any(|n| n == vocabulary_name));
                let common = names.reduce(|a, b| a.into_iter().filter(|n| b.contains(n)).collect());
                slots.extend(
                    common
                        .unwrap_or_default()
                        .iter()
                        .filter(|n| *n != vocabulary_name)
                        .map(|n| vocabulary(n)),
                );
                slots
            }
            _ => Vec::new(),
        }
    }
}

fn terms(metadata: &Metadata, name: &str) -> String {
    plural(metadata.enabled(name).len() as u64, "term")
}

/// The vocabularies that every prompt of a subject uses, with fragments expanded.
fn common_vocabularies(metadata: &Metadata, subject: &str) -> Vec<String> {
    let templates: &templates::Templates = metadata.templates();
    let Some(subject) = templates.subjects.get(subject) else {
        return Vec::new();
    };
    let vocabularies_of = |prompt: &templates::Text| {
        let mut names = Vec::new();
        let mut todo: Vec<(String, usize)> = prompt
            .template
            .slots()
            .map(|s| (s.name.clone(), 0))
            .collect();
        while let Some((name, depth)) = todo.pop() {
            match templates.fragments.get(&name) {
                // A fragment may use others. The depth limit stops a fragment that uses itself.
                Some(text) if depth < 16 => {
                    todo.extend(text.template.slots().map(|s| (s.name.clone(), depth + 1)))
                }
                Some(_) => {}
                None => names.push(name),
            }
        }
        names.sort();
        names.dedup();
        names
    };
    let mut prompts = subject.prompts.iter().map(vocabularies_of);
    let first = prompts.next().unwrap_or_default();
    let rest: Vec<Vec<String>> = prompts.collect();
    first
        .into_iter()
        .filter(|n| rest.iter().all(|r| r.contains(n)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_compose::fixtures::small;
    use benchtop_model::metafile;

    fn line_of(text: &str, part: &str) -> u32 {
        text.lines().position(|l| l.contains(part)).unwrap() as u32 + 1
    }

    #[test]
    fn finds_the_table_and_key_of_a_line() {
        let shipped = Metadata::parse(metafile::shipped());
        let text = shipped.text(templates::FILE).unwrap();
        let place = |part: &str| at(templates::FILE, text, line_of(text, part));
        assert_eq!(
            place("a sign with the text"),
            (Section::Subject("text".into()), "prompt".into())
        );
        assert_eq!(
            place("[subtask.\"tv show\"]"),
            (Section::Subtask("tv show".into()), String::new())
        );
        assert_eq!(
            place("{first} in the first"),
            (Section::Pair, "option".into())
        );
        assert_eq!(
            place("Do not contain"),
            (Section::Instruction, "multiple-choice".into())
        );
        assert_eq!(place("person = "), (Section::Fragment, "person".into()));
        assert_eq!(at(templates::FILE, text, 1).0, Section::None);
        assert_eq!(
            at(templates::FILE, text, u32::MAX).0,
            Section::Subtask("color".into())
        );
        let styles_text = small().text(styles::FILE).unwrap().to_string();
        let line = line_of(&styles_text, "comic, fine");
        let (section, key) = at(styles::FILE, &styles_text, line);
        assert_eq!(
            (section.selection(&key), key.as_str()),
            (Selection::Style("comic".into()), "prompt")
        );
        assert_eq!(at(styles::FILE, "", 1).0, Section::None);
    }

    #[test]
    fn offers_the_slots_that_can_be_filled() {
        let metadata = small();
        let names = |section: &Section, key: &str| -> Vec<String> {
            section
                .slots(key, &metadata)
                .into_iter()
                .map(|s| s.0)
                .collect()
        };
        let animal = Section::Subject("animal".into());
        assert_eq!(
            names(&animal, "prompt"),
            ["thing", "animal", "background", "color", "text", "style"]
        );
        assert_eq!(
            names(&animal, "answer"),
            ["animal", "background", "color", "style"]
        );
        assert_eq!(
            names(&Section::Subtask("color".into()), "question"),
            ["subject", "animal", "background", "style"]
        );
        assert_eq!(
            names(&Section::Subtask("style".into()), "statement"),
            ["term", "subject"]
        );
        assert_eq!(names(&Section::Pair, "option"), ["first", "second"]);
        assert!(names(&Section::Pair, "question").is_empty());
        assert_eq!(names(&Section::Instruction, "free-form"), ["question"]);
        assert_eq!(
            names(&Section::Fragment, "thing"),
            ["animal", "background", "color", "text", "style"]
        );
        assert!(
            names(&animal, "main").is_empty()
                && names(&Section::Style("x".into()), "prompt").is_empty()
        );
        assert_eq!(animal.slots("answer", &metadata)[0].1, "6 terms");
    }

    #[test]
    fn offers_every_slot_used_in_the_shipped_templates() {
        let metadata = Metadata::parse(metafile::shipped());
        let text = metadata.text(templates::FILE).unwrap();
        for (i, line) in text
            .lines()
            .enumerate()
            .filter(|(_, l)| !l.trim_start().starts_with('#'))
        {
            let (section, key) = at(templates::FILE, text, i as u32 + 1);
            let offered = section.slots(&key, &metadata);
            for part in line.split('{').skip(1).filter_map(|p| p.split_once('}')) {
                let name = part.0.strip_prefix("a ").unwrap_or(part.0);
                assert!(
                    offered.iter().any(|(n, _)| n == name),
                    "line {}: {{{name}}} in {section:?} {key}",
                    i + 1
                );
            }
        }
    }
}
