//! The linter: checks of metadata and questions before anybody looks at a picture.
//!
//! | item | checks |
//! |---|---|
//! | [`metadata()`], [`Linter`] | a project's metadata; the latter rechecks only changed files |
//! | [`ItemLint`] | questions, composed or imported |
//! | `terms`, `pairs`, `homonyms` | a single vocabulary |
//! | `reach` | vocabularies and templates together |
//! | `scenes` | questions against compatibility rules |
//!
//! Most rules ([`Rule`]) find defects of Dysca's released generator. `# allow: RULE` after a term,
//! or `allow = [...]` in a style, silences a warning. Errors cannot be silenced.

mod composed_questions;
mod counts;
mod homonyms;
mod items;
mod metadata_use;
mod pairs;
mod terms;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use composed_questions::violation;
pub use items::ItemLint;

use super::compiled_metadata::CompiledMetadata;
use super::metadata::{
    Metadata, STYLE, Style, VOCABULARIES, Vocabulary, styles, templates, vocabulary_of,
};
use benchtop_model::sorting::sort_by_key;
use benchtop_model::{Finding, MetaFile, Rule, Severity};
use metadata_use::{Reach, Shared};
use terms::Asked;

/// All findings in `metadata`: unreadable files first, then by file and line.
pub fn metadata(metadata: &Metadata) -> Vec<Finding> {
    Linter::default().lint(metadata)
}

/// Findings in a single file. Defects that depend on other files are not found.
pub fn file(file: &MetaFile) -> Vec<Finding> {
    let metadata = Metadata::parse([file.clone()]);
    let mut found: Vec<_> = metadata.found().cloned().collect();
    for name in metadata.vocabularies().keys() {
        let asked = Asked::default();
        let entries = terms::entries(&metadata.vocabularies()[name]);
        found.extend(terms::check(name, &entries, &asked).0);
    }
    if !metadata.styles().is_empty() {
        let asked = Asked {
            phrases: true,
            ..Asked::default()
        };
        found.extend(terms::check(STYLE, &terms::styles(metadata.styles()), &asked).0);
    }
    found.sort();
    found
}

/// Adds the line to findings about a term that have a vocabulary file but no line.
pub fn locate(findings: &mut [Finding], metadata: &Metadata) {
    for finding in findings
        .iter_mut()
        .filter(|f| f.line == 0 && !f.term.is_empty())
    {
        let line = match vocabulary_of(&finding.file) {
            Some(name) => {
                let terms = metadata
                    .vocabularies()
                    .get(name)
                    .map_or(&[][..], |v| v.terms());
                terms
                    .iter()
                    .find(|t| t.text == finding.term)
                    .map(|t| t.line)
            }
            None if finding.file == styles::FILE => {
                styles::find(metadata.styles(), &finding.term).map(|s| s.line)
            }
            None => None,
        };
        finding.line = line.unwrap_or(0);
    }
}

/// A linter that caches the findings of unchanged files.
#[derive(Clone, Debug, Default)]
pub struct Linter {
    lists: BTreeMap<String, Seen>,
}

/// A cached vocabulary.
#[derive(Clone, Debug)]
struct Seen {
    source: Source,
    asked: Asked,
    found: Vec<Finding>,
    plain: Vec<String>,
}

/// The source of a cached vocabulary.
#[derive(Clone, Debug)]
enum Source {
    /// The reference keeps the allocation alive, so pointer comparison is safe.
    File(Arc<Vocabulary>),
    Styles(Vec<Style>),
}

impl Linter {
    /// All findings in `metadata`: unreadable files first, then by file and line.
    pub fn lint(&mut self, metadata: &Metadata) -> Vec<Finding> {
        let (_, compiled) = CompiledMetadata::compile(metadata);
        self.lint_compiled(metadata, &compiled)
    }

    /// Checks a list, unless neither its terms nor the questions about them changed.
    fn check(
        &mut self,
        metadata: &Metadata,
        name: &str,
        same: impl Fn(&Source) -> bool,
        source: impl FnOnce() -> Source,
    ) {
        let asked = Asked::about(metadata, name);
        let is_seen = |s: &Seen| same(&s.source) && s.asked == asked;
        if self.lists.get(name).is_some_and(is_seen) {
            return;
        }
        let source = source();
        let (found, plain) = terms::check(name, &source.entries(), &asked);
        let seen = Seen {
            source,
            asked,
            found,
            plain,
        };
        self.lists.insert(name.to_string(), seen);
    }

    /// Like [`lint`](Self::lint), with the findings of an earlier [`CompiledMetadata::compile`].
    pub fn lint_compiled(&mut self, metadata: &Metadata, compiled: &[Finding]) -> Vec<Finding> {
        let mut found: Vec<Finding> = metadata.found().chain(compiled).cloned().collect();
        if metadata.text(templates::FILE).is_none() {
            let what = "there are no templates, so no question can be composed";
            let finding =
                Finding::new(Rule::MissingFile, templates::FILE, what).term(templates::FILE);
            found.push(
                finding.help("run `benchtop init` in an empty folder to get a starting point"),
            );
        }
        self.lists
            .retain(|name, _| name == STYLE || metadata.vocabularies().contains_key(name));
        for (name, vocabulary) in metadata.vocabularies() {
            if name == STYLE {
                let what = format!(
                    "`{{{STYLE}}}` is filled from {}, so this file is not used",
                    styles::FILE
                );
                let file = format!("{VOCABULARIES}{STYLE}.txt");
                let finding = Finding::new(Rule::UnusedVocabulary, file, what).term(STYLE);
                found.push(finding.help("rename the file"));
                continue;
            }
            let same =
                |source: &Source| matches!(source, Source::File(v) if Arc::ptr_eq(v, vocabulary));
            self.check(metadata, name, same, || Source::File(vocabulary.clone()));
        }
        let styles = metadata.styles();
        let same = |source: &Source| matches!(source, Source::Styles(v) if v == styles);
        self.check(metadata, STYLE, same, || Source::Styles(styles.to_vec()));
        // Whether terms overlap depends on how they are asked about. Without templates, most would
        // be reported.
        let asked = !metadata
            .found()
            .any(|f| f.file == templates::FILE && f.rule == Rule::Unreadable);
        let judged = |f: &&Finding| asked || f.severity() == Severity::Error;
        found.extend(
            self.lists
                .values()
                .flat_map(|s| s.found.iter().filter(judged).cloned()),
        );
        let reach = Reach::of(metadata);
        let entries: Vec<_> = self.lists.values().map(|s| s.source.entries()).collect();
        let shared = self
            .lists
            .iter()
            .zip(&entries)
            .map(|((name, seen), entries)| Shared {
                name,
                entries,
                plain: &seen.plain,
                read: seen.asked.read,
            });
        if asked {
            found.extend(reach.collisions(&shared.collect::<Vec<_>>()));
        }
        if metadata_use::whole(metadata, compiled) {
            found.extend(reach.unused(metadata));
        }
        found.sort();
        found.dedup();
        sort_causes_first(&mut found);
        found
    }
}

/// Moves unreadable files to the front and removes warnings that follow from them, such as a rule
/// with a term of such a file.
pub fn sort_causes_first(found: &mut Vec<Finding>) {
    let listed = |f: &Finding| {
        f.file == styles::FILE || f.file == templates::FILE || vocabulary_of(&f.file).is_some()
    };
    if found
        .iter()
        .any(|f| f.rule == Rule::Unreadable && listed(f))
    {
        let follows = [
            Rule::UnknownTerm,
            Rule::Ungrouped,
            Rule::UnusedVocabulary,
            Rule::Collision,
        ];
        found.retain(|f| !follows.contains(&f.rule));
    }
    sort_by_key(found, |f| f.rule != Rule::Unreadable);
}

impl Source {
    fn entries(&self) -> Vec<terms::Entry<'_>> {
        match self {
            Source::File(vocabulary) => terms::entries(vocabulary),
            Source::Styles(styles) => terms::styles(styles),
        }
    }
}
