//! The metadata M of Dysca's (M, P, I, Q): vocabularies, styles, and templates, in plain files.
//!
//! | module | purpose |
//! |---|---|
//! | [`vocabulary`] | terms, one per line, and edits that keep other lines |
//! | [`styles`], [`templates`] | `styles.toml` and `templates.toml` |
//! | [`rules`], [`rule_edits`] | `compatibility.toml`: parsing and editing |
//! | [`judge`] | questions to judges, one file each in `judge/` |
//! | [`instructions`] | instructions for models under test, one file each in `instruct/` |
//! | [`write`] | requests to writers and grounders, one file each in `write/` |
//! | [`template`] | text with named slots |
//! | `named_files` | folders with one value per file, and the shipped values |
//! | `text_reader` | what judgings, writings, and instructions have in common |
//! | `positions` | byte offsets as lines and columns, and TOML errors as findings |
//! | [`dysca`], [`diff`] | import of the released folder; comparison of two sets |

pub mod diff;
pub mod dysca;
pub mod instructions;
pub mod judge;
mod named_files;
mod positions;
pub mod rule_edits;
pub mod rules;
pub mod styles;
pub mod template;
pub mod templates;
mod text_reader;
pub mod vocabulary;
pub mod write;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use instructions::{instruction_of, shipped_instructions};
use judge::judging_of;
use named_files::Own;
use write::writing_of;

pub use instructions::Instruction;
pub use judge::Judging;
pub use rules::Rules;
pub use styles::Style;
pub use template::Template;
pub use templates::{Subject, Subtask, Templates};
pub use vocabulary::{Term, Vocabulary};
pub use write::Writing;

use benchtop_model::hash::of_texts;
use benchtop_model::{Finding, MetaFile, Rule};

/// The folder of vocabularies within the metadata folder.
pub const VOCABULARIES: &str = "vocabularies/";
/// The name of the styles among vocabularies and slots.
pub const STYLE: &str = "style";

/// The name of the vocabulary in this file; `None` for other files.
pub fn vocabulary_of(file: &str) -> Option<&str> {
    named_files::name_in(file, VOCABULARIES, ".txt")
}

/// The file of this vocabulary, or of the styles.
pub fn file_of(vocabulary: &str) -> String {
    if vocabulary == STYLE {
        styles::FILE.into()
    } else {
        format!("{VOCABULARIES}{vocabulary}.txt")
    }
}

/// A parsed file.
#[derive(Clone, Debug)]
struct Read {
    text: Arc<str>,
    found: Arc<[Finding]>,
}

/// All metadata of a project at one moment. Clones are cheap.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    files: BTreeMap<String, Read>,
    vocabularies: BTreeMap<String, Arc<Vocabulary>>,
    styles: Arc<Vec<Style>>,
    templates: Arc<Templates>,
    rules: Option<Arc<Rules>>,
    judgings: Own<Judging>,
    instructions: Own<Instruction>,
    writings: Own<Writing>,
}

impl Metadata {
    /// Parses these files. Unusable parts are left out and reported by [`found`](Self::found).
    pub fn parse(files: impl IntoIterator<Item = MetaFile>) -> Metadata {
        let mut metadata = Metadata::default();
        for file in files {
            metadata.insert(file);
        }
        metadata
    }

    /// Adds or replaces a file. Files that are not metadata are ignored.
    pub fn insert(&mut self, file: MetaFile) {
        let found = match (file.name.as_str(), vocabulary_of(&file.name)) {
            (styles::FILE, _) => {
                let (styles, found) = styles::parse(&file.text);
                self.styles = Arc::new(styles);
                found
            }
            (templates::FILE, _) => {
                let (templates, found) = templates::parse(&file.text);
                self.templates = Arc::new(templates);
                found
            }
            (rules::FILE, _) => {
                let (rules, found) = rules::parse(&file.text);
                self.rules = Some(Arc::new(rules));
                found
            }
            (_, Some(name)) => {
                let (vocabulary, found) = Vocabulary::parse(name, &file.name, &file.text);
                self.vocabularies
                    .insert(name.to_string(), Arc::new(vocabulary));
                found
            }
            (file_name, None) => match (instruction_of(file_name), judging_of(file_name)) {
                (Some(name), _) => {
                    let (instruction, found) = instructions::parse(name, file_name, &file.text);
                    self.instructions
                        .insert(name.to_string(), instruction.map(Arc::new));
                    found
                }
                (None, Some(name)) => {
                    let (judging, found) = judge::parse(name, file_name, &file.text);
                    self.judgings
                        .insert(name.to_string(), judging.map(Arc::new));
                    found
                }
                (None, None) => {
                    let Some(name) = writing_of(file_name) else {
                        return;
                    };
                    let (writing, found) = write::parse(name, file_name, &file.text);
                    self.writings
                        .insert(name.to_string(), writing.map(Arc::new));
                    found
                }
            },
        };
        self.files.insert(
            file.name,
            Read {
                text: file.text.into(),
                found: found.into(),
            },
        );
    }

    /// Removes a file.
    pub fn remove(&mut self, name: &str) {
        self.files.remove(name);
        match vocabulary_of(name) {
            Some(vocabulary) => drop(self.vocabularies.remove(vocabulary)),
            None if name == styles::FILE => self.styles = Arc::default(),
            None if name == templates::FILE => self.templates = Arc::default(),
            None if name == rules::FILE => self.rules = None,
            None => {
                drop(judging_of(name).and_then(|name| self.judgings.remove(name)));
                drop(instruction_of(name).and_then(|name| self.instructions.remove(name)));
                drop(writing_of(name).and_then(|name| self.writings.remove(name)));
            }
        }
    }

    /// The names of its files, sorted.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(|f| &*f.text)
    }

    /// The vocabularies by name, without the styles.
    pub fn vocabularies(&self) -> &BTreeMap<String, Arc<Vocabulary>> {
        &self.vocabularies
    }

    /// The styles, in file order.
    pub fn styles(&self) -> &[Style] {
        &self.styles
    }

    pub fn templates(&self) -> &Templates {
        &self.templates
    }

    /// The compatibility rules; `None` without a file.
    pub fn rules(&self) -> Option<&Arc<Rules>> {
        self.rules.as_ref()
    }

    /// The judging with this name: the project's file, or the shipped one if the project has none.
    pub fn judging(&self, name: &str) -> Option<Arc<Judging>> {
        named_files::one(&self.judgings, judge::shipped_judgings(), name)
    }

    /// All judgings, sorted by name: the project's, and the shipped ones that it does not replace.
    pub fn judgings(&self) -> Vec<Arc<Judging>> {
        named_files::all(&self.judgings, judge::shipped_judgings())
    }

    /// The writing with this name: the project's file, or the shipped one if the project has none.
    pub fn writing(&self, name: &str) -> Option<Arc<Writing>> {
        named_files::one(&self.writings, write::shipped_writings(), name)
    }

    /// All writings, sorted by name: the project's, and the shipped ones that it does not replace.
    pub fn writings(&self) -> Vec<Arc<Writing>> {
        named_files::all(&self.writings, write::shipped_writings())
    }

    /// The instruction with this name: the project's file, or the shipped one if the project has
    /// none.
    pub fn instruction(&self, name: &str) -> Option<Arc<Instruction>> {
        named_files::one(&self.instructions, shipped_instructions(), name)
    }

    /// All instructions, sorted by name.
    pub fn instructions(&self) -> Vec<Arc<Instruction>> {
        named_files::all(&self.instructions, shipped_instructions())
    }

    /// The enabled terms of a vocabulary, or the names of the enabled styles.
    pub fn enabled(&self, vocabulary: &str) -> Vec<&str> {
        if vocabulary == STYLE {
            return self
                .styles
                .iter()
                .filter(|s| !s.disabled)
                .map(|s| s.name.as_str())
                .collect();
        }
        self.vocabularies
            .get(vocabulary)
            .map_or(Vec::new(), |v| v.enabled().collect())
    }

    /// Findings from parsing the files.
    pub fn found(&self) -> impl Iterator<Item = &Finding> {
        self.files.values().flat_map(|f| f.found.iter())
    }

    /// A finding at a byte range within the string of `text` in `templates.toml`.
    pub fn in_template(
        &self,
        rule: Rule,
        what: String,
        text: &templates::Text,
        inner: Range<usize>,
    ) -> Finding {
        let file = self.text(templates::FILE).unwrap_or_default();
        let span = positions::inside(file, text.span.clone(), text.template.source(), inner);
        positions::at(Finding::new(rule, templates::FILE, what), file, span)
    }

    /// A finding at a byte range of `templates.toml`.
    pub fn at_template(&self, rule: Rule, what: String, span: Range<usize>) -> Finding {
        positions::at(
            Finding::new(rule, templates::FILE, what),
            self.text(templates::FILE).unwrap_or_default(),
            span,
        )
    }

    /// Revision of the vocabularies: a hash over their names and contents, 16 hex digits.
    pub fn vocabulary_revision(&self) -> String {
        self.revision(|name| vocabulary_of(name).is_some())
    }

    /// A finding at a byte range of `compatibility.toml`.
    pub fn at_rule(&self, rule: Rule, what: String, span: Range<usize>) -> Finding {
        positions::at(
            Finding::new(rule, rules::FILE, what),
            self.text(rules::FILE).unwrap_or_default(),
            span,
        )
    }

    /// Revision of the styles, templates, and rules: a hash over their contents, 16 hex digits.
    /// Judgings are not included, because they have revisions of their own and no question is
    /// written with them.
    pub fn template_revision(&self) -> String {
        self.revision(|name| [styles::FILE, templates::FILE, rules::FILE].contains(&name))
    }

    fn revision(&self, of: impl Fn(&str) -> bool) -> String {
        let files = self.files.iter().filter(|(name, _)| of(name));
        let texts = files.flat_map(|(name, file)| [name.as_str(), &*file.text]);
        of_texts(texts).to_hex()[..16].to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::small;

    #[test]
    fn files_are_added_replaced_and_removed() {
        let mut metadata = small();
        assert_eq!(
            metadata.found().count(),
            0,
            "{:?}",
            metadata.found().collect::<Vec<_>>()
        );
        assert_eq!(metadata.enabled("color"), ["red", "blue", "white"]);
        assert_eq!(metadata.enabled(STYLE).len(), 5);
        let (vocabulary, template) = (metadata.vocabulary_revision(), metadata.template_revision());
        metadata.insert(MetaFile {
            name: file_of("color"),
            text: "red\n#- blue\ngreen\n".into(),
        });
        assert_eq!(metadata.enabled("color"), ["red", "green"]);
        assert_ne!(metadata.vocabulary_revision(), vocabulary);
        assert_eq!(metadata.template_revision(), template);
        metadata.insert(MetaFile {
            name: "judge/mine.toml".into(),
            text: judge::tests::MINE.into(),
        });
        assert_eq!(
            metadata.template_revision(),
            template,
            "judgings do not change the revision"
        );
        assert!(
            metadata.judging("mine").is_some() && metadata.judging("vlb-v1-add-object").is_some()
        );
        assert_eq!(
            metadata.judgings().len(),
            1 + judge::shipped_judgings().len()
        );
        metadata.insert(MetaFile {
            name: "judge/vlb-v1-add-object.toml".into(),
            text: "broken".into(),
        });
        assert!(
            metadata.judging("vlb-v1-add-object").is_none(),
            "a broken file has a finding"
        );
        metadata.remove("judge/vlb-v1-add-object.toml");
        metadata.remove("judge/mine.toml");
        assert!(
            metadata.judging("mine").is_none() && metadata.judging("vlb-v1-add-object").is_some()
        );
        metadata.insert(MetaFile {
            name: "notes.md".into(),
            text: "x".into(),
        });
        assert_eq!(metadata.text("notes.md"), None);
        metadata.remove(&file_of("color"));
        metadata.remove(templates::FILE);
        assert!(metadata.enabled("color").is_empty() && metadata.templates().subjects.is_empty());
        assert_eq!(vocabulary_of("vocabularies/tv-show.txt"), Some("tv-show"));
        assert_eq!(vocabulary_of("vocabularies/a/b.txt"), None);
    }
}
