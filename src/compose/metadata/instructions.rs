//! `instruct/NAME.toml`: instructions, the text around a question when a model is asked.
//!
//! Shipped are the instructions of Dysca, MVP-Bench, MM-SAP, and AutoBench-V, and a plain one
//! without a hint.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use toml::Spanned;

use super::named_files::{Shipped, name_in, parse_shipped};
use super::positions;
use super::template::Template;
use super::text_reader::Reader;
use benchtop_model::{Finding, Item, QuestionKind, Rule};

/// The folder of instructions within the metadata folder.
pub const FOLDER: &str = "instruct/";

/// Slots of the text around a question.
const SLOTS: [&str; 3] = ["question", "options", "letters"];
/// Slots of an option line.
const OPTION: [&str; 2] = ["letter", "text"];

/// The name of the instruction in this file; `None` for other files.
pub fn instruction_of(file: &str) -> Option<&str> {
    name_in(file, FOLDER, ".toml")
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// File name without extension.
    pub name: String,
    /// Increases with every change of meaning.
    pub version: u32,
    /// A one-line description.
    pub about: String,
    /// Paper and section.
    pub source: String,
    /// Hash of the file, 16 hex digits. Answers to different texts are different answers.
    pub revision: String,
    system: Option<Template>,
    /// In the order of [`QuestionKind::ALL`].
    texts: [Template; QuestionKind::ALL.len()],
    option: Template,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Raw {
    version: Spanned<u32>,
    about: Spanned<String>,
    #[serde(default)]
    source: String,
    system: Option<Spanned<String>>,
    multiple_choice: Spanned<String>,
    true_false: Spanned<String>,
    yes_no: Spanned<String>,
    free_form: Spanned<String>,
    option: Spanned<String>,
}

/// Parses the instruction `name` in `file`. `None` with findings if it is invalid.
pub fn parse(name: &str, file: &str, text: &str) -> (Option<Instruction>, Vec<Finding>) {
    let raw: Raw = match toml::from_str(text) {
        Ok(raw) => raw,
        Err(error) => return (None, vec![positions::toml(&error, file, text)]),
    };
    let mut reader = Reader::new(file, text);
    let about = reader.header(&raw.version, &raw.about);
    let [choice, truth] = [raw.multiple_choice, raw.true_false]
        .map(|t| reader.checked_template(t, &SLOTS, &["question", "options"]));
    let [yes, free] =
        [raw.yes_no, raw.free_form].map(|t| reader.checked_template(t, &SLOTS, &["question"]));
    let option = reader.checked_template(raw.option, &OPTION, &OPTION);
    let system = raw.system.map(|s| reader.checked_template(s, &[], &[]));
    let instruction = Instruction {
        name: name.to_string(),
        version: raw.version.into_inner(),
        about,
        source: raw.source,
        revision: reader.revision(),
        system,
        texts: [choice, truth, yes, free],
        option,
    };
    (reader.found.is_empty().then_some(instruction), reader.found)
}

impl Reader<'_> {
    /// Parses a template with the allowed slots `known` and the required slots `needed`.
    fn checked_template(
        &mut self,
        words: Spanned<String>,
        known: &[&str],
        needed: &[&str],
    ) -> Template {
        let (span, source) = (words.span(), words.into_inner());
        let help = match known.is_empty() {
            true => "this text has no slots".to_string(),
            false => format!("known slots: {}", known.join(", ")),
        };
        let Some(template) = self.template(&span, &source, known, &help) else {
            return Template::default();
        };
        for name in needed.iter().filter(|name| !template.has(name)) {
            self.say(
                Rule::BadTemplate,
                span.clone(),
                format!("missing slot `{{{name}}}`"),
                &help,
            );
        }
        template
    }
}

impl Instruction {
    /// Name and version, as recorded with every answer.
    pub fn label(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    /// The system prompt, if there is one.
    pub fn system(&self) -> Option<String> {
        let text = self.system.as_ref()?;
        let mut out = String::new();
        text.render(&mut out, |_| None);
        Some(out)
    }

    /// The whole text for a question of this type with these options in order.
    pub fn write(&self, kind: QuestionKind, question: &str, options: &[&str]) -> String {
        let letters: Vec<String> = (0..options.len()).map(Item::letter).collect();
        let line = |(letter, text): (&String, &&str)| {
            let mut out = String::new();
            self.option.render(&mut out, |name| {
                Some(if name == "letter" { letter } else { *text })
            });
            out
        };
        let lines: Vec<String> = letters.iter().zip(options).map(line).collect();
        let fields: BTreeMap<&str, String> = BTreeMap::from([
            ("question", question.to_string()),
            ("options", lines.join("\n")),
            // Written like Dysca's hint, regardless of the format of the option lines.
            (
                "letters",
                letters
                    .iter()
                    .map(|l| format!("({l})"))
                    .collect::<Vec<_>>()
                    .join(", "),
            ),
        ]);
        let at = kind as usize;
        // A yes/no question with options uses the text for options.
        let at = if at == 2 && !options.is_empty() && !self.texts[2].has("options") {
            0
        } else {
            at
        };
        let mut out = String::new();
        self.texts[at].render(&mut out, |name| fields.get(name).map(String::as_str));
        out.trim().to_string()
    }
}

/// The shipped instructions by name.
pub fn shipped_instructions() -> &'static Shipped<Instruction> {
    static SHIPPED: LazyLock<Shipped<Instruction>> =
        LazyLock::new(|| parse_shipped(instruction_of, parse));
    &SHIPPED
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchtop_model::metafile::shipped;

    #[test]
    fn shipped_instructions_are_valid() {
        let names: Vec<&str> = shipped_instructions().keys().map(String::as_str).collect();
        assert_eq!(names, ["autobench-v", "dysca", "mm-sap", "mvp", "plain"]);
        let dysca = &shipped_instructions()["dysca"];
        assert_eq!(
            dysca.write(QuestionKind::MultipleChoice, "What is it?", &["cat", "dog"]),
            "Question: What is it?\nChoices:\n(A) cat\n(B) dog\nHint: Please answer the question and provide the correct \
             option letter, e.g., (A), (B), at the end. Do not contain the analysis progress.\nYour answer is:"
        );
        let mvp = &shipped_instructions()["mvp"];
        assert_eq!(
            mvp.write(QuestionKind::YesNo, "Is it red?", &[]),
            "Is it red?\nPlease answer yes or no."
        );
        assert_eq!(
            shipped_instructions()["plain"].write(QuestionKind::FreeForm, "What is it?", &[]),
            "What is it?"
        );
        assert_eq!((dysca.label().as_str(), dysca.system()), ("dysca@1", None));
        assert!(
            shipped_instructions()["autobench-v"]
                .write(QuestionKind::YesNo, "?", &[])
                .contains("[[yes]]")
        );
    }

    #[test]
    fn defects_are_located() {
        let good = shipped()
            .find(|f| f.name == "instruct/plain.toml")
            .unwrap()
            .text;
        for (from, to, says, line) in [
            ("version = 1", "version = 0", "1", 2),
            (
                "yes-no = \"{question}\"",
                "yes-no = \"{subject}\"",
                "{subject}",
                10,
            ),
            (
                "yes-no = \"{question}\"",
                "yes-no = \"yes?\"",
                "{question}",
                10,
            ),
            ("{letter}. ", "", "{letter}", 12),
            ("free-form", "free", "free", 11),
        ] {
            let (none, found) = parse("mine", "instruct/mine.toml", &good.replace(from, to));
            assert!(none.is_none() && !found.is_empty(), "{to}");
            assert!(
                found
                    .iter()
                    .any(|f| f.message.contains(says) && f.line == line),
                "{to}: {found:?}"
            );
        }
    }
}
