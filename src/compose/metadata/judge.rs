//! `judge/NAME.toml`: what a model is asked about a picture or a question, and how its answer is read.
//!
//! The shipped judgings follow VLB (a judge of every edited picture and question) and AutoBench-V (its
//! self-validation of a picture against its description); all words are benchtop's own.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use toml::Spanned;

use super::place;
use super::template::Template;
use super::templates::Text;
use benchtop_model::judge::{Reads, Shown, Word};
use benchtop_model::metafile::shipped;
use benchtop_model::vlm::Ask;
use benchtop_model::{Finding, Item, Rule};

/// The folder of judgings within the metadata folder.
pub const FOLDER: &str = "judge/";

/// The slots a judging can have, and what they stand for.
pub const SLOTS: [(&str, &str); 9] = [
    ("question", "the question; of an edited one, as it is now"),
    (
        "options",
        "its options, a line each after their letters; `none` where it has none",
    ),
    ("answer", "its answer"),
    ("prompt", "the prompt that its picture was made from"),
    ("original-question", "the question before it was edited"),
    ("context", "the words that were put before the question"),
    ("edit", "what was done to the picture"),
    ("count", "how many questions are asked for"),
    ("types", "the types of elements, between commas"),
];
/// Slots that only a judging that reads questions has.
const OF_QUESTIONS: [&str; 2] = ["count", "types"];

/// The name of the judging in this file, if it is one.
pub fn judging_of(file: &str) -> Option<&str> {
    file.strip_prefix(FOLDER)?
        .strip_suffix(".toml")
        .filter(|n| !n.is_empty() && !n.contains('/'))
}

/// Words for the slots, by name.
pub type Fields = BTreeMap<&'static str, String>;

/// What a model is asked, and how its answer is read.
#[derive(Clone, Debug, PartialEq)]
pub struct Judging {
    /// The name of its file.
    pub name: String,
    /// Goes up with every change of its meaning.
    pub version: u32,
    /// One line for a person.
    pub about: String,
    /// Paper and section.
    pub source: String,
    /// Which pictures go with it.
    pub shows: Shown,
    /// What the model is told of its part.
    pub system: Option<Text>,
    /// The words.
    pub prompt: Text,
    /// How its answer is read.
    pub reads: Reads,
    /// Most tokens of an answer, where `[judge]` of benchtop.toml is not to say.
    pub max_tokens: Option<u32>,
    /// 16 hex digits of a hash over all of it: an answer to other words is another answer.
    pub revision: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    version: Spanned<u32>,
    about: Spanned<String>,
    #[serde(default)]
    source: String,
    #[serde(default)]
    pictures: Shown,
    system: Option<Spanned<String>>,
    prompt: Spanned<String>,
    max_tokens: Option<Spanned<u32>>,
    answer: Spanned<RawAnswer>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAnswer {
    read: Spanned<Read>,
    pass: Option<Spanned<Word>>,
    count: Option<Spanned<u32>>,
    types: Option<Spanned<Vec<String>>>,
    threshold: Option<Spanned<f64>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Read {
    YesNo,
    Questions,
    Choice,
}

/// Reads the text of the judging `name` in `file`. One that cannot be used is none, and found.
pub fn parse(name: &str, file: &str, text: &str) -> (Option<Judging>, Vec<Finding>) {
    let raw: Raw = match toml::from_str(text) {
        Ok(raw) => raw,
        Err(error) => return (None, vec![place::toml(&error, file, text)]),
    };
    let mut reader = Reader {
        file,
        text,
        found: Vec::new(),
    };
    let judging = reader.judging(name, raw);
    (judging.filter(|_| reader.found.is_empty()), reader.found)
}

struct Reader<'t> {
    file: &'t str,
    text: &'t str,
    found: Vec<Finding>,
}

impl Reader<'_> {
    fn say(&mut self, rule: Rule, span: Range<usize>, what: impl Into<String>, help: &str) {
        let finding = Finding::new(rule, self.file, what.into()).help(help);
        self.found.push(place::at(finding, self.text, span));
    }

    fn judging(&mut self, name: &str, raw: Raw) -> Option<Judging> {
        if *raw.version.get_ref() == 0 {
            self.say(
                Rule::Unreadable,
                raw.version.span(),
                "versions begin at 1",
                "",
            );
        }
        let about = raw.about.get_ref().trim().to_string();
        if about.is_empty() || about.contains('\n') {
            self.say(
                Rule::Unreadable,
                raw.about.span(),
                "`about` is one line that says what it asks",
                "",
            );
        }
        if let Some(tokens) = raw
            .max_tokens
            .as_ref()
            .filter(|t| !(1..=1 << 20).contains(t.get_ref()))
        {
            self.say(
                Rule::Unreadable,
                tokens.span(),
                format!("{} tokens; from 1 to 1048576", tokens.get_ref()),
                "",
            );
        }
        let reads = self.reads(raw.answer)?;
        let prompt = self.words(raw.prompt, &reads);
        let system = raw.system.map(|s| self.words(s, &reads));
        let revision = blake3::hash(self.text.as_bytes()).to_hex()[..16].to_string();
        Some(Judging {
            name: name.to_string(),
            version: raw.version.into_inner(),
            about,
            source: raw.source,
            shows: raw.pictures,
            system,
            prompt,
            reads,
            max_tokens: raw.max_tokens.map(Spanned::into_inner),
            revision,
        })
    }

    /// How it is read, with the fields of that way and no others.
    fn reads(&mut self, raw: Spanned<RawAnswer>) -> Option<Reads> {
        let whole = raw.span();
        let RawAnswer {
            read,
            pass,
            count,
            types,
            threshold,
        } = raw.into_inner();
        let (kind, before) = (*read.get_ref(), self.found.len());
        let given = [
            (
                "pass",
                pass.as_ref().map(Spanned::span),
                matches!(kind, Read::YesNo),
            ),
            (
                "count",
                count.as_ref().map(Spanned::span),
                matches!(kind, Read::Questions),
            ),
            (
                "types",
                types.as_ref().map(Spanned::span),
                matches!(kind, Read::Questions),
            ),
            (
                "threshold",
                threshold.as_ref().map(Spanned::span),
                matches!(kind, Read::Choice),
            ),
        ];
        for (name, span, wanted) in given {
            match (span, wanted) {
                (Some(span), false) => {
                    self.say(
                        Rule::Unreadable,
                        span,
                        format!("`{name}` says nothing about answers read this way"),
                        "",
                    );
                }
                (None, true) => {
                    let help =
                        "yes-no needs `pass`, questions `count` and `types`, choice `threshold`";
                    self.say(
                        Rule::Unreadable,
                        whole.clone(),
                        format!("missing field `{name}`"),
                        help,
                    );
                }
                _ => {}
            }
        }
        if let Some(count) = count.as_ref().filter(|c| !(1..=50).contains(c.get_ref())) {
            self.say(
                Rule::Unreadable,
                count.span(),
                format!("{} questions; from 1 to 50", count.get_ref()),
                "",
            );
        }
        if let Some(types) = &types {
            let list = types.get_ref();
            let twice = list
                .iter()
                .enumerate()
                .find(|(i, t)| t.trim().is_empty() || list[..*i].contains(t));
            if list.is_empty() || twice.is_some() {
                self.say(
                    Rule::Unreadable,
                    types.span(),
                    "`types` are at least one, each once and with a name",
                    "",
                );
            }
        }
        if let Some(share) = threshold
            .as_ref()
            .filter(|t| !(0.0..=1.0).contains(t.get_ref()))
        {
            self.say(
                Rule::Unreadable,
                share.span(),
                format!("{} is no share from 0 to 1", share.get_ref()),
                "",
            );
        }
        if self.found.len() > before {
            return None;
        }
        Some(match kind {
            Read::YesNo => Reads::YesNo {
                pass: pass?.into_inner(),
            },
            Read::Questions => Reads::Questions {
                count: count?.into_inner(),
                types: types?.into_inner(),
            },
            Read::Choice => Reads::Choice {
                threshold: threshold?.into_inner(),
            },
        })
    }

    fn words(&mut self, words: Spanned<String>, reads: &Reads) -> Text {
        let (span, source) = (words.span(), words.into_inner());
        if source.trim().is_empty() {
            self.say(
                Rule::BadTemplate,
                span.clone(),
                "these words say nothing",
                "",
            );
        }
        let template = match Template::parse(&source) {
            Ok(template) => template,
            Err(flaw) => {
                let at = place::inside(self.text, span.clone(), &source, flaw.at);
                self.say(Rule::BadTemplate, at, flaw.what, "");
                return Text {
                    template: Template::default(),
                    span,
                };
            }
        };
        let of_questions = matches!(reads, Reads::Questions { .. });
        let known = |name: &str| {
            SLOTS.iter().any(|(n, _)| *n == name) && (of_questions || !OF_QUESTIONS.contains(&name))
        };
        let names: Vec<&str> = SLOTS.iter().map(|(n, _)| *n).filter(|n| known(n)).collect();
        let help = format!("the slots here are {}", names.join(", "));
        for slot in template.slots().filter(|s| !known(&s.name)) {
            let at = place::inside(self.text, span.clone(), &source, slot.at.clone());
            self.say(
                Rule::UnknownSlot,
                at,
                format!("there is no slot `{{{}}}` here", slot.name),
                &help,
            );
        }
        Text { template, span }
    }
}

impl Judging {
    /// The question about `fields`, without its pictures, with an answer of at most `max_tokens` where the judging does
    /// not say itself.
    ///
    /// # Errors
    /// The slot that `fields` holds nothing for: no question is asked with a hole in it.
    pub fn ask(&self, fields: &Fields, max_tokens: u32) -> Result<Ask, &str> {
        let mut own = Fields::new();
        if let Reads::Questions { count, types } = &self.reads {
            own.insert("count", count.to_string());
            own.insert("types", types.join(", "));
        }
        let word = |name: &str| {
            own.get(name)
                .or_else(|| fields.get(name))
                .map(String::as_str)
        };
        let texts = || self.system.iter().chain([&self.prompt]);
        let empty = |name: &str| word(name).is_none_or(|w| w.trim().is_empty());
        if let Some(slot) = texts()
            .flat_map(|t| t.template.slots())
            .find(|s| empty(&s.name))
        {
            return Err(&slot.name);
        }
        let write = |text: &Text| {
            let mut out = String::new();
            text.template.render(&mut out, word);
            out
        };
        Ok(Ask {
            system: self.system.as_ref().map(write),
            prompt: write(&self.prompt),
            max_tokens: self.max_tokens.unwrap_or(max_tokens),
            schema: Some(self.reads.schema()),
            ..Ask::default()
        })
    }
}

/// What an item says of itself: `question`, `options`, `answer`, and `prompt` where it has one.
pub fn fields_of(item: &Item) -> Fields {
    let mut fields = Fields::new();
    let line = |(at, option): (usize, &benchtop_model::Choice)| {
        format!("{}. {}", Item::letter(at), option.text)
    };
    let options: Vec<String> = item.options.iter().enumerate().map(line).collect();
    fields.insert("question", item.question.clone());
    fields.insert(
        "options",
        if options.is_empty() {
            "none".into()
        } else {
            options.join("\n")
        },
    );
    fields.insert("answer", item.answer.clone());
    if let Some(prompt) = &item.prompt {
        fields.insert("prompt", prompt.clone());
    }
    fields
}

/// The shipped judgings, by name.
pub fn shipped_judgings() -> &'static BTreeMap<String, Arc<Judging>> {
    static SHIPPED: LazyLock<BTreeMap<String, Arc<Judging>>> = LazyLock::new(|| {
        let one = |f: benchtop_model::MetaFile| {
            let name = judging_of(&f.name)?;
            Some((name.to_string(), Arc::new(parse(name, &f.name, &f.text).0?)))
        };
        shipped().filter_map(one).collect()
    });
    &SHIPPED
}

#[cfg(test)]
#[path = "judge_tests.rs"]
pub(super) mod tests;
