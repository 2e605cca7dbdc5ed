//! Metadata made ready to compose from: slots resolved, fragments put in, and everything that cannot work found.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::ambiguity::{Terms, Words};
use super::compatibility::Compatibility;
use super::metadata::template::{Piece, Template, article};
use super::metadata::templates::Text;
use super::metadata::{Metadata, STYLE, file_of};
use benchtop_model::{Finding, Rule};

/// Fragments within fragments, at most.
const DEPTH: usize = 16;
/// Bytes of a prompt with its fragments put in, at most: a few of them within each other can make any number.
const PROMPT_BYTES: usize = 16 << 10;

/// A part of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Words as they are.
    Text(String),
    /// The term of a list, with its article or without.
    Term {
        /// Position in [`CompiledMetadata::lists`].
        list: usize,
        /// Whether "a" or "an" goes before it.
        article: bool,
    },
}

/// The terms that one slot is filled from.
#[derive(Clone, Debug)]
pub struct List {
    /// Name of the vocabulary, or `style`.
    pub name: String,
    /// Enabled terms; for styles their names.
    pub terms: Vec<String>,
    /// The terms, ready to be compared.
    pub words: Vec<Words>,
    at: HashMap<String, u32>,
}

impl List {
    /// The position of this term.
    pub fn position(&self, term: &str) -> Option<u32> {
        self.at.get(term).copied()
    }
}

/// What a picture can show.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Its prompts, fragments put in.
    pub prompts: Vec<Vec<Part>>,
    /// The prompts as text, fragments put in: what recipes are made of.
    pub sources: Vec<String>,
    /// The lists that every prompt of it has a slot for, sorted.
    pub lists: Vec<usize>,
    /// The list whose term `{subject}` stands for.
    pub main: Option<usize>,
    /// Positions in [`CompiledMetadata::subtasks`] of what can be asked: its term is in every prompt.
    pub supports: Vec<usize>,
    describe: Option<Template>,
    answer: Option<Template>,
}

/// What can be asked.
#[derive(Clone, Debug)]
pub struct Subtask {
    /// Its name.
    pub name: String,
    /// The list it asks about.
    pub list: usize,
    /// Dysca's task.
    pub task: String,
    /// Dysca's granularity.
    pub granularity: String,
    /// The multiple-choice question.
    pub question: Template,
    /// The statement that is true or false.
    pub statement: Template,
    /// The same as a yes/no question.
    pub yes_no: Template,
    describe: Option<Template>,
    answer: Option<Template>,
}

/// Texts around every question.
#[derive(Clone, Debug, Default)]
pub struct Layouts {
    /// Around a multiple-choice question.
    pub multiple_choice: Template,
    /// Around a true/false statement.
    pub true_false: Template,
    /// Around a yes/no question.
    pub yes_no: Template,
    /// Around a free-form question.
    pub free_form: Template,
    /// The option that declines to answer.
    pub refusal: String,
    /// What is asked across two pictures.
    pub cross: Template,
    /// An option of that.
    pub cross_option: Template,
    /// Around a multiple-choice question about a pair.
    pub pair_choice: Template,
}

/// Metadata made ready to compose from.
#[derive(Clone, Debug, Default)]
pub struct CompiledMetadata {
    /// The lists that templates use, by name.
    pub lists: Vec<List>,
    /// What pictures can show, by name.
    pub subjects: Vec<Subject>,
    /// What can be asked, by name.
    pub subtasks: Vec<Subtask>,
    /// Texts around every question.
    pub layouts: Layouts,
    /// The list of styles.
    pub style: usize,
    /// Wording and negative prompt of each style, in the order of the style list.
    pub styles: Vec<(String, String)>,
    /// Revision of the vocabularies.
    pub vocabulary_revision: String,
    /// Revision of styles and templates.
    pub template_revision: String,
    /// Which terms go together; `None` where the metadata has no rules about it.
    pub compatibility: Option<Arc<Compatibility>>,
}

impl CompiledMetadata {
    /// Makes `metadata` ready; also gives what is wrong with it as a whole. What is wrong is left out: a subject whose
    /// prompts cannot be filled, a subtask that cannot be asked.
    pub fn compile(metadata: &Metadata) -> (CompiledMetadata, Vec<Finding>) {
        let mut compiler = Compiler {
            metadata,
            grammar: CompiledMetadata::default(),
            found: Vec::new(),
            spent: 0,
        };
        compiler.compile();
        (compiler.grammar, compiler.found)
    }

    /// The list of this name.
    pub fn list(&self, name: &str) -> Option<usize> {
        self.lists.iter().position(|l| l.name == name)
    }

    /// The subject of this name.
    pub fn subject(&self, name: &str) -> Option<usize> {
        self.subjects.iter().position(|s| s.name == name)
    }

    /// The subtask of this name.
    pub fn subtask(&self, name: &str) -> Option<usize> {
        self.subtasks.iter().position(|s| s.name == name)
    }

    /// The grammar as it would be without rules of compatibility.
    pub fn without_rules(mut self) -> CompiledMetadata {
        self.compatibility = None;
        self
    }

    /// The lists that a question of this subtask is about, sorted: what it asks for and what it names. In free form
    /// that is everything the reference answer describes.
    pub fn asks(&self, subject: &Subject, subtask: &Subtask, free_form: bool) -> Vec<usize> {
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

    /// The free-form question and its reference answer for a subtask of a subject: the subtask's own, else the
    /// subject's.
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
    grammar: CompiledMetadata,
    found: Vec<Finding>,
    /// Bytes and slots of the prompt that is being put together.
    spent: usize,
}

impl<'m> Compiler<'m> {
    fn compile(&mut self) {
        let metadata = self.metadata;
        let templates = metadata.templates();
        self.grammar.vocabulary_revision = metadata.vocabulary_revision();
        self.grammar.template_revision = metadata.template_revision();
        self.lists();
        let mut done = BTreeSet::new();
        for (name, fragment) in &templates.fragments {
            self.cycle(fragment, &[name.as_str()], &mut done);
        }
        for (name, subject) in &templates.subjects {
            self.subject(name, subject);
        }
        let layouts = &templates.layouts;
        let of = |t: &Text| t.template.clone();
        self.grammar.layouts = Layouts {
            multiple_choice: of(&layouts.multiple_choice),
            true_false: of(&layouts.true_false),
            yes_no: of(&layouts.yes_no),
            free_form: of(&layouts.free_form),
            refusal: layouts.refusal.clone(),
            cross: of(&layouts.cross),
            cross_option: of(&layouts.cross_option),
            pair_choice: of(&layouts.pair_choice),
        };
        for (text, known) in [
            (
                &layouts.multiple_choice,
                &["question", "options", "letters"][..],
            ),
            (&layouts.true_false, &["question", "options", "letters"]),
            (&layouts.yes_no, &["question"]),
            (&layouts.free_form, &["question"]),
            (&layouts.cross, &[]),
            (&layouts.pair_choice, &["question", "options", "letters"]),
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
            let ready = Compatibility::compile(rules, &self.grammar.lists, metadata, &mut found);
            self.grammar.compatibility = Some(Arc::new(ready));
            self.found.append(&mut found);
        }
        // That a file has too few terms follows from that it cannot be read.
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
                "`style` is the slot of styles.toml",
            );
            self.found.push(
                finding
                    .term(STYLE)
                    .help("give this vocabulary another name"),
            );
        }
        for name in names.filter(|n| *n != STYLE).chain([STYLE]) {
            let terms: Vec<String> = self
                .metadata
                .enabled(name)
                .into_iter()
                .map(String::from)
                .collect();
            let kind = if phrases.get(name) == Some(&true) {
                Terms::Phrases
            } else {
                Terms::Nouns
            };
            let words = terms.iter().map(|t| Words::new(t, kind)).collect();
            let at = terms
                .iter()
                .enumerate()
                .map(|(i, t)| (t.clone(), i as u32))
                .collect();
            self.grammar.lists.push(List {
                name: name.into(),
                terms,
                words,
                at,
            });
        }
        self.grammar.style = self.grammar.lists.len() - 1;
        let styles = self.metadata.styles().iter().filter(|s| !s.disabled);
        self.grammar.styles = styles
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
                let slot = &self.grammar.lists[list].name;
                let what = format!(
                    "this wording of {name} has `{slot}` and another has not: nothing can be asked about it"
                );
                self.found.push(
                    self.metadata
                        .in_template(Rule::UnsupportedSlot, what, text, 0..0)
                        .term(slot.clone()),
                );
            }
        }
        let main = subject.main.as_deref().and_then(|m| self.grammar.list(m));
        if let Some(wanted) = &subject.main
            && !main.is_some_and(|m| lists.contains(&m))
        {
            let what = format!("the main vocabulary `{wanted}` of {name} is not in its prompt");
            self.found.push(
                self.metadata
                    .at_template(Rule::UnsupportedSlot, what, subject.span.clone())
                    .term(wanted.clone()),
            );
        }
        for text in [&subject.describe, &subject.answer].into_iter().flatten() {
            self.supported(text, &lists, &[], &format!("the prompt of {name}"));
        }
        if subject.describe.is_some() != subject.answer.is_some() {
            let what = format!("{name} needs both `describe` and `answer`, or neither");
            self.found.push(
                self.metadata
                    .at_template(Rule::BadTemplate, what, subject.span.clone())
                    .term(name),
            );
        }
        if self.found.len() == before {
            let sources = prompts.iter().map(|parts| self.source(parts)).collect();
            self.grammar.subjects.push(Subject {
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
        let Some(list) = self.grammar.list(&subtask.vocabulary) else {
            let what = format!(
                "{name} asks about `{}`, and there is no such vocabulary",
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
        if self.grammar.lists[list].terms.len() < 2 {
            let enabled = self.grammar.lists[list].terms.len();
            let file = file_of(&subtask.vocabulary);
            let what = format!("{enabled} enabled terms: {name} needs at least 2 to ask which");
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
                let what = format!(
                    "{name} states nothing about `{{term}}`: it would be true or false of anything"
                );
                self.found.push(
                    self.metadata
                        .in_template(Rule::BadTemplate, what, text, 0..0)
                        .term(name),
                );
            }
        }
        for text in [&subtask.describe, &subtask.answer].into_iter().flatten() {
            self.known(text, &["term", "subject"]);
        }
        if subtask.describe.is_some() != subtask.answer.is_some() {
            let what = format!("{name} needs both `describe` and `answer`, or neither");
            self.found.push(
                self.metadata
                    .at_template(Rule::BadTemplate, what, subtask.span.clone())
                    .term(name),
            );
        }
        if self.found.len() == before {
            self.grammar.subtasks.push(Subtask {
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

    /// Which subtasks each subject supports, and which questions use a slot that a prompt does not have.
    fn support(&mut self) {
        let templates = self.metadata.templates();
        let mut supports = Vec::new();
        for subject in &self.grammar.subjects {
            let mut of = Vec::new();
            for (at, subtask) in self.grammar.subtasks.iter().enumerate() {
                if subject.lists.contains(&subtask.list) {
                    of.push(at);
                }
            }
            supports.push(of);
        }
        for (at, supports) in supports.into_iter().enumerate() {
            let subject = self.grammar.subjects[at].clone();
            let mut good = Vec::new();
            for task in supports {
                let name = self.grammar.subtasks[task].name.clone();
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
                            "nothing says how {name} of {} is described in free form",
                            subject.name
                        );
                        let finding =
                            self.metadata
                                .at_template(Rule::BadTemplate, what, raw.span.clone());
                        self.found.push(
                            finding
                                .term(&*name)
                                .help("give the subtask or the subject `describe` and `answer`"),
                        );
                    }
                }
                if self.found.len() == before {
                    good.push(task);
                }
            }
            self.grammar.subjects[at].supports = good;
        }
        self.found.sort();
        self.found.dedup();
    }

    /// Takes a prompt's template apart, fragments put in.
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
                    "with its fragments the prompt is over {} KiB",
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
            if let Some(list) = self.grammar.list(&slot.name) {
                if self.grammar.lists[list].terms.is_empty() {
                    let what = "no enabled terms, and a prompt needs one";
                    let finding = Finding::new(Rule::EmptyVocabulary, file_of(&slot.name), what);
                    self.found.push(finding.term(slot.name.clone()));
                }
                parts.push(Part::Term {
                    list,
                    article: slot.article,
                });
            } else if let Some(fragment) = metadata.templates().fragments.get(&slot.name) {
                if path.contains(&slot.name) || path.len() >= DEPTH {
                    // Found once, at the fragment itself.
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

    fn source(&self, parts: &[Part]) -> String {
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Text(words) => text.push_str(words),
                Part::Term { list, article } => {
                    text.push_str(if *article { "{a " } else { "{" });
                    text.push_str(&self.grammar.lists[*list].name);
                    text.push('}');
                }
            }
        }
        text
    }

    fn cyclic(&self, text: &Text, name: &str, at: std::ops::Range<usize>) -> Finding {
        let what = format!(
            "the fragment `{name}` uses itself, or stands more than {DEPTH} deep in others"
        );
        self.metadata
            .in_template(Rule::CyclicFragment, what, text, at)
            .term(name)
    }

    /// Finds fragments that use themselves, whether or not a prompt uses them.
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

    /// Slots must be of these names.
    fn only(&mut self, text: &Text, known: &[&str]) {
        for slot in text
            .template
            .slots()
            .filter(|s| !known.contains(&s.name.as_str()))
        {
            let finding = self.metadata.in_template(
                Rule::UnknownSlot,
                format!("`{{{}}}` is not a slot here", slot.name),
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
                    .help(format!("slots here: {known}")),
            );
        }
    }

    /// Slots must be of these names or of vocabularies.
    fn known(&mut self, text: &Text, own: &[&str]) {
        let unknown: Vec<_> = text
            .template
            .slots()
            .filter(|s| !own.contains(&s.name.as_str()) && self.grammar.list(&s.name).is_none())
            .cloned()
            .collect();
        for slot in unknown {
            self.unknown(text, &slot.name, slot.at, own);
        }
    }

    /// Slots must be of these names or in the prompt.
    fn supported(&mut self, text: &Text, lists: &[usize], own: &[&str], prompt: &str) {
        for slot in text
            .template
            .slots()
            .filter(|s| !own.contains(&s.name.as_str()))
        {
            match self.grammar.list(&slot.name) {
                Some(list) if lists.contains(&list) => {}
                None if slot.name != "subject" => {
                    if own.is_empty() {
                        let (name, at) = (slot.name.clone(), slot.at.clone());
                        self.unknown(text, &name, at, &[]);
                    }
                }
                _ => {
                    let what = format!("`{{{}}}` is not in {prompt}", slot.name);
                    let finding = self.metadata.in_template(
                        Rule::UnsupportedSlot,
                        what,
                        text,
                        slot.at.clone(),
                    );
                    self.found.push(finding.term(slot.name.clone()));
                }
            }
        }
    }

    fn unknown(&mut self, text: &Text, name: &str, at: std::ops::Range<usize>, own: &[&str]) {
        let what = format!("`{{{name}}}` is neither a vocabulary nor a fragment");
        let finding = self
            .metadata
            .in_template(Rule::UnknownSlot, what, text, at)
            .term(name);
        self.found.push(finding.help(self.nearest(name, own)));
    }

    /// What a misspelt name was probably meant to be.
    fn nearest(&self, name: &str, own: &[&str]) -> String {
        let lists = self.grammar.lists.iter().map(|l| l.name.as_str());
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
            _ => format!("add vocabularies/{name}.txt, or name another"),
        }
    }
}

/// Writes a prompt: `term` gives the term of a list.
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
        metadata.put(MetaFile {
            name: name.into(),
            text,
        });
        CompiledMetadata::compile(&metadata).1
    }

    #[test]
    fn fragments_that_multiply_are_stopped() {
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
                .any(|f| f.rule == Rule::BadTemplate && f.what.contains("KiB")),
            "{found:?}"
        );
    }

    #[test]
    fn no_vocabulary_takes_the_slot_of_the_styles() {
        let found = found("vocabularies/style.txt", "gothic\nbaroque\n".into());
        assert_eq!(
            (found.len(), found[0].rule, found[0].term.as_str()),
            (1, Rule::BadTemplate, "style")
        );
    }
}
