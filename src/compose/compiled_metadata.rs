//! Compiles metadata: resolves slots, expands fragments, and reports everything that cannot be
//! used.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use super::ambiguity::{ComparableTerm, TermKind};
use super::compatibility::Compatibility;
use super::metadata::template::{Piece, Template, article};
use super::metadata::templates::{Layouts, Text};
use super::metadata::{Metadata, STYLE, file_of};
use benchtop_model::{Finding, Rule};

/// Maximum nesting of fragments.
const DEPTH: usize = 16;
/// Maximum size of an expanded prompt in bytes. Nested fragments can grow exponentially.
const PROMPT_BYTES: usize = 16 << 10;

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Literal text.
    Text(String),
    /// A term of a list.
    Term {
        /// Position in [`CompiledMetadata::lists`].
        list: usize,
        /// Whether "a" or "an" precedes it.
        article: bool,
    },
}

/// The terms that fill one slot.
#[derive(Clone, Debug)]
pub struct List {
    /// Name of the vocabulary, or `style`.
    pub name: String,
    /// Enabled terms, or names of the enabled styles.
    pub terms: Vec<String>,
    /// The terms, prepared for comparisons.
    pub words: Vec<ComparableTerm>,
    at: HashMap<String, u32>,
}

impl List {
    /// The position of this term.
    pub fn position(&self, term: &str) -> Option<u32> {
        self.at.get(term).copied()
    }
}

/// A subject: the kind of picture that a prompt describes.
#[derive(Clone, Debug)]
pub struct Subject {
    pub name: String,
    /// Its prompts with expanded fragments.
    pub prompts: Vec<Vec<Part>>,
    /// The same prompts as text. The recipe hash covers them.
    pub sources: Vec<String>,
    /// The lists with a slot in every prompt, sorted.
    pub lists: Vec<usize>,
    /// The list whose term `{subject}` stands for.
    pub main: Option<usize>,
    /// Positions in [`CompiledMetadata::subtasks`] of the supported subtasks. Every prompt contains
    /// their term.
    pub supports: Vec<usize>,
    describe: Option<Template>,
    answer: Option<Template>,
}

/// A subtask: the property that a question asks about.
#[derive(Clone, Debug)]
pub struct Subtask {
    pub name: String,
    /// The list that it asks about.
    pub list: usize,
    /// Dysca's task.
    pub task: String,
    /// Dysca's granularity.
    pub granularity: String,
    /// The multiple-choice question.
    pub question: Template,
    /// The true/false statement.
    pub statement: Template,
    /// The yes/no question.
    pub yes_no: Template,
    describe: Option<Template>,
    answer: Option<Template>,
}

/// Compiled metadata, ready to compose from.
#[derive(Clone, Debug, Default)]
pub struct CompiledMetadata {
    /// The lists that templates use, sorted by name.
    pub lists: Vec<List>,
    /// The subjects, sorted by name.
    pub subjects: Vec<Subject>,
    /// The subtasks, sorted by name.
    pub subtasks: Vec<Subtask>,
    /// The texts around questions.
    pub layouts: Layouts,
    /// Position of the list of styles.
    pub style: usize,
    /// Wording and negative prompt of each style, in the order of the style list.
    pub styles: Vec<(String, String)>,
    /// Revision of the vocabularies.
    pub vocabulary_revision: String,
    /// Revision of styles, templates, and rules.
    pub template_revision: String,
    /// Compatibility rules; `None` without a rules file.
    pub compatibility: Option<Arc<Compatibility>>,
}

impl CompiledMetadata {
    /// Compiles `metadata` and reports its defects. Defective subjects and subtasks are left out.
    pub fn compile(metadata: &Metadata) -> (CompiledMetadata, Vec<Finding>) {
        let mut compiler = Compiler {
            metadata,
            compiled: CompiledMetadata::default(),
            found: Vec::new(),
            spent: 0,
        };
        compiler.compile();
        (compiler.compiled, compiler.found)
    }

    /// The position of the list with this name.
    pub fn list(&self, name: &str) -> Option<usize> {
        self.lists.iter().position(|l| l.name == name)
    }

    /// The position of the subject with this name.
    pub fn subject(&self, name: &str) -> Option<usize> {
        self.subjects.iter().position(|s| s.name == name)
    }

    /// The position of the subtask with this name.
    pub fn subtask(&self, name: &str) -> Option<usize> {
        self.subtasks.iter().position(|s| s.name == name)
    }

    /// The compiled metadata without compatibility rules.
    pub fn without_rules(mut self) -> CompiledMetadata {
        self.compatibility = None;
        self
    }

    /// The lists that a question of this subtask depends on, sorted: what it asks about and what it
    /// names. A free-form question depends on everything in its reference answer.
    pub fn lists_of_question(
        &self,
        subject: &Subject,
        subtask: &Subtask,
        free_form: bool,
    ) -> Vec<usize> {
        let list = |slot: &str| match slot {
            "term" => Some(subtask.list),
            "subject" => subject.main,
            name => self.list(name),
        };
        let own = [&subtask.question, &subtask.statement, &subtask.yes_no];
        let texts: Vec<&Template> = match self.free_form(subject, subtask) {
            Some((describe, answer)) if free_form => vec![describe, answer],
            _ => own.to_vec(),
        };
        let mut lists: Vec<usize> = texts
            .iter()
            .flat_map(|t| t.slots())
            .filter_map(|s| list(&s.name))
            .collect();
        lists.push(subtask.list);
        lists.sort_unstable();
        lists.dedup();
        lists
    }

    /// The free-form question and reference answer of a subtask: its own, or else the subject's.
    pub fn free_form<'g>(
        &self,
        subject: &'g Subject,
        subtask: &'g Subtask,
    ) -> Option<(&'g Template, &'g Template)> {
        match (&subtask.describe, &subtask.answer) {
            (Some(describe), Some(answer)) => Some((describe, answer)),
            _ => Some((subject.describe.as_ref()?, subject.answer.as_ref()?)),
        }
    }
}

struct Compiler<'m> {
    metadata: &'m Metadata,
    compiled: CompiledMetadata,
    found: Vec<Finding>,
    /// Bytes and slots in the current prompt so far.
    spent: usize,
}

impl<'m> Compiler<'m> {
    fn compile(&mut self) {
        let metadata = self.metadata;
        let templates = metadata.templates();
        self.compiled.vocabulary_revision = metadata.vocabulary_revision();
        self.compiled.template_revision = metadata.template_revision();
        self.lists();
        let mut done = BTreeSet::new();
        for (name, fragment) in &templates.fragments {
            self.cycle(fragment, &[name.as_str()], &mut done);
        }
        for (name, subject) in &templates.subjects {
            self.subject(name, subject);
        }
        let layouts = &templates.layouts;
        self.compiled.layouts = layouts.clone();
        let options = &["question", "options", "letters"][..];
        for (text, known) in [
            (&layouts.multiple_choice, options),
            (&layouts.true_false, options),
            (&layouts.yes_no, &["question"]),
            (&layouts.free_form, &["question"]),
            (&layouts.cross, &[]),
            (&layouts.pair_choice, options),
            (&layouts.cross_option, &["first", "second"]),
        ] {
            self.only(text, known);
        }
        for (name, subtask) in &templates.subtasks {
            self.subtask(name, subtask);
        }
        self.support();
        if let Some(rules) = metadata.rules() {
            let mut found = Vec::new();
            let ready = Compatibility::compile(rules, &self.compiled.lists, metadata, &mut found);
            self.compiled.compatibility = Some(Arc::new(ready));
            self.found.append(&mut found);
        }
        // A file that cannot be read also has too few terms. Report only the cause.
        let unread = |file: &str| {
            metadata
                .found()
                .any(|f| f.rule == Rule::Unreadable && f.file == file)
        };
        self.found
            .retain(|f| f.rule != Rule::EmptyVocabulary || !unread(&f.file));
    }

    fn lists(&mut self) {
        let phrases: BTreeMap<&str, bool> = self
            .metadata
            .templates()
            .subtasks
            .values()
            .map(|s| (s.vocabulary.as_str(), s.phrases))
            .collect();
        let names = self.metadata.vocabularies().keys().map(String::as_str);
        if self.metadata.vocabularies().contains_key(STYLE) {
            let file = format!("{}{STYLE}.txt", super::metadata::VOCABULARIES);
            let finding = Finding::new(
                Rule::BadTemplate,
                file,
                "`style` is reserved for styles.toml",
            );
            self.found
                .push(finding.term(STYLE).help("rename this vocabulary"));
        }
        for name in names.filter(|n| *n != STYLE).chain([STYLE]) {
            let terms: Vec<String> = self
                .metadata
                .enabled(name)
                .into_iter()
                .map(String::from)
                .collect();
            let kind = if phrases.get(name) == Some(&true) {
                TermKind::Phrases
            } else {
                TermKind::Nouns
            };
            let words = terms.iter().map(|t| ComparableTerm::new(t, kind)).collect();
            let at = terms
                .iter()
                .enumerate()
                .map(|(i, t)| (t.clone(), i as u32))
                .collect();
            self.compiled.lists.push(List {
                name: name.into(),
                terms,
                words,
                at,
            });
        }
        self.compiled.style = self.compiled.lists.len() - 1;
        let styles = self.metadata.styles().iter().filter(|s| !s.disabled);
        self.compiled.styles = styles
            .map(|s| (s.prompt.clone(), s.negative.clone()))
            .collect();
    }

    fn subject(&mut self, name: &str, subject: &super::metadata::Subject) {
        let before = self.found.len();
        let mut prompts = Vec::new();
        for text in &subject.prompts {
            let mut parts = Vec::new();
            self.spent = 0;
            self.expand(text, &mut Vec::new(), &mut parts);
            prompts.push(parts);
        }
        let held = |parts: &Vec<Part>| -> Vec<usize> {
            parts
                .iter()
                .filter_map(|p| {
                    if let Part::Term { list, .. } = p {
                        Some(*list)
                    } else {
                        None
                    }
                })
                .collect()
        };
        let mut lists = prompts.first().map_or(Vec::new(), held);
        lists.sort_unstable();
        lists.dedup();
        lists.retain(|l| prompts.iter().all(|p| held(p).contains(l)));
        for (text, parts) in subject.prompts.iter().zip(&prompts) {
            for list in held(parts).into_iter().filter(|l| !lists.contains(l)) {
                let slot = &self.compiled.lists[list].name;
                let what = format!(
                    "this wording of {name} has `{slot}`, but another has not, so no question can ask about it"
                );
                self.in_template(Rule::UnsupportedSlot, what, text, slot.clone());
            }
        }
        let main = subject.main.as_deref().and_then(|m| self.compiled.list(m));
        if let Some(wanted) = &subject.main
            && !main.is_some_and(|m| lists.contains(&m))
        {
            let what =
                format!("the prompt of {name} does not contain its main vocabulary `{wanted}`");
            self.at_template(Rule::UnsupportedSlot, what, &subject.span, wanted);
        }
        for text in [&subject.describe, &subject.answer].into_iter().flatten() {
            self.supported(text, &lists, &[], &format!("the prompt of {name}"));
        }
        self.described(name, (&subject.describe, &subject.answer), &subject.span);
        if self.found.len() == before {
            let sources = prompts.iter().map(|parts| self.source(parts)).collect();
            self.compiled.subjects.push(Subject {
                name: name.into(),
                prompts,
                sources,
                lists,
                main,
                supports: Vec::new(),
                describe: subject.describe.as_ref().map(|t| t.template.clone()),
                answer: subject.answer.as_ref().map(|t| t.template.clone()),
            });
        }
    }

    fn subtask(&mut self, name: &str, subtask: &super::metadata::Subtask) {
        let before = self.found.len();
        let Some(list) = self.compiled.list(&subtask.vocabulary) else {
            let what = format!(
                "{name} asks about the unknown vocabulary `{}`",
                subtask.vocabulary
            );
            let finding = self
                .metadata
                .at_template(Rule::MissingFile, what, subtask.span.clone());
            self.found.push(
                finding
                    .term(subtask.vocabulary.clone())
                    .help(self.nearest(&subtask.vocabulary, &[])),
            );
            return;
        };
        if self.compiled.lists[list].terms.len() < 2 {
            let enabled = self.compiled.lists[list].terms.len();
            let file = file_of(&subtask.vocabulary);
            let what = format!("{enabled} enabled terms, but {name} needs at least 2");
            self.found.push(
                Finding::new(Rule::EmptyVocabulary, file, what).term(subtask.vocabulary.clone()),
            );
        }
        for text in [&subtask.question, &subtask.statement, &subtask.yes_no] {
            let own: &[&str] = if std::ptr::eq(text, &subtask.question) {
                &["subject"]
            } else {
                &["term", "subject"]
            };
            self.known(text, own);
        }
        for text in [&subtask.statement, &subtask.yes_no] {
            if !text.template.has("term") && !text.template.source().is_empty() {
                let what =
                    format!("{name} has no `{{term}}`, so it says nothing about the picture");
                self.in_template(Rule::BadTemplate, what, text, name.into());
            }
        }
        for text in [&subtask.describe, &subtask.answer].into_iter().flatten() {
            self.known(text, &["term", "subject"]);
        }
        self.described(name, (&subtask.describe, &subtask.answer), &subtask.span);
        if self.found.len() == before {
            self.compiled.subtasks.push(Subtask {
                name: name.into(),
                list,
                task: subtask.task.clone(),
                granularity: subtask.granularity.clone(),
                question: subtask.question.template.clone(),
                statement: subtask.statement.template.clone(),
                yes_no: subtask.yes_no.template.clone(),
                describe: subtask.describe.as_ref().map(|t| t.template.clone()),
                answer: subtask.answer.as_ref().map(|t| t.template.clone()),
            });
        }
    }

    /// Determines the subtasks of each subject, and reports questions with a slot that the prompt
    /// does not have.
    fn support(&mut self) {
        let templates = self.metadata.templates();
        for at in 0..self.compiled.subjects.len() {
            let subject = self.compiled.subjects[at].clone();
            let mut good = Vec::new();
            for task in 0..self.compiled.subtasks.len() {
                let Subtask { name, list, .. } = &self.compiled.subtasks[task];
                if !subject.lists.contains(list) {
                    continue;
                }
                let name = name.clone();
                let before = self.found.len();
                if let Some(raw) = templates.subtasks.get(&name) {
                    let whole = format!("the prompt of {}", subject.name);
                    let mut own = vec!["term"];
                    own.extend(subject.main.map(|_| "subject"));
                    let mut texts = vec![&raw.question, &raw.statement, &raw.yes_no];
                    texts.extend([&raw.describe, &raw.answer].into_iter().flatten());
                    for text in texts {
                        self.supported(text, &subject.lists, &own, &whole);
                    }
                    let own_pair = raw.describe.is_some() && raw.answer.is_some();
                    if !own_pair && (subject.describe.is_none() || subject.answer.is_none()) {
                        let what = format!(
                            "there is no free-form question for {name} of {}",
                            subject.name
                        );
                        let finding =
                            self.metadata
                                .at_template(Rule::BadTemplate, what, raw.span.clone());
                        self.found.push(
                            finding
                                .term(&*name)
                                .help("add `describe` and `answer` to the subtask or the subject"),
                        );
                    }
                }
                if self.found.len() == before {
                    good.push(task);
                }
            }
            self.compiled.subjects[at].supports = good;
        }
        self.found.sort();
        self.found.dedup();
    }

    /// Expands a prompt template and its fragments.
    fn expand(&mut self, text: &Text, path: &mut Vec<String>, parts: &mut Vec<Part>) {
        let metadata = self.metadata;
        for piece in text.template.pieces() {
            let cost = if let Piece::Text(words) = piece {
                words.len()
            } else {
                1
            };
            self.spent += cost;
            if self.spent > PROMPT_BYTES {
                let what = format!(
                    "the expanded prompt is larger than {} KiB",
                    PROMPT_BYTES >> 10
                );
                let finding = self
                    .metadata
                    .in_template(Rule::BadTemplate, what, text, 0..0);
                if !self.found.contains(&finding) {
                    self.found.push(finding);
                }
                return;
            }
            let slot = match piece {
                Piece::Text(words) => {
                    match parts.last_mut() {
                        Some(Part::Text(last)) => last.push_str(words),
                        _ => parts.push(Part::Text(words.clone())),
                    }
                    continue;
                }
                Piece::Slot(slot) => slot,
            };
            if let Some(list) = self.compiled.list(&slot.name) {
                if self.compiled.lists[list].terms.is_empty() {
                    let what = "no enabled terms, but a prompt needs one";
                    let finding = Finding::new(Rule::EmptyVocabulary, file_of(&slot.name), what);
                    self.found.push(finding.term(slot.name.clone()));
                }
                parts.push(Part::Term {
                    list,
                    article: slot.article,
                });
            } else if let Some(fragment) = metadata.templates().fragments.get(&slot.name) {
                if path.contains(&slot.name) || path.len() >= DEPTH {
                    // Every fragment is checked once, so this is reported once.
                    self.found
                        .push(self.cyclic(text, &slot.name, slot.at.clone()));
                    continue;
                }
                path.push(slot.name.clone());
                self.expand(fragment, path, parts);
                path.pop();
            } else {
                self.unknown(text, &slot.name, slot.at.clone(), &[]);
            }
        }
    }

    fn at_template(&mut self, rule: Rule, what: String, span: &Range<usize>, term: &str) {
        let finding = self.metadata.at_template(rule, what, span.clone());
        self.found.push(finding.term(term));
    }

    fn in_template(&mut self, rule: Rule, what: String, text: &Text, term: String) {
        let finding = self.metadata.in_template(rule, what, text, 0..0);
        self.found.push(finding.term(term));
    }

    /// Reports a free-form question without its answer, and an answer without its question.
    fn described(&mut self, name: &str, of: (&Option<Text>, &Option<Text>), span: &Range<usize>) {
        if of.0.is_some() != of.1.is_some() {
            let what = format!("{name} needs both `describe` and `answer`, or neither");
            self.at_template(Rule::BadTemplate, what, span, name);
        }
    }

    fn source(&self, parts: &[Part]) -> String {
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Text(words) => text.push_str(words),
                Part::Term { list, article } => {
                    text.push_str(if *article { "{a " } else { "{" });
                    text.push_str(&self.compiled.lists[*list].name);
                    text.push('}');
                }
            }
        }
        text
    }

    fn cyclic(&self, text: &Text, name: &str, at: Range<usize>) -> Finding {
        let what =
            format!("fragment `{name}` uses itself, or is nested more than {DEPTH} levels deep");
        self.metadata
            .in_template(Rule::CyclicFragment, what, text, at)
            .term(name)
    }

    /// Finds fragments that use themselves, even if no prompt uses them.
    fn cycle(&mut self, text: &'m Text, path: &[&'m str], done: &mut BTreeSet<&'m str>) {
        for slot in text.template.slots() {
            let Some((name, fragment)) = self
                .metadata
                .templates()
                .fragments
                .get_key_value(&slot.name)
            else {
                continue;
            };
            if path.contains(&name.as_str()) || path.len() >= DEPTH {
                let finding = self.cyclic(text, name, slot.at.clone());
                if !self.found.contains(&finding) {
                    self.found.push(finding);
                }
            } else if !done.contains(name.as_str()) {
                self.cycle(fragment, &[path, &[name.as_str()]].concat(), done);
            }
        }
        done.extend(path.last());
    }

    /// Reports slots with other names than these.
    fn only(&mut self, text: &Text, known: &[&str]) {
        for slot in text.template.slots_beyond(known) {
            let finding = self.metadata.in_template(
                Rule::UnknownSlot,
                format!("unknown slot `{{{}}}`", slot.name),
                text,
                slot.at.clone(),
            );
            let known = if known.is_empty() {
                "none".into()
            } else {
                known.join(", ")
            };
            self.found.push(
                finding
                    .term(slot.name.clone())
                    .help(format!("known slots: {known}")),
            );
        }
    }

    /// Reports slots that are neither one of these nor a vocabulary.
    fn known(&mut self, text: &Text, own: &[&str]) {
        for slot in text.template.slots_beyond(own) {
            if self.compiled.list(&slot.name).is_none() {
                self.unknown(text, &slot.name, slot.at.clone(), own);
            }
        }
    }

    /// Reports slots that are neither one of these nor in the prompt.
    fn supported(&mut self, text: &Text, lists: &[usize], own: &[&str], prompt: &str) {
        for slot in text.template.slots_beyond(own) {
            let (name, at) = (&slot.name, slot.at.clone());
            match self.compiled.list(name) {
                Some(list) if lists.contains(&list) => {}
                None if name != "subject" => {
                    if own.is_empty() {
                        self.unknown(text, name, at, &[]);
                    }
                }
                _ => {
                    let (rule, what) = (
                        Rule::UnsupportedSlot,
                        format!("`{{{name}}}` is not in {prompt}"),
                    );
                    let finding = self.metadata.in_template(rule, what, text, at);
                    self.found.push(finding.term(name.clone()));
                }
            }
        }
    }

    fn unknown(&mut self, text: &Text, name: &str, at: Range<usize>, own: &[&str]) {
        let what = format!("`{{{name}}}` is neither a vocabulary nor a fragment");
        let finding = self
            .metadata
            .in_template(Rule::UnknownSlot, what, text, at)
            .term(name);
        self.found.push(finding.help(self.nearest(name, own)));
    }

    /// A suggestion for a misspelled name.
    fn nearest(&self, name: &str, own: &[&str]) -> String {
        let lists = self.compiled.lists.iter().map(|l| l.name.as_str());
        let fragments = self
            .metadata
            .templates()
            .fragments
            .keys()
            .map(String::as_str);
        let names = lists.chain(fragments).chain(own.iter().copied());
        let best = names
            .map(|n| (strsim::damerau_levenshtein(n, name), n))
            .min();
        match best {
            Some((distance, near)) if distance <= name.len().div_ceil(2).min(3) => {
                format!("did you mean `{near}`?")
            }
            _ => format!("add vocabularies/{name}.txt, or use another name"),
        }
    }
}

/// Writes a prompt. `term` returns the term of a list.
pub fn write_prompt<'t>(parts: &[Part], out: &mut String, term: impl Fn(usize) -> &'t str) {
    for part in parts {
        match part {
            Part::Text(words) => out.push_str(words),
            Part::Term {
                list,
                article: with,
            } => {
                let term = term(*list);
                if *with {
                    out.push_str(article(term));
                    out.push(' ');
                }
                out.push_str(term);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::SMALL;
    use crate::fixtures::small;
    use crate::metadata::templates::FILE;
    use benchtop_model::MetaFile;

    fn found(name: &str, text: String) -> Vec<Finding> {
        let mut metadata = small();
        metadata.insert(MetaFile {
            name: name.into(),
            text,
        });
        CompiledMetadata::compile(&metadata).1
    }

    #[test]
    fn growing_fragments_are_stopped() {
        let bomb: String = (0..12)
            .map(|n| format!("f{n} = \"{}\"\n", format!("{{f{}}}", n + 1).repeat(10)))
            .collect();
        let text = SMALL.replace(
            "[fragment]\n",
            &format!("[fragment]\nf12 = \"boom\"\n{bomb}"),
        );
        let found = found(FILE, text.replace("a sign that says", "{f0} that says"));
        assert!(
            found
                .iter()
                .any(|f| f.rule == Rule::BadTemplate && f.message.contains("KiB")),
            "{found:?}"
        );
    }

    #[test]
    fn style_is_a_reserved_name() {
        let found = found("vocabularies/style.txt", "gothic\nbaroque\n".into());
        assert_eq!(
            (found.len(), found[0].rule, found[0].term.as_str()),
            (1, Rule::BadTemplate, "style")
        );
    }
}
