//! `templates.toml`: templates of prompts, questions, statements, instructions, and answers.
//!
//! Subjects define what a picture shows and which terms its prompt contains. Subtasks define the
//! questions about a term. The wording of the instructions follows Dysca section 3.4 and appendix
//! H.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

use super::positions;
use super::template::Template;
use benchtop_model::{Finding, Rule};

/// Name of the file in the metadata folder.
pub const FILE: &str = "templates.toml";

/// Default text around a multiple-choice question about a pair, which MVP-Bench's scripts can
/// parse.
const PAIR_CHOICE: &str = "{question}\n{options}\nAnswer with the option's letter alone.";

/// A template with the byte range of its string in the file, including quotes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    pub template: Template,
    pub span: Range<usize>,
}

/// A subject: the kind of picture that a prompt describes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// Wordings of its prompt. Each picture uses one.
    pub prompts: Vec<Text>,
    /// The vocabulary whose term `{subject}` stands for in questions.
    pub main: Option<String>,
    /// The free-form question.
    pub describe: Option<Text>,
    /// Its reference answer.
    pub answer: Option<Text>,
    /// Byte range of its name in the file.
    pub span: Range<usize>,
}

/// A subtask: the property that a question asks about (Dysca's `question_majority`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subtask {
    /// The vocabulary that it asks about, or `style`.
    pub vocabulary: String,
    /// The multiple-choice question.
    pub question: Text,
    /// The true/false statement about `{term}`.
    pub statement: Text,
    /// The yes/no question.
    pub yes_no: Text,
    /// The free-form question; defaults to the subject's.
    pub describe: Option<Text>,
    /// Its reference answer.
    pub answer: Option<Text>,
    /// Dysca's task: "recognition" or "OCR".
    pub task: String,
    /// Dysca's granularity: "coarse" or "fine".
    pub granularity: String,
    /// Whether its terms are titles, names, or phrases, whose last word is not a head noun.
    pub phrases: bool,
    /// Byte range of its name in the file.
    pub span: Range<usize>,
}

/// The texts around questions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layouts {
    /// Around a multiple-choice question.
    pub multiple_choice: Text,
    /// Around a true/false statement.
    pub true_false: Text,
    /// Around a yes/no question.
    pub yes_no: Text,
    /// Around a free-form question.
    pub free_form: Text,
    /// The refusal option (MM-SAP section 3).
    pub refusal: String,
    /// The question across the two pictures of a pair (MVP-Bench's cross-image questions).
    pub cross: Text,
    /// An option of that question. `{first}` and `{second}` are the terms of the two pictures.
    pub cross_option: Text,
    /// Around a multiple-choice question about a pair, in MVP-Bench's format with option lines `A.
    /// ...`.
    pub pair_choice: Text,
}

/// The parsed file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Templates {
    /// The texts around questions.
    pub layouts: Layouts,
    /// Named parts of prompts.
    pub fragments: BTreeMap<String, Text>,
    /// Subjects by name.
    pub subjects: BTreeMap<String, Subject>,
    /// Subtasks by name.
    pub subtasks: BTreeMap<String, Subtask>,
}

type Words = Spanned<String>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    instruction: RawInstruction,
    pair: RawPair,
    #[serde(default)]
    fragment: BTreeMap<Spanned<String>, Words>,
    subject: BTreeMap<Spanned<String>, RawSubject>,
    subtask: BTreeMap<Spanned<String>, RawSubtask>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawInstruction {
    multiple_choice: Words,
    true_false: Words,
    yes_no: Words,
    free_form: Words,
    refusal: Words,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPair {
    question: Words,
    option: Words,
    #[serde(rename = "multiple-choice")]
    multiple_choice: Option<Words>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSubject {
    prompt: Vec<Words>,
    main: Option<String>,
    describe: Option<Words>,
    answer: Option<Words>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawSubtask {
    vocabulary: Words,
    question: Words,
    statement: Words,
    yes_no: Words,
    describe: Option<Words>,
    answer: Option<Words>,
    #[serde(default = "recognition")]
    task: String,
    #[serde(default = "fine")]
    granularity: String,
    #[serde(default)]
    phrases: bool,
}

fn recognition() -> String {
    "recognition".into()
}

fn fine() -> String {
    "fine".into()
}

/// Parses `templates.toml`. Invalid templates become empty and are reported.
pub fn parse(text: &str) -> (Templates, Vec<Finding>) {
    let raw: Raw = match toml::from_str(text) {
        Ok(raw) => raw,
        Err(error) => {
            return (
                Templates::default(),
                vec![positions::toml(&error, FILE, text)],
            );
        }
    };
    let mut reader = Reader {
        text,
        found: Vec::new(),
    };
    let templates = reader.templates(raw);
    (templates, reader.found)
}

struct Reader<'t> {
    text: &'t str,
    found: Vec<Finding>,
}

impl Reader<'_> {
    fn templates(&mut self, raw: Raw) -> Templates {
        let layouts = Layouts {
            multiple_choice: self.words(raw.instruction.multiple_choice),
            true_false: self.words(raw.instruction.true_false),
            yes_no: self.words(raw.instruction.yes_no),
            free_form: self.words(raw.instruction.free_form),
            refusal: self
                .words(raw.instruction.refusal)
                .template
                .source()
                .to_string(),
            cross: self.words(raw.pair.question),
            cross_option: self.words(raw.pair.option),
            pair_choice: match raw.pair.multiple_choice {
                Some(words) => self.words(words),
                None => Text {
                    template: Template::parse(PAIR_CHOICE).unwrap_or_default(),
                    span: 0..0,
                },
            },
        };
        let fragments = raw
            .fragment
            .into_iter()
            .map(|(name, words)| (self.name(&name), self.words(words)))
            .collect();
        let subjects = raw
            .subject
            .into_iter()
            .map(|(name, raw)| (self.name(&name), self.subject(&name, raw)))
            .collect();
        let subtasks = raw
            .subtask
            .into_iter()
            .map(|(name, raw)| (self.name(&name), self.subtask(&name, raw)))
            .collect();
        Templates {
            layouts,
            fragments,
            subjects,
            subtasks,
        }
    }

    fn subject(&mut self, name: &Spanned<String>, raw: RawSubject) -> Subject {
        let prompts: Vec<Text> = raw.prompt.into_iter().map(|w| self.words(w)).collect();
        if prompts.is_empty() {
            self.say(
                Rule::BadTemplate,
                name.span(),
                "a subject needs a prompt",
                name.get_ref(),
            );
        }
        Subject {
            prompts,
            main: raw.main,
            describe: raw.describe.map(|w| self.words(w)),
            answer: raw.answer.map(|w| self.words(w)),
            span: name.span(),
        }
    }

    fn subtask(&mut self, name: &Spanned<String>, raw: RawSubtask) -> Subtask {
        Subtask {
            vocabulary: raw.vocabulary.into_inner(),
            question: self.words(raw.question),
            statement: self.words(raw.statement),
            yes_no: self.words(raw.yes_no),
            describe: raw.describe.map(|w| self.words(w)),
            answer: raw.answer.map(|w| self.words(w)),
            task: raw.task,
            granularity: raw.granularity,
            phrases: raw.phrases,
            span: name.span(),
        }
    }

    /// Names are used in slots, plans, and files.
    fn name(&mut self, name: &Spanned<String>) -> String {
        let text = name.get_ref();
        // Subtasks keep the names of the papers, and one of them contains a blank: "tv show".
        let ok = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == ' ';
        if text.trim() != text || text.is_empty() || !text.chars().all(ok) {
            self.say(
                Rule::BadTemplate,
                name.span(),
                "names must consist of lowercase letters, digits, blanks, and `-`",
                text,
            );
        }
        text.clone()
    }

    fn words(&mut self, words: Words) -> Text {
        let span = words.span();
        let source = words.into_inner();
        if source.trim().is_empty() {
            self.say(Rule::BadTemplate, span.clone(), "the template is empty", "");
        }
        if let Some(c) = source.chars().find(|c| c.is_control() && *c != '\n') {
            let what = format!(
                "the template contains the control character {}",
                c.escape_debug()
            );
            self.say(Rule::BadTemplate, span.clone(), &what, "");
        }
        match Template::parse(&source) {
            Ok(template) => Text { template, span },
            Err(flaw) => {
                let at = positions::inside(self.text, span.clone(), &source, flaw.at.clone());
                let term = source.get(flaw.at).unwrap_or_default().to_string();
                self.say(Rule::BadTemplate, at, &flaw.what, &term);
                Text {
                    template: Template::default(),
                    span,
                }
            }
        }
    }

    fn say(&mut self, rule: Rule, span: Range<usize>, what: &str, term: &str) {
        self.found.push(positions::at(
            Finding::new(rule, FILE, what).term(term),
            self.text,
            span,
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::SMALL;

    /// The templates of the shared test metadata.
    #[test]
    fn templates_parse() {
        let (templates, found) = parse(SMALL);
        assert!(found.is_empty(), "{found:?}");
        assert_eq!(templates.subjects["animal"].prompts.len(), 2);
        assert_eq!(templates.subtasks["text"].task, "OCR");
        assert_eq!(templates.subtasks["animal"].granularity, "fine");
        assert!(templates.layouts.multiple_choice.template.has("letters"));
    }

    #[test]
    fn unclosed_brace_is_located() {
        let text = SMALL.replace("The background is {term}.", "The background is {term.");
        let (_, found) = parse(&text);
        assert_eq!(found.len(), 1, "{found:?}");
        let line = text.lines().nth(found[0].line as usize - 1).unwrap();
        assert_eq!(&line[found[0].column as usize - 1..], "{term.\"");
        assert_eq!(found[0].rule, Rule::BadTemplate);
    }

    #[test]
    fn invalid_fields_are_located() {
        let (templates, found) =
            parse(&SMALL.replace("yes-no = \"Is the background {term}?\"\n", ""));
        assert_eq!(
            (templates, found[0].rule),
            (Templates::default(), Rule::Unreadable)
        );
        assert!(found[0].message.contains("yes-no"), "{:?}", found[0]);
        let (_, found) = parse(&SMALL.replace("task = \"OCR\"", "tusk = \"OCR\""));
        assert!(
            found[0].help.contains("task") && found[0].line > 40,
            "{:?}",
            found[0]
        );
        let (_, found) = parse(&SMALL.replace("\"What differs?\"", "\" \""));
        assert_eq!((found[0].rule, found[0].line), (Rule::BadTemplate, 9));
        let (_, found) = parse(&SMALL.replace("[subject.sign]", "[subject.\"Sign!\"]"));
        assert_eq!(found[0].term, "Sign!");
    }
}
