//! Checks which metadata the templates use, and terms that two vocabularies share.

use std::collections::{BTreeSet, HashMap};

use super::terms::Entry;
use crate::metadata::templates::{self, Text};
use crate::metadata::{Metadata, STYLE, file_of};
use benchtop_model::{Finding, Rule};

/// The slots and fragments that a project's prompts use.
#[derive(Debug, Default)]
pub(super) struct Reach<'m> {
    subjects: Vec<Shown<'m>>,
    fragments: BTreeSet<&'m str>,
}

#[derive(Debug)]
struct Shown<'m> {
    name: &'m str,
    /// Vocabularies with a slot in some wording.
    any: BTreeSet<&'m str>,
    /// Vocabularies with a slot in every wording.
    every: BTreeSet<&'m str>,
}

impl<'m> Reach<'m> {
    /// Expands every prompt. A fragment that uses itself is expanded once.
    pub fn of(metadata: &'m Metadata) -> Reach<'m> {
        let mut reach = Reach::default();
        for (name, subject) in &metadata.templates().subjects {
            let mut shown = Shown {
                name,
                any: BTreeSet::new(),
                every: BTreeSet::new(),
            };
            for (at, prompt) in subject.prompts.iter().enumerate() {
                let mut slots = BTreeSet::new();
                follow(
                    metadata,
                    prompt,
                    &mut slots,
                    &mut BTreeSet::new(),
                    &mut reach.fragments,
                );
                if at == 0 {
                    shown.every.clone_from(&slots);
                } else {
                    shown.every.retain(|s| slots.contains(s));
                }
                shown.any.append(&mut slots);
            }
            reach.subjects.push(shown);
        }
        reach
    }

    /// A subject whose prompts can contain terms of both vocabularies.
    fn meet(&self, a: &str, b: &str) -> Option<&'m str> {
        self.subjects
            .iter()
            .find(|s| s.any.contains(a) && s.any.contains(b))
            .map(|s| s.name)
    }

    /// Reports unused vocabularies, fragments, subjects, and subtasks.
    pub fn unused(&self, metadata: &Metadata) -> Vec<Finding> {
        let templates = metadata.templates();
        let mut found = Vec::new();
        let asked: BTreeSet<&str> = templates
            .subtasks
            .values()
            .map(|s| s.vocabulary.as_str())
            .collect();
        let shown: BTreeSet<&str> = self
            .subjects
            .iter()
            .flat_map(|s| s.any.iter().copied())
            .collect();
        let styles = Some(STYLE).filter(|_| !metadata.styles().is_empty());
        for name in metadata
            .vocabularies()
            .keys()
            .map(String::as_str)
            .chain(styles)
        {
            if !shown.contains(name) && !asked.contains(name) {
                let what =
                    format!("no prompt has a slot `{{{name}}}`, and no subtask asks about it");
                let finding = Finding::new(Rule::UnusedVocabulary, file_of(name), what).term(name);
                found.push(finding.help("use it in templates.toml, or remove the file"));
            }
        }
        let mut say = |span: &std::ops::Range<usize>, term: &str, what: String, help: String| {
            let finding = metadata
                .at_template(Rule::UnusedVocabulary, what, span.clone())
                .term(term);
            found.push(finding.help(help));
        };
        for (name, text) in templates
            .fragments
            .iter()
            .filter(|(name, _)| !self.fragments.contains(name.as_str()))
        {
            let help = format!("use {{{name}}} in a prompt, or remove it");
            say(
                &text.span,
                name,
                format!("no prompt uses the fragment {name}"),
                help,
            );
        }
        for (name, subtask) in &templates.subtasks {
            let vocabulary = subtask.vocabulary.as_str();
            let there = vocabulary == STYLE || metadata.vocabularies().contains_key(vocabulary);
            if there && !self.subjects.iter().any(|s| s.every.contains(vocabulary)) {
                let what = format!(
                    "{name} is never asked about, because no subject has `{{{vocabulary}}}` in every prompt"
                );
                say(
                    &subtask.span,
                    name,
                    what,
                    "add the slot to a prompt, or remove the subtask".into(),
                );
            }
        }
        for shown in &self.subjects {
            if !shown.every.iter().any(|v| asked.contains(v))
                && let Some(subject) = templates.subjects.get(shown.name)
            {
                let what = format!(
                    "no question is about {}, because no subtask asks about a term of its prompt",
                    shown.name
                );
                say(
                    &subject.span,
                    shown.name,
                    what,
                    "add a subtask for one of its vocabularies, or remove it".into(),
                );
            }
        }
        found
    }

    /// Reports terms that two vocabularies share. A vocabulary of words to be read is compared only
    /// with vocabularies of the same prompt, because its words are not things.
    pub fn collisions(&self, lists: &[Shared<'_>]) -> Vec<Finding> {
        let mut at: HashMap<&str, Vec<(usize, usize)>> =
            HashMap::with_capacity(lists.iter().map(|l| l.plain.len()).sum());
        let mut found = Vec::new();
        // Words to be read come last: they look up the others and are not looked up themselves.
        let (read, shown): (Vec<_>, Vec<_>) = lists.iter().enumerate().partition(|(_, l)| l.read);
        for (own, list) in shown.into_iter().chain(read) {
            let meets: Vec<bool> = lists
                .iter()
                .map(|l| self.meet(l.name, list.name).is_some())
                .collect();
            if list.read
                && !meets
                    .iter()
                    .enumerate()
                    .any(|(other, meets)| *meets && other != own)
            {
                continue;
            }
            for (entry, plain) in list.plain.iter().enumerate() {
                let Some(seen) = at.get(plain.as_str()) else {
                    at.entry(plain).or_default().push((own, entry));
                    continue;
                };
                let other = seen
                    .iter()
                    .filter(|(other, _)| *other != own && (meets[*other] || !list.read));
                let meant = |(other, at): &&(usize, usize)| {
                    !lists[*other].entries[*at].allows(Rule::Collision)
                };
                let worst = other
                    .filter(meant)
                    .max_by_key(|(other, _)| meets[*other])
                    .copied();
                at.entry(plain).or_default().push((own, entry));
                let here = &list.entries[entry];
                if let Some((other, at)) = worst.filter(|_| !here.allows(Rule::Collision)) {
                    let (name, there) = (lists[other].name, &lists[other].entries[at]);
                    let place = format!(
                        "`{}` is also in {} line {}",
                        here.text,
                        file_of(name),
                        there.line
                    );
                    let what = match self.meet(name, list.name) {
                        Some(subject) => {
                            format!("{place}; a prompt of {subject} can contain it twice")
                        }
                        None => format!("{place}; its meaning depends on the question"),
                    };
                    let finding = Finding::new(Rule::Collision, file_of(list.name), what);
                    let help = "rename one of them, or write `# allow: collision` after one";
                    found.push(finding.line(here.line).term(here.text).help(help));
                }
            }
        }
        found
    }
}

/// A vocabulary to compare with others.
pub(super) struct Shared<'m> {
    pub name: &'m str,
    pub entries: &'m [Entry<'m>],
    pub plain: &'m [String],
    pub read: bool,
}

fn follow<'m>(
    metadata: &'m Metadata,
    text: &'m Text,
    slots: &mut BTreeSet<&'m str>,
    followed: &mut BTreeSet<&'m str>,
    fragments: &mut BTreeSet<&'m str>,
) {
    for slot in text.template.slots() {
        let name = slot.name.as_str();
        if name == STYLE || metadata.vocabularies().contains_key(name) {
            slots.insert(name);
        } else if let Some(fragment) = metadata.templates().fragments.get(name) {
            fragments.insert(name);
            if followed.insert(name) {
                follow(metadata, fragment, slots, followed, fragments);
            }
        }
    }
}

/// Whether usage can be determined. With a misspelled slot or a broken template, everything below
/// it would seem unused.
pub(super) fn whole(metadata: &Metadata, compiled: &[Finding]) -> bool {
    let broken = |f: &Finding| {
        f.file == templates::FILE
            && matches!(
                f.rule,
                Rule::Unreadable | Rule::BadTemplate | Rule::UnknownSlot | Rule::CyclicFragment
            )
    };
    metadata.text(templates::FILE).is_some() && !metadata.found().chain(compiled).any(broken)
}
